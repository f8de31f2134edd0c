//! Public bug reports, by their number in the list of cases, as far as the pure rules decide them.

use serde_json::json;

use super::super::api_limit::ApiLimitKind;
use super::*;

fn block(lines: &[&str]) -> String {
    format!("---RALPH_STATUS---\n{}\n---END_RALPH_STATUS---", lines.join("\n"))
}

fn result(text: &str) -> String {
    json!({"type": "result", "subtype": "success", "is_error": false, "result": text, "session_id": "s-1"}).to_string()
}

fn lines(messages: &[serde_json::Value]) -> String {
    messages.iter().flat_map(|message| [message.to_string(), "\n".to_owned()]).collect()
}

#[test]
fn case_1_a_block_in_a_result() {
    let output = json!({"result": format!("ok\n{}", block(&["STATUS: COMPLETE", "EXIT_SIGNAL: true"])), "session_id": "s-1"});
    let analysis = analyze(&output.to_string());
    assert_eq!(analysis.format, OutputFormat::Json);
    assert!(analysis.exit_signal && analysis.has_completion_signal && analysis.explicit_exit_signal);
    assert_eq!(analysis.confidence_score, 100);
    assert_eq!(analysis.session_id.as_deref(), Some("s-1"));
}

#[test]
fn case_2_complete_but_go_on() {
    for output in [
        format!("ok\n{}", block(&["STATUS: COMPLETE", "EXIT_SIGNAL: false"])),
        result(&format!("ok\n{}", block(&["STATUS: COMPLETE", "EXIT_SIGNAL: false"]))),
    ] {
        let analysis = analyze(&output);
        assert!(!analysis.exit_signal && analysis.explicit_exit_signal);
        assert!(analysis.has_completion_signal && analysis.has_progress, "it finished a task: {output}");
    }
    let analysis = analyze(&format!("The first half is done.\n{}", block(&["STATUS: IN_PROGRESS", "EXIT_SIGNAL: false"])));
    assert!(!analysis.exit_signal && !analysis.has_completion_signal && !analysis.has_progress);
    assert_eq!(analysis.confidence_score, 10, "the word scores all the same");
}

#[test]
fn case_4_done_in_prose_while_tasks_are_open() {
    let text = "Wrote README: once setup is done, run the server.";
    let blocked = analyze_with(text.as_bytes(), &Context { blocking_tasks: true, ..context() });
    assert!(!blocked.has_completion_signal && !blocked.exit_signal);
    assert_eq!(blocked.confidence_score, 10);
    let free = analyze(text);
    assert!(free.has_completion_signal && !free.exit_signal);
}

#[test]
fn case_5_test_only() {
    assert!(analyze("Running tests\npytest -q").is_test_only);
    assert!(!analyze("Running tests\nadding a class").is_test_only);
    assert!(analyze(&block(&["STATUS: IN_PROGRESS", "WORK_TYPE: TESTING", "EXIT_SIGNAL: false"])).is_test_only);
    assert!(analyze(&result(&block(&["WORK_TYPE: TESTING"]))).is_test_only);
    assert!(!analyze(&result(&block(&["WORK_TYPE: TESTING | IMPLEMENTATION"]))).is_test_only);
}

#[test]
fn case_6_arrays() {
    let init = json!({"type": "system", "subtype": "init", "session_id": "s-1"});
    let assistant = json!({"type": "assistant", "message": {"content": [{"type": "text", "text": "working"}]}});
    let end = json!({"type": "result", "result": block(&["EXIT_SIGNAL: true"])});
    for pretty in [false, true] {
        let print = |value: serde_json::Value| if pretty { format!("{value:#}") } else { value.to_string() };
        let analysis = analyze(&print(json!([init, assistant, end])));
        assert!(analysis.exit_signal && analysis.format == OutputFormat::Json && !analysis.truncated);
        assert_eq!(analysis.session_id.as_deref(), Some("s-1"));
        let analysis = analyze(&print(json!([init, assistant])));
        assert!(!analysis.exit_signal && !analysis.has_completion_signal);
        assert_eq!(analysis.work_summary, "working", "the last text of the assistant stands in");
    }
    assert_eq!(analyze("[]").format, OutputFormat::Json);
}

#[test]
fn case_7_a_failed_run_gives_no_signal() {
    let error = json!({"type": "result", "is_error": true, "session_id": "s-1",
        "result": format!("API Error: 400 tool use concurrency\n{}", block(&["STATUS: COMPLETE", "EXIT_SIGNAL: true", "FILES_MODIFIED: 3"]))});
    let init = json!({"type": "system", "subtype": "init", "session_id": "s-1"});
    for output in [error.to_string(), json!([init, error]).to_string(), lines(&[init.clone(), error.clone()])] {
        let analysis = analyze(&output);
        assert!(analysis.is_error && analysis.has_errors, "{output}");
        assert!(!analysis.exit_signal && !analysis.has_completion_signal && !analysis.is_test_only && !analysis.has_progress);
        assert_eq!((analysis.session_id, analysis.files_modified), (None, 0));
    }
}

#[test]
fn case_8_stream_json_and_numbers_in_quotes() {
    let output = lines(&[
        json!({"type": "system", "subtype": "init", "session_id": "s-1"}),
        json!({"type": "assistant", "message": {"content": [{"type": "text", "text": "working"}]}}),
        json!({"type": "result", "result": block(&["EXIT_SIGNAL: true"]), "usage": {"input_tokens": 5, "output_tokens": 6}}),
    ]);
    let analysis = analyze(&output);
    assert_eq!((analysis.format, analysis.tokens_used), (OutputFormat::StreamJson, 11));
    assert!(analysis.exit_signal && !analysis.truncated);
    assert_eq!(analysis.session_id.as_deref(), Some("s-1"));

    let analysis = analyze(r#"{"status":"IN_PROGRESS","files_modified":"08"}"#);
    assert_eq!((analysis.files_modified, analysis.warnings.len()), (8, 0));
    let analysis = analyze(r#"{"status":"IN_PROGRESS","files_modified":"three"}"#);
    assert_eq!((analysis.files_modified, analysis.warnings.len()), (0, 1));
}

#[test]
fn case_10_blocks_in_all_their_clothes() {
    let real = block(&["STATUS: COMPLETE", "EXIT_SIGNAL: true"]);
    let template = block(&["STATUS: IN_PROGRESS | COMPLETE | BLOCKED", "EXIT_SIGNAL: false | true"]);
    let texts = [
        format!("{}\n{real}", block(&["STATUS: IN_PROGRESS", "EXIT_SIGNAL: false"])),
        format!("EXIT_SIGNAL: false | true\n{real}"),
        format!("{template}\nprose\n{real}"),
        block(&["EXIT_SIGNAL: True"]),
        real.replace('\n', "\r\n"),
        block(&["**EXIT_SIGNAL:** true"]),
        format!("```\n{real}\n```"),
        "RALPH_STATUS:\n  STATUS: COMPLETE\n  EXIT_SIGNAL: true".to_owned(),
    ];
    for text in texts {
        assert!(analyze(&text).exit_signal, "as text: {text}");
        assert!(analyze(&result(&text)).exit_signal, "in a result: {text}");
    }
    for text in [template.as_str(), "EXIT_SIGNAL: false | true", &block(&["EXIT_SIGNAL: false | true"])] {
        for output in [text.to_owned(), result(text)] {
            let analysis = analyze(&output);
            assert!(!analysis.exit_signal && !analysis.has_completion_signal && !analysis.explicit_exit_signal, "{output}");
        }
    }
}

#[test]
fn case_15_plan_limits() {
    let limit = |output: &str| analyze(output).api_limit;
    let at = |output: &str| limit(output).and_then(|limit| limit.resets_at).map(|at| at.to_rfc3339());
    let kind = |output: &str| limit(output).map(|limit| limit.kind);
    let first = "Working.\nYou've hit your limit · resets 5pm (Europe/Vilnius)\n";
    assert_eq!((kind(first), at(first).as_deref()), (Some(ApiLimitKind::Usage), Some("2026-03-04T15:00:00+00:00")));
    assert_eq!(kind("Claude usage limit reached. Your limit will reset at 7pm (Asia/Tokyo)."), Some(ApiLimitKind::Usage));
    assert_eq!(kind("You're out of extra usage · resets 9pm"), Some(ApiLimitKind::ExtraUsage));
    assert_eq!(kind("We allow 5 uploads per hour as a limit"), None);
    assert_eq!(kind(&format!("You've hit your limit · resets 5pm\n{}", "more\n".repeat(40))), None, "not in the last 30 lines");

    let event = |status: &str| json!({"type": "rate_limit_event", "rate_limit_info": {"status": status, "resetsAt": 1_772_660_000, "rateLimitType": "five_hour"}});
    let init = json!({"type": "system", "subtype": "init", "session_id": "s-1"});
    let stream = lines(&[init.clone(), event("rejected")]);
    assert_eq!((kind(&stream), at(&stream).as_deref()), (Some(ApiLimitKind::FiveHour), Some("2026-03-04T21:33:20+00:00")));
    assert_eq!(kind(&lines(&[init.clone(), event("rejected"), event("allowed")])), None, "the last event counts");
    assert_eq!(kind(&json!([init, event("rejected")]).to_string()), Some(ApiLimitKind::FiveHour));

    let said = |is_error: bool| {
        json!({"type": "result", "is_error": is_error, "result": "You've hit your session limit · resets 3pm"}).to_string()
    };
    assert_eq!(kind(&said(true)), Some(ApiLimitKind::FiveHour));
    assert_eq!(kind(&said(false)), Some(ApiLimitKind::FiveHour), "the whole result is nothing else (case S8)");
}

#[test]
fn case_18_tokens() {
    let usage = |usage: serde_json::Value| [json!({"type": "system"}), json!({"type": "result", "usage": usage})];
    for usage in [
        usage(json!({"input_tokens": 1200, "output_tokens": 300})),
        usage(json!({"input_tokens": 1200, "output_tokens": 300, "cache_read_input_tokens": 50000})),
    ] {
        assert_eq!(analyze(&json!(usage).to_string()).tokens_used, 1500);
        assert_eq!(analyze(&lines(&usage)).tokens_used, 1500);
        assert_eq!(analyze(&usage[1].to_string()).tokens_used, 1500);
    }
    let models = json!({"type": "result", "usage": {"input_tokens": 1}, "modelUsage": {
        "a": {"inputTokens": 10, "outputTokens": 5, "cacheReadInputTokens": 9}, "b": {"inputTokens": 1, "outputTokens": 1}}});
    assert_eq!(analyze(&models.to_string()).tokens_used, 17);
    // A resumed session's modelUsage tells its whole past.
    let mut resumed = models;
    resumed["model_usage_since_last_result"] = json!({"a": {"inputTokens": 3, "outputTokens": 2}});
    assert_eq!(analyze(&resumed.to_string()).tokens_used, 5);
}

#[test]
fn case_26_files_that_the_block_reports() {
    let text = block(&["FILES_MODIFIED: 6", "TASKS_COMPLETED_THIS_LOOP: 2", "EXIT_SIGNAL: false"]);
    for output in [text.clone(), result(&text)] {
        let analysis = analyze(&output);
        assert_eq!((analysis.files_modified, analysis.has_progress), (6, true));
        let told = analyze_with(output.as_bytes(), &Context { files: FilesChanged::Told(0), ..context() });
        assert_eq!(told.files_modified, 0, "the caller knows better");
        let counted = analyze_with(output.as_bytes(), &Context { files: FilesChanged::Counted(2), ..context() });
        assert_eq!(counted.files_modified, 2);
    }
}

#[test]
fn a_count_of_no_files_does_not_hide_those_that_the_block_reports() {
    let text = block(&["FILES_MODIFIED: 6", "EXIT_SIGNAL: false"]);
    for (metadata, modified) in [(json!({}), 6), (json!({"files_changed": 0}), 6), (json!({"files_changed": 2}), 2)] {
        let output = json!({"type": "result", "result": text, "metadata": metadata}).to_string();
        let analysis = analyze(&output);
        assert_eq!((analysis.files_modified, analysis.has_progress), (modified, true), "{output}");
    }
}

#[test]
fn case_30_errors_and_the_word_error() {
    let errors = |output: &str| analyze(output).has_errors;
    assert!(errors(
        &json!({"type": "result", "is_error": false, "result": "Error: build failed\nFatal: cannot continue"}).to_string()
    ));
    assert!(!errors("Added ValidationException class with unit tests."));
    assert!(!errors(&result("Added ValidationException class with unit tests.")));
    assert!(!errors(&json!({"type": "result", "subtype": "error_max_turns", "is_error": true}).to_string()));
    assert!(!errors(&json!({"type": "result", "subtype": "error_max_budget_usd", "is_error": true}).to_string()));
    assert!(errors(&json!({"type": "result", "subtype": "error_during_execution", "is_error": true}).to_string()));
    assert!(errors(
        &json!({"type": "result", "subtype": "error_during_execution", "errors": ["TypeError: x is undefined"]}).to_string()
    ));
}

#[test]
fn streams_that_end_early_or_were_written_over() {
    let init = json!({"type": "system", "subtype": "init", "session_id": "s-1"}).to_string();
    let said = |text: &str| {
        json!({"type": "assistant", "message": {"content": [{"type": "text", "text": text}, {"type": "tool_use", "name": "Bash", "input": {}}]}}).to_string()
    };
    let end = result(&block(&["EXIT_SIGNAL: true"]));

    let cut = analyze(&format!("{init}\n{}\n{}", said("working"), &end[..end.len() - 4]));
    assert_eq!((cut.format, cut.truncated, cut.exit_signal), (OutputFormat::StreamJson, true, false));
    assert_eq!((cut.work_summary.as_str(), cut.session_id.as_deref()), ("working", Some("s-1")));

    let no_result = analyze(&format!("{init}\n{}\n", said(&block(&["EXIT_SIGNAL: true"]))));
    assert!(no_result.truncated && no_result.exit_signal, "the block in the last text counts");

    let noisy = analyze(&format!("{init}\n(node:1) Warning: x\n{{\"type\":\"user\",\"message\":\"cut\n{end}\nTerminated\n"));
    assert!(noisy.exit_signal && !noisy.truncated);
    assert_eq!(noisy.warnings, ["3 of the output's lines are no JSON and were skipped"]);

    let twice = analyze(&format!("{init}\n{end}\n{}\n", result("going on")));
    assert!(!twice.exit_signal && twice.work_summary == "going on", "the last result speaks");

    assert_eq!(analyze(&end).format, OutputFormat::Json, "a result alone is Claude CLI's object");
    assert_eq!(analyze(&init).format, OutputFormat::StreamJson);
    assert_eq!(analyze(&init[..20]).format, OutputFormat::StreamJson);
    let array = analyze(&format!("[{init},{end},{{\"type\":\"assi"));
    assert_eq!((array.format, array.truncated, array.exit_signal), (OutputFormat::Json, true, true));
}

#[test]
fn lines_around_json() {
    let done = block(&["STATUS: COMPLETE", "EXIT_SIGNAL: true"]);
    let end = result(&done);
    let init = json!({"type": "system", "subtype": "init", "session_id": "s-1"}).to_string();
    let flat = json!({"status": "COMPLETE", "exit_signal": true}).to_string();
    let plain = json!({"result": done, "session_id": "s-1"});
    let warning = "(node:1) Warning: x\n[12:00:01] starting\n[x] {y}\n\n";
    for (output, format, skipped) in [
        (format!("Warning: x\n{end}"), OutputFormat::Json, 1),
        (format!("{warning}{end}\n"), OutputFormat::Json, 3),
        (format!("{warning}{plain:#}\n"), OutputFormat::Json, 3),
        (format!("{end}\nTerminated\n"), OutputFormat::Json, 1),
        (format!("Warning: x\n[{init},{end}]\nTerminated\n"), OutputFormat::Json, 2),
        (format!("[{init},{end}]\nTerminated\n"), OutputFormat::Json, 1),
        (format!("{warning}{init}\n{end}\n"), OutputFormat::StreamJson, 3),
        (format!("{warning}{init}\nWarning: y\n{end}\nTerminated\n"), OutputFormat::StreamJson, 5),
    ] {
        let analysis = analyze(&output);
        assert_eq!((analysis.format, analysis.exit_signal, analysis.truncated), (format, true, false), "{output}");
        assert_eq!(analysis.warnings, [format!("{skipped} of the output's lines are no JSON and were skipped")], "{output}");
    }
    for text in [
        format!("Warning: x\n{flat}\n"),
        format!("{flat}\nTerminated\n"),
        format!("It answers:\n{}\nAll is done.", json!({"status": "ok", "result": 5, "summary": "x"})),
        format!("A stream begins like this:\n{init}\n"),
        format!("Warning: x\n{}", &end[..end.len() - 1]),
        format!("Warning: x\n{end} and more of it\n{{\"a\": 1,\n}}"),
        format!("{}{end}", "line\n".repeat(17)),
    ] {
        assert_eq!(analyze(&text).format, OutputFormat::Text, "{text}");
    }
    // Beyond a mebibyte what has begun decides.
    let filler = "x".repeat(2 << 20);
    let long = analyze(&format!("Warning: x\n{}", result(&format!("{filler}\n{done}"))));
    assert_eq!((long.format, long.exit_signal, long.truncated), (OutputFormat::Json, true, false));
    assert_eq!(analyze(&format!("Warning: x\n{{\"a\":\"{filler}\"}}")).format, OutputFormat::Text);
}

#[test]
fn texts_that_begin_like_json() {
    for text in
        ["[main]: error while linking", "{ x = 1 }", "[x] done", "{", "[", "{\"a\": 1}\nprose", "[1, 2", "{\"type\":\"a\"} x"]
    {
        assert_eq!(analyze(text).format, OutputFormat::Text, "{text}");
    }
    for json in ["{}", " \n{\"a\": 1}", "\u{feff}{\"result\": \"x\"}", "{\"result\": \"cut", "[{\"type\": \"res"] {
        assert_eq!(analyze(json).format, OutputFormat::Json, "{json}");
    }
    let cut = analyze("{\"result\": \"all tasks complete, done");
    assert!(cut.truncated && !cut.has_completion_signal, "what is cut is no signal");
}

#[test]
fn flat_and_nested_exit_signals() {
    let nested = |flat: serde_json::Value, text: &str| {
        analyze(&json!({"exit_signal": flat, "status": "COMPLETE", "result": text}).to_string())
    };
    assert!(!nested(json!(false), "no block").exit_signal, "an explicit false beats COMPLETE");
    assert!(nested(json!(false), "no block").has_completion_signal);
    assert!(nested(json!(false), &block(&["EXIT_SIGNAL: true"])).exit_signal, "the block may still say true");
    assert!(nested(json!(true), &block(&["EXIT_SIGNAL: false"])).exit_signal, "a flat true stands");
    assert!(nested(json!("true"), "").exit_signal);
    assert!(analyze(&json!({"metadata": {"completion_status": "complete"}, "result": "x"}).to_string()).exit_signal);
    assert!(analyze(&result(&block(&["STATUS: COMPLETE"]))).exit_signal, "COMPLETE without EXIT_SIGNAL means exit");
    assert!(!analyze(&json!({"summary": block(&["EXIT_SIGNAL: true"])}).to_string()).exit_signal);
}

#[test]
fn denials_and_their_limitation() {
    let output = |command: &str| {
        json!({"result": "x", "permission_denials": [{"tool_name": "Bash", "tool_input": {"command": command}}]}).to_string()
    };
    let with = |output: String| analyze_with(output.as_bytes(), &Context { allowed_tools: "Bash(npm *)", ..context() });
    let compound = with(output("npm test && npm run build"));
    assert!(compound.denials.compound_only && !compound.has_permission_denials());
    let real = with(output("npm test && curl evil"));
    assert!(!real.denials.compound_only && real.has_permission_denials());
}

#[test]
fn a_template_gives_no_signal() {
    let template = block(&[
        "STATUS: IN_PROGRESS | COMPLETE | BLOCKED",
        "TASKS_COMPLETED_THIS_LOOP: <number>",
        "FILES_MODIFIED: <number>",
        "EXIT_SIGNAL: false | true",
        "RECOMMENDATION: <one line summary of what to do next>",
    ]);
    for text in [format!("{template}\n{}", block(&["STATUS: IN_PROGRESS"])), format!("{template}\n{template}")] {
        for output in [text.clone(), result(&text)] {
            let analysis = analyze(&output);
            assert!(!analysis.has_completion_signal && !analysis.exit_signal && analysis.warnings.is_empty(), "{output}");
        }
    }
    let analysis = analyze(&result(&format!("{}\n{template}", block(&["STATUS: COMPLETE", "EXIT_SIGNAL: true"]))));
    assert!(analysis.exit_signal && analysis.explicit_exit_signal && analysis.warnings.is_empty());
}

#[test]
fn numbers_that_are_too_great_or_none() {
    let greatest = (1 << 53) - 1;
    for (output, modified) in [
        (json!({"files_modified": 1e20}), greatest),
        (json!({"metadata": {"files_changed": 1e30}}), greatest),
        (json!({"files_modified": 9_007_199_254_740_993_u64}), greatest),
        (json!({"result": block(&["FILES_MODIFIED: 99999999999999999999"])}), greatest),
        (json!({"files_modified": -1}), 0),
        (json!({"files_modified": 1.5}), 0),
        (json!({"files_modified": "-1"}), 0),
        (json!({"result": block(&["FILES_MODIFIED: -1"])}), 0),
    ] {
        let analysis = analyze(&output.to_string());
        assert_eq!((analysis.files_modified, analysis.warnings.len()), (modified, 1), "{output}");
    }
    let analysis = analyze(&json!({"confidence": 1e30, "usage": {"input_tokens": u64::MAX, "output_tokens": 1}}).to_string());
    assert_eq!((analysis.confidence_score, analysis.tokens_used, analysis.warnings.len()), (greatest, greatest, 2));
    assert_eq!(analyze(&json!({"confidence": -1e30}).to_string()).confidence_score, 0);
}

#[test]
fn both_words_for_testing() {
    for word in ["TESTING", "TEST_ONLY"] {
        assert!(analyze(&json!({"work_type": word}).to_string()).is_test_only);
        let text = block(&[&format!("WORK_TYPE: {word}"), "EXIT_SIGNAL: false"]);
        assert!(analyze(&text).is_test_only && analyze(&result(&text)).is_test_only);
    }
    assert!(!analyze(&json!({"work_type": "IMPLEMENTATION"}).to_string()).is_test_only);
}

#[test]
fn an_empty_result_is_a_result() {
    let summary = |output: serde_json::Value| analyze(&output.to_string()).work_summary;
    assert_eq!(summary(json!({"result": "", "summary": "S"})), "");
    assert_eq!(summary(json!({"result": null, "summary": "S"})), "S");
    assert_eq!(summary(json!({"summary": "S"})), "S");
    assert_eq!(summary(json!({"type": "result", "result": "", "errors": ["E"]})), "E");
}

#[test]
fn the_last_text_is_not_a_subagents() {
    let said = |text: &str, parent: serde_json::Value| json!({"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}, "parent_tool_use_id": parent});
    let init = json!({"type": "system", "subtype": "init", "session_id": "s-1"});
    let done = block(&["STATUS: COMPLETE", "EXIT_SIGNAL: true"]);
    let analysis = analyze(&lines(&[init.clone(), said("mine", json!(null)), said(&done, json!("toolu_1"))]));
    assert_eq!((analysis.work_summary.as_str(), analysis.exit_signal), ("mine", false));
    let first = json!({"parent_tool_use_id": "toolu_1", "type": "assistant", "message": {"content": done}});
    assert_eq!(analyze(&lines(&[init.clone(), first])).work_summary, "");
    assert!(analyze(&lines(&[init, said("x", json!("toolu_1")), said(&done, json!(null))])).exit_signal);
}

#[test]
fn a_zone_that_nobody_knows_is_told() {
    let analysis = analyze("You've hit your limit · resets 5pm (IST)");
    assert!(analysis.api_limit.is_some_and(|limit| limit.resets_at.is_some()));
    assert!(analysis.warnings[0].contains("IST"), "{:?}", analysis.warnings);
}

#[test]
fn v0_9_reads_text_only() {
    let mut analyzer = Analyzer::new(Generation::V0_9);
    analyzer.feed(result(&block(&["EXIT_SIGNAL: true"])).as_bytes());
    let analysis = analyzer.finish(&context());
    assert_eq!((analysis.format, analysis.exit_signal, analysis.session_id), (OutputFormat::Text, false, None));
}

#[test]
fn a_summary_is_cut_on_a_character() {
    let text = format!("Summary {}", "é".repeat(80));
    assert_eq!(analyze(&text).work_summary, format!("Summary {}", "é".repeat(46)));
    let text = format!("Summary: {}", "é".repeat(80));
    assert_eq!(analyze(&text).work_summary, format!("Summary: {}", "é".repeat(45)));
}
