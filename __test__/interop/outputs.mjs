// What Claude may have written in a loop, and what is in it that section 7 of the contract cares about.

const PROSE = {
  neutral: ['I looked at the parser.', 'The next step is the lexer.', 'Some notes on the design follow.'],
  negated: ['The work is not finished yet.', 'I could not complete step 2.', 'It is not done.'],
  done: ['The work is done.', 'Everything is finished now.', 'Ready for review: all tasks complete.'],
  nothing: ['There is nothing to do.', 'The file is already implemented.', 'The branch is up to date with main.'],
  tests: ['npm test', 'Running tests with pytest', '$ jest --watch'],
  work: ['Implementing the parser.', 'Adding a function for it.', 'Creating class Parser'],
  errors: ['Error: cannot open file', 'FATAL: out of memory', 'NullPointerException at line 3'],
  summary: ['Summary: the parser reads numbers', 'I have implemented the lexer in src/lexer.rs'],
  questions: ['Should I go on with the lexer?', 'Which approach do you prefer for errors?'],
}

/** A text and its features: `has.block`, `has.status`, `has.exitSignal`, … */
export function text(random, { generation }) {
  const kinds = random.some(
    ['neutral', 'negated', 'work', 'tests', 'summary', 'done', 'nothing', 'errors', 'questions'],
    random.between(1, 4),
  )
  const lines = kinds.map((kind) => random.pick(PROSE[kind]))
  if (random.chance(0.1)) lines.push(...random.some(PROSE.errors, 7))
  if (generation === 'v0.9' && random.chance(0.1)) lines.push('Summary: it says "hello"')
  const has = { kinds }
  if (random.chance(0.6)) lines.push(...block(random, has))
  return { text: `${lines.join('\n')}\n`, json: false, has }
}

function block(random, has) {
  has.block = true
  has.status = random.pick(['IN_PROGRESS', 'IN_PROGRESS', 'COMPLETE', 'BLOCKED'])
  has.exitSignal = random.pick(['true', 'false', 'false', undefined])
  has.explained = random.chance(0.2)
  has.tasksCompleted = random.pick([0, 1])
  has.workType = random.pick([undefined, 'IMPLEMENTATION', 'TESTING'])
  has.filesModified = random.pick([undefined, 0, 3])
  has.otherStatusKey = random.chance(0.2)
  const keys = [
    ['STATUS', has.status],
    ['TASKS_COMPLETED_THIS_LOOP', has.tasksCompleted],
    ['FILES_MODIFIED', has.filesModified],
    ['TESTS_STATUS', has.otherStatusKey ? 'PASSING' : undefined],
    ['WORK_TYPE', has.workType],
    ['EXIT_SIGNAL', has.exitSignal && (has.explained ? `${has.exitSignal} (see above)` : has.exitSignal)],
    ['RECOMMENDATION', 'go on with the lexer'],
  ].filter(([, value]) => value !== undefined)
  // Bash reads on to the text's end where the end mark is another.
  const end = random.weighted([
    [6, ['---END_RALPH_STATUS---']],
    [1, ['---END_STATUS---']],
    [1, []],
  ])
  return ['---RALPH_STATUS---', ...keys.map(([key, value]) => `${key}: ${value}`), ...end]
}

/** A JSON output of one of the forms that bash reads too. */
export function json(random) {
  const inner = text(random, { generation: 'v0.11' })
  const { has } = inner
  has.isError = random.chance(0.1)
  has.session = random.chance(0.7) ? `session-${random.between(1, 9)}` : undefined
  const result = { type: 'result', subtype: 'success', is_error: has.isError, result: inner.text }
  if (has.session) result.session_id = has.session
  if (random.chance(0.5))
    result.usage = { input_tokens: random.between(0, 2000), output_tokens: random.between(0, 500) }
  if (random.chance(0.2)) {
    has.denials = random.some(
      ['git push && rm -rf x', 'make all', 'npm test | tail', 'git add .'],
      random.between(1, 2),
    )
    has.asked = random.chance(0.2)
    result.permission_denials = has.asked
      ? [{ tool_name: random.pick(['AskUserQuestion', 'ExitPlanMode']), tool_input: {} }]
      : has.denials.map((command) => ({ tool_name: 'Bash', tool_input: { command } }))
  }
  if (random.chance(0.2)) {
    has.metadata = true
    result.metadata = {
      files_changed: random.between(0, 2),
      has_errors: false,
      completion_status: random.pick(['in_progress', 'complete']),
    }
  }
  const form = random.pick(['object', 'array', 'flat'])
  if (form === 'array') {
    const value = [
      { type: 'system', subtype: 'init', session_id: has.session ?? 'session-init' },
      { type: 'assistant', message: {} },
      result,
    ]
    return { text: JSON.stringify(value), json: true, form, has: { ...has, session: has.session ?? 'session-init' } }
  }
  if (form === 'flat') {
    const flat = {
      status: random.pick(['IN_PROGRESS', 'COMPLETE']),
      work_type: random.pick(['IMPLEMENTATION', 'TEST_ONLY']),
      files_modified: random.between(0, 3),
      error_count: random.pick([0, 0, 7]),
      summary: 'Worked on it',
      confidence: random.between(0, 60),
    }
    if (random.chance(0.6)) flat.exit_signal = random.chance(0.5)
    const exitSignal = flat.exit_signal === undefined ? undefined : String(flat.exit_signal)
    return { text: JSON.stringify(flat), json: true, form, has: { status: flat.status, exitSignal, flat: true } }
  }
  return { text: JSON.stringify(result), json: true, form, has }
}
