// What a model writes where a number or a boolean is meant: often its text. It is taken at the MCP border alone; the
// addon takes nothing for what it is not.

import type { ToolField } from '../index.js'

/** A number as JSON has it, and nothing else. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Longer texts are no number that anybody means. */
const LONGEST_NUMBER = 32

/**
 * The input with each text that is exactly a number or a boolean turned into it, where the field is one (claude-code
 * issue 29104): `"10"`, `"0.5"`, `"false"`. What is none, such as `"1.5x"`, stays, and the core says what is wrong with it.
 */
export function withoutQuotes(
  fields: readonly Pick<ToolField, 'name' | 'kind'>[],
  input: Record<string, unknown>,
): Record<string, unknown> {
  const meant = fields.flatMap(({ name, kind }): [string, unknown][] => {
    const text = Object.hasOwn(input, name) ? input[name] : undefined
    return typeof text === 'string' ? [[name, meantBy(kind, text)]] : []
  })
  return { ...input, ...Object.fromEntries(meant) }
}

function meantBy(kind: ToolField['kind'], text: string): unknown {
  switch (kind) {
    case 'integer':
    case 'number':
      return text.length <= LONGEST_NUMBER && NUMBER.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : text)
    default:
      return text
  }
}
