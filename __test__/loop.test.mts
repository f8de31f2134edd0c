// runRalph, as a user's program calls it: what LOOP.md's section 4 wants shown of the loop without hooks.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { RalphTools } from 'ralph-sdk-tools'
import { exitCode, previewLoop, type RalphLoopOptions, runRalph } from 'ralph-sdk-tools/loop'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ScriptedTurn } from '../examples/scripted-model/turns.mts'
import { stallingStory, workingStory } from '../examples/sdk-wrapper/stories.mts'
import { asked, breaker, calls, metrics, runLoop, setup, status } from './support/loop.mts'
import { stoppedHolder } from './support/processes.mts'
import { project, ROOT, read, writeFiles } from './support/project.mts'

const sessionFiles = (folder: string) =>
  readdirSync(join(folder, '.ralph')).filter((name) => name.startsWith('.session'))

describe('a run', () => {
  test('works off a plan in one session, and ends with plan_complete', async () => {
    const begun: [number, string | undefined][] = []
    const { ending, project, sessions, waits, model } = await runLoop(workingStory, {
      onLoop: (loop, { task }) => void begun.push([loop, task?.id]),
    })
    expect(ending).toEqual({ status: 'completed', lastAction: 'graceful_exit', exitReason: 'plan_complete', loops: 2 })
    expect(begun).toEqual([
      [1, 'greet-2'],
      [2, 'greet-3'],
    ])
    expect(asked(model, 0)).toContain('[greet-2] Write greet.mjs')
    expect(model.requests.map((_, index) => asked(model, index)).join('\n')).toContain('[greet-3] Test greet')
    expect(read(project, '.ralph/fix_plan.md').match(/- \[x\]/g)).toHaveLength(4)
    expect(read(project, '.ralph/fix_plan.md')).toContain('- [ ] Greet in other languages')
    // 150 a request, 11 requests: a resumed session's earlier tokens are not counted again.
    expect(read(project, '.ralph/.token_count').trim()).toBe('1650')
    expect(status(project)).toMatchObject({ status: 'completed', exit_reason: 'plan_complete', loop_count: 2 })
    expect([calls(project), metrics(project)]).toEqual([2, 2])
    expect(read(project, '.ralph/logs/ralph.log')).toContain('greet.mjs is written')
    expect([sessions.size, waits.length]).toEqual([1, 0])
    expect(sessionFiles(project)).toEqual([])
    expect(exitCode(ending)).toBe(0)
  })

  test('lets a model go that stalls', async () => {
    const { ending, project } = await runLoop(stallingStory)
    expect(ending).toMatchObject({ status: 'halted', exitReason: 'stagnation_detected', loops: 3 })
    expect(breaker(project)).toMatchObject({ state: 'OPEN', total_opens: 1 })
    expect(status(project)).toMatchObject({ status: 'halted', last_action: 'circuit_breaker_open' })
    expect([calls(project), metrics(project), exitCode(ending)]).toEqual([3, 3, 1])
  })

  test('lets a model go that reads one file an attempt', async () => {
    const { ending } = await runLoop(
      (folder) =>
        [1, 2, 3].flatMap((n): ScriptedTurn[] => [
          { calls: [{ name: 'Read', input: { file_path: join(folder, '.ralph/fix_plan.md') } }] },
          { text: `Reading helps, time ${n}.` },
        ]),
      { tools: ['Read'] },
    )
    expect(ending).toMatchObject({ status: 'halted', exitReason: 'stagnation_detected', loops: 3 })
  })

  test('halts when the model is denied its tools', async () => {
    const denied: ScriptedTurn[] = [
      { calls: [{ name: 'Bash', input: { command: 'rm -rf build', description: 'Clean' } }] },
      { text: 'I may not.' },
    ]
    const { ending } = await runLoop(() => denied, { query: { allowedTools: ['mcp__ralph'] }, tools: ['Bash'] })
    expect(ending).toMatchObject({ status: 'halted', lastAction: 'permission_denied', loops: 1 })
  })

  test('ends at its own limits', async () => {
    const limited = (options: Partial<RalphLoopOptions>) =>
      runLoop(() => [{ text: 'one' }, { text: 'two' }], options).then(({ ending }) => ending)
    const endings = await Promise.all([
      limited({ maxLoops: 1 }),
      limited({ maxTokens: 100 }),
      limited({ maxMinutes: 1e-6 }),
    ])
    expect(endings).toEqual([
      { status: 'stopped', lastAction: 'loop_limit', exitReason: '1 loops', loops: 1 },
      { status: 'stopped', lastAction: 'token_limit', exitReason: '100 tokens', loops: 1 },
      { status: 'stopped', lastAction: 'time_limit', exitReason: '0.000001 minutes', loops: 1 },
    ])
    expect(endings.map(exitCode)).toEqual([3, 3, 3])
  })

  test('a query that reaches its maxTurns is no failure: the session goes on, and the loop counts by what it did', async () => {
    const write = (folder: string, name: string) => ({
      name: 'Write',
      input: { file_path: join(folder, name), content: 'x\n' },
    })
    const { ending, project, waits, sessions } = await runLoop(
      (folder) => [{ text: 'First.', calls: [write(folder, 'a.mjs')] }, { text: 'Second.' }],
      { query: { maxTurns: 1 }, maxLoops: 2 },
    )
    expect(ending).toMatchObject({ lastAction: 'loop_limit', loops: 2 })
    expect([waits.length, sessions.size, metrics(project)]).toEqual([0, 1, 2])
    expect(status(project).status).toBe('stopped')
    expect(read(project, 'a.mjs')).toBe('x\n')
    expect(breaker(project)).toMatchObject({ consecutive_same_error: 0 })
  })

  test('needs no prompt: the plan’s next task is one', async () => {
    const { model } = await runLoop(() => [{ text: 'one' }], {
      maxLoops: 1,
      before: (folder) => rmSync(join(folder, '.ralph/PROMPT.md')),
    })
    for (const part of ['[greet-2] Write greet.mjs', 'taskId "greet-2"', '---RALPH_STATUS---'])
      expect(asked(model, 0)).toContain(part)
  })

  test('sends a prompt of the caller’s own', async () => {
    const { model } = await runLoop(() => [{ text: 'one' }], { maxLoops: 1, prompt: 'Only {id}, please.' })
    expect(asked(model, 0)).toContain('Only greet-2, please.')
    expect(asked(model, 0)).not.toContain('RALPH_STATUS')
  })

  test('goes on in a v0.9 project as long as Claude says so', async () => {
    const goOn = (text: string) => ({
      text: `${text}\n\n---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---`,
    })
    const { ending, project } = await runLoop(() => ['One file.', 'Another.'].map(goOn), {
      maxLoops: 2,
      before: (folder) => {
        rmSync(join(folder, '.ralph'), { recursive: true })
        writeFiles(folder, { 'PROMPT.md': 'Go on.', '@fix_plan.md': '- [x] First\n- [ ] Second\n' })
      },
    })
    expect(ending).toMatchObject({ status: 'stopped', loops: 2 })
    expect(JSON.parse(read(project, '.exit_signals'))).toMatchObject({ done_signals: [], completion_indicators: [] })
  })
})

describe('a wait', () => {
  test('for the next hour at the limit is paused, counts down, and ends early on Ctrl-C', async () => {
    const interrupt = new AbortController()
    const waits: number[] = []
    const { ending, project, waited, model } = await runLoop(() => [{ text: 'one' }], {
      ralph: { maxCallsPerHour: 1 },
      signal: interrupt.signal,
      sleep: async (milliseconds) => {
        waits.push(milliseconds)
        interrupt.abort()
      },
    })
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeGreaterThanOrEqual(1000)
    expect(waits[0]).toBeLessThanOrEqual(3_600_000)
    expect(waited[0]).toMatchObject({ reason: 'rate_limit', message: '1 of 1 calls used this hour' })
    expect(ending).toMatchObject({ status: 'stopped', lastAction: 'interrupted', loops: 1 })
    expect(status(project)).toMatchObject({ status: 'stopped', last_action: 'interrupted' })
    expect([model.requests.length, exitCode(ending)]).toEqual([1, 130])
  })

  test('the plan’s own limit is waited out, and such a loop is not recorded', async () => {
    const message = 'Claude usage limit reached. Your limit will reset at 7pm (UTC).'
    const { ending, waits, notes, project } = await runLoop(
      () => [{ error: { status: 429, type: 'rate_limit_error', message } }, { text: 'on again' }],
      { maxLoops: 2 },
    )
    expect(ending.loops).toBe(2)
    expect(notes.join('\n')).toMatch(/waiting \d+ s: Claude usage limit reached/)
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeLessThanOrEqual(24 * 3_600_000)
    expect(breaker(project).consecutive_no_progress).toBe(1)
    expect(metrics(project)).toBe(1)
  })

  test('after an error it goes on in a new session, and the breaker ends it in the end', async () => {
    const error = { status: 400, type: 'invalid_request_error', message: 'tool use concurrency issues' }
    const { ending, waits } = await runLoop(() => Array.from({ length: 9 }, () => ({ error })))
    expect(ending).toMatchObject({ status: 'halted', exitReason: 'stagnation_detected' })
    expect(waits.length).toBeGreaterThan(0)
    expect(waits.every((wait) => wait === 30_000)).toBe(true)
  })
})

describe('a run does not begin', () => {
  test('while the breaker is open', async () => {
    const now = new Date().toISOString().replace(/\.\d+Z$/, '+00:00')
    const state = {
      state: 'OPEN',
      last_change: now,
      opened_at: now,
      consecutive_no_progress: 3,
      total_opens: 1,
      reason: 'r',
      current_loop: 3,
    }
    const { ending, model } = await runLoop(() => [], {
      before: (folder) => writeFiles(folder, { '.ralph/.circuit_breaker_state': JSON.stringify(state) }),
    })
    expect(ending).toMatchObject({ status: 'halted', loops: 0 })
    expect(model.requests).toHaveLength(0)
  })

  test('with neither a task nor a prompt, and says what to write', async () => {
    const folder = project()
    await expect(runRalph({ projectDir: folder })).rejects.toMatchObject({
      code: 'PLAN_NOT_FOUND',
      message: expect.stringContaining('- [ ] First task'),
    })
    await expect(previewLoop({ projectDir: folder })).rejects.toMatchObject({ code: 'PLAN_NOT_FOUND' })
    expect(readdirSync(join(folder, '.ralph'))).toEqual([])
  })

  test('with a wrong option or project', async () => {
    const folder = project({ '.ralph/fix_plan.md': '- [ ] a\n' })
    for (const options of [{ maxLoops: 0 }, { maxLoops: 1.5 }, { maxMinutes: -1 }, { maxCostUsd: Number.NaN }])
      await expect(runRalph({ projectDir: folder, ...options })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(runRalph({ projectDir: join(folder, 'none') })).rejects.toMatchObject({ code: 'INVALID_PROJECT' })
  })

  test('while another session loops on the project', async () => {
    const { options, model, project } = await setup(() => [{ text: 'one' }], { maxLoops: 1 })
    let refused: Promise<unknown> | undefined
    const first = await runRalph({
      ...options,
      onLoop: () => {
        refused = expect(runRalph(options)).rejects.toMatchObject({
          code: 'SESSION_BUSY',
          message: expect.stringMatching(/the session loop-[\w-]+ loops on this project already/),
        })
      },
    })
    await refused
    expect(first).toMatchObject({ lastAction: 'loop_limit', loops: 1 })
    expect([model.requests.length, calls(project)]).toEqual([1, 1])
  })
})

describe('what goes wrong in the middle', () => {
  test('a process that is killed leaves its call counted, and the next run takes over', async () => {
    const { options, model, project } = await setup(() => [{ text: 'one' }])
    const started = `import { LoopEngine, RalphTools } from 'ralph-sdk-tools'
      const { loop } = await new LoopEngine(new RalphTools({ projectDir: process.argv[1] })).handle({ event: 'start' })
      console.log(loop)
      setInterval(() => undefined, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', started, project], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(status(project)).toMatchObject({ status: 'running', loop_count: 1 })

    const notes: string[] = []
    const begun: number[] = []
    const ending = await runRalph({
      ...options,
      maxLoops: 1,
      onNote: (note) => notes.push(note),
      onLoop: (loop) => begun.push(loop),
    })
    expect(notes.join('\n')).toMatch(/took over from the session loop-.* is gone; its loop 1 was cut off/)
    expect(begun).toEqual([2])
    expect(ending).toMatchObject({ lastAction: 'loop_limit', loops: 1 })
    expect([calls(project), metrics(project), model.requests.length]).toEqual([2, 1, 1])
  })

  test('Ctrl-C in a query ends it at once and leaves a clean status', async () => {
    const interrupt = new AbortController()
    const { ending, project } = await runLoop(() => [{ text: 'one' }, { text: 'two' }], {
      signal: interrupt.signal,
      onMessage: (message) => {
        if (message.type === 'system' && message.subtype === 'init') interrupt.abort()
      },
    })
    expect(ending).toEqual({ status: 'stopped', lastAction: 'interrupted', loops: 1 })
    expect(status(project)).toMatchObject({ status: 'stopped', last_action: 'interrupted' })
    expect([metrics(project), sessionFiles(project)]).toEqual([0, []])
  })

  test('a signal that is aborted already asks Claude nothing', async () => {
    const { ending, model } = await runLoop(() => [], { signal: AbortSignal.abort() })
    expect(ending).toMatchObject({ status: 'stopped', lastAction: 'interrupted' })
    expect(model.requests).toHaveLength(0)
  })

  test('a callback that throws ends the run, and the project is free again', async () => {
    const { options, project } = await setup(() => [{ text: 'one' }])
    const onLoop = () => {
      throw new Error('mine')
    }
    await expect(runRalph({ ...options, onLoop })).rejects.toThrow('mine')
    expect(sessionFiles(project)).toEqual([])
    expect(status(project)).toMatchObject({ status: 'stopped', last_action: 'interrupted' })
  })

  test('a subagent’s end is not the loop’s', async () => {
    const { ending, project } = await runLoop(
      () => [
        {
          calls: [
            { name: 'Agent', input: { description: 'Look', prompt: 'Look around.', subagent_type: 'general-purpose' } },
          ],
        },
        { text: 'I looked around.' },
        { text: 'It is done, says my helper.' },
      ],
      { tools: ['Agent', 'Read'], maxLoops: 1 },
    )
    expect(ending).toMatchObject({ lastAction: 'loop_limit', loops: 1 })
    expect([calls(project), metrics(project)]).toEqual([1, 1])
  })

  test('a guard that cannot be read or written ends the run', async () => {
    const broken = async (harm: (folder: string) => unknown, options: RalphLoopOptions['ralph'] = {}) => {
      const { options: all, project } = await setup(() => [{ text: 'one' }, { text: 'two' }], { ralph: options })
      return runRalph({ ...all, onLoop: () => harm(project) })
    }
    const folderInPlace = (name: string) => (folder: string) => {
      rmSync(join(folder, '.ralph', name), { recursive: true, force: true })
      mkdirSync(join(folder, '.ralph', name))
    }
    const endings = await Promise.all([
      broken(folderInPlace('.exit_signals')),
      broken(folderInPlace('.circuit_breaker_state')),
      broken(folderInPlace('.call_count')),
      broken((folder) => rmSync(folder, { recursive: true, force: true })),
    ])
    expect(endings.map(({ status, lastAction, exitReason }) => [status, lastAction, exitReason])).toEqual([
      ['error', 'guard_failed', 'IO_ERROR'],
      ['error', 'guard_failed', 'IO_ERROR'],
      ['error', 'guard_failed', 'IO_ERROR'],
      ['error', 'guard_failed', 'INVALID_PROJECT'],
    ])
    expect(endings.map((ending) => [exitCode(ending), ending.loops])).toEqual([1, 1, 1, 1].map((code) => [code, 1]))
  })

  test.skipIf(process.platform === 'win32')('a lock that somebody holds ends the run', async () => {
    const { options, project } = await setup(() => [{ text: 'one' }], { ralph: { lockTimeoutMs: 50 } })
    let holder: { kill(): Promise<void> } | undefined
    const ending = await runRalph({
      ...options,
      onMessage: () => undefined,
      query: {
        ...options.query,
        hooks: {
          Stop: [
            {
              hooks: [
                async () => {
                  holder = await stoppedHolder(project)
                  return {}
                },
              ],
            },
          ],
        },
      },
    })
    await holder?.kill()
    expect(ending).toMatchObject({ status: 'error', lastAction: 'guard_failed', exitReason: 'LOCK_TIMEOUT', loops: 1 })
    expect(sessionFiles(project)).toEqual([])
  })

  test('hostile session files let the run live', async () => {
    const { ending, notes } = await runLoop(() => [{ text: 'one' }], {
      maxLoops: 1,
      before: (folder) =>
        writeFiles(folder, {
          '.ralph/.session_x': '{"version":99}',
          '.ralph/.session_y': '\0',
          '.ralph/.session_x.edits': 'x',
        }),
    })
    expect(ending).toMatchObject({ lastAction: 'loop_limit' })
    expect(notes.filter((note) => note.includes('is of no use'))).toHaveLength(2)
  })
})

test('a preview tells what would be sent, and what is in the way', async () => {
  const folder = project({ '.ralph/fix_plan.md': '- [ ] [a-1] Write a\n' })
  const before = readdirSync(join(folder, '.ralph'))
  const preview = await previewLoop({ projectDir: folder })
  expect(preview.prompt).toContain('[a-1] Write a')
  expect(preview).toMatchObject({ task: { id: 'a-1' }, counts: { totalTasks: 1, circuit: 'CLOSED' } })
  expect(preview.obstacle).toBeUndefined()
  expect(readdirSync(join(folder, '.ralph'))).toEqual(before)
  await new RalphTools({ projectDir: folder, maxCallsPerHour: 1 }).rateLimit({ action: 'increment' })
  expect((await previewLoop({ projectDir: folder, ralph: { maxCallsPerHour: 1 } })).obstacle).toMatch(/hour's limit/)
})
