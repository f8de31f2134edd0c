// How a run ended.

import { type LoopAnswer, RalphToolError, type RalphToolErrorCode } from '../../index.js'

/** How a run ended, in the words that `status.json` has for it: all of them are in docs/INTEGRATION.md. */
export interface Ending {
  /** `completed`, `halted`, `stopped` or `error`. */
  status: string
  /** What ended it, such as `graceful_exit`, `circuit_breaker_open` or `loop_limit`. */
  lastAction: string
  /** The guard's own word for it, such as `plan_complete`. */
  exitReason?: string
  /** Loops of the run: queries that were admitted and counted. */
  loops: number
  /** What a person should know besides. */
  message?: string
}

/** What an answer that is no query and no wait means for a run that began `loops` loops. */
export function endingOf({ ending }: LoopAnswer, loops: number): Ending {
  // The session's file is gone: somebody else has ended the run, and its status with it.
  if (!ending) return { status: 'stopped', lastAction: 'cancelled', loops }
  return { ...ending, loops: Math.max(ending.loops, loops) }
}

/** Throws what kept a run from beginning; an ending by a guard is none of that. */
export function throwIfNotBegun(answer: LoopAnswer): void {
  if (answer.next === 'refuse') throw new RalphToolError('SESSION_BUSY', answer.message ?? '')
  const { ending } = answer
  if (ending?.lastAction !== 'guard_failed') return
  throw new RalphToolError((ending.exitReason ?? 'INTERNAL') as RalphToolErrorCode, ending.message ?? '')
}

/**
 * The exit code of a program that runs the loop: 0 the work is done, 1 a guard halted it or failed, 3 a limit of the run,
 * 130 interrupted or cancelled.
 */
export function exitCode({ status, lastAction }: Pick<Ending, 'status' | 'lastAction'>): 0 | 1 | 3 | 130 {
  if (status === 'completed') return 0
  if (status !== 'stopped') return 1
  return lastAction === 'interrupted' || lastAction === 'cancelled' ? 130 : 3
}
