// The project that was named on the command line.

import { openSync, readFileSync } from 'node:fs'
import type { RalphToolsOptions } from '../../index.js'

/** What Node puts in the place of bytes that are no UTF-8. */
const REPLACEMENT = '\ufffd'

const VARIABLE = 'RALPH_PROJECT_DIR'

/**
 * The option `projectDir`; left out where none was named, for the core then looks for one.
 *
 * Node decodes arguments and variables as UTF-8, and a folder's name may be none. Linux still has the bytes, and an open
 * folder has a name there that is ASCII. Elsewhere file names are Unicode.
 */
export function projectOption(named: string | undefined): Pick<RalphToolsOptions, 'projectDir'> {
  const text = named ?? process.env[VARIABLE]
  if (text?.includes(REPLACEMENT)) {
    const bytes = named === undefined ? variable(text) : argument(text)
    const folder = bytes && nameOfOpenFolder(bytes)
    if (folder !== undefined) return { projectDir: folder }
  }
  return named === undefined ? {} : { projectDir: named }
}

function argument(text: string): Buffer | undefined {
  for (const word of entries('/proc/self/cmdline')) {
    for (const bytes of [word, after(word, '--project=')]) if (bytes?.toString() === text) return bytes
  }
  return undefined
}

function variable(text: string): Buffer | undefined {
  const found = entries('/proc/self/environ').flatMap((entry) => after(entry, `${VARIABLE}=`) ?? [])
  return found.find((bytes) => bytes.toString() === text)
}

function after(bytes: Buffer, start: string): Buffer | undefined {
  return bytes.subarray(0, start.length).toString() === start ? bytes.subarray(start.length) : undefined
}

/** What stands between NUL bytes; nothing where there is no such file. */
function entries(path: string): Buffer[] {
  let rest: Buffer
  try {
    rest = readFileSync(path)
  } catch {
    return []
  }
  const found: Buffer[] = []
  for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
    found.push(rest.subarray(0, end))
    rest = rest.subarray(end + 1)
  }
  return found
}

/** It stays open for as long as the program runs. */
function nameOfOpenFolder(bytes: Buffer): string | undefined {
  try {
    return `/proc/self/fd/${openSync(bytes, 'r')}`
  } catch {
    return undefined
  }
}
