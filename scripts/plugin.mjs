// Puts the plugin together where it stands, so that `claude --plugin-dir plugin` runs this very tree: the native program and
// the package, at the places where npm puts them for people who install it.

import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const PROGRAM = process.platform === 'win32' ? 'ralph-hook.exe' : 'ralph-hook'

/** Links the package and copies the program that cargo built into the plugin's folder. */
export function assemblePlugin(program = join(ROOT, 'target', 'release', PROGRAM)) {
  const modules = join(ROOT, 'plugin', 'node_modules')
  if (!existsSync(program)) throw new Error(`${program} is missing: run \`npm run build\``)
  mkdirSync(join(modules, '.bin'), { recursive: true })
  // A program that runs cannot be written over, but it can be replaced.
  const target = join(modules, '.bin', PROGRAM)
  rmSync(target, { force: true })
  cpSync(program, target)
  chmodSync(target, 0o755)
  const link = join(modules, 'ralph-sdk-tools')
  rmSync(link, { recursive: true, force: true })
  symlinkSync(ROOT, link, 'junction')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) assemblePlugin(...process.argv.slice(2))
