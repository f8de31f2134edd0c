// What a run changed on disk, in lines that a person can read.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What is watched, by name. */
export type Disk = Map<string, string>

/** One thing that changed; `before` is missing where it is new. */
export interface Change {
  name: string
  before?: string
  after: string
}

type Json = Record<string, unknown>

/** State files, and what of each is worth a line. */
const STATE: Record<string, (text: string) => string> = {
  '.call_count': (text) => text.trim(),
  '.token_count': (text) => text.trim(),
  '.exit_signals': (text) => JSON.stringify(JSON.parse(text)),
  '.circuit_breaker_state': (text) => {
    const { state, consecutive_no_progress, reason } = JSON.parse(text) as Json
    return [state, `${consecutive_no_progress} without progress`, reason].filter(Boolean).join(', ')
  },
  'status.json': (text) => {
    const { status, last_action, loop_count, exit_reason } = JSON.parse(text) as Json
    return [`${status}/${last_action}`, exit_reason, `loop ${loop_count}`].filter(Boolean).join(', ')
  },
}

/** The project's own files, the plan line by line, and the state, in either layout. */
export function readDisk(project: string): Disk {
  const disk: Disk = new Map()
  for (const name of readdirSync(project)) {
    const file = statSync(join(project, name))
    if (file.isFile() && !name.startsWith('.')) disk.set(name, `${file.size} bytes`)
  }
  const [state, plan] = existsSync(join(project, '.ralph')) ? ['.ralph/', 'fix_plan.md'] : ['', '@fix_plan.md']
  const read = (name: string, note: (text: string) => void) => {
    const path = join(project, state, name)
    // What is not there is not written yet.
    if (existsSync(path)) note(readFileSync(path, 'utf8'))
  }
  read(plan, (text) => {
    for (const [index, line] of text.split('\n').entries()) disk.set(`${state}${plan}:${index + 1}`, line)
  })
  for (const [name, show] of Object.entries(STATE)) {
    read(name, (text) => void disk.set(state + name, show(text)))
  }
  return disk
}

/** What differs. */
export function changes(before: Disk, after: Disk): Change[] {
  return [...after]
    .filter(([name, value]) => before.get(name) !== value)
    .map(([name, value]) => {
      const old = before.get(name)
      return { name, after: value, ...(old !== undefined && { before: old }) }
    })
}
