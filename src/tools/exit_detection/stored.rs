//! An analysis as `.response_analysis` holds it, and as the answer tells it.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value};

use super::analyze::Loop;
use super::files::{API_ERROR, PREVIOUS_COST, PREVIOUS_LENGTH, RECOMMENDATION, StoredAnalysis, USING_OVERAGE};
use super::{ApiError, ApiLimit, ApiUsage, ApiUsageWindow, ResponseAnalysis};
use crate::generation::Generation;
use crate::rules::analysis::{Analysis, api_usage as rules};

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
    put("tokens_used", seen.tokens_used.into());
    let said = &seen.said;
    let api_error = seen.api_error.map(|error| {
        let members = [
            ("kind", Some(Value::from(error.kind.as_str()))),
            ("status", Some(error.status.into())),
            ("retry_after_seconds", error.retry_after.map(Value::from)),
        ];
        members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect::<Map<_, _>>().into()
    });
    let overage = seen.api_usage.as_ref().is_some_and(|usage| usage.is_using_overage);
    let members: [(&str, Option<Value>); 9] = [
        ("status", said.status.clone().map(Value::from)),
        ("tests_status", said.tests_status.clone().map(Value::from)),
        ("work_type", said.work_type.clone().map(Value::from)),
        ("tasks_completed", said.tasks_completed.map(Value::from)),
        (RECOMMENDATION, said.recommendation.clone().map(Value::from)),
        (API_ERROR, api_error),
        (USING_OVERAGE, overage.then_some(true.into())),
        ("cost_usd", this.cost(seen).map(Value::from)),
        (PREVIOUS_COST, this.previous_cost.map(Value::from)),
    ];
    for (key, value) in members {
        if let Some(value) = value {
            put(key, value);
        }
    }

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

fn iso(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, false)
}

fn usage(seen: rules::ApiUsage) -> ApiUsage {
    let windows = seen.windows.into_iter().map(|window| ApiUsageWindow {
        window: window.window,
        status: window.status,
        utilization: window.utilization,
        resets_at: window.resets_at.map(iso),
    });
    ApiUsage { is_using_overage: seen.is_using_overage, windows: windows.collect() }
}

/// The answer's `analysis`.
pub(super) fn answered(seen: Analysis, this: &Loop<'_>, session: Option<String>, generation: Generation) -> ResponseAnalysis {
    let cost_usd = this.cost(&seen);
    let loop_number = this.number;
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
            resets_at: limit.resets_at.map(iso),
        }),
        api_error: seen.api_error.map(|error| ApiError {
            kind: error.kind,
            status: error.status,
            retry_after_seconds: error.retry_after,
        }),
        api_usage: seen.api_usage.map(usage),
        cost_usd,
        status: seen.said.status,
        tests_status: seen.said.tests_status,
        work_type: seen.said.work_type,
        tasks_completed: seen.said.tasks_completed,
        recommendation: seen.said.recommendation,
        work_summary: seen.work_summary.chars().take(SUMMARY_SHOWN).collect(),
    }
}
