/**
 * What a failed call rejects with, and what the constructor throws. The message says what to do next, and the stack
 * starts at the caller.
 *
 * @example
 * try {
 *   await ralph.taskPlanner({ action: 'update', taskId: 'write-docs' })
 * } catch (error) {
 *   if (error instanceof RalphToolError && error.code === 'TASK_NOT_FOUND') console.warn(error.message)
 *   else throw error
 * }
 */
export declare class RalphToolError extends Error {
  constructor(code: RalphToolErrorCode, message: string, options?: { cause?: unknown })
  name: 'RalphToolError'
  /** What went wrong, for programs. */
  code: RalphToolErrorCode
}

/** What a model must be allowed to do before something is offered to it. Each level includes those before it. */
export type Access = 'read' | 'worker' | 'full'

/** Everything that is said about a tool: schemas and documents derive from it. */
export interface ToolDefinition {
  /** As the model sees it, without a server's prefix. */
  name: string
  /** The method of `RalphTools`. */
  method: 'rateLimit' | 'exitDetection' | 'circuitBreaker' | 'taskPlanner' | 'progressReporter'
  /** A short title for people. */
  title: string
  /** For the model: what it is for, when to call it, what comes back. Under 600 characters. */
  description: string
  /** The name of the input's type. */
  input: string
  /** What the tool can do. */
  actions: ToolAction[]
  /** The fields of the input besides `action`. */
  fields: ToolField[]
}

/** One action of a tool. */
export interface ToolAction {
  /** As callers write it. */
  name: string
  /** The least access at which it is offered. */
  access: Access
  /** Whether it writes nothing at all. */
  readOnly: boolean
  /** Whether it throws state away. */
  destructive: boolean
  /** Whether the same call, made again, changes nothing more. */
  idempotent: boolean
  /** What it does. */
  doc: string
}

/** One field of a tool's input. */
export interface ToolField {
  /** As callers write it. */
  name: string
  /** What it accepts: `integer` is from `min` to `max`, `number` finite and not negative, `text` at most `maxLength` characters, `oneOf` one of `words`. */
  kind: 'integer' | 'number' | 'boolean' | 'text' | 'oneOf' | 'textList'
  /** The smallest integer accepted. */
  min?: number
  /** The largest integer accepted. */
  max?: number
  /** The most characters of a text, or of a text in a list. */
  maxLength?: number
  /** The most texts of a list. */
  maxItems?: number
  /** The words accepted. */
  words?: string[]
  /** What it means, with its unit. */
  doc: string
  /** What holds when it is left out; empty where that goes without saying. */
  default: string
  /** The actions that look at it. */
  actions: string[]
  /** The least access at which it is offered. */
  access: Access
}

