// status.json and the log: update_status, log_status and the monitor's screen against progress_reporter.

import { plain } from '../bash-ralph.mjs'
import { duel } from '../duel.mjs'

const MINUTE = 60_000

/** Ralph's own words: status, last action, reason. */
const WORDS = [
  ['running', 'executing', ''],
  ['success', 'completed', ''],
  ['completed', 'graceful_exit', 'plan_complete'],
  ['halted', 'circuit_breaker_open', 'stagnation_detected'],
  ['halted', 'permission_denied', 'permission_denied'],
  ['paused', 'api_limit', ''],
  ['stopped', 'interrupted', ''],
  ['error', 'failed', ''],
]

export const status = {
  name: 'status',
  async play(round) {
    const { random, bash } = round
    const maxCalls = random.between(1, 200)
    const maxTokens = random.pick([0, 5000])
    const project = round.open({
      variables: { MAX_CALLS_PER_HOUR: maxCalls, MAX_TOKENS_PER_HOUR: maxTokens },
      options: { maxCallsPerHour: maxCalls, maxTokensPerHour: maxTokens },
    })
    project.write('.last_reset', `${hour(project)}\n`)
    project.write('.call_count', `${random.between(0, maxCalls)}\n`)
    if (bash.generation === 'v0.11') project.write('.token_count', `${random.between(0, 9000)}\n`)
    for (let n = 1; n <= 6; n += 1) {
      // Within the hour: what a later one makes of the counters is the rate suite's matter.
      project.now += Math.min(random.between(0, 4) * MINUTE, 1_800_000 - (project.now % 1_800_000) - 1000)
      await duel(round, update(n, random, maxCalls))
      if (random.chance(0.6)) await shown(project, maxCalls)
    }
  },
}

/** The local hour's key. */
function hour(project) {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: project.tz,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(project.now)
  return ['year', 'month', 'day', 'hour'].map((type) => parts.find((part) => part.type === type).value).join('')
}

const update = (loop, random, maxCalls) => {
  const [state, action, reason] = random.pick(WORDS)
  const quoted = random.chance(0.1)
  return {
    name: 'status.update',
    input: {
      loop,
      calls: random.between(0, maxCalls),
      action: quoted ? 'said "no"' : action,
      state,
      reason,
      message: random.pick(['=== Starting Loop #1 ===', 'Call counter reset', 'ends with %s and \\ and ü']),
      level: random.pick(['INFO', 'WARN', 'ERROR', 'SUCCESS', 'LOOP']),
    },
    async bash(project, { loop, calls, action, state, reason, message, level }) {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash's
      await project.inBash('update_status "${@:1:5}"; log_status "$6" "$7" >/dev/null 2>&1', [
        String(loop),
        String(calls),
        action,
        state,
        reason,
        level,
        message,
      ])
      return view(project)
    },
    async ours(project, { loop, calls, action, state, reason, message, level }) {
      const answer = await project.call('progressReporter', {
        action: 'update',
        loopCount: loop,
        callsMade: calls,
        lastAction: action,
        status: state,
        exitReason: reason,
        message,
        level,
      })
      return { answer, view: view(project) }
    },
  }
}

function view(project) {
  const status = project.json('status.json')
  const log = project.read('logs/ralph.log')?.split('\n').filter(Boolean).at(-1)
  if (typeof status !== 'object') return { status, log }
  // A sandbox is none of ours: kept where bash wrote one.
  const { sandbox, ...shared } = status
  return { ...shared, log }
}

/** jq and the monitor read what is there now, whoever wrote it. */
async function shown(project, maxCalls) {
  const { loop_count, calls_made_this_hour, status } = project.json('status.json')
  const file = `"$STATUS_FILE"`
  const { stdout, status: code } = await project.inBash(
    `jq -e -r '.timestamp, .next_reset, .exit_reason, .last_action' ${file} && display_status`,
  )
  const screen = plain(stdout)
  for (const expected of [
    `#${loop_count}`,
    status,
    `${calls_made_this_hour}/${maxCalls}`,
    project.read('logs/ralph.log').trim().split('\n').at(-1),
  ]) {
    if (code !== 0 || !screen.includes(expected)) throw new Error(`the monitor does not show ${expected}:\n${screen}`)
  }
}
