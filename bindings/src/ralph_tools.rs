//! The class `RalphTools`.

use std::sync::Arc;

use napi::bindgen_prelude::{Array, Unknown};
use napi::{Env, Result, ValueType};
use napi_derive::napi;
use ralph_sdk_tools::doctor::examine;
use ralph_sdk_tools::input::RawInput;
use ralph_sdk_tools::tools::Tool;
use ralph_sdk_tools::tools::progress_reporter::recent;
use ralph_sdk_tools::{Error, ErrorCode, Options, Ralph};

use crate::agent::Agent;
use crate::answers::Outcome;
use crate::errors::{Refusal, refusal};
use crate::job::{self, Address};
use crate::values;

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
    // `refused` is an array of `index.js`, which is told there why this throws.
    #[napi(constructor, ts_args_type = "options?: RalphToolsOptions | undefined")]
    pub fn new(env: Env, options: Unknown<'_>, mut refused: Array<'_>) -> Result<Self> {
        match open(env, &options)? {
            Ok(ralph) => Ok(Self(Arc::new(ralph))),
            Err(error) => {
                for text in refusal(&error) {
                    refused.insert(text)?;
                }
                Err(napi::Error::from_reason("refused"))
            }
        }
    }

    /// The project that this works on: the directory that was named, else the nearest one with Ralph's files, from the
    /// working directory upwards. An absolute path without links.
    #[napi(getter)]
    #[must_use]
    pub fn project_dir(&self) -> String {
        self.0.project().root().display().to_string()
    }

    /// Says whether another call of Claude fits into this hour, and counts it. Declared by codegen, as all five are: one
    /// overload an action.
    #[napi(skip_typescript)]
    pub fn rate_limit(&self, env: Env, input: Unknown<'_>, listener: u32, number: u32) -> Result<Option<Refusal>> {
        self.call(env, "rate_limit", &input, Address { listener, number })
    }

    /// Reads a loop's output and says whether the run is over.
    #[napi(skip_typescript)]
    pub fn exit_detection(&self, env: Env, input: Unknown<'_>, listener: u32, number: u32) -> Result<Option<Refusal>> {
        self.call(env, "exit_detection", &input, Address { listener, number })
    }

    /// Stops a run that makes no progress.
    #[napi(skip_typescript)]
    pub fn circuit_breaker(&self, env: Env, input: Unknown<'_>, listener: u32, number: u32) -> Result<Option<Refusal>> {
        self.call(env, "circuit_breaker", &input, Address { listener, number })
    }

    /// Lists the plan's tasks and ticks them one by one.
    #[napi(skip_typescript)]
    pub fn task_planner(&self, env: Env, input: Unknown<'_>, listener: u32, number: u32) -> Result<Option<Refusal>> {
        self.call(env, "task_planner", &input, Address { listener, number })
    }

    /// Keeps `status.json`, the log and the metrics.
    #[napi(skip_typescript)]
    pub fn progress_reporter(&self, env: Env, input: Unknown<'_>, listener: u32, number: u32) -> Result<Option<Refusal>> {
        self.call(env, "progress_reporter", &input, Address { listener, number })
    }

    /// The ends of the logs and the last loop's limits, for the status screen alone.
    #[napi(js_name = "__recent", skip_typescript)]
    pub fn recent(&self, env: Env, _input: Unknown<'_>, listener: u32, number: u32) -> Result<()> {
        let ralph = Arc::clone(&self.0);
        job::run(env, Address { listener, number }, move || as_json(&recent(ralph.project())))
    }

    /// What is wrong with the project, for `doctor` alone.
    #[napi(js_name = "__examine", skip_typescript)]
    pub fn examine(&self, env: Env, _input: Unknown<'_>, listener: u32, number: u32) -> Result<()> {
        let ralph = Arc::clone(&self.0);
        job::run(env, Address { listener, number }, move || as_json(&examine(&ralph)))
    }

    /// Checks a call here, where a refusal still knows who called, and runs it elsewhere.
    fn call(&self, env: Env, tool: &str, input: &Unknown<'_>, to: Address) -> Result<Option<Refusal>> {
        let fields = Tool::named(tool).map_or(&[][..], |tool| tool.definition.fields);
        let input = values::fields(&format!("{tool} takes an object with an action"), input, fields)?;
        match input.and_then(|input| Ralph::check(tool, input)) {
            Err(error) => Ok(Some(refusal(&error))),
            Ok(call) => {
                let ralph = Arc::clone(&self.0);
                job::run(env, to, move || call.run(ralph.project())).map(|()| None)
            }
        }
    }
}

fn as_json(value: &impl serde::Serialize) -> Outcome {
    serde_json::to_string(value).map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))
}

fn open(env: Env, options: &Unknown<'_>) -> Result<ralph_sdk_tools::Result<Ralph>> {
    let options = match options.get_type()? {
        ValueType::Undefined => Ok(RawInput::new()),
        _ => values::fields("new RalphTools takes an object of options, or nothing", options, Options::FIELDS)?,
    };
    let environment = values::environment(env)?;
    let clock = Arc::clone(&Agent::of(env)?.clock);
    Ok(options
        .and_then(|options| Options::from_raw(&options))
        .and_then(|options| Ralph::open_with_clock(&options, &environment, clock)))
}
