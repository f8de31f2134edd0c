// Builds what a platform's package carries, and puts it there: the addon, and the programs that its manifest lists.
//
//     node scripts/release/build.mjs                                   for this machine
//     node scripts/release/build.mjs aarch64-unknown-linux-musl -x     for another; further words go to napi
//     node scripts/release/build.mjs --built                           only puts there what is built already

import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from './npm.mjs'
import { fail, platformsOf, ROOT } from './packages.mjs'

const built = process.argv.includes('--built')
const [named, ...flags] = process.argv.slice(2).filter((word) => word !== '--built')
const target = named ?? /^host: (.*)$/m.exec(execFileSync('rustc', ['-vV'], { encoding: 'utf8' }))?.[1]
const { name, folder, manifest } =
  platformsOf(ROOT).find((platform) => platform.manifest.rustTarget === target) ??
  fail(`there is no package for ${target}: npm/ has those of package.json's napi.targets`)

const given = named ? ['--target', named, ...flags] : []
if (!built) npm(['run', '--silent', 'build:addon', '--', ...given], { cwd: ROOT, stdio: 'inherit' })

for (const file of manifest.files) {
  const from = file === manifest.main ? join(ROOT, file) : program(file)
  copyFileSync(from, join(folder, file))
  chmodSync(join(folder, file), 0o755)
}
process.stdout.write(`npm/${name}: ${manifest.files.join(', ')}\n`)

/** Builds a program; its crate has its name. */
function program(file) {
  const command = flags.includes('-x') ? 'zigbuild' : 'build'
  const args = [command, '--release', '--package', file.replace(/\.exe$/, '')]
  execFileSync('cargo', [...args, ...(named ? ['--target', named] : [])], { cwd: ROOT, stdio: 'inherit' })
  return join(ROOT, 'target', named ?? '', 'release', file)
}
