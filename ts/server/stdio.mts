// The tools as an MCP server on stdin and stdout.

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js'
import { INSTRUCTIONS } from '../instructions.mjs'
import { printable } from '../terminal.mjs'
import { type RalphServerOptions, SERVER_NAME, servedTools } from '../tools.mjs'
import { VERSION } from '../version.mjs'
import { StdioTransport } from './transport.mjs'

/** An MCP server, not yet connected. */
export function mcpServer(options: RalphServerOptions): Server {
  const tools = servedTools(options)
  const server = new Server(
    { name: SERVER_NAME, version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ call: _, ...listed }) => ({
      ...listed,
      // Claude Code defers tools behind a search unless they say this.
      _meta: { 'anthropic/alwaysLoad': true },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name)
    if (tool) return tool.call(params.arguments ?? {})
    const known = tools.map(({ name }) => name).join(', ')
    throw new McpError(ErrorCode.InvalidParams, `there is no tool ${JSON.stringify(params.name)}; there are ${known}`)
  })
  return server
}

/** A line for whoever reads the server's log. */
export function note(text: string): void {
  process.stderr.write(`[ralph-sdk-tools] ${printable(text)}\n`)
}

/** Serves until stdin closes; the calls that are under way then are still answered. */
export async function serve(options: RalphServerOptions): Promise<void> {
  const server = mcpServer(options)
  // A client that goes away without closing stdin breaks the pipe: there is nobody left to answer.
  process.stdout.on('error', () => process.exit(0))
  server.onerror = (error) => note(error.message)
  await server.connect(new StdioTransport(process.stdin, process.stdout, note))
}
