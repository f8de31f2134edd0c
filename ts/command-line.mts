// What was typed after `ralph-mcp`.

import { parseArgs } from 'node:util'
import type { Access } from '../index.js'
import { ACCESS_LEVELS } from './definitions.mjs'

/** A command line that means nothing; the message says why. */
export class UsageError extends Error {}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'off'] as const

/** What to do. */
export type Command =
  | { name: 'help' | 'version' }
  | { name: 'serve'; project?: string; access: Access; logLevel: (typeof LOG_LEVELS)[number] }
  | { name: 'status'; project?: string; watch: boolean; json: boolean }

export const USAGE = `Usage: ralph-mcp [--project DIR] [--access read|worker|full] [--log-level LEVEL]
       ralph-mcp status [--project DIR] [--watch] [--json]

The first form is an MCP server on stdin and stdout with Ralph's tools. It ends when stdin closes.
The second shows the state of a project on one screen.

  --project DIR    the project; default: RALPH_PROJECT_DIR, else the working directory
  --access LEVEL   what the client may do; default: full
                     read    only what reads
                     worker  also tick tasks and leave a message in the log
                     full    everything, resetting the guards included
  --log-level LEVEL  debug, info, warn, error or off; debug also logs each call on stderr; default: info
  --watch          show the state again every two seconds, until Ctrl-C
  --json           print the state as JSON
  --help, --version

Add it to Claude Code:
  claude mcp add ralph -- npx -y -p ralph-sdk-tools ralph-mcp --project "$PWD" --access worker
`

/** The command that the arguments name. */
export function parseCommand(args: string[]): Command {
  const { values, positionals } = parse(args)
  if (values.help) return { name: 'help' }
  if (values.version) return { name: 'version' }
  const [subcommand, ...rest] = positionals
  if (rest.length > 0 || (subcommand !== undefined && subcommand !== 'status')) {
    throw new UsageError(`unexpected argument: ${positionals.find((word) => word !== 'status') ?? rest[0]}`)
  }
  const project = values.project === undefined ? {} : { project: values.project }
  if (subcommand === 'status') {
    refuse(values, ['access', 'log-level'], 'status')
    if (values.watch && values.json) throw new UsageError('--watch and --json exclude each other')
    return { name: 'status', ...project, watch: values.watch === true, json: values.json === true }
  }
  refuse(values, ['watch', 'json'], 'the server')
  const access = oneOf('--access', ACCESS_LEVELS, values.access ?? 'full')
  return {
    name: 'serve',
    ...project,
    access,
    logLevel: oneOf('--log-level', LOG_LEVELS, values['log-level'] ?? 'info'),
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        project: { type: 'string' },
        access: { type: 'string' },
        'log-level': { type: 'string' },
        watch: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'V' },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function oneOf<T extends string>(option: string, words: readonly T[], value: string): T {
  const known = words.find((word) => word === value)
  if (known === undefined)
    throw new UsageError(`${option} ${JSON.stringify(value)} is unknown: use ${words.join(', ')}`)
  return known
}

function refuse(values: Record<string, unknown>, options: string[], of: string): void {
  const given = options.find((option) => values[option] !== undefined)
  if (given) throw new UsageError(`--${given} is no option of ${of}`)
}
