//! The actions of `circuit_breaker`.

use super::changes::{Beginning, changes};
use super::claims::compare_claims;
use super::files::{HistoryFile, StateFile, history_entry, transition};
use super::{
    CircuitBreakerState, CircuitBreakerToolOutput, CircuitTransition, FILES_CHANGED, HAS_ERRORS, LOOP_NUMBER, REASON, Verb,
    reset_reason,
};
use crate::error::Result;
use crate::input::Arguments;
use crate::rules::breaker::{
    self, Breaker, CircuitState, Files, LoopAnalysis, Observation, Rules, Thresholds, cooldown_remaining, effective,
};
use crate::schema::MAX_SAFE_INTEGER;
use crate::store::files::{Reader, Writer};
use crate::store::git::GitAnswer;
use crate::store::instance::AutoReset;
use crate::store::project::{Outcome, Project};
use crate::tools::exit_detection::{ResponseAnalysisFile, StoredAnalysis};

/// How many transitions `status` lists.
const LISTED: usize = 10;

/// Runs an action.
///
/// # Errors
/// Those of the store.
pub fn run(project: &Project, arguments: &Arguments) -> Result<Outcome<CircuitBreakerToolOutput>> {
    match arguments.action(Verb::from_word)? {
        Verb::Check => project.read(|files| {
            let now = Loaded::load(files)?.now(files);
            Ok(answer(files, now))
        }),
        Verb::Status => project.read(|files| {
            let now = Loaded::load(files)?.now(files);
            let history = Some(history(files)?);
            Ok(CircuitBreakerToolOutput { history, ..answer(files, now) })
        }),
        Verb::Reset => project.write(|files| {
            let reason = reset_reason(arguments.get(REASON));
            let closed = Breaker::reset(&reason, project.generation(), files.now());
            files.save::<StateFile>(&closed)?;
            *project.instance().auto_reset() = AutoReset::Spent;
            Ok(answer(files, closed))
        }),
        Verb::Begin => begin(project),
        Verb::Record => record(project, arguments),
    }
}

fn begin(project: &Project) -> Result<Outcome<CircuitBreakerToolOutput>> {
    let beginning = Beginning::of(project)?;
    project.write(|files| {
        beginning.save(files)?;
        let mut loaded = Loaded::load(files)?;
        if loaded.written.recorded_loop.is_some() {
            loaded.written = loaded.written.begin();
            files.save::<StateFile>(&loaded.written)?;
        }
        Ok(answer(files, loaded.now(files)))
    })
}

fn record(project: &Project, arguments: &Arguments) -> Result<Outcome<CircuitBreakerToolOutput>> {
    let said = arguments.get(FILES_CHANGED);
    let counted = match said {
        Some(_) => GitAnswer { value: None, warnings: Vec::new() },
        None => changes(project)?,
    };
    project.write(|files| {
        for warning in counted.warnings {
            files.warn(warning);
        }
        let loaded = Loaded::load(files)?;
        let stored = files.load::<ResponseAnalysisFile>()?;
        let analysis = stored.as_ref().map(StoredAnalysis::for_breaker);
        let loop_number = arguments.get(LOOP_NUMBER).unwrap_or_else(|| next_loop(&loaded.now(files), analysis.as_ref()));
        let of_this_loop = stored.filter(|last| last.loop_number() == Some(loop_number));
        let reported = of_this_loop.as_ref().map_or(0, |last| last.for_breaker().files_modified);
        let seen = Observation {
            loop_number,
            files: match (said, counted.value) {
                (Some(said), _) => Files::Told(said),
                (None, Some(changes)) => Files::Counted(changes.files),
                // Where neither the caller nor git knows of any, the loop's own output may.
                (None, None) if reported > 0 => Files::Told(reported),
                (None, None) => Files::Unknown,
            },
            has_errors: arguments.get(HAS_ERRORS),
            analysis,
        };
        let recorded = breaker::record(&loaded.written, loaded.auto_reset, &seen, &rules(project), files.now());
        for warning in recorded.warnings {
            files.warn(warning);
        }
        if recorded.repeated {
            return Ok(answer(files, loaded.now(files)));
        }
        let besides_plan = said.or(counted.value.map(|changes| changes.besides_plan)).unwrap_or(reported);
        compare_claims(files, of_this_loop.as_ref(), besides_plan, counted.value.is_some() && besides_plan == 0)?;
        append_history(files, &recorded.transitions)?;
        files.save::<StateFile>(&recorded.breaker)?;
        *project.instance().auto_reset() = AutoReset::Spent;
        // As recorded: a cooldown of 0 minutes has not elapsed before somebody asks again.
        Ok(answer(files, recorded.breaker))
    })
}

/// The number of a loop whose caller does not say.
fn next_loop(now: &Breaker, analysis: Option<&LoopAnalysis>) -> u64 {
    analysis
        .and_then(|analysis| analysis.loop_number)
        .filter(|analysed| *analysed > now.current_loop)
        .unwrap_or_else(|| now.current_loop.saturating_add(1).min(MAX_SAFE_INTEGER))
}

/// The history first: should the state's write fail, the loop is recorded again and its transition stands there twice,
/// which is better than not at all.
fn append_history(files: &mut Writer<'_>, transitions: &[breaker::Transition]) -> Result<()> {
    let present = files.load::<HistoryFile>()?;
    if present.is_some() && transitions.is_empty() {
        return Ok(());
    }
    let mut entries = present.unwrap_or_default();
    entries.extend(transitions.iter().map(history_entry));
    files.save::<HistoryFile>(&entries)
}

fn history(files: &mut Reader<'_>) -> Result<Vec<CircuitTransition>> {
    let entries = files.load::<HistoryFile>()?.unwrap_or_default();
    let readable: Vec<_> = entries.iter().filter_map(transition).collect();
    if readable.len() < entries.len() {
        files.warn(format!("{} of .circuit_breaker_history's entries are no transitions", entries.len() - readable.len()));
    }
    let skipped = readable.len().saturating_sub(LISTED);
    let listed = readable.into_iter().skip(skipped).map(|transition| CircuitTransition {
        timestamp: transition.timestamp.as_str().to_owned(),
        r#loop: transition.loop_number,
        from_state: transition.from,
        to_state: transition.to,
        reason: transition.reason,
    });
    Ok(listed.collect())
}

fn rules(project: &Project) -> Rules {
    let config = project.config();
    Rules {
        generation: project.generation(),
        thresholds: Thresholds {
            no_progress: config.no_progress_threshold,
            same_error: config.same_error_threshold,
            permission_denials: config.permission_denial_threshold,
            cooldown_minutes: config.cooldown_minutes,
        },
    }
}

/// The breaker as it is written, and whether this instance takes its opening as reset.
struct Loaded {
    written: Breaker,
    auto_reset: bool,
}

impl Loaded {
    fn load(files: &mut Reader<'_>) -> Result<Self> {
        let project = files.project();
        let written = files.load::<StateFile>()?.unwrap_or_else(|| Breaker::initial(project.generation(), files.now()));
        let auto_reset = project.config().auto_reset && takes_as_reset(project, &written);
        Ok(Self { written, auto_reset })
    }

    fn now(&self, files: &Reader<'_>) -> Breaker {
        effective(&self.written, self.auto_reset, &rules(files.project()), files.now()).breaker
    }
}

fn answer(files: &Reader<'_>, breaker: Breaker) -> CircuitBreakerToolOutput {
    let open = breaker.state == CircuitState::Open;
    CircuitBreakerToolOutput {
        can_execute: !open,
        cooldown_remaining_seconds: cooldown_remaining(&breaker, &rules(files.project()), files.now()),
        history: None,
        breaker: CircuitBreakerState {
            state: breaker.state,
            reason: breaker.reason,
            consecutive_no_progress: breaker.consecutive_no_progress,
            last_progress_loop: breaker.last_progress_loop,
            total_opens: breaker.total_opens,
            consecutive_same_error: breaker.consecutive_same_error,
            current_loop: breaker.current_loop,
            consecutive_permission_denials: breaker.consecutive_permission_denials,
            opened_at: (open && !breaker.opened_at.is_empty()).then(|| breaker.opened_at.as_str().to_owned()),
        },
    }
}

/// Whether `autoReset` covers the breaker: the opening that this instance found at its first action, until it is persisted.
fn takes_as_reset(project: &Project, written: &Breaker) -> bool {
    let mark = (written.state == CircuitState::Open).then(|| format!("{} {}", written.total_opens, written.opened_at.as_str()));
    let mut auto_reset = project.instance().auto_reset();
    *auto_reset = match (&*auto_reset, mark) {
        (AutoReset::Unused, Some(mark)) => AutoReset::Pending(mark),
        (AutoReset::Pending(pending), Some(mark)) if *pending == mark => AutoReset::Pending(mark),
        _ => AutoReset::Spent,
    };
    matches!(*auto_reset, AutoReset::Pending(_))
}
