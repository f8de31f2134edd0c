// What it costs to start: `require` with a first call, in processor time, and the stdio server's first answer beside Node's
// own start. Usage: node bench/start/main.mjs [rounds]

import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { against, inProject, median, time } from '../measure.mjs'

const ROOT = dirname(dirname(import.meta.dirname))
const rounds = Number(process.argv[2] ?? 15)

const FIRST_CALL = `
  const before = process.cpuUsage()
  const start = performance.now()
  const { RalphTools } = require(process.argv[1])
  const loaded = performance.now()
  new RalphTools({ projectDir: process.argv[2] }).rateLimit({ action: 'check' }).then(() => {
    const { user, system } = process.cpuUsage(before)
    console.log(JSON.stringify({ processor: (user + system) / 1000, load: loaded - start, all: performance.now() - start }))
  })`

const addon = readdirSync(ROOT).find((name) => name.endsWith('.node'))
console.log(`the addon: ${(statSync(join(ROOT, addon)).size / 1e6).toFixed(2)} MB (goal 3.3)`)
const relocations = spawnSync('readelf', ['-rW', join(ROOT, addon)], { encoding: 'utf8', maxBuffer: 1 << 28 })
if (relocations.status === 0)
  console.log(`relocations: ${relocations.stdout.split('\n').filter((line) => /^[0-9a-f]{8}/.test(line)).length}`)
else console.log('left out: its relocations, for there is no readelf')

await inProject({}, async (folder) => {
  const runs = Array.from({ length: rounds }, () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', FIRST_CALL, ROOT, folder], { encoding: 'utf8' })
    if (!stdout) throw new Error(stderr)
    return JSON.parse(stdout)
  })
  const of = (name) => median(runs.map((run) => run[name]))
  console.log(
    `require and a first call: ${against(of('processor'), 3)} ms of processor time, ${of('all').toFixed(1)} ms in all`,
  )
  console.log(`  of that require alone: ${of('load').toFixed(1)} ms`)

  const bare = []
  const served = []
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await time(() => spawnSync(process.execPath, ['-e', '0'])))
    served.push(await time(() => firstAnswer(folder)))
  }
  console.log(
    `the stdio server's first answer: ${against(median(served) / median(bare), 1.5)} times Node's own start ` +
      `(${median(served).toFixed(0)} and ${median(bare).toFixed(0)} ms)`,
  )
})

/** Starts the server and waits for its answer to `initialize`. */
function firstAnswer(folder) {
  const server = spawn(process.execPath, [join(ROOT, 'dist/ralph-mcp.mjs'), '--project', folder], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('exit', () => reject(new Error('the server ended without an answer')))
    server.stdout.once('data', () => {
      server.removeAllListeners('exit')
      server.kill()
      resolve()
    })
  })
}
