//! What several workers share: budgets beside the project's own hour, a plan limit that one of them ran into, and who they
//! are.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

use super::{BudgetUnit, BudgetUse, Hour, RateLimitBound, RateLimitToolOutput, WorkerSeen};
use crate::error::{Error, Result};
use crate::rules::budget::{Ask, Book, Budget, Millis, Spent, Steps, Tally};
use crate::rules::lease::{Beat, Roster};
use crate::schema::MAX_SAFE_INTEGER;
use crate::store::files::{Reader, Writer};
use crate::store::project::{Outcome, Project};
use crate::store::shared::Counted;
use crate::store::shared::documents::BudgetsFile;

/// What a call asks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) calls: u64,
    pub(super) tokens: u64,
    pub(super) micro_usd: u64,
}

/// Adds to an answer of the hour what the others say. `all` also lists the workers.
pub(super) fn tell(project: &Project, hour: Outcome<RateLimitToolOutput>, all: bool) -> Result<Outcome<RateLimitToolOutput>> {
    let team = project.team();
    if !team.is_counted() {
        return Ok(hour);
    }
    let told = team.hear(|place| place.tally(team.budgets()))?;
    let roster = if all && team.is_shared() { Some(team.hear(|place| place.roster())?) } else { None };
    let Outcome { value: mut answer, warnings } = hour;
    let mut outcome = project.read(|files| {
        let clock = Clock { ours: files.now(), theirs: told.now };
        join(files, &mut answer, &told.value, &clock)?;
        answer.workers = roster.as_ref().map(|told| workers(&told.value, &Clock { ours: files.now(), theirs: told.now }));
        Ok(answer)
    })?;
    outcome.warnings = merged([warnings, told.warnings, roster.map(|told| told.warnings).unwrap_or_default(), outcome.warnings]);
    Ok(outcome)
}

/// After the hour was reset: the plan limit is forgotten; what was spent of budgets was spent.
pub(super) fn reset(project: &Project, hour: Outcome<RateLimitToolOutput>) -> Result<Outcome<RateLimitToolOutput>> {
    let team = project.team();
    if !team.is_counted() {
        return Ok(hour);
    }
    let lifted = team.must(|place| place.lift());
    let mut outcome = tell(project, hour, false)?;
    if let Err(error) = lifted {
        outcome.warnings.push(format!("a plan limit, if there is one, still counts: {}", error.message()));
    }
    if !team.budgets().is_empty() {
        outcome.warnings.push("budgets are not reset: what was spent counts until its time has passed".to_owned());
    }
    Ok(outcome)
}

/// Asks for calls where more than the project's own hour has to admit them: all or none. `count` counts calls of the hour,
/// and tells what refuses those that were wanted.
///
/// The place is asked before the project's lock is taken, for it may be far away; calls that the hour then refuses are
/// taken back.
pub(super) fn increment(
    project: &Project,
    wanted: Wanted,
    count: impl Fn(&mut Writer<'_>, u64) -> Result<RateLimitToolOutput>,
) -> Result<Outcome<RateLimitToolOutput>> {
    let team = project.team();
    let budgets = team.budgets();
    let free = project.read(|files| Ok(Hour::load(files)?.admits(wanted.calls)))?.value;
    let asked = if free { wanted.calls } else { 0 };
    let used = Spent { calls: 0, tokens: wanted.tokens, micro_usd: wanted.micro_usd };
    let owed = team.settle();
    let operation = team.operation();
    let ask = Ask { budgets, calls: asked, used: used.plus(owed) };
    let told = match team.must(|place| place.admit(&operation, &ask, &team.who(Beat::default()))) {
        Ok(told) => told,
        Err(error) => {
            team.owe(owed);
            return if wanted.calls == 0 && team.is_shared() { alone(project, used, &error, count) } else { Err(error) };
        }
    };
    let granted = asked > 0 && told.value.admitted;
    let written = project.write(|files| {
        let mut answer = count(files, if granted { asked } else { 0 })?;
        let counted = granted && answer.admitted == Some(true);
        answer.admitted = Some(counted || wanted.calls == 0);
        if !told.alone {
            mirror(files, budgets, Spent { calls: if counted { asked } else { 0 }, ..used })?;
        }
        let mut tally = told.value.clone();
        if granted && !counted {
            for (budget, steps) in budgets.iter().zip(&mut tally.steps) {
                steps.take_back(Steps::at(budget.per, told.now), Spent { calls: asked, ..Spent::default() });
            }
        }
        let clock = Clock { ours: files.now(), theirs: told.now };
        join(files, &mut answer, &tally, &clock)?;
        if !counted {
            refuse(&mut answer, budgets, &tally, wanted.calls, &clock);
        }
        Ok((answer, counted))
    });
    let counted = written.as_ref().is_ok_and(|outcome| outcome.value.1);
    let mut warnings = told.warnings;
    if granted && !counted {
        let counted = Counted { operation, at: told.now, calls: asked };
        match team.must(|place| place.take_back(budgets, &counted)) {
            Ok(told) => warnings.extend(told.warnings),
            Err(error) => warnings.push(format!("{asked} calls stay counted that were not admitted: {}", error.message())),
        }
    }
    let Outcome { value: (answer, _), warnings: ours } = written?;
    Ok(Outcome { value: answer, warnings: merged([ours, warnings]) })
}

/// What was used was used: the hour counts it now, and the others are told with the next call.
fn alone(
    project: &Project,
    used: Spent,
    error: &Error,
    count: impl Fn(&mut Writer<'_>, u64) -> Result<RateLimitToolOutput>,
) -> Result<Outcome<RateLimitToolOutput>> {
    let team = project.team();
    let mut outcome = project.write(|files| {
        mirror(files, team.budgets(), used)?;
        count(files, 0)
    })?;
    team.owe(used);
    outcome.warnings.push(format!("the others are told of what was used with the next call: {}", error.message()));
    Ok(outcome)
}

/// Keeps this project's own share, where the counts of all are elsewhere.
fn mirror(files: &mut Writer<'_>, budgets: &[Budget], spent: Spent) -> Result<()> {
    if !files.project().team().is_shared() || budgets.is_empty() || spent == Spent::default() {
        return Ok(());
    }
    let now = u64::try_from(files.now().timestamp_millis()).unwrap_or(0);
    let mut book = files.load::<BudgetsFile>()?.unwrap_or_default();
    book.record(budgets, spent, now);
    files.save::<BudgetsFile>(&book)
}

/// Ours and the place's clock at one moment.
struct Clock {
    ours: DateTime<Utc>,
    theirs: Millis,
}

impl Clock {
    /// An instant of theirs, on our clock: theirs may be another machine's.
    fn ours(&self, theirs: Millis) -> DateTime<Utc> {
        let difference = i64::try_from(i128::from(theirs) - i128::from(self.theirs)).unwrap_or(i64::MAX / 4);
        self.ours.checked_add_signed(TimeDelta::milliseconds(difference)).unwrap_or(self.ours)
    }

    /// Whole seconds until then, rounded up.
    fn seconds_until(&self, theirs: Millis) -> u64 {
        theirs.saturating_sub(self.theirs).div_ceil(1000)
    }
}

/// Puts into the answer what the others have spent, and what refuses the next call.
fn join(files: &mut Reader<'_>, answer: &mut RateLimitToolOutput, tally: &Tally, clock: &Clock) -> Result<()> {
    let project = files.project();
    let budgets = project.team().budgets();
    let mine = if project.team().is_shared() { files.load::<BudgetsFile>()?.unwrap_or_default() } else { Book::default() };
    let now = u64::try_from(files.now().timestamp_millis()).unwrap_or(0);
    let zone = *project.zone();
    let shown = |at: DateTime<Utc>| zone.at(at).to_rfc3339_opts(SecondsFormat::Secs, false);
    let mut shares = Vec::new();
    for (budget, steps) in budgets.iter().zip(&tally.steps) {
        let used = steps.used(budget.per, tally.now);
        let own = if project.team().is_shared() {
            mine.budgets.get(&budget.key()).map_or(Spent::default(), |steps| steps.used(budget.per, now))
        } else {
            used
        };
        let next = budget.limits.refuses(used, 1).then(|| shown(ceil(clock.ours(budget.next_admission(steps, tally.now, 1)))));
        let limits = [
            (BudgetUnit::Calls, budget.limits.calls, used.calls, own.calls),
            (BudgetUnit::Tokens, budget.limits.tokens, used.tokens, own.tokens),
            (BudgetUnit::CostUsd, budget.limits.micro_usd, used.micro_usd, own.micro_usd),
        ];
        for (unit, limit, used, mine) in limits {
            let Some(limit) = limit else { continue };
            let amount = |count: u64| if unit == BudgetUnit::CostUsd { dollars(count) } else { number(count) };
            shares.push(BudgetUse {
                name: budget.name.clone(),
                per: budget.per,
                unit,
                used: amount(used),
                limit: amount(limit),
                remaining: amount(limit.saturating_sub(used)),
                mine: amount(mine),
                next_admission: next.clone(),
            });
        }
    }
    answer.budgets = Some(shares);
    refuse(answer, budgets, tally, 1, clock);
    Ok(())
}

/// Notes what refuses so many calls: of the hour, a budget and the plan, what admits them again last.
fn refuse(answer: &mut RateLimitToolOutput, budgets: &[Budget], tally: &Tally, calls: u64, clock: &Clock) {
    let Some(refusal) = tally.refusal(budgets, calls) else { return };
    answer.can_make_call = answer.can_make_call && tally.refusal(budgets, 1).is_none();
    let seconds = clock.seconds_until(refusal.until).max(1);
    if answer.limited_by.is_some_and(RateLimitBound::is_of_the_hour) && answer.seconds_until_reset >= seconds {
        return;
    }
    let at = ceil(clock.ours(refusal.until));
    answer.next_admission = Some(at.to_rfc3339_opts(SecondsFormat::Secs, true));
    answer.seconds_until_reset = seconds;
    answer.limited_by = Some(if refusal.budget.is_some() { RateLimitBound::Budget } else { RateLimitBound::Plan });
    answer.budget = refusal.budget.and_then(|place| budgets.get(place)).map(|budget| budget.name.clone());
}

/// The next whole second: a call that comes at the instant told must not be too early.
fn ceil(at: DateTime<Utc>) -> DateTime<Utc> {
    let rest = at.timestamp_subsec_millis();
    if rest == 0 { at } else { at + TimeDelta::milliseconds(1000 - i64::from(rest)) }
}

fn workers(roster: &Roster, clock: &Clock) -> Vec<WorkerSeen> {
    let mut seen: Vec<_> = roster.0.iter().collect();
    seen.sort_by_key(|(_, seen)| std::cmp::Reverse(seen.at));
    seen.into_iter()
        .map(|(name, seen)| WorkerSeen {
            name: name.clone(),
            machine: seen.beat.machine.clone().unwrap_or_default(),
            project: seen.beat.project.clone().unwrap_or_default(),
            last_seen: clock.ours(seen.at).to_rfc3339_opts(SecondsFormat::Secs, true),
            r#loop: seen.beat.loop_number,
            task: seen.beat.task.clone().filter(|task| !task.is_empty()),
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn number(count: u64) -> f64 {
    count.min(MAX_SAFE_INTEGER) as f64
}

fn dollars(micro: u64) -> f64 {
    number(micro) / 1e6
}

/// Warnings of several parts of a call, each once.
fn merged<const N: usize>(lists: [Vec<String>; N]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for warning in lists.into_iter().flatten() {
        if !all.contains(&warning) {
            all.push(warning);
        }
    }
    all
}

impl RateLimitBound {
    const fn is_of_the_hour(self) -> bool {
        matches!(self, Self::Calls | Self::Tokens)
    }
}
