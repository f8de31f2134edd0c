//! Public bug reports as inputs.

use std::fs;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::{SAMPLE, Sample, counts};

/// Backlog.md issue 1033, case 36.
#[test]
fn ids_survive_ticking_and_edits() {
    let plan = "- [~] dropped\n- [ ] bravo\n- [ ] charlie\n- [/] delta";
    let sample = Sample::new(Some(plan));
    assert_eq!(counts(&sample.answer(json!({"action": "progress"}))), [4, 0, 4, 4]);
    for _ in 0..2 {
        sample.answer(json!({"action": "update", "taskId": "bravo"}));
        assert_eq!(sample.plan(), plan.replace("[ ] bravo", "[x] bravo"));
    }
    fs::write(sample.path(), format!("- [ ] new first\n{}", sample.plan())).expect("edited");
    let answer = sample.answer(json!({"action": "update", "taskId": "charlie"}));
    assert_eq!(answer["tasks"][0]["line"], json!(4));
    assert_eq!(sample.plan(), "- [ ] new first\n- [~] dropped\n- [x] bravo\n- [x] charlie\n- [/] delta");
}

/// Ralph issues 255 and 144, ralphex issue 328: cases 32, 34 and X18.
#[test]
fn public_reports_about_counting() {
    for (plan, total, completed) in [
        ("### - [ ] Task A\n- [x] Task B\n", 2, 1),
        ("- [ ] A\r\n- [x] B\r\n", 2, 1),
        ("\u{feff}- [ ] first\n- [x] A\n", 2, 1),
        ("- [x] A\n```markdown\n- [ ] example\n```\n", 1, 1),
        ("```markdown\n- [ ] example\n- [x] example\n```\n", 0, 0),
        ("<!--\n- [ ] sample\n-->\n- [x] A", 1, 1),
        ("~~~\n- [ ] example\n~~~\n- [x] A", 1, 1),
        ("- [x] A\n```\n- [ ] B\n- [ ] C\n", 3, 1),
        ("- [2026-01-29] note\n- [x] a", 1, 1),
    ] {
        let answer = Sample::new(Some(plan)).answer(json!({"action": "progress"}));
        assert_eq!((&answer["totalTasks"], &answer["completedTasks"]), (&json!(total), &json!(completed)), "{plan:?}");
    }
}

/// ralphex issue 221, case X20.
#[test]
fn a_section_is_optional_where_the_project_says_so() {
    let plan = Some("## Tasks\n- [x] A\n## Success criteria\n- [ ] manual check");
    for (options, blocking) in [
        (vec![("optionalSections", json!([]))], 1),
        (vec![("optionalSections", json!(["Success criteria"]))], 0),
        (vec![("optionalSections", json!(["Success criteria"])), ("rules", json!("v0.9"))], 1),
    ] {
        let answer = Sample::with(plan, &options).answer(json!({"action": "read"}));
        assert_eq!(answer["blockingTasks"], json!(blocking), "{options:?}");
        assert_eq!(answer["tasks"][1]["section"], json!("Success criteria"));
        assert_eq!(answer["tasks"][1]["optional"], json!(blocking == 0));
    }
}

/// task-master issue 1137, case 37: a caller who pages sees each task once.
#[test]
fn a_long_list_is_read_page_by_page() {
    let plan: Vec<String> = (0..2000).map(|number| format!("- [ ] {number} {}", "word ".repeat(39))).collect();
    let sample = Sample::new(Some(&plan.join("\n")));
    let mut offset = Some(0);
    let mut seen = Vec::new();
    while let Some(start) = offset {
        let page = sample.answer(json!({"action": "read", "limit": 57, "offset": start}));
        assert_eq!(page["totalTasks"], json!(2000));
        seen.extend(page["tasks"].as_array().into_iter().flatten().filter_map(|task| task["line"].as_u64()));
        offset = page["nextOffset"].as_u64();
    }
    assert_eq!(seen, (1..=2000).collect::<Vec<u64>>());
}

fn any_input() -> impl Strategy<Value = Value> {
    let hint =
        select(&["alpha", "#12", "gamma", "[#12] beta", "*", "all", "", ".*", "%", "alpha,gamma", "alpha\ngamma", "-", "0"][..]);
    let value = prop_oneof![
        hint.prop_map(|text| json!(text)),
        any::<bool>().prop_map(|value| json!(value)),
        (-2_i64..50).prop_map(|value| json!(value)),
        Just(Value::Null),
        Just(json!(["alpha", "gamma"])),
    ];
    let field = select(&["taskId", "completed", "filter", "section", "limit", "offset", "content", "tasks", "all"][..]);
    let action = select(&["read", "update", "progress", "update", "reset", "clear", "delete", "write", "update_all"][..]);
    (action, prop::collection::btree_map(field, value, 0..5)).prop_map(|(action, fields)| {
        let mut input = json!(fields);
        input["action"] = action.into();
        input
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// Shrimp issue 111, case X25: no call can empty the plan or tick everything at once.
    #[test]
    fn a_call_changes_one_box_at_most(inputs in prop::collection::vec(any_input(), 1..8)) {
        let sample = Sample::new(Some(SAMPLE));
        for input in inputs {
            let before = sample.plan();
            let _ = sample.call(&input);
            let after = sample.plan();
            let differing = before.bytes().zip(after.bytes()).filter(|(a, b)| a != b).count();
            prop_assert!(before.len() == after.len() && differing <= 1, "{}: {:?}", input, after);
        }
    }
}
