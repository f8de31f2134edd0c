// `npm test`: everything, from a fresh clone. Arguments go to vitest.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cwd = dirname(dirname(fileURLToPath(import.meta.url)))
const report = join(cwd, 'coverage', 'vitest.json')

run(process.execPath, ['scripts/setup.mjs'])
run('cargo', ['test', '--workspace', '--quiet'])
run(process.execPath, [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
])

const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'))
const hasRedis = ['redis-server', 'valkey-server'].some((name) => spawnSync(name, ['--version']).status === 0)
process.stdout.write(`vitest: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped\n`)
if (!hasRedis) {
  process.stdout.write(
    'SKIPPED: all tests of several workers on a server, for there is no redis-server (Debian: apt-get install redis-server)\n',
  )
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (error) process.stderr.write(`${command}: ${error.message}\n`)
  if (status !== 0) process.exit(status ?? 1)
}
