// `npm run release:local`: a whole release, from this clone to `npm i` in an empty project, on a registry of this
// machine's own (Verdaccio). The packages of other platforms carry stand-ins; npm must leave them alone.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm } from './npm.mjs'
import { ROOT, readJson } from './packages.mjs'

const VERDACCIO = join(ROOT, 'scripts', 'release', 'registry')
const { version } = readJson(ROOT, 'package.json')
const PRERELEASE = `${version}-rc.0`

const scratch = mkdtempSync(join(tmpdir(), 'ralph-release-'))
let registry
try {
  step('Versions')
  script('check.mjs', [])
  step('Build')
  node('scripts/setup.mjs', [])
  script('build.mjs', ['--built'])
  step('Pack')
  script('pack.mjs', ['--stand-ins', '--out', join(scratch, 'release')])
  script('pack.mjs', ['--stand-ins', '--out', join(scratch, 'prerelease'), '--version', PRERELEASE])
  step('Registry')
  registry = await startRegistry()
  step('Publish')
  for (const [folder, tag] of [
    ['release', 'latest'],
    ['prerelease', 'rc'],
  ]) {
    script('publish.mjs', [join(scratch, folder), '--tag', tag], registry.env)
  }
  step('Install')
  script('try.mjs', ['--spec', 'latest'], registry.env)
  const tags = npm(['view', 'ralph-sdk-tools', 'dist-tags', '--json'], { env: registry.env })
  const { latest, rc } = JSON.parse(tags)
  if (latest !== version || rc !== PRERELEASE) throw new Error(`the tags are ${tags}`)
  step('The local release works')
} catch (error) {
  process.stderr.write(`\n${error.message}\n`)
  process.exitCode = 1
} finally {
  registry?.process.kill()
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
}

function step(title) {
  process.stdout.write(`\n--- ${title}\n`)
}

function node(file, args, env = process.env) {
  const { status } = spawnSync(process.execPath, [join(ROOT, file), ...args], { cwd: ROOT, stdio: 'inherit', env })
  if (status !== 0) throw new Error(`${file} failed`)
}

function script(name, args, env) {
  node(join('scripts', 'release', name), args, env)
}

/** Verdaccio with a user who may publish, and what a program needs to find it. */
async function startRegistry() {
  installVerdaccio()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const config = join(scratch, 'config.yaml')
  // What is not ours comes from where this machine's npm gets it.
  const upstream = npm(['config', 'get', 'registry'], { cwd: ROOT }).trim()
  writeFileSync(
    config,
    JSON.stringify({
      storage: join(scratch, 'storage'),
      auth: { htpasswd: { file: join(scratch, 'users'), max_users: 1 } },
      uplinks: { upstream: { url: upstream } },
      packages: {
        '@ralph-sdk-tools/*': { access: '$all', publish: '$authenticated' },
        'ralph-sdk-tools': { access: '$all', publish: '$authenticated' },
        '**': { access: '$all', proxy: 'upstream' },
      },
      log: { type: 'stdout', level: 'warn' },
    }),
  )
  const program = join(VERDACCIO, 'node_modules', 'verdaccio', 'bin', 'verdaccio')
  const server = spawn(process.execPath, [program, '--config', config, '--listen', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const token = await firstUser(url)
  return { process: server, env: { ...process.env, npm_config_registry: url, NODE_AUTH_TOKEN: token } }
}

function installVerdaccio() {
  const lock = createHash('sha256')
    .update(readFileSync(join(VERDACCIO, 'package-lock.json')))
    .digest('hex')
  const stamp = join(VERDACCIO, 'node_modules', '.installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  npm(['ci', '--loglevel=error'], { cwd: VERDACCIO })
  writeFileSync(stamp, lock)
}

/** Signs up, as soon as the registry answers. */
async function firstUser(url) {
  const body = JSON.stringify({ name: 'release', password: 'only-on-this-machine' })
  const headers = { 'content-type': 'application/json' }
  for (let attempts = 100; ; attempts -= 1) {
    try {
      const answer = await fetch(`${url}-/user/org.couchdb.user:release`, { method: 'PUT', headers, body })
      return (await answer.json()).token
    } catch (error) {
      if (attempts === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}
