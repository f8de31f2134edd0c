//! The counts of all budgets together: calls are admitted by every budget or by none.

use std::collections::BTreeMap;

use super::{Budget, Millis, Spent, Steps};

/// The longest time for which a plan limit can be told: the longest there is lasts a week, and a wrong instant must not
/// stop everybody for ever.
const LONGEST_PLAN_LIMIT: Millis = 8 * 24 * 3_600_000;

/// A limit of the provider's plan that a worker ran into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanLimit {
    /// When it is lifted.
    pub until: Millis,
    /// Who ran into it.
    pub by: String,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask<'a> {
    /// The budgets, by which the calls are admitted together.
    pub budgets: &'a [Budget],
    /// Calls to ask for; 0 is always admitted.
    pub calls: u64,
    /// What was used, which counts even if the calls are refused. Its `calls` is 0.
    pub used: Spent,
}

/// What a request found, once it was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The place's instant.
    pub now: Millis,
    /// Whether the calls were admitted.
    pub admitted: bool,
    /// What counts of each budget, in the order of the request.
    pub steps: Vec<Steps>,
    /// A plan limit that is not yet lifted.
    pub plan: Option<PlanLimit>,
}

/// What is needed to take a request's calls back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// When they were counted.
    pub at: Millis,
    /// How many.
    pub calls: u64,
}

/// The counts of all budgets, by [`Budget::key`], and the plan limit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Book {
    /// What was spent of each budget.
    pub budgets: BTreeMap<String, Steps>,
    /// The last plan limit that was told.
    pub plan: Option<PlanLimit>,
}

impl Book {
    /// What counts now.
    #[must_use]
    pub fn tally(&self, budgets: &[Budget], now: Millis) -> Tally {
        Tally {
            now,
            admitted: true,
            steps: budgets.iter().map(|budget| self.budgets.get(&budget.key()).cloned().unwrap_or_default()).collect(),
            plan: self.plan.clone().filter(|plan| plan.until > now),
        }
    }

    /// Admits the calls by every budget or by none, and counts them and what was used.
    pub fn admit(&mut self, ask: &Ask<'_>, now: Millis) -> Tally {
        let before = self.tally(ask.budgets, now);
        let refused = before.refusal(ask.budgets, ask.calls).is_some();
        let calls = if refused { 0 } else { ask.calls };
        self.record(ask.budgets, Spent { calls, ..ask.used }, now);
        Tally { admitted: !refused, ..self.tally(ask.budgets, now) }
    }

    /// Counts what was spent, whatever the limits.
    pub fn record(&mut self, budgets: &[Budget], spent: Spent, now: Millis) {
        if spent != Spent::default() {
            for budget in budgets {
                self.budgets.entry(budget.key()).or_default().add(budget.per, now, spent);
            }
        }
        self.forget(now);
    }

    /// Takes admitted calls back.
    pub fn take_back(&mut self, budgets: &[Budget], receipt: Receipt) {
        for budget in budgets {
            if let Some(steps) = self.budgets.get_mut(&budget.key()) {
                steps.take_back(Steps::at(budget.per, receipt.at), Spent { calls: receipt.calls, ..Spent::default() });
            }
        }
    }

    /// Tells a plan limit. Of two, the one that is lifted later counts.
    pub fn announce(&mut self, limit: PlanLimit, now: Millis) {
        let limit = PlanLimit { until: limit.until.min(now.saturating_add(LONGEST_PLAN_LIMIT)), ..limit };
        if self.plan.as_ref().is_none_or(|told| told.until < limit.until) {
            self.plan = Some(limit);
        }
    }

    /// Forgets budgets of which nothing counts any more.
    fn forget(&mut self, now: Millis) {
        self.budgets.retain(|key, steps| {
            let per = key.split_once(':').and_then(|(per, _)| super::BudgetPeriod::from_word(per));
            per.is_some_and(|per| steps.counting(per, now).next().is_some())
        });
        self.plan.take_if(|plan| plan.until <= now);
    }
}

/// What refuses calls: the one that admits them again last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// The budget's place in the request; `None` is the plan limit.
    pub budget: Option<usize>,
    /// When it admits them again.
    pub until: Millis,
}

impl Tally {
    /// What refuses `calls` calls now; no calls are always admitted.
    #[must_use]
    pub fn refusal(&self, budgets: &[Budget], calls: u64) -> Option<Refusal> {
        if calls == 0 {
            return None;
        }
        let by_budget = budgets.iter().zip(&self.steps).enumerate().filter_map(|(place, (budget, steps))| {
            let refuses = budget.limits.refuses(steps.used(budget.per, self.now), calls);
            refuses.then(|| Refusal { budget: Some(place), until: budget.next_admission(steps, self.now, calls) })
        });
        let by_plan = self.plan.as_ref().filter(|plan| plan.until > self.now);
        by_budget.chain(by_plan.map(|plan| Refusal { budget: None, until: plan.until })).max_by_key(|refusal| refusal.until)
    }

    /// What is needed to take the calls back.
    #[must_use]
    pub fn receipt(&self, calls: u64) -> Receipt {
        Receipt { at: self.now, calls }
    }
}
