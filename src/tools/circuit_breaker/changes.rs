//! What changed since a loop began, as git tells it. It is asked before the lock is taken: git may take a while.

use super::files::LoopStartFile;
use crate::error::Result;
use crate::generation::Generation;
use crate::store::files::Writer;
use crate::store::git::{GitAnswer, head, project_files_changed};
use crate::store::project::Project;

/// Files changed since the loop began; `None` where git cannot tell.
///
/// # Errors
/// `IO_ERROR` where `.loop_start_sha` cannot be read.
pub fn files_changed(project: &Project) -> Result<GitAnswer<Option<u64>>> {
    // An empty one is bash's way to say: no repository.
    let start = project.read(|files| Ok(files.load::<LoopStartFile>()?.filter(|sha| !sha.is_empty())))?.value;
    Ok(project_files_changed(project, start.as_deref()))
}

/// Where a loop begins.
pub struct LoopStart(Option<GitAnswer<Option<String>>>);

impl LoopStart {
    /// The commit that is checked out now; v0.9 does not ask.
    pub fn of(project: &Project) -> Self {
        match project.generation() {
            Generation::V0_9 => Self(None),
            Generation::V0_11 => Self(Some(head(project.root(), project.git_timeout()))),
        }
    }

    /// Remembers it. Without a commit there is no start: one of an earlier loop would make its commits count for ever.
    ///
    /// # Errors
    /// `IO_ERROR`.
    pub fn save(self, files: &mut Writer<'_>) -> Result<()> {
        let Some(GitAnswer { value, warnings }) = self.0 else { return Ok(()) };
        for warning in warnings {
            files.warn(warning);
        }
        match value {
            Some(sha) => files.save::<LoopStartFile>(&sha),
            None => files.remove::<LoopStartFile>(),
        }
    }
}
