// The package as a user installs it.

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT, scratch } from './support/project.mts'

const manifest = createRequire(import.meta.url)('../package.json')

/** The package in a node_modules folder, with none of the packages that the TypeScript layer needs. */
function installedAlone(): string {
  const folder = scratch()
  const target = join(folder, 'node_modules', 'ralph-sdk-tools')
  mkdirSync(target, { recursive: true })
  const packed = filesOf().filter((path) => !path.startsWith('docs/'))
  const addon = readdirSync(ROOT).filter((name) => name.endsWith('.node'))
  for (const name of [...packed, ...addon]) cpSync(join(ROOT, name), join(target, name))
  return folder
}

/** What is published, by npm itself. */
const filesOf = memo(() => {
  const npm = process.env['npm_execpath']
  const [file = '', ...first] = npm ? [process.execPath, npm] : ['npm']
  const args = [...first, 'pack', '--dry-run', '--json', '--ignore-scripts']
  const printed = execFileSync(file, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return JSON.parse(printed)[0].files.map(({ path }: { path: string }) => path) as string[]
})

function memo<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const script = (open: string) => `${open}
const tools = new RalphTools({ projectDir: '.' })
tools.rateLimit({ action: 'nothing' }).catch((error) =>
  console.log(error instanceof RalphToolError, error instanceof Error, error.code, error.name))`

test.each([
  ['ESM', '--input-type=module', "import { RalphTools, RalphToolError } from 'ralph-sdk-tools'"],
  ['CommonJS', '--input-type=commonjs', "const { RalphTools, RalphToolError } = require('ralph-sdk-tools')"],
])('%s, without any other package', (_name, type, open) => {
  const cwd = installedAlone()
  const printed = execFileSync(process.execPath, [type, '-e', script(open)], { cwd, encoding: 'utf8' })
  expect(printed.trim()).toBe('true true INVALID_INPUT RalphToolError')
})

const run = (cwd: string, name: string, args: string[], input = '') => {
  const program = join(cwd, 'node_modules', 'ralph-sdk-tools', manifest.bin[name])
  return spawnSync(process.execPath, [program, ...args], { cwd, encoding: 'utf8', input })
}

test.each(Object.keys(manifest.bin))('the program %s runs with no other package beside it', (name) => {
  const cwd = installedAlone()
  expect(run(cwd, name, ['status'])).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('0/100') })
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } }
  const messages = [
    { jsonrpc: '2.0', id: 0, method: 'initialize', params: hello },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'rate_limit', arguments: { action: 'check' } } },
  ]
  const { status, stdout, stderr } = run(
    cwd,
    name,
    [],
    messages.map((message) => `${JSON.stringify(message)}\n`).join(''),
  )
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const answers = stdout.trim().split('\n')
  expect(answers.map((line) => JSON.parse(line).id)).toEqual([0, 1, 2])
  expect(answers[2]).toContain('canMakeCall')
})

test('the notices name every package that the program contains', () => {
  const notices = readFileSync(join(ROOT, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  for (const name of ['@modelcontextprotocol/sdk', 'zod', 'string-width', 'strip-ansi']) {
    expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, 'm'))
  }
  expect(notices).toContain('Permission is hereby granted')
})

test('what is published: the addon’s loader, the compiled layer, declarations; no sources, no examples', () => {
  const paths = filesOf()
  for (const name of [
    'index.js',
    'index.d.ts',
    'native.js',
    'dist/agent-sdk.mjs',
    'dist/agent-sdk.d.mts',
    'dist/ralph-mcp.mjs',
    'dist/ralph-sdk-tools.cjs',
    'dist/THIRD-PARTY-NOTICES.txt',
  ]) {
    expect(paths).toContain(name)
  }
  expect(
    paths.filter((path) =>
      /^(src|ts|bindings|target|__test__|dist\/(examples|cli|server|status))\/|\.node$/.test(path),
    ),
  ).toEqual([])
})

test('what the crate of the core carries: its sources, and what says what it is', () => {
  const args = ['package', '--list', '--allow-dirty', '--package', 'ralph-sdk-tools']
  const files = execFileSync('cargo', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  const outside = files.split('\n').filter((path) => !path.startsWith('src/'))
  const said = ['CHANGELOG.md', 'Cargo.lock', 'Cargo.toml', 'Cargo.toml.orig', 'LICENSE', 'README.md']
  expect(outside.filter((path) => path !== '.cargo_vcs_info.json')).toEqual(said)
})

describe('what package.json names', () => {
  const named = [
    manifest.main,
    manifest.types,
    ...Object.values(manifest.bin),
    './dist/agent-sdk.mjs',
    './dist/agent-sdk.d.mts',
  ]
  test.each(named)('%s exists', (name) => {
    expect(existsSync(join(ROOT, name))).toBe(true)
  })

  test('a package for each platform that is built', () => {
    const platforms = readdirSync(join(ROOT, 'npm'))
    expect(Object.keys(manifest.optionalDependencies).sort()).toEqual(
      platforms.map((platform) => `@ralph-sdk-tools/${platform}`).sort(),
    )
    expect(platforms).toHaveLength(manifest.napi.targets.length)
  })
})
