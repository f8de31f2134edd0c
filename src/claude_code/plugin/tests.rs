//! Hooks as Claude Code sends them, on a project in a scratch folder.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::testing::Bench;

const PLAN: &str = "- [ ] [a-1] Write a\n- [ ] [a-2] Write b\n";

/// A project with a plan, and the hooks of its sessions.
struct Hooks {
    bench: Bench,
}

impl Hooks {
    fn plugin() -> Self {
        let bench = Bench::new();
        bench.write("fix_plan.md", PLAN);
        Self { bench }
    }

    /// What a hook of session `s` says; `null` is nothing.
    fn fire(&self, hook: &str, more: &Value) -> Value {
        self.fire_as("s", hook, more)
    }

    fn fire_as(&self, session: &str, hook: &str, more: &Value) -> Value {
        let mut event = json!({ "hook_event_name": hook, "session_id": session, "cwd": self.bench.root() });
        event.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let input = HookInput::from_json(event.to_string().as_bytes()).expect("an input");
        let engine = LoopEngine::new(Arc::clone(self.bench.ralph()));
        answer(&engine, Some(std::process::id()), &input).unwrap_or(Value::Null)
    }

    fn start(&self, typed: &str) -> Value {
        let prompt = json!({ "prompt": format!("/ralph:start {typed}") });
        assert_eq!(self.fire("UserPromptSubmit", &prompt), Value::Null, "the command itself comes next");
        self.fire("UserPromptExpansion", &json!({ "command_name": "ralph:start", "command_args": typed }))
    }

    fn tool(&self, hook: &str, tool: &str, call: &str, input: &Value) -> Value {
        self.fire(hook, &json!({ "tool_name": tool, "tool_use_id": call, "tool_input": input }))
    }

    /// A file that the model writes.
    fn writes(&self, call: &str, path: &str) {
        let input = json!({ "file_path": self.bench.root().join(path) });
        assert_eq!(self.tool("PreToolUse", "Write", call, &input), Value::Null);
        assert_eq!(self.tool("PostToolUse", "Write", call, &input), Value::Null);
    }

    fn stop(&self, words: &str) -> Value {
        self.fire("Stop", &json!({ "last_assistant_message": words, "background_tasks": [] }))
    }

    fn loops_on(&self, session: &str) -> bool {
        has_session(self.bench.ralph().project().state_dir(), session)
    }
}

/// The text of a member, or nothing.
fn text<'a>(output: &'a Value, pointer: &str) -> &'a str {
    output.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn a_plan_is_worked_off_and_each_early_stop_is_sent_on_with_the_next_task() {
    let hooks = Hooks::plugin();
    let begun = hooks.start("");
    assert!(text(&begun, "/hookSpecificOutput/additionalContext").contains("a-1"), "{begun}");
    assert_eq!(text(&begun, "/hookSpecificOutput/hookEventName"), "UserPromptExpansion");
    hooks.writes("1", "a.txt");
    hooks.bench.call("task_planner", &json!({ "action": "update", "taskId": "a-1" }));
    let on = hooks.stop("Wrote a.");
    assert_eq!(text(&on, "/decision"), "block", "{on}");
    assert!(text(&on, "/reason").contains("a-2"), "{on}");
    hooks.writes("2", "b.txt");
    hooks.bench.call("task_planner", &json!({ "action": "update", "taskId": "a-2" }));
    let over = hooks.stop("Wrote b.");
    assert_eq!(text(&over, "/decision"), "", "{over}");
    assert!(text(&over, "/systemMessage").contains("plan_complete"), "{over}");
    assert!(!hooks.loops_on("s"));
    assert_eq!(hooks.stop("And now a chat."), Value::Null, "the session is free");
}

#[test]
fn a_model_that_stalls_is_let_go_also_if_it_reads() {
    let hooks = Hooks::plugin();
    hooks.start("");
    for _ in 0..2 {
        let read = json!({ "file_path": hooks.bench.root().join("fix_plan.md") });
        hooks.tool("PreToolUse", "Read", "r", &read);
        hooks.tool("PostToolUse", "Read", "r", &read);
        assert_eq!(text(&hooks.stop("Looking."), "/decision"), "block");
    }
    let over = hooks.stop("Looking.");
    assert_eq!(text(&over, "/decision"), "");
    assert!(text(&over, "/systemMessage").contains("circuit_breaker_open"), "{over}");
}

#[test]
fn a_call_that_never_comes_back_was_denied() {
    let hooks = Hooks::plugin();
    hooks.start("");
    for round in 1..=2 {
        hooks.tool("PreToolUse", "Bash", &format!("denied-{round}"), &json!({ "command": "rm -rf build" }));
        hooks.tool("PreToolUse", "Bash", &format!("failed-{round}"), &json!({ "command": "npm test" }));
        hooks.tool("PostToolUseFailure", "Bash", &format!("failed-{round}"), &json!({ "command": "npm test" }));
        hooks.fire("PostToolBatch", &json!({}));
        let said = hooks.stop("I need permission.");
        if !hooks.loops_on("s") {
            assert!(text(&said, "/systemMessage").contains("permission_denied"), "{said}");
            return;
        }
    }
    panic!("two loops with denials go on");
}

#[test]
fn the_state_files_are_kept_from_the_model_and_the_plan_is_not() {
    let hooks = Hooks::plugin();
    let deny = |path: &str| {
        let said = hooks.tool("PreToolUse", "Edit", "1", &json!({ "file_path": path }));
        text(&said, "/hookSpecificOutput/permissionDecision").to_owned()
    };
    let inside = |name: &str| hooks.bench.state(name).to_string_lossy().into_owned();
    assert_eq!(deny(&inside(".call_count")), "", "a session without a loop is no business of ours");
    hooks.start("");
    for name in [".call_count", "status.json", "logs/ralph.log", ".circuit_breaker_state", ".session_s", "x/../.exit_signals"] {
        assert_eq!(deny(&inside(name)), "deny", "{name}");
    }
    assert_eq!(deny(".ralph/.call_count"), "deny", "from the working directory");
    for name in ["fix_plan.md", "PROMPT.md", "notes.md"] {
        assert_eq!(deny(&inside(name)), "", "{name}");
    }
}

#[test]
fn a_second_session_is_not_captured_and_its_start_is_refused() {
    let hooks = Hooks::plugin();
    hooks.start("");
    assert_eq!(hooks.fire_as("other", "Stop", &json!({ "last_assistant_message": "Hello." })), Value::Null);
    assert_eq!(hooks.fire_as("other", "UserPromptSubmit", &json!({ "prompt": "Hello" })), Value::Null);
    let refused = hooks.fire_as("other", "UserPromptExpansion", &json!({ "command_name": "ralph:start" }));
    assert_eq!(text(&refused, "/decision"), "block");
    assert!(text(&refused, "/reason").contains('s'), "{refused}");
    assert!(hooks.loops_on("s") && !hooks.loops_on("other"));
}

#[test]
fn status_and_cancel_ask_the_model_nothing() {
    let hooks = Hooks::plugin();
    let ask = |name: &str| hooks.fire("UserPromptExpansion", &json!({ "command_name": name, "command_args": "" }));
    let none = ask("ralph:status");
    assert_eq!(text(&none, "/decision"), "block", "{none}");
    assert!(!text(&none, "/reason").is_empty());
    hooks.start("--max-loops 3");
    let status = ask("ralph:status");
    assert!(text(&status, "/reason").contains('1'), "{status}");
    let cancelled = ask("ralph:cancel");
    assert_eq!(text(&cancelled, "/decision"), "block");
    assert!(!hooks.loops_on("s"));
    let wrong = hooks.start("--loops 3");
    assert!(text(&wrong, "/reason").contains("--max-loops"), "{wrong}");
    assert_eq!(ask("other:start"), Value::Null, "another plugin's command");
}

#[test]
fn the_hours_limit_ends_the_turn_and_a_further_prompt_asks_the_model_nothing() {
    let bench = Bench::with(&json!({ "maxCallsPerHour": 1 }));
    bench.write("fix_plan.md", PLAN);
    let mut hooks = Hooks { bench };
    hooks.start("");
    hooks.writes("1", "a.txt");
    let let_go = hooks.stop("Some of it.");
    assert_eq!(text(&let_go, "/decision"), "", "{let_go}");
    assert!(!text(&let_go, "/systemMessage").is_empty());
    let blocked = hooks.fire("UserPromptSubmit", &json!({ "prompt": "go on" }));
    assert_eq!(text(&blocked, "/decision"), "block", "{blocked}");
    hooks.bench.wait(61);
    let on = hooks.fire("UserPromptSubmit", &json!({ "prompt": "go on" }));
    assert!(text(&on, "/hookSpecificOutput/additionalContext").contains("a-1"), "{on}");
}

#[test]
fn steering_a_subagent_a_compaction_and_the_end() {
    let hooks = Hooks::plugin();
    hooks.start("");
    assert_eq!(hooks.fire("UserPromptSubmit", &json!({ "prompt": "Mind the tests" })), Value::Null, "steering");
    let of_a_subagent = json!({ "agent_id": "x", "last_assistant_message": "done" });
    assert_eq!(hooks.fire("Stop", &of_a_subagent), Value::Null);
    let running =
        json!({ "last_assistant_message": "Waiting.", "background_tasks": [{ "type": "subagent", "status": "running" }] });
    assert_eq!(hooks.fire("Stop", &running), Value::Null, "the loop stays open");
    let compact = hooks.fire("SessionStart", &json!({ "source": "compact" }));
    assert!(text(&compact, "/hookSpecificOutput/additionalContext").contains("a-1"), "{compact}");
    let server = json!({ "last_assistant_message": "Up.", "background_tasks": [{ "type": "shell", "status": "running" }] });
    assert_eq!(text(&hooks.fire("Stop", &server), "/decision"), "block", "a server in a shell is not waited for");
    hooks.fire("SessionEnd", &json!({ "reason": "other" }));
    assert!(!hooks.loops_on("s"));
    assert_eq!(hooks.bench.json("status.json")["last_action"], "interrupted");
}

#[test]
fn whatever_comes_the_session_lives() {
    let hooks = Hooks::plugin();
    hooks.start("");
    for event in [
        json!({}),
        json!({ "hook_event_name": 7 }),
        json!({ "hook_event_name": "Stop", "session_id": ["s"], "background_tasks": "many" }),
        json!({ "hook_event_name": "PostToolUse", "session_id": "s", "tool_name": {}, "tool_input": 5, "tool_response": [[]] }),
        json!({ "hook_event_name": "Stop", "session_id": "../../etc/passwd" }),
        json!({ "hook_event_name": "Unheard", "session_id": "s" }),
    ] {
        let input = HookInput::from_json(event.to_string().as_bytes()).expect("an object");
        let engine = LoopEngine::new(Arc::clone(hooks.bench.ralph()));
        let said = answer(&engine, None, &input).unwrap_or(Value::Null);
        assert_ne!(text(&said, "/decision"), "block", "{event}: {said}");
    }
    hooks.bench.write(".session_s", "garbage");
    let said = hooks.stop("Hm.");
    assert_eq!(text(&said, "/decision"), "", "a session file of no use lets go: {said}");
    assert!(!text(&said, "/systemMessage").is_empty());
}
