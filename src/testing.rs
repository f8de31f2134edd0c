//! A project in a scratch folder under a clock that stands still, for the tests of the tools.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use tempfile::TempDir;

use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::input::{RawInput, raw_input};
use crate::options::Options;
use crate::ralph::Ralph;
use crate::store::clock::FrozenClock;
use crate::store::project::Project;

/// Noon of 1 March 2026, UTC.
pub(crate) fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_772_366_400, 0).expect("an instant")
}

/// The project, and one instance of the tools on it.
pub(crate) struct Bench {
    folder: TempDir,
    clock: Arc<FrozenClock>,
    now: DateTime<Utc>,
    options: Value,
    ralph: Arc<Ralph>,
}

impl Bench {
    /// A ralph layout without files, v0.11 rules, at noon.
    pub(crate) fn new() -> Self {
        Self::with(&serde_json::json!({}))
    }

    /// With these options.
    pub(crate) fn with(options: &Value) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = Arc::new(FrozenClock::at(noon()));
        let ralph = Arc::new(open(folder.path(), options, clock.clone()));
        Self { folder, clock, now: noon(), options: options.clone(), ralph }
    }

    /// What is said where these options are wrong.
    pub(crate) fn try_with(options: &Value) -> Result<()> {
        let folder = tempfile::tempdir().expect("a folder");
        try_open(folder.path(), options, Arc::new(FrozenClock::at(noon()))).map(|_| ())
    }

    /// Another instance on the same folder, which has seen nothing of it yet.
    pub(crate) fn over(other: &Self) -> Ralph {
        open(other.root(), &other.options, other.clock.clone())
    }

    /// Another instance on the same folder, by other options.
    pub(crate) fn beside(&self, options: &Value) -> Ralph {
        open(self.root(), options, self.clock.clone())
    }

    /// Another instance takes over, as when the wrapper is started again.
    pub(crate) fn restart(&mut self) {
        self.ralph = Arc::new(open(self.folder.path(), &self.options, self.clock.clone()));
    }

    /// Lets minutes pass.
    pub(crate) fn wait(&mut self, minutes: i64) {
        self.now += TimeDelta::minutes(minutes);
        self.clock.set(self.now);
    }

    /// Calls a tool.
    pub(crate) fn try_call(&self, tool: &str, input: &Value) -> Result<Value> {
        self.ralph.call(tool, raw(input))
    }

    /// Calls a tool that must answer.
    pub(crate) fn call(&self, tool: &str, input: &Value) -> Value {
        self.try_call(tool, input).unwrap_or_else(|error| panic!("{tool} {input}: {error}"))
    }

    /// Calls a tool that must fail.
    pub(crate) fn fail(&self, tool: &str, input: &Value) -> Error {
        self.try_call(tool, input).expect_err("an error")
    }

    /// The project's folder.
    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// A path in the state directory.
    pub(crate) fn state(&self, name: &str) -> PathBuf {
        self.ralph.project().state_file(name)
    }

    /// The project.
    pub(crate) fn project(&self) -> &Project {
        self.ralph.project()
    }

    /// The tools.
    pub(crate) fn ralph(&self) -> &Arc<Ralph> {
        &self.ralph
    }

    /// Writes a state file.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.state(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, bytes).expect("written");
    }

    /// A state file as JSON.
    pub(crate) fn json(&self, name: &str) -> Value {
        let text = fs::read(self.state(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// All files of the project with their bytes, but the lock.
    pub(crate) fn snapshot(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.root().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("listed") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if !path.ends_with(".ralph-tools.lock") {
                    files.insert(path.clone(), fs::read(&path).expect("read"));
                }
            }
        }
        files
    }
}

fn open(root: &Path, options: &Value, clock: Arc<FrozenClock>) -> Ralph {
    try_open(root, options, clock).expect("a project by valid options")
}

fn try_open(root: &Path, options: &Value, clock: Arc<FrozenClock>) -> Result<Ralph> {
    let mut options = options.clone();
    let object = options.as_object_mut().expect("options are an object");
    object.insert("projectDir".into(), root.to_string_lossy().into());
    object.insert("ralphHome".into(), root.join("no-ralph-here").to_string_lossy().into());
    let options = Options::from_raw(&raw(&options))?;
    let environment: Environment = [("TZ".to_owned(), "UTC".to_owned())].into_iter().collect();
    Ok(Ralph::on(Project::open(&options, &environment, clock)?.without_patience()))
}

/// A JSON object as the addon would pass it.
pub(crate) fn raw(object: &Value) -> RawInput {
    raw_input(object.as_object().expect("an object"))
}
