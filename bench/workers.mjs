// 40 workers claim 500 tasks, each in a copy of the plan of its own, and are killed at random: `node bench/workers.mjs [directory|redis]`.
//
// Shows that every task is done, none by two workers at one time, and none twice unless its first worker was killed and the lease
// ran out. Takes a minute or two, for a lease lasts at least a minute. WORKERS, TASKS and KILLS change the numbers.

import { spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { RalphTools } from 'ralph-sdk-tools'

const number = (name, otherwise) => Number(process.env[name] ?? otherwise)
const [WORKERS, TASKS, KILLS] = [number('WORKERS', 40), number('TASKS', 500), number('KILLS', 100)]

if (process.argv[2] === 'worker') await work(JSON.parse(process.argv[3]))
else await run(process.argv[2] ?? 'directory')

/** One worker: claims, works for a moment, ticks, until nothing is left. */
async function work({ projectDir, shared, worker, log }) {
  const tools = new RalphTools({ projectDir, shared, worker, planName: 'torture', lockTimeoutMs: 60_000 })
  const say = (event, task) => appendFileSync(log, `${JSON.stringify({ at: Date.now(), worker, event, task })}\n`)
  for (;;) {
    const { task, claimedUntil, tasks } = await tools.taskPlanner({ action: 'claim', leaseMinutes: 1 })
    if (task) {
      say('claimed', task.id)
      await delay(5 + Math.random() * 100)
      if (Date.parse(claimedUntil) - Date.now() > 5000) {
        await tools.taskPlanner({ action: 'update', taskId: task.id })
        say('done', task.id)
      }
    } else if (tasks.length === 0) {
      return
    } else {
      await delay(500)
    }
  }
}

async function run(kind) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-workers-'))
  const server = kind === 'redis' ? await startRedis(folder) : undefined
  const shared = server ? `unix://${join(folder, 'socket')}` : join(folder, 'shared')
  const log = join(folder, 'events')
  writeFileSync(log, '')
  const plan = Array.from({ length: TASKS }, (_, n) => `- [ ] [t-${n}] a task\n`).join('')
  let started = 0
  const project = (name) => {
    const projectDir = join(folder, name)
    mkdirSync(join(projectDir, '.ralph'), { recursive: true })
    writeFileSync(join(projectDir, '.ralph', 'fix_plan.md'), plan)
    return projectDir
  }
  const living = new Map()
  const failed = []
  const start = () => {
    started += 1
    const worker = `w${started}`
    const task = JSON.stringify({ projectDir: project(worker), shared, worker, log })
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'worker', task], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let complaint = ''
    child.stderr.on('data', (chunk) => {
      complaint += chunk
    })
    child.on('close', (code) => {
      living.delete(worker)
      if (code) failed.push(`${worker}: ${complaint}`)
    })
    living.set(worker, child)
  }
  const begun = Date.now()
  for (let n = 0; n < WORKERS; n += 1) start()
  const killed = new Map()
  for (let n = 0; n < KILLS && living.size > 0; n += 1) {
    await delay(50 + Math.random() * 100)
    const names = [...living.keys()]
    const name = names[Math.floor(Math.random() * names.length)]
    living.get(name)?.kill('SIGKILL')
    killed.set(name, Date.now())
    start()
  }
  while (living.size > 0) await delay(100)
  const wrong = [...failed, ...judge(readFileSync(log, 'utf8'), killed)]
  const last = new RalphTools({ projectDir: project('last'), shared, worker: 'last', planName: 'torture' })
  const left = await last.taskPlanner({ action: 'claim' })
  if (left.task !== null || left.tasks.length > 0)
    wrong.push(`not all is done: ${JSON.stringify(left.task ?? left.tasks)}`)
  server?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  const seconds = ((Date.now() - begun) / 1000).toFixed(0)
  console.log(
    `${kind}: ${TASKS} tasks, ${started} workers of whom ${killed.size} were killed, ${seconds} s: ${wrong.length === 0 ? 'every task done, none by two at once' : 'WRONG'}`,
  )
  for (const line of wrong.slice(0, 20)) console.log(line)
  process.exitCode = wrong.length === 0 ? 0 : 1
}

/** What is wrong with the events: two workers on a task at one time, a task done twice, a task that nobody did. */
function judge(text, killed) {
  const wrong = []
  const tasks = new Map()
  for (const event of text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))) {
    tasks.set(event.task, [...(tasks.get(event.task) ?? []), event])
  }
  let again = 0
  for (let n = 0; n < TASKS; n += 1) {
    const events = (tasks.get(`t-${n}`) ?? []).sort((a, b) => a.at - b.at)
    const claims = events.filter(({ event }) => event === 'claimed')
    const done = events.filter(({ event }) => event === 'done')
    if (claims.length === 0) wrong.push(`t-${n} was never claimed`)
    if (done.length > 1) wrong.push(`t-${n} was done ${done.length} times`)
    for (const [place, claim] of claims.entries()) {
      const next = claims[place + 1]
      if (!next) continue
      again += 1
      const dead = killed.get(claim.worker)
      if (dead === undefined) wrong.push(`t-${n} was taken from ${claim.worker}, who lived`)
      else if (next.at - claim.at < 59_000)
        wrong.push(`t-${n} was taken from ${claim.worker} ${next.at - claim.at} ms after its claim`)
    }
  }
  console.log(`${again} tasks were claimed again after their worker was killed and its lease ran out`)
  return wrong
}

async function startRedis(folder) {
  const socket = join(folder, 'socket')
  const child = spawn('redis-server', ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', folder], {
    stdio: 'ignore',
  })
  child.on('error', () => {
    console.error('redis-server is not installed (Debian: apt-get install redis-server)')
    process.exit(1)
  })
  await delay(500)
  return child
}
