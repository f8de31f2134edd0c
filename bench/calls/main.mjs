// Each call beside T, one round trip of fs.access, and beside the same work in JavaScript: one after the other in turn, so
// that whatever else the machine does falls on all of them alike. Usage: node bench/calls/main.mjs [rounds]

import { access } from 'node:fs'
import { RalphTools } from '../../index.js'
import { against, inProject, median, row, time } from '../measure.mjs'
import { CALLS, FILES } from './work.mjs'

const rounds = Number(process.argv[2] ?? 400)
const WARM_UP = 50
const MANY = 1_000_000

const Peer = await import('./peer.mjs').then(
  (module) => module.Peer,
  (error) => console.log(`left out: the JavaScript peer, for ${error.message.split('\n')[0]}`),
)

const T = () => new Promise((resolve) => access(import.meta.filename, resolve))

await inProject(FILES, (ourFolder) =>
  inProject(FILES, async (theirFolder) => {
    const tools = new RalphTools({ projectDir: ourFolder, maxCallsPerHour: MANY, logLevel: 'info' })
    const peer = Peer && new Peer(theirFolder, MANY)
    const widths = [20, 10, 18, 10, 18]
    row(widths, ['call', 'µs', '× T (goal)', 'peer µs', '× as long (goal)'])
    const all = []
    for (const call of CALLS) {
      const times = { T: [], ours: [], theirs: [] }
      for (let round = -WARM_UP; round < rounds; round += 1) {
        const number = WARM_UP + round + 1
        const measured = { T: await time(T) }
        call.vary?.(ourFolder, number)
        measured.ours = await time(() => call.ours(tools, number))
        if (peer) {
          call.vary?.(theirFolder, number)
          measured.theirs = await time(() => call.theirs(peer, number))
        }
        if (round >= 0) for (const name in measured) times[name].push(measured[name])
      }
      const t = median(times.T)
      const ours = median(times.ours)
      all.push(t)
      const theirs = peer
        ? [(median(times.theirs) * 1000).toFixed(0), against(median(times.theirs) / ours, call.peer, true)]
        : []
      row(widths, [call.name, (ours * 1000).toFixed(1), against(ours / t, call.goal), ...theirs])
    }
    console.log(`T was ${(median(all) * 1000).toFixed(1)} µs; medians of ${rounds} calls each`)
  }),
)
