// Exit detection on the state that is there: should_exit_gracefully against exit_detection check.

import { rmSync, writeFileSync } from 'node:fs'
import { duel } from '../duel.mjs'
import { plan } from '../plans.mjs'

export const exit = {
  name: 'exit',
  async play(round) {
    const { random } = round
    const project = round.open({})
    for (let n = 0; n < 6; n += 1) {
      const { text, exotic } = plan(random)
      const hasPlan = random.chance(0.8)
      if (hasPlan) writeFileSync(project.plan, text)
      else rmSync(project.plan, { force: true })
      if (random.chance(0.85)) project.write('.exit_signals', JSON.stringify(lists(random)))
      else project.remove('.exit_signals')
      if (random.chance(0.8)) project.write('.response_analysis', JSON.stringify(analysis(random)))
      else project.remove('.response_analysis')
      await duel(round, check(hasPlan && exotic))
    }
  },
}

function lists(random) {
  const list = (most) => Array.from({ length: random.between(0, most) }, (_, index) => index + 1)
  const most = random.weighted([
    [3, 1],
    [1, 5],
  ])
  return { test_only_loops: list(most + 1), done_signals: list(most), completion_indicators: list(5) }
}

function analysis(random) {
  const compound = random.chance(0.1)
  return {
    loop_number: random.between(1, 9),
    analysis: {
      exit_signal: random.chance(0.3),
      confidence_score: random.between(0, 120),
      has_permission_denials: random.chance(0.1),
      has_compound_command_limitation: compound,
      compound_command_count: compound ? 1 : 0,
      permission_denial_count: 1,
      denied_commands: ['Bash(make it so)'],
    },
  }
}

const check = (exoticPlan) => ({
  name: 'exit.check',
  input: { exoticPlan },
  readOnly: true,
  async bash(project) {
    const { stdout } = await project.inBash('init_call_tracking >/dev/null 2>&1; should_exit_gracefully 2>/dev/null')
    // v0.9 logs to the same stream; the reason is the last line.
    return { reason: stdout.trimEnd().split('\n').at(-1) }
  },
  async ours(project) {
    const answer = await project.call('exitDetection', { action: 'check' })
    if (answer.shouldExit !== (answer.exitReason !== '')) throw new Error('shouldExit and exitReason disagree')
    return { answer, view: { reason: answer.exitReason } }
  },
})
