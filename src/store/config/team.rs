//! The settings of several workers: where they meet, and what they share.

use std::collections::BTreeSet;

use super::{Sources, invalid, setting};
use crate::error::{Error, ErrorCode, Result};
use crate::input::{Arguments, RawInput, RawValue};
use crate::options::{BUDGETS, TeamOptions};
use crate::rules::budget::{Budget, BudgetLimits, BudgetPeriod};
use crate::secret::Secret;

/// What happens while the server cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fallback {
    /// Nothing is admitted.
    #[default]
    Refuse,
    /// This project counts and claims alone.
    Local,
}

/// The settings of several workers, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamConfig {
    /// `RALPH_SHARED`: a directory, or a server's URL; `None` where workers do not meet.
    pub shared: Option<Secret>,
    /// Where that is said, for messages.
    pub said: String,
    /// Whether an option says it.
    pub by_option: bool,
    /// `RALPH_SHARED_NAME`: the group there.
    pub name: String,
    /// `RALPH_SHARED_FALLBACK`.
    pub fallback: Fallback,
    /// `RALPH_BUDGETS`.
    pub budgets: Vec<Budget>,
    /// `RALPH_WORKER`: this worker's name; `None` makes one up.
    pub worker: Option<String>,
    /// `RALPH_PLAN_NAME`: which plan this is; `None` tells it by its repository.
    pub plan_name: Option<String>,
}

impl Default for TeamConfig {
    fn default() -> Self {
        let name = setting::SHARED_NAME.built_in.to_owned();
        Self {
            shared: None,
            said: String::new(),
            by_option: false,
            name,
            fallback: Fallback::default(),
            budgets: Vec::new(),
            worker: None,
            plan_name: None,
        }
    }
}

/// The most characters of a name.
const LONGEST_NAME: usize = 100;

/// The most budgets.
const MOST_BUDGETS: usize = 20;

/// A setting's value and where it is said.
struct Said {
    value: String,
    place: String,
    by_option: bool,
}

impl Said {
    fn wrong(&self, wanted: &str) -> Error {
        if self.by_option {
            Error::invalid_input(format!("{} must be {wanted}", self.place))
        } else {
            invalid(&self.place, &self.value, wanted)
        }
    }
}

pub(super) fn resolve(sources: &Sources<'_>, options: &TeamOptions) -> Result<TeamConfig> {
    let said = |setting: &setting::Setting, option: &Option<String>| {
        let found = if let Some(value) = option {
            Said { value: value.clone(), place: format!("RalphTools: {}", setting.option), by_option: true }
        } else {
            let found = sources.text(setting);
            Said { value: found.value, place: found.place, by_option: false }
        };
        Some(found).filter(|found| !found.value.trim().is_empty())
    };
    let name = |setting, option| match said(setting, option) {
        Some(found) if !is_name(&found.value) => {
            Err(found.wrong(&format!("1 to {LONGEST_NAME} characters without control characters")))
        }
        found => Ok(found.map(|found| found.value)),
    };
    let shared = said(&setting::SHARED, &options.shared.as_ref().map(|shared| shared.reveal().to_owned()));
    let group = match said(&setting::SHARED_NAME, &options.shared_name) {
        Some(found) if !is_group(&found.value) => {
            return Err(
                found.wrong(&format!("1 to {LONGEST_NAME} letters, digits, `-`, `_` and `.`, the first none of the last"))
            );
        }
        found => found.map(|found| found.value),
    };
    let fallback = match said(&setting::SHARED_FALLBACK, &options.shared_fallback) {
        None => Fallback::Refuse,
        Some(found) => match found.value.trim() {
            "refuse" => Fallback::Refuse,
            "local" => Fallback::Local,
            _ => return Err(found.wrong("`refuse` or `local`")),
        },
    };
    let budgets = match &options.budgets {
        Some(budgets) => budgets_of(budgets)?,
        None => match said(&setting::BUDGETS, &None) {
            None => Vec::new(),
            Some(found) => budgets_of(&written(&found)?).map_err(|error| error.at(ErrorCode::ConfigInvalid, &found.place))?,
        },
    };
    Ok(TeamConfig {
        said: shared.as_ref().map(|found| found.place.clone()).unwrap_or_default(),
        by_option: shared.as_ref().is_some_and(|found| found.by_option),
        shared: shared.map(|found| Secret::new(found.value.trim().to_owned())),
        name: group.unwrap_or_else(|| setting::SHARED_NAME.built_in.to_owned()),
        fallback,
        budgets,
        worker: name(&setting::WORKER, &options.worker)?,
        plan_name: name(&setting::PLAN_NAME, &options.plan_name)?,
    })
}

fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().count() <= LONGEST_NAME && !name.chars().any(char::is_control)
}

/// Whether a name can be a folder's and stand in a server's keys.
fn is_group(name: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(known) && !name.starts_with('.')
}

/// Budgets that are written as JSON, as in a variable.
fn written(found: &Said) -> Result<Vec<Arguments>> {
    let example = r#"JSON such as [{"name":"team","calls":100,"per":"5h"}]"#;
    let value: serde_json::Value = serde_json::from_str(&found.value).map_err(|_| found.wrong(example))?;
    let raw: RawInput = vec![(BUDGETS.spec.name.to_owned(), RawValue::from(&value))];
    let checked = Arguments::check("", &[BUDGETS.spec], raw).map_err(|error| error.at(ErrorCode::ConfigInvalid, &found.place))?;
    Ok(checked.get(BUDGETS).unwrap_or_default())
}

fn budgets_of(records: &[Arguments]) -> Result<Vec<Budget>> {
    use crate::options::{BUDGET_CALLS, BUDGET_COST, BUDGET_NAME, BUDGET_PER, BUDGET_TOKENS};
    if records.len() > MOST_BUDGETS {
        return Err(Error::invalid_input(format!(
            "there are {} budgets, and at most {MOST_BUDGETS} are possible",
            records.len()
        )));
    }
    let mut names = BTreeSet::new();
    let budget = |record: &Arguments| {
        let name = record.get(BUDGET_NAME).unwrap_or_default();
        if !is_name(&name) {
            return Err(Error::invalid_input(format!(
                "a budget's name must have 1 to {LONGEST_NAME} characters, no control characters"
            )));
        }
        if !names.insert(name.clone()) {
            return Err(Error::invalid_input(format!("two budgets have the name {name:?}; give each its own")));
        }
        let micro_usd = record.get(BUDGET_COST).map(micro_usd);
        let limits = BudgetLimits { calls: record.get(BUDGET_CALLS), tokens: record.get(BUDGET_TOKENS), micro_usd };
        if limits == BudgetLimits::default() || micro_usd == Some(0) {
            return Err(Error::invalid_input(format!(
                "the budget {name:?} limits nothing: give it calls, tokens or costUsd above 0"
            )));
        }
        let per = record.get(BUDGET_PER).and_then(|word| BudgetPeriod::from_word(&word)).unwrap_or(BudgetPeriod::Hour);
        Ok(Budget { name, per, limits })
    };
    records.iter().map(budget).collect()
}

/// Dollars as whole millionths, rounded up: what is spent is never counted as less.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "within the range of the cast"
)]
pub fn micro_usd(dollars: f64) -> u64 {
    // What a decimal fraction lacks in binary is no further millionth.
    (dollars * 1e6 - 1e-6).ceil().clamp(0.0, crate::schema::MAX_SAFE_INTEGER as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_rounded_up_to_millionths() {
        for (dollars, micro) in [
            (0.0, 0),
            (0.1, 100_000),
            (0.3, 300_000),
            (1e-9, 1),
            (0.000_001, 1),
            (0.000_001_1, 2),
            (1e300, crate::schema::MAX_SAFE_INTEGER),
        ] {
            assert_eq!(micro_usd(dollars), micro, "{dollars}");
        }
    }
}
