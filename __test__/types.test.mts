// What the declarations refuse, and what they promise: compiled, never run.

import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROOT } from './support/project.mts'

/** Calls that compile; each line is a statement. */
const RIGHT = `
const counted: boolean = (await ralph.rateLimit({ action: 'increment', calls: 2 })).admitted
const said: string = (await ralph.exitDetection({ action: 'analyze', output: 'x' })).analysis.format
const moved: number = (await ralph.circuitBreaker({ action: 'status' })).history.length
const loops: number = (await ralph.progressReporter({ action: 'read' })).metrics.totalLoops
const maybe: boolean | undefined = (await ralph.rateLimit({ action: 'check' })).admitted
await ralph.taskPlanner({ action: 'update', taskId: 'a', completed: undefined })
await ralph.taskPlanner({ action: Math.random() < 0.5 ? 'read' : 'progress' })
const any: RateLimitToolInput = { action: 'reset' }; const answer: RateLimitToolOutput = await ralph.rateLimit(any)
new RalphTools(); new RalphTools(undefined); new RalphTools({ projectDir: undefined })
`

/** Calls that do not, each for one reason. */
const WRONG = `
await ralph.taskPlanner({ action: 'update' })
await ralph.taskPlanner({ action: 'update', taskId: undefined })
await ralph.taskPlanner({ action: 'progress', filter: 'pending' })
await ralph.rateLimit({ action: 'check', calls: 1 })
await ralph.rateLimit({ action: 'incremental' })
await ralph.rateLimit({ calls: 1 })
await ralph.exitDetection({ action: 'reset', output: 'x' })
await ralph.circuitBreaker({ action: 'check', reason: 'x' })
await ralph.progressReporter({ action: 'read', message: 'x' })
const counted: boolean = (await ralph.rateLimit({ action: 'check' })).admitted
const moved: number = (await ralph.circuitBreaker({ action: 'check' })).history.length
new RalphTools({ projectdir: '.' })
import { __napiBindingTarget } from 'ralph-sdk-tools'
`

/** The lines of a program that the compiler refuses, counted from 1. */
async function refused(name: string, statements: string): Promise<number[]> {
  const folder = join(ROOT, 'dist', 'examples', `types-${name}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const imports = "import { RalphTools, type RateLimitToolInput, type RateLimitToolOutput } from 'ralph-sdk-tools'"
  writeFileSync(join(folder, 'program.mts'), `${imports}; const ralph = new RalphTools()${statements}`)
  const options = { extends: join(ROOT, 'tsconfig.base.json'), compilerOptions: { noEmit: true } }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch((error) => error)
  const lines = [...String(stdout).matchAll(/program\.mts\((\d+),/g)].map(([, line]) => Number(line) - 1)
  return [...new Set(lines)].sort((a, b) => a - b)
}

test('calls that fit compile, and an answer has what its action always gives', async () => {
  expect(await refused('right', RIGHT)).toEqual([])
})

test('fields of another action, missing fields and answers that may be missing do not', async () => {
  const each = WRONG.trim().split('\n')
  expect(await refused('wrong', WRONG)).toEqual(each.map((_, index) => index + 1))
})
