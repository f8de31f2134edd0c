// What the tools are, as the Rust core defines them. Everything that a model sees derives from here.

import { toolDefinitions } from '../index.js'

/** What the model may do: `read` only reads, `worker` also ticks tasks and leaves messages, `full` everything. */
export type Access = 'read' | 'worker' | 'full'

/** The levels, from the least to the most. */
export const ACCESS_LEVELS: readonly Access[] = ['read', 'worker', 'full']

/** One action of a tool. */
export interface ActionDefinition {
  readonly name: string
  /** The least access at which it is offered. */
  readonly access: Access
  /** Whether it writes nothing at all. */
  readonly readOnly: boolean
  readonly doc: string
}

/** One field of a tool's input besides `action`. */
export interface FieldDefinition {
  readonly name: string
  readonly kind: 'integer' | 'number' | 'boolean' | 'text' | 'oneOf'
  /** The largest value of an `integer`. */
  readonly max?: number
  /** The words of a `oneOf`. */
  readonly words?: readonly string[]
  readonly doc: string
  /** What holds when it is left out; empty where that goes without saying. */
  readonly default: string
  /** The actions that look at it. */
  readonly actions: readonly string[]
  /** The least access at which it is offered. */
  readonly access: Access
}

/** One tool. */
export interface ToolDefinition {
  readonly name: string
  /** The method of `RalphTools`. */
  readonly method: string
  readonly title: string
  readonly description: string
  readonly actions: readonly ActionDefinition[]
  readonly fields: readonly FieldDefinition[]
}

/** The definitions that the addon was compiled with. */
export const DEFINITIONS: readonly ToolDefinition[] = toolDefinitions() as unknown as ToolDefinition[]

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
