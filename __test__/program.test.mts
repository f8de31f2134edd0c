// `ralph-sdk-tools`, the program, as people type and mistype it.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { COMMANDS } from '../dist/cli/commands.mjs'
import { PROGRAM, runProgram } from './support/program.mts'
import { type Files, project, ROOT, read, scratch, writeFiles } from './support/project.mts'

const run = (args: string[], input = '') => runProgram(args, { input })

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
  [['run', '--max-loops', '0'], 2, /--max-loops takes a whole number from 1 on/],
  [['run', '--max-cost-usd', '-1'], 2, /max-cost-usd/],
  [['run', '--once', '--max-loops', '2'], 2, /exclude each other/],
  [['run', '--', 'x'], 2, /after -- stand options of Claude Code/],
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

describe('the right project', () => {
  const PLAN = '- [ ] Here\n'

  test.each([
    ['.ralph/fix_plan.md', 'a/b', {}],
    ['@fix_plan.md', 'a', {}],
  ])('%s above %s is found', (plan, below, env) => {
    const folder = scratch()
    writeFiles(folder, { [plan]: PLAN })
    mkdirSync(join(folder, below), { recursive: true })
    const cwd = join(folder, below)
    expect(JSON.parse(runProgram(['status', '--json'], { cwd, env }).stdout)).toMatchObject({ project: folder })
    expect(runProgram(['next'], { cwd }).stdout).toMatch(/^here /)
    // The server says which project it serves, where that is not where it was started.
    expect(runProgram(['serve'], { cwd }).stderr).toBe(`[ralph-sdk-tools] the project is ${folder}\n`)
    expect(runProgram(['serve'], { cwd: folder }).stderr).toBe('')
  })

  test('a named one is taken as it is', () => {
    const folder = project({ '.ralph/fix_plan.md': PLAN })
    mkdirSync(join(folder, 'a'))
    const { stdout, stderr } = runProgram(['status', '--json', '--project', 'a'], { cwd: folder })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({ project: join(folder, 'a'), plan: { totalTasks: 0 } })
    // ... and what was left a folder higher is named.
    expect(JSON.parse(stdout).warnings.join()).toContain(join(folder, '.ralph/fix_plan.md'))
    const env = { RALPH_PROJECT_DIR: join(folder, 'a') }
    expect(JSON.parse(runProgram(['status', '--json'], { cwd: folder, env }).stdout)).toMatchObject({
      project: join(folder, 'a'),
    })
  })

  test.skipIf(process.platform !== 'linux')('a folder whose name is no UTF-8', () => {
    const folder = scratch()
    // Only a shell can name such an argument: Node encodes all of its own.
    const shell = (script: string) =>
      execFileSync(
        'sh',
        ['-c', `cd "$1" && n=$(printf 'caf\\351') && ${script}`, 'sh', folder, process.execPath, PROGRAM],
        {
          encoding: 'utf8',
        },
      )
    shell(`mkdir -p "$n/.ralph" && printf -- '- [ ] Here\\n' > "$n/.ralph/fix_plan.md"`)
    for (const script of [
      '"$2" "$3" next --project "$n"',
      '"$2" "$3" next --project="$n"',
      'RALPH_PROJECT_DIR="$n" "$2" "$3" next',
      'cd "$n" && "$2" "$3" next',
    ]) {
      expect(shell(script), script).toMatch(/^here {2}Here\n/)
    }
    expect(JSON.parse(shell('cd "$n" && "$2" "$3" status --json')).plan).toMatchObject({ totalTasks: 1 })
  })
})

describe.skipIf(process.platform !== 'linux')('on a terminal', () => {
  /** The program on a pty: what it prints, and how it ends. The keys are pressed once this has been printed. */
  async function onTerminal(cwd: string, args: string[], after = '', keys = '') {
    const command = `stty cols 80 rows 24; exec ${process.execPath} ${PROGRAM} ${args.join(' ')}`
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd,
      env: { ...process.env, TERM: 'xterm', NO_COLOR: '1' },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let stdout = ''
    let pressed = keys === ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      if (!pressed && stdout.includes(after)) child.stdin.write(keys)
      pressed ||= stdout.includes(after)
    })
    const [status] = await once(child, 'close')
    return { status, stdout }
  }

  test('without a word it says what it is and what to type', async () => {
    const { status, stdout } = await onTerminal(project(), [])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^ralph-sdk-tools guards .*--help/)
  })

  test.each([
    ['q', 0],
    ['\u0003', 130],
  ])('--watch ends with %j', async (key, code) => {
    const { status, stdout } = await onTerminal(project(), ['status', '--watch'], 'q quits', key)
    expect(status).toBe(code)
    expect(stdout.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true)
  })
})

describe.skipIf(process.platform === 'win32')('a project that wants to hang its readers', () => {
  test.each(['logs/ralph.log', 'logs/metrics.jsonl', 'status.json'])('%s is a FIFO', (name) => {
    const folder = project({ '.ralph/logs/x': '' })
    execFileSync('mkfifo', [join(folder, '.ralph', name)])
    const { status, stdout } = spawnSync(process.execPath, [PROGRAM, 'status', '--json', '--project', folder], {
      encoding: 'utf8',
      timeout: 20_000,
    })
    expect(status).toBe(0)
    expect(JSON.parse(stdout).errors.join()).toContain('regular file')
  })
})

describe('init and doctor', () => {
  const doctor = (folder: string) => {
    const { status, stdout } = runProgram(['doctor', '--json', '--project', folder])
    return { status, ...JSON.parse(stdout) } as {
      status: number
      findings: { severity: string; what: string; mend: string }[]
    }
  }

  test('init writes what is missing, and never over a file', () => {
    const folder = scratch()
    writeFiles(folder, { '.mcp.json': '{}' })
    const first = JSON.parse(runProgram(['init', '--json', '--project', folder]).stdout)
    expect(first).toMatchObject({ project: folder, kept: ['.mcp.json'] })
    expect(first.written).toEqual(['.ralph/fix_plan.md', '.ralph/PROMPT.md', '.ralph/.gitignore'])
    writeFiles(folder, { '.ralph/fix_plan.md': '- [ ] Mine\n' })
    const { stdout } = runProgram(['init', '--project', folder])
    expect(stdout).toContain('kept as it is: .ralph/fix_plan.md')
    expect(read(folder, '.ralph/fix_plan.md')).toBe('- [ ] Mine\n')
    expect(read(folder, '.mcp.json')).toBe('{}')
  })

  test('what init writes is a project in which a run would begin, and a server that starts', () => {
    const folder = scratch()
    runProgram(['init', '--project', folder])
    const { status, findings } = doctor(folder)
    expect({ status, errors: findings.filter(({ severity }) => severity === 'error') }).toEqual({
      status: 0,
      errors: [],
    })
    expect(runProgram(['next', '--project', folder])).toMatchObject({
      stderr: '',
      stdout: expect.stringContaining('Describe'),
    })
    expect(JSON.parse(read(folder, '.mcp.json')).mcpServers.ralph.args).toContain('ralph-sdk-tools')
  })

  test('doctor names what keeps a run from beginning, and what to do', () => {
    const nothing = doctor(scratch())
    expect(nothing.status).toBe(1)
    expect(nothing.findings[0]).toMatchObject({ severity: 'error', mend: expect.stringContaining('init') })
    const above = scratch()
    writeFiles(above, { '.ralph/fix_plan.md': '- [ ] x\n', 'app/x': '' })
    expect(doctor(join(above, 'app')).findings[0]?.mend).toContain(join(above, '.ralph/fix_plan.md'))
    const boxless = project({ '.ralph/fix_plan.md': '# Plan\n- a list\n' })
    expect(doctor(boxless).findings[0]).toMatchObject({ severity: 'error', what: expect.stringContaining('no box') })
    expect(doctor('/does/not/exist')).toMatchObject({
      status: 1,
      findings: [{ what: expect.stringMatching(/^INVALID_PROJECT/) }],
    })
    expect(runProgram(['doctor', '--project', boxless]).stdout).toMatch(
      /^Project .*\n✖ the plan .* has no box.*\n {2}→ write/,
    )
  })
})
