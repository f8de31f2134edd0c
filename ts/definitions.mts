// What the tools are, as the Rust core defines them. Everything that a model sees derives from here.

import { type Access, type ToolDefinition, toolDefinitions } from '../index.js'
import { ACCESS_LEVELS } from './levels.mjs'

/** The definitions that the addon was compiled with. */
export const DEFINITIONS: readonly ToolDefinition[] = toolDefinitions()

/** A definition with nothing in it that `access` does not allow. */
export interface Offer extends ToolDefinition {
  readonly access: Access
}

/** What of a tool is offered at a level of access: its actions, and the fields that one of them looks at. */
export function offerAt(definition: ToolDefinition, access: Access): Offer {
  const level = ACCESS_LEVELS.indexOf(access)
  const allowed = (item: { access: Access }) => ACCESS_LEVELS.indexOf(item.access) <= level
  const actions = definition.actions.filter(allowed)
  const names = new Set(actions.map((action) => action.name))
  const fields = definition.fields.filter((field) => allowed(field) && field.actions.some((name) => names.has(name)))
  return { ...definition, access, actions, fields }
}
