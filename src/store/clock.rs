//! The clock, injected: the system's in production, a frozen one in tests.

use std::fmt::Debug;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, TimeDelta, Utc};

/// Tells the time.
pub trait Clock: Debug + Send + Sync {
    /// The current instant.
    fn now(&self) -> DateTime<Utc>;
}

/// The operating system's clock.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        instant(SystemTime::now())
    }
}

/// The instant of a system's time, also of one before 1970 (case B10); the nearest that a calendar has.
fn instant(time: SystemTime) -> DateTime<Utc> {
    let (after, before) = match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => (after, Duration::ZERO),
        Err(before) => (Duration::ZERO, before.duration()),
    };
    let span = |span: Duration| TimeDelta::from_std(span).unwrap_or(TimeDelta::MAX);
    let epoch = DateTime::<Utc>::UNIX_EPOCH;
    let moved = if before.is_zero() { epoch.checked_add_signed(span(after)) } else { epoch.checked_sub_signed(span(before)) };
    moved.unwrap_or(if before.is_zero() { DateTime::<Utc>::MAX_UTC } else { DateTime::<Utc>::MIN_UTC })
}

/// A clock that stands still until it is set.
#[derive(Debug)]
pub struct FrozenClock(AtomicI64);

impl FrozenClock {
    /// A clock that stands at `instant`.
    #[must_use]
    pub fn at(instant: DateTime<Utc>) -> Self {
        Self(AtomicI64::new(instant.timestamp_millis()))
    }

    /// Moves it to `instant`.
    pub fn set(&self, instant: DateTime<Utc>) {
        self.0.store(instant.timestamp_millis(), Ordering::SeqCst);
    }
}

impl Clock for FrozenClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0.load(Ordering::SeqCst)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_before_1970_is_told() {
        for (seconds, told) in
            [(1_500_000_000, "2017-07-14T02:40:00Z"), (0, "1970-01-01T00:00:00Z"), (-86_400, "1969-12-31T00:00:00Z")]
        {
            let span = Duration::from_secs(i64::unsigned_abs(seconds));
            let epoch = SystemTime::UNIX_EPOCH;
            let time = if seconds < 0 { epoch - span } else { epoch + span };
            assert_eq!(instant(time), told.parse::<DateTime<Utc>>().expect("an instant"));
        }
    }
}
