//! What was not committed when a loop began, so that only what changed since then counts (S27): a file that an earlier loop
//! left edited is no progress of this one.
//!
//! A file is known by its size, its time and its inode; only one that was touched is read, as in git's own index. What was
//! read is remembered in the snapshot, so that the next one reads no file a second time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::process::Git;
use super::{SUBMODULE_DEPTH, Untracked, status};

/// So many files are looked at one by one; of the others only their number, sizes and times are known.
const MOST_FILES: usize = 10_000;

/// So many bytes of touched files are read for one snapshot or comparison. A longer one, and what comes after, is known by
/// size, time and inode alone.
const MOST_READ: u64 = 64 << 20;

/// Nanoseconds: a file whose time is as near to the snapshot's is read, for no file system's clock is exact.
const RACY: u64 = 2_000_000_000;

/// What was not committed when a loop began.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Snapshot {
    /// The commit that was checked out; `None` before the first.
    pub head: Option<String>,
    /// When it was taken, in nanoseconds since 1970, by the clock of the files.
    taken: u64,
    /// By the path from the top of the work tree.
    files: BTreeMap<String, Print>,
    /// How many files there were beyond those, and a sum over what is known of them.
    #[serde(default)]
    rest: (u64, u64),
}

/// What a file is known by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Print {
    size: u64,
    /// Nanoseconds since 1970.
    modified: u64,
    inode: u64,
    /// Whether somebody may run it.
    #[serde(default)]
    executable: bool,
    /// Of the content, the target of a link, or all that is uncommitted in a repository inside. `None`: it was not read.
    hash: Option<u64>,
}

impl Print {
    fn of(metadata: &Metadata) -> Self {
        Self {
            size: metadata.len(),
            modified: nanoseconds(metadata.modified().ok()),
            inode: inode(metadata),
            executable: executable(metadata),
            hash: None,
        }
    }

    /// Nothing is there.
    fn none() -> Self {
        Self { size: 0, modified: 0, inode: 0, executable: false, hash: Some(0) }
    }

    /// Whether it is as it was by all that costs no reading. One written as the snapshot was taken may have been written
    /// again in the same instant.
    fn untouched_since(&self, earlier: &Self, taken: u64) -> bool {
        let racy = self.modified.saturating_add(RACY) >= taken;
        let seen = |print: &Self| (print.size, print.modified, print.inode, print.executable);
        seen(self) == seen(earlier) && (!racy || earlier.hash.is_none())
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(unix)]
fn executable(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::mode(metadata) & 0o111 != 0
}

/// Elsewhere the time of making it tells a file from one that has its name.
#[cfg(not(unix))]
fn inode(metadata: &Metadata) -> u64 {
    nanoseconds(metadata.created().ok())
}

#[cfg(not(unix))]
fn executable(_: &Metadata) -> bool {
    false
}

fn nanoseconds(time: Option<SystemTime>) -> u64 {
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

impl Snapshot {
    /// Takes one of these paths, and answers how many were too many. `before` is an earlier one.
    pub(super) fn take<'a>(
        git: &Git,
        head: Option<String>,
        paths: impl Iterator<Item = &'a str>,
        before: Option<&Self>,
    ) -> (Self, u64) {
        let mut snapshot = Self { head, taken: nanoseconds(Some(SystemTime::now())), ..Self::default() };
        let mut hasher = Hasher::new(git);
        for path in paths {
            if snapshot.files.len() < MOST_FILES {
                let known = before.and_then(|before| Some((before.files.get(path)?, before.taken)));
                snapshot.files.insert(path.to_owned(), hasher.print(path, known));
            } else {
                add_to(&mut snapshot.rest, git, path);
            }
        }
        let left_out = snapshot.rest.0;
        (snapshot, left_out)
    }

    /// The paths that are not as they were: of these, which are not committed now, and of those that were not then.
    pub(super) fn differing(&self, git: &Git, now: &[&str]) -> BTreeSet<String> {
        let mut differing = BTreeSet::new();
        let mut hasher = Hasher::new(git);
        let mut rest = (0, 0);
        for (index, path) in now.iter().enumerate() {
            if index >= MOST_FILES {
                add_to(&mut rest, git, path);
            } else if !self.files.get(*path).is_some_and(|then| hasher.unchanged(path, then, self.taken)) {
                differing.insert((*path).to_owned());
            }
        }
        if self.rest != rest {
            differing.extend(now.last().map(|last| (*last).to_owned()));
        }
        let now: BTreeSet<&str> = now.iter().copied().collect();
        differing.extend(self.files.keys().filter(|path| !now.contains(path.as_str())).cloned());
        differing
    }
}

/// One more of the files that are only counted.
fn add_to(rest: &mut (u64, u64), git: &Git, path: &str) {
    let print = fs::symlink_metadata(git.top().join(path)).map_or_else(|_| Print::none(), |metadata| Print::of(&metadata));
    let mut sum = Xxh3::new();
    sum.update(path.as_bytes());
    for part in [print.size, print.modified, print.inode] {
        sum.update(&part.to_le_bytes());
    }
    *rest = (rest.0 + 1, rest.1.wrapping_add(sum.digest()));
}

/// Reads files, up to a bound.
struct Hasher<'a> {
    git: &'a Git,
    left: u64,
}

impl<'a> Hasher<'a> {
    fn new(git: &'a Git) -> Self {
        Self { git, left: MOST_READ }
    }

    /// What a path is known by; `known` is what it was known by, and when.
    fn print(&mut self, path: &str, known: Option<(&Print, u64)>) -> Print {
        let at = self.git.top().join(path);
        let Ok(metadata) = fs::symlink_metadata(&at) else { return Print::none() };
        let print = Print::of(&metadata);
        if metadata.is_dir() {
            // What is in a repository inside does not show in its folder.
            return Print { hash: self.repository(path), ..Print::none() };
        }
        if let Some((known, taken)) = known
            && print.untouched_since(known, taken)
        {
            return known.clone();
        }
        let hash = if metadata.is_symlink() {
            fs::read_link(&at).ok().map(|target| xxh3_64(target.as_os_str().as_encoded_bytes()))
        } else {
            self.content(&at, &metadata)
        };
        Print { hash, ..print }
    }

    /// Whether a path is what it was.
    fn unchanged(&mut self, path: &str, then: &Print, taken: u64) -> bool {
        let size = fs::symlink_metadata(self.git.top().join(path)).map(|found| if found.is_dir() { 0 } else { found.len() });
        if size.unwrap_or(0) != then.size {
            return false;
        }
        let now = self.print(path, Some((then, taken)));
        now == *then || (now.hash.is_some() && (now.hash, now.executable) == (then.hash, then.executable))
    }

    /// Of a regular file, as far as the bound goes.
    fn content(&mut self, path: &Path, metadata: &Metadata) -> Option<u64> {
        if !metadata.is_file() || metadata.len() > self.left || self.git.is_late() {
            return None;
        }
        self.left -= metadata.len();
        let mut hash = Xxh3::new();
        // A file that grows meanwhile is not read for ever.
        let mut rest = open(path).ok()?.take(metadata.len());
        let mut piece = vec![0; usize::try_from(metadata.len()).unwrap_or(usize::MAX).clamp(1, 1 << 16)];
        loop {
            match rest.read(&mut piece) {
                Ok(0) => return Some(hash.digest()),
                Ok(length) => hash.update(piece.get(..length)?),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }

    /// Of a repository inside: its commit, and what is not committed in it.
    fn repository(&mut self, path: &str) -> Option<u64> {
        if self.git.depth() >= SUBMODULE_DEPTH {
            return None;
        }
        let inside = self.git.submodule(path).ok().flatten()?;
        let status = status(&inside, Untracked::All).ok()?;
        let mut hash = Xxh3::new();
        hash.update(status.head.unwrap_or_default().as_bytes());
        let mut hasher = Hasher { git: &inside, left: self.left };
        for change in status.changes.iter().take(MOST_FILES) {
            hash.update(change.path.as_bytes());
            let print = hasher.print(&change.path, None);
            hash.update(&[0, u8::from(print.hash.is_some())]);
            hash.update(&print.hash.unwrap_or(print.size ^ print.modified).to_le_bytes());
        }
        self.left = hasher.left;
        Some(hash.digest())
    }
}

/// A regular file, which it was a moment ago: what has taken its place is not waited for, nor followed.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map(File::from).map_err(io::Error::from)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}
