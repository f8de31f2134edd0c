import type { Access } from '../index.js'

/** The levels of access, from the least to the most. */
export const ACCESS_LEVELS: readonly Access[] = ['read', 'worker', 'full']
