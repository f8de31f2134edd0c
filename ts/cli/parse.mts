// What was typed after the program's name.

import { parseArgs } from 'node:util'
import { COMMANDS, type CommandRow, DEFAULT_COMMAND } from './commands.mjs'
import { OPTIONS, type OptionName, optionValues, UsageError, type Values } from './options.mjs'

/** What to do. */
export type Parsed =
  | { what: 'help'; command?: CommandRow }
  | { what: 'version' }
  | { what: 'run'; command: CommandRow; named: boolean; words: string[]; options: Values; rest: string[] }

/** The command that the arguments name. */
export function parse(args: readonly string[]): Parsed {
  const end = args.indexOf('--')
  const { values, positionals } = split(end < 0 ? args : args.slice(0, end))
  const [name, ...words] = positionals
  const command = name === undefined ? undefined : COMMANDS.find((row) => row.name === name)
  if (values['help'] === true) return { what: 'help', ...(command && { command }) }
  if (values['version'] === true) return { what: 'version' }
  if (name !== undefined && command === undefined) throw new UsageError(`there is no command ${JSON.stringify(name)}`)
  const chosen = command ?? (COMMANDS.find((row) => row.name === DEFAULT_COMMAND) as CommandRow)
  checkWords(chosen, words)
  if (end >= 0 && chosen.rest === undefined) throw new UsageError(`${chosen.name} takes nothing after --`)
  const foreign = Object.keys(values).find((option) => !chosen.options.includes(option as OptionName))
  if (foreign) throw new UsageError(`--${foreign} is no option of ${chosen.name}`)
  const rest = end < 0 ? [] : args.slice(end + 1)
  return { what: 'run', command: chosen, named: command !== undefined, words, options: optionValues(values), rest }
}

function checkWords({ name, words }: CommandRow, given: readonly string[]): void {
  const extra = given[words.length]
  if (extra !== undefined) throw new UsageError(`unexpected argument: ${JSON.stringify(extra)}`)
  const missing = words.slice(given.length).find((word) => !word.startsWith('['))
  if (missing) throw new UsageError(`${name} needs ${missing}`)
}

function split(args: readonly string[]): {
  values: Record<string, string | boolean | undefined>
  positionals: string[]
} {
  const rows = Object.entries(OPTIONS).map(
    ([name, { kind }]) => [name, { type: kind === 'flag' ? 'boolean' : 'string' }] as const,
  )
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...Object.fromEntries(rows),
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'V' },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
