// Many calls: memory, descriptors and threads stay where they are.

import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CALLS, call, outcome, PLAN, RalphTools } from '../calls.mjs'

const list = (folder) => {
  try {
    return readdirSync(folder).length
  } catch {
    return 0
  }
}
const measure = () => {
  globalThis.gc?.()
  return { bytes: process.memoryUsage().rss, descriptors: list('/proc/self/fd'), threads: list('/proc/self/task') }
}
/** Without git: a process each would be measured instead. */
const QUICK = CALLS.filter(({ action }) => action !== 'begin')

export const leaks = {
  name: 'leaks',
  what: 'leaks of memory, descriptors and threads',
  async round({ random, project }) {
    const folder = project()
    writeFileSync(join(folder, '.ralph', 'fix_plan.md'), PLAN)
    const ralph = new RalphTools({ projectDir: folder, logLevel: 'off', maxCallsPerHour: 1e9 })
    const some = async (calls) => {
      for (let number = 0; number < calls; number += 1) {
        const one = random.pick(QUICK)
        const more = one.tool === 'circuit_breaker' && one.action === 'record' ? { loopNumber: number + 1 } : {}
        // A list of tasks that grows would be a leak of this test's.
        if (one.action !== 'add') await outcome(call(ralph, { ...one, input: { ...one.input, ...more } }))
      }
    }
    await some(3000)
    const before = measure()
    await some(6000)
    const after = measure()
    assert.ok(
      after.descriptors <= before.descriptors + 8,
      `descriptors: ${before.descriptors}, then ${after.descriptors}`,
    )
    assert.ok(after.threads <= before.threads + 4, `threads: ${before.threads}, then ${after.threads}`)
    assert.ok(after.bytes < before.bytes + (48 << 20), `memory: ${before.bytes >> 20} MiB, then ${after.bytes >> 20}`)
    return 9000
  },
}
