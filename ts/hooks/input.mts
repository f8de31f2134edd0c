// What of a hook's input counts, as text for the core: a tool's answer may be megabytes of a file that nobody asks for.

import type { HookEvent, HookInput } from '@anthropic-ai/claude-agent-sdk'
import type { LoopEvent } from '../../index.js'

/** Hooks that come with every call of a tool, or with a turn's calls. */
export const TOOL_HOOKS: readonly HookEvent[] = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch']

type Fields = Record<string, unknown>

/** The members of an object, or none. */
function pick(value: unknown, names: readonly string[]): Fields | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const given = value as Fields
  return Object.fromEntries(names.filter((name) => typeof given[name] === 'string').map((name) => [name, given[name]]))
}

/** The input as JSON, without what does not count. */
export function told(input: HookInput): string {
  const { tool_input, tool_response, tool_calls: _, ...rest } = input as HookInput & Fields
  return JSON.stringify({
    ...rest,
    tool_input: pick(tool_input, ['file_path', 'notebook_path', 'command', 'action']),
    tool_response: pick(tool_response, ['filePath', 'notebook_path']),
  })
}

/** Inputs, each as `told` has it, as the engine takes them. */
export function together(hooks: readonly string[], start?: LoopEvent): string {
  const begins = start === undefined ? '' : `,"start":${JSON.stringify(start)}`
  return `{"hooks":[${hooks.join()}]${begins}}`
}
