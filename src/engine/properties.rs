//! What holds in any order of events. `PROPTEST_CASES` sets how many are tried.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::turn::Turn;
use super::{Event, LoopAnswer, LoopStep};
use crate::input::raw_input;
use crate::testing::Bench;

fn any_event() -> impl Strategy<Value = Value> {
    let output = prop_oneof![
        Just(json!({ "message": "On.\n\n---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---" })),
        Just(json!({ "message": "" })),
        Just(json!({ "output": "{\"type\":\"result\",\"is_error\":true,\"result\":\"no\"}" })),
        Just(json!({ "output": "{\"type\":\"result\",\"is_error\":true,\"result\":\"API Error: 529 overloaded\"}" })),
        Just(json!({ "output": "Claude AI usage limit reached|1772373600" })),
        "\\PC{0,40}".prop_map(|text| json!({ "output": text })),
    ];
    let with = |event: &'static str, more: Value| {
        let mut object = more;
        object["event"] = event.into();
        object
    };
    prop_oneof![
        2 => Just(with("start", json!({}))),
        1 => Just(with("start", json!({ "maxLoops": 2 }))),
        2 => Just(with("admit", json!({}))),
        1 => Just(with("prompt", json!({}))),
        2 => "(src/)?[a-c]\\.rs".prop_map(move |path| with("edited", json!({ "path": path }))),
        1 => Just(with("opaque", json!({ "tool": "Bash" }))),
        1 => Just(with("denied", json!({ "tool": "Bash", "command": "rm x" }))),
        6 => output.clone().prop_map(move |output| with("stop", output)),
        1 => Just(with("background", json!({}))),
        2 => Just(with("failure", json!({ "message": "boom" }))),
        1 => Just(with("compaction", json!({}))),
        1 => Just(with("resume", json!({}))),
        1 => Just(with("end", json!({}))),
        1 => Just(with("cancel", json!({}))),
        1 => Just(with("status", json!({}))),
        1 => Just(with("preview", json!({}))),
    ]
}

fn bench() -> Bench {
    let bench = Bench::with(&json!({ "maxCallsPerHour": 4 }));
    bench.write("fix_plan.md", "- [ ] one\n- [ ] two\n");
    bench
}

fn send(bench: &Bench, session: &str, event: &Value) -> LoopAnswer {
    let mut object = event.as_object().expect("an object").clone();
    object.insert("session".into(), session.into());
    Turn::take(bench.ralph(), &Event::from_raw(raw_input(&object)).expect("an event"))
}

fn calls(bench: &Bench) -> u64 {
    std::fs::read_to_string(bench.state(".call_count")).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

fn measured(bench: &Bench) -> usize {
    std::fs::read_to_string(bench.state("logs/metrics.jsonl")).map_or(0, |text| text.lines().count())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Every query is one counted call, every counted loop one line; past a refusal nothing goes on.
    #[test]
    fn queries_calls_and_lines_agree_in_any_order(events in prop::collection::vec((any_event(), prop::bool::weighted(0.2)), 1..24)) {
        let bench = bench();
        let (mut queries, mut closed) = (0, 0);
        let mut open = [false, false];
        for (event, other) in events {
            let (me, session) = if other { (1, "s2") } else { (0, "s1") };
            let answer = send(&bench, session, &event);
            let name = event["event"].as_str().unwrap_or_default();
            queries += u64::from(answer.next == LoopStep::Query);
            closed += usize::from(answer.closed.as_ref().is_some_and(|closed| closed.counted));
            prop_assert_eq!(calls(&bench), queries, "{}", name);
            prop_assert_eq!(measured(&bench), closed, "{}", name);
            if answer.next == LoopStep::Query {
                prop_assert!(["start", "admit", "prompt", "stop", "failure"].contains(&name), "{} sends a query", name);
                prop_assert!(!open[1 - me], "two sessions loop");
                prop_assert!(answer.prompt.is_some());
                open[me] = true;
            }
            if matches!(answer.next, LoopStep::End) {
                let file = bench.state(&format!(".session_{session}"));
                prop_assert!(answer.ending.is_some() && !file.exists());
            }
            if matches!(answer.next, LoopStep::End | LoopStep::Wait) {
                open[me] = false;
                prop_assert!(answer.prompt.is_none(), "a refused loop sends nothing");
            }
            prop_assert_eq!(answer.wait.is_some(), answer.next == LoopStep::Wait);
            prop_assert!(answer.wait.is_none_or(|wait| wait.seconds >= 1));
        }
        prop_assert!(queries <= 4, "the hour admits four");
    }

    /// A model that never gets on is let go, whatever else its session sends.
    #[test]
    fn a_run_ends_under_a_model_that_stalls(noise in prop::collection::vec(0..5_u8, 40)) {
        let bench = Bench::with(&json!({ "maxCallsPerHour": 100 }));
        bench.write("fix_plan.md", "- [ ] one\n");
        let mut answer = send(&bench, "s1", &json!({ "event": "start", "owner": "plugin" }));
        let mut loops = 0;
        for kind in noise {
            if answer.next == LoopStep::End {
                break;
            }
            loops += 1;
            match kind {
                0 => drop(send(&bench, "s1", &json!({ "event": "edited", "path": ".ralph/status.json" }))),
                1 => drop(send(&bench, "s1", &json!({ "event": "background" }))),
                2 => drop(send(&bench, "s1", &json!({ "event": "prompt" }))),
                3 => drop(send(&bench, "s1", &json!({ "event": "compaction" }))),
                _ => {}
            }
            answer = send(&bench, "s1", &json!({ "event": "stop", "message": "I am thinking about it." }));
        }
        prop_assert_eq!(answer.next, LoopStep::End);
        prop_assert!(loops <= 3, "{} loops", loops);
    }
}
