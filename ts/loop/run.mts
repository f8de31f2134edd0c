// The loop itself: asks the engine what to do next, and does the waiting and the query. It decides nothing.

import { setTimeout as delay } from 'node:timers/promises'
import { type LoopAnswer, LoopEngine, type LoopEvent, type LoopWait } from '../../index.js'
import { type Ending, endingOf, throwIfNotBegun } from './ending.mjs'
import { type RalphLoopOptions, startOf, toolsOf } from './options.mjs'
import { ask } from './query.mjs'

/**
 * Works through a project's plan: one query of Claude's a loop, in one session, until the plan is done or a guard says
 * stop. Waits (the hour's limit, the plan's own limit, a failed query) end by themselves. All state is in the project's
 * files, so a run that was killed is begun again by the same call, and bash Ralph's monitor shows it.
 *
 * Resolves with how the run ended, also where a guard ended it or failed.
 *
 * @example
 * const { status, exitReason } = await runRalph({ projectDir: process.cwd(), maxLoops: 20, onNote: console.log })
 *
 * @throws RalphToolError where the run does not begin: `SESSION_BUSY` while another session loops on the project,
 * `PLAN_NOT_FOUND` where there is neither a task nor a prompt, `INVALID_INPUT` for a wrong option, and what `RalphTools`
 * throws.
 */
export async function runRalph(options: RalphLoopOptions): Promise<Ending> {
  const ralph = toolsOf(options)
  const engine = new LoopEngine(ralph)
  let session: string | undefined
  let loops = 0
  const tell = async (event: LoopEvent): Promise<LoopAnswer> => {
    const answer = await engine.handle(event.event === 'start' ? event : { ...event, session })
    session = answer.session
    for (const note of answer.notes) options.onNote?.(note)
    if (answer.closed) options.onLoopEnd?.(answer.closed, answer)
    return answer
  }
  const interrupt = async () => endingOf(await tell({ event: 'end' }), loops)

  let over = false
  try {
    let answer = await tell(startOf(options))
    throwIfNotBegun(answer)
    for (;;) {
      const { next } = answer
      if (next !== 'query' && next !== 'wait') {
        over = true
        return endingOf(answer, loops)
      }
      // The last look before anything is sent, and after every wait.
      if (options.signal?.aborted) return await interrupt()
      if (next === 'query') {
        loops += 1
        options.onLoop?.(answer.loop, answer)
        const outcome = await ask(options, ralph, answer)
        if (options.signal?.aborted) return await interrupt()
        answer = await tell(outcome)
      } else {
        await pause(options, answer.wait as LoopWait)
        if (options.signal?.aborted) return await interrupt()
        answer = await tell({ event: 'admit' })
      }
    }
  } finally {
    // What a callback threw must not leave the project with a session that nobody ends. Ended already, this does nothing.
    if (!over && session !== undefined) await engine.handle({ event: 'end', session }).catch(() => undefined)
  }
}

/** Node's timers hold no more. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Waits, and counts down. Ctrl-C ends the wait early. */
async function pause({ signal, sleep, onWait }: RalphLoopOptions, wait: LoopWait): Promise<void> {
  const until = performance.now() + wait.seconds * 1000
  onWait?.(wait)
  const tick = () => {
    const seconds = Math.ceil((until - performance.now()) / 1000)
    if (seconds > 0) onWait?.({ ...wait, seconds })
  }
  const clock = onWait && setInterval(tick, 1000)
  const milliseconds = Math.min(wait.seconds * 1000, LONGEST_TIMER)
  try {
    await (sleep ? sleep(milliseconds, signal) : delay(milliseconds, undefined, signal && { signal }))
  } catch (error) {
    // A wait that was cut short by the signal; anything else is the caller's own.
    if (!signal?.aborted) throw error
  } finally {
    clearInterval(clock)
  }
}
