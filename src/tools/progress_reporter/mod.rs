//! `progress_reporter`: what people and dashboards look at: `status.json`, the log, and statistics of the loops.

mod files;
mod recent;
mod run;
mod statistics;
#[cfg(test)]
mod tests;

pub use files::{ProgressFile, StatusFile};
pub use recent::{Recent, recent};
pub use run::run;

use serde_json::Value;

use crate::options::LogLevel;
use crate::schema::{Access, Action, Field, ToolDefinition};
use crate::{record, words};

words! {
    /// What `progress_reporter` can do.
    Verb {
        /// Writes the status, a log line, and a loop's measures.
        Update = "update",
        /// Tells the status.
        Read = "read",
        /// As read, for those who want the statistics.
        Metrics = "metrics",
    }
}

words! {
    /// The level of a log line, in bash Ralph's words.
    Level {
        /// Details.
        Debug = "DEBUG",
        /// What goes on.
        Info = "INFO",
        /// What may need a look.
        Warn = "WARN",
        /// What failed.
        Error = "ERROR",
        /// What was achieved.
        Success = "SUCCESS",
        /// Where a loop begins and ends.
        Loop = "LOOP",
    }
}

impl Level {
    /// The least chatty `logLevel` at which such a line is written.
    const fn severity(self) -> LogLevel {
        match self {
            Self::Debug => LogLevel::Debug,
            Self::Info | Self::Success | Self::Loop => LogLevel::Info,
            Self::Warn => LogLevel::Warn,
            Self::Error => LogLevel::Error,
        }
    }
}

record! {
    /// What `status.json` says.
    RalphStatus {
        always {
            /// When it was written: ISO 8601, UTC. Now, before any update.
            timestamp: String,
            /// The loop; 0 before any update.
            loop_count: u64,
            /// Calls made in the clock hour of `timestamp`.
            calls_made: u64,
            /// In bash Ralph's words (running, success, completed, halted, paused, stopped, error) or any other; `unknown` before any update.
            status: String,
            /// Calls that an hour admits.
            max_calls: u64,
            /// The top of the next hour on the local clock, as `rate_limit` tells it: ISO 8601 with offset.
            next_reset: String,
        }
        sometimes {
            /// What was done last, such as `executing` or `completed`.
            last_action: String,
            /// Why the run ended; empty while it goes on.
            exit_reason: String,
        }
    }
}

record! {
    /// Statistics of the loops that finished.
    ProgressMetrics {
        always {
            /// Loops that finished.
            total_loops: u64,
            /// Those that succeeded.
            successful_loops: u64,
            /// Those that did not.
            failed_loops: u64,
            /// Their mean duration in seconds; 0 without loops.
            average_duration: f64,
            /// Those that succeeded in percent, 0 to 100 with two decimals; 0 without loops.
            success_rate: f64,
            /// How often the circuit breaker has opened since its last reset.
            circuit_opens: u64,
            /// Lines of the file that could not be read, or say nothing of a loop.
            skipped_lines: u64,
            /// Calls that the loops made, as far as their lines say so.
            total_calls: u64,
        }
        sometimes {
            /// Tokens that the loops used; left out where no line says so.
            total_tokens: u64,
            /// What the loops cost, in US dollars by Claude Code's estimate; left out where no line says so.
            total_cost_usd: f64,
        }
    }
}

record! {
    /// The answer of `progress_reporter`.
    ProgressReporterToolOutput extends RalphStatus as status {
        always {
            /// Statistics out of `logs/metrics.jsonl`; where there is none (v0.9), out of the loops in `logs/ralph.log`.
            metrics: ProgressMetrics,
        }
        sometimes {
            /// What `progress.json` says, which bash Ralph writes while Claude runs; left out where there is none.
            progress: Value,
        }
    }
}

const UPDATE: &[&str] = &[Verb::Update.as_str()];

const STATUS: Field<String> =
    Field::text("status", "running, success, completed, halted or other; without exitReason clears that.")
        .default("stays")
        .on(UPDATE)
        .access(Access::Full);
const LOOP_COUNT: Field<u64> = Field::integer("loopCount", "The loop's number.").default("stays").on(UPDATE).access(Access::Full);
const CALLS_MADE: Field<u64> =
    Field::integer("callsMade", "Calls made this hour.").default("`rate_limit`'s count").on(UPDATE).access(Access::Full);
const LAST_ACTION: Field<String> =
    Field::text("lastAction", "What was done last, such as executing.").default("stays").on(UPDATE).access(Access::Full);
const EXIT_REASON: Field<String> =
    Field::text("exitReason", "Why the run ended.").default("stays").on(UPDATE).access(Access::Full);
const MESSAGE: Field<String> = Field::text("message", "What you are doing or found: one line of the log, at most 4 KiB.")
    .at_most_chars(1 << 20)
    .default("the status, loop and calls")
    .on(UPDATE)
    .access(Access::Worker);
const LEVEL: Field<String> =
    Field::one_of("level", Level::ENUMERATION.words, "The log line's level.").default("INFO").on(UPDATE).access(Access::Full);
const LOOP_DURATION: Field<f64> =
    Field::number("loopDurationSeconds", "With loopSucceeded: adds the loop to the statistics.").on(UPDATE).access(Access::Full);
const LOOP_SUCCEEDED: Field<bool> =
    Field::boolean("loopSucceeded", "Whether the loop succeeded.").on(UPDATE).access(Access::Full);
const LOOP_CALLS: Field<u64> = Field::integer("loopCalls", "Its calls.").default("1").on(UPDATE).access(Access::Full);

const LOOP_TOKENS: Field<u64> =
    Field::integer("loopTokens", "Its tokens.").default("the analysis's").on(UPDATE).access(Access::Full);
const LOOP_COST: Field<f64> =
    Field::number("loopCostUsd", "Its cost, US dollars.").default("the analysis's").on(UPDATE).access(Access::Full);

/// The definition.
pub const DEFINITION: ToolDefinition = ToolDefinition {
    name: "progress_reporter",
    method: "progressReporter",
    title: "Progress reporter",
    description: "Tells people what this run is doing. Call `update` with a short message when you begin something, finish it \
                  or get stuck: it goes into the log that they watch. `read` answers the status, and metrics of the finished loops.",
    input: "ProgressReporterToolInput",
    actions: &[
        Action::write(Verb::Update.as_str(), Access::Worker, "Sets the status, writes a log line, adds a finished loop.")
            .cumulative(),
        Action::read(Verb::Read.as_str(), "Tells status and metrics."),
        Action::read(Verb::Metrics.as_str(), "The same as `read`."),
    ],
    fields: &[
        STATUS.spec,
        LOOP_COUNT.spec,
        CALLS_MADE.spec,
        LAST_ACTION.spec,
        EXIT_REASON.spec,
        MESSAGE.spec,
        LEVEL.spec,
        LOOP_DURATION.spec,
        LOOP_SUCCEEDED.spec,
        LOOP_CALLS.spec,
        LOOP_TOKENS.spec,
        LOOP_COST.spec,
    ],
    output: &ProgressReporterToolOutput::RECORD,
    records: &[&RalphStatus::RECORD, &ProgressMetrics::RECORD],
    enumerations: &[],
};
