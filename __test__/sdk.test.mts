// The real Agent SDK with its own Claude Code process, against a scripted model: what reaches the model, and what comes back.

import { query } from '@anthropic-ai/claude-agent-sdk'
import { createRalphServer, listRalphTools, type RalphServerOptions } from 'ralph-sdk-tools/agent-sdk'
import { expect, onTestFinished, test } from 'vitest'
import { offline } from '../examples/scripted-model/offline.mts'
import { startScriptedModel } from '../examples/scripted-model/server.mts'
import { lastToolAnswers, type ModelRequest, type ToolAnswer } from '../examples/scripted-model/turns.mts'
import { project, read } from './support/project.mts'

interface Call {
  tool: string
  input: Record<string, unknown>
}

/** One query in which the model makes these calls, each in a turn of its own. */
async function converse(
  options: RalphServerOptions,
  calls: Call[],
): Promise<{ answers: ToolAnswer[]; first: ModelRequest }> {
  const answers: ToolAnswer[] = []
  const model = await startScriptedModel([
    ...calls.map(({ tool, input }) => (request: ModelRequest) => {
      answers.push(...lastToolAnswers(request))
      return { calls: [{ name: `mcp__ralph__${tool}`, input }] }
    }),
    (request) => {
      answers.push(...lastToolAnswers(request))
      return { text: 'Done.' }
    },
  ])
  const claude = await offline(model.url)
  onTestFinished(async () => {
    await model.close()
    await claude.dispose()
  })
  const messages = query({
    prompt: 'Go.',
    options: {
      ...claude.options,
      ...(options.projectDir !== undefined && { cwd: options.projectDir }),
      tools: [],
      allowedTools: ['mcp__ralph'],
      persistSession: false,
      mcpServers: { ralph: createRalphServer(options) },
    },
  })
  for await (const message of messages) {
    if (message.type === 'result') expect(message).toMatchObject({ subtype: 'success', result: 'Done.' })
  }
  expect(model.remaining).toBe(0)
  return { answers, first: model.requests[0] as ModelRequest }
}

test.each(['read', 'worker', 'full'] as const)(
  'the request that reaches the model lists the tools of access %s',
  async (access) => {
    const { first } = await converse({ projectDir: project(), access }, [
      { tool: 'rate_limit', input: { action: 'check' } },
    ])
    const listed = listRalphTools({ access })
    expect(JSON.stringify(first.tools).length, 'what every request pays for the tools').toBeLessThan(8000)
    expect(first.tools?.map(({ name }) => name).sort()).toEqual(listed.map(({ qualifiedName }) => qualifiedName).sort())
    for (const { qualifiedName, description, inputSchema } of listed) {
      const tool = first.tools?.find(({ name }) => name === qualifiedName)
      expect(tool?.description).toBe(description)
      expect(tool?.input_schema).toMatchObject(inputSchema)
    }
  },
)

test('calls count on disk; errors come back as the contract says', async () => {
  const folder = project()
  const { answers } = await converse({ projectDir: folder, maxCallsPerHour: 2 }, [
    { tool: 'rate_limit', input: { action: 'check' } },
    { tool: 'rate_limit', input: { action: 'increment', calls: 2 } },
    { tool: 'rate_limit', input: { action: 'increment' } },
    { tool: 'rate_limit', input: { action: 'increment', calls: 1.5 } },
  ])
  const [check, counted, refused, wrong] = answers
  expect(JSON.parse(check?.text ?? '')).toMatchObject({ canMakeCall: true, currentCount: 0 })
  expect(JSON.parse(counted?.text ?? '')).toMatchObject({ admitted: true, currentCount: 2, remainingCapacity: 0 })
  expect(JSON.parse(refused?.text ?? '')).toMatchObject({ admitted: false, canMakeCall: false, limitedBy: 'calls' })
  expect(wrong).toMatchObject({ isError: true, text: expect.stringMatching(/^INVALID_INPUT: rate_limit: calls/) })
  expect(read(folder, '.ralph/.call_count').trim()).toBe('2')
})

test('a worker cannot reset the guard', async () => {
  const folder = project({ '.ralph/.call_count': '5\n' })
  const { answers } = await converse({ projectDir: folder, access: 'worker' }, [
    { tool: 'rate_limit', input: { action: 'reset' } },
  ])
  expect(answers[0]).toMatchObject({ isError: true, text: expect.stringMatching(/^INVALID_INPUT: .*worker/) })
  expect(read(folder, '.ralph/.call_count')).toBe('5\n')
})

test('a plan is read, and ticked by one byte', async () => {
  const text = '# Plan\r\n\r\n- [ ] [a-1] First\r\n- [ ] [a-2] Second'
  const folder = project({ '.ralph/fix_plan.md': text })
  const { answers } = await converse({ projectDir: folder, access: 'worker' }, [
    { tool: 'task_planner', input: { action: 'read', filter: 'pending' } },
    { tool: 'task_planner', input: { action: 'update', taskId: 'a-3' } },
    { tool: 'task_planner', input: { action: 'update', taskId: 'a-2' } },
  ])
  const [listed, unknown, ticked] = answers
  expect(JSON.parse(listed?.text ?? '').tasks.map(({ id }: { id: string }) => id)).toEqual(['a-1', 'a-2'])
  expect(unknown).toMatchObject({ isError: true, text: expect.stringMatching(/^TASK_NOT_FOUND: .*a-/) })
  expect(JSON.parse(ticked?.text ?? '')).toMatchObject({ completedTasks: 1, tasks: [{ id: 'a-2', completed: true }] })
  expect(read(folder, '.ralph/fix_plan.md')).toBe(text.replace('[ ] [a-2]', '[x] [a-2]'))
})
