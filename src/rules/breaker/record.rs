//! Counting one loop.

use chrono::{DateTime, Utc};

use super::recovery::{Effective, effective, opening};
use super::table::{Condition, Counter, Evidence, FORGIVEN_QUESTIONS, PROGRESS, Row, TRANSITIONS};
use super::{Breaker, CircuitState, Rules, Stamp, Transition};
use crate::generation::Generation;
use crate::schema::MAX_SAFE_INTEGER;

/// What the last `.response_analysis` says, as far as the breaker looks at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts, each a field of the file")]
pub struct LoopAnalysis {
    /// The loop that was analysed; `None`: the file does not say, so it is nobody's.
    pub loop_number: Option<u64>,
    /// `has_completion_signal` or `exit_signal`.
    pub signal: bool,
    /// `files_modified`.
    pub files_modified: u64,
    /// `has_permission_denials`.
    pub permission_denials: bool,
    /// `asking_questions`.
    pub asking_questions: bool,
    /// `has_errors`.
    pub has_errors: bool,
    /// Whether the call failed at the provider: then nothing is known of the loop (case S6).
    pub provider_failed: bool,
}

/// What is known of the files that a loop changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Files {
    /// The caller says how many.
    Told(u64),
    /// Git can tell, and counted them: whatever the loop claims, there are no others (S32).
    Counted(u64),
    /// Nobody knows but the loop itself.
    Unknown,
}

/// What is known of a loop that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observation {
    /// Its number.
    pub loop_number: u64,
    /// Files that it changed.
    pub files: Files,
    /// Whether it had errors; `None`: what its analysis says.
    pub has_errors: Option<bool>,
    /// The last analysis; it counts only if it is of this loop.
    pub analysis: Option<LoopAnalysis>,
}

/// What a record did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The breaker to write.
    pub breaker: Breaker,
    /// What to append to the history, in order.
    pub transitions: Vec<Transition>,
    /// Whether the loop does not count, for it was recorded before, or its call failed at the provider; then nothing is to be
    /// written.
    pub repeated: bool,
    /// What was guessed or mended.
    pub warnings: Vec<String>,
}

/// Counts a loop, on the breaker as it is at `now`.
///
/// A loop that was recorded last, with no begin or reset since, changes nothing.
#[must_use]
pub fn record(written: &Breaker, auto_reset: bool, seen: &Observation, rules: &Rules, now: DateTime<Utc>) -> Recorded {
    let Effective { breaker: before, transition: recovery } = effective(written, auto_reset, rules, now);
    if before.recorded_loop == Some(seen.loop_number) {
        let warning = format!(
            "loop {} is recorded already and counts once; call begin before each loop, or pass the number of the loop",
            seen.loop_number
        );
        return Recorded { breaker: written.clone(), transitions: Vec::new(), repeated: true, warnings: vec![warning] };
    }

    if seen.analysis.is_some_and(|last| last.provider_failed && last.loop_number == Some(seen.loop_number)) {
        let warning =
            format!("the call of loop {} failed at the provider: it is not counted; wait, and run it again", seen.loop_number);
        return Recorded { breaker: written.clone(), transitions: Vec::new(), repeated: true, warnings: vec![warning] };
    }

    let facts = Facts::of(seen, rules.generation);
    let counted = count(&before, &facts, rules.generation);
    let row = first_row(&counted, &facts, rules);
    let opens = row.is_some_and(|r| r.to == CircuitState::Open && r.from != CircuitState::Open);
    let mut warnings = Vec::new();
    let state = row.map_or(before.state, |r| r.to);
    let after = Breaker {
        state,
        last_change: Stamp::at(now),
        last_progress_loop: if facts.progress { seen.loop_number } else { before.last_progress_loop },
        total_opens: if opens { one_more(before.total_opens) } else { before.total_opens },
        reason: row.map(|r| reason(r, &counted)).unwrap_or_default(),
        current_loop: seen.loop_number,
        opened_at: match (state, opens) {
            (CircuitState::Open, true) => Stamp::at(now),
            (CircuitState::Open, false) => kept_opening(&before, now, &mut warnings),
            _ => Stamp::default(),
        },
        recorded_loop: Some(seen.loop_number),
        ..counted
    };
    let step = (after.state != before.state).then(|| Transition {
        timestamp: Stamp::at(now),
        loop_number: seen.loop_number,
        from: before.state,
        to: after.state,
        reason: after.reason.clone(),
    });
    let transitions = recovery.into_iter().chain(step).collect();
    Recorded { breaker: after, transitions, repeated: false, warnings }
}

/// What an observation means under the rules of a generation.
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
struct Facts {
    progress: bool,
    errors: bool,
    denials: bool,
    questions: bool,
}

impl Facts {
    fn of(seen: &Observation, generation: Generation) -> Self {
        let analysis = seen.analysis.filter(|a| a.loop_number == Some(seen.loop_number)).unwrap_or_default();
        let shows = |evidence: Evidence| match evidence {
            Evidence::FilesChanged => matches!(seen.files, Files::Told(1..) | Files::Counted(1..)),
            Evidence::Signal => analysis.signal,
            Evidence::FilesReported => analysis.files_modified > 0 && !matches!(seen.files, Files::Counted(_)),
        };
        let progress = PROGRESS.iter().any(|&(evidence, of)| of.contains(&generation) && shows(evidence));
        Self {
            progress,
            errors: seen.has_errors.unwrap_or(analysis.has_errors),
            denials: analysis.permission_denials,
            questions: analysis.asking_questions && !progress,
        }
    }
}

/// The breaker with the loop counted, its state as it was. What a generation does not count stays `None`.
fn count(before: &Breaker, facts: &Facts, generation: Generation) -> Breaker {
    let initial = Breaker::initial(generation, DateTime::UNIX_EPOCH);
    let streak = |had: u64, goes_on: bool| if goes_on { one_more(had) } else { 0 };
    let questions =
        initial.consecutive_questions.map(|none| streak(before.consecutive_questions.unwrap_or(none), facts.questions));
    let forgiven = questions.is_some_and(|asked| (1..=FORGIVEN_QUESTIONS).contains(&asked));
    Breaker {
        consecutive_no_progress: match (facts.progress, forgiven) {
            (true, _) => 0,
            (false, true) => before.consecutive_no_progress,
            (false, false) => one_more(before.consecutive_no_progress),
        },
        consecutive_same_error: streak(before.consecutive_same_error, facts.errors),
        consecutive_permission_denials: initial
            .consecutive_permission_denials
            .map(|none| streak(before.consecutive_permission_denials.unwrap_or(none), facts.denials)),
        consecutive_questions: questions,
        ..before.clone()
    }
}

/// A count at the end of what a state file can hold stays there: one more would read as damage (B16).
fn one_more(count: u64) -> u64 {
    count.saturating_add(1).min(MAX_SAFE_INTEGER)
}

fn first_row(after: &Breaker, facts: &Facts, rules: &Rules) -> Option<&'static Row> {
    TRANSITIONS.iter().find(|row| {
        row.from == after.state
            && row.generations.contains(&rules.generation)
            && match row.when {
                Condition::Reached(counter) => value(after, counter) >= threshold(rules, counter),
                Condition::AtLeast(counter, least) => value(after, counter) >= least,
                Condition::Progress => facts.progress,
                Condition::Otherwise => true,
            }
    })
}

fn reason(row: &Row, after: &Breaker) -> String {
    match row.when {
        Condition::Reached(counter) | Condition::AtLeast(counter, _) => {
            row.reason.replacen("{}", &value(after, counter).to_string(), 1)
        }
        Condition::Progress | Condition::Otherwise => row.reason.to_owned(),
    }
}

fn value(breaker: &Breaker, counter: Counter) -> u64 {
    match counter {
        Counter::NoProgress => breaker.consecutive_no_progress,
        Counter::SameError => breaker.consecutive_same_error,
        Counter::PermissionDenials => breaker.consecutive_permission_denials.unwrap_or_default(),
    }
}

fn threshold(rules: &Rules, counter: Counter) -> u64 {
    match counter {
        Counter::NoProgress => rules.thresholds.no_progress,
        Counter::SameError => rules.thresholds.same_error,
        Counter::PermissionDenials => rules.thresholds.permission_denials,
    }
}

/// The opening time that a breaker which stays open keeps. Now, if it cannot be read or lies in the future: otherwise the
/// cooldown would never end.
fn kept_opening(before: &Breaker, now: DateTime<Utc>, warnings: &mut Vec<String>) -> Stamp {
    let written = opening(before);
    if let Some(stamp) = written.filter(|stamp| stamp.instant().is_some_and(|since| since <= now)) {
        if stamp != &before.opened_at && !before.opened_at.is_empty() {
            warnings.push("opened_at of .circuit_breaker_state cannot be read; last_change stands in for it".to_owned());
        }
        return stamp.clone();
    }
    let fault = if written.is_some() { "lies in the future" } else { "cannot be read" };
    warnings.push(format!("the opening time in .circuit_breaker_state {fault}; the cooldown starts now"));
    Stamp::at(now)
}
