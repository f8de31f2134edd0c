//! How long to leave something alone that did not answer: growing pauses, so that it is not asked in vain at every call.

use std::time::Duration;

/// The pause after the first failure; each further one doubles it.
const FIRST: Duration = Duration::from_millis(250);

/// The longest pause: that much later at most is noticed that it is back.
const LONGEST: Duration = Duration::from_secs(10);

/// The failures in a row so far. Instants are told as the time since some fixed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backoff {
    failures: u32,
    until: Duration,
}

impl Backoff {
    /// How long it is still to be left alone; `None` where it may be asked.
    #[must_use]
    pub fn left(&self, now: Duration) -> Option<Duration> {
        self.until.checked_sub(now).filter(|left| self.failures > 0 && !left.is_zero())
    }

    /// It did not answer: the pause from now on.
    pub fn failed(&mut self, now: Duration) -> Duration {
        let pause = FIRST.saturating_mul(1 << self.failures.min(16)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        self.until = now + pause;
        pause
    }

    /// It answered.
    pub fn worked(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_limit_and_end_with_an_answer() {
        let mut backoff = Backoff::default();
        let mut now = Duration::from_secs(1);
        assert_eq!(backoff.left(now), None);
        for pause in [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000] {
            let pause = Duration::from_millis(pause);
            assert_eq!(backoff.failed(now), pause);
            assert_eq!(backoff.left(now), Some(pause));
            now += pause;
            assert_eq!(backoff.left(now), None);
        }
        backoff.failed(now);
        backoff.worked();
        assert_eq!(backoff.left(now), None);
        assert_eq!(backoff.failed(now), FIRST);
    }
}
