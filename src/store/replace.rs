//! Replacing a file so that no reader ever sees half of it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use tempfile::{Builder, NamedTempFile};

use crate::error::{Error, Result};

/// What the name of every temporary of ours begins with; who takes the lock removes those that a killed writer left.
pub const TEMPORARY_PREFIX: &str = ".ralph-tools-tmp-";

/// How a file is replaced.
#[derive(Debug, Clone, Copy, Default)]
pub struct Replace {
    /// The modification time to set; the moment of writing where it is `None`.
    pub modified: Option<SystemTime>,
    /// Whether the bytes must be on the disk before the name points to them.
    pub sync: bool,
}

impl Replace {
    /// Writes `bytes` to a temporary beside `path` and renames it there. The mode of a file that is already there stays.
    ///
    /// # Errors
    /// `IO_ERROR`.
    pub fn file(self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.file_if(path, bytes, || Ok(true)).map(|_| ())
    }

    /// As [`Replace::file`], but asks `still_wanted` just before the rename; `false` leaves everything as it was.
    ///
    /// # Errors
    /// `IO_ERROR`, and what `still_wanted` answers.
    pub fn file_if(self, path: &Path, bytes: &[u8], still_wanted: impl FnOnce() -> Result<bool>) -> Result<bool> {
        let temporary = self.prepare(path, bytes).map_err(|error| Error::io("write", path, &error))?;
        if !still_wanted()? {
            return Ok(false);
        }
        temporary.persist(path).map_err(|error| Error::io("replace", path, &error.error))?;
        if self.sync {
            sync_folder(path).map_err(|error| Error::io("sync the folder of", path, &error))?;
        }
        Ok(true)
    }

    fn prepare(self, path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut builder = Builder::new();
        builder.prefix(TEMPORARY_PREFIX);
        #[cfg(unix)]
        let builder = builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut temporary = builder.tempfile_in(folder)?;
        temporary.write_all(bytes)?;
        if let Ok(present) = fs::metadata(path) {
            temporary.as_file().set_permissions(present.permissions())?;
        }
        if let Some(modified) = self.modified {
            temporary.as_file().set_modified(modified)?;
        }
        if self.sync {
            temporary.as_file().sync_all()?;
        }
        Ok(temporary)
    }
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes the temporaries of killed writers from a folder. Only the lock's holder may call it: while it is held, nobody
/// of ours writes one. What cannot be removed is left for the next holder.
pub fn remove_temporaries(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if is_temporary(&entry.file_name()) {
            let _ = fs::remove_file(entry.path());
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

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .expect("a folder")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f");
        Replace::default().file(&path, b"one").expect("written");
        Replace { sync: true, ..Replace::default() }.file(&path, b"two").expect("replaced");
        assert_eq!(fs::read(&path).expect("there"), b"two");
        assert!(!Replace::default().file_if(&path, b"three", || Ok(false)).expect("asked"));
        assert_eq!(fs::read(&path).expect("there"), b"two");
        assert_eq!(names(folder.path()), ["f"]);
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_stays() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f");
        fs::write(&path, "one").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("mode set");
        Replace::default().file(&path, b"two").expect("replaced");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn only_our_temporaries_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [".ralph-tools-tmp-abc", "fix_plan.md", ".tmp"] {
            fs::write(folder.path().join(name), "x").expect("written");
        }
        remove_temporaries(folder.path());
        assert_eq!(names(folder.path()), [".tmp", "fix_plan.md"]);
        remove_temporaries(&folder.path().join("missing"));
    }
}
