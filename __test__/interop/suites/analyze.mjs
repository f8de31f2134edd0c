// One loop's output: analyze_response, update_exit_signals and should_exit_gracefully against exit_detection analyze.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { duel } from '../duel.mjs'
import { json, text } from '../outputs.mjs'

const MINUTE = 60_000

export const analyze = {
  name: 'analyze',
  async play(round) {
    const { random, bash } = round
    const project = round.open({})
    const openTasks = random.between(0, 2)
    writeFileSync(project.plan, ['- [x] begin', '- [ ] go on', '- [ ] finish'].slice(0, openTasks + 1).join('\n'))
    if (openTasks === 0) writeFileSync(project.plan, 'No tasks here.\n')
    const git = random.chance(0.4) ? repository(project, random.chance(0.3)) : undefined
    let loop = 0
    for (let n = 0; n < 7; n += 1) {
      project.wait(random.between(1, 9) * MINUTE)
      loop = random.weighted([
        [9, loop + 1],
        [1, Math.max(loop, 1)],
      ])
      if (git && random.chance(0.4)) git.change(random)
      const output = bash.generation === 'v0.11' && random.chance(0.5) ? json(random) : text(random, bash)
      await duel(round, step({ ...output, loop, openTasks, tracked: git?.tracked ?? false }))
    }
  },
}

/** A repository with one commit, Ralph's own files in it or not. */
function repository(project, tracked) {
  const git = (...args) =>
    execFileSync('git', ['-C', project.folder, '-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], {
      stdio: 'pipe',
    })
  git('init', '-q')
  writeFileSync(join(project.folder, 'a.txt'), 'a\n')
  writeFileSync(join(project.folder, 'b.txt'), 'b\n')
  if (tracked)
    project.write('.exit_signals', '{"test_only_loops": [], "done_signals": [], "completion_indicators": []}\n')
  git('add', ...(tracked ? ['-A'] : ['a.txt', 'b.txt']))
  git('commit', '-q', '-m', 'begin')
  return {
    tracked,
    change(random) {
      const name = random.pick(['a.txt', 'b.txt'])
      writeFileSync(join(project.folder, name), `${random.between(1, 1e6)}\n`)
      if (random.chance(0.3)) git('add', name)
      if (random.chance(0.2)) git('commit', '-q', '-m', 'more', name)
    },
  }
}

const step = (input) => ({
  name: 'analyze',
  input,
  async bash(project, { text, loop }) {
    const file = output(project, text)
    // As execute_claude_code and the main loop do it.
    const { stdout } = await project.inBash(
      `init_call_tracking >/dev/null 2>&1
       ${project.bash.generation === 'v0.11' ? 'save_claude_session "$1" 2>/dev/null' : ':'}
       analyze_response "$1" "$2" >/dev/null 2>&1; update_exit_signals >/dev/null 2>&1
       should_exit_gracefully 2>/dev/null`,
      [file, String(loop)],
    )
    return view(project, stdout.trimEnd().split('\n').at(-1))
  },
  async ours(project, { text, loop }) {
    const answer = await project.call('exitDetection', {
      action: 'analyze',
      outputFile: output(project, text),
      loopNumber: loop,
    })
    return { answer, view: view(project, answer.exitReason) }
  },
})

function output(project, text) {
  const name = `logs/claude_output_${project.now}.log`
  project.write(name, text)
  return project.bash.state === '' ? name : `${project.bash.state}/${name}`
}

/** What only we write. */
const OURS = [
  'has_errors',
  'previous_output_length',
  'previous_total_cost_usd',
  'tokens_used',
  'cost_usd',
  'status',
  'tests_status',
  'work_type',
  'tasks_completed',
  'recommendation',
  'api_error',
  'is_using_overage',
]

const bashes = (signals) => {
  if (typeof signals !== 'object' || signals === null) return signals
  const { blocked_loops, ...others } = signals
  return others
}

/** What the step left, without what only we write. */
function view(project, reason) {
  const stored = project.json('.response_analysis')
  const view = {
    reason,
    signals: bashes(project.json('.exit_signals')),
    length: project.read('.last_output_length')?.trim(),
    session: project.json('.claude_session_id')?.session_id,
    analysis: stored,
  }
  if (typeof stored === 'object') {
    const analysis = Object.fromEntries(Object.entries(stored.analysis).filter(([name]) => !OURS.includes(name)))
    // Bash writes no compound fields for text.
    view.analysis = { has_compound_command_limitation: false, compound_command_count: 0, ...analysis }
    // A summary that quotes the output, where a row had bash read another one.
    view.analysis.work_summary = analysis.work_summary
      .replaceAll('TESTS_OUTCOM', 'TESTS_STATUS')
      .replaceAll(' (see above)', ' '.repeat(12))
    if (project.bash.generation === 'v0.9') {
      delete view.analysis.has_compound_command_limitation
      delete view.analysis.compound_command_count
    }
    const { analysis: _, ...frame } = stored
    view.frame = frame
  }
  return view
}
