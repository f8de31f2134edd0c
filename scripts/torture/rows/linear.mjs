// Every pattern takes time in proportion to its length: four times the input may take up to ten times as long, not sixteen.

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, outcome, RalphTools } from '../calls.mjs'

const repeat = (text) => (bytes) => text.repeat(Math.ceil(bytes / text.length))
const PATTERNS = [
  ...[
    'a',
    ' ',
    '\n',
    '- [ ] ',
    '- [ ] x\n',
    '> ',
    '# ',
    '`',
    '```\n',
    '<!--',
    '*',
    '[',
    '(',
    '\\',
    '{',
    '[[],',
    '"',
    '\u001b[',
    'é',
  ],
  ...[
    '---RALPH_STATUS---\n',
    'EXIT_SIGNAL: true\n',
    'Error: x\n',
    'is not done. ',
    '<promise>',
    '{"type":"result"}\n',
    '\r\n',
    '\b',
  ],
  ...["You've hit your limit · resets 5pm\n", '- [ ] ABC-1: x\n', '1. [ ] [a-1] y\n', 'a && b; c || d\n'],
].map((text) => ({ text, make: repeat(text) }))
const SMALL = 128 << 10

export const linear = {
  name: 'linear',
  what: 'linear time of every pattern',
  async round({ random, project }) {
    const { text, make } = random.pick(PATTERNS)
    const time = async (bytes) => {
      const folder = project()
      mkdirSync(join(folder, '.ralph', 'logs'))
      writeFileSync(join(folder, '.ralph', 'fix_plan.md'), make(bytes))
      writeFileSync(join(folder, '.ralph', 'logs', 'metrics.jsonl'), make(bytes))
      const ralph = new RalphTools({ projectDir: folder })
      const started = process.hrtime.bigint()
      await outcome(
        call(ralph, { tool: 'exit_detection', input: { action: 'analyze', output: make(bytes), filesChanged: 0 } }),
      )
      await outcome(call(ralph, { tool: 'task_planner', input: { action: 'progress' } }))
      await outcome(call(ralph, { tool: 'progress_reporter', input: { action: 'metrics' } }))
      return Number(process.hrtime.bigint() - started) / 1e6
    }
    // The least of three: another program may have had the processor.
    const least = async (bytes) => Math.min(await time(bytes), await time(bytes), await time(bytes))
    const [small, large] = [await least(SMALL), await least(SMALL * 4)]
    assert.ok(
      large < small * 10 + 60,
      `${JSON.stringify(text)}: ${small.toFixed(1)} ms, four times as long ${large.toFixed(1)} ms`,
    )
    return 1
  },
}
