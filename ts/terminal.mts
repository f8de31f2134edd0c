// Text of others on a terminal, in JSON, and on stderr: nothing in it may act.

import { stripVTControlCharacters } from 'node:util'

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g
const CONTROLS = new RegExp(`${CONTROL.source}+`, 'g')
/** What JSON leaves raw and a terminal obeys: DEL and C1. */
const RAW_IN_JSON = /[\u007f-\u009f\u2028\u2029]/g

/** The most characters of a text that are looked at: more than any screen has room for. */
const SHOWN = 4096

/** A text made safe for a terminal: one line, its control sequences gone. What is longer than `most` is cut first. */
export function clean(text: string, most = SHOWN): string {
  return stripVTControlCharacters(text.slice(0, most)).replace(CONTROLS, ' ').trim()
}

/** A text whose control characters are shown as `\x1b`: nothing is left out, nothing acts. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`
  })
}

/** JSON for people and programs, without a raw control character. */
export function jsonText(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, null, indent)
  return text.replace(RAW_IN_JSON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
