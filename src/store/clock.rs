//! The clock, injected: the system's in production, a frozen one in tests.

use std::fmt::Debug;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Utc};

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
        Utc::now()
    }
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
