//! Answers of `task_planner`, and the lists in its messages.

use super::claims::Claims;
use super::{Task, TaskList, TaskPlannerToolOutput};
use crate::error::{Error, ErrorCode, Result};
use crate::input::clip;
use crate::rules::plan::{self, Found, Plan};

/// How many names a message lists, and how many characters of each.
const LISTED: usize = 10;
pub(super) const CLIPPED: usize = 100;

/// Names for a message.
pub(super) fn names(names: Vec<&str>) -> String {
    // Tasks above all headings stand under an empty one.
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let more = names.len().saturating_sub(LISTED);
    let mut listed: Vec<String> = names.into_iter().take(LISTED).map(|name| clip(name, CLIPPED)).collect();
    if listed.is_empty() {
        return "none".into();
    }
    if more > 0 {
        listed.push(format!("and {more} more"));
    }
    listed.join(", ")
}

/// The answer to a change of one task.
pub(super) fn updated(claims: &Claims, plan: &Plan, id: &str) -> TaskPlannerToolOutput {
    let task = plan.tasks.iter().filter(|task| task.id == id).map(Task::from).collect();
    among(claims, plan, task, None)
}

fn answer(plan: &Plan, tasks: Vec<Task>, next_offset: Option<usize>) -> TaskPlannerToolOutput {
    let totals = plan.totals();
    TaskPlannerToolOutput {
        list: TaskList {
            total_tasks: totals.total as u64,
            completed_tasks: totals.completed as u64,
            pending_tasks: totals.pending() as u64,
            blocking_tasks: totals.blocking as u64,
            progress_percentage: totals.percentage(),
            tasks,
        },
        next_task: plan.next().map(Task::from),
        next_offset: next_offset.map(|offset| offset as u64),
        task: None,
        claimed_until: None,
    }
}

/// The same, where some tasks may be other workers'.
pub(super) fn among(claims: &Claims, plan: &Plan, tasks: Vec<Task>, next_offset: Option<usize>) -> TaskPlannerToolOutput {
    let next_task = claims.available(plan).first().map(|task| claims.task(task));
    TaskPlannerToolOutput { next_task, ..answer(plan, tasks, next_offset) }
}

/// The task that a caller means.
///
/// # Errors
/// `TASK_AMBIGUOUS`, `TASK_NOT_FOUND`.
pub(super) fn find<'a>(plan: &'a Plan, wanted: &str) -> Result<&'a plan::Task> {
    match plan.find(wanted) {
        Found::Task(task) => Ok(task),
        Found::Ambiguous(ids) => Err(Error::new(
            ErrorCode::TaskAmbiguous,
            format!(
                "{} tasks have the description {:?}; use one of the ids {} (action `read` lists them with their lines)",
                ids.len(),
                clip(wanted, CLIPPED),
                names(ids)
            ),
        )),
        Found::None(closest) => {
            let wanted = clip(wanted, CLIPPED);
            let closest = if closest.is_empty() {
                "the plan has no tasks".to_owned()
            } else {
                format!("the closest ids are {}", names(closest))
            };
            Err(Error::new(
                ErrorCode::TaskNotFound,
                format!("no task has the id or description {wanted:?}; {closest}; action `read` lists all"),
            ))
        }
    }
}

impl From<&plan::Task> for Task {
    fn from(task: &plan::Task) -> Self {
        Self {
            id: task.id.clone(),
            description: task.description.clone(),
            completed: task.completed(),
            section: task.section.to_string(),
            line: task.line as u64,
            optional: task.optional,
            claimed_by: None,
            claimed_until: None,
        }
    }
}
