// `RALPH_SRC=/path/to/checkout npm run test:interop`: the real bash Ralph and this package take turns on one project.
//
//   SEED=…     the seed of an earlier run (it is printed)      ROUNDS=…  rounds of each suite, 10
//   ONLY=…     one suite                                       ROUND=…   one round of it, as a finding names it

import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { BashRalph } from './bash-ralph.mjs'
import { Finding } from './duel.mjs'
import { Project } from './project.mjs'
import { random } from './random.mjs'
import { SUITES } from './suites/index.mjs'

const HOW_TO = `skipped: set RALPH_SRC to a checkout of the bash Ralph.

  git clone https://github.com/frankbria/ralph-claude-code ralph
  RALPH_SRC=$PWD/ralph npm run test:interop                  # v0.11
  git -C ralph worktree add ../ralph-0.9 870181b
  RALPH_SRC=$PWD/ralph-0.9 npm run test:interop              # v0.9

It needs bash, jq and GNU date. Nothing in the checkout is changed.`

const START = Date.UTC(2026, 2, 1, 10, 20, 30)
const ZONES = ['UTC', 'Asia/Kolkata', 'America/New_York', 'Europe/Berlin']

process.exitCode = await main(process.env)

async function main({ RALPH_SRC, SEED = String(Date.now() % 1e9), ROUNDS = '10', ONLY, ROUND }) {
  if (!RALPH_SRC) {
    console.log(HOW_TO)
    return 0
  }
  const source = resolve(RALPH_SRC)
  if (!existsSync(join(source, 'ralph_loop.sh'))) {
    console.error(`RALPH_SRC=${RALPH_SRC} holds no ralph_loop.sh; it must be a checkout of frankbria/ralph-claude-code`)
    return 1
  }
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-interop-')))
  try {
    const bash = new BashRalph(source, scratch)
    console.log(`bash Ralph ${bash.generation} (${bash.layout} layout) of ${source}\nSEED=${SEED}`)
    const suites = SUITES.filter(
      ({ name, generations }) => (ONLY ? name === ONLY : true) && (generations?.includes(bash.generation) ?? true),
    )
    const rows = new Map()
    const findings = new Map()
    for (const suite of suites) {
      const began = Date.now()
      const numbers = ROUND
        ? [Number(ROUND)]
        : Array.from({ length: suite.rounds ?? Number(ROUNDS) }, (_, index) => index)
      let steps = 0
      let failed = 0
      for (const number of numbers) {
        const round = newRound(bash, scratch, `${SEED}/${suite.name}/${number}`, rows)
        try {
          await suite.play(round)
        } catch (error) {
          failed += 1
          note(findings, suite, number, error)
        }
        steps += round.steps
        rmSync(round.scratch, { recursive: true, force: true, maxRetries: 3 })
      }
      console.log(
        `${failed ? 'FAILED' : 'ok    '} ${suite.name}: ${numbers.length} rounds, ${steps} steps compared, ${failed} failed (${((Date.now() - began) / 1000).toFixed(1)} s)`,
      )
    }
    console.log('\nDifferences on purpose that showed:')
    for (const [row, times] of [...rows].sort()) console.log(`  ${String(times).padStart(5)} × ${row}`)
    for (const [kind, { times, text }] of findings) console.log(`\n== ${times} × ${kind}\n${text}`)
    return findings.size > 0 ? 1 : 0
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  }
}

function newRound(bash, scratch, seed, rows) {
  const source = random(seed)
  const folder = mkdtempSync(join(scratch, 'round-'))
  const round = { random: source, rows, log: [], steps: 0, scratch: folder, bash }
  round.open = ({ options, variables }) => {
    const place = join(folder, 'project')
    mkdirSync(place)
    const now = START + source.between(0, 24 * 60) * 60_000
    round.project = new Project(bash, place, { now, tz: source.pick(ZONES), options, variables })
    return round.project
  }
  return round
}

/** One finding of a kind is shown in full. */
function note(findings, suite, number, error) {
  const kind = error instanceof Finding ? error.message : `${suite.name}: ${error.message}`
  const seen = findings.get(kind)
  if (seen) {
    seen.times += 1
    return
  }
  const details = error instanceof Finding ? JSON.stringify(error.details, null, 1) : error.stack
  findings.set(kind, { times: 1, text: `ONLY=${suite.name} ROUND=${number}\n${details}` })
}
