// What the rows need: programs from Debian, npm and PyPI, fetched once, by the ordinary clients.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
/** Downloads and builds: outside the tree, so that no tool of the project looks into them. */
export const WORK = process.env.RALPH_PLATFORMS_DIR ?? join(homedir(), '.cache', 'ralph-platforms')
mkdirSync(WORK, { recursive: true })

/** A row that cannot be run here. */
export class Skipped extends Error {}

/** Runs a program; what it prints. Throws with the end of it where it fails. */
export function run(command, args, { env = {}, cwd = ROOT, input = '', ...options } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, ...env },
    ...options,
  })
  const output = `${stdout ?? ''}${stderr ?? ''}`
  if (error) throw new Error(`${command}: ${error.message}`)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${output.slice(-4000)}`)
  return output
}

const has = (program) => (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))

/** Programs of Debian's, by the packages that have them. */
export function debian(packages) {
  const missing = Object.entries(packages).filter(([program]) => !has(program) && !existsSync(program))
  if (missing.length === 0) return
  const names = missing.map(([, name]) => name)
  if (!has('apt-get') || process.getuid?.() !== 0) throw new Skipped(`needs ${names.join(', ')} (Debian's names)`)
  run('apt-get', ['update', '-qq'])
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names])
}

/** A package of npm's, unpacked; its folder. */
export function npmPackage(name, version) {
  const folder = join(WORK, 'npm', `${name.replaceAll('/', '-')}-${version}`)
  if (!existsSync(join(folder, 'package', 'package.json'))) {
    mkdirSync(folder, { recursive: true })
    run('npm', ['pack', '--silent', `${name}@${version}`], { cwd: folder })
    run('tar', ['-xzf', readdirSync(folder).find((file) => file.endsWith('.tgz'))], { cwd: folder })
  }
  return join(folder, 'package')
}

/** A virtual environment of Python's with these packages; its folder of programs. */
export function python(...packages) {
  const folder = join(WORK, 'python')
  const bin = join(folder, 'bin')
  if (!has('python3')) throw new Skipped('needs python3')
  if (!existsSync(join(bin, 'pip'))) run('python3', ['-m', 'venv', folder])
  if (packages.some((name) => !existsSync(join(folder, `.${name}`)))) {
    run(join(bin, 'pip'), ['install', '--quiet', ...packages])
    for (const name of packages) run('touch', [join(folder, `.${name}`)])
  }
  return bin
}

/** The standard library of a target. */
export function rustTarget(target) {
  if (run('rustup', ['target', 'list', '--installed']).split('\n').includes(target)) return
  run('rustup', ['target', 'add', target])
}

/** zig as a C compiler of this target, for crates that build C. */
export function zigEnv(target, zigTarget) {
  const bin = python('ziglang', 'cargo-zigbuild')
  const cc = join(WORK, `zig-cc-${target}`)
  run('sh', [
    '-c',
    `printf '#!/bin/sh\\nexec "${bin}/python" -m ziglang cc -target ${zigTarget} "$@"\\n' >"${cc}" && chmod +x "${cc}"`,
  ])
  const name = target.replaceAll('-', '_')
  return { PATH: `${bin}${delimiter}${process.env.PATH}`, [`CC_${name}`]: cc, [`AR_${name}`]: 'ar' }
}

/** A copy of the built package with the addon for a platform in it; the host's own is not touched. */
export function stage(name, addon, as) {
  const folder = join(WORK, 'stage', name)
  mkdirSync(join(folder, 'scripts'), { recursive: true })
  for (const file of ['index.js', 'native.js', 'package.json', 'scripts/smoke.mjs', 'scripts/platforms/race.mjs']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    run('cp', [join(ROOT, file), join(folder, file)])
  }
  run('cp', [addon, join(folder, `ralph-sdk-tools.${as}.node`)])
  return folder
}
