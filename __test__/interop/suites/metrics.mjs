// metrics.jsonl (v0.11): track_metrics, print_metrics_summary and ralph-stats.sh against progress_reporter.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { plain } from '../bash-ralph.mjs'
import { duel } from '../duel.mjs'

export const metrics = {
  name: 'metrics',
  generations: ['v0.11'],
  async play(round) {
    const { random } = round
    const project = round.open({})
    for (let loop = 1; loop <= 6; loop += 1) {
      project.wait(random.between(1, 20) * 60_000)
      await duel(round, track(loop, random))
      await duel(round, summary())
    }
  },
}

const track = (loop, random) => ({
  name: 'metrics.track',
  input: { loop, duration: random.between(0, 900), success: random.chance(0.7), calls: random.between(0, 3) },
  async bash(project, { loop, duration, success, calls }) {
    await project.inBash('track_metrics "$@"', [loop, duration, success, calls].map(String))
    return { lines: project.read('logs/metrics.jsonl') }
  },
  async ours(project, { loop, duration, success, calls }) {
    const answer = await project.call('progressReporter', {
      action: 'update',
      loopCount: loop,
      loopDurationSeconds: duration,
      loopSucceeded: success,
      loopCalls: calls,
      message: 'loop done',
    })
    // Byte for byte: one line is appended to what is there.
    return { answer, view: { lines: project.read('logs/metrics.jsonl') } }
  },
})

const summary = () => ({
  name: 'metrics.summary',
  input: {},
  readOnly: true,
  async bash(project) {
    const stats = JSON.parse(
      execFileSync('bash', [join(project.bash.source, 'ralph-stats.sh')], { cwd: project.folder, encoding: 'utf8' }),
    )
    const { stderr } = await project.inBash('print_metrics_summary')
    const printed = JSON.parse(/Metrics summary: ([\s\S]*\})/.exec(plain(stderr))[1])
    const view = ({ total_loops, successful, avg_duration }) => ({
      total_loops,
      successful,
      average: avg_duration.toFixed(6),
    })
    return { stats: view(stats), printed: view(printed) }
  },
  async ours(project) {
    const answer = await project.call('progressReporter', { action: 'metrics' })
    const { totalLoops, successfulLoops, averageDuration } = answer.metrics
    const view = { total_loops: totalLoops, successful: successfulLoops, average: averageDuration.toFixed(6) }
    return { answer, view: { stats: view, printed: view } }
  },
})
