//! Files changed as git counts them, where the caller does not say.

use std::fs;

use serde_json::{Value, json};

use super::{analysis, call, stall, warned};
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

/// S27: ten loops behind one edit that nobody commits; a loop that only makes new files.
#[test]
fn a_stall_behind_an_uncommitted_edit_opens_it() {
    for options in [json!({}), json!({"rules": "v0.9", "layout": "flat"})] {
        let bench = Bench::with(&options);
        repository(&bench);
        call(&bench, "begin");
        fs::write(bench.root().join("a.txt"), "edited and left\n").expect("written");
        assert_eq!(record(&bench)["lastProgressLoop"], 1);
        call(&bench, "begin");
        fs::create_dir_all(bench.root().join("src")).expect("made");
        fs::write(bench.root().join("src/new.txt"), "new and never added\n").expect("written");
        assert_eq!(record(&bench)["lastProgressLoop"], 2);
        for stalled in 1..=3 {
            call(&bench, "begin");
            assert_eq!(record(&bench)["consecutiveNoProgress"], stalled);
        }
        assert_eq!(call(&bench, "check")["state"], "OPEN");
        // An edit of what was edited before is one.
        call(&bench, "reset");
        call(&bench, "begin");
        fs::write(bench.root().join("src/new.txt"), "new and edited\n").expect("written");
        assert_eq!(record(&bench)["lastProgressLoop"], 1);
    }
}

/// S27 beside bash, which begins a loop by its own file alone: what we remember is of a loop before.
#[test]
fn a_loop_that_bash_began_is_counted_as_bash_does() {
    let bench = Bench::new();
    repository(&bench);
    fs::write(bench.root().join("a.txt"), "edited\n").expect("written");
    call(&bench, "begin");
    commit(&bench, &["b.txt"]);
    bench.write(".loop_start_sha", format!("{}\n", git(&bench, &["rev-parse", "HEAD"])));
    fs::write(bench.root().join("a.txt"), "edited again\n").expect("written");
    assert_eq!(record(&bench)["lastProgressLoop"], 1);
    // Ours begins again with what is there.
    call(&bench, "begin");
    assert_eq!(record(&bench)["consecutiveNoProgress"], 1);
    // Damage is forgotten: bash's rules are left.
    bench.write(".loop_start_files", "{\"began\": 7}");
    assert_eq!(record(&bench)["lastProgressLoop"], 3);
    assert!(warned(&call(&bench, "begin"), ".loop_start_files"));
}

/// S32: Ralph's own end-to-end suite.
#[test]
fn git_beats_a_claim() {
    let claim = |bench: &Bench, number| analysis(bench, number, &json!({"files_modified": 1}));
    let bench = Bench::new();
    repository(&bench);
    for number in 1..=3 {
        call(&bench, "begin");
        claim(&bench, number);
        let seen = record(&bench);
        assert_eq!(seen["consecutiveNoProgress"], number);
        assert!(warned(&seen, "git counts none"), "{seen}");
    }
    assert_eq!(call(&bench, "check")["state"], "OPEN");
    // Where git cannot tell the claim counts: no repository, no answer, and no beginning that anybody remembers.
    let nowhere = Bench::new();
    let broken = Bench::new();
    repository(&broken);
    fs::write(broken.root().join(".git/config"), "[core\n").expect("written");
    for bench in [nowhere, broken] {
        for number in 1..=3 {
            call(&bench, "begin");
            claim(&bench, number);
            assert_eq!(record(&bench)["lastProgressLoop"], number);
        }
    }
    let unbegun = Bench::new();
    repository(&unbegun);
    claim(&unbegun, 1);
    assert_eq!(record(&unbegun)["lastProgressLoop"], 1);
    // Since a commit nothing can have happened to a clean tree: so it was with bash's beginning alone.
    git(&unbegun, &["add", "-A", "-f"]);
    git(&unbegun, &["commit", "-q", "-m", "state"]);
    unbegun.write(".loop_start_sha", format!("{}\n", git(&unbegun, &["rev-parse", "HEAD"])));
    claim(&unbegun, 2);
    assert_eq!(record(&unbegun)["consecutiveNoProgress"], 1);
}

/// S26: with git, and without it.
#[test]
fn claims_about_tasks_are_compared_with_the_plan() {
    for with_git in [true, false] {
        let bench = Bench::new();
        bench.write("fix_plan.md", "- [ ] alpha\n- [ ] beta\n- [ ] gamma\n");
        if with_git {
            repository(&bench);
        }
        call(&bench, "begin");
        analysis(&bench, 1, &json!({"files_modified": 2, "tasks_completed": 2}));
        assert!(warned(&record(&bench), "completed 2 tasks, but no box"), "git: {with_git}");
        // Ticked, and nothing done.
        call(&bench, "begin");
        bench.call("task_planner", &json!({"action": "update", "taskId": "alpha"}));
        analysis(&bench, 2, &json!({"files_modified": 0, "tasks_completed": 1}));
        let seen = record(&bench);
        assert!(warned(&seen, "1 boxes of the plan were ticked") && !warned(&seen, "no box"), "{seen}");
        // Ticked, and something done.
        call(&bench, "begin");
        bench.call("task_planner", &json!({"action": "update", "taskId": "beta"}));
        fs::write(bench.root().join("a.txt"), "done\n").expect("written");
        analysis(&bench, 3, &json!({"files_modified": 1, "tasks_completed": 1}));
        let seen = record(&bench);
        assert!(seen.get("warnings").is_none(), "{seen}");
        // Another loop's claims are nobody's.
        call(&bench, "begin");
        let seen = record(&bench);
        assert!(seen.get("warnings").is_none(), "{seen}");
    }
    // Without a beginning nobody knows what was ticked before.
    let bench = Bench::new();
    bench.write("fix_plan.md", "- [x] alpha\n");
    analysis(&bench, 1, &json!({"files_modified": 0, "tasks_completed": 1}));
    assert!(record(&bench).get("warnings").is_none());
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
