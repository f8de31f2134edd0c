//! The clock of a JavaScript environment, which tests of the addon may stop.

use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Utc};
use napi::bindgen_prelude::{Either, Null};
use napi::{Env, Result};
use napi_derive::napi;
use ralph_sdk_tools::store::clock::{Clock, SystemClock};

use crate::agent::Agent;

/// No instant that chrono knows.
const RUNNING: i64 = i64::MIN;

/// The system's clock, unless it was stopped at so many milliseconds since 1970.
#[derive(Debug)]
pub struct AgentClock(AtomicI64);

impl Default for AgentClock {
    fn default() -> Self {
        Self(AtomicI64::new(RUNNING))
    }
}

impl Clock for AgentClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0.load(Ordering::SeqCst)).unwrap_or_else(|| SystemClock.now())
    }
}

/// For this package's own tests: stops the clock of this thread's instances at that time, or lets it run again.
#[napi(js_name = "__freezeClock", skip_typescript)]
pub fn freeze_clock(env: Env, epoch_ms: Either<f64, Null>) -> Result<()> {
    let instant = match epoch_ms {
        Either::A(instant) => whole_milliseconds(instant),
        Either::B(Null) => RUNNING,
    };
    Agent::of(env)?.clock.0.store(instant, Ordering::SeqCst);
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "JavaScript's times are whole milliseconds within 10^16")]
fn whole_milliseconds(time: f64) -> i64 {
    time as i64
}
