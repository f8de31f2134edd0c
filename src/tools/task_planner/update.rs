//! `update`: ticks one task, or unticks it.

use super::answer::{CLIPPED, names, updated};
use super::plan_file::{needed, parse, warn};
use super::{COMPLETED, TASK_ID, TaskPlannerToolOutput};
use crate::error::{Error, ErrorCode, Result};
use crate::input::{Arguments, clip};
use crate::rules::plan::{Found, Plan, set_mark};
use crate::store::files::{Reader, Writer};
use crate::store::project::{Outcome, Project};

/// How often a change starts over because somebody else has written the plan in between.
const TRIES: usize = 5;

pub(super) fn update(project: &Project, arguments: &Arguments) -> Result<Outcome<TaskPlannerToolOutput>> {
    let wanted = arguments.get(TASK_ID).filter(|wanted| !wanted.trim().is_empty()).ok_or_else(|| {
        Error::invalid_input("task_planner: update needs taskId: an id that action `read` lists, or a task's exact description")
    })?;
    tick(project, &wanted, arguments.get(COMPLETED).unwrap_or(true))
}

/// Ticks or unticks a task. Where the box is right already nothing is written, not even the lock.
fn tick(project: &Project, wanted: &str, completed: bool) -> Result<Outcome<TaskPlannerToolOutput>> {
    let looked = project.read(|files| Ok(look(files, wanted, completed)?.settled()))?;
    if let Some(answer) = looked.value {
        return Ok(Outcome { value: answer, warnings: looked.warnings });
    }
    change_plan(project, |files| attempt(files, wanted, completed))
}

/// Changes the plan under the lock; `attempt` answers `None` where somebody else has written it since it was read, and
/// starts over a few times.
pub(super) fn change_plan<T>(
    project: &Project,
    mut attempt: impl FnMut(&mut Writer<'_>) -> Result<Option<T>>,
) -> Result<Outcome<T>> {
    project.write(|files| {
        for _ in 0..TRIES {
            if let Some(answer) = attempt(files)? {
                return Ok(answer);
            }
        }
        Err(Error::new(
            ErrorCode::IoError,
            format!(
                "the plan {} was changed by somebody else during each of {TRIES} tries; nothing of theirs was overwritten: call again",
                files.project().plan_path().display()
            ),
        ))
    })
}

/// One try; `None` where somebody else has written the plan since it was read.
fn attempt(files: &mut Writer<'_>, wanted: &str, completed: bool) -> Result<Option<TaskPlannerToolOutput>> {
    let Look { before, after, plan, id } = look(files, wanted, completed)?;
    let Some(after) = after else { return Ok(Some(updated(&plan, &id))) };
    let written = files.replace_plan(&before, &after)?;
    Ok(written.then(|| updated(&parse(files.project(), &after), &id)))
}

/// A plan, the task meant, and what is to become of it.
struct Look {
    before: Vec<u8>,
    /// The plan's new bytes; `None` where the box is right already.
    after: Option<Vec<u8>>,
    plan: Plan,
    id: String,
}

impl Look {
    /// The answer, where nothing is to change.
    fn settled(&self) -> Option<TaskPlannerToolOutput> {
        self.after.is_none().then(|| updated(&self.plan, &self.id))
    }
}

fn look(files: &mut Reader<'_>, wanted: &str, completed: bool) -> Result<Look> {
    let before = needed(files)?;
    let plan = parse(files.project(), &before);
    warn(files, plan.survey(&before));
    let (id, after) = match plan.find(wanted) {
        Found::Task(task) => (task.id.clone(), set_mark(&before, task, completed)),
        Found::Ambiguous(ids) => {
            return Err(Error::new(
                ErrorCode::TaskAmbiguous,
                format!(
                    "{} tasks have the description {:?}; use one of the ids {} (action `read` lists them with their lines)",
                    ids.len(),
                    clip(wanted, CLIPPED),
                    names(ids)
                ),
            ));
        }
        Found::None(closest) => {
            let wanted = clip(wanted, CLIPPED);
            let closest = if closest.is_empty() {
                "the plan has no tasks".to_owned()
            } else {
                format!("the closest ids are {}", names(closest))
            };
            return Err(Error::new(
                ErrorCode::TaskNotFound,
                format!("no task has the id or description {wanted:?}; {closest}; action `read` lists all"),
            ));
        }
    };
    Ok(Look { before, after, plan, id })
}
