//! `add`: S35, rule by rule.

use std::fs;

use serde_json::json;

use super::{Sample, counts, raw};
use crate::error::ErrorCode;

const PLAN: &str = "# Plan\r\n\r\n## High\r\n- [x] alpha\r\n- [ ] beta\r\n\r\n## Optional\r\n- [ ] gamma\r\n";

#[test]
fn one_open_task_at_the_end_of_a_list() {
    let sample = Sample::new(Some(PLAN));
    let answer = sample.answer(json!({"action": "add", "description": "Write the\n docs", "section": "high"}));
    assert_eq!(counts(&answer), [4, 1, 3, 2]);
    assert_eq!(
        answer["tasks"],
        json!([{"id": "write-the-docs", "description": "Write the docs", "completed": false, "section": "High", "line": 6, "optional": false}])
    );
    assert_eq!(sample.plan(), PLAN.replace("- [ ] beta\r\n", "- [ ] beta\r\n- [ ] Write the docs\r\n"));
    // Without a section: where the last task is, and optional as that is.
    let answer = sample.answer(json!({"action": "add", "description": "[proj-7] More"}));
    assert_eq!((&answer["tasks"][0]["id"], &answer["tasks"][0]["optional"]), (&json!("proj-7"), &json!(true)));
    assert!(sample.plan().ends_with("- [ ] gamma\r\n- [ ] [proj-7] More\r\n"));
    // It is ticked by its id like any other.
    sample.answer(json!({"action": "update", "taskId": "write-the-docs"}));
    assert!(sample.plan().contains("- [x] Write the docs\r\n"));
}

#[test]
fn what_is_refused_leaves_the_plan_as_it_is() {
    let sample = Sample::new(Some(PLAN));
    for (input, code, words) in [
        (json!({"action": "add"}), ErrorCode::InvalidInput, "description"),
        (json!({"action": "add", "description": " \n\u{7}"}), ErrorCode::InvalidInput, "description"),
        (json!({"action": "add", "description": "x", "section": "Low"}), ErrorCode::InvalidInput, "Plan, High, Optional"),
    ] {
        let error = sample.error(input.clone());
        assert!(error.code() == code && error.message().contains(words), "{input}: {error}");
    }
    assert_eq!(sample.plan(), PLAN);
    let none = Sample::new(None);
    assert_eq!(none.error(json!({"action": "add", "description": "x"})).code(), ErrorCode::PlanNotFound);
    assert!(!none.path().exists());
}

#[test]
fn boxes_and_length_of_its_text() {
    let sample = Sample::new(Some("- [ ] a\n"));
    let answer = sample.answer(json!({"action": "add", "description": "- [x] all done\n- [x] really"}));
    assert_eq!((counts(&answer), &answer["tasks"][0]["completed"]), ([2, 0, 2, 2], &json!(false)));
    assert_eq!(sample.plan(), "- [ ] a\n- [ ] - \\[x\\] all done - \\[x\\] really\n");
    let answer = sample.answer(json!({"action": "add", "description": "y".repeat(600)}));
    assert_eq!(answer["tasks"][0]["description"].as_str().map(str::len), Some(500));
    assert!(answer["warnings"][0].as_str().is_some_and(|warning| warning.contains("cut")), "{answer}");
    let again = sample.answer(json!({"action": "add", "description": "a"}));
    assert_eq!(again["tasks"][0]["id"], "a-2");
    assert!(again["warnings"][0].as_str().is_some_and(|warning| warning.contains("already: a")), "{again}");
}

#[test]
fn fifty_in_a_loop() {
    let sample = Sample::new(Some("- [ ] a\n"));
    let breaker =
        |action: &str| sample.ralph.call("circuit_breaker", raw(&json!({"action": action, "filesChanged": 1}))).map(drop);
    let add = |number: u32| sample.call(&json!({"action": "add", "description": format!("task {number}")}));
    breaker("begin").expect("begun");
    for number in 0..50 {
        add(number).expect("added");
    }
    let before = sample.plan();
    let error = add(50).expect_err("one too many");
    assert!(error.code() == ErrorCode::InvalidInput && error.message().contains("next loop"), "{error}");
    assert_eq!(sample.plan(), before);
    // Ticking goes on, and the next loop has its own.
    sample.answer(json!({"action": "update", "taskId": "task-1"}));
    breaker("record").expect("recorded");
    breaker("begin").expect("begun");
    add(50).expect("added");
    assert_eq!(sample.plan().lines().count(), 52);
}

#[test]
fn without_a_loop_the_hour_counts() {
    let mut bench = crate::testing::Bench::new();
    bench.write("fix_plan.md", "- [ ] a\n");
    let add = |bench: &crate::testing::Bench, number: u32| {
        bench.try_call("task_planner", &json!({"action": "add", "description": format!("task {number}")})).map(drop)
    };
    for number in 0..50 {
        add(&bench, number).expect("added");
    }
    assert!(add(&bench, 50).is_err());
    bench.wait(60);
    add(&bench, 50).expect("added");
    // One whose end nobody recorded counts for a day.
    bench.call("circuit_breaker", &json!({"action": "begin"}));
    for number in 100..150 {
        add(&bench, number).expect("added");
    }
    bench.wait(23 * 60);
    assert!(add(&bench, 150).is_err());
    bench.wait(2 * 60);
    add(&bench, 150).expect("added");
    fs::remove_file(bench.state(".tasks_added")).expect("there");
    bench.write(".tasks_added", "{bad");
    add(&bench, 151).expect("added");
    assert!(
        fs::read_dir(bench.root().join(".ralph"))
            .expect("listed")
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with(".tasks_added.corrupt-"))
    );
}
