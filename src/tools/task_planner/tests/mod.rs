//! The tool on a project of files. What is a task is tested in `rules::plan`.

mod add;
mod disk;
mod plans;
mod reports;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::DEFINITION;
use crate::error::{Error, ErrorCode, Result};
use crate::input::RawValue;
use crate::testing::raw;
use crate::{Environment, Options, Ralph};

const PLAN: &str = ".ralph/fix_plan.md";

struct Sample {
    folder: TempDir,
    ralph: Ralph,
}

fn open(folder: &TempDir, options: &[(&str, Value)]) -> Ralph {
    let nowhere = folder.path().join("no-ralph-here");
    let mut given: Vec<(String, RawValue)> = vec![
        ("projectDir".into(), RawValue::Text(folder.path().to_string_lossy().into())),
        ("ralphHome".into(), RawValue::Text(nowhere.to_string_lossy().into())),
    ];
    given.extend(options.iter().map(|(name, value)| ((*name).to_owned(), value.into())));
    let options = Options::from_raw(&given).expect("options");
    Ralph::open(&options, &Environment::default()).expect("a project")
}

#[expect(clippy::needless_pass_by_value, reason = "json!(…) reads better without a reference at every call")]
impl Sample {
    fn new(plan: Option<&str>) -> Self {
        Self::with(plan, &[("optionalSections", json!(["Optional"]))])
    }

    fn with(plan: Option<&str>, options: &[(&str, Value)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        if let Some(plan) = plan {
            fs::create_dir_all(folder.path().join(".ralph")).expect("made");
            fs::write(folder.path().join(PLAN), plan).expect("written");
        }
        let ralph = open(&folder, options);
        Self { folder, ralph }
    }

    /// Another instance, which looks at the folder as it is now.
    fn again(&self) -> Ralph {
        open(&self.folder, &[])
    }

    fn call(&self, input: &Value) -> Result<Value> {
        self.ralph.call(DEFINITION.name, raw(input))
    }

    fn answer(&self, input: Value) -> Value {
        self.call(&input).unwrap_or_else(|error| panic!("{input}: {error}"))
    }

    fn error(&self, input: Value) -> Error {
        self.call(&input).expect_err(&input.to_string())
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(PLAN)
    }

    fn plan(&self) -> String {
        fs::read_to_string(self.path()).expect("the plan")
    }

    /// Every file with its content and modification time.
    fn files(&self) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
        fn look(folder: PathBuf, files: &mut BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)>) {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                let (path, metadata) = (entry.path(), entry.metadata().expect("there"));
                files.insert(path.clone(), (fs::read(&path).unwrap_or_default(), metadata.modified().expect("dated")));
                if metadata.is_dir() {
                    look(path, files);
                }
            }
        }
        let mut files = BTreeMap::new();
        look(self.folder.path().to_owned(), &mut files);
        files
    }
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["tasks"].as_array().into_iter().flatten().filter_map(|task| task["id"].as_str()).collect()
}

fn counts(answer: &Value) -> [u64; 4] {
    ["totalTasks", "completedTasks", "pendingTasks", "blockingTasks"].map(|field| answer[field].as_u64().expect(field))
}

const SAMPLE: &str = "# Plan\n## High: ##\n- [ ] alpha\n- [x] [#12] beta\n## Optional\n- [/] gamma\n";

#[test]
fn the_definition_keeps_to_its_limits() {
    assert!(DEFINITION.description.chars().count() < 600, "{}", DEFINITION.description.chars().count());
    assert!(!DEFINITION.description.contains("  "), "{}", DEFINITION.description);
}

#[test]
fn read_lists_and_progress_counts() {
    let sample = Sample::new(Some(SAMPLE));
    let before = sample.files();
    assert_eq!(
        sample.answer(json!({"action": "read"})),
        json!({
            "totalTasks": 3, "completedTasks": 1, "pendingTasks": 2, "blockingTasks": 1, "progressPercentage": 33.33,
            "tasks": [
                {"id": "alpha", "description": "alpha", "completed": false, "section": "High", "line": 3, "optional": false},
                {"id": "#12", "description": "[#12] beta", "completed": true, "section": "High", "line": 4, "optional": false},
                {"id": "gamma", "description": "gamma", "completed": false, "section": "Optional", "line": 6, "optional": true},
            ],
            "nextTask":
                {"id": "alpha", "description": "alpha", "completed": false, "section": "High", "line": 3, "optional": false},
        })
    );
    let progress = sample.answer(json!({"action": "progress"}));
    assert_eq!((counts(&progress), &progress["tasks"]), ([3, 1, 2, 1], &json!([])));
    assert_eq!(sample.files(), before, "reading writes nothing");
}

#[test]
fn filters_and_pages_leave_the_totals_alone() {
    let sample = Sample::new(Some(SAMPLE));
    for (input, expected, next) in [
        (json!({"filter": "all"}), &["alpha", "#12", "gamma"][..], None),
        (json!({"filter": "pending"}), &["alpha", "gamma"], None),
        (json!({"filter": "completed"}), &["#12"], None),
        (json!({"section": "HIGH"}), &["alpha", "#12"], None),
        (json!({"section": "high:", "filter": "pending"}), &["alpha"], None),
        (json!({"limit": 1}), &["alpha"], Some(1)),
        (json!({"limit": 1, "offset": 1}), &["#12"], Some(2)),
        (json!({"limit": 1, "offset": 2}), &["gamma"], None),
        (json!({"limit": 5, "offset": 9}), &[], None),
        (json!({"limit": 0}), &[], Some(0)),
        (json!({"filter": "pending", "limit": 1}), &["alpha"], Some(1)),
        (json!({"filter": "pending", "offset": 1}), &["gamma"], None),
        (json!({"limit": 9_007_199_254_740_991_u64, "offset": 9_007_199_254_740_991_u64}), &[], None),
    ] {
        let mut input = input;
        input["action"] = "read".into();
        let answer = sample.answer(input.clone());
        assert_eq!(
            (ids(&answer), answer["nextOffset"].as_u64(), counts(&answer)),
            (expected.to_vec(), next, [3, 1, 2, 1]),
            "{input}"
        );
        assert_eq!(answer["warnings"], Value::Null, "{input}");
    }
    let nowhere = sample.answer(json!({"action": "read", "section": "Hihg"}));
    assert_eq!(
        (ids(&nowhere).len(), &nowhere["warnings"][0]),
        (0, &json!("no task stands under a heading \"Hihg\"; there are High, Optional"))
    );
    let bare = Sample::new(Some("- [ ] alone\n")).answer(json!({"action": "read", "section": "High"}));
    assert_eq!(bare["warnings"][0], "no task stands under a heading \"High\"; there are none");
}

#[test]
fn without_a_plan() {
    for sample in [Sample::new(None), Sample::with(None, &[("layout", json!("flat"))])] {
        for action in ["read", "progress"] {
            let answer = sample.answer(json!({"action": action}));
            assert_eq!((counts(&answer), &answer["progressPercentage"], &answer["tasks"]), ([0; 4], &json!(0.0), &json!([])));
            assert!(answer["warnings"][0].as_str().is_some_and(|warning| warning.contains("fix_plan.md")), "{answer}");
        }
        let error = sample.error(json!({"action": "update", "taskId": "a"}));
        assert_eq!(error.code(), ErrorCode::PlanNotFound);
        assert!(error.message().contains("create it"), "{error}");
        assert!(sample.files().is_empty(), "nothing is created on the way");
    }
}

#[test]
fn update_ticks_and_unticks() {
    let sample = Sample::new(Some("\u{feff}# P\r\n- [ ] alpha\r\n\t- [X] beta"));
    let answer = sample.answer(json!({"action": "update", "taskId": "alpha"}));
    assert_eq!((ids(&answer), &answer["tasks"][0]["completed"], counts(&answer)), (vec!["alpha"], &json!(true), [2, 2, 0, 0]));
    assert_eq!(answer["nextTask"], Value::Null);
    assert_eq!(sample.plan(), "\u{feff}# P\r\n- [x] alpha\r\n\t- [X] beta");
    let answer = sample.answer(json!({"action": "update", "taskId": "beta", "completed": false}));
    assert_eq!((&answer["tasks"][0]["completed"], &answer["nextTask"]["id"]), (&json!(false), &json!("beta")));
    assert_eq!(sample.plan(), "\u{feff}# P\r\n- [x] alpha\r\n\t- [ ] beta");
    // By description; then the lock is the only other file there is.
    sample.answer(json!({"action": "update", "taskId": "beta", "completed": true}));
    let names: Vec<_> =
        sample.files().into_keys().filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    assert_eq!(names, [".ralph", ".ralph-tools.lock", "fix_plan.md"]);
}

#[test]
fn a_box_that_is_right_is_not_written() {
    let sample = Sample::new(Some(SAMPLE));
    let before = sample.files();
    for (task, completed) in [("#12", true), ("alpha", false), ("gamma", false), ("[#12] beta", true)] {
        let answer = sample.answer(json!({"action": "update", "taskId": task, "completed": completed}));
        assert_eq!((answer["tasks"][0]["completed"].as_bool(), counts(&answer)), (Some(completed), [3, 1, 2, 1]));
        assert_eq!(sample.files(), before, "{task}");
    }
}

#[test]
fn update_says_what_to_do_where_it_cannot_tell_the_task() {
    let sample = Sample::new(Some("- [ ] Write tests\n- [ ] Write tests\n- [ ] [proj-001] Fix login\n"));
    for (input, code, needles) in [
        (json!({}), ErrorCode::InvalidInput, &["taskId"][..]),
        (json!({"taskId": null}), ErrorCode::InvalidInput, &["taskId"]),
        (json!({"taskId": 1}), ErrorCode::InvalidInput, &["taskId"]),
        (json!({"taskId": "write-tests", "completed": "yes"}), ErrorCode::InvalidInput, &["completed"]),
        (json!({"taskId": "Write tests"}), ErrorCode::TaskAmbiguous, &["write-tests, write-tests-2"]),
        // X26: the closest ids, and the action that lists them.
        (json!({"taskId": "proj-01"}), ErrorCode::TaskNotFound, &["closest ids are proj-001", "`read`"]),
        (json!({"taskId": "Fix login"}), ErrorCode::TaskNotFound, &["closest ids are proj-001", "`read`"]),
        (json!({"taskId": " "}), ErrorCode::InvalidInput, &["taskId", "`read`"]),
        (json!({"taskId": "x".repeat(100_000)}), ErrorCode::TaskNotFound, &["…", "`read`"]),
    ] {
        let mut input = input;
        input["action"] = "update".into();
        let error = sample.error(input);
        assert_eq!(error.code(), code, "{error}");
        assert!(needles.iter().all(|needle| error.message().contains(needle)), "{error}");
        assert!(error.message().len() < 1000, "{error}");
    }
    for input in
        [json!({"limit": -1}), json!({"offset": 1.5}), json!({"filter": "open"}), json!({"section": 3}), json!({"limit": "5"})]
    {
        let mut input = input;
        input["action"] = "read".into();
        assert_eq!(sample.error(input.clone()).code(), ErrorCode::InvalidInput, "{input}");
    }
    let repeated = Sample::new(Some(&"- [ ] Same\n".repeat(5000)));
    let error = repeated.error(json!({"action": "update", "taskId": "Same"}));
    assert!(error.message().contains("5000 tasks") && error.message().contains("and 4990 more"), "{error}");
    let empty = Sample::new(Some("# Nothing\n")).error(json!({"action": "update", "taskId": "a"}));
    assert!(empty.code() == ErrorCode::TaskNotFound && empty.message().contains("no tasks"), "{empty}");
}
