/**
 * The guarded loop: give it a project, and it works through the plan, one query of Claude's a loop, guarded by Ralph's
 * five tools.
 *
 * @module
 */

export { type Ending, exitCode } from './loop/ending.mjs'
export type { RalphLoopOptions } from './loop/options.mjs'
export { type LoopPreview, previewLoop } from './loop/preview.mjs'
export { runRalph } from './loop/run.mjs'
