use super::*;

fn read(text: &str) -> Option<StatusBlock> {
    let mut reader = BlockReader::default();
    for line in text.split('\n') {
        reader.line(line.as_bytes(), Words::default());
    }
    reader.finish().0
}

fn exit(text: &str) -> Option<bool> {
    read(text).and_then(|block| block.exit_signal)
}

#[test]
fn notations_of_the_same_signal() {
    for text in [
        "---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---",
        "---RALPH_STATUS---\r\nEXIT_SIGNAL: true\r\n---END_RALPH_STATUS---\r",
        "---RALPH_STATUS---\n**EXIT_SIGNAL:** true\n---END_RALPH_STATUS---",
        "**---RALPH_STATUS---**\n**EXIT_SIGNAL**: **true**\n**---END_RALPH_STATUS---**",
        "---RALPH_STATUS---\nexit_signal: True\n---END_RALPH_STATUS---",
        "---RALPH_STATUS---\n- EXIT_SIGNAL: `true`\n---END_RALPH_STATUS---",
        "```\n---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n```",
        "RALPH_STATUS:\n  EXIT_SIGNAL: true\n  reason: \"x\"",
        "prose\n  RALPH_STATUS:\n    EXIT_SIGNAL: true\nprose",
    ] {
        assert_eq!(exit(text), Some(true), "{text}");
    }
}

#[test]
fn the_last_complete_block_counts() {
    let block = |value: &str| format!("---RALPH_STATUS---\nEXIT_SIGNAL: {value}\n---END_RALPH_STATUS---\n");
    assert_eq!(exit(&(block("false") + &block("true"))), Some(true));
    assert_eq!(exit(&(block("true") + &block("false"))), Some(false));
    assert_eq!(exit(&(block("false") + "---RALPH_STATUS---\nEXIT_SIGNAL: true")), Some(false));
    assert_eq!(exit(&(block("false | true") + &block("true"))), Some(true));
    assert_eq!(exit(&(block("true") + &block("false | true"))), Some(true));
    assert_eq!(exit(&block("false | true")), None);
    assert_eq!(exit("---RALPH_STATUS---\n---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---"), Some(true));
}

#[test]
fn only_whole_keys_inside_a_block() {
    assert_eq!(read("STATUS: COMPLETE\nEXIT_SIGNAL: true"), None);
    assert_eq!(read("see RALPH_STATUS: below\nEXIT_SIGNAL: true"), None);
    let block = read("---RALPH_STATUS---\nTESTS_STATUS: COMPLETE\nMY_EXIT_SIGNAL: true\n---END_RALPH_STATUS---").unwrap();
    assert_eq!((block.status, block.exit_signal), (None, None));
    assert_eq!(exit("---RALPH_STATUS---\nEXIT_SIGNAL: maybe\n---END_RALPH_STATUS---"), Some(false));
    assert_eq!(exit("---RALPH_STATUS---\nEXIT_SIGNAL:\n---END_RALPH_STATUS---"), None);
}

#[test]
fn values() {
    let block = read(
        "---RALPH_STATUS---\nSTATUS: complete\nWORK_TYPE: Testing\nFILES_MODIFIED: 08\nRECOMMENDATION: a | b\n---END_RALPH_STATUS---",
    )
    .unwrap();
    assert!(block.is_complete());
    assert_eq!(block.work_type.as_deref(), Some("TESTING"));
    assert_eq!(block.files_modified, Some(Ok(8)));
    let block = read("---RALPH_STATUS---\nFILES_MODIFIED: three\n---END_RALPH_STATUS---").unwrap();
    assert_eq!(block.files_modified, Some(Err("three".to_owned())));
}

/// The block of Ralph's prompt template.
const TEMPLATE: &str = "---RALPH_STATUS---\nSTATUS: IN_PROGRESS | COMPLETE | BLOCKED\nTASKS_COMPLETED_THIS_LOOP: <number>\nFILES_MODIFIED: <number>\nTESTS_STATUS: PASSING | FAILING | NOT_RUN\nWORK_TYPE: IMPLEMENTATION | TESTING | DOCUMENTATION | REFACTORING\nEXIT_SIGNAL: false | true\nRECOMMENDATION: <one line summary of what to do next>\n---END_RALPH_STATUS---";

#[test]
fn a_template_is_no_report() {
    let quoted = format!("> {}", TEMPLATE.replace('\n', "\n> "));
    let bold = TEMPLATE.replace("<number>", "**<number>**").replace("EXIT_SIGNAL", "**EXIT_SIGNAL**");
    let listed = TEMPLATE.replace("false | true", "true/false").replace(" | ", " or ");
    for template in [TEMPLATE, &quoted, &bold, &listed] {
        assert_eq!(read(template), None, "{template}");
        assert_eq!(read(&format!("{template}\n{template}")), None, "{template}");
        let report = "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---";
        assert_eq!(exit(&format!("{report}\n{template}")), Some(true), "{template}");
    }
    for (line, template) in [
        ("EXIT_SIGNAL: true/false", true),
        ("EXIT_SIGNAL: false or true", true),
        ("EXIT_SIGNAL: `true`, `false`", true),
        ("EXIT_SIGNAL: <true or false>", true),
        ("STATUS: IN_PROGRESS/COMPLETE/BLOCKED", true),
        ("STATUS: [COMPLETE]", true),
        ("FILES_MODIFIED: <number>", true),
        ("EXIT_SIGNAL: n/a", false),
        ("EXIT_SIGNAL: true > false", false),
        ("STATUS: DONE/COMPLETE", false),
        ("FILES_MODIFIED: 3/5", false),
    ] {
        let block = read(&format!("---RALPH_STATUS---\n{line}\n---END_RALPH_STATUS---"));
        assert_eq!(block.is_none(), template, "{line}");
    }
}

#[test]
fn below_a_header_keys_are_indented_and_blank_lines_do_not_matter() {
    for (text, expected) in [
        ("RALPH_STATUS:\n\n  EXIT_SIGNAL: true", Some(true)),
        ("RALPH_STATUS:\n  STATUS: COMPLETE\n\r\n\n  EXIT_SIGNAL: true\n\nprose", Some(true)),
        ("> RALPH_STATUS:\n>\n>   EXIT_SIGNAL: true", Some(true)),
        ("  RALPH_STATUS:\n\n    - EXIT_SIGNAL: true", Some(true)),
        ("RALPH_STATUS:\nEXIT_SIGNAL: true", None),
        ("  RALPH_STATUS:\n  EXIT_SIGNAL: true", None),
        ("RALPH_STATUS:\n  STATUS: BLOCKED\nEXIT_SIGNAL: true", None),
        ("RALPH_STATUS:\n  EXIT_SIGNAL: false\nprose\n  EXIT_SIGNAL: true", Some(false)),
    ] {
        assert_eq!(exit(text), expected, "{text}");
    }
    assert_eq!(exit(&format!("RALPH_STATUS:\n{}  EXIT_SIGNAL: true", "\n".repeat(500))), None);
}

#[test]
fn marks_before_and_after_a_line() {
    let long = format!("---RALPH_STATUS---\nEXIT_SIGNAL: true{}\n---END_RALPH_STATUS---", "\r".repeat(2 * LINE_READ));
    let bom = "\u{feff}---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---";
    for text in [&long, bom, "\u{feff}RALPH_STATUS:\n  EXIT_SIGNAL: true"] {
        assert_eq!(exit(text), Some(true));
    }
    let block = read("---RALPH_STATUS---\nFILES_MODIFIED: 99999999999999999999\n---END_RALPH_STATUS---").unwrap();
    assert_eq!(block.files_modified, Some(Ok(u64::MAX)));
}

#[test]
fn words_count_outside_the_last_block_and_outside_templates() {
    let done = Words { completion: true, no_work: false };
    let outside = |lines: &[&str]| {
        let mut reader = BlockReader::default();
        for line in lines {
            let words = if line.to_lowercase().contains("complete") { done } else { Words::default() };
            reader.line(line.as_bytes(), words);
        }
        reader.finish().1.completion
    };
    let (begin, end) = ("---RALPH_STATUS---", "---END_RALPH_STATUS---");
    assert!(!outside(&[begin, "STATUS: COMPLETE", end]));
    assert!(!outside(&[begin, "STATUS: IN_PROGRESS | COMPLETE", end]));
    assert!(outside(&["all complete", begin, "STATUS: COMPLETE", end]));
    assert!(outside(&[begin, "STATUS: COMPLETE"]));
    assert!(outside(&[begin, "STATUS: COMPLETE", end, begin, "STATUS: BLOCKED", end]));
    assert!(!outside(&["RALPH_STATUS:", "  STATUS: COMPLETE"]));
}
