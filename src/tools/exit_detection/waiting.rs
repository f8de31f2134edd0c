//! A plan whose open tasks are all other workers': this one waits for them, and does not stop.

use crate::error::Result;
use crate::rules::signals::ExitReason;
use crate::store::files::Reader;
use crate::store::project::{Outcome, Project};
use crate::tools::task_planner::{Claims, load};

/// How the plan's open tasks stand among the workers.
#[derive(Debug, Default)]
pub struct Others {
    /// When the first claim runs out, where all open tasks are claimed by others.
    pub waiting_until: Option<String>,
    /// Whether every open task that blocks was done in a copy of the plan.
    pub all_done: bool,
}

/// The claims, asked for before the project's lock is taken where the place may be far away.
pub fn asked_before(project: &Project) -> Result<Option<Outcome<Claims>>> {
    if project.team().is_shared() { project.read(Claims::load).map(Some) } else { Ok(None) }
}

/// What other workers have of the plan, by claims that are known already or are asked for now. `open` says whether a task is
/// open at all: nobody is asked in vain.
pub fn others(files: &mut Reader<'_>, open: bool, known: Option<Claims>) -> Others {
    if !open {
        return Others::default();
    }
    let claims = known.map_or_else(|| Claims::load(files), Ok).unwrap_or_else(|error| {
        files.warn(format!("claims do not count: {}", error.message()));
        Claims::default()
    });
    if claims.is_empty() {
        return Others::default();
    }
    // What is wrong with the plan was told when it was counted.
    let plan = load(files).ok().flatten().unwrap_or_default();
    let pending = || plan.tasks.iter().filter(|task| !task.completed());
    let left = || pending().filter(|task| !claims.done(&task.id));
    let first = left().map(|task| claims.theirs(&task.id).map(|lease| lease.until)).collect::<Option<Vec<_>>>();
    Others {
        waiting_until: first.and_then(|ends| ends.into_iter().min()).map(|end| claims.shown(end)),
        all_done: pending().filter(|task| task.blocking()).all(|task| claims.done(&task.id)),
    }
}

impl Others {
    /// What is left of a reason to end while others are at work: that this worker saw nothing more to do is none.
    pub fn keep(&self, reason: ExitReason) -> ExitReason {
        let done = matches!(reason, ExitReason::CompletionSignals | ExitReason::ProjectComplete);
        if done && self.waiting_until.is_some() { ExitReason::None } else { reason }
    }
}
