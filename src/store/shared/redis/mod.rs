//! A place on a server: Redis or Valkey, from version 6 on. Each operation is one script there, by the server's clock.

mod answer;
mod failure;
mod line;
mod scripts;
#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Duration;

use redis::{ConnectionInfo, IntoConnectionInfo};

pub use self::failure::WrongUrl;

use self::answer::Answer;
use self::line::Line;
use self::scripts::{Call, Operation};
use super::place::{Counted, Place, Told, Worker};
use crate::error::{Error, ErrorCode, Result};
use crate::rules::budget::{Ask, Budget, Millis, PlanLimit, Spent, Steps, Tally};
use crate::rules::lease::{Claim, Lease, Leases, Release, Roster};

/// A server where workers meet.
pub struct Server {
    line: Line,
    /// What all keys begin with. The group is in braces, so that a cluster keeps them together.
    prefix: String,
}

/// A URL may hold a password, which is never shown.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("url", &self.line.shown()).field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

impl Server {
    /// A server by its URL (`redis://`, `rediss://`, `unix:///`), and the group there. Connects when it is first used.
    ///
    /// # Errors
    /// What is wrong with the URL, without the URL.
    pub fn new(url: &str, group: &str) -> Result<Self, WrongUrl> {
        Self::with(url, group, scripts::SERVER_CLOCK, line::PATIENCE)
    }

    /// A server whose scripts tell the time by other means, or with less patience, for tests.
    fn with(url: &str, group: &str, clock: &str, patience: Duration) -> Result<Self, WrongUrl> {
        let info: ConnectionInfo = url.into_connection_info().map_err(|error| WrongUrl::new(url, &error))?;
        let settings = info.redis_settings().clone().set_skip_set_lib_name();
        let line = Line::new(info.set_redis_settings(settings), clock, patience);
        Ok(Self { line, prefix: format!("ralph:{{{group}}}:") })
    }

    /// A server whose scripts read the time from a key.
    #[cfg(test)]
    pub(super) fn by_clock(url: &str, group: &str, clock: &str) -> Result<Self, WrongUrl> {
        Self::with(url, group, clock, line::PATIENCE)
    }

    /// How it is named to people: its address, without user and password.
    #[must_use]
    pub fn shown(&self) -> &str {
        self.line.shown()
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn budgets<'a>(&'a self, budgets: &'a [Budget]) -> impl Iterator<Item = String> + 'a {
        budgets.iter().map(|budget| self.key(&format!("budget:{}", budget.key())))
    }

    /// The keys of the list of workers.
    fn workers(&self) -> [String; 2] {
        [self.key("seen"), self.key("workers")]
    }

    fn claims(&self, plan: &str) -> String {
        self.key(&format!("claims:{plan}"))
    }

    fn run<T>(&self, call: &Call, read: impl Fn(Millis, &mut Answer) -> Option<T>) -> Result<Told<T>> {
        self.line.run(call, |now, answer| Some(Told { now, value: read(now, answer)?, warnings: Vec::new(), alone: false }))
    }
}

/// What a worker says of itself, as the scripts take it.
fn said(worker: &Worker<'_>) -> String {
    worker.beat.as_ref().and_then(|beat| serde_json::to_string(beat).ok()).unwrap_or_default()
}

/// A limit, as the scripts take it.
fn limit(limit: Option<u64>) -> String {
    limit.map_or_else(|| "-1".to_owned(), |limit| limit.to_string())
}

/// A tally, and whether it came too late to count.
fn tally(now: Millis, answer: &mut Answer) -> Option<(Tally, bool)> {
    let admitted = answer.number()? == 1;
    let late = answer.number()? == 1;
    let until = answer.number()?;
    let by = answer.text()?;
    let spent =
        |row: &mut Answer| Some((row.number()?, Spent { calls: row.number()?, tokens: row.number()?, micro_usd: row.number()? }));
    let steps = answer.rows(|budget| Some(budget.remaining_rows(spent)?.into_iter().collect::<Steps>()))?;
    Some((Tally { now, admitted, steps, plan: (until > 0).then_some(PlanLimit { until, by }) }, late))
}

fn leases(answer: &mut Answer) -> Option<Leases> {
    let rows =
        answer.rows(|row| Some((row.text()?, Lease { worker: row.text()?, until: row.number()?, done: row.number()? == 1 })))?;
    Some(rows.into_iter().collect())
}

impl Place for Server {
    fn admit(&self, operation: &str, ask: &Ask<'_>, worker: &Worker<'_>) -> Result<Told<Tally>> {
        let mut call = Call::new(Operation::Admit);
        call.keys([self.key(&format!("operation:{operation}")), self.key("plan-limit")]).keys(self.workers());
        call.keys(self.budgets(ask.budgets)).deadline();
        call.args([ask.calls, ask.used.tokens, ask.used.micro_usd].map(|number| number.to_string()));
        call.args([worker.name.to_owned(), said(worker)]);
        for Budget { per, limits, .. } in ask.budgets {
            call.args([per.step().to_string(), limit(limits.calls), limit(limits.tokens), limit(limits.micro_usd)]);
        }
        // A clock that was set forward on the server makes a request look late: its answer tells the clock, so once more.
        for _ in 0..2 {
            let told = self.run(&call, tally)?;
            if !told.value.1 {
                let tally = told.value.0.clone();
                return Ok(told.with(tally));
            }
        }
        Err(Error::new(
            ErrorCode::SharedUnreachable,
            format!("the shared place {} answers too late; nothing was admitted: call again", self.shown()),
        ))
    }

    fn tally(&self, budgets: &[Budget]) -> Result<Told<Tally>> {
        let mut call = Call::new(Operation::Tally);
        call.keys([self.key("plan-limit")]).keys(self.budgets(budgets));
        call.args(budgets.iter().map(|budget| budget.per.step().to_string()));
        self.run(&call, |now, answer| tally(now, answer).map(|(tally, _)| tally))
    }

    fn take_back(&self, budgets: &[Budget], counted: &Counted) -> Result<Told<()>> {
        let mut call = Call::new(Operation::TakeBack);
        call.keys([self.key(&format!("operation:{}", counted.operation))]).keys(self.budgets(budgets));
        call.args([counted.at.to_string(), counted.calls.to_string()]);
        call.args(budgets.iter().map(|budget| budget.per.step().to_string()));
        self.run(&call, |_, _| Some(()))
    }

    fn announce(&self, lifted_after: Millis, by: &str) -> Result<Told<()>> {
        let mut call = Call::new(Operation::Announce);
        // 0 is what forgets it.
        call.keys([self.key("plan-limit")]).args([lifted_after.max(1).to_string(), by.to_owned()]);
        self.run(&call, |_, _| Some(()))
    }

    fn lift(&self) -> Result<Told<()>> {
        let mut call = Call::new(Operation::Announce);
        call.keys([self.key("plan-limit")]).args(["0".to_owned(), String::new()]);
        self.run(&call, |_, _| Some(()))
    }

    fn claim(&self, plan: &str, tasks: &[&str], worker: &Worker<'_>, lease: Millis) -> Result<Told<(Claim, Leases)>> {
        let mut call = Call::new(Operation::Claim);
        call.keys([self.claims(plan)]).keys(self.workers());
        call.args([worker.name.to_owned(), said(worker), lease.to_string()]);
        call.args(tasks.iter().map(|task| (*task).to_owned()));
        self.run(&call, |_, answer| {
            let (task, until) = (answer.text()?, answer.number()?);
            let claim = if task.is_empty() { Claim::Taken } else { Claim::Granted { task, until } };
            Some((claim, leases(answer)?))
        })
    }

    fn finish(&self, plan: &str, task: &str, worker: &Worker<'_>) -> Result<Told<()>> {
        let mut call = Call::new(Operation::Finish);
        call.keys([self.claims(plan)]).keys(self.workers());
        call.args([worker.name.to_owned(), said(worker), task.to_owned()]);
        self.run(&call, |_, _| Some(()))
    }

    fn release(&self, plan: &str, task: Option<&str>, worker: &Worker<'_>, force: bool) -> Result<Told<Release>> {
        let mut call = Call::new(Operation::Release);
        call.keys([self.claims(plan)]).keys(self.workers());
        call.args([worker.name.to_owned(), said(worker), u8::from(force).to_string()]);
        call.args(task.map(str::to_owned));
        self.run(&call, |_, answer| {
            Some(match answer.number()? {
                1 => Release::Released(answer.list()?.remaining_texts()?),
                _ => Release::Taken(Lease { worker: answer.text()?, until: answer.number()?, done: false }),
            })
        })
    }

    fn leases(&self, plan: &str) -> Result<Told<Leases>> {
        let mut call = Call::new(Operation::Leases);
        call.keys([self.claims(plan)]);
        self.run(&call, |_, answer| leases(answer))
    }

    fn beat(&self, worker: &Worker<'_>) -> Result<Told<()>> {
        let mut call = Call::new(Operation::Beat);
        call.keys(self.workers()).args([worker.name.to_owned(), said(worker)]);
        self.run(&call, |_, _| Some(()))
    }

    fn roster(&self) -> Result<Told<Roster>> {
        let mut call = Call::new(Operation::Roster);
        call.keys([self.key("workers")]);
        self.run(&call, |now, answer| {
            let texts = answer.list()?.remaining_texts()?;
            let workers = texts.chunks_exact(2).map(|pair| Some((pair[0].clone(), serde_json::from_str(&pair[1]).ok()?)));
            let mut roster = Roster(workers.collect::<Option<_>>()?);
            roster.forget(now);
            Some(roster)
        })
    }
}
