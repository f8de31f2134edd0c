//! Where workers meet: what every place can do, whatever it is made of.

use std::fmt::Debug;

use crate::error::Result;
use crate::rules::budget::{Ask, Budget, Millis, Tally};
use crate::rules::lease::{Beat, Claim, Leases, Release, Roster};

/// What a place tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told<T> {
    /// The place's instant. Instants in the value are by the same clock, which need not be ours.
    pub now: Millis,
    /// What was asked for.
    pub value: T,
    /// For the answer's `warnings`.
    pub warnings: Vec<String>,
    /// Whether the project answers for the place, which did not.
    pub alone: bool,
}

impl<T> Told<T> {
    /// The same with another value.
    pub fn with<U>(self, value: U) -> Told<U> {
        Told { now: self.now, value, warnings: self.warnings, alone: self.alone }
    }
}

/// Who asks, by name and with what it says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it says; `None` leaves it out of the list of workers.
    pub beat: Option<Beat>,
}

/// Calls that were admitted and may have to be taken back, and under what they were counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Names this request: made twice, because its answer was lost, it counts once.
    pub operation: String,
    /// When it was counted.
    pub at: Millis,
    /// The calls.
    pub calls: u64,
}

/// A place. Each operation happens as a whole or not at all, however many workers ask at once, and by the place's own
/// clock.
///
/// All fail with `SHARED_UNREACHABLE` where the place is a server that cannot be used, with `LOCK_TIMEOUT` and `IO_ERROR`
/// where it is files.
pub trait Place: Debug + Send + Sync {
    /// Admits calls by every budget or by none, and counts them and what was used.
    fn admit(&self, operation: &str, ask: &Ask<'_>, worker: &Worker<'_>) -> Result<Told<Tally>>;

    /// What counts; writes nothing.
    fn tally(&self, budgets: &[Budget]) -> Result<Told<Tally>>;

    /// Takes admitted calls back.
    fn take_back(&self, budgets: &[Budget], counted: &Counted) -> Result<Told<()>>;

    /// Tells everybody of a plan limit that is lifted after so long. Of two, the one that is lifted later counts.
    fn announce(&self, lifted_after: Millis, by: &str) -> Result<Told<()>>;

    /// Forgets the plan limit.
    fn lift(&self) -> Result<Told<()>>;

    /// Claims a task of a plan, as [`Leases::claim`] does; also tells all claims.
    fn claim(&self, plan: &str, tasks: &[&str], worker: &Worker<'_>, lease: Millis) -> Result<Told<(Claim, Leases)>>;

    /// Remembers a task of a plan as done, as [`Leases::finish`] does.
    fn finish(&self, plan: &str, task: &str, worker: &Worker<'_>) -> Result<Told<()>>;

    /// Gives up a task of a plan, as [`Leases::release`] does.
    fn release(&self, plan: &str, task: Option<&str>, worker: &Worker<'_>, force: bool) -> Result<Told<Release>>;

    /// The claims of a plan; writes nothing.
    fn leases(&self, plan: &str) -> Result<Told<Leases>>;

    /// Notes that a worker is at work.
    fn beat(&self, worker: &Worker<'_>) -> Result<Told<()>>;

    /// The workers seen lately; writes nothing.
    fn roster(&self) -> Result<Told<Roster>>;
}
