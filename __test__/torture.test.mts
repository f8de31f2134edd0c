// Every row of `npm run torture`, for a moment each: the long run is a script.

import { expect, test } from 'vitest'
import { ROWS, torture } from '../scripts/torture/torture.mjs'

test.for(ROWS.map((row) => [row.what, row] as const))('%s', { timeout: 120_000 }, async ([, row], context) => {
  const { skipped, failures, tries } = await torture(row, { seconds: 1, rounds: 3, seed: 1 })
  if (skipped) return context.skip(skipped)
  expect(failures).toEqual([])
  expect(tries).toBeGreaterThan(0)
})
