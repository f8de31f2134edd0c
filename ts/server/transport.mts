// MCP over stdin and stdout: a message a line. What cannot be read is answered where it has an id, noted on stderr, and
// does not end the server.

import type { Readable, Writable } from 'node:stream'
import { serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type JSONRPCMessage, JSONRPCMessageSchema, type RequestId } from '@modelcontextprotocol/sdk/types.js'
import { LineSplitter } from './lines.mjs'
import { MessageOutline } from './oversized.mjs'

/** The longest message, in bytes. No tool takes an input of this size. */
export const LONGEST_MESSAGE = 10 * 1024 * 1024

/** JSON-RPC: the message is no valid request. */
const INVALID_REQUEST = -32600

/** The transport of a server that a client has started. */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void

  readonly #lines = new LineSplitter(LONGEST_MESSAGE, {
    line: (bytes) => this.#receive(bytes),
    tooLong: () => {
      const outline = new MessageOutline()
      const end = () =>
        this.#refuse(outline.requestId, `a message may have ${LONGEST_MESSAGE} bytes at most: send less in one call`)
      return { read: (bytes) => outline.read(bytes), end }
    },
  })

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
    private readonly note: (text: string) => void,
  ) {}

  async start(): Promise<void> {
    this.input.on('data', this.#push)
    this.input.on('error', this.#fail)
  }

  async close(): Promise<void> {
    this.input.off('data', this.#push)
    this.input.off('error', this.#fail)
    this.input.pause()
    this.onclose?.()
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve) => {
      if (this.output.write(serializeMessage(message))) resolve()
      else this.output.once('drain', resolve)
    })
  }

  readonly #push = (chunk: Buffer) => this.#lines.push(chunk)

  readonly #fail = (error: Error) => this.onerror?.(error)

  #receive(bytes: Buffer): void {
    const text = bytes.toString()
    if (text.trim() === '') return
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      this.#refuse(undefined, 'a line is no JSON: send each message as one line of JSON')
      return
    }
    const { success, data } = JSONRPCMessageSchema.safeParse(value)
    if (success) this.onmessage?.(data)
    else this.#refuse(requestId(value), 'a message is no JSON-RPC 2.0: see the Model Context Protocol')
  }

  #refuse(id: RequestId | undefined, why: string): void {
    this.note(why)
    if (id !== undefined) void this.send({ jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message: why } })
  }
}

/** The id of a message that asks for something, however wrong it is otherwise. */
function requestId(value: unknown): RequestId | undefined {
  const { id, method } = (value ?? {}) as Record<string, unknown>
  if (method === undefined) return undefined
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : undefined
}
