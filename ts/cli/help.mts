// Help, from the rows of commands and options.

import { COMMANDS, type CommandRow } from './commands.mjs'
import { OPTIONS, type OptionName, type OptionRow } from './options.mjs'

const PROGRAM = 'ralph-sdk-tools'
const WIDTH = 80

/** What `--help` prints, of one command or of all. */
export function help(command?: CommandRow): string {
  return command ? helpOf(command) : overview()
}

function overview(): string {
  const rows = COMMANDS.map((command) => [usage(command), command.help] as const)
  return `Usage: ${PROGRAM} COMMAND [options]     (or: npx -y ${PROGRAM} …)

Ralph's five guards of a loop, for people and as an MCP server.

${table(rows)}
  ${PROGRAM} COMMAND --help says more. ${PROGRAM} --version

Exit codes: 0 done; 1 failed, or halted by a guard; 2 wrong command line;
3 a limit of the run was reached; 130 interrupted.
`
}

function helpOf(command: CommandRow): string {
  const options = command.options.map((name) => [optionUsage(name), OPTIONS[name].help] as const)
  const more = command.more === undefined ? '' : `\n${command.more}\n`
  const rest = command.rest === undefined ? [] : [`[-- ${command.rest}]`]
  const usages = [usage(command), ...command.options.map((name) => `[${optionUsage(name)}]`), ...rest]
  return `${hanging(`Usage: ${PROGRAM} `, usages)}

${command.help[0]?.toUpperCase()}${command.help.slice(1)}.

${table(options)}${more}`
}

function usage({ name, words }: CommandRow): string {
  return [name, ...words].join(' ')
}

function optionUsage(name: OptionName): string {
  const row: OptionRow = OPTIONS[name]
  return row.kind === 'flag' ? `--${name}` : `--${name} ${row.value}`
}

/** Two columns, the second wrapped. */
function table(rows: readonly (readonly [string, string])[]): string {
  const left = Math.max(...rows.map(([term]) => term.length)) + 4
  return rows
    .map(([term, text]) => `  ${term.padEnd(left - 2)}${wrap(text, WIDTH - left).join(`\n${' '.repeat(left)}`)}\n`)
    .join('')
}

function wrap(text: string, width: number): string[] {
  return joined(text.split(' '), width)
}

/** A head and pieces that are not cut, on lines below each other. */
function hanging(head: string, pieces: string[]): string {
  return head + joined(pieces, WIDTH - head.length).join(`\n${' '.repeat(head.length)}`)
}

/** Pieces with a space between them, in lines of at most `width`. */
function joined(pieces: string[], width: number): string[] {
  const lines: string[] = []
  for (const piece of pieces) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + piece.length <= width) lines[lines.length - 1] = `${line} ${piece}`
    else lines.push(piece)
  }
  return lines
}
