//! What other workers have claimed, as a call sees it.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

use super::Task;
use crate::error::Result;
use crate::rules::budget::Millis;
use crate::rules::lease::{Lease, Leases};
use crate::rules::plan::{self, Plan};
use crate::store::files::Reader;
use crate::store::project::Project;
use crate::store::shared::Told;

/// The claims of the project's plan.
#[derive(Debug, Default)]
pub struct Claims {
    leases: Leases,
    worker: String,
    /// The place's clock, and ours at the same moment.
    now: Millis,
    ours: DateTime<Utc>,
}

impl Claims {
    /// Asks the place where claims are kept; its warnings are the call's.
    ///
    /// # Errors
    /// Those of the project's own files.
    pub fn load(files: &mut Reader<'_>) -> Result<Self> {
        let project = files.project();
        let told = project.team().hear(|place| place.leases(identity(project)))?;
        for warning in &told.warnings {
            files.warn(warning.clone());
        }
        Ok(Self::of(project, told, files.now()))
    }

    /// What a place told just now.
    pub(super) fn of(project: &Project, told: Told<Leases>, ours: DateTime<Utc>) -> Self {
        // A name is made up only where it is needed.
        let worker = if told.value.is_empty() { String::new() } else { project.team().worker().to_owned() };
        Self { leases: told.value, worker, now: told.now, ours }
    }

    /// Another worker's claim of a task that it has not done yet.
    #[must_use]
    pub fn theirs(&self, task: &str) -> Option<&Lease> {
        self.lease(task).filter(|lease| lease.worker != self.worker && !lease.done)
    }

    /// Whether nothing is claimed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.leases.is_empty()
    }

    /// Whether anything is kept of a task.
    pub(super) fn knows(&self, task: &str) -> bool {
        self.lease(task).is_some()
    }

    /// The open tasks that other workers have claimed and not done.
    pub(super) fn taken<'a>(&self, plan: &'a Plan) -> Vec<&'a plan::Task> {
        open(plan).into_iter().filter(|task| self.theirs(&task.id).is_some()).collect()
    }

    /// Whether a task was done in a copy of the plan.
    #[must_use]
    pub fn done(&self, task: &str) -> bool {
        self.lease(task).is_some_and(|lease| lease.done)
    }

    /// Whether an open task is free for this worker: neither claimed nor done by another.
    #[must_use]
    pub fn free(&self, task: &str) -> bool {
        self.theirs(task).is_none() && !self.done(task)
    }

    fn lease(&self, task: &str) -> Option<&Lease> {
        self.leases.of(task, self.now)
    }

    /// An instant of the place's, on our clock: the place's may be another machine's.
    #[must_use]
    pub fn shown(&self, theirs: Millis) -> String {
        shown(theirs, self.now, self.ours)
    }

    /// A task as an answer shows it.
    pub(super) fn task(&self, task: &plan::Task) -> Task {
        let lease = self.lease(&task.id).filter(|_| !task.completed());
        Task {
            claimed_by: lease.map(|lease| lease.worker.clone()),
            claimed_until: lease.filter(|lease| !lease.done).map(|lease| self.shown(lease.until)),
            ..Task::from(task)
        }
    }

    /// The open tasks that are free, the blocking ones first, each in the order of the plan.
    pub(super) fn available<'a>(&self, plan: &'a Plan) -> Vec<&'a plan::Task> {
        open(plan).into_iter().filter(|task| self.free(&task.id)).collect()
    }
}

/// An instant of the place's on our clock.
pub(super) fn shown(theirs: Millis, now: Millis, ours: DateTime<Utc>) -> String {
    let difference = i64::try_from(i128::from(theirs) - i128::from(now)).unwrap_or(0);
    let at = ours.checked_add_signed(TimeDelta::milliseconds(difference)).unwrap_or(ours);
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Which plan it is, to all workers.
pub(super) fn identity(project: &Project) -> &str {
    project.team().identity(|| project.plan_path())
}

/// The open tasks, the blocking ones first, each in the order of the plan.
pub(super) fn open(plan: &Plan) -> Vec<&plan::Task> {
    let mut open: Vec<_> = plan.tasks.iter().filter(|task| !task.completed()).collect();
    open.sort_by_key(|task| task.optional);
    open
}
