//! Which action of `task_planner` is done where.

use super::{TaskPlannerToolOutput, Verb, add, claim, read, update};
use crate::error::Result;
use crate::input::Arguments;
use crate::store::project::{Outcome, Project};

/// Runs an action.
///
/// # Errors
/// `INVALID_INPUT`, `PLAN_NOT_FOUND`, `TASK_NOT_FOUND`, `TASK_AMBIGUOUS`, and those of the store.
pub fn run(project: &Project, arguments: &Arguments) -> Result<Outcome<TaskPlannerToolOutput>> {
    match arguments.action(Verb::from_word)? {
        Verb::Read => read::read(project, arguments),
        Verb::Progress => read::progress(project),
        Verb::Add => add::add(project, arguments),
        Verb::Update => update::update(project, arguments),
        Verb::Claim => claim::claim(project, arguments),
        Verb::Release => claim::release(project, arguments),
    }
}
