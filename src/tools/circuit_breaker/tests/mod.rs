mod damage;
mod git;

use serde_json::{Value, json};

use crate::testing::Bench;

const STATE: &str = ".circuit_breaker_state";
const HISTORY: &str = ".circuit_breaker_history";

fn call(bench: &Bench, action: &str) -> Value {
    bench.call("circuit_breaker", &json!({ "action": action }))
}

/// A loop in which nothing changed.
fn stall(bench: &Bench, number: u64) -> Value {
    bench.call("circuit_breaker", &json!({"action": "record", "loopNumber": number, "filesChanged": 0, "hasErrors": false}))
}

fn analysis(bench: &Bench, number: u64, facts: &Value) {
    bench.write(".response_analysis", json!({"loop_number": number, "analysis": facts}).to_string());
}

fn open_breaker(bench: &Bench) {
    (1..=3).for_each(|number| drop(stall(bench, number)));
    assert_eq!(call(bench, "check")["state"], "OPEN");
}

fn warned(answer: &Value, of: &str) -> bool {
    answer["warnings"].as_array().is_some_and(|all| all.iter().any(|w| w.as_str().is_some_and(|w| w.contains(of))))
}

#[test]
fn a_stalled_loop_trips_it_and_the_history_says_how() {
    let bench = Bench::new();
    open_breaker(&bench);
    let status = call(&bench, "status");
    assert_eq!(status["canExecute"], false);
    assert_eq!(status["openedAt"], "2026-03-01T12:00:00+00:00");
    assert_eq!(status["cooldownRemainingSeconds"], 1800);
    assert_eq!(status["currentLoop"], 3);
    assert_eq!(
        status["history"],
        json!([
            {"timestamp": "2026-03-01T12:00:00+00:00", "loop": 2, "fromState": "CLOSED", "toState": "HALF_OPEN",
             "reason": "Monitoring: 2 loops without progress"},
            {"timestamp": "2026-03-01T12:00:00+00:00", "loop": 3, "fromState": "HALF_OPEN", "toState": "OPEN",
             "reason": "No recovery, opening circuit after 3 loops"},
        ])
    );
    assert!(call(&bench, "check").get("history").is_none());
}

#[test]
fn check_and_status_write_nothing() {
    for prepare in [|_: &Bench| (), |bench: &Bench| bench.write(STATE, "{\"sta"), open_breaker] {
        let mut bench = Bench::with(&json!({"autoReset": true}));
        prepare(&bench);
        bench.restart();
        bench.wait(60);
        let before = bench.snapshot();
        for action in ["check", "status"] {
            call(&bench, action);
        }
        assert_eq!(bench.snapshot(), before);
        assert!(before.is_empty() != bench.root().join(".ralph").exists());
    }
}

#[test]
fn record_creates_both_files() {
    let bench = Bench::new();
    bench.call("circuit_breaker", &json!({"action": "record", "filesChanged": 1}));
    assert_eq!(bench.json(HISTORY), json!([]));
    let state = bench.json(STATE);
    let names: Vec<_> = state.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "state",
            "last_change",
            "consecutive_no_progress",
            "consecutive_same_error",
            "consecutive_permission_denials",
            "last_progress_loop",
            "total_opens",
            "reason",
            "current_loop",
            "consecutive_questions",
            "recorded_loop",
        ]
    );
    assert_eq!(state["current_loop"], 1);
    let old = Bench::with(&json!({"rules": "v0.9", "layout": "flat"}));
    old.call("circuit_breaker", &json!({"action": "record", "filesChanged": 1}));
    assert!(old.json(STATE).get("consecutive_permission_denials").is_none());
    assert!(old.json(STATE).get("consecutive_questions").is_none());
    assert!(old.root().join(STATE).is_file());
}

#[test]
fn begin_lets_the_same_number_count_again() {
    for rules in ["v0.9", "v0.11"] {
        let bench = Bench::with(&json!({ "rules": rules }));
        stall(&bench, 1);
        let again = stall(&bench, 1);
        assert_eq!(again["consecutiveNoProgress"], 1, "{rules}");
        assert!(warned(&again, "recorded already"), "{again}");
        assert_eq!(call(&bench, "begin")["consecutiveNoProgress"], 1);
        let anew = stall(&bench, 1);
        assert_eq!(anew["consecutiveNoProgress"], 2, "{rules}");
        assert!(anew.get("warnings").is_none());
    }
}

#[test]
fn the_loop_is_the_analysed_one_where_that_is_newer() {
    let bench = Bench::new();
    let record =
        |bench: &Bench| bench.call("circuit_breaker", &json!({"action": "record", "filesChanged": 1}))["currentLoop"].clone();
    analysis(&bench, 7, &json!({}));
    assert_eq!(record(&bench), 7);
    assert_eq!(record(&bench), 8);
    analysis(&bench, 8, &json!({}));
    assert_eq!(record(&bench), 9);
    bench.write(".response_analysis", "{}");
    assert_eq!(record(&bench), 10);
}

#[test]
fn only_questions_trip_it_in_the_end() {
    // Case 13: ralph PR 202.
    let bench = Bench::new();
    let states: Vec<Value> = (1..=12)
        .map(|number| {
            call(&bench, "begin");
            analysis(&bench, number, &json!({"asking_questions": true, "question_count": 3}));
            bench.call("circuit_breaker", &json!({"action": "record", "loopNumber": number}))["state"].clone()
        })
        .collect();
    assert!(states[..5].iter().all(|state| state == "CLOSED"), "{states:?}");
    assert_eq!(states[7], "OPEN", "{states:?}");
}

#[test]
fn an_analysis_counts_for_its_own_loop() {
    let bench = Bench::new();
    analysis(
        &bench,
        4,
        &json!({"exit_signal": true, "has_completion_signal": "true", "has_errors": true, "files_modified": "2"}),
    );
    let own = bench.call("circuit_breaker", &json!({"action": "record", "loopNumber": 4}));
    assert_eq!((&own["lastProgressLoop"], &own["consecutiveSameError"]), (&json!(4), &json!(1)));
    let other = bench.call("circuit_breaker", &json!({"action": "record", "loopNumber": 5}));
    assert_eq!((&other["lastProgressLoop"], &other["consecutiveSameError"]), (&json!(4), &json!(0)));
    assert_eq!(other["consecutiveNoProgress"], 1);
}

#[test]
fn files_that_the_output_reports_count_where_nobody_else_knows() {
    for rules in ["v0.9", "v0.11"] {
        let bench = Bench::with(&json!({ "rules": rules }));
        analysis(&bench, 1, &json!({"files_modified": 6}));
        let reported = bench.call("circuit_breaker", &json!({"action": "record", "loopNumber": 1}));
        assert_eq!(reported["lastProgressLoop"], 1, "{rules}");
        let other = bench.call("circuit_breaker", &json!({"action": "record", "loopNumber": 2}));
        assert_eq!(other["lastProgressLoop"], 1, "{rules}");
    }
    let bench = Bench::with(&json!({"rules": "v0.9"}));
    analysis(&bench, 1, &json!({"files_modified": 6}));
    assert_eq!(stall(&bench, 1)["lastProgressLoop"], 0, "v0.9: the caller said none");
}

#[test]
fn the_opening_is_not_moved_by_later_failures() {
    // Case X12: aiox #469.
    let mut bench = Bench::new();
    open_breaker(&bench);
    bench.wait(10);
    let later = stall(&bench, 4);
    assert_eq!(later["openedAt"], "2026-03-01T12:00:00+00:00");
    assert_eq!(later["cooldownRemainingSeconds"], 1200);
    assert_eq!(bench.json(STATE)["opened_at"], "2026-03-01T12:00:00+00:00");
    assert_eq!(bench.json(STATE)["last_change"], "2026-03-01T12:10:00+00:00");
}

#[test]
fn a_cooldown_is_seen_by_all_and_persisted_by_the_next_record() {
    let mut bench = Bench::new();
    open_breaker(&bench);
    bench.wait(30);
    let seen = call(&bench, "check");
    assert_eq!((&seen["state"], &seen["canExecute"]), (&json!("HALF_OPEN"), &json!(true)));
    assert_eq!(seen["reason"], "Cooldown recovery: 30m elapsed");
    assert!(seen.get("cooldownRemainingSeconds").is_none() && seen.get("openedAt").is_none());
    assert_eq!(bench.json(STATE)["state"], "OPEN");
    assert_eq!(bench.json(HISTORY).as_array().map(Vec::len), Some(2));
    let done = bench.call("circuit_breaker", &json!({"action": "record", "loopNumber": 4, "filesChanged": 2}));
    assert_eq!(done["reason"], "Progress detected, circuit recovered");
    let history = bench.json(HISTORY);
    assert_eq!(history[2]["reason"], "Cooldown elapsed (30m >= 30m)");
    assert_eq!(history[3]["to_state"], "CLOSED");
    assert!(bench.json(STATE).get("opened_at").is_none());
}

#[test]
fn auto_reset_applies_once_per_instance() {
    let mut bench = Bench::with(&json!({"autoReset": true}));
    open_breaker(&bench); // the instance's first action found it closed: that was its turn
    assert_eq!(stall(&bench, 4)["state"], "OPEN");
    bench.restart();
    for _ in 0..2 {
        assert_eq!(call(&bench, "check")["reason"], "Auto-reset on startup");
    }
    assert_eq!(call(&bench, "begin")["canExecute"], true);
    assert_eq!(bench.json(STATE)["state"], "OPEN");
    let first = stall(&bench, 1);
    assert_eq!(
        (&first["state"], &first["consecutiveNoProgress"], &first["totalOpens"]),
        (&json!("CLOSED"), &json!(1), &json!(1))
    );
    assert_eq!(bench.json(HISTORY)[2]["reason"], "Auto-reset on startup (CB_AUTO_RESET=true)");
    (2..=3).for_each(|number| drop(stall(&bench, number)));
    assert_eq!(call(&bench, "check")["state"], "OPEN");
    assert_eq!(stall(&bench, 4)["state"], "OPEN");
}

#[test]
fn auto_reset_covers_only_the_opening_that_the_instance_found() {
    let mut bench = Bench::with(&json!({"autoReset": true}));
    open_breaker(&bench);
    bench.restart();
    assert_eq!(call(&bench, "check")["state"], "CLOSED");
    // Meanwhile another process closed it, and it opened anew.
    let mut state = bench.json(STATE);
    state["total_opens"] = 2.into();
    bench.write(STATE, state.to_string());
    assert_eq!(call(&bench, "check")["state"], "OPEN");
}

#[test]
fn auto_reset_is_spent_by_a_reset_and_unknown_to_v0_9() {
    let bench = Bench::with(&json!({"autoReset": true}));
    call(&bench, "reset");
    open_breaker(&bench);
    let mut old = Bench::with(&json!({"autoReset": true, "rules": "v0.9"}));
    open_breaker(&old);
    old.restart();
    old.wait(600);
    assert_eq!(call(&old, "check")["state"], "OPEN");
    assert!(call(&old, "check").get("cooldownRemainingSeconds").is_none());
}

#[test]
fn reset_closes_it_and_leaves_the_history() {
    let bench = Bench::new();
    open_breaker(&bench);
    let reset = bench.call("circuit_breaker", &json!({"action": "reset", "reason": "a \"quoted\" reason"}));
    assert_eq!(reset["reason"], "a \"quoted\" reason");
    assert_eq!((&reset["state"], &reset["totalOpens"], &reset["currentLoop"]), (&json!("CLOSED"), &json!(0), &json!(0)));
    assert_eq!(bench.json(HISTORY).as_array().map(Vec::len), Some(2));
    assert_eq!(stall(&bench, 3)["consecutiveNoProgress"], 1);
    assert_eq!(call(&bench, "reset")["reason"], "Manual reset");
    let long = bench.call("circuit_breaker", &json!({"action": "reset", "reason": "é".repeat(5000)}));
    assert_eq!(long["reason"].as_str().map(|reason| reason.chars().count()), Some(1001));
}

#[test]
fn status_lists_the_last_ten() {
    let bench = Bench::new();
    let entry = |n: u64| json!({"timestamp": "t", "loop": n, "from_state": "CLOSED", "to_state": "OPEN", "reason": "r"});
    let mut entries: Vec<Value> = (1..=12).map(entry).collect();
    entries.insert(3, json!("no transition"));
    bench.write(HISTORY, json!(entries).to_string());
    let status = call(&bench, "status");
    let loops: Vec<_> = status["history"].as_array().expect("a list").iter().map(|t| t["loop"].as_u64()).collect();
    assert_eq!(loops, (3..=12).map(Some).collect::<Vec<_>>());
    assert!(warned(&status, "no transitions"));
    // What it does not understand, it keeps.
    (1..=2).for_each(|number| drop(stall(&bench, number)));
    assert_eq!(bench.json(HISTORY).as_array().map(Vec::len), Some(14));
    assert_eq!(bench.json(HISTORY)[3], "no transition");
}
