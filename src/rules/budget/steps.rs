//! What was spent, by steps of a rolling window.

use std::collections::BTreeMap;

use super::{BudgetPeriod, Millis};
use crate::schema::MAX_SAFE_INTEGER;

/// Into how many steps a period is cut.
pub const STEPS: u64 = 60;

/// What was spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Calls admitted.
    pub calls: u64,
    /// Tokens used, input and output.
    pub tokens: u64,
    /// Millionths of a dollar: whole numbers add up exactly.
    pub micro_usd: u64,
}

impl Spent {
    /// Both together, no further than a JavaScript number holds exactly.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.zip(other, |a, b| a.saturating_add(b).min(MAX_SAFE_INTEGER))
    }

    /// What is left without `other`.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        self.zip(other, u64::saturating_sub)
    }

    fn zip(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            calls: join(self.calls, other.calls),
            tokens: join(self.tokens, other.tokens),
            micro_usd: join(self.micro_usd, other.micro_usd),
        }
    }
}

/// What was spent in each step since 1970 that still counts.
///
/// The step that runs and the 60 before it count, so that no stretch of time as long as the period ever holds more than
/// the limit, and a count leaves at most one step late.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Steps(BTreeMap<u64, Spent>);

impl Steps {
    /// The step that an instant lies in.
    #[must_use]
    pub const fn at(per: BudgetPeriod, now: Millis) -> u64 {
        now / per.step()
    }

    /// The steps that count, the oldest first. A step that lies ahead counts as well: a clock went back, and what was
    /// spent was spent.
    pub fn counting(&self, per: BudgetPeriod, now: Millis) -> impl Iterator<Item = (u64, Spent)> {
        self.0.range(Self::first(per, now)..).map(|(step, spent)| (*step, *spent))
    }

    /// What counts, all together.
    #[must_use]
    pub fn used(&self, per: BudgetPeriod, now: Millis) -> Spent {
        self.counting(per, now).fold(Spent::default(), |sum, (_, spent)| sum.plus(spent))
    }

    /// Adds to the step that runs, and forgets those that no longer count.
    pub fn add(&mut self, per: BudgetPeriod, now: Millis, spent: Spent) {
        self.0 = self.0.split_off(&Self::first(per, now));
        let step = self.0.entry(Self::at(per, now)).or_default();
        *step = step.plus(spent);
    }

    /// Takes back what was added to a step.
    pub fn take_back(&mut self, step: u64, spent: Spent) {
        if let Some(present) = self.0.get_mut(&step) {
            *present = present.less(spent);
        }
    }

    /// All steps, for those who store them.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Spent)> {
        self.0.iter().map(|(step, spent)| (*step, *spent))
    }

    const fn first(per: BudgetPeriod, now: Millis) -> u64 {
        Self::at(per, now).saturating_sub(STEPS)
    }
}

impl FromIterator<(u64, Spent)> for Steps {
    fn from_iter<I: IntoIterator<Item = (u64, Spent)>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}
