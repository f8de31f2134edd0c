//! What the actions of `task_planner` do.

use super::{COMPLETED, FILTER, LIMIT, OFFSET, SECTION, TASK_ID, Task, TaskFilter, TaskList, TaskPlannerToolOutput, Verb};
use crate::error::{Error, ErrorCode, Result};
use crate::input::{Arguments, clip};
use crate::rules::plan::{self, Found, Plan, same_section, set_mark};
use crate::store::files::{Reader, Writer};
use crate::store::place::plan_above;
use crate::store::project::{Outcome, Project};

/// How often an update starts over because somebody else has written the plan in between.
const TRIES: usize = 5;

/// How many names a message lists, and how many characters of each.
const LISTED: usize = 10;
const CLIPPED: usize = 100;

/// Runs an action.
///
/// # Errors
/// `INVALID_INPUT`, `PLAN_NOT_FOUND`, `TASK_NOT_FOUND`, `TASK_AMBIGUOUS`, and those of the store.
pub fn run(project: &Project, arguments: &Arguments) -> Result<Outcome<TaskPlannerToolOutput>> {
    match arguments.action(Verb::from_word)? {
        Verb::Read => project.read(|files| {
            let plan = load_or_warn(files)?;
            Ok(page(files, &plan, arguments))
        }),
        Verb::Progress => project.read(|files| Ok(answer(&load_or_warn(files)?, Vec::new(), None))),
        Verb::Update => {
            let wanted = arguments.get(TASK_ID).filter(|wanted| !wanted.trim().is_empty()).ok_or_else(|| {
                Error::invalid_input(
                    "task_planner: update needs taskId: an id that action `read` lists, or a task's exact description",
                )
            })?;
            let completed = arguments.get(COMPLETED).unwrap_or(true);
            update(project, &wanted, completed)
        }
    }
}

/// The project's plan; `None` where there is no file.
///
/// # Errors
/// `OUTSIDE_PROJECT` where the plan is a link that leads out; `IO_ERROR`.
pub fn load(files: &mut Reader<'_>) -> Result<Option<Plan>> {
    let Some(text) = files.plan()? else { return Ok(None) };
    if text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF") {
        let path = files.project().plan_path().display();
        files.warn(format!("the plan {path} is UTF-16, in which no task is found; save it as UTF-8"));
    }
    Ok(Some(parse(files.project(), &text)))
}

fn parse(project: &Project, text: &[u8]) -> Plan {
    Plan::parse(text, &project.config().optional_sections, project.generation())
}

fn load_or_warn(files: &mut Reader<'_>) -> Result<Plan> {
    let plan = load(files)?;
    if plan.is_none() {
        files.warn(format!("{}, so there are no tasks; {}", missing(files.project()), remedy(files.project())));
    }
    Ok(plan.unwrap_or_default())
}

fn missing(project: &Project) -> String {
    format!("there is no plan {}", project.plan_path().display())
}

/// What to do where there is no plan. One in a folder above is often the one that was meant.
fn remedy(project: &Project) -> String {
    let create = "create it with lines such as `- [ ] First task`";
    match plan_above(project.root()) {
        Some(plan) => format!("{create}, or name the folder of {} as the project", plan.display()),
        None => create.to_owned(),
    }
}

/// The tasks asked for, from an offset and up to a limit.
fn page(files: &mut Reader<'_>, plan: &Plan, arguments: &Arguments) -> TaskPlannerToolOutput {
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
        })
        .filter(|task| in_section(&task.section))
        .collect();
    let bounded = |field| arguments.get(field).map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    let start = bounded(OFFSET).unwrap_or(0).min(matching.len());
    let end = start.saturating_add(bounded(LIMIT).unwrap_or(usize::MAX)).min(matching.len());
    let listed = matching.iter().take(end).skip(start).map(|task| Task::from(*task)).collect();
    answer(plan, listed, (end < matching.len()).then_some(end))
}

/// Ticks or unticks a task. Where the box is right already nothing is written, not even the lock.
fn update(project: &Project, wanted: &str, completed: bool) -> Result<Outcome<TaskPlannerToolOutput>> {
    let looked = project.read(|files| Ok(look(files, wanted, completed)?.settled()))?;
    if let Some(answer) = looked.value {
        return Ok(Outcome { value: answer, warnings: looked.warnings });
    }
    project.write(|files| {
        for _ in 0..TRIES {
            if let Some(answer) = attempt(files, wanted, completed)? {
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

fn look(files: &Reader<'_>, wanted: &str, completed: bool) -> Result<Look> {
    let before = files.plan()?.ok_or_else(|| {
        let project = files.project();
        Error::new(ErrorCode::PlanNotFound, format!("{}; {}", missing(project), remedy(project)))
    })?;
    let plan = parse(files.project(), &before);
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

/// Names for a message.
fn names(names: Vec<&str>) -> String {
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

fn updated(plan: &Plan, id: &str) -> TaskPlannerToolOutput {
    let task = plan.tasks.iter().filter(|task| task.id == id).map(Task::from).collect();
    answer(plan, task, None)
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
