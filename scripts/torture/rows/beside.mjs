// Several processes beside real bash, where a checkout of Ralph is named: the interop suite that does it.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Unable } from '../unable.mjs'

const RUN = fileURLToPath(new URL('../../../__test__/interop/run.mjs', import.meta.url))

export const beside = {
  name: 'beside',
  what: 'several processes beside real bash',
  async begin() {
    if (!process.env.RALPH_SRC) throw new Unable('RALPH_SRC names no checkout of Ralph')
  },
  async round({ random }) {
    const args = [RUN, '--only', 'together', '--rounds', '1', '--seed', String(random.below(1e6))]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    assert.equal(status, 0, `${stdout}${stderr}`.slice(-3000))
    return 3
  },
}
