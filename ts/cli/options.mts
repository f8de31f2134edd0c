// The options of the command line, as rows: what is parsed, checked and shown by --help derives from here.

import { ACCESS_LEVELS } from '../levels.mjs'

/** A command line that means nothing; the message says why. */
export class UsageError extends Error {}

/** What an option takes. */
type OptionKind =
  | { readonly kind: 'flag' }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'count' | 'number'; readonly value: string }
  | { readonly kind: 'word'; readonly value: string; readonly words: readonly string[]; readonly default: string }

/** One row. */
export type OptionRow = OptionKind & { readonly help: string }

export const OPTIONS = {
  project: {
    kind: 'text',
    value: 'DIR',
    help: 'the project; default: RALPH_PROJECT_DIR, else the working directory or the nearest folder above with a .ralph/',
  },
  access: {
    kind: 'word',
    value: 'LEVEL',
    words: ACCESS_LEVELS,
    default: 'full',
    help: 'what the client may do: read (look), worker (also tick tasks and leave a message in the log) or full (the guards, too); default: full',
  },
  'log-level': {
    kind: 'word',
    value: 'LEVEL',
    words: ['debug', 'info', 'warn', 'error', 'off'],
    default: 'info',
    help: 'debug, info, warn, error or off; debug also logs each call on stderr; default: info',
  },
  watch: { kind: 'flag', help: 'show the state again every two seconds; q or Ctrl-C ends it' },
  json: { kind: 'flag', help: 'print JSON, for programs' },
  'max-loops': { kind: 'count', value: 'N', help: 'end after N loops' },
  'max-minutes': { kind: 'number', value: 'N', help: 'begin no loop after N minutes' },
  'max-tokens': { kind: 'count', value: 'N', help: 'begin no loop once the run has used N tokens, input and output' },
  'max-cost-usd': { kind: 'number', value: 'N', help: 'begin no loop once the run has cost N US dollars' },
  model: { kind: 'text', value: 'M', help: 'the model, by the names that Claude Code knows' },
  once: { kind: 'flag', help: 'a single loop' },
  'dry-run': { kind: 'flag', help: 'say what the first loop would send; ask Claude nothing, write nothing' },
  undo: { kind: 'flag', help: 'make the task open again' },
} as const satisfies Record<string, OptionRow>

export type OptionName = keyof typeof OPTIONS

/** The value of an option after its checks. */
type ValueOf<Row> = Row extends { kind: 'flag' } ? boolean : Row extends { kind: 'count' | 'number' } ? number : string

/** What was typed: an option that was left out has its default, or is undefined. */
export type Values = {
  [Name in OptionName]: (typeof OPTIONS)[Name] extends { kind: 'flag' } | { default: string }
    ? ValueOf<(typeof OPTIONS)[Name]>
    : ValueOf<(typeof OPTIONS)[Name]> | undefined
}

/** The values of a command's options. */
export function optionValues(given: Readonly<Record<string, string | boolean | undefined>>): Values {
  const rows = Object.entries<OptionRow>(OPTIONS)
  return Object.fromEntries(rows.map(([name, row]) => [name, checked(`--${name}`, row, given[name])])) as Values
}

function checked(
  option: string,
  row: OptionRow,
  given: string | boolean | undefined,
): string | number | boolean | undefined {
  if (row.kind === 'flag') return given === true
  if (given === undefined) return row.kind === 'word' ? row.default : undefined
  const text = String(given)
  if (row.kind === 'word' && !row.words.includes(text)) {
    throw new UsageError(`${option} ${JSON.stringify(text)} is unknown: use ${row.words.join(', ')}`)
  }
  if (row.kind === 'count' || row.kind === 'number') return numberOf(option, row.kind, text)
  return text
}

function numberOf(option: string, kind: 'count' | 'number', text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  const right = kind === 'count' ? Number.isSafeInteger(value) && value > 0 : Number.isFinite(value) && value > 0
  if (right) return value
  const what = kind === 'count' ? 'a whole number from 1 on' : 'a number above 0'
  throw new UsageError(`${option} takes ${what}, and this is ${JSON.stringify(text)}`)
}
