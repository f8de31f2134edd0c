import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { RalphTools, toolDefinitions } from '../../index.js'
import { folder, root } from './support.mts'

test('numbers are JavaScript numbers, above 2^32 as well', async () => {
  const ralph = new RalphTools({ projectDir: folder(), maxTokensPerHour: Number.MAX_SAFE_INTEGER })
  const tokens = 1_000_000_000
  for (let sum = 0; sum < 5; sum += 1) await ralph.rateLimit({ action: 'increment', calls: 0, tokens })
  const answer = await ralph.rateLimit({ action: 'check' })
  expect(answer).toMatchObject({ tokensUsed: 5 * tokens, maxTokens: Number.MAX_SAFE_INTEGER })
})

test('process.env counts as it is when the instance is made', async () => {
  const projectDir = folder()
  const before = new RalphTools({ projectDir })
  process.env['MAX_CALLS_PER_HOUR'] = '7'
  try {
    const after = new RalphTools({ projectDir })
    process.env['MAX_CALLS_PER_HOUR'] = '8'
    expect(await before.rateLimit({ action: 'check' })).toMatchObject({ maxCalls: 100 })
    expect(await after.rateLimit({ action: 'check' })).toMatchObject({ maxCalls: 7 })
  } finally {
    delete process.env['MAX_CALLS_PER_HOUR']
  }
})

test("a worker thread's own environment counts in it", async () => {
  const script = `
    const { parentPort, workerData } = require('node:worker_threads')
    const { RalphTools } = require(workerData.root)
    new RalphTools({ projectDir: workerData.folder }).rateLimit({ action: 'check' })
      .then(({ maxCalls }) => parentPort.postMessage(maxCalls))`
  const env = { ...process.env, MAX_CALLS_PER_HOUR: '9' }
  const worker = new Worker(script, { eval: true, env, workerData: { root, folder: folder() } })
  const answer = await new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  expect(answer).toBe(9)
})

test('a clock that is stopped in one thread runs on in the others', async () => {
  // Tests of this package stop it, and their files run in threads of one process.
  const script = `
    const { parentPort, workerData } = require('node:worker_threads')
    require(workerData + '/native.js').__freezeClock(Date.UTC(2001, 1, 3, 4, 30))
    const { RalphTools } = require(workerData)
    parentPort.on('message', (projectDir) =>
      new RalphTools({ projectDir }).rateLimit({ action: 'check' }).then(({ nextReset }) => parentPort.postMessage(nextReset)))`
  const worker = new Worker(script, { eval: true, workerData: root })
  const projectDir = folder()
  const frozen = await new Promise<string>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject)
    worker.postMessage(projectDir)
  })
  const { nextReset } = await new RalphTools({ projectDir }).rateLimit({ action: 'check' })
  await worker.terminate()
  expect(frozen).toMatch(/^2001-02-0/)
  expect(Date.parse(nextReset)).toBeGreaterThan(Date.UTC(2020))
})

test('a definition is data: every tool has its method, actions and fields', () => {
  const definitions = toolDefinitions()
  expect(definitions.length).toBeGreaterThan(0)
  for (const { name, method, description, actions, fields } of definitions) {
    expect(RalphTools.prototype[method], name).toBeTypeOf('function')
    expect(description.length, name).toBeLessThan(600)
    expect(actions.length, name).toBeGreaterThan(0)
    for (const field of fields) {
      expect(field.doc, `${name}.${field.name}`).not.toBe('')
      for (const action of field.actions) expect(actions.map((each) => each.name)).toContain(action)
    }
  }
  expect(toolDefinitions()[0]).not.toBe(definitions[0])
})
