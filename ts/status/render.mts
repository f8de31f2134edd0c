// The status screen: blocks of lines, side by side where the terminal is wide enough, cut to its height.

import type { LoopRecord, Snapshot } from './snapshot.mjs'
import { bar, clean, clip, clipPath, duration, pad, type Style, type Styles, width, wrap } from './text.mjs'

/** Where the screen is drawn. */
export interface Screen {
  columns: number
  rows: number
  styles: Styles
  /** Whether nobody can scroll or enlarge it: warnings are then shown whole, however many there are. */
  piped?: boolean
}

/** From this many columns on, the two halves stand side by side. */
const WIDE = 100
const GAP = 3
const LABEL = 9
/** Warnings that a screen has room for, and lines of each. */
const SHOWN_TROUBLES = 5
const LINES_OF_TROUBLE = 3
/** The longest warning that is shown, in characters. */
const TROUBLE = 20_000

/** The screen as lines, none longer than `columns`. */
export function renderStatus(snapshot: Snapshot, screen: Screen): string[] {
  const { columns, rows } = screen
  const head = [header(snapshot, screen), ...troubles(snapshot, screen)]
  const room = Math.max(8, rows - head.length - 1)
  if (columns < WIDE) {
    const upper = [...guards(snapshot, columns, screen), ...plan(snapshot, columns, room - 14, screen)]
    const lower = history(snapshot, columns, room - upper.length - 1, screen)
    return [...head, '', ...upper, ...(lower.length > 0 ? ['', ...lower] : [])].slice(0, Math.max(rows, 1))
  }
  const half = Math.floor((columns - GAP) / 2)
  const left = guards(snapshot, half, screen)
  left.push(...plan(snapshot, half, room - left.length, screen))
  const right = history(snapshot, columns - GAP - half, room, screen)
  const body = Array.from({ length: Math.max(left.length, right.length) }, (_, row) =>
    `${pad(left[row] ?? '', half)}${' '.repeat(GAP)}${right[row] ?? ''}`.trimEnd(),
  )
  return [...head, '', ...body].slice(0, Math.max(rows, 1))
}

function header({ project, takenAt, report }: Snapshot, { columns, styles }: Screen): string {
  const time = new Date(takenAt).toTimeString().slice(0, 8)
  const right = [report ? `loop ${report.loopCount}` : '', time].filter(Boolean).join(' · ')
  const left = clipPath(clean(project), Math.max(10, columns - width(right) - 10))
  const space = Math.max(2, columns - 7 - width(left) - width(right))
  return `${styles('strong', 'Ralph')}  ${left}${' '.repeat(space)}${clip(right, columns - 9 - width(left))}`
}

function troubles({ errors, warnings }: Snapshot, { columns, styles, piped }: Screen): string[] {
  const all = [
    ...errors.map((text) => ({ style: 'bad' as const, text: `✖ ${clean(text, TROUBLE)}` })),
    ...warnings.map((text) => ({ style: 'notice' as const, text: `! ${clean(text, TROUBLE)}` })),
  ]
  if (piped) return all.map(({ style, text }) => styles(style, text))
  const shown = all.slice(0, SHOWN_TROUBLES).flatMap(({ style, text }) => {
    const [first = '', ...more] = wrap(text, columns - 2, LINES_OF_TROUBLE)
    return [first, ...more.map((line) => `  ${line}`)].map((line) => styles(style, line))
  })
  const hidden = all.length - SHOWN_TROUBLES
  return hidden > 0 ? [...shown, styles('dim', `  … and ${hidden} more (--json)`)] : shown
}

function row(label: string, value: string, styles: Styles): string {
  return `${styles('dim', pad(label, LABEL))} ${value}`
}

/** Circuit, calls, tokens, exit: a line or two each. */
function guards(snapshot: Snapshot, columns: number, { styles }: Screen): string[] {
  const { circuitBreaker, rateLimit, exitDetection, report, takenAt } = snapshot
  const room = columns - LABEL - 1
  const lines: string[] = []
  const add = (label: string, value: string) => lines.push(row(label, value, styles))
  const note = (style: Style, text: string) => add('', styles(style, clip(clean(text), room)))

  if (report && report.status !== 'unknown') {
    const words = [report.status, report.lastAction, report.exitReason, age(report.timestamp, takenAt)]
    add('Status', clip(clean(words.filter(Boolean).join(' · ')), room))
  }
  const working = report && claudeAtWork(report.progress)
  if (working) add('Claude', clip(clean(working), room))
  if (circuitBreaker) {
    const { state, reason, consecutiveNoProgress, cooldownRemainingSeconds } = circuitBreaker
    const style = state === 'CLOSED' ? 'good' : state === 'OPEN' ? 'bad' : 'notice'
    const more = consecutiveNoProgress > 0 ? `  ${consecutiveNoProgress} without progress` : ''
    add('Circuit', styles(style, `● ${state}`) + clip(more, room - state.length - 2))
    if (reason) note('dim', reason)
    if (state === 'OPEN' && cooldownRemainingSeconds !== undefined) {
      note('dim', `half-opens in ${duration(cooldownRemainingSeconds)}`)
    }
  }
  if (rateLimit) {
    const { currentCount, maxCalls, tokensUsed = 0, maxTokens = 0, secondsUntilReset, nextReset } = rateLimit
    add('Calls', meter(currentCount, maxCalls, room, styles))
    if (maxTokens > 0 || tokensUsed > 0) add('Tokens', meter(tokensUsed, maxTokens, room, styles))
    const until = secondsUntilReset === undefined ? '' : `resets in ${duration(secondsUntilReset)}, `
    note('dim', `${until}at ${nextReset.slice(11, 16)}`)
  }
  if (exitDetection?.shouldExit) add('Exit', styles('notice', clip(`due: ${clean(exitDetection.exitReason)}`, room)))
  return lines
}

/** How long ago the status was written; nothing where that cannot be told. */
function age(timestamp: string, takenAt: string): string {
  const seconds = (Date.parse(takenAt) - Date.parse(timestamp)) / 1000
  return seconds >= 0 ? `${duration(seconds)} ago` : ''
}

/** What bash Ralph writes while Claude runs: for how long, and the end of its output. */
function claudeAtWork(progress: unknown): string | undefined {
  const { status, elapsed_seconds, last_output } = (progress ?? {}) as Record<string, unknown>
  if (status !== 'executing') return undefined
  const time = typeof elapsed_seconds === 'number' ? ` for ${duration(elapsed_seconds)}` : ''
  const output = typeof last_output === 'string' && last_output.trim() ? `: ${last_output}` : ''
  return `at work${time}${output}`
}

/** A bar with `used/limit`; green, then yellow from 80 %, red at the limit. Without a limit, the number alone. */
function meter(used: number, limit: number, room: number, styles: Styles): string {
  if (limit <= 0) return used.toLocaleString('en')
  const text = ` ${used.toLocaleString('en')}/${limit.toLocaleString('en')}`
  const style = used >= limit ? 'bad' : used >= limit * 0.8 ? 'notice' : 'good'
  return bar(used / limit, barLength(room - text.length), style, styles) + text
}

function barLength(room: number): number {
  return Math.min(30, Math.max(4, room))
}

function plan({ plan, sections }: Snapshot, columns: number, rows: number, { styles }: Screen): string[] {
  if (!plan) return []
  const room = columns - LABEL - 1
  const totals = ` ${plan.completedTasks}/${plan.totalTasks} ${Math.floor(plan.progressPercentage)} %`
  const lines = [
    row(
      'Plan',
      bar(share(plan.completedTasks, plan.totalTasks), barLength(room - totals.length), 'accent', styles) + totals,
      styles,
    ),
  ]
  if (plan.totalTasks === 0) {
    // A bar of nothing would look like a plan that is not begun.
    const text = 'no boxes, so no tasks: write them as `- [ ] First task`'
    return wrap(text, room).map((line, index) => row(index === 0 ? 'Plan' : '', styles('notice', line), styles))
  }
  if (plan.nextTask)
    lines.push(row('', `${styles('dim', 'next:')} ${clip(clean(plan.nextTask.description), room - 6)}`, styles))
  const space = Math.max(3, rows - lines.length)
  const shown = sections.length > space ? sections.slice(0, space - 1) : sections
  const count = Math.max(0, ...shown.map(({ completed, total }) => `${completed}/${total}`.length))
  const name = Math.min(Math.max(0, ...shown.map((section) => width(sectionName(section)))), columns - 14 - count)
  for (const section of shown) {
    const { completed, total, optional } = section
    const done = completed === total
    const title = pad(clip(sectionName(section), name), name)
    const numbers = `${completed}/${total}`.padStart(count)
    const style: Style = done ? 'good' : optional ? 'dim' : 'accent'
    lines.push(
      `  ${styles(optional ? 'dim' : 'plain', title)}  ${bar(share(completed, total), 8, style, styles)} ${numbers}`,
    )
  }
  if (shown.length < sections.length) lines.push(styles('dim', `  … ${sections.length - shown.length} more sections`))
  return lines
}

function sectionName({ name, optional }: { name: string; optional: boolean }): string {
  return (clean(name) || '(no heading)') + (optional ? ' (optional)' : '')
}

function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0
}

/** Last loops, then the end of the log in what room is left. */
function history({ loops, log, report }: Snapshot, columns: number, rows: number, { styles }: Screen): string[] {
  const lines: string[] = []
  const { totalLoops = 0, successRate, averageDuration = 0 } = report?.metrics ?? {}
  // A v0.9 project has no line for each loop, but statistics all the same.
  if (loops.length > 0 || totalLoops > 0) {
    const rate = successRate === undefined ? '' : `, ${Math.round(successRate)} % successful`
    const summary = totalLoops > 0 ? `  ${totalLoops} in all${rate}, ${duration(averageDuration)} on average` : ''
    lines.push(styles('strong', 'Loops') + styles('dim', clip(summary, columns - 5)))
    for (const loop of loops.slice(0, Math.max(2, Math.min(5, rows - 6)))) lines.push(loopLine(loop, columns, styles))
  }
  const space = rows - lines.length - (lines.length > 0 ? 2 : 1)
  if (log.length > 0 && space > 0) {
    if (lines.length > 0) lines.push('')
    lines.push(styles('strong', 'Log'))
    for (const line of log.slice(-Math.min(space, 12))) lines.push(logLine(line, columns, styles))
  }
  return lines
}

function loopLine(
  { loop, success, duration: seconds, calls, timestamp }: LoopRecord,
  columns: number,
  styles: Styles,
): string {
  const outcome = success ? styles('good', '✔ ok    ') : styles('bad', '✖ failed')
  const when = new Date(timestamp)
  const time = Number.isNaN(when.getTime()) ? '' : when.toTimeString().slice(0, 5)
  const rest = clip(
    `  ${duration(seconds).padStart(12)}  ${calls} ${calls === 1 ? 'call' : 'calls'}  ${time}`,
    // The mark takes one column or two.
    columns - 17,
  )
  return `  ${`#${loop}`.padEnd(5)} ${outcome}${rest}`
}

const LEVELS: Record<string, Style> = { ERROR: 'bad', WARN: 'notice', SUCCESS: 'good', LOOP: 'accent', DEBUG: 'dim' }

function logLine(line: string, columns: number, styles: Styles): string {
  const [, time, level = '', message] = /^\[\d{4}-\d\d-\d\d (\d\d:\d\d:\d\d)\] \[(\w+)\] (.*)$/.exec(line) ?? []
  if (time === undefined || message === undefined) return clip(`  ${clean(line)}`, columns)
  const style = LEVELS[level] ?? 'plain'
  // Where there is no colour to tell it, the level is written.
  const label = styles('bad', '!') === '!' && level !== 'INFO' ? `${level.padEnd(7)} ` : ''
  const text = clip(label + clean(message), columns - 11)
  return `  ${styles('dim', time)} ${styles(style, text)}`
}
