// The Claude Code that the Agent SDK brings along.

import { createRequire } from 'node:module'

/** Its binary for this platform. */
export function claudeBinary(): string {
  const resolve = createRequire(createRequire(import.meta.url).resolve('@anthropic-ai/claude-agent-sdk')).resolve
  const base = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`
  for (const name of [`${base}/claude`, `${base}-musl/claude`, `${base}/claude.exe`]) {
    try {
      return resolve(name)
    } catch {
      // Another platform's.
    }
  }
  throw new Error(`the Agent SDK has no binary for ${process.platform}-${process.arch}`)
}
