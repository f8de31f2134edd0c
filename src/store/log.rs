//! Files of lines that are appended to under the lock, and their rotation.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::files::Writer;
use super::folder::Folder;
use super::read::read_at;
use crate::error::{Error, Result};

/// A log of this size or more is rotated before the next line (Ralph v0.11: `rotate_logs`).
pub const ROTATE_AT: u64 = 10 << 20;

/// Archives kept: `ralph.log.1`, the newest, to `ralph.log.4`.
pub const ARCHIVES: u32 = 4;

/// A file open for appending lines, held by the lock's holder.
#[derive(Debug)]
pub struct LineFile {
    file: File,
    length: u64,
    path: PathBuf,
}

impl LineFile {
    /// Opens a file, creating it and its folder: what is going to fail should fail before anything else is written.
    ///
    /// # Errors
    /// `IO_ERROR`; `OUTSIDE_PROJECT` where it, or a folder on the way, is a link that leads out. A link in a project's own
    /// folder must not lead a model's words into a file elsewhere; the logFile option may.
    pub fn open(writer: &Writer<'_>, path: &Path) -> Result<Self> {
        let (file, facts, _) = writer.project().open_to_append(writer.state_home(), path)?;
        Ok(Self { file, length: facts.length, path: path.to_owned() })
    }

    /// As [`LineFile::open`], once the file is rotated where it is due. A rotation that fails is warned of, and the log
    /// grows on.
    ///
    /// # Errors
    /// `IO_ERROR`.
    pub fn open_rotated(writer: &mut Writer<'_>, path: &Path) -> Result<Self> {
        let (file, facts, folder) = writer.project().open_to_append(writer.state_home(), path)?;
        if facts.length >= ROTATE_AT {
            match rotate(&folder, path.file_name().unwrap_or_default()) {
                Ok(()) => return Self::open(writer, path),
                Err(error) => writer.warn(format!("cannot rotate {}: {error}", path.display())),
            }
        }
        Ok(Self { file, length: facts.length, path: path.to_owned() })
    }

    /// Appends a line, on a fresh one: a writer may have died in the middle of the last.
    ///
    /// # Errors
    /// `IO_ERROR`.
    pub fn append(&mut self, line: &str) -> Result<()> {
        let failed = |error: io::Error| Error::io("append to", &self.path, &error);
        let fresh = self.ends_in_line_end().map_err(failed)?;
        // One write: bash appends too, and does not take the lock.
        let text = format!("{}{line}\n", if fresh { "" } else { "\n" });
        self.file.write_all(text.as_bytes()).map_err(failed)?;
        self.length += text.len() as u64;
        Ok(())
    }

    fn ends_in_line_end(&self) -> io::Result<bool> {
        let Some(end) = self.length.checked_sub(1) else { return Ok(true) };
        let mut last = [0];
        Ok(read_at(&self.file, &mut last, end)? == 0 || last == *b"\n")
    }
}

/// The `number`th archive of a log.
#[must_use]
pub fn archive(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

/// Moves a log to its first archive, and each archive to the next; the last is dropped.
fn rotate(folder: &Folder, name: &OsStr) -> io::Result<()> {
    let archive = |number: u32| OsString::from(archive(Path::new(name), number));
    for number in (1..ARCHIVES).rev() {
        match folder.rename(&archive(number), &archive(number + 1)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    folder.rename(name, &archive(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;
    use crate::store::project::Project;
    use crate::testing::project;
    use std::fs;
    use std::fs::OpenOptions;

    fn append(project: &Project, path: &Path, line: &str) -> Result<Vec<String>> {
        project.write(|files| LineFile::open_rotated(files, path)?.append(line)).map(|outcome| outcome.warnings)
    }

    #[test]
    fn lines_are_appended_each_on_a_fresh_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = project(folder.path());
        let path = folder.path().join("deep/er/ralph.log");
        append(&project, &path, "one").expect("appended");
        append(&project, &path, "two").expect("appended");
        OpenOptions::new().append(true).open(&path).and_then(|mut file| file.write_all(b"torn")).expect("appended");
        append(&project, &path, "three").expect("appended");
        assert_eq!(fs::read_to_string(&path).expect("there"), "one\ntwo\ntorn\nthree\n");
    }

    #[test]
    fn a_log_of_ten_megabytes_is_rotated_and_four_archives_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = project(folder.path());
        let path = folder.path().join("ralph.log");
        for round in 1..=6 {
            fs::write(&path, format!("round {round}\n")).expect("written");
            append(&project, &path, "small").expect("appended");
            assert!(fs::read_to_string(&path).expect("there").ends_with("small\n"), "not due");
            File::options().write(true).open(&path).and_then(|file| file.set_len(ROTATE_AT)).expect("grown");
            assert_eq!(append(&project, &path, "new").expect("appended"), Vec::<String>::new());
            assert_eq!(fs::read_to_string(&path).expect("there"), "new\n");
        }
        let first = |number| fs::read(archive(&path, number)).expect("there").get(..7).map(<[u8]>::to_vec);
        for (number, round) in [(1, 6), (2, 5), (3, 4), (4, 3)] {
            assert_eq!(first(number), Some(format!("round {round}").into_bytes()));
        }
        assert!(!archive(&path, 5).exists());
    }

    #[test]
    fn a_rotation_that_fails_is_warned_of() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = project(folder.path());
        let path = folder.path().join("ralph.log");
        fs::create_dir_all(archive(&path, ARCHIVES).join("not empty")).expect("made");
        File::create(&path).and_then(|file| file.set_len(ROTATE_AT)).expect("grown");
        fs::write(archive(&path, ARCHIVES - 1), "next").expect("written");
        let warnings = append(&project, &path, "line").expect("appended");
        assert!(warnings.iter().any(|warning| warning.contains("cannot rotate")), "{warnings:?}");
        assert_eq!(fs::metadata(&path).expect("there").len(), ROTATE_AT + 6);
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = project(folder.path());
        fs::write(folder.path().join("file"), "x").expect("written");
        for path in [folder.path().to_owned(), folder.path().join("file/log")] {
            assert_eq!(append(&project, &path, "line").map_err(|error| error.code()), Err(ErrorCode::IoError));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_projects_own_folder_must_stay_inside() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("project");
        fs::create_dir_all(root.join(".ralph/logs")).expect("made");
        let project = project(&root);
        fs::write(folder.path().join("theirs"), "x").expect("written");
        fs::write(root.join("inside"), "").expect("written");
        for (target, answer) in [
            ("../../../theirs", Err(ErrorCode::OutsideProject)),
            ("nowhere", Err(ErrorCode::IoError)),
            ("../../inside", Ok(Vec::new())),
        ] {
            let path = project.logs_dir().join("ralph.log");
            symlink(target, &path).expect("linked");
            assert_eq!(append(&project, &path, "line").map_err(|error| error.code()), answer, "{target}");
            fs::remove_file(&path).expect("removed");
        }
        assert_eq!(fs::read_to_string(folder.path().join("theirs")).expect("there"), "x");
        assert_eq!(fs::read_to_string(root.join("inside")).expect("there"), "line\n");
    }
}
