//! Inputs that break analyzers: whatever the bytes, an answer, and the same one however they are cut.

use proptest::prelude::*;

use super::*;

fn in_pieces(output: &[u8], size: usize, generation: Generation) -> Analysis {
    let mut analyzer = Analyzer::new(generation);
    for piece in output.chunks(size.max(1)) {
        analyzer.feed(piece);
    }
    analyzer.finish(&context())
}

#[test]
fn bytes_that_are_no_text() {
    for output in [
        b"".as_slice(),
        b"\0\0\0",
        b"\xff\xfe\xfd done \xc3",
        b"{\"result\":\"\xff\xfe done\"}",
        b"{\"result\":\"\0\"}",
        b"---RALPH_STATUS---\nSTATUS: \xff\n---END_RALPH_STATUS---",
        b"Summary \xf0\x9f\x98",
    ] {
        let analysis = analyze_with(output, &context());
        assert!(analysis.output_length <= output.len() as u64);
    }
    assert!(analyze_with(b"{\"result\":\"\xff done\"}", &context()).work_summary.ends_with(" done"));
}

#[test]
fn a_hundred_thousand_brackets() {
    for unit in ["[", "{\"a\":", "[{\"result\":"] {
        let open = unit.repeat(100_000);
        assert!(!analyze(&open).exit_signal);
    }
    let closed = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(analyze(&closed).format, OutputFormat::Json);
    let inside = format!("{{\"usage\":{}{},\"result\":\"x\"}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(analyze(&inside).work_summary, "x");
}

#[test]
fn what_is_json_does_not_depend_on_how_it_comes() {
    for output in [
        // Found by the fuzzer: broken after messages of a stream.
        "[{\"type\":\"system\"},{\"type\":\"result\",1\"result\":\"done\"}]",
        "{\"type\":\"system\"}\n{\"type\":1\"result\"}\n{\"type\":\"result\",\"result\":\"x\"}",
        "{\"a\":1}x",
        "\u{feff}{\"result\":\"x\"}",
        "\u{feff}text",
    ] {
        for generation in [Generation::V0_9, Generation::V0_11] {
            let whole = in_pieces(output.as_bytes(), usize::MAX, generation);
            assert_eq!(in_pieces(output.as_bytes(), 1, generation), whole, "{output}");
        }
    }
    assert_eq!(in_pieces("\u{feff}{\"result\":\"x\"}".as_bytes(), 1, Generation::V0_11).format, OutputFormat::Json);
    assert_eq!(in_pieces(b"\xef\xbb{\"result\":\"x\"}", 1, Generation::V0_11).format, OutputFormat::Text);
}

#[test]
fn long_lines() {
    let long = "x".repeat(5_000_000);
    let analysis = analyze(&format!("{long} done\nSummary {long}"));
    assert!(analysis.has_completion_signal);
    assert_eq!(analysis.work_summary.len(), 100);
    let analysis = analyze(
        &serde_json::json!({"result": format!("{long}\n---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---")})
            .to_string(),
    );
    assert!(analysis.exit_signal && analysis.warnings.len() == 1 && analysis.work_summary.len() == 1 << 20);
}

#[test]
fn where_a_mebibyte_ends_does_not_depend_on_how_it_comes() {
    let result = "{\"type\":\"result\",\"result\":\"done\"}";
    for before in [-16_i64, -15, -1, 0, 1, 20] {
        let filler = "x".repeat(usize::try_from((1 << 20) - before).unwrap());
        for output in [format!("{filler}\n{result}"), format!("Warning\n{{\"a\":\"{filler}\"}}\n{result}")] {
            let whole = in_pieces(output.as_bytes(), usize::MAX, Generation::V0_11).format;
            for size in [1000, 65_537] {
                assert_eq!(in_pieces(output.as_bytes(), size, Generation::V0_11).format, whole, "{before}");
            }
        }
    }
}

#[test]
fn a_long_field_takes_nothing_with_it() {
    let long = "a".repeat(4_300_000);
    let analysis = analyze(&format!("{{\"summary\":\"{long}\",\"exit_signal\":true,\"session_id\":\"s-1\"}}"));
    assert!(analysis.exit_signal && analysis.session_id.as_deref() == Some("s-1"));
    assert_eq!((analysis.work_summary.len(), analysis.warnings.len()), (1 << 20, 1));

    let denial = |input: serde_json::Value| serde_json::json!({"tool_name": "Write", "tool_input": input});
    for input in [serde_json::json!({"content": long}), serde_json::json!({"edits": vec!["abcdefgh"; 500_000]})] {
        let denials = [denial(serde_json::json!({})), denial(input)];
        let output = serde_json::json!({"type": "result", "permission_denials": denials, "result": "x", "session_id": "s-1"});
        let analysis = analyze(&output.to_string());
        assert!(analysis.has_permission_denials() && analysis.denials.commands == ["Write", "Write"]);
        assert_eq!((analysis.session_id.as_deref(), analysis.warnings.len()), (Some("s-1"), 1));
    }
    let halved =
        "{\"result\":\"x\",\"permission_denials\":[{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"echo \\ud83d\"}}]}";
    assert_eq!(analyze(halved).denials.commands, ["Bash(echo \u{fffd})"]);
}

#[test]
fn beyond_a_mebibyte_a_broken_document_is_still_json() {
    let filler = "x".repeat(2 << 20);
    let cut = analyze(&format!("{{\"status\":\"COMPLETE\",\"filler\":\"{filler}"));
    assert_eq!((cut.format, cut.truncated, cut.exit_signal), (OutputFormat::Json, true, false));
    let broken = analyze(&format!("{{\"status\":\"COMPLETE\",\"filler\":\"{filler}\n done\n"));
    assert_eq!((broken.format, broken.truncated, broken.exit_signal), (OutputFormat::Json, true, false));
}

/// Pieces of real outputs, to be strung together.
const FRAGMENTS: &[&str] = &[
    "---RALPH_STATUS---",
    "---END_RALPH_STATUS---",
    "RALPH_STATUS:",
    "  EXIT_SIGNAL: true",
    "EXIT_SIGNAL: false",
    "STATUS: COMPLETE",
    "STATUS: A | B",
    "\n",
    "\r\n",
    "done",
    "up to date",
    "Error: x",
    "Fatal",
    "should I",
    "awaiting",
    " input",
    "pytest",
    "class",
    "Summary: é",
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\\n",
    "\\u00",
    "é",
    "\0",
    "null",
    "\"type\":\"result\"",
    "\"result\":\"",
    "{\"type\":\"system\"}\n",
    "{\"type\":\"result\",\"result\":\"---RALPH_STATUS---\\nEXIT_SIGNAL: true\\n---END_RALPH_STATUS---\"}\n",
    "You've hit your limit · resets 5pm",
    "[{\"type\":\"system\"},",
    "(node:1) Warning: x\n",
    "{\"exit_signal\":true}\n",
    "\u{feff}",
    "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}}\n",
];

fn outputs() -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop_oneof![
        8 => prop::sample::select(FRAGMENTS).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(fragment, 0..40).prop_map(|fragments| fragments.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_same_answer_however_it_is_cut(output in outputs(), size in 1_usize..20) {
        for generation in [Generation::V0_9, Generation::V0_11] {
            let whole = in_pieces(&output, usize::MAX, generation);
            prop_assert_eq!(&in_pieces(&output, size, generation), &whole);
        }
    }

    #[test]
    fn an_exit_by_a_block_needs_its_marker(output in outputs()) {
        let analysis = in_pieces(&output, usize::MAX, Generation::V0_11);
        let text = String::from_utf8_lossy(&output).to_uppercase();
        if analysis.explicit_exit_signal {
            prop_assert!(text.contains("RALPH_STATUS") || text.contains("\"EXIT_SIGNAL\":"));
        }
    }
}
