// `ralph-mcp`, the program: as MCP clients run it, as Claude Code runs it, and as people mistype it.

import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
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
import { callTool } from './support/mcp.mts'
import { project, ROOT, read } from './support/project.mts'

const PROGRAM = join(ROOT, 'dist', 'ralph-mcp.mjs')
const run = (...args: string[]) => spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8', input: '' })

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

describe('the command line', () => {
  test('--help and --version', () => {
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('--access') })
    const { version } = createRequire(import.meta.url)('../package.json')
    expect(run('--version')).toMatchObject({ status: 0, stdout: `${version}\n` })
  })

  test.each([
    [['--access', 'admin'], 2, /--access "admin" is unknown: use read, worker, full/],
    [['--acces', 'read'], 2, /--acces/],
    [['serve'], 2, /unexpected argument: serve/],
    [['--watch'], 2, /--watch is no option of the server/],
    [['status', '--access', 'read'], 2, /--access is no option of status/],
    [['status', '--watch', '--json'], 2, /exclude each other/],
    [['--project', '/does/not/exist'], 1, /INVALID_PROJECT: .*\/does\/not\/exist/],
    [['status', '--project', '/does/not/exist'], 1, /INVALID_PROJECT/],
  ])('%j', (args, status, message) => {
    const result = run(...args)
    expect(result.status).toBe(status)
    expect(result.stdout).toBe('')
    expect(result.stderr).toMatch(message)
    expect(result.stderr).not.toMatch(/\n\s+at /)
  })
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
