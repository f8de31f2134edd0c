// Where bash and we differ on purpose: section 7 of the contract ("Where we differ from bash on purpose"), as data.
//
// A row: `row` names the line of that table; `steps` where it can show; `when` whether it can show now. What bash would
// have to see for the same answer is `asIf`, which changes bash's copy of the project (or the step's input) before it
// runs again; where there is no such thing, `fields` lists what may differ and `ours` what our side must be then.
// `carry: 'ours'`: bash leaves files behind from which it cannot go on, so the round goes on with ours.

const OLD = 'v0.9'
const NEW = 'v0.11'
const BOTH = [OLD, NEW]

/** Whether the breaker sees an analysis at all: v0.9's does not. */
const otherLoop = ({ generation, before, input }) => {
  const analysis = before.json('.response_analysis')
  return generation === NEW && typeof analysis === 'object' && analysis.loop_number !== input.loop
}

const openedAt = (state) => {
  const text = state?.opened_at ?? state?.last_change
  return text === undefined ? Number.NaN : Date.parse(text)
}

const valid = (state) =>
  state !== null && typeof state === 'object' && ['CLOSED', 'HALF_OPEN', 'OPEN'].includes(state.state)

export const DIFFERENCES = [
  {
    row: 'next_reset',
    generations: BOTH,
    steps: ['status.update'],
    when: () => true,
    fields: ['next_reset'],
    ours: ({ ours }) => /^\d\d:[0-5]\d:00$/.test(ours.next_reset),
  },
  {
    row: 'increment at the limit',
    generations: BOTH,
    steps: ['rate.increment'],
    when: ({ bash, input }) => bash.count > input.maxCalls || (input.maxTokens > 0 && bash.tokens >= input.maxTokens),
    fields: ['count'],
    ours: ({ bash, ours, answer }) => answer.admitted === false && ours.count === bash.count - 1,
    carry: 'ours',
  },
  {
    row: "record with another loop's analysis",
    generations: [NEW],
    steps: ['circuit.record'],
    when: otherLoop,
    asIf: ({ project }) => project.remove('.response_analysis'),
  },
  {
    row: 'the same loop recorded or analysed twice',
    generations: BOTH,
    steps: ['circuit.record'],
    when: ({ before, input }) => before.json('.circuit_breaker_state')?.recorded_loop === input.loop,
    fields: ['state', 'history', 'mayGoOn'],
    ours: ({ before, after }) => before.read('.circuit_breaker_state') === after.read('.circuit_breaker_state'),
  },
  {
    row: 'the same loop recorded or analysed twice',
    generations: BOTH,
    steps: ['analyze'],
    when: ({ before, input }) =>
      Object.values(before.json('.exit_signals') ?? {}).some((list) => list.includes(input.loop)),
    fields: ['signals', 'reason'],
    // What bash wrote twice before stays as it is.
    ours: ({ ours, before, input }) => {
      const count = (list) => (list ?? []).filter((loop) => loop === input.loop).length
      const had = before.json('.exit_signals') ?? {}
      return Object.entries(ours.signals).every(([name, list]) => count(list) <= Math.max(1, count(had[name])))
    },
  },
  {
    row: 'the same loop recorded or analysed twice',
    generations: BOTH,
    steps: ['analyze'],
    // A loop's length is compared with the loop before, not with what an earlier analysis of itself has left.
    when: ({ before, input }) => !input.json && previousLength(before, input.loop) !== undefined,
    asIf: ({ project, input }) => {
      const length = previousLength(project, input.loop)
      // Bash divides by it.
      if (length > 0) project.write('.last_output_length', `${length}\n`)
      else project.remove('.last_output_length')
    },
  },
  {
    row: '(v0.11) same error in HALF_OPEN',
    generations: [NEW],
    steps: ['circuit.record'],
    when: ({ bash, input }) =>
      bash.state.state === 'HALF_OPEN' && bash.state.consecutive_same_error >= input.sameErrorThreshold,
    fields: ['state.state', 'state.reason', 'state.total_opens', 'state.opened_at', 'history', 'mayGoOn'],
    ours: ({ ours, bash }) =>
      ours.state.state === 'OPEN' &&
      ours.state.reason === `Same error repeated in ${bash.state.consecutive_same_error} consecutive loops`,
  },
  {
    row: '(v0.11) loops of questions',
    generations: [NEW],
    steps: ['circuit.record'],
    when: ({ before }) =>
      before.json('.response_analysis')?.analysis?.asking_questions === true &&
      before.json('.circuit_breaker_state')?.consecutive_questions >= 5,
    asIf: ({ project }) => {
      const analysis = project.json('.response_analysis')
      if (typeof analysis !== 'object') return
      analysis.analysis.asking_questions = false
      project.write('.response_analysis', JSON.stringify(analysis))
    },
  },
  {
    row: '(v0.11) opened_at in the future or unreadable',
    generations: [NEW],
    steps: ['circuit.record'],
    when: ({ before }) => {
      const state = before.json('.circuit_breaker_state')
      const instant = Date.parse(state?.opened_at)
      return state?.state === 'OPEN' && (Number.isNaN(instant) || instant > before.now)
    },
    fields: ['state.opened_at', 'state.state', 'state.reason', 'history', 'mayGoOn', 'state'],
    ours: ({ before, ours }) => {
      const state = before.json('.circuit_breaker_state')
      const written = [state.opened_at, state.last_change]
        .map((text) => Date.parse(text))
        .find((instant) => !Number.isNaN(instant))
      // One in the future begins now; an unreadable one is the last change.
      const since =
        Number.isNaN(written ?? Number.NaN) || written > before.now ? Math.floor(before.now / 1000) * 1000 : written
      return ours.state.state !== 'OPEN' || openedAt(ours.state) === since
    },
  },
  {
    row: '(v0.11) opened_at in the future or unreadable',
    generations: [NEW],
    steps: ['circuit.check', 'circuit.status'],
    when: ({ before }) => {
      const state = before.json('.circuit_breaker_state')
      const instant = Date.parse(state?.opened_at)
      return state?.state === 'OPEN' && (Number.isNaN(instant) || instant > before.now)
    },
    fields: ['state', 'reason', 'canExecute'],
    ours: ({ ours }) => ['OPEN', 'HALF_OPEN'].includes(ours.state),
  },
  {
    row: 'damaged, empty or hostile state files',
    generations: BOTH,
    steps: ['circuit.record', 'circuit.check', 'circuit.status'],
    when: ({ before }) => {
      const state = before.json('.circuit_breaker_state')
      const history = before.json('.circuit_breaker_history')
      return (state !== undefined && !valid(state)) || (history !== undefined && !Array.isArray(history))
    },
    asIf: ({ project }) => {
      if (!valid(project.json('.circuit_breaker_state'))) project.remove('.circuit_breaker_state')
      if (!Array.isArray(project.json('.circuit_breaker_history'))) project.remove('.circuit_breaker_history')
    },
    carry: 'ours',
  },
  {
    row: 'quotes in reasons and statuses',
    generations: BOTH,
    steps: ['circuit.reset', 'status.update'],
    when: ({ input }) => JSON.stringify(input).includes('\\"') || JSON.stringify(input).includes('\\\\'),
    fields: [''],
    ours: ({ ours }) => typeof (ours.state ?? ours) === 'object',
    carry: 'ours',
  },
  {
    row: 'quotes in reasons and statuses',
    generations: [OLD],
    steps: ['analyze'],
    when: ({ bash }) => typeof bash.analysis === 'string',
    fields: [''],
    ours: ({ ours }) => typeof ours.analysis === 'object',
    carry: 'ours',
  },
  {
    row: 'tasks',
    generations: BOTH,
    steps: ['exit.check', 'plan.count', 'plan.tick', 'analyze'],
    when: ({ input }) => input.exoticPlan === true,
    fields: ['reason', 'completed', 'blocking', 'complete'],
    ours: () => true,
  },
  {
    row: 'keys of the status block',
    generations: BOTH,
    steps: ['analyze'],
    when: ({ input }) => input.has?.otherStatusKey,
    asIf: ({ input }) => ({ ...input, text: input.text.replaceAll('TESTS_STATUS', 'TESTS_OUTCOM') }),
  },
  {
    row: '(v0.11) lists of signals',
    generations: [NEW],
    steps: ['analyze'],
    when: () => true,
    fields: ['signals', 'reason'],
    ours: ({ ours, input }) =>
      Object.values(ours.signals).every(
        (list) =>
          list.every((loop, index) => index === 0 || loop === list[index - 1] + 1) &&
          (list.length === 0 || list.includes(input.loop)),
      ),
  },
  {
    row: '(v0.11) an explicit EXIT_SIGNAL: false',
    generations: [NEW],
    steps: ['analyze'],
    when: ({ input }) => input.has?.exitSignal === 'false' && !input.json,
    fields: ['analysis.has_completion_signal'],
    ours: ({ ours, input }) => ours.analysis.has_completion_signal === (input.has.status === 'COMPLETE'),
  },
  {
    row: '(v0.11) done in prose while tasks block; "complete" inside the block\'s own keys',
    generations: [NEW],
    steps: ['analyze'],
    when: ({ bash, input }) =>
      !input.json && bash.analysis.has_completion_signal === true && (input.openTasks > 0 || input.has?.block),
    fields: ['analysis.has_completion_signal'],
    ours: ({ ours }) => ours.analysis.has_completion_signal === false,
  },
  {
    row: '(v0.11) STATUS: COMPLETE with EXIT_SIGNAL: false in JSON',
    generations: [NEW],
    steps: ['analyze'],
    // In text too, as far as has_progress goes: "the block says so" (section 6).
    when: ({ input }) => input.has?.block && input.has.status === 'COMPLETE' && input.has.exitSignal === 'false',
    fields: ['analysis.has_completion_signal', 'analysis.has_progress'],
    ours: ({ ours: { analysis }, input }) =>
      analysis.exit_signal === false &&
      (input.has.isError || (analysis.has_completion_signal && analysis.has_progress)),
  },
  {
    row: '(v0.11) WORK_TYPE: TESTING, FILES_MODIFIED in a block',
    generations: [NEW],
    steps: ['analyze'],
    when: ({ input }) => input.has?.workType === 'TESTING',
    fields: ['analysis.is_test_only', 'analysis.work_summary'],
    ours: ({ ours, input }) =>
      ours.analysis.is_test_only ===
      (!input.has.isError && input.has.tasksCompleted === 0 && ours.analysis.files_modified === 0),
  },
  {
    row: '(v0.11) WORK_TYPE: TESTING with files modified or tasks completed',
    generations: [NEW],
    steps: ['analyze'],
    when: ({ input, bash }) => bash.analysis.is_test_only && input.has?.filesModified > 0,
    fields: ['analysis.is_test_only', 'analysis.work_summary'],
    ours: ({ ours }) => ours.analysis.is_test_only === false,
  },
  {
    row: '(v0.11) values in the block such as EXIT_SIGNAL: true (all done)',
    generations: BOTH,
    steps: ['analyze'],
    when: ({ input }) => input.has?.explained && input.has.exitSignal,
    // As long as before: lengths are compared.
    asIf: ({ input }) => ({ ...input, text: input.text.replaceAll(' (see above)', ' '.repeat(12)) }),
  },
  {
    row: '(v0.11) "not finished yet" in prose',
    generations: [NEW],
    steps: ['analyze'],
    when: ({ input }) => !input.json && input.has?.kinds?.includes('negated'),
    fields: ['analysis.has_completion_signal'],
    ours: ({ ours, bash, input }) =>
      ours.analysis.has_completion_signal === bash.analysis.has_completion_signal ||
      !input.has.kinds.some((kind) => kind === 'done' || kind === 'nothing'),
  },
  {
    row: '(v0.11) AskUserQuestion or ExitPlanMode as the only denials',
    generations: [NEW],
    steps: ['analyze'],
    when: ({ input }) => input.has?.asked,
    fields: ['analysis.has_permission_denials', 'analysis.asking_questions', 'analysis.question_count', 'reason'],
    ours: ({ ours }) => !ours.analysis.has_permission_denials && ours.analysis.asking_questions,
  },
  {
    row: '(v0.11) WORK_TYPE: TESTING, FILES_MODIFIED in a block',
    generations: [NEW],
    steps: ['analyze'],
    when: ({ input }) => input.has?.filesModified > 0,
    fields: ['analysis.files_modified', 'analysis.has_progress'],
    ours: ({ ours, bash, input }) =>
      ours.analysis.has_progress === true &&
      ours.analysis.files_modified === (bash.analysis.files_modified || input.has.filesModified),
  },
  {
    row: '(v0.11) is_error: true',
    generations: [NEW],
    steps: ['analyze'],
    when: ({ input }) => input.has?.isError,
    fields: [
      'analysis.has_completion_signal',
      'analysis.exit_signal',
      'analysis.confidence_score',
      'session',
      'signals',
    ],
    ours: ({ ours, before }) =>
      !ours.analysis.has_completion_signal && !ours.analysis.exit_signal && ours.session === sessionOf(before),
  },
  {
    row: '(v0.11) denied `a && b`',
    generations: [NEW],
    steps: ['analyze'],
    when: ({ input }) => input.has?.denials?.includes('git push && rm -rf x'),
    fields: [
      'analysis.has_compound_command_limitation',
      'analysis.compound_command_count',
      'analysis.has_permission_denials',
      'reason',
    ],
    ours: ({ ours }) => ours.analysis.has_permission_denials && ours.reason === 'permission_denied',
  },
  {
    row: "(v0.11) Ralph's own files in git",
    generations: [NEW],
    steps: ['analyze'],
    when: ({ input }) => input.tracked,
    asIf: ({ project }) => project.hideOwnFiles(),
  },
]

function sessionOf(project) {
  const file = project.json('.claude_session_id')
  return typeof file === 'object' ? file.session_id : undefined
}

/** What the length of this loop's output was compared with, where we have analysed it before. */
function previousLength(project, loop) {
  const stored = project.json('.response_analysis')
  return stored?.loop_number === loop ? stored.analysis?.previous_output_length : undefined
}
