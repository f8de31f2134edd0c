//! `status.json` and `progress.json`, as bash Ralph writes and reads them.

use serde_json::{Map, Value};

use crate::store::document::{Damage, Document, json_counter, parse_json, parse_object, pretty_json};

/// `status.json`: an object, of which fields that are not ours (bash's `sandbox`) are kept where they are.
#[derive(Debug)]
pub struct StatusFile;

/// What `status.json` holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Status(Map<String, Value>);

impl Document for StatusFile {
    const FILE: &'static str = "status.json";
    type Value = Status;

    fn decode(bytes: &[u8]) -> Result<Status, Damage> {
        let object = parse_object(bytes)?;
        for key in ["loop_count", "calls_made_this_hour"] {
            json_counter(&object, key)?;
        }
        Ok(Status(object))
    }

    fn encode(status: &Status) -> Vec<u8> {
        pretty_json(&status.0)
    }
}

impl Status {
    /// A text; `None` where there is none.
    pub fn text(&self, key: &str) -> Option<String> {
        self.0.get(key).and_then(Value::as_str).map(str::to_owned)
    }

    /// A counter; `None` where there is none.
    pub fn counter(&self, key: &str) -> Option<u64> {
        self.0.get(key).filter(|value| !value.is_null()).and_then(|_| json_counter(&self.0, key).ok())
    }

    /// Sets a field where it stands; a new one comes last.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }
}

/// `progress.json`: what bash Ralph writes while Claude runs. It is only read here.
#[derive(Debug)]
pub struct ProgressFile;

impl Document for ProgressFile {
    const FILE: &'static str = "progress.json";
    type Value = Value;

    fn decode(bytes: &[u8]) -> Result<Value, Damage> {
        parse_json(bytes)
    }

    fn encode(progress: &Value) -> Vec<u8> {
        pretty_json(progress)
    }
}
