// A process that calls one action for ever, and says a dot for each answer: the rows kill it.

import { call, RalphTools } from './calls.mjs'

const [, , projectDir, writing] = process.argv
const { tool, action, input } = JSON.parse(writing)
const ralph = new RalphTools({ projectDir, maxCallsPerHour: 1e9, lockTimeoutMs: 60_000 })
for (let number = 1; ; number += 1) {
  const varied = { ...input }
  if (tool === 'circuit_breaker' || action === 'analyze') varied.loopNumber = number
  if (tool === 'task_planner' && action === 'update') varied.completed = number % 2 === 1
  if (tool === 'progress_reporter') varied.loopCount = number
  await call(ralph, { tool, input: varied }).catch(() => undefined)
  process.stdout.write('.\n')
}
