// `ralph-sdk-tools`, the program, as people type and mistype it.

import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../dist/cli/commands.mjs'
import { type Files, project, ROOT, read } from './support/project.mts'

const PROGRAM = join(ROOT, 'dist', 'ralph-sdk-tools.cjs')
const run = (args: string[], input = '') => spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8', input })

describe('help', () => {
  test('of all commands, and of each', () => {
    const { status, stdout } = run(['--help'])
    expect(status).toBe(0)
    for (const { name, help } of COMMANDS) {
      expect(stdout).toMatch(new RegExp(`^  ${name}\\b.*${help.split(' ')[0]}`, 'm'))
      expect(
        Math.max(
          ...run([name, '--help'])
            .stdout.split('\n')
            .map((line) => line.length),
        ),
      ).toBeLessThan(100)
    }
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(run(['tick', '-h']).stdout).toMatch(/^Usage: ralph-sdk-tools tick ID \[--project DIR\] .*\[--undo\]/)
  })

  test('--version', () => {
    const { version } = createRequire(import.meta.url)('../package.json')
    expect(run(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n` })
  })
})

test.each([
  [['--access', 'admin'], 2, /--access "admin" is unknown: use read, worker, full/],
  [['--acces', 'read'], 2, /--acces/],
  [['server'], 2, /there is no command "server"/],
  [['status', 'now'], 2, /unexpected argument: "now"/],
  [['tick'], 2, /tick needs ID/],
  [['call'], 2, /call needs TOOL/],
  [['call', 'rate'], 2, /there is no tool "rate"; there are rate_limit, /],
  [['call', 'rate_limit', '{"action"'], 2, /no JSON/],
  [['next', '--', 'x'], 2, /next takes nothing after --/],
  [['--watch'], 2, /--watch is no option of serve/],
  [['status', '--access', 'read'], 2, /--access is no option of status/],
  [['status', '--watch', '--json'], 2, /exclude each other/],
  [['--project', '/does/not/exist'], 1, /INVALID_PROJECT: .*\/does\/not\/exist/],
  [['status', '--project', '/does/not/exist'], 1, /INVALID_PROJECT/],
  [['call', 'rate_limit', '{"action":"jump"}'], 1, /INVALID_INPUT/],
  [['tick', '--project', ROOT, 'none'], 1, /(PLAN|TASK)_NOT_FOUND/],
])('%j', (args, status, message) => {
  const result = run(args)
  expect(result.stderr).toMatch(message)
  expect(result).toMatchObject({ status, stdout: '' })
  expect(result.stderr).not.toMatch(/\n\s+at /)
})

test('an argument cannot act on the terminal', () => {
  const { stderr } = run(['\u001b[31m\u009b2J'])
  expect(stderr).toContain('\\u001b[31m\\x9b2J')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those must not be there.
  expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
})

describe('a project', () => {
  const PLAN: Files = { '.ralph/fix_plan.md': '## A\n- [x] First\n- [ ] Second\n- [ ] Third\n' }
  const on = (folder: string, args: string[], input?: string) => run([...args, '--project', folder], input)

  test('next, tick, tick --undo', () => {
    const folder = project(PLAN)
    expect(on(folder, ['next'])).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^second {2}Second\n/),
    })
    expect(JSON.parse(on(folder, ['next', '--json']).stdout)).toMatchObject({ id: 'second', line: 3 })
    expect(on(folder, ['tick', 'second']).stdout).toBe('done: second  Second\n2 of 3 done; next: third  Third\n')
    expect(read(folder, '.ralph/fix_plan.md')).toContain('- [x] Second')
    expect(on(folder, ['tick', 'second', '--undo']).stdout).toContain('open: second')
    for (const task of ['second', 'Third']) on(folder, ['tick', task])
    expect(on(folder, ['next'])).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('3 of 3 are done'),
    })
  })

  test('reset-circuit and reset', () => {
    const open = JSON.stringify({ state: 'OPEN', opened_at: new Date().toISOString() })
    const folder = project({ '.ralph/.circuit_breaker_state': open })
    expect(on(folder, ['reset-circuit'])).toMatchObject({ status: 0, stdout: 'the circuit is CLOSED\n' })
    expect(on(folder, ['reset'])).toMatchObject({ status: 0, stdout: expect.stringMatching(/CLOSED; exit signals/) })
    expect(JSON.parse(on(folder, ['reset', '--json']).stdout)).toMatchObject({ circuitBreaker: { state: 'CLOSED' } })
  })

  test('call, from an argument and from stdin', () => {
    const folder = project(PLAN)
    expect(JSON.parse(on(folder, ['call', 'rate_limit', '{"action":"increment"}']).stdout)).toMatchObject({
      currentCount: 1,
    })
    expect(JSON.parse(on(folder, ['call', 'rateLimit', '-'], '{"action":"check"}').stdout)).toMatchObject({
      currentCount: 1,
    })
  })
})
