//! A state directory held open, one for all instances of this process on it.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::Mutex;

use super::folder::Folder;
use super::lock::{Held, Locking};

/// A folder of state files, and its lock.
#[derive(Debug)]
pub struct Home {
    folder: Arc<Folder>,
    /// Whether its name is a link (case B5: allowed, and told).
    linked: bool,
    /// Whether its file system has no locks (case S28).
    lockless: AtomicBool,
    /// One asker at a time in this process; the others wait here and not for the file.
    gate: Arc<Mutex<Held>>,
    locking: Locking,
}

/// Those that are open, by path.
static HOMES: LazyLock<Mutex<HashMap<PathBuf, Weak<Home>>>> = LazyLock::new(Mutex::default);

impl Home {
    /// The folder at `path`: the one that is open already, if it is still there.
    ///
    /// # Errors
    /// What the system says.
    pub fn at(path: &Path) -> io::Result<Arc<Self>> {
        let mut homes = HOMES.lock();
        if let Some(home) = homes.get(path).and_then(Weak::upgrade)
            && home.folder.is_at(path)?
        {
            return Ok(home);
        }
        let home = Arc::new(Self::open(path, Locking::default())?);
        homes.retain(|_, home| home.strong_count() > 0);
        homes.insert(path.to_owned(), Arc::downgrade(&home));
        Ok(home)
    }

    /// Opens it by itself, with another way to lock.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn open(path: &Path, locking: Locking) -> io::Result<Self> {
        Ok(Self {
            folder: Arc::new(Folder::open(path)?),
            linked: path.is_symlink(),
            lockless: AtomicBool::new(false),
            gate: Arc::default(),
            locking,
        })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Arc<Folder> {
        &self.folder
    }

    /// Whether its name is a link.
    #[must_use]
    pub fn linked(&self) -> bool {
        self.linked
    }

    /// Whether its file system turned out to have no locks.
    #[must_use]
    pub fn lockless(&self) -> bool {
        self.lockless.load(Ordering::Relaxed)
    }

    pub(super) fn set_lockless(&self) {
        self.lockless.store(true, Ordering::Relaxed);
    }

    pub(super) fn gate(&self) -> &Arc<Mutex<Held>> {
        &self.gate
    }

    pub(super) fn locking(&self) -> Locking {
        self.locking
    }
}
