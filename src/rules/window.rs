//! The rate limit's window: the local clock hour, and what it admits.

use chrono::{DateTime, Duration, FixedOffset, Timelike, Utc};

use crate::zone::Zone;

/// A local clock hour.
///
/// The hour that happens twice (when the clock goes back for winter) is two windows with the same key, told apart by
/// their start. Bash Ralph knows only the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// `YYYYMMDDHH`, as `.last_reset` holds it.
    pub key: String,
    /// When it began.
    pub start: DateTime<Utc>,
    /// When the next one begins, on the local clock.
    pub next: DateTime<FixedOffset>,
    /// When the window of the same key before this one began, where this is the second.
    pub first: Option<DateTime<Utc>>,
}

/// A file's time that lies so far ahead is none.
const ABSURD: Duration = Duration::days(36_525);

impl Window {
    /// The window that `now` lies in.
    #[must_use]
    pub fn at(now: DateTime<Utc>, zone: &Zone) -> Self {
        let local = zone.at(now);
        let start = start_of(now, local);
        let before = start - Duration::seconds(1);
        let local_before = zone.at(before);
        let repeats = local_before.date_naive() == local.date_naive() && local_before.hour() == local.hour();
        Self {
            key: local.format("%Y%m%d%H").to_string(),
            start,
            next: zone.at(start + Duration::hours(1)),
            first: repeats.then(|| start_of(before, local_before)),
        }
    }

    /// Whether counters under `key`, whose file was written at `modified`, belong to this window. Anything else is stale
    /// and reads as 0.
    ///
    /// The key tells the hour, but for the one that happens twice. Which of the two it was is told by the time, where that
    /// lies in the first. A time that fits neither tells nothing: a file system that keeps none after 2038, a copy, a
    /// clock that was wrong (case B11). Then the counters stay, for that admits less. `modified` is `None` where no
    /// calendar has the time: stale (case B10), as is one a lifetime ahead.
    #[must_use]
    pub fn holds(&self, key: Option<&str>, modified: Option<DateTime<Utc>>) -> bool {
        let Some(modified) = modified.filter(|modified| *modified - self.start < ABSURD) else { return false };
        let in_first = |first: DateTime<Utc>| first <= modified && modified < self.start;
        key == Some(self.key.as_str()) && !self.first.is_some_and(in_first)
    }

    /// Whole seconds until the next window, rounded up; at least 1.
    #[must_use]
    pub fn seconds_left(&self, now: DateTime<Utc>) -> u64 {
        let left = self.next.with_timezone(&Utc) - now;
        u64::try_from((left.num_milliseconds() + 999) / 1000).unwrap_or(0).max(1)
    }
}

fn start_of(now: DateTime<Utc>, local: DateTime<FixedOffset>) -> DateTime<Utc> {
    let into =
        Duration::seconds(i64::from(local.minute() * 60 + local.second())) + Duration::nanoseconds(i64::from(local.nanosecond()));
    now - into
}

/// The limits of a window. `tokens` 0 is no token limit (Ralph issue #223).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Calls admitted.
    pub calls: u64,
    /// Tokens after which no call is admitted.
    pub tokens: u64,
}

/// What has been used of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Used {
    /// Calls admitted so far.
    pub calls: u64,
    /// Tokens used so far.
    pub tokens: u64,
}

/// Which limit a call runs into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The calls of this hour are used up.
    Calls,
    /// The tokens of this hour are used up.
    Tokens,
}

impl Limits {
    /// What keeps `calls` more calls from being admitted; no calls are always admitted.
    #[must_use]
    pub fn bound(self, used: Used, calls: u64) -> Option<Bound> {
        if calls == 0 {
            None
        } else if used.calls.saturating_add(calls) > self.calls {
            Some(Bound::Calls)
        } else if self.tokens > 0 && used.tokens >= self.tokens {
            Some(Bound::Tokens)
        } else {
            None
        }
    }

    /// Calls left in the window.
    #[must_use]
    pub fn remaining(self, used: Used) -> u64 {
        self.calls.saturating_sub(used.calls)
    }

    /// What is used after asking for `calls` calls that used `tokens` tokens. Refused calls leave the count alone; tokens
    /// are added always: they have been used.
    #[must_use]
    pub fn admit(self, used: Used, calls: u64, tokens: u64) -> (Used, Option<Bound>) {
        let bound = self.bound(used, calls);
        let calls = if bound.is_none() { used.calls.saturating_add(calls) } else { used.calls };
        (Used { calls, tokens: used.tokens.saturating_add(tokens).min(crate::schema::MAX_SAFE_INTEGER) }, bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn utc(text: &str) -> DateTime<Utc> {
        text.parse().expect("an instant")
    }

    fn zone(name: &str) -> Zone {
        Zone::from_tz_variable(Some(name))
    }

    #[test]
    fn the_window_is_the_local_clock_hour() {
        for (name, now, key, start, next) in [
            ("UTC", "2026-03-01T10:20:30Z", "2026030110", "2026-03-01T10:00:00Z", "2026-03-01T11:00:00+00:00"),
            ("Asia/Kolkata", "2026-03-01T10:20:30Z", "2026030115", "2026-03-01T09:30:00Z", "2026-03-01T16:00:00+05:30"),
            ("Australia/Eucla", "2026-09-08T10:54:51Z", "2026090819", "2026-09-08T10:15:00Z", "2026-09-08T20:00:00+08:45"),
            ("America/New_York", "2026-03-08T06:59:59Z", "2026030801", "2026-03-08T06:00:00Z", "2026-03-08T03:00:00-04:00"),
            ("America/New_York", "2026-11-01T05:30:00Z", "2026110101", "2026-11-01T05:00:00Z", "2026-11-01T01:00:00-05:00"),
            ("America/New_York", "2026-11-01T06:30:00Z", "2026110101", "2026-11-01T06:00:00Z", "2026-11-01T02:00:00-05:00"),
        ] {
            let window = Window::at(utc(now), &zone(name));
            assert_eq!(
                (window.key.as_str(), window.start, window.next.to_rfc3339().as_str()),
                (key, utc(start), next),
                "{name} {now}"
            );
        }
    }

    #[test]
    fn the_hour_that_happens_twice_is_two_windows() {
        let second = Window::at(utc("2026-11-01T06:10:00Z"), &zone("America/New_York"));
        assert!(!second.holds(Some("2026110101"), Some(utc("2026-11-01T05:59:00Z"))));
        assert!(second.holds(Some("2026110101"), Some(utc("2026-11-01T06:00:00Z"))));
        assert!(!second.holds(Some("2026110100"), Some(utc("2026-11-01T06:05:00Z"))));
        assert!(!second.holds(None, None));
        assert_eq!(second.first, Some(utc("2026-11-01T05:00:00Z")));
        assert_eq!(Window::at(utc("2026-11-01T05:10:00Z"), &zone("America/New_York")).first, None);
    }

    #[test]
    fn a_time_that_fits_no_such_hour_tells_nothing_and_the_counters_stay() {
        // Case B11: a small inode has no time after January 2038, and a larger one none after 2446.
        for (now, key, modified) in [
            ("2040-03-01T10:20:30Z", "2040030110", "2038-01-19T03:14:07Z"),
            ("2500-03-01T10:20:30Z", "2500030110", "2446-05-10T22:38:55Z"),
            ("2026-03-01T10:20:30Z", "2026030110", "2026-03-01T09:59:59Z"),
            ("2026-03-01T10:20:30Z", "2026030110", "2026-12-01T00:00:00Z"),
            ("2026-03-01T10:20:30Z", "2026030110", "1901-12-13T20:45:52Z"),
        ] {
            assert!(Window::at(utc(now), &zone("UTC")).holds(Some(key), Some(utc(modified))), "{now} {modified}");
        }
        let second = Window::at(utc("2040-11-04T06:10:00Z"), &zone("America/New_York"));
        assert_eq!(second.key, "2040110401");
        assert!(second.holds(Some("2040110401"), Some(utc("2038-01-19T03:14:07Z"))), "the stricter answer");
        assert!(!second.holds(Some("2040110401"), Some(utc("2040-11-04T05:30:00Z"))), "the first of the two");
        let window = Window::at(utc("2026-03-01T10:20:30Z"), &zone("UTC"));
        assert!(!window.holds(Some("2026030110"), None), "case B10");
        assert!(!window.holds(Some("2026030110"), Some(utc("2446-05-10T22:38:55Z"))), "case B10 where inodes are large");
    }

    #[test]
    fn seconds_are_rounded_up() {
        for (now, left) in [("2026-03-01T10:00:00Z", 3600), ("2026-03-01T10:59:59.001Z", 1), ("2026-03-01T10:59:58.900Z", 2)] {
            let now = utc(now);
            assert_eq!(Window::at(now, &zone("UTC")).seconds_left(now), left, "{now}");
        }
    }

    #[test]
    fn admission() {
        let limits = |calls, tokens| Limits { calls, tokens };
        let used = |calls, tokens| Used { calls, tokens };
        for (limit, before, calls, tokens, after, bound) in [
            (limits(3, 0), used(2, 0), 1, 0, used(3, 0), None),
            (limits(3, 0), used(3, 0), 1, 0, used(3, 0), Some(Bound::Calls)),
            (limits(3, 0), used(2, 0), 2, 7, used(2, 7), Some(Bound::Calls)),
            (limits(3, 10), used(0, 9), 1, 5, used(1, 14), None),
            (limits(3, 10), used(0, 10), 1, 5, used(0, 15), Some(Bound::Tokens)),
            (limits(3, 10), used(9, 99), 0, 5, used(9, 104), None),
            (limits(0, 0), used(0, 0), 1, 0, used(0, 0), Some(Bound::Calls)),
        ] {
            assert_eq!(limit.admit(before, calls, tokens), (after, bound), "{limit:?} {before:?} {calls} {tokens}");
        }
    }

    proptest! {
        #[test]
        fn no_sequence_of_calls_passes_the_limit(limit in 0_u64..50, calls in proptest::collection::vec(0_u64..20, 0..60)) {
            let limits = Limits { calls: limit, tokens: 0 };
            let mut used = Used::default();
            for call in calls {
                used = limits.admit(used, call, 0).0;
                prop_assert!(used.calls <= limit);
            }
        }

        #[test]
        fn now_lies_in_its_window(seconds in 0_i64..4_000_000_000, name in prop::sample::select(vec!["UTC", "Asia/Kolkata", "Australia/Eucla", "America/New_York", "Australia/Lord_Howe"])) {
            let now = DateTime::from_timestamp(seconds, 0).expect("in range");
            let window = Window::at(now, &zone(name));
            prop_assert!(window.start <= now && now < window.next);
            prop_assert!(window.holds(Some(&window.key), Some(now)));
        }
    }
}
