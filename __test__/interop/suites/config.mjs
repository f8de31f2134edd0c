// Settings: what load_ralphrc and the scripts' own assignments mean to bash, against what our tools go by.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const config = {
  name: 'config',
  async play(round) {
    const { random, bash } = round
    // An installed Ralph whose scripts are those of the checkout.
    const project = round.open({ options: { ralphHome: bash.source } })
    const lines = bash.generation === 'v0.11' ? ralphrc(random) : []
    if (lines.length > 0)
      writeFileSync(join(project.folder, '.ralphrc'), `${lines.join(random.pick(['\n', '\n\n']))}\n`)
    project.start()
    const load = bash.generation === 'v0.11' ? 'load_ralphrc;' : ''
    const script = `${load} echo "$MAX_CALLS_PER_HOUR"; echo "\${MAX_TOKENS_PER_HOUR:-0}"`
    const { stdout } = await project.inBash(script)
    const [maxCalls, maxTokens] = stdout.split('\n').map(Number)
    const answer = await project.call('rateLimit', { action: 'check' })
    const ours = { maxCalls: answer.maxCalls, maxTokens: answer.maxTokens }
    if (ours.maxCalls !== maxCalls || ours.maxTokens !== maxTokens) {
      throw new Error(
        `bash reads ${JSON.stringify({ maxCalls, maxTokens })} of\n${lines.join('\n')}\nand we ${JSON.stringify(ours)}`,
      )
    }
    const no = Number((await project.inBash(`${load} echo "$CB_NO_PROGRESS_THRESHOLD"`)).stdout)
    let last
    for (let loop = 1; loop <= no; loop += 1) {
      last = await project.call('circuitBreaker', {
        action: 'record',
        loopNumber: loop,
        filesChanged: 0,
        hasErrors: false,
      })
      if (loop < no && last.state === 'OPEN') throw new Error(`open after ${loop} loops, bash after ${no}`)
    }
    if (no > 0 && last.state !== 'OPEN')
      throw new Error(`bash opens after ${no} loops, ours is ${last.state}: ${lines.join(' | ')}`)
    round.steps += 2
  },
}

/** Assignments in the forms that people use. */
function ralphrc(random) {
  const number = () => random.between(1, 9)
  const forms = [
    (name) => `${name}=${number()}`,
    (name) => `export ${name}="${number()}"`,
    (name) => `${name}='${number()}' # as agreed`,
    (name) => `BASE=${number()}\n${name}="\${BASE}"`,
    (name) => `${name}=\${NOT_SET_HERE:-${number()}}`,
    (name) => `# ${name}=${number()}`,
    (name) => `${name}=${number()}; OTHER=1`,
  ]
  const names = ['MAX_CALLS_PER_HOUR', 'MAX_TOKENS_PER_HOUR', 'CB_NO_PROGRESS_THRESHOLD']
  return [
    '#!/bin/bash',
    'PROJECT_NAME="my project"',
    ...random.some(names, random.between(0, 5)).map((name) => random.pick(forms)(name)),
  ]
}
