import { spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { RalphTools } from '../../index.js'
import { failure, folder, run } from './support.mts'

const linux = process.platform === 'linux'
const flock = spawnSync('flock', ['--version']).status === 0

/** Another process holds the lock until the test ends. */
async function hold(projectDir: string) {
  const lock = join(projectDir, '.ralph', '.ralph-tools.lock')
  const holder = spawn('flock', [lock, 'sh', '-c', 'echo held; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void holder.stdin.end())
  await new Promise((resolve) => holder.stdout.once('data', resolve))
}

describe('calls that wait', () => {
  test.runIf(flock)('for a lock stall neither file reads nor other calls, and time out', async () => {
    const projectDir = folder()
    const lockTimeoutMs = 2000
    const ralph = new RalphTools({ projectDir, lockTimeoutMs })
    const other = new RalphTools({ projectDir: folder() })
    await ralph.rateLimit({ action: 'increment' })
    await hold(projectDir)

    const start = performance.now()
    const waiting = Array.from({ length: 16 }, () => failure(() => ralph.rateLimit({ action: 'increment' })))
    await readFile(fileURLToPath(import.meta.url))
    expect(await ralph.rateLimit({ action: 'check' })).toMatchObject({ currentCount: 1 })
    expect(await other.rateLimit({ action: 'increment' })).toMatchObject({ admitted: true })
    expect(performance.now() - start).toBeLessThan(lockTimeoutMs / 2)

    const codes = new Set((await Promise.all(waiting)).map((error) => error.code))
    expect(codes).toEqual(new Set(['LOCK_TIMEOUT']))
    expect(await ralph.rateLimit({ action: 'check' })).toMatchObject({ currentCount: 1 })
  })

  test('all come to their turn, a thousand at once, on a bounded number of threads', async () => {
    const ralph = new RalphTools({ projectDir: folder(), maxCallsPerHour: 600, lockTimeoutMs: 60_000 })
    const before = threads()
    let most = 0
    const calls = Array.from({ length: 1000 }, async () => {
      const { admitted } = await ralph.rateLimit({ action: 'increment' })
      most = Math.max(most, threads())
      return admitted
    })
    const admitted = (await Promise.all(calls)).filter(Boolean)
    expect(admitted).toHaveLength(600)
    expect(most - before).toBeLessThanOrEqual(256)
  })
})

function threads(): number {
  return linux ? readdirSync('/proc/self/task').length : 0
}

describe('the end of a process', () => {
  const open = `const { RalphTools } = require(process.argv[1]); const ralph = new RalphTools({ projectDir: process.argv[2] });`

  test('waits for a call, and comes when none is pending', async () => {
    const script = `${open} ralph.rateLimit({ action: 'increment' }).then(({ currentCount }) => console.log(currentCount))`
    expect(await run(script, folder())).toEqual({ code: 0, signal: null, out: '1\n' })
  })

  test('by process.exit with calls pending keeps its code', async () => {
    const script = `${open} for (let i = 0; i < 100; i += 1) ralph.rateLimit({ action: 'increment' }); setTimeout(() => process.exit(3), 2)`
    expect(await run(script, folder())).toEqual({ code: 3, signal: null, out: '' })
  })

  test('of worker threads with calls pending leaves the process alone', async () => {
    // Only the workers load the addon: Node unloads it with the last of them.
    const worker = `
      const { parentPort, workerData } = require('node:worker_threads')
      const { RalphTools } = require(workerData[0])
      const ralph = new RalphTools({ projectDir: workerData[1], lockTimeoutMs: 60000 })
      for (let i = 0; i < 50; i += 1) ralph.rateLimit({ action: 'increment' }).catch(() => {})
      parentPort.postMessage('started')`
    const script = `
      const { Worker } = require('node:worker_threads')
      const start = () => new Promise((resolve, reject) => {
        const worker = new Worker(${JSON.stringify(worker)}, { eval: true, workerData: process.argv.slice(1) })
        worker.once('error', reject).once('message', () => resolve(worker))
      })
      const rounds = async () => {
        for (let round = 0; round < 5; round += 1) {
          const workers = await Promise.all([start(), start(), start()])
          await Promise.all(workers.map((worker) => worker.terminate()))
        }
        console.log('alive')
      }
      rounds()`
    expect(await run(script, folder())).toEqual({ code: 0, signal: null, out: 'alive\n' })
  })
})
