use super::*;

fn read(text: &str) -> Option<StatusBlock> {
    let mut reader = BlockReader::default();
    for line in text.split('\n') {
        reader.line(line.as_bytes(), Words::default());
    }
    reader.finish().last
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
    assert_eq!(exit(&(block("false | true") + &block("true"))), Some(true));
    assert_eq!(exit(&(block("true") + &block("false | true"))), Some(true));
    assert_eq!(exit(&block("false | true")), None);
    assert_eq!(exit("---RALPH_STATUS---\n---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---"), Some(true));
}

/// Case S1.
#[test]
fn blocks_end_in_many_ways() {
    let keys = "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true";
    for end in [
        "---END_RALPH_STATUS---",
        "---END_STATUS---",
        "---END---",
        "--- END RALPH_STATUS ---",
        "---END RALPH STATUS---",
        "---/RALPH_STATUS---",
        "---END_RALPH_STATUS",
        "—END_STATUS—",
        "**---END_STATUS---**",
        "> ---end_status---",
        "---RALPH_STATUS---",
        "```",
        "~~~",
        "  ```  ",
        "",
        "\nThat is all.",
    ] {
        for behind in ["", "\n", "\nThanks.", "\nThe next loop has nothing to do.\n"] {
            assert_eq!(exit(&format!("Done.\n{keys}\n{end}{behind}")), Some(true), "{end:?} and {behind:?}");
        }
        let fenced = format!("```\n{keys}\n{end}\n```\nI shall say\nEXIT_SIGNAL: false\nwhen more is to do.");
        assert_eq!(exit(&fenced), Some(true), "{fenced}");
    }
    let block = |value: &str, end: &str| format!("---RALPH_STATUS---\nEXIT_SIGNAL: {value}\n{end}");
    for (text, expected) in [
        // The keys after the last opening mark.
        (block("false", "") + &block("true", ""), Some(true)),
        (block("true", "---RALPH_STATUS---\n") + &block("false", "---RALPH_STATUS---"), Some(false)),
        (block("true", "---RALPH_STATUS---\n\nEXIT_SIGNAL: false\n"), Some(false)),
        (block("true", "---RALPH_STATUS---\nSo it ends.\nEXIT_SIGNAL: false\n"), Some(true)),
        (block("true", "```\nprose\n---END_RALPH_STATUS---"), Some(true)),
        // Code inside a block.
        (block("true", "RECOMMENDATION: run\n```\nnpm t\n```\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---"), Some(false)),
        (block("true", "```sh\nnpm t\n---END_RALPH_STATUS---"), Some(true)),
        ("---RALPH_STATUS---\n```\nEXIT_SIGNAL: true\n```\n---END_RALPH_STATUS---".to_owned(), Some(true)),
        ("---RALPH_STATUS---\nnothing of the kind".to_owned(), None),
        (block("true", "---END_STATUS---\n") + "---RALPH_STATUS---\nis the mark of a block.", Some(true)),
        ("-RALPH_STATUS-\nEXIT_SIGNAL: true".to_owned(), None),
        ("---\nRALPH_STATUS\n---\nEXIT_SIGNAL: true".to_owned(), None),
    ] {
        assert_eq!(exit(&text), expected, "{text}");
    }
}

#[test]
fn a_block_that_is_open_is_told_from_one_that_is_closed() {
    let closed = |text: &str| {
        let mut reader = BlockReader::default();
        text.split('\n').for_each(|line| reader.line(line.as_bytes(), Words::default()));
        reader.finish().closed.and_then(|block| block.exit_signal)
    };
    let open = "---RALPH_STATUS---\nEXIT_SIGNAL: true";
    assert_eq!(closed(open), None);
    assert_eq!(closed(&format!("{open}\n---END_STATUS---")), Some(true));
    assert_eq!(closed(&format!("{open}\n```")), Some(true));
    assert_eq!(closed(&format!("{open}\n---RALPH_STATUS---")), Some(true));
    assert_eq!(closed(&format!("{open}\n---END_STATUS---\n---RALPH_STATUS---\nEXIT_SIGNAL: false")), Some(true));
    assert_eq!(closed("RALPH_STATUS:\n  EXIT_SIGNAL: true"), Some(true));
}

/// Case S21.
#[test]
fn the_first_word_of_a_value_counts() {
    let read = |line: &str| read(&format!("---RALPH_STATUS---\n{line}\n---END_RALPH_STATUS---")).unwrap_or_default();
    for (value, expected) in [
        ("true (all done)", true),
        ("false - tests fail", false),
        ("true.", true),
        ("True, everything passes", true),
        ("**true** (see above)", true),
        ("✅ true", true),
        ("true — nothing left", true),
        ("true | all done", true),
        ("`false` (not true yet)", false),
        ("not true", false),
        ("untrue", false),
        ("trueish", false),
        ("true: all done", true),
    ] {
        assert_eq!(read(&format!("EXIT_SIGNAL: {value}")).exit_signal, Some(expected), "{value}");
    }
    for (value, status) in [
        ("COMPLETE (7 of 7)", "COMPLETE"),
        ("complete - all of it", "COMPLETE"),
        ("IN_PROGRESS: step 2", "IN_PROGRESS"),
        ("In progress, step 2", "IN_PROGRESS"),
        ("IN-PROGRESS", "IN_PROGRESS"),
        ("BLOCKED by the API", "BLOCKED"),
        ("🚧 BLOCKED", "BLOCKED"),
        ("COMPLETED", "COMPLETED"),
        ("INCOMPLETE", "INCOMPLETE"),
    ] {
        assert_eq!(read(&format!("STATUS: {value}")).status.as_deref(), Some(status), "{value}");
    }
    assert_eq!(read("WORK_TYPE: testing (unit)").work_type.as_deref(), Some("TESTING"));
    assert_eq!(read("TESTS_STATUS: not run yet").tests_status.as_deref(), Some("NOT_RUN"));
    assert_eq!(read("TESTS_STATUS: FAILING (3 of 9)").tests_status.as_deref(), Some("FAILING"));
    for (value, expected) in [
        ("3 files", Ok(3)),
        ("3 (a.rs, b.rs, c.rs)", Ok(3)),
        ("3, all tested", Ok(3)),
        ("(3)", Ok(3)),
        ("three", Err("three".to_owned())),
        ("-1", Err("-1".to_owned())),
        ("3/5", Err("3/5".to_owned())),
    ] {
        assert_eq!(read(&format!("FILES_MODIFIED: {value}")).files_modified, Some(expected.clone()), "{value}");
        assert_eq!(read(&format!("TASKS_COMPLETED_THIS_LOOP: {value}")).tasks_completed, Some(expected), "{value}");
    }
    assert_eq!(
        read("RECOMMENDATION: need the API key | or a mock").recommendation.as_deref(),
        Some("need the API key | or a mock")
    );
    assert_eq!(read(&format!("RECOMMENDATION: {}", "é".repeat(900))).recommendation.map(|text| text.chars().count()), Some(500));
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
        ("FILES_MODIFIED: 3 | 4", true),
        ("EXIT_SIGNAL: true | all is done", false),
        ("TESTS_STATUS: PASSING/FAILING/NOT_RUN", true),
        ("RECOMMENDATION: <what next>", true),
        ("RECOMMENDATION: a | b", false),
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
        reader.finish().words_outside.completion
    };
    let (begin, end) = ("---RALPH_STATUS---", "---END_RALPH_STATUS---");
    assert!(!outside(&[begin, "STATUS: COMPLETE", end]));
    assert!(!outside(&[begin, "STATUS: IN_PROGRESS | COMPLETE", end]));
    assert!(outside(&["all complete", begin, "STATUS: COMPLETE", end]));
    assert!(!outside(&[begin, "STATUS: COMPLETE"]));
    assert!(outside(&[begin, "all complete"]));
    assert!(outside(&[begin, "STATUS: COMPLETE", begin, "all complete"]));
    assert!(outside(&[begin, "STATUS: COMPLETE", "```", "all complete"]));
    assert!(outside(&[begin, "STATUS: COMPLETE", end, begin, "STATUS: BLOCKED", end]));
    assert!(!outside(&["RALPH_STATUS:", "  STATUS: COMPLETE"]));
}
