// Line coverage of the TypeScript layer, the programs that the tests start included. `npm run coverage`.

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cwd = dirname(dirname(fileURLToPath(import.meta.url)))
const raw = join(cwd, 'coverage', 'raw')
rmSync(raw, { recursive: true, force: true })

const FILES = ['index.js', 'dist/*.mjs', 'dist/status/*.mjs']
const LINES = '85'

const steps = [
  ['node_modules/vitest/vitest.mjs', 'run'],
  [
    'node_modules/c8/bin/c8.js',
    'report',
    '--temp-directory',
    raw,
    '--exclude-after-remap=false',
    ...FILES.flatMap((file) => ['--include', file]),
    '--reporter',
    'text',
    '--check-coverage',
    '--per-file',
    '--lines',
    LINES,
  ],
]
for (const args of steps) {
  const { status } = spawnSync(process.execPath, args, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, NODE_V8_COVERAGE: args[1] === 'run' ? raw : '' },
  })
  if (status !== 0) process.exit(status ?? 1)
}
