//! What the store promises for every file (section 5 of the contract), seen through `rate_limit`.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use crate::support::raw;
use chrono::{DateTime, Utc};
use ralph_sdk_tools::store::clock::FrozenClock;
use ralph_sdk_tools::store::lock::{LOCK_FILE, Lock};
use ralph_sdk_tools::{Environment, ErrorCode, Options, Ralph};
use serde_json::{Value, json};

const NOW: &str = "2026-03-01T10:20:30Z";
const HOUR: &str = "2026030110";

fn now() -> DateTime<Utc> {
    NOW.parse().expect("an instant")
}

fn open(root: &Path, options: &Value) -> Ralph {
    try_open(root, options).expect("a project")
}

fn try_open(root: &Path, options: &Value) -> ralph_sdk_tools::Result<Ralph> {
    let mut options = options.as_object().cloned().unwrap_or_default();
    options.entry("projectDir").or_insert_with(|| root.to_string_lossy().into());
    options.entry("ralphHome").or_insert_with(|| root.join("none").to_string_lossy().into());
    let environment: Environment = [("TZ".to_owned(), "UTC".to_owned())].into_iter().collect();
    Ralph::open_with_clock(&Options::from_raw(&raw(&options))?, &environment, Arc::new(FrozenClock::at(now())))
}

fn call(ralph: &Ralph, input: &Value) -> Result<Value, ErrorCode> {
    ralph.call("rate_limit", raw(input.as_object().expect("an object"))).map_err(|error| error.code())
}

fn check(ralph: &Ralph) -> Value {
    call(ralph, &json!({"action": "check"})).expect("an answer")
}

fn increment(ralph: &Ralph) -> Value {
    call(ralph, &json!({"action": "increment"})).expect("an answer")
}

fn put(root: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(&path, content).expect("written");
    fs::File::options().write(true).open(&path).and_then(|file| file.set_modified(now().into())).expect("dated");
}

fn tree(root: &Path) -> BTreeSet<String> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            found.insert(path.strip_prefix(root).expect("inside").to_string_lossy().into_owned());
            if path.is_dir() {
                walk(root, &path, found);
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(root, root, &mut found);
    found
}

#[test]
fn reading_writes_nothing_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let ralph = open(folder.path(), &json!({}));
    assert_eq!(check(&ralph)["currentCount"], 0);
    assert_eq!(tree(folder.path()), BTreeSet::new());
    increment(&ralph);
    let after = tree(folder.path());
    assert!(after.contains(".ralph/.call_count"), "{after:?}");
    check(&ralph);
    assert_eq!(tree(folder.path()), after);
}

#[test]
fn a_missing_project_is_said_so() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "file", "x");
    for path in ["missing", "file"] {
        let error = try_open(folder.path(), &json!({"projectDir": folder.path().join(path)})).expect_err(path);
        assert_eq!(error.code(), ErrorCode::InvalidProject, "{path}");
    }
    let gone = folder.path().join("gone");
    fs::create_dir(&gone).expect("made");
    let ralph = open(&gone, &json!({}));
    fs::remove_dir_all(&gone).expect("removed");
    assert_eq!(call(&ralph, &json!({"action": "check"})), Err(ErrorCode::InvalidProject));
    assert_eq!(call(&ralph, &json!({"action": "increment"})), Err(ErrorCode::InvalidProject));
    assert!(!gone.exists());
}

#[test]
fn the_layout_is_found_by_what_is_there() {
    for (files, state_file, generation, warned) in [
        (&[][..], ".ralph/.call_count", "0.11", false),
        (&["PROMPT.md"][..], ".call_count", "0.9", false),
        (&["@fix_plan.md"][..], ".call_count", "0.9", false),
        (&["@AGENT.md"][..], ".call_count", "0.9", false),
        (&[".ralph/PROMPT.md"][..], ".ralph/.call_count", "0.11", false),
        // Ralph issue #117 (case X31): both are there.
        (&[".ralph/PROMPT.md", "PROMPT.md"][..], ".ralph/.call_count", "0.11", true),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            put(folder.path(), file, "p\n");
        }
        let ralph = open(folder.path(), &json!({}));
        let answer = call(&ralph, &json!({"action": "increment", "tokens": 5})).expect("an answer");
        assert!(folder.path().join(state_file).is_file(), "{files:?}");
        assert_eq!(answer["tokensUsed"], if generation == "0.11" { 5 } else { 0 }, "{files:?}");
        assert_eq!(answer.get("warnings").is_some(), warned, "{files:?} {answer}");
    }
}

#[test]
fn a_damaged_counter_reads_as_zero_and_is_kept_aside_by_the_next_write() {
    for damage in [&b"a[$(touch pwned)]"[..], b"-5", b"", b"1.5", b"{}", b"\xff\xfe", b"5 5", b"99999999999999999999999999"] {
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), ".ralph/.call_count", damage);
        put(folder.path(), ".ralph/.last_reset", HOUR);
        let ralph = open(folder.path(), &json!({}));
        let answer = check(&ralph);
        assert_eq!(answer["currentCount"], 0);
        assert!(answer["warnings"][0].as_str().expect("a warning").contains(".call_count"), "{answer}");
        assert_eq!(fs::read(folder.path().join(".ralph/.call_count")).expect("untouched"), damage);
        let answer = increment(&ralph);
        assert_eq!(answer["currentCount"], 1);
        let kept = folder.path().join(".ralph/.call_count.corrupt-20260301T102030Z");
        assert_eq!(fs::read(kept).expect("kept aside"), damage, "{damage:?}");
        assert!(increment(&ralph).get("warnings").is_none());
        assert!(!folder.path().join("pwned").exists());
    }
}

#[test]
fn two_damaged_files_within_a_second_are_both_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let ralph = open(folder.path(), &json!({}));
    for damage in ["first", "second"] {
        put(folder.path(), ".ralph/.call_count", damage);
        increment(&ralph);
    }
    let kept = |name: &str| fs::read_to_string(folder.path().join(".ralph").join(name)).expect("kept");
    assert_eq!(kept(".call_count.corrupt-20260301T102030Z"), "first");
    assert_eq!(kept(".call_count.corrupt-20260301T102030Z-2"), "second");
}

#[test]
fn a_state_file_that_is_a_folder_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join(".ralph/.call_count")).expect("made");
    let ralph = open(folder.path(), &json!({}));
    for action in ["check", "increment", "reset"] {
        let error = ralph.call("rate_limit", raw(json!({"action": action}).as_object().expect("an object"))).expect_err(action);
        assert_eq!(error.code(), ErrorCode::IoError);
        assert!(error.message().contains(".call_count"), "{error}");
    }
}

#[test]
fn leftovers_of_killed_writers_go_with_the_next_write() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), ".ralph/.ralph-tools-tmp-dead", "half");
    put(folder.path(), ".ralph/notes", "mine");
    let ralph = open(folder.path(), &json!({}));
    check(&ralph);
    assert!(folder.path().join(".ralph/.ralph-tools-tmp-dead").exists());
    increment(&ralph);
    assert!(!folder.path().join(".ralph/.ralph-tools-tmp-dead").exists());
    assert!(folder.path().join(".ralph/notes").exists());
}

#[test]
fn a_held_lock_stops_writers_in_time_and_readers_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let ralph = open(folder.path(), &json!({"lockTimeoutMs": 0}));
    increment(&ralph);
    let held = Lock::acquire(&folder.path().join(".ralph").join(LOCK_FILE), std::time::Duration::ZERO).expect("free");
    assert_eq!(call(&ralph, &json!({"action": "increment"})), Err(ErrorCode::LockTimeout));
    assert_eq!(check(&ralph)["currentCount"], 1);
    drop(held);
    assert_eq!(increment(&ralph)["currentCount"], 2);
}

#[test]
fn many_writers_at_once_never_pass_the_limit_and_lose_no_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let seen: Vec<(bool, u64)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let ralph = open(folder.path(), &json!({"maxCallsPerHour": 50, "lockTimeoutMs": 60000}));
                    let one = |_| {
                        let answer = increment(&ralph);
                        (answer["admitted"] == true, answer["currentCount"].as_u64().expect("a count"))
                    };
                    (0..10).map(one).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    let admitted: BTreeSet<u64> = seen.iter().filter(|(admitted, _)| *admitted).map(|(_, count)| *count).collect();
    assert_eq!(admitted, (1..=50).collect());
    assert_eq!(seen.iter().filter(|(admitted, _)| *admitted).count(), 50);
}

#[test]
fn a_reader_never_takes_a_rewrite_of_bash_for_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), ".ralph/.last_reset", HOUR);
    let ralph = open(folder.path(), &json!({}));
    let path = folder.path().join(".ralph/.call_count");
    for _ in 0..20 {
        // As bash does it: truncate in place, then write, with a reader in between.
        let mut rewritten = fs::File::create(&path).expect("truncated");
        thread::scope(|scope| {
            let reader = scope.spawn(|| check(&ralph));
            thread::yield_now();
            rewritten.write_all(b"7\n").expect("written");
            let answer = reader.join().expect("no panic");
            assert_eq!((&answer["currentCount"], answer.get("warnings")), (&json!(7), None));
        });
    }
}

#[cfg(unix)]
#[test]
fn a_read_only_project_can_be_read_and_says_what_cannot_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let ralph = open(folder.path(), &json!({}));
    increment(&ralph);
    let state = folder.path().join(".ralph");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o555)).expect("mode set");
    // Root may write everywhere; then there is nothing to refuse.
    let refuses = fs::write(state.join("probe"), "").is_err();
    assert_eq!(check(&ralph)["currentCount"], 1);
    let answer = call(&ralph, &json!({"action": "increment"}));
    if refuses {
        assert_eq!(answer, Err(ErrorCode::IoError));
    } else {
        assert_eq!(answer.expect("root writes")["currentCount"], 2);
    }
    fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).expect("mode set");
}

#[test]
fn bad_input_is_never_coerced() {
    let folder = tempfile::tempdir().expect("a folder");
    let ralph = open(folder.path(), &json!({}));
    for input in [
        json!({}),
        json!({"action": null}),
        json!({"action": 1}),
        json!({"action": "Check"}),
        json!({"action": "increment", "calls": -1}),
        json!({"action": "increment", "calls": 1.5}),
        json!({"action": "increment", "calls": "1"}),
        json!({"action": "increment", "calls": null}),
        json!({"action": "increment", "calls": 1001}),
        json!({"action": "increment", "tokens": 1_000_000_001}),
        json!({"action": "increment", "calls": {}}),
    ] {
        assert_eq!(call(&ralph, &input), Err(ErrorCode::InvalidInput), "{input}");
    }
    assert_eq!(tree(folder.path()), BTreeSet::new());
    for options in [
        json!({"maxCallsPerHour": -1}),
        json!({"layout": "both"}),
        json!({"rules": "v0.10"}),
        json!({"maxCalls": 5}),
        json!({"optionalSections": "Optional"}),
        json!({"autoReset": "true"}),
    ] {
        assert_eq!(
            try_open(folder.path(), &options).map_err(|error| error.code()).err(),
            Some(ErrorCode::InvalidInput),
            "{options}"
        );
    }
}

#[test]
fn an_hour_key_caught_empty_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let ralph = open(folder.path(), &json!({"maxCallsPerHour": 10}));
    call(&ralph, &json!({"action": "increment", "calls": 10})).expect("admitted");
    let path = folder.path().join(".ralph/.last_reset");
    let mut rewritten = fs::File::create(&path).expect("truncated");
    thread::scope(|scope| {
        let writer = scope.spawn(|| increment(&ralph));
        thread::yield_now();
        rewritten.write_all(format!("{HOUR}\n").as_bytes()).expect("written");
        rewritten.set_modified(now().into()).expect("dated");
        let answer = writer.join().expect("no panic");
        assert_eq!((&answer["admitted"], &answer["currentCount"]), (&json!(false), &json!(10)));
    });
}

#[test]
fn a_plan_that_cannot_be_read_does_not_silence_the_signals() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join(".ralph/fix_plan.md")).expect("made");
    put(folder.path(), ".ralph/.exit_signals", r#"{"test_only_loops":[],"done_signals":[1,2],"completion_indicators":[]}"#);
    let ralph = open(folder.path(), &json!({}));
    let answer =
        ralph.call("exit_detection", raw(json!({"action": "check"}).as_object().expect("an object"))).expect("an answer");
    assert_eq!(answer["exitReason"], "completion_signals");
    assert!(answer["warnings"][0].as_str().expect("a warning").contains("fix_plan.md"), "{answer}");
}

#[test]
fn a_state_directory_that_is_removed_or_replaced_between_calls_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (open(folder.path(), &json!({})), open(folder.path(), &json!({})));
    let state = folder.path().join(".ralph");
    assert_eq!((increment(&one)["currentCount"].clone(), increment(&other)["currentCount"].clone()), (json!(1), json!(2)));
    fs::remove_dir_all(&state).expect("removed");
    assert_eq!(check(&one)["currentCount"], 0);
    assert_eq!(increment(&other)["currentCount"], 1);
    // Another takes its place while both have the old one open.
    fs::rename(&state, folder.path().join("aside")).expect("renamed");
    fs::create_dir(&state).expect("made");
    assert_eq!(check(&one)["currentCount"], 0);
    assert_eq!((increment(&one)["currentCount"].clone(), increment(&other)["currentCount"].clone()), (json!(1), json!(2)));
    assert_eq!(fs::read_to_string(folder.path().join("aside/.call_count")).expect("there"), "1\n", "left alone");
    // The lock alone.
    fs::remove_file(state.join(LOCK_FILE)).expect("removed");
    assert_eq!((increment(&one)["currentCount"].clone(), increment(&other)["currentCount"].clone()), (json!(3), json!(4)));
    assert!(state.join(LOCK_FILE).is_file());
    // A state file replaced by its name, and one rewritten in place to the same length.
    put(folder.path(), "new", "8");
    fs::rename(folder.path().join("new"), state.join(".call_count")).expect("renamed");
    assert_eq!(check(&one)["currentCount"], 8);
    put(folder.path(), ".ralph/.call_count", "7");
    assert_eq!((check(&one)["currentCount"].clone(), increment(&other)["currentCount"].clone()), (json!(7), json!(8)));
}

#[test]
fn leftovers_that_come_later_go_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let ralph = open(folder.path(), &json!({}));
    increment(&ralph);
    // Within the same tick of a coarse clock it would only be seen a minute later.
    thread::sleep(std::time::Duration::from_millis(20));
    put(folder.path(), ".ralph/.ralph-tools-tmp-dead", "half");
    increment(&ralph);
    assert!(!folder.path().join(".ralph/.ralph-tools-tmp-dead").exists());
}

#[test]
fn a_file_that_would_not_change_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let ralph = open(folder.path(), &json!({}));
    let call = |input: &Value| call(&ralph, input).expect("an answer");
    call(&json!({"action": "increment", "tokens": 5}));
    let path = folder.path().join(".ralph/.token_count");
    let written = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).expect("there");
    let before = written(&path);
    thread::sleep(std::time::Duration::from_millis(20));
    call(&json!({"action": "increment", "calls": 0, "tokens": 0}));
    assert_eq!(written(&path), before);
    call(&json!({"action": "increment", "tokens": 1}));
    assert_ne!(written(&path), before);
}

/// Case B4.
#[test]
fn what_is_too_large_to_be_a_state_file_is_not_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let ralph = open(folder.path(), &json!({}));
    put(folder.path(), ".ralph/.exit_signals", "");
    fs::File::options()
        .write(true)
        .open(folder.path().join(".ralph/.exit_signals"))
        .and_then(|file| file.set_len(70 << 20))
        .expect("grown");
    let exit = |action: &str| {
        ralph.call("exit_detection", raw(json!({"action": action}).as_object().expect("an object"))).expect("an answer")
    };
    let answer = exit("check");
    assert!(answer["warnings"][0].as_str().expect("a warning").contains(".exit_signals is larger than 4 MiB"), "{answer}");
    let answer = exit("reset");
    assert!(answer["warnings"][0].as_str().expect("a warning").contains("kept as"), "{answer}");
    assert!(exit("check").get("warnings").is_none_or(|all| !all.to_string().contains("larger")));
    put(folder.path(), ".ralph/fix_plan.md", "- [ ] a\n");
    fs::File::options()
        .write(true)
        .open(folder.path().join(".ralph/fix_plan.md"))
        .and_then(|file| file.set_len(65 << 20))
        .expect("grown");
    let error =
        ralph.call("task_planner", raw(json!({"action": "read"}).as_object().expect("an object"))).expect_err("too large");
    assert!(error.message().contains("larger than 64 MiB"), "{error}");
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::symlink;

    fn project() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("project");
        fs::create_dir_all(&root).expect("made");
        (folder, root)
    }

    fn message(root: &Path) -> ralph_sdk_tools::Result<Value> {
        let input = json!({"action": "update", "message": "to whom it may concern"});
        open(root, &json!({})).call("progress_reporter", raw(input.as_object().expect("an object")))
    }

    /// Case B5.
    #[test]
    fn a_dangling_lock_makes_nothing_outside() {
        let (folder, root) = project();
        fs::create_dir(root.join(".ralph")).expect("made");
        symlink(folder.path().join("made"), root.join(".ralph").join(LOCK_FILE)).expect("linked");
        let error = call(&open(&root, &json!({})), &json!({"action": "increment"}));
        assert_eq!(error, Err(ErrorCode::IoError));
        assert!(!folder.path().join("made").exists());
    }

    /// Case B5.
    #[test]
    fn a_folder_of_logs_that_leads_out_gets_no_message() {
        let (folder, root) = project();
        fs::create_dir_all(root.join(".ralph")).expect("made");
        fs::create_dir_all(folder.path().join("theirs")).expect("made");
        symlink("../../theirs", root.join(".ralph/logs")).expect("linked");
        assert_eq!(message(&root).expect_err("outside").code(), ErrorCode::OutsideProject);
        assert_eq!(fs::read_dir(folder.path().join("theirs")).expect("listed").count(), 0);
        // One that stays inside is people's own affair.
        fs::remove_file(root.join(".ralph/logs")).expect("removed");
        fs::create_dir(root.join("my-logs")).expect("made");
        symlink("../my-logs", root.join(".ralph/logs")).expect("linked");
        message(&root).expect("written");
        assert!(fs::read_to_string(root.join("my-logs/ralph.log")).expect("there").contains("concern"));
    }

    /// Case B5.
    #[test]
    fn a_linked_state_directory_is_used_and_told() {
        let (folder, root) = project();
        fs::create_dir_all(folder.path().join("elsewhere")).expect("made");
        symlink("../elsewhere", root.join(".ralph")).expect("linked");
        let ralph = open(&root, &json!({}));
        for answer in [increment(&ralph), check(&ralph)] {
            assert!(answer["warnings"][0].as_str().expect("a warning").contains("is a link"), "{answer}");
            assert_eq!(answer["currentCount"], 1);
        }
        message(&root).expect("its own logs are inside");
        assert!(folder.path().join("elsewhere/logs/ralph.log").is_file());
        fs::remove_dir_all(folder.path().join("elsewhere")).expect("removed");
        assert_eq!(check(&ralph)["currentCount"], 0);
        assert_eq!(call(&ralph, &json!({"action": "increment"})), Err(ErrorCode::IoError), "it leads nowhere now");
    }

    #[test]
    fn a_state_file_may_be_a_link_that_stays_inside() {
        let (folder, root) = project();
        put(&root, "kept/count", "5");
        put(folder.path(), "theirs", "6");
        put(&root, ".ralph/.last_reset", HOUR);
        symlink("../kept/count", root.join(".ralph/.call_count")).expect("linked");
        let ralph = open(&root, &json!({}));
        assert_eq!(check(&ralph)["currentCount"], 5);
        fs::remove_file(root.join(".ralph/.call_count")).expect("removed");
        symlink("../../theirs", root.join(".ralph/.call_count")).expect("linked");
        let answer = check(&ralph);
        assert_eq!(answer["currentCount"], 0);
        assert!(answer["warnings"][0].as_str().expect("a warning").contains("leads out"), "{answer}");
        assert_eq!(increment(&ralph)["currentCount"], 1);
        assert_eq!(fs::read_to_string(folder.path().join("theirs")).expect("there"), "6");
    }

    /// Case B6: whatever turns into a pipe between two looks, nobody waits for it.
    #[test]
    fn pipes_are_waited_for_by_nobody() {
        let (_folder, root) = project();
        fs::create_dir_all(root.join(".ralph/logs")).expect("made");
        let pipe = |name: &str| {
            let path = root.join(".ralph").join(name);
            let made = std::process::Command::new("mkfifo").arg(&path).status().is_ok_and(|status| status.success());
            assert!(made, "mkfifo");
            path
        };
        for (name, tool, input) in [
            (".call_count", "rate_limit", json!({"action": "check"})),
            ("fix_plan.md", "task_planner", json!({"action": "read"})),
            ("logs/ralph.log", "progress_reporter", json!({"action": "update", "message": "m"})),
            ("logs/metrics.jsonl", "progress_reporter", json!({"action": "metrics"})),
            ("logs/output", "exit_detection", json!({"action": "analyze", "outputFile": ".ralph/logs/output"})),
        ] {
            let path = pipe(name);
            let ralph = open(&root, &json!({}));
            let error = ralph.call(tool, raw(input.as_object().expect("an object"))).expect_err(name);
            assert!(error.code() == ErrorCode::IoError && error.message().contains("no regular file"), "{name}: {error}");
            fs::remove_file(path).expect("removed");
        }
    }

    /// Case B10.
    #[test]
    fn a_time_that_no_calendar_has_is_another_hours() {
        let (_folder, root) = project();
        put(&root, ".ralph/.call_count", "5");
        put(&root, ".ralph/.last_reset", HOUR);
        let ralph = open(&root, &json!({}));
        assert_eq!(check(&ralph)["currentCount"], 5);
        for time in ["@9000000000000000", "@-9000000000000000"] {
            let path = root.join(".ralph/.last_reset");
            let touched = std::process::Command::new("touch").args(["-d", time]).arg(&path).status();
            if touched.is_ok_and(|status| status.success()) {
                // What a file system makes of a time long ago may be one that tells nothing.
                assert!(check(&ralph)["currentCount"] == 0 || time.starts_with("@-"), "{time}");
            }
        }
        assert_eq!(increment(&ralph)["admitted"], true);
    }
}
