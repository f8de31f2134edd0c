//! Files changed as git counts them, where the caller does not say.

use std::fs;

use serde_json::{Value, json};

use super::{call, stall, warned};
use crate::testing::Bench;

fn git(bench: &Bench, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"];
    let done = std::process::Command::new("git").args(identity).args(arguments).current_dir(bench.root()).output().expect("git");
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

fn repository(bench: &Bench) {
    git(bench, &["init", "-q"]);
    commit(bench, &["a.txt", "b.txt"]);
}

fn commit(bench: &Bench, files: &[&str]) {
    for name in files {
        let path = bench.root().join(name);
        let before = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, before + "line\n").expect("written");
    }
    git(bench, &["add", "-A", "-f"]);
    git(bench, &["commit", "-q", "-m", "c"]);
}

fn record(bench: &Bench) -> Value {
    call(bench, "record")
}

#[test]
fn commits_since_begin_are_progress_only_once() {
    let bench = Bench::new();
    repository(&bench);
    call(&bench, "begin");
    let head = git(&bench, &["rev-parse", "HEAD"]);
    assert_eq!(fs::read_to_string(bench.state(".loop_start_sha")).expect("there"), format!("{head}\n"));
    commit(&bench, &["a.txt"]);
    let done = record(&bench);
    assert_eq!(done["lastProgressLoop"], 1);
    assert!(done.get("warnings").is_none(), "{done}");
    call(&bench, "begin");
    assert_eq!(record(&bench)["consecutiveNoProgress"], 1);
    // What is merely changed counts too, Ralph's own files do not.
    call(&bench, "begin");
    fs::write(bench.root().join("a.txt"), "changed\n").expect("written");
    assert_eq!(record(&bench)["lastProgressLoop"], 3);
    // The caller's word goes before git's.
    call(&bench, "begin");
    assert_eq!(stall(&bench, 4)["consecutiveNoProgress"], 1);
}

#[test]
fn ralphs_own_files_are_no_progress() {
    let bench = Bench::new();
    repository(&bench);
    call(&bench, "begin");
    record(&bench);
    git(&bench, &["add", "-A", "-f"]);
    git(&bench, &["commit", "-q", "-m", "state"]);
    call(&bench, "begin");
    assert_eq!(record(&bench)["consecutiveNoProgress"], 2);
}

#[test]
fn v0_9_counts_unstaged_changes_and_stores_no_start() {
    let bench = Bench::with(&json!({"rules": "v0.9", "layout": "flat"}));
    repository(&bench);
    call(&bench, "begin");
    assert!(!bench.state(".loop_start_sha").exists());
    commit(&bench, &["a.txt"]);
    assert_eq!(record(&bench)["consecutiveNoProgress"], 1);
    fs::write(bench.root().join("a.txt"), "changed\n").expect("written");
    assert_eq!(record(&bench)["lastProgressLoop"], 2);
}

#[test]
fn a_folder_that_is_no_repository_has_no_changes_and_no_start() {
    let bench = Bench::new();
    bench.write(".loop_start_sha", "0123456789abcdef0123456789abcdef01234567\n");
    let begun = call(&bench, "begin");
    assert!(begun.get("warnings").is_none(), "{begun}");
    assert!(!bench.state(".loop_start_sha").exists());
    bench.write(".loop_start_sha", "\n");
    let stalled = record(&bench);
    assert_eq!(stalled["consecutiveNoProgress"], 1);
    assert!(stalled.get("warnings").is_none(), "{stalled}");
}

#[test]
fn a_hostile_start_is_ignored_with_a_warning() {
    let bench = Bench::new();
    repository(&bench);
    for start in ["--output=pwned", "HEAD~1", "$(touch pwned)", "0123456789abcdef0123456789abcdef0123456\n0"] {
        bench.write(".loop_start_sha", start);
        let seen = record(&bench);
        assert!(warned(&seen, ".loop_start_sha"), "{start}: {seen}");
        assert_eq!(seen["lastProgressLoop"], 0);
        assert!(!bench.root().join("pwned").exists());
    }
}
