// The tools as an MCP server on stdin and stdout.

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { type RalphServerOptions, SERVER_NAME, servedTools } from './tools.mjs'
import { VERSION } from './version.mjs'
import { zodSchema } from './zod-schema.mjs'

/** An MCP server, not yet connected. */
export function mcpServer(options: RalphServerOptions): McpServer {
  const server = new McpServer({ name: SERVER_NAME, version: VERSION })
  for (const { name, title, description, inputSchema, annotations, call } of servedTools(options)) {
    const config = {
      title,
      description,
      inputSchema: zodSchema(inputSchema),
      annotations,
      // Claude Code defers tools behind a search unless they say this.
      _meta: { 'anthropic/alwaysLoad': true },
    }
    server.registerTool(name, config, (input) => call(input as Record<string, unknown>))
  }
  return server
}

/** Serves until stdin closes; the calls that are under way then are still answered. */
export async function serve(command: {
  project?: string
  access: NonNullable<RalphServerOptions['access']>
  logLevel: NonNullable<RalphServerOptions['logLevel']>
}): Promise<void> {
  const { project, access, logLevel } = command
  const server = mcpServer({ access, logLevel, ...(project !== undefined && { projectDir: project }) })
  // A client that goes away without closing stdin breaks the pipe: there is nobody left to answer.
  process.stdout.on('error', () => process.exit(0))
  await server.connect(new StdioServerTransport())
}
