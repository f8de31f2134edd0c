import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { RalphToolError, RalphTools, type RateLimitToolInput } from '../../index.js'
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
  const mine = new TypeError('mine')
  const throws = () => {
    throw mine
  }
  test.each([
    ['a getter', Object.defineProperty({}, 'action', { get: throws, enumerable: true })],
    ['a proxy', new Proxy({}, { ownKeys: throws })],
  ])('%s', async (_, input) => {
    const ralph = new RalphTools({ projectDir: folder() })
    for (const call of [() => ralph.rateLimit(any(input)), () => new RalphTools(any(input))]) {
      const error = await failure(call)
      expect(error).toMatchObject({ code: 'INVALID_INPUT', cause: mine })
      expect(error.message).toContain('mine')
    }
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

describe('stacks', () => {
  test('start where the method was called, whatever was awaited', async () => {
    const ralph = new RalphTools({ projectDir: folder() })
    async function caller() {
      const pending = ralph.rateLimit({ action: any('nope') })
      await new Promise(setImmediate)
      return pending
    }
    const error = await failure(caller)
    const [head, first] = error.stack?.split('\n') ?? []
    expect(head).toBe(`RalphToolError: ${error.message}`)
    expect(first).toContain('caller')
    expect(first).toContain('errors.test.mts')
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
