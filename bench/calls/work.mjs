// The project on which calls are measured, and the calls: each one as ours and as the peer's, with its goals.

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const TASKS = 40

export const FILES = {
  '.ralph/fix_plan.md': `# Plan\n\n## Work\n${Array.from({ length: TASKS }, (_, n) => `- [${n < 15 ? 'x' : ' '}] Task number ${n} of the plan, in a few words\n`).join('')}`,
  '.ralph/PROMPT.md': '# Prompt\n',
}

/** An output of some 20 KB that says little: what most loops say. */
function text(number) {
  const lines = Array.from(
    { length: 330 },
    (_, n) => `Step ${number}.${n}: looked at the module and changed a line of it.`,
  )
  return `${lines.join('\n')}\n---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nTASKS_COMPLETED_THIS_LOOP: 1\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---\n`
}

function json(number) {
  return JSON.stringify({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: text(number),
    session_id: `s${number}`,
  })
}

/** Another writer's count, so that no reading call finds what it has read before. */
function anotherCount(folder, number) {
  const path = join(folder, '.ralph', '.call_count')
  writeFileSync(`${path}.bench`, `${number % 50}\n`)
  renameSync(`${path}.bench`, path)
}

function anotherSignal(folder, number) {
  const path = join(folder, '.ralph', '.exit_signals')
  writeFileSync(
    `${path}.bench`,
    JSON.stringify({ test_only_loops: [number], done_signals: [], completion_indicators: [] }),
  )
  renameSync(`${path}.bench`, path)
}

/** `goal`: at most so many times T; `peer`: the peer takes at least so many times as long. Before each call `vary` runs, untimed. */
export const CALLS = [
  {
    name: 'rate check',
    goal: 1.4,
    peer: 3.5,
    vary: anotherCount,
    ours: (tools) => tools.rateLimit({ action: 'check' }),
    theirs: (peer) => peer.checkRate(),
  },
  {
    name: 'exit check',
    goal: 2,
    peer: 7,
    vary: anotherSignal,
    ours: (tools) => tools.exitDetection({ action: 'check' }),
    theirs: (peer) => peer.checkExit(),
  },
  {
    name: 'increment',
    goal: 3.3,
    peer: 14,
    ours: (tools) => tools.rateLimit({ action: 'increment' }),
    theirs: (peer) => peer.increment(),
  },
  {
    name: 'record',
    goal: 3.8,
    peer: 14,
    ours: (tools, loopNumber) =>
      tools.circuitBreaker({ action: 'record', loopNumber, filesChanged: loopNumber % 2, hasErrors: false }),
    theirs: (peer, number) => peer.record(number, number % 2),
  },
  {
    name: 'status update',
    goal: 4.5,
    peer: 7,
    ours: (tools, loopCount) =>
      tools.progressReporter({ action: 'update', loopCount, status: 'running', lastAction: 'executing' }),
    theirs: (peer, number) => peer.update(number),
  },
  {
    name: 'analyze 20 KB text',
    goal: 7,
    peer: 10,
    ours: (tools, loopNumber) =>
      tools.exitDetection({ action: 'analyze', output: text(loopNumber), loopNumber, filesChanged: 1 }),
    theirs: (peer, number) => peer.analyze(text(number), number),
  },
  {
    name: 'analyze 20 KB JSON',
    goal: 8,
    peer: 8,
    ours: (tools, loopNumber) =>
      tools.exitDetection({ action: 'analyze', output: json(loopNumber), loopNumber, filesChanged: 1 }),
    theirs: (peer, number) => peer.analyze(json(number), number),
  },
]
