//! Files that are damaged or cannot be read, and wrong calls.

use std::fs;

use serde_json::json;

use super::{HISTORY, STATE, call, stall, warned};
use crate::error::ErrorCode;
use crate::testing::Bench;

#[test]
fn damage_is_healed_with_a_warning_and_kept_aside() {
    let damaged: [&[u8]; 14] = [
        b"",
        b" \n",
        b"{",
        b"{}",
        b"null",
        b"[]",
        b"\"OPEN\"",
        b"\xff\xfe",
        b"{\"state\":\"AJAR\"}",
        b"{\"state\":\"OPEN\"",
        b"{\"state\":\"OPEN\",\"total_opens\":\"a[$(touch pwned)]\"}",
        b"{\"state\":\"OPEN\",\"current_loop\":-1}",
        b"{\"state\":\"OPEN\",\"consecutive_no_progress\":[1]}",
        b"{\"state\":\"OPEN\"} {\"state\":\"OPEN\"}",
    ];
    for bytes in damaged {
        let bench = Bench::new();
        bench.write(STATE, bytes);
        let seen = call(&bench, "check");
        assert_eq!(seen["state"], "CLOSED", "{bytes:?}");
        assert!(warned(&seen, STATE), "{bytes:?}");
        assert_eq!(fs::read(bench.state(STATE)).expect("there"), bytes);
        let healed = stall(&bench, 1);
        assert_eq!(healed["consecutiveNoProgress"], 1);
        let kept = bench.state(&format!("{STATE}.corrupt-20260301T120000Z"));
        assert_eq!(fs::read(kept).expect("kept aside"), bytes);
        assert!(call(&bench, "check").get("warnings").is_none());
    }
    let bench = Bench::new();
    bench.write(HISTORY, "{}");
    assert!(warned(&call(&bench, "status"), HISTORY));
    stall(&bench, 1);
    assert_eq!(bench.json(HISTORY), json!([]));
    assert!(bench.state(&format!("{HISTORY}.corrupt-20260301T120000Z")).is_file());
}

#[test]
fn what_bash_would_read_is_sound() {
    let bench = Bench::new();
    bench.write(
        STATE,
        "\u{20}{\"state\":\"HALF_OPEN\",\"consecutive_no_progress\":\"02\",\"consecutive_same_error\":null,\"reason\":null,\r\n\"extra\":1}\r\n",
    );
    let seen = call(&bench, "check");
    assert_eq!((&seen["state"], &seen["consecutiveNoProgress"], &seen["reason"]), (&json!("HALF_OPEN"), &json!(2), &json!("")));
    assert!(seen.get("warnings").is_none());
}

#[test]
fn what_the_system_refuses_is_an_io_error_with_the_path() {
    for name in [STATE, HISTORY, ".response_analysis"] {
        let bench = Bench::new();
        fs::create_dir_all(bench.state(name)).expect("a directory");
        let error = bench.fail("circuit_breaker", &json!({"action": "record", "filesChanged": 0}));
        assert_eq!(error.code(), ErrorCode::IoError, "{name}");
        assert!(error.message().contains(name), "{error}");
    }
}

#[test]
fn wrong_input_is_refused() {
    let bench = Bench::new();
    for input in [
        json!({"action": "trip"}),
        json!({}),
        json!({"action": "record", "loopNumber": -1}),
        json!({"action": "record", "filesChanged": 0.5}),
        json!({"action": "record", "hasErrors": "true"}),
        json!({"action": "reset", "reason": 7}),
    ] {
        assert_eq!(bench.fail("circuit_breaker", &input).code(), ErrorCode::InvalidInput, "{input}");
    }
    assert!(bench.snapshot().is_empty());
}

#[test]
fn a_read_only_file_is_replaced_and_stays_read_only() {
    let bench = Bench::new();
    stall(&bench, 1);
    let mut mode = fs::metadata(bench.state(STATE)).expect("there").permissions();
    mode.set_readonly(true);
    fs::set_permissions(bench.state(STATE), mode).expect("set");
    assert_eq!(stall(&bench, 2)["state"], "HALF_OPEN");
    assert!(fs::metadata(bench.state(STATE)).expect("there").permissions().readonly());
}
