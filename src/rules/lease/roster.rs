//! The workers that were seen at a place, and what they said of themselves.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::rules::budget::Millis;

/// For how long a worker is listed after it was seen last.
pub const SEEN_FOR: Millis = 24 * 3_600_000;

/// What a worker says of itself; what is `None` it does not know, and stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Beat {
    /// Its machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Its project directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Its loop.
    #[serde(default, rename = "loop", skip_serializing_if = "Option::is_none")]
    pub loop_number: Option<u64>,
    /// Its task; empty where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

impl Beat {
    /// What is known once `newer` is said.
    #[must_use]
    pub fn then(self, newer: Self) -> Self {
        Self {
            machine: newer.machine.or(self.machine),
            project: newer.project.or(self.project),
            loop_number: newer.loop_number.or(self.loop_number),
            task: newer.task.or(self.task),
        }
    }
}

/// A worker that was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// When, last.
    pub at: Millis,
    /// What it said.
    #[serde(flatten)]
    pub beat: Beat,
}

/// All workers that were seen lately, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Roster(pub BTreeMap<String, Seen>);

impl Roster {
    /// Notes a worker, and forgets those who were last seen a day ago.
    pub fn beat(&mut self, worker: &str, beat: Beat, now: Millis) {
        let known = self.0.remove(worker).map(|seen| seen.beat).unwrap_or_default();
        self.0.insert(worker.to_owned(), Seen { at: now, beat: known.then(beat) });
        self.forget(now);
    }

    /// Forgets those who were last seen a day ago.
    pub fn forget(&mut self, now: Millis) {
        self.0.retain(|_, seen| seen.at.saturating_add(SEEN_FOR) > now);
    }
}
