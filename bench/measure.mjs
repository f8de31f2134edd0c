// What the benchmarks share: projects in temporary folders, medians, and rows of a table.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Runs `work` on a project with these files, which is gone afterwards. */
export async function inProject(files, work) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
  try {
    mkdirSync(join(folder, '.ralph'))
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The middle one: what a busy machine adds to some of the times does not count. */
export function median(times) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]
}

/** Milliseconds that `work` takes. */
export async function time(work) {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** The shortest of some rounds, in milliseconds. */
export async function fastest(rounds, work) {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round += 1) best = Math.min(best, await time(() => work(round)))
  return best
}

/** Prints a row, its first cell to the left and the others to the right. */
export function row(widths, cells) {
  console.log(
    cells.map((cell, n) => (n === 0 ? String(cell).padEnd(widths[n]) : String(cell).padStart(widths[n]))).join(' '),
  )
}

/** A quantity beside its goal. `least`: the goal is a lower bound. */
export function against(value, goal, least = false) {
  const met = least ? value >= goal : value <= goal
  return `${value.toFixed(1)} (${least ? '≥' : '≤'}${goal}${met ? '' : ' MISSED'})`
}
