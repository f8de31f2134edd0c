// Everything that the status screen shows, from the tools' reading actions and the ends of two logs. Writes nothing.

import { existsSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { RalphToolError, type RalphTools, type RalphToolsOptions } from '../../index.js'

/** What a method of `RalphTools` answers. */
type Answer<Method extends keyof RalphTools> = Awaited<ReturnType<RalphTools[Method]>>

/** The tasks under one heading. */
export interface SectionProgress {
  name: string
  completed: number
  total: number
  optional: boolean
}

/** One line of `metrics.jsonl`. */
export interface LoopRecord {
  timestamp: string
  loop: number
  /** In seconds. */
  duration: number
  success: boolean
  calls: number
}

/** The state of a project at one moment. A part whose tool failed is missing, and `errors` says why. */
export interface Snapshot {
  project: string
  takenAt: string
  rateLimit?: Answer<'rateLimit'>
  circuitBreaker?: Answer<'circuitBreaker'>
  exitDetection?: Answer<'exitDetection'>
  plan?: Omit<Answer<'taskPlanner'>, 'tasks'>
  sections: SectionProgress[]
  report?: Answer<'progressReporter'>
  /** The newest first. */
  loops: LoopRecord[]
  /** The last lines of the log, the newest last. */
  log: string[]
  warnings: string[]
  errors: string[]
}

const SHOWN_LOOPS = 10
const SHOWN_LOG_LINES = 30
/** As much of a log's end as is read. */
const TAIL_BYTES = 64 * 1024

/** Asks every tool, each on its own: what one cannot answer does not hide the others. */
export async function takeSnapshot(ralph: RalphTools, projectDir: string): Promise<Snapshot> {
  const project = resolve(projectDir)
  const errors = new Set<string>()
  const warnings = new Set<string>()
  const ask = async <T extends { warnings?: string[] }>(call: () => Promise<T>): Promise<T | undefined> => {
    try {
      const output = await call()
      for (const warning of output.warnings ?? []) warnings.add(warning)
      return output
    } catch (error) {
      errors.add(error instanceof RalphToolError ? `${error.code}: ${error.message}` : String(error))
      return undefined
    }
  }

  const rateLimit = await ask(() => ralph.rateLimit({ action: 'status' }))
  const circuitBreaker = await ask(() => ralph.circuitBreaker({ action: 'status' }))
  const exitDetection = await ask(() => ralph.exitDetection({ action: 'check' }))
  const read = await ask(() => ralph.taskPlanner({ action: 'read' }))
  const report = await ask(() => ralph.progressReporter({ action: 'read' }))

  const logs = join(stateDirectory(project), 'logs')
  const { tasks = [], ...plan } = read ?? {}
  return {
    project,
    takenAt: new Date().toISOString(),
    ...(rateLimit && { rateLimit }),
    ...(circuitBreaker && { circuitBreaker }),
    ...(exitDetection && { exitDetection }),
    ...(read && { plan: plan as Omit<Answer<'taskPlanner'>, 'tasks'> }),
    sections: bySection(tasks),
    ...(report && { report }),
    loops: (await lastLines(join(logs, 'metrics.jsonl'))).flatMap(loopRecord).slice(-SHOWN_LOOPS).reverse(),
    log: (await lastLines(join(logs, 'ralph.log'))).slice(-SHOWN_LOG_LINES),
    warnings: [...warnings],
    errors: [...errors],
  }
}

function stateDirectory(project: string): string {
  const ralph = join(project, '.ralph')
  return existsSync(ralph) ? ralph : project
}

/** The limits that the last loop wrote into `status.json`; none where it did not, or wrote nonsense. */
export async function limitsOfLastLoop(
  projectDir: string,
): Promise<Pick<RalphToolsOptions, 'maxCallsPerHour' | 'maxTokensPerHour'>> {
  try {
    const status = JSON.parse(await readFile(join(stateDirectory(projectDir), 'status.json'), 'utf8'))
    const calls = status?.max_calls_per_hour
    const tokens = status?.max_tokens_per_hour
    return {
      ...(isLimit(calls) && { maxCallsPerHour: calls }),
      ...(isLimit(tokens) && { maxTokensPerHour: tokens }),
    }
  } catch {
    return {}
  }
}

function isLimit(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Sections in the order of the plan; tasks under headings of the same name count together. */
function bySection(tasks: Answer<'taskPlanner'>['tasks']): SectionProgress[] {
  const sections = new Map<string, SectionProgress>()
  for (const task of tasks) {
    const fresh = { name: task.section, completed: 0, total: 0, optional: task.optional }
    const section = sections.get(task.section) ?? fresh
    section.total += 1
    if (task.completed) section.completed += 1
    sections.set(task.section, section)
  }
  return [...sections.values()]
}

function loopRecord(line: string): LoopRecord[] {
  try {
    const { timestamp, loop, duration, success, calls } = JSON.parse(line)
    if (typeof loop !== 'number' || typeof duration !== 'number' || typeof success !== 'boolean') return []
    return [{ timestamp: String(timestamp), loop, duration, success, calls: typeof calls === 'number' ? calls : 0 }]
  } catch {
    return []
  }
}

/** The whole lines at the end of a file; none where it is missing or unreadable. */
async function lastLines(path: string): Promise<string[]> {
  try {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      const start = Math.max(0, size - TAIL_BYTES)
      const buffer = Buffer.alloc(size - start)
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
      const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
      return (start > 0 ? lines.slice(1) : lines).filter((line) => line.trim() !== '')
    } finally {
      await file.close()
    }
  } catch {
    return []
  }
}
