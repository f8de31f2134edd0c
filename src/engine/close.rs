//! The end of a loop: what its output means, and what is recorded of it.

use serde_json::{Value, json};

use super::admit::{instant, seconds};
use super::answer::{ClosedLoop, LoopWaitReason};
use super::event::{LoopEventKind, LoopOwner};
use super::guards::{Member, circuit_state};
use super::notes::Notes;
use super::table::{LONGEST_PAUSE, PAUSE_AFTER_FAILURE, VERDICTS, Verdict, growing};
use super::turn::Turn;
use crate::error::Result;
use crate::generation::Generation;
use crate::store::sessions::read_notes;

/// A wait that somebody asks for.
#[derive(Debug, Clone)]
pub(super) struct Pause {
    pub(super) reason: LoopWaitReason,
    pub(super) seconds: u64,
    pub(super) message: String,
    /// `status` and `last_action`, where they are not written yet.
    pub(super) report: Option<[&'static str; 2]>,
}

impl Turn<'_> {
    /// Analyzes, records and reports the open loop. Answers with the wait that its output asks for.
    pub(super) fn close(&mut self) -> Result<Option<Pause>> {
        let number = self.number();
        let owner = self.session.as_ref().map(|session| session.owner);
        let notes = Notes::read(&read_notes(self.project(), &self.id)?);
        if let Some(warning) = notes.warning() {
            self.note(warning);
        }
        // One query a loop has a whole result, and git; hooks know each edit.
        let files = if owner == Some(LoopOwner::Loop) { None } else { notes.files_changed() };
        let failed = self.event.kind == Some(LoopEventKind::Failure);
        let output = self.output(&notes, failed);
        let mut analyze = json!({ "action": "analyze", "loopNumber": number, "output": output });
        set(&mut analyze, "filesChanged", files);
        let mut answer = self.tool_aloud("exit_detection", &analyze)?;
        let analysis = answer.get_mut("analysis").map(Value::take).unwrap_or_default();
        let tokens = analysis.number("tokensUsed");
        if tokens > 0 {
            self.tool("rate_limit", &json!({ "action": "increment", "calls": 0, "tokens": tokens }))?;
        }
        let verdict = verdict(&analysis, failed);
        let row = verdict.row();
        let duration = self.duration();
        let circuit = if row.counted {
            let mut record = json!({ "action": "record", "loopNumber": number });
            set(&mut record, "filesChanged", files);
            set(&mut record, "hasErrors", (verdict == Verdict::Failed).then_some(true));
            self.tool_aloud("circuit_breaker", &record)?
        } else {
            self.tool("circuit_breaker", &json!({ "action": "check" }))?
        };
        let measures = if row.counted {
            json!({ "loopDurationSeconds": duration, "loopSucceeded": verdict == Verdict::Worked, "loopCalls": 1 })
        } else {
            json!({})
        };
        self.report(row.report[0], row.report[1], &measures);
        self.remember(&analysis, verdict, tokens);
        let state = circuit_state(&circuit)?;
        let reason = circuit.text("reason").to_owned();
        let why = if reason.is_empty() { String::new() } else { format!(", {reason}") };
        self.note(if row.counted {
            format!("recorded: circuit {state}{why}")
        } else {
            format!("not recorded: {}", row.known_by)
        });
        self.answer.closed = Some(ClosedLoop {
            r#loop: number,
            duration_seconds: duration,
            succeeded: verdict == Verdict::Worked,
            counted: row.counted,
            summary: analysis.text("workSummary").to_owned(),
            tokens_used: tokens,
            files_modified: analysis.number("filesModified"),
            circuit: state,
            reason,
            cost_usd: cost(&analysis),
        });
        Ok(row.wait.map(|reason| self.pause(reason, &analysis)))
    }

    /// What the loop printed, as `analyze` reads it.
    fn output(&self, notes: &Notes, failed: bool) -> String {
        let event = self.event;
        let message = event.message.clone().unwrap_or_default();
        if let Some(output) = event.output.as_ref().filter(|_| !failed) {
            return output.clone();
        }
        // v0.9's rules read plain text alone.
        if self.project().generation() == Generation::V0_9 {
            return message;
        }
        let mut result = json!({
            "type": "result",
            "subtype": if failed { "error_during_execution" } else { "success" },
            "is_error": failed,
            "result": message,
            "permission_denials": notes.denials(),
        });
        set(&mut result, "session_id", event.claude_session.clone());
        match &event.output {
            Some(before) => format!("{before}\n{result}"),
            None => result.to_string(),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a loop is shorter than 2^53 milliseconds")]
    fn duration(&self) -> f64 {
        let began = self.session.as_ref().and_then(|session| session.loop_started).unwrap_or(self.now);
        let since = (self.now - began).num_milliseconds().max(0) as f64 / 1000.0;
        self.event.duration_seconds.unwrap_or(since)
    }

    /// What the run has used, and which of Claude's sessions the next query resumes.
    fn remember(&mut self, analysis: &Value, verdict: Verdict, tokens: u64) {
        let named = self.event.claude_session.clone().filter(|id| crate::store::sessions::is_session_id(id));
        let Some(session) = &mut self.session else { return };
        session.tokens = session.tokens.saturating_add(tokens);
        session.cost_usd += cost(analysis).unwrap_or(0.0);
        session.failures = if verdict.row().counted { 0 } else { session.failures.saturating_add(1) };
        let told = Some(analysis.text("sessionId").to_owned()).filter(|id| !id.is_empty()).or(named);
        session.resumes = match (verdict.row().keeps_session, verdict) {
            (false, _) => None,
            (true, Verdict::Worked) => told.or(session.resumes.take()),
            (true, _) => session.resumes.take(),
        };
    }

    fn pause(&self, reason: LoopWaitReason, analysis: &Value) -> Pause {
        let failures = self.session.as_ref().map_or(1, |session| session.failures);
        let nothing = Value::Null;
        let (limit, error) = (analysis.get("apiLimit").unwrap_or(&nothing), analysis.get("apiError").unwrap_or(&nothing));
        let (seconds, message) = match reason {
            LoopWaitReason::ApiLimit => {
                let left = instant(limit.text("resetsAt")).map_or(LONGEST_PAUSE, |until| seconds(until - self.now));
                // A limit that was to be lifted and stands still: do not hammer.
                (if failures > 1 { left.max(growing(failures)) } else { left }, limit.text("message").to_owned())
            }
            LoopWaitReason::ApiError => {
                let told = error.number("retryAfterSeconds").min(LONGEST_PAUSE);
                (growing(failures).max(told), format!("the provider answers {} ({})", error.text("kind"), error.number("status")))
            }
            _ => (PAUSE_AFTER_FAILURE, self.failure()),
        };
        Pause { reason, seconds, message, report: None }
    }

    fn failure(&self) -> String {
        let why = self.event.message.as_deref().unwrap_or_default().lines().next().unwrap_or_default();
        match (self.event.kind, why.is_empty()) {
            (Some(LoopEventKind::Failure), false) => format!("the query failed: {}", crate::input::clip(why, 300)),
            (Some(LoopEventKind::Failure), true) => "the query failed".to_owned(),
            _ => "Claude reported an error".to_owned(),
        }
    }
}

fn verdict(analysis: &Value, failed: bool) -> Verdict {
    let applies = |verdict| match verdict {
        Verdict::ApiLimit => analysis.get("apiLimit").is_some_and(Value::is_object),
        Verdict::ApiError => analysis.get("apiError").is_some_and(Value::is_object),
        Verdict::Failed => failed || analysis.flag("isError"),
        Verdict::Worked => true,
    };
    VERDICTS.iter().map(|row| row.verdict).find(|verdict| applies(*verdict)).unwrap_or(Verdict::Failed)
}

fn cost(analysis: &Value) -> Option<f64> {
    analysis.get("costUsd").and_then(Value::as_f64).filter(|cost| cost.is_finite() && *cost >= 0.0)
}

fn set<T: Into<Value>>(object: &mut Value, key: &str, value: Option<T>) {
    if let (Some(object), Some(value)) = (object.as_object_mut(), value) {
        object.insert(key.to_owned(), value.into());
    }
}
