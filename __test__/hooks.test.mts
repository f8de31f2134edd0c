// ralphLoop and observeEdits in a program that calls query() itself: the real Agent SDK against a scripted model.

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type HookCallback, type Options, query, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'
import { type LoopEnding, LoopEngine, RalphTools, type RalphToolsOptions } from 'ralph-sdk-tools'
import {
  createRalphServer,
  type Hooks,
  mergeHooks,
  observeEdits,
  type RalphLoop,
  type RalphLoopHooksOptions,
  ralphLoop,
} from 'ralph-sdk-tools/agent-sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { offline } from '../examples/scripted-model/offline.mts'
import { type ScriptedModel, startScriptedModel } from '../examples/scripted-model/server.mts'
import type { ScriptedTurn, ToolCall } from '../examples/scripted-model/turns.mts'
import { makeSampleProject } from '../examples/sdk-wrapper/sample-project.mts'
import { asked, breaker, calls, metrics, status } from './support/loop.mts'
import { read } from './support/project.mts'

interface Program {
  project: string
  ralph: RalphTools
  model: ScriptedModel
  loop: RalphLoop
  notes: string[]
  ended: LoopEnding[]
  /** Sends a prompt, resuming a session where one is named; answers with the session's id. */
  send(prompt: string | AsyncIterable<SDKUserMessage>, options?: Options): Promise<string>
}

interface ProgramOptions extends Partial<RalphLoopHooksOptions> {
  tools?: RalphToolsOptions
  builtIn?: string[]
  query?: Options
}

/** A program around a sample project, gone after the test. */
async function program(script: (project: string) => ScriptedTurn[], options: ProgramOptions = {}): Promise<Program> {
  const { tools, builtIn = ['Write', 'Read'], query: given, ...rest } = options
  const project = makeSampleProject()
  const model = await startScriptedModel(script(project))
  const claude = await offline(model.url)
  onTestFinished(async () => {
    await model.close()
    await claude.dispose()
    rmSync(project, { recursive: true, force: true, maxRetries: 3 })
  })
  const ralph = new RalphTools({ projectDir: project, ...tools })
  const notes: string[] = []
  const ended: LoopEnding[] = []
  const loop = ralphLoop({ ralph, onNote: (note) => notes.push(note), onEnd: (ending) => ended.push(ending), ...rest })
  const send: Program['send'] = async (prompt, more) => {
    let session = ''
    const options: Options = {
      ...claude.options,
      cwd: project,
      tools: builtIn,
      allowedTools: ['mcp__ralph', ...builtIn],
      mcpServers: { ralph: createRalphServer({ ralph, access: 'worker' }) },
      hooks: loop.hooks,
      ...given,
      ...more,
    }
    try {
      for await (const message of query({ prompt, options })) {
        if ('session_id' in message && message.session_id) session = message.session_id
      }
    } catch (error) {
      // The stream throws after a result that is an error.
      if (session === '') throw error
    }
    return session
  }
  return { project, ralph, model, loop, notes, ended, send }
}

const tick = (taskId: string): ToolCall => ({ name: 'mcp__ralph__task_planner', input: { action: 'update', taskId } })
const write = (folder: string, name: string): ToolCall => ({
  name: 'Write',
  input: { file_path: join(folder, name), content: 'x\n' },
})
const says = (text: string): ScriptedTurn => ({ text })

describe('ralphLoop', () => {
  test('sends Claude on with the right next task until the plan is done', async () => {
    const { loop, model, project, send, ended } = await program((folder) => [
      { calls: [write(folder, 'greet.mjs'), tick('greet-2')] },
      says('The first is done.'),
      { calls: [tick('greet-3')] },
      says('The second too.'),
      { calls: [tick('say-in-readmemd-how-to-run-it'), tick('say-in-readme-md-how-to-run-it')] },
      says('All done.'),
    ])
    await send('Work through the plan.')
    const ending = await loop.close()
    expect(ending).toEqual({ status: 'completed', lastAction: 'graceful_exit', exitReason: 'plan_complete', loops: 3 })
    expect(ended).toEqual([ending])
    // The prompt is the person's own, with the task beside it; each stop is answered with the next task.
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('[greet-2] Write greet.mjs')
    expect(asked(model, 2)).toContain('[greet-3] Test greet')
    expect(asked(model, 4)).toContain('Say in README.md how to run it')
    expect([model.requests.length, calls(project), metrics(project)]).toEqual([6, 3, 3])
    expect(status(project)).toMatchObject({ status: 'completed', exit_reason: 'plan_complete', loop_count: 3 })
    expect(await loop.close()).toEqual(ending)
  })

  test('lets a model go that stalls, also if it reads one file an attempt, and after an edit that is not committed', async () => {
    const reads = (folder: string): ScriptedTurn[] => [
      { calls: [{ name: 'Read', input: { file_path: join(folder, '.ralph/fix_plan.md') } }] },
      says('Reading helps.'),
    ]
    const stalls = await Promise.all(
      [
        () => ['Hm.', 'Let me think.', 'Still thinking.'].map(says),
        (folder: string) => [1, 2, 3].flatMap(() => reads(folder)),
        (folder: string): ScriptedTurn[] => [
          { calls: [write(folder, 'a.mjs')] },
          ...['One edit.', 'Hm.', 'Let me think.', 'Still.'].map(says),
        ],
      ].map(async (script) => {
        const { loop, send, model, project } = await program(script)
        await send('Work through the plan.')
        const { status, exitReason, loops } = await loop.close()
        return [status, exitReason, loops, metrics(project), model.remaining]
      }),
    )
    expect(stalls).toEqual([
      ['halted', 'stagnation_detected', 3, 3, 0],
      ['halted', 'stagnation_detected', 3, 3, 0],
      ['halted', 'stagnation_detected', 4, 4, 0],
    ])
  })

  test('halts where tools are denied', async () => {
    const { loop, send } = await program(
      () => [
        { calls: [{ name: 'Bash', input: { command: 'rm -rf build', description: 'Clean' } }] },
        says('I may not.'),
      ],
      { builtIn: ['Bash'], query: { allowedTools: ['mcp__ralph'] } },
    )
    await send('Clean up.')
    expect(await loop.close()).toMatchObject({ status: 'halted', lastAction: 'permission_denied', loops: 1 })
  })

  test('at the hour’s limit the session is let go, and a further prompt asks Claude nothing', async () => {
    const { loop, send, model, project, notes } = await program(() => [says('one')], { tools: { maxCallsPerHour: 1 } })
    const session = await send('Go.')
    expect(status(project)).toMatchObject({ status: 'paused', last_action: 'rate_limit' })
    await send('Go on.', { resume: session })
    expect(model.requests).toHaveLength(1)
    expect(notes.join('\n')).toMatch(/waiting \d+ s: 1 of 1 calls used this hour/)
    expect(await loop.close()).toMatchObject({ status: 'stopped', lastAction: 'interrupted', loops: 1 })
    expect([calls(project), metrics(project)]).toEqual([1, 1])
  })

  test('ends at maxLoops', async () => {
    const { loop, send, model } = await program(() => [says('one'), says('two')], { maxLoops: 2 })
    await send('Go.')
    expect(await loop.close()).toMatchObject({ lastAction: 'loop_limit', exitReason: '2 loops', loops: 2 })
    expect(model.requests).toHaveLength(2)
  })

  test('a second session on the project is refused and asks Claude nothing, and one without the loop is not captured', async () => {
    const { loop, send, model, ralph, project } = await program(() => [says('Free.')])
    const engine = new LoopEngine(ralph)
    const { session } = await engine.handle({ event: 'start', owner: 'plugin' })
    await send('Go.')
    expect(model.requests).toHaveLength(0)
    expect(await loop.close()).toMatchObject({ lastAction: 'session_busy', message: expect.stringContaining(session) })
    await send('No loop here.', { hooks: {} })
    expect([model.requests.length, calls(project)]).toEqual([1, 1])
    await engine.handle({ event: 'end', session })
  })

  test('Ctrl-C leaves a clean status, and the project free', async () => {
    const abortController = new AbortController()
    const abort: HookCallback = async () => {
      abortController.abort()
      return {}
    }
    const { loop, send, project } = await program((folder) => [{ calls: [write(folder, 'a.mjs')] }])
    const hooks = mergeHooks(loop.hooks, { PostToolUse: [{ hooks: [abort] }] })
    await send('Go.', { abortController, hooks })
    expect(await loop.close()).toEqual({ status: 'stopped', lastAction: 'interrupted', loops: 1 })
    expect(status(project)).toMatchObject({ status: 'stopped', last_action: 'interrupted' })
    expect(readdirSync(join(project, '.ralph')).filter((name) => name.startsWith('.session'))).toEqual([])
    expect(metrics(project)).toBe(0)
  })

  test('an aborted signal lets the session go at its next stop', async () => {
    const stop = new AbortController()
    const { loop, send, model } = await program(
      () => [
        () => {
          stop.abort()
          return { text: 'one' }
        },
      ],
      { signal: stop.signal },
    )
    await send('Go.')
    expect(await loop.close()).toMatchObject({ lastAction: 'interrupted', loops: 1 })
    expect(model.requests).toHaveLength(1)
  })

  test('a subagent’s stop is not the loop’s', async () => {
    const { loop, send, project } = await program(
      () => [
        {
          calls: [{ name: 'Agent', input: { description: 'Look', prompt: 'Look.', subagent_type: 'general-purpose' } }],
        },
        says('I looked.'),
        says('My helper looked.'),
        says('More.'),
      ],
      { builtIn: ['Agent', 'Read'], maxLoops: 1 },
    )
    await send('Go.')
    expect(await loop.close()).toMatchObject({ lastAction: 'loop_limit', loops: 1 })
    expect([calls(project), metrics(project)]).toEqual([1, 1])
  })

  test('an API error and the plan’s limit let the session go; the limit is not recorded', async () => {
    const message = 'Claude usage limit reached. Your limit will reset at 7pm (UTC).'
    const failing = async (error: { status: number; type: string; message: string }) => {
      const { loop, send, project } = await program(() => [{ error }])
      await send('Go.')
      const { last_action } = status(project)
      await loop.close()
      return [last_action, metrics(project)]
    }
    expect(
      await Promise.all([
        failing({ status: 400, type: 'invalid_request_error', message: 'no' }),
        failing({ status: 429, type: 'rate_limit_error', message }),
      ]),
    ).toEqual([
      ['failed', 1],
      ['api_limit', 0],
    ])
  })

  test('a guard that fails lets the session live', async () => {
    const { loop, send, model, project, notes } = await program((folder) => [
      () => {
        rmSync(join(folder, '.ralph/.exit_signals'))
        rmSync(join(folder, '.ralph/fix_plan.md'))
        rmSync(folder, { recursive: true, force: true })
        return { text: 'one' }
      },
    ])
    await send('Go.')
    expect(model.requests).toHaveLength(1)
    expect(await loop.close()).toMatchObject({
      status: 'error',
      lastAction: 'guard_failed',
      exitReason: 'INVALID_PROJECT',
    })
    expect(notes.join('\n')).toContain(project)
  })

  test('stands beside hooks of the program’s own', async () => {
    const seen: string[] = []
    const mine: HookCallback = async (input) => {
      seen.push(input.hook_event_name)
      return {}
    }
    const hooks: Hooks = { Stop: [{ hooks: [mine] }], PostToolUse: [{ matcher: 'Write', hooks: [mine] }] }
    const { loop, send } = await program((folder) => [{ calls: [write(folder, 'a.mjs')] }, says('one')], {
      maxLoops: 1,
    })
    await send('Go.', { hooks: mergeHooks(hooks, loop.hooks, undefined) })
    expect(seen).toEqual(['PostToolUse', 'Stop'])
    expect(await loop.close()).toMatchObject({ lastAction: 'loop_limit', loops: 1 })
    expect(hooks.Stop).toHaveLength(1)
  })
})

describe('observeEdits', () => {
  test('tells what a query changed', async () => {
    const { ralph, send, project } = await program(
      (folder) => [
        { calls: [write(folder, 'a.mjs'), write(folder, '.ralph/status.json'), tick('greet-2')] },
        says('Done.'),
        { calls: [{ name: 'Bash', input: { command: 'true', description: 'Nothing' } }] },
        says('Done.'),
      ],
      { builtIn: ['Write', 'Bash'] },
    )
    const edits = observeEdits({ ralph })
    expect(await edits.take()).toEqual({ files: [], filesChanged: 0 })
    await send('Go.', { hooks: edits.hooks })
    const { files, filesChanged } = await edits.take()
    expect([files.sort(), filesChanged]).toEqual([['.ralph/fix_plan.md', 'a.mjs'], 2])
    await send('Go.', { hooks: edits.hooks })
    expect(await edits.take()).toEqual({ files: [] })
    await ralph.circuitBreaker({ action: 'record', filesChanged: filesChanged ?? 0 })
    expect(breaker(project).last_progress_loop).toBe(1)
    expect(read(project, '.ralph/fix_plan.md')).toContain('- [x] [greet-2]')
  })
})
