// The plugin, as Claude Code loads it: the program's own binary, `claude -p --plugin-dir`, offline. A session without Ralph's
// loop is left alone; one with it works the plan off, and whatever goes wrong, the session lives.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { offline } from '../examples/scripted-model/offline.mts'
import { type ScriptedModel, startScriptedModel } from '../examples/scripted-model/server.mts'
import { type ScriptedTurn, textOf } from '../examples/scripted-model/turns.mts'
import { claudeBinary } from './support/claude.mts'
import { project, ROOT, read } from './support/project.mts'

const PLUGIN = join(ROOT, 'plugin')
const HOOK = join(PLUGIN, 'node_modules', '.bin', process.platform === 'win32' ? 'ralph-hook.exe' : 'ralph-hook')
const PLAN = '# Plan\n\n- [ ] [a-1] Write a\n- [ ] [a-2] Write b\n'

const ARGS = [
  ...['-p', '--allowedTools', 'Write', 'mcp__plugin_ralph_ralph'],
  ...['--plugin-dir', PLUGIN, '--permission-mode', 'dontAsk', '--model', 'claude-sonnet-5'],
]

interface Session {
  model: ScriptedModel
  folder: string
  /** One `claude -p`; its result message. */
  ask(prompt: string, ...more: string[]): Promise<Result>
  env: Record<string, string>
}

interface Result {
  code: number | null
  result: string
  session_id: string
  num_turns: number
  is_error: boolean
}

async function session(script: ScriptedTurn[], folder = project({ '.ralph/fix_plan.md': PLAN })): Promise<Session> {
  const model = await startScriptedModel(script)
  const claude = await offline(model.url)
  onTestFinished(async () => {
    await model.close()
    await claude.dispose()
  })
  const env = { ...claude.env, TZ: 'UTC' }
  const ask = async (prompt: string, ...more: string[]): Promise<Result> => {
    const child = spawn(claudeBinary(), [...ARGS, '--output-format', 'json', ...more, prompt], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let stdout = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    const [code] = await once(child, 'close')
    return { code, ...JSON.parse(stdout) }
  }
  return { model, folder, ask, env }
}

const write = (folder: string, name: string): ScriptedTurn => ({
  calls: [{ name: 'Write', input: { file_path: join(folder, name), content: name } }],
})
const tick = (taskId: string): ScriptedTurn => ({
  calls: [{ name: 'mcp__plugin_ralph_ralph__task_planner', input: { action: 'update', taskId } }],
})
const sessions = (folder: string) =>
  readdirSync(join(folder, '.ralph')).filter((name) => name.startsWith('.session_') && !name.endsWith('.edits'))
const replaceByFolder = (path: string) => {
  rmSync(path, { force: true })
  mkdirSync(path)
}
const status = (folder: string) => JSON.parse(read(folder, '.ralph/status.json'))

describe('/ralph:start', () => {
  test('works the plan off: at each early stop the model is sent on with the next task', async () => {
    const { model, folder, ask } = await session([])
    model.say(write(folder, 'a.txt'), tick('a-1'), { text: 'Wrote a.' })
    model.say(write(folder, 'b.txt'), tick('a-2'), { text: 'Wrote b.' })
    const { code, result } = await ask('/ralph:start')
    expect([code, result]).toEqual([0, 'Wrote b.'])
    expect(model.remaining).toBe(0)
    const prompts = model.requests.map(({ messages }) => textOf(messages.at(-1)?.content))
    expect(prompts[0]).toContain('[a-1] Write a')
    expect(prompts[3]).toContain('[a-2] Write b')
    expect(read(folder, '.ralph/fix_plan.md')).not.toContain('[ ]')
    expect(status(folder)).toMatchObject({ status: 'completed', last_action: 'graceful_exit', loop_count: 2 })
    expect(read(folder, '.ralph/.call_count').trim()).toBe('2')
    expect(read(folder, '.ralph/logs/metrics.jsonl').trim().split('\n')).toHaveLength(2)
    expect(sessions(folder)).toEqual([])
  })

  test('lets a model go that stalls, one file read an attempt', async () => {
    const { model, folder, ask } = await session([])
    for (const words of ['Hm.', 'Hmm.', 'Hmmm.', 'Never said.']) {
      model.say(
        { calls: [{ name: 'Read', input: { file_path: join(folder, '.ralph/fix_plan.md') } }] },
        { text: words },
      )
    }
    expect((await ask('/ralph:start')).result).toBe('Hmmm.')
    expect(model.remaining).toBe(2)
    expect(status(folder)).toMatchObject({ status: 'halted', exit_reason: 'stagnation_detected' })
  })

  test('halts at denials, and ends at the loops that it was given', async () => {
    const denied = await session([
      { calls: [{ name: 'Bash', input: { command: 'rm -rf build' } }] },
      { text: 'I may not.' },
      { calls: [{ name: 'Bash', input: { command: 'rm -rf build' } }] },
      { text: 'I may not.' },
    ])
    await denied.ask('/ralph:start')
    expect(status(denied.folder)).toMatchObject({ status: 'halted', exit_reason: 'permission_denied' })

    const short = await session([])
    short.model.say(write(short.folder, 'x'), { text: 'One.' })
    await short.ask('/ralph:start --max-loops 1')
    expect(short.model.remaining).toBe(0)
    expect(status(short.folder)).toMatchObject({ status: 'stopped', last_action: 'loop_limit' })
  })

  test('asks the model nothing where the hour is used up', async () => {
    const { model, folder, ask, env } = await session([{ text: 'Never said.' }])
    env['MAX_CALLS_PER_HOUR'] = '1'
    const hour = new Date().toISOString().slice(0, 13).replaceAll(/\D/g, '')
    writeFileSync(join(folder, '.ralph/.call_count'), '1\n')
    writeFileSync(join(folder, '.ralph/.last_reset'), `${hour}\n`)
    const { result } = await ask('/ralph:start')
    expect(result).toContain('1 of 1')
    expect(model.requests).toHaveLength(0)
  })
})

describe('a run that is interrupted', () => {
  test('by Ctrl-C leaves a clean status, and the session free', async () => {
    const { model, folder, env } = await session([])
    let interrupt = () => {}
    model.say(write(folder, 'a.txt'), () => {
      interrupt()
      return { calls: [{ name: 'Read', input: { file_path: join(folder, 'a.txt') } }] }
    })
    model.say({ text: 'Never said.' }, { text: 'Never said.' })
    const child = spawn(claudeBinary(), [...ARGS, '/ralph:start'], { cwd: folder, env, stdio: 'ignore' })
    interrupt = () => child.kill('SIGINT')
    await once(child, 'close')
    expect(status(folder)).toMatchObject({ status: 'stopped', last_action: 'interrupted' })
    expect(sessions(folder)).toEqual([])
  })

  test('by kill -9 stays counted; resumed, it is told to be interrupted, and another start takes the project over', async () => {
    const { model, folder, env, ask } = await session([])
    let kill = () => {}
    model.say(write(folder, 'a.txt'), () => {
      kill()
      return { text: 'Never heard.' }
    })
    const child = spawn(claudeBinary(), [...ARGS, '/ralph:start'], { cwd: folder, env, stdio: 'ignore' })
    kill = () => child.kill('SIGKILL')
    await once(child, 'close')
    const [killed] = sessions(folder)
    expect(killed).toBeDefined()
    expect(read(folder, '.ralph/.call_count').trim()).toBe('1')
    model.say(write(folder, 'b.txt'), { text: 'One.' })
    await ask('/ralph:start --max-loops 1')
    expect(status(folder)).toMatchObject({ status: 'stopped', last_action: 'loop_limit', loop_count: 2 })
    expect(read(folder, '.ralph/.call_count').trim()).toBe('2')
    expect(sessions(folder)).toEqual([])
  })
})

test('an error of the provider ends the turn, and is not counted against the model', async () => {
  const { folder, ask, model } = await session([
    { error: { status: 529, type: 'overloaded_error', message: 'Overloaded' } },
  ])
  await ask('/ralph:start')
  expect(model.requests).toHaveLength(1)
  expect(status(folder).status).not.toBe('running')
  expect(read(folder, '.ralph/.call_count').trim()).toBe('1')
})

test('/ralph:status and /ralph:cancel ask the model nothing', async () => {
  const { model, ask } = await session([{ text: 'Never said.' }])
  expect((await ask('/ralph:status')).result).toContain('0 of 2 tasks done')
  expect((await ask('/ralph:cancel')).result).toContain('does not loop')
  expect(model.requests).toHaveLength(0)
})

test('a session without the loop is left alone, and one that loops elsewhere is not disturbed', async () => {
  const { model, folder, ask } = await session([{ text: 'Hello.' }])
  const other = {
    version: 1,
    owner: 'plugin',
    pid: process.pid,
    loop: 1,
    open: true,
    started: new Date().toISOString(),
  }
  writeFileSync(join(folder, '.ralph/.session_other'), JSON.stringify(other))
  expect((await ask('Hi')).result).toBe('Hello.')
  expect(readdirSync(join(folder, '.ralph')).sort()).toEqual(['.session_other', 'fix_plan.md'])
  const refused = await ask('/ralph:start')
  expect(refused.result).toContain('other')
  expect(model.requests).toHaveLength(1)
})

const SCRIPT = ['/usr/bin/script', '/bin/script'].find(existsSync)

test.skipIf(process.platform !== 'linux' || !SCRIPT)('in the interactive program, on a terminal', async () => {
  const { model, folder, env } = await session([])
  model.say(write(folder, 'a.txt'), { text: 'One.' }, write(folder, 'b.txt'), { text: 'Two.' })
  // What a person has answered before: the theme, the key, and that the folder is trusted.
  mkdirSync(env['CLAUDE_CONFIG_DIR'] as string, { recursive: true })
  const answered = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['scripted'], rejected: [] },
    projects: { [folder]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  }
  writeFileSync(join(env['CLAUDE_CONFIG_DIR'] as string, '.claude.json'), JSON.stringify(answered))
  const command = `'${claudeBinary()}' --plugin-dir '${PLUGIN}' --permission-mode acceptEdits --model claude-sonnet-5`
  const terminal = spawn(SCRIPT as string, ['-qfec', command, '/dev/null'], {
    cwd: folder,
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void terminal.kill('SIGKILL'))
  let screen = ''
  terminal.stdout.on('data', (chunk) => {
    screen += chunk
  })
  const shows = (text: RegExp) =>
    vi.waitFor(() => expect(stripVTControlCharacters(screen)).toMatch(text), { timeout: 30_000, interval: 100 })
  // What is typed before the program listens is lost: it is typed until it shows. A redraw moves over blanks.
  const type = async (line: string) => {
    const [command = ''] = line.split(' ')
    await vi.waitFor(
      () => {
        terminal.stdin.write(`\u0015${line}`)
        return vi.waitFor(() => expect(stripVTControlCharacters(screen)).toContain(command), { timeout: 2000 })
      },
      { timeout: 30_000, interval: 100 },
    )
    terminal.stdin.write('\r')
  }
  await shows(/❯/)
  await type('/ralph:start --max-loops 2')
  await vi.waitFor(() => expect(status(folder)).toMatchObject({ last_action: 'loop_limit', loop_count: 2 }), {
    timeout: 30_000,
    interval: 100,
  })
  await shows(/2\s*loops/)
  screen = ''
  await type('/ralph:status')
  await shows(/does\s*not\s*loop/)
  expect(model.requests).toHaveLength(4)
})

describe('whatever goes wrong, the session lives', () => {
  test.each<[string, (folder: string) => void]>([
    ['a project that is gone', (folder) => rmSync(join(folder, '.ralph'), { recursive: true })],
    ['hostile state', (folder) => replaceByFolder(join(folder, '.ralph/.exit_signals'))],
    ['a broken configuration', (folder) => writeFileSync(join(folder, '.ralphrc'), 'MAX_CALLS_PER_HOUR=many\n')],
    ['a read-only project', (folder) => chmodSync(join(folder, '.ralph'), 0o555)],
  ])('%s', async (_, breakIt) => {
    const { model, folder, ask } = await session([])
    model.say(
      () => {
        breakIt(folder)
        return { text: 'Something.' }
      },
      { text: 'More.' },
      { text: 'More still.' },
      { text: 'Never said.' },
    )
    const { code, is_error } = await ask('/ralph:start')
    expect([code, is_error]).toEqual([0, false])
    expect(model.remaining).toBeGreaterThan(0)
    chmodSync(existsSync(join(folder, '.ralph')) ? join(folder, '.ralph') : folder, 0o755)
  })

  test('the program ends with 0 and a line at most, whatever it is told', () => {
    const fire = (input: string | Buffer, env = {}) =>
      spawnSync(HOOK, [], { input, encoding: 'utf8', env: { PATH: process.env['PATH'], ...env } })
    const folder = project({ '.ralph/fix_plan.md': PLAN })
    const event = (more: object) => JSON.stringify({ hook_event_name: 'Stop', session_id: 's', cwd: folder, ...more })
    for (const input of [
      '',
      '{',
      '[]',
      'null',
      '\0',
      '[['.repeat(50_000),
      event({ session_id: '../../x' }),
      event({}),
    ]) {
      const { status: code, stdout, stderr } = fire(input)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout.split('\n')).toHaveLength(1)
      expect(stdout).not.toContain('block')
    }
    const long = fire(
      Buffer.concat([Buffer.from(event({}).slice(0, -1)), Buffer.alloc(100 << 20, ' '), Buffer.from('}')]),
    )
    expect(long.status).toBe(0)
    expect(long.stdout).toContain('64 MiB')
  })
})
