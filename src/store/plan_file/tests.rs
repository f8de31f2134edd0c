//! Editors beside ticks (case B1), a few dozen saves of each kind; `scripts/torture/editors.mjs` does thousands.

use super::*;
use crate::input::{RawInput, raw_input};
use crate::ralph::Ralph;
use crate::testing::project;
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

fn input(value: &Value) -> RawInput {
    raw_input(value.as_object().expect("an object"))
}

struct Desk {
    _scratch: tempfile::TempDir,
    plan: PathBuf,
    ralph: Ralph,
}

fn desk(text: &str) -> Desk {
    // In memory where there is such a place: a disk that stalls stops the editors between two writes.
    let scratch = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder");
    let plan = scratch.path().join(".ralph/fix_plan.md");
    fs::create_dir(scratch.path().join(".ralph")).expect("made");
    fs::write(&plan, text).expect("written");
    Desk { ralph: Ralph::on(project(scratch.path())), _scratch: scratch, plan }
}

impl Desk {
    fn tick(&self, completed: bool) -> Result<Value> {
        self.ralph.call("task_planner", input(&json!({"action": "update", "taskId": "task-3", "completed": completed})))
    }

    fn progress(&self) -> Value {
        self.ralph.call("task_planner", input(&json!({"action": "progress"}))).expect("an answer")
    }
}

/// A plan of some length, whose first and last line say which save it is.
fn text(save: usize) -> String {
    let tasks: Vec<String> = (1..=60).map(|n| format!("- [ ] Task {n} {}\n", if n == 3 { "" } else { "of many" })).collect();
    format!("# Save {save}\n{}# End of {save}\n", tasks.concat()).replace("Task 3 \n", "Task 3\n")
}

fn whole(text: &str, save: usize) -> bool {
    text.starts_with(&format!("# Save {save}\n")) && text.contains(&format!("# End of {save}\n"))
}

/// What the plan says once nobody moves it about: while a change is put back, the text before is at its name for a moment.
fn comes_to(plan: &Path, right: impl Fn(&str) -> bool) -> Result<(), String> {
    let mut last = String::new();
    for _ in 0..1000 {
        last = fs::read_to_string(plan).unwrap_or_default();
        if right(&last) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(1));
    }
    Err(last.lines().filter(|line| !line.contains("of many")).collect::<Vec<_>>().join(" | "))
}

/// Saves and ticks until so many saves are made; each must still be there when the next begins.
fn beside(saves: usize, save: impl Fn(&Path, usize) + Sync, right: impl Fn(&str, usize) -> bool + Sync) {
    let desk = desk(&text(0));
    let (done, ticks) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut completed = true;
            while !done.load(Ordering::Relaxed) {
                match desk.tick(completed) {
                    Ok(answer) => assert!(answer["totalTasks"].as_u64() >= Some(60), "a cut plan: {answer}"),
                    // It never came to rest, and says so.
                    Err(error) => assert!(error.message().contains("changed by somebody else"), "{error}"),
                }
                completed = !completed;
                ticks.fetch_add(1, Ordering::Relaxed);
            }
        });
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                assert!(desk.progress()["totalTasks"].as_u64() >= Some(60), "a reader saw a cut plan");
            }
        });
        let failure = (1..=saves).find_map(|number| {
            save(&desk.plan, number);
            let pause = Duration::from_millis(30 + (number as u64 * 7) % 60);
            thread::sleep(pause);
            comes_to(&desk.plan, |text| right(text, number)).err().map(|found| format!("save {number} is lost: {found}"))
        });
        done.store(true, Ordering::Relaxed);
        assert_eq!(failure, None);
    });
    assert!(ticks.into_inner() > 0);
    let left = fs::read_dir(desk.plan.parent().expect("a folder")).expect("listed").flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).filter(|name| name.to_string_lossy().contains("tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn saves_in_place_are_neither_lost_nor_cut() {
    let save = |plan: &Path, number| {
        let text = text(number);
        let (first, rest) = text.split_at(text.len() / 2);
        let mut file = File::create(plan).expect("opened");
        file.write_all(first.as_bytes()).expect("written");
        thread::sleep(Duration::from_millis(number as u64 % 4));
        file.write_all(rest.as_bytes()).expect("written");
    };
    beside(25, save, whole);
}

#[test]
fn saves_by_rename_are_not_lost() {
    let save = |plan: &Path, number| {
        let beside = plan.with_extension("new");
        fs::write(&beside, text(number)).expect("written");
        fs::rename(beside, plan).expect("renamed");
    };
    beside(25, save, whole);
}

#[test]
fn lines_that_are_appended_are_not_lost() {
    let save = |plan: &Path, number| {
        let mut file = OpenOptions::new().append(true).open(plan).expect("opened");
        thread::yield_now();
        file.write_all(format!("- [ ] Added {number}\n").as_bytes()).expect("written");
    };
    let right = |text: &str, number: usize| {
        (1..=number).all(|n| text.matches(&format!("- [ ] Added {n}\n")).count() == 1) && whole(text, 0)
    };
    beside(25, save, right);
}

/// What somebody writes at exactly the wrong moment: into the file that has just come out.
#[test]
fn what_is_written_into_the_old_file_is_put_back() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = super::super::folder::Folder::open(scratch.path()).expect("opened");
    let plan = scratch.path().join("plan");
    for (late, stands, left) in [(&b""[..], true, &b"- [x] a\n"[..]), (b"- [ ] b\n", false, b"- [ ] a\n- [ ] b\n")] {
        fs::write(&plan, "- [ ] a\n").expect("written");
        let mut editors = OpenOptions::new().append(true).open(&plan).expect("opened");
        let (made, _) = Temporary::with(&folder, b"- [x] a\n", None).expect("made");
        let exchange = Exchange {
            folder: &folder,
            name: "plan".as_ref(),
            before: b"- [ ] a\n",
            after: b"- [x] a\n",
            once_more: Duration::from_millis(200),
        };
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(50));
                editors.write_all(late).expect("written");
            });
            assert_eq!(exchange.run(made).expect("exchanged").stands, stands);
        });
        assert_eq!(fs::read(&plan).expect("there"), left);
        assert_eq!(fs::read_dir(scratch.path()).expect("listed").count(), 1);
    }
}

/// An editor that has opened the plan, and stands still for longer than anybody waits.
#[test]
fn a_line_that_comes_far_too_late_is_brought_by_the_next_tick() {
    let desk = desk(&text(1));
    let mut editors = OpenOptions::new().append(true).open(&desk.plan).expect("opened");
    desk.tick(true).expect("ticked");
    editors.write_all(b"- [ ] Late\n").expect("written");
    desk.tick(false).expect("unticked");
    let now = fs::read_to_string(&desk.plan).expect("there");
    assert!(now.contains("- [ ] Late\n") && now.contains("- [ ] Task 3\n"), "{now}");
}

#[test]
fn an_empty_plan_is_waited_for_and_a_vanished_one_too() {
    let desk = desk(&text(1));
    assert_eq!(desk.progress()["totalTasks"], 60);
    thread::scope(|scope| {
        fs::write(&desk.plan, "").expect("emptied");
        let reader = scope.spawn(|| desk.progress());
        thread::sleep(Duration::from_millis(100));
        fs::write(&desk.plan, text(2)).expect("written");
        assert_eq!(reader.join().expect("no panic")["totalTasks"], 60);
        fs::rename(&desk.plan, desk.plan.with_extension("md~")).expect("renamed");
        let reader = scope.spawn(|| desk.progress());
        thread::sleep(Duration::from_millis(30));
        fs::write(&desk.plan, text(3)).expect("written");
        assert_eq!(reader.join().expect("no panic")["totalTasks"], 60);
    });
    fs::remove_file(&desk.plan).expect("removed");
    assert_eq!(desk.progress()["totalTasks"], 0, "gone is gone");
}

#[cfg(unix)]
#[test]
fn other_names_owner_and_mode_of_a_plan_stay() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let desk = desk(&text(1));
    fs::set_permissions(&desk.plan, fs::Permissions::from_mode(0o640)).expect("mode set");
    let given = std::os::unix::fs::chown(&desk.plan, Some(1234), Some(4321)).is_ok();
    desk.tick(true).expect("ticked");
    let now = fs::metadata(&desk.plan).expect("there");
    assert_eq!(now.mode() & 0o7777, 0o640);
    assert!(!given || (now.uid(), now.gid()) == (1234, 4321));
    let other = desk.plan.with_extension("other");
    fs::hard_link(&desk.plan, &other).expect("linked");
    desk.tick(false).expect("unticked");
    desk.tick(true).expect("ticked");
    assert_eq!(fs::read(&desk.plan).expect("there"), fs::read(&other).expect("there"));
    assert_eq!(fs::metadata(&other).expect("there").ino(), fs::metadata(&desk.plan).expect("there").ino());
    assert!(fs::read_to_string(&other).expect("there").contains("- [x] Task 3\n"));
}

#[test]
fn only_what_differs_is_written_into_a_file() {
    let scratch = tempfile::tempdir().expect("a folder");
    let path = scratch.path().join("f");
    for (before, after) in
        [("- [ ] a\n- [ ] b\n", "- [ ] a\n- [x] b\n"), ("- [] a\nb\n", "- [x] a\nb\n"), ("abc", "ab"), ("", "a"), ("aa", "a")]
    {
        fs::write(&path, before).expect("written");
        let file = OpenOptions::new().read(true).write(true).open(&path).expect("opened");
        write_into(&file, before.as_bytes(), after.as_bytes()).expect("written");
        assert_eq!(fs::read_to_string(&path).expect("there"), after);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn extended_attributes_stay() {
    let desk = desk(&text(1));
    let set = rustix::fs::setxattr(&desk.plan, "user.colour", b"green", rustix::fs::XattrFlags::empty());
    desk.tick(true).expect("ticked");
    let mut value = [0; 16];
    if set.is_ok() {
        let length = rustix::fs::getxattr(&desk.plan, "user.colour", &mut value).expect("kept");
        assert_eq!(value.get(..length), Some(&b"green"[..]));
    }
}

/// Whoever reads what we wrote need not wait for it to come to rest.
#[test]
fn what_we_write_is_dated_back() {
    let desk = desk(&text(1));
    desk.tick(true).expect("ticked");
    let modified = fs::metadata(&desk.plan).and_then(|file| file.modified()).expect("there");
    assert!(SystemTime::now().duration_since(modified).is_ok_and(|age| age >= Duration::from_millis(50)));
}
