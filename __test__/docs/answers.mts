// Examples with their answers: calls in a `ts` block, each with what it answers in the comment below it.
//
//     await ralph.rateLimit({ action: 'check' })
//     // { currentCount: 0, canMakeCall: true, … }
//
// `…` stands for more fields. An answer that is an error is `// CODE: message`.

import { inspect, isDeepStrictEqual } from 'node:util'
import type { RalphTools } from 'ralph-sdk-tools'

/** A call and the answer that the document shows. */
export interface Example {
  call: string
  shown: string
  /** The comment's own text. */
  comment: string
}

const EXAMPLE = /^await (ralph\.[\s\S]*?)\n((?:\/\/ .*(?:\n|$))+)/gm
const COLUMNS = 100

export function examplesOf(text: string): Example[] {
  return [...text.matchAll(EXAMPLE)].map(([, call = '', comment = '']) => ({
    call,
    comment,
    shown: comment
      .trim()
      .split('\n')
      .map((line) => line.replace(/^\/\/ +/, ''))
      .join(' '),
  }))
}

/** What the call answers, in the form of the document; where that leaves fields out, they are left out here too. */
export async function answerTo({ call, shown }: Example, ralph: RalphTools): Promise<string> {
  let answer: unknown
  try {
    answer = await (new Function('ralph', `return ${call}`)(ralph) as Promise<unknown>)
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return `${code}: ${message}`
  }
  const expected = shown.startsWith('{') ? parseShown(shown) : undefined
  return expected !== undefined && matches(expected, answer) ? shown : render(likeness(expected, answer))
}

/** The comment that shows an answer: values are broken behind commas, messages between words. */
export function comment(answer: string): string {
  const isValue = answer.startsWith('{')
  const lines = ['']
  for (const part of answer.split(isValue ? /(?<=,) / : ' ')) {
    const last = lines.length - 1
    const longer = lines[last] ? `${lines[last]} ${part}` : part
    if (longer.length > COLUMNS && lines[last]) lines.push(isValue ? `  ${part}` : part)
    else lines[last] = longer
  }
  return lines.map((line) => `// ${line}\n`).join('')
}

const MORE = '…'

function parseShown(shown: string): unknown {
  return new Function(`return (${shown.replaceAll(/(\{|,) … \}/g, (_, before) => `${before} '${MORE}': 1 }`)})`)()
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function matches(expected: unknown, answer: unknown): boolean {
  return isDeepStrictEqual(likeness(expected, answer), expected)
}

/** The answer, without the fields that `expected` leaves out behind its `…`. */
function likeness(expected: unknown, answer: unknown): unknown {
  if (Array.isArray(answer)) {
    return answer.map((item, index) => likeness(Array.isArray(expected) ? expected[index] : undefined, item))
  }
  if (!isObject(answer)) return answer
  const known = isObject(expected) ? expected : {}
  const entries = Object.entries(answer).filter(([name]) => !(MORE in known) || name in known)
  const kept = Object.fromEntries(entries.map(([name, value]) => [name, likeness(known[name], value)]))
  return entries.length < Object.keys(answer).length ? { ...kept, [MORE]: 1 } : kept
}

function render(answer: unknown): string {
  return inspect(answer, { breakLength: Infinity, compact: true, depth: 10, maxStringLength: null }).replaceAll(
    `'${MORE}': 1`,
    MORE,
  )
}
