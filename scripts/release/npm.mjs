// npm as a program: by its own path where that is known, since on Windows `npm` is a script of the shell.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

const BESIDE_NODE = ['../lib/node_modules', 'node_modules', '../share/nodejs']

function ownPath() {
  const places = BESIDE_NODE.map((folder) => join(dirname(process.execPath), folder, 'npm', 'bin', 'npm-cli.js'))
  return [process.env.npm_execpath, ...places].find((path) => path?.endsWith('npm-cli.js') && existsSync(path))
}

/** Runs npm and gives what it prints; ends the process where it fails. */
export function npm(args, options = {}) {
  const path = ownPath()
  const [file, first] = path ? [process.execPath, [path]] : ['npm', []]
  const { status, stdout, error } = spawnSync(file, [...first, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: !path && process.platform === 'win32',
    ...options,
  })
  if (status !== 0) {
    const reason = error?.message ?? `it ended with ${status}`
    throw new Error(`\`npm ${args.join(' ')}\`: ${reason}\n${stdout ?? ''}`)
  }
  return stdout
}
