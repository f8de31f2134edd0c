// The same work as a careful JavaScript program does it: proper-lockfile for the lock, write-file-atomic for the files.

import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import lockfile from 'proper-lockfile'
import writeFileAtomic from 'write-file-atomic'

const FACTS = {
  done: /\b(?:done|complete|finished|ready for review)\b/i,
  noWork: /nothing to do|no changes|already implemented|up to date/i,
  tests: /running tests|npm test|bats|pytest|jest/i,
  work: /implementing|creating|writing|adding|function|class/i,
  error: /^(?:error|fatal|exception)\b|\]: error|error occurred|failed with error/i,
  question: /should i|would you|do you want|which approach|could you|please confirm|what do you think/i,
}

/** One project. Only what the measured calls need: no checks of inputs, no repair of damaged files. */
export class Peer {
  constructor(folder, maxCalls) {
    this.folder = join(folder, '.ralph')
    this.maxCalls = maxCalls
  }

  async checkRate() {
    const [count, hour, tokens] = await Promise.all([
      this.read('.call_count'),
      this.read('.last_reset'),
      this.read('.token_count'),
    ])
    const used = hour?.trim() === hourOf(new Date()) ? Number(count) : 0
    return { currentCount: used, tokens: Number(tokens ?? 0), canMakeCall: used < this.maxCalls }
  }

  increment() {
    return this.locked(async () => {
      const { currentCount, canMakeCall } = await this.checkRate()
      if (!canMakeCall) return { admitted: false }
      await this.write('.call_count', `${currentCount + 1}\n`)
      return { admitted: true, currentCount: currentCount + 1 }
    })
  }

  async checkExit() {
    const [signals, analysis, plan] = await Promise.all([
      this.json('.exit_signals'),
      this.json('.response_analysis'),
      this.read('fix_plan.md'),
    ])
    const open = tasks(plan ?? '').filter((task) => !task.completed).length
    const done = signals?.done_signals?.length ?? 0
    const tests = signals?.test_only_loops?.length ?? 0
    const exit = tests >= 3 || done >= 2 || open === 0 || analysis?.analysis?.exit_signal === true
    return { shouldExit: exit, signals }
  }

  record(loop, filesChanged) {
    return this.locked(async () => {
      const [state, history] = await Promise.all([
        this.json('.circuit_breaker_state'),
        this.json('.circuit_breaker_history'),
      ])
      const before = state?.state ?? 'CLOSED'
      const idle = filesChanged > 0 ? 0 : (state?.consecutive_no_progress ?? 0) + 1
      const after = idle >= 3 ? 'OPEN' : idle >= 2 ? 'HALF_OPEN' : 'CLOSED'
      const next = {
        ...state,
        state: after,
        consecutive_no_progress: idle,
        current_loop: loop,
        last_change: new Date().toISOString(),
      }
      await this.write('.circuit_breaker_state', `${JSON.stringify(next, null, 2)}\n`)
      if (after !== before) {
        const entry = { timestamp: next.last_change, loop, from_state: before, to_state: after }
        await this.write('.circuit_breaker_history', `${JSON.stringify([...(history ?? []), entry], null, 2)}\n`)
      }
      return next
    })
  }

  update(loop) {
    return this.locked(async () => {
      const [status, { currentCount }] = await Promise.all([this.json('status.json'), this.checkRate()])
      const now = new Date().toISOString()
      const next = {
        ...status,
        timestamp: now,
        loop_count: loop,
        calls_made_this_hour: currentCount,
        status: 'running',
      }
      await this.write('status.json', `${JSON.stringify(next, null, 2)}\n`)
      await appendFile(join(this.folder, 'ralph.log'), `[${now}] [INFO] Status: running, loop ${loop}\n`)
      return next
    })
  }

  analyze(output, loop) {
    return this.locked(async () => {
      const text = output.startsWith('{') ? JSON.parse(output).result : output
      const found = {}
      for (const line of text.split('\n')) {
        for (const name in FACTS) if (FACTS[name].test(line)) found[name] = (found[name] ?? 0) + 1
      }
      const block = /---RALPH_STATUS---([\s\S]*?)---END_RALPH_STATUS---/.exec(text)?.[1] ?? ''
      const status = Object.fromEntries(
        block
          .split('\n')
          .map((line) => line.split(': '))
          .filter(({ length }) => length === 2),
      )
      const [signals] = await Promise.all([this.json('.exit_signals'), this.read('.last_output_length')])
      const exit = status.EXIT_SIGNAL === 'true'
      const analysis = {
        loop_number: loop,
        timestamp: new Date().toISOString(),
        analysis: { ...found, exit_signal: exit },
      }
      const next = signals ?? { test_only_loops: [], done_signals: [], completion_indicators: [] }
      await this.write('.response_analysis', `${JSON.stringify(analysis, null, 2)}\n`)
      await this.write('.exit_signals', `${JSON.stringify(next, null, 2)}\n`)
      await this.write('.last_output_length', `${output.length}\n`)
      return analysis
    })
  }

  async locked(work) {
    const release = await lockfile.lock(this.folder, { retries: { retries: 50, minTimeout: 1, maxTimeout: 10 } })
    try {
      return await work()
    } finally {
      await release()
    }
  }

  async read(name) {
    try {
      return await readFile(join(this.folder, name), 'utf8')
    } catch (error) {
      if (error.code === 'ENOENT') return
      throw error
    }
  }

  async json(name) {
    const text = await this.read(name)
    return text === undefined ? undefined : JSON.parse(text)
  }

  write(name, text) {
    // Like ours: whole files or none, but no waiting for the disk.
    return writeFileAtomic(join(this.folder, name), text, { fsync: false })
  }
}

function tasks(plan) {
  return [...plan.matchAll(/^\s*[-*] \[([ xX])\] (.*)$/gm)].map(([, mark, title]) => ({
    completed: mark !== ' ',
    title,
  }))
}

function hourOf(now) {
  const two = (number) => String(number).padStart(2, '0')
  return `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}${two(now.getHours())}`
}
