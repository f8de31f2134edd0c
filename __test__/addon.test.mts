// The addon as programs use it: how it is imported, what it takes, how it fails.

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { RalphToolError, RalphTools } from 'ralph-sdk-tools'
import { describe, expect, test } from 'vitest'
import { failure, project, ROOT, read, scratch, toolsIn, writeFiles } from './support/project.mts'

const require = createRequire(import.meta.url)

/** The package as a user has it, with none of the packages that the TypeScript layer needs. */
function installedAlone(): string {
  const folder = scratch()
  const target = join(folder, 'node_modules', 'ralph-sdk-tools')
  mkdirSync(target, { recursive: true })
  const names = ['package.json', 'index.js', 'native.js', ...readdirSync(ROOT).filter((name) => name.endsWith('.node'))]
  for (const name of names) cpSync(join(ROOT, name), join(target, name))
  return folder
}

const script = (open: string) => `${open}
const tools = new RalphTools({ projectDir: '.' })
tools.rateLimit({ action: 'nothing' }).catch((error) =>
  console.log(error instanceof RalphToolError, error instanceof Error, error.code, error.name))`

describe('import', () => {
  test.each([
    ['ESM', '--input-type=module', "import { RalphTools, RalphToolError } from 'ralph-sdk-tools'"],
    ['CommonJS', '--input-type=commonjs', "const { RalphTools, RalphToolError } = require('ralph-sdk-tools')"],
  ])('%s, without any other package', (_name, type, open) => {
    const cwd = installedAlone()
    const printed = execFileSync(process.execPath, [type, '-e', script(open)], { cwd, encoding: 'utf8' })
    expect(printed.trim()).toBe('true true INVALID_INPUT RalphToolError')
  })

  test('both forms are one class', () => {
    expect(require('ralph-sdk-tools').RalphToolError).toBe(RalphToolError)
    expect(require('ralph-sdk-tools').RalphTools).toBe(RalphTools)
  })

  test('the native module missing says what to do', () => {
    const cwd = installedAlone()
    const target = join(cwd, 'node_modules', 'ralph-sdk-tools')
    for (const name of readdirSync(target).filter((name) => name.endsWith('.node'))) {
      execFileSync(process.execPath, ['-e', 'fs.rmSync(process.argv[1])', join(target, name)])
    }
    const open = "try { require('ralph-sdk-tools') } catch (error) { console.log(error.message) }"
    const printed = execFileSync(process.execPath, ['-e', open], { cwd, encoding: 'utf8' })
    expect(printed).toMatch(/no native module for .* optional dependencies/)
  })
})

describe('errors', () => {
  test('a stack that points at the caller', async () => {
    const tools = toolsIn({}, { projectDir: project() })
    const error = (await failure(tools.rateLimit({ action: 'check', calls: -1 }))) as RalphToolError
    expect(error).toBeInstanceOf(RalphToolError)
    expect(error.name).toBe('RalphToolError')
    expect(error.stack?.split('\n')[1]).toContain('addon.test.mts')
  })

  test.each([
    ['projectDir', '/does/not/exist', 'INVALID_PROJECT'],
    ['maxCallsPerHour', -1, 'INVALID_INPUT'],
    ['maxCallsPerHour', '5', 'INVALID_INPUT'],
    ['layout', 'round', 'INVALID_INPUT'],
    ['projectDir', null, 'INVALID_INPUT'],
  ])('the option %s: %j', (name, value, code) => {
    const make = () => new RalphTools({ projectDir: project(), [name]: value } as never)
    expect(make).toThrow(expect.objectContaining({ name: 'RalphToolError', code }))
  })

  test.each([
    undefined,
    null,
    'check',
    [],
    {},
    { action: null },
    { action: 'toString' },
    { action: 'increment', calls: -1 },
    { action: 'increment', calls: 1.5 },
    { action: 'increment', calls: Number.NaN },
    { action: 'increment', calls: Number.POSITIVE_INFINITY },
    { action: 'increment', calls: '1' },
    { action: 'increment', calls: null },
    { action: 'increment', calls: true },
    { action: 'increment', calls: 1001 },
    { action: 'increment', tokens: 1e9 + 1 },
  ])('INVALID_INPUT, and nothing is counted: %j', async (input) => {
    const folder = project()
    const { code, message } = await failure(toolsIn({}, { projectDir: folder }).rateLimit(input as never))
    expect(code).toBe('INVALID_INPUT')
    expect(message).not.toContain('undefined is not')
    expect(existsSync(join(folder, '.ralph/.call_count'))).toBe(false)
  })
})

test('a damaged setting names its file and line', async () => {
  const folder = project()
  writeFiles(folder, { '.ralphrc': '# limits\nMAX_CALLS_PER_HOUR=many\n' })
  expect(() => toolsIn({}, { projectDir: folder })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(/\.ralphrc.*2/) }),
  )
})

test('reading writes nothing', async () => {
  const folder = scratch()
  await toolsIn({}, { projectDir: folder }).rateLimit({ action: 'check' })
  expect(readdirSync(folder)).toEqual([])
})

test('the first write makes the state directory', async () => {
  const folder = scratch()
  await toolsIn({}, { projectDir: folder }).rateLimit({ action: 'increment' })
  expect(read(folder, '.ralph/.call_count').trim()).toBe('1')
})
