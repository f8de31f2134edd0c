// placeholder

/**
 * Which binding artifact the generated loader actually loaded: `'native'` for
 * a native addon, otherwise the `platformArchABI` of the WASI flavor. Every
 * flavor napi-rs can build is listed, because `NAPI_RS_NATIVE_LIBRARY_PATH`
 * can point the loader at a WASI artifact this package does not build itself.
 */
export declare const __napiBindingTarget: 'native' | 'wasm32-wasi' | 'wasm32-wasip1'

/**
 * The five guards of one Ralph project.
 *
 * An instance holds settings and no state: everything is in the project's files, so that any number of instances,
 * processes and bash Ralph itself may work on the same project. Every call runs off the main thread.
 */
export declare class RalphTools {
  /**
   * Reads options, `process.env` and the project's configuration once.
   *
   * Throws `INVALID_INPUT` for a wrong option, `INVALID_PROJECT` where `projectDir` is no directory and
   * `CONFIG_INVALID` where a setting is no number.
   */
  constructor(options?: RalphToolsOptions)
  /** Says whether another call of Claude fits into this hour, and counts it: see `RateLimitToolInput`. */
  rateLimit(input: RateLimitToolInput): Promise<RateLimitToolOutput>
  /** Reads a loop's output and says whether the run is over: see `ExitDetectionToolInput`. */
  exitDetection(input: ExitDetectionToolInput): Promise<ExitDetectionToolOutput>
  /** Stops a run that makes no progress: see `CircuitBreakerToolInput`. */
  circuitBreaker(input: CircuitBreakerToolInput): Promise<CircuitBreakerToolOutput>
  /** Lists the plan's tasks and ticks them one by one: see `TaskPlannerToolInput`. */
  taskPlanner(input: TaskPlannerToolInput): Promise<TaskPlannerToolOutput>
  /** Keeps `status.json`, the log and the metrics: see `ProgressReporterToolInput`. */
  progressReporter(input: ProgressReporterToolInput): Promise<ProgressReporterToolOutput>
}

/** The five tools: their actions and fields, each with its description and the access it takes. */
export declare function toolDefinitions(): ToolDefinition[]
