//! The plan is the user's own file: writers at the same time, links, modes, what cannot be read.

use std::fs;

use serde_json::json;

use super::Sample;
use crate::error::ErrorCode;

#[test]
fn writers_at_the_same_time_tick_all_their_tasks() {
    let tasks: Vec<String> = (0..40).map(|number| format!("- [ ] task {number}")).collect();
    let sample = Sample::new(Some(&tasks.join("\n")));
    std::thread::scope(|scope| {
        for number in 0..40 {
            let sample = &sample;
            scope.spawn(move || sample.answer(json!({"action": "update", "taskId": format!("task-{number}")})));
        }
    });
    assert_eq!(sample.plan(), tasks.join("\n").replace("[ ]", "[x]"));
}

#[test]
fn somebody_elses_edit_is_never_overwritten() {
    let sample = Sample::new(Some("- [ ] theirs\n"));
    let written = sample.ralph.project().write(|files| files.replace_plan(b"- [ ] mine\n", b"- [x] mine\n")).expect("tried");
    assert!(!written.value);
    assert_eq!(sample.plan(), "- [ ] theirs\n");
}

#[test]
fn a_plan_that_cannot_be_read_is_said_so() {
    let folder = Sample::new(None);
    fs::create_dir_all(folder.path()).expect("made");
    for action in ["read", "progress"] {
        assert_eq!(folder.error(json!({"action": action})).code(), ErrorCode::IoError);
    }
    let wide = Sample::new(Some(""));
    fs::write(wide.path(), b"\xff\xfe-\0 \0[\0 \0]\0").expect("written");
    let answer = wide.answer(json!({"action": "progress"}));
    assert!(answer["warnings"][0].as_str().is_some_and(|warning| warning.contains("UTF-16")), "{answer}");
}

#[cfg(unix)]
#[test]
fn a_linked_plan_stays_a_link_and_keeps_its_mode() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sample = Sample::new(Some(""));
    let real = sample.folder.path().join("PLAN.md");
    fs::write(&real, "- [ ] a\n").expect("written");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o664)).expect("mode set");
    fs::remove_file(sample.path()).expect("removed");
    symlink("../PLAN.md", sample.path()).expect("linked");
    sample.answer(json!({"action": "update", "taskId": "a"}));
    assert_eq!(fs::read_to_string(&real).expect("there"), "- [x] a\n");
    assert!(fs::symlink_metadata(sample.path()).expect("there").is_symlink());
    assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o664);
    let beside: Vec<_> = fs::read_dir(sample.folder.path()).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(beside.len(), 2, "no temporary is left: {beside:?}");
}

#[cfg(unix)]
#[test]
fn a_plan_that_links_out_of_the_project_is_refused() {
    let sample = Sample::new(Some(""));
    let elsewhere = tempfile::tempdir().expect("a folder");
    let secret = elsewhere.path().join("plan.md");
    fs::write(&secret, "- [ ] a\n").expect("written");
    fs::remove_file(sample.path()).expect("removed");
    std::os::unix::fs::symlink(&secret, sample.path()).expect("linked");
    for input in [json!({"action": "read"}), json!({"action": "progress"}), json!({"action": "update", "taskId": "a"})] {
        assert_eq!(sample.error(input).code(), ErrorCode::OutsideProject);
    }
    assert_eq!(fs::read_to_string(&secret).expect("there"), "- [ ] a\n");
}
