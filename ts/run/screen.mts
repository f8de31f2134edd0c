// A run on a terminal: a block for each loop, which stays to be scrolled back to, and below it what is going on now.

import type { LoopCounts, LoopWait } from '../../index.js'
import { clip, duration, type Style, type Styles, wrap } from '../status/text.mjs'
import { clean } from '../terminal.mjs'
import { Activity } from './activity.mjs'
import type { RunDisplay, RunView } from './view.mjs'
import { clock, count, ending, isNews, lastWords, outcome, standing, waiting } from './words.mjs'

/** As much of a terminal as is needed. */
export interface RunTerminal {
  columns?: number
  write(text: string): unknown
}

const REDRAW_MILLISECONDS = 1000
const HIDE_CURSOR = '\x1b[?25l'
const SHOW_CURSOR = '\x1b[?25h'
const CLEAR_BELOW = '\x1b[J'
const LINES_OF_WORDS = 3

/** One run's part of the screen. */
interface Live {
  /** The lines below all blocks, without style sequences in what is clipped. */
  lines(columns: number): string[]
}

/** The display on a terminal. */
export class ScreenDisplay implements RunDisplay {
  readonly #runs: Live[] = []
  readonly #timer: ReturnType<typeof setInterval>
  #drawn = 0
  #stopping = false

  constructor(
    private readonly terminal: RunTerminal,
    readonly styles: Styles,
    readonly now: () => Date = () => new Date(),
  ) {
    terminal.write(HIDE_CURSOR)
    this.#timer = setInterval(() => this.draw(), REDRAW_MILLISECONDS)
  }

  get columns(): number {
    return Math.max(20, this.terminal.columns ?? 80)
  }

  open(name: string): RunView {
    const run = new ScreenRun(this, name)
    this.#runs.push(run)
    return run
  }

  stopping(): void {
    this.#stopping = true
    this.draw()
  }

  close(): void {
    clearInterval(this.#timer)
    this.terminal.write(`${this.#eraser()}${SHOW_CURSOR}`)
    this.#drawn = 0
  }

  /** Adds lines that stay, above what is live. */
  print(lines: readonly string[]): void {
    this.#frame(lines)
  }

  /** Draws what is live anew. */
  draw(): void {
    this.#frame([])
  }

  #frame(staying: readonly string[]): void {
    const live = this.#runs.flatMap((run) => run.lines(this.columns))
    if (this.#stopping) live.push(this.styles('notice', clip('stopping; Ctrl-C again ends at once', this.columns)))
    const text = [...staying, ...live].map((line) => `${line}\n`).join('')
    this.terminal.write(this.#eraser() + text)
    this.#drawn = live.length
  }

  #eraser(): string {
    return `${this.#drawn > 0 ? `\x1b[${this.#drawn}A` : ''}\r${CLEAR_BELOW}`
  }
}

class ScreenRun implements RunView, Live {
  #activity = new Activity()
  #loop = 0
  #started = 0
  #counts: LoopCounts | undefined
  #wait: LoopWait | undefined
  #state: 'begins' | 'asks' | 'between' | 'waits' | 'over' = 'begins'

  constructor(
    private readonly display: ScreenDisplay,
    private readonly name: string,
  ) {}

  loop({ loop, task, counts }: Parameters<RunView['loop']>[0]): void {
    const { styles, columns } = this.display
    this.#activity = new Activity()
    this.#loop = loop
    this.#started = this.display.now().getTime()
    this.#counts = counts
    this.#state = 'asks'
    const title = ['──', this.name, `loop ${loop}`, clock(this.display.now()), ''].filter(Boolean).join(' ')
    const rule = '─'.repeat(Math.max(0, Math.min(columns, 100) - title.length - 1))
    const what = task
      ? `${task.id}  ${task.description}${task.section ? `  (${task.section})` : ''}`
      : 'no open task: Claude is told so'
    this.display.print(['', styles('accent', `${title} ${rule}`), ...this.#wrapped('strong', what)])
  }

  message(message: Parameters<RunView['message']>[0]): void {
    this.#activity.take(message)
  }

  loopEnd(closed: Parameters<RunView['loopEnd']>[0], { counts }: Parameters<RunView['loopEnd']>[1]): void {
    const { styles, columns } = this.display
    this.#counts = counts ?? this.#counts
    this.#state = 'between'
    const words = lastWords(closed.summary) || this.#activity.words
    const mark = closed.succeeded ? '✔' : '✖'
    this.display.print([
      ...this.#wrapped('plain', words),
      styles(closed.succeeded ? 'good' : 'bad', clip(`  ${mark} ${outcome(closed)}`, columns)),
      ...(closed.reason ? this.#wrapped('notice', closed.reason) : []),
    ])
  }

  wait(wait: LoopWait): void {
    this.#wait = wait
    this.#state = 'waits'
    this.display.draw()
  }

  note(text: string): void {
    if (isNews(text)) this.display.print(this.#wrapped('dim', text))
  }

  end(end: Parameters<RunView['end']>[0]): void {
    this.#state = 'over'
    const [first = '', ...more] = ending(end)
    const style: Style = end.status === 'completed' ? 'good' : end.status === 'stopped' ? 'notice' : 'bad'
    const name = this.name === '' ? '' : `${this.name} `
    this.display.print([
      '',
      ...this.#wrapped(style, name + first, 0),
      ...more.flatMap((line) => this.#wrapped('plain', line)),
    ])
  }

  lines(columns: number): string[] {
    const { styles } = this.display
    if (this.#state === 'over') return []
    const head = this.#counts ? standing(this.#counts) : 'looking at the project'
    const name = this.name === '' ? '' : `${this.name} · `
    if (this.#state === 'waits' && this.#wait) {
      return [
        styles('notice', clip(`⏸ ${name}${clean(waiting(this.#wait))}`, columns)),
        styles('dim', clip(`  ${head}`, columns)),
      ]
    }
    if (this.#state !== 'asks') return [styles('dim', clip(`  ${name}${head}`, columns))]
    const { tools, tokens, doing, words } = this.#activity
    const seconds = (this.display.now().getTime() - this.#started) / 1000
    const now = [
      `loop ${this.#loop}`,
      duration(seconds),
      `${count(tools)} ${tools === 1 ? 'tool' : 'tools'}`,
      `${count(tokens)} tokens written`,
    ]
    return [
      styles('plain', clip(`▶ ${name}${[...now, doing].filter(Boolean).join(' · ')}`, columns)),
      ...(words ? [styles('plain', clip(`  ${words}`, columns))] : []),
      styles('dim', clip(`  ${head}`, columns)),
    ]
  }

  #wrapped(style: Style, text: string, indent = 2): string[] {
    const { styles, columns } = this.display
    return wrap(clean(text), columns - indent, LINES_OF_WORDS).map((line) => ' '.repeat(indent) + styles(style, line))
  }
}
