//! Reading and writing state files: the only way to a write leads through the lock.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::thread;
use std::time::SystemTime;

use chrono::{DateTime, Utc};

use super::document::{Damage, Document};
use super::folder::{Facts, For, Refusal, refusal};
use super::home::Home;
use super::inside::{Lost, open_regular};
use super::mend::mend_strings;
use super::plan_file;
use super::project::Project;
use super::read::read_whole;
use super::temporary::replace;
use crate::error::{Error, ErrorCode, Result};

/// What a look at a state file found.
enum Found<T> {
    Missing,
    Sound(T),
    Damaged(String),
}

/// What this call knows of a state file.
#[derive(Debug, Default)]
struct Seen {
    file: &'static str,
    damaged: bool,
    /// What the system told of it; `None` where it is not there.
    facts: Option<Facts>,
    /// Its bytes, where they are sound.
    bytes: Option<Vec<u8>>,
}

/// A view of the project that never writes and never waits for the lock.
#[derive(Debug)]
pub struct Reader<'a> {
    project: &'a Project,
    home: Option<Arc<Home>>,
    now: DateTime<Utc>,
    warnings: Vec<String>,
    seen: Vec<Seen>,
}

impl<'a> Reader<'a> {
    /// `home` is `None` where there is no state directory.
    pub(super) fn new(project: &'a Project, home: Option<Arc<Home>>) -> Self {
        Self { project, home, now: project.clock().now(), warnings: Vec::new(), seen: Vec::new() }
    }

    /// The project that is read.
    #[must_use]
    pub fn project(&self) -> &'a Project {
        self.project
    }

    /// The instant of this call: it does not move while the call runs.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.now
    }

    /// Notes something for the answer's `warnings`.
    pub fn warn(&mut self, warning: impl Into<String>) {
        let warning = warning.into();
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    pub(super) fn into_warnings(self) -> Vec<String> {
        self.warnings
    }

    pub(super) fn home(&self) -> Option<&Arc<Home>> {
        self.home.as_ref()
    }

    /// A state file's value: `None` where there is no such file, or a damaged one (a warning says so).
    ///
    /// # Errors
    /// `IO_ERROR` where it cannot be read: no permission, a directory.
    pub fn load<D: Document>(&mut self) -> Result<Option<D::Value>> {
        match self.look::<D>()? {
            Found::Missing => Ok(None),
            Found::Sound(value) => Ok(Some(value)),
            Found::Damaged(what) => {
                let then = if D::WRITTEN { ", and the next write keeps it aside" } else { "" };
                self.warn(format!("{} {what}; it counts as not there{then}", D::FILE));
                Ok(None)
            }
        }
    }

    /// When a state file was last modified, by the content that this call has read if it has read any; `None` where it
    /// is not there, or no calendar has the time.
    #[must_use]
    pub fn modified<D: Document>(&self) -> Option<DateTime<Utc>> {
        self.facts(D::FILE)?.modified.instant()
    }

    /// The plan's bytes; `None` where there is no plan. One that is being saved is waited for, for a moment.
    ///
    /// # Errors
    /// `OUTSIDE_PROJECT` where it is a link that leads out; `IO_ERROR` where it cannot be read.
    pub fn plan(&self) -> Result<Option<Vec<u8>>> {
        plan_file::read(self)
    }

    fn facts(&self, name: &str) -> Option<Facts> {
        match self.seen.iter().find(|seen| seen.file == name) {
            Some(seen) => seen.facts,
            None => self.home.as_ref()?.folder().look(OsStr::new(name)).ok(),
        }
    }

    fn look<D: Document>(&mut self) -> Result<Found<D::Value>> {
        let mut pauses = self.project.patience().iter();
        let mut cut: Option<Vec<u8>> = None;
        let (found, facts, bytes) = loop {
            let Some(state) = self.read_state(D::FILE, D::LARGEST)? else { break (Found::Missing, None, None) };
            let (bytes, facts) = match state {
                State::Read(bytes, facts) => (bytes, facts),
                State::Refused(why, facts) => break (Found::Damaged(why), facts, None),
            };
            // What has not changed is still cut.
            if cut.as_ref() != Some(&bytes) {
                match D::decode(&bytes) {
                    Ok(value) => break (Found::Sound(value), Some(facts), Some(bytes)),
                    Err(Damage::Wrong(what)) => {
                        let Some(Ok(value)) = mend_strings(&bytes).map(|mended| D::decode(&mended)) else {
                            break (Found::Damaged(what), Some(facts), None);
                        };
                        self.warn(format!(
                            "{} has raw control characters inside a string; they were read as if escaped",
                            D::FILE
                        ));
                        break (Found::Sound(value), Some(facts), Some(bytes));
                    }
                    Err(Damage::Cut) => cut = Some(bytes),
                }
            }
            match pauses.next() {
                Some(pause) => thread::sleep(*pause),
                None => break (Found::Damaged(Damage::Cut.describe().to_owned()), Some(facts), None),
            }
        };
        self.note(Seen { file: D::FILE, damaged: matches!(found, Found::Damaged(_)), facts, bytes });
        Ok(found)
    }

    fn note(&mut self, now: Seen) {
        match self.seen.iter_mut().find(|seen| seen.file == now.file) {
            Some(seen) => *seen = now,
            None => self.seen.push(now),
        }
    }

    /// A state file's bytes; `None` where it is not there.
    fn read_state(&self, name: &'static str, most: u64) -> Result<Option<State>> {
        let Some(home) = &self.home else { return Ok(None) };
        let (file, facts) = match open_regular(home.folder(), OsStr::new(name), For::Reading) {
            Err(error) if refusal(&error) == Some(Refusal::Link) => match self.read_link(name) {
                Ok(opened) => opened,
                Err(Lost::Missing) => return Ok(None),
                Err(Lost::Outside) => {
                    return Ok(Some(State::Refused("is a link that leads out of the project".to_owned(), None)));
                }
                Err(Lost::System(error)) => return Err(self.unreadable(name, &error)),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(|error| self.unreadable(name, &error))?,
        };
        let bytes = read_whole(&file, facts.length, most).map_err(|error| self.unreadable(name, &error))?;
        Ok(Some(match bytes {
            Some(bytes) => State::Read(bytes, facts),
            None => State::Refused(format!("is larger than {} MiB", most >> 20), Some(facts)),
        }))
    }

    /// A state file that is a link, which may lead anywhere inside the project.
    fn read_link(&self, name: &str) -> Result<(File, Facts), Lost> {
        let path = self.project.state_dir().join(name);
        self.project.base_of(self.home.as_deref())?.file(&path, For::Reading).map(|(file, facts, _)| (file, facts))
    }

    fn unreadable(&self, name: &str, error: &io::Error) -> Error {
        let path = self.project.state_file(name);
        if refusal(error) == Some(Refusal::NoFile) {
            let message = format!("cannot read {}: it is no regular file; move it away", path.display());
            return Error::new(ErrorCode::IoError, message);
        }
        Error::io("read", &path, error)
    }
}

/// What stands at a state file's name.
enum State {
    Read(Vec<u8>, Facts),
    /// What is not even read, and why.
    Refused(String, Option<Facts>),
}

/// A view that also writes; it exists only while the lock is held.
#[derive(Debug)]
pub struct Writer<'a> {
    reader: Reader<'a>,
    home: Arc<Home>,
}

impl<'a> Deref for Writer<'a> {
    type Target = Reader<'a>;

    fn deref(&self) -> &Self::Target {
        &self.reader
    }
}

impl DerefMut for Writer<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.reader
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(project: &'a Project, home: Arc<Home>) -> Self {
        Self { reader: Reader::new(project, Some(Arc::clone(&home))), home }
    }

    pub(super) fn into_warnings(self) -> Vec<String> {
        self.reader.into_warnings()
    }

    pub(super) fn state_home(&self) -> &Arc<Home> {
        &self.home
    }

    /// Replaces a state file. A damaged one is kept aside first; one that has these bytes already is left alone.
    ///
    /// # Errors
    /// `IO_ERROR`.
    pub fn save<D: Document>(&mut self, value: &D::Value) -> Result<()> {
        self.replace::<D>(value, None)
    }

    /// As [`Writer::save`], and sets the modification time to this call's now.
    ///
    /// # Errors
    /// `IO_ERROR`.
    pub fn save_dated<D: Document>(&mut self, value: &D::Value) -> Result<()> {
        self.replace::<D>(value, Some(SystemTime::from(self.now())))
    }

    /// Removes a state file. A damaged one is kept aside instead.
    ///
    /// # Errors
    /// `IO_ERROR`.
    pub fn remove<D: Document>(&mut self) -> Result<()> {
        self.keep_damaged_aside::<D>()?;
        match self.home.folder().remove(OsStr::new(D::FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::io("remove", &self.project().state_file(D::FILE), &error));
            }
            _ => {}
        }
        self.reader.note(Seen { file: D::FILE, ..Seen::default() });
        Ok(())
    }

    /// Replaces the plan, which is the user's own text: synced, mode and link kept. `false`, and nothing changed, where
    /// its bytes are no longer `before`: somebody else wrote it since it was read.
    ///
    /// # Errors
    /// `OUTSIDE_PROJECT`, `IO_ERROR`, and `PLAN_NOT_FOUND` where it is gone.
    pub fn replace_plan(&mut self, before: &[u8], after: &[u8]) -> Result<bool> {
        plan_file::replace(self, before, after)
    }

    fn replace<D: Document>(&mut self, value: &D::Value, modified: Option<SystemTime>) -> Result<()> {
        self.keep_damaged_aside::<D>()?;
        let bytes = D::encode(value);
        let seen = self.seen.iter().find(|seen| seen.file == D::FILE);
        if modified.is_none() && seen.is_some_and(|seen| seen.bytes.as_ref() == Some(&bytes)) {
            return Ok(());
        }
        let old = self.facts(D::FILE);
        replace(self.home.folder(), OsStr::new(D::FILE), &bytes, old.as_ref(), modified)
            .map_err(|error| Error::io("write", &self.project().state_file(D::FILE), &error))?;
        self.reader.note(Seen { file: D::FILE, damaged: false, facts: old, bytes: Some(bytes) });
        Ok(())
    }

    fn keep_damaged_aside<D: Document>(&mut self) -> Result<()> {
        let damaged = match self.seen.iter().find(|seen| seen.file == D::FILE) {
            Some(seen) => seen.damaged,
            None => matches!(self.look::<D>()?, Found::Damaged(_)),
        };
        if damaged {
            let kept = self.quarantine(D::FILE)?;
            self.warn(format!("{} was damaged and is kept as {kept}", D::FILE));
            self.reader.note(Seen { file: D::FILE, ..Seen::default() });
        }
        Ok(())
    }

    /// Renames a damaged file to `<name>.corrupt-<UTC time>`, never over another.
    pub(super) fn quarantine(&self, name: &str) -> Result<String> {
        let stem = format!("{name}.corrupt-{}", self.now().format("%Y%m%dT%H%M%SZ"));
        let folder = self.home.folder();
        let free = (1..).map(|n| if n == 1 { stem.clone() } else { format!("{stem}-{n}") });
        for kept in free.take(10_000) {
            if folder.look(OsStr::new(&kept)).is_ok() {
                continue;
            }
            return match folder.rename(OsStr::new(name), OsStr::new(&kept)) {
                Ok(()) => Ok(kept),
                Err(error) => Err(Error::io("keep aside the damaged", &self.project().state_file(name), &error)),
            };
        }
        let path = self.project().state_file(name);
        Err(Error::new(ErrorCode::IoError, format!("too many damaged copies of {}; remove some", path.display())))
    }
}
