// Bash and several processes of ours at the same time. Bash takes no lock, so its lost updates are to be expected; what
// must hold: nobody finds a damaged file, we never set one of bash's aside that was only being rewritten, and no
// answer of ours admits beyond the limit.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const OURS = `
import { createRequire } from 'node:module'
const require = createRequire(process.argv[1])
const { RalphTools } = require('./index.js')
const [, , projectDir, layout, max, rounds, first] = process.argv
const tools = new RalphTools({ projectDir, layout, maxCallsPerHour: Number(max), noProgressThreshold: 1000000, lockTimeoutMs: 60000, ralphHome: '/nonexistent', logLevel: 'off' })
const seen = { admitted: 0, over: 0, warnings: [] }
for (let n = 0; n < Number(rounds); n += 1) {
  const call = await tools.rateLimit({ action: 'increment' })
  if (call.admitted) seen.admitted += 1
  if (call.admitted && call.currentCount > Number(max)) seen.over += 1
  await tools.circuitBreaker({ action: 'begin' })
  const recorded = await tools.circuitBreaker({ action: 'record', loopNumber: Number(first) + n, filesChanged: 0, hasErrors: false })
  const status = await tools.circuitBreaker({ action: 'status' })
  for (const { warnings = [] } of [call, recorded, status]) seen.warnings.push(...warnings)
}
console.log(JSON.stringify(seen))
`

/** One loop after another of bash's: the counter, the breaker, and a read of each file by jq. */
const BASH = `
CB_NO_PROGRESS_THRESHOLD=1000000
for (( n = 0; n < $1; n++ )); do
  init_call_tracking >/dev/null 2>&1
  if can_make_call; then increment_call_counter >/dev/null; fi
  record_loop_result "$n" 0 false 10 >/dev/null || echo "open"
  [[ "$(cat "$CALL_COUNT_FILE")" =~ ^[0-9]+$ ]] || echo "no count"
  jq -e .state "$CB_STATE_FILE" >/dev/null || echo "bad state"
  jq -e length "$CB_HISTORY_FILE" >/dev/null || echo "bad history"
done
`

export const together = {
  name: 'together',
  rounds: 3,
  async play(round) {
    const { bash, random } = round
    const project = round.open({})
    const max = random.pick([20, 1000])
    const state = join(project.folder, bash.state)
    const [theirs, ...ours] = await Promise.all([
      bash.run(BASH, { cwd: project.folder, args: ['12'], variables: { MAX_CALLS_PER_HOUR: max } }),
      ...[1, 2, 3].map((n) => own(project.folder, bash.layout, max, 60, n * 1000)),
    ])
    const complaints = theirs.stdout.split('\n').filter(Boolean)
    if (complaints.length > 0 || /syntax error|parse error/.test(theirs.stderr)) {
      throw new Error(`bash found ${complaints.join(', ')}\n${theirs.stderr}`)
    }
    const aside = readdirSync(state).filter((name) => name.includes('.corrupt-'))
    const contents = aside.map((name) => `${name}: ${JSON.stringify(readFileSync(join(state, name), 'utf8'))}`)
    if (aside.length > 0) throw new Error(`set aside, though bash was only rewriting it: ${contents.join('\n')}`)
    const over = ours.reduce((sum, seen) => sum + seen.over, 0)
    if (over > 0) throw new Error(`${over} answers of ours were beyond the limit of ${max}`)
    const warnings = [...new Set(ours.flatMap((seen) => seen.warnings))]
    if (warnings.length > 0) throw new Error(`warnings of ours: ${warnings.join('\n')}`)
    const left = readdirSync(state).filter((name) => name.startsWith('.ralph-tools') && name !== '.ralph-tools.lock')
    if (left.length > 0) throw new Error(`temporaries are left: ${left.join(', ')}`)
    for (const name of ['.circuit_breaker_state', '.circuit_breaker_history'])
      JSON.parse(readFileSync(join(state, name), 'utf8'))
    round.steps += 12 + 3 * 60
    await alone(round, project.folder)
  },
}

/** Ours alone, after bash: the rest of the hour's budget is admitted, and no call more. */
async function alone(round, folder) {
  const state = join(folder, round.bash.state)
  const used = Number(readFileSync(join(state, '.call_count'), 'utf8'))
  const max = used + 25
  const seen = await Promise.all([1, 2, 3].map((n) => own(folder, round.bash.layout, max, 20, n * 5000)))
  const admitted = seen.reduce((sum, one) => sum + one.admitted, 0)
  if (admitted !== 25) throw new Error(`${admitted} calls were admitted where the hour had 25 left`)
}

async function own(folder, layout, max, rounds, first) {
  const root = new URL('../../../index.js', import.meta.url).pathname
  const args = ['--input-type=module', '-e', OURS, '--', root, folder, layout, max, rounds, first].map(String)
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let errors = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (errors += chunk))
  await once(child, 'close')
  if (out === '') throw new Error(errors)
  return JSON.parse(out)
}
