// The program, as its own process.

import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './project.mts'

/** Its file. */
export const PROGRAM: string = join(ROOT, 'dist', 'ralph-sdk-tools.cjs')

/** Runs it to its end; stdin is a pipe. */
export function runProgram(
  args: string[],
  { input = '', ...options }: { input?: string; cwd?: string; env?: Record<string, string> } = {},
): SpawnSyncReturns<string> {
  const { env, ...rest } = options
  return spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
    input,
    ...rest,
    env: { ...process.env, ...env },
  })
}
