// One query: what goes to Claude, and what came of it as an event for the engine.

import { type Options, query, type SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import type { LoopAnswer, LoopEvent, RalphTools } from '../../index.js'
import { createRalphServer } from '../agent-sdk.mjs'
import type { RalphLoopOptions } from './options.mjs'

/** What Claude may use where the caller does not say. */
const TOOLS = ['mcp__ralph', 'Read', 'Glob', 'Grep', 'Edit', 'Write', 'Bash(git *)', 'Bash(npm *)']

/** Results that say that the query reached a limit of its own. The session is sound, and the loop did what it did (S15). */
const OWN_LIMITS = new Set(['error_max_turns', 'error_max_budget_usd'])

/** Sends a loop's query and follows it to its end. Never rejects, but for what a callback throws. */
export async function ask(options: RalphLoopOptions, ralph: RalphTools, answer: LoopAnswer): Promise<LoopEvent> {
  const abortController = new AbortController()
  const abort = () => abortController.abort()
  options.signal?.addEventListener('abort', abort, { once: true })
  const outcome = new Outcome()
  const started = performance.now()
  let thrown: unknown
  try {
    const messages = query({
      prompt: answer.prompt ?? '',
      options: { ...settings(options, ralph, answer), abortController },
    })
    for (;;) {
      const message = await messages.next().catch((error: unknown) => {
        thrown = error ?? new Error('the query failed')
        return { done: true as const, value: undefined }
      })
      if (message.done) break
      options.onMessage?.(message.value)
      outcome.take(message.value)
    }
  } catch (error) {
    abort()
    throw error
  } finally {
    options.signal?.removeEventListener('abort', abort)
  }
  return { ...outcome.event(thrown), durationSeconds: (performance.now() - started) / 1000 }
}

function settings({ query: given, projectDir }: RalphLoopOptions, ralph: RalphTools, answer: LoopAnswer): Options {
  return {
    cwd: projectDir,
    permissionMode: 'acceptEdits',
    allowedTools: TOOLS,
    systemPrompt: { type: 'preset', preset: 'claude_code' },
    ...given,
    // A server serves one query, so each gets a new one; the tools behind it stay the same.
    mcpServers: { ...given?.mcpServers, ralph: createRalphServer({ ralph, access: 'worker' }) },
    ...(answer.resume !== undefined && { resume: answer.resume }),
  }
}

/** What a query's messages come to. */
class Outcome {
  /** The result speaks for the loop; besides it only a refusal by the plan's own limit matters. */
  private readonly lines: string[] = []
  private hasResult = false
  private lastText = ''
  private session: string | undefined

  take(message: SDKMessage): void {
    if ('session_id' in message && typeof message.session_id === 'string') this.session = message.session_id
    if (message.type === 'assistant' && message.parent_tool_use_id === null) {
      const text = message.message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
      if (text !== '') this.lastText = text
    } else if (message.type === 'rate_limit_event') {
      this.lines.push(JSON.stringify(message))
    } else if (message.type === 'result') {
      this.hasResult = true
      const own = OWN_LIMITS.has(message.subtype)
      this.lines.push(JSON.stringify(own ? { ...message, is_error: false, result: this.lastText } : message))
    }
  }

  event(thrown: unknown): LoopEvent {
    const output = this.lines.length > 0 ? this.lines.join('\n') : undefined
    const claudeSession = this.session
    // The stream also throws after a result that is an error; then the result says more.
    if (this.hasResult) return { event: 'stop', output, claudeSession }
    // An end without a result and without an error: the query reached maxTurns (S15).
    if (thrown === undefined) return { event: 'stop', message: this.lastText, claudeSession }
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return { event: 'failure', message, output }
  }
}
