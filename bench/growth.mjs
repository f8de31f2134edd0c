// How work grows with what there is: each at three sizes. What is linear takes as long a piece at each of them.
// Usage: node bench/growth.mjs

import { readdirSync } from 'node:fs'
import { RalphTools } from '../index.js'
import { fastest, inProject, row } from './measure.mjs'

const MANY = 1_000_000_000
const open = (projectDir, options) =>
  new RalphTools({ projectDir, maxCallsPerHour: MANY, lockTimeoutMs: 60_000, ...options })
const repeat = (count, line) => Array.from({ length: count }, (_, n) => line(n)).join('')

const plan = (count) => ({
  '.ralph/fix_plan.md': `# Plan\n${repeat(count, (n) => `- [${n % 2 ? 'x' : ' '}] Task ${n}\n`)}`,
})

const transition = (n) => ({
  timestamp: '2026-03-01T10:20:30+00:00',
  loop: n,
  from_state: n % 2 ? 'CLOSED' : 'HALF_OPEN',
  to_state: n % 2 ? 'HALF_OPEN' : 'CLOSED',
  reason: `Transition ${n}`,
})

const metric = (n) =>
  `{"timestamp":"2026-03-01T10:20:30+00:00","loop":${n + 1},"duration":${n % 900},"success":${n % 3 !== 0},"calls":1}\n`

/** `piece`: what one of `sizes` is. `work` is called with the tools and the round, on a project with the files of that size. */
const ROWS = [
  {
    name: 'exit check, tasks of the plan',
    sizes: [10_000, 30_000, 100_000],
    files: plan,
    work: (tools) => tools.exitDetection({ action: 'check' }),
  },
  {
    name: 'list of all tasks',
    sizes: [10_000, 30_000, 100_000],
    files: plan,
    work: (tools) => tools.taskPlanner({ action: 'read' }),
  },
  {
    name: 'tick of the last task',
    sizes: [10_000, 30_000, 100_000],
    files: plan,
    work: (tools, round, size) =>
      tools.taskPlanner({ action: 'update', taskId: `Task ${size - 1}`, completed: round % 2 > 0 }),
  },
  {
    name: 'statistics, lines of metrics',
    sizes: [100_000, 300_000, 1_000_000],
    files: (count) => ({ '.ralph/logs/metrics.jsonl': repeat(count, metric) }),
    work: (tools) => tools.progressReporter({ action: 'metrics' }),
  },
  {
    name: 'record, transitions so far',
    sizes: [1_000, 3_000, 10_000],
    files: (count) => ({
      '.ralph/.circuit_breaker_history': JSON.stringify(
        Array.from({ length: count }, (_, n) => transition(n)),
        null,
        2,
      ),
    }),
    work: async (tools, round) => {
      for (const filesChanged of [0, 0, 1]) {
        await tools.circuitBreaker({ action: 'record', loopNumber: 3 * round + filesChanged, filesChanged })
      }
    },
  },
  {
    name: 'increments at once',
    sizes: [100, 300, 1_000],
    files: () => ({}),
    work: (tools, _, size) => Promise.all(Array.from({ length: size }, () => tools.rateLimit({ action: 'increment' }))),
  },
  {
    name: 'checks at once',
    sizes: [100, 300, 1_000],
    files: () => ({}),
    work: (tools, _, size) => Promise.all(Array.from({ length: size }, () => tools.rateLimit({ action: 'check' }))),
  },
]

const WIDTHS = [32, 12, 12, 12, 14]
/** Noise of a shared machine lies below, a quadratic step far above. */
const LINEAR = 2

row(WIDTHS, ['µs a piece', 'small', 'middle', 'large', 'large/small'])
for (const { name, sizes, files, work } of ROWS) {
  const pieces = []
  for (const size of sizes) {
    const ms = await inProject(files(size), (folder) => {
      const tools = open(folder)
      return fastest(5, (round) => work(tools, round, size))
    })
    pieces.push((ms * 1000) / size)
  }
  const growth = pieces.at(-1) / pieces[0]
  row(WIDTHS, [
    name,
    ...pieces.map((us) => us.toFixed(3)),
    `${growth.toFixed(2)}${growth > LINEAR ? ' NOT LINEAR' : ''}`,
  ])
}

await projects([6, 20, 60])

/** Many projects in one process: time of a round through all of them, and the descriptors that stay open. */
async function projects(sizes) {
  const pieces = []
  const descriptors = []
  for (const size of sizes) {
    const folders = []
    const within = (left, work) =>
      left === 0 ? work() : inProject(plan(20), (folder) => within(left - 1, folders.push(folder) && work))
    await within(size, async () => {
      const all = folders.map((folder) => open(folder))
      const once = () =>
        Promise.all(
          all.flatMap((tools) => [tools.rateLimit({ action: 'increment' }), tools.exitDetection({ action: 'check' })]),
        )
      pieces.push(((await fastest(5, once)) * 1000) / size)
      descriptors.push(process.platform === 'linux' ? readdirSync('/proc/self/fd').length : '?')
    })
  }
  row(WIDTHS, ['projects in one process', ...pieces.map((us) => us.toFixed(1)), (pieces.at(-1) / pieces[0]).toFixed(2)])
  row(WIDTHS, ['  descriptors open', ...descriptors, ''])
}
