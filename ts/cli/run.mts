// `run`: the guarded loop, and what a person or a program sees of it.

import type { Options } from '@anthropic-ai/claude-agent-sdk'
import { RalphTools } from '../../index.js'
import type { RalphLoopOptions } from '../loop.mjs'
import { jsonDisplay, plainDisplay } from '../run/plain.mjs'
import { ScreenDisplay } from '../run/screen.mjs'
import type { RunDisplay, RunView } from '../run/view.mjs'
import { standing } from '../run/words.mjs'
import { styles } from '../status/text.mjs'
import { claudeOptions } from './claude-options.mjs'
import { type Call, EXIT } from './commands.mjs'
import { UsageError, type Values } from './options.mjs'
import { printJson, printLine } from './output.mjs'
import { projectOption } from './project.mjs'

/** Runs the loop. */
export async function run(call: Call): Promise<number> {
  const options = loopOptions(call)
  const loop = await theLoop()
  if (call.options['dry-run']) return preview(loop, options, call.options.json)
  const display = displayFor(call.options.json)
  const stopping = () => display.stopping()
  call.stop.addEventListener('abort', stopping)
  try {
    const view = display.open('')
    const ending = await loop.runRalph({ ...options, ...callbacks(view), signal: call.stop })
    view.end(ending)
    return loop.exitCode(ending)
  } finally {
    call.stop.removeEventListener('abort', stopping)
    display.close()
  }
}

/** What a run tells its view. */
function callbacks(view: RunView): Partial<RalphLoopOptions> {
  return {
    onLoop: (_, answer) => view.loop(answer),
    onMessage: (message) => view.message(message),
    onLoopEnd: (closed, answer) => view.loopEnd(closed, answer),
    onWait: (wait) => view.wait(wait),
    onNote: (note) => view.note(note),
  }
}

function displayFor(json: boolean): RunDisplay {
  if (json) return jsonDisplay(process.stdout)
  if (!process.stdout.isTTY || process.env['TERM'] === 'dumb') return plainDisplay(process.stdout)
  return new ScreenDisplay(process.stdout, styles(process.stdout, process.env))
}

function loopOptions({ options, rest }: Call): RalphLoopOptions {
  // The loop wants to know where it is, not where to look.
  const { projectDir } = new RalphTools(projectOption(options.project))
  if (options.once && options['max-loops'] !== undefined)
    throw new UsageError('--once and --max-loops exclude each other')
  const query: Options = { ...claudeOptions(rest), ...(options.model !== undefined && { model: options.model }) }
  return { projectDir, query, ...limits(options) }
}

function limits(options: Values): Partial<RalphLoopOptions> {
  return {
    maxLoops: options.once ? 1 : options['max-loops'],
    maxMinutes: options['max-minutes'],
    maxTokens: options['max-tokens'],
    maxCostUsd: options['max-cost-usd'],
  }
}

type Loop = typeof import('../loop.mjs')

/** The layer over the Agent SDK, which is no part of this program. */
async function theLoop(): Promise<Loop> {
  try {
    return await import('../loop.mjs')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' || !/claude-agent-sdk|zod/.test(message)) throw error
    throw new Error(
      'run needs the Claude Agent SDK beside it: `npm install --save-dev ralph-sdk-tools @anthropic-ai/claude-agent-sdk zod`, ' +
        'or without installing: `npx -y -p ralph-sdk-tools -p @anthropic-ai/claude-agent-sdk -p zod ralph-sdk-tools run`',
    )
  }
}

/** Says what the first loop would send. */
async function preview(loop: Loop, options: RalphLoopOptions, json: boolean): Promise<number> {
  const { prompt, task, counts, obstacle } = await loop.previewLoop(options)
  if (json) {
    printJson({ prompt, task, counts, obstacle })
    return EXIT.done
  }
  if (counts) printLine(standing(counts))
  if (task) printLine(`task ${task.id}: ${task.description}`)
  printLine(obstacle ? `this would not be sent now: ${obstacle}` : 'this would be sent:')
  printLine('')
  for (const line of prompt.split('\n')) printLine(line)
  return EXIT.done
}
