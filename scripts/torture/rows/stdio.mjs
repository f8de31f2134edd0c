// Junk through the stdio server: it answers what can be answered, says the rest on standard error, and lives.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CALLS } from '../calls.mjs'

const PROGRAM = fileURLToPath(new URL('../../../dist/ralph-mcp.mjs', import.meta.url))
const HELLO = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'torture', version: '0' } },
}

export const stdio = {
  name: 'stdio',
  what: 'junk through stdio',
  async round({ random, project }) {
    const child = spawn(process.execPath, [PROGRAM, '--project', project()], { stdio: ['pipe', 'pipe', 'ignore'] })
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stdin.on('error', () => {})
    const send = (text) => child.stdin.write(`${text}\n`)
    send(JSON.stringify(HELLO))
    send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    const tries = 300
    for (let number = 0; number < tries; number += 1) send(line(random, number))
    if (random.chance(0.1))
      send(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"x":"${'x'.repeat(12 << 20)}"}}`)
    send(JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'ping' }))
    child.stdin.end()
    const [code] = await once(child, 'close')
    assert.equal(code, 0)
    const answers = out
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    assert.ok(
      answers.some(({ id, result }) => id === 'last' && result),
      'it lives to the end',
    )
    return tries
  },
}

function line(random, id) {
  const { tool, input } = random.pick(CALLS)
  const request = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: input } }
  switch (random.below(8)) {
    case 0:
      return JSON.stringify(request).slice(0, random.below(80))
    case 1:
      return JSON.stringify({
        ...request,
        params: random.pick([null, [], 'x', 7, { name: 7 }, { name: 'none', arguments: [] }]),
      })
    case 2:
      return JSON.stringify({ ...request, method: random.pick(['', 'tools/none', '__proto__', 'resources/list']) })
    case 3:
      return JSON.stringify({ ...request, id: random.pick([null, {}, [], true, 1.5]) })
    case 4:
      return random.pick(['', '\0', '[]', 'null', '{"a":'.repeat(3000), '\u2028', '"'])
    case 5:
      return JSON.stringify({
        ...request,
        params: { name: tool, arguments: { ...input, loopNumber: -1, nonsense: [] } },
      })
    default:
      return JSON.stringify(request)
  }
}
