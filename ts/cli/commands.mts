// The commands, as rows: which words and options each takes, what it does, and where that is.

import type { OptionName, Values } from './options.mjs'

/** How the program ends. */
export const EXIT = { done: 0, failed: 1, usage: 2, limit: 3, interrupted: 130 } as const

/** What a command is called with. */
export interface Call {
  readonly options: Values
  /** The words after the command's own. */
  readonly words: readonly string[]
  /** What comes after `--`. */
  readonly rest: readonly string[]
  /** Aborted by Ctrl-C. */
  readonly stop: AbortSignal
}

/** One row. */
export interface CommandRow {
  readonly name: string
  /** The words that it takes: those in brackets may be left out. */
  readonly words: readonly string[]
  /** How its help shows what comes after `--`; left out where nothing may come. */
  readonly rest?: string
  readonly options: readonly OptionName[]
  /** One line of help. */
  readonly help: string
  /** More help, below its options. */
  readonly more?: string
  /** Runs it; answers the exit code. */
  run(call: Call): Promise<number>
}

/** All commands, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'run',
    words: [],
    rest: 'CLAUDE OPTIONS',
    options: ['project', 'max-loops', 'max-minutes', 'max-tokens', 'max-cost-usd', 'model', 'once', 'dry-run', 'json'],
    help: 'work through the plan: a query of Claude a loop, until it is done or a guard says stop',
    more: `Waits (the limit of the hour, the limit of your plan, a failed query) end by
themselves. Ctrl-C ends the run and leaves a clean status. What stands after --
goes to Claude Code:
  ralph-sdk-tools run --max-loops 20 -- --permission-mode acceptEdits`,
    run: async (call) => (await import('./run.mjs')).run(call),
  },
  {
    name: 'status',
    words: [],
    options: ['project', 'watch', 'json'],
    help: 'show the state of a project on one screen',
    run: async (call) => (await import('../status/command.mjs')).status(call),
  },
  {
    name: 'next',
    words: [],
    options: ['project', 'json'],
    help: 'show the next open task of the plan',
    run: async (call) => (await import('./guards.mjs')).next(call),
  },
  {
    name: 'tick',
    words: ['ID'],
    options: ['project', 'json', 'undo'],
    help: 'tick a task of the plan, by its id or its text',
    run: async (call) => (await import('./guards.mjs')).tick(call),
  },
  {
    name: 'reset-circuit',
    words: [],
    options: ['project', 'json'],
    help: 'close the circuit breaker, once you know why it opened',
    run: async (call) => (await import('./guards.mjs')).resetCircuit(call),
  },
  {
    name: 'reset',
    words: [],
    options: ['project', 'json'],
    help: 'begin afresh: close the circuit, forget exit signals and session',
    more: 'The calls of this hour stay counted, and the plan stays as it is.',
    run: async (call) => (await import('./guards.mjs')).reset(call),
  },
  {
    name: 'call',
    words: ['TOOL', '[JSON]'],
    options: ['project'],
    help: 'call one of the five tools and print its answer',
    more: `JSON is the tool's input, - reads it from stdin:
  ralph-sdk-tools call rate_limit '{"action":"status"}'`,
    run: async (call) => (await import('./guards.mjs')).callTool(call),
  },
  {
    name: 'init',
    words: [],
    options: ['project', 'json'],
    help: 'write a plan, a prompt and .mcp.json, never over a file that is there',
    run: async (call) => (await import('./init.mjs')).init(call),
  },
  {
    name: 'doctor',
    words: [],
    options: ['project', 'json'],
    help: 'say what is wrong with a project, and how to mend it',
    more: 'Exit code 1 where a run would not begin.',
    run: async (call) => (await import('./doctor.mjs')).doctor(call),
  },
  {
    name: 'serve',
    words: [],
    options: ['project', 'access', 'log-level'],
    help: 'be an MCP server on stdin and stdout, until stdin closes',
    more: `This also starts where no command is named and stdin is no terminal. Add it to Claude Code:
  claude mcp add ralph -- npx -y ralph-sdk-tools --project "$PWD" --access worker`,
    run: async (call) => (await import('./serve.mjs')).serveProject(call),
  },
]

/** What starts where no command is named: a client knows none. */
export const DEFAULT_COMMAND = 'serve'
