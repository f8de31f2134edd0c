// `npm test`: everything, from a fresh clone. Arguments go to vitest.

import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const cwd = dirname(dirname(fileURLToPath(import.meta.url)))

const STEPS = [
  [process.execPath, ['scripts/setup.mjs']],
  ['cargo', ['test', '--workspace', '--quiet']],
  [process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]],
]

for (const [command, args] of STEPS) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (error) process.stderr.write(`${command}: ${error.message}\n`)
  if (status !== 0) process.exit(status ?? 1)
}
