//! A Ralph project: where its files are, by which rules it runs, and the two ways to work on it.

use std::fmt::Debug;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use parking_lot::Mutex;

use super::clock::Clock;
use super::config::Config;
use super::files::{Reader, Writer};
use super::folder::facts_at;
use super::home::Home;
use super::instance::Instance;
use super::lock::Lock;
use super::place::{FLAT_MARKS, STATE_DIR, find_root, no_directory};
use super::shared::{Ground, Team};
use crate::environment::Environment;
use crate::error::{Error, ErrorCode, Result};
use crate::generation::Generation;
use crate::options::{LayoutChoice, LogLevel, Options};
use crate::zone::Zone;

/// Where Ralph keeps its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// In `.ralph/` (v0.10 and later).
    Ralph,
    /// At the project root (v0.9).
    Flat,
}

/// What a layout means, as data.
struct Places {
    state_dir: &'static str,
    /// What the plan may be called; the first that is there counts.
    plans: &'static [&'static str],
    generation: Generation,
}

impl Layout {
    const fn places(self) -> Places {
        match self {
            Self::Ralph => {
                Places { state_dir: STATE_DIR, plans: &["fix_plan.md", "@fix_plan.md"], generation: Generation::V0_11 }
            }
            Self::Flat => Places { state_dir: "", plans: &["@fix_plan.md"], generation: Generation::V0_9 },
        }
    }
}

/// Pauses after which a state file that reads empty or cut short is read again, for bash truncates and rewrites in place:
/// from 0.1 ms on, each twice the last, 0.4 s in all.
const PATIENCE: [Duration; 12] = {
    let mut pauses = [Duration::ZERO; 12];
    let mut n = 0;
    while n < pauses.len() {
        pauses[n] = Duration::from_micros(100 << n);
        n += 1;
    }
    pauses
};

/// How often a state directory that somebody removes or replaces is opened again for one call.
const TRIES: usize = 16;

const DEFAULT_LOCK_TIMEOUT: Duration = Duration::from_secs(5);
const DEFAULT_GIT_TIMEOUT: Duration = Duration::from_secs(10);

/// A value and what was healed, skipped or guessed on the way to it.
#[derive(Debug)]
pub struct Outcome<T> {
    /// The value.
    pub value: T,
    /// For the answer's `warnings`.
    pub warnings: Vec<String>,
}

/// An opened project.
#[derive(Debug)]
pub struct Project {
    root: PathBuf,
    state_dir: PathBuf,
    plans: &'static [&'static str],
    log_file: PathBuf,
    layout: Layout,
    generation: Generation,
    config: Config,
    log_level: LogLevel,
    lock_timeout: Duration,
    git_timeout: Duration,
    patience: &'static [Duration],
    clock: Arc<dyn Clock>,
    zone: Zone,
    notes: Vec<String>,
    instance: Instance,
    team: Team,
    /// The state directory that the last call found.
    home: Mutex<Option<Arc<Home>>>,
}

impl Project {
    /// Finds the layout and reads the configuration. Writes nothing.
    ///
    /// # Errors
    /// `INVALID_PROJECT` where the directory is missing or none; `CONFIG_INVALID`; `IO_ERROR` where a configuration file
    /// cannot be read.
    pub fn open(options: &Options, environment: &Environment, clock: Arc<dyn Clock>) -> Result<Self> {
        let root = find_root(options, environment)?;
        let (layout, mut notes) = find_layout(&root, options.layout);
        let places = layout.places();
        let state_dir = if places.state_dir.is_empty() { root.clone() } else { root.join(places.state_dir) };
        let (config, warnings) =
            Config::load(&options.config, environment, &configuration_files(&root, layout, options, environment))?;
        notes.extend(warnings);
        let lock_timeout = options.lock_timeout.unwrap_or(DEFAULT_LOCK_TIMEOUT);
        let git_timeout = options.git_timeout.unwrap_or(DEFAULT_GIT_TIMEOUT);
        let ground = Ground { root: &root, state_dir: &state_dir, lock_timeout, git_timeout, clock: Arc::clone(&clock) };
        let team = Team::new(&config.team, environment, &ground)?;
        Ok(Self {
            plans: places.plans,
            log_file: options.log_file.as_ref().map_or_else(|| state_dir.join("logs/ralph.log"), |path| root.join(path)),
            generation: options.rules.unwrap_or(places.generation),
            root,
            state_dir,
            layout,
            config,
            log_level: options.log_level,
            lock_timeout,
            git_timeout,
            patience: &PATIENCE,
            clock,
            zone: Zone::from_tz_variable(environment.variables().get("TZ").map(String::as_str)),
            notes,
            instance: Instance::default(),
            team,
            home: Mutex::default(),
        })
    }

    /// Counts a damaged file as damaged at once, for tests that feed many.
    #[cfg(test)]
    pub(crate) fn without_patience(mut self) -> Self {
        self.patience = &[];
        self
    }

    /// Runs `work` on a view that never writes.
    ///
    /// # Errors
    /// Those of `work`; `INVALID_PROJECT` where the directory has gone.
    pub fn read<T>(&self, work: impl FnOnce(&mut Reader<'_>) -> Result<T>) -> Result<Outcome<T>> {
        let home = self.home()?;
        let mut reader = Reader::new(self, home.clone());
        let value = work(&mut reader)?;
        Ok(self.outcome(home.as_deref(), value, reader.into_warnings()))
    }

    /// Runs `work` under the lock: a read-modify-write happens wholly inside it. Creates the state directory, and removes
    /// what killed writers left.
    ///
    /// # Errors
    /// Those of `work`; `LOCK_TIMEOUT`; `IO_ERROR`; `INVALID_PROJECT` where the directory has gone.
    pub fn write<T>(&self, work: impl FnOnce(&mut Writer<'_>) -> Result<T>) -> Result<Outcome<T>> {
        let (home, lock) = self.lock()?;
        let mut writer = Writer::new(self, Arc::clone(&home));
        let value = work(&mut writer)?;
        drop(lock);
        Ok(self.outcome(Some(&home), value, writer.into_warnings()))
    }

    fn outcome<T>(&self, home: Option<&Home>, value: T, warnings: Vec<String>) -> Outcome<T> {
        let mut all = self.notes.clone();
        if home.is_some_and(Home::linked) {
            all.push(format!(
                "{} is a link: its files are kept where it leads, and whoever may change that place may change them",
                self.state_dir.display()
            ));
        }
        all.extend(home.and_then(|home| home.warning(&self.state_dir)));
        all.extend(warnings);
        Outcome { value, warnings: all }
    }

    /// The state directory as it is now: opened once, and asked each time whether it is still the one at its name.
    /// `None` where there is none.
    pub(super) fn home(&self) -> Result<Option<Arc<Home>>> {
        let known = self.home.lock().clone();
        let found = match known {
            Some(home) => match home.folder().is_at(&self.state_dir) {
                Ok(true) => return Ok(Some(home)),
                Ok(false) => Home::at(&self.state_dir),
                Err(error) => Err(error),
            },
            None => Home::at(&self.state_dir),
        };
        let found = match found {
            Ok(home) => Some(home),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if !self.root.is_dir() {
                    return Err(no_directory(&self.root));
                }
                None
            }
            Err(_) if !self.root.is_dir() => return Err(no_directory(&self.root)),
            Err(error) => return Err(Error::io("open", &self.state_dir, &error)),
        };
        self.home.lock().clone_from(&found);
        Ok(found)
    }

    /// Takes the lock of the state directory that is at its name while the lock is held.
    fn lock(&self) -> Result<(Arc<Home>, Lock)> {
        let start = Instant::now();
        for _ in 0..TRIES {
            let known = self.home.lock().clone();
            let found = if known.is_some() { known } else { self.home()? };
            let Some(home) = found else {
                self.make_state_dir()?;
                continue;
            };
            let lock = Lock::of(&home, &self.state_dir, start, self.lock_timeout);
            // Who has removed the folder meanwhile, or put another in its place, has done so to all that it held.
            match facts_at(&self.state_dir) {
                Ok(facts) if facts.identity == home.folder().identity() => {
                    let mut lock = lock?;
                    lock.sweep(facts.modified);
                    return Ok((home, lock));
                }
                _ => *self.home.lock() = None,
            }
        }
        Err(Error::new(
            ErrorCode::IoError,
            format!("somebody keeps replacing {}; nothing was written: call again", self.state_dir.display()),
        ))
    }

    fn make_state_dir(&self) -> Result<()> {
        match fs::create_dir(&self.state_dir) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && self.state_dir.is_symlink() => Err(Error::new(
                ErrorCode::IoError,
                format!("{} is a link that leads nowhere; remove it, or make the folder that it names", self.state_dir.display()),
            )),
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(Error::io("create", &self.state_dir, &error)),
            _ => Ok(()),
        }
    }

    /// The project directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the state files are.
    #[must_use]
    pub fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    /// A state file's path.
    #[must_use]
    pub fn state_file(&self, name: &str) -> PathBuf {
        self.state_dir.join(name)
    }

    /// The folder of Ralph's logs and metrics.
    #[must_use]
    pub fn logs_dir(&self) -> PathBuf {
        self.state_dir.join("logs")
    }

    /// The log that is appended to.
    #[must_use]
    pub fn log_file(&self) -> &Path {
        &self.log_file
    }

    /// The least severe log line that is written.
    #[must_use]
    pub fn log_level(&self) -> LogLevel {
        self.log_level
    }

    /// What the plan may be called; the first that is there counts. Ralph v0.10 to v0.11.0 kept `@fix_plan.md` in `.ralph/`;
    /// 81 public projects still do (S3).
    pub(super) fn plans(&self) -> &'static [&'static str] {
        self.plans
    }

    /// The plan's path, its link not resolved: the first of its names that is there, else the first.
    #[must_use]
    pub fn plan_path(&self) -> PathBuf {
        let mut paths = self.plans.iter().map(|name| self.state_dir.join(name));
        let first = paths.next().unwrap_or_default();
        if is_there(&first) { first } else { paths.find(|path| is_there(path)).unwrap_or(first) }
    }

    /// A warning where two plans are there.
    #[must_use]
    pub fn two_plans(&self) -> Option<String> {
        let (first, others) = self.plans.split_first()?;
        let other = others.iter().find(|name| is_there(&self.state_dir.join(name)))?;
        is_there(&self.state_dir.join(first)).then(|| {
            format!("both {first} and {other} are there; {first} is the plan (move what is left in {other} over, and remove it)")
        })
    }

    /// Where Ralph's files are.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Whose rules apply.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// How long git may take.
    #[must_use]
    pub fn git_timeout(&self) -> Duration {
        self.git_timeout
    }

    /// The workers that this project shares budgets and claims with.
    #[must_use]
    pub fn team(&self) -> &Team {
        &self.team
    }

    /// What this instance remembers.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The current instant.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Where local time is told.
    #[must_use]
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    pub(super) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    pub(super) fn patience(&self) -> &'static [Duration] {
        self.patience
    }
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Where a project's state files are, by a look at its folder alone: for a program that must decide whether there is anything
/// to do before it reads a configuration.
#[must_use]
pub fn state_dir_of(root: &Path) -> PathBuf {
    let (layout, _) = find_layout(root, LayoutChoice::Auto);
    root.join(layout.places().state_dir)
}

fn find_layout(root: &Path, choice: LayoutChoice) -> (Layout, Vec<String>) {
    let has_state_dir = root.join(STATE_DIR).is_dir();
    let marks: Vec<&str> = FLAT_MARKS.into_iter().filter(|mark| root.join(mark).is_file()).collect();
    let layout = match choice {
        LayoutChoice::Auto if has_state_dir || marks.is_empty() => Layout::Ralph,
        LayoutChoice::Auto | LayoutChoice::Flat => Layout::Flat,
        LayoutChoice::Ralph => Layout::Ralph,
    };
    // Ralph issue #117: half-migrated projects have both, and people wonder which counts.
    let notes = if choice == LayoutChoice::Auto && has_state_dir && !marks.is_empty() {
        vec![format!(
            "both .ralph/ and {} are there; .ralph/ counts (set layout to 'flat' for the others, or remove them)",
            marks.join(", ")
        )]
    } else {
        Vec::new()
    };
    (layout, notes)
}

/// The configuration files that may count, nearest first.
fn configuration_files(root: &Path, layout: Layout, options: &Options, environment: &Environment) -> super::config::Files {
    let home = options.ralph_home.clone().or_else(|| environment.get("RALPH_HOME").map(PathBuf::from)).or_else(|| {
        let home = environment.get("HOME").or_else(|| environment.get("USERPROFILE"))?;
        Some(Path::new(home).join(".ralph"))
    });
    super::config::Files {
        ralphrc: (layout == Layout::Ralph).then(|| root.join(".ralphrc")),
        scripts: home.map_or_else(Vec::new, |home| vec![home.join("ralph_loop.sh"), home.join("lib/circuit_breaker.sh")]),
    }
}
