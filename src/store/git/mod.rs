//! What git says of a project: its HEAD, and how many files changed.
//!
//! Everything that a repository can be configured to run is switched off (see [`process`]), for the loop that is guarded
//! may write to it. A submodule counts as one file, as in bash: where its commit or anything in it changed.

pub mod origin;
pub mod own;
mod process;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::project::Project;
use crate::generation::Generation;
use process::{Failure, Git};

/// An answer of git's, and what kept it from being exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitAnswer<T> {
    /// The answer.
    pub value: T,
    /// For the answer's `warnings`.
    pub warnings: Vec<String>,
}

/// Which changes a generation counts.
struct Counted {
    /// Files of commits since the loop's start.
    commits: bool,
    /// Files changed in the index.
    staged: bool,
    /// Ralph's own files.
    own: bool,
}

const fn counted(generation: Generation) -> Counted {
    match generation {
        Generation::V0_9 => Counted { commits: false, staged: false, own: true },
        Generation::V0_11 => Counted { commits: true, staged: true, own: false },
    }
}

/// The commit that is checked out; `None` in a folder that is no repository, before the first commit, and without git.
#[must_use]
pub fn head(project_root: &Path, timeout: Duration) -> GitAnswer<Option<String>> {
    answer(|_| match Git::open(project_root, timeout)? {
        Some(git) => head_of(&git),
        None => Ok(None),
    })
}

/// How many files changed: (v0.9) those with unstaged changes, (v0.11) those of the commits since `start_sha` and those
/// with staged or unstaged changes, each once. `None` where git cannot tell: without git, in a folder that is no repository,
/// and where it gave no answer.
///
/// As in bash the whole repository counts, also where the project is a folder of it. `is_own` tells Ralph's own files by
/// their path from the project's root; (v0.11) they never count. A `start_sha` that is no commit's name is ignored with
/// a warning. Untracked files do not count.
#[must_use]
pub fn files_changed(
    project_root: &Path,
    generation: Generation,
    start_sha: Option<&str>,
    is_own: impl Fn(&Path) -> bool,
    timeout: Duration,
) -> GitAnswer<Option<u64>> {
    let counted = counted(generation);
    answer(|warnings| {
        let Some(git) = Git::open(project_root, timeout)? else { return Ok(None) };
        let mut paths = BTreeSet::new();
        for change in status(&git, SUBMODULE_DEPTH)? {
            if change.unstaged || (counted.staged && change.staged) {
                paths.insert(change.path);
            }
        }
        if let Some(start) = start_sha.filter(|_| counted.commits) {
            match committed(&git, start) {
                Ok(committed) => paths.extend(committed),
                Err(failure) => warnings.push(format!(
                    "commits since .loop_start_sha do not count: git {failure}; circuit_breaker `begin` stores a new start"
                )),
            }
        }
        let counts = |path: &&String| counted.own || !Path::new(path).strip_prefix(git.prefix()).is_ok_and(&is_own);
        Ok(Some(paths.iter().filter(counts).count() as u64))
    })
}

/// [`files_changed`] for an opened project, its logs among Ralph's own files wherever they are.
#[must_use]
pub fn project_files_changed(project: &Project, start_sha: Option<&str>) -> GitAnswer<Option<u64>> {
    let root = project.root();
    let state_dir = project.state_dir().strip_prefix(root).unwrap_or(Path::new(""));
    let log = project.log_file().strip_prefix(root).ok().map(Path::to_string_lossy);
    let is_own = |path: &Path| {
        path.strip_prefix(state_dir).is_ok_and(own::is_own)
            || log.as_ref().is_some_and(|log| own::is_log(&path.to_string_lossy(), log))
    };
    files_changed(root, project.generation(), start_sha, is_own, project.git_timeout())
}

/// Whether a text names a commit in full: 40 to 64 hexadecimal digits.
#[must_use]
pub fn is_commit_name(text: &str) -> bool {
    (40..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Runs `work`; what git cannot answer is the default value and a warning.
fn answer<T: Default>(work: impl FnOnce(&mut Vec<String>) -> Result<T, Failure>) -> GitAnswer<T> {
    let mut warnings = Vec::new();
    let value = work(&mut warnings).unwrap_or_else(|failure| {
        warnings.push(format!("git gave no answer: git {failure}"));
        T::default()
    });
    GitAnswer { value, warnings }
}

fn head_of(git: &Git) -> Result<Option<String>, Failure> {
    match git.run(&["rev-parse", "--verify", "--quiet", "HEAD"]) {
        Ok(output) => Ok(Some(String::from_utf8_lossy(output.trim_ascii()).into_owned()).filter(|sha| is_commit_name(sha))),
        // Before the first commit.
        Err(Failure::Refused(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// A file with changes that are not committed.
struct Change {
    path: String,
    staged: bool,
    unstaged: bool,
}

/// Submodules of submodules are looked into this deep.
const SUBMODULE_DEPTH: usize = 3;

/// `git status` rather than `git diff`, which would rewrite the index.
fn status(git: &Git, depth: usize) -> Result<Vec<Change>, Failure> {
    let output = git.run(&[
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=no",
        "--ignore-submodules=dirty",
        "--no-ahead-behind",
        "--find-renames",
    ])?;
    let mut changes = parse_status(&output);
    if depth > 0 {
        changes.extend(submodules(git)?.into_iter().filter(|path| is_dirty(git, path, depth)).map(|path| Change {
            path,
            staged: false,
            unstaged: true,
        }));
    }
    Ok(changes)
}

/// The paths of submodules, by the index.
fn submodules(git: &Git) -> Result<Vec<String>, Failure> {
    if !git.top().join(".gitmodules").is_file() {
        return Ok(Vec::new());
    }
    let output = git.run(&["ls-files", "--stage", "-z", "--full-name", "--", ":/"])?;
    let entries = output.split(|byte| *byte == 0).filter_map(|entry| std::str::from_utf8(entry).ok());
    let links = entries.filter(|entry| entry.starts_with("160000 "));
    Ok(links.filter_map(|entry| entry.split_once('\t')).map(|(_, path)| path.to_owned()).collect())
}

/// Whether something in a submodule changed; where git cannot tell, it did not.
fn is_dirty(git: &Git, path: &str, depth: usize) -> bool {
    let inside = git.submodule(path).ok().flatten();
    inside.is_some_and(|inside| status(&inside, depth - 1).is_ok_and(|changes| !changes.is_empty()))
}

/// The entries of `git status --porcelain=v2 -z`.
fn parse_status(output: &[u8]) -> Vec<Change> {
    let mut fields = output.split(|byte| *byte == 0);
    let mut changes = Vec::new();
    while let Some(field) = fields.next() {
        let text = String::from_utf8_lossy(field);
        // The number of words before the path, by the kind of entry.
        let words = match text.chars().next() {
            Some('1') => 8,
            Some('2') => 9,
            Some('u') => 10,
            _ => continue,
        };
        let renamed = text.starts_with('2');
        let mut parts = text.splitn(words + 1, ' ');
        let (Some(state), Some(path)) = (parts.nth(1), parts.nth(words - 2)) else { continue };
        let differs = |place: usize| state.as_bytes().get(place).is_some_and(|letter| *letter != b'.');
        changes.push(Change { path: path.to_owned(), staged: differs(0), unstaged: differs(1) });
        if renamed {
            // The name before.
            fields.next();
        }
    }
    changes
}

/// The files that differ between a commit and HEAD.
fn committed(git: &Git, start: &str) -> Result<Vec<String>, Failure> {
    if !is_commit_name(start) {
        return Err(Failure::NoCommit);
    }
    let Some(head) = head_of(git)?.filter(|head| !head.eq_ignore_ascii_case(start)) else { return Ok(Vec::new()) };
    let output = git.run(&[
        "diff-tree",
        "-r",
        "-z",
        "--name-only",
        "--find-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
        "--end-of-options",
        start,
        &head,
    ])?;
    let names = output.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}
