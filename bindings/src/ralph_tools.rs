//! The class `RalphTools`.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;
use ralph_sdk_tools::input::RawInput;
use ralph_sdk_tools::tools::progress_reporter::recent;
use ralph_sdk_tools::{Error, ErrorCode, Options, Ralph};

use crate::agent::Agent;
use crate::errors::{Thrown, passed_on, thrown};
use crate::{job, values};

/// The five guards of one Ralph project.
///
/// All state is in the project's files, so that any number of instances, processes and bash Ralph itself may work on the
/// same project. Every call runs off the main thread.
#[napi]
pub struct RalphTools(Arc<Ralph>);

impl RalphTools {
    /// The core's tools.
    pub fn core(&self) -> Arc<Ralph> {
        Arc::clone(&self.0)
    }
}

#[napi]
impl RalphTools {
    /// Reads options, `process.env` and the project's configuration once.
    ///
    /// Throws a `RalphToolError`: `INVALID_INPUT` for a wrong option, `INVALID_PROJECT` where `projectDir` is no
    /// directory, `CONFIG_INVALID` where a setting is no number.
    #[napi(constructor, ts_args_type = "options?: RalphToolsOptions | undefined")]
    pub fn new(env: Env, options: Unknown<'_>) -> Result<Self, Thrown> {
        let options = match options.get_type().map_err(passed_on)? {
            napi::ValueType::Undefined => RawInput::new(),
            _ => values::fields("new RalphTools takes an object of options, or nothing", &options)?,
        };
        let environment = values::environment(env).map_err(passed_on)?;
        let clock = Arc::clone(&Agent::of(env).map_err(passed_on)?.clock);
        let ralph = Options::from_raw(&options).and_then(|options| Ralph::open_with_clock(&options, &environment, clock));
        ralph.map(|ralph| Self(Arc::new(ralph))).map_err(|error| thrown(&error))
    }

    /// The project that this works on: the directory that was named, else the nearest one with Ralph's files, from the
    /// working directory upwards. An absolute path without links.
    #[napi(getter)]
    #[must_use]
    pub fn project_dir(&self) -> String {
        self.0.project().root().display().to_string()
    }

    /// Says whether another call of Claude fits into this hour, and counts it: see `RateLimitToolInput`.
    #[napi(ts_args_type = "input: RateLimitToolInput", ts_return_type = "Promise<RateLimitToolOutput>")]
    pub fn rate_limit<'env>(&self, env: &'env Env, input: Unknown<'env>) -> Result<Object<'env>, Thrown> {
        self.call(env, "rate_limit", &input)
    }

    /// Reads a loop's output and says whether the run is over: see `ExitDetectionToolInput`.
    #[napi(ts_args_type = "input: ExitDetectionToolInput", ts_return_type = "Promise<ExitDetectionToolOutput>")]
    pub fn exit_detection<'env>(&self, env: &'env Env, input: Unknown<'env>) -> Result<Object<'env>, Thrown> {
        self.call(env, "exit_detection", &input)
    }

    /// Stops a run that makes no progress: see `CircuitBreakerToolInput`.
    #[napi(ts_args_type = "input: CircuitBreakerToolInput", ts_return_type = "Promise<CircuitBreakerToolOutput>")]
    pub fn circuit_breaker<'env>(&self, env: &'env Env, input: Unknown<'env>) -> Result<Object<'env>, Thrown> {
        self.call(env, "circuit_breaker", &input)
    }

    /// Lists the plan's tasks and ticks them one by one: see `TaskPlannerToolInput`.
    #[napi(ts_args_type = "input: TaskPlannerToolInput", ts_return_type = "Promise<TaskPlannerToolOutput>")]
    pub fn task_planner<'env>(&self, env: &'env Env, input: Unknown<'env>) -> Result<Object<'env>, Thrown> {
        self.call(env, "task_planner", &input)
    }

    /// Keeps `status.json`, the log and the metrics: see `ProgressReporterToolInput`.
    #[napi(ts_args_type = "input: ProgressReporterToolInput", ts_return_type = "Promise<ProgressReporterToolOutput>")]
    pub fn progress_reporter<'env>(&self, env: &'env Env, input: Unknown<'env>) -> Result<Object<'env>, Thrown> {
        self.call(env, "progress_reporter", &input)
    }

    /// The ends of the logs and the last loop's limits, for the status screen alone.
    #[napi(js_name = "__recent", skip_typescript)]
    pub fn recent<'env>(&self, env: &'env Env) -> Result<Object<'env>, Thrown> {
        let ralph = Arc::clone(&self.0);
        let work = move || {
            let recent = serde_json::to_string(&recent(ralph.project()));
            recent.map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))
        };
        job::run(env, work).map_err(passed_on)
    }

    fn call<'env>(&self, env: &'env Env, tool: &'static str, input: &Unknown<'_>) -> Result<Object<'env>, Thrown> {
        let input = values::fields(&format!("{tool} takes an object with an action"), input)?;
        let ralph = Arc::clone(&self.0);
        let work = move || ralph.call(tool, input).map(|answer| answer.to_string());
        job::run(env, work).map_err(passed_on)
    }
}
