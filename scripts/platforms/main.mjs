// `npm run platforms`: builds, runs and tests what this machine can of the other systems, and prints a table. Made for a plain
// Debian machine (x64, root, package registries): what is missing is installed from there, once.
//
//     npm run platforms                      everything
//     npm run platforms -- --only node,wine  some rows, by the beginning of their names
//     npm run platforms -- --cheap           what `.ci/run` does: lints for other systems, the Nodes, four vitest workers
//     npm run platforms -- --quick           builds without link-time optimisation

import { parseArgs } from 'node:util'
import { ROWS } from './rows.mjs'
import { Skipped, WORK } from './tools.mjs'

const { values } = parseArgs({
  options: { only: { type: 'string' }, cheap: { type: 'boolean' }, quick: { type: 'boolean' } },
})
const wanted = values.only?.split(',')
const rows = ROWS.filter(({ name }) => !wanted || wanted.some((start) => name.startsWith(start))).filter(
  ({ cheap }) => !values.cheap || cheap,
)
process.stdout.write(`${rows.length} rows; builds and downloads are kept in ${WORK}\n`)

const table = []
for (const row of rows) {
  const results = {}
  const started = Date.now()
  for (const column of ['built', 'run', 'tests']) {
    if (!row[column]) continue
    try {
      const said = await row[column](values)
      results[column] = said ?? 'yes'
    } catch (error) {
      results[column] = error instanceof Skipped ? `skipped: ${error.message}` : `FAILED: ${lastLine(error.message)}`
      if (!(error instanceof Skipped)) {
        process.stderr.write(`\n${row.name}, ${column}: ${error.message}\n`)
        process.exitCode = 1
      }
      // What was not built is not run.
      break
    }
  }
  const line = { name: row.name, seconds: Math.round((Date.now() - started) / 1000), ...results }
  table.push(line)
  process.stdout.write(`${line.name}: ${Object.values(results).join('; ')} (${line.seconds} s)\n`)
}

const columns = ['name', 'built', 'run', 'tests', 'seconds']
process.stdout.write(`\n| ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length)}\n`)
for (const line of table) process.stdout.write(`| ${columns.map((column) => line[column] ?? '–').join(' | ')} |\n`)
const counts = table.flatMap(({ built, run, tests }) => [built, run, tests].filter(Boolean))
const failed = counts.filter((result) => result.startsWith('FAILED')).length
const skipped = counts.filter((result) => result.startsWith('skipped')).length
process.stdout.write(`\n${counts.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped\n`)

function lastLine(text) {
  return text.trim().split('\n').at(-1).slice(0, 160)
}
