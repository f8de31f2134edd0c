//! `rate_limit`: how many calls, and tokens, the local clock hour still admits, and the budgets that workers share.

mod shared;
#[cfg(test)]
mod shared_tests;

use chrono::SecondsFormat;

use crate::error::Result;
use crate::generation::Generation;
use crate::input::Arguments;
use crate::rules::budget::BudgetPeriod;
use crate::rules::window::{Bound, Limits, Used, Window};
use crate::schema::{Access, Action, Field, ToolDefinition};
use crate::store::config::team::micro_usd;
use crate::store::document::{Damage, Document, parse_counter};
use crate::store::files::{Reader, Writer};
use crate::store::project::{Outcome, Project};
use crate::{record, words};
use shared::Wanted;

words! {
    /// What `rate_limit` can do.
    Verb {
        /// Tells what is left.
        Check = "check",
        /// Asks for calls and records tokens.
        Increment = "increment",
        /// Zeroes both counters.
        Reset = "reset",
        /// As check.
        Status = "status",
    }
}

words! {
    /// Which limit a call runs into.
    RateLimitBound {
        /// The calls of this hour are used up.
        Calls = "calls",
        /// The tokens of this hour are used up.
        Tokens = "tokens",
        /// A budget is used up, which all workers share; `budget` names it.
        Budget = "budget",
        /// A worker ran into a limit of the plan: nobody is admitted until it is lifted.
        Plan = "plan",
    }
}

words! {
    /// What a budget limits.
    BudgetUnit {
        /// Calls.
        Calls = "calls",
        /// Input and output tokens.
        Tokens = "tokens",
        /// Dollars.
        CostUsd = "costUsd",
    }
}

record! {
    /// How one limit of a budget stands. A budget with several limits has one each.
    BudgetUse {
        always {
            /// The budget.
            name: String,
            /// How long what was spent counts.
            per: BudgetPeriod,
            /// What is limited.
            unit: BudgetUnit,
            /// Spent by all workers in the last such period.
            used: f64,
            /// The limit.
            limit: f64,
            /// What is left: `limit` less `used`, never below 0.
            remaining: f64,
            /// This project's own part of `used`.
            mine: f64,
            /// When the budget admits a call again: ISO 8601; null where it admits one now.
            next_admission: Option<String>,
        }
    }
}

record! {
    /// A worker that was seen at the shared place in the last day.
    WorkerSeen {
        always {
            /// Its name.
            name: String,
            /// Its machine.
            machine: String,
            /// Its project directory there.
            project: String,
            /// When it was seen last: ISO 8601, UTC.
            last_seen: String,
        }
        sometimes {
            /// Its loop.
            r#loop: u64,
            /// The task that it has claimed.
            task: String,
        }
    }
}

record! {
    /// The counters of the current hour.
    CallCount {
        always {
            /// Calls admitted in this clock hour. A count left by another hour reads as 0.
            current_count: u64,
            /// Calls that the hour admits.
            max_calls: u64,
            /// Calls left: `maxCalls` less `currentCount`, never below 0.
            remaining_capacity: u64,
            /// Tokens recorded in this clock hour; 0 under v0.9 rules, which know no tokens.
            tokens_used: u64,
            /// Tokens after which the hour admits no call; 0 is no token limit.
            max_tokens: u64,
        }
    }
}

record! {
    /// The answer of `rate_limit`.
    RateLimitToolOutput extends CallCount as count {
        always {
            /// Whether one more call would be admitted now.
            can_make_call: bool,
            /// The top of the next hour on the local clock, when the count resets: ISO 8601 with offset.
            next_reset: String,
            /// Whole seconds until calls are admitted again: until `nextReset`, or where a budget or the plan is the limit until
            /// `nextAdmission`; rounded up.
            seconds_until_reset: u64,
        }
        sometimes {
            /// (increment) Whether the calls were admitted and counted. Make the call only if it is true.
            admitted: bool,
            /// Which limit refused the calls, or would refuse the next.
            limited_by: RateLimitBound,
            /// (limitedBy `budget`) Which one.
            budget: String,
            /// (limitedBy `budget`, `plan`) When calls are admitted again: ISO 8601, UTC.
            next_admission: String,
            /// What the budgets say; left out where there are none and no shared place.
            budgets: Vec<BudgetUse>,
            /// (status) The workers of the shared place, the last seen first.
            workers: Vec<WorkerSeen>,
        }
    }
}

const CALLS: Field<u64> = Field::integer("calls", "Calls to ask for, all or none; 0 only records what was used.")
    .at_most(1000)
    .default("1")
    .on(&[Verb::Increment.as_str()])
    .access(Access::Full);

const TOKENS: Field<u64> = Field::integer("tokens", "Tokens used, added even if the calls are refused; ignored by v0.9 rules.")
    .at_most(1_000_000_000)
    .default("0")
    .on(&[Verb::Increment.as_str()])
    .access(Access::Full);

const COST_USD: Field<f64> =
    Field::number("costUsd", "Dollars used; for budgets.").default("0").on(&[Verb::Increment.as_str()]).access(Access::Full);

/// The definition.
pub const DEFINITION: ToolDefinition = ToolDefinition {
    name: "rate_limit",
    method: "rateLimit",
    title: "Rate limit",
    description: "Tells how many Claude calls this project may still make in the current clock hour (and tokens, where they are limited). \
                  Call `check` before starting more work. canMakeCall false: stop and wait secondsUntilReset; limitedBy says which limit it is. \
                  maxTokens 0 is no limit.",
    input: "RateLimitToolInput",
    actions: &[
        Action::read(Verb::Check.as_str(), "Tells what the hour still admits."),
        Action::write(
            Verb::Increment.as_str(),
            Access::Full,
            "Asks for calls before they are made, counts them if admitted, and adds what was used.",
        )
        .gives(&["admitted"])
        .cumulative(),
        Action::write(Verb::Reset.as_str(), Access::Full, "Zeroes this hour's calls and tokens, and forgets a plan limit.")
            .destructive(),
        Action::read(Verb::Status.as_str(), "The same as `check`."),
    ],
    fields: &[CALLS.spec, TOKENS.spec, COST_USD.spec],
    output: &RateLimitToolOutput::RECORD,
    records: &[&CallCount::RECORD, &BudgetUse::RECORD, &WorkerSeen::RECORD],
    enumerations: &[&RateLimitBound::ENUMERATION, &BudgetUnit::ENUMERATION, &BudgetPeriod::ENUMERATION],
};

/// Runs an action.
///
/// # Errors
/// Those of the store.
pub fn run(project: &Project, arguments: &Arguments) -> Result<Outcome<RateLimitToolOutput>> {
    match arguments.action(Verb::from_word)? {
        verb @ (Verb::Check | Verb::Status) => {
            let hour = project.read(|files| {
                let hour = Hour::load(files)?;
                let bound = hour.limits.bound(hour.used, 1);
                Ok(hour.answer(files, None, bound))
            })?;
            shared::tell(project, hour, verb == Verb::Status)
        }
        Verb::Increment => increment(project, arguments),
        Verb::Reset => {
            let hour = project.write(|files| {
                let mut hour = Hour::load(files)?;
                hour.used = Used::default();
                hour.save(files)?;
                let bound = hour.limits.bound(hour.used, 1);
                Ok(hour.answer(files, None, bound))
            })?;
            shared::reset(project, hour)
        }
    }
}

fn increment(project: &Project, arguments: &Arguments) -> Result<Outcome<RateLimitToolOutput>> {
    let wanted = Wanted {
        calls: arguments.get(CALLS).unwrap_or(1),
        tokens: arguments.get(TOKENS).unwrap_or(0),
        micro_usd: micro_usd(arguments.get(COST_USD).unwrap_or(0.0)),
    };
    // Counts so many of the calls that are wanted; what refuses them is told of all.
    let count = |files: &mut Writer<'_>, calls: u64| {
        let mut hour = Hour::load(files)?;
        let tokens = if hour.counts_tokens { wanted.tokens } else { 0 };
        let before = hour.used;
        let (used, refused) = hour.limits.admit(hour.used, calls, tokens);
        hour.used = used;
        hour.save(files)?;
        let wanted = if calls == wanted.calls { None } else { hour.limits.bound(before, wanted.calls) };
        let bound = refused.or(wanted).or_else(|| hour.limits.bound(hour.used, 1));
        Ok(hour.answer(files, Some(refused.is_none()), bound))
    };
    if project.team().is_counted() {
        shared::increment(project, wanted, count)
    } else {
        project.write(|files| count(files, wanted.calls))
    }
}

/// `.call_count`: calls of the hour that `.last_reset` names.
#[derive(Debug)]
pub struct CallCountFile;

/// `.token_count`: tokens of the same hour (v0.11).
#[derive(Debug)]
pub struct TokenCountFile;

/// `.last_reset`: the hour's key, local `YYYYMMDDHH`. Its modification time tells the hour that happens twice apart.
#[derive(Debug)]
pub struct LastResetFile;

macro_rules! counter_file {
    ($file:ty, $name:literal) => {
        impl Document for $file {
            const FILE: &'static str = $name;
            type Value = u64;

            fn decode(bytes: &[u8]) -> Result<u64, Damage> {
                parse_counter(bytes)
            }

            fn encode(value: &u64) -> Vec<u8> {
                format!("{value}\n").into_bytes()
            }
        }
    };
}
counter_file!(CallCountFile, ".call_count");
counter_file!(TokenCountFile, ".token_count");

/// `YYYYMMDDHH`.
const KEY_LENGTH: usize = 10;

impl Document for LastResetFile {
    const FILE: &'static str = ".last_reset";
    type Value = String;

    /// Any text is a key, for bash only compares it; what names no hour is simply another hour. An empty file, or the
    /// first digits of a key, is one that bash is about to rewrite.
    fn decode(bytes: &[u8]) -> Result<String, Damage> {
        let key = bytes.trim_ascii();
        if key.len() < KEY_LENGTH && key.iter().all(u8::is_ascii_digit) {
            return Err(Damage::Cut);
        }
        Ok(String::from_utf8_lossy(key).into_owned())
    }

    fn encode(value: &String) -> Vec<u8> {
        format!("{value}\n").into_bytes()
    }
}

/// What the current hour has used and may use.
#[derive(Debug)]
pub struct Hour {
    /// The hour.
    pub window: Window,
    /// Its limits.
    pub limits: Limits,
    /// What of them is used.
    pub used: Used,
    /// Whether tokens are counted at all: not under v0.9 rules.
    counts_tokens: bool,
    /// Whether the counters on disk belong to another hour.
    stale: bool,
    /// The tokens on disk, which are not written again where they stay.
    stored_tokens: Option<u64>,
}

impl Hour {
    /// Reads the counters; those of another hour read as 0.
    ///
    /// # Errors
    /// `IO_ERROR`.
    pub fn load(files: &mut Reader<'_>) -> Result<Self> {
        let project = files.project();
        let config = project.config();
        let counts_tokens = project.generation() == Generation::V0_11;
        let window = Window::at(files.now(), project.zone());
        let key = files.load::<LastResetFile>()?;
        let stale = !window.holds(key.as_deref(), files.modified::<LastResetFile>());
        let calls = files.load::<CallCountFile>()?.unwrap_or(0);
        let stored_tokens = if counts_tokens { files.load::<TokenCountFile>()? } else { None };
        Ok(Self {
            window,
            limits: Limits {
                calls: config.max_calls_per_hour,
                tokens: if counts_tokens { config.max_tokens_per_hour } else { 0 },
            },
            used: if stale { Used::default() } else { Used { calls, tokens: stored_tokens.unwrap_or(0) } },
            stored_tokens,
            counts_tokens,
            stale,
        })
    }

    /// Writes the counters, then the key: killed in between, the counters still read as another hour's.
    fn save(&self, files: &mut Writer<'_>) -> Result<()> {
        files.save::<CallCountFile>(&self.used.calls)?;
        if self.counts_tokens && self.stored_tokens != Some(self.used.tokens) {
            files.save::<TokenCountFile>(&self.used.tokens)?;
        }
        if self.stale {
            files.save_dated::<LastResetFile>(&self.window.key)?;
        }
        Ok(())
    }

    /// Whether so many calls more would be admitted.
    fn admits(&self, calls: u64) -> bool {
        self.limits.bound(self.used, calls).is_none()
    }

    fn answer(&self, files: &Reader<'_>, admitted: Option<bool>, bound: Option<Bound>) -> RateLimitToolOutput {
        RateLimitToolOutput {
            count: CallCount {
                current_count: self.used.calls,
                max_calls: self.limits.calls,
                remaining_capacity: self.limits.remaining(self.used),
                tokens_used: self.used.tokens,
                max_tokens: self.limits.tokens,
            },
            can_make_call: self.limits.bound(self.used, 1).is_none(),
            next_reset: self.window.next.to_rfc3339_opts(SecondsFormat::Secs, false),
            seconds_until_reset: self.window.seconds_left(files.now()),
            admitted,
            limited_by: bound.map(|bound| match bound {
                Bound::Calls => RateLimitBound::Calls,
                Bound::Tokens => RateLimitBound::Tokens,
            }),
            budget: None,
            next_admission: None,
            budgets: None,
            workers: None,
        }
    }
}
