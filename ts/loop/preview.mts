// What a run would do, without doing it.

import { type LoopCounts, LoopEngine, type Task } from '../../index.js'
import { throwIfNotBegun } from './ending.mjs'
import { type RalphLoopOptions, toolsOf } from './options.mjs'

/** What the first loop of a run would send. */
export interface LoopPreview {
  /** What would go to Claude. */
  prompt: string
  /** The task that it names. */
  task?: Task
  /** How the guards stand. */
  counts?: LoopCounts
  /** Why it would not be sent now; left out where nothing is in the way. */
  obstacle?: string
}

/**
 * Tells what the first loop of a run would send, and what is in the way of it. Asks Claude nothing, counts and writes
 * nothing.
 *
 * @throws RalphToolError `PLAN_NOT_FOUND` where there is neither a task nor a prompt; what `RalphTools` throws.
 */
export async function previewLoop(
  options: Pick<RalphLoopOptions, 'projectDir' | 'ralph' | 'prompt'>,
): Promise<LoopPreview> {
  const engine = new LoopEngine(toolsOf(options))
  const answer = await engine.handle({ event: 'preview', owner: 'loop', instruction: options.prompt })
  throwIfNotBegun(answer)
  const { prompt = '', task, counts, message } = answer
  return { prompt, ...(task && { task }), ...(counts && { counts }), ...(message && { obstacle: message }) }
}
