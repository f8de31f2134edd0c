//! `analyze`: reads one loop's output, remembers what it says, and decides.

use chrono::{DateTime, Utc};

use super::decision::{decision, plan_totals};
use super::files::{
    ExitSignalsFile, LastOutputLengthFile, ResponseAnalysisFile, Session, SessionFile, StoredAnalysis, is_session_id,
};
use super::source::Source;
use super::stored::{answered, stored};
use super::waiting::asked_before;
use super::{ExitDetectionToolOutput, FILES_CHANGED, LOOP_NUMBER, OUTPUT, OUTPUT_FILE};
use crate::error::Result;
use crate::generation::Generation;
use crate::input::Arguments;
use crate::rules::analysis::{Analysis, Analyzer, Context, FilesChanged, OutputFormat};
use crate::rules::breaker::Stamp;
use crate::rules::signals::{LoopSignals, feed};
use crate::schema::MAX_SAFE_INTEGER;
use crate::store::files::Writer;
use crate::store::project::{Outcome, Project};
use crate::tools::circuit_breaker::{changes, compare_claims};
use crate::tools::task_planner::Claims;

/// Reads the output and asks git before the lock is taken: both may take a while. What they found is weighed and written
/// under it.
pub(super) fn run(project: &Project, arguments: &Arguments) -> Result<Outcome<ExitDetectionToolOutput>> {
    let source = Source::find(project, arguments)?;
    let mut analyzer = Analyzer::with_promises(project.generation(), !project.config().completion_promise.is_empty());
    source.read(&mut analyzer)?;
    let told = arguments.get(FILES_CHANGED);
    let (changed, mut warnings) = if told.is_some() {
        (None, Vec::new())
    } else {
        let counted = changes(project)?;
        (counted.value, counted.warnings)
    };
    let files_changed = match (told, changed) {
        (Some(count), _) => FilesChanged::Told(count),
        // Where git can tell, it is certain.
        (None, Some(changed)) => FilesChanged::Certain(changed.files),
        (None, None) => FilesChanged::Counted(0),
    };
    let besides_plan = told.or(changed.map(|changed| changed.besides_plan));
    if matches!(source, Source::File(..)) && arguments.text(OUTPUT_FILE).is_some() && arguments.text(OUTPUT).is_some() {
        warnings.push("outputFile and output are both given; outputFile was read".to_owned());
    }
    let claims = asked_before(project)?.map(|outcome| {
        warnings.extend(outcome.warnings);
        outcome.value
    });
    let mut outcome = project.write(|files| {
        for warning in warnings {
            files.warn(warning);
        }
        let before = files.load::<ResponseAnalysisFile>()?.unwrap_or_default();
        let number = arguments.get(LOOP_NUMBER).unwrap_or_else(|| next_loop(&before));
        let previous_length = previous_length(files, &before, number)?;
        let mut this = Loop { number, output_file: source.name(), previous_length, previous_cost: None, besides_plan };
        let seen = weigh(files, analyzer, files_changed, &this);
        let session = files.load::<SessionFile>()?;
        this.previous_cost = previous_cost(&before, session.as_ref(), number, &seen);
        conclude(files, &this, seen, session, claims)
    })?;
    outcome.warnings.extend(announce(project, &outcome.value));
    Ok(outcome)
}

/// For how long others are held back where the provider names no time: what bash Ralph waits.
const UNTOLD: u64 = 3_600_000;

/// Tells the others of a limit of the plan: they need not run into it themselves.
fn announce(project: &Project, answer: &ExitDetectionToolOutput) -> Vec<String> {
    let team = project.team();
    let Some(limit) = answer.analysis.as_ref().and_then(|analysis| analysis.api_limit.as_ref()) else { return Vec::new() };
    if !team.is_counted() {
        return Vec::new();
    }
    let until = limit.resets_at.as_ref().and_then(|at| at.parse::<DateTime<Utc>>().ok());
    let after = match (until, project.read(|files| Ok(files.now()))) {
        (Some(until), Ok(now)) => u64::try_from((until - now.value).num_milliseconds()).unwrap_or(0),
        _ => UNTOLD,
    };
    if after == 0 {
        return Vec::new();
    }
    match team.must(|place| place.announce(after, team.worker())) {
        Ok(told) => told.warnings,
        Err(error) => vec![format!("the others were not told of the plan's limit: {}", error.message())],
    }
}

/// The loop that is analysed.
pub(super) struct Loop<'a> {
    pub(super) number: u64,
    /// As `.response_analysis` names it.
    pub(super) output_file: &'a str,
    /// Characters of the last text output before this loop; 0 where there is none.
    pub(super) previous_length: u64,
    /// Files that changed besides the plan, by the caller or git; `None` where only the output may know.
    pub(super) besides_plan: Option<u64>,
    /// What its session had cost before it.
    pub(super) previous_cost: Option<f64>,
}

impl Loop<'_> {
    /// What the loop cost.
    pub(super) fn cost(&self, seen: &Analysis) -> Option<f64> {
        seen.cost.of_loop(self.previous_cost)
    }
}

/// What this loop's total is compared with. If it is analysed again, the session's is its own.
fn previous_cost(before: &StoredAnalysis, session: Option<&Session>, number: u64, seen: &Analysis) -> Option<f64> {
    if before.loop_number() == Some(number) {
        return before.previous_cost();
    }
    session.filter(|session| seen.names_session.as_ref() == Some(&session.id))?.total_cost
}

/// What this loop's length is compared with. If it is analysed again, `.last_output_length` is its own.
fn previous_length(files: &mut Writer<'_>, before: &StoredAnalysis, number: u64) -> Result<u64> {
    let last = files.load::<LastOutputLengthFile>()?.unwrap_or(0);
    let told = if before.loop_number() == Some(number) { before.previous_length() } else { None };
    Ok(told.unwrap_or(last))
}

fn weigh(files: &mut Writer<'_>, analyzer: Analyzer, changed: FilesChanged, this: &Loop<'_>) -> Analysis {
    let project = files.project();
    let context = Context {
        files: changed,
        last_output_length: Some(this.previous_length),
        // v0.9 does not ask.
        blocking_tasks: project.generation() != Generation::V0_9 && plan_totals(files).blocking > 0,
        allowed_tools: &project.config().allowed_tools,
        completion_promise: &project.config().completion_promise,
        now: files.now(),
        zone: *project.zone(),
    };
    let seen = analyzer.finish(&context);
    for warning in &seen.warnings {
        files.warn(warning);
    }
    seen
}

fn conclude(
    files: &mut Writer<'_>,
    this: &Loop<'_>,
    seen: Analysis,
    session: Option<Session>,
    claims: Option<Claims>,
) -> Result<ExitDetectionToolOutput> {
    let generation = files.project().generation();
    let signals = LoopSignals {
        loop_number: this.number,
        test_only: seen.is_test_only,
        progress: seen.has_progress,
        completion: seen.has_completion_signal,
        exit: seen.exit_signal,
        explicit_false: seen.explicit_exit_signal && !seen.exit_signal,
        confidence: seen.confidence_score,
        blocked: seen.said.is_blocked(),
    };
    let lists = files.load::<ExitSignalsFile>()?.unwrap_or_default();
    // Of a call that failed at the provider there is nothing to remember.
    let lists = if seen.api_error.is_some() { lists } else { feed(&lists, &signals, generation) };
    let timestamp = Stamp::at(files.now());
    let analysis = stored(&seen, this, timestamp.as_str(), generation);
    compare_claims(files, Some(&analysis), this.besides_plan.unwrap_or(seen.files_modified), false)?;
    files.save::<ResponseAnalysisFile>(&analysis)?;
    files.save::<ExitSignalsFile>(&lists)?;
    if seen.format == OutputFormat::Text {
        files.save::<LastOutputLengthFile>(&seen.output_length)?;
    }
    let session = remember_session(files, session, &seen, timestamp.as_str())?;
    let decided = decision(files, lists, &analysis, claims)?;
    Ok(ExitDetectionToolOutput { analysis: Some(answered(seen, this, session, generation)), ..decided })
}

fn next_loop(before: &StoredAnalysis) -> u64 {
    before.loop_number().unwrap_or(0).saturating_add(1).min(MAX_SAFE_INTEGER)
}

/// Keeps the session for the next query, and what it has cost; what could not be one is not kept, for bash hands it to
/// `claude --resume`.
fn remember_session(files: &mut Writer<'_>, known: Option<Session>, seen: &Analysis, timestamp: &str) -> Result<Option<String>> {
    let known = known.filter(|known| seen.names_session.as_ref() == Some(&known.id));
    let Some(id) = &seen.session_id else {
        // A failed call's session is not kept, but one that is known has cost more.
        if let Some(known) = known
            && seen.cost.total.is_some()
        {
            files.save::<SessionFile>(&Session { total_cost: seen.cost.total, ..known })?;
        }
        return Ok(None);
    };
    if !is_session_id(id) {
        files.warn("the output's session id is none that Claude makes; it was not kept");
        return Ok(None);
    }
    let total_cost = seen.cost.total.or(known.and_then(|known| known.total_cost));
    files.save::<SessionFile>(&Session { id: id.clone(), timestamp: timestamp.to_owned(), total_cost })?;
    Ok(Some(id.clone()))
}
