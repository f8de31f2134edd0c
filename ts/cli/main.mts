#!/usr/bin/env node
// The program `ralph-sdk-tools`. It is bundled as CommonJS, which starts quicker than ES modules, so nothing here awaits
// at the top.

import { type Call, EXIT } from './commands.mjs'
import { help } from './help.mjs'
import { UsageError } from './options.mjs'
import { say } from './output.mjs'
import { parse } from './parse.mjs'

const INTRODUCTION = `ralph-sdk-tools guards a Claude Code loop that works off a plan. Type \`ralph-sdk-tools status\` to see a project, \`ralph-sdk-tools --help\` for more. (Without a word an MCP client starts it as its server.)
`

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    say(explain(error))
    if (error instanceof UsageError) say('try --help')
    process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.failed
  },
)

async function main(args: readonly string[]): Promise<number> {
  const parsed = parse(args)
  switch (parsed.what) {
    case 'help':
      process.stdout.write(help(parsed.command))
      return EXIT.done
    case 'version':
      process.stdout.write(`${(await import('../version.mjs')).VERSION}\n`)
      return EXIT.done
    case 'run': {
      if (!parsed.named && process.stdin.isTTY) {
        process.stdout.write(INTRODUCTION)
        return EXIT.done
      }
      const call: Call = { ...parsed, stop: interrupted(parsed.command.name) }
      const code = await parsed.command.run(call)
      // Something that hangs, such as a git of the last look, must not outlive Ctrl-C.
      if (call.stop.aborted) process.exit(code)
      return code
    }
  }
}

/** Aborted by Ctrl-C, so that a screen can give the terminal back as it was. Only where the command looks at it. */
function interrupted(command: string): AbortSignal {
  const controller = new AbortController()
  if (command === 'status' || command === 'run') {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  }
  return controller.signal
}

function explain(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return code === undefined || error instanceof UsageError ? String(message ?? error) : `${code}: ${message}`
}
