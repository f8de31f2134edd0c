//! What an open breaker has become since it was last written, by whoever asks.

use chrono::{DateTime, Utc};

use super::table::{RECOVERIES, Recovery, Relief};
use super::{Breaker, CircuitState, Rules, Stamp, Transition};

/// The breaker as it is at some instant, and the transition that the next record has to persist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    /// As it is now.
    pub breaker: Breaker,
    /// How it differs from what is written.
    pub transition: Option<Transition>,
}

/// The breaker at `now`. `auto_reset`: an OPEN one counts as reset by the start of this instance.
#[must_use]
pub fn effective(written: &Breaker, auto_reset: bool, rules: &Rules, now: DateTime<Utc>) -> Effective {
    let minutes = minutes_open(written, now);
    let holds = |row: &&Recovery| {
        written.state == CircuitState::Open
            && row.generations.contains(&rules.generation)
            && match row.when {
                Relief::AutoReset => auto_reset,
                Relief::CooldownOver => minutes.is_some_and(|passed| passed >= rules.thresholds.cooldown_minutes),
            }
    };
    let Some(row) = RECOVERIES.iter().find(holds) else {
        return Effective { breaker: written.clone(), transition: None };
    };
    let passed = minutes.unwrap_or_default().to_string();
    let kept = if row.clears {
        Breaker { total_opens: written.total_opens, ..Breaker::initial(rules.generation, now) }
    } else {
        written.clone()
    };
    let transition = Transition {
        timestamp: Stamp::at(now),
        loop_number: written.current_loop,
        from: written.state,
        to: row.to,
        reason: row.history.replacen("{}", &passed, 1).replacen("{}", &rules.thresholds.cooldown_minutes.to_string(), 1),
    };
    let breaker = Breaker { state: row.to, last_change: Stamp::at(now), reason: row.reason.replacen("{}", &passed, 1), ..kept };
    Effective { breaker, transition: Some(transition) }
}

/// Seconds until an OPEN breaker becomes `HALF_OPEN`, if nothing is recorded meanwhile. `None` unless OPEN, and under v0.9,
/// which has no cooldown. Where no opening time can be read it is the whole cooldown: it starts with the next record.
#[must_use]
pub fn cooldown_remaining(breaker: &Breaker, rules: &Rules, now: DateTime<Utc>) -> Option<u64> {
    let recovers = RECOVERIES.iter().any(|r| r.when == Relief::CooldownOver && r.generations.contains(&rules.generation));
    if breaker.state != CircuitState::Open || !recovers {
        return None;
    }
    let cooldown = rules.thresholds.cooldown_minutes.saturating_mul(60);
    let Some(since) = opening(breaker).and_then(Stamp::instant) else { return Some(cooldown) };
    let passed = (now - since).num_seconds();
    Some(if passed < 0 { cooldown.saturating_add(passed.unsigned_abs()) } else { cooldown.saturating_sub(passed.unsigned_abs()) })
}

/// Where the opening time of an OPEN breaker stands: `opened_at`, else `last_change`. `None`: neither can be read.
pub(super) fn opening(breaker: &Breaker) -> Option<&Stamp> {
    [&breaker.opened_at, &breaker.last_change].into_iter().find(|stamp| stamp.instant().is_some())
}

/// Whole minutes since it opened. `None`: nobody can tell, or the clock says that it has yet to open.
fn minutes_open(breaker: &Breaker, now: DateTime<Utc>) -> Option<u64> {
    let since = opening(breaker)?.instant()?;
    (since <= now).then(|| (now - since).num_minutes().unsigned_abs())
}
