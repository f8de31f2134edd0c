// Several workers, each a process with a project of its own, who share budgets and a plan.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inProcess, output } from './support/processes.mts'
import { project, toolsIn } from './support/project.mts'
import { hasRedis, startRedis } from './support/redis.mts'

const PROCESSES = 8
const CALLS = 200
const LIMIT = 1000

const folder = async () => mkdtempSync(join(tmpdir(), 'ralph-shared-'))
const places: [string, boolean, () => Promise<string>][] = [
  ['a directory', true, folder],
  ['Redis, by its port', hasRedis, async () => (await startRedis()).url],
  ['Redis, by its socket', hasRedis, async () => (await startRedis()).socketUrl],
]

describe.each(places)('%s', (_name, available, open) => {
  test.skipIf(!available)(
    '8 processes ask 200 times each for a budget: exactly the limit is admitted',
    async () => {
      const shared = await open()
      const budgets = [{ name: 'all', per: 'hour' as const, calls: LIMIT }]
      const options = { shared, budgets, maxCallsPerHour: 1e9, lockTimeoutMs: 60_000 }
      const code = `import { RalphTools } from 'ralph-sdk-tools'
      const tools = new RalphTools({ ...JSON.parse(process.argv[2]), projectDir: process.argv[1] })
      let admitted = 0
      for (let n = 0; n < ${CALLS}; n++) admitted += Number((await tools.rateLimit({ action: 'increment' })).admitted)
      console.log(admitted)`
      const started = Array.from({ length: PROCESSES }, () =>
        output(inProcess(code, project(), JSON.stringify(options))),
      )
      const admitted = (await Promise.all(started)).map(Number)
      expect(admitted.reduce((sum, count) => sum + count, 0)).toBe(LIMIT)
      const last = await toolsIn({}, { ...options, projectDir: project() }).rateLimit({ action: 'status' })
      expect(last).toMatchObject({ canMakeCall: false, limitedBy: 'budget', budget: 'all' })
      expect(last.budgets).toMatchObject([{ used: LIMIT, remaining: 0, mine: 0 }])
      expect(last.workers).toHaveLength(PROCESSES)
      expect(JSON.stringify(last)).not.toContain('p4ss')
    },
    120_000,
  )

  test.skipIf(!available)(
    'each of five workers claims a task of its own, and the sixth is told who has them',
    async () => {
      const shared = await open()
      const plan = { '.ralph/fix_plan.md': Array.from({ length: 5 }, (_, n) => `- [ ] [t-${n}] task\n`).join('') }
      const worker = (name: string) => toolsIn({}, { projectDir: project(plan), shared, planName: 'one', worker: name })
      const claims = await Promise.all(
        ['a', 'b', 'c', 'd', 'e'].map((name) => worker(name).taskPlanner({ action: 'claim' })),
      )
      expect(claims.map(({ task }) => task?.id).sort()).toEqual(['t-0', 't-1', 't-2', 't-3', 't-4'])
      const sixth = await worker('f').taskPlanner({ action: 'claim' })
      expect(sixth.task).toBeNull()
      expect(sixth.tasks.map(({ claimedBy }) => claimedBy).sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
      expect((await worker('f').exitDetection({ action: 'check' })).waiting).toBe(true)
    },
  )
})
