//! What changed since a loop began, as git tells it. It is asked before the lock is taken: git may take a while.

use super::files::{LoopFilesFile, LoopStart, LoopStartFile, StateFile};
use crate::error::Result;
use crate::generation::Generation;
use crate::store::files::{Reader, Writer};
use crate::store::git::{GitAnswer, Snapshot, Start, of_project};
use crate::store::project::Project;
use crate::tools::task_planner::count;

/// Files that changed since the loop began, as far as git can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changes {
    /// How many.
    pub files: u64,
    /// Those among them that are not the plan.
    pub besides_plan: u64,
}

/// Files that changed since the loop began; `None` where git cannot tell: without git, in a folder that is no repository,
/// and where it counts none but might have missed some, for nobody remembers how the loop began.
///
/// # Errors
/// `IO_ERROR` where `.loop_start_sha` cannot be read.
pub fn changes(project: &Project) -> Result<GitAnswer<Option<Changes>>> {
    let read = project.read(|files| {
        // An empty one is bash's way to say: no repository.
        let sha = files.load::<LoopStartFile>()?.filter(|sha| !sha.is_empty());
        let snapshot = files.load::<LoopFilesFile>()?.and_then(|start| start.uncommitted);
        Ok((sha, snapshot))
    })?;
    let (sha, snapshot) = read.value;
    let snapshot = snapshot.filter(|snapshot| still_holds(project, snapshot, sha.as_deref()));
    let GitAnswer { value, warnings } =
        of_project(project, |scope| scope.changed(Start { sha: sha.as_deref(), snapshot: snapshot.as_ref() }));
    let plan = project.plan_path();
    let plan = plan.strip_prefix(project.root()).map(|path| path.to_string_lossy().replace('\\', "/")).unwrap_or_default();
    let value = value.filter(|changed| changed.certain || !changed.paths.is_empty()).map(|changed| {
        let files = changed.paths.len() as u64;
        Changes { files, besides_plan: files - u64::from(changed.paths.contains(&plan)) }
    });
    Ok(GitAnswer { value, warnings })
}

/// How many [`changes`] there are.
///
/// # Errors
/// As [`changes`].
pub fn files_changed(project: &Project) -> Result<GitAnswer<Option<u64>>> {
    let GitAnswer { value, warnings } = changes(project)?;
    Ok(GitAnswer { value: value.map(|changes| changes.files), warnings })
}

/// Whether a snapshot is of the loop at hand. Bash begins a loop by writing `.loop_start_sha` alone: then what we remember is
/// of a loop before. v0.9 writes none.
fn still_holds(project: &Project, snapshot: &Snapshot, sha: Option<&str>) -> bool {
    project.generation() == Generation::V0_9 || snapshot.head.as_deref() == sha
}

/// Where a loop begins.
pub struct Beginning {
    uncommitted: GitAnswer<Option<Snapshot>>,
    number: u64,
}

impl Beginning {
    /// As it is now.
    ///
    /// # Errors
    /// `IO_ERROR` where a state file cannot be read.
    pub fn of(project: &Project) -> Result<Self> {
        let before = project
            .read(|files| {
                let before = files.load::<LoopFilesFile>()?;
                Ok(before.unwrap_or_default())
            })?
            .value;
        let uncommitted = of_project(project, |scope| scope.snapshot(before.uncommitted.as_ref()));
        Ok(Self { uncommitted, number: before.number.saturating_add(1) })
    }

    /// Remembers it. Without a commit there is no start: one of an earlier loop would make its commits count for ever.
    ///
    /// # Errors
    /// `IO_ERROR`.
    pub fn save(self, files: &mut Writer<'_>) -> Result<()> {
        let GitAnswer { value: uncommitted, warnings } = self.uncommitted;
        for warning in warnings {
            files.warn(warning);
        }
        if files.project().generation() == Generation::V0_11 {
            match uncommitted.as_ref().and_then(|snapshot| snapshot.head.clone()) {
                Some(sha) => files.save::<LoopStartFile>(&sha)?,
                None => files.remove::<LoopStartFile>()?,
            }
        }
        let began = files.now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
        let start = LoopStart { began, number: self.number, ticked: ticked(files), uncommitted };
        files.save::<LoopFilesFile>(&start)
    }
}

/// A loop that is open for longer was broken off.
const LONGEST_LOOP: chrono::TimeDelta = chrono::TimeDelta::hours(24);

/// A name of the loop that is under way, which no other has; `None` where none has begun, or it is recorded.
///
/// # Errors
/// `IO_ERROR`.
pub fn loop_at_hand(files: &mut Reader<'_>) -> Result<Option<String>> {
    let recorded = files.load::<StateFile>()?.is_some_and(|breaker| breaker.recorded_loop.is_some());
    let Some(LoopStart { began, number, .. }) = files.load::<LoopFilesFile>()?.filter(|_| !recorded) else { return Ok(None) };
    let since = chrono::DateTime::parse_from_rfc3339(&began).ok().map(|began| files.now() - began.to_utc());
    Ok(since.is_some_and(|since| since.abs() < LONGEST_LOOP).then(|| format!("{number} of {began}")))
}

/// How many tasks of the plan are ticked; `None` where there is no plan to be read.
pub fn ticked(files: &mut Reader<'_>) -> Option<usize> {
    count(files).ok().flatten().map(|survey| survey.totals.completed)
}
