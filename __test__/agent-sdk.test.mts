// What a model sees of the tools, and what its calls come back with: through a real MCP client.

import { RalphTools } from 'ralph-sdk-tools'
import { createRalphServer, listRalphTools, RALPH_TOOL_NAMES, registerRalphTools } from 'ralph-sdk-tools/agent-sdk'
import { describe, expect, test, vi } from 'vitest'
import { callTool, connect } from './support/mcp.mts'
import { project, read } from './support/project.mts'

const LEVELS = ['read', 'worker', 'full'] as const

describe.each(LEVELS)('access %s', (access) => {
  test('the list on the wire is what listRalphTools says', async () => {
    const client = await connect({ projectDir: project(), access })
    const { tools } = await client.listTools()
    const listed = listRalphTools({ access })
    expect(tools.map(({ name }) => name)).toEqual(listed.map(({ name }) => name))
    for (const [index, tool] of tools.entries()) {
      const { $schema: _, ...schema } = tool.inputSchema as Record<string, unknown>
      expect(schema).toEqual(listed[index]?.inputSchema)
      expect(tool.description).toBe(listed[index]?.description)
      expect(tool._meta).toMatchObject({ 'anthropic/alwaysLoad': true })
    }
  })

  test('schemas are flat, and every field is described', () => {
    for (const { inputSchema, actions, description } of listRalphTools({ access })) {
      expect(inputSchema.required).toEqual(['action'])
      expect(inputSchema.properties.action.enum).toEqual(actions)
      expect(description.length).toBeLessThan(600)
      for (const property of Object.values(inputSchema.properties)) {
        expect(property.description.length).toBeGreaterThan(5)
        expect(property).not.toHaveProperty('properties')
      }
    }
  })

  test('what only reads says so', async () => {
    const client = await connect({ projectDir: project(), access })
    for (const { annotations } of (await client.listTools()).tools) {
      expect(annotations).toMatchObject({ openWorldHint: false })
      if (access === 'read') {
        expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true })
      }
    }
  })

  test('what counts or appends again says so', async () => {
    const { tools } = await (await connect({ projectDir: project(), access })).listTools()
    const repeatable = tools.filter(({ annotations }) => !annotations?.idempotentHint).map(({ name }) => name)
    const cumulative = {
      read: [],
      worker: ['task_planner', 'progress_reporter'],
      full: ['rate_limit', 'exit_detection', 'circuit_breaker', 'task_planner', 'progress_reporter'],
    }
    expect(repeatable).toEqual(cumulative[access])
  })
})

test('all definitions together are under 8 000 characters', () => {
  const size = JSON.stringify(
    listRalphTools().map(({ qualifiedName, description, inputSchema }) => ({
      qualifiedName,
      description,
      inputSchema,
    })),
  ).length
  expect(size).toBeLessThan(8000)
})

test('the names by which a model calls them', () => {
  expect(RALPH_TOOL_NAMES).toContain('mcp__ralph__rate_limit')
  expect(listRalphTools().map(({ qualifiedName }) => qualifiedName)).toEqual(RALPH_TOOL_NAMES)
  expect(listRalphTools({ access: 'read' }).map(({ qualifiedName }) => qualifiedName)).toEqual(RALPH_TOOL_NAMES)
})

test('worker: no reset, no counting; of progress_reporter the message alone', () => {
  const tools = new Map(listRalphTools({ access: 'worker' }).map((tool) => [tool.name, tool]))
  expect(tools.get('rate_limit')?.actions).toEqual(['check', 'status'])
  for (const { actions } of tools.values()) expect(actions).not.toContain('reset')
  expect(tools.get('task_planner')?.actions ?? ['update']).toContain('update')
  const { action: _, ...fields } = tools.get('progress_reporter')?.inputSchema.properties ?? { message: true }
  expect(Object.keys(fields)).toEqual(['message'])
})

test.each(['admin', '', 'FULL', null, 1])('access %j is INVALID_INPUT', (access) => {
  const options = { projectDir: project(), access: access as never }
  for (const make of [createRalphServer, registerRalphTools, listRalphTools]) {
    expect(() => make(options)).toThrow(expect.objectContaining({ name: 'RalphToolError', code: 'INVALID_INPUT' }))
  }
})

describe('a call', () => {
  test('answers one compact JSON text', async () => {
    const client = await connect({ projectDir: project(), maxCallsPerHour: 3 })
    const { text, isError } = await callTool(client, 'rate_limit', { action: 'increment', calls: 2 })
    expect(isError).toBe(false)
    expect(JSON.parse(text)).toMatchObject({ admitted: true, currentCount: 2, maxCalls: 3, remainingCapacity: 1 })
    expect(text).toBe(JSON.stringify(JSON.parse(text)))
  })

  test.each([
    [{}, /action/],
    [{ action: null }, /action/],
    [{ action: 'explode' }, /check/],
    [{ action: 'increment', calls: -1 }, /calls/],
    [{ action: 'increment', calls: '1x' }, /calls/],
    [{ action: 'increment', calls: null }, /calls/],
    [{ action: 'increment', number: 1 }, /number.*use.*calls/],
  ])('%j is an error that names the next step', async (input, names) => {
    const client = await connect({ projectDir: project() })
    const { text, isError } = await callTool(client, 'rate_limit', input)
    expect(isError).toBe(true)
    expect(text).toMatch(/^INVALID_INPUT: /)
    expect(text).toMatch(names)
  })

  test('what was not offered is refused, and changes nothing', async () => {
    const folder = project({ '.ralph/.call_count': '7\n' })
    const client = await connect({ projectDir: folder, access: 'worker' })
    for (const input of [{ action: 'reset' }, { action: 'increment' }, { action: 'check', calls: 1 }]) {
      const { text, isError } = await callTool(client, 'rate_limit', input)
      expect(isError).toBe(true)
      expect(text).toMatch(/^INVALID_INPUT: rate_limit has no .* at access 'worker': use /)
    }
    expect(read(folder, '.ralph/.call_count')).toBe('7\n')
  })

  test('is logged on stderr at debug level alone', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    try {
      const quiet = await connect({ projectDir: project() })
      await callTool(quiet, 'rate_limit', { action: 'check' })
      expect(written).not.toHaveBeenCalled()
      const client = await connect({ projectDir: project(), logLevel: 'debug' })
      await callTool(client, 'rate_limit', { action: 'check' })
      await callTool(client, 'rate_limit', { action: 'nothing\nof this' })
      const lines = written.mock.calls.map(([line]) => String(line))
      expect(lines[0]).toMatch(/^\[ralph-sdk-tools\] rate_limit check ok \d+\.\d ms\n$/)
      expect(lines[1]).toMatch(/^\[ralph-sdk-tools\] rate_limit nothing\\nof this INVALID_INPUT \d+\.\d ms\n$/)
    } finally {
      written.mockRestore()
    }
  })
})

test('each server is a new one; the tools behind them may be shared', async () => {
  const ralph = new RalphTools({ projectDir: project() })
  expect(createRalphServer({ ralph }).instance).not.toBe(createRalphServer({ ralph }).instance)
  const [first, second] = [await connect({ ralph }), await connect({ ralph })]
  await callTool(first, 'rate_limit', { action: 'increment' })
  const { text } = await callTool(second, 'rate_limit', { action: 'check' })
  expect(JSON.parse(text).currentCount).toBe(1)
})

test('a bad project is an error at once', () => {
  expect(() => createRalphServer({ projectDir: '/does/not/exist' })).toThrow(
    expect.objectContaining({ code: 'INVALID_PROJECT' }),
  )
})

test('registered on a server of the caller’s own, under its options', async () => {
  const definitions = registerRalphTools({ projectDir: project(), access: 'read' })
  expect(definitions.map(({ name }) => `mcp__ralph__${name}`)).toEqual(RALPH_TOOL_NAMES)
  const result = await definitions[0]?.handler({ action: 'check' } as never, {})
  expect(result?.content).toHaveLength(1)
})
