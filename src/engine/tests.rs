//! Whole runs through the engine, by a clock that stands still: what a door sends and what it is told.

use serde_json::{Value, json};

use super::turn::Turn;
use super::{Event, LoopAnswer, LoopStep, LoopWaitReason};
use crate::input::raw_input;
use crate::testing::Bench;

const PLAN: &str = "# Plan\n\n## First\n\n- [ ] [a-1] Write a\n- [ ] [a-2] Write b\n\n## Nice to have\n\n- [ ] Sing\n";

/// A project with a plan, and sessions on it.
struct Runs {
    bench: Bench,
    id: String,
}

impl Runs {
    fn new() -> Self {
        Self::with(&json!({}))
    }

    fn with(options: &Value) -> Self {
        let bench = Bench::with(options);
        bench.write("fix_plan.md", PLAN);
        Self { bench, id: "s1".into() }
    }

    /// Sends an event of this session.
    fn send(&self, event: &str, more: &Value) -> LoopAnswer {
        self.send_as(&self.id, event, more)
    }

    fn send_as(&self, id: &str, event: &str, more: &Value) -> LoopAnswer {
        let mut object = more.as_object().expect("an object").clone();
        object.insert("event".into(), event.into());
        object.entry("session").or_insert_with(|| id.into());
        let event = Event::from_raw(raw_input(&object)).expect("an event");
        Turn::take(self.bench.ralph(), &event)
    }

    fn start(&self, more: &Value) -> LoopAnswer {
        self.send("start", more)
    }

    /// The loop's query has ended with this text.
    fn says(&self, text: &str) -> LoopAnswer {
        self.send("stop", &json!({ "message": text }))
    }

    fn fails(&self, result: &Value) -> LoopAnswer {
        self.send("stop", &json!({ "output": result.to_string() }))
    }

    fn tick(&self, id: &str) {
        self.bench.call("task_planner", &json!({ "action": "update", "taskId": id }));
    }

    fn status(&self) -> (String, String, String) {
        let status = self.bench.json("status.json");
        let text = |key: &str| status.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        (text("status"), text("last_action"), text("exit_reason"))
    }

    fn lines(&self, name: &str) -> usize {
        std::fs::read_to_string(self.bench.state(name)).map_or(0, |text| text.lines().count())
    }

    fn calls(&self) -> String {
        std::fs::read_to_string(self.bench.state(".call_count")).map_or_else(|_| "0".into(), |text| text.trim().to_owned())
    }
}

fn ended(answer: &LoopAnswer) -> (String, String, String, u64) {
    assert_eq!(answer.next, LoopStep::End, "{answer:?}");
    let ending = answer.ending.clone().expect("an ending");
    (ending.status, ending.last_action, ending.exit_reason.unwrap_or_default(), ending.loops)
}

fn end(status: &str, last_action: &str, reason: &str, loops: u64) -> (String, String, String, u64) {
    (status.into(), last_action.into(), reason.into(), loops)
}

#[test]
fn a_plan_is_worked_off_with_the_right_next_task_each_time() {
    let runs = Runs::new();
    let first = runs.start(&json!({ "owner": "sdk" }));
    assert_eq!((first.next, first.r#loop), (LoopStep::Query, 1));
    assert!(first.prompt.as_deref().is_some_and(|prompt| prompt.contains("[a-1] Write a") && prompt.contains("under \"First\"")));
    runs.tick("a-1");
    let second = runs.says("Done.");
    assert_eq!((second.next, second.r#loop), (LoopStep::Query, 2), "{second:?}");
    assert_eq!(second.task.map(|task| task.id), Some("a-2".into()));
    assert!(second.prompt.is_some_and(|prompt| prompt.contains("1 of 3 tasks") && prompt.contains("---RALPH_STATUS---")));
    assert_eq!(second.closed.map(|closed| (closed.r#loop, closed.succeeded)), Some((1, true)));
    runs.tick("a-2");
    assert_eq!(ended(&runs.says("Done.")), end("completed", "graceful_exit", "plan_complete", 2));
    assert_eq!(runs.status(), ("completed".into(), "graceful_exit".into(), "plan_complete".into()));
    assert_eq!((runs.lines("logs/metrics.jsonl"), runs.calls()), (2, "2".into()));
    assert!(!runs.bench.state(".session_s1").exists() && !runs.bench.state(".session_s1.edits").exists());
    assert_eq!(runs.says("More.").next, LoopStep::None, "the session is free again");
}

#[test]
fn a_model_that_stalls_is_let_go_after_three_loops_also_after_one_edit() {
    for edits_first in [false, true] {
        let runs = Runs::new();
        runs.start(&json!({ "owner": "sdk" }));
        let mut loops = 3;
        if edits_first {
            runs.send("edited", &json!({ "path": "src/a.rs" }));
            assert_eq!(runs.says("One edit.").next, LoopStep::Query);
            loops += 1;
        }
        runs.says("Hm.");
        runs.says("Let me think.");
        let last = runs.says("Still thinking.");
        assert_eq!(ended(&last), end("halted", "circuit_breaker_open", "stagnation_detected", loops));
        assert_eq!(runs.lines("logs/metrics.jsonl"), usize::try_from(loops).expect("few"), "the last loop counts too");
    }
}

#[test]
fn edits_of_ralphs_own_files_and_outside_are_no_progress_and_the_plan_is() {
    for (path, progress) in [
        ("src/new.rs", true),
        (".ralph/fix_plan.md", true),
        (".ralph/status.json", false),
        (".ralph/.session_s1", false),
        (".ralph/logs/ralph.log", false),
        ("../elsewhere.rs", false),
        ("/etc/passwd", false),
    ] {
        let runs = Runs::new();
        runs.start(&json!({ "owner": "plugin" }));
        runs.send("edited", &json!({ "path": path }));
        runs.says("Edited.");
        let breaker = runs.bench.json(".circuit_breaker_state");
        assert_eq!(breaker["consecutive_no_progress"] == 0, progress, "{path}");
    }
}

#[test]
fn denials_are_handed_to_the_analysis_and_end_the_run() {
    let runs = Runs::new();
    runs.start(&json!({ "owner": "sdk" }));
    runs.send("denied", &json!({ "tool": "Bash", "command": "rm -rf /" }));
    assert_eq!(ended(&runs.says("I may not.")), end("halted", "permission_denied", "permission_denied", 1));
}

#[test]
fn the_runs_own_limits_end_it_between_loops() {
    for (limits, words) in [
        (json!({ "maxLoops": 1 }), ("loop_limit", "1 loops")),
        (json!({ "maxMinutes": 5 }), ("time_limit", "5 minutes")),
        (json!({ "maxTokens": 100 }), ("token_limit", "100 tokens")),
    ] {
        let mut runs = Runs::new();
        assert_eq!(runs.start(&limits).next, LoopStep::Query);
        runs.bench.wait(5);
        let result = json!({ "type": "result", "subtype": "success", "is_error": false, "result": "ok", "usage": { "input_tokens": 90, "output_tokens": 10 } });
        assert_eq!(ended(&runs.fails(&result)), end("stopped", words.0, words.1, 1), "{limits}");
    }
}

#[test]
fn a_plan_completed_by_the_last_call_of_the_hour_ends_the_run_now() {
    let runs = Runs::with(&json!({ "maxCallsPerHour": 1 }));
    runs.start(&json!({}));
    runs.tick("a-1");
    runs.tick("a-2");
    assert_eq!(ended(&runs.says("Done.")), end("completed", "graceful_exit", "plan_complete", 1));
}

#[test]
fn at_the_hours_limit_the_run_waits_and_goes_on_in_the_next() {
    let mut runs = Runs::with(&json!({ "maxCallsPerHour": 1 }));
    runs.start(&json!({ "owner": "plugin" }));
    let waiting = runs.says("One.");
    let wait = waiting.wait.expect("a wait");
    assert_eq!((waiting.next, wait.reason, wait.seconds), (LoopStep::Wait, LoopWaitReason::RateLimit, 3600));
    assert_eq!(runs.status(), ("paused".into(), "rate_limit".into(), String::new()));
    assert_eq!(runs.send("prompt", &json!({})).next, LoopStep::Wait, "a further prompt asks the model nothing");
    assert_eq!(runs.calls(), "1");
    runs.bench.wait(60);
    let on = runs.send("admit", &json!({}));
    assert_eq!((on.next, on.r#loop), (LoopStep::Query, 2));
    assert_eq!(runs.send("admit", &json!({})).next, LoopStep::None, "a loop is open");
    assert_eq!(runs.send("prompt", &json!({})).next, LoopStep::None, "steering counts nothing");
    assert_eq!(runs.calls(), "1", "of the new hour");
}

#[test]
fn a_wait_past_the_runs_own_time_ends_it() {
    let runs = Runs::with(&json!({ "maxCallsPerHour": 1 }));
    runs.start(&json!({ "maxMinutes": 30 }));
    assert_eq!(ended(&runs.says("One.")), end("stopped", "time_limit", "30 minutes", 1));
}

#[test]
fn a_failed_query_is_recorded_and_tried_again_in_a_new_session_of_claudes() {
    let runs = Runs::new();
    runs.start(&json!({}));
    let ok = json!({ "type": "result", "subtype": "success", "is_error": false, "result": "ok", "session_id": "c1" });
    assert_eq!(runs.fails(&ok).resume.as_deref(), Some("c1"));
    let failed = runs.send("failure", &json!({ "message": "Claude Code process exited with code 1" }));
    let wait = failed.wait.expect("a wait");
    assert_eq!((wait.reason, wait.seconds), (LoopWaitReason::Failed, 30));
    assert_eq!(runs.status(), ("error".into(), "failed".into(), String::new()));
    assert_eq!(runs.bench.json(".circuit_breaker_state")["consecutive_same_error"], 1);
    assert_eq!(runs.send("admit", &json!({})).resume, None);
}

#[test]
fn errors_in_a_row_end_the_run() {
    let runs = Runs::new();
    runs.start(&json!({}));
    let mut last = runs.send("failure", &json!({ "message": "boom" }));
    for _ in 0..10 {
        if last.next != LoopStep::Wait {
            break;
        }
        runs.send("admit", &json!({}));
        last = runs.send("failure", &json!({ "message": "boom" }));
    }
    assert_eq!(ended(&last).1, "circuit_breaker_open");
}

#[test]
fn the_plans_own_limit_is_waited_out_and_not_recorded() {
    let runs = Runs::new();
    runs.start(&json!({}));
    let limit =
        json!({ "type": "result", "subtype": "success", "is_error": true, "result": "Claude AI usage limit reached|1772373600" });
    let answer = runs.fails(&limit);
    let wait = answer.wait.expect("a wait");
    assert_eq!((wait.reason, wait.seconds), (LoopWaitReason::ApiLimit, 7200), "{:?}", answer.notes);
    assert_eq!(runs.status(), ("paused".into(), "api_limit".into(), String::new()));
    assert!(
        !runs.bench.state(".circuit_breaker_state").exists() || runs.bench.json(".circuit_breaker_state")["current_loop"] == 0
    );
    assert_eq!(runs.lines("logs/metrics.jsonl"), 0);
    assert_eq!(runs.send("admit", &json!({})).r#loop, 2);
}

#[test]
fn one_session_loops_on_a_project() {
    let runs = Runs::new();
    runs.start(&json!({}));
    let refused = runs.send_as("s2", "start", &json!({}));
    assert_eq!(refused.next, LoopStep::Refuse);
    assert!(refused.message.is_some_and(|message| message.contains("s1")));
    assert!(!runs.bench.state(".session_s2").exists());
    assert_eq!(runs.send_as("s2", "stop", &json!({ "message": "x" })).next, LoopStep::None, "another session is not captured");
    assert_eq!(runs.start(&json!({})).next, LoopStep::Refuse, "it loops already");
    runs.send("end", &json!({}));
    assert_eq!(runs.send_as("s2", "start", &json!({})).next, LoopStep::Query);
}

#[cfg(unix)]
#[test]
fn the_run_of_a_process_that_is_gone_is_taken_over_and_its_number_not_given_again() {
    let runs = Runs::new();
    let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("started");
    runs.start(&json!({ "pid": child.id() }));
    assert_eq!(runs.send_as("s2", "start", &json!({})).next, LoopStep::Refuse);
    child.kill().expect("killed");
    child.wait().expect("waited");
    let taken = runs.send_as("s2", "start", &json!({ "maxLoops": 1 }));
    assert_eq!((taken.next, taken.r#loop), (LoopStep::Query, 2), "{taken:?}");
    assert!(taken.notes.iter().any(|note| note.contains("took over from the session s1")), "{:?}", taken.notes);
    assert_eq!(ended(&runs.send_as("s2", "stop", &json!({ "message": "x" }))).3, 1, "loops of this run");
    assert_eq!(runs.calls(), "2", "the call that was cut off stays counted");
}

#[test]
fn an_interrupt_a_resume_and_a_cancel_leave_a_clean_status() {
    for (event, last_action) in [("end", "interrupted"), ("resume", "interrupted"), ("cancel", "cancelled")] {
        let runs = Runs::new();
        runs.start(&json!({}));
        assert_eq!(ended(&runs.send(event, &json!({}))), end("stopped", last_action, "", 1));
        assert_eq!(runs.status().0, "stopped");
        assert_eq!(runs.send(event, &json!({})).next, LoopStep::None);
        assert_eq!(runs.lines("logs/metrics.jsonl"), 0, "a loop that was cut off is not recorded");
    }
}

#[test]
fn a_background_task_keeps_the_loop_open_and_compaction_tells_the_task_again() {
    let runs = Runs::new();
    runs.start(&json!({ "owner": "plugin" }));
    assert_eq!(runs.send("background", &json!({})).next, LoopStep::None);
    let told = runs.send("compaction", &json!({}));
    assert_eq!(told.next, LoopStep::Tell);
    assert!(told.prompt.is_some_and(|prompt| prompt.contains("[a-1] Write a")));
    assert_eq!(runs.calls(), "1");
    assert_eq!(runs.says("Now it is done.").r#loop, 2);
}

#[test]
fn a_guard_that_cannot_be_read_ends_the_loop() {
    let runs = Runs::new();
    runs.start(&json!({}));
    std::fs::create_dir(runs.bench.state(".exit_signals.d")).expect("made");
    std::fs::remove_file(runs.bench.state(".exit_signals")).expect("removed");
    std::fs::rename(runs.bench.state(".exit_signals.d"), runs.bench.state(".exit_signals")).expect("moved");
    assert_eq!(ended(&runs.says("Done.")), end("error", "guard_failed", "IO_ERROR", 1));
    assert!(!runs.bench.state(".session_s1").exists(), "the session is free");
}

#[test]
fn hostile_session_files_let_the_session_live() {
    for content in ["", "{", "[]", "null", "{\"version\":99}", "{\"owner\":\"x\",\"loop\":-1}", "\u{0}\u{1}", "{\"loop\":1e999}"]
    {
        let runs = Runs::new();
        runs.start(&json!({}));
        runs.bench.write(".session_s1", content);
        let answer = runs.says("Done.");
        assert_eq!(answer.next, LoopStep::None, "{content}");
        assert!(answer.notes.iter().any(|note| note.contains(".session_s1")), "{content}: {:?}", answer.notes);
        let started = runs.start(&json!({}));
        assert_eq!(started.next, LoopStep::Query, "{content}: {started:?}");
        assert!(started.notes.iter().any(|note| note.contains("kept as")), "{content}: {:?}", started.notes);
    }
}

#[test]
fn members_of_a_later_version_stay() {
    let runs = Runs::new();
    runs.start(&json!({}));
    let mut file = runs.bench.json(".session_s1");
    file["colour"] = "blue".into();
    runs.bench.write(".session_s1", file.to_string());
    runs.says("On.");
    assert_eq!(runs.bench.json(".session_s1")["colour"], "blue");
    assert_eq!(runs.bench.json(".session_s1")["loop"], 2);
}

#[test]
fn garbage_events_change_nothing() {
    let runs = Runs::new();
    runs.start(&json!({}));
    let before = runs.bench.snapshot();
    let engine = super::LoopEngine::new(std::sync::Arc::new(crate::Ralph::on(
        crate::store::project::Project::open(
            &crate::Options { project_dir: Some(runs.bench.root().to_owned()), ..crate::Options::default() },
            &crate::Environment::default(),
            std::sync::Arc::new(crate::store::clock::SystemClock),
        )
        .expect("a project"),
    )));
    for text in [
        "",
        "{",
        "[]",
        "1",
        "{}",
        "{\"event\":1}",
        "{\"event\":\"dance\"}",
        "{\"event\":\"stop\"}",
        "{\"event\":\"stop\",\"session\":\"../x\"}",
        "{\"event\":\"edited\",\"session\":\"s1\",\"path\":1}",
    ] {
        let answer = engine.handle_json(text.as_bytes());
        assert_eq!((answer.next, answer.notes.len()), (LoopStep::None, 1), "{text}: {answer:?}");
    }
    assert_eq!(runs.bench.snapshot(), before);
}

#[test]
fn the_prompt_is_the_projects_own_and_its_next_task() {
    let runs = Runs::new();
    runs.bench.write("PROMPT.md", "# You work on [YOUR PROJECT NAME]\nEnd with RALPH_STATUS.\n");
    let prompt = runs.start(&json!({})).prompt.expect("a prompt");
    let name = runs.bench.root().file_name().expect("a name").to_string_lossy();
    assert!(prompt.starts_with(&format!("# You work on {name}\n")), "{prompt}");
    assert!(prompt.contains("[a-1] Write a") && !prompt.contains("TESTS_STATUS"), "{prompt}");
    runs.send("end", &json!({}));
    let own = runs.start(&json!({ "instruction": "Do {task} ({id}, {section}), not {this}." })).prompt;
    assert_eq!(own.as_deref(), Some("Do [a-1] Write a (a-1, First), not {this}."));
}

#[test]
fn a_run_with_nothing_to_do_does_not_begin() {
    let bench = Bench::new();
    let runs = Runs { bench, id: "s1".into() };
    for plan in [None, Some("# Plan\n\nSome text.\n")] {
        if let Some(plan) = plan {
            runs.bench.write("fix_plan.md", plan);
        }
        let ending = runs.start(&json!({})).ending.expect("an ending");
        assert_eq!(ending.exit_reason.as_deref(), Some("PLAN_NOT_FOUND"));
        assert!(ending.message.is_some_and(|message| message.contains("- [ ] First task")));
    }
    assert!(!runs.bench.state("status.json").exists());
    assert_eq!(runs.start(&json!({ "instruction": "Go." })).next, LoopStep::Query);
}

#[test]
fn a_preview_and_a_status_write_nothing() {
    let runs = Runs::new();
    let before = runs.bench.snapshot();
    let preview = runs.send("preview", &json!({}));
    assert!(preview.prompt.is_some_and(|prompt| prompt.contains("[a-1] Write a")));
    assert_eq!(preview.message, None);
    assert_eq!(runs.send("status", &json!({})).counts.map(|counts| counts.total_tasks), Some(3));
    assert_eq!(runs.bench.snapshot(), before);
    runs.start(&json!({}));
    let other = runs.send_as("s2", "preview", &json!({}));
    assert!(other.message.is_some_and(|message| message.contains("s1")));
}

#[test]
fn an_open_breaker_lets_no_run_begin() {
    let runs = Runs::new();
    for number in 1..=3 {
        runs.bench.call("circuit_breaker", &json!({ "action": "record", "loopNumber": number, "filesChanged": 0 }));
    }
    assert_eq!(ended(&runs.start(&json!({}))), end("halted", "circuit_breaker_open", "stagnation_detected", 0));
    assert_eq!(runs.calls(), "0");
}
