// A full disk, and one without inodes: an action that fails says so, and what was there is still there, whole.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call, outcome, PLAN, RalphTools, WRITING } from '../calls.mjs'
import { Unable } from '../unable.mjs'

const MOUNT = join(tmpdir(), `ralph-torture-disk-${process.pid}`)

export const disk = {
  name: 'disk',
  what: 'full disk and inodes',
  async begin() {
    mkdirSync(MOUNT, { recursive: true })
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,nr_inodes=64', 'none', MOUNT])
    if (status !== 0) {
      rmSync(MOUNT, { recursive: true })
      throw new Unable('no small disk can be mounted (root and Linux alone)')
    }
  },
  async end() {
    if (spawnSync('umount', [MOUNT]).status === 0) rmSync(MOUNT, { recursive: true, force: true })
  },
  async round({ random }) {
    for (const name of readdirSync(MOUNT)) rmSync(join(MOUNT, name), { recursive: true, force: true })
    const state = join(MOUNT, 'project', '.ralph')
    mkdirSync(state, { recursive: true })
    writeFileSync(join(state, 'fix_plan.md'), PLAN)
    const ralph = new RalphTools({ projectDir: join(MOUNT, 'project') })
    const writing = random.pick(WRITING)
    if (random.chance(0.7)) await call(ralph, writing)
    const before = contents(state)
    fill(random)
    const { error } = await outcome(call(ralph, writing))
    if (error) assert.equal(error.code, 'IO_ERROR', String(error))
    if (error) {
      const after = contents(state)
      for (const [name, text] of Object.entries(before)) {
        // What is appended to, and what was already replaced before the step that failed, may be newer; never shorter.
        assert.ok(
          after[name] !== undefined,
          `${name} is gone after ${writing.tool} ${writing.action}: ${error.message}`,
        )
        if (name.endsWith('.json') || name.startsWith('.circuit') || name === '.exit_signals') JSON.parse(after[name])
        if (name === 'fix_plan.md') assert.equal(after[name], text)
      }
    }
    rmSync(join(MOUNT, 'filler'), { recursive: true, force: true })
    // With room again all is well.
    const again = await outcome(call(new RalphTools({ projectDir: join(MOUNT, 'project') }), writing))
    assert.equal(again.error?.code === 'IO_ERROR', false, String(again.error))
    return 1
  },
}

function contents(state) {
  const names = readdirSync(state).filter((name) => name !== 'logs' && !name.startsWith('.ralph-tools'))
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(state, name), 'utf8')]))
}

/** Takes all the space, or all the inodes. */
function fill(random) {
  const folder = join(MOUNT, 'filler')
  mkdirSync(folder)
  const size = random.pick([0, 4096, 65_536])
  try {
    for (let number = 0; ; number += 1) writeFileSync(join(folder, String(number)), Buffer.alloc(size))
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error
  }
  try {
    writeFileSync(join(folder, 'last'), Buffer.alloc(1))
    for (let number = 0; ; number += 1) writeFileSync(join(folder, `rest-${number}`), Buffer.alloc(4096))
  } catch {
    // Full.
  }
}
