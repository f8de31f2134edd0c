//! `claim` and `release`: several workers on one plan, and no task twice.

use super::answer::{among, find};
use super::claims::{Claims, identity, open, shown};
use super::plan_file::{load, needed, parse};
use super::{FORCE, LEASE_MINUTES, TASK_ID, TaskPlannerToolOutput};
use crate::error::{Error, ErrorCode, Result};
use crate::input::{Arguments, quoted};
use crate::rules::lease::{Beat, Claim, Lease, Release};
use crate::rules::plan::Plan;
use crate::store::project::{Outcome, Project};

/// How often a claim starts over because the task was ticked in between.
const TRIES: usize = 20;

const MINUTE: u64 = 60_000;

pub(super) fn claim(project: &Project, arguments: &Arguments) -> Result<Outcome<TaskPlannerToolOutput>> {
    let team = project.team();
    let wanted = arguments.get(TASK_ID).filter(|wanted| !wanted.trim().is_empty());
    let length = arguments.get(LEASE_MINUTES).unwrap_or(60) * MINUTE;
    for _ in 0..TRIES {
        let Outcome { value: (plan, ids), mut warnings } = project.read(|files| {
            let plan = parse(files.project(), &needed(files)?);
            let ids = candidates(&plan, wanted.as_deref())?;
            Ok((plan, ids))
        })?;
        let tasks: Vec<&str> = ids.iter().map(String::as_str).collect();
        let told = team.must(|place| place.claim(identity(project), &tasks, &team.who(Beat::default()), length))?;
        warnings.extend(told.warnings.clone());
        let (claim, leases) = told.value.clone();
        let claims = project.read(|files| Ok(Claims::of(files.project(), told.with(leases), files.now())))?.value;
        let Claim::Granted { task: id, until } = claim else {
            return match (&wanted, ids.first()) {
                (Some(_), Some(id)) => Err(taken(&claims, id)),
                _ => Ok(Outcome { value: nothing_left(&claims, &plan), warnings }),
            };
        };
        // It may have been ticked between our look at the plan and the claim.
        let plan = project.read(load)?.value.unwrap_or_default();
        let Some(task) = plan.tasks.iter().find(|task| task.id == id && !task.completed()) else {
            team.must(|place| place.release(identity(project), Some(&id), &team.who(Beat::default()), false))?;
            continue;
        };
        team.works_on(&id);
        let task = claims.task(task);
        let mut value = among(&claims, &plan, vec![task.clone()], None);
        value.task = Some(Some(task));
        value.claimed_until = Some(claims.shown(until));
        return Ok(Outcome { value, warnings });
    }
    Err(Error::new(ErrorCode::IoError, format!("the plan changed during each of {TRIES} tries; nothing is claimed: call again")))
}

/// What may be claimed: all open tasks, the blocking ones first, or the one that is wanted.
fn candidates(plan: &Plan, wanted: Option<&str>) -> Result<Vec<String>> {
    let Some(wanted) = wanted else { return Ok(open(plan).into_iter().map(|task| task.id.clone()).collect()) };
    let task = find(plan, wanted)?;
    if task.completed() {
        return Err(Error::invalid_input(format!(
            "task_planner: the task {} is ticked already; claim another, or untick it first",
            quoted(&task.id)
        )));
    }
    Ok(vec![task.id.clone()])
}

/// The answer where everything is somebody else's: who has what.
fn nothing_left(claims: &Claims, plan: &Plan) -> TaskPlannerToolOutput {
    let tasks = claims.taken(plan).into_iter().map(|task| claims.task(task)).collect();
    TaskPlannerToolOutput { task: Some(None), ..among(claims, plan, tasks, None) }
}

fn taken(claims: &Claims, id: &str) -> Error {
    match claims.theirs(id) {
        Some(lease) => claimed(id, lease, &claims.shown(lease.until)),
        None => Error::new(
            ErrorCode::TaskClaimed,
            format!("the task {} was done in a copy of the plan; claim another, or `release` it to open it again", quoted(id)),
        ),
    }
}

/// `TASK_CLAIMED`.
pub(super) fn claimed(id: &str, lease: &Lease, until: &str) -> Error {
    Error::new(
        ErrorCode::TaskClaimed,
        format!(
            "the task {} is claimed by {} until {until}; action `claim` finds another (people may pass force: true)",
            quoted(id),
            quoted(&lease.worker)
        ),
    )
}

pub(super) fn release(project: &Project, arguments: &Arguments) -> Result<Outcome<TaskPlannerToolOutput>> {
    let team = project.team();
    let force = arguments.get(FORCE).unwrap_or(false);
    let wanted = arguments.get(TASK_ID).filter(|wanted| !wanted.trim().is_empty());
    let Outcome { value: plan, mut warnings } = project.read(load)?;
    let plan = plan.unwrap_or_default();
    // A task that has gone from the plan may still be claimed, by its id.
    let id = wanted.map(|wanted| find(&plan, &wanted).map_or(wanted, |task| task.id.clone()));
    let worker = team.who(Beat { task: Some(String::new()), ..Beat::default() });
    let told = team.must(|place| place.release(identity(project), id.as_deref(), &worker, force))?;
    warnings.extend(told.warnings);
    let released = match told.value {
        Release::Released(released) => released,
        Release::Taken(lease) => {
            let ours = project.read(|files| Ok(files.now()))?.value;
            return Err(claimed(&id.unwrap_or_default(), &lease, &shown(lease.until, told.now, ours)));
        }
    };
    if released.is_empty() {
        warnings.push("nothing was released: this worker has no claim there".to_owned());
    }
    let mut outcome = project.read(|files| {
        let claims = Claims::load(files)?;
        let tasks = plan.tasks.iter().filter(|task| released.contains(&task.id)).map(|task| claims.task(task)).collect();
        Ok(among(&claims, &plan, tasks, None))
    })?;
    for warning in outcome.warnings {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    outcome.warnings = warnings;
    Ok(outcome)
}
