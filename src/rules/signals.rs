//! Exit detection's memory: which loops said that the work is done, and what that decides.

use crate::generation::Generation;

const BOTH: &[Generation] = Generation::BOTH;
const V0_11: &[Generation] = Generation::SINCE_0_11;
const V0_9: &[Generation] = Generation::ONLY_0_9;

/// Each list keeps the last so many loops.
pub const WINDOW: usize = 5;

/// The lists of `.exit_signals`: numbers of loops, the newest last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SignalLists {
    /// Loops that only ran tests.
    pub test_only_loops: Vec<u64>,
    /// Loops that said that they were done.
    pub done_signals: Vec<u64>,
    /// v0.11: loops with an exit signal; v0.9: loops of a confidence of 60 or more.
    pub completion_indicators: Vec<u64>,
    /// v0.11: loops in which Claude said that it is blocked (case S24). Bash has no such list, and keeps ours.
    pub blocked_loops: Vec<u64>,
}

/// What an analysis found in one loop, as far as the lists look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts, each a field of the analysis")]
pub struct LoopSignals {
    /// The loop.
    pub loop_number: u64,
    /// It only ran tests.
    pub test_only: bool,
    /// It changed something.
    pub progress: bool,
    /// It said that it was done (`has_completion_signal`).
    pub completion: bool,
    /// It asked to end the run (`exit_signal`).
    pub exit: bool,
    /// Its status block says `EXIT_SIGNAL: false` in so many words.
    pub explicit_false: bool,
    /// `confidence_score`, not clamped.
    pub confidence: u64,
    /// Its status block says `STATUS: BLOCKED`.
    pub blocked: bool,
}

/// What becomes of a list when a loop does not join it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Absence {
    /// It is cleared: only loops in a row count.
    Clears,
    /// It stays.
    Keeps,
    /// It is cleared if the loop made progress.
    ClearsOnProgress,
}

/// A row: which loops join a list.
struct Feed {
    list: fn(&mut SignalLists) -> &mut Vec<u64>,
    joins: fn(&LoopSignals) -> bool,
    absence: Absence,
    generations: &'static [Generation],
}

/// Which loops join which list. v0.11's rules are Ralph's documents ("consecutive") rather than its code, which takes any
/// of the last five.
#[rustfmt::skip]
const FEEDS: &[Feed] = &[
    Feed { list: test_only,  joins: |l| l.test_only,                       absence: Absence::Clears,           generations: V0_11 },
    Feed { list: done,       joins: |l| l.completion && !l.explicit_false, absence: Absence::Clears,           generations: V0_11 },
    Feed { list: indicators, joins: |l| l.exit,                            absence: Absence::Clears,           generations: V0_11 },
    Feed { list: blocked,    joins: |l| l.blocked,                         absence: Absence::Clears,           generations: V0_11 },

    Feed { list: test_only,  joins: |l| l.test_only,                       absence: Absence::ClearsOnProgress, generations: V0_9 },
    Feed { list: done,       joins: |l| l.completion,                      absence: Absence::Keeps,            generations: V0_9 },
    Feed { list: indicators, joins: |l| l.confidence >= 60,                absence: Absence::Keeps,            generations: V0_9 },
];

fn test_only(lists: &mut SignalLists) -> &mut Vec<u64> {
    &mut lists.test_only_loops
}

fn done(lists: &mut SignalLists) -> &mut Vec<u64> {
    &mut lists.done_signals
}

fn indicators(lists: &mut SignalLists) -> &mut Vec<u64> {
    &mut lists.completion_indicators
}

fn blocked(lists: &mut SignalLists) -> &mut Vec<u64> {
    &mut lists.blocked_loops
}

/// The lists once a loop has been analysed. Analysing it again adds nothing.
#[must_use]
pub fn feed(lists: &SignalLists, seen: &LoopSignals, generation: Generation) -> SignalLists {
    let mut fed = lists.clone();
    for rule in FEEDS.iter().filter(|rule| rule.generations.contains(&generation)) {
        let list = (rule.list)(&mut fed);
        let clears = match rule.absence {
            Absence::Clears => true,
            Absence::Keeps => false,
            Absence::ClearsOnProgress => seen.progress,
        };
        if (rule.joins)(seen) {
            join(list, seen.loop_number, rule.absence == Absence::Clears);
        } else if clears {
            list.clear();
        }
        list.drain(..list.len().saturating_sub(WINDOW));
    }
    fed
}

/// Appends a loop, once. In a row: only what leads up to it without a gap stays, so that neither a loop that was never
/// analysed nor another run lies between two signals.
fn join(list: &mut Vec<u64>, number: u64, in_a_row: bool) {
    list.drain(..list.len().saturating_sub(WINDOW));
    let follows = |pair: &[u64]| matches!(pair, [earlier, later] if earlier.checked_add(1) == Some(*later));
    if in_a_row {
        let gap = list.windows(2).rposition(|pair| !follows(pair));
        list.drain(..gap.map_or(0, |position| position + 1));
    }
    if list.contains(&number) {
        return;
    }
    if in_a_row && list.last().is_some_and(|last| !follows(&[*last, number])) {
        list.clear();
    }
    list.push(number);
}

crate::words! {
    /// Why a run should end; empty: it should not.
    ExitReason {
        /// It should go on.
        None = "",
        /// Claude was denied a tool that it needs (v0.11).
        PermissionDenied = "permission_denied",
        /// Paid overage is being used, and the caller wants none.
        Overage = "overage",
        /// Three loops that only ran tests.
        TestSaturation = "test_saturation",
        /// Two loops that said that the work is done.
        CompletionSignals = "completion_signals",
        /// Five loops that asked to end the run, and nothing else ended it (v0.11).
        SafetyCircuitBreaker = "safety_circuit_breaker",
        /// Two loops that asked to end the run.
        ProjectComplete = "project_complete",
        /// Two loops in which Claude said that it is blocked (v0.11).
        Blocked = "blocked",
        /// Every task that blocks is done.
        PlanComplete = "plan_complete",
    }
}

/// What a decision is made of.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Evidence<'a> {
    /// The lists as they were found.
    pub lists: &'a SignalLists,
    /// The last analysis has permission denials.
    pub permission_denials: bool,
    /// The last analysis found that all of them are a limitation of Claude's with compound commands.
    pub compound_limitation: bool,
    /// The last analysis has an exit signal.
    pub exit_signal: bool,
    /// The last analysis tells of paid overage, at which the run is to end.
    pub overage: bool,
    /// The plan has a completed task and no blocking one.
    pub plan_complete: bool,
}

/// A row: what ends a run.
struct Exit {
    reason: ExitReason,
    when: fn(&Evidence<'_>) -> bool,
    generations: &'static [Generation],
}

/// What ends a run, in bash's order: the first that holds is the reason. Overage and being blocked are ours.
#[rustfmt::skip]
const EXITS: &[Exit] = &[
    Exit { reason: ExitReason::PermissionDenied,     when: |e| e.permission_denials && !e.compound_limitation,          generations: V0_11 },
    Exit { reason: ExitReason::Overage,              when: |e| e.overage,                                               generations: BOTH },
    Exit { reason: ExitReason::TestSaturation,       when: |e| e.lists.test_only_loops.len() >= 3,                      generations: BOTH },
    Exit { reason: ExitReason::CompletionSignals,    when: |e| e.lists.done_signals.len() >= 2,                         generations: BOTH },
    Exit { reason: ExitReason::SafetyCircuitBreaker, when: |e| e.lists.completion_indicators.len() >= 5,                generations: V0_11 },
    Exit { reason: ExitReason::ProjectComplete,      when: |e| e.lists.completion_indicators.len() >= 2 && e.exit_signal, generations: V0_11 },
    Exit { reason: ExitReason::ProjectComplete,      when: |e| e.lists.completion_indicators.len() >= 2,                generations: V0_9 },
    Exit { reason: ExitReason::Blocked,              when: |e| e.lists.blocked_loops.len() >= 2,                        generations: V0_11 },
    Exit { reason: ExitReason::PlanComplete,         when: |e| e.plan_complete,                                         generations: BOTH },
];

/// Whether the run should end, and why.
#[must_use]
pub fn decide(evidence: &Evidence<'_>, generation: Generation) -> ExitReason {
    EXITS
        .iter()
        .find(|exit| exit.generations.contains(&generation) && (exit.when)(evidence))
        .map_or(ExitReason::None, |exit| exit.reason)
}

#[cfg(test)]
mod tests;
