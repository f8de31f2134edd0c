// kill -9 in the middle of every writing action: no answered call is lost, no file is half, nothing is left behind.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { call, PLAN, RalphTools, WRITING } from '../calls.mjs'

const WRITER = fileURLToPath(new URL('../writer.mjs', import.meta.url))
const JSON_FILES = [
  '.exit_signals',
  '.response_analysis',
  '.circuit_breaker_state',
  '.circuit_breaker_history',
  'status.json',
]

export const kills = {
  name: 'kills',
  what: 'kill -9 in every writing action',
  async round({ random, project }) {
    const writing = random.pick(WRITING)
    const folder = project()
    const state = join(folder, '.ralph')
    writeFileSync(join(state, 'fix_plan.md'), PLAN)
    const child = spawn(process.execPath, [WRITER, folder, JSON.stringify(writing)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
    })
    await once(child.stdout, 'data')
    await new Promise((resolve) => setTimeout(resolve, random.next() * 30))
    child.kill('SIGKILL')
    await once(child, 'close')
    const answered = said.split('\n').filter((line) => line.endsWith('.')).length

    const ralph = new RalphTools({ projectDir: folder, maxCallsPerHour: 1e9 })
    for (const name of readdirSync(state)) {
      assert.ok(!name.includes('.corrupt-'), `${name} after ${writing.tool} ${writing.action}`)
      if (JSON_FILES.includes(name)) JSON.parse(readFileSync(join(state, name), 'utf8'))
    }
    if (writing.tool === 'rate_limit' && writing.action === 'increment') {
      const counted = Number(readFileSync(join(state, '.call_count'), 'utf8'))
      assert.ok(counted >= answered, `${counted} calls are counted, ${answered} were answered`)
    }
    const plan = readFileSync(join(state, 'fix_plan.md'), 'utf8')
    const marks = plan.replaceAll(/\[[ x]\]/g, '[ ]')
    if (writing.action !== 'add') assert.equal(marks, PLAN.replaceAll('[x]', '[ ]'), 'the plan is whole')
    else assert.ok(plan.endsWith('\n') && marks.startsWith(PLAN.slice(0, 20)), 'the plan is whole')
    // The next writer takes the lock at once, and clears what was left.
    const { warnings } = await call(ralph, { tool: 'rate_limit', input: { action: 'increment' } })
    assert.equal(warnings, undefined)
    const left = readdirSync(state).filter((name) => name.startsWith('.ralph-tools-tmp'))
    assert.deepEqual(left, [])
    return 1
  },
}
