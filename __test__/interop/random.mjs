// Random numbers that a seed repeats.

/** A source of random choices; the same seed gives the same choices. */
export function random(seed) {
  let state = hash(String(seed))
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit) => Math.floor(next() * limit)
  const pick = (items) => items[below(items.length)]
  return {
    /** A whole number from `low` to `high`, both included. */
    between: (low, high) => low + below(high - low + 1),
    /** True in that share of cases. */
    chance: (share) => next() < share,
    pick,
    /** `count` items, each drawn anew. */
    some: (items, count) => Array.from({ length: count }, () => pick(items)),
    /** An item of `[weight, item]` pairs. */
    weighted(pairs) {
      let left = next() * pairs.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, item] of pairs) {
        left -= weight
        if (left < 0) return item
      }
      return pairs.at(-1)[1]
    },
  }
}

/** FNV-1a. */
function hash(text) {
  let value = 0x811c9dc5
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193)
  return value | 0
}
