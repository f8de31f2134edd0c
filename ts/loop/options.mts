// What a run is given.

import type { Options, SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import {
  type ClosedLoop,
  type LoopAnswer,
  type LoopEvent,
  type LoopWait,
  RalphTools,
  type RalphToolsOptions,
} from '../../index.js'

/** Options of {@link runRalph}. */
export interface RalphLoopOptions {
  /** The project directory: it has a plan (`.ralph/fix_plan.md`), a prompt (`.ralph/PROMPT.md`), or both. */
  projectDir: string
  /** Limits, thresholds, layout: see docs/API.md. Or the tools themselves, where the caller has them already. */
  ralph?: RalphToolsOptions | RalphTools | undefined
  /**
   * Options for every query: model, permissions, more tools. What is left out is as Claude Code has it in a terminal
   * (its own system prompt, the project's CLAUDE.md and settings), with `permissionMode: 'acceptEdits'` and the tools
   * Read, Glob, Grep, Edit, Write, `git` and `npm`.
   */
  query?: Options | undefined
  /**
   * What goes to Claude in each loop; `{task}`, `{id}` and `{section}` stand for the next task's.
   *
   * @default PROMPT.md, then the next task of the plan, and the status block to end with
   */
  prompt?: string | undefined
  /** Loops after which the run ends; each query that is admitted is a loop. Default: no such limit. */
  maxLoops?: number | undefined
  /** Minutes after which no further loop begins. Default: no such limit. */
  maxMinutes?: number | undefined
  /** Tokens of the whole run, input and output, after which no further loop begins. Default: no such limit. */
  maxTokens?: number | undefined
  /** US dollars of the whole run after which no further loop begins. Default: no such limit. */
  maxCostUsd?: number | undefined
  /** Aborting it (Ctrl-C) ends the run at once and leaves a clean status. */
  signal?: AbortSignal | undefined
  /** What the SDK streams. */
  onMessage?: ((message: SDKMessage) => void) | undefined
  /** What the loop itself does, a line each: for a log. */
  onNote?: ((note: string) => void) | undefined
  /** A loop begins; its query is counted. `answer` has its prompt, task and counts. */
  onLoop?: ((loop: number, answer: LoopAnswer) => void) | undefined
  /** A loop is over and recorded. */
  onLoopEnd?: ((closed: ClosedLoop, answer: LoopAnswer) => void) | undefined
  /** The run waits, and goes on by itself: called at once and then every second, with the `seconds` that are left. */
  onWait?: ((wait: LoopWait) => void) | undefined
  /** How to wait; for tests. */
  sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined
}

/** The run's tools. */
export function toolsOf({ ralph, projectDir }: Pick<RalphLoopOptions, 'ralph' | 'projectDir'>): RalphTools {
  if (ralph instanceof RalphTools) return ralph
  // v0.9's rules know plain text alone and would look for words in the SDK's JSON, so a v0.9 project needs these too.
  return new RalphTools({ projectDir, rules: 'v0.11', ...ralph })
}

/** The event that begins the run. */
export function startOf(options: RalphLoopOptions): LoopEvent {
  const { maxLoops, maxMinutes, maxTokens, maxCostUsd, prompt } = options
  // Infinity is a way to say: no limit.
  const limit = (value: number | undefined) => (value === Number.POSITIVE_INFINITY ? undefined : value)
  return {
    event: 'start',
    owner: 'loop',
    instruction: prompt,
    maxLoops: limit(maxLoops),
    maxMinutes: limit(maxMinutes),
    maxTokens: limit(maxTokens),
    maxCostUsd: limit(maxCostUsd),
  }
}
