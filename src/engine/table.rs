//! The guarded loop as rows of data: which event does what in which state, which gates a loop passes before it begins, what
//! its output means, how runs end and how long they wait. Pure: no file, no clock. `docs/INTEGRATION.md` shows these rows.

use LoopEventKind::{
    Admit, Background, Called, Cancel, Compaction, Denied, Edited, End, Failure, Opaque, Preview, Prompt, Resume, Returned,
    Settled, Start, Status, Stop,
};

use super::answer::LoopWaitReason;
use super::event::LoopEventKind;
use crate::rules::signals::ExitReason;

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It has no run.
    Free,
    /// It has a run, and no loop is open: a wait, or a crash before the first.
    Waiting,
    /// A loop is open: its query is with the model.
    Open,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Free, Self::Waiting, Self::Open];

    /// For people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "no run",
            Self::Waiting => "waiting",
            Self::Open => "loop open",
        }
    }
}

/// What the executor can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Takes the project for this session; where another holds it, the run does not begin.
    Claim,
    /// `exit_detection` reset.
    ResetSignals,
    /// Passes the gates; at the last a loop begins.
    Admit,
    /// Appends what a tool did to the session's notes.
    Note,
    /// Reads what the loop printed, records and reports it.
    Close,
    /// Tells the model its task again.
    Tell,
    /// Ends the run.
    Finish(Finish),
    /// Tells how the guards stand.
    Look,
    /// Tells what the first loop would send.
    Preview,
}

/// One row: an event in some states.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The event.
    pub event: LoopEventKind,
    /// The states in which the row applies.
    pub states: &'static [State],
    /// What is done, in this order, until an action answers.
    pub actions: &'static [Action],
    /// The states that may follow.
    pub next: &'static [State],
    /// What happens, for people.
    pub doc: &'static str,
}

const ANY: &[State] = &State::ALL;
const FREE: &[State] = &[State::Free];
const WAITING: &[State] = &[State::Waiting];
const OPEN: &[State] = &[State::Open];
const RUN: &[State] = &[State::Waiting, State::Open];
const NOT_OPEN: &[State] = &[State::Free, State::Waiting];

/// Every event in every state.
pub const ROWS: &[Row] = &[
    Row {
        event: Start,
        states: ANY,
        actions: &[Action::Claim, Action::ResetSignals, Action::Admit],
        next: ANY,
        doc: "takes the project (refused while another session's process lives), exit_detection reset, then the gates",
    },
    Row { event: Admit, states: WAITING, actions: &[Action::Admit], next: ANY, doc: "the gates" },
    Row { event: Admit, states: OPEN, actions: &[], next: OPEN, doc: "nothing: a loop is open already" },
    Row { event: Admit, states: FREE, actions: &[], next: FREE, doc: "nothing" },
    Row {
        event: Prompt,
        states: WAITING,
        actions: &[Action::Admit],
        next: ANY,
        doc: "the gates; refused, the prompt is not sent",
    },
    Row { event: Prompt, states: OPEN, actions: &[], next: OPEN, doc: "nothing: it steers the loop that is open" },
    Row { event: Prompt, states: FREE, actions: &[], next: FREE, doc: "nothing" },
    Row { event: Edited, states: OPEN, actions: &[Action::Note], next: OPEN, doc: "noted, unless the file is Ralph's own" },
    Row { event: Edited, states: NOT_OPEN, actions: &[], next: NOT_OPEN, doc: "nothing" },
    Row { event: Opaque, states: OPEN, actions: &[Action::Note], next: OPEN, doc: "noted: git will be asked what changed" },
    Row { event: Opaque, states: NOT_OPEN, actions: &[], next: NOT_OPEN, doc: "nothing" },
    Row { event: Denied, states: OPEN, actions: &[Action::Note], next: OPEN, doc: "noted" },
    Row { event: Denied, states: NOT_OPEN, actions: &[], next: NOT_OPEN, doc: "nothing" },
    Row { event: Called, states: OPEN, actions: &[Action::Note], next: OPEN, doc: "noted" },
    Row { event: Called, states: NOT_OPEN, actions: &[], next: NOT_OPEN, doc: "nothing" },
    Row { event: Returned, states: OPEN, actions: &[Action::Note], next: OPEN, doc: "noted" },
    Row { event: Returned, states: NOT_OPEN, actions: &[], next: NOT_OPEN, doc: "nothing" },
    Row {
        event: Settled,
        states: OPEN,
        actions: &[Action::Note],
        next: OPEN,
        doc: "noted: a call that was noted and has not returned was denied",
    },
    Row { event: Settled, states: NOT_OPEN, actions: &[], next: NOT_OPEN, doc: "nothing" },
    Row {
        event: Stop,
        states: OPEN,
        actions: &[Action::Close, Action::Admit],
        next: ANY,
        doc: "closes the loop by what its output means, then the gates",
    },
    Row { event: Stop, states: NOT_OPEN, actions: &[], next: NOT_OPEN, doc: "nothing" },
    Row { event: Background, states: OPEN, actions: &[], next: OPEN, doc: "nothing: the loop stays open until the task is done" },
    Row { event: Background, states: NOT_OPEN, actions: &[], next: NOT_OPEN, doc: "nothing" },
    Row {
        event: Failure,
        states: OPEN,
        actions: &[Action::Close, Action::Admit],
        next: ANY,
        doc: "closes the loop by what the failure means, then the gates; a wait at least, or the end",
    },
    Row { event: Failure, states: NOT_OPEN, actions: &[], next: NOT_OPEN, doc: "nothing" },
    Row { event: Compaction, states: OPEN, actions: &[Action::Tell], next: OPEN, doc: "tells the model its task again" },
    Row { event: Compaction, states: NOT_OPEN, actions: &[], next: NOT_OPEN, doc: "nothing" },
    Row {
        event: Resume,
        states: RUN,
        actions: &[Action::Finish(Finish::Interrupted)],
        next: FREE,
        doc: "ends the run that was cut off",
    },
    Row { event: Resume, states: FREE, actions: &[], next: FREE, doc: "nothing" },
    Row { event: End, states: RUN, actions: &[Action::Finish(Finish::Interrupted)], next: FREE, doc: "ends the run" },
    Row { event: End, states: FREE, actions: &[], next: FREE, doc: "nothing" },
    Row { event: Cancel, states: RUN, actions: &[Action::Finish(Finish::Cancelled)], next: FREE, doc: "ends the run" },
    Row { event: Cancel, states: FREE, actions: &[], next: FREE, doc: "nothing" },
    Row { event: Status, states: ANY, actions: &[Action::Look], next: ANY, doc: "tells how the guards stand; writes nothing" },
    Row {
        event: Preview,
        states: ANY,
        actions: &[Action::Preview],
        next: ANY,
        doc: "tells what the first loop of a run would send; writes nothing",
    },
];

/// The row of an event in a state.
#[must_use]
pub fn row(event: LoopEventKind, state: State) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.event == event && row.states.contains(&state))
}

/// A question before a loop begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// `circuit_breaker` check.
    Circuit,
    /// `exit_detection` check.
    Exit,
    /// The run's `maxLoops`.
    Loops,
    /// The run's `maxMinutes`.
    Minutes,
    /// The run's `maxTokens`.
    Tokens,
    /// The run's `maxCostUsd`.
    Cost,
    /// `exit_detection` check: whether open tasks are left that no other worker has.
    Claims,
    /// What the loop before asked to wait for.
    Pause,
    /// `rate_limit` increment: the call is counted.
    Rate,
}

/// The gates in their order: first what ends the run, then what makes it wait. The end is asked before the rate (S9 of the
/// cases): a plan completed by the last call of the hour ends the run now.
pub const GATES: &[(Gate, &str, &str)] = &[
    (Gate::Circuit, "circuit_breaker check: canExecute", "ends: halted / circuit_breaker_open"),
    (Gate::Exit, "exit_detection check: not shouldExit", "ends: by its exitReason, below"),
    (Gate::Loops, "fewer than maxLoops loops", "ends: stopped / loop_limit"),
    (Gate::Minutes, "less than maxMinutes since the start", "ends: stopped / time_limit"),
    (Gate::Tokens, "fewer than maxTokens tokens", "ends: stopped / token_limit"),
    (Gate::Cost, "less than maxCostUsd spent", "ends: stopped / cost_limit"),
    (Gate::Claims, "exit_detection check: not waiting", "waits: claimed"),
    (Gate::Pause, "the loop before asks for no wait", "waits: as that loop's output means, below"),
    (Gate::Rate, "rate_limit increment: admitted", "waits: rate_limit"),
];

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The work is done, or nobody gets on with it.
    Done,
    /// The circuit breaker is open.
    CircuitOpen,
    /// The model was denied its tools.
    PermissionDenied,
    /// The model says that it is blocked (S24).
    Blocked,
    /// `maxLoops`.
    LoopLimit,
    /// `maxMinutes`.
    TimeLimit,
    /// `maxTokens`.
    TokenLimit,
    /// `maxCostUsd`.
    CostLimit,
    /// Ctrl-C, the end of the session, a crash found at its resume.
    Interrupted,
    /// A person ended it.
    Cancelled,
    /// A guard could not be read or written.
    GuardFailed,
}

/// What `status.json` says of an end: status, last action, and the reason where it is always the same.
#[derive(Debug, Clone, Copy)]
pub struct FinishRow {
    /// How the run ended.
    pub finish: Finish,
    /// `status`.
    pub status: &'static str,
    /// `last_action`.
    pub last_action: &'static str,
    /// `exit_reason`, where the executor has none nearer.
    pub exit_reason: &'static str,
    /// When, for people.
    pub doc: &'static str,
}

const fn end(finish: Finish, words: [&'static str; 3], doc: &'static str) -> FinishRow {
    FinishRow { finish, status: words[0], last_action: words[1], exit_reason: words[2], doc }
}

/// All ends. The words are bash Ralph's where it has the case.
pub const FINISHES: &[FinishRow] = &[
    end(Finish::Done, ["completed", "graceful_exit", ""], "exit_detection says so; exitReason is its own"),
    end(Finish::CircuitOpen, ["halted", "circuit_breaker_open", "stagnation_detected"], "the circuit breaker is open"),
    end(Finish::PermissionDenied, ["halted", "permission_denied", "permission_denied"], "exit_detection: permission_denied"),
    end(Finish::Blocked, ["halted", "blocked", "blocked"], "exit_detection: blocked"),
    end(Finish::LoopLimit, ["stopped", "loop_limit", ""], "maxLoops"),
    end(Finish::TimeLimit, ["stopped", "time_limit", ""], "maxMinutes, also where a wait would last longer"),
    end(Finish::TokenLimit, ["stopped", "token_limit", ""], "maxTokens"),
    end(Finish::CostLimit, ["stopped", "cost_limit", ""], "maxCostUsd"),
    end(Finish::Interrupted, ["stopped", "interrupted", ""], "Ctrl-C, the session's end, a crash found when it is resumed"),
    end(Finish::Cancelled, ["stopped", "cancelled", ""], "a person"),
    end(
        Finish::GuardFailed,
        ["error", "guard_failed", ""],
        "a guard that cannot be read or written; exitReason is the error's code",
    ),
];

impl Finish {
    /// Its row.
    #[must_use]
    pub fn row(self) -> &'static FinishRow {
        static UNLISTED: FinishRow = end(Finish::GuardFailed, ["error", "guard_failed", ""], "");
        FINISHES.iter().find(|row| row.finish == self).unwrap_or(&UNLISTED)
    }

    /// How a run ends that `exit_detection` ends.
    #[must_use]
    pub fn of_exit(reason: &str) -> Self {
        match reason {
            word if word == ExitReason::PermissionDenied.as_str() => Self::PermissionDenied,
            "blocked" => Self::Blocked,
            _ => Self::Done,
        }
    }
}

/// What a loop's output means for the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The query succeeded.
    Worked,
    /// The query failed.
    Failed,
    /// The provider is overloaded, throttles, or fails (S6).
    ApiError,
    /// The provider's plan is used up.
    ApiLimit,
}

/// What follows from a verdict.
#[derive(Debug, Clone, Copy)]
pub struct VerdictRow {
    /// The verdict.
    pub verdict: Verdict,
    /// By what it is known.
    pub known_by: &'static str,
    /// Whether breaker and statistics count the loop: bash Ralph records no failed call of the provider's.
    pub counted: bool,
    /// `status` and `last_action`.
    pub report: [&'static str; 2],
    /// Whether the next query goes on in the same session of Claude's: one that failed may be broken for good.
    pub keeps_session: bool,
    /// The wait before the next loop.
    pub wait: Option<LoopWaitReason>,
    /// That wait, for people.
    pub pause: &'static str,
}

/// All verdicts, the first that applies counts.
pub const VERDICTS: &[VerdictRow] = &[
    VerdictRow {
        verdict: Verdict::ApiLimit,
        known_by: "analysis.apiLimit",
        counted: false,
        report: ["paused", "api_limit"],
        keeps_session: true,
        wait: Some(LoopWaitReason::ApiLimit),
        pause: "until resetsAt; an hour where no time is named",
    },
    VerdictRow {
        verdict: Verdict::ApiError,
        known_by: "analysis.apiError",
        counted: false,
        report: ["paused", "api_error"],
        keeps_session: true,
        wait: Some(LoopWaitReason::ApiError),
        pause: "30 s, twice as long each time in a row, an hour at most; retryAfterSeconds at least",
    },
    VerdictRow {
        verdict: Verdict::Failed,
        known_by: "analysis.isError, or the query threw",
        counted: true,
        report: ["error", "failed"],
        keeps_session: false,
        wait: Some(LoopWaitReason::Failed),
        pause: "30 s, as in bash",
    },
    VerdictRow {
        verdict: Verdict::Worked,
        known_by: "else",
        counted: true,
        report: ["success", "completed"],
        keeps_session: true,
        wait: None,
        pause: "none",
    },
];

impl Verdict {
    /// Its row.
    #[must_use]
    pub fn row(self) -> &'static VerdictRow {
        VERDICTS.iter().find(|row| row.verdict == self).unwrap_or(&VERDICTS[0])
    }
}

/// Bash Ralph waits as long before it tries again.
pub const PAUSE_AFTER_FAILURE: u64 = 30;
/// The longest wait that grows, and the wait for a limit whose end nobody names.
pub const LONGEST_PAUSE: u64 = 3600;
/// How often a run asks again whether another worker is through.
pub const CLAIM_POLL: u64 = 60;

/// Seconds to wait after so many failures in a row, at least one: twice as long each time.
#[must_use]
pub fn growing(failures: u64) -> u64 {
    let doublings = u32::try_from(failures.saturating_sub(1)).unwrap_or(u32::MAX);
    PAUSE_AFTER_FAILURE.saturating_mul(2_u64.saturating_pow(doublings)).min(LONGEST_PAUSE)
}

/// What a run has used of its limits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// Loops.
    pub loops: u64,
    /// Minutes since the start.
    pub minutes: f64,
    /// Tokens.
    pub tokens: u64,
    /// US dollars.
    pub cost_usd: f64,
}

impl super::event::Limits {
    /// How the run ends at a gate of its own limits, with the reason that `status.json` gets.
    #[must_use]
    pub fn ends(&self, gate: Gate, spent: &Spent) -> Option<(Finish, String)> {
        match gate {
            Gate::Loops => {
                self.max_loops.filter(|max| spent.loops >= *max).map(|max| (Finish::LoopLimit, format!("{max} loops")))
            }
            Gate::Minutes => {
                self.max_minutes.filter(|max| spent.minutes >= *max).map(|max| (Finish::TimeLimit, format!("{max} minutes")))
            }
            Gate::Tokens => {
                self.max_tokens.filter(|max| spent.tokens >= *max).map(|max| (Finish::TokenLimit, format!("{max} tokens")))
            }
            Gate::Cost => {
                self.max_cost_usd.filter(|max| spent.cost_usd >= *max).map(|max| (Finish::CostLimit, format!("{max} USD")))
            }
            Gate::Circuit | Gate::Exit | Gate::Claims | Gate::Pause | Gate::Rate => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_has_one_row_in_every_state() {
        for word in LoopEventKind::ENUMERATION.words {
            let event = LoopEventKind::from_word(word).expect("a kind");
            for state in State::ALL {
                let rows = ROWS.iter().filter(|row| row.event == event && row.states.contains(&state)).count();
                assert_eq!(rows, 1, "{event} while {}", state.as_str());
            }
        }
    }

    #[test]
    fn what_ends_a_run_is_asked_before_what_makes_it_wait() {
        let waits = GATES.iter().position(|(_, _, refused)| refused.starts_with("waits")).expect("one waits");
        assert!(GATES.iter().skip(waits).all(|(_, _, refused)| refused.starts_with("waits")));
        assert_eq!(GATES.last().map(|(gate, ..)| *gate), Some(Gate::Rate), "a call is counted once nothing else refuses");
    }

    #[test]
    fn pauses_grow_to_an_hour() {
        let pauses: Vec<_> = [0, 1, 2, 3, 7, 8, 9, u64::MAX].map(growing).into();
        assert_eq!(pauses, [30, 30, 60, 120, 1920, 3600, 3600, 3600]);
    }

    #[test]
    fn every_end_and_every_verdict_has_its_own_row() {
        for row in FINISHES {
            assert_eq!(row.finish.row().last_action, row.last_action);
        }
        for row in VERDICTS {
            assert_eq!(row.verdict.row().known_by, row.known_by);
        }
    }
}
