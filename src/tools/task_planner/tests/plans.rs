//! Plans as public projects have them: S3, S5, S17, S18.

use std::fs;

use serde_json::{Value, json};

use super::{Sample, counts};

fn warnings(answer: &Value) -> Vec<&str> {
    answer["warnings"].as_array().map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

/// S3: Ralph v0.10 to v0.11.0.
#[test]
fn the_plan_of_an_older_ralph_is_the_plan() {
    let sample = Sample::new(None);
    fs::create_dir_all(sample.folder.path().join(".ralph")).expect("made");
    let old = sample.folder.path().join(".ralph/@fix_plan.md");
    fs::write(&old, "- [ ] alpha\r\n- [x] beta").expect("written");
    let read = sample.answer(json!({"action": "read"}));
    assert_eq!((counts(&read), warnings(&read)), ([2, 1, 1, 1], vec![]));
    sample.answer(json!({"action": "update", "taskId": "alpha"}));
    assert_eq!(fs::read_to_string(&old).expect("there"), "- [x] alpha\r\n- [x] beta");
    let check = sample.ralph.call("exit_detection", super::raw(&json!({"action": "check"}))).expect("checked");
    assert_eq!(check["exitReason"], "plan_complete");
    // Both: the newer name counts, the other stays as it is.
    fs::write(sample.path(), "- [ ] gamma\n").expect("written");
    for input in [
        json!({"action": "read"}),
        json!({"action": "progress"}),
        json!({"action": "update", "taskId": "gamma"}),
        json!({"action": "update", "taskId": "gamma"}),
    ] {
        let answer = sample.answer(input);
        assert_eq!(answer["totalTasks"], 1);
        assert!(warnings(&answer).iter().any(|warning| warning.contains("both fix_plan.md and @fix_plan.md")), "{answer}");
    }
    assert_eq!(sample.plan(), "- [x] gamma\n");
    assert_eq!(fs::read_to_string(&old).expect("there"), "- [x] alpha\r\n- [x] beta");
    // One that is removed in between leaves the other.
    fs::remove_file(sample.path()).expect("removed");
    assert_eq!(counts(&sample.answer(json!({"action": "progress"}))), [2, 2, 0, 0]);
}

/// S3 in a flat layout: there `@fix_plan.md` is the only name.
#[test]
fn a_flat_project_has_one_name_for_it() {
    let sample = Sample::new(None);
    fs::write(sample.folder.path().join("@fix_plan.md"), "- [ ] alpha\n").expect("written");
    fs::write(sample.folder.path().join("fix_plan.md"), "- [ ] other\n").expect("written");
    let flat = Sample { ralph: sample.again(), ..sample };
    let read = flat.answer(json!({"action": "read"}));
    assert_eq!((&read["tasks"][0]["id"], warnings(&read)), (&json!("alpha"), vec![]));
}

/// S5.
#[test]
fn marks_of_peoples_own() {
    let sample = Sample::new(Some("- [~] a\n- [!] b\n- [>] c\n- [] d\n- [x] e\n- [-] f\n"));
    let read = sample.answer(json!({"action": "read", "filter": "pending"}));
    assert_eq!(counts(&read), [5, 1, 4, 4]);
    assert_eq!(read["tasks"].as_array().map(Vec::len), Some(4));
    let told = warnings(&read);
    assert!(told.len() == 1 && told[0].contains("line 2") && told[0].contains("[!]") && told[0].contains("1 more"), "{read}");
    for id in ["a", "b", "c", "d"] {
        sample.answer(json!({"action": "update", "taskId": id}));
    }
    assert_eq!(sample.plan(), "- [x] a\n- [x] b\n- [x] c\n- [x] d\n- [x] e\n- [-] f\n");
    let done = sample.answer(json!({"action": "progress"}));
    assert_eq!((counts(&done), warnings(&done)), ([5, 5, 0, 0], vec![]));
    // The warning comes with the verdict as well, for it may be why a run does not end.
    fs::write(sample.path(), "- [!] a\n- [x] b\n").expect("written");
    let check = sample.ralph.call("exit_detection", super::raw(&json!({"action": "check"}))).expect("checked");
    assert!(check["shouldExit"] == json!(false) && warnings(&check)[0].contains("[!]"), "{check}");
}

/// S17.
#[test]
fn leading_marks_are_ids() {
    let plan = "- [ ] T007 Write it\n- [ ] **US-12**: Sign in\n- [ ] 2.3 Load\n- [ ] ABC-4: x\n- [ ] ABC-4: y\n- [ ] [P1] Fix\n";
    let sample = Sample::new(Some(plan));
    let read = sample.answer(json!({"action": "read"}));
    let ids: Vec<_> = read["tasks"].as_array().expect("tasks").iter().map(|task| task["id"].clone()).collect();
    assert_eq!(ids, ["T007", "US-12", "2.3", "ABC-4", "ABC-4-2", "p1-fix"]);
    for id in ids {
        let answer = sample.answer(json!({"action": "update", "taskId": id}));
        assert_eq!(answer["tasks"][0]["id"], id);
    }
    assert_eq!(sample.plan(), plan.replace("[ ]", "[x]"));
    let error = sample.error(json!({"action": "update", "taskId": "us-12"}));
    assert!(error.message().contains("US-12"), "{error}");
}

/// S18.
#[test]
fn a_plan_without_boxes_says_what_a_task_looks_like() {
    for plan in ["# Plan\n\n1. Write it\n2. Test it\n", "Write it.", "- write it\n"] {
        let sample = Sample::new(Some(plan));
        for action in ["read", "progress"] {
            let answer = sample.answer(json!({"action": action}));
            assert_eq!(counts(&answer), [0, 0, 0, 0]);
            assert!(warnings(&answer).iter().any(|warning| warning.contains("`- [ ] ")), "{answer}");
        }
    }
    for plan in ["", "\n", "- [ ] a\n", "- [-] a\n"] {
        assert_eq!(warnings(&Sample::new(Some(plan)).answer(json!({"action": "read"}))), [""; 0], "{plan:?}");
    }
}
