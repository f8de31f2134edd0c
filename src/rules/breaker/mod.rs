//! The circuit breaker: a state machine that stops a loop which burns money without progress.
//!
//! It is free of files and clocks: a [`Breaker`] and an [`Observation`] of one loop go in, the next [`Breaker`] and the
//! [`Transition`]s on the way come out. What the two generations of Ralph do is in the tables of [`table`]; the rest of
//! this module only looks rows up.

pub mod claims;
mod record;
mod recovery;
mod state;
pub mod table;

pub use record::{Files, LoopAnalysis, Observation, Recorded, record};
pub use recovery::{Effective, cooldown_remaining, effective};
pub use state::{Breaker, CircuitState, Stamp, Transition};

use crate::generation::Generation;

/// When the breaker trips, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Loops without progress (`CB_NO_PROGRESS_THRESHOLD`, default 3). 0 opens at every record, as in bash.
    pub no_progress: u64,
    /// Loops with errors (`CB_SAME_ERROR_THRESHOLD`, default 5).
    pub same_error: u64,
    /// Loops with permission denials (`CB_PERMISSION_DENIAL_THRESHOLD`, default 2); v0.11.
    pub permission_denials: u64,
    /// Minutes from opening to a new try (`CB_COOLDOWN_MINUTES`, default 30); v0.11.
    pub cooldown_minutes: u64,
}

/// The rules that a breaker goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Whose rows of the tables apply.
    pub generation: Generation,
    /// The user's limits.
    pub thresholds: Thresholds,
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
