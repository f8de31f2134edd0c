// The same calls by the functions of a real bash Ralph, sourced once: what a loop of its spends on them, without the start of
// a shell. Usage: RALPH_SRC=../ralph node bench/bash/main.mjs [rounds]

import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { RalphTools } from '../../index.js'
import { FILES } from '../calls/work.mjs'
import { inProject, row } from '../measure.mjs'

const rounds = Number(process.argv[2] ?? 20)
const source = process.env.RALPH_SRC && resolve(process.env.RALPH_SRC)
const missing = reason()
if (missing) {
  console.log(`left out: ${missing}`)
} else {
  const output = `${'Looked at the module and changed a line of it.\n'.repeat(400)}All done.\n`
  const widths = [20, 12, 12, 14]
  row(widths, ['call', 'µs', 'bash µs', '× as long'])
  await beside('record', 'circuit_breaker', 'record_loop_result $n 1 false 100', (tools, loopNumber) =>
    tools.circuitBreaker({ action: 'record', loopNumber, filesChanged: 1 }),
  )
  await beside(
    'analyze 20 KB text',
    'response_analyzer',
    'analyze_response out.log $n; update_exit_signals',
    (tools, loopNumber) => tools.exitDetection({ action: 'analyze', output, loopNumber, filesChanged: 1 }),
  )

  async function beside(name, library, commands, ours) {
    const us = await inProject(FILES, async (folder) => {
      const tools = new RalphTools({ projectDir: folder })
      for (let n = 1; n <= 50; n += 1) await ours(tools, n)
      const start = performance.now()
      for (let n = 51; n <= 50 + 20 * rounds; n += 1) await ours(tools, n)
      return ((performance.now() - start) * 1000) / (20 * rounds)
    })
    const theirs = await inProject(FILES, (folder) => {
      writeFileSync(join(folder, 'out.log'), output)
      const loop = (count) => `for n in $(seq ${count}); do ${commands}; done >/dev/null 2>&1`
      const time = (count) => {
        const start = performance.now()
        const script = `source "$1/lib/${library}.sh"; ${loop(count)}`
        spawnSync('bash', ['-c', script, 'bash', source], { cwd: folder })
        return performance.now() - start
      }
      // The start of the shell and what it sources fall out.
      return ((time(rounds + 1) - time(1)) * 1000) / rounds
    })
    row(widths, [name, us.toFixed(0), theirs.toFixed(0), (theirs / us).toFixed(0)])
  }
}

function reason() {
  if (!source) return 'bash Ralph; name a checkout of it in RALPH_SRC'
  if (!existsSync(join(source, 'lib', 'circuit_breaker.sh')))
    return `bash Ralph, for RALPH_SRC=${source} is no checkout of it`
  const { stdout } = spawnSync('jq', ['--version'], { encoding: 'utf8' })
  const [, major, minor] = /^jq-(\d+)\.(\d+)/.exec(stdout ?? '') ?? []
  if (!major) return 'bash Ralph, for it needs jq'
  if (Number(major) === 1 && Number(minor) < 7)
    return `bash Ralph, for ${stdout.trim()} is older than 1.7 and slower than what people have`
}
