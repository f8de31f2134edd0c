//! Whether the run should end, by what is on disk: what `check` answers, and `analyze` after it has written.

use super::ExitDetectionToolOutput;
use super::files::StoredAnalysis;
use super::waiting::others;
use crate::rules::plan::Totals;
use crate::rules::signals::{Evidence, ExitReason, SignalLists, decide};
use crate::store::files::Reader;
use crate::tools::task_planner::{Claims, count};

/// Whether the run should end, by these signals, this analysis and the plan as it is, of which other workers may have
/// claimed a part.
pub fn decision(
    files: &mut Reader<'_>,
    lists: SignalLists,
    last: &StoredAnalysis,
    claims: Option<Claims>,
) -> ExitDetectionToolOutput {
    let totals = plan_totals(files);
    let others = others(files, totals.pending() > 0, claims);
    let evidence = Evidence {
        lists: &lists,
        permission_denials: last.flag("has_permission_denials"),
        compound_limitation: last.flag("has_compound_command_limitation"),
        exit_signal: last.flag("exit_signal"),
        plan_complete: totals.complete() || others.all_done,
    };
    let exit_reason = others.keep(decide(&evidence, files.project().generation()));
    ExitDetectionToolOutput {
        should_exit: exit_reason != ExitReason::None,
        exit_reason,
        confidence: last.confidence(),
        signals: lists.into(),
        analysis: None,
        waiting: others.waiting_until.is_some().then_some(true),
        claimed_until: others.waiting_until,
    }
}

/// How the plan stands; without one there are no tasks. A plan that cannot be read has none either, with a warning: it
/// must not keep the other signals from counting.
pub fn plan_totals(files: &mut Reader<'_>) -> Totals {
    let survey = count(files).unwrap_or_else(|error| {
        files.warn(format!("the plan does not count: {}", error.message()));
        None
    });
    survey.unwrap_or_default().totals
}
