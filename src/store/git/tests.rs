use super::*;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

const PATIENT: Duration = Duration::from_secs(60);

/// A repository with one commit of some files.
struct Repository(TempDir);

impl Repository {
    fn new(files: &[&str]) -> Self {
        let repository = Self(tempfile::tempdir().expect("a folder"));
        repository.git(&["init", "-q"]);
        repository.git(&["config", "core.autocrlf", "false"]);
        for file in files {
            repository.write(file, "one\n");
        }
        if !files.is_empty() {
            repository.commit();
        }
        repository
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    fn git(&self, arguments: &[&str]) -> String {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"];
        let done = Command::new("git").arg("-C").arg(self.path()).args(identity).args(arguments).output().expect("git");
        assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }

    fn commit(&self) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "x", "--no-verify"]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn changed(&self, generation: Generation, start: Option<&str>) -> GitAnswer<Option<u64>> {
        files_changed(self.path(), generation, start, PATIENT)
    }
}

/// How many files changed where nothing but a commit is known of the loop's start.
fn files_changed(root: &Path, generation: Generation, sha: Option<&str>, timeout: Duration) -> GitAnswer<Option<u64>> {
    let GitAnswer { value, warnings } =
        Scope { root, generation, is_own: &own::is_own, timeout }.changed(Start { sha, snapshot: None });
    GitAnswer { value: value.map(|changed| changed.paths.len() as u64), warnings }
}

/// The commit that is checked out.
fn head(root: &Path, timeout: Duration) -> GitAnswer<Option<String>> {
    let scope = Scope { root, generation: Generation::V0_11, is_own: &own::is_own, timeout };
    let GitAnswer { value, warnings } = scope.snapshot(None);
    GitAnswer { value: value.and_then(|snapshot| snapshot.head), warnings }
}

fn exactly(value: u64) -> GitAnswer<Option<u64>> {
    GitAnswer { value: Some(value), warnings: vec![] }
}

#[test]
fn v0_9_counts_unstaged_changes_alone() {
    let repository = Repository::new(&["a", "b", "c", "status.json"]);
    repository.write("a", "two\n");
    repository.write("b", "two\n");
    repository.git(&["add", "b"]);
    repository.write("status.json", "{}\n");
    repository.write("new", "x\n");
    assert_eq!(repository.changed(Generation::V0_9, None), exactly(2));
    let start = repository.git(&["rev-parse", "HEAD"]);
    repository.commit();
    assert_eq!(repository.changed(Generation::V0_9, Some(&start)), exactly(0));
}

#[test]
fn v0_11_counts_each_file_of_commits_index_and_work_tree_once() {
    let repository = Repository::new(&["a", "b", "c", "d e", "é"]);
    let start = repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(repository.changed(Generation::V0_11, Some(&start)), exactly(0));
    repository.write("a", "two\n");
    repository.commit();
    repository.write("a", "three\n");
    repository.write("b", "two\n");
    repository.git(&["add", "b"]);
    repository.write("b", "three\n");
    repository.write("d e", "two\n");
    repository.write("é", "two\n");
    repository.write("untracked", "x\n");
    assert_eq!(repository.changed(Generation::V0_11, Some(&start)), exactly(4));
    assert_eq!(repository.changed(Generation::V0_11, None), exactly(4));
}

#[test]
fn case_x10_a_clean_tree_after_a_commit() {
    let repository = Repository::new(&["a", "b", "c"]);
    let start = repository.git(&["rev-parse", "HEAD"]);
    repository.write("a", "two\n");
    repository.write("b", "two\n");
    repository.commit();
    assert_eq!(repository.changed(Generation::V0_11, Some(&start)), exactly(2));
}

#[test]
fn a_file_changed_by_a_commit_and_back_in_the_work_tree_counts() {
    let repository = Repository::new(&["a"]);
    let start = repository.git(&["rev-parse", "HEAD"]);
    repository.write("a", "two\n");
    repository.commit();
    repository.write("a", "one\n");
    assert_eq!(repository.changed(Generation::V0_11, Some(&start)), exactly(1));
}

#[test]
fn renamed_deleted_and_added_files() {
    let repository = Repository::new(&["a", "b", "c"]);
    let start = repository.git(&["rev-parse", "HEAD"]);
    repository.write("a", "a longer text, so that the rename is found\n");
    let renamed_from = repository.commit();
    repository.git(&["mv", "a", "renamed"]);
    assert_eq!(repository.changed(Generation::V0_11, None), exactly(1));
    repository.git(&["rm", "-q", "b"]);
    repository.write("added", "x\n");
    repository.git(&["add", "added"]);
    assert_eq!(repository.changed(Generation::V0_11, None), exactly(3));
    repository.commit();
    assert_eq!(repository.changed(Generation::V0_11, Some(&renamed_from)), exactly(3));
    assert_eq!(repository.changed(Generation::V0_11, Some(&start)).warnings, Vec::<String>::new());
}

#[test]
fn ralphs_own_files_are_no_progress_the_plan_is() {
    let repository = Repository::new(&["status.json", ".call_count", "logs/ralph.log", "fix_plan.md"]);
    for file in ["status.json", ".call_count", "logs/ralph.log", "fix_plan.md"] {
        repository.write(file, "two\n");
    }
    assert_eq!(repository.changed(Generation::V0_11, None), exactly(1));
}

#[test]
fn a_project_in_a_folder_of_the_repository_counts_all_of_it_but_owns_its_folder() {
    let repository = Repository::new(&["app/.call_count", "app/a", "lib/b", ".call_count"]);
    for file in ["app/.call_count", "app/a", "lib/b", ".call_count"] {
        repository.write(file, "two\n");
    }
    let changed = files_changed(&repository.path().join("app"), Generation::V0_11, None, PATIENT);
    assert_eq!(changed, exactly(3));
}

#[test]
fn no_repository_and_no_commit() {
    let folder = tempfile::tempdir().expect("a folder");
    let nowhere = files_changed(folder.path(), Generation::V0_11, None, PATIENT);
    assert_eq!(nowhere, GitAnswer { value: None, warnings: vec![] });
    assert_eq!(head(folder.path(), PATIENT), GitAnswer { value: None, warnings: vec![] });
    let unborn = Repository::new(&[]);
    assert_eq!(head(unborn.path(), PATIENT), GitAnswer { value: None, warnings: vec![] });
    unborn.write("a", "one\n");
    unborn.git(&["add", "a"]);
    let start = "0123456789012345678901234567890123456789";
    assert_eq!(unborn.changed(Generation::V0_11, Some(start)), exactly(1));
}

#[test]
fn head_is_the_commit() {
    let repository = Repository::new(&["a"]);
    let sha = repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(head(repository.path(), PATIENT), GitAnswer { value: Some(sha), warnings: vec![] });
}

#[test]
fn a_start_that_names_no_commit_is_ignored_with_a_warning() {
    let repository = Repository::new(&["a", "b"]);
    repository.write("a", "two\n");
    let starts = ["--output=x", "HEAD", "", "$(touch x)", "0123456789012345678901234567890123456789", &"g".repeat(40)];
    for start in starts {
        let changed = repository.changed(Generation::V0_11, Some(start));
        assert_eq!((changed.value, changed.warnings.len()), (Some(1), 1), "{start}: {changed:?}");
        assert!(changed.warnings[0].contains(".loop_start_sha"), "{changed:?}");
        assert!(!repository.path().join("x").exists());
    }
}

#[test]
fn a_start_that_is_no_ancestor_is_compared_all_the_same() {
    let repository = Repository::new(&["a", "b"]);
    repository.write("a", "two\n");
    let abandoned = repository.commit();
    repository.git(&["reset", "-q", "--hard", "HEAD~1"]);
    repository.write("b", "two\n");
    repository.commit();
    assert_eq!(repository.changed(Generation::V0_11, Some(&abandoned)), exactly(2));
}

#[test]
fn git_that_takes_too_long_counts_nothing_with_a_warning() {
    let repository = Repository::new(&["a"]);
    repository.write("a", "two\n");
    let changed = files_changed(repository.path(), Generation::V0_11, None, Duration::ZERO);
    assert_eq!(changed.value, None);
    assert!(changed.warnings[0].contains("gitTimeoutMs (0 ms)"), "{changed:?}");
}

#[test]
fn a_broken_repository_counts_nothing_with_a_warning() {
    let repository = Repository::new(&["a"]);
    fs::write(repository.path().join(".git/config"), "[core\n").expect("written");
    let changed = repository.changed(Generation::V0_11, None);
    assert_eq!((changed.value, changed.warnings.len()), (None, 1), "{changed:?}");
}

#[cfg(unix)]
#[test]
fn nothing_that_a_repository_configures_is_run() {
    use std::os::unix::fs::PermissionsExt;
    let repository = Repository::new(&["a", "b", "c"]);
    let start = repository.git(&["rev-parse", "HEAD"]);
    repository.write("b", "two\n");
    repository.write(".gitattributes", "* filter=evil diff=evil\n");
    repository.commit();
    let trap = |name: &str| {
        let script = repository.path().join(".git").join(format!("trap-{name}"));
        let marker = repository.path().join(".git").join(format!("sprung-{name}"));
        fs::write(&script, format!("#!/bin/sh\ntouch '{}'\ncat\n", marker.display())).expect("written");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("made executable");
        script.to_string_lossy().into_owned()
    };
    let sprung = || {
        let entries = fs::read_dir(repository.path().join(".git")).expect("a folder").flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("sprung-")).count()
    };
    repository.git(&["config", "core.fsmonitor", &trap("fsmonitor")]);
    repository.git(&["config", "diff.external", &trap("external")]);
    repository.git(&["config", "diff.evil.textconv", &trap("textconv")]);
    repository.git(&["config", "diff.evil.command", &trap("command")]);
    repository.git(&["config", "filter.evil.clean", &trap("clean")]);
    repository.git(&["config", "filter.evil.smudge", &trap("smudge")]);
    repository.git(&["config", "filter.evil.required", "true"]);
    repository.git(&["config", "pager.status", &trap("pager")]);
    fs::copy(trap("hook"), repository.path().join(".git/hooks/post-index-change")).expect("copied");
    // Same text, another time: git has to compare the content.
    let earlier = fs::metadata(repository.path().join("c")).and_then(|c| c.modified()).expect("dated") - PATIENT;
    fs::File::options().write(true).open(repository.path().join("c")).and_then(|c| c.set_modified(earlier)).expect("dated");
    repository.write("a", "two\n");
    let index = || fs::metadata(repository.path().join(".git/index")).and_then(|index| index.modified()).expect("dated");
    for marker in fs::read_dir(repository.path().join(".git")).expect("a folder").flatten() {
        if marker.file_name().to_string_lossy().starts_with("sprung-") {
            fs::remove_file(marker.path()).expect("removed");
        }
    }
    let before = index();
    assert_eq!(repository.changed(Generation::V0_11, Some(&start)), exactly(3));
    assert_eq!(repository.changed(Generation::V0_9, None), exactly(1));
    assert_eq!(sprung(), 0);
    assert_eq!(index(), before);
    // The traps work.
    repository.git(&["diff", &start]);
    assert!(sprung() >= 2, "{}", sprung());
}

#[test]
fn a_filter_that_cannot_be_switched_off_keeps_git_from_being_asked() {
    let repository = Repository::new(&["a"]);
    repository.write("a", "two\n");
    repository.git(&["config", "filter.a=b.clean", "false"]);
    let changed = repository.changed(Generation::V0_11, None);
    assert_eq!(changed.value, None);
    assert!(changed.warnings[0].contains("filter.a=b.clean"), "{changed:?}");
}

#[test]
fn a_submodule_counts_once_for_all_that_changed_in_it() {
    let inner = Repository::new(&["x", "y"]);
    let outer = Repository::new(&["a"]);
    let path = inner.path().to_string_lossy().into_owned();
    let add = |name: &str| outer.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &path, name]);
    add("sub");
    add("other one");
    outer.commit();
    assert_eq!(outer.changed(Generation::V0_11, None), exactly(0));
    outer.write("sub/x", "two\n");
    outer.write("sub/y", "two\n");
    for generation in [Generation::V0_9, Generation::V0_11] {
        assert_eq!(outer.changed(generation, None), exactly(1));
    }
    outer.git(&["-C", "sub", "commit", "-q", "-a", "-m", "x"]);
    assert_eq!(outer.changed(Generation::V0_11, None), exactly(1));
    outer.write("other one/x", "two\n");
    assert_eq!(outer.changed(Generation::V0_11, None), exactly(2));
    // One that is not checked out is no repository of its own.
    outer.git(&["submodule", "--quiet", "deinit", "-f", "other one"]);
    assert_eq!(outer.changed(Generation::V0_11, None), exactly(1));
}

#[cfg(unix)]
#[test]
fn nothing_that_a_submodule_configures_is_run() {
    let inner = Repository::new(&["x"]);
    let outer = Repository::new(&["a"]);
    let path = inner.path().to_string_lossy().into_owned();
    outer.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &path, "sub"]);
    outer.commit();
    let marker = outer.path().join("sprung");
    let trap = format!("touch '{}'; cat", marker.display());
    outer.git(&["-C", "sub", "config", "core.fsmonitor", &trap]);
    outer.git(&["-C", "sub", "config", "filter.evil.clean", &trap]);
    outer.write("sub/.gitattributes", "* filter=evil\n");
    outer.write("sub/x", "two\n");
    assert_eq!(outer.changed(Generation::V0_11, None), exactly(1));
    assert!(!marker.exists());
    // The trap works.
    outer.git(&["-C", "sub", "status"]);
    assert!(marker.exists());
}

#[test]
fn entries_of_status_are_told_apart() {
    let output =
        b"# branch.oid x\x001 .M N... 100644 100644 100644 h h a b\x002 R. N... 100644 100644 100644 h h R100 new\0old\0\
                   u UU N... 100644 100644 100644 100644 h h h conflict\0? untracked\x001 broken\0";
    let Status { head, changes } = parse_status(output);
    assert_eq!(head, None);
    let changes: Vec<_> = changes.into_iter().map(|c| (c.path, c.staged, c.unstaged, c.untracked)).collect();
    let expected = [
        ("a b", false, true, false),
        ("new", true, false, false),
        ("conflict", true, true, false),
        ("untracked", false, false, true),
    ];
    assert_eq!(changes, expected.map(|(path, staged, unstaged, untracked)| (path.to_owned(), staged, unstaged, untracked)));
    let sha = "0123456789abcdef0123456789abcdef01234567";
    assert_eq!(parse_status(format!("# branch.oid {sha}\0# branch.head main\0").as_bytes()).head.as_deref(), Some(sha));
    assert_eq!(parse_status(b"# branch.oid (initial)\0").head, None);
}

#[test]
fn an_archive_of_the_log_is_own_too() {
    assert!(own::is_log("x/run.log", "x/run.log") && own::is_log("x/run.log.4", "x/run.log"));
    assert!(!own::is_log("x/run.logs", "x/run.log") && !own::is_log("x/run.log.old", "x/run.log"));
}

/// S27: what is left from earlier loops counts no more, what is new does, committed or not.
#[test]
fn only_what_changed_since_the_snapshot_counts() {
    let repository = Repository::new(&["edited", "staged", "deleted", "clean", "reverted", ".gitignore"]);
    repository.write(".gitignore", "ignored*\n");
    repository.commit();
    repository.write("edited", "two\n");
    repository.write("reverted", "two\n");
    repository.write("staged", "two\n");
    repository.git(&["add", "staged"]);
    fs::remove_file(repository.path().join("deleted")).expect("removed");
    repository.write("new", "one\n");
    repository.write("folder/new", "one\n");
    repository.write("status.json", "{}");
    let scope = Scope { root: repository.path(), generation: Generation::V0_11, is_own: &own::is_own, timeout: PATIENT };
    let snapshot = scope.snapshot(None).value.expect("a snapshot");
    let changed = || {
        let answer = scope.changed(Start { sha: None, snapshot: Some(&snapshot) });
        assert_eq!(answer.warnings, Vec::<String>::new());
        let changed = answer.value.expect("counted");
        assert!(changed.certain);
        changed.paths.into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(changed(), "");
    // Touched, staged, ignored, ours: nothing of that is a change of content.
    let touch = |name: &str| {
        let file = fs::File::options().write(true).open(repository.path().join(name)).expect("there");
        file.set_modified(std::time::SystemTime::now() + PATIENT).expect("dated");
    };
    touch("edited");
    touch("new");
    touch("clean");
    repository.git(&["add", "edited"]);
    repository.write("ignored-1", "x");
    repository.write("status.json", "{\"loop\": 2}");
    repository.write("logs/ralph.log", "x");
    assert_eq!(changed(), "");
    // One of each kind that is.
    repository.write("edited", "three\n");
    repository.write("folder/new", "two\n");
    repository.write("folder/newer", "one\n");
    repository.write("clean", "two\n");
    repository.write("reverted", "one\n");
    fs::remove_file(repository.path().join("new")).expect("removed");
    repository.write("deleted", "back\n");
    assert_eq!(changed(), "clean deleted edited folder/new folder/newer new reverted");
    repository.commit();
    assert_eq!(changed(), "clean deleted edited folder/new folder/newer new reverted staged");
    // The next loop finds all that committed, and nothing changed.
    let next = scope.snapshot(Some(&snapshot)).value.expect("a snapshot");
    let answer = scope.changed(Start { sha: None, snapshot: Some(&next) });
    assert_eq!(answer.value.map(|changed| changed.paths.len()), Some(0));
}

#[cfg(unix)]
#[test]
fn links_and_modes_are_content() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let repository = Repository::new(&["a"]);
    repository.write("tool", "#!/bin/sh\n");
    symlink("a", repository.path().join("link")).expect("linked");
    symlink("nowhere", repository.path().join("dangling")).expect("linked");
    let scope = Scope { root: repository.path(), generation: Generation::V0_11, is_own: &own::is_own, timeout: PATIENT };
    let snapshot = scope.snapshot(None).value.expect("a snapshot");
    let changed = || scope.changed(Start { sha: None, snapshot: Some(&snapshot) }).value.expect("counted").paths;
    assert!(changed().is_empty());
    fs::set_permissions(repository.path().join("tool"), fs::Permissions::from_mode(0o755)).expect("made executable");
    fs::remove_file(repository.path().join("link")).expect("removed");
    symlink("b", repository.path().join("link")).expect("linked");
    assert_eq!(changed().into_iter().collect::<Vec<_>>(), ["link", "tool"]);
}

#[test]
fn the_first_commit_of_a_repository_counts() {
    let unborn = Repository::new(&[]);
    unborn.write("here", "one\n");
    let scope = Scope { root: unborn.path(), generation: Generation::V0_11, is_own: &own::is_own, timeout: PATIENT };
    let snapshot = scope.snapshot(None).value.expect("a snapshot");
    let changed = || scope.changed(Start { sha: None, snapshot: Some(&snapshot) }).value.expect("counted").paths.len();
    assert_eq!((snapshot.head.as_ref(), changed()), (None, 0));
    unborn.write("new", "one\n");
    unborn.commit();
    assert_eq!(changed(), 2);
}

#[test]
fn what_changes_in_a_repository_inside_is_one_change() {
    let outer = Repository::new(&["a"]);
    let inner = outer.path().join("inner");
    fs::create_dir(&inner).expect("made");
    outer.git(&["init", "-q", "inner"]);
    outer.write("inner/x", "one\n");
    outer.write("inner/y", "one\n");
    let scope = Scope { root: outer.path(), generation: Generation::V0_11, is_own: &own::is_own, timeout: PATIENT };
    let snapshot = scope.snapshot(None).value.expect("a snapshot");
    let changed = || scope.changed(Start { sha: None, snapshot: Some(&snapshot) }).value.expect("counted").paths.len();
    assert_eq!(changed(), 0);
    outer.write("inner/x", "two\n");
    outer.write("inner/y", "two\n");
    assert_eq!(changed(), 1);
}

#[test]
fn a_snapshot_is_bounded() {
    let repository = Repository::new(&["a"]);
    for number in 0..10_050 {
        fs::write(repository.path().join(format!("f{number:05}")), "x").expect("written");
    }
    let scope = Scope { root: repository.path(), generation: Generation::V0_11, is_own: &own::is_own, timeout: PATIENT };
    let answer = scope.snapshot(None);
    assert!(answer.warnings[0].starts_with("50 of the files"), "{:?}", answer.warnings);
    let snapshot = answer.value.expect("a snapshot");
    let changed = || scope.changed(Start { sha: None, snapshot: Some(&snapshot) }).value.expect("counted").paths.len();
    assert_eq!(changed(), 0);
    fs::write(repository.path().join("f10049"), "yz").expect("written");
    assert_eq!(changed(), 1);
    let size = serde_json::to_vec(&snapshot).expect("JSON").len();
    assert!(size < 2 << 20, "{size}");
    // One that is too long to be read is known by its size and time.
    let large = Repository::new(&["a"]);
    fs::File::create(large.path().join("large")).and_then(|file| file.set_len(65 << 20)).expect("made");
    let scope = Scope { root: large.path(), ..scope };
    let snapshot = scope.snapshot(None).value.expect("a snapshot");
    let changed = || scope.changed(Start { sha: None, snapshot: Some(&snapshot) }).value.expect("counted").paths.len();
    assert_eq!(changed(), 0);
    fs::File::options().write(true).open(large.path().join("large")).and_then(|file| file.set_len(66 << 20)).expect("grown");
    assert_eq!(changed(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_read_is_known_by_what_can_be_seen() {
    let repository = Repository::new(&["a"]);
    Command::new("mkfifo").arg(repository.path().join("pipe")).status().expect("mkfifo");
    repository.write("b", "x");
    let scope = Scope { root: repository.path(), generation: Generation::V0_11, is_own: &own::is_own, timeout: PATIENT };
    let snapshot = scope.snapshot(None).value.expect("a snapshot");
    assert_eq!(scope.changed(Start { sha: None, snapshot: Some(&snapshot) }).value.map(|changed| changed.paths.len()), Some(0));
}
