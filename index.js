// In front of the generated loader (native.js): the error class, and stacks that lead to the caller.

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
  for (const name of Object.getOwnPropertyNames(Native.prototype)) {
    if (name !== 'constructor') {
      const value = method(Native.prototype[name], name)
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
  } catch (cause) {
    throw new Error(
      `ralph-sdk-tools could not load its native module for ${process.platform}-${process.arch}; the cause says why. ` +
        'Install it again with optional dependencies (without --omit=optional); in a clone, run `npm run build`.',
      { cause },
    )
  }
}

module.exports.RalphTools = RalphTools
module.exports.LoopEngine = LoopEngine
module.exports.RalphToolError = RalphToolError
module.exports.toolDefinitions = native.toolDefinitions
module.exports.__napiBindingTarget = native.__napiBindingTarget
