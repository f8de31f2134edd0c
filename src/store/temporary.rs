//! Temporaries: what a file's new bytes are in until they get its name, so that no reader ever sees half of it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::folder::{Facts, Folder, facts, give};

/// What the name of every temporary of ours begins with; who takes the lock removes those that a killed writer left.
pub const TEMPORARY_PREFIX: &str = ".ralph-tools-tmp-";

/// How many names are tried: a process of the same number in another container may use the same.
const NAMES: usize = 1000;

/// A new file in a folder under a name of its own; removed when dropped, unless it has been given another.
#[derive(Debug)]
pub struct Temporary<'a> {
    folder: &'a Folder,
    name: Option<OsString>,
    /// The file, open for reading and writing.
    pub file: File,
}

impl<'a> Temporary<'a> {
    /// Makes one, with these permission bits as far as the process's mask lets it.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(folder: &'a Folder, mode: u32) -> io::Result<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let mut tries = 0;
        loop {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let name: OsString = format!("{TEMPORARY_PREFIX}{:x}-{number:x}", process::id()).into();
            tries += 1;
            match folder.make_file(&name, mode) {
                Ok(file) => return Ok(Self { folder, name: Some(name), file }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < NAMES => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes one with these bytes, like `old` in owner and mode; and whether it has that owner.
    ///
    /// # Errors
    /// What the system says.
    pub fn with(folder: &'a Folder, bytes: &[u8], old: Option<&Facts>) -> io::Result<(Self, bool)> {
        let mut made = Self::new(folder, old.map_or(0o666, |old| old.mode))?;
        made.file.write_all(bytes)?;
        let kept = match old {
            Some(old) => give(&made.file, &facts(&made.file)?, old),
            None => true,
        };
        Ok((made, kept))
    }

    /// Its name while it has one of its own.
    #[must_use]
    pub fn name(&self) -> &OsStr {
        self.name.as_deref().unwrap_or_default()
    }

    /// Gives it a name, over whatever has it.
    ///
    /// # Errors
    /// What the system says.
    pub fn rename(mut self, to: &OsStr) -> io::Result<()> {
        self.folder.rename(self.name(), to)?;
        self.name = None;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = self.folder.remove(name);
        }
    }
}

/// Replaces a file, or makes it. What is known of the one that is there stays: owner, group and mode. `modified` is the
/// modification time to set.
///
/// # Errors
/// What the system says.
pub fn replace(folder: &Folder, name: &OsStr, bytes: &[u8], old: Option<&Facts>, modified: Option<SystemTime>) -> io::Result<()> {
    let (made, _) = Temporary::with(folder, bytes, old)?;
    if let Some(modified) = modified {
        made.file.set_modified(modified)?;
    }
    made.rename(name)
}

/// Removes the temporaries of killed writers from a folder. Only the lock's holder may call it: while it is held, nobody
/// of ours writes one. What cannot be removed is left for the next holder.
pub fn remove_temporaries(folder: &Folder) {
    for name in folder.names().unwrap_or_default() {
        if is_temporary(&name) {
            let _ = folder.remove(&name);
        }
    }
}

/// Whether a file's name is one of our temporaries'.
#[must_use]
pub fn is_temporary(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(TEMPORARY_PREFIX.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let folder = Folder::open(path.parent().expect("a folder"))?;
        let name = path.file_name().expect("a name");
        replace(&folder, name, bytes, folder.look(name).ok().as_ref(), None)
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let scratch = tempfile::tempdir().expect("a folder");
        let path = scratch.path().join("f");
        put(&path, b"one").expect("written");
        put(&path, b"two").expect("replaced");
        assert_eq!(fs::read(&path).expect("there"), b"two");
        fs::create_dir(scratch.path().join("folder")).expect("made");
        assert!(put(&scratch.path().join("folder"), b"three").is_err());
        assert_eq!(names(scratch.path()), ["f", "folder"]);
    }

    #[cfg(unix)]
    #[test]
    fn mode_owner_and_group_stay() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let scratch = tempfile::tempdir().expect("a folder");
        let path = scratch.path().join("f");
        put(&path, b"one").expect("written");
        for mode in [0o640, 0o666, 0o400, 0o600] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("mode set");
            // Case B8: who is not root may give nothing away.
            let given = std::os::unix::fs::chown(&path, Some(1234), Some(4321)).is_ok();
            put(&path, b"two").expect("replaced");
            let now = fs::metadata(&path).expect("there");
            assert_eq!(now.permissions().mode() & 0o7777, mode);
            assert!(!given || (now.uid(), now.gid()) == (1234, 4321));
        }
    }

    #[test]
    fn a_name_that_another_process_uses_is_passed_over() {
        let scratch = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(scratch.path()).expect("opened");
        let first = Temporary::new(&folder, 0o666).expect("made");
        let number =
            first.name().to_string_lossy().rsplit('-').next().and_then(|n| u64::from_str_radix(n, 16).ok()).expect("a number");
        for next in 1..50 {
            let name = format!("{TEMPORARY_PREFIX}{:x}-{:x}", process::id(), number + next);
            let _ = fs::write(scratch.path().join(name), "theirs");
        }
        let second = Temporary::new(&folder, 0o666).expect("made");
        assert!(second.file.metadata().expect("known").len() == 0);
    }

    #[test]
    fn only_our_temporaries_are_removed() {
        let scratch = tempfile::tempdir().expect("a folder");
        for name in [".ralph-tools-tmp-abc", "fix_plan.md", ".tmp"] {
            fs::write(scratch.path().join(name), "x").expect("written");
        }
        remove_temporaries(&Folder::open(scratch.path()).expect("opened"));
        assert_eq!(names(scratch.path()), [".tmp", "fix_plan.md"]);
    }
}
