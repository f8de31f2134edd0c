// Every action of every tool, with inputs that it takes: from the tools' own definitions, so that a new one is tried too.

import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
export const { RalphTools, RalphToolError, toolDefinitions } = require('../../index.js')

export const METHODS = {
  rate_limit: 'rateLimit',
  exit_detection: 'exitDetection',
  circuit_breaker: 'circuitBreaker',
  task_planner: 'taskPlanner',
  progress_reporter: 'progressReporter',
}

/** What an action needs, or what makes it do more. */
const FIELDS = {
  'rate_limit increment': { tokens: 5 },
  'exit_detection analyze': {
    output: 'Done. Error: no\n---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n',
    filesChanged: 1,
  },
  'circuit_breaker record': { filesChanged: 0 },
  'task_planner update': { taskId: 't-1' },
  'task_planner add': { description: 'One more' },
  'progress_reporter update': {
    status: 'running',
    lastAction: 'executing',
    message: 'Hello',
    loopDurationSeconds: 1,
    loopSucceeded: true,
  },
}

/** `{ tool, action, input }` for every action. */
export const CALLS = toolDefinitions().flatMap(({ name, actions }) =>
  actions.map(({ name: action }) => ({ tool: name, action, input: { action, ...FIELDS[`${name} ${action}`] } })),
)

export const READING = /^(check|status|signals|read|progress|metrics)$/
export const WRITING = CALLS.filter(({ action }) => !READING.test(action))
export const PLAN = '# Plan\n\n## One\n\n- [ ] [t-1] First\n- [ ] Second\n- [x] Third\n'

export const call = (ralph, { tool, input }) => ralph[METHODS[tool]](input)

/** What a call comes to; anything but an answer or an error of ours is a failure. */
export async function outcome(promise) {
  try {
    return { answer: await promise }
  } catch (error) {
    if (!(error instanceof RalphToolError) || error.code === 'INTERNAL') throw error
    return { error }
  }
}
