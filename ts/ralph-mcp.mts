#!/usr/bin/env node
// The command `ralph-mcp`: the stdio server, and `ralph-mcp status` for people.

import { RalphToolError } from '../index.js'
import { type Command, parseCommand, USAGE, UsageError } from './command-line.mjs'
import { VERSION } from './version.mjs'

const EXIT_FAILURE = 1
const EXIT_USAGE = 2

try {
  await run(parseCommand(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(`ralph-mcp: ${explain(error)}\n`)
  process.exitCode = error instanceof UsageError ? EXIT_USAGE : EXIT_FAILURE
}

async function run(command: Command): Promise<void> {
  switch (command.name) {
    case 'help':
      process.stdout.write(USAGE)
      return
    case 'version':
      process.stdout.write(`${VERSION}\n`)
      return
    case 'status':
      return (await import('./status/command.mjs')).showStatus(command, interrupted())
    case 'serve':
      return (await import('./stdio-server.mjs')).serve(command)
  }
}

/** Aborted by Ctrl-C, so that a watch can give the terminal back as it was. */
function interrupted(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\nTry: ralph-mcp --help`
  if (error instanceof RalphToolError) return `${error.code}: ${error.message}`
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (code === 'ERR_MODULE_NOT_FOUND') return `${message}\nTry: npm install @modelcontextprotocol/sdk zod`
  return String(message ?? error)
}
