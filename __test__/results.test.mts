// Answers too long for a model: cut, valid, and honest about it.

import { describe, expect, test } from 'vitest'
import { MAX_RESULT_LENGTH, resultText } from '../dist/results.mjs'

const task = (index: number, length = 200) => ({
  id: `task-${index}`,
  description: 'd'.repeat(length),
  completed: false,
  section: 'Work',
  line: index + 1,
  optional: false,
})

const listing = (count: number, length?: number) => ({
  totalTasks: count,
  completedTasks: 0,
  pendingTasks: count,
  tasks: Array.from({ length: count }, (_, index) => task(index, length)),
  progressPercentage: 0,
})

test('a short answer is left as it is', () => {
  expect(resultText({ a: 1, b: ['x'] }, 0)).toBe('{"a":1,"b":["x"]}')
})

describe('long lists of tasks', () => {
  test('case 37: 2 000 tasks of 200 characters are cut, with totals and nextOffset', () => {
    const text = resultText(listing(2000), 0)
    expect(text.length).toBeLessThanOrEqual(MAX_RESULT_LENGTH)
    const { tasks, nextOffset, totalTasks } = JSON.parse(text)
    expect(totalTasks).toBe(2000)
    expect(tasks.length).toBeGreaterThan(50)
    expect(nextOffset).toBe(tasks.length)
  })

  test('a caller who follows nextOffset sees every task once', () => {
    const all = listing(300).tasks
    const seen: string[] = []
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: { tasks: { id: string }[]; nextOffset?: number } = JSON.parse(
        resultText({ ...listing(300), tasks: all.slice(offset) }, offset),
      )
      seen.push(...page.tasks.map(({ id }) => id))
      offset = page.nextOffset
    }
    expect(seen).toEqual(all.map(({ id }) => id))
  })

  test('a nextOffset of the core’s own is replaced where more is cut, kept where not', () => {
    const cut = JSON.parse(resultText({ ...listing(500), nextOffset: 500 }, 0))
    expect(cut.nextOffset).toBe(cut.tasks.length)
    expect(JSON.parse(resultText({ ...listing(5), nextOffset: 5 }, 0)).nextOffset).toBe(5)
  })

  test('the list fills the room that there is', () => {
    const text = resultText(listing(2000), 0)
    expect(text.length).toBeGreaterThan(MAX_RESULT_LENGTH - 400)
  })

  test.each([1, 2, 50])('%i tasks of 50 000 characters: shortened, and paging gets on', (count) => {
    const text = resultText(listing(count, 50_000), 0)
    expect(text.length).toBeLessThanOrEqual(MAX_RESULT_LENGTH)
    const { tasks, warnings } = JSON.parse(text)
    expect(tasks.length).toBeGreaterThan(0)
    expect(tasks[0].description).toMatch(/^d+…$/)
    expect(warnings).toHaveLength(1)
  })
})

test.each([
  ['one long text', { reason: 'r'.repeat(100_000) }],
  ['many texts', Object.fromEntries(Array.from({ length: 39 }, (_, i) => [`k${i}`, 'x'.repeat(5000)]))],
  ['a long list', { history: Array.from({ length: 5000 }, () => ({ reason: 'r'.repeat(100) })) }],
  ['deep nesting', { progress: { a: { b: { c: ['y'.repeat(90_000)] } } } }],
  ['very many fields', { progress: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`key${i}`, i])) }],
  ['pairs of surrogates', { text: '😀'.repeat(40_000) }],
  ['quotes', { text: '"'.repeat(40_000) }],
  ['long warnings', { warnings: Array.from({ length: 500 }, () => 'w'.repeat(200)) }],
])('%s', (_name, output) => {
  const text = resultText(output, 0)
  expect(text.length).toBeLessThanOrEqual(MAX_RESULT_LENGTH)
  expect(JSON.stringify(JSON.parse(text))).toBe(text)
  expect(text).not.toMatch(/\\ud[89ab]../i)
  expect(JSON.parse(text).warnings.length).toBeGreaterThan(0)
})
