// Public bug reports (shared/cases), through the addon: those whose fault would show only, or also, there.

import { readdirSync } from 'node:fs'
import { listRalphTools } from 'ralph-sdk-tools/agent-sdk'
import { describe, expect, test } from 'vitest'
import { callTool, connect } from './support/mcp.mts'
import { failure, freezeClock, project, read, toolsIn, writeFiles } from './support/project.mts'

test('21: next_reset is the top of the hour', async () => {
  const folder = project()
  freezeClock('2026-03-01T10:50:00Z')
  await toolsIn({}, { projectDir: folder }).progressReporter({ action: 'update', status: 'running' })
  expect(JSON.parse(read(folder, '.ralph/status.json')).next_reset).toBe('11:00:00')
})

describe('25: options over the environment over .ralphrc', () => {
  test.each(['\n', '\r\n'])('lines that end in %j', async (end) => {
    const folder = project({ '.ralphrc': ['MAX_CALLS_PER_HOUR=100', 'CB_NO_PROGRESS_THRESHOLD=3', ''].join(end) })
    const environment = { CB_NO_PROGRESS_THRESHOLD: '10' }
    const tools = toolsIn(environment, { projectDir: folder, maxCallsPerHour: 5 })
    expect(await tools.rateLimit({ action: 'check' })).toMatchObject({ maxCalls: 5 })
    expect(await toolsIn({}, { projectDir: folder }).rateLimit({ action: 'check' })).toMatchObject({ maxCalls: 100 })
    for (let loopNumber = 1; loopNumber <= 9; loopNumber += 1) {
      const { state } = await tools.circuitBreaker({ action: 'record', loopNumber, filesChanged: 0 })
      expect(state).not.toBe('OPEN')
    }
    expect(await tools.circuitBreaker({ action: 'record', loopNumber: 10, filesChanged: 0 })).toMatchObject({
      state: 'OPEN',
    })
  })
})

test('37: 2 000 tasks of 200 characters, listed through MCP with no further arguments', async () => {
  const tasks = Array.from({ length: 2000 }, (_, index) => `- [ ] [t-${index}] ${'x'.repeat(200)}`)
  const client = await connect({ projectDir: project({ '.ralph/fix_plan.md': `${tasks.join('\n')}\n` }) })
  const seen: string[] = []
  for (let offset: number | undefined; seen.length === 0 || offset !== undefined; ) {
    const { text } = await callTool(client, 'task_planner', { action: 'read', ...(offset !== undefined && { offset }) })
    expect(text.length).toBeLessThanOrEqual(20_000)
    const page = JSON.parse(text)
    expect(page).toMatchObject({ totalTasks: 2000, completedTasks: 0, pendingTasks: 2000 })
    seen.push(...page.tasks.map(({ id }: { id: string }) => id))
    offset = page.nextOffset
  }
  expect(seen).toEqual(Array.from({ length: 2000 }, (_, index) => `t-${index}`))
})

test('X7: at the limit', async () => {
  freezeClock('2026-03-01T10:50:00Z')
  const folder = project({})
  writeFiles(
    folder,
    { '.ralph/.call_count': '5\n', '.ralph/.last_reset': '2026030110\n' },
    new Date('2026-03-01T10:10:00Z'),
  )
  const tools = toolsIn({}, { projectDir: folder, maxCallsPerHour: 5 })
  expect(await tools.rateLimit({ action: 'increment' })).toMatchObject({
    admitted: false,
    currentCount: 5,
    remainingCapacity: 0,
    secondsUntilReset: 600,
    nextReset: '2026-03-01T11:00:00+00:00',
  })
  expect(read(folder, '.ralph/.call_count').trim()).toBe('5')
})

test('X25: no call can empty the plan, or tick everything at once', async () => {
  const text = '# Plan\n- [ ] one\n- [ ] two\n- [x] three\n'
  const folder = project({ '.ralph/fix_plan.md': text })
  const client = await connect({ projectDir: folder })
  const planner = listRalphTools().find(({ name }) => name === 'task_planner')
  const ids = [undefined, '', '*', 'all', '[ ]', '- [ ]', 'one\n- [ ] two', '# Plan', 'three', '.*']
  for (const action of planner?.actions ?? []) {
    for (const completed of [true, false]) {
      for (const taskId of ids) {
        await callTool(client, 'task_planner', { action, completed, ...(taskId !== undefined && { taskId }) })
        const now = read(folder, '.ralph/fix_plan.md')
        // At most the one task that is named has changed.
        expect([text, text.replace('[x] three', '[ ] three')]).toContain(now)
      }
    }
  }
})

test('X26: an unknown taskId names the closest ids and where to find them', async () => {
  const tools = toolsIn(
    {},
    { projectDir: project({ '.ralph/fix_plan.md': '- [ ] [api-1] A\n- [ ] [api-2] B\n- [ ] Write docs\n' }) },
  )
  const { code, message } = await failure(tools.taskPlanner({ action: 'update', taskId: 'api-3' }))
  expect(code).toBe('TASK_NOT_FOUND')
  expect(message).toMatch(/api-1|api-2/)
  expect(message).toMatch(/read/)
})

test('X31: with both layouts, .ralph wins, with a warning', async () => {
  const folder = project({ '@fix_plan.md': '- [ ] flat\n', 'PROMPT.md': 'p\n', '.ralph/fix_plan.md': '- [ ] ralph\n' })
  const tools = toolsIn({}, { projectDir: folder })
  const { tasks, warnings } = await tools.taskPlanner({ action: 'read' })
  expect(tasks.map(({ description }) => description)).toEqual(['ralph'])
  expect(warnings).toContainEqual(expect.stringContaining('.ralph'))
  await tools.rateLimit({ action: 'increment' })
  expect(readdirSync(folder)).not.toContain('.call_count')
})
