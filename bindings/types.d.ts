// Generated from the tools' definitions by `npm run generate`: do not edit.

/** What went wrong, for programs: a code keeps its meaning. */
export type RalphToolErrorCode =
  /**
   * The call or an option is wrong: unknown action, wrong type, a number that is negative, fractional or out of
   * range. Correct the call.
   */
  | 'INVALID_INPUT'
  /** `projectDir` is missing or is no directory. Create it or pass another. */
  | 'INVALID_PROJECT'
  /** There is no plan file to change. Create the file that the message names. */
  | 'PLAN_NOT_FOUND'
  /** No task has this id; the message names the closest ids. Call task_planner `read` for the list. */
  | 'TASK_NOT_FOUND'
  /** Several tasks have this description. Use one of the ids in the message. */
  | 'TASK_AMBIGUOUS'
  /**
   * Another worker has claimed the task; the message says who, and until when. Take another: task_planner `claim`.
   * People may pass `force`.
   */
  | 'TASK_CLAIMED'
  /**
   * The server that `shared` names cannot be used; the message says why, and what to do. Nothing was admitted:
   * wait, and call again.
   */
  | 'SHARED_UNREACHABLE'
  /** There is no output to analyze. Pass `output` or an existing `outputFile`. */
  | 'OUTPUT_NOT_FOUND'
  /** The path leads out of the project, links resolved. Use a path inside it. */
  | 'OUTSIDE_PROJECT'
  /** Another process held the lock for longer than `lockTimeoutMs`. Nothing was changed: call again. */
  | 'LOCK_TIMEOUT'
  /** Another session loops on this project; the message has its id. One at a time: wait for it, or end it. */
  | 'SESSION_BUSY'
  /**
   * A setting is no number (or no boolean); the message names its file and line, or its environment variable.
   * Correct it there.
   */
  | 'CONFIG_INVALID'
  /** The operating system refused; the message has the path and its reason. */
  | 'IO_ERROR'
  /** A defect of this package. State on disk is intact; please report the message. */
  | 'INTERNAL'

/**
 * What a failed call rejects with, and what the constructor throws. The message says what to do next, and the stack
 * starts at the caller.
 *
 * @example
 * try {
 *   await ralph.taskPlanner({ action: 'update', taskId: 'write-docs' })
 * } catch (error) {
 *   if (error instanceof RalphToolError && error.code === 'TASK_NOT_FOUND') console.warn(error.message)
 *   else throw error
 * }
 */
export declare class RalphToolError extends Error {
  constructor(code: RalphToolErrorCode, message: string, options?: { cause?: unknown })
  name: 'RalphToolError'
  /** What went wrong, for programs. */
  code: RalphToolErrorCode
}

/** What a model must be allowed to do before something is offered to it. Each level includes those before it. */
export type Access = 'read' | 'worker' | 'full'

/** Everything that is said about a tool: schemas and documents derive from it. */
export interface ToolDefinition {
  /** As the model sees it, without a server's prefix. */
  name: string
  /** The method of `RalphTools`. */
  method: 'rateLimit' | 'exitDetection' | 'circuitBreaker' | 'taskPlanner' | 'progressReporter'
  /** A short title for people. */
  title: string
  /** For the model: what it is for, when to call it, what comes back. Under 600 characters. */
  description: string
  /** The name of the input's type. */
  input: string
  /** What the tool can do. */
  actions: ToolAction[]
  /** The fields of the input besides `action`. */
  fields: ToolField[]
}

/** One action of a tool. */
export interface ToolAction {
  /** As callers write it. */
  name: string
  /** The least access at which it is offered. */
  access: Access
  /** Whether it writes nothing at all. */
  readOnly: boolean
  /** Whether it throws state away. */
  destructive: boolean
  /** Whether the same call, made again, changes nothing more. */
  idempotent: boolean
  /** What it does. */
  doc: string
}

/** One field of a tool's input. */
export interface ToolField {
  /** As callers write it. */
  name: string
  /** What it accepts: `integer` is from `min` to `max`, `number` finite and not negative, `text` at most `maxLength` characters, `oneOf` one of `words`. */
  kind: 'integer' | 'number' | 'boolean' | 'text' | 'oneOf' | 'textList'
  /** The smallest integer accepted. */
  min?: number
  /** The largest integer accepted. */
  max?: number
  /** The most characters of a text, or of a text in a list. */
  maxLength?: number
  /** The most texts of a list. */
  maxItems?: number
  /** The words accepted. */
  words?: string[]
  /** What it means, with its unit. */
  doc: string
  /** What holds when it is left out; empty where that goes without saying. */
  default: string
  /** The actions that look at it. */
  actions: string[]
  /** The least access at which it is offered. */
  access: Access
}

/** A budget that workers share. */
export interface BudgetOptions {
  /** Its name, the same wherever it is shared. At most 10000 characters. */
  name: string
  /**
   * How long what was spent counts: rolling, in 60 steps, so that a count leaves at most one step late and no such
   * stretch of time ever holds more.
   */
  per: 'hour' | '5h' | 'day' | 'week'
  /**
   * Calls admitted. A whole number, 1 or more.
   *
   * @default no limit
   */
  calls?: number | undefined
  /**
   * Tokens after which no call is admitted. A whole number, 1 or more.
   *
   * @default no limit
   */
  tokens?: number | undefined
  /**
   * Dollars after which no call is admitted. A finite number, 0 or more.
   *
   * @default no limit
   */
  costUsd?: number | undefined
}

/**
 * Settings of a `RalphTools` instance. One that is left out is taken from the environment, from `.ralphrc`, from
 * an installed Ralph's own scripts, or is built in, in this order.
 *
 * @example new RalphTools({ projectDir: '/srv/app', maxCallsPerHour: 50 })
 */
export interface RalphToolsOptions {
  /**
   * The project directory. At most 10000 characters.
   *
   * @default `RALPH_PROJECT_DIR`, else the nearest folder with Ralph's files, from the working directory upwards
   */
  projectDir?: string | undefined
  /**
   * Where Ralph's files are: `ralph` keeps them in `.ralph/` (v0.10 and later), `flat` at the project root (v0.9).
   * `auto` looks.
   *
   * @default `auto`
   */
  layout?: 'auto' | 'ralph' | 'flat' | undefined
  /**
   * Which bash Ralph's decisions to take.
   *
   * @default `v0.9` in a flat layout, else `v0.11`
   */
  rules?: 'v0.9' | 'v0.11' | undefined
  /**
   * An installed bash Ralph, whose scripts' own settings count where nothing nearer says otherwise. At most 10000
   * characters.
   *
   * @default `RALPH_HOME`, else `~/.ralph`
   */
  ralphHome?: string | undefined
  /**
   * Calls admitted in a local clock hour. A whole number, 0 or more.
   *
   * @default `MAX_CALLS_PER_HOUR`, built in: 100
   */
  maxCallsPerHour?: number | undefined
  /**
   * Tokens in a local clock hour; 0 is no limit (v0.11). A whole number, 0 or more.
   *
   * @default `MAX_TOKENS_PER_HOUR`, built in: 0
   */
  maxTokensPerHour?: number | undefined
  /**
   * Loops without progress that open the circuit. A whole number, 1 or more.
   *
   * @default `CB_NO_PROGRESS_THRESHOLD`, built in: 3
   */
  noProgressThreshold?: number | undefined
  /**
   * Loops with errors in a row that open the circuit. A whole number, 1 or more.
   *
   * @default `CB_SAME_ERROR_THRESHOLD`, built in: 5
   */
  sameErrorThreshold?: number | undefined
  /**
   * Loops with permission denials in a row that open the circuit (v0.11). A whole number, 1 or more.
   *
   * @default `CB_PERMISSION_DENIAL_THRESHOLD`, built in: 2
   */
  permissionDenialThreshold?: number | undefined
  /**
   * Minutes after which an open circuit is half-open (v0.11). A whole number from 0 to 525960000.
   *
   * @default `CB_COOLDOWN_MINUTES`, built in: 30
   */
  cooldownMinutes?: number | undefined
  /**
   * Close an open circuit at this instance's first circuit_breaker action (v0.11).
   *
   * @default `CB_AUTO_RESET`, built in: false
   */
  autoReset?: boolean | undefined
  /**
   * Headings of the plan below which an open task does not keep a run going (v0.11). At most 10000 strings of at
   * most 10000 characters.
   *
   * @default `OPTIONAL_SECTIONS`, built in: Optional, Future, Future Enhancements, Nice to Have
   */
  optionalSections?: string[] | undefined
  /**
   * The tools that Claude Code was started with, comma-separated, to tell a real denial from a compound command
   * (v0.11). At most 10000 characters.
   *
   * @default `CLAUDE_ALLOWED_TOOLS`, in `.ralphrc` `ALLOWED_TOOLS`; built in: Ralph's list
   */
  allowedTools?: string | undefined
  /**
   * What Claude is told to write between `<promise>` and `</promise>` when all is done: an exit signal, as
   * EXIT_SIGNAL: true is. At most 10000 characters.
   *
   * @default `COMPLETION_PROMISE`, built in: none
   */
  completionPromise?: string | undefined
  /**
   * End the run once paid overage is being used (exitReason `overage`).
   *
   * @default `STOP_AT_OVERAGE`, built in: false
   */
  stopAtOverage?: boolean | undefined
  /**
   * Hours after which exit_detection tells no session to resume (v0.11). A whole number from 0 to 8766000.
   *
   * @default `CLAUDE_SESSION_EXPIRY_HOURS`, in `.ralphrc` `SESSION_EXPIRY_HOURS`; built in: 24
   */
  sessionExpiryHours?: number | undefined
  /**
   * Log lines below it are not written.
   *
   * @default `info`
   */
  logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'off' | undefined
  /** Instead of `logs/ralph.log`; relative to the project directory. At most 10000 characters. */
  logFile?: string | undefined
  /**
   * Milliseconds to wait for another process that holds the lock. A whole number from 0 to 3600000.
   *
   * @default 5000
   */
  lockTimeoutMs?: number | undefined
  /**
   * Milliseconds after which git is stopped and its answer done without. A whole number from 0 to 3600000.
   *
   * @default 10000
   */
  gitTimeoutMs?: number | undefined
  /**
   * Where several projects, worktrees or machines meet, for common budgets and claims: a directory
   * (`~/.ralph/shared`), or a Redis or Valkey server (`redis://…`, `rediss://…`, `unix:///…`). At most 10000
   * characters.
   *
   * @default `RALPH_SHARED`; without it, this project alone
   */
  shared?: string | undefined
  /**
   * The group of workers there. At most 10000 characters.
   *
   * @default `RALPH_SHARED_NAME`, built in: default
   */
  sharedName?: string | undefined
  /**
   * While the server cannot be used: `refuse` admits nothing, `local` counts and claims in this project alone,
   * with a warning.
   *
   * @default `RALPH_SHARED_FALLBACK`, built in: refuse
   */
  sharedFallback?: 'refuse' | 'local' | undefined
  /**
   * What all workers together may spend. Calls are admitted by every budget or by none.
   *
   * @default `RALPH_BUDGETS`, as JSON; built in: none
   */
  budgets?: BudgetOptions[] | undefined
  /**
   * This worker's name in claims and lists. At most 10000 characters.
   *
   * @default `RALPH_WORKER`, else host, process and a random part
   */
  worker?: string | undefined
  /**
   * Which plan this is, for claims; the same in all its copies. At most 10000 characters.
   *
   * @default `RALPH_PLAN_NAME`, else the repository's origin and the plan's path in it
   */
  planName?: string | undefined
}

/** Tells what the hour still admits. What {@link RalphTools.rateLimit} takes for it. */
export interface RateLimitCheckInput {
  action: 'check'
}

/**
 * Asks for calls before they are made, counts them if admitted, and adds what was used. What {@link
 * RalphTools.rateLimit} takes for it.
 */
export interface RateLimitIncrementInput {
  action: 'increment'
  /**
   * Calls to ask for, all or none; 0 only records what was used. A whole number from 0 to 1000.
   *
   * @default 1
   */
  calls?: number | undefined
  /**
   * Tokens used, added even if the calls are refused; ignored by v0.9 rules. A whole number from 0 to 1000000000.
   *
   * @default 0
   */
  tokens?: number | undefined
  /**
   * Dollars used; for budgets. A finite number, 0 or more.
   *
   * @default 0
   */
  costUsd?: number | undefined
}

/** Zeroes this hour's calls and tokens, and forgets a plan limit. What {@link RalphTools.rateLimit} takes for it. */
export interface RateLimitResetInput {
  action: 'reset'
}

/** The same as `check`. What {@link RalphTools.rateLimit} takes for it. */
export interface RateLimitStatusInput {
  action: 'status'
}

/**
 * What {@link RalphTools.rateLimit} takes.
 *
 * Tells how many Claude calls this project may still make in the current clock hour (and tokens, where they are
 * limited). Call `check` before starting more work. canMakeCall false: stop and wait secondsUntilReset; limitedBy
 * says which limit it is. maxTokens 0 is no limit.
 */
export type RateLimitToolInput =
  | RateLimitCheckInput
  | RateLimitIncrementInput
  | RateLimitResetInput
  | RateLimitStatusInput

/** What {@link RalphTools.rateLimit} answers to `increment`. */
export interface RateLimitIncrementOutput extends RateLimitToolOutput {
  /** (increment) Whether the calls were admitted and counted. Make the call only if it is true. */
  admitted: boolean
}

/** Tells whether the run should end. What {@link RalphTools.exitDetection} takes for it. */
export interface ExitDetectionCheckInput {
  action: 'check'
}

/**
 * Reads one loop's output, keeps its signals, answers as `check`. What {@link RalphTools.exitDetection} takes for
 * it.
 */
export interface ExitDetectionAnalyzeInput {
  action: 'analyze'
  /**
   * A file in the project with one loop's output. At most 10000 characters.
   *
   * @default the newest logs/claude_output_*.log
   */
  outputFile?: string | undefined
  /** One loop's output itself: text, or the SDK's result message as JSON. At most 268435456 characters. */
  output?: string | undefined
  /**
   * The loop whose output it is. A whole number, 0 or more.
   *
   * @default the last analysis's + 1
   */
  loopNumber?: number | undefined
  /**
   * Files that the loop changed. A whole number, 0 or more.
   *
   * @default counted by git, else what the output reports
   */
  filesChanged?: number | undefined
}

/** The same as `check`. What {@link RalphTools.exitDetection} takes for it. */
export interface ExitDetectionSignalsInput {
  action: 'signals'
}

/** Starts a run: forgets all signals and the last analysis. What {@link RalphTools.exitDetection} takes for it. */
export interface ExitDetectionResetInput {
  action: 'reset'
}

/**
 * What {@link RalphTools.exitDetection} takes.
 *
 * Tells whether the autonomous run is finished. Call `check` before starting more work: shouldExit true means
 * stop, and exitReason says why (plan_complete, project_complete, completion_signals, test_saturation,
 * permission_denied, blocked, overage, safety_circuit_breaker).
 */
export type ExitDetectionToolInput =
  | ExitDetectionCheckInput
  | ExitDetectionAnalyzeInput
  | ExitDetectionSignalsInput
  | ExitDetectionResetInput

/** What {@link RalphTools.exitDetection} answers to `analyze`. */
export interface ExitDetectionAnalyzeOutput extends ExitDetectionToolOutput {
  /** (analyze) What the output says. */
  analysis: ResponseAnalysis
}

/** As `check`, with the last state changes. What {@link RalphTools.circuitBreaker} takes for it. */
export interface CircuitBreakerStatusInput {
  action: 'status'
}

/** Tells whether the next loop may run. What {@link RalphTools.circuitBreaker} takes for it. */
export interface CircuitBreakerCheckInput {
  action: 'check'
}

/**
 * Closes the breaker and zeroes its counts; the history stays. What {@link RalphTools.circuitBreaker} takes for
 * it.
 */
export interface CircuitBreakerResetInput {
  action: 'reset'
  /**
   * Why; cut at 1000 characters. At most 1048576 characters.
   *
   * @default "Manual reset"
   */
  reason?: string | undefined
}

/** Marks a loop's beginning, from where git counts changes. What {@link RalphTools.circuitBreaker} takes for it. */
export interface CircuitBreakerBeginInput {
  action: 'begin'
  /**
   * The loop; recorded again without begin it counts once. A whole number, 0 or more.
   *
   * @default the last analysis's, else the next
   */
  loopNumber?: number | undefined
}

/** Counts a loop that has ended; opens or closes the breaker. What {@link RalphTools.circuitBreaker} takes for it. */
export interface CircuitBreakerRecordInput {
  action: 'record'
  /**
   * The loop; recorded again without begin it counts once. A whole number, 0 or more.
   *
   * @default the last analysis's, else the next
   */
  loopNumber?: number | undefined
  /**
   * Files that the loop changed: progress if any. A whole number, 0 or more.
   *
   * @default counted by git, since begin
   */
  filesChanged?: number | undefined
  /**
   * Whether the loop failed.
   *
   * @default what the analysis of that loop says
   */
  hasErrors?: boolean | undefined
  /** No effect, as in bash. A whole number, 0 or more. */
  outputLength?: number | undefined
}

/**
 * What {@link RalphTools.circuitBreaker} takes.
 *
 * The guard against loops without progress. Call `check` before more work: canExecute false means stop and say why
 * (reason). It opens after loops without changed files, with the same error, or with permission denials. Answers
 * state, reason, counts, and while OPEN cooldownRemainingSeconds.
 */
export type CircuitBreakerToolInput =
  | CircuitBreakerStatusInput
  | CircuitBreakerCheckInput
  | CircuitBreakerResetInput
  | CircuitBreakerBeginInput
  | CircuitBreakerRecordInput

/** What {@link RalphTools.circuitBreaker} answers to `status`. */
export interface CircuitBreakerStatusOutput extends CircuitBreakerToolOutput {
  /** (status) The last 10 transitions, the oldest first. */
  history: CircuitTransition[]
}

/** Lists tasks in the order of the plan. What {@link RalphTools.taskPlanner} takes for it. */
export interface TaskPlannerReadInput {
  action: 'read'
  /**
   * Which tasks to list.
   *
   * @default all
   */
  filter?: 'all' | 'pending' | 'completed' | 'available' | undefined
  /** A heading: read lists what is under it, add adds there (default: the last task's). At most 10000 characters. */
  section?: string | undefined
  /**
   * The most tasks to list. A whole number, 0 or more.
   *
   * @default as many as fit
   */
  limit?: number | undefined
  /**
   * Tasks to skip: the last nextOffset. A whole number, 0 or more.
   *
   * @default 0
   */
  offset?: number | undefined
}

/** Ticks or unticks one task. What {@link RalphTools.taskPlanner} takes for it. */
export interface TaskPlannerUpdateInput {
  action: 'update'
  /** The task's id by `read`, or its exact description. At most 1048576 characters. */
  taskId: string
  /**
   * True ticks the task, false makes it pending again.
   *
   * @default true
   */
  completed?: boolean | undefined
  /**
   * For people: whoever has claimed it.
   *
   * @default false
   */
  force?: boolean | undefined
}

/** Adds one open task to the end of a list. What {@link RalphTools.taskPlanner} takes for it. */
export interface TaskPlannerAddInput {
  action: 'add'
  /** Required. What is to be done, in one line. At most 10000 characters. */
  description?: string | undefined
  /** A heading: read lists what is under it, add adds there (default: the last task's). At most 10000 characters. */
  section?: string | undefined
}

/** Counts, and the next task. What {@link RalphTools.taskPlanner} takes for it. */
export interface TaskPlannerProgressInput {
  action: 'progress'
}

/** Claims the next free task, or taskId, for this worker. What {@link RalphTools.taskPlanner} takes for it. */
export interface TaskPlannerClaimInput {
  action: 'claim'
  /** The task's id by `read`, or its exact description. At most 1048576 characters. */
  taskId?: string | undefined
  /**
   * Minutes until the claim runs out. A whole number from 1 to 1440.
   *
   * @default 60
   */
  leaseMinutes?: number | undefined
}

/** Gives up taskId, or all claims. What {@link RalphTools.taskPlanner} takes for it. */
export interface TaskPlannerReleaseInput {
  action: 'release'
  /** The task's id by `read`, or its exact description. At most 1048576 characters. */
  taskId?: string | undefined
  /**
   * For people: whoever has claimed it.
   *
   * @default false
   */
  force?: boolean | undefined
}

/**
 * What {@link RalphTools.taskPlanner} takes.
 *
 * The project's to-do list: checkboxes in a Markdown plan. Call `read` (filter `pending`) to see what is left;
 * nextTask is what to do next. Once a task is really done, call `update` with its taskId. Each answer counts the
 * whole plan; the work is complete at blockingTasks 0. With a nextOffset the list was cut: read on with it as
 * offset. New work goes in by `add`.
 */
export type TaskPlannerToolInput =
  | TaskPlannerReadInput
  | TaskPlannerUpdateInput
  | TaskPlannerAddInput
  | TaskPlannerProgressInput
  | TaskPlannerClaimInput
  | TaskPlannerReleaseInput

/** Sets the status, writes a log line, adds a finished loop. What {@link RalphTools.progressReporter} takes for it. */
export interface ProgressReporterUpdateInput {
  action: 'update'
  /**
   * running, success, completed, halted or other; without exitReason clears that. At most 10000 characters.
   *
   * @default stays
   */
  status?: string | undefined
  /**
   * The loop's number. A whole number, 0 or more.
   *
   * @default stays
   */
  loopCount?: number | undefined
  /**
   * Calls made this hour. A whole number, 0 or more.
   *
   * @default `rate_limit`'s count
   */
  callsMade?: number | undefined
  /**
   * What was done last, such as executing. At most 10000 characters.
   *
   * @default stays
   */
  lastAction?: string | undefined
  /**
   * Why the run ended. At most 10000 characters.
   *
   * @default stays
   */
  exitReason?: string | undefined
  /**
   * What you are doing or found: one line of the log, at most 4 KiB. At most 1048576 characters.
   *
   * @default the status, loop and calls
   */
  message?: string | undefined
  /**
   * The log line's level.
   *
   * @default INFO
   */
  level?: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'SUCCESS' | 'LOOP' | undefined
  /** With loopSucceeded: adds the loop to the statistics. A finite number, 0 or more. */
  loopDurationSeconds?: number | undefined
  /** Whether the loop succeeded. */
  loopSucceeded?: boolean | undefined
  /**
   * Its calls. A whole number, 0 or more.
   *
   * @default 1
   */
  loopCalls?: number | undefined
  /**
   * Its tokens. A whole number, 0 or more.
   *
   * @default the analysis's
   */
  loopTokens?: number | undefined
  /**
   * Its cost, US dollars. A finite number, 0 or more.
   *
   * @default the analysis's
   */
  loopCostUsd?: number | undefined
}

/** Tells status and metrics. What {@link RalphTools.progressReporter} takes for it. */
export interface ProgressReporterReadInput {
  action: 'read'
}

/** The same as `read`. What {@link RalphTools.progressReporter} takes for it. */
export interface ProgressReporterMetricsInput {
  action: 'metrics'
}

/**
 * What {@link RalphTools.progressReporter} takes.
 *
 * Tells people what this run is doing. Call `update` with a short message when you begin something, finish it or
 * get stuck: it goes into the log that they watch. `read` answers the status, and metrics of the finished loops.
 */
export type ProgressReporterToolInput =
  | ProgressReporterUpdateInput
  | ProgressReporterReadInput
  | ProgressReporterMetricsInput

/** What {@link LoopEngine.handle} takes: `event` says what happened, and which other fields count. */
export interface LoopEvent {
  /** What happened. */
  event: LoopEventKind
  /**
   * The session that loops: 1 to 128 letters, digits, `_` and `-`. At most 10000 characters.
   *
   * @default (start) one is made; else required
   */
  session?: string | undefined
  /**
   * Which door the run comes through.
   *
   * Used by `start`, `preview`.
   *
   * @default `loop`
   */
  owner?: 'loop' | 'sdk' | 'plugin' | undefined
  /**
   * The process that holds the session: once it is gone, another may take the project over. A whole number from 1
   * to 4294967295.
   *
   * Used by `start`.
   *
   * @default this process
   */
  pid?: number | undefined
  /**
   * Loops after which the run ends. A whole number, 1 or more.
   *
   * Used by `start`.
   *
   * @default no such limit
   */
  maxLoops?: number | undefined
  /**
   * Minutes after which no further loop begins. A finite number, 0 or more.
   *
   * Used by `start`.
   *
   * @default no such limit
   */
  maxMinutes?: number | undefined
  /**
   * Tokens of the run, input and output, after which no further loop begins. A whole number, 1 or more.
   *
   * Used by `start`.
   *
   * @default no such limit
   */
  maxTokens?: number | undefined
  /**
   * US dollars of the run after which no further loop begins. A finite number, 0 or more.
   *
   * Used by `start`.
   *
   * @default no such limit
   */
  maxCostUsd?: number | undefined
  /**
   * What goes to the model instead of the engine's own text: `{task}`, `{id}` and `{section}` stand for the next
   * task's. At most 1048576 characters.
   *
   * Used by `start`, `preview`.
   *
   * @default the engine's own text
   */
  instruction?: string | undefined
  /**
   * The file that changed, absolute or from the project directory. At most 10000 characters.
   *
   * Used by `edited`.
   *
   * @default the plan
   */
  path?: string | undefined
  /**
   * The tool. At most 10000 characters.
   *
   * Used by `opaque`, `denied`, `called`.
   */
  tool?: string | undefined
  /**
   * What the tool was to run, where it is a command. At most 1048576 characters.
   *
   * Used by `denied`, `called`.
   */
  command?: string | undefined
  /**
   * The call's own id. At most 10000 characters.
   *
   * Used by `called`, `returned`, `edited`, `opaque`.
   */
  call?: string | undefined
  /**
   * The subagent that calls. At most 10000 characters.
   *
   * Used by `called`, `settled`.
   *
   * @default the main agent
   */
  agent?: string | undefined
  /**
   * What the loop printed: the SDK's result message and its rate_limit_events, a line of JSON each. At most
   * 268435456 characters.
   *
   * Used by `stop`, `failure`.
   */
  output?: string | undefined
  /**
   * Without output: the model's last words, or (failure) why the query failed. At most 268435456 characters.
   *
   * Used by `stop`, `failure`.
   */
  message?: string | undefined
  /**
   * Claude's session, for the next query to resume. At most 10000 characters.
   *
   * Used by `stop`, `failure`.
   *
   * @default the output's
   */
  claudeSession?: string | undefined
  /**
   * How long the loop took. A finite number, 0 or more.
   *
   * Used by `stop`, `failure`.
   *
   * @default the time since it began
   */
  durationSeconds?: number | undefined
}

/** Which limit a call runs into. */
export type RateLimitBound = 'calls' | 'tokens' | 'budget' | 'plan'

/** What a budget limits. */
export type BudgetUnit = 'calls' | 'tokens' | 'costUsd'

/** How long what was spent counts. */
export type BudgetPeriod = 'hour' | '5h' | 'day' | 'week'

/** Why a run should end; empty: it should not. */
export type ExitReason = '' | 'permission_denied' | 'overage' | 'test_saturation' | 'completion_signals' | 'safety_circuit_breaker' | 'project_complete' | 'blocked' | 'plan_complete'

/** How an output is written. */
export type OutputFormat = 'text' | 'json' | 'stream-json'

/** Which limit of the plan was reached. */
export type ApiLimitKind = 'five_hour' | 'weekly' | 'usage' | 'extra_usage'

/** What kept the provider from answering. */
export type ApiErrorKind = 'overloaded' | 'rate_limited' | 'server'

/** Whether the loop may run. */
export type CircuitState = 'CLOSED' | 'HALF_OPEN' | 'OPEN'

/** What happened. */
export type LoopEventKind = 'start' | 'admit' | 'prompt' | 'edited' | 'opaque' | 'denied' | 'called' | 'returned' | 'settled' | 'stop' | 'background' | 'failure' | 'compaction' | 'resume' | 'end' | 'cancel' | 'status' | 'preview'

/** Which door a run came through. */
export type LoopOwner = 'loop' | 'sdk' | 'plugin'

/** What a door does next. */
export type LoopStep = 'query' | 'wait' | 'end' | 'refuse' | 'tell' | 'none'

/** Why nothing may be sent yet. */
export type LoopWaitReason = 'rate_limit' | 'api_limit' | 'api_error' | 'failed' | 'claimed' | 'unreachable'

/** The counters of the current hour. */
export interface CallCount {
  /** Calls admitted in this clock hour. A count left by another hour reads as 0. */
  currentCount: number
  /** Calls that the hour admits. */
  maxCalls: number
  /** Calls left: `maxCalls` less `currentCount`, never below 0. */
  remainingCapacity: number
  /** Tokens recorded in this clock hour; 0 under v0.9 rules, which know no tokens. */
  tokensUsed: number
  /** Tokens after which the hour admits no call; 0 is no token limit. */
  maxTokens: number
}

/** How one limit of a budget stands. A budget with several limits has one each. */
export interface BudgetUse {
  /** The budget. */
  name: string
  /** How long what was spent counts. */
  per: BudgetPeriod
  /** What is limited. */
  unit: BudgetUnit
  /** Spent by all workers in the last such period. */
  used: number
  /** The limit. */
  limit: number
  /** What is left: `limit` less `used`, never below 0. */
  remaining: number
  /** This project's own part of `used`. */
  mine: number
  /** When the budget admits a call again: ISO 8601; null where it admits one now. */
  nextAdmission: string | null
}

/** A worker that was seen at the shared place in the last day. */
export interface WorkerSeen {
  /** Its name. */
  name: string
  /** Its machine. */
  machine: string
  /** Its project directory there. */
  project: string
  /** When it was seen last: ISO 8601, UTC. */
  lastSeen: string
  /** Its loop. */
  loop?: number
  /** The task that it has claimed. */
  task?: string
}

/** The answer of `rate_limit`. */
export interface RateLimitToolOutput extends CallCount {
  /** Whether one more call would be admitted now. */
  canMakeCall: boolean
  /** The top of the next hour on the local clock, when the count resets: ISO 8601 with offset. */
  nextReset: string
  /**
   * Whole seconds until calls are admitted again: until `nextReset`, or where a budget or the plan is the limit
   * until `nextAdmission`; rounded up.
   */
  secondsUntilReset: number
  /** (increment) Whether the calls were admitted and counted. Make the call only if it is true. */
  admitted?: boolean
  /** Which limit refused the calls, or would refuse the next. */
  limitedBy?: RateLimitBound
  /** (limitedBy `budget`) Which one. */
  budget?: string
  /** (limitedBy `budget`, `plan`) When calls are admitted again: ISO 8601, UTC. */
  nextAdmission?: string
  /** What the budgets say; left out where there are none and no shared place. */
  budgets?: BudgetUse[]
  /** (status) The workers of the shared place, the last seen first. */
  workers?: WorkerSeen[]
  /** What was healed, skipped or guessed. Left out where there is nothing to say. */
  warnings?: string[]
}

/** The loops that said something about the end, the newest last; at most five each. */
export interface ExitSignals {
  /** Loops that only ran tests. */
  testOnlyLoops: number[]
  /** Loops that said that the work is done. */
  doneSignals: number[]
  /** Loops that asked to end the run (v0.9 rules: loops of a confidence of 60 or more). */
  completionIndicators: number[]
  /** (v0.11 rules) Loops in which Claude said that it is blocked, where there are any. */
  blockedLoops?: number[]
}

/** What one loop's output says. */
export interface ResponseAnalysis {
  /** The loop. */
  loopNumber: number
  /** How the output was written. */
  format: OutputFormat
  /** Whether the output says that the work is done. */
  hasCompletionSignal: boolean
  /** Whether the loop only ran tests. */
  isTestOnly: boolean
  /** Whether the loop looks stuck: many errors in it. */
  isStuck: boolean
  /** Whether the loop changed something. */
  hasProgress: boolean
  /** Files that the loop changed. */
  filesModified: number
  /** How sure the analysis is of what it read, not how likely an exit is; bash's scores may pass 100. */
  confidenceScore: number
  /** Whether Claude asks to end the run. */
  exitSignal: boolean
  /** Whether `EXIT_SIGNAL` was given in so many words; exitSignal has its value. */
  explicitExitSignal: boolean
  /** What was done, in at most 2 000 characters. */
  workSummary: string
  /** Characters of the output, trailing newlines not counted. */
  outputLength: number
  /** Whether Claude only asks questions. */
  askingQuestions: boolean
  /** How many questions it asks. */
  questionCount: number
  /** Whether the result reports errors. */
  hasErrors: boolean
  /** Whether the query itself failed: no signal is taken from it. */
  isError: boolean
  /** Whether the output was cut off. */
  truncated: boolean
  /**
   * Input and output tokens together, of all models where they are told apart, and in a resumed session only the
   * new ones where the SDK tells them; without cached input; 0 where the output does not say.
   */
  tokensUsed: number
  /** (v0.11 rules) Whether tools were denied that the loop needs. */
  hasPermissionDenials?: boolean
  /** (v0.11 rules) How many calls were denied. */
  permissionDenialCount?: number
  /** (v0.11 rules) What was denied. */
  deniedCommands?: string[]
  /** (v0.11 rules) Whether all denials are compound commands whose parts are allowed: a limitation of Claude's. */
  hasCompoundCommandLimitation?: boolean
  /** (v0.11 rules) How many such commands. */
  compoundCommandCount?: number
  /** The session, where the output names one. */
  sessionId?: string
  /** The provider's limit that the loop ran into. Do not record the loop: wait, and run it again. */
  apiLimit?: ApiLimit
  /** The provider's failure. Such a loop is not counted: wait, and run it again. */
  apiError?: ApiError
  /** How much of the plan is used, where the output tells. */
  apiUsage?: ApiUsage
  /** What the loop cost, in US dollars, by Claude Code's estimate: of a resumed session only what is new. */
  costUsd?: number
  /** What Claude says of its work: `IN_PROGRESS`, `COMPLETE` or `BLOCKED`. */
  status?: string
  /** What Claude says of the tests: `PASSING`, `FAILING` or `NOT_RUN`. */
  testsStatus?: string
  /** What Claude says it did: `IMPLEMENTATION`, `TESTING`, `DOCUMENTATION`, `REFACTORING` and so on. */
  workType?: string
  /** How many tasks Claude says it completed in the loop. */
  tasksCompleted?: number
  /** What Claude recommends, in at most 500 characters. */
  recommendation?: string
}

/** A limit of the provider's: not Ralph's, and no fault of the loop. */
export interface ApiLimit {
  /** Which limit. */
  kind: ApiLimitKind
  /** The sentence that said so. */
  message: string
  /** When it is lifted: ISO 8601, UTC; null where no time is named. */
  resetsAt: string | null
}

/** A call that failed at the provider: no fault of the loop, which is not counted. Wait, and run it again. */
export interface ApiError {
  /** Why. */
  kind: ApiErrorKind
  /**
   * The status that the provider answered; where the output names none, the one that such errors have: 529, 429 or
   * 500.
   */
  status: number
  /** Seconds to wait, where the message names them. */
  retryAfterSeconds?: number
}

/** How much of the plan is used, by the events that Claude Code sends. */
export interface ApiUsage {
  /** Whether paid overage is being used. */
  isUsingOverage: boolean
  /** The windows that were told of, as they were told last. */
  windows: ApiUsageWindow[]
}

/** How full one of the plan's windows is. */
export interface ApiUsageWindow {
  /** Which: `five_hour`, `seven_day`, `seven_day_opus`, `overage` and so on, as Claude Code names them. */
  window: string
  /** `allowed`, `allowed_warning` or `rejected`. */
  status?: string
  /** From 0 to 1, and beyond. */
  utilization?: number
  /** When it begins anew: ISO 8601, UTC. */
  resetsAt?: string
}

/** The answer of `exit_detection`. */
export interface ExitDetectionToolOutput {
  /** Whether the run should end. */
  shouldExit: boolean
  /** Why; empty where it should not. */
  exitReason: ExitReason
  /** The last analysis's score, from 0 to 100: how sure the analysis is of what it read, not how likely an exit is. */
  confidence: number
  /** The loops that said something about the end. */
  signals: ExitSignals
  /** (analyze) What the output says. */
  analysis?: ResponseAnalysis
  /** Where exitReason is `blocked`: what Claude says it needs. */
  recommendation?: string
  /** (v0.11 rules) The session that the next query may resume; none once it is older than sessionExpiryHours. */
  sessionId?: string
  /** (v0.11 rules) How old that session is, in seconds. */
  sessionAgeSeconds?: number
  /** True where every open task is claimed by another worker: wait until `claimedUntil`, then check again. */
  waiting?: boolean
  /** (waiting) When the first of those claims runs out: ISO 8601, UTC. */
  claimedUntil?: string
  /** What was healed, skipped or guessed. Left out where there is nothing to say. */
  warnings?: string[]
}

/** What the circuit breaker has counted. */
export interface CircuitBreakerState {
  /**
   * CLOSED: all is well. `HALF_OPEN`: the loop may run and is watched. OPEN: it may not. An elapsed cooldown is
   * taken into account.
   */
  state: CircuitState
  /** Why it is so, in bash Ralph's words; empty where there is nothing to say. */
  reason: string
  /** Loops without progress since the last progress. */
  consecutiveNoProgress: number
  /** The last loop with progress; 0 before any. */
  lastProgressLoop: number
  /** How often it has opened since the last reset. */
  totalOpens: number
  /** Loops with errors in a row. */
  consecutiveSameError: number
  /** The loop recorded last; 0 before any. */
  currentLoop: number
  /** (v0.11 rules) Loops with permission denials in a row. */
  consecutivePermissionDenials?: number
  /** (OPEN) When it opened, as the state file has it: ISO 8601, UTC. */
  openedAt?: string
}

/** A change of the breaker's state. */
export interface CircuitTransition {
  /** When: ISO 8601, UTC. */
  timestamp: string
  /** The loop that caused it; of a cooldown's end, the loop recorded last. */
  loop: number
  /** The state before. */
  fromState: CircuitState
  /** The state after. */
  toState: CircuitState
  /** Why, in bash Ralph's words. */
  reason: string
}

/** The answer of `circuit_breaker`. */
export interface CircuitBreakerToolOutput extends CircuitBreakerState {
  /** Whether the next loop may run: false while OPEN. */
  canExecute: boolean
  /** (OPEN, v0.11 rules) Seconds until it is `HALF_OPEN` by itself. */
  cooldownRemainingSeconds?: number
  /** (status) The last 10 transitions, the oldest first. */
  history?: CircuitTransition[]
  /** What was healed, skipped or guessed. Left out where there is nothing to say. */
  warnings?: string[]
}

/** Tasks of the plan, with counts of the whole plan whatever is listed. */
export interface TaskList {
  /** Tasks in the plan. */
  totalTasks: number
  /** Those ticked. */
  completedTasks: number
  /** Those not ticked. */
  pendingTasks: number
  /** Those pending and not optional. The plan is complete when there is none and a task is ticked. */
  blockingTasks: number
  /** Ticked tasks in percent, 0 to 100 with two decimals; 0 without tasks. */
  progressPercentage: number
  /** The tasks asked for (read), the one that was updated or added (update, add), or none (progress). */
  tasks: Task[]
}

/** A task of the plan. */
export interface Task {
  /**
   * Names the task in `update`: the mark that leads its text (`proj-001`, `T007`, `2.3`, `#123`), else a slug of
   * its words. Ticking or moving the task keeps it.
   */
  id: string
  /** The text behind its box. */
  description: string
  /** Whether its box is ticked. */
  completed: boolean
  /** The heading that it stands under; empty where there is none. */
  section: string
  /** Its line in the plan file, from 1. */
  line: number
  /** Whether it stands in an optional section: the plan can be complete without it. Never under v0.9 rules. */
  optional: boolean
  /** The worker that has claimed it, or has ticked it in a copy of the plan. */
  claimedBy?: string
  /** When the claim runs out: ISO 8601, UTC, on this machine's clock. */
  claimedUntil?: string
}

/** The answer of `task_planner`. */
export interface TaskPlannerToolOutput extends TaskList {
  /**
   * The task to do next: the first in the plan that blocks, else the first that is pending, those left out that
   * other workers have claimed.
   */
  nextTask?: Task
  /** (read) The list was cut: the rest starts at this `offset`. */
  nextOffset?: number
  /** (claim) The task, now this worker's; null where others have claimed all that are open, which `tasks` lists. */
  task?: Task | null
  /** (claim) When the claim runs out: ISO 8601, UTC, on this machine's clock. */
  claimedUntil?: string
  /** What was healed, skipped or guessed. Left out where there is nothing to say. */
  warnings?: string[]
}

/** What `status.json` says. */
export interface RalphStatus {
  /** When it was written: ISO 8601, UTC. Now, before any update. */
  timestamp: string
  /** The loop; 0 before any update. */
  loopCount: number
  /** Calls made in the clock hour of `timestamp`. */
  callsMade: number
  /**
   * In bash Ralph's words (running, success, completed, halted, paused, stopped, error) or any other; `unknown`
   * before any update.
   */
  status: string
  /** Calls that an hour admits. */
  maxCalls: number
  /** The top of the next hour on the local clock, as `rate_limit` tells it: ISO 8601 with offset. */
  nextReset: string
  /** What was done last, such as `executing` or `completed`. */
  lastAction?: string
  /** Why the run ended; empty while it goes on. */
  exitReason?: string
}

/** Statistics of the loops that finished. */
export interface ProgressMetrics {
  /** Loops that finished. */
  totalLoops: number
  /** Those that succeeded. */
  successfulLoops: number
  /** Those that did not. */
  failedLoops: number
  /** Their mean duration in seconds; 0 without loops. */
  averageDuration: number
  /** Those that succeeded in percent, 0 to 100 with two decimals; 0 without loops. */
  successRate: number
  /** How often the circuit breaker has opened since its last reset. */
  circuitOpens: number
  /** Lines of the file that could not be read, or say nothing of a loop. */
  skippedLines: number
  /** Calls that the loops made, as far as their lines say so. */
  totalCalls: number
  /** Tokens that the loops used; left out where no line says so. */
  totalTokens?: number
  /** What the loops cost, in US dollars by Claude Code's estimate; left out where no line says so. */
  totalCostUsd?: number
}

/** The answer of `progress_reporter`. */
export interface ProgressReporterToolOutput extends RalphStatus {
  /** Statistics out of `logs/metrics.jsonl`; where there is none (v0.9), out of the loops in `logs/ralph.log`. */
  metrics: ProgressMetrics
  /** What `progress.json` says, which bash Ralph writes while Claude runs; left out where there is none. */
  progress?: unknown
  /** What was healed, skipped or guessed. Left out where there is nothing to say. */
  warnings?: string[]
}

/** A wait between two loops. It ends by itself. */
export interface LoopWait {
  /** Why. */
  reason: LoopWaitReason
  /** How long, in whole seconds, at least 1. */
  seconds: number
  /** Until when: ISO 8601, UTC. */
  until: string
  /** The reason in words. */
  message: string
}

/** How a run ended, in the words that `status.json` has for it. */
export interface LoopEnding {
  /** `completed`, `halted`, `stopped` or `error`. */
  status: string
  /**
   * What ended it: `graceful_exit`, `circuit_breaker_open`, `permission_denied`, `blocked`, `loop_limit`,
   * `time_limit`, `token_limit`, `cost_limit`, `interrupted`, `cancelled` or `guard_failed`.
   */
  lastAction: string
  /** Loops of the run: queries that were admitted and counted. */
  loops: number
  /**
   * The guard's own word for it, such as `plan_complete` or `stagnation_detected`; of `guard_failed` the error's
   * code.
   */
  exitReason?: string
  /** What a person should know besides. */
  message?: string
}

/** A loop that is over. */
export interface ClosedLoop {
  /** Its number. */
  loop: number
  /** How long it took, in seconds. */
  durationSeconds: number
  /** Whether its query succeeded. */
  succeeded: boolean
  /** Whether the circuit breaker and the statistics count it: not a loop that the provider refused. */
  counted: boolean
  /** What was done, in the model's words. */
  summary: string
  /** Tokens that it used. */
  tokensUsed: number
  /** Files that it changed. */
  filesModified: number
  /** The circuit breaker after it. */
  circuit: CircuitState
  /** Why the breaker is so; empty where there is nothing to say. */
  reason: string
  /** What it cost in US dollars, where the output says so. */
  costUsd?: number
}

/** How the guards stand. */
export interface LoopCounts {
  /** Calls admitted in this clock hour. */
  calls: number
  /** Calls that the hour admits. */
  maxCalls: number
  /** Tokens recorded in this clock hour. */
  tokens: number
  /** Tokens after which the hour admits no call; 0 is no limit. */
  maxTokens: number
  /** The circuit breaker. */
  circuit: CircuitState
  /** Tasks of the plan that are done. */
  completedTasks: number
  /** All tasks of the plan. */
  totalTasks: number
}

/** What `LoopEngine` answers to an event. */
export interface LoopAnswer {
  /** What to do. */
  next: LoopStep
  /** The session. */
  session: string
  /** The loop that runs, or ran last; 0 before any. */
  loop: number
  /** Lines for a person, in order. */
  notes: string[]
  /** (query, tell) What goes to the model. */
  prompt?: string
  /** (query) Claude's session to resume. */
  resume?: string
  /** (query, tell) The task that the prompt names. */
  task?: Task
  /** (query, wait, end, status) How the guards stand. */
  counts?: LoopCounts
  /** (wait) For how long, and why. */
  wait?: LoopWait
  /** (end) How the run ended. */
  ending?: LoopEnding
  /** (refuse) Why, with the other session's id. */
  message?: string
  /** (stop, failure) The loop that is over. */
  closed?: ClosedLoop
}

/** What the loop answers to a hook of Claude Code's. */
export interface LoopHookAnswer {
  /** What the hook's callback returns. */
  output: unknown
  /** What the engine answered. */
  answer: LoopAnswer
}

/** What calls of tools changed. */
export interface LoopEffects {
  /** The files, from the project directory, in the order of the alphabet. */
  files: string[]
  /** Whether a tool ran of which nobody can tell what it changed. */
  opaque: boolean
}

export interface RalphTools {
  /**
   * Tells what the hour still admits.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `IO_ERROR`, `INTERNAL`: see {@link RalphToolErrorCode}
   */
  rateLimit(input: RateLimitCheckInput): Promise<RateLimitToolOutput>
  /**
   * Asks for calls before they are made, counts them if admitted, and adds what was used.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `LOCK_TIMEOUT`, `IO_ERROR`, `INTERNAL`: see {@link
   * RalphToolErrorCode}
   */
  rateLimit(input: RateLimitIncrementInput): Promise<RateLimitIncrementOutput>
  /**
   * Zeroes this hour's calls and tokens, and forgets a plan limit.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `LOCK_TIMEOUT`, `IO_ERROR`, `INTERNAL`: see {@link
   * RalphToolErrorCode}
   */
  rateLimit(input: RateLimitResetInput): Promise<RateLimitToolOutput>
  /**
   * The same as `check`.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `IO_ERROR`, `INTERNAL`: see {@link RalphToolErrorCode}
   */
  rateLimit(input: RateLimitStatusInput): Promise<RateLimitToolOutput>
  /**
   * Tells how many Claude calls this project may still make in the current clock hour (and tokens, where they are
   * limited). Call `check` before starting more work. canMakeCall false: stop and wait secondsUntilReset;
   * limitedBy says which limit it is. maxTokens 0 is no limit.
   */
  rateLimit(input: RateLimitToolInput): Promise<RateLimitToolOutput>

  /**
   * Tells whether the run should end.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `IO_ERROR`, `INTERNAL`: see {@link RalphToolErrorCode}
   */
  exitDetection(input: ExitDetectionCheckInput): Promise<ExitDetectionToolOutput>
  /**
   * Reads one loop's output, keeps its signals, answers as `check`.
   *
   * @throws {RalphToolError} `OUTPUT_NOT_FOUND`: There is no output to analyze. Pass `output` or an existing
   * `outputFile`.
   * @throws {RalphToolError} `OUTSIDE_PROJECT`: The path leads out of the project, links resolved. Use a path
   * inside it.
   * @throws {RalphToolError} `INVALID_INPUT`, `LOCK_TIMEOUT`, `IO_ERROR`, `INTERNAL`: see {@link
   * RalphToolErrorCode}
   */
  exitDetection(input: ExitDetectionAnalyzeInput): Promise<ExitDetectionAnalyzeOutput>
  /**
   * The same as `check`.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `IO_ERROR`, `INTERNAL`: see {@link RalphToolErrorCode}
   */
  exitDetection(input: ExitDetectionSignalsInput): Promise<ExitDetectionToolOutput>
  /**
   * Starts a run: forgets all signals and the last analysis.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `LOCK_TIMEOUT`, `IO_ERROR`, `INTERNAL`: see {@link
   * RalphToolErrorCode}
   */
  exitDetection(input: ExitDetectionResetInput): Promise<ExitDetectionToolOutput>
  /**
   * Tells whether the autonomous run is finished. Call `check` before starting more work: shouldExit true means
   * stop, and exitReason says why (plan_complete, project_complete, completion_signals, test_saturation,
   * permission_denied, blocked, overage, safety_circuit_breaker).
   */
  exitDetection(input: ExitDetectionToolInput): Promise<ExitDetectionToolOutput>

  /**
   * As `check`, with the last state changes.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `IO_ERROR`, `INTERNAL`: see {@link RalphToolErrorCode}
   */
  circuitBreaker(input: CircuitBreakerStatusInput): Promise<CircuitBreakerStatusOutput>
  /**
   * Tells whether the next loop may run.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `IO_ERROR`, `INTERNAL`: see {@link RalphToolErrorCode}
   */
  circuitBreaker(input: CircuitBreakerCheckInput): Promise<CircuitBreakerToolOutput>
  /**
   * Closes the breaker and zeroes its counts; the history stays.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `LOCK_TIMEOUT`, `IO_ERROR`, `INTERNAL`: see {@link
   * RalphToolErrorCode}
   */
  circuitBreaker(input: CircuitBreakerResetInput): Promise<CircuitBreakerToolOutput>
  /**
   * Marks a loop's beginning, from where git counts changes.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `LOCK_TIMEOUT`, `IO_ERROR`, `INTERNAL`: see {@link
   * RalphToolErrorCode}
   */
  circuitBreaker(input: CircuitBreakerBeginInput): Promise<CircuitBreakerToolOutput>
  /**
   * Counts a loop that has ended; opens or closes the breaker.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `LOCK_TIMEOUT`, `IO_ERROR`, `INTERNAL`: see {@link
   * RalphToolErrorCode}
   */
  circuitBreaker(input: CircuitBreakerRecordInput): Promise<CircuitBreakerToolOutput>
  /**
   * The guard against loops without progress. Call `check` before more work: canExecute false means stop and say
   * why (reason). It opens after loops without changed files, with the same error, or with permission denials.
   * Answers state, reason, counts, and while OPEN cooldownRemainingSeconds.
   */
  circuitBreaker(input: CircuitBreakerToolInput): Promise<CircuitBreakerToolOutput>

  /**
   * Lists tasks in the order of the plan.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `IO_ERROR`, `INTERNAL`: see {@link RalphToolErrorCode}
   */
  taskPlanner(input: TaskPlannerReadInput): Promise<TaskPlannerToolOutput>
  /**
   * Ticks or unticks one task.
   *
   * @throws {RalphToolError} `PLAN_NOT_FOUND`: There is no plan file to change. Create the file that the message
   * names.
   * @throws {RalphToolError} `TASK_NOT_FOUND`: No task has this id; the message names the closest ids. Call
   * task_planner `read` for the list.
   * @throws {RalphToolError} `TASK_AMBIGUOUS`: Several tasks have this description. Use one of the ids in the
   * message.
   * @throws {RalphToolError} `TASK_CLAIMED`: Another worker has claimed the task; the message says who, and until
   * when. Take another: task_planner `claim`. People may pass `force`.
   * @throws {RalphToolError} `OUTSIDE_PROJECT`: The path leads out of the project, links resolved. Use a path
   * inside it.
   * @throws {RalphToolError} `INVALID_INPUT`, `LOCK_TIMEOUT`, `IO_ERROR`, `INTERNAL`: see {@link
   * RalphToolErrorCode}
   */
  taskPlanner(input: TaskPlannerUpdateInput): Promise<TaskPlannerToolOutput>
  /**
   * Adds one open task to the end of a list.
   *
   * @throws {RalphToolError} `PLAN_NOT_FOUND`: There is no plan file to change. Create the file that the message
   * names.
   * @throws {RalphToolError} `OUTSIDE_PROJECT`: The path leads out of the project, links resolved. Use a path
   * inside it.
   * @throws {RalphToolError} `INVALID_INPUT`, `LOCK_TIMEOUT`, `IO_ERROR`, `INTERNAL`: see {@link
   * RalphToolErrorCode}
   */
  taskPlanner(input: TaskPlannerAddInput): Promise<TaskPlannerToolOutput>
  /**
   * Counts, and the next task.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `IO_ERROR`, `INTERNAL`: see {@link RalphToolErrorCode}
   */
  taskPlanner(input: TaskPlannerProgressInput): Promise<TaskPlannerToolOutput>
  /**
   * Claims the next free task, or taskId, for this worker.
   *
   * @throws {RalphToolError} `PLAN_NOT_FOUND`: There is no plan file to change. Create the file that the message
   * names.
   * @throws {RalphToolError} `TASK_NOT_FOUND`: No task has this id; the message names the closest ids. Call
   * task_planner `read` for the list.
   * @throws {RalphToolError} `TASK_AMBIGUOUS`: Several tasks have this description. Use one of the ids in the
   * message.
   * @throws {RalphToolError} `TASK_CLAIMED`: Another worker has claimed the task; the message says who, and until
   * when. Take another: task_planner `claim`. People may pass `force`.
   * @throws {RalphToolError} `SHARED_UNREACHABLE`: The server that `shared` names cannot be used; the message says
   * why, and what to do. Nothing was admitted: wait, and call again.
   * @throws {RalphToolError} `INVALID_INPUT`, `LOCK_TIMEOUT`, `IO_ERROR`, `INTERNAL`: see {@link
   * RalphToolErrorCode}
   */
  taskPlanner(input: TaskPlannerClaimInput): Promise<TaskPlannerToolOutput>
  /**
   * Gives up taskId, or all claims.
   *
   * @throws {RalphToolError} `TASK_CLAIMED`: Another worker has claimed the task; the message says who, and until
   * when. Take another: task_planner `claim`. People may pass `force`.
   * @throws {RalphToolError} `SHARED_UNREACHABLE`: The server that `shared` names cannot be used; the message says
   * why, and what to do. Nothing was admitted: wait, and call again.
   * @throws {RalphToolError} `INVALID_INPUT`, `LOCK_TIMEOUT`, `IO_ERROR`, `INTERNAL`: see {@link
   * RalphToolErrorCode}
   */
  taskPlanner(input: TaskPlannerReleaseInput): Promise<TaskPlannerToolOutput>
  /**
   * The project's to-do list: checkboxes in a Markdown plan. Call `read` (filter `pending`) to see what is left;
   * nextTask is what to do next. Once a task is really done, call `update` with its taskId. Each answer counts the
   * whole plan; the work is complete at blockingTasks 0. With a nextOffset the list was cut: read on with it as
   * offset. New work goes in by `add`.
   */
  taskPlanner(input: TaskPlannerToolInput): Promise<TaskPlannerToolOutput>

  /**
   * Sets the status, writes a log line, adds a finished loop.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `LOCK_TIMEOUT`, `IO_ERROR`, `INTERNAL`: see {@link
   * RalphToolErrorCode}
   */
  progressReporter(input: ProgressReporterUpdateInput): Promise<ProgressReporterToolOutput>
  /**
   * Tells status and metrics.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `IO_ERROR`, `INTERNAL`: see {@link RalphToolErrorCode}
   */
  progressReporter(input: ProgressReporterReadInput): Promise<ProgressReporterToolOutput>
  /**
   * The same as `read`.
   *
   * @throws {RalphToolError} `INVALID_INPUT`, `IO_ERROR`, `INTERNAL`: see {@link RalphToolErrorCode}
   */
  progressReporter(input: ProgressReporterMetricsInput): Promise<ProgressReporterToolOutput>
  /**
   * Tells people what this run is doing. Call `update` with a short message when you begin something, finish it or
   * get stuck: it goes into the log that they watch. `read` answers the status, and metrics of the finished loops.
   */
  progressReporter(input: ProgressReporterToolInput): Promise<ProgressReporterToolOutput>
}

