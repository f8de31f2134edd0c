//! Which repository a project is in, the same for all its worktrees and clones.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::process::{Failure, Git};
use super::{GitAnswer, answer};

/// A repository, as seen from a project in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The address of its remote `origin`, as it is written; `None` where there is none.
    pub origin: Option<String>,
    /// The project's path in it; empty at its top.
    pub prefix: PathBuf,
    /// Its own folder, which all its worktrees have in common.
    pub common: PathBuf,
}

/// The repository that a project is in; `None` without git and in a folder that is in none.
#[must_use]
pub fn repository(project_root: &Path, timeout: Duration) -> GitAnswer<Option<Repository>> {
    answer(|_| {
        let Some(git) = Git::open(project_root, timeout)? else { return Ok(None) };
        let line = |output: Vec<u8>| String::from_utf8_lossy(output.trim_ascii()).into_owned();
        let origin = match git.run(&["config", "--get", "remote.origin.url"]) {
            Ok(output) => Some(line(output)).filter(|origin| !origin.is_empty()),
            Err(Failure::Refused(_)) => None,
            Err(failure) => return Err(failure),
        };
        let common = PathBuf::from(line(git.run(&["rev-parse", "--git-common-dir"])?));
        let common = if common.is_absolute() { common } else { project_root.join(common) };
        let common = common.canonicalize().unwrap_or(common);
        Ok(Some(Repository { origin, prefix: git.prefix().to_owned(), common }))
    })
}
