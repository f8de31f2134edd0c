//! A state directory held open, one for all instances of this process on it.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::folder::{Facts, FileTime, Folder, Identity};
use super::lock::{Held, Locking};
use super::plan_file::OldPlan;

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
    plan: Mutex<PlanMemory>,
}

/// What is remembered of the plan. It saves waiting, and decides nothing.
#[derive(Debug, Default)]
struct PlanMemory {
    /// As our last change left it: whole, however fresh.
    left: Option<(Identity, u64, FileTime)>,
    /// Whether it was there when last looked for.
    expected: bool,
    /// When it was last seen to be written by others.
    others: Option<Instant>,
    /// Those that were replaced last, with the instant.
    old: VecDeque<(Instant, OldPlan)>,
}

/// So many, and for so long, are old plans watched: each is an open file.
const OLD_PLANS: usize = 8;
/// Who has written the plan within this time is likely to write it again.
const OTHERS_WRITE: Duration = Duration::from_secs(10);
const WATCHED: Duration = Duration::from_secs(2);

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
            plan: Mutex::default(),
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

    /// What everybody who writes here should know where there are no locks.
    #[must_use]
    pub fn warning(&self, path: &Path) -> Option<String> {
        self.lockless().then(|| {
            format!(
                "the file system of {} has no locks, so two programs that write at the same time may each undo what the other wrote; run one at a time, or keep it on a local disk",
                path.display()
            )
        })
    }

    pub(super) fn set_lockless(&self) {
        self.lockless.store(true, Ordering::Relaxed);
    }

    pub(super) fn leave_plan(&self, facts: Option<Facts>) {
        self.plan.lock().left = facts.map(|facts| (facts.identity, facts.length, facts.modified));
    }

    /// Whether the plan is as our last change left it.
    pub(super) fn left_plan(&self, facts: &Facts) -> bool {
        self.plan.lock().left == Some((facts.identity, facts.length, facts.modified))
    }

    pub(super) fn watch_old_plan(&self, old: OldPlan) {
        let queue = &mut self.plan.lock().old;
        queue.push_back((Instant::now(), old));
        queue.retain(|(since, _)| since.elapsed() < WATCHED);
        if queue.len() > OLD_PLANS {
            queue.pop_front();
        }
    }

    /// Looks at those that were replaced lately.
    pub(super) fn each_old_plan<T>(&self, mut look: impl FnMut(&mut OldPlan) -> T) -> Vec<T> {
        let queue = &mut self.plan.lock().old;
        queue.retain(|(since, _)| since.elapsed() < WATCHED);
        queue.iter_mut().map(|(_, old)| look(old)).collect()
    }

    /// Whether others write the plan these days: it is not as we left it and `fresh`, or was so a while ago.
    pub(super) fn others_write_plan(&self, facts: &Facts, fresh: bool) -> bool {
        let theirs = fresh && !self.left_plan(facts);
        let memory = &mut *self.plan.lock();
        if theirs {
            memory.others = Some(Instant::now());
        }
        memory.others.is_some_and(|since| since.elapsed() < OTHERS_WRITE)
    }

    pub(super) fn expect_plan(&self, expected: bool) {
        self.plan.lock().expected = expected;
    }

    pub(super) fn expects_plan(&self) -> bool {
        self.plan.lock().expected
    }

    pub(super) fn gate(&self) -> &Arc<Mutex<Held>> {
        &self.gate
    }

    pub(super) fn locking(&self) -> Locking {
        self.locking
    }
}
