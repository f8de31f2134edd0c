//! The class `LoopEngine`.

use napi::bindgen_prelude::Unknown;
use napi::{Env, Result};
use napi_derive::napi;
use ralph_sdk_tools::claude_code::HookInputs;
use ralph_sdk_tools::engine::{self, Event, FIELDS};
use ralph_sdk_tools::{Error, ErrorCode};

use crate::answers::Outcome;
use crate::errors::{Refusal, refusal};
use crate::job::{self, Address};
use crate::ralph_tools::RalphTools;
use crate::values;

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

    /// Takes an event and says what to do next. An error of a guard is no rejection: it ends the loop, and the answer tells.
    ///
    /// Rejects with a `RalphToolError`: `INVALID_INPUT` for an event that is none.
    #[napi(ts_args_type = "event: LoopEvent", ts_return_type = "Promise<LoopAnswer>")]
    pub fn handle(&self, env: Env, event: Unknown<'_>, listener: u32, number: u32) -> Result<Option<Refusal>> {
        let fields = values::fields("LoopEngine.handle takes an object with an event", &event, FIELDS)?;
        match fields.and_then(Event::from_raw) {
            Err(error) => Ok(Some(refusal(&error))),
            Ok(event) => {
                let engine = self.0.clone();
                job::run(env, Address { listener, number }, move || text_of(&engine.handle(&event))).map(|()| None)
            }
        }
    }

    /// Takes what Claude Code told hooks, and says what the last one returns. The text is JSON: `{ hooks, start? }`, the inputs
    /// in their order, and the event that begins the run, where a prompt among them may begin it.
    ///
    /// Rejects with a `RalphToolError`: `INVALID_INPUT` for what is no such text.
    #[napi(ts_args_type = "inputs: string", ts_return_type = "Promise<LoopHookAnswer>")]
    pub fn hooks(&self, env: Env, inputs: String, listener: u32, number: u32) -> Result<Option<Refusal>> {
        let engine = self.0.clone();
        let work = move || text_of(&HookInputs::from_json(inputs.as_bytes())?.answer(&engine));
        job::run(env, Address { listener, number }, work).map(|()| None)
    }

    /// Tells which files hooks say were changed. The text is JSON: `{ hooks }`, the inputs in their order. Reads and writes no
    /// state.
    ///
    /// Rejects with a `RalphToolError`: `INVALID_INPUT` for what is no such text.
    #[napi(ts_args_type = "inputs: string", ts_return_type = "Promise<LoopEffects>")]
    pub fn effects(&self, env: Env, inputs: String, listener: u32, number: u32) -> Result<Option<Refusal>> {
        let engine = self.0.clone();
        let work = move || text_of(&engine.effects(&HookInputs::from_json(inputs.as_bytes())?.events()));
        job::run(env, Address { listener, number }, work).map(|()| None)
    }
}

fn text_of<T: serde::Serialize>(answer: &T) -> Outcome {
    serde_json::to_string(answer).map_err(|error| Error::new(ErrorCode::Internal, format!("an answer has no JSON form: {error}")))
}
