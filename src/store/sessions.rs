//! The files of the guarded loop: one for each session that loops on the project, and beside it what that session noted
//! while it worked. The name carries the session's id, so that an event of a session without a loop costs one look at a
//! name. Bash Ralph ignores both.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use chrono::{DateTime, Utc};

use super::files::Writer;
use super::folder::{For, Kind};
use super::inside::open_regular;
use super::project::Project;
use super::read::read_whole;
use super::temporary::replace;
use crate::error::{Error, Result};

const PREFIX: &str = ".session_";
const NOTES: &str = ".edits";

/// A session's file that is longer is none of ours.
const LARGEST_SESSION: u64 = 1 << 20;

/// So much of the notes is read: a model that calls a tool a million times must not fill the memory.
const LARGEST_NOTES: u64 = 16 << 20;

/// Whether a text may name a session: 1 to 128 letters, digits, `_` and `-`. Nothing else becomes part of a file's name.
#[must_use]
pub fn is_session_id(text: &str) -> bool {
    (1..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// The name of a session's file.
fn session_file(id: &str) -> String {
    format!("{PREFIX}{id}")
}

fn notes_file(id: &str) -> String {
    format!("{PREFIX}{id}{NOTES}")
}

/// Whether a name in the state directory is that of a session's file, or of its notes.
#[must_use]
pub fn is_session_file(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|rest| is_session_id(rest.strip_suffix(NOTES).unwrap_or(rest)))
}

/// Whether a session loops on the project of this state directory: one look at a name, for hooks that come with every
/// call of a tool.
#[must_use]
pub fn has_session(state_dir: &Path, id: &str) -> bool {
    is_session_id(id) && fs::symlink_metadata(state_dir.join(session_file(id))).is_ok()
}

/// The sessions that have a file, by id.
///
/// # Errors
/// `IO_ERROR` where the state directory cannot be listed; none where there is no such directory.
pub fn session_ids(project: &Project) -> Result<Vec<String>> {
    let folder = project.state_dir();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed.map_err(|error| Error::io("list", folder, &error))?,
    };
    let mut ids: Vec<String> = entries
        .flatten()
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_prefix(PREFIX)?.to_owned()))
        .filter(|id| is_session_id(id))
        .collect();
    ids.sort();
    Ok(ids)
}

/// A session's file; `None` where there is none.
///
/// # Errors
/// `IO_ERROR`.
pub fn read_session(project: &Project, id: &str) -> Result<Option<Vec<u8>>> {
    read(project, &session_file(id), LARGEST_SESSION, None)
}

/// When a session last wrote something.
#[must_use]
pub fn session_touched(project: &Project, id: &str) -> Option<DateTime<Utc>> {
    let modified = |name: String| fs::metadata(project.state_file(&name)).ok()?.modified().ok().map(DateTime::from);
    modified(session_file(id)).max(modified(notes_file(id)))
}

/// Replaces a session's file.
///
/// # Errors
/// `IO_ERROR`.
pub fn save_session(files: &Writer<'_>, id: &str, bytes: &[u8]) -> Result<()> {
    let name = session_file(id);
    let folder = files.state_home().folder();
    let old = folder.look(name.as_ref()).ok().filter(|facts| facts.kind == Kind::File);
    replace(folder, name.as_ref(), bytes, old.as_ref(), None)
        .map_err(|error| Error::io("write", &files.project().state_file(&name), &error))
}

/// Removes a session's file and its notes, without the lock: only its own session does so, or who holds the lock.
///
/// # Errors
/// `IO_ERROR`.
pub fn remove_session(project: &Project, id: &str) -> Result<()> {
    clear_notes(project, id)?;
    remove(&project.state_file(&session_file(id)))
}

/// Keeps a session's file aside that nobody can read, and answers with its new name.
///
/// # Errors
/// `IO_ERROR`.
pub fn keep_session_aside(files: &Writer<'_>, id: &str) -> Result<String> {
    clear_notes(files.project(), id)?;
    files.quarantine(&session_file(id))
}

/// Appends a line to a session's notes, in one write and without the lock: tools run side by side.
///
/// # Errors
/// `IO_ERROR`.
pub fn append_note(project: &Project, id: &str, line: &str) -> Result<()> {
    let name = notes_file(id);
    let path = project.state_file(&name);
    let failed = |error: io::Error| Error::io("append to", &path, &error);
    let Some(home) = project.home()? else { return Ok(()) };
    let open = || open_regular(home.folder(), OsStr::new(&name), For::Appending);
    let (mut file, _) = match open() {
        // A link or a pipe of that name is not ours: following it would write elsewhere, or wait for ever.
        Err(_) if home.folder().look(name.as_ref()).is_ok_and(|facts| facts.kind != Kind::File) => {
            home.folder().remove(name.as_ref()).and_then(|()| open()).map_err(failed)?
        }
        opened => opened.map_err(failed)?,
    };
    file.write_all(format!("{line}\n").as_bytes()).map_err(failed)
}

/// A session's notes; empty where there are none.
///
/// # Errors
/// `IO_ERROR`.
pub fn read_notes(project: &Project, id: &str) -> Result<Vec<u8>> {
    // What is not read may have stood for anything: a line that is none sends for git.
    const TOO_MANY: &[u8] = b"too many notes";
    Ok(read(project, &notes_file(id), LARGEST_NOTES, Some(TOO_MANY))?.unwrap_or_default())
}

/// A file's bytes; `None` where it is not there. `instead` stands in for those of one that is too long.
fn read(project: &Project, name: &str, most: u64, instead: Option<&[u8]>) -> Result<Option<Vec<u8>>> {
    let failed = |error: io::Error| Error::io("read", &project.state_file(name), &error);
    let Some(home) = project.home()? else { return Ok(None) };
    let (file, facts) = match open_regular(home.folder(), OsStr::new(name), For::Reading) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    match read_whole(&file, facts.length, most).map_err(failed)?.or_else(|| instead.map(<[u8]>::to_vec)) {
        Some(bytes) => Ok(Some(bytes)),
        None => Err(failed(io::Error::other(format!("it is larger than {} MiB", most >> 20)))),
    }
}

/// Removes a session's notes: a loop begins.
///
/// # Errors
/// `IO_ERROR`.
pub fn clear_notes(project: &Project, id: &str) -> Result<()> {
    remove(&project.state_file(&notes_file(id)))
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", path, &error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;

    #[test]
    fn only_a_plain_id_names_a_session() {
        for id in ["a", "0b1c-4d_E", &"x".repeat(128)] {
            assert!(is_session_id(id) && is_session_file(&session_file(id)) && is_session_file(&notes_file(id)), "{id}");
        }
        for id in ["", "../x", "a/b", "a.b", "é", "a b", &"x".repeat(129)] {
            assert!(!is_session_id(id), "{id}");
        }
        assert!(!is_session_file("session_x") && !is_session_file(".session_"));
    }

    #[test]
    fn notes_are_appended_and_a_link_in_their_place_is_not_followed() {
        let bench = Bench::new();
        bench.write("status.json", "{}");
        let project = bench.project();
        append_note(project, "s", "one").expect("noted");
        append_note(project, "s", "two").expect("noted");
        assert_eq!(read_notes(project, "s").expect("read"), b"one\ntwo\n");
        clear_notes(project, "s").expect("cleared");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(bench.root().join("theirs"), bench.state(".session_s.edits")).expect("linked");
            append_note(project, "s", "three").expect("noted");
            assert!(!bench.root().join("theirs").exists());
        }
        assert!(!has_session(project.state_dir(), "s"), "notes alone are no loop");
    }
}
