// What stands after `--`: options of Claude Code, as its own program takes them.

import type { Options } from '@anthropic-ai/claude-agent-sdk'
import { UsageError } from './options.mjs'

/** Options that the Agent SDK has a name of its own for; it would otherwise pass two of them to Claude Code. */
const NAMED: Readonly<Record<string, (value: string) => Options>> = {
  model: (model) => ({ model }),
  allowedTools: (value) => ({ allowedTools: list(value) }),
  disallowedTools: (value) => ({ disallowedTools: list(value) }),
  'permission-mode': (value) => ({ permissionMode: value as NonNullable<Options['permissionMode']> }),
  'max-turns': (value) => ({ maxTurns: whole('--max-turns', value) }),
  'add-dir': (value) => ({ additionalDirectories: [value] }),
  'append-system-prompt': (append) => ({ systemPrompt: { type: 'preset', preset: 'claude_code', append } }),
  'dangerously-skip-permissions': () => ({
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
  }),
}

/** The same by the names of older versions, and of people's fingers. */
const ALSO: Readonly<Record<string, string>> = {
  'allowed-tools': 'allowedTools',
  'disallowed-tools': 'disallowedTools',
}

/** The options for each query. */
export function claudeOptions(words: readonly string[]): Options {
  const extraArgs: Record<string, string | null> = {}
  let options: Options = {}
  for (let at = 0; at < words.length; at += 1) {
    const [, typed, assigned] = /^--([A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(words[at] ?? '') ?? []
    if (typed === undefined)
      throw new UsageError(`after -- stand options of Claude Code, and this is none: ${JSON.stringify(words[at])}`)
    const name = ALSO[typed] ?? typed
    const next = words[at + 1]
    const flag = name === 'dangerously-skip-permissions'
    const value = assigned ?? (flag || next === undefined || next.startsWith('--') ? undefined : next)
    if (assigned === undefined && value !== undefined) at += 1
    const known = NAMED[name]
    if (!known) extraArgs[name] = value ?? null
    else if (value === undefined && !flag) throw new UsageError(`--${typed} needs a value`)
    else options = { ...options, ...known(value ?? '') }
  }
  return Object.keys(extraArgs).length > 0 ? { ...options, extraArgs } : options
}

/** `Bash(git *),Edit Read`: between commas and blanks, but not within brackets. */
function list(value: string): string[] {
  return value.match(/(?:\([^)]*\)|[^,\s(])+/g) ?? []
}

function whole(option: string, value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value)
  throw new UsageError(`${option} takes a whole number from 1 on, and this is ${JSON.stringify(value)}`)
}
