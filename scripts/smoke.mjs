// Tries the addon with nothing but Node: for systems and versions on which the tests' own tools do not run.
//
//     node scripts/smoke.mjs                     what is built here
//     node smoke.mjs ralph-sdk-tools             what is installed beside a copy of this file

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const { RalphToolError, RalphTools } = await import(process.argv[2] ?? '../index.js')

const project = mkdtempSync(join(tmpdir(), 'ralph-smoke-'))
try {
  writeFileSync(join(project, 'PROMPT.md'), 'Go.\n')
  writeFileSync(join(project, '@fix_plan.md'), '- [ ] one\n- [x] two\n')
  const ralph = new RalphTools({ projectDir: project, maxCallsPerHour: 3 })

  const counted = await Promise.all(Array.from({ length: 5 }, () => ralph.rateLimit({ action: 'increment' })))
  assert.equal(counted.filter(({ admitted }) => admitted).length, 3)
  assert.equal(readFileSync(join(project, '.call_count'), 'utf8').trim(), '3')

  assert.equal((await ralph.taskPlanner({ action: 'update', taskId: 'one' })).completedTasks, 2)
  assert.equal(readFileSync(join(project, '@fix_plan.md'), 'utf8'), '- [x] one\n- [x] two\n')

  const { shouldExit, exitReason } = await ralph.exitDetection({ action: 'check' })
  assert.deepEqual([shouldExit, exitReason], [true, 'plan_complete'])
  assert.equal((await ralph.circuitBreaker({ action: 'check' })).state, 'CLOSED')

  await assert.rejects(
    ralph.rateLimit({ action: 'increment', calls: -1 }),
    (error) => error instanceof RalphToolError && error.code === 'INVALID_INPUT',
  )
  console.log(`Node ${process.version}, ${process.platform}-${process.arch}: works`)
} finally {
  rmSync(project, { recursive: true, force: true })
}
