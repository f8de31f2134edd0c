// A complete Ralph loop on the Claude Agent SDK: start from this file.
//
// The loop asks Ralph's guards before and after every query, in the order of docs/INTEGRATION.md. The model gets the
// tools with `access: 'worker'`: it may look at everything, tick tasks and leave messages, but not reset its guards.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Options, query, type SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import { RalphTools, type RalphToolsOptions } from 'ralph-sdk-tools'
import { createRalphServer } from 'ralph-sdk-tools/agent-sdk'

export interface RalphLoopOptions {
  projectDir: string
  /** Thresholds, limits, layout: see docs/API.md. */
  ralph?: RalphToolsOptions
  /** Options for every query: model, permissions, more tools. */
  query?: Options
  /** Stop after this many loops, whatever the guards say. Default: no such limit. */
  maxLoops?: number
  /** Aborting it (Ctrl-C) ends the run and leaves a clean status. */
  signal?: AbortSignal
  /** How to wait; for tests. */
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** What the SDK streams, and what the loop itself does. */
  onMessage?: (message: SDKMessage) => void
  onNote?: (note: string) => void
  /** A loop begins; its query is counted. */
  onLoop?: (loop: number) => void
}

/** How a run ended, in the words that `status.json` has for it. */
export interface Ending {
  status: string
  lastAction: string
  exitReason?: string
  loops: number
}

/** Bash Ralph waits as long before it tries again. */
const PAUSE_AFTER_FAILURE_SECONDS = 30
/** How long to wait where Claude names no time at which the plan's limit ends. */
const PAUSE_FOR_UNKNOWN_LIMIT_SECONDS = 3600

export async function runRalph(options: RalphLoopOptions): Promise<Ending> {
  const { projectDir, signal, maxLoops = Number.POSITIVE_INFINITY, onNote } = options
  const sleep = options.sleep ?? ((milliseconds, abort) => delay(milliseconds, undefined, abort && { signal: abort }))
  // v0.9's rules know plain text alone and would look for words in the SDK's JSON, so a v0.9 project needs these too.
  const ralph = new RalphTools({ projectDir, rules: 'v0.11', ...options.ralph })
  let sessionId: string | undefined
  let loop = 0

  const note = (text: string) => onNote?.(text)
  const report = (status: string, lastAction: string, exitReason = '') =>
    ralph.progressReporter({ action: 'update', loopCount: loop, status, lastAction, exitReason })
  const end = async (status: string, lastAction: string, exitReason?: string): Promise<Ending> => {
    await report(status, lastAction, exitReason)
    return { status, lastAction, loops: loop, ...(exitReason !== undefined && { exitReason }) }
  }
  const pause = async (seconds: number, why: string) => {
    note(`waiting ${Math.ceil(seconds)} s: ${why}`)
    // Ctrl-C ends the wait early; the loop looks at the signal next.
    await sleep(Math.max(1, seconds) * 1000, signal).catch(() => undefined)
  }

  /** Asks the guards. Answers with how the run ends, or with nothing once the query may be sent and is counted. */
  const mayQuery = async (): Promise<Ending | undefined> => {
    while (!signal?.aborted) {
      const circuit = await ralph.circuitBreaker({ action: 'check' })
      if (!circuit.canExecute) return end('halted', 'circuit_breaker_open', 'stagnation_detected')
      const rate = await ralph.rateLimit({ action: 'check' })
      if (!rate.canMakeCall) {
        await report('paused', 'rate_limit')
        await pause(rate.secondsUntilReset ?? 60, `${rate.currentCount} of ${rate.maxCalls} calls used this hour`)
        continue
      }
      const exit = await ralph.exitDetection({ action: 'check' })
      if (exit.exitReason === 'permission_denied') return end('halted', 'permission_denied', 'permission_denied')
      if (exit.shouldExit) return end('completed', 'graceful_exit', exit.exitReason)
      const { admitted, currentCount, maxCalls } = await ralph.rateLimit({ action: 'increment' })
      if (!admitted) continue
      loop += 1
      options.onLoop?.(loop)
      note(`circuit ${circuit.state}, call ${currentCount} of ${maxCalls} this hour, nothing says exit`)
      return undefined
    }
    return end('stopped', 'interrupted')
  }

  // A missing prompt fails here and now, not as a query that is tried again.
  await readPrompt(projectDir)
  await ralph.exitDetection({ action: 'reset' })
  while (loop < maxLoops) {
    const ending = await mayQuery()
    if (ending) return ending
    await ralph.circuitBreaker({ action: 'begin', loopNumber: loop })
    await report('running', 'executing')

    const started = Date.now()
    const answer = await ask(options, ralph, sessionId)
    if (signal?.aborted) return end('stopped', 'interrupted')

    if (answer.output === undefined) {
      note(`the query failed: ${answer.failure}`)
      const circuit = await ralph.circuitBreaker({ action: 'record', loopNumber: loop, hasErrors: true })
      if (!circuit.canExecute) return end('halted', 'circuit_breaker_open', 'stagnation_detected')
      await report('error', 'failed')
      sessionId = undefined
      await pause(PAUSE_AFTER_FAILURE_SECONDS, 'the query failed')
      continue
    }

    const { analysis } = await ralph.exitDetection({ action: 'analyze', loopNumber: loop, output: answer.output })
    await ralph.rateLimit({ action: 'increment', calls: 0, tokens: analysis?.tokensUsed ?? 0 })
    if (analysis?.apiLimit) {
      const { message, resetsAt } = analysis.apiLimit
      const until = resetsAt ? (Date.parse(resetsAt) - Date.now()) / 1000 : PAUSE_FOR_UNKNOWN_LIMIT_SECONDS
      await report('paused', 'api_limit')
      await pause(until, message)
      continue
    }

    // A failed session may be broken for good: go on in a new one.
    sessionId = analysis?.isError ? undefined : (analysis?.sessionId ?? sessionId)
    const circuit = await ralph.circuitBreaker({ action: 'record', loopNumber: loop })
    note(`recorded: circuit ${circuit.state}${circuit.reason ? `, ${circuit.reason}` : ''}`)
    if (!circuit.canExecute) return end('halted', 'circuit_breaker_open', 'stagnation_detected')
    await ralph.progressReporter({
      action: 'update',
      loopCount: loop,
      ...(analysis?.isError
        ? { status: 'error', lastAction: 'failed' }
        : { status: 'success', lastAction: 'completed' }),
      loopDurationSeconds: (Date.now() - started) / 1000,
      loopSucceeded: analysis?.isError !== true,
      loopCalls: 1,
    })
    if (analysis?.isError) await pause(PAUSE_AFTER_FAILURE_SECONDS, 'Claude reported an error')
  }
  return end('stopped', 'loop_limit', `${maxLoops} loops`)
}

/** One query: what to analyze of it, or why it failed before there was a result. */
async function ask(options: RalphLoopOptions, ralph: RalphTools, sessionId: string | undefined) {
  const abortController = new AbortController()
  const abort = () => abortController.abort()
  options.signal?.addEventListener('abort', abort)
  // The result speaks for the loop; before it, only a refusal by the plan's own limit matters.
  const lines: string[] = []
  let hasResult = false
  try {
    const messages = query({
      prompt: await readPrompt(options.projectDir),
      options: {
        cwd: options.projectDir,
        permissionMode: 'acceptEdits',
        allowedTools: ['mcp__ralph', 'Read', 'Glob', 'Grep', 'Edit', 'Write', 'Bash(git *)', 'Bash(npm *)'],
        ...options.query,
        // A server serves one query, so each gets a new one; the tools behind it stay the same.
        mcpServers: { ...options.query?.mcpServers, ralph: createRalphServer({ ralph, access: 'worker' }) },
        ...(sessionId !== undefined && { resume: sessionId }),
        abortController,
      },
    })
    for await (const message of messages) {
      options.onMessage?.(message)
      if (message.type === 'result' || message.type === 'rate_limit_event') lines.push(JSON.stringify(message))
      hasResult ||= message.type === 'result'
    }
  } catch (error) {
    // The stream also throws after a result that is an error; then the result says more.
    if (!hasResult) return { failure: error instanceof Error ? error.message : String(error) }
  } finally {
    options.signal?.removeEventListener('abort', abort)
  }
  return hasResult ? { output: lines.join('\n') } : { failure: 'the query ended without a result' }
}

/** The loop's prompt, where either generation of Ralph keeps it. */
async function readPrompt(projectDir: string): Promise<string> {
  const path = ['.ralph/PROMPT.md', 'PROMPT.md'].map((name) => join(projectDir, name)).find((file) => existsSync(file))
  if (path === undefined)
    throw new Error(`no PROMPT.md in ${projectDir} or its .ralph folder: write what Claude should do`)
  return readFile(path, 'utf8')
}
