// Writers and readers of one project, each a thread of its own: every increment is admitted once, and nobody fails. Made for
// systems on which a file that somebody has open cannot be replaced.
//
//     node scripts/platforms/race.mjs [increments of each writer]

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { RalphTools } from '../../index.js'

const WRITERS = 2
const READERS = 2

if (isMainThread) {
  const each = Number(process.argv[2] ?? 200)
  const project = mkdtempSync(join(tmpdir(), 'ralph-race-'))
  try {
    mkdirSync(join(project, '.ralph'))
    let over = false
    const start = (role) =>
      new Promise((resolve, reject) => {
        const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { role, project, each } })
        worker.on('message', resolve)
        worker.on('error', reject)
        if (role === 'read') setInterval(() => over && worker.postMessage('stop'), 20).unref()
      })
    const readers = Array.from({ length: READERS }, () => start('read'))
    const admitted = await Promise.all(Array.from({ length: WRITERS }, () => start('write')))
    over = true
    const reads = await Promise.all(readers)
    assert.deepEqual(admitted, Array(WRITERS).fill(each))
    assert.equal(Number(readFileSync(join(project, '.ralph', '.call_count'), 'utf8')), each * WRITERS)
    process.stdout.write(
      `${each * WRITERS} increments beside ${reads.reduce((sum, n) => sum + n, 0)} reads: none failed\n`,
    )
  } finally {
    rmSync(project, { recursive: true, force: true, maxRetries: 3 })
  }
} else {
  const { parentPort } = await import('node:worker_threads')
  const { role, project, each } = workerData
  const ralph = new RalphTools({ projectDir: project, maxCallsPerHour: 1_000_000 })
  let done = 0
  if (role === 'write') {
    for (; done < each; done += 1) assert.equal((await ralph.rateLimit({ action: 'increment' })).admitted, true)
  } else {
    let stopped = false
    parentPort.on('message', () => {
      stopped = true
    })
    while (!stopped) {
      assert.equal((await ralph.rateLimit({ action: 'check' })).warnings, undefined)
      done += 1
    }
  }
  parentPort.postMessage(done)
  parentPort.close()
}
