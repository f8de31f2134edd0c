//! An analysis as `.response_analysis` holds it, and as the answer tells it.

use chrono::SecondsFormat;
use serde_json::{Map, Value};

use super::analyze::Loop;
use super::files::{PREVIOUS_LENGTH, StoredAnalysis};
use super::{ApiLimit, ResponseAnalysis};
use crate::generation::Generation;
use crate::rules::analysis::Analysis;

/// Characters of `workSummary` in an answer; the file has it all.
const SUMMARY_SHOWN: usize = 2000;

/// The object of `.response_analysis`, in bash's order; what v0.9 does not know is left out under its rules.
pub(super) fn stored(seen: &Analysis, this: &Loop<'_>, timestamp: &str, generation: Generation) -> StoredAnalysis {
    let later = generation == Generation::V0_11;
    let mut analysis = Map::new();
    let mut put = |key: &str, value: Value| {
        analysis.insert(key.to_owned(), value);
    };
    put("has_completion_signal", seen.has_completion_signal.into());
    put("is_test_only", seen.is_test_only.into());
    put("is_stuck", seen.is_stuck.into());
    put("has_progress", seen.has_progress.into());
    put("files_modified", seen.files_modified.into());
    put("confidence_score", seen.confidence_score.into());
    put("exit_signal", seen.exit_signal.into());
    put("work_summary", seen.work_summary.clone().into());
    put("output_length", seen.output_length.into());
    if later {
        put("has_permission_denials", seen.has_permission_denials().into());
        put("permission_denial_count", seen.denials.count.into());
        put("denied_commands", seen.denials.commands.clone().into());
        put("has_compound_command_limitation", seen.denials.compound_only.into());
        put("compound_command_count", seen.denials.compound_count().into());
        put("asking_questions", seen.asking_questions().into());
        put("question_count", seen.question_count.into());
    }
    // Ours; bash ignores them.
    put("has_errors", seen.has_errors.into());
    put(PREVIOUS_LENGTH, this.previous_length.into());

    let mut object = Map::new();
    object.insert("loop_number".into(), this.number.into());
    object.insert("timestamp".into(), timestamp.into());
    object.insert("output_file".into(), this.output_file.into());
    if later {
        // Bash has two words for three formats.
        object.insert("output_format".into(), seen.format.as_str().into());
    }
    object.insert("analysis".into(), analysis.into());
    StoredAnalysis(object)
}

/// The answer's `analysis`.
pub(super) fn answered(seen: Analysis, loop_number: u64, session: Option<String>, generation: Generation) -> ResponseAnalysis {
    let later = generation == Generation::V0_11;
    ResponseAnalysis {
        loop_number,
        format: seen.format,
        has_completion_signal: seen.has_completion_signal,
        is_test_only: seen.is_test_only,
        is_stuck: seen.is_stuck,
        has_progress: seen.has_progress,
        files_modified: seen.files_modified,
        confidence_score: seen.confidence_score,
        exit_signal: seen.exit_signal,
        explicit_exit_signal: seen.explicit_exit_signal,
        output_length: seen.output_length,
        asking_questions: seen.asking_questions(),
        question_count: seen.question_count,
        has_errors: seen.has_errors,
        is_error: seen.is_error,
        truncated: seen.truncated,
        tokens_used: seen.tokens_used,
        has_permission_denials: later.then(|| seen.has_permission_denials()),
        permission_denial_count: later.then_some(seen.denials.count),
        has_compound_command_limitation: later.then_some(seen.denials.compound_only),
        compound_command_count: later.then(|| seen.denials.compound_count()),
        denied_commands: later.then_some(seen.denials.commands),
        session_id: session,
        api_limit: seen.api_limit.map(|limit| ApiLimit {
            kind: limit.kind,
            message: limit.message,
            resets_at: limit.resets_at.map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, false)),
        }),
        work_summary: seen.work_summary.chars().take(SUMMARY_SHOWN).collect(),
    }
}
