// The words in which a run is told, the same for every display.

import type { ClosedLoop, LoopCounts, LoopWait } from '../../index.js'
import type { Ending } from '../loop.mjs'
import { duration } from '../status/text.mjs'

/** What a loop came to: `ok in 2 min 04 s · 12,345 tokens · $0.12 · 2 files · circuit CLOSED`. */
export function outcome(closed: ClosedLoop): string {
  const { succeeded, durationSeconds, tokensUsed, costUsd, filesModified, circuit } = closed
  return [
    `${succeeded ? 'ok' : 'failed'} in ${duration(durationSeconds)}`,
    `${count(tokensUsed)} tokens`,
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(2)}`]),
    filesModified === 1 ? '1 file' : `${count(filesModified)} files`,
    `circuit ${circuit}`,
  ].join(' · ')
}

/** How the guards stand: `calls 4/100 · tokens 31,204 · circuit CLOSED · plan 3/12`. */
export function standing({
  calls,
  maxCalls,
  tokens,
  maxTokens,
  circuit,
  completedTasks,
  totalTasks,
}: LoopCounts): string {
  return [
    `calls ${of(calls, maxCalls)}`,
    `tokens ${of(tokens, maxTokens)}`,
    `circuit ${circuit}`,
    ...(totalTasks > 0 ? [`plan ${of(completedTasks, totalTasks)}`] : []),
  ].join(' · ')
}

/** `waiting 12 min 03 s, until 15:00: 100 of 100 calls used this hour`. */
export function waiting({ seconds, until, message }: LoopWait): string {
  const time = new Date(until)
  const at = Number.isNaN(time.getTime()) ? '' : `, until ${clock(time).slice(0, 5)}`
  return `waiting ${duration(seconds)}${at}: ${message}`
}

/** What may be done about an ending, by what ended the run. */
const ADVICE: Readonly<Record<string, string>> = {
  circuit_breaker_open:
    'see why with `ralph-sdk-tools status`; then mend the plan or the prompt, and `ralph-sdk-tools reset-circuit`',
  permission_denied: 'allow what Claude was denied (`-- --allowedTools …`), then `ralph-sdk-tools reset`',
  blocked: 'Claude cannot go on by itself: give it what it asks for, then run again',
  guard_failed: '`ralph-sdk-tools doctor` looks for what is wrong with the project',
  loop_limit: 'run again to go on',
  time_limit: 'run again to go on',
  token_limit: 'run again to go on',
  cost_limit: 'run again to go on',
  interrupted: 'run again to go on',
  cancelled: 'run again to go on',
}

/** Notes of the loop that say what a view shows by itself. */
const ROUTINE = [/^circuit [A-Z_]+, call /, /^recorded: circuit /, /^Ralph's loop has ended/]

/** Whether a note says more than the view does. */
export function isNews(note: string): boolean {
  return !ROUTINE.some((routine) => routine.test(note))
}

/** What Claude said last, without the status block that is for the guards; where that is all, what it recommends. */
export function lastWords(text: string): string {
  const [words = '', block = ''] = text.split('---RALPH_STATUS---')
  const [, recommendation = ''] = /^RECOMMENDATION:(.*)$/m.exec(block) ?? []
  return words.trim() || recommendation.trim()
}

/** How a run ended, and what may be done about it: a line each. */
export function ending({ status, lastAction, exitReason, loops, message }: Ending): string[] {
  const why = [lastAction, exitReason].filter((word, index, words) => word && words.indexOf(word) === index).join(', ')
  const advice = ADVICE[lastAction]
  return [
    `${status}: ${why}, after ${loops} ${loops === 1 ? 'loop' : 'loops'}`,
    ...(message ? [message] : []),
    ...(advice ? [advice] : []),
  ]
}

/** Local time, `14:02:11`. */
export function clock(time: Date): string {
  return time.toTimeString().slice(0, 8)
}

export function count(value: number): string {
  return value.toLocaleString('en')
}

function of(used: number, limit: number): string {
  return limit > 0 ? `${count(used)}/${count(limit)}` : count(used)
}
