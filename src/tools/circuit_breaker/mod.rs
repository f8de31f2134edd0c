//! `circuit_breaker`: stops a loop that makes no progress, repeats an error, or is denied its tools.

mod changes;
mod claims;
mod files;
mod run;
#[cfg(test)]
mod tests;

pub use changes::{Changes, changes, files_changed, loop_at_hand};
pub use claims::compare_claims;
pub use files::{HistoryFile, LoopFilesFile, LoopStart, LoopStartFile, StateFile};
pub use run::run;

use crate::input::clip;
use crate::rules::breaker::CircuitState;
use crate::schema::{Access, Action, Field, ToolDefinition};
use crate::{record, words};

words! {
    /// What `circuit_breaker` can do.
    Verb {
        /// Tells more than check: with the history.
        Status = "status",
        /// Tells whether the loop may run.
        Check = "check",
        /// Closes it.
        Reset = "reset",
        /// Marks the beginning of a loop.
        Begin = "begin",
        /// Counts a loop that has ended.
        Record = "record",
    }
}

record! {
    /// What the circuit breaker has counted.
    CircuitBreakerState {
        always {
            /// CLOSED: all is well. `HALF_OPEN`: the loop may run and is watched. OPEN: it may not. An elapsed cooldown is taken into account.
            state: CircuitState,
            /// Why it is so, in bash Ralph's words; empty where there is nothing to say.
            reason: String,
            /// Loops without progress since the last progress.
            consecutive_no_progress: u64,
            /// The last loop with progress; 0 before any.
            last_progress_loop: u64,
            /// How often it has opened since the last reset.
            total_opens: u64,
            /// Loops with errors in a row.
            consecutive_same_error: u64,
            /// The loop recorded last; 0 before any.
            current_loop: u64,
        }
        sometimes {
            /// (v0.11 rules) Loops with permission denials in a row.
            consecutive_permission_denials: u64,
            /// (OPEN) When it opened, as the state file has it: ISO 8601, UTC.
            opened_at: String,
        }
    }
}

record! {
    /// A change of the breaker's state.
    CircuitTransition {
        always {
            /// When: ISO 8601, UTC.
            timestamp: String,
            /// The loop that caused it; of a cooldown's end, the loop recorded last.
            r#loop: u64,
            /// The state before.
            from_state: CircuitState,
            /// The state after.
            to_state: CircuitState,
            /// Why, in bash Ralph's words.
            reason: String,
        }
    }
}

record! {
    /// The answer of `circuit_breaker`.
    CircuitBreakerToolOutput extends CircuitBreakerState as breaker {
        always {
            /// Whether the next loop may run: false while OPEN.
            can_execute: bool,
        }
        sometimes {
            /// (OPEN, v0.11 rules) Seconds until it is `HALF_OPEN` by itself.
            cooldown_remaining_seconds: u64,
            /// (status) The last 10 transitions, the oldest first.
            history: Vec<CircuitTransition>,
        }
    }
}

const LOOP_NUMBER: Field<u64> = Field::integer("loopNumber", "The loop; recorded again without begin it counts once.")
    .default("the last analysis's, else the next")
    .on(&[Verb::Begin.as_str(), Verb::Record.as_str()])
    .access(Access::Full);

const FILES_CHANGED: Field<u64> = Field::integer("filesChanged", "Files that the loop changed: progress if any.")
    .default("counted by git, since begin")
    .on(&[Verb::Record.as_str()])
    .access(Access::Full);

const HAS_ERRORS: Field<bool> = Field::boolean("hasErrors", "Whether the loop failed.")
    .default("what the analysis of that loop says")
    .on(&[Verb::Record.as_str()])
    .access(Access::Full);

const OUTPUT_LENGTH: Field<u64> =
    Field::integer("outputLength", "No effect, as in bash.").on(&[Verb::Record.as_str()]).access(Access::Full);

/// So much of a reason is kept: it stands in every later answer.
const LONGEST_REASON: usize = 1000;

const REASON: Field<String> = Field::text("reason", "Why; cut at 1000 characters.")
    .at_most_chars(1 << 20)
    .default("\"Manual reset\"")
    .on(&[Verb::Reset.as_str()])
    .access(Access::Full);

/// The definition.
pub const DEFINITION: ToolDefinition = ToolDefinition {
    name: "circuit_breaker",
    method: "circuitBreaker",
    title: "Circuit breaker",
    description: "The guard against loops without progress. Call `check` before more work: canExecute false means stop and say why (reason). \
                  It opens after loops without changed files, with the same error, or with permission denials. \
                  Answers state, reason, counts, and while OPEN cooldownRemainingSeconds.",
    input: "CircuitBreakerToolInput",
    actions: &[
        Action::read(Verb::Status.as_str(), "As `check`, with the last state changes.").gives(&["history"]),
        Action::read(Verb::Check.as_str(), "Tells whether the next loop may run."),
        Action::write(Verb::Reset.as_str(), Access::Full, "Closes the breaker and zeroes its counts; the history stays.")
            .destructive(),
        Action::write(Verb::Begin.as_str(), Access::Full, "Marks a loop's beginning, from where git counts changes."),
        Action::write(Verb::Record.as_str(), Access::Full, "Counts a loop that has ended; opens or closes the breaker.")
            .cumulative(),
    ],
    fields: &[LOOP_NUMBER.spec, FILES_CHANGED.spec, HAS_ERRORS.spec, OUTPUT_LENGTH.spec, REASON.spec],
    output: &CircuitBreakerToolOutput::RECORD,
    records: &[&CircuitBreakerState::RECORD, &CircuitTransition::RECORD],
    enumerations: &[&CircuitState::ENUMERATION],
};

/// The reason of a reset: what was given, else bash's.
fn reset_reason(given: Option<String>) -> String {
    given
        .filter(|reason| !reason.trim().is_empty())
        .map_or_else(|| "Manual reset".to_owned(), |reason| clip(&reason, LONGEST_REASON))
}
