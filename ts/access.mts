// Who may do what: the level is checked when tools are made, and every call against what was offered.

import { type Access, RalphToolError } from '../index.js'
import type { Offer } from './definitions.mjs'
import { ACCESS_LEVELS } from './levels.mjs'

/** The level that a caller named, `full` where none was. */
export function parseAccess(access: unknown): Access {
  if (access === undefined) return 'full'
  const known = ACCESS_LEVELS.find((level) => level === access)
  if (known) return known
  throw new RalphToolError('INVALID_INPUT', `access ${show(access)} is unknown: use ${list(ACCESS_LEVELS)}`)
}

/** Throws where a call asks for an action or a field that was not offered. Everything else is for the core to judge. */
export function refuseWhatIsNotOffered(offer: Offer, input: Record<string, unknown>): void {
  const { action } = input
  if (!offer.actions.some(({ name }) => name === action)) {
    const offered = list(offer.actions.map(({ name }) => name))
    if (action === undefined) throw new RalphToolError('INVALID_INPUT', `${offer.name} needs an action: use ${offered}`)
    throw refusal(offer, `action ${show(action)}`, offered)
  }
  for (const field of Object.keys(input)) {
    if (field !== 'action' && !offer.fields.some(({ name }) => name === field)) {
      throw refusal(offer, `field ${show(field)}`, list(['action', ...offer.fields.map(({ name }) => name)]))
    }
  }
}

function refusal(offer: Offer, what: string, instead: string): RalphToolError {
  return new RalphToolError('INVALID_INPUT', `${offer.name} has no ${what} at access '${offer.access}': use ${instead}`)
}

function list(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ')
}

/** A value as an error message shows it: short, on one line. */
function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
