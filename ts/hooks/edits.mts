// Which files a query changed, for wrappers that ask the guards themselves.

import type { HookCallback } from '@anthropic-ai/claude-agent-sdk'
import { LoopEngine, type RalphTools } from '../../index.js'
import { together, told } from './input.mjs'
import { type Hooks, hooksFor } from './merge.mjs'

/** What a query's tools changed so far. */
export interface ObservedEdits {
  /** For `query({ options: { hooks } })`; beside hooks of your own by `mergeHooks`. */
  readonly hooks: Hooks
  /**
   * Tells what was changed since it was last asked, and begins anew. `filesChanged` is for `circuit_breaker` `record` and
   * `exit_detection` `analyze`; it is left out where a tool ran of which nobody can tell what it changed, such as Bash, and
   * no edit is known: then git is asked.
   */
  take(): Promise<{ files: string[]; filesChanged?: number }>
}

/**
 * Watches the edits of Claude and its subagents, the plan's ticks included; Ralph's own files and files outside the project
 * do not count.
 *
 * @example
 * const edits = observeEdits({ ralph })
 * for await (const message of query({ prompt, options: { hooks: edits.hooks } })) handle(message)
 * const { filesChanged } = await edits.take()
 * await ralph.circuitBreaker({ action: 'record', filesChanged })
 */
export function observeEdits({ ralph }: { ralph: RalphTools }): ObservedEdits {
  const engine = new LoopEngine(ralph)
  const noted: string[] = []
  const note: HookCallback = async (input) => {
    noted.push(told(input))
    return {}
  }
  return {
    hooks: hooksFor(['PostToolUse', 'PostToolUseFailure'], note),
    async take() {
      const { files, opaque } = await engine.effects(together(noted.splice(0)))
      return { files, ...((files.length > 0 || !opaque) && { filesChanged: files.length }) }
    },
  }
}
