// A run as lines of a log, for a file or a pipe; and as lines of JSON, for programs.

import type { LoopWait } from '../../index.js'
import { clean, jsonText, printable } from '../terminal.mjs'
import type { RunDisplay, RunView } from './view.mjs'
import { clock, ending, isNews, lastWords, outcome, standing, waiting } from './words.mjs'

/** As much of an output as lines need. */
export interface LineOutput {
  write(text: string): unknown
}

/** Tells of each wait only once, however often it is counted down. */
function once(tell: (wait: LoopWait) => void): (wait: LoopWait) => void {
  let told = ''
  return (wait) => {
    if (wait.until === told) return
    told = wait.until
    tell(wait)
  }
}

/** A line each for what begins, ends and waits. */
export function plainDisplay(output: LineOutput, now: () => Date = () => new Date()): RunDisplay {
  const open = (name: string): RunView => {
    const prefix = name === '' ? '' : `[${printable(name)}] `
    const say = (text: string) => output.write(`${clock(now())} ${prefix}${printable(text)}\n`)
    return {
      loop({ loop, task, counts }) {
        const what = task ? `${task.id}  ${task.description}` : 'no open task'
        say(`loop ${loop}: ${what}${counts ? `  (${standing(counts)})` : ''}`)
      },
      message: () => undefined,
      loopEnd(closed) {
        say(`loop ${closed.loop} ${outcome(closed)}`)
        const words = lastWords(closed.summary)
        if (words) say(`  ${clean(words)}`)
      },
      wait: once((wait) => say(waiting(wait))),
      note: (note) => isNews(note) && say(note),
      end: (end) => ending(end).forEach(say),
    }
  }
  return { open, stopping: () => undefined, close: () => undefined }
}

/** A line of JSON each, with `event` and `time` (UTC); `worker` where there is more than one run. */
export function jsonDisplay(output: LineOutput, now: () => Date = () => new Date()): RunDisplay {
  const open = (worker: string): RunView => {
    const say = (event: string, more: object) => {
      const head = { event, time: now().toISOString(), ...(worker !== '' && { worker }) }
      output.write(`${jsonText({ ...head, ...more }, 0)}\n`)
    }
    return {
      loop: ({ loop, session, task, counts }) => say('loop', { loop, session, task, counts }),
      message: () => undefined,
      loopEnd: (closed, { counts }) => say('loopEnd', { ...closed, counts }),
      wait: once((wait) => say('wait', wait)),
      note: (text) => say('note', { text }),
      end: (end) => say('end', end),
    }
  }
  return { open, stopping: () => undefined, close: () => undefined }
}
