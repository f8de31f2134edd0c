//! The files of a place that is a folder: `.budgets.json`, `.claims.json` and `.workers.json`.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};

use crate::rules::budget::{Book, Millis, PlanLimit, Spent, Steps};
use crate::rules::lease::{Lease, Leases, Roster, Seen};
use crate::store::document::{Damage, Document, parse_object, pretty_json};

/// `.budgets.json`: what was spent of each budget by steps since 1970, `[calls, tokens, millionths of a dollar]`.
#[derive(Debug)]
pub struct BudgetsFile;

/// `.claims.json`: who has which task of which plan until when.
#[derive(Debug)]
pub struct ClaimsFile;

/// `.workers.json`: the workers that were seen lately.
#[derive(Debug)]
pub struct WorkersFile;

impl Document for BudgetsFile {
    const FILE: &'static str = ".budgets.json";
    type Value = Book;

    fn decode(bytes: &[u8]) -> Result<Book, Damage> {
        let object = parse_object(bytes)?;
        let budgets = member(&object, "budgets")?;
        Ok(Book {
            budgets: budgets.iter().map(|(key, steps)| Ok((key.clone(), decode_steps(steps)?))).collect::<Result<_, _>>()?,
            plan: match object.get("planLimit") {
                None | Some(Value::Null) => None,
                Some(plan) => Some(PlanLimit { until: instant(plan, "until")?, by: text(plan, "by")? }),
            },
        })
    }

    fn encode(book: &Book) -> Vec<u8> {
        let steps = |steps: &Steps| -> Map<String, Value> {
            steps.iter().map(|(step, spent)| (step.to_string(), json!([spent.calls, spent.tokens, spent.micro_usd]))).collect()
        };
        let budgets: Map<String, Value> = book.budgets.iter().map(|(key, kept)| (key.clone(), steps(kept).into())).collect();
        let plan = book.plan.as_ref().map(|plan| json!({ "until": shown(plan.until), "by": plan.by }));
        compact_json(&json!({ "budgets": budgets, "planLimit": plan }))
    }
}

impl Document for ClaimsFile {
    const FILE: &'static str = ".claims.json";
    type Value = BTreeMap<String, Leases>;

    fn decode(bytes: &[u8]) -> Result<Self::Value, Damage> {
        parse_object(bytes)?.iter().map(|(plan, leases)| Ok((plan.clone(), decode_leases(leases)?))).collect()
    }

    fn encode(plans: &Self::Value) -> Vec<u8> {
        let lease = |lease: &Lease| json!({ "worker": lease.worker, "until": shown(lease.until), "done": lease.done });
        let leases = |leases: &Leases| -> Map<String, Value> {
            leases.iter().map(|(task, kept)| (task.to_owned(), lease(kept))).collect()
        };
        let plans: Map<String, Value> = plans.iter().map(|(plan, kept)| (plan.clone(), leases(kept).into())).collect();
        pretty_json(&plans)
    }
}

impl Document for WorkersFile {
    const FILE: &'static str = ".workers.json";
    type Value = Roster;

    fn decode(bytes: &[u8]) -> Result<Roster, Damage> {
        let workers: BTreeMap<String, Seen> = serde_json::from_value(Value::Object(parse_object(bytes)?))
            .map_err(|error| Damage::Wrong(format!("lists no workers ({error})")))?;
        Ok(Roster(workers))
    }

    fn encode(roster: &Roster) -> Vec<u8> {
        pretty_json(&roster.0)
    }
}

/// JSON in one line: steps are many, and nobody reads them.
fn compact_json(value: &Value) -> Vec<u8> {
    let mut text = value.to_string().into_bytes();
    text.push(b'\n');
    text
}

fn decode_steps(steps: &Value) -> Result<Steps, Damage> {
    let wrong = || Damage::Wrong("has a budget that is no list of steps".into());
    let spent = |values: &Value| match values.as_array().map(Vec::as_slice) {
        Some([calls, tokens, micro_usd]) => {
            Some(Spent { calls: calls.as_u64()?, tokens: tokens.as_u64()?, micro_usd: micro_usd.as_u64()? })
        }
        _ => None,
    };
    let steps = steps.as_object().ok_or_else(wrong)?;
    steps.iter().map(|(step, values)| Ok((step.parse().map_err(|_| wrong())?, spent(values).ok_or_else(wrong)?))).collect()
}

fn decode_leases(leases: &Value) -> Result<Leases, Damage> {
    let leases = leases.as_object().ok_or_else(|| Damage::Wrong("has a plan that is no list of claims".into()))?;
    let lease = |lease: &Value| {
        let done = lease.get("done").and_then(Value::as_bool).unwrap_or(false);
        Ok(Lease { worker: text(lease, "worker")?, until: instant(lease, "until")?, done })
    };
    leases.iter().map(|(task, kept)| Ok((task.clone(), lease(kept)?))).collect()
}

fn member<'a>(object: &'a Map<String, Value>, key: &str) -> Result<&'a Map<String, Value>, Damage> {
    object.get(key).and_then(Value::as_object).ok_or_else(|| Damage::Wrong(format!("has no {key}")))
}

fn text(value: &Value, key: &str) -> Result<String, Damage> {
    value.get(key).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| Damage::Wrong(format!("has an entry without {key}")))
}

fn instant(value: &Value, key: &str) -> Result<Millis, Damage> {
    let parsed = text(value, key)?.parse::<DateTime<Utc>>().ok();
    parsed
        .and_then(|instant| Millis::try_from(instant.timestamp_millis()).ok())
        .ok_or_else(|| Damage::Wrong(format!("has a {key} that is no instant")))
}

/// An instant as people read it; one beyond the calendar is its end.
#[must_use]
pub fn shown(instant: Millis) -> String {
    let instant = i64::try_from(instant).ok().and_then(DateTime::from_timestamp_millis).unwrap_or(DateTime::<Utc>::MAX_UTC);
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}
