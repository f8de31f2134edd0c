//! Claude Code's hooks as events of the guarded loop, and the loop's answers as a hook's output.
//!
//! For the hooks of programs on the Agent SDK and for native programs that Claude Code starts: both are told the same JSON. The
//! engine does not know Claude Code; what hooks and tools are called stands here alone. Facts about the hooks were measured
//! with Claude Code 2.1.332.

mod input;
pub mod plugin;
mod tools;

use serde_json::{Value, json};

use input::BackgroundTask;
pub use input::HookInput;
use tools::{Effect, effect};

use crate::engine::table::Finish;
use crate::engine::{Event, LoopAnswer, LoopEngine, LoopEventKind, LoopHookAnswer, LoopStep};
use crate::error::{Error, Result};
use crate::input::raw_input;

/// Kinds of background tasks after whose end the model goes on by itself. A shell, such as a dev server, is none.
const CONTINUING_TASKS: &[&str] = &["subagent", "workflow"];

/// What a hook says as an event of the loop; `None` where it says nothing to it.
#[must_use]
pub fn event(hook: &HookInput) -> Option<Event> {
    let of = |kind| Event::of(kind, &hook.session_id);
    let main = hook.agent_id.is_none();
    let call = Some(hook.tool_use_id.clone()).filter(|id| !id.is_empty());
    match hook.hook_event_name.as_str() {
        "PreToolUse" => Some(Event {
            tool: Some(hook.tool_name.clone()),
            command: hook.tool_input.command.clone(),
            agent: hook.agent_id.clone(),
            call,
            ..of(LoopEventKind::Called)
        }),
        "PostToolUse" => Some(ran(hook, of, call, true)),
        "PostToolUseFailure" => Some(ran(hook, of, call, false)),
        "PostToolBatch" => Some(Event { agent: hook.agent_id.clone(), ..of(LoopEventKind::Settled) }),
        "Stop" if main && hook.background_tasks.iter().any(goes_on) => Some(of(LoopEventKind::Background)),
        "Stop" if main => Some(Event {
            message: Some(hook.last_assistant_message.clone().unwrap_or_default()),
            claude_session: Some(hook.session_id.clone()),
            ..of(LoopEventKind::Stop)
        }),
        "StopFailure" if main => Some(Event { message: Some(hook.failure()), ..of(LoopEventKind::Failure) }),
        "UserPromptSubmit" if main => Some(of(LoopEventKind::Prompt)),
        "SessionStart" => match hook.source.as_str() {
            "compact" => Some(of(LoopEventKind::Compaction)),
            "resume" => Some(of(LoopEventKind::Resume)),
            _ => None,
        },
        "SessionEnd" => Some(of(LoopEventKind::End)),
        _ => None,
    }
}

/// A call of a tool that is over.
fn ran(hook: &HookInput, of: impl Fn(LoopEventKind) -> Event, call: Option<String>, succeeded: bool) -> Event {
    let path = hook.tool_response.place().or_else(|| hook.tool_input.place());
    match effect(&hook.tool_name, hook.tool_input.action.as_deref()) {
        Effect::File if succeeded => Event { path, call, ..of(LoopEventKind::Edited) },
        Effect::Plan if succeeded => Event { call, ..of(LoopEventKind::Edited) },
        // One that failed may have done half.
        Effect::Any => Event { tool: Some(hook.tool_name.clone()), call, ..of(LoopEventKind::Opaque) },
        Effect::File | Effect::Plan | Effect::None => Event { call, ..of(LoopEventKind::Returned) },
    }
}

fn goes_on(task: &BackgroundTask) -> bool {
    let over = ["completed", "failed", "stopped", "killed", "cancelled"];
    CONTINUING_TASKS.contains(&task.r#type.as_str()) && !over.contains(&task.status.as_str())
}

/// Inputs of hooks in their order, and the event that begins a run where a prompt among them may begin it.
#[derive(Debug, Clone, Default)]
pub struct HookInputs {
    /// The inputs.
    pub hooks: Vec<HookInput>,
    /// The event.
    pub start: Option<Event>,
}

impl HookInputs {
    /// Reads `{ hooks, start? }`.
    ///
    /// # Errors
    /// `INVALID_INPUT` for what is no such JSON.
    pub fn from_json(text: &[u8]) -> Result<Self> {
        #[derive(serde::Deserialize)]
        struct Inputs {
            hooks: Vec<HookInput>,
            start: Option<serde_json::Map<String, Value>>,
        }
        let Inputs { hooks, start } = serde_json::from_slice(text).map_err(|error| {
            Error::invalid_input(format!("hooks are told as JSON, {{ hooks, start? }}; this is none: {error}"))
        })?;
        let start = start.map(|start| Event::from_raw(raw_input(&start))).transpose()?;
        Ok(Self { hooks, start })
    }

    /// What they say to the loop.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.hooks.iter().filter_map(event).collect()
    }

    /// Takes them to the engine, and the last one's answer back, with the notes of all.
    #[must_use]
    pub fn answer(&self, engine: &LoopEngine) -> LoopHookAnswer {
        let mut last = LoopHookAnswer { output: json!({}), answer: LoopAnswer::none("") };
        for hook in &self.hooks {
            let mut notes = std::mem::take(&mut last.answer.notes);
            last.answer = match event(hook) {
                None => LoopAnswer::none(&hook.session_id),
                Some(event) => match self.start.as_ref().filter(|_| event.kind == Some(LoopEventKind::Prompt)) {
                    Some(start) => engine.handle(&Event { session: Some(hook.session_id.clone()), ..start.clone() }),
                    None => engine.handle(&event),
                },
            };
            last.output = output(&hook.hook_event_name, &last.answer);
            notes.append(&mut last.answer.notes);
            last.answer.notes = notes;
        }
        last
    }
}

/// What a hook prints, or a callback returns, for an answer: JSON that Claude Code understands. An empty object lets go.
#[must_use]
pub fn output(hook: &str, answer: &LoopAnswer) -> Value {
    let notes = answer.notes.join("\n");
    let told = if notes.is_empty() { json!({}) } else { json!({ "systemMessage": notes }) };
    // A guard that failed holds nothing back: the session goes on as if there were no hook.
    let failed = answer.ending.as_ref().is_some_and(|ending| ending.last_action == Finish::GuardFailed.row().last_action);
    let refused = matches!(answer.next, LoopStep::Wait | LoopStep::End | LoopStep::Refuse) && !failed;
    match (hook, answer.next, &answer.prompt) {
        ("Stop", LoopStep::Query, Some(prompt)) => json!({ "decision": "block", "reason": prompt }),
        ("UserPromptSubmit" | "SessionStart", LoopStep::Query | LoopStep::Tell, Some(prompt)) => {
            json!({ "hookSpecificOutput": { "hookEventName": hook, "additionalContext": prompt } })
        }
        ("UserPromptSubmit", ..) if refused => json!({ "decision": "block", "reason": notes }),
        _ => told,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(value: &Value) -> HookInput {
        HookInput::from_json(value.to_string().as_bytes()).expect("an object")
    }

    fn kind(value: &Value) -> Option<LoopEventKind> {
        event(&hook(value)).and_then(|event| event.kind)
    }

    #[test]
    fn hooks_are_events_of_the_main_agents_loop() {
        use LoopEventKind as Is;
        let stop = |tasks: Value| json!({ "hook_event_name": "Stop", "background_tasks": tasks });
        for (input, expected) in [
            (json!({ "hook_event_name": "UserPromptSubmit" }), Some(Is::Prompt)),
            (json!({ "hook_event_name": "Stop", "last_assistant_message": "x" }), Some(Is::Stop)),
            (json!({ "hook_event_name": "Stop", "agent_id": "a" }), None),
            (json!({ "hook_event_name": "SubagentStop" }), None),
            (stop(json!([{ "type": "shell", "status": "running" }])), Some(Is::Stop)),
            (stop(json!([{ "type": "subagent", "status": "running" }])), Some(Is::Background)),
            (stop(json!([{ "type": "subagent", "status": "completed" }])), Some(Is::Stop)),
            (stop(json!([1, null, { "type": 1 }])), Some(Is::Stop)),
            (json!({ "hook_event_name": "StopFailure", "error": "rate_limit" }), Some(Is::Failure)),
            (json!({ "hook_event_name": "SessionStart", "source": "compact" }), Some(Is::Compaction)),
            (json!({ "hook_event_name": "SessionStart", "source": "resume" }), Some(Is::Resume)),
            (json!({ "hook_event_name": "SessionStart", "source": "startup" }), None),
            (json!({ "hook_event_name": "SessionEnd" }), Some(Is::End)),
            (json!({ "hook_event_name": "PreToolUse", "tool_name": "Read" }), Some(Is::Called)),
            (json!({ "hook_event_name": "PostToolUse", "tool_name": "Write" }), Some(Is::Edited)),
            (json!({ "hook_event_name": "PostToolUseFailure", "tool_name": "Write" }), Some(Is::Returned)),
            (json!({ "hook_event_name": "PostToolUseFailure", "tool_name": "Bash" }), Some(Is::Opaque)),
            (json!({ "hook_event_name": "PostToolBatch" }), Some(Is::Settled)),
            (json!({ "hook_event_name": "Dance" }), None),
            (json!({}), None),
        ] {
            assert_eq!(kind(&input), expected, "{input}");
        }
    }

    #[test]
    fn the_path_is_what_the_tool_answered() {
        let path = |tool: &str, given: Value, answered: Value| {
            let input =
                json!({ "hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": given, "tool_response": answered });
            event(&hook(&input)).and_then(|event| event.path)
        };
        assert_eq!(path("Edit", json!({ "file_path": "a" }), json!({ "filePath": "/p/a" })).as_deref(), Some("/p/a"));
        assert_eq!(path("NotebookEdit", json!({}), json!({ "notebook_path": "/p/n" })).as_deref(), Some("/p/n"));
        assert_eq!(path("Write", json!({ "file_path": "a" }), json!("done")).as_deref(), Some("a"));
    }

    #[test]
    fn values_of_other_types_count_as_left_out() {
        let nested = json!({ "a": { "b": [] } });
        for value in [json!(null), json!(1), json!(-1.5), json!(true), json!("x"), json!([]), json!([[{}]]), nested] {
            let input = json!({
                "hook_event_name": "Stop", "session_id": "s", "agent_id": null, "tool_name": value, "tool_input": value,
                "tool_response": value, "last_assistant_message": value, "background_tasks": value, "error": value, "x": value,
            });
            assert_eq!(kind(&input), Some(LoopEventKind::Stop), "{value}");
        }
        for text in ["", "1", "null", "{", "{\"hook_event_name\":"] {
            assert!(HookInput::from_json(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_failure_says_what_the_result_said() {
        for (input, words) in [
            (
                json!({ "error": "rate_limit", "error_details": "more", "last_assistant_message": "API Error: 429" }),
                "API Error: 429",
            ),
            (json!({ "error": "rate_limit", "error_details": "more" }), "more"),
            (json!({ "error": "rate_limit", "last_assistant_message": null }), "rate_limit"),
            (json!({}), ""),
        ] {
            assert_eq!(hook(&input).failure(), words, "{input}");
        }
    }
}
