// The guarded loop for programs that call `query()` themselves: hooks that keep a session at work.

import type { HookCallback, HookInput, SyncHookJSONOutput } from '@anthropic-ai/claude-agent-sdk'
import { type LoopAnswer, type LoopEnding, LoopEngine, type LoopEvent, type RalphTools } from '../../index.js'
import { TOOL_HOOKS, together, told } from './input.mjs'
import { type Hooks, hooksFor } from './merge.mjs'

/** Options of {@link ralphLoop}. */
export interface RalphLoopHooksOptions {
  /** The project's tools. */
  ralph: RalphTools
  /** Loops after which the session is let go: one is a prompt, or a stop at which it was sent on. Default: no such limit. */
  maxLoops?: number | undefined
  /** Minutes after which no further loop begins. Default: no such limit. */
  maxMinutes?: number | undefined
  /**
   * What goes to Claude when it is sent on; `{task}`, `{id}` and `{section}` stand for the next task's.
   *
   * @default the next task of the plan, and the status block to end with
   */
  instruction?: string | undefined
  /** What the loop does, a line each: for a log. */
  onNote?: ((note: string) => void) | undefined
  /** The run is over. */
  onEnd?: ((ending: LoopEnding) => void) | undefined
  /** Aborting it ends the run; the session is let go at its next stop. */
  signal?: AbortSignal | undefined
}

/** A guarded loop around the queries that have its hooks. */
export interface RalphLoop {
  /** For `query({ options: { hooks } })`; beside hooks of your own by `mergeHooks`. */
  readonly hooks: Hooks
  /** Ends the run where it is not over yet, frees the project, and tells how it ended. Call it after the query. */
  close(): Promise<LoopEnding>
}

/**
 * Keeps a session at work: its first prompt begins a run, and each time Claude would stop, the guards are asked, the loop is
 * recorded, and Claude is sent on with the plan's next task, until the plan is done or a guard says stop.
 *
 * A guard that fails lets the session go on as if there were no hook. A prompt is held back where a guard refuses it: then
 * nothing reaches Claude. The hour's limit cannot be waited for inside a hook: the session is let go, and a further prompt
 * of it is admitted once the hour is over.
 *
 * @example
 * const loop = ralphLoop({ ralph, maxLoops: 20, onNote: console.log })
 * for await (const message of query({ prompt, options: { hooks: mergeHooks(mine, loop.hooks) } })) handle(message)
 * const { status, exitReason } = await loop.close()
 */
export function ralphLoop(options: RalphLoopHooksOptions): RalphLoop {
  const run = new Run(options)
  return {
    hooks: { ...hooksFor(TOOL_HOOKS, run.tool), ...hooksFor(LIFE_HOOKS, run.life) },
    close: () => run.close(),
  }
}

const LIFE_HOOKS = ['UserPromptSubmit', 'Stop', 'StopFailure', 'SessionStart', 'SessionEnd'] as const

class Run {
  private readonly engine: LoopEngine
  private readonly start: LoopEvent
  private session: string | undefined
  private ending: LoopEnding | undefined
  /** What tools did since the session was last heard: inputs of hooks, for the loop's notes. */
  private readonly noted: string[] = []

  constructor(private readonly options: RalphLoopHooksOptions) {
    this.engine = new LoopEngine(options.ralph)
    const { instruction, maxLoops, maxMinutes } = options
    this.start = { event: 'start', owner: 'sdk', instruction, maxLoops, maxMinutes }
  }

  /** A call of a tool waits for nothing: what it did counts at the loop's end. */
  readonly tool: HookCallback = async (input) => {
    if (this.session === input.session_id && !this.ending) this.noted.push(told(input))
    return {}
  }

  readonly life: HookCallback = async (input) => {
    try {
      return await this.hear(input)
    } catch (error) {
      this.failed(error)
      return {}
    }
  }

  private async hear(input: HookInput): Promise<SyncHookJSONOutput> {
    const mine = this.session === undefined || this.session === input.session_id
    if (!mine || this.ending || isSubagents(input)) return {}
    if (this.options.signal?.aborted && this.session !== undefined) {
      await this.close()
      return {}
    }
    const begins = this.session === undefined && input.hook_event_name === 'UserPromptSubmit'
    if (this.session === undefined && !begins) return {}
    this.session = input.session_id
    const hooks = [...this.noted.splice(0), told(input)]
    const { output, answer } = await this.engine.hooks(together(hooks, begins ? this.start : undefined))
    this.say(answer)
    return output as SyncHookJSONOutput
  }

  async close(): Promise<LoopEnding> {
    if (!this.ending && this.session !== undefined)
      this.say(await this.engine.handle({ event: 'end', session: this.session }))
    this.ending ??= { status: 'stopped', lastAction: 'interrupted', loops: 0 }
    return this.ending
  }

  private say(answer: LoopAnswer): void {
    for (const note of answer.notes) this.options.onNote?.(note)
    if (answer.next === 'refuse')
      this.over({
        status: 'error',
        lastAction: 'session_busy',
        exitReason: 'SESSION_BUSY',
        loops: 0,
        message: answer.message ?? '',
      })
    else if (answer.ending) this.over(answer.ending)
  }

  private over(ending: LoopEnding): void {
    this.ending = ending
    this.options.onEnd?.(ending)
  }

  private readonly failed = (error: unknown): void => {
    this.options.onNote?.(`Ralph's loop: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function isSubagents(input: HookInput): boolean {
  return 'agent_id' in input && input.agent_id !== undefined && input.hook_event_name !== 'SessionEnd'
}
