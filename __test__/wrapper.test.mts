// The example wrapper, as `npm start` runs it and piece by piece: the real Agent SDK against a scripted model.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { offline } from '../examples/scripted-model/offline.mts'
import { startScriptedModel } from '../examples/scripted-model/server.mts'
import type { ScriptedTurn } from '../examples/scripted-model/turns.mts'
import { type Ending, type RalphLoopOptions, runRalph } from '../examples/sdk-wrapper/ralph-loop.mts'
import { makeSampleProject } from '../examples/sdk-wrapper/sample-project.mts'
import { stallingStory, workingStory } from '../examples/sdk-wrapper/stories.mts'
import { ROOT, read, writeFiles } from './support/project.mts'

interface Run {
  ending: Ending
  project: string
  waits: number[]
  notes: string[]
  sessions: Set<string>
  requests: number
}

async function run(
  script: (project: string) => ScriptedTurn[],
  options: Partial<RalphLoopOptions> & { before?: (project: string) => void } = {},
): Promise<Run> {
  const project = makeSampleProject()
  options.before?.(project)
  const model = await startScriptedModel(script(project))
  const claude = await offline(model.url)
  onTestFinished(async () => {
    await model.close()
    await claude.dispose()
    rmSync(project, { recursive: true, force: true, maxRetries: 3 })
  })
  const waits: number[] = []
  const notes: string[] = []
  const sessions = new Set<string>()
  const ending = await runRalph({
    projectDir: project,
    query: { ...claude.options, tools: ['Write'], allowedTools: ['mcp__ralph', 'Write'] },
    sleep: async (milliseconds) => void waits.push(milliseconds),
    onNote: (note) => void notes.push(note),
    onMessage: (message) => {
      if (message.type === 'result') sessions.add(message.session_id)
    },
    ...options,
  })
  return { ending, project, waits, notes, sessions, requests: model.requests.length }
}

const status = (project: string) => JSON.parse(read(project, '.ralph/status.json'))

describe('the loop', () => {
  test('works off a plan and ends with plan_complete, in one session', async () => {
    const { ending, project, sessions, waits } = await run(workingStory)
    expect(ending).toEqual({ status: 'completed', lastAction: 'graceful_exit', exitReason: 'plan_complete', loops: 2 })
    expect(read(project, '.ralph/fix_plan.md').match(/- \[x\]/g)).toHaveLength(4)
    expect(read(project, '.ralph/fix_plan.md')).toContain('- [ ] Greet in other languages')
    expect(read(project, '.ralph/.call_count').trim()).toBe('2')
    // 150 a request, 11 requests: a resumed session's earlier tokens are not counted again.
    expect(read(project, '.ralph/.token_count').trim()).toBe('1650')
    expect(status(project)).toMatchObject({ status: 'completed', exit_reason: 'plan_complete', loop_count: 2 })
    expect(read(project, '.ralph/logs/metrics.jsonl').trim().split('\n')).toHaveLength(2)
    expect(read(project, '.ralph/logs/ralph.log')).toContain('greet.mjs is written')
    expect(sessions.size).toBe(1)
    expect(waits).toEqual([])
  })

  test('trips the breaker when it stalls', async () => {
    const { ending, project } = await run(stallingStory)
    expect(ending).toMatchObject({ status: 'halted', exitReason: 'stagnation_detected', loops: 3 })
    expect(JSON.parse(read(project, '.ralph/.circuit_breaker_state'))).toMatchObject({ state: 'OPEN', total_opens: 1 })
    expect(status(project)).toMatchObject({ status: 'halted', last_action: 'circuit_breaker_open' })
  })

  test('goes on in a v0.9 project as long as Claude says so', async () => {
    const goOn = (text: string) => ({
      text: `${text}\n\n---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nFILES_MODIFIED: 1\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---`,
    })
    const { ending, project } = await run(() => ['One file.', 'Another.', 'A third.'].map(goOn), {
      maxLoops: 3,
      before: (folder) => {
        rmSync(join(folder, '.ralph'), { recursive: true })
        writeFiles(folder, { 'PROMPT.md': 'Go on.', '@fix_plan.md': '- [x] First\n- [ ] Second\n' })
      },
    })
    expect(ending).toMatchObject({ status: 'stopped', loops: 3 })
    expect(JSON.parse(read(project, '.exit_signals'))).toMatchObject({ done_signals: [], completion_indicators: [] })
  })

  test('does not start while the breaker is open', async () => {
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
    const { ending, requests } = await run(() => [], {
      before: (project) => writeFiles(project, { '.ralph/.circuit_breaker_state': JSON.stringify(state) }),
    })
    expect(ending).toMatchObject({ status: 'halted', loops: 0 })
    expect(requests).toBe(0)
  })

  test('waits for the next hour at the limit', async () => {
    const interrupt = new AbortController()
    const waits: number[] = []
    const { ending, project } = await run(() => [{ text: 'one' }], {
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
    expect(ending).toMatchObject({ status: 'stopped', lastAction: 'interrupted', loops: 1 })
    expect(status(project)).toMatchObject({ status: 'stopped', last_action: 'interrupted' })
  })

  test('waits out the plan’s own limit, and does not record such a loop', async () => {
    const limit = {
      status: 429,
      type: 'rate_limit_error',
      message: 'Claude usage limit reached. Your limit will reset at 7pm (UTC).',
    }
    const { ending, waits, notes, project } = await run(() => [{ error: limit }, { text: 'on again' }], { maxLoops: 2 })
    expect(ending.loops).toBe(2)
    expect(notes.join('\n')).toMatch(/waiting \d+ s: Claude usage limit reached/)
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeLessThanOrEqual(24 * 3_600_000)
    expect(JSON.parse(read(project, '.ralph/.circuit_breaker_state')).consecutive_no_progress).toBe(1)
  })

  test('goes on in a new session after an error, and the breaker ends it in the end', async () => {
    const error = { status: 400, type: 'invalid_request_error', message: 'tool use concurrency issues' }
    const { ending, waits } = await run(() => Array.from({ length: 9 }, () => ({ error })))
    expect(ending).toMatchObject({ status: 'halted', exitReason: 'stagnation_detected' })
    expect(waits.every((wait) => wait === 30_000)).toBe(true)
  })

  test('without PROMPT.md it says so at once', async () => {
    const before = (project: string) => rmSync(join(project, '.ralph/PROMPT.md'))
    await expect(run(() => [], { before })).rejects.toThrow('PROMPT.md')
  })
})

describe('npm start', () => {
  const main = (...args: string[]) => {
    const { ANTHROPIC_API_KEY: _, ...env } = process.env
    return spawn(process.execPath, [join(ROOT, 'dist/examples/sdk-wrapper/main.mjs'), ...args], { env })
  }
  const collect = async (child: ReturnType<typeof main>) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.stderr.on('data', (chunk) => {
      text += chunk
    })
    const [code] = await once(child, 'close')
    return { code, text }
  }

  test('tells both stories', async () => {
    const { code, text } = await collect(main())
    for (const [, project] of text.matchAll(/project: (\S+)/g))
      rmSync(project as string, { recursive: true, force: true })
    expect(code, text).toBe(0)
    expect(text).toContain('✔ completed / graceful_exit (plan_complete) after 2 loops')
    expect(text).toContain('✔ halted / circuit_breaker_open (stagnation_detected) after 3 loops')
    expect(text).toMatch(/refused {2}TASK_NOT_FOUND/)
    expect(text).toMatch(/refused {2}INVALID_INPUT: circuit_breaker/)
    expect(text).toMatch(/fix_plan\.md:\d+ {2}\[ \] → \[x\]/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no colour without a terminal.
    expect(text).not.toMatch(/\u001b\[/)
  })

  test('--live without a key says what it needs', async () => {
    expect(await collect(main('--live'))).toEqual({
      code: 2,
      text: '--live needs ANTHROPIC_API_KEY in the environment\n',
    })
  })
})
