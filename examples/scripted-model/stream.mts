// A turn in the forms of the Messages API: one JSON message, or the events that build it.

import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Turn } from './turns.mjs'

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: object }

/** The message that a turn becomes. */
export interface Message {
  id: string
  type: 'message'
  role: 'assistant'
  model: string
  content: Block[]
  stop_reason: 'tool_use' | 'end_turn'
  stop_sequence: null
  usage: { input_tokens: number; output_tokens: number }
}

/** The message of a turn. Each costs 120 input and 30 output tokens, so that token counts can be foretold. */
export function messageBody(turn: Turn, model: string): Message {
  const calls = turn.calls ?? []
  const content: Block[] = calls.map(({ name, input }) => ({ type: 'tool_use', id: `toolu_${id()}`, name, input }))
  if (turn.text !== undefined || calls.length === 0) content.unshift({ type: 'text', text: turn.text ?? '' })
  return {
    id: `msg_${id()}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 120, output_tokens: 30 },
  }
}

/** Sends the message as server-sent events. */
export function sendEvents(outgoing: ServerResponse, message: Message): void {
  const { content, stop_reason, stop_sequence, usage } = message
  outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const send = (type: string, data: object) =>
    outgoing.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  send('message_start', {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 0 } },
  })
  content.forEach((block, index) => {
    const text = block.type === 'text'
    send('content_block_start', { index, content_block: text ? { ...block, text: '' } : { ...block, input: {} } })
    const delta = text
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    send('content_block_delta', { index, delta })
    send('content_block_stop', { index })
  })
  send('message_delta', { delta: { stop_reason, stop_sequence }, usage: { output_tokens: usage.output_tokens } })
  send('message_stop', {})
  outgoing.end()
}

function id(): string {
  return randomUUID().replaceAll('-', '')
}
