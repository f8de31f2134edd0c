//! `add`: one open task more (S35).

use serde_json::{Map, Value};

use super::answer::{CLIPPED, among, names};
use super::claims::Claims;
use super::plan_file::{needed, parse, warn};
use super::update::change_plan;
use super::{DESCRIPTION, SECTION, Task, TaskPlannerToolOutput};
use crate::error::{Error, ErrorCode, Result};
use crate::input::{Arguments, clip};
use crate::rules::plan::{Added, LONGEST_ADDED, add_task, task_text};
use crate::store::document::{Damage, Document, json_counter, parse_object, pretty_json};
use crate::store::files::Writer;
use crate::store::project::{Outcome, Project};
use crate::tools::circuit_breaker::loop_at_hand;

/// So many tasks are added in one loop: a plan that grows faster than it is worked off never ends.
const MOST_ADDED: u64 = 50;

pub(super) fn add(project: &Project, arguments: &Arguments) -> Result<Outcome<TaskPlannerToolOutput>> {
    let (description, cut) = task_text(&arguments.get(DESCRIPTION).unwrap_or_default());
    if description.is_empty() {
        return Err(Error::invalid_input("task_planner: add needs description: what is to be done, in one line"));
    }
    let section = arguments.get(SECTION).filter(|section| !section.trim().is_empty());
    let claims = project.read(Claims::load)?;
    let mut outcome = change_plan(project, |files| {
        if cut {
            files.warn(format!("the description was cut: a task has at most {LONGEST_ADDED} characters"));
        }
        attempt(files, &claims.value, &description, section.as_deref())
    })?;
    outcome
        .warnings
        .extend(claims.warnings.into_iter().filter(|warning| !outcome.warnings.contains(warning)).collect::<Vec<_>>());
    Ok(outcome)
}

/// One try; `None` where somebody else has written the plan since it was read.
fn attempt(
    files: &mut Writer<'_>,
    claims: &Claims,
    description: &str,
    section: Option<&str>,
) -> Result<Option<TaskPlannerToolOutput>> {
    let count = Count::now(files)?;
    if count.added >= MOST_ADDED {
        return Err(Error::invalid_input(format!(
            "task_planner: {MOST_ADDED} tasks were added in this loop, and no more can be; work on those that are there, and add \
             the rest in the next loop"
        )));
    }
    let before = needed(files)?;
    let (after, offset) = match add_task(&before, description, section) {
        Added::Done { text, offset } => (text, offset),
        Added::UnknownSection(titles) => {
            let wanted = clip(section.unwrap_or_default(), CLIPPED);
            let there = names(titles.iter().map(String::as_str).collect());
            return Err(Error::invalid_input(format!(
                "task_planner: the plan has no heading {wanted:?}; there are: {there} (leave section out to add after the last task)"
            )));
        }
        Added::NoPlace => {
            return Err(Error::new(
                ErrorCode::IoError,
                format!(
                    "the plan {} has no place for one more task that would leave the others as they are; edit the file",
                    files.project().plan_path().display()
                ),
            ));
        }
    };
    let plan = parse(files.project(), &before);
    if let Some(same) = plan.tasks.iter().find(|task| task.description == description) {
        files.warn(format!("a task with the same words is there already: {}", clip(&same.id, CLIPPED)));
    }
    if !files.replace_plan(&before, &after)? {
        return Ok(None);
    }
    count.one_more(files)?;
    let plan = parse(files.project(), &after);
    warn(files, plan.survey(&after));
    let added = plan.tasks.iter().filter(|task| task.offset == offset).map(Task::from).collect();
    Ok(Some(among(claims, &plan, added, None)))
}

/// `.tasks_added`: how many were added in which loop, a file of ours.
#[derive(Debug)]
struct TasksAddedFile;

/// What it holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Count {
    /// Of which loop; where none has begun, of which clock hour.
    during: String,
    added: u64,
}

impl Document for TasksAddedFile {
    const FILE: &'static str = ".tasks_added";
    type Value = Count;

    fn decode(bytes: &[u8]) -> std::result::Result<Count, Damage> {
        let object = parse_object(bytes)?;
        let during = object.get("during").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Count { during, added: json_counter(&object, "added")? })
    }

    fn encode(count: &Count) -> Vec<u8> {
        let members = [("during", Value::from(count.during.as_str())), ("added", count.added.into())];
        pretty_json(&members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
    }
}

impl Count {
    /// Of the loop at hand.
    fn now(files: &mut Writer<'_>) -> Result<Self> {
        let during = match loop_at_hand(files)? {
            Some(name) => format!("loop {name}"),
            None => format!("hour {}", files.project().zone().at(files.now()).format("%Y-%m-%dT%H")),
        };
        let last = files.load::<TasksAddedFile>()?.filter(|last| last.during == during);
        Ok(last.unwrap_or(Self { during, added: 0 }))
    }

    fn one_more(mut self, files: &mut Writer<'_>) -> Result<()> {
        self.added += 1;
        files.save::<TasksAddedFile>(&self)
    }
}
