// Everything that the status screen shows, from the tools' reading actions and the ends of two logs. Writes nothing, and
// opens nothing: files are the core's.

import { RalphToolError, type RalphTools, type RalphToolsOptions } from '../../index.js'

/** What a method of `RalphTools` answers. */
type Answer<Method extends Exclude<keyof RalphTools, 'projectDir'>> = Awaited<ReturnType<RalphTools[Method]>>

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

/** What was last in a project. */
interface Recent extends Pick<RalphToolsOptions, 'maxCallsPerHour' | 'maxTokensPerHour'> {
  loops: LoopRecord[]
  log: string[]
  errors: string[]
}

/** The ends of the logs, and the limits that the last loop wrote into `status.json`. */
export function recent(ralph: RalphTools): Promise<Recent> {
  // For this screen alone, so it is in no declaration.
  return (ralph as unknown as { __recent(): Promise<Recent> }).__recent()
}

/** Asks every tool, each on its own: what one cannot answer does not hide the others. */
export async function takeSnapshot(ralph: RalphTools): Promise<Snapshot> {
  const errors = new Set<string>()
  const warnings = new Set<string>()
  const ask = async <T extends object>(call: () => Promise<T>): Promise<T | undefined> => {
    try {
      const output: T & { warnings?: string[] } = await call()
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

  const last = await ask(() => recent(ralph))
  for (const error of last?.errors ?? []) errors.add(error)
  const { tasks = [], ...plan } = read ?? {}
  return {
    project: ralph.projectDir,
    takenAt: new Date().toISOString(),
    ...(rateLimit && { rateLimit }),
    ...(circuitBreaker && { circuitBreaker }),
    ...(exitDetection && { exitDetection }),
    ...(read && { plan: plan as Omit<Answer<'taskPlanner'>, 'tasks'> }),
    sections: bySection(tasks),
    ...(report && { report }),
    loops: last?.loops ?? [],
    log: last?.log ?? [],
    warnings: [...warnings],
    errors: [...errors],
  }
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
