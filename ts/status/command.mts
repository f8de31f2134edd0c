// `ralph-sdk-tools status`.

import { RalphTools } from '../../index.js'
import { type Call, EXIT } from '../cli/commands.mjs'
import { UsageError } from '../cli/options.mjs'
import { jsonText } from '../terminal.mjs'
import { renderStatus } from './render.mjs'
import { limitsOfLastLoop, type Snapshot, takeSnapshot } from './snapshot.mjs'
import { styles } from './text.mjs'

const REFRESH_MILLISECONDS = 2000
const ENTER_SCREEN = '\x1b[?1049h\x1b[?25l'
const LEAVE_SCREEN = '\x1b[?25h\x1b[?1049l'
const HOME = '\x1b[H'
const CLEAR_REST_OF_LINE = '\x1b[K'
const CLEAR_BELOW = '\x1b[J'

/** As much of standard output as the screen needs. */
export interface Terminal {
  isTTY?: boolean
  columns?: number
  rows?: number
  write(text: string): unknown
  on(event: 'resize', listener: () => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

/** The command. */
export async function status({ options: { project, watch, json }, stop }: Call): Promise<number> {
  if (watch && json) throw new UsageError('--watch and --json exclude each other')
  await showStatus({ ...(project !== undefined && { project }), watch, json }, stop)
  return EXIT.done
}

/** Prints the state of a project once, or again and again until `stop` is aborted. */
export async function showStatus(
  command: { project?: string; watch: boolean; json: boolean },
  stop: AbortSignal,
  terminal: Terminal = process.stdout,
): Promise<void> {
  const projectDir = command.project ?? process.env['RALPH_PROJECT_DIR'] ?? process.cwd()
  if (command.json) {
    terminal.write(`${jsonText(await look(projectDir))}\n`)
    return
  }
  const draw = async () => screen(projectDir, terminal)
  if (command.watch && terminal.isTTY) return watch(draw, stop, terminal)
  terminal.write(`${(await draw()).join('\n')}\n`)
  if (command.watch) process.stderr.write('ralph-sdk-tools: --watch needs a terminal; printed once\n')
}

/** The state now, against the limits of the loop that is at work: a wrapper's are in no file of settings. */
async function look(projectDir: string): Promise<Snapshot> {
  // Whoever looks resets nothing, and wants to see that the circuit is open.
  return takeSnapshot(
    new RalphTools({ projectDir, autoReset: false, ...(await limitsOfLastLoop(projectDir)) }),
    projectDir,
  )
}

async function screen(projectDir: string, terminal: Terminal): Promise<string[]> {
  const { columns = 80, rows = 40 } = terminal
  // The last row stays free, for the prompt that follows.
  const place = { columns, rows: rows - 1, styles: styles(terminal, process.env) }
  return renderStatus(await look(projectDir), place)
}

async function watch(draw: () => Promise<string[]>, stop: AbortSignal, terminal: Terminal): Promise<void> {
  terminal.write(ENTER_SCREEN)
  try {
    while (!stop.aborted) {
      const lines = await draw()
      terminal.write(HOME + lines.map((line) => line + CLEAR_REST_OF_LINE).join('\n') + CLEAR_BELOW)
      await nextDraw(stop, terminal)
    }
  } finally {
    terminal.write(LEAVE_SCREEN)
  }
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
