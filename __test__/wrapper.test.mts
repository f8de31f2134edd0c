// The demonstration, as `npm start` runs it. The loop itself is tested in loop.test.mts.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from './support/project.mts'

describe('npm start', () => {
  const main = (...args: string[]) => {
    const { ANTHROPIC_API_KEY: _, ...env } = process.env
    return spawn(process.execPath, [join(ROOT, 'dist/examples/sdk-wrapper/main.mjs'), ...args], { env })
  }
  const collect = async (child: ReturnType<typeof main>) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.stderr.on('data', (chunk) => {
      text += chunk
    })
    const [code] = await once(child, 'close')
    return { code, text }
  }

  test('tells both stories', async () => {
    const { code, text } = await collect(main())
    for (const [, project] of text.matchAll(/project: (\S+)/g))
      rmSync(project as string, { recursive: true, force: true })
    expect(code, text).toBe(0)
    expect(text).toContain('✔ completed / graceful_exit (plan_complete) after 2 loops')
    expect(text).toContain('✔ halted / circuit_breaker_open (stagnation_detected) after 3 loops')
    expect(text).toMatch(/refused {2}TASK_NOT_FOUND/)
    expect(text).toMatch(/refused {2}INVALID_INPUT: circuit_breaker/)
    expect(text).toMatch(/fix_plan\.md:\d+ {2}\[ \] → \[x\]/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no colour without a terminal.
    expect(text).not.toMatch(/\u001b\[/)
  })

  test('--live without a key says what it needs', async () => {
    expect(await collect(main('--live'))).toEqual({
      code: 2,
      text: '--live needs ANTHROPIC_API_KEY in the environment\n',
    })
  })
})
