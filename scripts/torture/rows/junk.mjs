// Junk through the addon: whatever is passed, a call answers or rejects with an error of ours that can be read; it never throws
// where it should reject, and never with INTERNAL.

import assert from 'node:assert/strict'
import { CALLS, METHODS, RalphToolError, RalphTools } from '../calls.mjs'

const VALUES = [
  () => undefined,
  () => null,
  () => Number.NaN,
  () => -1,
  () => 1.5,
  () => 2 ** 53,
  () => Number.POSITIVE_INFINITY,
  () => '',
  () => '\u0000\u001b[31m\u009b',
  () => '\ud800',
  () => 'x'.repeat(100_000),
  () => [],
  () => [[[]]],
  () => new Array(1e9),
  () => ({}),
  () => Symbol('s'),
  () => 10n,
  () => new Date(),
  () => () => 1,
  () => new String('x'),
  () =>
    new Proxy(
      {},
      {
        get: () => {
          throw { message: Symbol('m') }
        },
        ownKeys: () => {
          throw new TypeError('keys')
        },
      },
    ),
  () => ({
    toString: () => {
      throw new Error('no')
    },
  }),
  () => Object.create(null),
  () => new Map([['a', 1]]),
]
const NAMES = [
  'action',
  'taskId',
  'calls',
  'tokens',
  'loopNumber',
  'limit',
  'message',
  'status',
  'output',
  'reason',
  '__proto__',
  'constructor',
  'x'.repeat(5000),
]

export const junk = {
  name: 'junk',
  what: 'junk through the addon',
  async round({ random, project }) {
    const ralph = new RalphTools({ projectDir: project() })
    const methods = Object.values(METHODS)
    for (let number = 0; number < 500; number += 1) {
      const input = random.chance(0.1) ? random.pick(VALUES)() : { ...random.pick(CALLS).input }
      if (typeof input === 'object' && input !== null && !Array.isArray(input) && Object.isExtensible(input)) {
        for (let more = random.below(3); more > 0; more -= 1) {
          const value = random.pick(VALUES)
          const name = random.pick(NAMES)
          try {
            if (random.chance(0.2))
              Object.defineProperty(input, name, {
                enumerable: true,
                configurable: true,
                get: () => {
                  throw value()
                },
              })
            else input[name] = value()
          } catch {
            // A proxy of ours that refuses.
          }
        }
      }
      let promise
      try {
        promise = ralph[random.pick(methods)](input)
      } catch (error) {
        assert.fail(`thrown, not rejected: ${String(error?.stack ?? typeof error)}`)
      }
      await promise.catch((error) => {
        assert.ok(error instanceof RalphToolError, `rejected with ${typeof error}`)
        assert.notEqual(error.code, 'INTERNAL', error.message)
        assert.ok(error.message.length < 5000, `a message of ${error.message.length} characters`)
      })
    }
    return 500
  },
}
