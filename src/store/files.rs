//! Reading and writing state files: the only way to a write leads through the lock.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::SystemTime;

use chrono::{DateTime, Utc};

use super::document::{Damage, Document};
use super::mend::mend_strings;
use super::paths::regular_file_inside;
use super::project::Project;
use super::replace::Replace;
use crate::error::{Error, ErrorCode, Result};

/// The largest state file that is read; a larger one is damaged.
const LARGEST_STATE_FILE: u64 = 64 << 20;

/// What a look at a state file found.
enum Found<T> {
    Missing,
    Sound(T),
    Damaged(String),
}

/// A view of the project that never writes and never waits for the lock.
#[derive(Debug)]
pub struct Reader<'a> {
    project: &'a Project,
    now: DateTime<Utc>,
    warnings: Vec<String>,
    /// Files looked at so far, and whether they were damaged.
    seen: BTreeMap<&'static str, bool>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(project: &'a Project) -> Self {
        Self { project, now: project.clock().now(), warnings: Vec::new(), seen: BTreeMap::new() }
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

    /// When a state file was last modified; `None` where it is not there.
    #[must_use]
    pub fn modified<D: Document>(&self) -> Option<DateTime<Utc>> {
        fs::metadata(self.project.state_file(D::FILE)).ok()?.modified().ok().map(DateTime::from)
    }

    /// The plan's bytes; `None` where there is no plan.
    ///
    /// # Errors
    /// `OUTSIDE_PROJECT` where it is a link that leads out; `IO_ERROR` where it cannot be read.
    pub fn plan(&self) -> Result<Option<Vec<u8>>> {
        match self.plan_file()? {
            Some(path) => fs::read(&path).map(Some).map_err(|error| Error::io("read the plan", &path, &error)),
            None => Ok(None),
        }
    }

    /// The plan's own file, its links resolved.
    fn plan_file(&self) -> Result<Option<PathBuf>> {
        let path = &self.project.plan_path();
        match fs::symlink_metadata(path) {
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(Error::io("look at the plan", path, &error)),
            Ok(metadata) if metadata.is_symlink() => regular_file_inside(self.project.root(), path),
            Ok(metadata) if metadata.is_file() => Ok(Some(path.to_owned())),
            Ok(_) => Err(Error::new(
                ErrorCode::IoError,
                format!("the plan {} is no regular file; replace it with a file", path.display()),
            )),
        }
    }

    fn look<D: Document>(&mut self) -> Result<Found<D::Value>> {
        let path = self.project.state_file(D::FILE);
        let mut pauses = self.project.patience().iter();
        let found = loop {
            let Some(bytes) = read_state_file(&path)? else { break Found::Missing };
            match D::decode(&bytes) {
                Ok(value) => break Found::Sound(value),
                Err(damage @ Damage::Wrong(_)) => {
                    if let Some(Ok(value)) = mend_strings(&bytes).map(|mended| D::decode(&mended)) {
                        self.warn(format!(
                            "{} has raw control characters inside a string; they were read as if escaped",
                            D::FILE
                        ));
                        break Found::Sound(value);
                    }
                    break Found::Damaged(damage.describe().to_owned());
                }
                Err(damage @ Damage::Cut) => match pauses.next() {
                    Some(pause) => thread::sleep(*pause),
                    None => break Found::Damaged(damage.describe().to_owned()),
                },
            }
        };
        self.seen.insert(D::FILE, matches!(found, Found::Damaged(_)));
        Ok(found)
    }
}

/// A file's bytes; `None` where it is not there.
fn read_state_file(path: &Path) -> Result<Option<Vec<u8>>> {
    let failed = |error: io::Error| Error::io("read", path, &error);
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            return Err(Error::new(
                ErrorCode::IoError,
                format!("cannot read {}: it is no regular file; move it away", path.display()),
            ));
        }
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(failed(error)),
        Ok(_) => {}
    }
    let file = match File::open(path) {
        Err(error) if is_missing(&error) => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    let mut bytes = Vec::new();
    file.take(LARGEST_STATE_FILE).read_to_end(&mut bytes).map_err(failed)?;
    Ok(Some(bytes))
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

/// A view that also writes; it exists only while the lock is held.
#[derive(Debug)]
pub struct Writer<'a>(Reader<'a>);

impl<'a> Deref for Writer<'a> {
    type Target = Reader<'a>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Writer<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(reader: Reader<'a>) -> Self {
        Self(reader)
    }

    pub(super) fn into_warnings(self) -> Vec<String> {
        self.0.into_warnings()
    }

    /// Replaces a state file. A damaged one is kept aside first.
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
        let path = self.project().state_file(D::FILE);
        match fs::remove_file(&path) {
            Err(error) if !is_missing(&error) => Err(Error::io("remove", &path, &error)),
            _ => Ok(()),
        }
    }

    /// Replaces the plan, which is the user's own text: synced, mode and link kept. `false`, and nothing changed, where
    /// its bytes are no longer `before`: somebody else wrote it since it was read.
    ///
    /// # Errors
    /// `OUTSIDE_PROJECT`, `IO_ERROR`, and `PLAN_NOT_FOUND` where it is gone.
    pub fn replace_plan(&mut self, before: &[u8], after: &[u8]) -> Result<bool> {
        let path = self.plan_file()?.ok_or_else(|| {
            Error::new(ErrorCode::PlanNotFound, format!("there is no plan {}; create it", self.project().plan_path().display()))
        })?;
        let unchanged =
            || fs::read(&path).map(|present| present == before).map_err(|error| Error::io("read the plan", &path, &error));
        Replace { sync: true, modified: None }.file_if(&path, after, unchanged)
    }

    fn replace<D: Document>(&mut self, value: &D::Value, modified: Option<SystemTime>) -> Result<()> {
        self.keep_damaged_aside::<D>()?;
        Replace { modified, sync: false }.file(&self.project().state_file(D::FILE), &D::encode(value))?;
        self.seen.insert(D::FILE, false);
        Ok(())
    }

    fn keep_damaged_aside<D: Document>(&mut self) -> Result<()> {
        let damaged = match self.seen.get(D::FILE) {
            Some(damaged) => *damaged,
            None => matches!(self.look::<D>()?, Found::Damaged(_)),
        };
        if damaged {
            let kept = self.quarantine(D::FILE)?;
            self.warn(format!("{} was damaged and is kept as {kept}", D::FILE));
            self.seen.insert(D::FILE, false);
        }
        Ok(())
    }

    /// Renames a damaged file to `<name>.corrupt-<UTC time>`, never over another.
    fn quarantine(&self, name: &str) -> Result<String> {
        let stem = format!("{name}.corrupt-{}", self.now().format("%Y%m%dT%H%M%SZ"));
        let from = self.project().state_file(name);
        let free = (1..).map(|n| if n == 1 { stem.clone() } else { format!("{stem}-{n}") });
        for kept in free.take(10_000) {
            let to = self.project().state_file(&kept);
            if fs::symlink_metadata(&to).is_ok() {
                continue;
            }
            return match fs::rename(&from, &to) {
                Ok(()) => Ok(kept),
                Err(error) => Err(Error::io("keep aside the damaged", &from, &error)),
            };
        }
        Err(Error::new(ErrorCode::IoError, format!("too many damaged copies of {}; remove some", from.display())))
    }
}
