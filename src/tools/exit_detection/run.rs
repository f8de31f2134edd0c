//! The actions of `exit_detection` but `analyze`.

use super::files::{ExitSignalsFile, ResponseAnalysisFile, StoredAnalysis};
use super::{ExitDetectionToolOutput, Verb, analyze};
use crate::error::Result;
use crate::input::Arguments;
use crate::rules::plan::Plan;
use crate::rules::signals::{Evidence, ExitReason, SignalLists, decide};
use crate::store::files::Reader;
use crate::store::project::{Outcome, Project};

/// Runs an action.
///
/// # Errors
/// Those of the store and of `analyze`.
pub fn run(project: &Project, arguments: &Arguments) -> Result<Outcome<ExitDetectionToolOutput>> {
    match arguments.action(Verb::from_word)? {
        Verb::Check | Verb::Signals => project.read(|files| {
            let lists = files.load::<ExitSignalsFile>()?.unwrap_or_default();
            let analysis = files.load::<ResponseAnalysisFile>()?.unwrap_or_default();
            decision(files, lists, &analysis)
        }),
        Verb::Reset => project.write(|files| {
            let nothing = SignalLists::default();
            files.remove::<ResponseAnalysisFile>()?;
            files.save::<ExitSignalsFile>(&nothing)?;
            decision(files, nothing, &StoredAnalysis::default())
        }),
        Verb::Analyze => analyze::run(project, arguments),
    }
}

/// Whether the run should end, by these signals, this analysis and the plan as it is.
///
/// # Errors
/// Those of reading the plan.
pub fn decision(files: &Reader<'_>, lists: SignalLists, last: &StoredAnalysis) -> Result<ExitDetectionToolOutput> {
    let evidence = Evidence {
        lists: &lists,
        permission_denials: last.flag("has_permission_denials"),
        compound_limitation: last.flag("has_compound_command_limitation"),
        exit_signal: last.flag("exit_signal"),
        plan_complete: plan_complete(files)?,
    };
    let exit_reason = decide(&evidence, files.project().generation());
    Ok(ExitDetectionToolOutput {
        should_exit: exit_reason != ExitReason::None,
        exit_reason,
        confidence: last.confidence(),
        signals: lists.into(),
        analysis: None,
    })
}

/// Whether a task is completed and none blocks. Without a plan there is nothing to complete.
fn plan_complete(files: &Reader<'_>) -> Result<bool> {
    let project = files.project();
    let plan = files.plan()?.map(|text| Plan::parse(&text, &project.config().optional_sections, project.generation()));
    Ok(plan.is_some_and(|plan| plan.totals().complete()))
}
