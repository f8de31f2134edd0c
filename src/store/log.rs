//! Files of lines that are appended to under the lock, and their rotation.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::files::Writer;
use super::paths::regular_file_inside;
use crate::error::{Error, ErrorCode, Result};

/// A log of this size or more is rotated before the next line (Ralph v0.11: `rotate_logs`).
pub const ROTATE_AT: u64 = 10 << 20;

/// Archives kept: `ralph.log.1`, the newest, to `ralph.log.4`.
pub const ARCHIVES: u32 = 4;

/// A file open for appending lines, held by the lock's holder.
#[derive(Debug)]
pub struct LineFile {
    file: File,
    path: PathBuf,
}

impl LineFile {
    /// Opens a file, creating it and its folder: what is going to fail should fail before anything else is written.
    ///
    /// # Errors
    /// `IO_ERROR`; `OUTSIDE_PROJECT` where it is a link that leads out.
    pub fn open(writer: &Writer<'_>, path: &Path) -> Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|error| Error::io("create the folder", folder, &error))?;
        // A link in a project's own folder must not lead a model's words into a file elsewhere. The logFile option may.
        if path.starts_with(writer.project().state_dir()) {
            refuse_link_out(writer.project().root(), path)?;
        }
        // Opening a pipe would wait for a reader.
        regular(path)?;
        let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = opened.map_err(|error| Error::io("append to", path, &error))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// As [`LineFile::open`], once the file is rotated where it is due. A rotation that fails is warned of, and the log
    /// grows on.
    ///
    /// # Errors
    /// `IO_ERROR`.
    pub fn open_rotated(writer: &mut Writer<'_>, path: &Path) -> Result<Self> {
        if let Err(error) = rotate(path) {
            writer.warn(format!("cannot rotate {}: {error}", path.display()));
        }
        Self::open(writer, path)
    }

    /// Appends a line, on a fresh one: a writer may have died in the middle of the last.
    ///
    /// # Errors
    /// `IO_ERROR`.
    pub fn append(&mut self, line: &str) -> Result<()> {
        let failed = |error: io::Error| Error::io("append to", &self.path, &error);
        let fresh = ends_in_line_end(&mut self.file).map_err(failed)?;
        // One write: bash appends too, and does not take the lock.
        let text = format!("{}{line}\n", if fresh { "" } else { "\n" });
        self.file.write_all(text.as_bytes()).map_err(failed)
    }
}

fn refuse_link_out(root: &Path, path: &Path) -> Result<()> {
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Ok(());
    }
    match regular_file_inside(root, path)? {
        Some(_) => Ok(()),
        None => Err(Error::new(ErrorCode::IoError, format!("{} is a link that leads nowhere; remove it", path.display()))),
    }
}

fn ends_in_line_end(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    Ok(file.read(&mut last)? == 0 || last == *b"\n")
}

/// Nothing, or a regular file: anything else is refused.
pub(super) fn regular(path: &Path) -> Result<bool> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(true),
        Ok(_) => Err(Error::new(ErrorCode::IoError, format!("{} is no regular file; move it away", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io("look at", path, &error)),
    }
}

/// The `number`th archive of a log.
#[must_use]
pub fn archive(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

/// Moves a log that is due to its first archive, and each archive to the next; the last is dropped.
fn rotate(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() >= ROTATE_AT => {}
        _ => return Ok(()),
    }
    for number in (1..ARCHIVES).rev() {
        match fs::rename(archive(path, number), archive(path, number + 1)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::rename(path, archive(path, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::options::Options;
    use crate::store::clock::SystemClock;
    use crate::store::project::Project;
    use std::sync::Arc;

    fn project(folder: &Path) -> Project {
        let options =
            Options { project_dir: Some(folder.to_owned()), ralph_home: Some(folder.join("none")), ..Options::default() };
        Project::open(&options, &Environment::default(), Arc::new(SystemClock)).expect("a project")
    }

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
