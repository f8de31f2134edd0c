//! The class `LoopEngine`.

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;
use ralph_sdk_tools::claude_code::{self, HookInput};
use ralph_sdk_tools::engine::{self, Event};
use ralph_sdk_tools::{Error, ErrorCode};

use crate::errors::{Thrown, passed_on, thrown};
use crate::ralph_tools::RalphTools;
use crate::{job, values};

/// The guarded loop of one project, for programs that make a door to it of their own: an event goes in, an answer comes
/// out. `runRalph` in `ralph-sdk-tools/loop` is such a door, and all that most programs need.
///
/// Nothing is kept in memory: the run's state is in the project's `.session_<id>`.
#[napi]
pub struct LoopEngine(engine::LoopEngine);

#[napi]
impl LoopEngine {
    /// An engine on a project's tools.
    #[napi(constructor)]
    pub fn new(ralph: &RalphTools) -> Self {
        Self(engine::LoopEngine::new(ralph.core()))
    }

    /// Takes the inputs of hooks, as Claude Code tells them, each as JSON text, in order, and says what the last one's callback
    /// returns. `start` is the event that begins the run, where a prompt may begin it.
    ///
    /// Rejects with a `RalphToolError`: `INVALID_INPUT` for what is no hook's input.
    #[napi(ts_args_type = "inputs: string[], start?: LoopEvent | undefined", ts_return_type = "Promise<LoopHookAnswer>")]
    pub fn hooks<'env>(&self, env: &'env Env, inputs: Vec<String>, start: Unknown<'env>) -> Result<Object<'env>, Thrown> {
        let start = match start.get_type().map_err(passed_on)? {
            napi::ValueType::Undefined => None,
            _ => Some(event_of(&start)?),
        };
        let engine = self.0.clone();
        let work = move || {
            let hooks: Vec<HookInput> =
                inputs.iter().map(|input| HookInput::from_json(input.as_bytes())).collect::<ralph_sdk_tools::Result<_>>()?;
            text_of(&claude_code::answer(&engine, &hooks, start.as_ref()))
        };
        job::run(env, work).map_err(passed_on)
    }

    /// Tells which file a hook's input says was changed: at once, for it reads and writes no state.
    ///
    /// Throws a `RalphToolError`: `INVALID_INPUT` for what is no hook's input.
    #[napi(ts_return_type = "LoopEffect")]
    pub fn effect(&self, env: Env, input: String) -> Result<Unknown<'static>, Thrown> {
        let effect = HookInput::from_json(input.as_bytes())
            .and_then(|hook| text_of(&self.0.effect(&claude_code::event(&hook).unwrap_or_default())))
            .map_err(|error| thrown(&error))?;
        job::parse(env, effect).map_err(passed_on)
    }

    /// Takes an event and says what to do next. An error of a guard is no rejection: it ends the loop, and the answer tells.
    ///
    /// Rejects with a `RalphToolError`: `INVALID_INPUT` for an event that is none.
    #[napi(ts_args_type = "event: LoopEvent", ts_return_type = "Promise<LoopAnswer>")]
    pub fn handle<'env>(&self, env: &'env Env, event: Unknown<'env>) -> Result<Object<'env>, Thrown> {
        let event = event_of(&event)?;
        let engine = self.0.clone();
        let work = move || text_of(&engine.handle(&event));
        job::run(env, work).map_err(passed_on)
    }
}

fn event_of(value: &Unknown<'_>) -> Result<Event, Thrown> {
    let fields = values::fields("LoopEngine takes an object with an event", value)?;
    Event::from_raw(fields).map_err(|error| thrown(&error))
}

fn text_of<T: serde::Serialize>(answer: &T) -> ralph_sdk_tools::Result<String> {
    serde_json::to_string(answer).map_err(|error| Error::new(ErrorCode::Internal, format!("an answer has no JSON form: {error}")))
}
