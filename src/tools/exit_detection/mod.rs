//! `exit_detection`: whether the run is finished, by what Claude wrote and by the plan.

mod analyze;
#[cfg(test)]
mod analyze_tests;
mod decision;
mod files;
mod run;
mod source;
mod stored;
#[cfg(test)]
mod tests;
mod waiting;

pub use files::{ExitSignalsFile, LastOutputLengthFile, ResponseAnalysisFile, SessionFile, StoredAnalysis};
pub use run::run;

use crate::error::ErrorCode;
use crate::rules::analysis::OutputFormat;
use crate::rules::analysis::api_error::ApiErrorKind;
use crate::rules::analysis::api_limit::ApiLimitKind;
use crate::rules::signals::{ExitReason, SignalLists};
use crate::schema::{Access, Action, Field, ToolDefinition};
use crate::{record, words};

words! {
    /// What `exit_detection` can do.
    Verb {
        /// Tells whether the run should end.
        Check = "check",
        /// Reads one loop's output, and tells whether the run should end.
        Analyze = "analyze",
        /// As check.
        Signals = "signals",
        /// Starts a run.
        Reset = "reset",
    }
}

record! {
    /// The loops that said something about the end, the newest last; at most five each.
    ExitSignals {
        always {
            /// Loops that only ran tests.
            test_only_loops: Vec<u64>,
            /// Loops that said that the work is done.
            done_signals: Vec<u64>,
            /// Loops that asked to end the run (v0.9 rules: loops of a confidence of 60 or more).
            completion_indicators: Vec<u64>,
        }
        sometimes {
            /// (v0.11 rules) Loops in which Claude said that it is blocked, where there are any.
            blocked_loops: Vec<u64>,
        }
    }
}

record! {
    /// A limit of the provider's: not Ralph's, and no fault of the loop.
    ApiLimit {
        always {
            /// Which limit.
            kind: ApiLimitKind,
            /// The sentence that said so.
            message: String,
            /// When it is lifted: ISO 8601, UTC; null where no time is named.
            resets_at: Option<String>,
        }
    }
}

record! {
    /// A call that failed at the provider: no fault of the loop, which is not counted. Wait, and run it again.
    ApiError {
        always {
            /// Why.
            kind: ApiErrorKind,
            /// The status that the provider answered; where the output names none, the one that such errors have: 529, 429 or 500.
            status: u64,
        }
        sometimes {
            /// Seconds to wait, where the message names them.
            retry_after_seconds: u64,
        }
    }
}

record! {
    /// How full one of the plan's windows is.
    ApiUsageWindow {
        always {
            /// Which: `five_hour`, `seven_day`, `seven_day_opus`, `overage` and so on, as Claude Code names them.
            window: String,
        }
        sometimes {
            /// `allowed`, `allowed_warning` or `rejected`.
            status: String,
            /// From 0 to 1, and beyond.
            utilization: f64,
            /// When it begins anew: ISO 8601, UTC.
            resets_at: String,
        }
    }
}

record! {
    /// How much of the plan is used, by the events that Claude Code sends.
    ApiUsage {
        always {
            /// Whether paid overage is being used.
            is_using_overage: bool,
            /// The windows that were told of, as they were told last.
            windows: Vec<ApiUsageWindow>,
        }
    }
}

record! {
    /// What one loop's output says.
    ResponseAnalysis {
        always {
            /// The loop.
            loop_number: u64,
            /// How the output was written.
            format: OutputFormat,
            /// Whether the output says that the work is done.
            has_completion_signal: bool,
            /// Whether the loop only ran tests.
            is_test_only: bool,
            /// Whether the loop looks stuck: many errors in it.
            is_stuck: bool,
            /// Whether the loop changed something.
            has_progress: bool,
            /// Files that the loop changed.
            files_modified: u64,
            /// How sure the analysis is of what it read, not how likely an exit is; bash's scores may pass 100.
            confidence_score: u64,
            /// Whether Claude asks to end the run.
            exit_signal: bool,
            /// Whether `EXIT_SIGNAL` was given in so many words; exitSignal has its value.
            explicit_exit_signal: bool,
            /// What was done, in at most 2 000 characters.
            work_summary: String,
            /// Characters of the output, trailing newlines not counted.
            output_length: u64,
            /// Whether Claude only asks questions.
            asking_questions: bool,
            /// How many questions it asks.
            question_count: u64,
            /// Whether the result reports errors.
            has_errors: bool,
            /// Whether the query itself failed: no signal is taken from it.
            is_error: bool,
            /// Whether the output was cut off.
            truncated: bool,
            /// Input and output tokens together, of all models where they are told apart, and in a resumed session only the
            /// new ones where the SDK tells them; without cached input; 0 where the output does not say.
            tokens_used: u64,
        }
        sometimes {
            /// (v0.11 rules) Whether tools were denied that the loop needs.
            has_permission_denials: bool,
            /// (v0.11 rules) How many calls were denied.
            permission_denial_count: u64,
            /// (v0.11 rules) What was denied.
            denied_commands: Vec<String>,
            /// (v0.11 rules) Whether all denials are compound commands whose parts are allowed: a limitation of Claude's.
            has_compound_command_limitation: bool,
            /// (v0.11 rules) How many such commands.
            compound_command_count: u64,
            /// The session, where the output names one.
            session_id: String,
            /// The provider's limit that the loop ran into. Do not record the loop: wait, and run it again.
            api_limit: ApiLimit,
            /// The provider's failure. Such a loop is not counted: wait, and run it again.
            api_error: ApiError,
            /// How much of the plan is used, where the output tells.
            api_usage: ApiUsage,
            /// What the loop cost, in US dollars, by Claude Code's estimate: of a resumed session only what is new.
            cost_usd: f64,
            /// What Claude says of its work: `IN_PROGRESS`, `COMPLETE` or `BLOCKED`.
            status: String,
            /// What Claude says of the tests: `PASSING`, `FAILING` or `NOT_RUN`.
            tests_status: String,
            /// What Claude says it did: `IMPLEMENTATION`, `TESTING`, `DOCUMENTATION`, `REFACTORING` and so on.
            work_type: String,
            /// How many tasks Claude says it completed in the loop.
            tasks_completed: u64,
            /// What Claude recommends, in at most 500 characters.
            recommendation: String,
        }
    }
}

record! {
    /// The answer of `exit_detection`.
    ExitDetectionToolOutput {
        always {
            /// Whether the run should end.
            should_exit: bool,
            /// Why; empty where it should not.
            exit_reason: ExitReason,
            /// The last analysis's score, from 0 to 100: how sure the analysis is of what it read, not how likely an exit is.
            confidence: u64,
            /// The loops that said something about the end.
            signals: ExitSignals,
        }
        sometimes {
            /// (analyze) What the output says.
            analysis: ResponseAnalysis,
            /// Where exitReason is `blocked`: what Claude says it needs.
            recommendation: String,
            /// (v0.11 rules) The session that the next query may resume; none once it is older than sessionExpiryHours.
            session_id: String,
            /// (v0.11 rules) How old that session is, in seconds.
            session_age_seconds: u64,
            /// True where every open task is claimed by another worker: wait until `claimedUntil`, then check again.
            waiting: bool,
            /// (waiting) When the first of those claims runs out: ISO 8601, UTC.
            claimed_until: String,
        }
    }
}

/// `analyze`: the file to read.
pub(crate) const OUTPUT_FILE: Field<String> = Field::text("outputFile", "A file in the project with one loop's output.")
    .default("the newest logs/claude_output_*.log")
    .on(&[Verb::Analyze.as_str()])
    .access(Access::Full);

/// `analyze`: the output itself.
pub(crate) const OUTPUT: Field<String> =
    Field::text("output", "One loop's output itself: text, or the SDK's result message as JSON.")
        .at_most_chars(1 << 28)
        .on(&[Verb::Analyze.as_str()])
        .access(Access::Full);

/// `analyze`: whose output it is.
pub(crate) const LOOP_NUMBER: Field<u64> = Field::integer("loopNumber", "The loop whose output it is.")
    .default("the last analysis's + 1")
    .on(&[Verb::Analyze.as_str()])
    .access(Access::Full);

/// `analyze`: what the caller counted.
pub(crate) const FILES_CHANGED: Field<u64> = Field::integer("filesChanged", "Files that the loop changed.")
    .default("counted by git, else what the output reports")
    .on(&[Verb::Analyze.as_str()])
    .access(Access::Full);

/// The definition.
pub const DEFINITION: ToolDefinition = ToolDefinition {
    name: "exit_detection",
    method: "exitDetection",
    title: "Exit detection",
    description: "Tells whether the autonomous run is finished. Call `check` before starting more work: shouldExit true means stop, and exitReason says why \
                  (plan_complete, project_complete, completion_signals, test_saturation, permission_denied, blocked, overage, \
                  safety_circuit_breaker).",
    input: "ExitDetectionToolInput",
    actions: &[
        Action::read(Verb::Check.as_str(), "Tells whether the run should end."),
        Action::write(Verb::Analyze.as_str(), Access::Full, "Reads one loop's output, keeps its signals, answers as `check`.")
            .gives(&["analysis"])
            .throws(&[ErrorCode::OutputNotFound, ErrorCode::OutsideProject])
            .cumulative(),
        Action::read(Verb::Signals.as_str(), "The same as `check`."),
        Action::write(Verb::Reset.as_str(), Access::Full, "Starts a run: forgets all signals and the last analysis.")
            .destructive(),
    ],
    fields: &[OUTPUT_FILE.spec, OUTPUT.spec, LOOP_NUMBER.spec, FILES_CHANGED.spec],
    output: &ExitDetectionToolOutput::RECORD,
    records: &[
        &ExitSignals::RECORD,
        &ResponseAnalysis::RECORD,
        &ApiLimit::RECORD,
        &ApiError::RECORD,
        &ApiUsage::RECORD,
        &ApiUsageWindow::RECORD,
    ],
    enumerations: &[&ExitReason::ENUMERATION, &OutputFormat::ENUMERATION, &ApiLimitKind::ENUMERATION, &ApiErrorKind::ENUMERATION],
};

impl From<SignalLists> for ExitSignals {
    fn from(lists: SignalLists) -> Self {
        Self {
            test_only_loops: lists.test_only_loops,
            done_signals: lists.done_signals,
            completion_indicators: lists.completion_indicators,
            blocked_loops: Some(lists.blocked_loops).filter(|loops| !loops.is_empty()),
        }
    }
}
