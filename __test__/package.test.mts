// The package as a user installs it.

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
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
  const names = ['package.json', 'index.js', 'native.js', ...readdirSync(ROOT).filter((name) => name.endsWith('.node'))]
  for (const name of names) cpSync(join(ROOT, name), join(target, name))
  return folder
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

test('what is published: the addon’s loader, the compiled layer, declarations; no sources, no examples', () => {
  const npm = process.env['npm_execpath']
  const command = npm ? [process.execPath, npm] : ['npm']
  const [file = '', ...first] = command
  const args = [...first, 'pack', '--dry-run', '--json', '--ignore-scripts']
  const [packed] = JSON.parse(
    execFileSync(file, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  const paths: string[] = packed.files.map(({ path }: { path: string }) => path)
  for (const name of [
    'index.js',
    'index.d.ts',
    'native.js',
    'dist/agent-sdk.mjs',
    'dist/agent-sdk.d.mts',
    'dist/ralph-mcp.mjs',
  ]) {
    expect(paths).toContain(name)
  }
  expect(paths.filter((path) => /^(src|ts|bindings|target|__test__|dist\/examples)\/|\.node$/.test(path))).toEqual([])
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
