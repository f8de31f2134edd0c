// exit_detection analyze through the addon: large outputs, and the SDK's own messages.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project, toolsIn } from './support/project.mts'

test('while large outputs are analyzed, small calls are answered', { timeout: 60_000 }, async () => {
  const folder = project()
  const tools = toolsIn({}, { projectDir: folder })
  const message = JSON.stringify({
    type: 'user',
    message: { content: [{ type: 'tool_result', content: 'a line of a file\n'.repeat(200) }] },
  })
  const outputs = {
    'text.log': 'A line of prose that says little about the work.\n'.repeat(400_000),
    'stream.log': `{"type":"system","subtype":"init","session_id":"s-1"}\n${`${message}\n`.repeat(5_000)}{"type":"result","result":"ok"}\n`,
  }
  for (const [name, text] of Object.entries(outputs)) writeFileSync(join(folder, name), text)
  const names = ['text.log', 'stream.log', 'text.log', 'stream.log']
  let running = names.length
  const analyses = names.map(async (outputFile, index) => {
    const { analysis } = await tools.exitDetection({
      action: 'analyze',
      outputFile,
      loopNumber: index + 1,
      filesChanged: 0,
    })
    running -= 1
    return analysis
  })
  let answered = 0
  while (running > 0) {
    await tools.rateLimit({ action: 'check' })
    if (running > 0) answered += 1
  }
  // One behind the other, not a single check would come back before the first analysis does.
  expect(answered).toBeGreaterThan(2)
  const done = await Promise.all(analyses)
  expect(done.map((analysis) => analysis?.format)).toEqual(['text', 'stream-json', 'text', 'stream-json'])
  expect(done.map((analysis) => analysis?.outputLength)).toEqual(
    names.map((name) => outputs[name as keyof typeof outputs].trimEnd().length),
  )
})

test("the SDK's result message is taken as it is", async () => {
  const tools = toolsIn({}, { projectDir: project() })
  const message = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result:
      'ok\n---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nFILES_MODIFIED: 2\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---',
    session_id: '0b1e6f0a-0000-4000-8000-000000000000',
    usage: { input_tokens: 7, cache_read_input_tokens: 900, output_tokens: 5 },
    modelUsage: { 'claude-a': { inputTokens: 10, outputTokens: 20 }, 'claude-b': { inputTokens: 1, outputTokens: 2 } },
    permission_denials: [],
  }
  const { analysis } = await tools.exitDetection({ action: 'analyze', output: JSON.stringify(message) })
  expect(analysis).toMatchObject({
    loopNumber: 1,
    format: 'json',
    exitSignal: false,
    explicitExitSignal: true,
    hasProgress: true,
    filesModified: 2,
    tokensUsed: 33,
    sessionId: message.session_id,
    truncated: false,
    isError: false,
    hasErrors: false,
    permissionDenialCount: 0,
  })
})

test('a lone surrogate in an output is no reason to fail', async () => {
  const tools = toolsIn({}, { projectDir: project() })
  const { analysis } = await tools.exitDetection({ action: 'analyze', output: 'Summary \ud83d\0 of the work' })
  expect(analysis?.workSummary).toContain('of the work')
})
