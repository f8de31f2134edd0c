//! `read` and `progress`: the tasks asked for, and how the plan stands.

use super::answer::{CLIPPED, among, names};
use super::claims::Claims;
use super::plan_file::{load, missing, remedy};
use super::{FILTER, LIMIT, OFFSET, SECTION, TaskFilter, TaskPlannerToolOutput};
use crate::error::Result;
use crate::input::{Arguments, clip};
use crate::rules::plan::{self, Plan, same_section};
use crate::store::files::Reader;
use crate::store::project::{Outcome, Project};

pub(super) fn read(project: &Project, arguments: &Arguments) -> Result<Outcome<TaskPlannerToolOutput>> {
    project.read(|files| {
        let plan = load_or_warn(files)?;
        let claims = Claims::load(files)?;
        Ok(page(files, &plan, &claims, arguments))
    })
}

pub(super) fn progress(project: &Project) -> Result<Outcome<TaskPlannerToolOutput>> {
    project.read(|files| {
        let plan = load_or_warn(files)?;
        Ok(among(&Claims::load(files)?, &plan, Vec::new(), None))
    })
}

fn load_or_warn(files: &mut Reader<'_>) -> Result<Plan> {
    let plan = load(files)?;
    if plan.is_none() {
        let project = files.project();
        files.warn(format!("{}, so there are no tasks; {}", missing(project), remedy(project)));
    }
    Ok(plan.unwrap_or_default())
}

/// The tasks asked for, from an offset and up to a limit.
fn page(files: &mut Reader<'_>, plan: &Plan, claims: &Claims, arguments: &Arguments) -> TaskPlannerToolOutput {
    let filter = arguments.get(FILTER).and_then(|word| TaskFilter::from_word(&word)).unwrap_or(TaskFilter::All);
    let section = arguments.get(SECTION);
    let in_section = |title: &str| section.as_deref().is_none_or(|wanted| same_section(wanted, title));
    if let Some(wanted) = &section {
        let titles = plan.sections();
        if !titles.iter().any(|title| in_section(title)) {
            let wanted = clip(wanted, CLIPPED);
            files.warn(format!("no task stands under a heading {wanted:?}; there are {}", names(titles)));
        }
    }
    let matching: Vec<&plan::Task> = plan
        .tasks
        .iter()
        .filter(|task| match filter {
            TaskFilter::All => true,
            TaskFilter::Pending => !task.completed(),
            TaskFilter::Completed => task.completed(),
            TaskFilter::Available => !task.completed() && claims.free(&task.id),
        })
        .filter(|task| in_section(&task.section))
        .collect();
    let bounded = |field| arguments.get(field).map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    let start = bounded(OFFSET).unwrap_or(0).min(matching.len());
    let end = start.saturating_add(bounded(LIMIT).unwrap_or(usize::MAX)).min(matching.len());
    let listed = matching.iter().take(end).skip(start).map(|task| claims.task(task)).collect();
    among(claims, plan, listed, (end < matching.len()).then_some(end))
}
