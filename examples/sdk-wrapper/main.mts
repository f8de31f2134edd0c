// The demonstration, `npm start`: the loop on a sample project, with the real Agent SDK and its own Claude Code binary,
// against a scripted model. `npm start -- --live` runs it against the real one, `--project DIR` on a project of yours.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Options, SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import { type Ending, runRalph } from 'ralph-sdk-tools/loop'
import { offline } from '../scripted-model/offline.mjs'
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.mjs'
import type { ScriptedTurn } from '../scripted-model/turns.mjs'
import { changes, readDisk } from './disk.mjs'
import { makeSampleProject } from './sample-project.mjs'
import * as screen from './screen.mjs'
import { stallingStory, workingStory } from './stories.mjs'

const { values } = parseArgs({ options: { live: { type: 'boolean' }, project: { type: 'string' } } })
const interrupt = new AbortController()
process.once('SIGINT', () => interrupt.abort())
process.once('SIGTERM', () => interrupt.abort())

// What keeps a run from beginning (no such project, no PROMPT.md) is one line, not a stack.
process.exitCode = await (values.live ? live(values.project) : demonstrate()).catch((error: Error) =>
  fail(error.message),
)

/** Two short stories, each on a project of its own. */
async function demonstrate(): Promise<number> {
  if (values.project !== undefined) return fail('--project needs --live: the scripted model only knows its own sample')
  screen.line('The real Claude Agent SDK and its Claude Code process, offline: a scripted model stands in for Claude.')
  const first = makeSampleProject()
  const worked = await story('A plan is worked off', first, workingStory(first), 'plan_complete')
  if (!worked || interrupt.signal.aborted) return 1
  const stalled = await story(
    'A loop that stalls trips the breaker',
    makeSampleProject(),
    stallingStory(),
    'stagnation_detected',
  )
  screen.heading('What the files of the first project look like')
  for (const name of ['fix_plan.md', 'status.json', 'logs/ralph.log', 'logs/metrics.jsonl']) {
    screen.file(`.ralph/${name}`, readFileSync(join(first, '.ralph', name), 'utf8'))
  }
  screen.line(`\nThe project is kept. Look at it with:\n  npx -y ralph-sdk-tools status --project ${first}`)
  return stalled ? 0 : 1
}

async function story(title: string, project: string, script: ScriptedTurn[], expected: string): Promise<boolean> {
  screen.heading(title)
  const model = await startScriptedModel(script)
  const claude = await offline(model.url)
  try {
    const ending = await run(project, { ...claude.options, tools: ['Write'], allowedTools: ['mcp__ralph', 'Write'] })
    const good = ending.exitReason === expected && model.remaining === 0
    summary(good, project, ending, model)
    return good
  } finally {
    await claude.dispose()
    await model.close()
  }
}

/** The same loop with the real model, on a project of the caller's own or the sample. */
async function live(project: string | undefined): Promise<number> {
  if (!process.env['ANTHROPIC_API_KEY']) return fail('--live needs ANTHROPIC_API_KEY in the environment')
  const folder = project ?? makeSampleProject()
  if (!existsSync(folder)) return fail(`${folder} does not exist: name the folder of a project`)
  screen.heading(`Live, in ${folder}`)
  const ending = await run(folder, undefined, 10)
  summary(ending.status === 'completed', folder, ending)
  return ending.status === 'completed' ? 0 : 1
}

/** Runs the loop and prints it as it goes; after each loop also what it changed on disk. */
async function run(projectDir: string, query?: Options, maxLoops?: number): Promise<Ending> {
  let before = readDisk(projectDir)
  const showDisk = () => {
    const after = readDisk(projectDir)
    screen.disk(changes(before, after))
    before = after
  }
  const ending = await runRalph({
    projectDir,
    query,
    maxLoops,
    signal: interrupt.signal,
    onLoop: (loop) => screen.subheading(`Loop ${loop}`),
    onMessage: (message: SDKMessage) => {
      // The first message of a query is also the first moment to see what the loop itself has written.
      if (message.type === 'system' && message.subtype === 'init') showDisk()
      screen.message(message)
    },
    onNote: (text) => {
      screen.note(text)
      showDisk()
    },
  })
  showDisk()
  return ending
}

function summary(good: boolean, project: string, ending: Ending, model?: ScriptedModel): void {
  const { status, lastAction, exitReason, loops } = ending
  screen.outcome(good, `${status} / ${lastAction}${exitReason ? ` (${exitReason})` : ''} after ${loops} loops`)
  const tools = model?.requests[0]?.tools?.map(({ name }) => name).filter((name) => name.startsWith('mcp__ralph__'))
  if (tools) screen.line(`  ${model?.requests.length} requests reached the model; each listed ${tools.join(', ')}`)
  screen.line(`  project: ${project}`)
}

function fail(reason: string): number {
  process.stderr.write(`${reason}\n`)
  return 2
}
