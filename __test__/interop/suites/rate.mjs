// The hour's calls and tokens: init_call_tracking, can_make_call, increment_call_counter, update_token_count and
// wait_for_reset against rate_limit.

import { duel } from '../duel.mjs'

const MINUTE = 60_000

export const rate = {
  name: 'rate',
  async play(round) {
    const { random } = round
    const maxCalls = random.between(1, 8)
    const maxTokens = random.chance(0.5) ? random.between(1, 4) * 100 : 0
    const project = round.open({
      variables: { MAX_CALLS_PER_HOUR: maxCalls, MAX_TOKENS_PER_HOUR: maxTokens },
      options: { maxCallsPerHour: maxCalls, maxTokensPerHour: maxTokens },
    })
    const tokensCount = project.bash.generation === 'v0.11'
    const limits = { maxCalls, maxTokens: tokensCount ? maxTokens : 0 }
    for (let n = 0; n < 14; n += 1) {
      project.wait(
        random.weighted([
          [5, random.between(0, 5)],
          [2, random.between(10, 40)],
          [1, random.between(50, 200)],
        ]) * MINUTE,
      )
      await duel(
        round,
        random.weighted([
          [4, increment],
          [3, check],
          [diesOfOctal(project) ? 0 : 1, reset],
          [tokensCount ? 2 : 0, tokens],
        ])(limits, random),
      )
      if (random.chance(0.2)) project.start()
    }
  },
}

/** At minutes 08 and 09 bash's own wait_for_reset dies: to its arithmetic those are octal numbers. */
function diesOfOctal({ tz, now }) {
  const minute = new Intl.DateTimeFormat('en', { timeZone: tz, minute: 'numeric' }).format(now)
  return Number(minute) === 8 || Number(minute) === 9
}

/** As Ralph's loop begins: the hour is rolled, then the question is asked. */
const check = (input) => ({
  name: 'rate.check',
  input,
  readOnly: true,
  async bash(project) {
    const { status } = await project.inBash('init_call_tracking >/dev/null 2>&1; can_make_call')
    return { may: status === 0, ...counters(project) }
  },
  async ours(project) {
    const answer = await project.call('rateLimit', { action: 'check' })
    return {
      answer,
      view: { may: answer.canMakeCall, count: answer.currentCount, tokens: answer.tokensUsed, key: undefined },
    }
  },
})

const increment = (input) => ({
  name: 'rate.increment',
  input,
  async bash(project) {
    await project.inBash('init_call_tracking >/dev/null 2>&1; increment_call_counter')
    return files(project)
  },
  async ours(project) {
    const answer = await project.call('rateLimit', { action: 'increment' })
    return { answer, view: { ...files(project), count: answer.currentCount } }
  },
})

const tokens = (limits, random) => ({
  name: 'rate.tokens',
  input: { ...limits, tokens: random.between(1, 150) },
  async bash(project, { tokens }) {
    await project.inBash(
      `init_call_tracking >/dev/null 2>&1
      printf '{"usage":{"input_tokens":%d,"output_tokens":1}}' "$1" > "$TMPDIR/usage.$$"
      update_token_count "$TMPDIR/usage.$$"; rm "$TMPDIR/usage.$$"`,
      [String(tokens - 1)],
    )
    return files(project)
  },
  async ours(project, { tokens }) {
    const answer = await project.call('rateLimit', { action: 'increment', calls: 0, tokens })
    return { answer, view: { ...files(project), tokens: answer.tokensUsed } }
  },
})

const reset = (input) => ({
  name: 'rate.reset',
  input,
  async bash(project) {
    await project.inBash('wait_for_reset')
    return files(project)
  },
  async ours(project) {
    const answer = await project.call('rateLimit', { action: 'reset' })
    return { answer, view: files(project) }
  },
})

function counters(project) {
  return {
    count: Number(project.read('.call_count') ?? 0),
    tokens: Number(project.read('.token_count') ?? 0),
    key: undefined,
  }
}

/** The counters and their hour, as the files have them. */
function files(project) {
  return { ...counters(project), key: project.read('.last_reset')?.trim() }
}
