// The same schema for servers that take Zod.

import * as z from 'zod'
import type { InputSchema } from './json-schema.mjs'

/**
 * A Zod object that lists as exactly the given JSON Schema and lets every object through: the core validates, so that
 * a model reads `INVALID_INPUT: …` with the next step instead of a parser's report, and a field that was not offered
 * is refused instead of dropped.
 */
export function zodSchema(schema: InputSchema): z.ZodObject {
  const { type: _, properties, ...rest } = schema
  const shape = Object.entries(properties).map(([name, property]) => [name, z.unknown().optional().meta(property)])
  return z.looseObject(Object.fromEntries(shape)).meta(rest)
}
