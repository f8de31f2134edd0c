// Packs what is published: this package, and those of the platforms whose binaries are in `npm/<platform>/`.
//
//     node scripts/release/pack.mjs --out DIR                     a release: every platform must be there
//     node scripts/release/pack.mjs --out DIR --stand-ins         where one is missing, a file that is no binary
//     node scripts/release/pack.mjs --out DIR --version 1.2.3-rc  another version than package.json's

import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { npm } from './npm.mjs'
import { fail, platformsOf, ROOT, readJson } from './packages.mjs'

const { values } = parseArgs({
  options: { out: { type: 'string' }, version: { type: 'string' }, 'stand-ins': { type: 'boolean' } },
})
const root = readJson(ROOT, 'package.json')
const version = values.version ?? root.version
const out = values.out ?? fail('say where the packages go: --out DIR')
mkdirSync(out, { recursive: true })

const stage = mkdtempSync(join(tmpdir(), 'ralph-release-'))
try {
  for (const platform of platformsOf(ROOT)) packPlatform(platform)
  packThis()
} finally {
  rmSync(stage, { recursive: true, force: true })
}
process.stdout.write(
  readdirSync(out)
    .map((name) => `${name}\n`)
    .join(''),
)

function packPlatform({ name, folder, manifest }) {
  const staged = join(stage, name)
  const missing = manifest.files.filter((file) => !existsSync(join(folder, file)))
  if (missing.length > 0 && !values['stand-ins']) fail(`npm/${name} lacks ${missing.join(', ')}: build it there first`)
  cpSync(folder, staged, { recursive: true })
  for (const file of missing)
    writeFileSync(join(staged, file), 'No binary: a stand-in of a trial on another platform.\n')
  for (const file of manifest.files) chmodSync(join(staged, file), 0o755)
  const { private: _, ...published } = manifest
  pack(staged, { ...published, version })
}

/** What is published of this package: no scripts, nothing that only a clone needs, and the platforms by their version. */
function packThis() {
  const staged = join(stage, 'ralph-sdk-tools')
  const [{ files }] = JSON.parse(npm(['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT }))
  for (const { path } of files) cpSync(join(ROOT, path), join(staged, path))
  const { scripts, devDependencies, overrides, napi, ...published } = root
  const optionalDependencies = Object.fromEntries(Object.keys(root.optionalDependencies).map((name) => [name, version]))
  pack(staged, { ...published, version, optionalDependencies, publishConfig: { access: 'public' } })
}

function pack(folder, manifest) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  npm(['pack', '--silent', '--pack-destination', out], { cwd: folder })
}
