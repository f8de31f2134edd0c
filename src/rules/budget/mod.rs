//! Budgets that several workers share: rolling windows, what they still admit, and when they admit again.
//!
//! Not Ralph's: bash counts a clock hour per folder while the bill is one for all of them. Nothing here knows where the
//! counts are kept.

mod book;
mod steps;
#[cfg(test)]
mod tests;

pub use book::{Ask, Book, PlanLimit, Receipt, Refusal, Tally};
pub use steps::{STEPS, Spent, Steps};

use crate::words;

/// Milliseconds since 1970, by the clock of the place where counts are kept.
pub type Millis = u64;

words! {
    /// How long what was spent counts.
    BudgetPeriod {
        /// The last hour.
        Hour = "hour",
        /// The last five hours.
        FiveHours = "5h",
        /// The last 24 hours.
        Day = "day",
        /// The last seven days.
        Week = "week",
    }
}

impl BudgetPeriod {
    /// The length of one of its 60 steps.
    #[must_use]
    pub const fn step(self) -> Millis {
        let minutes = match self {
            Self::Hour => 60,
            Self::FiveHours => 5 * 60,
            Self::Day => 24 * 60,
            Self::Week => 7 * 24 * 60,
        };
        minutes * 60_000 / STEPS
    }

    /// For how long a count can matter: the period, and the step in which it began.
    #[must_use]
    pub const fn memory(self) -> Millis {
        self.step() * (STEPS + 1)
    }
}

/// The limits of a budget; what is `None` is not limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BudgetLimits {
    /// Calls admitted in any period of that length, from 1.
    pub calls: Option<u64>,
    /// Tokens after which no call is admitted, from 1.
    pub tokens: Option<u64>,
    /// Millionths of a dollar after which no call is admitted, from 1.
    pub micro_usd: Option<u64>,
}

impl BudgetLimits {
    /// Whether `calls` more calls are kept out. No calls are always admitted.
    #[must_use]
    pub fn refuses(&self, used: Spent, calls: u64) -> bool {
        let reached = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used >= limit);
        calls > 0
            && (self.calls.is_some_and(|limit| used.calls.saturating_add(calls) > limit)
                || reached(self.tokens, used.tokens)
                || reached(self.micro_usd, used.micro_usd))
    }
}

/// A budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Its name, the same in all projects that share it.
    pub name: String,
    /// How long what was spent counts.
    pub per: BudgetPeriod,
    /// Its limits.
    pub limits: BudgetLimits,
}

impl Budget {
    /// Under what its counts are kept. The period is a part of it: counts in other steps do not add up.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}:{}", self.per, self.name)
    }

    /// The first instant from `now` on at which `calls` more calls would be admitted if nothing else is spent. Calls
    /// beyond the whole limit are asked for as if they were as many as the limit.
    #[must_use]
    pub fn next_admission(&self, steps: &Steps, now: Millis, calls: u64) -> Millis {
        let calls = self.limits.calls.map_or(calls, |limit| calls.min(limit));
        let mut used = steps.used(self.per, now);
        let mut at = now;
        for (step, spent) in steps.counting(self.per, now) {
            if !self.limits.refuses(used, calls) {
                break;
            }
            used = used.less(spent);
            at = at.max(step.saturating_add(STEPS + 1).saturating_mul(self.per.step()));
        }
        at
    }
}
