//! Streams of messages, most of whose lines nobody looks into.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn said(text: &str, parent: Option<&str>) -> String {
    json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
        "parent_tool_use_id": parent, "session_id": "s-1"})
    .to_string()
}

fn init() -> String {
    json!({"type": "system", "subtype": "init", "session_id": "s-1", "tools": ["Bash"]}).to_string()
}

fn stream(lines: &[String]) -> Analysis {
    analyze(&format!("{}\n", lines.join("\n")))
}

#[test]
fn the_last_text_is_found_however_it_is_written() {
    let used =
        json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Edit", "input": {"text": "x"}}]}})
            .to_string();
    let asked = json!({"type": "user", "message": {"content": [{"type": "tool_result", "content": "\"text\""}]}}).to_string();
    let spaced = said("spaced", None).replace("\":", "\": ").replace(',', ", ");
    let reordered = r#"{"message":{"content":[{"text":"reordered","type":"text"}]},"type":"assistant"}"#.to_owned();
    for (lines, last) in [
        (vec![said("one", None)], "one"),
        (vec![said("one", None), said("two", None), used.clone(), asked.clone()], "two"),
        (vec![said("one", None), said("a subagent's", Some("toolu_1"))], "one"),
        (vec![said("one", None), spaced.clone()], "spaced"),
        (vec![spaced, said("one", None), asked.clone()], "one"),
        (vec![said("one", None), reordered, used.clone()], "reordered"),
        (vec![said("one", None), said("", None)], "one"),
        (vec![used, asked], ""),
    ] {
        let analysis = stream(&[&[init()], lines.as_slice()].concat());
        assert_eq!((analysis.work_summary.as_str(), analysis.warnings.len()), (last, 0), "{lines:?}");
        assert_eq!((analysis.format, analysis.session_id.as_deref()), (OutputFormat::StreamJson, Some("s-1")));
    }
}

#[test]
fn a_result_is_found_wherever_it_stands() {
    let result = json!({"type": "result", "result": "all of it", "session_id": "s-1"}).to_string();
    let user = json!({"type": "user", "message": "x"}).to_string();
    for lines in [
        vec![result.clone()],
        vec![user.clone(), result.clone(), user.clone()],
        vec![format!("{user}{result}")],
        vec![format!("  {result}")],
        vec![user.replace(r#"{"type":"#, r#"{"type": "#), result.clone()],
        vec![json!({"type": "user", "message": "x".repeat(600_000)}).to_string(), result.clone()],
    ] {
        let analysis = stream(&[&[init()], lines.as_slice()].concat());
        assert_eq!((analysis.work_summary.as_str(), analysis.truncated, analysis.warnings.len()), ("all of it", false, 0));
    }
    let cut = stream(&[init(), user.trim_end_matches('}').to_owned(), result]);
    assert_eq!((cut.work_summary.as_str(), cut.warnings.len()), ("all of it", 1), "a line that was cut is told of");
}

/// Lines of streams, and what may come between them.
fn any_line() -> impl Strategy<Value = String> {
    let user = json!({"type": "user", "message": {"content": "long ".repeat(30)}, "session_id": "s-1"}).to_string();
    let text = prop::sample::select(vec!["one", "two", "", "}{\"type\":\"user\""]);
    prop_oneof![
        Just(init()),
        (text, prop::option::of(Just("toolu_1"))).prop_map(|(text, parent)| said(text, parent)),
        Just(user.clone()),
        Just(json!({"type": "result", "result": "ok", "session_id": "s-1"}).to_string()),
        (Just(user.clone()), 0..100_usize).prop_map(|(line, at)| line[..at].to_owned()),
        Just(format!("{user}{user}")),
        Just(r#"{"type":"user",garbage}"#.to_owned()),
        Just(r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected"}}"#.to_owned()),
        Just("(node:1) Warning: x".to_owned()),
        Just("```".to_owned()),
        Just(String::new()),
        Just("---RALPH_STATUS---\nSTATUS: BLOCKED\n---END_RALPH_STATUS---".to_owned()),
    ]
}

proptest! {
    #[test]
    fn where_chunks_end_does_not_matter(
        lines in prop::collection::vec(any_line(), 0..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let raw = lines.join("\n").into_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(raw.len() + 1)).collect();
        cuts.sort_unstable();
        let mut analyzer = Analyzer::new(Generation::V0_11);
        let mut start = 0;
        for cut in cuts.into_iter().chain([raw.len()]) {
            analyzer.feed(&raw[start..cut]);
            start = cut;
        }
        prop_assert_eq!(analyzer.finish(&context()), analyze_with(&raw, &context()));
    }
}
