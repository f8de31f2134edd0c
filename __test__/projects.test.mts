// What the files of real projects and the reports of their owners taught (shared/cases/round-2.md), through the addon.

import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { callTool, connect } from './support/mcp.mts'
import { failure, freezeClock, project, read, toolsIn, writeFiles } from './support/project.mts'

const PLAN = '.ralph/fix_plan.md'

describe('S3: the plan of Ralph v0.10', () => {
  test('is read and ticked', async () => {
    const folder = project({ '.ralph/@fix_plan.md': '- [ ] alpha\n- [ ] beta\n' })
    const tools = toolsIn({}, { projectDir: folder })
    expect(await tools.taskPlanner({ action: 'read' })).toMatchObject({ totalTasks: 2, nextTask: { id: 'alpha' } })
    for (const taskId of ['alpha', 'beta']) await tools.taskPlanner({ action: 'update', taskId })
    expect(read(folder, '.ralph/@fix_plan.md')).toBe('- [x] alpha\n- [x] beta\n')
    expect(existsSync(join(folder, PLAN))).toBe(false)
    expect(await tools.exitDetection({ action: 'check' })).toMatchObject({ exitReason: 'plan_complete' })
  })

  test('gives way to the newer name, with a warning', async () => {
    const folder = project({ '.ralph/@fix_plan.md': '- [x] old\n', [PLAN]: '- [ ] new\n' })
    const answer = await toolsIn({}, { projectDir: folder }).taskPlanner({ action: 'read' })
    expect(answer).toMatchObject({ totalTasks: 1, tasks: [{ id: 'new' }] })
    expect(answer.warnings).toEqual([expect.stringContaining('@fix_plan.md')])
  })
})

test('S5: marks that people use', async () => {
  const folder = project({ [PLAN]: '- [~] a\n- [!] b\n- [>] c\n- [?] d\n- [] e\n- [x] f\n- [-] g\n' })
  const tools = toolsIn({}, { projectDir: folder })
  const answer = await tools.taskPlanner({ action: 'read' })
  expect(answer).toMatchObject({ totalTasks: 6, completedTasks: 1, blockingTasks: 5 })
  expect(answer.warnings).toEqual([expect.stringMatching(/line 2.*\[!\].*2 more/)])
  for (const taskId of ['a', 'b', 'e']) await tools.taskPlanner({ action: 'update', taskId })
  expect(read(folder, PLAN)).toBe('- [x] a\n- [x] b\n- [>] c\n- [?] d\n- [x] e\n- [x] f\n- [-] g\n')
})

test('S17: leading marks are ids', async () => {
  const lines = ['T007 Write it', '**US-12**: Sign in', '2.3 Load', 'ABC-4: x', 'T007 Again']
  const folder = project({ [PLAN]: lines.map((line) => `- [ ] ${line}\n`).join('') })
  const { tasks } = await toolsIn({}, { projectDir: folder }).taskPlanner({ action: 'read' })
  expect(tasks.map(({ id }) => id)).toEqual(['T007', 'US-12', '2.3', 'ABC-4', 'T007-2'])
  expect(tasks.map(({ description }) => description)).toEqual(lines)
})

test('S18: a plan without boxes', async () => {
  const folder = project({ [PLAN]: '# Plan\n\n1. Write it\n2. Test it\n' })
  const answer = await toolsIn({}, { projectDir: folder }).taskPlanner({ action: 'read' })
  expect(answer).toMatchObject({ totalTasks: 0, warnings: [expect.stringContaining('`- [ ] ')] })
})

describe('S10: numbers and booleans in quotes, at the MCP border', () => {
  const plan = { [PLAN]: '- [ ] a\n- [ ] b\n- [x] c\n' }

  test('are taken where the text is exactly that', async () => {
    const folder = project(plan)
    const client = await connect({ projectDir: folder })
    const call = async (tool: string, input: Record<string, unknown>) =>
      JSON.parse((await callTool(client, tool, input)).text)
    expect(await call('task_planner', { action: 'read', limit: '1', offset: '1' })).toMatchObject({
      tasks: [{ id: 'b' }],
      nextOffset: 2,
    })
    await call('task_planner', { action: 'update', taskId: 'c', completed: 'false' })
    await call('task_planner', { action: 'update', taskId: 'a', completed: 'true' })
    expect(read(folder, PLAN)).toBe('- [x] a\n- [ ] b\n- [ ] c\n')
    expect(await call('rate_limit', { action: 'increment', calls: '2' })).toMatchObject({ currentCount: 2 })
    const measured = { action: 'update', loopDurationSeconds: '1.5', loopSucceeded: 'true' }
    expect(await call('progress_reporter', measured)).toMatchObject({
      metrics: { totalLoops: 1, averageDuration: 1.5 },
    })
  })

  test.each([
    ['task_planner', { action: 'read', limit: '1.5x' }],
    ['task_planner', { action: 'read', limit: '' }],
    ['task_planner', { action: 'read', limit: ' 1' }],
    ['task_planner', { action: 'read', limit: '-1' }],
    ['task_planner', { action: 'read', limit: '1.5' }],
    ['task_planner', { action: 'read', limit: '0x10' }],
    ['task_planner', { action: 'read', limit: '1_000' }],
    ['task_planner', { action: 'read', limit: 'true' }],
    ['task_planner', { action: 'read', limit: ['1'] }],
    ['task_planner', { action: 'update', taskId: 'a', completed: 'yes' }],
    ['task_planner', { action: 'update', taskId: 'a', completed: '1' }],
    ['progress_reporter', { action: 'update', loopDurationSeconds: 'NaN', loopSucceeded: true }],
    ['progress_reporter', { action: 'update', loopDurationSeconds: '1e999', loopSucceeded: true }],
  ])('and nothing else: %s %j', async (tool, input) => {
    const folder = project(plan)
    const { text, isError } = await callTool(await connect({ projectDir: folder }), tool, input)
    expect({ text, isError }).toMatchObject({ text: expect.stringMatching(/^INVALID_INPUT: /), isError: true })
    expect(read(folder, PLAN)).toBe(plan[PLAN])
  })

  test('a text stays a text', async () => {
    const folder = project({ [PLAN]: '- [ ] 7\n- [ ] true\n' })
    const client = await connect({ projectDir: folder })
    for (const taskId of ['7', 'true']) await callTool(client, 'task_planner', { action: 'update', taskId })
    expect(read(folder, PLAN)).toBe('- [x] 7\n- [x] true\n')
  })

  test('a program is told its mistake', async () => {
    const tools = toolsIn({}, { projectDir: project(plan) })
    const wrong = { action: 'read', limit: '10' } as unknown as { action: 'read' }
    expect(await failure(tools.taskPlanner(wrong))).toMatchObject({ code: 'INVALID_INPUT' })
  })
})

test('S13: a status with the colours and line breaks of a terminal', async () => {
  const raw = '{"loop_count": 7, "status": "\u001b[32mcompleted\u001b[0m", "exit_reason": "all\ndone\t!"}'
  const folder = project({ '.ralph/status.json': raw })
  const tools = toolsIn({}, { projectDir: folder })
  const answer = await tools.progressReporter({ action: 'read' })
  expect(answer).toMatchObject({ loopCount: 7, exitReason: 'all\ndone\t!' })
  expect(answer.warnings).toEqual([expect.stringContaining('status.json')])
  expect(read(folder, '.ralph/status.json')).toBe(raw)
  await tools.progressReporter({ action: 'update', message: 'on' })
  expect(JSON.parse(read(folder, '.ralph/status.json'))).toMatchObject({ loop_count: 7, exit_reason: 'all\ndone\t!' })
})

test.each([
  ['open', 'OPEN'],
  ['Half_Open', 'HALF_OPEN'],
  ['closed', 'CLOSED'],
])('S19: the breaker state %j', async (written, state) => {
  freezeClock('2026-03-01T12:00:00Z')
  const stamp = '2026-03-01T11:59:00Z'
  const folder = project({
    '.ralph/.circuit_breaker_state': JSON.stringify({ state: written, last_change: stamp, opened_at: stamp }),
  })
  const answer = await toolsIn({}, { projectDir: folder }).circuitBreaker({ action: 'check' })
  expect(answer).toMatchObject({ state, canExecute: state !== 'OPEN' })
  expect(answer.warnings).toBeUndefined()
})

test('S20: two loops in one log', async () => {
  const lines = [
    '[2026-03-01 10:00:00] [LOOP] === Starting Loop #12 ===',
    '[2026-03-01 10:01:00] [LOOP] === Starting Loop #3 ===',
    '[2026-03-01 10:02:00] [SUCCESS] Claude Code execution completed successfully',
    '[2026-03-01 10:03:00] [LOOP] === Completed Loop #12 ===',
    '[2026-03-01 10:04:00] [ERROR] Claude Code execution failed',
    '[2026-03-01 10:05:00] [LOOP] === Completed Loop #3 ===',
  ]
  const folder = project({ '.ralph/logs/ralph.log': `${lines.join('\n')}\n` })
  const { metrics } = await toolsIn({ TZ: 'UTC' }, { projectDir: folder }).progressReporter({ action: 'metrics' })
  expect(metrics).toMatchObject({ totalLoops: 2, successfulLoops: 1, averageDuration: 210, skippedLines: 0 })
})

test('S34: a message alone makes no status', async () => {
  const folder = project()
  const tools = toolsIn({}, { projectDir: folder })
  await tools.progressReporter({ action: 'update', message: 'hello' })
  expect(read(folder, '.ralph/logs/ralph.log')).toContain('hello')
  expect(existsSync(join(folder, '.ralph/status.json'))).toBe(false)
})

/** Git in a project, as somebody. */
function git(folder: string, ...commands: string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', '-c', 'commit.gpgsign=false']
  execFileSync('git', [...who, ...commands], { cwd: folder, stdio: 'ignore' })
}

function repository(): string {
  const folder = project({ 'src/a.txt': 'one\n', 'src/b.txt': 'one\n', '.gitignore': 'build/\n' })
  git(folder, 'init', '-q')
  git(folder, 'add', 'src', '.gitignore')
  git(folder, 'commit', '-q', '-m', 'first')
  return folder
}

describe('S27: what changed since begin counts, and nothing else', () => {
  test.each(['v0.11', 'v0.9'] as const)('an edit that is left, then a stall, under %s', async (rules) => {
    const folder = repository()
    const tools = toolsIn({ PATH: process.env['PATH'] ?? '' }, { projectDir: folder, rules })
    const loop = async (work: Record<string, string>) => {
      await tools.circuitBreaker({ action: 'begin' })
      writeFiles(folder, work)
      return tools.circuitBreaker({ action: 'record' })
    }
    expect(await loop({ 'src/a.txt': 'edited\n' })).toMatchObject({ lastProgressLoop: 1 })
    expect(await loop({ 'src/new.txt': 'never added\n' })).toMatchObject({ lastProgressLoop: 2 })
    expect(await loop({ 'src/a.txt': 'edited\n' })).toMatchObject({ consecutiveNoProgress: 1 })
    expect(await loop({ 'build/out.txt': 'ignored\n' })).toMatchObject({ consecutiveNoProgress: 2, state: 'HALF_OPEN' })
    expect(await loop({})).toMatchObject({ consecutiveNoProgress: 3, state: 'OPEN' })
  })

  test('a commit of what an earlier loop left is one', async () => {
    const folder = repository()
    const tools = toolsIn({ PATH: process.env['PATH'] ?? '' }, { projectDir: folder })
    writeFiles(folder, { 'src/a.txt': 'edited\n' })
    await tools.circuitBreaker({ action: 'begin' })
    git(folder, 'commit', '-qam', 'second')
    expect(await tools.circuitBreaker({ action: 'record' })).toMatchObject({ lastProgressLoop: 1 })
  })
})

describe('S32: three loops that claim a file', () => {
  const output = '---RALPH_STATUS---\nFILES_MODIFIED: 1\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---'
  const run = async (folder: string) => {
    const tools = toolsIn({ PATH: process.env['PATH'] ?? '' }, { projectDir: folder })
    const seen = []
    for (let loopNumber = 1; loopNumber <= 3; loopNumber += 1) {
      await tools.circuitBreaker({ action: 'begin' })
      const { warnings = [] } = await tools.exitDetection({ action: 'analyze', output, loopNumber })
      const recorded = await tools.circuitBreaker({ action: 'record', loopNumber })
      seen.push({ state: recorded.state, warnings: [...warnings, ...(recorded.warnings ?? [])] })
    }
    return seen
  }

  test('open the breaker where git can tell that there is none', async () => {
    const seen = await run(repository())
    expect(seen.map(({ state }) => state)).toEqual(['CLOSED', 'HALF_OPEN', 'OPEN'])
    for (const { warnings } of seen) expect(warnings.join()).toMatch(/git/)
  })

  test('count where there is no git', async () => {
    expect((await run(project())).map(({ state }) => state)).toEqual(['CLOSED', 'CLOSED', 'CLOSED'])
  })
})

describe('S26: what a loop claims, beside the plan', () => {
  const block = (lines: string) => `---RALPH_STATUS---\n${lines}\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---`

  test.each([
    ['with git', repository],
    ['without', project],
  ] as const)('%s', async (_, make) => {
    const folder = make()
    writeFiles(folder, { [PLAN]: '- [ ] alpha\n- [ ] beta\n' })
    const tools = toolsIn({ PATH: process.env['PATH'] ?? '' }, { projectDir: folder })
    await tools.circuitBreaker({ action: 'begin' })
    const claimed = block('TASKS_COMPLETED_THIS_LOOP: 2\nFILES_MODIFIED: 1')
    const first = await tools.exitDetection({ action: 'analyze', output: claimed, loopNumber: 1 })
    expect(first.warnings?.join()).toMatch(/completed 2 tasks, but no box/)
    await tools.circuitBreaker({ action: 'record', loopNumber: 1 })

    await tools.circuitBreaker({ action: 'begin' })
    await tools.taskPlanner({ action: 'update', taskId: 'alpha' })
    const ticked = block('TASKS_COMPLETED_THIS_LOOP: 1\nFILES_MODIFIED: 0')
    const second = await tools.exitDetection({ action: 'analyze', output: ticked, loopNumber: 2 })
    expect(second.warnings?.join()).toMatch(/1 boxes of the plan were ticked/)
    expect(second.warnings?.join()).not.toMatch(/no box/)
  })
})

describe('S29 and S14: a .ralphrc of another kind', () => {
  test.each([
    ['JSON', '{ "MAX_CALLS_PER_HOUR": 5 }', 100, /JSON/],
    ['blanks', 'MAX_CALLS_PER_HOUR = 5\n', 100, /MAX_CALLS_PER_HOUR.*no blanks/],
    ['YAML', 'MAX_CALLS_PER_HOUR: 5\n', 100, /MAX_CALLS_PER_HOUR=value/],
  ])('%s is warned of', async (_, text, maxCalls, words) => {
    const folder = project({ '.ralphrc': text })
    const answer = await toolsIn({}, { projectDir: folder }).rateLimit({ action: 'check' })
    expect(answer).toMatchObject({ maxCalls, warnings: [expect.stringMatching(words)] })
  })

  test.each(['utf16le', 'utf16be'])('%s is read', async (encoding) => {
    const bytes = Buffer.from('\uFEFFMAX_CALLS_PER_HOUR=5\r\n', 'utf16le')
    const folder = project()
    writeFileSync(join(folder, '.ralphrc'), encoding === 'utf16be' ? bytes.swap16() : bytes)
    expect(await toolsIn({}, { projectDir: folder }).rateLimit({ action: 'check' })).toMatchObject({ maxCalls: 5 })
  })
})

test('S30 and S33: calls, tokens and cost reach the statistics', async () => {
  const folder = project()
  const tools = toolsIn({}, { projectDir: folder })
  const output = JSON.stringify({
    type: 'result',
    result: 'Done.',
    total_cost_usd: 0.25,
    usage: { input_tokens: 1500, output_tokens: 300 },
  })
  await tools.exitDetection({ action: 'analyze', output, loopNumber: 1 })
  const loop = { action: 'update', status: 'running', loopDurationSeconds: 2, loopSucceeded: true } as const
  await tools.progressReporter({ ...loop, loopCount: 1, loopCalls: 3 })
  const { metrics } = await tools.progressReporter({ ...loop, loopCount: 2, loopTokens: 200, loopCostUsd: 0.5 })
  expect(metrics).toMatchObject({ totalLoops: 2, totalCalls: 4, totalTokens: 2000, totalCostUsd: 0.75 })
})

describe('S35: a task is added', () => {
  const plan = '## High\n- [x] alpha\n  more of it\n\n## Optional\n1. [ ] gamma\n\nWords.\n'

  test('as one open line, by a worker, and nothing else changes', async () => {
    const folder = project({ [PLAN]: plan })
    const client = await connect({ projectDir: folder, access: 'worker' })
    const add = async (input: Record<string, unknown>) => callTool(client, 'task_planner', { action: 'add', ...input })
    const first = JSON.parse((await add({ description: 'two\nlines \u001b[31m[x] red', section: 'high' })).text)
    expect(first).toMatchObject({ totalTasks: 3, tasks: [{ completed: false, section: 'High', line: 4 }] })
    const second = JSON.parse((await add({ description: 'T009 delta' })).text)
    expect(second).toMatchObject({ tasks: [{ id: 'T009', section: 'Optional', optional: true }], blockingTasks: 1 })
    expect(read(folder, PLAN)).toBe(
      '## High\n- [x] alpha\n  more of it\n- [ ] two lines [31m\\[x\\] red\n\n## Optional\n1. [ ] gamma\n2. [ ] T009 delta\n\nWords.\n',
    )
    const unknown = await add({ description: 'x', section: 'Low' })
    expect(unknown).toMatchObject({ isError: true, text: expect.stringMatching(/INVALID_INPUT.*High, Optional/) })
  })

  test('not by a reader, and fifty in a loop', async () => {
    const folder = project({ [PLAN]: plan })
    const reader = await connect({ projectDir: folder, access: 'read' })
    expect(await callTool(reader, 'task_planner', { action: 'add', description: 'x' })).toMatchObject({ isError: true })
    const tools = toolsIn({}, { projectDir: folder })
    await tools.circuitBreaker({ action: 'begin' })
    for (let n = 1; n <= 50; n += 1) await tools.taskPlanner({ action: 'add', description: `task ${n}` })
    expect(await failure(tools.taskPlanner({ action: 'add', description: 'one more' }))).toMatchObject({
      code: 'INVALID_INPUT',
    })
    await tools.circuitBreaker({ action: 'record', filesChanged: 1 })
    await tools.circuitBreaker({ action: 'begin' })
    expect(await tools.taskPlanner({ action: 'add', description: 'one more' })).toMatchObject({ totalTasks: 53 })
  })
})
