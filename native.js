// Generated from package.json's targets by `npm run generate`: do not edit.
// Finds the addon: beside this file in a clone, else in the package of this system.

const { existsSync, readFileSync } = require('node:fs')
const { join } = require('node:path')

module.exports = load(system())

function load(name) {
  const built = join(__dirname, `ralph-sdk-tools.${name}.node`)
  if (existsSync(built)) return require(built)
  try {
    switch (name) {
      case 'linux-x64-gnu':
        return require('@ralph-sdk-tools/linux-x64-gnu')
      case 'linux-arm64-gnu':
        return require('@ralph-sdk-tools/linux-arm64-gnu')
      case 'linux-x64-musl':
        return require('@ralph-sdk-tools/linux-x64-musl')
      case 'linux-arm64-musl':
        return require('@ralph-sdk-tools/linux-arm64-musl')
      case 'darwin-x64':
        return require('@ralph-sdk-tools/darwin-x64')
      case 'darwin-arm64':
        return require('@ralph-sdk-tools/darwin-arm64')
      case 'win32-x64-msvc':
        return require('@ralph-sdk-tools/win32-x64-msvc')
      case 'win32-arm64-msvc':
        return require('@ralph-sdk-tools/win32-arm64-msvc')
    }
  } catch (cause) {
    if (cause.code !== 'MODULE_NOT_FOUND') throw cause
    throw new Error(`the package @ralph-sdk-tools/${name} is not installed`, { cause })
  }
  throw new Error(`there is no package for ${name}`)
}

/** This system, as the packages are named. */
function system() {
  const { arch, platform } = process
  if (platform === 'linux') return `linux-${arch}-${isMusl() ? 'musl' : 'gnu'}`
  if (platform === 'win32') return `win32-${arch}-msvc`
  return `${platform}-${arch}`
}

/** Where `ldd` is no readable script, Node's own report knows the C library; making that takes milliseconds. */
function isMusl() {
  try {
    return readFileSync('/usr/bin/ldd', 'latin1').includes('musl')
  } catch {
    const { report } = process
    if (!report) return false
    const { excludeNetwork } = report
    report.excludeNetwork = true
    const { header } = report.getReport()
    report.excludeNetwork = excludeNetwork
    return header.glibcVersionRuntime === undefined
  }
}
