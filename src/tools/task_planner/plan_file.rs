//! The plan as the tools read it: whole, with the ids of its tasks, or only counted.

use crate::error::{Error, ErrorCode, Result};
use crate::rules::plan::{Plan, Survey, survey};
use crate::store::files::Reader;
use crate::store::place::plan_above;
use crate::store::project::Project;

/// The project's plan, with what its owner should know among the warnings; `None` where there is no file.
///
/// # Errors
/// `OUTSIDE_PROJECT` where the plan is a link that leads out; `IO_ERROR`.
pub fn load(files: &mut Reader<'_>) -> Result<Option<Plan>> {
    let Some(text) = text(files)? else { return Ok(None) };
    let plan = parse(files.project(), &text);
    warn(files, plan.survey(&text));
    Ok(Some(plan))
}

/// How the plan stands, without the list of its tasks; `None` where there is no file.
///
/// # Errors
/// As [`load`].
pub fn count(files: &mut Reader<'_>) -> Result<Option<Survey>> {
    let Some(text) = text(files)? else { return Ok(None) };
    let project = files.project();
    let survey = survey(&text, &project.config().optional_sections, project.generation());
    warn(files, survey.clone());
    Ok(Some(survey))
}

/// The plan's bytes.
pub(super) fn text(files: &mut Reader<'_>) -> Result<Option<Vec<u8>>> {
    let Some(text) = files.plan()? else { return Ok(None) };
    if let Some(warning) = files.project().two_plans() {
        files.warn(warning);
    }
    if text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF") {
        let path = files.project().plan_path();
        files.warn(format!("the plan {} is UTF-16, in which no task is found; save it as UTF-8", path.display()));
    }
    Ok(Some(text))
}

/// The plan's bytes, for whoever is going to change it.
pub(super) fn needed(files: &mut Reader<'_>) -> Result<Vec<u8>> {
    text(files)?.ok_or_else(|| {
        let project = files.project();
        Error::new(ErrorCode::PlanNotFound, format!("{}; {}", missing(project), remedy(project)))
    })
}

/// That there is no plan.
pub(super) fn missing(project: &Project) -> String {
    format!("there is no plan {}", project.plan_path().display())
}

/// What to do about it. One in a folder above is often the one that was meant.
pub(super) fn remedy(project: &Project) -> String {
    let create = "create it with lines such as `- [ ] First task`";
    match plan_above(project.root()) {
        Some(plan) => format!("{create}, or name the folder of {} as the project", plan.display()),
        None => create.to_owned(),
    }
}

pub(super) fn parse(project: &Project, text: &[u8]) -> Plan {
    Plan::parse(text, &project.config().optional_sections, project.generation())
}

pub(super) fn warn(files: &mut Reader<'_>, survey: Survey) {
    for note in survey.notes {
        files.warn(note);
    }
}
