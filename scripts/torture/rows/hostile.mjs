// State files, plans and outputs that somebody made to do harm: every action answers, or refuses with an error of ours, soon;
// nothing of them is run, and what was damaged is kept.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CALLS, call, outcome, PLAN, RalphTools } from '../calls.mjs'

const NAMES = [
  '.call_count',
  '.token_count',
  '.last_reset',
  '.exit_signals',
  '.response_analysis',
  '.last_output_length',
  '.claude_session_id',
  '.loop_start_sha',
  '.circuit_breaker_state',
  '.circuit_breaker_history',
  'status.json',
  'progress.json',
  'fix_plan.md',
  'logs/ralph.log',
  'logs/metrics.jsonl',
  'logs/claude_output_1.log',
  '../.ralphrc',
]

const CONTENTS = [
  (marker) => `a[$(touch ${marker})]`,
  (marker) => `$(touch ${marker})\n\`touch ${marker}\``,
  (marker) => `MAX_CALLS_PER_HOUR=$(touch ${marker})\nX=(a b)\nif true; then touch ${marker}; fi\n`,
  () => '[[],'.repeat(300_000),
  () => `{"state":"OPEN","reason":"${'x'.repeat(2 << 20)}"}`,
  () => '{"state":"OPEN","total_opens":1e308,"current_loop":-1}',
  () => '9'.repeat(100_000),
  () => `${'\0'.repeat(5000)}\uFEFF`,
  () => '\u001b]0;title\u0007\u001b[2J\u009b31m',
  () => '- [ ] '.repeat(50_000),
  () => `${'#'.repeat(100_000)} x\n${'>'.repeat(100_000)} - [ ] y\n`,
  () => '```\n<!--\n'.repeat(20_000),
  () => '--help\n-rf\n--upload-pack=touch x\n',
  () => '---RALPH_STATUS---\n'.repeat(50_000),
  () => `${'{"type":"result","result":"'.repeat(2000)}`,
  () => '',
]

export const hostile = {
  name: 'hostile',
  what: 'hostile files',
  async round({ random, project }) {
    const folder = project()
    const state = join(folder, '.ralph')
    const marker = join(folder, 'executed')
    mkdirSync(join(state, 'logs'))
    writeFileSync(join(state, 'fix_plan.md'), PLAN)
    for (const name of NAMES) {
      if (!random.chance(0.3)) continue
      const path = join(state, name)
      const kind = random.below(10)
      if (kind === 0 && process.platform !== 'win32') spawnSync('mkfifo', [path])
      else if (kind === 1 && name !== 'fix_plan.md') mkdirSync(path, { recursive: true })
      else if (kind === 2 && name !== 'fix_plan.md')
        symlinkSync(random.pick(['/etc/hostname', 'nowhere', '.', path]), path)
      else writeFileSync(path, random.pick(CONTENTS)(marker))
    }
    const opened = await outcome(
      Promise.resolve().then(() => new RalphTools({ projectDir: folder, lockTimeoutMs: 2000 })),
    )
    if (opened.error) return 1
    const started = Date.now()
    for (const one of CALLS) await outcome(call(opened.answer, one))
    assert.ok(Date.now() - started < 60_000, `${CALLS.length} calls took ${Date.now() - started} ms`)
    assert.ok(!existsSync(marker), 'something was executed')
    assert.ok(readdirSync(folder).length <= 3, `only ours is there: ${readdirSync(folder)}`)
    return CALLS.length
  },
}
