// A local server that speaks as much of the Anthropic Messages API as Claude Code needs, and plays a script.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageBody, sendEvents } from './stream.mjs'
import type { ModelRequest, ScriptedTurn, Turn } from './turns.mjs'

/** A running scripted model. */
export interface ScriptedModel {
  /** For `ANTHROPIC_BASE_URL`. */
  readonly url: string
  /** Every request that offered tools, in order: those that took a turn of the script. */
  readonly requests: readonly ModelRequest[]
  /** How many turns the script has left. */
  readonly remaining: number
  /** Appends to the script. */
  say(...turns: ScriptedTurn[]): void
  close(): Promise<void>
}

/** Starts a model that plays `script` on a free port of 127.0.0.1. A turn that is missing ends with an HTTP error. */
export async function startScriptedModel(script: readonly ScriptedTurn[] = []): Promise<ScriptedModel> {
  const turns = [...script]
  const requests: ModelRequest[] = []

  const answer = (request: ModelRequest): Turn => {
    // Claude Code also asks for titles and the like; such a side query offers no tools and must not take a turn.
    if (!request.tools?.length) return { text: 'Ralph loop' }
    requests.push(request)
    const turn = turns.shift()
    if (turn === undefined)
      return { error: { status: 400, type: 'invalid_request_error', message: 'the script is over' } }
    return typeof turn === 'function' ? turn(request) : turn
  }

  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing, answer).catch((error: unknown) => {
      sendError(outgoing, { status: 500, type: 'api_error', message: `the script failed: ${String(error)}` })
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get remaining() {
      return turns.length
    },
    say: (...more) => void turns.push(...more),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: ModelRequest) => Turn,
): Promise<void> {
  const path = new URL(incoming.url ?? '/', 'http://localhost').pathname
  const body = await read(incoming)
  if (incoming.method !== 'POST') return void outgoing.writeHead(200).end()
  if (path.endsWith('/count_tokens')) return sendJson(outgoing, 200, { input_tokens: 1 })
  if (!path.endsWith('/v1/messages')) return sendJson(outgoing, 404, { type: 'error' })

  const request = JSON.parse(body) as ModelRequest
  const turn = answer(request)
  if (turn.error) return sendError(outgoing, turn.error)
  const message = messageBody(turn, request.model)
  if (request.stream) sendEvents(outgoing, message)
  else sendJson(outgoing, 200, message)
}

async function read(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function sendJson(outgoing: ServerResponse, status: number, body: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function sendError(outgoing: ServerResponse, { status, type, message }: NonNullable<Turn['error']>): void {
  sendJson(outgoing, status, { type: 'error', error: { type, message } })
}
