use CircuitState::{Closed, HalfOpen, Open};
use Generation::{V0_9, V0_11};
use chrono::{DateTime, TimeDelta, Utc};

use super::table::{Condition, RECOVERIES, TRANSITIONS};
use super::*;
use crate::schema::MAX_SAFE_INTEGER;

pub(super) const DEFAULTS: Thresholds = Thresholds { no_progress: 3, same_error: 5, permission_denials: 2, cooldown_minutes: 30 };

pub(super) fn rules(generation: Generation) -> Rules {
    Rules { generation, thresholds: DEFAULTS }
}

pub(super) fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_772_366_400, 0).unwrap_or_default()
}

/// A loop in which nothing happened.
pub(super) fn idle(loop_number: u64) -> Observation {
    Observation { loop_number, files: Files::Unknown, has_errors: None, analysis: None }
}

fn analysed(loop_number: u64, analysis: LoopAnalysis) -> Observation {
    Observation { analysis: Some(LoopAnalysis { loop_number: Some(loop_number), ..analysis }), ..idle(loop_number) }
}

fn run(generation: Generation, loops: impl IntoIterator<Item = Observation>) -> Vec<(CircuitState, String)> {
    let mut breaker = Breaker::initial(generation, noon());
    loops
        .into_iter()
        .map(|seen| {
            breaker = record(&breaker, false, &seen, &rules(generation), noon()).breaker;
            (breaker.state, breaker.reason.clone())
        })
        .collect()
}

#[test]
fn every_state_has_a_last_row_in_both_generations() {
    for generation in Generation::BOTH {
        for state in [Closed, HalfOpen, Open] {
            let rows: Vec<_> = TRANSITIONS.iter().filter(|r| r.from == state && r.generations.contains(generation)).collect();
            let otherwise = rows.iter().filter(|r| r.when == Condition::Otherwise).count();
            assert_eq!(otherwise, 1, "{state} in {generation:?}");
            assert_eq!(rows.last().map(|r| r.when), Some(Condition::Otherwise), "{state} in {generation:?}");
        }
    }
    assert!(RECOVERIES.iter().all(|r| r.to != Open && r.generations == [V0_11]));
}

#[test]
fn stagnation_half_opens_then_opens() {
    for generation in [V0_9, V0_11] {
        let states = run(generation, (1..=4).map(idle));
        let expected = [
            (Closed, ""),
            (HalfOpen, "Monitoring: 2 loops without progress"),
            (Open, "No recovery, opening circuit after 3 loops"),
            (Open, "Circuit breaker is open, execution halted"),
        ];
        assert_eq!(states, expected.map(|(s, r)| (s, r.to_owned())), "{generation:?}");
    }
}

#[test]
fn an_analysis_is_progress_only_of_its_own_loop_and_since_v0_11() {
    let signal = LoopAnalysis { signal: true, ..LoopAnalysis::default() };
    let files = LoopAnalysis { files_modified: 1, ..LoopAnalysis::default() };
    let before = Breaker::initial(V0_11, noon());
    for analysis in [signal, files] {
        let own = analysed(7, analysis);
        assert_eq!(record(&before, false, &own, &rules(V0_11), noon()).breaker.last_progress_loop, 7);
        assert_eq!(record(&before, false, &own, &rules(V0_9), noon()).breaker.last_progress_loop, 0);
        for other in [Some(6), Some(8), None] {
            let stale = Observation { analysis: Some(LoopAnalysis { loop_number: other, ..analysis }), ..idle(7) };
            assert_eq!(record(&before, false, &stale, &rules(V0_11), noon()).breaker.consecutive_no_progress, 1);
        }
    }
}

#[test]
fn errors_are_the_callers_word_else_the_analysis_of_the_loop() {
    let broken = LoopAnalysis { has_errors: true, ..LoopAnalysis::default() };
    for generation in [V0_9, V0_11] {
        let before = Breaker::initial(generation, noon());
        for (said, analysis_of, errors) in [(None, 1, 1), (None, 2, 0), (Some(false), 1, 0), (Some(true), 2, 1)] {
            let analysis = Some(LoopAnalysis { loop_number: Some(analysis_of), ..broken });
            let seen = Observation { has_errors: said, analysis, ..idle(1) };
            let after = record(&before, false, &seen, &rules(generation), noon()).breaker;
            assert_eq!(after.consecutive_same_error, errors, "{generation:?} {said:?} {analysis_of}");
        }
    }
}

#[test]
fn denials_open_first_and_only_since_v0_11() {
    let denied = |n| Observation {
        files: Files::Told(1),
        ..analysed(n, LoopAnalysis { permission_denials: true, ..LoopAnalysis::default() })
    };
    let reason = "Permission denied in 2 consecutive loops - update ALLOWED_TOOLS in .ralphrc";
    assert_eq!(run(V0_11, [denied(1), denied(2)]).last(), Some(&(Open, reason.to_owned())));
    assert_eq!(run(V0_9, [denied(1), denied(2)]).last(), Some(&(Closed, String::new())));
    // Progress in HALF_OPEN does not save it.
    assert_eq!(run(V0_11, [idle(1), idle(2), denied(3), denied(4)])[2].0, Closed);
    let half_open = Breaker { state: HalfOpen, consecutive_permission_denials: Some(1), ..Breaker::initial(V0_11, noon()) };
    assert_eq!(record(&half_open, false, &denied(3), &rules(V0_11), noon()).breaker.reason, reason);
}

#[test]
fn the_same_error_opens_a_half_open_breaker_since_v0_11() {
    let failing = Observation { has_errors: Some(true), ..idle(9) };
    let half_open = Breaker { state: HalfOpen, consecutive_same_error: 4, ..Breaker::initial(V0_11, noon()) };
    let after = record(&half_open, false, &failing, &rules(V0_11), noon());
    assert_eq!(after.breaker.reason, "Same error repeated in 5 consecutive loops");
    assert_eq!((after.breaker.state, after.breaker.total_opens), (Open, 1));
    let after = record(&half_open, false, &failing, &rules(V0_9), noon());
    assert_eq!((after.breaker.state, after.breaker.reason.as_str()), (HalfOpen, ""));
}

#[test]
fn questions_are_forgiven_five_times_in_a_row() {
    let asks = |n| analysed(n, LoopAnalysis { asking_questions: true, ..LoopAnalysis::default() });
    let states: Vec<_> = run(V0_11, (1..=12).map(asks)).into_iter().map(|(state, _)| state).collect();
    assert_eq!(states[..8], [Closed, Closed, Closed, Closed, Closed, Closed, HalfOpen, Open]);
    // v0.9 has no such mercy.
    assert_eq!(run(V0_9, (1..=3).map(asks))[2].0, Open);
    // A loop of another kind starts the five anew.
    let mixed = (1..=11).map(|n| if n == 6 { idle(n) } else { asks(n) });
    assert_eq!(run(V0_11, mixed).last().map(|s| s.0), Some(Closed));
    // Questions beside progress are progress.
    let busy = Observation { files: Files::Told(1), ..asks(3) };
    let asked = Breaker { consecutive_questions: Some(5), ..Breaker::initial(V0_11, noon()) };
    let after = record(&asked, false, &busy, &rules(V0_11), noon()).breaker;
    assert_eq!((after.consecutive_questions, after.last_progress_loop), (Some(0), 3));
}

#[test]
fn a_loop_counts_once_until_the_next_begins() {
    for generation in [V0_9, V0_11] {
        let first = record(&Breaker::initial(generation, noon()), false, &idle(1), &rules(generation), noon()).breaker;
        let again = record(&first, false, &idle(1), &rules(generation), noon());
        assert!(again.repeated && again.transitions.is_empty());
        assert_eq!(again.breaker, first);
        assert_eq!(again.warnings.len(), 1);
        for breaker in [first.begin(), Breaker { recorded_loop: None, ..first.clone() }] {
            let anew = record(&breaker, false, &idle(1), &rules(generation), noon());
            assert!(!anew.repeated);
            assert_eq!(anew.breaker.consecutive_no_progress, 2);
        }
        assert!(!record(&first, false, &idle(0), &rules(generation), noon()).repeated);
    }
}

fn opened(opened_at: &str, last_change: &str) -> Breaker {
    Breaker {
        state: Open,
        opened_at: Stamp::from_text(opened_at),
        last_change: Stamp::from_text(last_change),
        total_opens: 1,
        current_loop: 3,
        ..Breaker::initial(V0_11, noon())
    }
}

#[test]
fn the_cooldown_runs_from_the_opening() {
    // (opened_at, last_change, state at noon, seconds left (0: many), opened_at after a record)
    #[rustfmt::skip]
    let cases = [
        ("2026-03-01T11:30:00+00:00", "2026-03-01T11:59:00+00:00", HalfOpen, None,       ""),
        ("2026-03-01T11:30:01+00:00", "2026-03-01T11:00:00+00:00", Open,     Some(1),    "2026-03-01T11:30:01+00:00"),
        ("2026-03-01T12:30:00+01:00", "",                          HalfOpen, None,       ""),
        ("2026-03-01T11:30:00Z",      "",                          HalfOpen, None,       ""),
        ("2026-03-01T11:30:00+0000",  "",                          HalfOpen, None,       ""),
        ("2026-03-01T11:30:00",       "",                          HalfOpen, None,       ""),
        ("",                          "2026-03-01T11:30:00+00:00", HalfOpen, None,       ""),
        ("2026-03-01T11:29:60Z",      "",                          HalfOpen, None,       ""),
        ("yesterday",                 "2026-03-01T11:40:00+00:00", Open,     Some(600),  "2026-03-01T11:40:00+00:00"),
        ("2026-03-01T12:01:00+00:00", "2026-03-01T11:00:00+00:00", Open,     Some(1860), "2026-03-01T12:00:00+00:00"),
        ("2026-03-01T12:00:30+00:00", "",                          Open,     Some(1830), "2026-03-01T12:00:00+00:00"),
        ("9999-12-31T23:59:59+00:00", "",                          Open,     Some(0),    "2026-03-01T12:00:00+00:00"),
        ("never",                     "nor this",                  Open,     Some(1800), "2026-03-01T12:00:00+00:00"),
        ("never",                     "2027-01-01T00:00:00+00:00", Open,     Some(0),    "2026-03-01T12:00:00+00:00"),
    ];
    for (opened_at, last_change, state, left, kept) in cases {
        let breaker = opened(opened_at, last_change);
        let seen = effective(&breaker, false, &rules(V0_11), noon()).breaker;
        assert_eq!(seen.state, state, "{opened_at} {last_change}");
        let remaining = cooldown_remaining(&seen, &rules(V0_11), noon());
        if left == Some(0) {
            assert!(remaining > Some(10_000), "{opened_at} {last_change}: {remaining:?}");
        } else {
            assert_eq!(remaining, left, "{opened_at} {last_change}");
        }
        let after = record(&breaker, false, &idle(4), &rules(V0_11), noon()).breaker;
        assert_eq!(after.opened_at.as_str(), kept, "{opened_at} {last_change}");
        // v0.9 has no cooldown.
        assert_eq!(effective(&breaker, false, &rules(V0_9), noon()).breaker.state, Open);
        assert_eq!(cooldown_remaining(&breaker, &rules(V0_9), noon()), None);
    }
}

#[test]
fn the_next_record_persists_the_recovery() {
    let breaker = Breaker { reason: "earlier".to_owned(), ..opened("2026-03-01T11:22:00+00:00", "") };
    let now = effective(&breaker, false, &rules(V0_11), noon());
    assert_eq!(now.breaker.reason, "Cooldown recovery: 38m elapsed");
    let after = record(&breaker, false, &idle(4), &rules(V0_11), noon());
    let seen: Vec<_> = after.transitions.iter().map(|t| (t.loop_number, t.from, t.to, t.reason.as_str())).collect();
    assert_eq!(seen, [(3, Open, HalfOpen, "Cooldown elapsed (38m >= 30m)")]);
    let tired = Breaker { consecutive_no_progress: 2, ..breaker };
    let after = record(&tired, false, &idle(4), &rules(V0_11), noon() + TimeDelta::minutes(1));
    let seen: Vec<_> = after.transitions.iter().map(|t| (t.loop_number, t.from, t.to, t.reason.as_str())).collect();
    assert_eq!(
        seen,
        [(3, Open, HalfOpen, "Cooldown elapsed (39m >= 30m)"), (4, HalfOpen, Open, "No recovery, opening circuit after 3 loops"),]
    );
    assert_eq!(after.breaker.total_opens, 2);
}

#[test]
fn auto_reset_closes_and_keeps_the_count_of_opens() {
    let breaker = Breaker { recorded_loop: Some(3), consecutive_no_progress: 3, ..opened("2026-03-01T11:59:00+00:00", "") };
    let now = effective(&breaker, true, &rules(V0_11), noon());
    let expected = Breaker { total_opens: 1, reason: "Auto-reset on startup".to_owned(), ..Breaker::initial(V0_11, noon()) };
    assert_eq!(now.breaker, expected);
    // Loop 3 of the new run is not loop 3 of the old one.
    let after = record(&breaker, true, &idle(3), &rules(V0_11), noon());
    assert_eq!((after.breaker.state, after.breaker.consecutive_no_progress), (Closed, 1));
    assert_eq!(after.transitions.len(), 1);
    assert_eq!(after.transitions[0].reason, "Auto-reset on startup (CB_AUTO_RESET=true)");
    assert_eq!(after.transitions[0].loop_number, 3);
    assert_eq!(effective(&breaker, true, &rules(V0_9), noon()).breaker.state, Open);
}

#[test]
fn v0_9_counts_neither_denials_nor_questions() {
    let asks = LoopAnalysis { asking_questions: true, permission_denials: true, ..LoopAnalysis::default() };
    let after = record(&Breaker::initial(V0_11, noon()), false, &analysed(1, asks), &rules(V0_9), noon()).breaker;
    assert_eq!((after.consecutive_permission_denials, after.consecutive_questions), (None, None));
}

#[test]
fn counters_do_not_overflow() {
    let full = Breaker {
        consecutive_no_progress: MAX_SAFE_INTEGER,
        consecutive_same_error: MAX_SAFE_INTEGER,
        consecutive_permission_denials: Some(MAX_SAFE_INTEGER),
        consecutive_questions: Some(MAX_SAFE_INTEGER),
        total_opens: MAX_SAFE_INTEGER,
        ..Breaker::initial(V0_11, noon())
    };
    let all = LoopAnalysis { permission_denials: true, asking_questions: true, has_errors: true, ..LoopAnalysis::default() };
    let limits = Thresholds {
        no_progress: MAX_SAFE_INTEGER,
        same_error: MAX_SAFE_INTEGER,
        permission_denials: MAX_SAFE_INTEGER,
        cooldown_minutes: MAX_SAFE_INTEGER,
    };
    let rules = Rules { generation: V0_11, thresholds: limits };
    let after = record(&full, false, &analysed(MAX_SAFE_INTEGER, all), &rules, noon()).breaker;
    assert_eq!((after.state, after.total_opens), (Open, MAX_SAFE_INTEGER));
    assert_eq!(cooldown_remaining(&after, &rules, noon()), Some(MAX_SAFE_INTEGER * 60));
}
