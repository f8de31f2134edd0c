// Sessions (v0.11): what we store, bash resumes; what bash stored, stays where an output names none.

import { json } from '../outputs.mjs'

export const sessions = {
  name: 'sessions',
  generations: ['v0.11'],
  async play(round) {
    const { random } = round
    const project = round.open({})
    let stored = ''
    for (let loop = 1; loop <= 5; loop += 1) {
      project.wait(random.between(1, 300) * 60_000)
      if (random.chance(0.3)) {
        stored = `bash-${loop}`
        await project.inBash('store_session_id "$1"', [stored])
      } else {
        const { text, has } = json(random)
        await project.call('exitDetection', { action: 'analyze', output: text, loopNumber: loop })
        if (has.session && !has.isError) stored = has.session
      }
      const { stdout } = await project.inBash(
        'get_last_session_id; init_claude_session 2>/dev/null; should_resume_session',
      )
      const [last, resumed, recent] = stdout.split('\n')
      const expected = JSON.stringify([stored, stored, stored === '' ? 'false' : 'true'])
      if (JSON.stringify([last, resumed, recent]) !== expected) {
        throw new Error(
          `bash resumes ${JSON.stringify([last, resumed, recent])} rather than ${expected} at loop ${loop}`,
        )
      }
      round.steps += 1
    }
  },
}
