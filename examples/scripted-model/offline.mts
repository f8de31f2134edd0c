// Options that let the Agent SDK run its own Claude Code binary without a network, away from the user's own settings.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Options } from '@anthropic-ai/claude-agent-sdk'

/** A scratch home for Claude Code, and the options that make it talk to `url`. */
export interface Offline {
  readonly options: Options
  readonly env: Record<string, string>
  /** Removes the scratch home. */
  dispose(): Promise<void>
}

/** Prepares a scratch home and the options for it. */
export async function offline(url: string): Promise<Offline> {
  const home = await mkdtemp(join(tmpdir(), 'ralph-offline-'))
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TMPDIR: home,
    CLAUDE_CONFIG_DIR: join(home, 'config'),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
  }
  return {
    env,
    options: { env, model: 'claude-sonnet-4-5', strictMcpConfig: true, settingSources: [], permissionMode: 'dontAsk' },
    dispose: () => rm(home, { recursive: true, force: true, maxRetries: 3 }),
  }
}
