// Other processes that use the package.

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { RalphTools } from 'ralph-sdk-tools'
import { onTestFinished } from 'vitest'
import { ROOT } from './project.mts'

/** Runs the text of a module in a process of its own. It can import this package. */
export function inProcess(code: string, ...args: string[]): ChildProcessByStdio<null, Readable, null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** What a process prints until it ends. */
export async function output(child: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  await once(child, 'close')
  return text.trim()
}

const COUNT_FOR_EVER = `import { RalphTools } from 'ralph-sdk-tools'
  const tools = new RalphTools({ projectDir: process.argv[1], maxCallsPerHour: 1e9 })
  await tools.rateLimit({ action: 'increment' })
  console.log('counting')
  for (;;) await tools.rateLimit({ action: 'increment' })`

/**
 * A process that is stopped while it holds the project's lock. Unix alone: it counts for ever and is stopped at some
 * moment, which is tried again until the moment was one inside the lock.
 */
export async function stoppedHolder(projectDir: string): Promise<{ kill(): Promise<void> }> {
  const child = inProcess(COUNT_FOR_EVER, projectDir)
  await once(child.stdout, 'data')
  const probe = new RalphTools({ projectDir, lockTimeoutMs: 200 })
  for (;;) {
    child.kill('SIGSTOP')
    const refused = await probe.rateLimit({ action: 'increment', calls: 0 }).then(
      () => false,
      (error) => error.code === 'LOCK_TIMEOUT',
    )
    if (refused) break
    child.kill('SIGCONT')
    await delay(3 * Math.random())
  }
  return {
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}
