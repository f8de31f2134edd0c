// Projects in temporary folders, and the environment and clock in which the addon sees them.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { RalphTools, type RalphToolsOptions } from 'ralph-sdk-tools'
import { onTestFinished } from 'vitest'

export const ROOT: string = dirname(dirname(import.meta.dirname))

/** The generated loader: it also has what only this package's own tests may use. */
export const native: { __freezeClock(epochMs: number | null): void } = createRequire(import.meta.url)('../../native.js')

/** Files of a project, by path; where a file's age matters, it is as old as `modified` says. */
export type Files = Record<string, string>

/** A folder that is gone after the test. */
export function scratch(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** A project in the ralph layout with these files, gone after the test. */
export function project(files: Files = {}): string {
  const folder = scratch()
  mkdirSync(join(folder, '.ralph'))
  writeFiles(folder, files)
  return folder
}

export function writeFiles(folder: string, files: Files, modified?: Date): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    if (modified) utimesSync(path, modified, modified)
  }
}

export function read(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

/** Tools that see this environment alone: nothing of the machine's, and no installed Ralph. */
export function toolsIn(env: Record<string, string>, options: RalphToolsOptions): RalphTools {
  const before = { ...process.env }
  const replace = (next: Record<string, string | undefined>) => {
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, next)
  }
  const { PATH = '' } = process.env
  replace({ PATH, TZ: 'UTC', ...env })
  try {
    return new RalphTools({ ralphHome: join(tmpdir(), 'no-ralph-here'), ...options })
  } finally {
    replace(before)
  }
}

/** Stops the addon's clock for the rest of the test, in this thread alone. */
export function freezeClock(now: string): void {
  native.__freezeClock(Date.parse(now))
  onTestFinished(() => native.__freezeClock(null))
}

/** The code and message of what a call rejects with. */
export async function failure(call: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await call
  } catch (error) {
    return error as { code: string; message: string }
  }
  throw new Error('the call did not fail')
}
