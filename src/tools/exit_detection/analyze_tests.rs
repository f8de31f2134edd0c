//! `analyze` on real files: public bug reports by their number, and what the contract says of paths, loops and files.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::error::ErrorCode;
use crate::testing::Bench;

const ANALYSIS: &str = ".response_analysis";
const SIGNALS: &str = ".exit_signals";

fn block(lines: &[&str]) -> String {
    format!("ok\n---RALPH_STATUS---\n{}\n---END_RALPH_STATUS---", lines.join("\n"))
}

fn analyze(bench: &Bench, loop_number: u64, output: &str) -> Value {
    bench.call("exit_detection", &json!({"action": "analyze", "output": output, "loopNumber": loop_number}))
}

fn check(bench: &Bench) -> Value {
    bench.call("exit_detection", &json!({"action": "check"}))
}

fn record(bench: &Bench, loop_number: u64) -> Value {
    bench.call("circuit_breaker", &json!({"action": "record", "loopNumber": loop_number}))
}

fn v0_9() -> Bench {
    Bench::with(&json!({"layout": "flat"}))
}

#[test]
fn case_1_the_session_is_stored() {
    let bench = Bench::new();
    let output = json!({"result": block(&["STATUS: COMPLETE", "EXIT_SIGNAL: true"]), "session_id": "s-1"});
    let answer = analyze(&bench, 1, &output.to_string());
    assert_eq!(answer["analysis"]["sessionId"], "s-1");
    assert_eq!((&answer["confidence"], &answer["analysis"]["format"]), (&json!(100), &json!("json")));
    assert_eq!(bench.json(".claude_session_id"), json!({"session_id": "s-1", "timestamp": "2026-03-01T12:00:00+00:00"}));
    let written = bench.json(ANALYSIS);
    assert_eq!(
        (&written["loop_number"], &written["output_file"], &written["output_format"]),
        (&json!(1), &json!(""), &json!("json"))
    );
    assert_eq!(written["timestamp"], "2026-03-01T12:00:00+00:00");
    assert!(!bench.state(".last_output_length").exists(), "that is of text");
}

#[test]
fn case_2_complete_but_go_on_is_never_an_exit() {
    for (status, prose) in [("STATUS: COMPLETE", ""), ("STATUS: IN_PROGRESS", "The first half is done.\n")] {
        let bench = Bench::new();
        for number in 1..=2 {
            let answer = analyze(&bench, number, &format!("{prose}{}", block(&[status, "EXIT_SIGNAL: false"])));
            assert_eq!(answer["signals"]["doneSignals"], json!([]));
            let recorded = record(&bench, number);
            let progress = if prose.is_empty() { number } else { 0 };
            assert_eq!(recorded["lastProgressLoop"], progress, "{status}");
        }
        assert_eq!(check(&bench)["shouldExit"], false);
    }
}

#[test]
fn case_3_indicators_count_in_a_row() {
    let bench = Bench::new();
    for number in 1..=9 {
        let signal = if number % 2 == 1 { "EXIT_SIGNAL: true" } else { "EXIT_SIGNAL: false" };
        analyze(&bench, number, &block(&[signal]));
        let seen = check(&bench);
        assert_eq!(seen["shouldExit"], false, "loop {number}");
        assert!(seen["signals"]["completionIndicators"].as_array().is_some_and(|list| list.len() < 2));
    }
}

#[test]
fn case_4_done_in_prose_while_a_task_is_open() {
    let bench = Bench::new();
    bench.write("fix_plan.md", "- [ ] open\n");
    for number in 1..=2 {
        analyze(&bench, number, "Wrote README: once setup is done, run the server.");
    }
    assert_eq!(check(&bench)["shouldExit"], false);
    // The same without open work is bash's done signal.
    bench.write("fix_plan.md", "");
    for number in 3..=4 {
        analyze(&bench, number, "Everything is done.");
    }
    assert_eq!(check(&bench)["exitReason"], "completion_signals");
}

#[test]
fn case_5_test_only_loops_in_a_row() {
    let bench = Bench::new();
    for number in 1..=5 {
        let output = if number % 2 == 1 { "pytest -q" } else { "Implementing the parser" };
        let seen = analyze(&bench, number, output);
        assert!(seen["signals"]["testOnlyLoops"].as_array().is_some_and(|list| list.len() < 2));
        assert_eq!(seen["shouldExit"], false);
    }
}

#[test]
fn case_6_an_array_without_a_result() {
    let bench = Bench::new();
    let init = json!({"type": "system", "subtype": "init", "session_id": "s-1"});
    let said = json!({"type": "assistant", "message": {"content": [{"type": "text", "text": "working"}]}});
    let end = json!({"type": "result", "result": block(&["EXIT_SIGNAL: true"])});
    let whole = analyze(&bench, 1, &json!([init, said, end]).to_string());
    assert_eq!((&whole["analysis"]["exitSignal"], &whole["analysis"]["sessionId"]), (&json!(true), &json!("s-1")));
    let part = analyze(&bench, 2, &json!([init, said]).to_string());
    assert_eq!((&part["analysis"]["exitSignal"], &part["analysis"]["hasCompletionSignal"]), (&json!(false), &json!(false)));
}

#[test]
fn case_7_a_failed_run_leaves_no_signal_and_no_session() {
    let bench = Bench::new();
    let failed =
        json!({"type": "result", "is_error": true, "result": "API Error: 400 tool use concurrency", "session_id": "s-1"});
    for output in [
        failed.to_string(),
        json!([failed]).to_string(),
        format!("{}\n{failed}\n", json!({"type": "system", "subtype": "init", "session_id": "s-1"})),
    ] {
        let answer = analyze(&bench, 1, &output);
        assert_eq!((&answer["analysis"]["isError"], &answer["analysis"]["sessionId"]), (&json!(true), &Value::Null));
        assert_eq!(bench.json(SIGNALS), json!({"test_only_loops": [], "done_signals": [], "completion_indicators": []}));
        assert!(!bench.state(".claude_session_id").exists());
    }
}

#[test]
fn case_8_stream_json() {
    let bench = Bench::new();
    let messages = [
        json!({"type": "system", "subtype": "init", "session_id": "s-1"}),
        json!({"type": "assistant", "message": {"content": [{"type": "text", "text": "working"}]}}),
        json!({"type": "result", "result": block(&["EXIT_SIGNAL: true"]), "usage": {"input_tokens": 5, "output_tokens": 6}}),
    ];
    let output = messages.map(|message| message.to_string()).join("\n");
    let answer = analyze(&bench, 1, &output);
    let analysis = &answer["analysis"];
    assert_eq!(
        (&analysis["format"], &analysis["exitSignal"], &analysis["tokensUsed"]),
        (&json!("stream-json"), &json!(true), &json!(11))
    );
    let answer = analyze(&bench, 2, r#"{"status":"IN_PROGRESS","files_modified":"three"}"#);
    assert_eq!(answer["analysis"]["filesModified"], 0);
    assert!(answer["warnings"][0].as_str().is_some_and(|warning| warning.contains("three")));
    // What was written must be sound for the breaker.
    assert!(record(&bench, 2).get("warnings").is_none());
}

#[test]
fn case_16_a_loop_counts_once() {
    for bench in [Bench::new(), v0_9()] {
        for _ in 0..2 {
            let answer = analyze(&bench, 1, &block(&["EXIT_SIGNAL: true"]));
            let signals = &answer["signals"];
            assert_eq!((&signals["doneSignals"], &signals["completionIndicators"]), (&json!([1]), &json!([1])));
        }
        assert_eq!(check(&bench)["shouldExit"], false);
    }
}

#[test]
fn cases_26_and_27_progress_that_the_block_reports() {
    let modified = block(&["FILES_MODIFIED: 6", "TASKS_COMPLETED_THIS_LOOP: 2", "EXIT_SIGNAL: false"]);
    let complete = json!({"result": block(&["STATUS: COMPLETE", "EXIT_SIGNAL: false"])}).to_string();
    for (output, files) in [(modified, 6), (complete, 0)] {
        let bench = Bench::new();
        for number in 1..=3 {
            let answer = analyze(&bench, number, &output);
            assert_eq!((&answer["analysis"]["filesModified"], &answer["analysis"]["hasProgress"]), (&json!(files), &json!(true)));
            let recorded = record(&bench, number);
            assert_eq!((&recorded["state"], &recorded["lastProgressLoop"]), (&json!("CLOSED"), &json!(number)));
        }
        assert_eq!(check(&bench)["shouldExit"], false);
    }
}

#[test]
fn case_30_errors_reach_the_breaker() {
    let bench = Bench::new();
    let errors = json!({"type": "result", "is_error": false, "result": "Error: build failed\nFatal: cannot continue"});
    assert_eq!(analyze(&bench, 1, &errors.to_string())["analysis"]["hasErrors"], true);
    assert_eq!(record(&bench, 1)["consecutiveSameError"], 1);
    assert_eq!(analyze(&bench, 2, "Added ValidationException class with unit tests.")["analysis"]["hasErrors"], false);
    assert_eq!(record(&bench, 2)["consecutiveSameError"], 0);
}

#[test]
fn case_x10_commits_of_the_loop_count() {
    let bench = Bench::new();
    let git = |arguments: &[&str]| {
        let who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"];
        let done = Command::new("git").args(who).args(arguments).current_dir(bench.root()).output().expect("git");
        assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let write = |name: &str, text: &str| fs::write(bench.root().join(name), text).expect("written");
    git(&["init", "-q"]);
    write("a", "1");
    write("b", "1");
    git(&["add", "."]);
    git(&["commit", "-qm", "A"]);
    bench.call("circuit_breaker", &json!({"action": "begin"}));
    write("a", "2");
    write("b", "2");
    git(&["commit", "-qam", "B"]);
    let answer = analyze(&bench, 1, "Worked on it.");
    assert_eq!((&answer["analysis"]["filesModified"], &answer["analysis"]["hasProgress"]), (&json!(2), &json!(true)));
    assert_eq!(answer["confidence"], 20);
    assert_eq!(record(&bench, 1)["lastProgressLoop"], 1);
}

/// Case S32: Ralph's own end-to-end suite, three loops without progress.
#[test]
fn where_git_can_tell_it_decides_and_claims_are_told_of() {
    for (repository, state, modified) in [(true, "OPEN", 0), (false, "CLOSED", 1)] {
        let bench = Bench::new();
        if repository {
            for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "A", "--allow-empty"]] {
                let who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
                let done = Command::new("git").args(who).args(arguments).current_dir(bench.root()).output().expect("git");
                assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            }
        }
        for text in [block(&["FILES_MODIFIED: 1", "EXIT_SIGNAL: false"]), json!({"files_modified": 1}).to_string()] {
            bench.call("circuit_breaker", &json!({"action": "reset"}));
            let mut last = Value::Null;
            for number in 1..=6 {
                bench.call("circuit_breaker", &json!({"action": "begin"}));
                let answer = analyze(&bench, number, &text);
                let analysis = &answer["analysis"];
                assert_eq!(analysis["filesModified"], modified, "{text}");
                let told = answer["warnings"].to_string().contains("git sees none");
                assert_eq!(told, repository, "{answer}");
                last = record(&bench, number);
                if repository {
                    assert_eq!(last["state"], ["CLOSED", "HALF_OPEN", "OPEN"][number.min(3) as usize - 1], "{last}");
                }
            }
            assert_eq!(last["state"], state);
        }
    }
}

#[test]
fn the_caller_counts_files_better_than_git() {
    let bench = Bench::new();
    let with = |changed: u64| bench.call("exit_detection", &json!({"action": "analyze", "output": "x", "filesChanged": changed}));
    let some = with(3);
    assert_eq!(
        (&some["analysis"]["filesModified"], &some["analysis"]["hasProgress"], &some["confidence"]),
        (&json!(3), &json!(true), &json!(20))
    );
    assert_eq!(with(0)["analysis"]["hasProgress"], false);
}

#[test]
fn the_loop_after_the_last_one() {
    let bench = Bench::new();
    let next = || bench.call("exit_detection", &json!({"action": "analyze", "output": "x"}))["analysis"]["loopNumber"].clone();
    assert_eq!((next(), next()), (json!(1), json!(2)));
    analyze(&bench, 41, "x");
    assert_eq!(next(), 42);
    bench.write(ANALYSIS, format!("{{\"loop_number\": {}}}", (1_u64 << 53) - 1));
    assert_eq!(next(), (1_u64 << 53) - 1);
}

#[test]
fn where_the_output_comes_from() {
    let bench = Bench::new();
    let fail = |input: Value| bench.fail("exit_detection", &input).code();
    assert_eq!(fail(json!({"action": "analyze"})), ErrorCode::OutputNotFound);
    assert_eq!(fail(json!({"action": "analyze", "outputFile": "missing.log"})), ErrorCode::OutputNotFound);
    for name in ["", "a\0b", "\0"] {
        let error = bench.fail("exit_detection", &json!({"action": "analyze", "outputFile": name, "output": "x"}));
        assert_eq!(error.code(), ErrorCode::InvalidInput, "{name:?}");
        assert!(error.to_string().contains("outputFile"), "{error}");
    }
    assert_eq!(fail(json!({"action": "analyze", "outputFile": "../x.log"})), ErrorCode::OutsideProject);
    assert_eq!(fail(json!({"action": "analyze", "outputFile": "/etc/hostname"})), ErrorCode::OutsideProject);
    fs::create_dir_all(bench.root().join(".ralph/logs")).expect("made");
    assert_eq!(fail(json!({"action": "analyze", "outputFile": ".ralph/logs"})), ErrorCode::IoError);
    assert!(!bench.state(ANALYSIS).exists(), "a refused call writes nothing");

    let dated = |name: &str, text: &str, seconds: u64| {
        let path = bench.root().join(".ralph/logs").join(name);
        fs::write(&path, text).expect("written");
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000 + seconds);
        fs::File::options().write(true).open(path).and_then(|file| file.set_modified(at)).expect("dated");
    };
    dated("claude_output_1.log", "Summary: one", 10);
    dated("claude_output_2.log", "Summary: two", 20);
    dated("claude_output_2_stream.log", "Summary: its copy", 30);
    dated("claude_output_3.txt", "Summary: no log", 40);
    dated("ralph.log", "Summary: no output", 50);
    let newest = bench.call("exit_detection", &json!({"action": "analyze"}));
    assert_eq!(newest["analysis"]["workSummary"], "Summary: two");
    assert_eq!(bench.json(ANALYSIS)["output_file"], ".ralph/logs/claude_output_2.log");

    let named = bench
        .call("exit_detection", &json!({"action": "analyze", "outputFile": ".ralph/logs/claude_output_1.log", "output": "x"}));
    assert_eq!(named["analysis"]["workSummary"], "Summary: one");
    assert!(named["warnings"][0].as_str().is_some_and(|warning| warning.contains("both")));
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_refused() {
    let bench = Bench::new();
    std::os::unix::fs::symlink("/etc/hostname", bench.root().join("out.log")).expect("linked");
    let error = bench.fail("exit_detection", &json!({"action": "analyze", "outputFile": "out.log"}));
    assert_eq!(error.code(), ErrorCode::OutsideProject);
}

#[test]
fn only_ids_that_claude_makes_are_kept() {
    let bench = Bench::new();
    for id in ["a b", "--flag; rm", "$(id)", "é", &"x".repeat(129)] {
        let answer = analyze(&bench, 1, &json!({"result": "x", "session_id": id}).to_string());
        assert!(answer["warnings"][0].as_str().is_some_and(|warning| warning.contains("session")), "{id}");
        assert_eq!(answer["analysis"].get("sessionId"), None);
        assert!(!bench.state(".claude_session_id").exists());
    }
    bench.write(".claude_session_id", "old-bare-id\n");
    analyze(&bench, 1, &json!({"result": "x", "session_id": "x".repeat(128)}).to_string());
    assert_eq!(bench.json(".claude_session_id")["session_id"], "x".repeat(128));
    assert!(
        fs::read_dir(bench.root().join(".ralph"))
            .expect("listed")
            .flatten()
            .all(|entry| !entry.file_name().to_string_lossy().contains("corrupt"))
    );
}

#[test]
fn damaged_files_are_kept_aside() {
    for name in [ANALYSIS, SIGNALS, ".last_output_length", ".claude_session_id"] {
        let bench = Bench::new();
        bench.write(name, "{bad");
        let text = analyze(&bench, 1, "plain");
        let object = analyze(&bench, 1, &json!({"result": "x", "session_id": "s-1"}).to_string());
        assert!(bench.state(&format!("{name}.corrupt-20260301T120000Z")).is_file(), "{name}: {text} {object}");
    }
}

#[test]
fn a_shorter_output_scores() {
    for bench in [Bench::new(), v0_9()] {
        let score = |number: u64, text: &str| analyze(&bench, number, text)["confidence"].clone();
        assert_eq!(score(1, &"x".repeat(100)), 0);
        assert_eq!(score(2, &"x".repeat(50)), 0);
        assert_eq!(score(3, &"x".repeat(24)), 10);
        bench.write(".last_output_length", "0\n");
        assert_eq!(score(4, "x"), 0);
    }
}

#[test]
fn the_same_loop_again_has_the_same_confidence() {
    let (long, short) = ("x".repeat(1000), "x".repeat(100));
    for bench in [Bench::new(), v0_9()] {
        let score = |number: u64, text: &str| analyze(&bench, number, text)["confidence"].clone();
        assert_eq!((score(1, &short), score(1, &short)), (json!(0), json!(0)));
        assert_eq!(score(2, &long), 0);
        // A tenth of the loop before; not of what this loop's own first analysis found.
        for _ in 0..3 {
            assert_eq!(score(3, &short), 10);
        }
        assert_eq!((score(3, &long), score(3, &short)), (json!(0), json!(10)), "still beside loop 2");
        assert_eq!(score(4, &short), 0, "beside the loop's last analysis");
    }
    // JSON in between neither counts nor hides the last text.
    let bench = Bench::new();
    analyze(&bench, 1, &long);
    analyze(&bench, 2, "{}");
    assert_eq!(analyze(&bench, 2, &short)["confidence"], 10);
    // What bash wrote does not say: its own comparison is left.
    bench.write(ANALYSIS, r#"{"loop_number": 3, "analysis": {}}"#);
    bench.write(".last_output_length", "1000");
    assert_eq!(analyze(&bench, 3, &short)["confidence"], 10);
}

#[test]
fn numbers_out_of_range_leave_a_sound_file() {
    let denied = json!([{"tool_name": "Write", "tool_input": {"content": "x".repeat((4 << 20) + 1)}}]);
    for fields in [
        json!({"files_modified": 1e20}),
        json!({"metadata": {"files_changed": 1e30}}),
        json!({"files_modified": 9_007_199_254_740_993_u64, "confidence": 1e30}),
        json!({"files_modified": -1, "confidence": -1e30, "usage": {"input_tokens": u64::MAX, "output_tokens": 1e30}}),
    ] {
        let bench = Bench::new();
        let mut output = json!({"type": "result", "result": "x", "permission_denials": denied});
        if let (Value::Object(output), Value::Object(fields)) = (&mut output, fields) {
            output.extend(fields);
        }
        let answer = analyze(&bench, 1, &output.to_string());
        assert!(answer["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty()), "{answer}");
        assert!(answer["analysis"]["tokensUsed"].as_u64().is_some_and(|tokens| tokens < 1 << 53), "{answer}");
        let seen = check(&bench);
        assert_eq!((&seen["exitReason"], seen.get("warnings")), (&json!("permission_denied"), None), "{answer}");
        assert!(bench.json(ANALYSIS)["analysis"]["confidence_score"].as_u64().is_some_and(|score| score < 1 << 53));
    }
}

#[test]
fn v0_9_writes_what_v0_9_knows() {
    let bench = v0_9();
    let answer = analyze(&bench, 1, &json!({"result": "x", "session_id": "s-1", "usage": {"input_tokens": 5}}).to_string());
    assert_eq!((&answer["analysis"]["format"], &answer["analysis"]["tokensUsed"]), (&json!("text"), &json!(0)));
    let written = bench.json(ANALYSIS);
    assert_eq!(written.get("output_format"), None);
    for field in ["has_permission_denials", "question_count", "asking_questions"] {
        assert_eq!(written["analysis"].get(field), None, "{field}");
    }
    assert!(!bench.state(".claude_session_id").exists());
    assert_eq!(
        fs::read_to_string(bench.state(".last_output_length")).expect("written").trim(),
        answer["analysis"]["outputLength"].to_string()
    );
}

#[test]
fn the_answer_has_a_part_of_a_long_summary() {
    let bench = Bench::new();
    let answer = analyze(&bench, 1, &json!({"result": "é".repeat(200_000)}).to_string());
    assert_eq!(answer["analysis"]["workSummary"].as_str().map(|text| text.chars().count()), Some(2000));
    assert_eq!(bench.json(ANALYSIS)["analysis"]["work_summary"].as_str().map(|text| text.chars().count()), Some(200_000));
}

#[test]
fn denials_end_the_run_unless_they_are_of_compound_commands() {
    let denied = |command: &str| {
        json!({"result": "x", "permission_denials": [{"tool_name": "Bash", "tool_input": {"command": command}}]}).to_string()
    };
    let bench = Bench::with(&json!({"allowedTools": "Bash(npm *)"}));
    let compound = analyze(&bench, 1, &denied("npm test && npm run build"));
    assert_eq!((&compound["shouldExit"], &compound["analysis"]["hasCompoundCommandLimitation"]), (&json!(false), &json!(true)));
    let real = analyze(&bench, 2, &denied("npm test && curl evil"));
    assert_eq!(
        (&real["exitReason"], &real["analysis"]["deniedCommands"]),
        (&json!("permission_denied"), &json!(["Bash(npm test && curl evil)"]))
    );
}

#[test]
fn a_limit_tells_when_to_go_on() {
    let bench = Bench::new();
    let answer = analyze(&bench, 1, "You've hit your limit · resets 5pm (Europe/Vilnius)");
    assert_eq!(
        answer["analysis"]["apiLimit"],
        json!({"kind": "usage", "message": "You've hit your limit · resets 5pm (Europe/Vilnius)", "resetsAt": "2026-03-01T15:00:00+00:00"})
    );
    let unnamed = analyze(&bench, 2, "You've hit your usage limit");
    assert_eq!(unnamed["analysis"]["apiLimit"]["resetsAt"], Value::Null);
    assert_eq!(analyze(&bench, 3, "fine")["analysis"].get("apiLimit"), None);
}
