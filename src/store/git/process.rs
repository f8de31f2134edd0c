//! Running git so that nothing else runs, and not for ever.
//!
//! | a repository could run | what stops it |
//! |---|---|
//! | a file system monitor, hooks, a pager | `-c core.fsmonitor=false`, `-c core.hooksPath`, `--no-pager` |
//! | an external diff, textconv | `--no-ext-diff`, `--no-textconv`, and no command here prints a patch |
//! | clean filters, as files are compared | each configured filter is set to nothing by `-c` |
//! | a transport, for a missing object of a partial clone | `GIT_NO_LAZY_FETCH`, `-c protocol.allow=never` |
//! | anything inside a submodule | `--ignore-submodules=dirty`; it is looked into by a git of its own, under the same rules |
//!
//! A file that a filter would change (as with git-lfs) and that was touched, not changed, counts as changed. Variables of
//! the environment that name another repository or configuration are removed; the index is not written.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::family::{Collected, Family};

/// Why git gave no answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// There is no git.
    Missing,
    /// It could not be run.
    Broken(io::Error),
    /// It took longer than it may.
    TooLong(Duration),
    /// It said no; what it said.
    Refused(String),
    /// It was not asked: this is no commit's name.
    NoCommit,
    /// It was not asked: this filter cannot be switched off.
    Filter(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => write!(f, "is not installed"),
            Self::Broken(error) => write!(f, "cannot be run ({error})"),
            Self::TooLong(limit) => write!(f, "took longer than gitTimeoutMs ({} ms)", limit.as_millis()),
            Self::Refused(said) => write!(f, "says {said:?}"),
            Self::NoCommit => write!(f, "was not asked, for it holds no commit's name"),
            Self::Filter(name) => {
                write!(f, "was not asked, for the filter {name:?} cannot be switched off; rename it without `=`")
            }
        }
    }
}

/// Git at a project that is inside a repository.
pub(super) struct Git {
    root: PathBuf,
    timeout: Duration,
    deadline: Instant,
    /// `-c` settings that switch off the configured filters.
    filters: Vec<OsString>,
    prefix: PathBuf,
    /// 0 for the project's repository, 1 for a submodule of it, and so on.
    depth: usize,
}

/// Settings for every command.
const SETTINGS: &[&str] =
    &["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never", "status.submoduleSummary=false"];

/// Variables for every command.
const VARIABLES: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
    // To tell "not a git repository" from other refusals.
    ("LC_ALL", "C"),
];

/// Variables of the caller's that stay: they say where to stop looking for a repository.
const KEPT_VARIABLES: &[&str] = &["GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"];

impl Git {
    /// `None` without git, or where the project is in no work tree.
    pub(super) fn open(project_root: &Path, timeout: Duration) -> Result<Option<Self>, Failure> {
        Self::open_until(project_root.to_owned(), timeout, Instant::now() + timeout, 0)
    }

    /// The repository of a submodule, within the same time; `None` where there is none in that folder.
    pub(super) fn submodule(&self, path: &str) -> Result<Option<Self>, Failure> {
        let folder = self.top().join(path);
        if !fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) {
            return Ok(None);
        }
        let submodule = Self::open_until(folder, self.timeout, self.deadline, self.depth + 1)?;
        // Elsewhere than at its own top it is the outer repository that was found.
        Ok(submodule.filter(|git| git.prefix.as_os_str().is_empty()))
    }

    fn open_until(root: PathBuf, timeout: Duration, deadline: Instant, depth: usize) -> Result<Option<Self>, Failure> {
        let mut git = Self { root, timeout, deadline, filters: Vec::new(), prefix: PathBuf::new(), depth };
        // Neither needs the other's answer: side by side they take the time of one.
        let place = git.start(&["rev-parse", "--is-inside-work-tree", "--show-prefix"]);
        let names = git.start(&["config", "--null", "--name-only", "--get-regexp", r"^filter\."]);
        let place = place.and_then(|place| git.collect(place));
        let names = names.and_then(|names| git.collect(names));
        let output = match place {
            Ok(output) => output,
            Err(Failure::Missing) => return Ok(None),
            Err(Failure::Refused(said)) if said.contains("not a git repository") => return Ok(None),
            Err(failure) => return Err(failure),
        };
        let output = String::from_utf8_lossy(&output).into_owned();
        let Some((inside, prefix)) = output.split_once('\n') else { return Ok(None) };
        if inside != "true" {
            return Ok(None);
        }
        git.prefix = PathBuf::from(prefix.strip_suffix('\n').unwrap_or(prefix));
        git.filters = switched_off(names)?;
        Ok(Some(git))
    }

    /// The project's path inside its repository.
    pub(super) fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// How deep in submodules it is.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Whether its time is up.
    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// The top of the work tree.
    pub(super) fn top(&self) -> &Path {
        self.root.ancestors().nth(self.prefix.components().count()).unwrap_or(&self.root)
    }

    /// What git prints.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
        self.collect(self.start(arguments)?)
    }

    fn start(&self, arguments: &[&str]) -> Result<Family, Failure> {
        let mut command = Command::new("git");
        command.arg("--no-pager");
        // Not by the working directory: a relative entry of PATH would lead into the project.
        command.arg("-C").arg(plain(&self.root));
        for setting in SETTINGS.iter().map(OsStr::new).chain(self.filters.iter().map(OsString::as_os_str)) {
            command.arg("-c").arg(setting);
        }
        command.args(arguments);
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy().to_ascii_uppercase();
            if text.starts_with("GIT_") && !KEPT_VARIABLES.contains(&text.as_str()) {
                command.env_remove(&name);
            }
        }
        command.envs(VARIABLES.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Family::spawn(&mut command).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::Missing,
            _ => Failure::Broken(error),
        })
    }

    fn collect(&self, git: Family) -> Result<Vec<u8>, Failure> {
        match git.collect(self.deadline) {
            Ok(Collected { status, printed, .. }) if status.success() => Ok(printed),
            Ok(Collected { said, .. }) => Err(Failure::Refused(first_line(&said))),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(Failure::TooLong(self.timeout)),
            Err(error) => Err(Failure::Broken(error)),
        }
    }
}

/// Settings that switch off the filters which are configured, by the names of their settings.
fn switched_off(names: Result<Vec<u8>, Failure>) -> Result<Vec<OsString>, Failure> {
    let names = match names {
        Ok(output) => String::from_utf8_lossy(&output).into_owned(),
        // None is configured.
        Err(Failure::Refused(said)) if said.is_empty() => String::new(),
        Err(failure) => return Err(failure),
    };
    let mut settings = Vec::new();
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        if name.contains('=') {
            return Err(Failure::Filter(name.to_owned()));
        }
        let nothing = if name.ends_with(".required") { "false" } else { "" };
        settings.push(format!("{name}={nothing}").into());
    }
    Ok(settings)
}

/// The path as git for Windows takes it: it refuses one that begins with `\\\\?\\`, which is how Rust names what it resolved
/// (rust-lang/rust issue 42869; P9).
fn plain(path: &Path) -> PathBuf {
    let text = path.to_string_lossy();
    match (text.strip_prefix(r"\\?\UNC\"), text.strip_prefix(r"\\?\")) {
        (Some(share), _) => PathBuf::from(format!(r"\\{share}")),
        (None, Some(local)) => PathBuf::from(local),
        (None, None) => path.to_owned(),
    }
}

fn first_line(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_for_windows_gets_plain_paths() {
        for (path, expected) in [
            (r"\\?\C:\a b\c", r"C:\a b\c"),
            (r"\\?\UNC\server\share\c", r"\\server\share\c"),
            (r"C:\a", r"C:\a"),
            ("/a/b", "/a/b"),
            ("relative", "relative"),
        ] {
            assert_eq!(plain(Path::new(path)), Path::new(expected));
        }
    }
}
