//! What a project knows of the others: where they meet, who it is itself, and how it asks.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::place::{Place, Told, Worker};
use super::{Folder, Server};
use crate::environment::Environment;
use crate::error::{Error, ErrorCode, Result};
use crate::rules::budget::{Budget, Spent};
use crate::rules::lease::Beat;
use crate::rules::origin::normalised;
use crate::store::clock::Clock;
use crate::store::config::team::{Fallback, TeamConfig};
use crate::store::git::origin::repository;

/// What a project needs to know of itself to meet others.
#[derive(Debug)]
pub struct Ground<'a> {
    /// The project directory.
    pub root: &'a Path,
    /// Where its state files are.
    pub state_dir: &'a Path,
    /// How long to wait for a lock.
    pub lock_timeout: Duration,
    /// How long git may take.
    pub git_timeout: Duration,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

/// The others, and this project among them. Nothing is asked of anybody before it is used.
#[derive(Debug)]
pub struct Team {
    /// The project's own place.
    local: Folder,
    /// Where all meet, if not here.
    shared: Option<Box<dyn Place>>,
    fallback: Fallback,
    budgets: Vec<Budget>,
    root: PathBuf,
    plan_name: Option<String>,
    git_timeout: Duration,
    worker: OnceLock<String>,
    identity: OnceLock<String>,
    /// What this worker last said of itself.
    said: Mutex<Beat>,
    /// What was spent while the place was away, and has to be told.
    owed: Mutex<Spent>,
    operations: Operations,
}

impl Team {
    /// Reads where workers meet. Connects to nothing.
    ///
    /// # Errors
    /// `INVALID_INPUT` or `CONFIG_INVALID` for an address that is none.
    pub fn new(config: &TeamConfig, environment: &Environment, ground: &Ground<'_>) -> Result<Self> {
        let folder = |path: PathBuf| Folder::new(path, ground.lock_timeout, Arc::clone(&ground.clock));
        let shared: Option<Box<dyn Place>> = match &config.shared {
            None => None,
            Some(address) => match address.reveal().split_once("://") {
                Some((scheme, _)) => Some(Box::new(server(scheme, address.reveal(), config)?)),
                None => Some(Box::new(folder(directory(address.reveal(), config, environment, ground.root)?.join(&config.name)))),
            },
        };
        Ok(Self {
            local: folder(ground.state_dir.to_owned()),
            shared,
            fallback: config.fallback,
            budgets: config.budgets.clone(),
            root: ground.root.to_owned(),
            plan_name: config.plan_name.clone(),
            git_timeout: ground.git_timeout,
            worker: config.worker.clone().map_or_else(OnceLock::new, OnceLock::from),
            identity: OnceLock::new(),
            said: Mutex::default(),
            owed: Mutex::default(),
            operations: Operations::default(),
        })
    }

    /// Whether there is a place where several projects meet.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Whether calls have to be admitted by more than the project's own hour.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.is_shared() || !self.budgets.is_empty()
    }

    /// The budgets.
    #[must_use]
    pub fn budgets(&self) -> &[Budget] {
        &self.budgets
    }

    /// This worker's name.
    pub fn worker(&self) -> &str {
        self.worker.get_or_init(|| format!("{}-{}-{:04x}", machine(), std::process::id(), self.operations.seed()[0] & 0xFFFF))
    }

    /// A name for an operation that no other has.
    pub fn operation(&self) -> String {
        self.operations.next()
    }

    /// Which plan this is, to all workers; `plan` is its path here.
    pub fn identity(&self, plan: impl FnOnce() -> PathBuf) -> &str {
        self.identity.get_or_init(|| {
            let path = plan();
            let inside = path.strip_prefix(&self.root).unwrap_or(&path);
            if !self.is_shared() {
                return slashed(inside);
            }
            if let Some(name) = &self.plan_name {
                return name.clone();
            }
            let plan = |prefix: &Path| slashed(&prefix.join(inside));
            match repository(&self.root, self.git_timeout).value {
                Some(found) => match found.origin {
                    Some(origin) => format!("{}:{}", normalised(&origin), plan(&found.prefix)),
                    // Its worktrees are on this machine.
                    None => format!("{}:{}:{}", machine(), found.common.display(), plan(&found.prefix)),
                },
                None => format!("{}:{}", machine(), path.display()),
            }
        })
    }

    /// This worker, and what it says of itself now.
    pub fn who(&self, says: Beat) -> Worker<'_> {
        let beat = self.is_shared().then(|| {
            let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
            if said.machine.is_none() {
                *said = Beat { machine: Some(machine()), project: Some(self.root.display().to_string()), ..Beat::default() };
            }
            *said = said.clone().then(says);
            said.clone()
        });
        Worker { name: self.worker(), beat }
    }

    /// Remembers the task that this worker has claimed, for what it says from now on.
    pub fn works_on(&self, task: &str) {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).task = Some(task.to_owned());
    }

    /// Asks for what must be known: calls, a claim. While the server cannot be used that fails, or, with
    /// `sharedFallback: 'local'`, this project answers alone and a warning says so.
    ///
    /// # Errors
    /// Those of the place.
    pub fn must<T>(&self, ask: impl Fn(&dyn Place) -> Result<Told<T>>) -> Result<Told<T>> {
        let Some(shared) = &self.shared else { return ask(&self.local) };
        match ask(&**shared) {
            Err(error) if error.code() == ErrorCode::SharedUnreachable && self.fallback == Fallback::Local => {
                let mut told = ask(&self.local)?;
                told.alone = true;
                told.warnings.push(format!("counted and claimed in this project alone: {}", error.message()));
                Ok(told)
            }
            told => told,
        }
    }

    /// Asks for what is only told: where the place does not answer, what is known here, and a warning.
    ///
    /// # Errors
    /// Those of the project's own files.
    pub fn hear<T>(&self, ask: impl Fn(&dyn Place) -> Result<Told<T>>) -> Result<Told<T>> {
        let Some(shared) = &self.shared else { return ask(&self.local) };
        ask(&**shared).or_else(|error| {
            let mut told = ask(&self.local)?;
            told.alone = true;
            told.warnings.push(format!("only what this project knows itself is told: {}", error.message()));
            Ok(told)
        })
    }

    /// Tells the place something that must not fail the call; a warning says where it was not told.
    pub fn mention<T>(&self, what: &str, tell: impl Fn(&dyn Place) -> Result<Told<T>>) -> Vec<String> {
        let Some(shared) = &self.shared else { return Vec::new() };
        match tell(&**shared) {
            Ok(told) => told.warnings,
            Err(error) => vec![format!("{what}: {}", error.message())],
        }
    }

    /// The project's own place.
    #[must_use]
    pub fn local(&self) -> &dyn Place {
        &self.local
    }

    /// Adds to what the place has to be told once it answers again.
    pub fn owe(&self, spent: Spent) {
        let mut owed = self.owed.lock().unwrap_or_else(PoisonError::into_inner);
        *owed = owed.plus(spent);
    }

    /// What the place has to be told; it counts as told.
    pub fn settle(&self) -> Spent {
        std::mem::take(&mut *self.owed.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A server by its URL.
fn server(scheme: &str, url: &str, config: &TeamConfig) -> Result<Server> {
    const SCHEMES: &[&str] = &["redis", "rediss", "unix", "redis+unix", "valkey", "valkeys", "valkey+unix"];
    if !SCHEMES.contains(&scheme) {
        // Anything before :// that is no scheme may be a part of a secret.
        return Err(config.wrong_address("a server is written redis://, rediss:// or unix:///, a directory as its path"));
    }
    Server::new(url, &config.name).map_err(|wrong| config.wrong_address(&wrong.0))
}

/// A directory; `~` is the user's home.
fn directory(path: &str, config: &TeamConfig, environment: &Environment, root: &Path) -> Result<PathBuf> {
    let home = || environment.get("HOME").or_else(|| environment.get("USERPROFILE"));
    match path.strip_prefix('~').map(|rest| (rest, rest.trim_start_matches(['/', '\\']))) {
        Some((rest, inside)) if rest.is_empty() || rest.len() > inside.len() => home()
            .map(|home| Path::new(home).join(inside))
            .ok_or_else(|| config.wrong_address("there is no HOME that ~ could be; write the whole path")),
        _ => Ok(root.join(path)),
    }
}

impl TeamConfig {
    /// What is wrong with the address, without the address.
    fn wrong_address(&self, what: &str) -> Error {
        let code = if self.by_option { ErrorCode::InvalidInput } else { ErrorCode::ConfigInvalid };
        Error::new(code, format!("{} names no place to meet: {what}", self.said))
    }
}

/// This machine's name.
fn machine() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// A path as it is on every system.
fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// Names of operations: a random number of this instance's, and a count.
#[derive(Debug, Default)]
struct Operations {
    seed: OnceLock<[u64; 2]>,
    count: AtomicU64,
}

impl Operations {
    fn seed(&self) -> [u64; 2] {
        *self.seed.get_or_init(|| {
            // The standard library seeds it by the system's random numbers.
            let random = RandomState::new();
            [random.hash_one(std::process::id()), random.hash_one(std::time::SystemTime::now())]
        })
    }

    fn next(&self) -> String {
        let [first, second] = self.seed();
        format!("{first:016x}{second:016x}-{}", self.count.fetch_add(1, Ordering::Relaxed))
    }
}
