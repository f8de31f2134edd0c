// What a client may assume of a tool: MCP's hints, each true only if it holds for every action on offer.

import type { Offer } from './definitions.mjs'

/** MCP's tool annotations. All tools work on the project's files alone: none reaches an open world. */
export interface Annotations {
  [key: string]: unknown
  title: string
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: false
}

/** Actions that throw state away. */
const DESTRUCTIVE = new Set(['reset'])

/** Actions whose second call with the same input counts, or appends, again. */
const CUMULATIVE = new Set([
  'rate_limit.increment',
  'exit_detection.analyze',
  'circuit_breaker.record',
  'progress_reporter.update',
])

/** The hints for what is offered. */
export function annotations(offer: Offer): Annotations {
  return {
    title: offer.title,
    readOnlyHint: offer.actions.every(({ readOnly }) => readOnly),
    destructiveHint: offer.actions.some(({ name }) => DESTRUCTIVE.has(name)),
    idempotentHint: !offer.actions.some(({ name }) => CUMULATIVE.has(`${offer.name}.${name}`)),
    openWorldHint: false,
  }
}
