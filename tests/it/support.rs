//! Replays the recorded answers of bash Ralph (`__test__/data/vectors.json`) on the tools.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::SystemTime;

use chrono::{DateTime, Utc};
pub use ralph_sdk_tools::input::raw_input as raw;
use ralph_sdk_tools::store::clock::FrozenClock;
use ralph_sdk_tools::{Environment, Options, Ralph};
use serde::Deserialize;
use serde_json::Value;

/// A recorded case.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub id: String,
    pub tz: String,
    pub env: BTreeMap<String, String>,
    pub options: serde_json::Map<String, Value>,
    pub files: BTreeMap<String, String>,
    #[serde(default)]
    pub git: Option<Vec<String>>,
    pub steps: Vec<Step>,
}

/// A recorded step.
#[derive(Debug, Deserialize)]
pub struct Step {
    pub now: DateTime<Utc>,
    #[serde(default)]
    pub write: BTreeMap<String, String>,
    pub tool: String,
    pub input: serde_json::Map<String, Value>,
    pub expect: Expect,
}

/// What bash answered.
#[derive(Debug, Deserialize)]
pub struct Expect {
    #[serde(default)]
    pub output: serde_json::Map<String, Value>,
    #[serde(default)]
    pub files: BTreeMap<String, Value>,
}

/// The cases of a family; there must be some.
pub fn family(name: &str) -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/__test__/data/vectors.json");
    let text = fs::read_to_string(path).expect("the vectors");
    let all: Vec<Case> = serde_json::from_str(&text).expect("valid vectors");
    let cases: Vec<Case> = all.into_iter().filter(|case| case.id.starts_with(&format!("{name}-"))).collect();
    assert!(!cases.is_empty(), "no vectors of the family {name}");
    cases
}

/// Replays every case of a family and says all that differs.
pub fn replay(name: &str) {
    let mut wrong = Vec::new();
    let mut steps = 0;
    for case in family(name) {
        steps += case.steps.len();
        wrong.extend(replay_case(&case));
    }
    assert!(
        wrong.is_empty(),
        "{} of {steps} steps differ:\n{}",
        wrong.len(),
        wrong.iter().take(25).cloned().collect::<Vec<_>>().join("\n")
    );
}

fn replay_case(case: &Case) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let Some(first) = case.steps.first() else { return vec![format!("{}: no steps", case.id)] };
    write_all(root, &case.files, first.now);
    if let Some(changed) = &case.git {
        make_repository(root, changed);
    }
    let mut options = case.options.clone();
    options.insert("projectDir".into(), root.to_string_lossy().into());
    options.insert("ralphHome".into(), root.join("no-ralph-here").to_string_lossy().into());
    let environment: Environment =
        case.env.iter().map(|(name, value)| (name.clone(), value.clone())).chain([("TZ".into(), case.tz.clone())]).collect();
    let clock = Arc::new(FrozenClock::at(first.now));
    let options = Options::from_raw(&raw(&options)).expect("valid options");
    let ralph = Ralph::open_with_clock(&options, &environment, clock.clone()).expect("a project");
    let mut wrong = Vec::new();
    for (number, step) in case.steps.iter().enumerate() {
        clock.set(step.now);
        write_all(root, &step.write, step.now);
        let place = format!("{} step {number} {} {}", case.id, step.tool, Value::Object(step.input.clone()));
        match ralph.call(&step.tool, raw(&step.input)) {
            Ok(answer) => {
                for (field, expected) in &step.expect.output {
                    if !contains(answer.get(field).unwrap_or(&Value::Null), expected) {
                        wrong.push(format!("{place}: {field} is {:?}, not {expected} (answer {answer})", answer.get(field)));
                    }
                }
            }
            Err(error) => wrong.push(format!("{place}: {error}")),
        }
        for (path, expected) in &step.expect.files {
            wrong.extend(differs(&root.join(path), expected).map(|difference| format!("{place}: {path} {difference}")));
        }
    }
    wrong
}

/// Writes files whose modification time is the case's clock: a counter's age is told by it.
fn write_all(root: &Path, files: &BTreeMap<String, String>, now: DateTime<Utc>) {
    for (path, content) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, content).expect("written");
        File::options().write(true).open(&path).and_then(|file| file.set_modified(SystemTime::from(now))).expect("dated");
    }
}

fn make_repository(root: &Path, changed: &[String]) {
    let git = |arguments: &[&str]| {
        let done = Command::new("git").args(arguments).current_dir(root).output().expect("git");
        assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    git(&["init", "-q"]);
    git(&["add", "-A", "-f"]);
    git(&[
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.invalid",
        "-c",
        "commit.gpgsign=false",
        "commit",
        "-q",
        "-m",
        "start",
    ]);
    for path in changed {
        let before = fs::read_to_string(root.join(path)).expect("a committed file");
        fs::write(root.join(path), before + "changed\n").expect("written");
    }
}

/// Whether `found` has everything that `expected` has: objects may have more fields, numbers are compared as numbers.
fn contains(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            expected.iter().all(|(key, value)| contains(found.get(key).unwrap_or(&Value::Null), value))
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(found, expected)| contains(found, expected))
        }
        (Value::Number(found), Value::Number(expected)) => match (found.as_f64(), expected.as_f64()) {
            (Some(found), Some(expected)) => (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
            _ => found == expected,
        },
        _ => found == expected,
    }
}

fn differs(path: &Path, expected: &Value) -> Option<String> {
    let found = match fs::read_to_string(path) {
        Err(_) if expected.is_null() => return None,
        Err(error) => return Some(format!("cannot be read: {error}")),
        Ok(text) if expected.is_null() => return Some(format!("is there: {text:?}")),
        Ok(text) => text,
    };
    let same = match (expected, serde_json::from_str::<Value>(&found)) {
        (Value::String(text), _) => found.trim_end() == text.trim_end(),
        (expected, Ok(value)) => contains(&value, expected),
        (_, Err(_)) => false,
    };
    (!same).then(|| format!("holds {found:?}, not {expected}"))
}
