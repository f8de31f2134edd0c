// The recorded answers of bash Ralph, through the addon.

import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RalphTools, type RalphToolsOptions, toolDefinitions } from 'ralph-sdk-tools'
import { describe, expect, test } from 'vitest'
import { type Files, freezeClock, native, ROOT, scratch, toolsIn, writeFiles } from './support/project.mts'

interface Step {
  now: string
  write?: Files
  tool: string
  input: { action: string }
  expect: { output?: Record<string, unknown>; files?: Record<string, unknown> }
}

interface Case {
  id: string
  tz: string
  env: Record<string, string>
  options: RalphToolsOptions
  files: Files
  git?: string[]
  steps: Step[]
}

const cases: Case[] = JSON.parse(readFileSync(join(ROOT, '__test__/data/vectors.json'), 'utf8'))
const methods = new Map(toolDefinitions().map(({ name, method }) => [name, method]))

const familyOf = ({ id }: Case) => id.replace(/-\d+$/, '')

describe.each([...new Set(cases.map(familyOf))])('%s', (family) => {
  const members = cases.filter((member) => familyOf(member) === family)
  test(`${members.length} cases`, async () => {
    for (const member of members) await replay(member)
  })
})

async function replay({ id, tz, env, options, files, git, steps }: Case): Promise<void> {
  const folder = scratch()
  const first = steps[0] as Step
  writeFiles(folder, files, new Date(first.now))
  if (git) makeRepository(folder, git)
  freezeClock(first.now)
  const ralph = toolsIn({ ...env, TZ: tz }, { ...options, projectDir: folder })
  for (const [number, { now, write = {}, tool, input, expect: expected }] of steps.entries()) {
    native.__freezeClock(Date.parse(now))
    writeFiles(folder, write, new Date(now))
    const place = `${id} step ${number} ${tool} ${JSON.stringify(input)}`
    const method = methods.get(tool) as keyof RalphTools
    const output = await (ralph[method] as (input: unknown) => Promise<unknown>).call(ralph, input)
    expect(output, place).toMatchObject(expected.output ?? {})
    for (const [name, content] of Object.entries(expected.files ?? {})) {
      expectFile(join(folder, name), content, `${place}: ${name}`)
    }
  }
}

function expectFile(path: string, content: unknown, place: string): void {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : null
  if (content === null || text === null) expect(text, place).toBe(content)
  else if (typeof content === 'string') expect(text.trimEnd(), place).toBe(content.trimEnd())
  else if (typeof content === 'object') expect(JSON.parse(text), place).toMatchObject(content)
  else expect(JSON.parse(text), place).toBe(content)
}

function makeRepository(folder: string, changed: string[]): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' })
  git('init', '-q')
  git('add', '-A', '-f')
  git(
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@example.invalid',
    '-c',
    'commit.gpgsign=false',
    'commit',
    '-q',
    '-m',
    'start',
  )
  for (const name of changed) appendFileSync(join(folder, name), 'changed\n')
}
