//! The actions of `exit_detection` but `analyze`.

use super::decision::decision;
use super::files::{ExitSignalsFile, ResponseAnalysisFile, StoredAnalysis};
use super::{ExitDetectionToolOutput, Verb, analyze};
use crate::error::Result;
use crate::input::Arguments;
use crate::rules::signals::SignalLists;
use crate::store::project::{Outcome, Project};
use crate::tools::task_planner::Claims;

/// Runs an action.
///
/// # Errors
/// Those of the store and of `analyze`.
pub fn run(project: &Project, arguments: &Arguments) -> Result<Outcome<ExitDetectionToolOutput>> {
    match arguments.action(Verb::from_word)? {
        Verb::Check | Verb::Signals => project.read(|files| {
            let lists = files.load::<ExitSignalsFile>()?.unwrap_or_default();
            let analysis = files.load::<ResponseAnalysisFile>()?.unwrap_or_default();
            decision(files, lists, &analysis, None)
        }),
        Verb::Reset => project.write(|files| {
            let nothing = SignalLists::default();
            files.remove::<ResponseAnalysisFile>()?;
            files.save::<ExitSignalsFile>(&nothing)?;
            decision(files, nothing, &StoredAnalysis::default(), Some(Claims::default()))
        }),
        Verb::Analyze => analyze::run(project, arguments),
    }
}
