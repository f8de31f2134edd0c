// What the scripted model says in the demonstration. It answers to what the tools told it, as a real one would.

import { join } from 'node:path'
import { lastToolAnswers, type ModelRequest, type ScriptedTurn, type ToolCall } from '../scripted-model/turns.mjs'

const ralph = (tool: string, input: Record<string, unknown>): ToolCall => ({ name: `mcp__ralph__${tool}`, input })
const write = (file: string, content: string): ToolCall => ({ name: 'Write', input: { file_path: file, content } })

function statusBlock(fields: Record<string, string | number | boolean>): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${value}`)
  return ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n')
}

interface Plan {
  tasks: { id: string; description: string; optional: boolean }[]
}

/** The first pending task that blocks, in the list that the model was just given; its description has `word` in it. */
function pendingTask(request: ModelRequest, word: string): string {
  for (const { text, isError } of lastToolAnswers(request)) {
    if (isError || !text.includes('"tasks"')) continue
    const task = (JSON.parse(text) as Plan).tasks.find(({ description }) => description.includes(word))
    if (task) return task.id
  }
  throw new Error(`the list shows no task about ${word}`)
}

/** A run that works off a plan: two loops, then every task that blocks is done. */
export function workingStory(project: string): ScriptedTurn[] {
  let readme = ''
  return [
    {
      text: 'Limits and tasks first.',
      calls: [ralph('rate_limit', { action: 'check' }), ralph('task_planner', { action: 'read', filter: 'pending' })],
    },
    (request) => {
      pendingTask(request, 'greet.mjs')
      return {
        text: 'There is room, and greet-2 comes first.',
        calls: [write(join(project, 'greet.mjs'), "export const greet = (name) => 'Hello, ' + name + '!'\n")],
      }
    },
    { text: 'Done; I tick it, from memory.', calls: [ralph('task_planner', { action: 'update', taskId: 'great-2' })] },
    { text: 'The error names the right id.', calls: [ralph('task_planner', { action: 'update', taskId: 'greet-2' })] },
    { calls: [ralph('progress_reporter', { action: 'update', message: 'greet.mjs is written' })] },
    {
      text: `greet.mjs is written; its test is next.\n\n${statusBlock({ STATUS: 'IN_PROGRESS', TASKS_COMPLETED_THIS_LOOP: 1, FILES_MODIFIED: 1, TESTS_STATUS: 'NOT_RUN', WORK_TYPE: 'IMPLEMENTATION', EXIT_SIGNAL: false, RECOMMENDATION: 'Test greet' })}`,
    },

    { text: 'What is left?', calls: [ralph('task_planner', { action: 'read', filter: 'pending' })] },
    (request) => {
      readme = pendingTask(request, 'README')
      return {
        text: 'The test and the README; the rest is optional.',
        calls: [
          write(
            join(project, 'greet.test.mjs'),
            "import assert from 'node:assert'\nimport test from 'node:test'\nimport { greet } from './greet.mjs'\n\ntest('greets', () => assert.equal(greet('Ralph'), 'Hello, Ralph!'))\n",
          ),
          ralph('task_planner', { action: 'update', taskId: 'greet-3' }),
        ],
      }
    },
    () => ({
      calls: [
        write(join(project, 'README.md'), '# Greeter\n\n    node --test\n'),
        ralph('task_planner', { action: 'update', taskId: readme }),
      ],
    }),
    { calls: [ralph('task_planner', { action: 'progress' })] },
    {
      text: `Everything that blocks is done.\n\n${statusBlock({ STATUS: 'COMPLETE', TASKS_COMPLETED_THIS_LOOP: 2, FILES_MODIFIED: 2, TESTS_STATUS: 'PASSING', WORK_TYPE: 'DOCUMENTATION', EXIT_SIGNAL: true, RECOMMENDATION: 'None' })}`,
    },
  ]
}

/** A run that only talks: the breaker half-opens after two loops without progress and opens after the third. */
export function stallingStory(): ScriptedTurn[] {
  const block = statusBlock({
    STATUS: 'IN_PROGRESS',
    FILES_MODIFIED: 0,
    WORK_TYPE: 'IMPLEMENTATION',
    EXIT_SIGNAL: false,
  })
  return [
    { text: `I am looking at the code from several sides.\n\n${block}` },
    { text: `The structure deserves more thought.\n\n${block}` },
    {
      text: 'The breaker may be in my way; I try to reset it.',
      calls: [ralph('circuit_breaker', { action: 'reset' })],
    },
    { text: `It is not mine to reset. More thinking, then.\n\n${block}` },
  ]
}
