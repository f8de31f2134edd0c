// The circuit breaker: record_loop_result, reset_circuit_breaker, can_execute and show_circuit_status against circuit_breaker.

import { plain } from '../bash-ralph.mjs'
import { duel } from '../duel.mjs'

const MINUTE = 60_000

export const circuit = {
  name: 'circuit',
  async play(round) {
    const { random } = round
    const limits = {
      noProgressThreshold: random.weighted([
        [3, 3],
        [1, random.between(1, 5)],
      ]),
      sameErrorThreshold: random.weighted([
        [2, 5],
        [2, random.between(1, 3)],
      ]),
      permissionDenialThreshold: random.between(1, 3),
      cooldownMinutes: random.weighted([
        [2, 30],
        [1, random.between(0, 60)],
      ]),
    }
    const autoReset = random.chance(0.15)
    const project = round.open({
      variables: {
        CB_NO_PROGRESS_THRESHOLD: limits.noProgressThreshold,
        CB_SAME_ERROR_THRESHOLD: limits.sameErrorThreshold,
        CB_PERMISSION_DENIAL_THRESHOLD: limits.permissionDenialThreshold,
        CB_COOLDOWN_MINUTES: limits.cooldownMinutes,
        CB_AUTO_RESET: autoReset,
      },
      options: { ...limits, autoReset },
    })
    let loop = 0
    for (let n = 0; n < 16; n += 1) {
      project.wait(
        random.weighted([
          [5, random.between(0, 4)],
          [1, random.between(20, 90)],
        ]) * MINUTE,
      )
      // Bash resets at every initialisation, we once an instance: with a new instance for each step, it is the same.
      if (autoReset || random.chance(0.2)) project.start()
      if (random.chance(0.04)) damage(project, random)
      if (random.chance(0.03)) shiftOpening(project, random)
      const step = random.weighted([
        [8, 'record'],
        [2, 'check'],
        [2, 'status'],
        [1, 'reset'],
        [1, 'begin'],
      ])
      if (step === 'record') {
        loop = random.weighted([
          [9, loop + 1],
          [1, loop],
          [1, loop + 3],
        ])
        leaveAnalysis(project, random, loop)
        await duel(round, record(loop, limits, random))
      } else if (step === 'begin') {
        await project.call('circuitBreaker', { action: 'begin' })
      } else if (step === 'reset') {
        await duel(round, reset(random))
      } else {
        await duel(round, step === 'check' ? check() : status())
      }
    }
  },
}

/** What an analysis of this loop, mostly, may have left. */
function leaveAnalysis(project, random, loop) {
  if (random.chance(0.2)) return project.remove('.response_analysis')
  const flag = (share) => random.chance(share)
  const analysis = {
    has_completion_signal: flag(0.1),
    exit_signal: flag(0.05),
    files_modified: random.weighted([
      [8, 0],
      [1, 2],
      [1, '03'.slice(flag(0.5) ? 1 : 0)],
    ]),
    has_permission_denials: flag(0.15),
    asking_questions: flag(0.4),
  }
  analysis.files_modified = Number(analysis.files_modified)
  project.write('.response_analysis', JSON.stringify({ loop_number: random.chance(0.9) ? loop : loop - 1, analysis }))
}

function damage(project, random) {
  const state = project.read('.circuit_breaker_state') ?? '{}'
  project.write(
    ...random.pick([
      ['.circuit_breaker_state', state.slice(0, Math.floor(state.length / 2))],
      ['.circuit_breaker_state', 'not JSON\n'],
      ['.circuit_breaker_history', '[{"timestamp": '],
    ]),
  )
}

function shiftOpening(project, random) {
  const state = project.json('.circuit_breaker_state')
  if (state?.state !== 'OPEN' || project.bash.generation !== 'v0.11') return
  state.opened_at = random.pick(['2099-01-01T00:00:00+00:00', 'yesterday-ish'])
  project.write('.circuit_breaker_state', JSON.stringify(state))
}

const record = (loop, { sameErrorThreshold }, random) => ({
  name: 'circuit.record',
  input: {
    loop,
    filesChanged: random.weighted([
      [3, 0],
      [1, 2],
    ]),
    hasErrors: random.chance(0.35),
    sameErrorThreshold,
  },
  async bash(project, { loop, filesChanged, hasErrors }) {
    const args = [loop, filesChanged, hasErrors, 1234].map(String)
    const { status } = await project.inBash('record_loop_result "$@" >/dev/null', args)
    return { ...files(project), mayGoOn: status === 0 }
  },
  async ours(project, { loop, filesChanged, hasErrors }) {
    const answer = await project.call('circuitBreaker', { action: 'record', loopNumber: loop, filesChanged, hasErrors })
    return { answer, view: { ...files(project), mayGoOn: answer.canExecute } }
  },
})

/** As Ralph's loop begins. */
const check = () => ({
  name: 'circuit.check',
  input: {},
  readOnly: true,
  async bash(project) {
    const { status } = await project.inBash('init_circuit_breaker >/dev/null; can_execute')
    const { state } = files(project)
    return { canExecute: status === 0, state: state.state, reason: state.reason }
  },
  async ours(project) {
    const answer = await project.call('circuitBreaker', { action: 'check' })
    return { answer, view: { canExecute: answer.canExecute, state: answer.state, reason: answer.reason } }
  },
})

const status = () => ({
  name: 'circuit.status',
  input: {},
  readOnly: true,
  async bash(project) {
    const history = written(project)
    const { stdout } = await project.inBash('init_circuit_breaker >/dev/null; show_circuit_status')
    const shown = (label) => new RegExp(`^${label}:[ ]*#?(?:Loop #)?(.*)$`, 'm').exec(plain(stdout))?.[1]
    const number = (label) => Number.parseInt(shown(label), 10) || 0
    return {
      state: shown('State')?.split(' ').at(-1),
      reason: shown('Reason'),
      consecutiveNoProgress: number('Loops since progress'),
      lastProgressLoop: number('Last progress'),
      currentLoop: number('Current loop'),
      totalOpens: number('Total opens'),
      history,
    }
  },
  async ours(project) {
    const answer = await project.call('circuitBreaker', { action: 'status' })
    const { state, reason, consecutiveNoProgress, lastProgressLoop, currentLoop, totalOpens } = answer
    const history = answer.history.map(({ timestamp, loop, fromState, toState, reason }) => ({
      timestamp,
      loop,
      from_state: fromState,
      to_state: toState,
      reason,
    }))
    return {
      answer,
      view: { state, reason, consecutiveNoProgress, lastProgressLoop, currentLoop, totalOpens, history },
    }
  },
})

const reset = (random) => ({
  name: 'circuit.reset',
  input: {
    reason: random.weighted([
      [3, undefined],
      [3, 'fixed the build'],
      [1, 'said "enough"'],
    ]),
  },
  async bash(project, { reason }) {
    await project.inBash('reset_circuit_breaker "$@" >/dev/null', reason === undefined ? [] : [reason])
    return files(project)
  },
  async ours(project, { reason }) {
    const answer = await project.call('circuitBreaker', { action: 'reset', ...(reason && { reason }) })
    return { answer, view: files(project) }
  },
})

/** The last transitions before bash adds a recovery that is due, which we do with the next record. */
function written(project) {
  const history = project.json('.circuit_breaker_history')
  return Array.isArray(history) ? history.slice(-10) : []
}

/** The breaker's files, without the fields that only we have and those that bash leaves out at 0. */
function files(project) {
  const state = project.json('.circuit_breaker_state')
  if (state === undefined || state === null || typeof state !== 'object')
    return { state, history: project.json('.circuit_breaker_history') }
  const { consecutive_questions, recorded_loop, ...shared } = state
  if (project.bash.generation === 'v0.9') delete shared.opened_at
  return { state: { current_loop: 0, ...shared }, history: project.json('.circuit_breaker_history') ?? [] }
}
