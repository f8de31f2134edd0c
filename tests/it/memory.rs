//! How much memory an analysis takes: measured in processes of their own, for the peak is a process's.

use std::process::Command;

use ralph_sdk_tools::Generation;
use ralph_sdk_tools::rules::analysis::{Analyzer, Context, FilesChanged};
use ralph_sdk_tools::zone::Zone;

const SHAPE: &str = "RALPH_MEMORY_SHAPE";

/// (name, what comes first, a piece, how many of them, what comes last, the longest line in MiB)
const SHAPES: &[(&str, &str, &str, usize, &str, u64)] = &[
    ("text", "", "a line of some prose that is neither long nor telling\n", 100_000, "", 0),
    ("longer text", "", "a line of some prose that is neither long nor telling\n", 600_000, "", 0),
    ("telling text", "", "Should I continue? error: it is not done, adding a class\n", 100_000, "", 0),
    (
        "stream",
        "{\"type\":\"system\",\"subtype\":\"init\"}\n",
        "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"working on the parser\\nand on its tests\"}]}}\n",
        150_000,
        "{\"type\":\"result\",\"result\":\"x\"}\n",
        0,
    ),
    (
        "array in one line",
        "[",
        "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"working\"}]}},",
        200_000,
        "{}]",
        0,
    ),
    ("pretty object", "{\n", "  \"key\": [1, 2, {\"deep\": \"value\"}],\n", 200_000, "  \"result\": \"x\"\n}", 0),
    ("result of many lines", "{\"result\":\"", "one line of the result that is told\\n", 200_000, "\"}", 0),
    ("brackets", "", "[", 1_000_000, "", 0),
    ("line of 25 MiB", "", "fifty bytes that say nothing at all, over and over;", 524_288, " done\n", 25),
    ("result in a line of 25 MiB", "{\"result\":\"", "fifty bytes that say nothing at all, over and over;", 524_288, "\"}", 25),
    ("very many values", "{\"usage\":[1", ",1", 12_000_000, "]}", 24),
    ("a field of very many lines", "{\"permission_denials\":[\n{}", ",\n{\"tool_name\":\"Bash\"}", 1_000_000, "]}", 0),
    (
        "a denied file of 24 MiB",
        "{\"permission_denials\":[{\"tool_input\":{\"content\":\"",
        "a\\nb\\u00e9",
        2_516_582,
        "\"}}]}",
        24,
    ),
    (
        "a result of 24 MiB after a line of text",
        "Warning\n{\"type\":\"result\",\"result\":\"",
        "abc done should I ",
        1_398_101,
        "\"}",
        24,
    ),
    // Lines full of wanted words.
    ("questions in a line of 24 MiB", "", "abc done should I ", 1_398_101, "\n", 24),
    ("done in a line of 24 MiB", "", "done\r", 5_033_164, "\n", 24),
    ("errors in a line of 24 MiB", "", "Exception Fatal ", 1_572_864, "\n", 24),
    ("an error of 24 MiB", "Error: ", "Error: done ", 2_097_152, "\n", 24),
    ("a line of 24 MiB in a block", "---RALPH_STATUS---\nSTATUS: ", "done\u{e9} ", 3_595_117, "\n---END_RALPH_STATUS---", 24),
    ("questions in a result of 24 MiB", "{\"result\":\"", "abc should I ", 1_935_832, "\"}", 24),
    ("errors in a result of 24 MiB", "{\"result\":\"Error: ", "Exception Fatal ", 1_572_864, "\"}", 24),
    (
        "message of 25 MiB",
        "{\"type\":\"assistant\",\"message\":{\"content\":\"",
        "fifty bytes that say nothing at all, over and over;",
        524_288,
        "\"}}\n{}",
        25,
    ),
];

/// Kibibytes of the peak so far.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().trim_end_matches("kB").trim().parse().ok()
}

fn analyze(first: &str, piece: &str, count: usize, last: &str) {
    let mut analyzer = Analyzer::new(Generation::V0_11);
    let some = piece.repeat((128 * 1024 / piece.len()).clamp(1, count));
    let per_chunk = some.len() / piece.len();
    analyzer.feed(first.as_bytes());
    for _ in 0..count / per_chunk {
        analyzer.feed(some.as_bytes());
    }
    analyzer.feed(last.as_bytes());
    let analysis = analyzer.finish(&Context {
        files: FilesChanged::Counted(0),
        last_output_length: None,
        blocking_tasks: false,
        allowed_tools: "",
        completion_promise: "",
        now: chrono::DateTime::UNIX_EPOCH,
        zone: Zone::System,
    });
    assert!(analysis.output_length > 0);
}

#[test]
#[ignore = "run by the next test, in a process of its own"]
fn one_shape() {
    let Ok(wanted) = std::env::var(SHAPE) else { return };
    let Some((_, first, piece, count, last, _)) = SHAPES.iter().find(|(name, ..)| *name == wanted) else { return };
    // The searchers are built once a process.
    analyze("", "done\n", 1, "");
    let before = peak().expect("Linux");
    analyze(first, piece, *count, last);
    println!("grew by {} KiB", peak().expect("Linux") - before);
}

#[test]
fn memory_does_not_grow_with_the_output() {
    if peak().is_none() {
        return;
    }
    for (name, _, piece, count, _, longest) in SHAPES {
        let this = std::env::current_exe().expect("this program");
        let run = Command::new(this).args(["--exact", "memory::one_shape", "--ignored", "--nocapture"]).env(SHAPE, name).output();
        let said = String::from_utf8(run.expect("run").stdout).expect("text");
        let grew: Option<u64> = said.split("grew by ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
        let grew = grew.unwrap_or_else(|| panic!("{name}: {said}"));
        println!("{name}: {} MiB, grew by {grew} KiB", (piece.len() * count) >> 20);
        assert!(grew < (8 + longest) * 1024, "{name}: grew by {grew} KiB");
    }
}
