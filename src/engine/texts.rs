//! What the loop says to the model: the one place for it.

use std::fs;

use crate::error::{Error, ErrorCode, Result};
use crate::store::project::Project;
use crate::tools::task_planner::{Task, TaskPlannerToolOutput};

/// What bash Ralph's template leaves to be filled in.
const PLACEHOLDER: &str = "[YOUR PROJECT NAME]";

/// So much of a prompt file is read.
const LONGEST_PROMPT: u64 = 1 << 20;

const STATUS_BLOCK: &str = "\
End your answer with this block, filled in:

---RALPH_STATUS---
STATUS: IN_PROGRESS | COMPLETE | BLOCKED
TASKS_COMPLETED_THIS_LOOP: <number>
FILES_MODIFIED: <number>
TESTS_STATUS: PASSING | FAILING | NOT_RUN
WORK_TYPE: IMPLEMENTATION | TESTING | DOCUMENTATION | REFACTORING
EXIT_SIGNAL: false | true
RECOMMENDATION: <one line: what to do next>
---END_RALPH_STATUS---

EXIT_SIGNAL is true only once every task of the plan is done. If you cannot go on without a person, say STATUS: BLOCKED, \
with what you need as the RECOMMENDATION.";

/// What a prompt is made of.
#[derive(Debug)]
pub struct Parts<'a> {
    /// The text of the project's own prompt file, where the door sends it.
    pub file: Option<String>,
    /// A caller's text instead of ours and the file's.
    pub instruction: Option<&'a str>,
    /// The loop.
    pub number: u64,
    /// The plan.
    pub plan: &'a TaskPlannerToolOutput,
    /// The plan's path, for the model.
    pub plan_path: String,
}

impl Parts<'_> {
    /// The whole prompt.
    #[must_use]
    pub fn prompt(&self) -> String {
        let task = self.plan.next_task.as_ref();
        if let Some(instruction) = self.instruction {
            return filled_in(instruction, task);
        }
        let file = self.file.as_deref().unwrap_or_default().trim();
        let mut parts: Vec<String> = Vec::new();
        if !file.is_empty() {
            parts.push(file.to_owned());
        }
        parts.extend(self.task(task));
        if !file.contains("RALPH_STATUS") {
            parts.push(STATUS_BLOCK.to_owned());
        }
        parts.join("\n\n")
    }

    /// The next task, and what to do when it is done; without a plan nothing.
    fn task(&self, task: Option<&Task>) -> Option<String> {
        let list = &self.plan.list;
        let Some(task) = task else {
            return (list.total_tasks > 0).then(|| {
                format!(
                    "Loop {}. All {} tasks of the plan {} are ticked. Check that the work is really done, and say so.",
                    self.number, list.total_tasks, self.plan_path
                )
            });
        };
        let section = if task.section.is_empty() { String::new() } else { format!(", under \"{}\"", task.section) };
        Some(format!(
            "Loop {}: {} of {} tasks of the plan {} are done. The next task{section}:\n\n{}\n\n\
             Do this one task completely, and check that it works. Once it is really done, tick it: task_planner, action \
             update, taskId \"{}\"; without that tool, change its box to [x] in the plan. Then end your turn.",
            self.number, list.completed_tasks, list.total_tasks, self.plan_path, task.description, task.id
        ))
    }
}

/// A caller's text, with the next task filled in.
fn filled_in(instruction: &str, task: Option<&Task>) -> String {
    let text = |field: fn(&Task) -> &str| task.map_or("", field);
    let mut filled = String::with_capacity(instruction.len());
    let mut rest = instruction;
    // In one pass: a task's own text may have braces in it.
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let known = after.split_once('}').and_then(|(name, behind)| match name {
            "task" => Some((text(|task| &task.description), behind)),
            "id" => Some((text(|task| &task.id), behind)),
            "section" => Some((text(|task| &task.section), behind)),
            _ => None,
        });
        rest = if let Some((value, behind)) = known {
            filled.push_str(value);
            behind
        } else {
            filled.push('{');
            after
        };
    }
    filled.push_str(rest);
    filled
}

/// The project's own prompt, `PROMPT.md` where either generation of Ralph keeps it, with the placeholder of Ralph's template
/// filled in; `None` where there is none, or an empty one.
///
/// # Errors
/// `IO_ERROR` where it is there and cannot be read.
pub fn prompt_file(project: &Project) -> Result<Option<String>> {
    for path in [project.state_dir().join("PROMPT.md"), project.root().join("PROMPT.md")] {
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if !metadata.is_file() || metadata.len() > LONGEST_PROMPT {
            let why = "it is no regular file, or larger than 1 MiB; replace it, or pass another prompt";
            return Err(Error::new(ErrorCode::IoError, format!("cannot read the prompt {}: {why}", path.display())));
        }
        let bytes = fs::read(&path).map_err(|error| Error::io("read the prompt", &path, &error))?;
        let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes)).into_owned();
        let name = project.root().file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let text = text.replace(PLACEHOLDER, &name);
        return Ok(Some(text).filter(|text| !text.trim().is_empty()));
    }
    Ok(None)
}

/// Refuses a run that has nothing to say to the model.
///
/// # Errors
/// `PLAN_NOT_FOUND` where there is neither a prompt nor a task.
pub fn something_to_do(project: &Project, file: Option<&str>, plan: &TaskPlannerToolOutput) -> Result<()> {
    if file.is_some() || plan.list.total_tasks > 0 {
        return Ok(());
    }
    let (prompt, plan) = (project.state_dir().join("PROMPT.md"), project.plan_path());
    Err(Error::new(
        ErrorCode::PlanNotFound,
        format!(
            "there is nothing to do: {} has no task, and there is no {}; write tasks into the plan, a line each such as \
             `- [ ] First task`, or say in PROMPT.md what Claude should do",
            plan.display(),
            prompt.display()
        ),
    ))
}
