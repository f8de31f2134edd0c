/**
 * Ralph's tools for the Claude Agent SDK.
 *
 * @module
 */

import {
  createSdkMcpServer,
  type McpSdkServerConfigWithInstance,
  type SdkMcpToolDefinition,
  tool,
} from '@anthropic-ai/claude-agent-sdk'
import { DEFINITIONS } from './definitions.mjs'
import { INSTRUCTIONS } from './instructions.mjs'
import { type InputSchema, inputSchema } from './json-schema.mjs'
import { offers, type RalphServerOptions, SERVER_NAME, servedTools } from './tools.mjs'
import { VERSION } from './version.mjs'
import { zodSchema } from './zod-schema.mjs'

export type { Access } from '../index.js'
export { type ObservedEdits, observeEdits } from './hooks/edits.mjs'
export { type RalphLoop, type RalphLoopHooksOptions, ralphLoop } from './hooks/loop.mjs'
export { type Hooks, mergeHooks } from './hooks/merge.mjs'
export type { InputSchema, PropertySchema } from './json-schema.mjs'
export type { RalphServerOptions } from './tools.mjs'

/** The names by which a model calls the tools where the server is registered as `ralph`: `mcp__ralph__rate_limit`, … */
export const RALPH_TOOL_NAMES: readonly string[] = DEFINITIONS.map(({ name }) => qualified(name))

/** A tool as `listRalphTools` shows it. */
export interface RalphToolListing {
  /** As the server lists it. */
  name: string
  /** As the model calls it. */
  qualifiedName: string
  description: string
  /** The actions on offer. */
  actions: string[]
  /** The input as JSON Schema. */
  inputSchema: InputSchema
}

/**
 * An MCP server with Ralph's tools, for `mcpServers: { ralph: createRalphServer(…) }`. Each call makes a new server, and
 * each query needs one of its own: a second query on the same server silently gets no tools. Give them all the same
 * `ralph`.
 *
 * @throws RalphToolError `INVALID_INPUT` for an unknown `access` or a wrong option, `INVALID_PROJECT` for a bad `projectDir`.
 */
export function createRalphServer(options?: RalphServerOptions): McpSdkServerConfigWithInstance {
  return createSdkMcpServer({
    name: SERVER_NAME,
    version: VERSION,
    instructions: INSTRUCTIONS,
    tools: registerRalphTools(options),
    alwaysLoad: true,
  })
}

/** The tools' definitions, for an SDK server of the caller's own. */
export function registerRalphTools(options?: RalphServerOptions): SdkMcpToolDefinition[] {
  return servedTools(options).map((served) =>
    tool(
      served.name,
      served.description,
      // The SDK hands a Zod object through as it is, although its types name only raw shapes; a raw shape would drop
      // fields that were not offered before they could be refused.
      zodSchema(served.inputSchema) as unknown as SdkMcpToolDefinition['inputSchema'],
      (input) => served.call(input as Record<string, unknown>),
      { annotations: served.annotations, alwaysLoad: true },
    ),
  )
}

/** What a model would see at a level of access, without a project or a server. */
export function listRalphTools(options?: RalphServerOptions): RalphToolListing[] {
  return offers(options?.access).map((offer) => ({
    name: offer.name,
    qualifiedName: qualified(offer.name),
    description: offer.description,
    actions: offer.actions.map(({ name }) => name),
    inputSchema: inputSchema(offer),
  }))
}

function qualified(name: string): string {
  return `mcp__${SERVER_NAME}__${name}`
}
