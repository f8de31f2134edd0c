//! A session's file, `.session_<id>`: who holds the project, which loop is open, and what the run has used.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::event::{Limits, LoopOwner};
use super::table::{Spent, State};
use crate::store::document::pretty_json;
use crate::store::process_mark::ProcessMark;

/// The version of the file that this package writes.
const VERSION: u64 = 1;

/// What the file holds. Members of a later version stay as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The file's version.
    #[serde(default = "first_version")]
    pub version: u64,
    /// Which door.
    pub owner: LoopOwner,
    /// The process that holds the session.
    #[serde(flatten)]
    pub process: ProcessMark,
    /// The loop that is open, or was last; numbers go on over crashed runs.
    #[serde(rename = "loop")]
    pub number: u64,
    /// Whether it is open.
    pub open: bool,
    /// When the run began.
    pub started: DateTime<Utc>,
    /// The loop before the run's first.
    #[serde(default)]
    pub before: u64,
    /// When the open loop began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_started: Option<DateTime<Utc>>,
    /// Where the run ends by itself.
    #[serde(flatten)]
    pub limits: Limits,
    /// What goes to the model instead of our own text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// Tokens of the run.
    #[serde(default)]
    pub tokens: u64,
    /// US dollars of the run.
    #[serde(default)]
    pub cost_usd: f64,
    /// Loops in a row that the provider refused.
    #[serde(default)]
    pub failures: u64,
    /// Claude's session, to be resumed.
    #[serde(rename = "claudeSession", default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<String>,
    /// What another version wrote.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

fn first_version() -> u64 {
    VERSION
}

impl Session {
    /// A new run.
    #[must_use]
    pub fn new(owner: LoopOwner, process: ProcessMark, started: DateTime<Utc>) -> Self {
        Self {
            version: VERSION,
            owner,
            process,
            number: 0,
            open: false,
            started,
            before: 0,
            loop_started: None,
            limits: Limits::default(),
            instruction: None,
            tokens: 0,
            cost_usd: 0.0,
            failures: 0,
            resumes: None,
            rest: Map::new(),
        }
    }

    /// Reads a file's bytes.
    ///
    /// # Errors
    /// What is wrong with it, for a person.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let session: Self = serde_json::from_slice(bytes).map_err(|error| format!("it cannot be read ({error})"))?;
        match session.version {
            0..=VERSION => Ok(session),
            version => {
                Err(format!("it has version {version}, and this ralph-sdk-tools knows version {VERSION}: use a later one"))
            }
        }
    }

    /// The file's bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        pretty_json(self)
    }

    /// How the session stands.
    #[must_use]
    pub fn state(&self) -> State {
        if self.open { State::Open } else { State::Waiting }
    }

    /// Loops of this run.
    #[must_use]
    pub fn loops(&self) -> u64 {
        self.number.saturating_sub(self.before)
    }

    /// What the run has used of its limits.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a run is shorter than 2^53 milliseconds")]
    pub fn spent(&self, now: DateTime<Utc>) -> Spent {
        Spent {
            loops: self.loops(),
            minutes: (now - self.started).num_milliseconds() as f64 / 60_000.0,
            tokens: self.tokens,
            cost_usd: self.cost_usd,
        }
    }
}
