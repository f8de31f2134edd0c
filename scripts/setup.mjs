// Sets everything up from a fresh clone, with nothing but Rust and Node: the packages, the addon, the TypeScript layer.
// Does only what is not done yet.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assemblePlugin } from './plugin.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const OLDEST_NODE_FOR_DEVELOPMENT = 20
const INSTALLED = join(ROOT, 'node_modules', '.ralph-installed')
const COMPILED = join(ROOT, 'dist', '.compiled')

checkTools()
installPackages()
buildAddon()
compileTypeScript()
buildPlugin()

function checkTools() {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE_FOR_DEVELOPMENT) {
    fail(`building needs Node ${OLDEST_NODE_FOR_DEVELOPMENT} or later, and this is ${process.version}`)
  }
  if (spawnSync('cargo', ['--version'], { stdio: 'ignore' }).status !== 0) {
    fail('cargo was not found: install Rust (https://rustup.rs)')
  }
}

/** `npm ci`, unless what is installed comes from this very lock file. */
function installPackages() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex')
  const stamp = `${wanted} ${process.platform}-${process.arch}`
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === stamp) return
  run('Installing packages', 'npm', ['ci', '--loglevel=error'])
  writeFileSync(INSTALLED, stamp)
}

/** The addon, unless it is newer than everything that it is made of. */
function buildAddon() {
  const addon = readdirSync(ROOT).find((name) => name.endsWith('.node'))
  const sources = ['src', 'bindings', 'Cargo.toml', 'Cargo.lock', 'package.json']
  if (addon && statSync(join(ROOT, addon)).mtimeMs > newest(...sources)) return
  run('Building the addon (a minute or two the first time)', 'npm', ['run', '--silent', 'build:addon'])
}

/** When the last of these files, and of all below these folders, was changed. */
function newest(...paths) {
  const times = paths.map((path) => {
    const stat = statSync(join(ROOT, path))
    if (!stat.isDirectory()) return stat.mtimeMs
    return Math.max(stat.mtimeMs, newest(...readdirSync(join(ROOT, path)).map((name) => join(path, name))))
  })
  return Math.max(...times)
}

/** The TypeScript layer and the examples, unless what was compiled is newer than they are. */
function compileTypeScript() {
  const configuration = ['tsconfig.base.json', 'tsconfig.json', 'package.json']
  const sources = ['ts', 'examples', 'scripts/bundle.mjs', 'index.d.ts', ...configuration]
  if (existsSync(COMPILED) && statSync(COMPILED).mtimeMs > newest(...sources)) return
  run('Compiling TypeScript', 'npm', ['run', '--silent', 'build:ts'])
  chmodSync(join(ROOT, 'dist', 'ralph-mcp.mjs'), 0o755)
  writeFileSync(COMPILED, '')
}

/** The plugin's native program, unless it is newer than everything that it is made of. */
function buildPlugin() {
  const program = join(ROOT, 'target', 'release', process.platform === 'win32' ? 'ralph-hook.exe' : 'ralph-hook')
  if (!existsSync(program) || statSync(program).mtimeMs < newest('src', 'hook', 'Cargo.toml', 'Cargo.lock')) {
    run("Building the plugin's program", 'cargo', ['build', '--release', '--quiet', '--package', 'ralph-hook'])
    // Cargo leaves an unchanged program as it was.
    utimesSync(program, new Date(), new Date())
  }
  assemblePlugin(program)
}

function run(what, command, args) {
  process.stderr.write(`[setup] ${what}\n`)
  const path = `${join(ROOT, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`
  const { status, error } = spawnSync(command, args, {
    cwd: ROOT,
    // Standard output belongs to what is set up for.
    stdio: ['ignore', 2, 2],
    env: { ...process.env, PATH: path },
    shell: process.platform === 'win32',
  })
  if (error) fail(`${command}: ${error.message}`)
  if (status !== 0) fail(`\`${command} ${args.join(' ')}\` failed`)
}

function fail(reason) {
  process.stderr.write(`[setup] ${reason}\n`)
  process.exit(1)
}
