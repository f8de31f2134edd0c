import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { RalphToolError } from '../../index.js'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** An empty folder for this test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'ralph-addon-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** The RalphToolError that a call ends in. */
export async function failure(call: () => unknown): Promise<RalphToolError> {
  try {
    await call()
  } catch (error) {
    if (error instanceof RalphToolError) return error
    throw error
  }
  throw new Error('the call succeeded')
}

/** Runs a script, an ES module where it imports, in a process of its own. Its first argument is this package's folder. */
export async function run(script: string, ...args: string[]) {
  const type = /^\s*import /m.test(script) ? 'module' : 'commonjs'
  const child = spawn(process.execPath, [`--input-type=${type}`, '-e', script, root, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  return new Promise<{ code: number | null; signal: string | null; out: string }>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, out }))
  })
}
