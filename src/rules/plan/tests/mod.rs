//! What counts as a task, as tables; what always holds, as properties.

mod properties;

pub(super) use properties::LINES;

use super::*;

fn optional() -> Vec<String> {
    ["Optional", "Future", "Future Enhancements", "Nice to Have"].map(String::from).to_vec()
}

fn parse(text: &str) -> Plan {
    Plan::parse(text.as_bytes(), &optional(), Generation::V0_11)
}

/// Each task as its box and text.
fn listed(text: &str) -> Vec<String> {
    let task = |task: &Task| match task.mark {
        Mark::Open => format!("  {}", task.description),
        Mark::Begun => format!("/ {}", task.description),
        Mark::Done => format!("x {}", task.description),
        Mark::Other => format!("? {}", task.description),
    };
    parse(text).tasks.iter().map(task).collect()
}

fn assert_lists(table: &[(&str, &[&str])]) {
    for (text, expected) in table {
        assert_eq!(listed(text), *expected, "{text:?}");
    }
}

#[test]
fn list_items_with_a_box() {
    assert_lists(&[
        ("- [ ] a", &["  a"]),
        ("* [x] a", &["x a"]),
        ("+ [X] a", &["x a"]),
        ("1. [/] a", &["/ a"]),
        ("12) [ ] a", &["  a"]),
        ("1234567890. [ ] a", &[]),
        ("\t- [ ] a", &["  a"]),
        ("             - [ ] a", &["  a"]),
        ("-    [ ] a", &["  a"]),
        ("-\t[ ] a", &["  a"]),
        ("> - [ ] a\n>- [ ] b\n> > * [x] c", &["  a", "  b", "x c"]),
        ("### - [ ] a\n####### 1. [x] b", &["  a", "x b"]),
        ("> ## - [ ] a", &["  a"]),
        ("- - [ ] a", &["  a"]),
        ("- [ ]a", &["  a"]),
        ("- [ ]", &["  "]),
        ("- [ ] \t a \t", &["  a"]),
        ("- [x]: a", &["x : a"]),
        ("- [ ] [x] a", &["  [x] a"]),
        // No items.
        ("-[ ] a\n[ ] a\n#- [ ] a\na. [ ] b\n### [ ] a\n• [ ] a\n| - [ ] a |\ntext - [ ] a", &[]),
        ("- > [ ] a\n- # [ ] a", &[]),
    ]);
}

#[test]
fn boxes_that_are_none() {
    assert_lists(&[
        ("- [-] dropped\n- [-]dropped\n### - [-] dropped", &[]),
        ("- [2026-01-29] note\n- [x] a", &["x a"]),
        ("- [x](https://example.org)\n- [x][ref]\n- [ ](a)\n- [ ][a]\n- [/](/)", &[]),
        ("- [x] (a)\n- [x] [ref]", &["x (a)", "x [ref]"]),
        ("- [  ] a\n- [ x] a\n- [xx] a\n- [~~] a\n- [[] a\n- [\\] a\n- [\0] a\n- [", &[]),
        // Code, and references.
        ("- []byte\n- [](a)\n- [][a]\n- [1]: https://example.org\n- [a]bc\n- [\u{e9}]t\u{e9}", &[]),
    ]);
}

#[test]
fn marks_that_people_use() {
    assert_lists(&[
        (
            "- [~] a\n- [!] b\n- [>] c\n- [?] d\n- [] e\n- [x] f\n- [X] g\n- [-] h\n- [/] i",
            &["/ a", "? b", "? c", "? d", "  e", "x f", "x g", "/ i"],
        ),
        ("- []\n- [!]glued\n- [\t] a\n- [\u{a0}] a\n* [*] b\n1. [1] c", &["  ", "? glued", "  a", "  a", "? b", "? c"]),
        // One mark to a reader, whatever it takes to write it.
        (
            "- [\u{2713}] a\n- [\u{2714}\u{fe0f}] b\n- [1\u{fe0f}\u{20e3}] c\n- [e\u{301}] d\n- [\u{1f6a7}] e",
            &["? a", "? b", "? c", "? d", "? e"],
        ),
    ]);
    for (text, after) in [
        ("- [] a\r\n- [ ] b", "- [x] a\r\n- [ ] b"),
        ("\u{feff}- []", "\u{feff}- [x]"),
        ("- [~] a", "- [x] a"),
        ("- [\u{2714}\u{fe0f}] a", "- [x] a"),
    ] {
        let plan = parse(text);
        let ticked = plan.tasks.first().and_then(|task| set_mark(text.as_bytes(), task, true)).expect("pending");
        assert_eq!(String::from_utf8_lossy(&ticked), after);
        assert!(parse(after).tasks[0].completed() && parse(after).tasks[0].id == plan.tasks[0].id);
    }
}

#[test]
fn what_the_owner_should_know() {
    let notes = |text: &str| {
        let survey = survey(text.as_bytes(), &optional(), Generation::V0_11);
        assert_eq!(survey, parse(text).survey(text.as_bytes()), "{text:?}");
        survey.notes.join("; ")
    };
    for text in [
        "",
        "\n \n",
        "- [ ] a",
        "- [~] a\n- [/] b\n- [] c",
        "- [-] all dropped",
        "```\n- [ ] in\n```",
        "```\n- [!] in\n```\n- [x] a",
    ] {
        assert_eq!(notes(text), "", "{text:?}");
    }
    let odd = notes("- [ ] a\n- [!] b\n- [>] c\n- [\u{2714}] d");
    assert!(odd.contains("line 2") && odd.contains("[!]") && odd.contains("2 more"), "{odd}");
    for text in ["# Plan", "Write it.", "1. Write it\n2. Test it", "- write it\n* test it", "[ ] no item"] {
        assert!(notes(text).contains("`- [ ] "), "{text:?}");
    }
}

#[test]
fn public_reports() {
    assert_lists(&[
        ("### - [ ] Task A\n- [x] Task B\n", &["  Task A", "x Task B"]),
        ("- [ ] A\r\n- [x] B\r\n", &["  A", "x B"]),
        ("\u{feff}- [ ] first\n- [x] A\n", &["  first", "x A"]),
        ("- [x] A\n```markdown\n- [ ] example\n```\n", &["x A"]),
        ("```\n- [ ] example\n- [x] example\n```\n", &[]),
        ("<!--\n- [ ] sample\n-->\n- [x] A", &["x A"]),
        ("~~~\n- [ ] example\n~~~\n- [x] A", &["x A"]),
        ("- [x] A\n```\n- [ ] B\n- [ ] C", &["x A", "  B", "  C"]),
        ("- [~] dropped\n- [ ] bravo\n- [ ] charlie\n- [/] delta", &["/ dropped", "  bravo", "  charlie", "/ delta"]),
    ]);
    assert!(!parse("```\n- [x] example\n```\n").totals().complete());
}

#[test]
fn fences() {
    assert_lists(&[
        ("````\n```\n- [ ] in\n````\n- [ ] out", &["  out"]),
        ("```\n- [ ] in\n`````\n- [ ] out", &["  out"]),
        ("```\n- [ ] in\n~~~\n- [ ] in\n```\n- [ ] out", &["  out"]),
        ("``` rust ignore\n- [ ] in\n```\n- [ ] out", &["  out"]),
        // An end mark carries no info string, and an opening one of backticks no backtick.
        ("```\n- [ ] in\n``` a\n- [ ] in\n```  \n- [ ] out", &["  out"]),
        ("``` a`b\n- [ ] a\n```\n- [ ] b", &["  a", "  b"]),
        ("~~~ a`b\n- [ ] in\n~~~\n- [ ] out", &["  out"]),
        ("``\n- [ ] a\n``", &["  a"]),
        // Up to three columns; four make it text at the start of a line, and no end mark.
        ("   ```\n- [ ] in\n  ```\n- [ ] out", &["  out"]),
        ("text\n\n    ```\n- [ ] a\n    ```", &["  a"]),
        ("```\n- [ ] in\n    ```\n- [ ] in\n```\n- [ ] out", &["  out"]),
        // In list items they are indented with the item, or with its words.
        ("- [ ] a\n  ```\n  - [ ] in\n  ```\n- [ ] b", &["  a", "  b"]),
        ("1.  [ ] a\n\n    ```\n    - [ ] in\n    ```\n2. [ ] b", &["  a", "  b"]),
        ("- [ ] a\n      ```\n      - [ ] in\n      ```\n- [ ] b", &["  a", "  b"]),
        ("  - [ ] a\n\t```\n\t- [ ] in\n\t```\n- [ ] b", &["  a", "  b"]),
        ("- ```\n  - [ ] in\n  ```\n- [ ] b", &["  b"]),
        ("-\n  ```\n  - [ ] in\n  ```\n- [ ] b", &["  b"]),
        // Its end further out, as people write it.
        ("- [ ] a\n  ```sh\n  - [ ] in\n```\n- [ ] b\n```\n- [ ] in\n```", &["  a", "  b"]),
        ("- a\n  - ```\n    - [ ] in\n  ```\n- [ ] b", &["  b"]),
        ("- a\nlazily on\n  ```\n  - [ ] in\n  ```\n", &[]),
        // Whoever leaves the item leaves the fence: it was never closed.
        ("- [ ] a\n  ```\n- [ ] b\n  ```\n  - [ ] in\n  ```\n", &["  a", "  b"]),
        ("> ```\n> - [ ] in\n> ```\n> - [ ] out", &["  out"]),
        ("> ```\n> - [ ] a\n\n```\n- [ ] in\n```\n", &["  a"]),
        ("```\n> ```\n- [ ] in\n```\n- [ ] out", &["  out"]),
        ("> > ```\n> > - [ ] a\n> ```\n> > - [ ] b", &["  a", "  b"]),
        // Never closed: hides nothing, whatever follows.
        ("~~~\n- [ ] a\n```\n- [ ] in\n```\n- [ ] b", &["  a", "  b"]),
        ("````\n- [ ] a\n```\n- [ ] in\n```\n- [ ] b\n", &["  a", "  b"]),
        ("```a\n```b\n- [ ] in\n```\n- [ ] out\n```c\n- [ ] end", &["  out", "  end"]),
        ("```\n```\n- [ ] a\n```\n```", &["  a"]),
    ]);
}

#[test]
fn comments() {
    assert_lists(&[
        ("<!-- - [ ] in -->\n- [ ] a", &["  a"]),
        ("- [ ] a <!-- note -->\n- [ ] b", &["  a <!-- note -->", "  b"]),
        ("- [x] a <!-- b\n- [ ] in\n-->\n- [ ] out", &["x a <!-- b", "  out"]),
        ("<!--\n- [ ] in --> x\n- [ ] out", &["  out"]),
        ("<!-- a --> <!--\n- [ ] in\n-->", &[]),
        ("<!-- never closed\n- [ ] a\n# Optional", &["  a"]),
        ("- [ ] name `<!--` marks\n- [ ] a\n- [ ] and `-->`", &["  name `<!--` marks", "  a", "  and `-->`"]),
        ("<!-->\n- [ ] a\n-->", &["  a"]),
        // Whichever starts first holds the other.
        ("```\n<!--\n```\n- [ ] a\n```\n-->\n```\n- [ ] b", &["  a", "  b"]),
        ("<!--\n```\n-->\n- [ ] a\n```\n- [ ] b", &["  a", "  b"]),
        ("``` <!--\n- [ ] in\n```\n- [ ] out\n-->", &["  out"]),
        ("<!-- ```\n- [ ] in\n--> ```\n- [ ] out", &["  out"]),
        // A fence that never closes is text, and a comment in it a comment.
        ("```\n- [ ] a\n<!--\n- [ ] in\n-->\n- [ ] b", &["  a", "  b"]),
        ("<!-- never closed\n```\n- [ ] in\n```\n- [ ] out", &["  out"]),
    ]);
}

#[test]
fn lines_in_any_state() {
    assert_lists(&[
        ("", &[]),
        ("\n\n\n", &[]),
        ("\u{feff}", &[]),
        ("- [ ] a\r- [x] b\r\r\n- [ ] c", &["  a", "x b", "  c"]),
        ("- [ ] a\0b\n- [ ] c", &["  a\0b", "  c"]),
        ("text \u{feff}\n- [ ] a", &["  a"]),
    ]);
    let lines = |text: &str| parse(text).tasks.iter().map(|task| task.line).collect::<Vec<_>>();
    assert_eq!(lines("# a\r\n- [ ] a\r\n\r\n- [ ] b"), [2, 4]);
    assert_eq!(lines("- [ ] a\r\r- [ ] b\n\r- [ ] c"), [1, 3, 5]);
    let broken = Plan::parse(b"\xff\n- [ ] \xc3( a\n- [\xa0] b\n- [x] \xf0\x9f", &[], Generation::V0_11);
    let texts: Vec<_> = broken.tasks.iter().map(|task| task.description.as_str()).collect();
    assert_eq!(texts, ["\u{fffd}( a", "b", "\u{fffd}"]);
    assert_eq!(broken.tasks.iter().map(|task| task.offset).collect::<Vec<_>>(), [5, 16, 24]);
}

#[test]
fn sections() {
    let table: &[(&str, &[(&str, &str)])] = &[
        (
            "- [ ] a\n# One\n- [ ] b\n## Two ##\n- [ ] c\n### Three:\n\n- [ ] d",
            &[("a", ""), ("b", "One"), ("c", "Two"), ("d", "Three")],
        ),
        // A task line, a dropped one and what a fence or comment holds are no headings; nor is text with a line under it.
        ("## One\n### - [ ] a\n- [ ] b\n### - [-] c\n- [ ] d", &[("a", "One"), ("b", "One"), ("d", "One")]),
        ("## One\n```\n# two\n```\n<!--\n# three\n-->\n- [ ] a", &[("a", "One")]),
        ("## One\n```\n# two\n- [ ] a", &[("a", "two")]),
        ("## One\nTwo\n---\n- [ ] a\nThree\n===\n- [ ] b", &[("a", "One"), ("b", "One")]),
        ("## One\n#two\n####### Seven\n- [ ] a\n##\n- [ ] b", &[("a", "Seven"), ("b", "")]),
        ("  ## One\n- ## Two\n- [ ] a", &[("a", "One")]),
        // A quoted heading holds inside its quote.
        (
            "# One\n> ## Two\n> - [ ] a\n>\n> - [ ] b\n\n- [ ] c\n> - [ ] d",
            &[("a", "Two"), ("b", "Two"), ("c", "One"), ("d", "One")],
        ),
        ("> # One\n> ```\n> # two\n> ```\n> - [ ] a", &[("a", "One")]),
    ];
    for (text, expected) in table {
        let plan = parse(text);
        let found: Vec<_> = plan.tasks.iter().map(|task| (task.description.as_str(), &*task.section)).collect();
        assert_eq!(found, *expected, "{text:?}");
    }
    assert_eq!(parse("- [ ] a\n# B\n- [ ] b\n# C\n# D\n- [ ] d\n# B\n- [ ] e").sections(), ["", "B", "D"]);
    let long = format!("# {}\n- [ ] a", "x".repeat(1000));
    assert_eq!(parse(&long).tasks.first().map(|task| task.section.len()), Some(300));
}

#[test]
fn optional_sections_reach_down() {
    let optional_tasks = |text: &str| {
        let plan = parse(text);
        plan.tasks.iter().filter(|task| task.optional).map(|task| task.description.clone()).collect::<Vec<_>>().join(",")
    };
    for (text, expected) in [
        ("## Optional\n- [ ] a\n### Deeper\n- [ ] b\n## Next\n- [ ] c", "a,b"),
        ("## NICE TO HAVE: ##\n- [ ] a\n# Up\n- [ ] b", "a"),
        ("## Optional\n### Future\n- [ ] a\n### Other\n- [ ] b\n## Next\n- [ ] c", "a,b"),
        ("## Optional\n## Future\n- [ ] a", "a"),
        ("## Optional things\n- [ ] a", ""),
        ("## Optional\n### - [ ] a\n- [ ] b", "a,b"),
        ("> ## Optional\n> - [ ] a\n\n- [ ] b", "a"),
        ("## Optional\n> ## Next\n> - [ ] a\n\n- [ ] b", "b"),
        ("## Optional\n```\n## Next\n```\n- [ ] a", "a"),
        ("## Next\n```\n## Optional\n```\n- [ ] a", ""),
    ] {
        assert_eq!(optional_tasks(text), expected, "{text:?}");
    }
    let old = Plan::parse(b"## Optional\n- [ ] a\n", &optional(), Generation::V0_9);
    assert_eq!(old.totals().blocking, 1);
    let named = Plan::parse("## ЗАМЕТКИ\n- [ ] a\n".as_bytes(), &[" заметки: ".into(), String::new()], Generation::V0_11);
    assert_eq!(named.totals().blocking, 0);
    assert_eq!(Plan::parse(b"#\n- [ ] a\n", &[String::new()], Generation::V0_11).totals().blocking, 1);
}

#[test]
fn when_a_plan_is_complete() {
    let criteria = "## Tasks\n- [x] A\n## Success criteria\n- [ ] manual check";
    let with = Plan::parse(criteria.as_bytes(), &["Success criteria".into()], Generation::V0_11);
    assert!(with.totals().complete());
    assert_eq!(with.tasks.last().map(|task| &*task.section), Some("Success criteria"));
    for (text, complete, blocking) in [
        (criteria, false, 1),
        ("", false, 0),
        ("# No tasks", false, 0),
        ("- [x] a", true, 0),
        ("- [x] a\n- [/] b", false, 1),
        ("- [x] a\n## Optional\n- [ ] b", true, 0),
        ("## Optional\n- [ ] b", false, 0),
        ("## Optional\n- [x] b", true, 0),
    ] {
        let totals = parse(text).totals();
        assert_eq!((totals.complete(), totals.blocking), (complete, blocking), "{text:?}");
    }
}

#[test]
fn percentages_and_the_next_task() {
    for (completed, total, expected) in
        [(0, 0, 0.0), (0, 3, 0.0), (1, 3, 33.33), (2, 3, 66.67), (3, 3, 100.0), (99_999, 100_000, 99.99), (1, 8, 12.5)]
    {
        let totals = Totals { total, completed, blocking: 0 };
        assert!((totals.percentage() - expected).abs() < 1e-9, "{completed} of {total}: {}", totals.percentage());
    }
    for (text, expected) in [
        ("- [x] a\n- [ ] b\n- [/] c", Some("b")),
        ("## Optional\n- [ ] a\n## Next\n- [ ] b", Some("b")),
        ("- [x] a\n## Optional\n- [ ] b", Some("b")),
        ("- [x] a", None),
    ] {
        assert_eq!(parse(text).next().map(|task| task.id.as_str()), expected, "{text:?}");
    }
}

#[test]
fn finding_a_task() {
    let plan = parse("- [ ] Write tests\n- [ ] Write tests\n- [ ] [proj-001] Fix login\n- [ ] bravo\n- [ ] bravo");
    let id = |wanted: &str| match plan.find(wanted) {
        Found::Task(task) => format!("{}:{}", task.id, task.line),
        Found::Ambiguous(ids) => format!("ambiguous {}", ids.join(" ")),
        Found::None(ids) => format!("none {}", ids.join(" ")),
    };
    for (wanted, expected) in [
        ("write-tests", "write-tests:1"),
        ("write-tests-2", "write-tests-2:2"),
        ("proj-001", "proj-001:3"),
        ("[proj-001] Fix login", "proj-001:3"),
        ("Write tests", "ambiguous write-tests write-tests-2"),
        // An id is taken at its word, also where it is a description as well.
        ("bravo", "bravo:4"),
        ("Fix login", "none proj-001 "),
        ("brvo", "none bravo "),
        ("PROJ-001", "none proj-001 "),
        ("[PROJ-001] Fix", "none proj-001 "),
        ("tests write", "none write-tests "),
    ] {
        let found = id(wanted);
        assert!(found.starts_with(expected), "{wanted:?}: {found}");
    }
    assert_eq!(parse("").find("a"), Found::None(vec![]));
}

#[test]
fn the_mark_alone_changes() {
    for (text, completed, expected) in [
        ("- [ ] a\r\n- [x] b", true, Some("- [x] a\r\n- [x] b")),
        ("- [/] a", true, Some("- [x] a")),
        ("- [X] a", false, Some("- [ ] a")),
        ("\u{feff}  > 1) [ ] [ ] a", true, Some("\u{feff}  > 1) [x] [ ] a")),
        ("- [X] a", true, None),
        ("- [ ] a", false, None),
        ("- [/] a", false, None),
    ] {
        let plan = parse(text);
        let changed = plan.tasks.first().and_then(|task| set_mark(text.as_bytes(), task, completed));
        assert_eq!(changed.as_deref(), expected.map(str::as_bytes), "{text:?}");
    }
}
