// All benchmarks of the addon in a few minutes, as ratios: pinned to one processor where that can be done, for times that
// wander with the machine's load mean nothing. Usage: node bench/main.mjs [calls] [growth] [start] [bash]

import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

const parts = process.argv.slice(2)
const wanted = (name) => parts.length === 0 || parts.includes(name)
const pin = pinned()

if (wanted('calls')) run('Calls, one at a time', 'calls/main.mjs', pin)
if (wanted('growth')) run('Growth', 'growth.mjs', [])
if (wanted('start')) run('Start', 'start/main.mjs', pin)
if (wanted('bash')) run('Beside bash Ralph', 'bash/main.mjs', pin)
if (wanted('scanner'))
  console.log('\nThe scanner of outputs, on a log of 100 MiB: npm run bench:analyze (it compiles first)')

function run(title, file, before) {
  console.log(`\n## ${title}${before.length > 0 ? `, pinned by ${before.join(' ')}` : ''}\n`)
  const [program, ...args] = [...before, process.execPath, join(import.meta.dirname, file)]
  const { status } = spawnSync(program, args, { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}

/** How to run a program on the last processor alone. */
function pinned() {
  const command = ['taskset', '-c', String(availableParallelism() - 1)]
  const [program, ...args] = [...command, 'true']
  if (spawnSync(program, args).status === 0) return command
  console.log('left out: pinning to a processor, for there is no taskset here')
  return []
}
