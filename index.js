// In front of the generated loader (native.js): promises, the error class, and stacks that lead to the caller.

const { types } = require('node:util')

/** What to do, by why it failed; the last fits all. */
const REMEDIES = [
  {
    reason: /GLIBC|GLIBCXX|ld-musl|symbol not found|symbol lookup/i,
    step: 'This system has another C library than the module was built for: use a newer system or image.',
  },
  {
    reason: /Unsupported (OS|architecture)/,
    step: 'There is no module for this platform: those that there are stand in the README, under Compatibility.',
  },
  {
    reason: /(?:)/,
    step: 'Install it again with optional dependencies (without --omit=optional); in a clone, run `npm run build`.',
  },
]

const native = load()
const { rateLimit, exitDetection, circuitBreaker, taskPlanner, progressReporter } = native.RalphTools.prototype
// For this package's own program, and in no declaration.
const { __recent, __examine } = native.RalphTools.prototype
const { handle, hooks, effects } = native.LoopEngine.prototype

class RalphToolError extends Error {
  constructor(code, message, options) {
    super(message, options)
    this.code = code
  }
}
Object.defineProperty(RalphToolError.prototype, 'name', { value: 'RalphToolError', configurable: true, writable: true })

/** An answer that is none: what a call failed with. */
class Failure {
  constructor([code, message]) {
    this.code = code
    this.message = message
  }
}

/** Who waits for the answer of a call, by its number. Numbers are used again, so that they stay few. */
const waiting = []
const free = []
const listener = native.listen(settle)

/** Hands answers over: of each call its number, whether it succeeded, and its answer or error. */
function settle(json) {
  const answers = JSON.parse(json)
  for (let at = 0; at < answers.length; at += 3) {
    const number = answers[at]
    const resolve = waiting[number]
    waiting[number] = undefined
    free.push(number)
    resolve(answers[at + 1] ? answers[at + 2] : new Failure(answers[at + 2]))
  }
}

class RalphTools extends native.RalphTools {
  constructor(options) {
    const refused = []
    try {
      super(plain(options), refused)
    } catch (thrown) {
      throw refused.length > 0 ? failure(...refused, new.target) : foreign(thrown, new.target)
    }
  }
}

class LoopEngine extends native.LoopEngine {
  constructor(ralph) {
    try {
      super(ralph)
    } catch (thrown) {
      throw foreign(thrown, new.target)
    }
  }
}

wrap(RalphTools, { rateLimit, exitDetection, circuitBreaker, taskPlanner, progressReporter, __recent, __examine })
wrap(LoopEngine, { handle, hooks, effects })

/** Puts methods in front of the native ones. */
function wrap(Class, methods) {
  for (const [name, begin] of Object.entries(methods))
    Object.defineProperty(Class.prototype, name, { value: method(name, begin), configurable: true, writable: true })
}

/**
 * A method whose failures are rejections with a RalphToolError. What is wrong with the input is found before it returns,
 * so that such an error's stack has all callers; another's has those that await the call.
 */
function method(name, begin) {
  const wrapper = {
    async [name](input) {
      const number = free.length > 0 ? free.pop() : waiting.push(undefined) - 1
      let refused
      try {
        refused = begin.call(this, plain(input), listener, number)
      } catch (thrown) {
        free.push(number)
        throw foreign(thrown, wrapper)
      }
      if (refused) {
        free.push(number)
        throw failure(...refused, wrapper)
      }
      const answer = await new Promise((resolve) => {
        waiting[number] = resolve
      })
      if (answer instanceof Failure) throw failure(answer.code, answer.message, wrapper)
      return answer
    },
  }[name]
  return wrapper
}

/** A text as an object has a field for each character; what is no object of fields is refused unread. */
function plain(argument) {
  return types.isStringObject(argument) ? '' : argument
}

/** An error whose stack begins where `entry` was called. */
function failure(code, message, entry, options) {
  const error = new RalphToolError(code, message, options)
  Error.captureStackTrace(error, entry)
  return error
}

/** The call did not begin: a wrong `this`, or what a getter or a proxy threw, which may be anything. */
function foreign(cause, entry) {
  let why = 'its argument threw'
  try {
    if (typeof cause?.message === 'string') why = cause.message.slice(0, 1000)
  } catch {
    // A proxy that throws again.
  }
  return failure('INVALID_INPUT', `the call could not begin: ${why}`, entry, { cause })
}

function load() {
  try {
    return require('./native.js')
  } catch (error) {
    const reasons = reasonsOf(error)
    const { step } = REMEDIES.find(({ reason }) => reasons.some((text) => reason.test(text)))
    throw new Error(
      `ralph-sdk-tools could not load its native module for ${process.platform}-${process.arch}: ${reasons.at(-1)}. ${step}`,
    )
  }
}

/** The reasons of a failed load, a line each: the loader tries several files, and chains what each came to. */
function reasonsOf(error) {
  const reasons = []
  for (let at = error; at && reasons.length < 20; at = at.cause) reasons.push(String(at.message ?? at).split('\n')[0])
  // That there was nothing to be found is the rule for all but one of them.
  const telling = reasons.filter((text) => !/^Cannot find (native binding|module)/.test(text))
  return telling.length > 0 ? telling : reasons
}

module.exports.RalphTools = RalphTools
module.exports.LoopEngine = LoopEngine
module.exports.RalphToolError = RalphToolError
module.exports.toolDefinitions = () => JSON.parse(native.toolDefinitions())
