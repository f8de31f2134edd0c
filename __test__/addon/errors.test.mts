import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { RalphToolError, RalphTools, type RateLimitToolInput, toolDefinitions } from '../../index.js'
import { failure, folder, root, run } from './support.mts'

// biome-ignore lint/suspicious/noExplicitAny: what a caller without types may pass
const any = (value: unknown): any => value

test('ESM and CommonJS get the same names and the same classes', async () => {
  // In Node itself: vitest would load the file in its own way.
  const script = `
    import { createRequire } from 'node:module'
    import { RalphToolError, RalphTools, toolDefinitions } from 'ralph-sdk-tools'
    const commonJs = createRequire(process.argv[1] + '/')('ralph-sdk-tools')
    const same = commonJs.RalphTools === RalphTools && commonJs.toolDefinitions === toolDefinitions
    const error = await new RalphTools().rateLimit(1).catch((error) => error)
    console.log(same, error instanceof RalphToolError, error instanceof commonJs.RalphToolError)`
  expect(await run(script)).toEqual({ code: 0, signal: null, out: 'true true true\n' })
})

describe('what is not an object of fields is INVALID_INPUT', () => {
  test.each([
    ['undefined', undefined],
    ['null', null],
    ['number', 1],
    ['string', 'check'],
    ['boolean', true],
    ['bigint', 1n],
    ['symbol', Symbol('check')],
    ['function', () => ({ action: 'check' })],
    ['array', ['check']],
    ['buffer', Buffer.from('check')],
  ])('%s', async (name, input) => {
    const ralph = new RalphTools({ projectDir: folder() })
    const error = await failure(() => ralph.rateLimit(any(input)))
    expect(error).toMatchObject({ name: 'RalphToolError', code: 'INVALID_INPUT' })
    expect(error.message).toContain(name)
  })
})

describe('a wrong field is INVALID_INPUT, names the field, and writes nothing', () => {
  test.each([
    ['negative', () => -1],
    ['fractional', () => 1.5],
    ['NaN', () => Number.NaN],
    ['infinite', () => Number.POSITIVE_INFINITY],
    ['too many', () => 1001],
    ['a string', () => '5'],
    ['null', () => null],
    ['a boolean', () => true],
    ['a bigint', () => 5n],
    ['an object', () => ({})],
    ['an array', () => []],
    ['an array that claims four billion items', () => new Array(4_000_000_000)],
    [
      'an array that contains itself',
      () => {
        const array: unknown[] = []
        array.push(array)
        return array
      },
    ],
  ])('%s', async (_, calls) => {
    const projectDir = folder()
    const ralph = new RalphTools({ projectDir })
    const error = await failure(() => ralph.rateLimit({ action: 'increment', calls: any(calls()) }))
    expect(error.code).toBe('INVALID_INPUT')
    expect(error.message).toContain('calls')
    expect(existsSync(join(projectDir, '.ralph'))).toBe(false)
  })

  test('a field that is undefined is left out', async () => {
    const ralph = new RalphTools({ projectDir: folder(), maxCallsPerHour: undefined })
    expect(await ralph.rateLimit({ action: 'increment', calls: undefined })).toMatchObject({ currentCount: 1 })
  })
})

describe('options', () => {
  test.each([
    ['an object', null],
    ['an object', 'here'],
    ['maxCallsPerHour', { maxCallsPerHour: -1 }],
    ['maxCallsPerHour', { maxCallsPerHour: 1.5 }],
    ['maxCallsPerHour', { maxCallsPerHour: null }],
    ['maxCallsPerHour', { maxCallsperHour: 3 }],
    ['layout', { layout: 'round' }],
    ['autoReset', { autoReset: 'yes' }],
    ['optionalSections', { optionalSections: ['Later', 1] }],
    ['colour', { colour: 'red' }],
  ])('%s: %o is refused', async (part, options) => {
    const error = await failure(() => new RalphTools(any(options)))
    expect(error.code).toBe('INVALID_INPUT')
    expect(error.message).toContain(part)
  })

  test('a missing project is INVALID_PROJECT', async () => {
    const error = await failure(() => new RalphTools({ projectDir: join(folder(), 'missing') }))
    expect(error.code).toBe('INVALID_PROJECT')
  })
})

describe("what the caller's own code throws", () => {
  const throwing = (thrown: unknown) => () => {
    throw thrown
  }
  const hostile = new Proxy({}, { get: throwing(1), getPrototypeOf: throwing(2), has: throwing(3) })
  const thrown: [string, unknown, RegExp][] = [
    ['an error', new TypeError('mine'), /: mine$/],
    ['an error with one of our codes', Object.assign(new Error('mine'), { code: 'INTERNAL' }), /: mine$/],
    ['a message that is a symbol', { message: Symbol('s') }, /its argument threw/],
    ['a symbol as code and message', { code: Symbol('c'), message: Symbol('m') }, /its argument threw/],
    [
      'a code of ours and a message that cannot be text',
      { code: 'INTERNAL', message: Object.create(null) },
      /its argument/,
    ],
    ['a message whose getter throws', Object.defineProperty({}, 'message', { get: throwing(1) }), /its argument threw/],
    ['a proxy that throws', hostile, /its argument threw/],
    ['a proxy with a message that throws', new Proxy({ message: hostile }, {}), /its argument threw/],
    ['a function', () => 1, /its argument threw/],
    ['a symbol', Symbol('s'), /its argument threw/],
    ['a bigint', 1n, /its argument threw/],
    ['null', null, /its argument threw/],
    ['undefined', undefined, /its argument threw/],
    ['a long message', { message: 'm'.repeat(1_000_000) }, /m{1000}$/],
  ]
  test.each(thrown)('%s', async (_, cause, message) => {
    const ralph = new RalphTools({ projectDir: folder() })
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const getter = { get: throwing(cause), enumerable: true }
    const hostiles = (fields: object, name: string) => [
      Object.defineProperty({}, name, getter),
      Object.defineProperty({ ...fields }, name, getter),
      new Proxy(fields, { ownKeys: throwing(cause) }),
      new Proxy(fields, { get: throwing(cause) }),
    ]
    const failures = [
      ...hostiles({ action: 'increment' }, 'calls').map((input) => ralph.rateLimit(any(input))),
      ...hostiles({ action: 'update' }, 'status').map((input) => ralph.progressReporter(any(input))),
      ...hostiles({ layout: 'flat' }, 'projectDir').map(async (options) => new RalphTools(any(options))),
    ]
    for (const call of failures) {
      const error = await failure(() => call)
      expect(error).toMatchObject({ name: 'RalphToolError', code: 'INVALID_INPUT' })
      expect(error.cause).toBe(cause)
      expect(error.message.length).toBeLessThan(1100)
      expect(error.message).toMatch(message)
    }
    for (const call of [() => ralph.rateLimit(any(revoked.proxy)), () => new RalphTools(any(revoked.proxy))]) {
      expect(await failure(call)).toMatchObject({ code: 'INVALID_INPUT', cause: expect.any(TypeError) })
    }
    // The tools are as good as before.
    expect(await ralph.rateLimit({ action: 'check' })).toMatchObject({ currentCount: 0 })
  })

  test('a getter runs once', async () => {
    let runs = 0
    const input = {
      get action(): RateLimitToolInput['action'] {
        runs += 1
        return 'check'
      },
    }
    await new RalphTools({ projectDir: folder() }).rateLimit(input)
    expect(runs).toBe(1)
  })
})

describe('names and texts of any length', () => {
  const ralph = () => new RalphTools({ projectDir: folder() })
  const huge = 'n'.repeat(100_000_000)

  test('an unknown option is named in a short message, at once', async () => {
    for (const name of [huge, 'maxCallsPerHour'.repeat(100_000), '\0'.repeat(1_000)]) {
      const error = await failure(() => new RalphTools(any({ [name]: 1 })))
      expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('has no option') })
      expect(error.message.length).toBeLessThan(1000)
    }
  })

  test('unknown fields are warned of, ten by name and the rest by number', async () => {
    const { warnings } = await ralph().rateLimit(any({ action: 'check', [huge]: huge }))
    expect(warnings).toHaveLength(1)
    expect(warnings?.[0]?.length).toBeLessThan(200)
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field${n}`, n]))
    const told = await ralph().rateLimit(any({ action: 'check', ...many }))
    expect(told.warnings).toHaveLength(11)
    expect(told.warnings?.at(-1)).toContain('490 more')
  })

  test.each([
    ['status', () => ({ action: 'update', status: huge })],
    ['lastAction', () => ({ action: 'update', lastAction: 'é'.repeat(10_001) })],
    ['exitReason', () => ({ action: 'update', exitReason: huge })],
    ['message', () => ({ action: 'update', message: huge })],
    ['action', () => ({ action: huge })],
    ['level', () => ({ action: 'update', level: huge })],
  ])('%s has a bound', async (name, input) => {
    const tools = ralph()
    const error = await failure(() => tools.progressReporter(any(input())))
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(name) })
    expect(error.message).toMatch(/\d+ characters/)
    expect(error.message.length).toBeLessThan(1000)
  })

  test('as long as a text may be, counted as JavaScript counts', async () => {
    const tools = ralph()
    const status = '😀'.repeat(5_000)
    const told = await tools.progressReporter({ action: 'update', status })
    expect(told).toMatchObject({ status })
    expect(await failure(() => tools.progressReporter({ action: 'update', status: `${status}.` }))).toMatchObject({
      message: expect.stringContaining('not a string of 10001 characters; shorten it'),
    })
  })

  test('a list has a bound for each text and for their number', async () => {
    for (const optionalSections of [[huge], new Array(10_001).fill('x')]) {
      const error = await failure(() => new RalphTools({ optionalSections }))
      expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('optionalSections') })
    }
  })

  test('every text field of the definitions has one', () => {
    for (const { fields } of toolDefinitions()) {
      for (const { name, kind, maxLength } of fields) {
        if (kind === 'text' || kind === 'textList') expect(maxLength, name).toBeGreaterThan(0)
      }
    }
  })

  test('objects that are no object of fields are refused unread', async () => {
    const object = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`field${n}`, n]))
    for (const input of [new String(huge), object]) {
      expect(await failure(() => ralph().rateLimit(any(input)))).toMatchObject({ code: 'INVALID_INPUT' })
      expect(await failure(() => new RalphTools(any(input)))).toMatchObject({ code: 'INVALID_INPUT' })
    }
  })
})

describe('stacks', () => {
  test('start where the method was called, whatever was awaited', async () => {
    const ralph = new RalphTools({ projectDir: folder() })
    async function caller() {
      const pending = ralph.rateLimit({ action: any('nope') })
      pending.catch(() => {})
      await new Promise(setImmediate)
      return pending
    }
    const error = await failure(caller)
    const [head, first] = error.stack?.split('\n') ?? []
    expect(head).toBe(`RalphToolError: ${error.message}`)
    expect(first).toContain('caller')
    expect(first).toContain('errors.test.mts')
  })

  test('of what is found out later have those who await the call', async () => {
    const ralph = new RalphTools({ projectDir: folder() })
    async function caller() {
      await ralph.taskPlanner({ action: 'update', taskId: 'none' })
    }
    const error = await failure(caller)
    expect(error.code).toBe('PLAN_NOT_FOUND')
    expect(error.stack?.split('\n')[1]).toMatch(/at (async )?caller .*errors.test.mts/)
  })

  test('start where the constructor was called', async () => {
    const error = await failure(function caller() {
      return new RalphTools(any(null))
    })
    expect(error.stack?.split('\n')[1]).toContain('errors.test.mts')
  })

  test('are left out where the host wants none', async () => {
    const ralph = new RalphTools({ projectDir: folder() })
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    try {
      const error = await failure(() => ralph.rateLimit(any(1)))
      expect(error.stack).toBe(`RalphToolError: ${error.message}`)
    } finally {
      Error.stackTraceLimit = limit
    }
  })
})

test('a method without its instance rejects and does not throw', async () => {
  const { rateLimit } = new RalphTools({ projectDir: folder() })
  const promise = rateLimit({ action: 'check' })
  expect(await failure(() => promise)).toMatchObject({ code: 'INVALID_INPUT' })
})

test('a subclass works, and its errors are the same', async () => {
  class Mine extends RalphTools {
    ask() {
      return this.rateLimit({ action: any('nope') })
    }
  }
  const mine = new Mine({ projectDir: folder() })
  expect(mine).toBeInstanceOf(RalphTools)
  expect((await failure(() => mine.ask())).stack?.split('\n')[1]).toContain('Mine.ask')
})

test('the class is an Error like others', () => {
  const error = new RalphToolError('INTERNAL', 'why', { cause: 1 })
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ name: 'RalphToolError', code: 'INTERNAL', message: 'why', cause: 1 })
  expect(Object.keys(error)).toEqual(['code'])
})

describe('without a binary it is one message, with what to do', () => {
  const brokenIn = (binary?: string) => {
    const empty = folder()
    for (const file of ['index.js', 'native.js']) copyFileSync(join(root, file), join(empty, file))
    const name = readdirSync(root).find((file) => file.endsWith('.node')) as string
    if (binary !== undefined) writeFileSync(join(empty, name), binary)
    try {
      createRequire(join(empty, 'x.js'))('./index.js')
    } catch (error) {
      return error as Error
    }
    throw new Error('it was loaded')
  }

  test.each([
    ['nothing there', undefined],
    ['a file that is none', 'not a library'],
  ])('%s', (_name, binary) => {
    const error = brokenIn(binary)
    expect(error.message).toMatch(
      new RegExp(
        `^ralph-sdk-tools could not load its native module for ${process.platform}-${process.arch}: .*npm run build`,
      ),
    )
    expect(error.message).not.toContain('\n')
    expect(error.cause).toBeUndefined()
    if (binary !== undefined) expect(error.message).toMatch(/\.node/)
  })
})
