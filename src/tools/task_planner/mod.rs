//! `task_planner`: the tasks of the project's plan, and ticking one of them.

mod add;
mod answer;
mod claim;
#[cfg(test)]
mod claim_tests;
mod claims;
mod plan_file;
mod read;
mod run;
#[cfg(test)]
mod tests;
mod update;

use crate::error::ErrorCode;
use crate::schema::{Access, Action, Field, ToolDefinition};
use crate::{record, words};

pub use claims::Claims;
pub use plan_file::{count, load};
pub use run::run;

words! {
    /// What `task_planner` can do.
    Verb {
        /// Lists tasks.
        Read = "read",
        /// Ticks one task, or unticks it.
        Update = "update",
        /// Adds one task.
        Add = "add",
        /// Counts alone.
        Progress = "progress",
        /// Claims a task for this worker.
        Claim = "claim",
        /// Gives a claim up.
        Release = "release",
    }
}

words! {
    /// Which tasks are listed.
    TaskFilter {
        /// All of them.
        All = "all",
        /// Those not ticked.
        Pending = "pending",
        /// Those ticked.
        Completed = "completed",
        /// Those not ticked, and neither claimed nor done by another worker.
        Available = "available",
    }
}

record! {
    /// A task of the plan.
    Task {
        always {
            /// Names the task in `update`: the mark that leads its text (`proj-001`, `T007`, `2.3`, `#123`), else a slug of its words.
            /// Ticking or moving the task keeps it.
            id: String,
            /// The text behind its box.
            description: String,
            /// Whether its box is ticked.
            completed: bool,
            /// The heading that it stands under; empty where there is none.
            section: String,
            /// Its line in the plan file, from 1.
            line: u64,
            /// Whether it stands in an optional section: the plan can be complete without it. Never under v0.9 rules.
            optional: bool,
        }
        sometimes {
            /// The worker that has claimed it, or has ticked it in a copy of the plan.
            claimed_by: String,
            /// When the claim runs out: ISO 8601, UTC, on this machine's clock.
            claimed_until: String,
        }
    }
}

record! {
    /// Tasks of the plan, with counts of the whole plan whatever is listed.
    TaskList {
        always {
            /// Tasks in the plan.
            total_tasks: u64,
            /// Those ticked.
            completed_tasks: u64,
            /// Those not ticked.
            pending_tasks: u64,
            /// Those pending and not optional. The plan is complete when there is none and a task is ticked.
            blocking_tasks: u64,
            /// Ticked tasks in percent, 0 to 100 with two decimals; 0 without tasks.
            progress_percentage: f64,
            /// The tasks asked for (read), the one that was updated or added (update, add), or none (progress).
            tasks: Vec<Task>,
        }
    }
}

record! {
    /// The answer of `task_planner`.
    TaskPlannerToolOutput extends TaskList as list {
        always {}
        sometimes {
            /// The task to do next: the first in the plan that blocks, else the first that is pending, those left out that other
            /// workers have claimed.
            next_task: Task,
            /// (read) The list was cut: the rest starts at this `offset`.
            next_offset: u64,
            /// (claim) The task, now this worker's; null where others have claimed all that are open, which `tasks` lists.
            task: Claimed,
            /// (claim) When the claim runs out: ISO 8601, UTC, on this machine's clock.
            claimed_until: String,
        }
    }
}

const TASK_ID: Field<String> = Field::text("taskId", "The task's id by `read`, or its exact description.")
    // A line of the plan may be as long.
    .at_most_chars(1 << 20)
    .on(&[Verb::Update.as_str(), Verb::Claim.as_str(), Verb::Release.as_str()])
    .required(&[Verb::Update.as_str()])
    .access(Access::Worker);

/// A task, or null.
pub type Claimed = Option<Task>;

const LEASE_MINUTES: Field<u64> = Field::integer("leaseMinutes", "Minutes until the claim runs out.")
    .at_least(1)
    .at_most(1440)
    .default("60")
    .on(&[Verb::Claim.as_str()])
    .access(Access::Worker);

const FORCE: Field<bool> = Field::boolean("force", "For people: whoever has claimed it.")
    .default("false")
    .on(&[Verb::Update.as_str(), Verb::Release.as_str()])
    .access(Access::Full);

const COMPLETED: Field<bool> = Field::boolean("completed", "True ticks the task, false makes it pending again.")
    .default("true")
    .on(&[Verb::Update.as_str()])
    .access(Access::Worker);

const FILTER: Field<String> =
    Field::one_of("filter", TaskFilter::ENUMERATION.words, "Which tasks to list.").default("all").on(&[Verb::Read.as_str()]);

const DESCRIPTION: Field<String> =
    Field::text("description", "Required. What is to be done, in one line.").on(&[Verb::Add.as_str()]).access(Access::Worker);

const SECTION: Field<String> =
    Field::text("section", "A heading: read lists what is under it, add adds there (default: the last task's).")
        .on(&[Verb::Read.as_str(), Verb::Add.as_str()]);

const LIMIT: Field<u64> = Field::integer("limit", "The most tasks to list.").default("as many as fit").on(&[Verb::Read.as_str()]);

const OFFSET: Field<u64> =
    Field::integer("offset", "Tasks to skip: the last nextOffset.").default("0").on(&[Verb::Read.as_str()]);

/// The definition.
pub const DEFINITION: ToolDefinition = ToolDefinition {
    name: "task_planner",
    method: "taskPlanner",
    title: "Task planner",
    description: "The project's to-do list: checkboxes in a Markdown plan. Call `read` (filter `pending`) to see what is left; nextTask is \
                  what to do next. Once a task is really done, call `update` with its taskId. Each answer counts the whole plan; the work is complete at blockingTasks 0. With a nextOffset the list was cut: read on with it as offset. New work goes in by `add`.",
    input: "TaskPlannerToolInput",
    actions: &[
        Action::read(Verb::Read.as_str(), "Lists tasks in the order of the plan."),
        Action::write(Verb::Update.as_str(), Access::Worker, "Ticks or unticks one task.").throws(&[
            ErrorCode::PlanNotFound,
            ErrorCode::TaskNotFound,
            ErrorCode::TaskAmbiguous,
            ErrorCode::TaskClaimed,
            ErrorCode::OutsideProject,
        ]),
        Action::write(Verb::Add.as_str(), Access::Worker, "Adds one open task to the end of a list.")
            .cumulative()
            .throws(&[ErrorCode::PlanNotFound, ErrorCode::OutsideProject]),
        Action::read(Verb::Progress.as_str(), "Counts, and the next task."),
        Action::write(Verb::Claim.as_str(), Access::Worker, "Claims the next free task, or taskId, for this worker.").throws(&[
            ErrorCode::PlanNotFound,
            ErrorCode::TaskNotFound,
            ErrorCode::TaskAmbiguous,
            ErrorCode::TaskClaimed,
            ErrorCode::SharedUnreachable,
        ]),
        Action::write(Verb::Release.as_str(), Access::Worker, "Gives up taskId, or all claims.")
            .throws(&[ErrorCode::TaskClaimed, ErrorCode::SharedUnreachable]),
    ],
    fields: &[
        TASK_ID.spec,
        DESCRIPTION.spec,
        COMPLETED.spec,
        FILTER.spec,
        SECTION.spec,
        LIMIT.spec,
        OFFSET.spec,
        LEASE_MINUTES.spec,
        FORCE.spec,
    ],
    output: &TaskPlannerToolOutput::RECORD,
    records: &[&TaskList::RECORD, &Task::RECORD],
    enumerations: &[],
};
