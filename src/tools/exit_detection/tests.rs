use std::fs;

use serde_json::{Value, json};

use crate::error::ErrorCode;
use crate::testing::Bench;

const SIGNALS: &str = ".exit_signals";
const ANALYSIS: &str = ".response_analysis";

fn call(bench: &Bench, action: &str) -> Value {
    bench.call("exit_detection", &json!({ "action": action }))
}

fn analysis(bench: &Bench, facts: &Value) {
    bench.write(ANALYSIS, json!({"loop_number": 2, "analysis": facts}).to_string());
}

#[test]
fn a_run_without_signals_goes_on() {
    let bench = Bench::new();
    for action in ["check", "signals"] {
        assert_eq!(
            call(&bench, action),
            json!({"shouldExit": false, "exitReason": "", "confidence": 0,
                   "signals": {"testOnlyLoops": [], "doneSignals": [], "completionIndicators": []}})
        );
    }
    assert!(bench.snapshot().is_empty() && !bench.root().join(".ralph").exists());
}

#[test]
fn reset_starts_a_run() {
    // Case X1: ralph PR 218.
    let bench = Bench::new();
    bench.write(SIGNALS, r#"{"test_only_loops":[],"done_signals":[],"completion_indicators":[1,2]}"#);
    analysis(&bench, &json!({"exit_signal": true, "confidence_score": 100}));
    let left = call(&bench, "check");
    assert_eq!((&left["exitReason"], &left["confidence"]), (&json!("project_complete"), &json!(100)));
    let reset = call(&bench, "reset");
    assert_eq!(reset["shouldExit"], false);
    assert_eq!(call(&bench, "check"), reset);
    assert_eq!(bench.json(SIGNALS), json!({"test_only_loops": [], "done_signals": [], "completion_indicators": []}));
    assert!(!bench.state(ANALYSIS).exists());
    assert!(reset.get("warnings").is_none());
}

#[test]
fn the_last_analysis_decides_with_the_lists() {
    let bench = Bench::new();
    bench.write(SIGNALS, r#"{"completion_indicators":[1,"02"]}"#);
    // (facts, reason, confidence)
    for (facts, reason, confidence) in [
        (json!({"exit_signal": true, "confidence_score": 145}), "project_complete", 100),
        (json!({"exit_signal": "true", "confidence_score": "70"}), "project_complete", 70),
        (json!({"exit_signal": false, "confidence_score": -3}), "", 0),
        (json!({"exit_signal": null, "confidence_score": 87.5}), "", 87),
        (json!({"has_permission_denials": true, "exit_signal": true}), "permission_denied", 0),
        (json!({"has_permission_denials": true, "has_compound_command_limitation": true}), "", 0),
        (json!({}), "", 0),
        (json!(null), "", 0),
    ] {
        analysis(&bench, &facts);
        let seen = call(&bench, "check");
        assert_eq!((&seen["exitReason"], &seen["confidence"]), (&json!(reason), &json!(confidence)), "{facts}");
        assert_eq!(seen["shouldExit"], !reason.is_empty());
        assert_eq!(seen["signals"]["completionIndicators"], json!([1, 2]));
    }
}

#[test]
fn damage_reads_as_nothing_and_is_kept_aside_by_reset() {
    let damaged: [&[u8]; 10] = [
        b"",
        b"{\"done_signals\":[1,",
        b"null",
        b"[]",
        b"7",
        b"\xc3\x28",
        b"{\"done_signals\":{}}",
        b"{\"done_signals\":[-1,2]}",
        b"{\"done_signals\":[\"a[$(id)]\",2]}",
        b"{\"done_signals\":[1,2]}}",
    ];
    for bytes in damaged {
        let bench = Bench::new();
        bench.write(SIGNALS, bytes);
        let seen = call(&bench, "check");
        assert_eq!(seen["shouldExit"], false, "{bytes:?}");
        assert!(seen["warnings"][0].as_str().is_some_and(|w| w.contains(SIGNALS)), "{bytes:?}: {seen}");
        call(&bench, "reset");
        let kept = bench.state(&format!("{SIGNALS}.corrupt-20260301T120000Z"));
        assert_eq!(fs::read(kept).expect("kept aside"), bytes);
    }
    for bytes in ["", "{", "[]", r#"{"analysis":[]}"#, r#"{"loop_number":"x"}"#, r#"{"analysis":{"files_modified":"three"}}"#] {
        let bench = Bench::new();
        bench.write(ANALYSIS, bytes);
        assert!(call(&bench, "check")["warnings"][0].as_str().is_some_and(|w| w.contains(ANALYSIS)), "{bytes:?}");
        call(&bench, "reset");
        assert!(bench.state(&format!("{ANALYSIS}.corrupt-20260301T120000Z")).is_file(), "{bytes:?}");
        assert!(!bench.state(ANALYSIS).exists());
    }
}

#[test]
fn what_the_system_refuses_is_an_io_error_with_the_path() {
    for name in [SIGNALS, ANALYSIS] {
        let bench = Bench::new();
        fs::create_dir_all(bench.state(name)).expect("a directory");
        for action in ["check", "reset"] {
            let error = bench.fail("exit_detection", &json!({ "action": action }));
            assert_eq!(error.code(), ErrorCode::IoError, "{name} {action}");
            assert!(error.message().contains(name), "{error}");
        }
    }
}
