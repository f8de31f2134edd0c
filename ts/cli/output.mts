// What the program prints: answers on stdout, what it has to say beside them on stderr.

import { jsonText, printable } from '../terminal.mjs'

/** Prints an answer for programs. */
export function printJson(value: unknown): void {
  process.stdout.write(`${jsonText(value)}\n`)
}

/** Prints a line for people. Nothing in it can move the cursor. */
export function printLine(text: string): void {
  process.stdout.write(`${printable(text)}\n`)
}

/** Says something beside the answer. */
export function say(text: string): void {
  process.stderr.write(`ralph-sdk-tools: ${printable(text)}\n`)
}
