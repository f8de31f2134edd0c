// In front of the generated loader (native.js): the error class, and stacks that lead to the caller.

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
const codes = new Set(native.errorCodes())

class RalphToolError extends Error {
  constructor(code, message, options) {
    super(message, options)
    this.code = code
  }
}
Object.defineProperty(RalphToolError.prototype, 'name', { value: 'RalphToolError', configurable: true, writable: true })

const RalphTools = wrapped('RalphTools')
const LoopEngine = wrapped('LoopEngine')

/** The native class of that name, whose failures are RalphToolErrors. */
function wrapped(name) {
  const Native = native[name]
  const Wrapper = {
    [name]: class extends Native {
      constructor(...args) {
        const site = callSite(new.target)
        try {
          super(...args)
        } catch (error) {
          throw translate(error, site)
        }
      }
    },
  }[name]
  for (const [name, { value: call }] of Object.entries(Object.getOwnPropertyDescriptors(Native.prototype))) {
    // A getter has no value; it is inherited as it is.
    if (name !== 'constructor' && call !== undefined) {
      const value = method(call, name)
      Object.defineProperty(Wrapper.prototype, name, { value, configurable: true, writable: true })
    }
  }
  return Wrapper
}

/** A native method, whose failures are rejections with a RalphToolError. */
function method(call, name) {
  const wrapper = {
    [name](input) {
      const site = callSite(wrapper)
      const reject = (error) => Promise.reject(translate(error, site))
      try {
        return call.call(this, input).catch(reject)
      } catch (error) {
        return reject(error)
      }
    },
  }[name]
  return wrapper
}

/** Where `entry` was called: an answer from another thread knows no JavaScript frames. */
function callSite(entry) {
  const site = {}
  Error.captureStackTrace(site, entry)
  return site
}

/** The addon's own errors carry one of its codes; anything else is a wrong `this`, or what a getter or a proxy threw. */
function translate(error, site) {
  const translated = codes.has(error?.code)
    ? new RalphToolError(error.code, error.message)
    : new RalphToolError('INVALID_INPUT', `the call could not begin: ${error?.message ?? 'its argument threw'}`, {
        cause: error,
      })
  const frames = String(site.stack).match(/\n\s+at [\s\S]*/)
  translated.stack = `${translated.name}: ${translated.message}${frames ?? ''}`
  return translated
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
module.exports.toolDefinitions = native.toolDefinitions
