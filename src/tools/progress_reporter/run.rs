//! The actions of `progress_reporter`.

use chrono::SecondsFormat;
use serde_json::{Number, Value, json};

use super::files::{ProgressFile, Status, StatusFile};
use super::statistics::totals;
use super::{
    CALLS_MADE, EXIT_REASON, LAST_ACTION, LEVEL, LOOP_CALLS, LOOP_COST, LOOP_COUNT, LOOP_DURATION, LOOP_SUCCEEDED, LOOP_TOKENS,
    Level, MESSAGE, ProgressMetrics, ProgressReporterToolOutput, RalphStatus, STATUS, Verb,
};
use crate::error::Result;
use crate::generation::Generation;
use crate::input::Arguments;
use crate::rules::lease::Beat;
use crate::rules::log_line::log_line;
use crate::rules::metrics::Totals;
use crate::store::files::{Reader, Writer};
use crate::store::log::LineFile;
use crate::store::project::{Outcome, Project};
use crate::tools::circuit_breaker::StateFile;
use crate::tools::exit_detection::{ResponseAnalysisFile, StoredAnalysis};
use crate::tools::rate_limit::Hour;

/// Runs an action.
///
/// # Errors
/// Those of the store.
pub fn run(project: &Project, arguments: &Arguments) -> Result<Outcome<ProgressReporterToolOutput>> {
    match arguments.action(Verb::from_word)? {
        Verb::Read | Verb::Metrics => project.read(|files| {
            let hour = Hour::load(files)?;
            let status = files.load::<StatusFile>()?.unwrap_or_default();
            let status = answer(files, &status, &hour);
            output(files, status)
        }),
        Verb::Update => {
            let Outcome { value: status, mut warnings } = project.write(|files| update(files, arguments))?;
            warnings.extend(seen_at_work(project, &status));
            // The statistics may be long to read, and the lock is free again. What was to be written is written.
            let read = project.read(|files| output(files, status.clone())).unwrap_or_else(|error| Outcome {
                value: ProgressReporterToolOutput { status, metrics: metrics(&Totals::default(), 0), progress: None },
                warnings: vec![format!("the status is written; there are no statistics: {error}")],
            });
            warnings.extend(read.warnings);
            let mut told = std::collections::BTreeSet::new();
            warnings.retain(|warning| told.insert(warning.clone()));
            Ok(Outcome { value: read.value, warnings })
        }
    }
}

/// Tells the others that this worker is at work, and in which loop.
fn seen_at_work(project: &Project, status: &RalphStatus) -> Vec<String> {
    let team = project.team();
    if !team.is_shared() {
        return Vec::new();
    }
    let worker = team.who(Beat { loop_number: Some(status.loop_count), ..Beat::default() });
    team.mention("the status is written; the others were not told", |place| place.beat(&worker))
}

/// Writes the status, the log line and the loop's measures. Both files are opened before anything is written: what is
/// refused leaves the status as it was.
fn update(files: &mut Writer<'_>, arguments: &Arguments) -> Result<RalphStatus> {
    let project = files.project();
    let hour = Hour::load(files)?;
    let mut status = files.load::<StatusFile>()?.unwrap_or_default();
    merge(&mut status, arguments, files, &hour);
    let answer = answer(files, &status, &hour);
    let log = match log_message(arguments, &answer, files) {
        Some(line) => Some((LineFile::open_rotated(files, project.log_file())?, line)),
        None => None,
    };
    let measures = match measures(arguments, &answer, files)? {
        Some(line) => Some((LineFile::open(files, &project.logs_dir().join("metrics.jsonl"))?, line)),
        None => None,
    };
    // What says nothing of the status makes none: it would read `unknown` (S34).
    if !says_nothing(arguments) || files.modified::<StatusFile>().is_some() {
        files.save::<StatusFile>(&status)?;
    }
    for (mut file, line) in log.into_iter().chain(measures) {
        file.append(&line)?;
    }
    Ok(answer)
}

/// Merges what is given into the status. A new file has its fields in bash's order.
fn merge(status: &mut Status, arguments: &Arguments, files: &Reader<'_>, hour: &Hour) {
    let text = |given: Option<String>, key: &str, otherwise: &str| {
        given.or_else(|| status.text(key)).unwrap_or_else(|| otherwise.to_owned())
    };
    let new_status = arguments.get(STATUS);
    // As in bash, a status comes with its reason: the one of an earlier run's end would be wrong.
    let reason = arguments.get(EXIT_REASON).or_else(|| new_status.as_ref().map(|_| String::new()));
    // A message alone comes from whoever works for the loop, not from the loop: its limits stay.
    let message_alone = says_nothing(arguments);
    let limit = |key: &str, ours: u64| status.counter(key).filter(|_| message_alone).unwrap_or(ours);
    let fields = [
        ("timestamp", Some(Value::from(timestamp(files)))),
        ("loop_count", Some(arguments.get(LOOP_COUNT).or_else(|| status.counter("loop_count")).unwrap_or(0).into())),
        ("calls_made_this_hour", Some(arguments.get(CALLS_MADE).unwrap_or(hour.used.calls).into())),
        ("max_calls_per_hour", Some(limit("max_calls_per_hour", hour.limits.calls).into())),
        ("tokens_used_this_hour", v0_11(files).then(|| hour.used.tokens.into())),
        ("max_tokens_per_hour", v0_11(files).then(|| limit("max_tokens_per_hour", hour.limits.tokens).into())),
        ("last_action", Some(text(arguments.get(LAST_ACTION), "last_action", "").into())),
        ("status", Some(text(new_status, "status", UNKNOWN).into())),
        ("exit_reason", Some(text(reason, "exit_reason", "").into())),
        ("next_reset", Some(hour.window.next.format("%H:%M:%S").to_string().into())),
    ];
    for (key, value) in fields {
        if let Some(value) = value {
            status.set(key, value);
        }
    }
}

/// Whether a call has nothing for the status: a message, say, or a loop's measures.
fn says_nothing(arguments: &Arguments) -> bool {
    [STATUS, LAST_ACTION, EXIT_REASON].iter().all(|field| arguments.text(*field).is_none())
        && [LOOP_COUNT, CALLS_MADE].iter().all(|field| arguments.get(*field).is_none())
}

const UNKNOWN: &str = "unknown";

/// The fields of tokens are v0.11's.
fn v0_11(files: &Reader<'_>) -> bool {
    files.project().generation() == Generation::V0_11
}

fn timestamp(files: &Reader<'_>) -> String {
    files.now().to_rfc3339_opts(SecondsFormat::Secs, false)
}

/// The line for the log; `None` where `logLevel` leaves it out.
fn log_message(arguments: &Arguments, status: &RalphStatus, files: &mut Reader<'_>) -> Option<String> {
    let level = arguments.get(LEVEL).and_then(|word| Level::from_word(&word)).unwrap_or(Level::Info);
    if level.severity() < files.project().log_level() {
        return None;
    }
    let message = arguments.get(MESSAGE).filter(|text| !text.trim().is_empty()).unwrap_or_else(|| describe(status));
    let (line, cut) = log_line(files.project().zone().at(files.now()), level.as_str(), &message);
    if cut {
        files.warn("the message was cut: a line of the log holds at most 4 KiB");
    }
    Some(line)
}

fn describe(status: &RalphStatus) -> String {
    let told = |text: &Option<String>, before: &str, after: &str| {
        text.as_ref().filter(|text| !text.is_empty()).map_or_else(String::new, |text| format!("{before}{text}{after}"))
    };
    format!(
        "Status: {}{}{}, loop {}, calls {}/{}",
        status.status,
        told(&status.last_action, " (", ")"),
        told(&status.exit_reason, ": ", ""),
        status.loop_count,
        status.calls_made,
        status.max_calls
    )
}

/// The line for `metrics.jsonl`: where a duration and an outcome are given.
fn measures(arguments: &Arguments, status: &RalphStatus, files: &mut Reader<'_>) -> Result<Option<String>> {
    let (duration, success) = match (arguments.get(LOOP_DURATION), arguments.get(LOOP_SUCCEEDED)) {
        (Some(duration), Some(success)) => (duration, success),
        (None, None) => return Ok(None),
        _ => {
            files.warn("the loop was not added to the statistics: that takes both loopDurationSeconds and loopSucceeded");
            return Ok(None);
        }
    };
    // What that loop's own output said of it.
    let last = files.load::<ResponseAnalysisFile>()?.filter(|last| last.loop_number() == Some(status.loop_count));
    let tokens = arguments.get(LOOP_TOKENS).or_else(|| last.as_ref().and_then(StoredAnalysis::tokens_used));
    let cost = arguments.get(LOOP_COST).or_else(|| last.as_ref().and_then(StoredAnalysis::cost_usd));
    let mut line = json!({
        "timestamp": status.timestamp,
        "loop": status.loop_count,
        "duration": seconds(duration),
        "success": success,
        "calls": arguments.get(LOOP_CALLS).unwrap_or(1),
    });
    // Ralph's own readers take no notice of these two.
    if let Some(tokens) = tokens {
        line["tokens"] = tokens.into();
    }
    if let Some(cost) = cost.and_then(|cost| rounded(cost, 1_000_000.0)) {
        line["cost_usd"] = cost.into();
    }
    Ok(Some(line.to_string()))
}

/// Seconds to the millisecond; a whole number without decimals, as bash writes it.
fn seconds(duration: f64) -> Option<Number> {
    rounded(duration, 1000.0)
}

/// A number to so many parts of one; a whole number without decimals.
fn rounded(number: f64, parts: f64) -> Option<Number> {
    let rounded = (number * parts).round() / parts;
    let rounded = if rounded.is_finite() { rounded } else { number };
    Number::from_f64(rounded).map(|number| crate::store::document::whole_number(&number).map_or(number, Number::from))
}

/// What a status says.
fn answer(files: &Reader<'_>, status: &Status, hour: &Hour) -> RalphStatus {
    RalphStatus {
        timestamp: status.text("timestamp").unwrap_or_else(|| timestamp(files)),
        loop_count: status.counter("loop_count").unwrap_or(0),
        calls_made: status.counter("calls_made_this_hour").unwrap_or(hour.used.calls),
        status: status.text("status").unwrap_or_else(|| UNKNOWN.to_owned()),
        max_calls: hour.limits.calls,
        next_reset: hour.window.next.to_rfc3339_opts(SecondsFormat::Secs, false),
        last_action: status.text("last_action"),
        exit_reason: status.text("exit_reason"),
    }
}

/// The answer: a status, the statistics, and what Claude is doing.
fn output(files: &mut Reader<'_>, status: RalphStatus) -> Result<ProgressReporterToolOutput> {
    let opens = files.load::<StateFile>()?.map_or(0, |breaker| breaker.total_opens);
    Ok(ProgressReporterToolOutput {
        status,
        metrics: metrics(&totals(files.project())?, opens),
        progress: files.load::<ProgressFile>()?,
    })
}

fn metrics(totals: &Totals, circuit_opens: u64) -> ProgressMetrics {
    ProgressMetrics {
        total_loops: totals.loops,
        successful_loops: totals.successful,
        failed_loops: totals.failed(),
        average_duration: totals.average(),
        success_rate: totals.success_rate(),
        circuit_opens,
        skipped_lines: totals.skipped,
        total_calls: totals.calls,
        total_tokens: totals.tokens,
        total_cost_usd: totals.cost.map(|cost| (cost.min(1e9) * 1_000_000.0).round() / 1_000_000.0),
    }
}
