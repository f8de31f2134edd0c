//! The class `LoopEngine`.

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;
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

    /// Takes an event and says what to do next. An error of a guard is no rejection: it ends the loop, and the answer tells.
    ///
    /// Rejects with a `RalphToolError`: `INVALID_INPUT` for an event that is none.
    #[napi(ts_args_type = "event: LoopEvent", ts_return_type = "Promise<LoopAnswer>")]
    pub fn handle<'env>(&self, env: &'env Env, event: Unknown<'env>) -> Result<Object<'env>, Thrown> {
        let fields = values::fields("LoopEngine.handle takes an object with an event", &event)?;
        let event = Event::from_raw(fields).map_err(|error| thrown(&error))?;
        let engine = self.0.clone();
        let work = move || {
            let answer = engine.handle(&event);
            serde_json::to_string(&answer)
                .map_err(|error| Error::new(ErrorCode::Internal, format!("an answer has no JSON form: {error}")))
        };
        job::run(env, work).map_err(passed_on)
    }
}
