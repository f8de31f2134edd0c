//! The clock of this process, which tests of the addon may stop.

use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Utc};
use napi::bindgen_prelude::{Either, Null};
use napi_derive::napi;
use ralph_sdk_tools::store::clock::{Clock, SystemClock};

/// No instant that chrono knows.
const RUNNING: i64 = i64::MIN;

/// Milliseconds since 1970 at which the clock stands, or [`RUNNING`].
static STANDS_AT: AtomicI64 = AtomicI64::new(RUNNING);

/// The system's clock, unless it was stopped.
#[derive(Debug)]
pub struct ProcessClock;

impl Clock for ProcessClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(STANDS_AT.load(Ordering::SeqCst)).unwrap_or_else(|| SystemClock.now())
    }
}

/// For this package's own tests: stops the clock of all instances at that time, or lets it run again.
#[napi(js_name = "__freezeClock", skip_typescript)]
pub fn freeze_clock(epoch_ms: Either<f64, Null>) {
    let instant = match epoch_ms {
        Either::A(instant) => whole_milliseconds(instant),
        Either::B(Null) => RUNNING,
    };
    STANDS_AT.store(instant, Ordering::SeqCst);
}

#[expect(clippy::cast_possible_truncation, reason = "JavaScript's times are whole milliseconds within 10^16")]
fn whole_milliseconds(time: f64) -> i64 {
    time as i64
}
