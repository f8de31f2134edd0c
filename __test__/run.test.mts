// `ralph-sdk-tools run`: the program, with the real Agent SDK and its own Claude Code, against a scripted model.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { LoopAnswer } from 'ralph-sdk-tools'
import { describe, expect, onTestFinished, test } from 'vitest'
import { claudeOptions } from '../dist/cli/claude-options.mjs'
import { plainDisplay } from '../dist/run/plain.mjs'
import { ScreenDisplay } from '../dist/run/screen.mjs'
import { lastWords } from '../dist/run/words.mjs'
import { styles, width } from '../dist/status/text.mjs'
import { offline } from '../examples/scripted-model/offline.mts'
import { startScriptedModel } from '../examples/scripted-model/server.mts'
import type { ScriptedTurn } from '../examples/scripted-model/turns.mts'
import { PROGRAM } from './support/program.mts'
import { type Files, project, read, writeFiles } from './support/project.mts'

const PLAN: Files = { '.ralph/fix_plan.md': '## A\n- [ ] First\n- [ ] Second\n', '.ralph/PROMPT.md': 'Work.\n' }

const tick = (taskId: string): ScriptedTurn => ({
  calls: [{ name: 'mcp__ralph__task_planner', input: { action: 'update', taskId } }],
})
const report = (words: string, exit: boolean): ScriptedTurn => ({
  text: `${words}\n---RALPH_STATUS---\nSTATUS: ${exit ? 'COMPLETE' : 'IN_PROGRESS'}\nEXIT_SIGNAL: ${exit}\n---END_RALPH_STATUS---`,
})
const DONE: ScriptedTurn[] = [tick('First'), report('One is done', false), tick('Second'), report('All is done', true)]

/** The program on a project, talking to a model with this script. */
async function start(folder: string, script: ScriptedTurn[], args: string[]) {
  const model = await startScriptedModel(script)
  const claude = await offline(model.url)
  const child = spawn(
    process.execPath,
    [PROGRAM, 'run', '--project', folder, '--model', 'claude-sonnet-4-5', ...args],
    {
      env: claude.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await model.close()
    await claude.dispose()
  })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      printed[name] += chunk
    })
  }
  return { child, model, printed }
}

async function end(child: ChildProcess): Promise<number> {
  const [code] = await once(child, 'close')
  return code
}

test('lines for a log: each loop, and how it ended; exit code 0', async () => {
  const folder = project(PLAN)
  const { child, printed } = await start(folder, DONE, [])
  expect(await end(child)).toBe(0)
  expect(printed.stderr).toBe('')
  const lines = printed.stdout
    .trim()
    .split('\n')
    .map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''))
  expect(lines).toEqual([
    'loop 1: first  First  (calls 1/100 · tokens 0 · circuit CLOSED · plan 0/2)',
    expect.stringMatching(/^warning: 1 boxes of the plan were ticked/),
    expect.stringMatching(/^loop 1 ok in \d+ s · \d+ tokens · .*circuit CLOSED$/),
    '  One is done',
    expect.stringMatching(/^loop 2: second {2}Second/),
    expect.stringMatching(/^warning: 1 boxes of the plan were ticked/),
    expect.stringMatching(/^loop 2 ok/),
    '  All is done',
    'completed: graceful_exit, plan_complete, after 2 loops',
  ])
  expect(read(folder, '.ralph/fix_plan.md')).not.toContain('[ ]')
})

test('--json: a line for each event; a limit of the run is exit code 3', async () => {
  const { child, printed } = await start(project(PLAN), DONE, ['--json', '--once'])
  expect(await end(child)).toBe(3)
  const events = printed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.filter(({ event }) => event !== 'note')).toMatchObject([
    { event: 'loop', loop: 1, task: { id: 'first' }, counts: { calls: 1, totalTasks: 2 } },
    { event: 'loopEnd', loop: 1, succeeded: true, circuit: 'CLOSED' },
    { event: 'end', status: 'stopped', lastAction: 'loop_limit', loops: 1 },
  ])
  for (const { time } of events) expect(Number.isNaN(Date.parse(time))).toBe(false)
})

test('--dry-run says what would be sent, asks nothing and writes nothing', async () => {
  const folder = project(PLAN)
  const { child, model, printed } = await start(folder, DONE, ['--dry-run'])
  expect(await end(child)).toBe(0)
  expect(printed).toEqual({
    stderr: '',
    stdout: expect.stringMatching(/^calls 0\/100 .*\ntask first: First\nthis would be sent:\n\nWork\.\n[\s\S]*First/),
  })
  expect(model.requests).toEqual([])
  expect(read(folder, '.ralph/fix_plan.md')).toContain('[ ] First')
})

test.skipIf(process.platform === 'win32')('Ctrl-C leaves a clean status; exit code 130', async () => {
  const folder = project(PLAN)
  // An answer that never comes: the script waits for the signal.
  const { child, printed } = await start(folder, [tick('First'), tick('First'), tick('First'), ...DONE], ['--json'])
  await once(child.stdout, 'data')
  while (!printed.stdout.includes('"event":"loop"')) await once(child.stdout, 'data')
  child.kill('SIGINT')
  expect(await end(child)).toBe(130)
  expect(JSON.parse(printed.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
    event: 'end',
    status: 'stopped',
    lastAction: 'interrupted',
  })
  expect(JSON.parse(read(folder, '.ralph/status.json'))).toMatchObject({
    status: 'stopped',
    last_action: 'interrupted',
  })
})

test('what is halted is exit code 1, and says what to do', async () => {
  const folder = project(PLAN)
  writeFiles(folder, {
    '.ralph/.circuit_breaker_state': JSON.stringify({ state: 'OPEN', opened_at: new Date().toISOString() }),
  })
  const { child, model, printed } = await start(folder, DONE, [])
  expect(await end(child)).toBe(1)
  expect(printed.stdout).toMatch(/halted: circuit_breaker_open/)
  expect(printed.stdout).toContain('ralph-sdk-tools reset-circuit')
  expect(model.requests).toEqual([])
})

test('a folder without plan and prompt is refused', async () => {
  const { child, printed } = await start(project(), [], [])
  expect(await end(child)).toBe(1)
  expect(printed.stderr).toMatch(/^ralph-sdk-tools: PLAN_NOT_FOUND: /)
})

test.each([
  [[], {}],
  [['--max-turns', '5', '--verbose'], { maxTurns: 5, extraArgs: { verbose: null } }],
  [
    ['--allowedTools', 'Bash(git *),Edit Read', '--model=x'],
    { allowedTools: ['Bash(git *)', 'Edit', 'Read'], model: 'x' },
  ],
  [['--allowed-tools=Edit', '--betas', 'b'], { allowedTools: ['Edit'], extraArgs: { betas: 'b' } }],
  [
    ['--dangerously-skip-permissions', '--add-dir', '../x'],
    { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true, additionalDirectories: ['../x'] },
  ],
])('options of Claude Code: %j', (words, options) => {
  expect(claudeOptions(words)).toEqual(options)
})

test.each([[['x']], [['--max-turns', 'x']], [['--model']], [['-p']]])('none of Claude Code: %j', (words) => {
  expect(() => claudeOptions(words)).toThrow(/after --|takes a whole|needs a value/)
})

describe('the screen', () => {
  const NOW = new Date(2026, 2, 1, 10, 20, 30)
  const COUNTS = {
    calls: 1,
    maxCalls: 100,
    tokens: 0,
    maxTokens: 0,
    circuit: 'CLOSED',
    completedTasks: 0,
    totalTasks: 2,
  } as const
  const TASK = {
    id: 'a',
    description: `Say \u001b[31mhello\u009b ${'文書'.repeat(60)}`,
    completed: false,
    section: 'S',
    line: 1,
    optional: false,
  }
  const ANSWER: LoopAnswer = { next: 'query', session: 's', loop: 1, notes: [], task: TASK, counts: COUNTS }
  const CLOSED = {
    loop: 1,
    durationSeconds: 62,
    succeeded: false,
    counted: true,
    summary: 'Done\n---RALPH_STATUS---\nX',
    tokensUsed: 12_345,
    filesModified: 1,
    circuit: 'CLOSED',
    reason: 'two loops without progress',
    costUsd: 0.126,
  } as const
  const WAIT = {
    reason: 'rate_limit',
    seconds: 65,
    until: '2026-03-01T11:00:00Z',
    message: '100 of 100 calls',
  } as const

  /** Everything that is written to a terminal of these columns, in order. */
  function show(columns: number, act: (display: ScreenDisplay) => void) {
    const written: string[] = []
    const display = new ScreenDisplay(
      { columns, write: (text) => written.push(text) },
      styles({ isTTY: true }, {}),
      () => NOW,
    )
    act(display)
    display.close()
    return written
  }

  test.each([20, 40, 80, 200])('%i columns: a block a loop, no line is wider, nothing acts', (columns) => {
    const written = show(columns, (display) => {
      const view = display.open('')
      view.loop(ANSWER)
      view.note('took over from a session that is gone')
      view.loopEnd(CLOSED, ANSWER)
      view.wait(WAIT)
      view.end({ status: 'halted', lastAction: 'circuit_breaker_open', loops: 1 })
    })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of the screen's own.
    const text = written.join('').replace(/\u001b\[(\?25[lh]|\d*[AJm])/g, '')
    for (const line of text.split(/[\n\r]/)) {
      expect(width(line), line).toBeLessThanOrEqual(columns)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those must not be there.
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
    }
  })

  test('several runs have one screen: what is live stays below all blocks', () => {
    const written = show(100, (display) => {
      const [one, two] = [display.open('w1'), display.open('w2')]
      one.loop(ANSWER)
      two.loop({ ...ANSWER, loop: 4 })
      two.wait(WAIT)
      display.stopping()
    })
    const frame = written.at(-2) ?? ''
    expect(frame).toMatch(/▶ w1 · loop 1 · 0 s[\s\S]*⏸ w2 · waiting 1 min 05 s[\s\S]*Ctrl-C again/)
    expect(written.at(-1)).toContain('\u001b[?25h')
  })
})

test('a wait is told once in a log', () => {
  const lines: string[] = []
  const view = plainDisplay({ write: (text: string) => lines.push(text) }).open('w1')
  const wait = { reason: 'rate_limit', seconds: 3, until: '2026-03-01T11:00:00Z', message: 'full' } as const
  for (const seconds of [3, 2, 1]) view.wait({ ...wait, seconds })
  expect(lines).toEqual([expect.stringMatching(/ \[w1\] waiting 3 s, until \d\d:\d\d: full\n$/)])
})

test.each([
  ['Words.\n---RALPH_STATUS---\nSTATUS: X', 'Words.'],
  ['---RALPH_STATUS---\nRECOMMENDATION: go on\n---END_RALPH_STATUS---', 'go on'],
  ['no block', 'no block'],
  ['', ''],
])('last words of %j', (text, words) => {
  expect(lastWords(text)).toBe(words)
})
