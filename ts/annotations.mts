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

/** The hints for what is offered. */
export function annotations(offer: Offer): Annotations {
  return {
    title: offer.title,
    readOnlyHint: offer.actions.every(({ readOnly }) => readOnly),
    destructiveHint: offer.actions.some(({ destructive }) => destructive),
    idempotentHint: offer.actions.every(({ idempotent }) => idempotent),
    openWorldHint: false,
  }
}
