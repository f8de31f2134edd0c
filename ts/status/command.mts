// `ralph-mcp status`.

import { RalphTools } from '../../index.js'
import { renderStatus } from './render.mjs'
import { type Snapshot, takeSnapshot } from './snapshot.mjs'
import { styles } from './text.mjs'

const REFRESH_MILLISECONDS = 2000
const ENTER_SCREEN = '\x1b[?1049h\x1b[?25l'
const LEAVE_SCREEN = '\x1b[?25h\x1b[?1049l'
const HOME = '\x1b[H'
const CLEAR_REST_OF_LINE = '\x1b[K'
const CLEAR_BELOW = '\x1b[J'

/** Prints the state of a project once, or again and again. */
export async function showStatus(command: { project?: string; watch: boolean; json: boolean }): Promise<void> {
  const projectDir = command.project ?? process.env['RALPH_PROJECT_DIR'] ?? process.cwd()
  const ralph = new RalphTools({ projectDir })
  const { stdout } = process
  if (command.json) {
    stdout.write(`${JSON.stringify(await takeSnapshot(ralph, projectDir), null, 2)}\n`)
  } else if (command.watch && stdout.isTTY) {
    await watch(async () => screen(await takeSnapshot(ralph, projectDir), stdout.rows))
  } else {
    stdout.write(`${screen(await takeSnapshot(ralph, projectDir), stdout.rows).join('\n')}\n`)
    if (command.watch) process.stderr.write('ralph-mcp: --watch needs a terminal; printed once\n')
  }
}

function screen(snapshot: Snapshot, rows = 40): string[] {
  const { stdout, env } = process
  // The last row stays free, for the prompt that follows.
  return renderStatus(snapshot, { columns: stdout.columns ?? 80, rows: rows - 1, styles: styles(stdout, env) })
}

async function watch(draw: () => Promise<string[]>): Promise<void> {
  const { stdout } = process
  const stop = new AbortController()
  const end = () => stop.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
  stdout.on('resize', () => wake?.())
  let wake: (() => void) | undefined
  stdout.write(ENTER_SCREEN)
  try {
    while (!stop.signal.aborted) {
      const lines = await draw()
      stdout.write(HOME + lines.map((line) => line + CLEAR_REST_OF_LINE).join('\n') + CLEAR_BELOW)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, REFRESH_MILLISECONDS)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
        stop.signal.addEventListener('abort', () => wake?.(), { once: true })
      })
    }
  } finally {
    stdout.write(LEAVE_SCREEN)
  }
}
