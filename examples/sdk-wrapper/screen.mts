// How the demonstration prints: who says what, in columns, in colour on a terminal.

import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import { type ContentBlock, textOf, withoutReminders } from '../scripted-model/turns.mjs'
import type { Change } from './disk.mjs'

const { stdout, env } = process
const COLOUR = stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
const COLUMNS = Math.max(60, Math.min(stdout.columns ?? 110, 140))
const MARGIN = 10

const paint = (code: number) => (text: string) => (COLOUR ? `\x1b[${code}m${text}\x1b[0m` : text)
const bold = paint(1)
const dim = paint(2)
const red = paint(31)
const green = paint(32)
const yellow = paint(33)
const magenta = paint(35)
const cyan = paint(36)

/** Prints a line as it is. */
export function line(text = ''): void {
  stdout.write(`${text}\n`)
}

/** Prints a heading. */
export function heading(text: string): void {
  line(`\n${bold(`━━ ${text} ${'━'.repeat(Math.max(0, COLUMNS - text.length - 4))}`)}`)
}

/** Prints a heading below another. */
export function subheading(text: string): void {
  line(`\n${bold(text)}`)
}

/** Prints who, then what, broken into lines behind the margin. */
function say(who: string, what: string, style: (text: string) => string, most = 6): void {
  const width = COLUMNS - MARGIN - 2
  const lines = what.split('\n').flatMap((text) => wrap(text, width))
  const shown = lines.length > most ? [...lines.slice(0, most - 1), '…'] : lines
  shown.forEach((text, index) => {
    line(`${style((index === 0 ? who : '').padStart(MARGIN))}  ${index === 0 ? text : dim(text)}`)
  })
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let rest = text
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width)
    const end = space > width / 2 ? space : width
    lines.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return [...lines, rest]
}

/** Prints what the loop itself does. */
export function note(text: string): void {
  say('wrapper', text, yellow)
}

/** Prints what an SDK message has in it: text, calls of tools and their answers, the result. */
export function message(sdk: SDKMessage): void {
  if (sdk.type === 'assistant') {
    for (const block of sdk.message.content) {
      if (block.type === 'text') say('model', block.text, cyan)
      if (block.type === 'tool_use') say('calls', call(block.name, block.input as Record<string, unknown>), magenta, 3)
    }
  } else if (sdk.type === 'user' && typeof sdk.message.content !== 'string') {
    for (const block of sdk.message.content as ContentBlock[]) {
      if (block.type === 'tool_result') answer(withoutReminders(textOf(block.content)), block.is_error === true)
    }
  }
}

function call(name: string, input: Record<string, unknown>): string {
  const fields = Object.entries(input).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value.split('\n')[0] : value}`,
  )
  return `${name.replace('mcp__ralph__', '')}  ${fields.join('  ')}`
}

function answer(text: string, isError: boolean): void {
  if (isError) say('refused', text, red)
  else if (text.startsWith('{')) say('answer', fieldsAndTasks(JSON.parse(text)), green, 9)
  else say('answer', text, green, 2)
}

function fieldsAndTasks({ tasks = [], ...rest }: Record<string, unknown> & { tasks?: TaskLine[] }): string {
  const fields = Object.entries(rest).filter(([, value]) => typeof value !== 'object' || Array.isArray(value))
  const list = tasks.map(({ completed, id, description }) => `  [${completed ? 'x' : ' '}] ${id}  ${description}`)
  return [fields.map(([key, value]) => `${key}=${value}`).join('  '), ...list].join('\n')
}

interface TaskLine {
  id: string
  description: string
  completed: boolean
}

/** Prints what changed on disk. */
export function disk(changed: Change[]): void {
  changed.forEach(({ name, before, after }, index) => {
    const what = before === undefined ? after : difference(before, after)
    line(`${yellow((index === 0 ? 'on disk' : '').padStart(MARGIN))}  ${name}  ${dim(what)}`)
  })
}

/** A task's tick alone where nothing else of the line changed, else both values. */
function difference(before: string, after: string): string {
  const [, mark, task] = /^\s*- \[(.)\] (.*)$/.exec(after) ?? []
  const old = /^\s*- \[(.)\] (.*)$/.exec(before)
  if (old && old[2] === task) return `[${old[1]}] → [${mark}]  ${task}`
  return `${before || '(empty)'} → ${after}`
}

/** Prints a file of the project, a few lines of it. */
export function file(name: string, text: string): void {
  line(`\n${bold(name)}`)
  for (const row of text.trimEnd().split('\n'))
    line(dim(`  ${row.length > COLUMNS - 2 ? `${row.slice(0, COLUMNS - 3)}…` : row}`))
}

/** Prints how a run ended. */
export function outcome(good: boolean, text: string): void {
  line(`\n${good ? green('✔') : red('✖')} ${bold(text)}`)
}
