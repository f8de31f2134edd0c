//! The files of the breaker, as bash Ralph reads and writes them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::rules::breaker::{Breaker, CircuitState, Stamp, Transition};
use crate::store::document::{Damage, Document, json_counter, parse_json, parse_object, pretty_json};
use crate::store::git::Snapshot;

/// `.circuit_breaker_state`.
#[derive(Debug)]
pub struct StateFile;

impl Document for StateFile {
    const FILE: &'static str = ".circuit_breaker_state";
    type Value = Breaker;

    fn decode(bytes: &[u8]) -> Result<Breaker, Damage> {
        let object = parse_object(bytes)?;
        let state = object
            .get("state")
            .and_then(Value::as_str)
            .and_then(CircuitState::in_any_case)
            .ok_or_else(|| Damage::Wrong(format!("has no state of {}", CircuitState::ENUMERATION.words.join(", "))))?;
        let count = |key| json_counter(&object, key);
        let optional = |key| object.get(key).filter(|value| !value.is_null()).map(|_| count(key)).transpose();
        Ok(Breaker {
            state,
            last_change: Stamp::from_text(text(&object, "last_change")),
            consecutive_no_progress: count("consecutive_no_progress")?,
            consecutive_same_error: count("consecutive_same_error")?,
            consecutive_permission_denials: optional("consecutive_permission_denials")?,
            consecutive_questions: optional("consecutive_questions")?,
            last_progress_loop: count("last_progress_loop")?,
            total_opens: count("total_opens")?,
            reason: text(&object, "reason"),
            current_loop: count("current_loop")?,
            opened_at: Stamp::from_text(text(&object, "opened_at")),
            recorded_loop: optional("recorded_loop")?,
        })
    }

    fn encode(breaker: &Breaker) -> Vec<u8> {
        let stamp = |stamp: &Stamp| (!stamp.is_empty()).then(|| Value::from(stamp.as_str()));
        let fields = [
            ("state", Some(breaker.state.as_str().into())),
            ("last_change", Some(breaker.last_change.as_str().into())),
            ("consecutive_no_progress", Some(breaker.consecutive_no_progress.into())),
            ("consecutive_same_error", Some(breaker.consecutive_same_error.into())),
            ("consecutive_permission_denials", breaker.consecutive_permission_denials.map(Value::from)),
            ("last_progress_loop", Some(breaker.last_progress_loop.into())),
            ("total_opens", Some(breaker.total_opens.into())),
            ("reason", Some(breaker.reason.as_str().into())),
            ("current_loop", Some(breaker.current_loop.into())),
            ("opened_at", stamp(&breaker.opened_at)),
            ("consecutive_questions", breaker.consecutive_questions.map(Value::from)),
            ("recorded_loop", breaker.recorded_loop.map(Value::from)),
        ];
        let object: Map<String, Value> = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        pretty_json(&object)
    }
}

/// A text inside a JSON object; what is none reads as bash's `jq -r` prints it.
fn text(object: &Map<String, Value>, key: &str) -> String {
    match object.get(key) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// `.circuit_breaker_history`: all transitions, the oldest first. What is no transition is kept as it is.
#[derive(Debug)]
pub struct HistoryFile;

impl Document for HistoryFile {
    const FILE: &'static str = ".circuit_breaker_history";
    type Value = Vec<Value>;

    fn decode(bytes: &[u8]) -> Result<Vec<Value>, Damage> {
        match parse_json(bytes)? {
            Value::Array(entries) => Ok(entries),
            _ => Err(Damage::Wrong("holds no JSON array".into())),
        }
    }

    fn encode(entries: &Vec<Value>) -> Vec<u8> {
        pretty_json(entries)
    }
}

/// A transition as the history has it.
pub fn history_entry(transition: &Transition) -> Value {
    json!({
        "timestamp": transition.timestamp.as_str(),
        "loop": transition.loop_number,
        "from_state": transition.from,
        "to_state": transition.to,
        "reason": transition.reason,
    })
}

/// A transition that the history has; `None` where the entry is none.
pub fn transition(entry: &Value) -> Option<Transition> {
    let object = entry.as_object()?;
    let state = |key| object.get(key).and_then(Value::as_str).and_then(CircuitState::in_any_case);
    Some(Transition {
        timestamp: Stamp::from_text(text(object, "timestamp")),
        loop_number: json_counter(object, "loop").ok()?,
        from: state("from_state")?,
        to: state("to_state")?,
        reason: text(object, "reason"),
    })
}

/// `.loop_start_sha`: HEAD when the loop began (v0.11). Bash leaves an empty line where there is no repository.
#[derive(Debug)]
pub struct LoopStartFile;

impl Document for LoopStartFile {
    const FILE: &'static str = ".loop_start_sha";
    type Value = String;

    /// Any text: what is no commit is for the reader to ignore, and no reason to keep the file aside.
    fn decode(bytes: &[u8]) -> Result<String, Damage> {
        Ok(String::from_utf8_lossy(bytes.trim_ascii()).into_owned())
    }

    fn encode(sha: &String) -> Vec<u8> {
        format!("{sha}\n").into_bytes()
    }
}

/// How a loop began, as `begin` found it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LoopStart {
    /// When: ISO 8601, UTC.
    pub began: String,
    /// How many loops had begun by then, this one included: two may begin in one second.
    #[serde(default)]
    pub number: u64,
    /// How many tasks of the plan were ticked; `None` where there was no plan to be read.
    pub ticked: Option<usize>,
    /// What was not committed; `None` without git.
    pub uncommitted: Option<Snapshot>,
}

/// `.loop_start_files`: a file of ours, for whoever records the loop. One that is damaged is forgotten: then bash's rules say
/// what changed.
#[derive(Debug)]
pub struct LoopFilesFile;

impl Document for LoopFilesFile {
    const FILE: &'static str = ".loop_start_files";
    type Value = LoopStart;

    fn decode(bytes: &[u8]) -> Result<LoopStart, Damage> {
        serde_json::from_slice(bytes).map_err(|error| match error.classify() {
            serde_json::error::Category::Eof => Damage::Cut,
            _ => Damage::Wrong(format!("tells no loop's beginning ({error})")),
        })
    }

    fn encode(start: &LoopStart) -> Vec<u8> {
        // Not indented: it may have thousands of entries.
        let mut text = serde_json::to_vec(start).unwrap_or_default();
        text.push(b'\n');
        text
    }
}
