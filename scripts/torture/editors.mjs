// Editors beside ticks (case B1): no save is lost, none is cut, no reader sees a cut plan.
//
//     node scripts/torture/editors.mjs                    10 000 ticks beside each kind of editor
//     node scripts/torture/editors.mjs --ticks 500 --only vim
//
// In place (emptied, half written, written), by rename, by appending; and Vim itself, where it is installed.

import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const TASKS = 60

const text = (save) =>
  `# Save ${save}\n- [ ] Task 3\n${Array.from({ length: TASKS - 1 }, (_, n) => `- [ ] Task of many ${n}\n`).join('')}# End of ${save}\n`
const whole = (plan, save) => plan.startsWith(`# Save ${save}\n`) && plan.includes(`# End of ${save}\n`)

/** How each kind saves, and what is right after so many saves. */
const EDITORS = {
  'in-place': {
    async save(plan, number) {
      const half = Math.floor(text(number).length / 2)
      const file = openSync(plan, 'w')
      writeSync(file, text(number).slice(0, half))
      if (number % 2) await sleep(number % 5)
      writeSync(file, text(number).slice(half))
      closeSync(file)
    },
    right: whole,
  },
  rename: {
    async save(plan, number) {
      writeFileSync(`${plan}.new`, text(number))
      renameSync(`${plan}.new`, plan)
    },
    right: whole,
  },
  append: {
    async save(plan, number) {
      appendFileSync(plan, `- [ ] Added ${number}\n`)
    },
    right: (plan, number) =>
      whole(plan, 0) && plan.split('\n').filter((line) => line === `- [ ] Added ${number}`).length === 1,
  },
  vim: {
    async save(plan, number) {
      const change = `:%s/^# Save .*/# Save ${number}/ | %s/^# End of .*/# End of ${number}/ | w!`
      // Vim asks before it writes over a plan that was ticked since it read it. Nobody is there to say yes, so it does not
      // write and ends, with code 0: only a mark that it sets after the write tells. Then it reads anew.
      const mark = `${plan}.written`
      for (let again = 0; again < 50; again += 1) {
        const vim = spawnSync(
          'vim',
          ['-Nu', 'NONE', '-n', '-es', '-c', change, '-c', `call writefile([], '${mark}')`, '-c', 'qall!', plan],
          { stdio: 'ignore', timeout: 10_000 },
        )
        if (vim.error) throw vim.error
        if (existsSync(mark)) return unlinkSync(mark)
      }
      throw new Error('vim never got to write')
    },
    right: whole,
  },
}

/** Saves until the parent closes the channel; each save must still be there a while later. */
async function edit(kind, plan) {
  const { save, right } = EDITORS[kind]
  let going = true
  process.on('message', () => {
    going = false
  })
  let saves = 0
  const lost = []
  while (going) {
    saves += 1
    await save(plan, saves)
    await sleep(20 + ((saves * 7) % 80))
    let seen = ''
    for (let look = 0; look < 500; look += 1) {
      try {
        seen = readFileSync(plan, 'utf8')
      } catch {}
      if (right(seen, saves)) break
      await sleep(2)
    }
    if (!right(seen, saves))
      lost.push(`${kind}: save ${saves} is gone; there is ${seen.length} bytes, ${seen.split('\n', 1)[0]}`)
  }
  process.send({ saves, lost })
  process.disconnect()
}

/** Ticks beside one kind of editor. */
export async function beside(kind, ticks, RalphTools) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-editors-'))
  const plan = join(folder, '.ralph/fix_plan.md')
  mkdirSync(join(folder, '.ralph'))
  writeFileSync(plan, text(0))
  const ralph = new RalphTools({ projectDir: folder, ralphHome: join(folder, 'none') })
  const failures = []
  const editor = spawn(process.execPath, [fileURLToPath(import.meta.url), '--edit', kind, '--plan', plan], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const report = new Promise((resolve, reject) => {
    editor.once('message', resolve)
    editor.once('exit', (code) => reject(new Error(`the editor ended with ${code}`)))
  })
  const cut = (what, { totalTasks }) => {
    if (totalTasks < TASKS) failures.push(`${kind}: ${what} saw ${totalTasks} of ${TASKS} tasks`)
  }
  for (let tick = 0; tick < ticks; tick += 1) {
    try {
      cut('a tick', await ralph.taskPlanner({ action: 'update', taskId: 'task-3', completed: tick % 2 === 0 }))
      cut('a reader', await ralph.taskPlanner({ action: 'progress' }))
    } catch (error) {
      // Somebody writes all the time, and it says so: nothing is lost.
      if (!/changed by somebody else/.test(error.message)) failures.push(`${kind}: ${error.message}`)
    }
  }
  editor.send('enough')
  const { saves, lost } = await report
  rmSync(folder, { recursive: true, force: true })
  return { kind, ticks, saves, failures: [...failures, ...lost] }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      ticks: { type: 'string' },
      only: { type: 'string' },
      edit: { type: 'string' },
      plan: { type: 'string' },
    },
  })
  if (values.edit) {
    await edit(values.edit, values.plan)
  } else {
    const { RalphTools } = await import('ralph-sdk-tools')
    const kinds = Object.keys(EDITORS).filter((kind) => !values.only || kind === values.only)
    let failed = false
    for (const kind of kinds) {
      if (kind === 'vim' && spawnSync('vim', ['--version']).error) {
        process.stdout.write('vim: not installed, left out\n')
        continue
      }
      const { ticks, saves, failures } = await beside(kind, Number(values.ticks ?? 10_000), RalphTools)
      process.stdout.write(`${kind}: ${ticks} ticks, ${saves} saves, ${failures.length} lost or cut\n`)
      for (const failure of failures.slice(0, 10)) process.stdout.write(`    ${failure}\n`)
      failed ||= failures.length > 0
    }
    process.exitCode = failed ? 1 : 0
  }
}
