// The commands that are one or two calls of the tools.

import { readFileSync } from 'node:fs'
import { RalphTools, type TaskPlannerToolOutput } from '../../index.js'
import { DEFINITIONS } from '../definitions.mjs'
import { type Call, EXIT } from './commands.mjs'
import { UsageError } from './options.mjs'
import { printJson, printLine, say } from './output.mjs'
import { projectOption } from './project.mjs'

/** Shows the next open task. */
export async function next(call: Call): Promise<number> {
  const plan = warned(await open(call).taskPlanner({ action: 'progress' }))
  const { nextTask, completedTasks, totalTasks } = plan
  if (call.options.json) printJson(nextTask ?? null)
  else if (nextTask) {
    printLine(`${nextTask.id}  ${nextTask.description}`)
    if (nextTask.section) printLine(`under ${nextTask.section}, line ${nextTask.line}`)
  } else say(totalTasks > 0 ? `no task is open: ${completedTasks} of ${totalTasks} are done` : 'the plan has no task')
  return EXIT.done
}

/** Ticks a task, or makes it open again. */
export async function tick(call: Call): Promise<number> {
  const [taskId = ''] = call.words
  const completed = !call.options.undo
  const plan = warned(await open(call).taskPlanner({ action: 'update', taskId, completed }))
  if (call.options.json) printJson(plan)
  else printTicked(plan, completed)
  return EXIT.done
}

function printTicked({ tasks, completedTasks, totalTasks, nextTask }: TaskPlannerToolOutput, completed: boolean): void {
  for (const { id, description } of tasks) printLine(`${completed ? 'done' : 'open'}: ${id}  ${description}`)
  const then = nextTask ? `next: ${nextTask.id}  ${nextTask.description}` : 'nothing is open'
  printLine(`${completedTasks} of ${totalTasks} done; ${then}`)
}

/** Closes the circuit. */
export async function resetCircuit(call: Call): Promise<number> {
  const answer = warned(await open(call).circuitBreaker({ action: 'reset', reason: 'reset on the command line' }))
  if (call.options.json) printJson(answer)
  else printLine(`the circuit is ${answer.state}`)
  return EXIT.done
}

/** Begins afresh. */
export async function reset(call: Call): Promise<number> {
  const ralph = open(call)
  const circuitBreaker = warned(await ralph.circuitBreaker({ action: 'reset', reason: 'reset on the command line' }))
  const exitDetection = warned(await ralph.exitDetection({ action: 'reset' }))
  if (call.options.json) printJson({ circuitBreaker, exitDetection })
  else printLine(`the circuit is ${circuitBreaker.state}; exit signals and session are forgotten`)
  return EXIT.done
}

/** Calls any tool. */
export async function callTool(call: Call): Promise<number> {
  const [name = '', json] = call.words
  const definition = DEFINITIONS.find((tool) => tool.name === name || tool.method === name)
  if (!definition) {
    const known = DEFINITIONS.map((tool) => tool.name).join(', ')
    throw new UsageError(`there is no tool ${JSON.stringify(name)}; there are ${known}`)
  }
  const ralph = open(call)
  const method = (ralph as unknown as Record<string, (input: unknown) => Promise<object>>)[definition.method]
  printJson(await method?.call(ralph, inputOf(json)))
  return EXIT.done
}

function inputOf(json: string | undefined): unknown {
  if (json === undefined) return {}
  const text = json === '-' ? readFileSync(0, 'utf8') : json
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`the input is no JSON: ${(error as Error).message}`)
  }
}

function open({ options }: Call): RalphTools {
  return new RalphTools(projectOption(options.project))
}

/** Says the warnings of an answer. */
function warned<Answer extends { warnings?: string[] }>(answer: Answer): Answer {
  for (const warning of answer.warnings ?? []) say(warning)
  return answer
}
