// One step: bash on a copy of the project, we on the project itself, from the same state at the same instant.

import { join } from 'node:path'
import { DIFFERENCES } from './differences.mjs'

/** What a step found that no row explains. */
export class Finding extends Error {
  constructor(details) {
    super(`${details.step}: ${details.differs.join(', ')}`)
    this.details = details
  }
}

/**
 * Runs a step on both sides and compares.
 *
 * @param {object} round `{ project, random, rows, log, scratch }`
 * @param {{ name: string, input: object, readOnly?: boolean,
 *   bash(project, input): Promise<object>, ours(project, input): Promise<{ view: object, answer: object }> }} step
 */
export async function duel(round, step) {
  const { project, scratch } = round
  const { generation } = project.bash
  const before = project.copy(join(scratch, 'before'))
  const bashProject = project.copy(join(scratch, 'bash'))
  const context = { generation, before, input: step.input }
  context.bash = await step.bash(bashProject, step.input)
  const dates = project.dates()
  const { view, answer } = await step.ours(project, step.input)
  redate(project, dates)
  Object.assign(context, { ours: view, answer, after: project })
  round.log.push(`${new Date(project.now).toISOString()} ${step.name} ${JSON.stringify(step.input)}`)

  if (step.readOnly) {
    const wrote = differences(before.snapshot(), project.snapshot())
    if (wrote.length > 0)
      throw finding(
        round,
        step,
        context,
        wrote.map((path) => `wrote ${path}`),
      )
  }

  let differs = differences(context.bash, context.ours)
  const rows = DIFFERENCES.filter(
    (row) => row.generations.includes(generation) && row.steps.includes(step.name) && row.when(context),
  )
  let carry = round.random.chance(0.5) ? 'ours' : 'bash'
  if (rows.some((row) => row.carry === 'ours')) carry = 'ours'
  if (differs.length > 0) {
    const remodels = rows.filter((row) => row.asIf)
    let bashView = context.bash
    if (remodels.length > 0) {
      const again = before.copy(join(scratch, 'as-if'))
      let { input } = step
      for (const row of remodels) input = (await row.asIf({ project: again, input })) ?? input
      bashView = await step.bash(again, input)
      const left = differences(bashView, context.ours)
      for (const row of remodels) if (left.length < differs.length) count(round, row)
      differs = left
    }
    const asSeen = { ...context, bash: bashView }
    for (const row of rows.filter(({ fields }) => fields)) {
      const explained = differs.filter((path) => row.fields.some((field) => within(path, field)))
      if (explained.length === 0 || !row.ours(asSeen)) continue
      count(round, row)
      differs = differs.filter((path) => !explained.includes(path))
    }
    if (differs.length > 0) throw finding(round, step, asSeen, differs)
  }
  if (carry === 'bash') project.become(bashProject)
  round.steps += 1
  return context
}

/** What we wrote is dated by the test's clock; `.last_reset` is ours to date. */
function redate(project, before) {
  for (const [path, date] of project.dates()) {
    if (before.get(path) !== date && !path.endsWith('.last_reset')) project.date(path)
  }
}

function count(round, { row }) {
  round.rows.set(row, (round.rows.get(row) ?? 0) + 1)
}

function finding(round, step, { bash, ours, answer, before }, differs) {
  return new Finding({
    step: step.name,
    input: step.input,
    differs,
    bash,
    ours,
    answer,
    before: before.snapshot(),
    log: round.log.slice(-8),
  })
}

const within = (path, field) => field === '' || path === field || path.startsWith(`${field}.`)

/** Paths at which two values differ. What is undefined is not there. */
export function differences(left, right, path = '') {
  if (Object.is(left, right)) return []
  const plain = (value) => value !== null && typeof value === 'object'
  if (!plain(left) || !plain(right) || Array.isArray(left) !== Array.isArray(right)) return [path]
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...keys].flatMap((key) => differences(left[key], right[key], path === '' ? key : `${path}.${key}`))
}
