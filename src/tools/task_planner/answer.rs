//! Answers of `task_planner`, and the lists in its messages.

use super::{Task, TaskList, TaskPlannerToolOutput};
use crate::input::clip;
use crate::rules::plan::{self, Plan};

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
pub(super) fn updated(plan: &Plan, id: &str) -> TaskPlannerToolOutput {
    let task = plan.tasks.iter().filter(|task| task.id == id).map(Task::from).collect();
    answer(plan, task, None)
}

pub(super) fn answer(plan: &Plan, tasks: Vec<Task>, next_offset: Option<usize>) -> TaskPlannerToolOutput {
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
        }
    }
}
