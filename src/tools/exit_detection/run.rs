//! The actions of `exit_detection` but `analyze`.

use super::files::{ExitSignalsFile, ResponseAnalysisFile, StoredAnalysis};
use super::{ExitDetectionToolOutput, Verb, analyze};
use crate::error::Result;
use crate::input::Arguments;
use crate::rules::plan::{Plan, Totals};
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
            Ok(decision(files, lists, &analysis))
        }),
        Verb::Reset => project.write(|files| {
            let nothing = SignalLists::default();
            files.remove::<ResponseAnalysisFile>()?;
            files.save::<ExitSignalsFile>(&nothing)?;
            Ok(decision(files, nothing, &StoredAnalysis::default()))
        }),
        Verb::Analyze => analyze::run(project, arguments),
    }
}

/// Whether the run should end, by these signals, this analysis and the plan as it is.
pub fn decision(files: &mut Reader<'_>, lists: SignalLists, last: &StoredAnalysis) -> ExitDetectionToolOutput {
    let evidence = Evidence {
        lists: &lists,
        permission_denials: last.flag("has_permission_denials"),
        compound_limitation: last.flag("has_compound_command_limitation"),
        exit_signal: last.flag("exit_signal"),
        plan_complete: plan_totals(files).complete(),
    };
    let exit_reason = decide(&evidence, files.project().generation());
    ExitDetectionToolOutput {
        should_exit: exit_reason != ExitReason::None,
        exit_reason,
        confidence: last.confidence(),
        signals: lists.into(),
        analysis: None,
    }
}

/// How the plan stands; without one there are no tasks. A plan that cannot be read has none either, with a warning: it
/// must not keep the other signals from counting.
pub fn plan_totals(files: &mut Reader<'_>) -> Totals {
    let project = files.project();
    let text = files.plan().unwrap_or_else(|error| {
        files.warn(format!("the plan does not count: {}", error.message()));
        None
    });
    text.map(|text| Plan::parse(&text, &project.config().optional_sections, project.generation()).totals()).unwrap_or_default()
}
