//! The values that the breaker is made of.

use chrono::{DateTime, NaiveDateTime, Utc};

use crate::generation::Generation;

crate::words! {
    /// Whether the loop may run.
    CircuitState {
        /// It may.
        Closed = "CLOSED",
        /// It may, and is watched: the next loops decide.
        HalfOpen = "HALF_OPEN",
        /// It may not.
        Open = "OPEN",
    }
}

impl CircuitState {
    /// The state that a word names in any case: models that write the file by hand write `open` (S19).
    #[must_use]
    pub fn in_any_case(word: &str) -> Option<Self> {
        Self::from_word(&word.trim().to_ascii_uppercase())
    }
}

/// A timestamp as a state file has it, kept as text so that one which nobody can read is not lost; empty: there is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stamp(String);

impl Stamp {
    /// The text of a file.
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// This instant, in seconds, as bash writes it: `2026-03-01T10:20:30+00:00`.
    #[must_use]
    pub fn at(instant: DateTime<Utc>) -> Self {
        Self(instant.format("%Y-%m-%dT%H:%M:%S+00:00").to_string())
    }

    /// The instant, in whole seconds; without an offset it is UTC, as in bash. `None` if it is empty or cannot be read.
    #[must_use]
    pub fn instant(&self) -> Option<DateTime<Utc>> {
        let text = self.0.trim();
        DateTime::parse_from_rfc3339(text)
            .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"))
            .map(|instant| instant.to_utc())
            .or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").map(|naive| naive.and_utc()))
            .ok()
            // A leap second would make differences of instants inexact.
            .and_then(|instant| DateTime::from_timestamp(instant.timestamp(), 0))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The breaker between two loops: what `.circuit_breaker_state` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breaker {
    /// As it was left; [`effective`](super::effective) says what it is by now.
    pub state: CircuitState,
    /// When it was last written.
    pub last_change: Stamp,
    /// Loops without progress since the last progress; loops of mere questions are not among them, five in a row at most.
    pub consecutive_no_progress: u64,
    /// Loops with errors in a row.
    pub consecutive_same_error: u64,
    /// Loops with permission denials in a row. `None` under v0.9, which has no such field.
    pub consecutive_permission_denials: Option<u64>,
    /// Loops without progress in which Claude asked questions, in a row. `None` under v0.9. Bash has no such field.
    pub consecutive_questions: Option<u64>,
    /// The last loop with progress, 0 before any.
    pub last_progress_loop: u64,
    /// Transitions into OPEN since the last reset.
    pub total_opens: u64,
    /// Why the last loop left it as it is; empty where there is nothing to say.
    pub reason: String,
    /// The loop recorded last, 0 before any.
    pub current_loop: u64,
    /// When it opened; empty unless OPEN.
    pub opened_at: Stamp,
    /// The loop recorded last, until the next one begins: recording it again counts nothing. Bash has no such field.
    pub recorded_loop: Option<u64>,
}

impl Breaker {
    /// CLOSED, and nothing counted yet.
    #[must_use]
    pub fn initial(generation: Generation, now: DateTime<Utc>) -> Self {
        let since_0_11 = match generation {
            Generation::V0_9 => None,
            Generation::V0_11 => Some(0),
        };
        Self {
            state: CircuitState::Closed,
            last_change: Stamp::at(now),
            consecutive_no_progress: 0,
            consecutive_same_error: 0,
            consecutive_permission_denials: since_0_11,
            consecutive_questions: since_0_11,
            last_progress_loop: 0,
            total_opens: 0,
            reason: String::new(),
            current_loop: 0,
            opened_at: Stamp::default(),
            recorded_loop: None,
        }
    }

    /// What a reset by hand leaves: the initial state, with who or what reset it.
    #[must_use]
    pub fn reset(reason: &str, generation: Generation, now: DateTime<Utc>) -> Self {
        Self { reason: reason.to_owned(), ..Self::initial(generation, now) }
    }

    /// A new loop begins: whatever number it has, it will count.
    #[must_use]
    pub fn begin(&self) -> Self {
        Self { recorded_loop: None, ..self.clone() }
    }
}

/// One change of state: what `.circuit_breaker_history` lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// When.
    pub timestamp: Stamp,
    /// The loop that caused it; of a recovery, the loop recorded last.
    pub loop_number: u64,
    /// The state before.
    pub from: CircuitState,
    /// The state after.
    pub to: CircuitState,
    /// In bash's words.
    pub reason: String,
}
