//! The files of exit detection that more than one action looks at.

use serde_json::{Map, Number, Value};

use crate::rules::breaker::LoopAnalysis;
use crate::rules::signals::SignalLists;
pub use crate::store::sessions::is_session_id;

use crate::store::document::{Damage, Document, json_counter, parse_counter, parse_object, pretty_json, whole_number};

/// `.exit_signals`.
#[derive(Debug)]
pub struct ExitSignalsFile;

impl Document for ExitSignalsFile {
    const FILE: &'static str = ".exit_signals";
    type Value = SignalLists;

    fn decode(bytes: &[u8]) -> Result<SignalLists, Damage> {
        let object = parse_object(bytes)?;
        Ok(SignalLists {
            test_only_loops: loops(&object, "test_only_loops")?,
            done_signals: loops(&object, "done_signals")?,
            completion_indicators: loops(&object, "completion_indicators")?,
            blocked_loops: loops(&object, "blocked_loops")?,
        })
    }

    fn encode(lists: &SignalLists) -> Vec<u8> {
        let mut object = Map::new();
        object.insert("test_only_loops".into(), lists.test_only_loops.clone().into());
        object.insert("done_signals".into(), lists.done_signals.clone().into());
        object.insert("completion_indicators".into(), lists.completion_indicators.clone().into());
        if !lists.blocked_loops.is_empty() {
            object.insert("blocked_loops".into(), lists.blocked_loops.clone().into());
        }
        pretty_json(&object)
    }
}

fn loops(object: &Map<String, Value>, key: &str) -> Result<Vec<u64>, Damage> {
    let wrong = || Damage::Wrong(format!("has a {key} that is no list of loop numbers"));
    match object.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(entries)) => entries.iter().map(|entry| loop_number(entry).ok_or_else(wrong)).collect(),
        Some(_) => Err(wrong()),
    }
}

fn loop_number(entry: &Value) -> Option<u64> {
    match entry {
        Value::Number(number) => whole_number(number),
        Value::String(digits) => digits.parse().ok(),
        _ => None,
    }
}

/// `.response_analysis`: what the last analysis found.
#[derive(Debug)]
pub struct ResponseAnalysisFile;

/// The whole object of `.response_analysis`, read as bash's `jq` reads it: a missing flag is false, a missing number 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredAnalysis(pub Map<String, Value>);

impl Document for ResponseAnalysisFile {
    const FILE: &'static str = ".response_analysis";
    type Value = StoredAnalysis;

    fn decode(bytes: &[u8]) -> Result<StoredAnalysis, Damage> {
        let object = parse_object(bytes)?;
        json_counter(&object, "loop_number")?;
        match object.get("analysis") {
            None | Some(Value::Null) => {}
            Some(Value::Object(analysis)) => {
                json_counter(analysis, "files_modified")?;
            }
            Some(_) => return Err(Damage::Wrong("has an analysis that is no object".into())),
        }
        Ok(StoredAnalysis(object))
    }

    fn encode(stored: &StoredAnalysis) -> Vec<u8> {
        pretty_json(&stored.0)
    }
}

/// Characters of the last text output before the analysed loop: what a second analysis of that loop is compared with.
pub const PREVIOUS_LENGTH: &str = "previous_output_length";
/// What the session had cost before the analysed loop, in US dollars: as above.
pub const PREVIOUS_COST: &str = "previous_total_cost_usd";
/// The provider's failure (case S6), an object.
pub const API_ERROR: &str = "api_error";
/// Whether paid overage was being used.
pub const USING_OVERAGE: &str = "is_using_overage";
/// What Claude recommends.
pub const RECOMMENDATION: &str = "recommendation";

impl StoredAnalysis {
    fn analysis(&self) -> Option<&Map<String, Value>> {
        self.0.get("analysis").and_then(Value::as_object)
    }

    /// The loop that was analysed; `None` where the file does not say.
    #[must_use]
    pub fn loop_number(&self) -> Option<u64> {
        self.0.get("loop_number").filter(|number| !number.is_null())?;
        json_counter(&self.0, "loop_number").ok()
    }

    /// A yes or no of the analysis.
    #[must_use]
    pub fn flag(&self, key: &str) -> bool {
        match self.analysis().and_then(|analysis| analysis.get(key)) {
            Some(Value::Bool(flag)) => *flag,
            Some(Value::String(text)) => text == "true",
            _ => false,
        }
    }

    /// A count of the analysis; 0 where it is none.
    #[must_use]
    pub fn count(&self, key: &str) -> u64 {
        self.analysis().and_then(|analysis| json_counter(analysis, key).ok()).unwrap_or(0)
    }

    /// `PREVIOUS_LENGTH`; `None` where bash wrote the file, which does not say.
    #[must_use]
    pub fn previous_length(&self) -> Option<u64> {
        let analysis = self.analysis().filter(|analysis| analysis.contains_key(PREVIOUS_LENGTH))?;
        json_counter(analysis, PREVIOUS_LENGTH).ok()
    }

    /// `PREVIOUS_COST`, where the file says it.
    #[must_use]
    pub fn previous_cost(&self) -> Option<f64> {
        self.analysis()?.get(PREVIOUS_COST)?.as_f64()
    }

    /// A text of the analysis.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.analysis()?.get(key)?.as_str()
    }

    /// Why the provider gave no answer, as people read it: `529 overloaded`.
    #[must_use]
    pub fn api_error(&self) -> Option<String> {
        let error = self.analysis()?.get(API_ERROR)?.as_object()?;
        let kind = error.get("kind").and_then(Value::as_str).unwrap_or("error");
        Some(format!("{} {kind}", error.get("status").and_then(Value::as_u64).unwrap_or(0)))
    }

    /// The score, from 0 to 100: bash's may be higher, and none is 0.
    #[must_use]
    pub fn confidence(&self) -> u64 {
        let score = self.analysis().and_then(|analysis| analysis.get("confidence_score"));
        let whole = score.and_then(Value::as_f64).and_then(|score| Number::from_f64(score.clamp(0.0, 100.0).floor()));
        whole.as_ref().and_then(whole_number).unwrap_or_else(|| self.count("confidence_score").min(100))
    }

    /// The tokens that the loop used; `None` where the file does not say.
    #[must_use]
    pub fn tokens_used(&self) -> Option<u64> {
        let analysis = self.analysis().filter(|analysis| analysis.contains_key("tokens_used"))?;
        json_counter(analysis, "tokens_used").ok()
    }

    /// What the loop cost, in US dollars; `None` where the file does not say.
    #[must_use]
    pub fn cost_usd(&self) -> Option<f64> {
        self.analysis()?.get("cost_usd")?.as_f64().filter(|cost| *cost >= 0.0)
    }

    /// What the circuit breaker looks at.
    #[must_use]
    pub fn for_breaker(&self) -> LoopAnalysis {
        LoopAnalysis {
            loop_number: self.loop_number(),
            signal: self.flag("has_completion_signal") || self.flag("exit_signal"),
            files_modified: self.count("files_modified"),
            permission_denials: self.flag("has_permission_denials"),
            asking_questions: self.flag("asking_questions"),
            has_errors: self.flag("has_errors"),
            provider_failed: self.api_error().is_some(),
        }
    }
}

/// `.last_output_length`: characters of the last text output.
#[derive(Debug)]
pub struct LastOutputLengthFile;

impl Document for LastOutputLengthFile {
    const FILE: &'static str = ".last_output_length";
    type Value = u64;

    fn decode(bytes: &[u8]) -> Result<u64, Damage> {
        parse_counter(bytes)
    }

    fn encode(value: &u64) -> Vec<u8> {
        format!("{value}\n").into_bytes()
    }
}

/// `.claude_session_id`: the session that the next query may resume (v0.11).
#[derive(Debug)]
pub struct SessionFile;

/// What the session has cost so far.
const TOTAL_COST: &str = "total_cost_usd";

/// A session and when it was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// The id, one that `is_session_id` accepts.
    pub id: String,
    /// UTC, as in all state files; empty where a file of an older Ralph has none.
    pub timestamp: String,
    /// What it has cost so far, in US dollars, where that is known: Claude Code's running total.
    pub total_cost: Option<f64>,
}

impl Document for SessionFile {
    const FILE: &'static str = ".claude_session_id";
    type Value = Session;

    /// Ralph before v0.11 wrote the bare id (its issue 123).
    fn decode(bytes: &[u8]) -> Result<Session, Damage> {
        if let Some(bare) = std::str::from_utf8(bytes).ok().map(str::trim).filter(|text| is_session_id(text)) {
            return Ok(Session { id: bare.to_owned(), timestamp: String::new(), total_cost: None });
        }
        let object = parse_object(bytes)?;
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let total_cost = object.get(TOTAL_COST).and_then(Value::as_f64);
        match text("session_id") {
            id if is_session_id(&id) => Ok(Session { id, timestamp: text("timestamp"), total_cost }),
            _ => Err(Damage::Wrong("names no session".into())),
        }
    }

    fn encode(session: &Session) -> Vec<u8> {
        let mut object = Map::new();
        object.insert("session_id".into(), session.id.clone().into());
        object.insert("timestamp".into(), session.timestamp.clone().into());
        // Ours; bash ignores it.
        if let Some(total) = session.total_cost {
            object.insert(TOTAL_COST.into(), total.into());
        }
        pretty_json(&object)
    }
}
