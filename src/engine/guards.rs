//! The guards as the executor asks them: through the tools' own definitions, as any caller does.

use serde_json::{Value, json};

use super::answer::LoopCounts;
use super::turn::Turn;
use crate::error::{Error, ErrorCode, Result};
use crate::input::{Arguments, RawInput, raw_input};
use crate::rules::breaker::CircuitState;
use crate::tools::task_planner::{self, TaskPlannerToolOutput};

/// A member of a tool's answer.
pub(super) trait Member {
    /// A text; empty where there is none.
    fn text(&self, name: &str) -> &str;
    /// A whole number; 0 where there is none.
    fn number(&self, name: &str) -> u64;
    /// A yes or no; no where there is none.
    fn flag(&self, name: &str) -> bool;
}

impl Member for Value {
    fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    fn number(&self, name: &str) -> u64 {
        self.get(name).and_then(Value::as_u64).unwrap_or_default()
    }

    fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or_default()
    }
}

fn fields(input: &Value) -> RawInput {
    input.as_object().map(raw_input).unwrap_or_default()
}

impl Turn<'_> {
    /// Calls a tool.
    pub(super) fn tool(&self, name: &str, input: &Value) -> Result<Value> {
        self.ralph.call(name, fields(input))
    }

    /// Calls a tool whose warnings a person should see.
    pub(super) fn tool_aloud(&mut self, name: &str, input: &Value) -> Result<Value> {
        let answer = self.tool(name, input)?;
        for warning in answer.get("warnings").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            self.note(format!("warning: {warning}"));
        }
        Ok(answer)
    }

    /// Writes `status.json`. It is for people, and no guard: where it fails the loop goes on, and says so.
    pub(super) fn report(&mut self, status: &str, last_action: &str, more: &Value) {
        let mut input = json!({ "action": "update", "status": status, "lastAction": last_action, "loopCount": self.number() });
        if let (Some(input), Some(more)) = (input.as_object_mut(), more.as_object()) {
            input.extend(more.clone());
        }
        if let Err(error) = self.tool("progress_reporter", &input) {
            self.note(format!("status.json was not written: {error}"));
        }
    }

    /// How the plan stands.
    pub(super) fn plan(&self) -> Result<TaskPlannerToolOutput> {
        let arguments = Arguments::of_call(&task_planner::DEFINITION, fields(&json!({ "action": "progress" })))?;
        task_planner::run(self.ralph.project(), &arguments).map(|outcome| outcome.value)
    }

    /// How the guards stand, of which the rate has been asked already.
    pub(super) fn counts(&self, rate: &Value, circuit: &Value) -> Result<LoopCounts> {
        let plan = self.plan()?.list;
        Ok(LoopCounts {
            calls: rate.number("currentCount"),
            max_calls: rate.number("maxCalls"),
            tokens: rate.number("tokensUsed"),
            max_tokens: rate.number("maxTokens"),
            circuit: circuit_state(circuit)?,
            completed_tasks: plan.completed_tasks,
            total_tasks: plan.total_tasks,
        })
    }
}

/// The state of a breaker's answer.
pub(super) fn circuit_state(answer: &Value) -> Result<CircuitState> {
    CircuitState::from_word(answer.text("state"))
        .ok_or_else(|| Error::new(ErrorCode::Internal, "circuit_breaker answers with no state"))
}
