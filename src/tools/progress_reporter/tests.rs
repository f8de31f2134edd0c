use std::fs;

use serde_json::{Value, json};

use crate::error::ErrorCode;
use crate::testing::Bench;

fn update(bench: &Bench, fields: &Value) -> Value {
    let mut input = fields.clone();
    input["action"] = json!("update");
    bench.call("progress_reporter", &input)
}

fn read(bench: &Bench) -> Value {
    bench.call("progress_reporter", &json!({"action": "read"}))
}

fn log(bench: &Bench) -> String {
    fs::read_to_string(bench.state("logs/ralph.log")).expect("a log")
}

fn warnings(answer: &Value) -> Vec<String> {
    answer["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn before_any_update_the_status_is_unknown_and_nothing_is_written() {
    let bench = Bench::new();
    for action in ["read", "metrics"] {
        let answer = bench.call("progress_reporter", &json!({"action": action}));
        let expected = json!({
            "timestamp": "2026-03-01T12:00:00+00:00", "loopCount": 0, "callsMade": 0, "status": "unknown", "maxCalls": 100,
            "nextReset": "2026-03-01T13:00:00+00:00",
            "metrics": {"totalLoops": 0, "successfulLoops": 0, "failedLoops": 0, "averageDuration": 0.0, "successRate": 0.0,
                        "circuitOpens": 0, "skippedLines": 0, "totalCalls": 0},
        });
        assert_eq!(answer, expected);
    }
    assert!(bench.snapshot().is_empty());
}

#[test]
fn a_new_status_has_its_fields_in_bash_s_order() {
    let bench = Bench::with(&json!({"maxTokensPerHour": 5000}));
    update(&bench, &json!({"status": "running", "lastAction": "executing", "loopCount": 3}));
    let text = fs::read_to_string(bench.state("status.json")).expect("there");
    let expected = r#"{
  "timestamp": "2026-03-01T12:00:00+00:00",
  "loop_count": 3,
  "calls_made_this_hour": 0,
  "max_calls_per_hour": 100,
  "tokens_used_this_hour": 0,
  "max_tokens_per_hour": 5000,
  "last_action": "executing",
  "status": "running",
  "exit_reason": "",
  "next_reset": "13:00:00"
}
"#;
    assert_eq!(text, expected);
    assert_eq!(log(&bench), "[2026-03-01 12:00:00] [INFO] Status: running (executing), loop 3, calls 0/100\n");
}

#[test]
fn case_21_next_reset_is_the_top_of_the_hour() {
    let mut bench = Bench::new();
    bench.wait(-70);
    let answer = update(&bench, &json!({"status": "running"}));
    assert_eq!(bench.json("status.json")["next_reset"], "11:00:00");
    assert_eq!(answer["nextReset"], "2026-03-01T11:00:00+00:00");
}

#[test]
fn an_update_merges_and_keeps_what_is_not_ours() {
    let bench = Bench::new();
    bench.write(
        "status.json",
        r#"{"timestamp":"x","loop_count":7,"status":"running","sandbox":{"provider":"docker"},"last_action":"executing","theirs":[1,2]}"#,
    );
    update(&bench, &json!({"message": "hello"}));
    let status = bench.json("status.json");
    let keys: Vec<&String> = status.as_object().expect("an object").keys().collect();
    assert_eq!(keys[..6], ["timestamp", "loop_count", "status", "sandbox", "last_action", "theirs"]);
    assert_eq!(status["sandbox"], json!({"provider": "docker"}));
    assert_eq!(
        (&status["loop_count"], &status["status"], &status["last_action"]),
        (&json!(7), &json!("running"), &json!("executing"))
    );
    update(&bench, &json!({"status": "halted", "exitReason": "stagnation_detected"}));
    update(&bench, &json!({"loopCount": 8}));
    assert_eq!(bench.json("status.json")["exit_reason"], "stagnation_detected");
    let answer = update(&bench, &json!({"status": "running"}));
    assert_eq!(bench.json("status.json")["exit_reason"], "");
    assert_eq!(answer["exitReason"], "");
}

#[test]
fn a_message_alone_leaves_the_loop_s_limits() {
    let bench = Bench::new();
    bench.write("status.json", br#"{"status":"running","max_calls_per_hour":10,"max_tokens_per_hour":700}"#);
    let limits = |bench: &Bench| {
        let text = fs::read_to_string(bench.state("status.json")).expect("there");
        let status: Value = serde_json::from_str(&text).expect("JSON");
        (status["max_calls_per_hour"].clone(), status["max_tokens_per_hour"].clone())
    };
    update(&bench, &json!({"message": "half done"}));
    assert_eq!(limits(&bench), (json!(10), json!(700)));
    update(&bench, &json!({"status": "running"}));
    assert_eq!(limits(&bench), (json!(100), json!(0)));
}

#[test]
fn calls_and_tokens_come_from_the_rate_limiter() {
    let mut bench = Bench::new();
    bench.call("rate_limit", &json!({"action": "increment", "calls": 4, "tokens": 900}));
    assert_eq!(update(&bench, &json!({"status": "running"}))["callsMade"], 4);
    assert_eq!(bench.json("status.json")["tokens_used_this_hour"], 900);
    assert_eq!(update(&bench, &json!({"callsMade": 9}))["callsMade"], 9);
    bench.wait(60);
    assert_eq!(update(&bench, &json!({}))["callsMade"], 0);
    assert_eq!(bench.json("status.json")["tokens_used_this_hour"], 0);
}

#[test]
fn v0_9_knows_no_tokens_and_keeps_its_files_at_the_root() {
    let bench = Bench::with(&json!({"layout": "flat"}));
    update(&bench, &json!({"status": "running"}));
    let status = bench.json("status.json");
    assert!(status.get("tokens_used_this_hour").is_none() && status.get("max_tokens_per_hour").is_none());
    assert!(bench.root().join("status.json").is_file() && bench.root().join("logs/ralph.log").is_file());
}

#[test]
fn texts_of_any_kind_are_valid_json_and_one_log_line() {
    let bench = Bench::new();
    let text = "say \"hi\"\\\n\u{1b}[31m\u{0}";
    let answer = update(&bench, &json!({"status": text, "lastAction": text, "exitReason": text}));
    assert_eq!(answer["status"], text);
    assert_eq!(bench.json("status.json")["exit_reason"], text);
    update(&bench, &json!({"message": "one\r\ntwo\u{1b}[2J"}));
    let log = log(&bench);
    assert_eq!(log.lines().count(), 2);
    assert!(log.ends_with("[INFO] one two[2J\n"), "{log}");
    assert!(!log.replace('\n', "").chars().any(char::is_control));
}

#[test]
fn a_message_of_a_megabyte_is_cut_with_a_warning() {
    let bench = Bench::new();
    let answer = update(&bench, &json!({"message": "x".repeat(1 << 20)}));
    assert!(warnings(&answer)[0].contains("4 KiB"), "{answer}");
    assert_eq!(log(&bench).len(), 4096);
}

#[test]
fn an_empty_message_is_none() {
    let bench = Bench::new();
    update(&bench, &json!({"message": " \n"}));
    assert_eq!(log(&bench), "[2026-03-01 12:00:00] [INFO] Status: unknown, loop 0, calls 0/100\n");
}

#[test]
fn lines_below_the_level_are_not_written() {
    let rows = [
        ("debug", "DEBUG INFO WARN ERROR SUCCESS LOOP"),
        ("info", "INFO WARN ERROR SUCCESS LOOP"),
        ("warn", "WARN ERROR"),
        ("error", "ERROR"),
        ("off", ""),
    ];
    for (log_level, written) in rows {
        let bench = Bench::with(&json!({"logLevel": log_level}));
        for level in ["DEBUG", "INFO", "WARN", "ERROR", "SUCCESS", "LOOP"] {
            update(&bench, &json!({"message": "m", "level": level}));
        }
        let log = fs::read_to_string(bench.state("logs/ralph.log")).unwrap_or_default();
        let levels: Vec<&str> = log.lines().map(|line| line.split(['[', ']']).nth(3).expect("a level")).collect();
        assert_eq!(levels.join(" "), written, "{log_level}");
        assert_eq!(bench.state("logs").exists(), !written.is_empty());
    }
}

#[test]
fn the_log_may_be_elsewhere() {
    let bench = Bench::with(&json!({"logFile": "run/my.log"}));
    update(&bench, &json!({"message": "m"}));
    assert_eq!(fs::read_to_string(bench.root().join("run/my.log")).expect("there"), "[2026-03-01 12:00:00] [INFO] m\n");
    assert!(!bench.state("logs").exists());
}

#[test]
fn a_finished_loop_is_a_line_as_bash_writes_it() {
    let bench = Bench::new();
    let finished = |duration: f64, success: bool| json!({"loopCount": 2, "loopDurationSeconds": duration, "loopSucceeded": success, "loopCalls": 3});
    update(&bench, &finished(12.0, true));
    fs::write(
        bench.state("logs/metrics.jsonl"),
        fs::read_to_string(bench.state("logs/metrics.jsonl")).expect("there") + "{\"torn",
    )
    .expect("written");
    let answer = update(&bench, &finished(0.123_456, false));
    let expected = "{\"timestamp\":\"2026-03-01T12:00:00+00:00\",\"loop\":2,\"duration\":12,\"success\":true,\"calls\":3}\n\
                    {\"torn\n\
                    {\"timestamp\":\"2026-03-01T12:00:00+00:00\",\"loop\":2,\"duration\":0.123,\"success\":false,\"calls\":3}\n";
    assert_eq!(fs::read_to_string(bench.state("logs/metrics.jsonl")).expect("there"), expected);
    let statistics = json!({"totalLoops": 2, "successfulLoops": 1, "failedLoops": 1, "averageDuration": 12.123 / 2.0,
        "successRate": 50.0, "circuitOpens": 0, "skippedLines": 1, "totalCalls": 6});
    assert_eq!(answer["metrics"], statistics);
    assert_eq!(read(&bench)["metrics"], statistics);
}

#[test]
fn half_of_a_finished_loop_is_no_loop() {
    let bench = Bench::new();
    for fields in [json!({"loopDurationSeconds": 5}), json!({"loopSucceeded": true})] {
        let answer = update(&bench, &fields);
        assert!(warnings(&answer)[0].contains("both loopDurationSeconds and loopSucceeded"), "{answer}");
    }
    assert!(!bench.state("logs/metrics.jsonl").exists());
}

#[test]
fn wrong_fields_are_refused_and_nothing_is_written() {
    let bench = Bench::new();
    for fields in [
        json!({"loopDurationSeconds": -1}),
        json!({"loopDurationSeconds": "5"}),
        json!({"loopCount": -1}),
        json!({"loopCount": 1.5}),
        json!({"callsMade": null}),
        json!({"level": "info"}),
        json!({"status": 5}),
        json!({"action": "erase"}),
    ] {
        let mut input = json!({"action": "update"});
        input.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        assert_eq!(bench.fail("progress_reporter", &input).code(), ErrorCode::InvalidInput, "{input}");
    }
    assert!(bench.snapshot().is_empty());
}

#[test]
fn where_the_log_cannot_be_written_the_status_stays_as_it_was() {
    for (blocked, fields) in [
        ("logs", json!({"status": "running"})),
        ("logs/ralph.log/x", json!({"status": "running"})),
        ("logs/metrics.jsonl/x", json!({"status": "running", "loopDurationSeconds": 1, "loopSucceeded": true})),
    ] {
        let bench = Bench::new();
        bench.write("status.json", r#"{"status": "before"}"#);
        bench.write(blocked, "in the way");
        let mut input = fields;
        input["action"] = json!("update");
        let error = bench.fail("progress_reporter", &input);
        assert_eq!(error.code(), ErrorCode::IoError);
        let named = blocked.trim_end_matches("/x");
        assert!(error.message().contains(&*bench.state(named).to_string_lossy()), "{error}");
        assert_eq!(bench.json("status.json"), json!({"status": "before"}));
    }
}

#[test]
fn case_x5_a_torn_status_is_read_as_none_and_kept_aside_by_the_next_update() {
    let bench = Bench::new();
    let torn = "{\"status\": \"run";
    bench.write("status.json", torn);
    let before = bench.snapshot();
    let answer = read(&bench);
    assert_eq!(answer["status"], "unknown");
    assert!(warnings(&answer)[0].contains("status.json"), "{answer}");
    assert_eq!(bench.snapshot(), before);
    let answer = update(&bench, &json!({"status": "running"}));
    assert_eq!(answer["status"], "running");
    let kept = fs::read_to_string(bench.state("status.json.corrupt-20260301T120000Z")).expect("kept aside");
    assert_eq!(kept, torn);
    assert_eq!(bench.json("status.json")["status"], "running");
    assert!(warnings(&read(&bench)).is_empty());
}

#[test]
fn progress_and_the_breakers_openings_are_told() {
    let bench = Bench::new();
    bench.write("progress.json", r#"{"status": "executing", "elapsed_seconds": 20}"#);
    for number in 1..=3 {
        bench.call("circuit_breaker", &json!({"action": "record", "loopNumber": number, "filesChanged": 0}));
    }
    let answer = read(&bench);
    assert_eq!(answer["progress"], json!({"status": "executing", "elapsed_seconds": 20}));
    assert_eq!(answer["metrics"]["circuitOpens"], 1);
}

#[test]
fn without_metrics_the_loops_of_the_log_count_archives_first() {
    let bench = Bench::with(&json!({"layout": "flat"}));
    bench.write("logs/ralph.log.2", "[2026-03-01 10:00:00] [LOOP] === Starting Loop #1 ===\n");
    bench.write("logs/ralph.log.1", "[2026-03-01 10:01:00] [SUCCESS] Claude Code execution completed successfully\n");
    bench.write(
        "logs/ralph.log",
        "[2026-03-01 10:02:00] [LOOP] === Completed Loop #1 ===\n[2026-03-01 10:03:00] [LOOP] === Starting Loop #2 ===\n\
         [2026-03-01 10:04:00] [LOOP] === Completed Loop #2 ===\n",
    );
    let metrics = &read(&bench)["metrics"];
    assert_eq!(
        (&metrics["totalLoops"], &metrics["successfulLoops"], &metrics["averageDuration"]),
        (&json!(2), &json!(1), &json!(90.0))
    );
}

#[test]
fn statistics_that_cannot_be_read_keep_no_update_from_being_written() {
    let bench = Bench::new();
    bench.write("logs/metrics.jsonl/x", "in the way");
    assert_eq!(bench.fail("progress_reporter", &json!({"action": "metrics"})).code(), ErrorCode::IoError);
    let answer = update(&bench, &json!({"status": "running"}));
    assert_eq!(answer["metrics"]["totalLoops"], 0);
    assert!(warnings(&answer)[0].contains("metrics.jsonl"), "{answer}");
    assert_eq!(bench.json("status.json")["status"], "running");
}

#[test]
fn writers_at_the_same_time_lose_no_line_and_tear_none() {
    let bench = Bench::new();
    let finished = json!({"message": "m".repeat(500), "loopDurationSeconds": 2, "loopSucceeded": true});
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..25).for_each(|_| drop(update(&bench, &finished))));
        }
    });
    let metrics = &read(&bench)["metrics"];
    assert_eq!((&metrics["totalLoops"], &metrics["skippedLines"]), (&json!(200), &json!(0)));
    let log = log(&bench);
    assert_eq!(log.lines().count(), 200);
    assert!(log.lines().all(|line| line.starts_with("[2026-03-01 12:00:00] [INFO] mmm") && line.ends_with("mmm")));
}

/// S13: how v0.9 leaves its status at an exit.
#[test]
fn a_status_with_raw_control_characters_is_read() {
    let bench = Bench::new();
    let raw = "{\n  \"loop_count\": 7,\n  \"status\": \"\u{1b}[0;32mcompleted\u{1b}[0m\",\n  \"exit_reason\": \"done\n\tand\r\ndusted\"\n}\n";
    bench.write("status.json", raw);
    let answer = read(&bench);
    assert_eq!((&answer["loopCount"], &answer["exitReason"]), (&json!(7), &json!("done\n\tand\r\ndusted")));
    assert!(warnings(&answer)[0].contains("control characters"), "{answer}");
    assert_eq!(fs::read(bench.state("status.json")).expect("there"), raw.as_bytes(), "reading writes nothing");
    update(&bench, &json!({"message": "on"}));
    assert_eq!(bench.json("status.json")["exit_reason"], "done\n\tand\r\ndusted");
    assert_eq!(bench.snapshot().keys().filter(|path| path.to_string_lossy().contains("corrupt")).count(), 0);
}

/// S34: whoever only says something makes no status that says `unknown`.
#[test]
fn a_message_alone_makes_no_status() {
    for fields in [
        json!({"message": "hello"}),
        json!({"message": "hello", "level": "WARN"}),
        json!({}),
        json!({"loopDurationSeconds": 3, "loopSucceeded": true}),
    ] {
        let bench = Bench::new();
        let answer = update(&bench, &fields);
        assert_eq!(answer["status"], "unknown");
        assert!(!bench.state("status.json").exists(), "{fields}");
        assert_eq!(log(&bench).lines().count(), 1, "{fields}");
        assert_eq!(answer["metrics"]["totalLoops"], u64::from(fields.get("loopSucceeded").is_some()));
    }
    for fields in [json!({"loopCount": 1}), json!({"lastAction": "x"}), json!({"exitReason": ""}), json!({"callsMade": 2})] {
        let bench = Bench::new();
        update(&bench, &fields);
        assert!(bench.state("status.json").exists(), "{fields}");
    }
    let bench = Bench::new();
    bench.write("status.json", "{\"status\": \"run");
    update(&bench, &json!({"message": "hello"}));
    assert!(bench.state("status.json.corrupt-20260301T120000Z").exists(), "what is damaged is still kept aside");
}

/// S30 and S33: what loops called, used and cost.
#[test]
fn calls_tokens_and_cost_add_up() {
    let bench = Bench::new();
    let finished = |number: u64, more: Value| {
        let mut fields = json!({"loopCount": number, "loopDurationSeconds": 1, "loopSucceeded": true});
        fields.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        update(&bench, &fields)["metrics"].clone()
    };
    let totals =
        |metrics: &Value| (metrics["totalCalls"].clone(), metrics["totalTokens"].clone(), metrics["totalCostUsd"].clone());
    assert_eq!(totals(&finished(1, json!({"loopCalls": 2}))), (json!(2), Value::Null, Value::Null));
    assert_eq!(totals(&finished(2, json!({"loopTokens": 1800, "loopCostUsd": 0.1}))), (json!(3), json!(1800), json!(0.1)));
    // Left out: what the analysis of that loop says, and no other's.
    bench.write(".response_analysis", r#"{"loop_number": 3, "analysis": {"tokens_used": 200, "cost_usd": 0.2}}"#);
    assert_eq!(totals(&finished(3, json!({}))), (json!(4), json!(2000), json!(0.3)));
    assert_eq!(totals(&finished(4, json!({}))), (json!(5), json!(2000), json!(0.3)));
    assert_eq!(totals(&finished(3, json!({"loopTokens": 0, "loopCostUsd": 0}))), (json!(6), json!(2000), json!(0.3)));
    let lines = fs::read_to_string(bench.state("logs/metrics.jsonl")).expect("there");
    let second = lines.lines().nth(1).expect("two lines");
    assert!(second.ends_with(r#","success":true,"calls":1,"tokens":1800,"cost_usd":0.1}"#), "{second}");
    assert!(lines.lines().next().is_some_and(|first| first.ends_with(r#""calls":2}"#)), "as bash writes it");
    // Lines of others, and lines that say something else.
    bench.write(
        "logs/metrics.jsonl",
        "{\"duration\":1,\"success\":true}\n{\"duration\":1,\"success\":true,\"calls\":7,\"cost_usd\":\"much\"}\n",
    );
    assert_eq!(totals(&read(&bench)["metrics"]), (json!(7), Value::Null, Value::Null));
}

/// An instance reads on; another, which knows nothing, must answer the same whatever happens to the files.
#[test]
fn what_an_instance_remembers_is_what_is_there() {
    let start = |number: u64| format!("[2026-03-01 10:00:00] [LOOP] === Starting Loop #{number} ===\n");
    let end = |number: u64| {
        format!(
            "[2026-03-01 10:01:00] [SUCCESS] execution completed successfully\n[2026-03-01 10:02:00] [LOOP] === Completed Loop #{number} ===\n"
        )
    };
    let measured = |seconds: u64| {
        format!("{{\"timestamp\":\"2026-03-01T10:20:30Z\",\"loop\":1,\"duration\":{seconds},\"success\":true,\"calls\":1}}\n")
    };
    let bench = Bench::with(&json!({"layout": "flat"}));
    let path = |name: &str| bench.state(&format!("logs/{name}"));
    let write = |name: &str, text: String| bench.write(&format!("logs/{name}"), text);
    let append = |name: &str, text: String| {
        let before = fs::read_to_string(path(name)).unwrap_or_default();
        let file = fs::OpenOptions::new().append(true).create(true).open(path(name));
        file.and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes())).expect("appended");
        assert!(fs::read_to_string(path(name)).expect("there").starts_with(&before));
    };
    let mut seen = Vec::new();
    let mut look = |what: &str| {
        let fresh = Bench::over(&bench);
        let (ours, theirs) = (
            read(&bench)["metrics"].clone(),
            fresh.call("progress_reporter", crate::testing::raw(&json!({"action": "read"}))).expect("read")["metrics"].clone(),
        );
        assert_eq!(ours, theirs, "{what}");
        seen.push(ours["totalLoops"].as_u64().expect("a count"));
    };
    look("nothing");
    write("ralph.log", start(1));
    look("begun");
    append("ralph.log", end(1));
    look("ended");
    append("ralph.log", start(2) + &end(2)[..60]);
    look("cut in a line");
    append("ralph.log", end(2)[60..].to_owned());
    look("the rest of it");
    append("ralph.log", start(3));
    fs::rename(path("ralph.log"), path("ralph.log.1")).expect("rotated");
    look("rotated");
    write("ralph.log", end(3));
    look("gone on in the next");
    fs::remove_file(path("ralph.log.1")).expect("removed");
    look("without the archive");
    fs::remove_file(path("ralph.log")).expect("removed");
    write("ralph.log", start(1) + &end(1));
    look("replaced");
    write("metrics.jsonl", measured(1) + &measured(2)[..20]);
    look("measured");
    append("metrics.jsonl", measured(2)[20..].to_owned());
    look("on");
    write("metrics.jsonl", measured(7));
    look("cut");
    fs::remove_file(path("metrics.jsonl")).expect("removed");
    look("the log again");
    assert_eq!(seen, [0, 0, 1, 1, 2, 2, 3, 0, 1, 1, 2, 1, 1]);
}
