// What is shown of a run. A run tells its view what happens; a display has a view for each of the runs that it shows.

import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import type { ClosedLoop, LoopAnswer, LoopWait } from '../../index.js'
import type { Ending } from '../loop.mjs'

/** One run, as its loop tells it. */
export interface RunView {
  /** A loop begins. */
  loop(answer: LoopAnswer): void
  /** Claude says or does something. */
  message(message: SDKMessage): void
  /** A loop is over and recorded. */
  loopEnd(closed: ClosedLoop, answer: LoopAnswer): void
  /** The run waits: told at once, then every second. */
  wait(wait: LoopWait): void
  /** A line of the loop's own. */
  note(text: string): void
  /** The run is over. */
  end(ending: Ending): void
}

/** Where runs are shown: each has a view of its own, and there is one screen. */
export interface RunDisplay {
  /** The view of one more run. `name` tells it from the others; empty where there is only one. */
  open(name: string): RunView
  /** Ctrl-C was pressed, and the runs are ending. */
  stopping(): void
  /** Everything is over: gives the terminal back. */
  close(): void
}
