// `ralph-sdk-tools status`: what it gathers, and how it fits on a screen.

import { spawnSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { showStatus } from '../dist/status/command.mjs'
import { renderStatus } from '../dist/status/render.mjs'
import type { Snapshot } from '../dist/status/snapshot.mjs'
import { bar, clean, clip, duration, styles, width } from '../dist/status/text.mjs'
import { project, ROOT, scratch, writeFiles } from './support/project.mts'
import { SNAPSHOT } from './support/snapshot.mts'

const plain = styles({ isTTY: false }, {})
const colour = styles({ isTTY: true }, {})
const draw = (columns: number, rows: number, paint = plain, snapshot: Snapshot = SNAPSHOT) =>
  renderStatus(snapshot, { columns, rows, styles: paint })

describe.each([40, 60, 79, 80, 99, 100, 120, 200])('%i columns', (columns) => {
  test.each([12, 24, 34, 60])('%i rows: nothing is wider or higher', (rows) => {
    const lines = draw(columns, rows, colour)
    expect(lines.length).toBeLessThanOrEqual(rows)
    for (const line of lines) expect(width(line), line).toBeLessThanOrEqual(columns)
  })

  test('shows what matters', () => {
    const screen = draw(columns, 40).join('\n')
    for (const words of ['HALF_OPEN', '85/100', '7/12', '39 min 30 s', 'plan_complete', 'High priority', 'damaged']) {
      expect(screen).toContain(words)
    }
    expect(screen).toMatch(/#9 +✖ failed/)
    expect(screen).toMatch(/#10 +✔ ok +1 h 02 min/)
    expect(screen).toContain('Loop #11 done')
  })
})

test('the halves stand side by side where there is room', () => {
  const side = (columns: number) => draw(columns, 40).some((line) => line.includes('Circuit') && line.includes('#11'))
  expect([side(80), side(120)]).toEqual([false, true])
})

test('a running Claude is shown, as bash Ralph reports it', () => {
  const progress = { status: 'executing', indicator: '⠋', elapsed_seconds: 130, last_output: 'Reading\nfiles' }
  const at = (value: unknown) => draw(80, 40, plain, { ...SNAPSHOT, report: { ...SNAPSHOT.report, progress: value } })
  expect(at(progress)).toContain('Claude    at work for 2 min 10 s: Reading files')
  for (const idle of [undefined, null, 7, { ...progress, status: 'idle' }]) {
    expect(at(idle).join('\n')).not.toContain('at work')
  }
})

test('statistics without a line for each loop', () => {
  expect(draw(80, 40, plain, { ...SNAPSHOT, loops: [] }).join('\n')).toContain('Loops  11 in all, 91 % successful')
})

test('warnings wrap on a terminal and are whole where they are piped; a plan without boxes says so', () => {
  const warning = `first ${'word '.repeat(60)}last`
  const at = (piped: boolean) =>
    renderStatus(
      {
        ...SNAPSHOT,
        project: `/home/${'x'.repeat(80)}/projects/greeter`,
        warnings: Array.from({ length: 7 }, (_, index) => `${index} ${warning}`),
        plan: { ...(SNAPSHOT.plan as NonNullable<Snapshot['plan']>), totalTasks: 0, completedTasks: 0 },
      },
      { columns: 80, rows: piped ? Number.POSITIVE_INFINITY : 60, styles: plain, piped },
    )
  const screen = at(false)
  expect(screen.filter((line) => line.includes('first'))).toHaveLength(5)
  expect(screen[3]).toMatch(/^ {2}word .*…$/)
  expect(screen[0]).toMatch(/^Ralph {2}\/home\/x+…x*\/projects\/greeter {2}/)
  expect(screen.join('\n')).toContain('Plan      no boxes')
  const piped = at(true).filter((line) => line.startsWith('! '))
  expect(piped).toEqual(Array.from({ length: 7 }, (_, index) => `! ${index} ${warning}`))
})

test('without colour the log shows its level', () => {
  const log = ['[2026-03-01 10:16:00] [WARN] slow', '[2026-03-01 10:17:00] [INFO] fine']
  const shown = (paint: typeof plain) => draw(80, 40, paint, { ...SNAPSHOT, log }).join('\n')
  expect(shown(plain)).toMatch(/10:16:00 WARN {4}slow\n {2}10:17:00 fine/)
  expect(shown(colour)).not.toContain('WARN')
})

test('a text of a megabyte is cut before it is measured', () => {
  const huge = '\u0301'.repeat(1 << 20)
  const started = performance.now()
  const lines = draw(80, 40, plain, {
    ...SNAPSHOT,
    project: huge,
    warnings: [huge],
    log: [huge],
    sections: [{ name: huge, completed: 0, total: 1, optional: false }],
  })
  for (const line of lines) expect(width(line)).toBeLessThanOrEqual(80)
  // The quadratic measure took hours.
  expect(performance.now() - started).toBeLessThan(20_000)
})

test('nothing in a project can write to the terminal', () => {
  const hostile = 'a\u001b[2Jb\u001b]0;title\u0007c\rd\u009b31m'
  const lines = draw(80, 40, plain, {
    ...SNAPSHOT,
    project: hostile,
    log: [hostile, `[2026-03-01 10:15:00] [INFO] ${hostile}`],
    warnings: [hostile],
    sections: [{ name: hostile, completed: 0, total: 1, optional: false }],
  })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those must not be there.
  for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
})

test('many sections and many warnings are cut, and the cut is told', () => {
  const sections = Array.from({ length: 50 }, (_, index) => ({
    name: `Part ${index}`,
    completed: 1,
    total: 2,
    optional: false,
  }))
  const screen = draw(80, 30, plain, { ...SNAPSHOT, sections, warnings: Array.from({ length: 9 }, (_, i) => `w${i}`) })
  expect(screen.join('\n')).toMatch(/… \d+ more sections/)
  expect(screen.join('\n')).toMatch(/… and 4 more/)
})

test('colour: on a terminal, unless NO_COLOR; FORCE_COLOR elsewhere', () => {
  const coloured = (isTTY: boolean, env: Record<string, string>) => styles({ isTTY }, env)('bad', 'x') !== 'x'
  expect(coloured(true, {})).toBe(true)
  expect(coloured(true, { NO_COLOR: '1' })).toBe(false)
  expect(coloured(true, { NO_COLOR: '' })).toBe(true)
  expect(coloured(true, { TERM: 'dumb' })).toBe(false)
  expect(coloured(false, {})).toBe(false)
  expect(coloured(false, { FORCE_COLOR: '1' })).toBe(true)
  expect(coloured(false, { FORCE_COLOR: '0' })).toBe(false)
})

test.each([
  [0, 0],
  [0.001, 1],
  [0.5, 5],
  [0.999, 9],
  [1, 10],
  [7, 10],
  [-1, 0],
  [Number.NaN, 0],
])('a bar at %d has %i of 10 filled', (share, filled) => {
  expect(bar(share, 10, 'good', plain)).toBe('█'.repeat(filled) + '░'.repeat(10 - filled))
})

test('widths', () => {
  expect(width('abc')).toBe(3)
  expect(width('文書')).toBe(4)
  expect(width('👩‍👩‍👧')).toBe(2)
  expect(width(colour('good', 'abc'))).toBe(3)
  expect(clip('文書文書', 5)).toBe('文書…')
  expect(clip('abc', 3)).toBe('abc')
  expect(clip('abc', 0)).toBe('')
  expect(clean(' a\u001b[31mb\nc ')).toBe('ab c')
  expect([45, 725, 11_220, -5].map(duration)).toEqual(['45 s', '12 min 05 s', '3 h 07 min', '0 s'])
})

describe('--watch', () => {
  class FakeTerminal extends EventEmitter {
    isTTY = true
    columns = 60
    rows = 24
    written: string[] = []
    write(text: string): void {
      this.written.push(text)
      this.emit('written')
    }
  }
  const ENTER = '\u001b[?1049h\u001b[?25l'
  const LEAVE = '\u001b[?25h\u001b[?1049l'

  test('draws again when the size changes, and gives the terminal back', async () => {
    const terminal = new FakeTerminal()
    const stop = new AbortController()
    const done = showStatus({ projectDir: project(), watch: true, json: false }, stop.signal, terminal)
    await once(terminal, 'written')
    terminal.columns = 120
    // Not before the loop waits for it.
    while (terminal.listenerCount('resize') === 0) await setImmediate()
    terminal.emit('resize')
    await once(terminal, 'written')
    stop.abort()
    await done
    const [enter, first = '', second = '', leave] = terminal.written
    expect([enter, leave]).toEqual([ENTER, LEAVE])
    for (const frame of [first, second]) expect(frame).toContain('0/100')
    expect(terminal.listenerCount('resize')).toBe(0)
  })

  test('gives the terminal back when drawing fails', async () => {
    const terminal = new FakeTerminal()
    Object.defineProperty(terminal, 'columns', {
      get: () => {
        throw new Error('no size')
      },
    })
    const never = new AbortController().signal
    await expect(showStatus({ projectDir: project(), watch: true, json: false }, never, terminal)).rejects.toThrow(
      'no size',
    )
    expect(terminal.written).toEqual([ENTER, LEAVE])
  })
})

describe('the program', () => {
  const status = (folder: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'dist/ralph-sdk-tools.cjs'), 'status', '--project', folder, ...args], {
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC', HOME: folder, NO_COLOR: '1' },
    })

  test('a folder without anything of Ralph: zeroes, and nothing is written', () => {
    const folder = scratch()
    const { stdout, status: code } = status(folder)
    expect(code).toBe(0)
    expect(stdout).toContain('0/100')
    expect(readdirSync(folder)).toEqual([])
  })

  test.each([
    ['ralph', { '.ralph/fix_plan.md': '## A\n- [x] one\n- [ ] two\n' }, '.ralph/logs/'],
    ['flat', { '@fix_plan.md': '## A\n- [x] one\n- [ ] two\n', 'PROMPT.md': 'p' }, 'logs/'],
  ])('--json, %s layout', (layout, files, logs) => {
    const folder = layout === 'ralph' ? project() : scratch()
    const metrics = [
      '{"timestamp":"2026-03-01T10:00:00+00:00","loop":1,"duration":60,"success":true,"calls":1}',
      'not json',
      '{"timestamp":"2026-03-01T10:05:00+00:00","loop":2,"duration":30.5,"success":false,"calls":2}',
    ]
    writeFiles(folder, {
      ...files,
      [`${logs}metrics.jsonl`]: metrics.join('\n'),
      [`${logs}ralph.log`]: 'first\nlast\n',
    })
    const snapshot = JSON.parse(status(folder, '--json').stdout)
    expect(snapshot).toMatchObject({
      project: folder,
      plan: { totalTasks: 2, completedTasks: 1 },
      sections: [{ name: 'A', completed: 1, total: 2 }],
      loops: [
        { loop: 2, duration: 30.5, success: false, calls: 2 },
        { loop: 1, success: true },
      ],
      log: ['first', 'last'],
    })
    expect(snapshot.plan).not.toHaveProperty('tasks')
  })

  test.each([
    ['a wrapper’s own limits', '{"max_calls_per_hour":20,"max_tokens_per_hour":5000}', '0/20', '0/5,000'],
    ['no limits', '{"max_calls_per_hour":"a[$(id)]","max_tokens_per_hour":-1}', '0/100', ''],
    ['no JSON', '{"max_calls', '0/100', ''],
    ['no object', 'null', '0/100', ''],
  ])('the limits are the last loop’s: %s', (_, report, calls, tokens) => {
    const folder = project()
    writeFiles(folder, { '.ralph/status.json': report })
    const { stdout } = status(folder)
    expect(stdout).toMatch(new RegExp(`Calls .* ${calls}\\n`))
    expect(stdout).toContain(tokens)
  })

  test('an open circuit is shown open, whatever the loop does at its start', () => {
    const folder = project()
    writeFiles(folder, {
      '.ralphrc': 'CB_AUTO_RESET=true\n',
      '.ralph/.circuit_breaker_state': JSON.stringify({ state: 'OPEN', opened_at: new Date().toISOString() }),
    })
    expect(status(folder).stdout).toContain('● OPEN')
  })

  test('a long log is read from its end', () => {
    const folder = project()
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`)
    writeFiles(folder, { '.ralph/logs/ralph.log': `${lines.join('\n')}\n` })
    expect(JSON.parse(status(folder, '--json').stdout).log).toEqual(lines.slice(-30))
  })

  test('what one tool cannot answer does not hide the others', () => {
    const folder = project({ '.ralph/fix_plan.md/is-a-folder': '' })
    const { stdout, status: code } = status(folder)
    expect(code).toBe(0)
    expect(stdout).toMatch(/✖ IO_ERROR: .*fix_plan/)
    expect(stdout).toContain('0/100')
  })
})
