// The stdio server: as MCP clients run it, and as Claude Code runs it.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { listRalphTools } from 'ralph-sdk-tools/agent-sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { offline } from '../examples/scripted-model/offline.mts'
import { startScriptedModel } from '../examples/scripted-model/server.mts'
import { lastToolAnswers } from '../examples/scripted-model/turns.mts'
import { claudeBinary } from './support/claude.mts'
import { callTool, connect } from './support/mcp.mts'
import { project, ROOT, read } from './support/project.mts'

const PROGRAM = join(ROOT, 'dist', 'ralph-sdk-tools.cjs')

async function client(...args: string[]): Promise<Client> {
  const connected = new Client({ name: 'test', version: '0' })
  await connected.connect(new StdioClientTransport({ command: process.execPath, args: [PROGRAM, ...args] }))
  onTestFinished(() => connected.close())
  return connected
}

describe('a client', () => {
  test.each(['read', 'worker', 'full'] as const)('sees the tools of access %s', async (access) => {
    const { tools } = await (await client('--project', project(), '--access', access)).listTools()
    const listed = listRalphTools({ access })
    expect(tools.map(({ name, description }) => ({ name, description }))).toEqual(
      listed.map(({ name, description }) => ({ name, description })),
    )
    for (const [index, { inputSchema }] of tools.entries()) {
      expect(inputSchema).toMatchObject(listed[index]?.inputSchema ?? {})
    }
  })

  test('calls them', async () => {
    const folder = project()
    const connected = await client('--project', folder)
    expect(JSON.parse((await callTool(connected, 'rate_limit', { action: 'increment' })).text).currentCount).toBe(1)
    expect(await callTool(connected, 'rate_limit', { action: 'increment', calls: -1 })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^INVALID_INPUT: /),
    })
    expect(read(folder, '.ralph/.call_count').trim()).toBe('1')
  })
})

const request = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
const CLIENT = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } }
const INITIALIZED = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`
const HELLO = request(0, 'initialize', CLIENT) + INITIALIZED

test('JSON-RPC alone on stdout, logs on stderr; ends when stdin closes, after the last answer', async () => {
  const child = spawn(process.execPath, [PROGRAM, '--project', project(), '--log-level', 'debug'])
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const call = (id: number) => request(id, 'tools/call', { name: 'rate_limit', arguments: { action: 'increment' } })
  child.stdin.end(HELLO + call(1) + call(2) + call(3))
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(answers.map(({ jsonrpc, id }) => [jsonrpc, id]).sort()).toEqual([0, 1, 2, 3].map((id) => ['2.0', id]))
  expect(stderr.match(/rate_limit increment ok/g)).toHaveLength(3)
})

describe('what is no message', () => {
  /** What the server answers to these bytes, and says on stderr. */
  async function answersTo(...parts: (string | Buffer)[]) {
    const child = spawn(process.execPath, [PROGRAM, '--project', project()])
    const out: Buffer[] = []
    let stderr = ''
    child.stdout.on('data', (chunk) => out.push(chunk))
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    for (const part of parts) child.stdin.write(part)
    child.stdin.end(request(99, 'ping', {}))
    const [code] = await once(child, 'close')
    const lines = Buffer.concat(out).toString().trim().split('\n')
    return { code, answers: lines.map((line) => JSON.parse(line)), notes: stderr.trim().split('\n').filter(Boolean) }
  }

  const LONG = Buffer.alloc(11 << 20, 0x78)

  test.each([
    ['its id before it', '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":"', '"}}\n', 7],
    [
      'its id after it',
      '{"method":"tools/call","params":{"id":1,"x":["\\"',
      '"]},"jsonrpc":"2.0","id":"a b"}\n',
      'a b',
    ],
    ['a notification', '{"jsonrpc":"2.0","method":"notifications/x","params":{"id":3,"x":"', '"}}\n', undefined],
    ['an answer of a client', '{"jsonrpc":"2.0","id":3,"result":{"method":"', '"}}\n', undefined],
    ['no JSON', '', '\n', undefined],
  ])('a message of 11 MiB: %s', async (_name, before, after, id) => {
    const { code, answers, notes } = await answersTo(HELLO, before, LONG, after)
    expect(code).toBe(0)
    const refused = answers.filter(({ error }) => error)
    expect(refused).toEqual(
      id === undefined
        ? []
        : [{ jsonrpc: '2.0', id, error: { code: -32600, message: expect.stringMatching(/10485760 bytes at most/) } }],
    )
    expect(notes).toEqual([expect.stringMatching(/^\[ralph-sdk-tools\] a message may have 10485760 bytes/)])
    expect(answers.at(-1)).toEqual({ jsonrpc: '2.0', id: 99, result: {} })
  })

  test.each([
    ['no JSON', '{"jsonrpc":', undefined],
    ['no object', '[1,2]', undefined],
    ['no JSON-RPC', '{"id":4,"method":"tools/list"}', 4],
    ['params that are none', '{"jsonrpc":"2.0","id":5,"method":"tools/list","params":"x"}', 5],
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x0a]), undefined],
  ])('%s', async (_name, line, id) => {
    const { code, answers, notes } = await answersTo(HELLO, line, '\r\n')
    expect({ code, notes: notes.length }).toEqual({ code: 0, notes: 1 })
    expect(answers.filter(({ error }) => error).map(({ id }) => id)).toEqual(id === undefined ? [] : [id])
    expect(answers.at(-1)).toMatchObject({ id: 99 })
  })

  test('an empty line is nothing; a tool or method that is not there is an error', async () => {
    const unknown = request(1, 'tools/call', { name: 'rate_limits', arguments: {} }) + request(2, 'x/y', {})
    const { answers, notes } = await answersTo('\n\r\n', HELLO, unknown)
    expect(notes).toEqual([])
    const errors = answers.filter(({ error }) => error)
    expect(errors.sort((a, b) => a.id - b.id)).toMatchObject([
      {
        id: 1,
        error: { code: -32602, message: expect.stringMatching(/no tool "rate_limits"; there are rate_limit, /) },
      },
      { id: 2, error: { code: -32601 } },
    ])
  })
})

test('both servers tell the model what the tools are for', async () => {
  const instructions = (await client('--project', project())).getInstructions() ?? ''
  expect(instructions.length).toBeLessThan(1500)
  for (const { name } of listRalphTools()) expect(instructions).toContain(name)
  const inProcess = await connect({ projectDir: project() })
  expect(inProcess.getInstructions()).toBe(instructions)
})

test('Claude Code’s own binary runs it from --mcp-config', async () => {
  const folder = project()
  const model = await startScriptedModel([
    { calls: [{ name: 'mcp__ralph__rate_limit', input: { action: 'check' } }] },
    (asked) => ({ text: `It said ${lastToolAnswers(asked)[0]?.text}` }),
  ])
  const claude = await offline(model.url)
  onTestFinished(async () => {
    await model.close()
    await claude.dispose()
  })
  const config = join(claude.env['HOME'] as string, 'mcp.json')
  const args = [PROGRAM, '--project', folder, '--access', 'worker']
  writeFileSync(config, JSON.stringify({ mcpServers: { ralph: { command: process.execPath, args } } }))
  const { stdout } = await promisify(execFile)(
    claudeBinary(),
    ['-p', 'go', '--mcp-config', config, '--strict-mcp-config', '--allowedTools', 'mcp__ralph__rate_limit'],
    { cwd: folder, env: claude.env },
  )
  expect(stdout).toContain('"canMakeCall":true')
  const offered = model.requests[0]?.tools?.map(({ name }) => name) ?? []
  expect(offered).toEqual(expect.arrayContaining(listRalphTools().map(({ qualifiedName }) => qualifiedName)))
})
