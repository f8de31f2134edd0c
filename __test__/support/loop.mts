// Whole runs of the guarded loop: the real Agent SDK with its own Claude Code, against a scripted model.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LoopWait } from 'ralph-sdk-tools'
import { type Ending, type RalphLoopOptions, runRalph } from 'ralph-sdk-tools/loop'
import { onTestFinished } from 'vitest'
import { offline } from '../../examples/scripted-model/offline.mts'
import { type ScriptedModel, startScriptedModel } from '../../examples/scripted-model/server.mts'
import { type ScriptedTurn, textOf } from '../../examples/scripted-model/turns.mts'
import { makeSampleProject } from '../../examples/sdk-wrapper/sample-project.mts'
import { read } from './project.mts'

export interface Run {
  ending: Ending
  project: string
  /** Milliseconds of each wait; nobody waited. */
  waits: number[]
  waited: LoopWait[]
  notes: string[]
  /** Claude's sessions. */
  sessions: Set<string>
  model: ScriptedModel
}

export interface Setup {
  project: string
  model: ScriptedModel
  options: RalphLoopOptions
  run: Omit<Run, 'ending'>
}

export interface SetupOptions extends Partial<RalphLoopOptions> {
  /** What is done with the sample project before the run. */
  before?: (project: string) => void
  /** Claude's own tools; `Write` where it is left out. */
  tools?: string[]
}

/** A sample project and a model with this script, both gone after the test. */
export async function setup(script: (project: string) => ScriptedTurn[], options: SetupOptions = {}): Promise<Setup> {
  const { before, tools = ['Write'], query, ...rest } = options
  const project = makeSampleProject()
  before?.(project)
  const model = await startScriptedModel(script(project))
  const claude = await offline(model.url)
  onTestFinished(async () => {
    await model.close()
    await claude.dispose()
    rmSync(project, { recursive: true, force: true, maxRetries: 3 })
  })
  const run: Setup['run'] = { project, waits: [], waited: [], notes: [], sessions: new Set(), model }
  return {
    project,
    model,
    run,
    options: {
      projectDir: project,
      query: { ...claude.options, tools, allowedTools: ['mcp__ralph', ...tools], ...query },
      sleep: async (milliseconds) => void run.waits.push(milliseconds),
      onNote: (note) => void run.notes.push(note),
      onWait: (wait) => void run.waited.push(wait),
      onMessage: (message) => {
        if (message.type === 'result') run.sessions.add(message.session_id)
      },
      ...rest,
    },
  }
}

/** Runs the loop to its end. */
export async function runLoop(script: (project: string) => ScriptedTurn[], options?: SetupOptions): Promise<Run> {
  const { options: all, run } = await setup(script, options)
  return { ...run, ending: await runRalph(all) }
}

/** What the user's side of the `index`th request says: its last turn. */
export function asked(model: ScriptedModel, index: number): string {
  return textOf(model.requests[index]?.messages.findLast(({ role }) => role === 'user')?.content)
}

export const status = (project: string) => JSON.parse(read(project, '.ralph/status.json'))
export const breaker = (project: string) => JSON.parse(read(project, '.ralph/.circuit_breaker_state'))
export const calls = (project: string) => Number(read(project, '.ralph/.call_count'))
export const metrics = (project: string) =>
  existsSync(join(project, '.ralph/logs/metrics.jsonl'))
    ? read(project, '.ralph/logs/metrics.jsonl').trim().split('\n').length
    : 0
