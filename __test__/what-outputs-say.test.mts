// What outputs say (shared/cases, round 2), through the addon. The kinds are tested at length next to the rules in Rust; here
// is what a caller sees of each.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExitDetectionToolOutput, RalphToolsOptions, ResponseAnalysis } from 'ralph-sdk-tools'
import { describe, expect, test } from 'vitest'
import { freezeClock, project, read, toolsIn } from './support/project.mts'

const block = (...lines: string[]): string => ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n')

const result = (members: object): string =>
  JSON.stringify({ type: 'result', subtype: 'success', is_error: false, session_id: 's-1', ...members })

/** A project, and its analysis of one output after the other. */
function loops(options: RalphToolsOptions = {}, env: Record<string, string> = {}) {
  const folder = project()
  const tools = toolsIn(env, { projectDir: folder, ...options })
  let loopNumber = 0
  const analyze = (output: string) => tools.exitDetection({ action: 'analyze', output, loopNumber: ++loopNumber })
  return { folder, tools, analyze }
}

async function analysis(output: string, options?: RalphToolsOptions): Promise<ResponseAnalysis> {
  const answer = await loops(options).analyze(output)
  if (answer.analysis === undefined) throw new Error('analyze answers with an analysis')
  return answer.analysis
}

const opened = ['All of it.', '---RALPH_STATUS---', 'STATUS: COMPLETE', 'EXIT_SIGNAL: true'].join('\n')

test.each(['---END_STATUS---', '---RALPH_STATUS---', '---RALPH_STATUS---\nThat is all.', '```', '', '\nThat is all.'])(
  'S1: a block that ends with %j',
  async (end) => {
    const text = `${opened}\n${end}\n`
    const expected = { exitSignal: true, explicitExitSignal: true, status: 'COMPLETE' }
    expect(await analysis(text)).toMatchObject(expected)
    expect(await analysis(result({ result: text }))).toMatchObject(expected)
  },
)

test('S1: a block that was never closed in an output that was cut', async () => {
  const init = JSON.stringify({ type: 'system', subtype: 'init', session_id: 's-1' })
  const said = JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text: opened }] } })
  const { exitSignal, truncated, status } = await analysis(`${init}\n${said}\n{"type":"resu`)
  expect({ exitSignal, truncated, status }).toEqual({ exitSignal: false, truncated: true, status: undefined })
})

test.each([
  ['^D\b\b', '\r\n\u001b[<u\u001b[?1004l'],
  ['\u001b[?25h', ''],
  ['\u0004\b\b\u001b[?2004h\u001b[?1004h', '\u001b[?2004l\r\n'],
  ['\u001b]0;claude\u0007', '\u001b[0m\r\n'],
  ['thinking\r\u001b[2K', '\r\n'],
])('S2: what a pseudo-terminal puts around JSON: %j … %j', async (before, after) => {
  const denied = [{ tool_name: 'Bash', tool_input: { command: 'curl x' } }]
  const output = result({ result: block('EXIT_SIGNAL: false'), permission_denials: denied })
  const { analyze } = loops()
  const answer = await analyze(before + output + after)
  expect(answer.analysis).toMatchObject({ format: 'json', hasPermissionDenials: true, sessionId: 's-1' })
  expect(answer.exitReason).toBe('permission_denied')
})

test('S2: colours inside text, and inside the text of a result', async () => {
  const coloured = block('\u001b[1mEXIT_SIGNAL\u001b[0m: \u001b[32mtrue\u001b[0m').replaceAll('---R', '\u001b[36m---R')
  for (const output of [coloured, result({ result: coloured })]) {
    expect(await analysis(output)).toMatchObject({ exitSignal: true })
  }
  const { hasErrors, workSummary } = await analysis(result({ result: '\u001b[31mError:\u001b[39m build failed' }))
  expect({ hasErrors, workSummary }).toEqual({ hasErrors: true, workSummary: 'Error: build failed' })
})

test('S4: work on tests is no loop that only ran them', async () => {
  const { tools, folder, analyze } = loops()
  writeFileSync(join(folder, '.ralph/fix_plan.md'), '- [ ] more\n')
  for (let loop = 1; loop <= 3; loop += 1) {
    const prose = 'Running tests\nnpm test\n'
    await analyze(prose + block('TASKS_COMPLETED_THIS_LOOP: 1', 'FILES_MODIFIED: 3', 'WORK_TYPE: TESTING'))
  }
  expect(await tools.exitDetection({ action: 'check' })).toMatchObject({ shouldExit: false })
  for (const lines of [
    ['WORK_TYPE: TESTING'],
    ['WORK_TYPE: TESTING', 'FILES_MODIFIED: 0', 'TASKS_COMPLETED_THIS_LOOP: 0'],
  ]) {
    expect(await analysis(block(...lines))).toMatchObject({ isTestOnly: true })
  }
})

describe('S6: calls that failed at the provider', () => {
  test.each([
    [{ api_error_status: 529 }, 'overloaded', 529],
    [{ result: 'API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}' }, 'overloaded', 529],
    [{ result: 'API Error: 503 Service Unavailable' }, 'server', 503],
    [{ result: 'ThrottlingException: Too many requests, please wait before trying again.' }, 'rate_limited', 429],
    [{ result: '', errors: ['API Error: 429 RESOURCE_EXHAUSTED'] }, 'rate_limited', 429],
  ])('%j', async (members, kind, status) => {
    const { tools, analyze, folder } = loops({ noProgressThreshold: 1 })
    const { analysis } = await analyze(result({ result: '', is_error: true, ...members }))
    expect(analysis?.apiError).toEqual({ kind, status })
    const recorded = await tools.circuitBreaker({ action: 'record', loopNumber: 1 })
    expect(recorded).toMatchObject({
      state: 'CLOSED',
      consecutiveNoProgress: 0,
      consecutiveSameError: 0,
      currentLoop: 0,
    })
    expect(recorded.warnings).toContainEqual(expect.stringContaining('not counted'))
    expect(() => read(folder, '.ralph/.circuit_breaker_state')).toThrow()
  })

  test('the text of the program alone, with a time to wait', async () => {
    const { apiError } = await analysis('API Error: 429 Rate limited. Please retry after 26 seconds.\n')
    expect(apiError).toEqual({ kind: 'rate_limited', status: 429, retryAfterSeconds: 26 })
  })

  test('another failure, and prose, are none', async () => {
    for (const output of [
      result({ is_error: true, result: 'API Error: 400 tool use concurrency' }),
      'I made the client retry on 529 (overloaded).',
      result({ result: 'Rate limits are handled: 429 is retried after 5 seconds.' }),
    ]) {
      expect(await analysis(output)).not.toHaveProperty('apiError')
    }
  })
})

test('S7: a five-hour limit that has just been lifted', async () => {
  for (const now of ['2026-03-04T15:00:20Z', '2026-03-04T15:09:00Z']) {
    freezeClock(now)
    const { apiLimit } = await analysis('5-hour limit reached ∙ resets 3pm')
    expect(apiLimit).toMatchObject({ kind: 'five_hour', resetsAt: '2026-03-04T15:00:00+00:00' })
    const weekly = await analysis("You've hit your weekly limit · resets 3pm")
    expect(weekly.apiLimit).toMatchObject({ kind: 'weekly', resetsAt: '2026-03-05T15:00:00+00:00' })
  }
})

test('S8: a limit as the whole result, and quoted', async () => {
  const sentence = '5-hour limit reached ∙ resets 3pm'
  expect((await analysis(result({ result: `${sentence}\n` }))).apiLimit).toMatchObject({ kind: 'five_hour' })
  for (const quoted of [`\`\`\`\n${sentence}\n\`\`\``, `It now knows this banner:\n${sentence}\nAll tests pass.`]) {
    expect(await analysis(result({ result: quoted }))).not.toHaveProperty('apiLimit')
  }
  expect(await analysis(`It knows this banner:\n\`\`\`\n${sentence}\n\`\`\`\n`)).not.toHaveProperty('apiLimit')
})

test.each([
  ['git add . && git commit -m x', 'Bash(git:*)', true],
  ['cd a && npm t', 'Bash(npm *)', true],
  ['ls && pwd; echo x || true', 'Read', true],
  ['npm t | head -5 && cd b', 'Bash(npm:*)', true],
  ['cd a && curl x', 'Bash(npm *)', false],
  ['git add . && npm t', 'Bash(git:*)', false],
])('S11: denied %j with %j', async (command, allowedTools, limitation) => {
  const denied = [{ tool_name: 'Bash', tool_input: { command } }]
  expect(await analysis(result({ permission_denials: denied }), { allowedTools })).toMatchObject({
    hasCompoundCommandLimitation: limitation,
    hasPermissionDenials: !limitation,
  })
})

test('S12: Claude asked, and was denied nothing', async () => {
  for (const tool_name of ['AskUserQuestion', 'ExitPlanMode']) {
    const answer = await loops().analyze(result({ permission_denials: [{ tool_name, tool_input: {} }] }))
    expect(answer).toMatchObject({ shouldExit: false })
    expect(answer.analysis).toMatchObject({ hasPermissionDenials: false, askingQuestions: true, questionCount: 1 })
  }
  const both = [{ tool_name: 'AskUserQuestion' }, { tool_name: 'WebFetch' }]
  expect(await analysis(result({ permission_denials: both }))).toMatchObject({ hasPermissionDenials: true })
})

test.each([
  ['little', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['big', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
])('S14: an output in UTF-16, %s endian', async (_, encode) => {
  for (const output of [result({ result: `Grüße 😀\n${block('EXIT_SIGNAL: true')}` }), block('EXIT_SIGNAL: true')]) {
    const { folder, tools } = loops()
    writeFileSync(join(folder, 'out.log'), encode(`${output}\r\n`))
    const answer = await tools.exitDetection({ action: 'analyze', outputFile: 'out.log' })
    expect(answer.analysis).toMatchObject({ exitSignal: true })
  }
})

test('S15: messages without a result, and a result at maxTurns, keep the session and are no error', async () => {
  const init = { type: 'system', subtype: 'init', session_id: 's-7' }
  const said = { type: 'assistant', session_id: 's-7', message: { content: [{ type: 'text', text: 'working' }] } }
  const turns = { type: 'result', subtype: 'error_max_turns', is_error: true, session_id: 's-7' }
  for (const messages of [[init, said], [said], [init, said, turns], [turns]]) {
    for (const output of [JSON.stringify(messages), messages.map((message) => JSON.stringify(message)).join('\n')]) {
      const { analyze, tools } = loops()
      expect((await analyze(output)).analysis, output).toMatchObject({ hasErrors: false, sessionId: 's-7' })
      const recorded = await tools.circuitBreaker({ action: 'record', filesChanged: 2 })
      expect(recorded).toMatchObject({ consecutiveNoProgress: 0, consecutiveSameError: 0, lastProgressLoop: 1 })
    }
  }
})

test('S16: a keyword under a negation in its sentence', async () => {
  for (const sentence of [
    'The work is not finished yet.',
    'I could not complete step 2.',
    "It isn't done",
    'The docs are not up to date.',
    'The migration is incomplete.',
    'Step 2 is 80% done.',
  ]) {
    const { analyze, tools } = loops()
    for (let loop = 1; loop <= 2; loop += 1) {
      expect((await analyze(sentence)).analysis, sentence).toMatchObject({ hasCompletionSignal: false })
    }
    expect(await tools.exitDetection({ action: 'check' })).toMatchObject({ shouldExit: false })
  }
  for (const sentence of [
    'All is done.',
    'I did not change the API, and the work is done.',
    'Nothing is left to be done.',
  ]) {
    expect(await analysis(sentence), sentence).toMatchObject({ hasCompletionSignal: true })
  }
})

test.each([
  ['true (all done)', true],
  ['false - tests fail', false],
  ['True, see above', true],
  ['true | nothing left', true],
])('S21: EXIT_SIGNAL: %s', async (value, exitSignal) => {
  expect(await analysis(block(`EXIT_SIGNAL: ${value}`))).toMatchObject({ exitSignal, explicitExitSignal: true })
})

test('S22: structured output is read as the flat form is', async () => {
  const structured_output = {
    status: 'COMPLETE',
    exit_signal: true,
    files_modified: 3,
    tasks_completed: 2,
    summary: 'S',
  }
  expect(await analysis(result({ result: '', structured_output }))).toMatchObject({
    exitSignal: true,
    hasCompletionSignal: true,
    filesModified: 3,
    tasksCompleted: 2,
    status: 'COMPLETE',
    workSummary: 'S',
  })
  const go = { status: 'IN_PROGRESS', exitSignal: false, filesModified: 1 }
  const answer = await analysis(result({ result: '', structured_output: go }))
  expect(answer).toMatchObject({ exitSignal: false, explicitExitSignal: true, filesModified: 1 })
  const failed = result({ is_error: true, result: '', structured_output })
  expect(await analysis(failed)).toMatchObject({ exitSignal: false, hasCompletionSignal: false })
})

describe('S23: a promise', () => {
  const options = { completionPromise: 'ALL DONE' }
  test.each([
    '<promise>ALL DONE</promise>',
    'It works. <promise>ALL DONE</promise>',
    '<promise>\nALL  DONE\n</promise>',
  ])('that is made: %j', async (text) => {
    for (const output of [text, result({ result: text })]) {
      expect(await analysis(output, options)).toMatchObject({ exitSignal: true, explicitExitSignal: true })
      expect(await analysis(output)).toMatchObject({ exitSignal: false, explicitExitSignal: false })
    }
  })
  test.each([
    '<promise>HALF WAY</promise>',
    '`<promise>ALL DONE</promise>`',
    '```\n<promise>ALL DONE</promise>\n```',
    'I cannot yet say <promise>ALL DONE</promise>.',
    'Once the tests pass I will say <promise>ALL DONE</promise>',
    'ALL DONE',
  ])('that is not: %j', async (text) => {
    for (const output of [text, result({ result: text })]) {
      expect(await analysis(output, options)).toMatchObject({ exitSignal: false, explicitExitSignal: false })
    }
  })
  test('asked for by the environment or by .ralphrc ends the run after two loops', async () => {
    const folder = project({ '.ralphrc': 'COMPLETION_PROMISE="SHIPPED"\n' })
    for (const [env, promise] of [
      [{}, 'SHIPPED'],
      [{ COMPLETION_PROMISE: 'DONE' }, 'DONE'],
    ] as const) {
      const tools = toolsIn(env, { projectDir: folder })
      await tools.exitDetection({ action: 'reset' })
      let answer: ExitDetectionToolOutput | undefined
      for (let loopNumber = 1; loopNumber <= 2; loopNumber += 1) {
        const output = `<promise>${promise}</promise>`
        answer = await tools.exitDetection({ action: 'analyze', output, loopNumber })
      }
      expect(answer).toMatchObject({ shouldExit: true })
    }
  })
})

test('S24: blocked twice in a row ends the run and says what is needed', async () => {
  const blocked = block('STATUS: BLOCKED', 'EXIT_SIGNAL: false', 'RECOMMENDATION: need the API key')
  const { analyze, tools } = loops()
  expect(await analyze(blocked)).toMatchObject({ shouldExit: false })
  expect(await analyze(block('STATUS: IN_PROGRESS'))).toMatchObject({ shouldExit: false })
  expect(await analyze(blocked)).toMatchObject({ shouldExit: false })
  const expected = { shouldExit: true, exitReason: 'blocked', recommendation: 'need the API key' }
  expect(await analyze(result({ result: blocked }))).toMatchObject(expected)
  expect(await tools.exitDetection({ action: 'check' })).toMatchObject(expected)
})

test('S24: what the block says, and blocked by failing tests as an error', async () => {
  const text = block(
    'STATUS: BLOCKED',
    'TASKS_COMPLETED_THIS_LOOP: 2',
    'FILES_MODIFIED: 3',
    'TESTS_STATUS: FAILING',
    'WORK_TYPE: DEBUGGING',
    'RECOMMENDATION: look at the fixture',
  )
  for (const output of [text, result({ result: text })]) {
    const { analyze, tools } = loops()
    expect((await analyze(output)).analysis).toMatchObject({
      status: 'BLOCKED',
      testsStatus: 'FAILING',
      workType: 'DEBUGGING',
      tasksCompleted: 2,
      recommendation: 'look at the fixture',
      hasErrors: true,
    })
    const recorded = await tools.circuitBreaker({ action: 'record', loopNumber: 1 })
    expect(recorded).toMatchObject({ consecutiveSameError: 1, consecutiveNoProgress: 0 })
  }
  expect(await analysis(block('STATUS: BLOCKED', 'TESTS_STATUS: PASSING'))).toMatchObject({ hasErrors: false })
})

test('S25: how full the windows are, and a stop at overage', async () => {
  const event = (rate_limit_info: object) => JSON.stringify({ type: 'rate_limit_event', rate_limit_info })
  const output = [
    JSON.stringify({ type: 'system', subtype: 'init', session_id: 's-1' }),
    event({ status: 'allowed', rateLimitType: 'five_hour', utilization: 0.4, resetsAt: 1_772_660_000 }),
    event({ status: 'allowed_warning', rateLimitType: 'seven_day', utilization: 0.92, isUsingOverage: true }),
    result({ result: 'ok' }),
  ].join('\n')
  const answer = await loops().analyze(output)
  expect(answer.analysis?.apiUsage).toEqual({
    isUsingOverage: true,
    windows: [
      { window: 'five_hour', status: 'allowed', utilization: 0.4, resetsAt: '2026-03-04T21:33:20+00:00' },
      { window: 'seven_day', status: 'allowed_warning', utilization: 0.92 },
    ],
  })
  expect(answer.shouldExit).toBe(false)
  const { analyze, tools } = loops({ stopAtOverage: true })
  expect(await analyze(output)).toMatchObject({ shouldExit: true, exitReason: 'overage' })
  expect(await tools.exitDetection({ action: 'check' })).toMatchObject({ exitReason: 'overage' })
  expect(await analyze(result({ result: 'ok' }))).toMatchObject({ shouldExit: false })
})

test('S29: an output that says nothing but that a program did not run', async () => {
  const shell = '/usr/local/bin/ralph: line 600: timeout: command not found'
  expect(await analysis(`${shell}\n`)).toMatchObject({ hasErrors: true })
  expect(await analysis(`${shell}\nSo I used another one, and it works.`)).toMatchObject({ hasErrors: false })
})

test('S30: what a loop cost, of a resumed session only what is new', async () => {
  const { analyze, tools } = loops()
  const cost = async (members: object) => (await analyze(result({ result: 'ok', ...members }))).analysis?.costUsd
  expect(await cost({ total_cost_usd: 0.5 })).toBe(0.5)
  expect(await cost({ total_cost_usd: 0.75 })).toBe(0.25)
  await tools.exitDetection({ action: 'reset' })
  expect(await cost({ total_cost_usd: 1.75 })).toBe(1)
  expect(await cost({ total_cost_usd: 0.25, session_id: 's-2' })).toBe(0.25)
  expect(await cost({})).toBeUndefined()
})

test.each([
  ['```json\n{"status":"COMPLETE","exit_signal":true}\n```\n', 2],
  ['It answers so:\n  {"exit_signal":true}\nand goes on.\n', 2],
  ['The log has {"type":"result","is_error":true} in it.\n', 2],
  ['The log has this line:\n{"type":"result","is_error":true}\nIt is wrong.\n', 2],
  ['{"type":"result","is_error":true,"session_id":"s-9"}\nis what it prints.\n', 2],
])('S31: JSON in a text is not the machine’s: %j', async (prose, filesModified) => {
  const report = block('STATUS: IN_PROGRESS', `FILES_MODIFIED: ${filesModified}`, 'EXIT_SIGNAL: false')
  expect(await analysis(prose + report)).toMatchObject({
    format: 'text',
    exitSignal: false,
    isError: false,
    filesModified,
    status: 'IN_PROGRESS',
  })
})

test('S31: JSON in a text without a block says nothing', async () => {
  for (const text of [
    '```json\n{"exit_signal":true}\n```\n',
    'It is\n{"exit_signal":true}\n',
    '{"exit_signal":true}\nso it is.',
  ]) {
    expect(await analysis(text), text).toMatchObject({ format: 'text', exitSignal: false })
  }
  const warned = `(node:1) Warning: x\n${result({ result: block('EXIT_SIGNAL: true') })}\nTerminated\n`
  expect(await analysis(warned)).toMatchObject({ format: 'json', exitSignal: true })
})

test('S33: check tells the session that may be resumed, until it is too old', async () => {
  freezeClock('2026-03-04T12:00:00Z')
  const { folder, analyze, tools } = loops()
  expect(await tools.exitDetection({ action: 'check' })).not.toHaveProperty('sessionId')
  await analyze(result({ result: 'ok' }))
  const check = (options: RalphToolsOptions = {}, env: Record<string, string> = {}) =>
    toolsIn(env, { projectDir: folder, ...options }).exitDetection({ action: 'check' })
  freezeClock('2026-03-04T13:00:01Z')
  expect(await check()).toMatchObject({ sessionId: 's-1', sessionAgeSeconds: 3601 })
  expect(await check({ sessionExpiryHours: 1 })).not.toHaveProperty('sessionId')
  expect(await check({}, { CLAUDE_SESSION_EXPIRY_HOURS: '1' })).not.toHaveProperty('sessionId')
  freezeClock('2026-03-05T12:00:00Z')
  expect(await check()).not.toHaveProperty('sessionId')
  expect(await check({ sessionExpiryHours: 25 })).toMatchObject({ sessionAgeSeconds: 86_400 })
})
