//! The breaker's rules, as rows. Of the rows whose generation and state fit, the first whose condition holds is taken.
//!
//! Sources: bash Ralph v0.9.0 and v0.11.5, `lib/circuit_breaker.sh`. Two rules are ours, both in v0.11 only: errors count
//! while `HALF_OPEN`, and questions are forgiven [`FORGIVEN_QUESTIONS`] times in a row.

use super::CircuitState::{self, Closed, HalfOpen, Open};
use crate::generation::Generation;

/// A counter of consecutive loops, each with a threshold of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// `consecutive_no_progress`.
    NoProgress,
    /// `consecutive_same_error`.
    SameError,
    /// `consecutive_permission_denials`.
    PermissionDenials,
}

/// When a row applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// The counter is at its threshold or above.
    Reached(Counter),
    /// The counter is at this value or above, whatever its threshold.
    AtLeast(Counter, u64),
    /// The loop made progress.
    Progress,
    /// No row above applied.
    Otherwise,
}

/// A row: where a recorded loop leads.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The state before the loop.
    pub from: CircuitState,
    /// The condition, with the loop already counted.
    pub when: Condition,
    /// The state after it.
    pub to: CircuitState,
    /// The reason, word for word as in bash; `{}` is the counter of the condition.
    pub reason: &'static str,
    /// Whose rule it is.
    pub generations: &'static [Generation],
}

const fn row(
    from: CircuitState,
    when: Condition,
    to: CircuitState,
    reason: &'static str,
    generations: &'static [Generation],
) -> Row {
    Row { from, when, to, reason, generations }
}

use Condition::{AtLeast, Otherwise, Progress, Reached};
use Counter::{NoProgress, PermissionDenials, SameError};

const BOTH: &[Generation] = Generation::BOTH;
const V0_11: &[Generation] = Generation::SINCE_0_11;

const DENIED: &str = "Permission denied in {} consecutive loops - update ALLOWED_TOOLS in .ralphrc";
const SAME_ERROR: &str = "Same error repeated in {} consecutive loops";

/// Where a recorded loop leads.
#[rustfmt::skip]
pub const TRANSITIONS: &[Row] = &[
    row(Closed,   Reached(PermissionDenials), Open,     DENIED,                                            V0_11),
    row(Closed,   Reached(NoProgress),        Open,     "No progress detected in {} consecutive loops",    BOTH),
    row(Closed,   Reached(SameError),         Open,     SAME_ERROR,                                        BOTH),
    row(Closed,   AtLeast(NoProgress, 2),     HalfOpen, "Monitoring: {} loops without progress",           BOTH),
    row(Closed,   Otherwise,                  Closed,   "",                                                BOTH),

    row(HalfOpen, Reached(PermissionDenials), Open,     DENIED,                                            V0_11),
    row(HalfOpen, Progress,                   Closed,   "Progress detected, circuit recovered",            BOTH),
    row(HalfOpen, Reached(NoProgress),        Open,     "No recovery, opening circuit after {} loops",     BOTH),
    row(HalfOpen, Reached(SameError),         Open,     SAME_ERROR,                                        V0_11),
    row(HalfOpen, Otherwise,                  HalfOpen, "",                                                BOTH),

    row(Open,     Otherwise,                  Open,     "Circuit breaker is open, execution halted",       BOTH),
];

/// What ends OPEN without a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relief {
    /// A new instance with `autoReset` has started.
    AutoReset,
    /// The cooldown has passed since it opened.
    CooldownOver,
}

/// A row: where OPEN leads without a loop.
#[derive(Debug, Clone, Copy)]
pub struct Recovery {
    /// What ends it.
    pub when: Relief,
    /// The state after it.
    pub to: CircuitState,
    /// Whether all counts but `total_opens` begin anew.
    pub clears: bool,
    /// The reason in the state; `{}` is the minutes since it opened.
    pub reason: &'static str,
    /// The reason in the history; the second `{}` is the cooldown in minutes.
    pub history: &'static str,
    /// Whose rule it is.
    pub generations: &'static [Generation],
}

/// Where OPEN leads without a loop. v0.9 has neither: its breaker stays open until a reset.
pub const RECOVERIES: &[Recovery] = &[
    Recovery {
        when: Relief::AutoReset,
        to: Closed,
        clears: true,
        reason: "Auto-reset on startup",
        history: "Auto-reset on startup (CB_AUTO_RESET=true)",
        generations: V0_11,
    },
    Recovery {
        when: Relief::CooldownOver,
        to: HalfOpen,
        clears: false,
        reason: "Cooldown recovery: {}m elapsed",
        history: "Cooldown elapsed ({}m >= {}m)",
        generations: V0_11,
    },
];

/// What shows that a loop made progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The caller or git counted changed files.
    FilesChanged,
    /// The analysis of the loop has a completion or an exit signal.
    Signal,
    /// The analysis of the loop reports modified files.
    FilesReported,
}

/// What counts as progress.
pub const PROGRESS: &[(Evidence, &[Generation])] =
    &[(Evidence::FilesChanged, BOTH), (Evidence::Signal, V0_11), (Evidence::FilesReported, V0_11)];

/// So many loops of mere questions in a row leave `consecutive_no_progress` alone (v0.11). Bash forgives them for ever.
pub const FORGIVEN_QUESTIONS: u64 = 5;
