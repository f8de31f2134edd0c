//! What is wrong with a project, and how to mend it: for people who wonder why a run does not begin, or ends at once.
//!
//! It looks, and writes nothing. What the tools themselves would warn of is among it.

#![expect(clippy::unnecessary_wraps, reason = "all checks have one form")]

use std::process::{Command, Stdio};

use serde::Serialize;
use serde_json::Value;

use crate::error::Result;
use crate::input::RawValue;
use crate::ralph::Ralph;
use crate::rules::plan::Survey;
use crate::store::git;
use crate::store::place::plan_above;
use crate::store::project::Layout;
use crate::tools::task_planner;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// A run does not begin, or ends at once.
    Error,
    /// A run is worse for it.
    Warning,
    /// Worth knowing.
    Note,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub what: String,
    /// What to do about it; empty where `what` says so itself.
    pub mend: String,
}

impl Finding {
    fn new(severity: Severity, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { severity, what: what.into(), mend: mend.into() }
    }
}

/// At most one finding.
type Check = fn(&Ralph) -> Result<Option<Finding>>;

/// What is looked at, in the order in which it is told.
const CHECKS: &[Check] = &[layout, plan, prompt, circuit, hour, kept_aside, git_at_work];

/// Everything that is wrong with a project; empty where nothing is. A check that fails is a finding itself.
#[must_use]
pub fn examine(ralph: &Ralph) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for check in CHECKS {
        let found = check(ralph).unwrap_or_else(|error| Some(Finding::new(Severity::Error, error.to_string(), "")));
        findings.extend(found);
    }
    for warning in warnings(ralph) {
        if !findings.iter().any(|finding| warning.starts_with(&finding.what)) {
            findings.push(Finding::new(Severity::Warning, warning, ""));
        }
    }
    findings
}

fn layout(ralph: &Ralph) -> Result<Option<Finding>> {
    let project = ralph.project();
    if !nothing_here(ralph) {
        return Ok(None);
    }
    let what = format!("there is nothing of Ralph's in {}", project.root().display());
    let mend = match plan_above(project.root()) {
        Some(plan) => format!("there is a plan {}: name its project with --project, or make one here by `init`", plan.display()),
        None => "`ralph-sdk-tools init` makes a plan and a prompt".into(),
    };
    Ok(Some(Finding::new(Severity::Error, what, mend)))
}

fn nothing_here(ralph: &Ralph) -> bool {
    ralph.project().layout() == Layout::Ralph && !ralph.project().state_dir().is_dir()
}

fn plan(ralph: &Ralph) -> Result<Option<Finding>> {
    let project = ralph.project();
    let path = project.plan_path();
    let path = path.display();
    if nothing_here(ralph) {
        return Ok(None);
    }
    let Some(Survey { totals, .. }) = project.read(task_planner::count)?.value else {
        let mend = match plan_above(project.root()) {
            Some(above) => format!("create it, or name the folder of {} as the project", above.display()),
            None => "create it with lines such as `- [ ] First task`".into(),
        };
        return Ok(Some(Finding::new(Severity::Error, format!("there is no plan {path}"), mend)));
    };
    let finding = match (totals.total, totals.pending()) {
        (0, _) => Finding::new(
            Severity::Error,
            format!("the plan {path} has no box, so it has no task"),
            "write each task as a line such as `- [ ] First task`",
        ),
        (total, 0) => {
            Finding::new(Severity::Note, format!("all {total} tasks of the plan are done"), "add tasks before the next run")
        }
        _ => return Ok(None),
    };
    Ok(Some(finding))
}

fn prompt(ralph: &Ralph) -> Result<Option<Finding>> {
    let project = ralph.project();
    let path = project.state_dir().join("PROMPT.md");
    if path.is_file() {
        return Ok(None);
    }
    let what = format!("there is no prompt {}: Claude is told the next task and nothing of the project", path.display());
    Ok(Some(Finding::new(Severity::Note, what, "write what Claude should know in every loop")))
}

fn circuit(ralph: &Ralph) -> Result<Option<Finding>> {
    let answer = ask(ralph, "circuit_breaker", "status")?;
    if answer.get("state").and_then(Value::as_str) != Some("OPEN") {
        return Ok(None);
    }
    let reason = answer.get("reason").and_then(Value::as_str).unwrap_or_default();
    let mend = "find out why, then `ralph-sdk-tools reset-circuit`";
    Ok(Some(Finding::new(Severity::Error, format!("the circuit is open: {reason}"), mend)))
}

fn hour(ralph: &Ralph) -> Result<Option<Finding>> {
    let answer = ask(ralph, "rate_limit", "check")?;
    if answer.get("canMakeCall").and_then(Value::as_bool) != Some(false) {
        return Ok(None);
    }
    let number = |name| answer.get(name).and_then(Value::as_u64).unwrap_or_default();
    let what = format!("the limit of this hour is reached: {} of {} calls", number("currentCount"), number("maxCalls"));
    Ok(Some(Finding::new(Severity::Warning, what, "a run waits for the next hour; MAX_CALLS_PER_HOUR raises the limit")))
}

/// Damaged state files that a writer has put aside.
fn kept_aside(ralph: &Ralph) -> Result<Option<Finding>> {
    let project = ralph.project();
    let entries = std::fs::read_dir(project.state_dir()).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.contains(".corrupt-"));
    names.sort();
    let Some(last) = names.last() else { return Ok(None) };
    let what = format!("{} damaged state files were put aside, the last is {last}", names.len());
    Ok(Some(Finding::new(Severity::Note, what, format!("look at them, then remove them from {}", project.state_dir().display()))))
}

fn git_at_work(ralph: &Ralph) -> Result<Option<Finding>> {
    let project = ralph.project();
    let quiet = Command::new("git").arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !quiet.is_ok_and(|status| status.success()) {
        let what = "git was not found: progress is only what the loop's output and its edits say";
        return Ok(Some(Finding::new(Severity::Warning, what, "install git")));
    }
    if git::of_project(project, |scope| scope.snapshot(None)).value.is_none_or(|start| start.head.is_none()) {
        let what = "the project is no git repository with a commit: progress is only what the loop's output and its edits say";
        return Ok(Some(Finding::new(Severity::Warning, what, "`git init`, `git add`, `git commit`")));
    }
    let tracked = git::tracked_state(project).value;
    let Some(first) = tracked.first() else { return Ok(None) };
    let what = format!("git has {} of Ralph's state files, such as {first}: each loop changes them", tracked.len());
    Ok(Some(Finding::new(Severity::Warning, what, "`git rm --cached` them, and name them in .gitignore")))
}

/// What the tools themselves warn of, each once.
fn warnings(ralph: &Ralph) -> Vec<String> {
    let mut all = Vec::new();
    for (tool, action) in [
        ("rate_limit", "status"),
        ("circuit_breaker", "status"),
        ("exit_detection", "signals"),
        ("task_planner", "read"),
        ("progress_reporter", "read"),
    ] {
        // A failed call is told by its check, or by the next run.
        let Ok(answer) = ask(ralph, tool, action) else { continue };
        let texts = answer.get("warnings").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        for text in texts {
            if !all.iter().any(|known| known == text) {
                all.push(text.to_owned());
            }
        }
    }
    all
}

fn ask(ralph: &Ralph, tool: &str, action: &str) -> Result<Value> {
    ralph.call(tool, vec![("action".into(), RawValue::Text(action.into()))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;

    /// What was found, as `severity: the first words`.
    fn found(bench: &Bench) -> Vec<String> {
        let words = |text: &str| text.split(' ').take(5).collect::<Vec<_>>().join(" ");
        examine(bench.ralph()).iter().map(|finding| format!("{:?}: {}", finding.severity, words(&finding.what))).collect()
    }

    #[test]
    fn each_fault_is_found_once_with_what_to_do() {
        let plan = "fix_plan.md";
        for (files, expected) in [
            (vec![], "Error: there is nothing of"),
            (vec![("PROMPT.md", "p\n")], "Error: there is no plan"),
            (vec![(plan, "# Plan\n- a list\n")], "Error: the plan"),
            (vec![(plan, "- [x] a\n")], "Note: all 1 tasks of the"),
            (vec![(plan, "- [ ] a\n")], "Note: there is no prompt"),
            (vec![(".circuit_breaker_state", r#"{"state":"OPEN","reason":"stuck"}"#)], "Error: the circuit is open: stuck"),
            (vec![(".exit_signals.corrupt-20260301T000000Z", "x")], "Note: 1 damaged state files were"),
            (vec![(".exit_signals", "{")], "Warning: .exit_signals"),
        ] {
            let bench = Bench::new();
            for (name, text) in &files {
                bench.write(name, text);
            }
            let found = found(&bench);
            let hits = found.iter().filter(|line| line.starts_with(expected)).count();
            assert_eq!(hits, 1, "{expected}: {found:?}");
            for finding in examine(bench.ralph()).iter().filter(|finding| finding.severity == Severity::Error) {
                assert!(!finding.mend.is_empty(), "{finding:?}");
            }
        }
    }

    #[test]
    fn a_check_that_fails_is_a_finding() {
        let bench = Bench::new();
        std::fs::create_dir_all(bench.project().state_dir().join("fix_plan.md")).expect("created");
        assert!(found(&bench).iter().any(|line| line.starts_with("Error: IO_ERROR")), "{:?}", found(&bench));
    }
}
