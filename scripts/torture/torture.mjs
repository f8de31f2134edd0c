// Runs a row: as many rounds as fit into its time, each from a number of its own, so that a failure can be played again.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beside } from './rows/beside.mjs'
import { disk } from './rows/disk.mjs'
import { hostile } from './rows/hostile.mjs'
import { junk } from './rows/junk.mjs'
import { kills } from './rows/kills.mjs'
import { leaks } from './rows/leaks.mjs'
import { linear } from './rows/linear.mjs'
import { stdio } from './rows/stdio.mjs'
import { Unable } from './unable.mjs'

export const ROWS = [kills, beside, disk, hostile, junk, stdio, leaks, linear]

/**
 * @param {{ name: string, what: string, round(round: Round): Promise<number>, begin?(): Promise<void>, end?(): Promise<void> }} row
 *   `round` answers with its tries, and throws where something does not hold
 * @param {{ seconds: number, rounds?: number, seed: number }} bounds at least one round is played
 */
export async function torture(row, { seconds, rounds = Number.POSITIVE_INFINITY, seed }) {
  const started = Date.now()
  const result = { name: row.name, what: row.what, tries: 0, failures: [] }
  const done = () => Math.round((Date.now() - started) / 1000)
  try {
    await row.begin?.()
    for (let number = 0; number < rounds && (number === 0 || Date.now() - started < seconds * 1000); number += 1) {
      const scratch = mkdtempSync(join(tmpdir(), 'ralph-torture-'))
      try {
        result.tries += await row.round({ random: random(seed + number), scratch, project: () => project(scratch) })
      } catch (error) {
        if (error instanceof Unable) throw error
        result.tries += 1
        result.failures.push(`--seed ${seed + number}: ${error.stack ?? error}`)
      } finally {
        rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
      }
    }
  } catch (error) {
    if (!(error instanceof Unable)) throw error
    return { ...result, skipped: `skipped: ${error.message}`, seconds: done() }
  } finally {
    await row.end?.()
  }
  return { ...result, seconds: done() }
}

let count = 0
function project(scratch) {
  count += 1
  const folder = join(scratch, `project-${count}`)
  mkdirSync(join(folder, '.ralph'), { recursive: true })
  return folder
}

/** Numbers from a seed (mulberry32), and what rows pick with them. */
export function random(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (most) => Math.floor(next() * most)
  return { next, below, chance: (part) => next() < part, pick: (items) => items[below(items.length)] }
}
