//! Who works on which task: a claim is a lease, which runs out by itself when its worker dies.
//!
//! Workers may have copies of the plan (worktrees, clones) in which a task that one of them has ticked still stands open. So
//! a task that is done is not merely free again: it is remembered as done, until the copies have long been merged.

mod roster;
#[cfg(test)]
mod tests;

pub use roster::{Beat, Roster, SEEN_FOR, Seen};

use std::collections::BTreeMap;

use super::budget::Millis;

/// For how long a task that is done is remembered.
pub const DONE_FOR: Millis = 7 * 24 * 3_600_000;

/// A task that a worker has claimed, or has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The worker.
    pub worker: String,
    /// When it runs out.
    pub until: Millis,
    /// Whether the worker has done it.
    pub done: bool,
}

/// What a claim came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The task is the worker's, from now on or still.
    Granted {
        /// The task.
        task: String,
        /// When the lease runs out.
        until: Millis,
    },
    /// All tasks asked for are claimed by others.
    Taken,
}

/// What a release came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Release {
    /// These tasks are free again; none where the worker had claimed none.
    Released(Vec<String>),
    /// The task is somebody else's.
    Taken(Lease),
}

/// The claims of one plan, by the tasks' ids.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Leases(BTreeMap<String, Lease>);

impl Leases {
    /// Those that have not run out.
    pub fn live(&self, now: Millis) -> impl Iterator<Item = (&str, &Lease)> {
        self.0.iter().filter(move |(_, lease)| lease.until > now).map(|(task, lease)| (task.as_str(), lease))
    }

    /// Who has claimed a task.
    #[must_use]
    pub fn of(&self, task: &str, now: Millis) -> Option<&Lease> {
        self.0.get(task).filter(|lease| lease.until > now)
    }

    /// Claims one of `tasks`, which are open and in the order of the plan: the one that the worker has already, whose
    /// lease is renewed, else the first that nobody has.
    pub fn claim(&mut self, tasks: &[&str], worker: &str, now: Millis, lease: Millis) -> Claim {
        self.forget(now);
        let mine = tasks.iter().find(|task| self.0.get(**task).is_some_and(|lease| lease.worker == worker && !lease.done));
        let Some(task) = mine.or_else(|| tasks.iter().find(|task| !self.0.contains_key(**task))) else {
            return Claim::Taken;
        };
        let until = now.saturating_add(lease);
        self.0.insert((*task).to_owned(), Lease { worker: worker.to_owned(), until, done: false });
        Claim::Granted { task: (*task).to_owned(), until }
    }

    /// Remembers a task as done, whoever had claimed it.
    pub fn finish(&mut self, task: &str, worker: &str, now: Millis) {
        self.forget(now);
        let until = now.saturating_add(DONE_FOR);
        self.0.insert(task.to_owned(), Lease { worker: worker.to_owned(), until, done: true });
    }

    /// Gives up one task, or all that the worker has claimed. A task that is done is open again; `force` also takes one
    /// from somebody else.
    pub fn release(&mut self, task: Option<&str>, worker: &str, force: bool, now: Millis) -> Release {
        self.forget(now);
        let tasks: Vec<String> = if let Some(task) = task {
            match self.0.get(task) {
                Some(lease) if lease.worker != worker && !lease.done && !force => return Release::Taken(lease.clone()),
                Some(_) => vec![task.to_owned()],
                None => Vec::new(),
            }
        } else {
            let mine = |lease: &Lease| lease.worker == worker && !lease.done;
            self.live(now).filter(|(_, lease)| mine(lease)).map(|(task, _)| task.to_owned()).collect()
        };
        for task in &tasks {
            self.0.remove(task);
        }
        Release::Released(tasks)
    }

    /// All of them, for those who store them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Lease)> {
        self.0.iter().map(|(task, lease)| (task.as_str(), lease))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets those that ran out.
    pub fn forget(&mut self, now: Millis) {
        self.0.retain(|_, lease| lease.until > now);
    }
}

impl FromIterator<(String, Lease)> for Leases {
    fn from_iter<I: IntoIterator<Item = (String, Lease)>>(leases: I) -> Self {
        Self(leases.into_iter().collect())
    }
}
