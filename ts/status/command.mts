// `ralph-sdk-tools status`.

import { RalphTools, type RalphToolsOptions } from '../../index.js'
import { type Call, EXIT } from '../cli/commands.mjs'
import { UsageError } from '../cli/options.mjs'
import { projectOption } from '../cli/project.mjs'
import { jsonText } from '../terminal.mjs'
import { renderStatus } from './render.mjs'
import { recent, type Snapshot, takeSnapshot } from './snapshot.mjs'
import { clip, styles } from './text.mjs'

const REFRESH_MILLISECONDS = 2000
const ENTER_SCREEN = '\x1b[?1049h\x1b[?25l'
const LEAVE_SCREEN = '\x1b[?25h\x1b[?1049l'
const HOME = '\x1b[H'
const CLEAR_REST_OF_LINE = '\x1b[K'
const CLEAR_BELOW = '\x1b[J'
/** What ends a watch, besides Ctrl-C: q, and Ctrl-D. */
const QUIT = ['q', 'Q', '\x04']
/** A terminal whose keys are read one by one sends no signal. */
const CTRL_C = '\x03'

/** As much of standard output as the screen needs. */
export interface Terminal {
  isTTY?: boolean
  columns?: number
  rows?: number
  write(text: string): unknown
  on(event: 'resize', listener: () => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

/** As much of standard input as a watch needs. */
export interface Keyboard {
  isTTY?: boolean
  setRawMode?(raw: boolean): unknown
  on(event: 'data', listener: (keys: Buffer) => void): unknown
  off(event: 'data', listener: (keys: Buffer) => void): unknown
  pause(): unknown
}

/** The command. */
export async function status({ options: { project, watch, json }, stop }: Call): Promise<number> {
  if (watch && json) throw new UsageError('--watch and --json exclude each other')
  const interrupted = await showStatus({ ...projectOption(project), watch, json }, stop)
  return interrupted || stop.aborted ? EXIT.interrupted : EXIT.done
}

/**
 * Prints the state of a project once, or again and again until `stop` is aborted or q is pressed. Answers whether it was
 * Ctrl-C that ended it.
 */
export async function showStatus(
  command: { projectDir?: string | undefined; watch: boolean; json: boolean },
  stop: AbortSignal,
  terminal: Terminal = process.stdout,
  keyboard: Keyboard = process.stdin,
): Promise<boolean> {
  const project = command.projectDir === undefined ? {} : { projectDir: command.projectDir }
  if (command.json) {
    terminal.write(`${jsonText(await look(project))}\n`)
    return false
  }
  if (command.watch && terminal.isTTY) return watch(project, stop, terminal, keyboard)
  const lines = await screen(project, terminal, terminal.isTTY === true ? 1 : 0)
  terminal.write(`${lines.join('\n')}\n`)
  if (command.watch) process.stderr.write('ralph-sdk-tools: --watch needs a terminal; printed once\n')
  return false
}

/** The state now, against the limits of the loop that is at work: a program's own are in no file of settings. */
async function look(project: Pick<RalphToolsOptions, 'projectDir'>): Promise<Snapshot> {
  // Whoever looks resets nothing, and wants to see that the circuit is open.
  const options = { ...project, autoReset: false }
  const { maxCallsPerHour, maxTokensPerHour } = await recent(new RalphTools(options))
  return takeSnapshot(
    new RalphTools({
      ...options,
      ...(maxCallsPerHour !== undefined && { maxCallsPerHour }),
      ...(maxTokensPerHour !== undefined && { maxTokensPerHour }),
    }),
  )
}

/** The screen's lines; `free` rows of a terminal are left for something else. Where it is none nothing is cut. */
async function screen(
  project: Pick<RalphToolsOptions, 'projectDir'>,
  terminal: Terminal,
  free: number,
): Promise<string[]> {
  const { columns = 80, rows = 40, isTTY } = terminal
  const piped = isTTY !== true
  const height = piped ? Number.POSITIVE_INFINITY : rows - free
  return renderStatus(await look(project), { columns, rows: height, styles: styles(terminal, process.env), piped })
}

async function watch(
  project: Pick<RalphToolsOptions, 'projectDir'>,
  stop: AbortSignal,
  terminal: Terminal,
  keyboard: Keyboard,
): Promise<boolean> {
  const over = new AbortController()
  let interrupted = false
  const end = () => over.abort()
  const keys = (pressed: Buffer) => {
    interrupted ||= pressed.includes(CTRL_C)
    if (interrupted || QUIT.some((key) => pressed.includes(key))) end()
  }
  stop.addEventListener('abort', end)
  if (stop.aborted) end()
  terminal.write(ENTER_SCREEN)
  if (keyboard.isTTY) {
    keyboard.setRawMode?.(true)
    keyboard.on('data', keys)
  }
  const ended = new Promise<undefined>((resolve) => {
    over.signal.addEventListener('abort', () => resolve(undefined))
    if (over.signal.aborted) resolve(undefined)
  })
  const paint = styles(terminal, process.env)
  try {
    while (!over.signal.aborted) {
      // One row for the footer. A look that hangs does not keep the watch from ending.
      const lines = await Promise.race([screen(project, terminal, 1), ended])
      if (lines === undefined) break
      const footer = paint('dim', clip('q quits · drawn every 2 seconds', terminal.columns ?? 80))
      const blank = Array.from({ length: Math.max(0, (terminal.rows ?? 40) - 1 - lines.length) }, () => '')
      const all = [...lines, ...blank, footer]
      terminal.write(HOME + all.map((line) => line + CLEAR_REST_OF_LINE).join('\n') + CLEAR_BELOW)
      await nextDraw(over.signal, terminal)
    }
  } finally {
    stop.removeEventListener('abort', end)
    if (keyboard.isTTY) {
      keyboard.off('data', keys)
      keyboard.setRawMode?.(false)
      keyboard.pause()
    }
    terminal.write(LEAVE_SCREEN)
  }
  return interrupted
}

/** Until it is time to draw again, the terminal's size changes, or the watch ends. */
function nextDraw(stop: AbortSignal, terminal: Terminal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      stop.removeEventListener('abort', wake)
      terminal.off('resize', wake)
      resolve()
    }
    const timer = setTimeout(wake, REFRESH_MILLISECONDS)
    stop.addEventListener('abort', wake)
    terminal.on('resize', wake)
    if (stop.aborted) wake()
  })
}
