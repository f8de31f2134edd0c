// The packages of a release: this one and those of the platforms.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export function readJson(...path) {
  return JSON.parse(readFileSync(join(...path), 'utf8'))
}

/** The platforms' packages: their folder and what `npm/<platform>/package.json` says. */
export function platformsOf(root) {
  return readdirSync(join(root, 'npm')).map((name) => {
    const folder = join(root, 'npm', name)
    return { name, folder, manifest: readJson(folder, 'package.json') }
  })
}

/** What `npm install ralph-sdk-tools` must not give: `1.2.3-rc.1` is found under `@rc` alone. */
export function distTag(version) {
  const [, prerelease] = version.split('-')
  return prerelease ? prerelease.split('.')[0].replace(/^\d+$/, 'next') : 'latest'
}

export function fail(reason) {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}
