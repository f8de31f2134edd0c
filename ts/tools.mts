// The tools as a server registers them: what a model sees of each, and what happens when it calls one.

import { type Access, RalphToolError, RalphTools, type RalphToolsOptions } from '../index.js'
import { parseAccess, refuseWhatIsNotOffered } from './access.mjs'
import { type Annotations, annotations } from './annotations.mjs'
import { withoutQuotes } from './border.mjs'
import { DEFINITIONS, type Offer, offerAt } from './definitions.mjs'
import { type InputSchema, inputSchema } from './json-schema.mjs'
import { MAX_RESULT_LENGTH, resultText } from './results.mjs'

/** The name under which the server is registered: it is the prefix of every tool's name. */
export const SERVER_NAME = 'ralph'

/** Options of everything that makes tools for a model. */
export interface RalphServerOptions extends RalphToolsOptions {
  /** The tools' project and settings, where the caller has them already. Left out: made from the other options. */
  ralph?: RalphTools
  /** What the model may do. Default `full`; the guards of a loop belong out of its model's reach: use `worker` there. */
  access?: Access
}

/** A tool's answer as MCP has it. */
export interface ToolResult {
  [key: string]: unknown
  content: { type: 'text'; text: string }[]
  isError?: boolean
}

/** One tool, bound to a project. */
export interface ServedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: InputSchema
  readonly annotations: Annotations
  /** Runs a call. Never rejects: what fails is a result with `isError`. */
  call(input: Record<string, unknown>): Promise<ToolResult>
}

/** What a model sees at a level of access, without a project. */
export function offers(access: unknown): Offer[] {
  const level = parseAccess(access)
  return DEFINITIONS.map((definition) => offerAt(definition, level)).filter(({ actions }) => actions.length > 0)
}

/** The tools for a model, bound to a project. */
export function servedTools(options: RalphServerOptions = {}): ServedTool[] {
  const { ralph: given, access, ...rest } = options
  const offered = offers(access)
  const ralph = given ?? new RalphTools(rest)
  const log = options.logLevel === 'debug' ? logToStderr : undefined
  return offered.map((offer) => ({
    name: offer.name,
    title: offer.title,
    description: offer.description,
    inputSchema: inputSchema(offer),
    annotations: annotations(offer),
    call: (input) => call(ralph, offer, input, log),
  }))
}

type Method = (input: unknown) => Promise<object>

async function call(ralph: RalphTools, offer: Offer, given: Record<string, unknown>, log?: Log): Promise<ToolResult> {
  const started = performance.now()
  const input = withoutQuotes(offer.fields, given)
  let code = 'ok'
  try {
    refuseWhatIsNotOffered(offer, input)
    const method = (ralph as unknown as Record<string, Method>)[offer.method] as Method
    const output = await method.call(ralph, input)
    const offset = typeof input['offset'] === 'number' ? input['offset'] : 0
    return { content: [{ type: 'text', text: resultText(output, offset) }] }
  } catch (error) {
    const known = error instanceof RalphToolError
    code = known ? error.code : 'INTERNAL'
    const message = known ? error.message : `${String(error)}; please report this`
    return { content: [{ type: 'text', text: `${code}: ${message}`.slice(0, MAX_RESULT_LENGTH) }], isError: true }
  } finally {
    log?.(offer.name, input['action'], code, performance.now() - started)
  }
}

type Log = (tool: string, action: unknown, code: string, milliseconds: number) => void

function logToStderr(tool: string, action: unknown, code: string, milliseconds: number): void {
  const named = typeof action === 'string' ? JSON.stringify(action).slice(1, -1).slice(0, 40) : '(no action)'
  process.stderr.write(`[ralph-sdk-tools] ${tool} ${named} ${code} ${milliseconds.toFixed(1)} ms\n`)
}
