// The plan: what bash counts in it, before and after our ticks, against task_planner.

import { readFileSync, writeFileSync } from 'node:fs'
import { duel } from '../duel.mjs'
import { plan as anyPlan } from '../plans.mjs'

export const plan = {
  name: 'plan',
  async play(round) {
    const { random } = round
    const project = round.open({})
    const { text, exotic } = anyPlan(random)
    writeFileSync(project.plan, text)
    for (let n = 0; n < 4; n += 1) {
      await duel(round, counted(exotic))
      await tick(project, random)
    }
    await duel(round, counted(exotic))
  },
}

/** v0.9 counts inside should_exit_gracefully, with two greps; v0.11 has functions for it. */
const COUNTS = {
  'v0.9': 'grep -c "^- \\[" @fix_plan.md; grep -c "^- \\[x\\]" @fix_plan.md',
  'v0.11':
    '_count_blocking_unchecked "$RALPH_DIR/fix_plan.md"; echo; _safe_count "^[[:space:]]*- \\[[xX]\\]" "$RALPH_DIR/fix_plan.md"',
}

const counted = (exoticPlan) => ({
  name: 'plan.count',
  input: { exoticPlan },
  readOnly: true,
  async bash(project) {
    const { generation } = project.bash
    const [first, completed] = (await project.inBash(COUNTS[generation])).stdout.split('\n').map(Number)
    const blocking = generation === 'v0.9' ? first - completed : first
    return { completed, blocking, complete: completed > 0 && blocking === 0 }
  },
  async ours(project) {
    const answer = await project.call('taskPlanner', { action: 'progress' })
    const { completedTasks: completed, blockingTasks: blocking } = answer
    return { answer, view: { completed, blocking, complete: completed > 0 && blocking === 0 } }
  },
})

/** We tick or untick a task: exactly one byte of the plan changes, so that bash's count goes by one. */
async function tick(project, random) {
  const { tasks } = await project.call('taskPlanner', { action: 'read' })
  if (tasks.length === 0) return
  const { id, completed } = random.pick(tasks)
  const before = readFileSync(project.plan)
  await project.call('taskPlanner', { action: 'update', taskId: id, completed: !completed })
  const after = readFileSync(project.plan)
  const changed =
    before.length === after.length ? before.filter((byte, index) => byte !== after[index]).length : Number.NaN
  const begun = before.includes('[/]') && changed === 0
  if (changed !== 1 && !begun) throw new Error(`ticking ${id} changed ${changed} bytes of the plan`)
}
