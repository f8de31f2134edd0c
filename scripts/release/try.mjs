// Installs the packages as a user would, in an empty project on a machine without a compiler, and tries what they have.
//
//     node scripts/release/try.mjs --packages DIR     tarballs that `pack.mjs` made, before they are published
//     node scripts/release/try.mjs --spec 1.2.3       from npm's registry

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { npm } from './npm.mjs'
import { ROOT, readJson } from './packages.mjs'

const { values } = parseArgs({ options: { packages: { type: 'string' }, spec: { type: 'string' } } })

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-try-')))
const project = join(scratch, 'project')
mkdirSync(project)
const env = {
  ...process.env,
  PATH: barePath(),
  Path: undefined,
  INIT_CWD: undefined,
  npm_config_cache: join(scratch, 'cache'),
}
try {
  install()
  const here = tryWhatIsInstalled()
  tryModules()
  tryPrograms()
  process.stdout.write(`${here}, Node ${process.version}: installs and works\n`)
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
}

/** A PATH with Node, npm and a shell alone: no compiler, no cargo. On Windows, only what npm and Node themselves need. */
function barePath() {
  const bin = join(scratch, 'bin')
  mkdirSync(bin)
  if (process.platform === 'win32')
    return [join(process.execPath, '..'), join(process.env.SystemRoot, 'System32')].join(delimiter)
  symlinkSync(process.execPath, join(bin, 'node'))
  for (const name of ['sh', 'env'])
    symlinkSync(['/bin', '/usr/bin'].map((at) => join(at, name)).find(existsSync), join(bin, name))
  return bin
}

function install() {
  const manifest = { name: 'empty', version: '1.0.0', private: true }
  if (values.packages) {
    const folder = resolve(values.packages)
    const tarball = (name) => `file:${join(folder, name)}`
    const names = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    // The platforms' packages are not in the registry yet: npm finds them here.
    manifest.dependencies = Object.fromEntries(
      names.filter((name) => /^ralph-sdk-tools-\d/.test(name)).map((name) => ['ralph-sdk-tools', tarball(name)]),
    )
    manifest.optionalDependencies = Object.fromEntries(
      names
        .map((name) => [/^ralph-sdk-tools-([a-z].*?)-\d+\.\d+\.\d+/.exec(name)?.[1], tarball(name)])
        .filter(([platform]) => platform)
        .map(([platform, at]) => [`@ralph-sdk-tools/${platform}`, at]),
    )
  }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  const spec = values.packages ? [] : [`ralph-sdk-tools@${values.spec ?? 'latest'}`]
  npm(['install', '--no-audit', '--no-fund', '--loglevel=error', ...spec], { cwd: project, env })
}

/** What lies in node_modules; answers the platform's package. */
function tryWhatIsInstalled() {
  const modules = join(project, 'node_modules')
  const own = readJson(modules, 'ralph-sdk-tools', 'package.json')
  assert.equal(own.scripts, undefined, 'a published package runs nothing')
  assert.deepEqual(
    Object.values(own.optionalDependencies).filter((version) => version !== own.version),
    [],
    'the platforms are of the same version',
  )
  const platforms = readdirSync(join(modules, '@ralph-sdk-tools'))
  assert.equal(platforms.length, 1, `one platform is installed, not ${platforms.join(', ')}`)
  const folder = join(modules, '@ralph-sdk-tools', platforms[0])
  const { files, version, private: hidden } = readJson(folder, 'package.json')
  assert.deepEqual([version, hidden], [own.version, undefined])
  for (const file of [...files, 'LICENSE', 'README.md'])
    assert.ok(existsSync(join(folder, file)), `${platforms[0]} has ${file}`)
  for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md']) {
    assert.ok(existsSync(join(modules, 'ralph-sdk-tools', file)), `the package has ${file}`)
  }
  return `@ralph-sdk-tools/${platforms[0]} ${version}`
}

function tryModules() {
  copyFileSync(join(ROOT, 'scripts', 'smoke.mjs'), join(project, 'smoke.mjs'))
  run(process.execPath, ['smoke.mjs', 'ralph-sdk-tools'])
  const names = run(process.execPath, ['-p', "Object.keys(require('ralph-sdk-tools')).join(' ')"])
  assert.match(names, /\bRalphTools\b.*\bRalphToolError\b/)
}

/** Every program of the package says its version, and the server answers its first message. */
function tryPrograms() {
  const { bin, version } = readJson(project, 'node_modules', 'ralph-sdk-tools', 'package.json')
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'try', version: '1' } },
  }
  for (const name of Object.keys(bin)) {
    const npx = (args, input) =>
      run(process.execPath, [join(project, 'node_modules', 'ralph-sdk-tools', bin[name]), ...args], input)
    assert.ok(existsSync(join(project, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name)))
    assert.ok(npx(['--version']).includes(version), `${name} --version says ${version}`)
    const [answer] = npx([], `${JSON.stringify(initialize)}\n`).split('\n')
    assert.equal(JSON.parse(answer).result.serverInfo.name, 'ralph', `${name} is an MCP server`)
  }
}

function run(file, args, input = '') {
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd: project, env, input, encoding: 'utf8' })
  assert.equal(status, 0, `${args.join(' ')}: ${error?.message ?? stderr}`)
  return stdout
}
