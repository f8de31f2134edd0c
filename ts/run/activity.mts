// What Claude is doing, from what the SDK streams.

import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import { clean } from '../terminal.mjs'
import { lastWords } from './words.mjs'

/** Inputs of Claude's tools that say what it is at, the most telling first. */
const TELLING = [
  'file_path',
  'notebook_path',
  'command',
  'pattern',
  'path',
  'url',
  'query',
  'description',
  'message',
  'taskId',
]

/** What one loop has come to so far. */
export class Activity {
  /** Tools that were called. */
  tools = 0
  /** Tokens that Claude has written. */
  tokens = 0
  /** The last tool, and on what. */
  doing = ''
  /** The last thing that Claude said. */
  words = ''
  readonly #messages = new Map<string, number>()

  take(message: SDKMessage): void {
    if (message.type !== 'assistant') return
    const { content, id, usage } = message.message
    // A message comes in parts, each with the usage of the whole.
    const before = this.#messages.get(id) ?? 0
    const written = Math.max(before, usage?.output_tokens ?? 0)
    this.tokens += written - before
    this.#messages.set(id, written)
    for (const block of content) {
      if (block.type === 'text') this.words = clean(lastWords(block.text)) || this.words
      if (block.type === 'tool_use') {
        this.tools += 1
        this.doing = describe(block.name, block.input)
      }
    }
  }
}

function describe(name: string, input: unknown): string {
  const values = (input ?? {}) as Record<string, unknown>
  const key = TELLING.find((candidate) => typeof values[candidate] === 'string')
  const short = name.replace(/^mcp__ralph__/, '')
  const action = short !== name && typeof values['action'] === 'string' ? ` ${values['action']}` : ''
  return clean(`${short}${action}${key === undefined ? '' : ` ${values[key]}`}`)
}
