// Hooks of several owners in one query.

import type { HookCallback, HookCallbackMatcher, HookEvent } from '@anthropic-ai/claude-agent-sdk'

/** Hooks as `query({ options: { hooks } })` takes them. */
export type Hooks = Partial<Record<HookEvent, HookCallbackMatcher[]>>

/**
 * All these hooks together, for `query({ options: { hooks: mergeHooks(mine, loop.hooks) } })`: a spread would drop the first
 * one's wherever both have hooks of an event.
 */
export function mergeHooks(...all: (Hooks | undefined)[]): Hooks {
  const merged: Hooks = {}
  for (const hooks of all) {
    for (const [event, matchers] of Object.entries(hooks ?? {}) as [HookEvent, HookCallbackMatcher[]][])
      merged[event] = [...(merged[event] ?? []), ...matchers]
  }
  return merged
}

/** The same callback for several events. */
export function hooksFor(events: readonly HookEvent[], callback: HookCallback): Hooks {
  return Object.fromEntries(events.map((event) => [event, [{ hooks: [callback] }]]))
}
