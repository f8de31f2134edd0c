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

/// S19: written by a model.
#[test]
fn states_are_read_in_any_case() {
    for (word, state, may) in [
        ("open", "OPEN", false),
        ("Open", "OPEN", false),
        (" OPEN\n", "OPEN", false),
        ("Half_Open", "HALF_OPEN", true),
        ("half_open", "HALF_OPEN", true),
        ("closed", "CLOSED", true),
    ] {
        let bench = Bench::new();
        let stamp = "2026-03-01T11:59:00+00:00";
        bench.write(STATE, json!({"state": word, "last_change": stamp, "opened_at": stamp, "total_opens": 2}).to_string());
        bench.write(
            HISTORY,
            json!([{"timestamp": stamp, "loop": 1, "from_state": "closed", "to_state": word, "reason": "x"}]).to_string(),
        );
        let seen = call(&bench, "status");
        assert_eq!(
            (&seen["state"], &seen["canExecute"], &seen["totalOpens"]),
            (&json!(state), &json!(may), &json!(2)),
            "{word:?}"
        );
        assert_eq!((&seen["history"][0]["toState"], seen.get("warnings")), (&json!(state), None), "{word:?}");
        stall(&bench, 1);
        assert!(!bench.state(&format!("{STATE}.corrupt-20260301T120000Z")).exists());
    }
    for word in ["", "ajar", "half open", "HALF-OPEN", "OPENED", "0"] {
        let bench = Bench::new();
        bench.write(STATE, json!({"state": word}).to_string());
        assert!(warned(&call(&bench, "check"), STATE), "{word:?}");
    }
}

/// B16: one more than a file can hold would read as damage, and damage as CLOSED.
#[test]
fn counts_end_at_what_a_file_can_hold() {
    let most = (1_u64 << 53) - 1;
    let bench = Bench::new();
    let counts =
        ["consecutive_no_progress", "consecutive_same_error", "consecutive_permission_denials", "total_opens", "current_loop"];
    let mut state = json!({"state": "CLOSED", "last_change": "2026-03-01T11:59:00+00:00"});
    for count in counts {
        state[count] = json!(most);
    }
    bench.write(STATE, state.to_string());
    let denied = json!({"loop_number": most, "analysis": {"has_permission_denials": true, "has_errors": true}});
    bench.write(".response_analysis", denied.to_string());
    let recorded =
        bench.call("circuit_breaker", &json!({"action": "record", "hasErrors": true, "loopNumber": most, "filesChanged": 0}));
    assert_eq!(recorded["state"], "OPEN");
    let written = bench.json(STATE);
    assert!(counts.iter().all(|count| written[*count] == json!(most)), "{written}");
    let seen = call(&bench, "check");
    assert_eq!((&seen["state"], seen.get("warnings")), (&json!("OPEN"), None));
}

/// S13: bash writes what a terminal shows.
#[test]
fn control_characters_inside_strings_are_read() {
    let bench = Bench::new();
    bench.write(STATE, "{\"state\": \"OPEN\", \"reason\": \"\u{1b}[31mNo progress\u{1b}[0m\nin 3 loops\", \"opened_at\": \"2026-03-01T11:59:00+00:00\"}");
    let seen = call(&bench, "check");
    assert_eq!((&seen["state"], &seen["reason"]), (&json!("OPEN"), &json!("\u{1b}[31mNo progress\u{1b}[0m\nin 3 loops")));
    assert!(warned(&seen, "control characters"), "{seen}");
    stall(&bench, 1);
    assert!(!bench.state(&format!("{STATE}.corrupt-20260301T120000Z")).exists(), "not set aside");
    assert!(call(&bench, "check").get("warnings").is_none(), "written anew");
}
