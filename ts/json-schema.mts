// The schema of a tool's input: one flat object, every property described.

import type { ToolField } from '../index.js'
import type { Offer } from './definitions.mjs'

/** A property of a tool's input as JSON Schema. */
export interface PropertySchema {
  [key: string]: unknown
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array'
  description: string
  enum?: string[]
  minimum?: number
  maximum?: number
  maxLength?: number
}

/** A tool's input as JSON Schema. */
export interface InputSchema {
  [key: string]: unknown
  type: 'object'
  properties: { action: PropertySchema; [name: string]: PropertySchema }
  required: string[]
  additionalProperties: false
}

/** The schema of what is offered. */
export function inputSchema(offer: Offer): InputSchema {
  return {
    type: 'object',
    properties: {
      action: {
        type: 'string',
        enum: offer.actions.map(({ name }) => name),
        description: offer.actions.map(({ name, doc }) => `${name}: ${doc}`).join('\n'),
      },
      ...Object.fromEntries(offer.fields.map((field) => [field.name, property(field, offer)])),
    },
    required: ['action'],
    additionalProperties: false,
  }
}

function property(field: ToolField, offer: Offer): PropertySchema {
  const description = describe(field, offer)
  switch (field.kind) {
    case 'integer': {
      const max = field.max ?? Number.MAX_SAFE_INTEGER
      return {
        type: 'integer',
        description,
        minimum: field.min ?? 0,
        ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }),
      }
    }
    case 'number':
      return { type: 'number', description, minimum: 0 }
    case 'boolean':
      return { type: 'boolean', description }
    case 'oneOf':
      return { type: 'string', description, enum: [...(field.words ?? [])] }
    case 'text':
      return { type: 'string', description, ...lengths(field) }
    case 'textList':
      return { type: 'array', description, maxItems: field.maxItems, items: { type: 'string', ...lengths(field) } }
  }
}

/** A bound that no model reaches is left out: each request pays for the schema. */
const LONGER_THAN_ANY_MODEL_WRITES = 10_000

function lengths({ maxLength = Infinity }: ToolField): { maxLength?: number } {
  return maxLength < LONGER_THAN_ANY_MODEL_WRITES ? { maxLength } : {}
}

/** What the field means, and its default; where the tool's fields are for different actions, also for which it is. */
function describe(field: ToolField, offer: Offer): string {
  const differs = offer.fields.some(({ actions }) => String(actions) !== String(field.actions))
  const users = offer.actions.map(({ name }) => name).filter((name) => field.actions.includes(name))
  const scope = differs ? `${users.join(', ')}: ` : ''
  return `${scope}${field.doc}${field.default ? ` Default: ${field.default}.` : ''}`
}
