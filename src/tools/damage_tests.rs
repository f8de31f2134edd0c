//! Thousands of mutated state files, fed to every action of every tool: whatever stands in a file, there is an answer or
//! a clear error, reading changes nothing, and what a write leaves is sound.

use std::fs;

use serde_json::{Map, Value, json};

use super::TOOLS;
use crate::error::ErrorCode;
use crate::schema::{Action, FieldSpec, ToolDefinition};
use crate::testing::Bench;

/// Each file with a content that a run may leave.
const FILES: &[(&str, &str)] = &[
    (".call_count", "7\n"),
    (".token_count", "1200\n"),
    (".last_reset", "2026030112\n"),
    (".exit_signals", r#"{"test_only_loops":[3],"done_signals":[2,3],"completion_indicators":[1,2,3]}"#),
    (
        ".response_analysis",
        r#"{"loop_number":3,"timestamp":"2026-03-01T11:00:00+00:00","output_file":"","output_format":"json","analysis":{"has_completion_signal":true,"is_test_only":false,"is_stuck":false,"has_progress":true,"files_modified":2,"confidence_score":70,"exit_signal":true,"work_summary":"w","output_length":10,"has_permission_denials":true,"permission_denial_count":1,"denied_commands":["Bash(make)"],"asking_questions":true,"question_count":1,"has_errors":true}}"#,
    ),
    (".last_output_length", "4231\n"),
    (".claude_session_id", r#"{"session_id":"s-1","timestamp":"2026-03-01T11:00:00+00:00"}"#),
    (".loop_start_sha", "0123456789abcdef0123456789abcdef01234567\n"),
    (
        ".circuit_breaker_state",
        r#"{"state":"OPEN","last_change":"2026-03-01T11:20:00+00:00","consecutive_no_progress":3,"consecutive_same_error":2,"consecutive_permission_denials":1,"last_progress_loop":1,"total_opens":1,"reason":"r","current_loop":4,"opened_at":"2026-03-01T11:10:00+00:00","consecutive_questions":5,"recorded_loop":4}"#,
    ),
    (
        ".circuit_breaker_history",
        r#"[{"timestamp":"2026-03-01T11:10:00+00:00","loop":4,"from_state":"CLOSED","to_state":"OPEN","reason":"r"}]"#,
    ),
    (
        "status.json",
        r#"{"timestamp":"2026-03-01T11:10:00+00:00","loop_count":4,"calls_made_this_hour":7,"max_calls_per_hour":100,"tokens_used_this_hour":0,"max_tokens_per_hour":0,"last_action":"executing","status":"running","exit_reason":"","next_reset":"12:00:00","theirs":[1]}"#,
    ),
    ("progress.json", r#"{"status":"executing","indicator":"|","elapsed_seconds":10,"last_output":"x"}"#),
    (
        "logs/metrics.jsonl",
        "{\"timestamp\":\"2026-03-01T11:10:00+00:00\",\"loop\":1,\"duration\":12.5,\"success\":true,\"calls\":3}\n",
    ),
    ("logs/ralph.log", "[2026-03-01 11:10:00] [LOOP] === Starting Loop #1 ===\n"),
    ("fix_plan.md", "# Plan\n- [x] done `- [ ] no`\n## Optional\n- [ ] later\n```\n- [ ] fenced\n```\n<!-- - [ ] x -->\n"),
];

/// What a mutation puts in, beside single bytes.
const TOKENS: &[&[u8]] = &[
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"99999999999999999999",
    b"0.5",
    b"[]",
    b"{}",
    b"\"",
    b"\\",
    b",",
    b":",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\"a[$(id)]\"",
    b"\"08\"",
    b"HALF_OPEN",
    b"9999-99-99T99:99:99Z",
    b"2026-03-01T23:59:60+00:00",
    b"\r\n",
    "\u{1F600}".as_bytes(),
    b"[[[[[[[[[[[[[[[[",
    b"{\"a\":{\"a\":{\"a\":",
    b"- [ ] ",
    b"```",
    b"<!--",
    b"-->",
    b"\\ud800",
];

/// A small deterministic generator (xorshift), so that a failure comes back.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).expect("it is below a usize")
    }
}

fn mutate(dice: &mut Dice, sound: &str) -> Vec<u8> {
    let mut bytes = sound.as_bytes().to_vec();
    for _ in 0..=dice.below(3) {
        let at = dice.below(bytes.len() + 1);
        let end = at + dice.below((bytes.len() - at).min(24) + 1);
        match dice.below(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..end, TOKENS[dice.below(TOKENS.len())].iter().copied())),
            3 => bytes.insert(at, u8::try_from(dice.below(256)).expect("a byte")),
            4 => bytes = [&bytes[at..], &bytes[..at]].concat(),
            5 => bytes.extend_from_slice(TOKENS[dice.below(TOKENS.len())]),
            _ => {
                let repeated = bytes[at..end].to_vec();
                bytes.splice(at..at, repeated);
            }
        }
    }
    bytes
}

/// A plausible input for an action.
fn input(tool: &ToolDefinition, action: &Action) -> Value {
    let value = |field: &FieldSpec| match field.name {
        "output" => json!("Done.\n---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n"),
        "loopNumber" => json!(5),
        "filesChanged" | "limit" | "loopDurationSeconds" | "tokens" => json!(1),
        "taskId" => json!("later"),
        "loopSucceeded" => json!(true),
        "status" | "message" => json!("running"),
        _ => Value::Null,
    };
    let fields = tool.fields.iter().filter(|field| field.actions.contains(&action.name));
    let given = fields.map(|field| (field.name.to_owned(), value(field))).filter(|(_, value)| !value.is_null());
    let mut input: Map<String, Value> = given.collect();
    input.insert("action".into(), action.name.into());
    Value::Object(input)
}

fn feed(rounds: usize, options: &Value, mut dice: Dice) {
    let bench = Bench::with(options);
    let actions = |read_only| {
        TOOLS
            .iter()
            .flat_map(|tool| tool.definition.actions.iter().map(|action| (tool.definition, action)))
            .filter(move |(_, action)| action.read_only == read_only)
    };
    for round in 0..rounds {
        let files: Vec<_> = FILES.iter().map(|(name, sound)| (*name, mutate(&mut dice, sound))).collect();
        let call = |tool: &ToolDefinition, action: &Action| {
            let input = input(tool, action);
            let place = || format!("round {round}: {} {input} on {}", tool.name, shown(&files));
            match bench.try_call(tool.name, &input) {
                Ok(answer) => assert!(answer.is_object(), "{}", place()),
                Err(error) => assert_ne!(error.code(), ErrorCode::Internal, "{error} {}", place()),
            }
        };
        restore(&bench, &files);
        let before = bench.snapshot();
        for (tool, action) in actions(true) {
            call(tool, action);
            assert_eq!(bench.snapshot(), before, "round {round}: {} {} wrote on {}", tool.name, action.name, shown(&files));
        }
        for (tool, action) in actions(false) {
            // A plan is synced to the disk, which takes its time.
            if tool.name != "task_planner" || round % 8 == 0 {
                restore(&bench, &files);
                call(tool, action);
            }
        }
        // What a write leaves reads without a warning about it.
        bench.call("circuit_breaker", &json!({"action": "record", "filesChanged": 0, "loopNumber": 100 + round}));
        for action in ["check", "status"] {
            let seen = bench.call("circuit_breaker", &json!({ "action": action }));
            let about = |w: &Value| w.as_str().is_some_and(|w| w.starts_with(".circuit_breaker_state"));
            assert!(!seen["warnings"].as_array().is_some_and(|all| all.iter().any(about)), "{seen}");
        }
    }
}

fn shown(files: &[(&str, Vec<u8>)]) -> String {
    let texts: Vec<_> = files.iter().map(|(name, bytes)| (*name, String::from_utf8_lossy(bytes))).collect();
    format!("{texts:#?}")
}

/// Puts the files back where a call changed them, and removes the copies that it kept aside.
fn restore(bench: &Bench, files: &[(&str, Vec<u8>)]) {
    for (name, bytes) in files {
        if fs::read(bench.state(name)).ok().as_ref() != Some(bytes) {
            bench.write(name, bytes);
        }
    }
    for path in bench.snapshot().keys().filter(|path| path.to_string_lossy().contains(".corrupt-")) {
        fs::remove_file(path).expect("removed");
    }
}

#[test]
fn no_content_of_a_file_upsets_any_action_v0_11() {
    feed(200, &json!({"autoReset": true}), Dice(0x9E37_79B9_7F4A_7C15));
}

#[test]
fn no_content_of_a_file_upsets_any_action_v0_9() {
    feed(100, &json!({"rules": "v0.9"}), Dice(0xD1B5_4A32_D192_ED03));
}
