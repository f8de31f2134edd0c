//! Whether the run should end, by what is on disk: what `check` answers, and `analyze` after it has written.

use chrono::DateTime;

use super::ExitDetectionToolOutput;
use super::files::{RECOMMENDATION, SessionFile, StoredAnalysis, USING_OVERAGE};
use super::waiting::others;
use crate::error::Result;
use crate::generation::Generation;
use crate::rules::plan::Totals;
use crate::rules::signals::{Evidence, ExitReason, SignalLists, decide};
use crate::store::files::Reader;
use crate::tools::task_planner::{Claims, count};

/// Whether the run should end, by these signals, this analysis and the plan as it is, of which other workers may have
/// claimed a part.
///
/// # Errors
/// `IO_ERROR` where the session's file cannot be read.
pub fn decision(
    files: &mut Reader<'_>,
    lists: SignalLists,
    last: &StoredAnalysis,
    claims: Option<Claims>,
) -> Result<ExitDetectionToolOutput> {
    let totals = plan_totals(files);
    let others = others(files, totals.pending() > 0, claims);
    let evidence = Evidence {
        lists: &lists,
        permission_denials: last.flag("has_permission_denials"),
        compound_limitation: last.flag("has_compound_command_limitation"),
        exit_signal: last.flag("exit_signal"),
        overage: files.project().config().stop_at_overage && last.flag(USING_OVERAGE),
        plan_complete: totals.complete() || others.all_done,
    };
    let exit_reason = others.keep(decide(&evidence, files.project().generation()));
    let session = session(files)?;
    let blocked = exit_reason == ExitReason::Blocked;
    Ok(ExitDetectionToolOutput {
        should_exit: exit_reason != ExitReason::None,
        exit_reason,
        confidence: last.confidence(),
        signals: lists.into(),
        analysis: None,
        waiting: others.waiting_until.is_some().then_some(true),
        claimed_until: others.waiting_until,
        recommendation: if blocked { last.text(RECOMMENDATION).map(str::to_owned) } else { None },
        session_age_seconds: session.as_ref().map(|(_, age)| *age),
        session_id: session.map(|(id, _)| id),
    })
}

/// The session that may be resumed, and its age in seconds. As bash's, one of `sessionExpiryHours` or more is not; its age is
/// that of what the file says, else of the file.
fn session(files: &mut Reader<'_>) -> Result<Option<(String, u64)>> {
    if files.project().generation() == Generation::V0_9 {
        return Ok(None);
    }
    let Some(session) = files.load::<SessionFile>()? else { return Ok(None) };
    let told = DateTime::parse_from_rfc3339(&session.timestamp).ok().map(|time| time.to_utc());
    let Some(since) = told.or_else(|| files.modified::<SessionFile>()) else { return Ok(None) };
    let age = u64::try_from((files.now() - since).num_seconds()).unwrap_or(0);
    let expires = files.project().config().session_expiry_hours.saturating_mul(3600);
    Ok((age < expires).then_some((session.id, age)))
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
