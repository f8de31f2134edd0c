//! `update`: ticks one task, or unticks it.

use super::answer::{find, updated};
use super::claim::claimed;
use super::claims::{Claims, identity};
use super::plan_file::{needed, parse, warn};
use super::{COMPLETED, FORCE, TASK_ID, TaskPlannerToolOutput};
use crate::error::{Error, ErrorCode, Result};
use crate::input::Arguments;
use crate::rules::lease::Beat;
use crate::rules::plan::{Plan, set_mark};
use crate::store::files::{Reader, Writer};
use crate::store::project::{Outcome, Project};

/// How often a change starts over because somebody else has written the plan in between.
const TRIES: usize = 20;

pub(super) fn update(project: &Project, arguments: &Arguments) -> Result<Outcome<TaskPlannerToolOutput>> {
    let wanted = arguments.get(TASK_ID).filter(|wanted| !wanted.trim().is_empty()).ok_or_else(|| {
        Error::invalid_input("task_planner: update needs taskId: an id that action `read` lists, or a task's exact description")
    })?;
    tick(project, &wanted, arguments.get(COMPLETED).unwrap_or(true), arguments.get(FORCE).unwrap_or(false))
}

/// Ticks or unticks a task that no other worker has claimed. Where the box is right already nothing is written, not even
/// the lock.
fn tick(project: &Project, wanted: &str, completed: bool, force: bool) -> Result<Outcome<TaskPlannerToolOutput>> {
    let Outcome { value: (claims, id, settled), mut warnings } = project.read(|files| {
        let looked = look(files, wanted, completed)?;
        let claims = Claims::load(files)?;
        if let Some(lease) = claims.theirs(&looked.id).filter(|_| !force) {
            return Err(claimed(&looked.id, lease, &claims.shown(lease.until)));
        }
        let settled = looked.after.is_none().then(|| updated(&claims, &looked.plan, &looked.id));
        Ok((claims, looked.id, settled))
    })?;
    let changes = settled.is_none();
    let value = if let Some(answer) = settled {
        answer
    } else {
        let ticked = change_plan(project, |files| attempt(files, &claims, wanted, completed))?;
        warnings.extend(ticked.warnings);
        ticked.value
    };
    if changes || claims.knows(&id) {
        warnings.extend(tell(project, &claims, &id, completed));
    }
    let mut told = std::collections::BTreeSet::new();
    warnings.retain(|warning| told.insert(warning.clone()));
    Ok(Outcome { value, warnings })
}

/// Tells the others that a task is done, or open again.
fn tell(project: &Project, claims: &Claims, id: &str, completed: bool) -> Vec<String> {
    let team = project.team();
    let plan = identity(project);
    let failed = "the task is changed in the plan; the others were not told";
    if !team.is_shared() {
        // One plan for all, in which it is ticked: the claim has done its work.
        let released = claims.knows(id).then(|| team.local().release(plan, Some(id), &team.who(Beat::default()), true));
        return released.and_then(Result::err).map(|error| vec![format!("{failed}: {}", error.message())]).unwrap_or_default();
    }
    let worker = team.who(Beat { task: Some(String::new()), ..Beat::default() });
    if completed {
        team.mention(failed, |place| place.finish(plan, id, &worker))
    } else if claims.knows(id) {
        team.mention(failed, |place| place.release(plan, Some(id), &worker, true))
    } else {
        Vec::new()
    }
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
fn attempt(files: &mut Writer<'_>, claims: &Claims, wanted: &str, completed: bool) -> Result<Option<TaskPlannerToolOutput>> {
    let Look { before, after, plan, id } = look(files, wanted, completed)?;
    let Some(after) = after else { return Ok(Some(updated(claims, &plan, &id))) };
    let written = files.replace_plan(&before, &after)?;
    Ok(written.then(|| updated(claims, &parse(files.project(), &after), &id)))
}

/// A plan, the task meant, and what is to become of it.
struct Look {
    before: Vec<u8>,
    /// The plan's new bytes; `None` where the box is right already.
    after: Option<Vec<u8>>,
    plan: Plan,
    id: String,
}

fn look(files: &mut Reader<'_>, wanted: &str, completed: bool) -> Result<Look> {
    let before = needed(files)?;
    let plan = parse(files.project(), &before);
    warn(files, plan.survey(&before));
    let task = find(&plan, wanted)?;
    let (id, after) = (task.id.clone(), set_mark(&before, task, completed));
    Ok(Look { before, after, plan, id })
}
