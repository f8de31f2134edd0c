// A real MCP client, in this process.

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { createRalphServer, type RalphServerOptions } from 'ralph-sdk-tools/agent-sdk'
import { onTestFinished } from 'vitest'

/** What a call answered: text, and whether it is an error. */
export interface Answer {
  text: string
  isError: boolean
}

/** A client of a new server with these options. */
export async function connect(options: RalphServerOptions): Promise<Client> {
  const client = new Client({ name: 'test', version: '0' })
  const { instance } = createRalphServer(options)
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([instance.connect(far), client.connect(near)])
  onTestFinished(() => client.close())
  return client
}

export async function callTool(client: Client, name: string, input: Record<string, unknown>): Promise<Answer> {
  const { content, isError } = await client.callTool({ name, arguments: input })
  const blocks = content as { type: string; text: string }[]
  if (blocks.length !== 1 || blocks[0]?.type !== 'text') throw new Error(`not one text: ${JSON.stringify(content)}`)
  return { text: blocks[0].text, isError: isError === true }
}
