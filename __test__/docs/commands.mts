// The commands that the documents tell people to type: each is known here, and what does no harm is run.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect } from 'vitest'
import { claudeBinary } from '../support/claude.mts'
import { project, ROOT, scratch } from '../support/project.mts'

const manifest = createRequire(import.meta.url)('../../package.json')
const PROGRAM = join(ROOT, 'dist', 'ralph-sdk-tools.cjs')
const WRAPPER = join(ROOT, 'dist', 'examples', 'sdk-wrapper', 'main.mjs')

/** Checks one command line; throws where there is no such command. */
export function checkCommand(line: string): void {
  const { environment, words } = split(line)
  const [program = '', ...args] = words
  const check = CHECKS[program]
  if (!check) throw new Error(`no check is written for the command ${program}`)
  check(args, environment)
}

type Check = (args: string[], environment: string[]) => void

const CHECKS: Record<string, Check> = {
  cd: () => undefined,
  npm: (args) => npm(args),
  npx: (args) => npx(args),
  claude: (args) => claude(args),
  cargo: (args) => cargo(args),
  node: ([script = '']) => expect(existsSync(join(ROOT, script)), script).toBe(true),
  './.ci/run': () => expect(existsSync(join(ROOT, '.ci/run'))).toBe(true),
}

function npm([command = '', ...args]: string[]): void {
  if (command === 'install') {
    const known = [manifest.name, ...Object.keys(manifest.peerDependencies)]
    for (const name of args.filter((word) => !word.startsWith('-'))) expect(known).toContain(name)
    return
  }
  const [script, ...rest] = command === 'run' ? args : [command, ...args]
  expect(Object.keys(manifest.scripts)).toContain(script)
  if (script === 'start' && rest.length > 0) {
    // What it must not do here is to talk to the real model: it says what it lacks, and knows its options.
    const { ANTHROPIC_API_KEY: _, ...env } = process.env
    const { status, stderr } = spawnSync(process.execPath, [WRAPPER, ...rest.slice(1)], { encoding: 'utf8', env })
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('ANTHROPIC_API_KEY') })
  }
}

/**
 * `npx -y [-p PACKAGE]… ralph-sdk-tools …`: the program itself runs, on a project of its own. Without -y npx asks, and by
 * another name it would ask npm for a package that is not ours.
 */
function npx(args: string[]): void {
  expect(args[0]).toBe('-y')
  let at = 1
  for (; args[at] === '-p'; at += 2)
    expect([manifest.name, ...Object.keys(manifest.peerDependencies)]).toContain(args[at + 1])
  expect(args[at]).toBe(manifest.name)
  const rest = args.slice(at + 1)
  // A run would talk to the real model: there its options are tried.
  program(rest[0] === 'run' && !rest.includes('--dry-run') ? [...rest, '--help'] : rest)
}

function program(args: string[]): void {
  const folder = project({ '.ralph/fix_plan.md': '- [x] First\n- [ ] Second\n' })
  const given = args.filter((word) => word !== '--watch')
  const named = given.map((word, index) => (given[index - 1] === '--project' ? folder : word))
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...named], {
    cwd: folder,
    encoding: 'utf8',
    input: '',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  if (args[0] === undefined || args[0].startsWith('--')) expect(stdout).toBe('')
  if (args[0] === 'status') expect(stdout).toContain(args.includes('--json') ? '"rateLimit"' : 'Circuit')
}

/** `claude mcp add …`: Claude Code itself, in a scratch home; then what it would start. */
function claude(args: string[]): void {
  const home = scratch()
  const folder = project()
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home, CLAUDE_CONFIG_DIR: home }
  execFileSync(claudeBinary(), args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const file = args.includes('project') ? join(folder, '.mcp.json') : join(home, '.claude.json')
  const { mcpServers, projects = {} } = JSON.parse(readFileSync(file, 'utf8'))
  checkServers(mcpServers ?? projects[folder].mcpServers)
}

/** What an MCP client would start for the server named ralph. */
export function checkServers(servers: Record<string, { command: string; args: string[] }>): void {
  expect(Object.keys(servers)).toEqual(['ralph'])
  for (const { command, args } of Object.values(servers)) CHECKS[command]?.(args, [])
}

const CARGO = ['test', 'clippy', 'fmt', 'bench', 'run']
const CARGO_TOOLS = ['cargo-fuzz', 'cargo-llvm-cov']

function cargo([command = '', ...args]: string[]): void {
  if (command === 'install') {
    expect(CARGO_TOOLS).toEqual(expect.arrayContaining(args))
    return
  }
  if (command === 'fuzz') {
    const target = args.slice(0, args.indexOf('--')).at(-1)
    expect(existsSync(join(ROOT, 'fuzz', 'fuzz_targets', `${target}.rs`)), target).toBe(true)
    return
  }
  expect(CARGO).toContain(command)
  const at = args.findIndex((word) => word === '-p' || word === '--package')
  if (at < 0) return
  const manifests = ['Cargo.toml', 'bindings/Cargo.toml', 'codegen/Cargo.toml'].map((name) =>
    readFileSync(join(ROOT, name), 'utf8'),
  )
  expect(manifests.some((text) => text.includes(`name = "${args[at + 1]}"`))).toBe(true)
}

/** A command line's words: comments, quotes and leading assignments apart. */
function split(line: string): { environment: string[]; words: string[] } {
  const words = [...line.replace(/\s#.*$/, '').matchAll(/'([^']*)'|"([^"]*)"|\S+/g)].map(([word, single, double]) =>
    (single ?? double ?? word).replaceAll('$PWD', '.'),
  )
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word))
  return { environment: words.slice(0, first), words: words.slice(first) }
}
