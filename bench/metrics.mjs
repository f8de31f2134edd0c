// Statistics of a long metrics.jsonl: this package against `jq -s` (which is what Ralph's ralph-stats runs) and against a
// Node stream with JSON.parse. Usage: node bench/metrics.mjs [lines]

import { spawnSync } from 'node:child_process'
import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { RalphTools } from '../index.js'

/** How many times as fast as the other it should be at least. */
const GOALS = { jq: 18, node: 3.5 }
const ROUNDS = 5
const JQ = '{loops: length, good: (map(select(.success)) | length), mean: ((map(.duration) | add) / length)}'

/** Measures the three on the same file and checks that they agree. Times in milliseconds, the best of some rounds. */
export async function benchmarkMetrics(lines = 1_000_000) {
  const project = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
  try {
    const file = join(project, '.ralph', 'logs', 'metrics.jsonl')
    mkdirSync(join(project, '.ralph', 'logs'), { recursive: true })
    writeLines(file, lines)
    const tools = new RalphTools({ projectDir: project })
    const before = process.resourceUsage().maxRSS
    const ours = await best(async () => {
      const { metrics } = await tools.progressReporter({ action: 'metrics' })
      return { loops: metrics.totalLoops, good: metrics.successfulLoops, mean: metrics.averageDuration }
    })
    const memory = process.resourceUsage().maxRSS - before
    const node = await best(() => readByStream(file), 3)
    const version = spawnSync('jq', ['--version'], { encoding: 'utf8' }).stdout?.trim()
    const jq = version
      ? await best(() => JSON.parse(spawnSync('jq', ['-s', JQ, file], { encoding: 'utf8' }).stdout), 3)
      : undefined
    for (const other of [node, jq]) {
      if (other && JSON.stringify(other.result) !== JSON.stringify(ours.result)) {
        throw new Error(`the results differ: ${JSON.stringify(ours.result)} and ${JSON.stringify(other.result)}`)
      }
    }
    return { lines, ours: ours.ms, memoryKiB: memory, node: node.ms, jq: jq?.ms, jqVersion: version }
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}

async function best(work, rounds = ROUNDS) {
  let ms = Number.POSITIVE_INFINITY
  let result
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    result = await work()
    ms = Math.min(ms, performance.now() - start)
  }
  return { ms, result }
}

async function readByStream(file) {
  let loops = 0
  let good = 0
  let seconds = 0
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const { duration, success } = JSON.parse(line)
    loops += 1
    if (success) good += 1
    seconds += duration
  }
  return { loops, good, mean: seconds / loops }
}

/** Lines as Ralph writes them; the same ones every time. */
function writeLines(file, lines) {
  let random = 1
  let text = ''
  writeFileSync(file, '')
  for (let loop = 1; loop <= lines; loop++) {
    random = (random * 48_271) % 2_147_483_647
    const success = random % 3 !== 0
    text += `{"timestamp":"2026-03-01T10:20:30+00:00","loop":${loop},"duration":${random % 900},"success":${success},"calls":1}\n`
    if (text.length > 1 << 20 || loop === lines) {
      writeFileSync(file, text, { flag: 'a' })
      text = ''
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { lines, ours, memoryKiB, node, jq, jqVersion } = await benchmarkMetrics(Number(process.argv[2] ?? 1_000_000))
  const row = (name, ms, goal) => {
    const times = ms / ours
    console.log(
      `${name.padEnd(16)} ${ms.toFixed(0).padStart(6)} ms   ${goal ? `${times.toFixed(1)} times as long (goal ${goal}: ${times >= goal ? 'met' : 'MISSED'})` : ''}`,
    )
  }
  console.log(`statistics of ${lines} loops`)
  row('ralph-sdk-tools', ours)
  row('Node stream', node, GOALS.node)
  if (jq) row(`${jqVersion} -s`, jq, GOALS.jq)
  else console.log('jq is not installed: not compared')
  console.log(`memory: ${(memoryKiB / 1024).toFixed(1)} MiB more at the peak`)
}
