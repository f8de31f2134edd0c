//! What holds whatever happens. `PROPTEST_CASES` sets how many series are tried.

use CircuitState::{Closed, HalfOpen, Open};
use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;

use super::table::FORGIVEN_QUESTIONS;
use super::tests::noon;
use super::*;
use crate::generation::Generation;

fn generations() -> impl Strategy<Value = Generation> {
    prop_oneof![Just(Generation::V0_9), Just(Generation::V0_11)]
}

fn any_rules() -> impl Strategy<Value = Rules> {
    (generations(), 1..6_u64, 1..6_u64, 1..4_u64, 0..60_u64).prop_map(
        |(generation, no_progress, same_error, permission_denials, cooldown_minutes)| Rules {
            generation,
            thresholds: Thresholds { no_progress, same_error, permission_denials, cooldown_minutes },
        },
    )
}

fn any_observation() -> impl Strategy<Value = Observation> {
    let number = || 0..6_u64;
    let files = || prop_oneof![3 => Just(0_u64), 1 => 1..9_u64];
    let analysis = (prop::option::weighted(0.9, number()), files(), any::<[bool; 3]>(), prop::bool::weighted(0.2));
    (number(), files(), any::<Option<bool>>(), prop::option::of(analysis)).prop_map(
        |(loop_number, files_changed, has_errors, analysis)| {
            let analysis =
                analysis.map(|(of, files_modified, [permission_denials, asking_questions, has_errors], signal)| LoopAnalysis {
                    loop_number: of,
                    signal,
                    files_modified,
                    permission_denials,
                    asking_questions,
                    has_errors,
                    provider_failed: false,
                });
            Observation { loop_number, files: Files::Told(files_changed), has_errors, analysis }
        },
    )
}

/// A loop without progress, in whatever company: denials, errors, questions, another loop's success.
fn without_progress(mut seen: Observation) -> Observation {
    seen.files = Files::Told(0);
    if let Some(analysis) = seen.analysis.as_mut().filter(|a| a.loop_number == Some(seen.loop_number)) {
        analysis.signal = false;
        analysis.files_modified = 0;
    }
    seen
}

fn any_stamp() -> impl Strategy<Value = Stamp> {
    prop_oneof![
        2 => (-200_000..200_000_i64).prop_map(|s| Stamp::at(noon() + TimeDelta::seconds(s))),
        1 => Just(Stamp::default()),
        1 => "\\PC{0,30}".prop_map(Stamp::from_text),
        1 => "2026-0[0-9]-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[Z+]?(00:00)?".prop_map(Stamp::from_text),
    ]
}

/// Any breaker that a file may hold.
fn any_breaker() -> impl Strategy<Value = Breaker> {
    let state = prop_oneof![Just(Closed), Just(HalfOpen), Just(Open)];
    let count = || prop_oneof![5 => 0..6_u64, 1 => Just(u64::MAX)];
    let counts = (count(), count(), prop::option::of(count()), prop::option::of(count()), count(), 0..9_u64);
    (state, any_stamp(), any_stamp(), counts, prop::option::of(0..6_u64)).prop_map(
        |(state, last_change, opened_at, (np, se, pd, q, lp, opens), recorded_loop)| Breaker {
            state,
            last_change,
            consecutive_no_progress: np,
            consecutive_same_error: se,
            consecutive_permission_denials: pd,
            consecutive_questions: q,
            last_progress_loop: lp,
            total_opens: opens,
            reason: String::new(),
            current_loop: 0,
            opened_at,
            recorded_loop,
        },
    )
}

#[derive(Debug, Clone)]
enum Step {
    Record(Observation),
    Begin,
    Reset,
    /// Another process starts, with `autoReset`.
    Restart,
    /// Minutes; the clock may go back.
    Wait(i64),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => any_observation().prop_map(Step::Record),
        3 => Just(Step::Begin),
        1 => Just(Step::Reset),
        1 => Just(Step::Restart),
        4 => (-30..90_i64).prop_map(Step::Wait),
    ]
}

/// A breaker, its history since the last reset, and the clock.
struct Run {
    rules: Rules,
    breaker: Breaker,
    history: Vec<Transition>,
    now: DateTime<Utc>,
    auto_reset: bool,
}

impl Run {
    fn step(&mut self, step: &Step) {
        match step {
            Step::Begin => self.breaker = self.breaker.begin(),
            Step::Wait(minutes) => self.now += TimeDelta::minutes(*minutes),
            Step::Restart => self.auto_reset = true,
            Step::Reset => {
                self.breaker = Breaker::reset("Manual reset", self.rules.generation, self.now);
                self.history.clear();
            }
            Step::Record(seen) => {
                let recorded = record(&self.breaker, self.auto_reset, seen, &self.rules, self.now);
                self.auto_reset &= recorded.repeated;
                self.breaker = recorded.breaker;
                self.history.extend(recorded.transitions);
            }
        }
    }
}

proptest! {
    #[test]
    fn the_history_tells_the_whole_story(rules in any_rules(), steps in prop::collection::vec(any_step(), 0..60)) {
        let breaker = Breaker::initial(rules.generation, noon());
        let mut run = Run { rules, breaker, history: Vec::new(), now: noon(), auto_reset: false };
        for step in steps {
            run.step(&step);
            // From CLOSED, each transition starts where the one before ended; the last leads to the state at hand.
            let mut state = Closed;
            for transition in &run.history {
                prop_assert_eq!(transition.from, state);
                prop_assert_ne!(transition.from, transition.to);
                state = transition.to;
            }
            prop_assert_eq!(run.breaker.state, state);
            let opens = run.history.iter().filter(|t| t.to == Open).count();
            prop_assert_eq!(run.breaker.total_opens, opens as u64);
            prop_assert_eq!(run.breaker.opened_at.is_empty(), state != Open);
        }
    }

    #[test]
    fn loops_without_progress_always_open_it(
        rules in any_rules(),
        breaker in any_breaker(),
        loops in prop::collection::vec(any_observation().prop_map(without_progress), 40),
    ) {
        let mut breaker = Breaker { state: Closed, recorded_loop: None, ..breaker };
        let limit = rules.thresholds.no_progress;
        let (mut all, mut counted) = (0, 0);
        for seen in loops {
            breaker = record(&breaker.begin(), false, &seen, &rules, noon()).breaker;
            let asks = seen.analysis.is_some_and(|a| a.asking_questions && a.loop_number == Some(seen.loop_number));
            all += 1;
            counted += u64::from(!asks || rules.generation == Generation::V0_9);
            if breaker.state == Open {
                break;
            }
            prop_assert!(counted < limit, "CLOSED or HALF_OPEN after {} loops", counted);
            prop_assert!(all < limit * (FORGIVEN_QUESTIONS + 1), "questions forgiven for ever");
        }
        prop_assert_eq!(breaker.state, Open);
    }

    #[test]
    fn progress_closes_a_half_open_breaker_unless_denials_open_it(
        rules in any_rules(), breaker in any_breaker(), seen in any_observation(), files in 1..9_u64,
    ) {
        let before = Breaker { state: HalfOpen, recorded_loop: None, ..breaker };
        let after = record(&before, false, &Observation { files: Files::Told(files), ..seen }, &rules, noon()).breaker;
        let denied = after.consecutive_permission_denials.is_some_and(|n| n >= rules.thresholds.permission_denials);
        prop_assert_eq!(after.state, if denied { Open } else { Closed });
        prop_assert_eq!(after.reason.starts_with("Permission denied in "), denied);
    }

    #[test]
    fn an_open_breaker_waits_for_its_cooldown_and_no_longer(
        rules in any_rules(), breaker in any_breaker(), seen in any_observation(),
    ) {
        let before = Breaker { state: Open, recorded_loop: None, ..breaker };
        let cooldown = TimeDelta::minutes(i64::try_from(rules.thresholds.cooldown_minutes).unwrap_or_default());
        let now = effective(&before, false, &rules, noon());
        let since = before.opened_at.instant().or(before.last_change.instant());
        let over = rules.generation == Generation::V0_11 && since.is_some_and(|t| t <= noon() && noon() - t >= cooldown);
        prop_assert_eq!(now.breaker.state, if over { HalfOpen } else { Open });
        prop_assert_eq!(now.transition.is_some(), over);
        if !over {
            // Not over: a record leaves it open, with a clock that can be read, which ends within one cooldown.
            let recorded = record(&before, false, &seen, &rules, noon());
            prop_assert!(recorded.transitions.is_empty());
            let after = recorded.breaker;
            let since = after.opened_at.instant();
            prop_assert!(since.is_some_and(|t| t <= noon()));
            let later = effective(&after, false, &rules, noon() + cooldown).breaker.state;
            prop_assert_eq!(later, if rules.generation == Generation::V0_11 { HalfOpen } else { Open });
            // Later records do not move it.
            let again = record(&after.begin(), false, &seen, &rules, noon()).breaker;
            if again.state == Open && cooldown > TimeDelta::zero() {
                prop_assert_eq!(again.opened_at, after.opened_at);
            }
        }
    }

    #[test]
    fn what_remains_of_the_cooldown_is_exact(rules in any_rules(), breaker in any_breaker()) {
        let breaker = Breaker { state: Open, ..breaker };
        let seen = effective(&breaker, false, &rules, noon()).breaker;
        let readable = breaker.opened_at.instant().or(breaker.last_change.instant()).is_some();
        if let (Some(left), true) = (cooldown_remaining(&seen, &rules, noon()), readable) {
            let left = TimeDelta::seconds(i64::try_from(left).unwrap_or_default());
            prop_assert_eq!(effective(&breaker, false, &rules, noon() + left).breaker.state, HalfOpen);
            let early = noon() + left - TimeDelta::seconds(1);
            prop_assert_eq!(effective(&breaker, false, &rules, early).breaker.state, Open);
        }
    }

    #[test]
    fn a_loop_recorded_twice_counts_once(rules in any_rules(), breaker in any_breaker(), seen in any_observation(), again in any_observation()) {
        let before = Breaker { recorded_loop: None, ..breaker };
        let once = record(&before, false, &seen, &rules, noon()).breaker;
        let twice = record(&once, false, &Observation { loop_number: seen.loop_number, ..again }, &rules, noon());
        prop_assert!(twice.repeated);
        prop_assert_eq!(twice.breaker, once);
    }
}
