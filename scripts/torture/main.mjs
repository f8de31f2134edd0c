// `npm run torture -- --minutes 30`: everything that was ever tried to break this package, as long as you like. Each row of
// rows/ is one way; a table of tries and failures is printed at the end. The tests run every row for a moment.
//
//     npm run torture                        one minute, shared by all rows
//     npm run torture -- --minutes 30
//     npm run torture -- --only kills        some rows, by the beginning of their names
//     npm run torture -- --seed 7            the same choices again
//     RALPH_SRC=../ralph npm run torture     also beside a real bash Ralph of yours

import { parseArgs } from 'node:util'
import { ROWS, torture } from './torture.mjs'

const { values } = parseArgs({
  options: { minutes: { type: 'string' }, only: { type: 'string' }, seed: { type: 'string' } },
})
const minutes = Number(values.minutes ?? 1)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  process.stderr.write('--minutes takes a number above 0, --seed a whole number\n')
  process.exit(2)
}
const rows = ROWS.filter(({ name }) => !values.only || name.startsWith(values.only))
process.stdout.write(`${rows.length} rows, ${minutes} minutes, seed ${seed}\n`)

const results = []
for (const row of rows) {
  const result = await torture(row, { seconds: (minutes * 60) / rows.length, seed })
  results.push(result)
  const { name, tries, failures, skipped, seconds } = result
  process.stdout.write(`${name}: ${skipped ?? `${tries} tries, ${failures.length} failures`} (${seconds} s)\n`)
  for (const failure of failures.slice(0, 5)) process.stdout.write(`    ${failure.replaceAll('\n', '\n    ')}\n`)
}

process.stdout.write('\n| what | tries | failures |\n| --- | --- | --- |\n')
for (const { what, tries, failures, skipped } of results)
  process.stdout.write(`| ${what} | ${skipped ? '–' : tries} | ${skipped ?? failures.length} |\n`)
process.exitCode = results.some(({ failures }) => failures.length > 0) ? 1 : 0
