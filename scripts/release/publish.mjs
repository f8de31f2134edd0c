// Publishes the packages that `pack.mjs` made, the platforms' first: this package must never be there without them.
// What is there already is left out, so that a release which stopped half-way can be run again.
//
//     node scripts/release/publish.mjs DIR --tag latest
//
// NODE_AUTH_TOKEN is the registry's token. Without one, npm trusts the workflow itself (trusted publishing).

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { npm } from './npm.mjs'
import { fail } from './packages.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tag: { type: 'string' }, provenance: { type: 'boolean' } },
})
const folder = resolve(positionals[0] ?? fail('say where the packages are'))
const tag = values.tag ?? fail('say under which tag to publish: --tag latest')

const home = mkdtempSync(join(tmpdir(), 'ralph-publish-'))
try {
  const env = withToken()
  const names = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const platforms = names.filter((name) => name.startsWith('ralph-sdk-tools-') && !/^ralph-sdk-tools-\d/.test(name))
  const own = names.filter((name) => /^ralph-sdk-tools-\d/.test(name))
  if (own.length !== 1) fail(`${folder} has ${own.length} packages ralph-sdk-tools: one is published`)
  for (const name of [...platforms, ...own]) publish(join(folder, name), env)
} finally {
  rmSync(home, { recursive: true, force: true })
}

function publish(file, env) {
  const { name, version } = manifestIn(file)
  const access = ['--access', 'public', ...(values.provenance ? ['--provenance'] : [])]
  try {
    npm(['publish', file, '--tag', tag, '--loglevel=error', ...access], { env })
  } catch (error) {
    if (!isThere(`${name}@${version}`, env)) throw error
    process.stdout.write(`${name} ${version} was there already\n`)
    return
  }
  process.stdout.write(`${name} ${version} is published as @${tag}\n`)
}

function manifestIn(file) {
  return JSON.parse(execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' }))
}

function isThere(name, env) {
  try {
    return npm(['view', name, 'version'], { env, stdio: ['ignore', 'pipe', 'ignore'] }).trim() !== ''
  } catch {
    return false
  }
}

/** npm reads a token only beside the registry's address. */
function withToken() {
  if (!process.env.NODE_AUTH_TOKEN) return process.env
  const { host, pathname } = new URL(npm(['config', 'get', 'registry']).trim())
  const config = join(home, 'npmrc')
  // npm puts the variable in itself: the token is in no file.
  writeFileSync(config, `//${host}${pathname}:_authToken=\${NODE_AUTH_TOKEN}\n`)
  return { ...process.env, NPM_CONFIG_USERCONFIG: config }
}
