// Many processes, and calls that wait: what only shows through the real addon.

import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inProcess, output, stoppedHolder } from './support/processes.mts'
import { project, ROOT, read, toolsIn } from './support/project.mts'

test('case 24: 40 processes each count one call', { timeout: 120_000 }, async () => {
  const folder = project()
  const code = `import { RalphTools } from 'ralph-sdk-tools'
    const tools = new RalphTools({ projectDir: process.argv[1], maxCallsPerHour: 100, lockTimeoutMs: 60000 })
    console.log((await tools.rateLimit({ action: 'increment' })).currentCount)`
  const counts = await Promise.all(Array.from({ length: 40 }, () => output(inProcess(code, folder))))
  expect(counts.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
  expect(read(folder, '.ralph/.call_count').trim()).toBe('40')
})

test('many calls at once in one process never pass the limit', async () => {
  const tools = toolsIn({}, { projectDir: project(), maxCallsPerHour: 7 })
  const answers = await Promise.all(Array.from({ length: 40 }, () => tools.rateLimit({ action: 'increment' })))
  expect(answers.filter(({ admitted }) => admitted)).toHaveLength(7)
})

describe.skipIf(process.platform === 'win32')('while another process holds the lock', () => {
  test('16 waiting calls do not hold up file reads, and go on when the holder dies', async () => {
    const folder = project()
    const holder = await stoppedHolder(folder)
    const tools = toolsIn({}, { projectDir: folder, lockTimeoutMs: 60_000, maxCallsPerHour: 1e9 })
    let answered = 0
    const waiting = Array.from({ length: 16 }, async () => {
      await tools.rateLimit({ action: 'increment' })
      answered += 1
    })
    // On Node's own pool of four threads, the calls would keep these reads from coming back while the lock is held.
    await Promise.all(Array.from({ length: 8 }, () => readFile(join(ROOT, 'package.json'))))
    expect(answered).toBe(0)
    const before = Number(read(folder, '.ralph/.call_count'))
    await holder.kill()
    await Promise.all(waiting)
    const counted = Number(read(folder, '.ralph/.call_count')) - before
    // The holder may have been stopped before its own last count was in place.
    expect([16, 17]).toContain(counted)
    // Leftovers are swept at an instance's first write, and once a minute.
    await toolsIn({}, { projectDir: folder, maxCallsPerHour: 1e9 }).rateLimit({ action: 'increment' })
    const left = readdirSync(join(folder, '.ralph')).filter(
      (name) => !/^\.(call_count|token_count|last_reset|ralph-tools\.lock)$/.test(name),
    )
    expect(left, 'what the killed writer left is removed').toEqual([])
  })

  test('LOCK_TIMEOUT; reading needs no lock', async () => {
    const folder = project()
    const holder = await stoppedHolder(folder)
    const tools = toolsIn({}, { projectDir: folder, lockTimeoutMs: 50, maxCallsPerHour: 1e9 })
    await expect(tools.rateLimit({ action: 'increment' })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
    expect((await tools.rateLimit({ action: 'check' })).currentCount).toBeGreaterThan(0)
    await holder.kill()
  })
})
