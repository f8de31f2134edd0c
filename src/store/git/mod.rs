//! What git says of a project: its HEAD, and how many files changed.
//!
//! Everything that a repository can be configured to run is switched off (see `process`), for the loop that is guarded
//! may write to it. A submodule counts as one file, as in bash: where its commit or anything in it changed.

mod family;
pub mod origin;
pub mod own;
mod process;
mod snapshot;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::project::Project;
use crate::generation::Generation;
use process::{Failure, Git};
pub use snapshot::Snapshot;

/// An answer of git's, and what kept it from being exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitAnswer<T> {
    /// The answer.
    pub value: T,
    /// For the answer's `warnings`.
    pub warnings: Vec<String>,
}

/// Which changes a generation counts where nobody remembers how the loop began: bash's rules.
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

/// Where a loop began, as far as anybody remembers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Start<'a> {
    /// The commit (`.loop_start_sha`).
    pub sha: Option<&'a str>,
    /// What was not committed then.
    pub snapshot: Option<&'a Snapshot>,
}

/// Files that changed since a loop began.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changed {
    /// Their paths from the project, or from the top of the work tree where they lie outside of it; each once.
    pub paths: BTreeSet<String>,
    /// Whether there can be no others.
    pub certain: bool,
}

/// The files of a repository that count.
pub struct Scope<'a> {
    /// The project.
    pub root: &'a Path,
    /// Whose rules apply.
    pub generation: Generation,
    /// Tells Ralph's own files by their path from the project.
    pub is_own: &'a dyn Fn(&Path) -> bool,
    /// How long all of git's calls may take together.
    pub timeout: Duration,
}

impl Scope<'_> {
    fn open(&self) -> Result<Option<Git>, Failure> {
        Git::open(self.root, self.timeout)
    }

    fn own(&self, git: &Git, path: &str) -> bool {
        Path::new(path).strip_prefix(git.prefix()).is_ok_and(self.is_own)
    }

    /// What is not committed now, for [`Start`]; `None` without git and in a folder that is no repository. `before` is the
    /// last one: what it knows of a file that was not touched since need not be read again.
    #[must_use]
    pub fn snapshot(&self, before: Option<&Snapshot>) -> GitAnswer<Option<Snapshot>> {
        answer(|warnings| {
            let Some(git) = self.open()? else { return Ok(None) };
            let status = status(&git, Untracked::All)?;
            let paths = status.changes.iter().map(|change| change.path.as_str()).filter(|path| !self.own(&git, path));
            let (snapshot, left_out) = Snapshot::take(&git, status.head.clone(), paths, before);
            if left_out > 0 {
                warnings.push(format!(
                    "{left_out} of the files that are not committed are not looked at one by one: there are too many; add what \
                     is made by machines to .gitignore"
                ));
            }
            Ok(Some(snapshot))
        })
    }

    /// The files that changed since the loop began; `None` where git cannot tell at all.
    ///
    /// With a snapshot they are what differs from it, and nothing else (S27): uncommitted and untracked files that are
    /// not as they were, and (v0.11) the commits since. Without one bash's rules count: (v0.9) unstaged changes, (v0.11) commits since
    /// the start, staged and unstaged. As in bash the whole repository counts, also where the project is a folder of it.
    /// A start that is no commit's name is ignored with a warning. Ralph's own files never count under v0.11, nor beside
    /// a snapshot.
    #[must_use]
    pub fn changed(&self, start: Start<'_>) -> GitAnswer<Option<Changed>> {
        answer(|warnings| {
            let Some(git) = self.open()? else { return Ok(None) };
            let mut changed = match start.snapshot {
                Some(snapshot) => self.since(&git, snapshot, warnings)?,
                None => self.by_bash(&git, start.sha, warnings)?,
            };
            if start.snapshot.is_some() || !counted(self.generation).own {
                changed.paths.retain(|path| !self.own(&git, path));
            }
            let from_project = |path: String| match Path::new(&path).strip_prefix(git.prefix()) {
                Ok(inside) => inside.to_string_lossy().into_owned(),
                Err(_) => path,
            };
            changed.paths = changed.paths.into_iter().map(from_project).collect();
            Ok(Some(changed))
        })
    }

    fn since(&self, git: &Git, snapshot: &Snapshot, warnings: &mut Vec<String>) -> Result<Changed, Failure> {
        let status = status(git, Untracked::All)?;
        let now: Vec<&str> =
            status.changes.iter().map(|change| change.path.as_str()).filter(|path| !self.own(git, path)).collect();
        let mut paths = snapshot.differing(git, &now);
        if !counted(self.generation).commits {
            // What is staged or committed has never counted there.
            let counts = |change: &&Change| change.unstaged || change.untracked;
            let counted: BTreeSet<&str> = status.changes.iter().filter(counts).map(|change| change.path.as_str()).collect();
            paths.retain(|path| counted.contains(path.as_str()));
            return Ok(Changed { paths, certain: true });
        }
        let commits = match (&snapshot.head, &status.head) {
            (Some(start), Some(head)) => committed(git, start, head),
            (None, Some(_)) => first_commits(git),
            (_, None) => Ok(Vec::new()),
        };
        let certain = commits.is_ok();
        match commits {
            Ok(commits) => paths.extend(commits),
            Err(failure) => warnings.push(lost_start(&failure)),
        }
        Ok(Changed { paths, certain })
    }

    fn by_bash(&self, git: &Git, start: Option<&str>, warnings: &mut Vec<String>) -> Result<Changed, Failure> {
        let counted = counted(self.generation);
        let status = status(git, Untracked::Folders)?;
        // Since its commit nothing else can have happened to a tree that has no change.
        let clean = status.changes.iter().all(|change| self.own(git, &change.path));
        let mut paths = BTreeSet::new();
        for change in status.changes {
            if !change.untracked && (change.unstaged || (counted.staged && change.staged)) {
                paths.insert(change.path);
            }
        }
        let mut certain = false;
        if let Some(start) = start.filter(|_| counted.commits) {
            match status.head.as_deref().map_or(Ok(Vec::new()), |head| committed(git, start, head)) {
                Ok(committed) => {
                    paths.extend(committed);
                    certain = clean;
                }
                Err(failure) => warnings.push(lost_start(&failure)),
            }
        }
        Ok(Changed { paths, certain })
    }
}

fn lost_start(failure: &Failure) -> String {
    format!("commits since .loop_start_sha do not count: git {failure}; circuit_breaker `begin` stores a new start")
}

/// Runs `work` with an opened project's [`Scope`], its logs among Ralph's own files wherever they are.
pub fn of_project<T>(project: &Project, work: impl FnOnce(&Scope<'_>) -> T) -> T {
    let root = project.root();
    let state_dir = project.state_dir().strip_prefix(root).unwrap_or(Path::new(""));
    let log = project.log_file().strip_prefix(root).ok().map(Path::to_string_lossy);
    let is_own = |path: &Path| {
        path.strip_prefix(state_dir).is_ok_and(own::is_own)
            || log.as_ref().is_some_and(|log| own::is_log(&path.to_string_lossy(), log))
    };
    work(&Scope { root, generation: project.generation(), is_own: &is_own, timeout: project.git_timeout() })
}

/// Ralph's state files that git keeps, by their paths from the project's root: they change in every loop, and a checkout
/// would bring back an old count.
#[must_use]
pub fn tracked_state(project: &Project) -> GitAnswer<Vec<String>> {
    let root = project.root();
    let state_dir = project.state_dir().strip_prefix(root).unwrap_or(Path::new(""));
    let below = if state_dir.as_os_str().is_empty() { "." } else { &*state_dir.to_string_lossy() };
    answer(|_| {
        let Some(git) = Git::open(root, project.git_timeout())? else { return Ok(Vec::new()) };
        let listed = git.run(&["ls-files", "-z", "--", below])?;
        let paths = listed.split(|&byte| byte == 0).map(String::from_utf8_lossy);
        let own = paths.filter(|path| Path::new(&**path).strip_prefix(state_dir).is_ok_and(own::is_own));
        Ok(own.map(String::from).collect())
    })
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

/// A file with changes that are not committed.
#[derive(Debug)]
struct Change {
    path: String,
    staged: bool,
    unstaged: bool,
    untracked: bool,
}

/// What `git status` tells.
#[derive(Debug, Default)]
struct Status {
    /// The commit that is checked out; `None` before the first.
    head: Option<String>,
    changes: Vec<Change>,
}

/// How untracked files are listed; ignored ones never are.
#[derive(Debug, Clone, Copy)]
enum Untracked {
    /// Each of them.
    All,
    /// A folder of nothing else counts as one.
    Folders,
}

/// Submodules of submodules are looked into this deep.
const SUBMODULE_DEPTH: usize = 3;

/// `git status` rather than `git diff`, which would rewrite the index.
fn status(git: &Git, untracked: Untracked) -> Result<Status, Failure> {
    let output = git.run(&[
        "status",
        "--porcelain=v2",
        "-z",
        "--branch",
        match untracked {
            Untracked::All => "--untracked-files=all",
            Untracked::Folders => "--untracked-files=normal",
        },
        "--ignore-submodules=dirty",
        "--no-ahead-behind",
        "--find-renames",
    ])?;
    let mut status = parse_status(&output);
    if git.depth() < SUBMODULE_DEPTH {
        let listed: BTreeSet<String> = status.changes.iter().map(|change| change.path.clone()).collect();
        let dirty = submodules(git)?.into_iter().filter(|path| !listed.contains(path) && is_dirty(git, path, untracked));
        status.changes.extend(dirty.map(|path| Change { path, staged: false, unstaged: true, untracked: false }));
    }
    Ok(status)
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

/// Whether something in a submodule changed; where git cannot tell, it did not. New files count where they are asked for.
fn is_dirty(git: &Git, path: &str, untracked: Untracked) -> bool {
    let inside = git.submodule(path).ok().flatten();
    let counts = |change: &Change| !change.untracked || matches!(untracked, Untracked::All);
    inside.is_some_and(|inside| status(&inside, untracked).is_ok_and(|status| status.changes.iter().any(counts)))
}

/// The entries of `git status --porcelain=v2 --branch -z`.
fn parse_status(output: &[u8]) -> Status {
    let mut fields = output.split(|byte| *byte == 0);
    let mut status = Status::default();
    while let Some(field) = fields.next() {
        let text = String::from_utf8_lossy(field);
        if let Some(sha) = text.strip_prefix("# branch.oid ") {
            status.head = Some(sha.to_owned()).filter(|sha| is_commit_name(sha));
            continue;
        }
        if let Some(path) = text.strip_prefix("? ") {
            let path = path.trim_end_matches('/').to_owned();
            status.changes.push(Change { path, staged: false, unstaged: false, untracked: true });
            continue;
        }
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
        let change = Change { path: path.to_owned(), staged: differs(0), unstaged: differs(1), untracked: false };
        status.changes.push(change);
        if renamed {
            // The name before.
            fields.next();
        }
    }
    status
}

/// The files that differ between a commit and HEAD.
fn committed(git: &Git, start: &str, head: &str) -> Result<Vec<String>, Failure> {
    if !is_commit_name(start) {
        return Err(Failure::NoCommit);
    }
    if head.eq_ignore_ascii_case(start) {
        return Ok(Vec::new());
    }
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
        head,
    ])?;
    Ok(names(&output))
}

/// The files of HEAD, which is of the loop where there was no commit before it.
fn first_commits(git: &Git) -> Result<Vec<String>, Failure> {
    git.run(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"]).map(|output| names(&output))
}

fn names(output: &[u8]) -> Vec<String> {
    let names = output.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}
