use Generation::{V0_9, V0_11};
use proptest::prelude::*;

use super::*;

fn quiet(loop_number: u64) -> LoopSignals {
    LoopSignals { loop_number, ..LoopSignals::default() }
}

fn exits(loop_number: u64) -> LoopSignals {
    LoopSignals { exit: true, completion: true, confidence: 100, ..quiet(loop_number) }
}

fn run(generation: Generation, loops: &[LoopSignals]) -> SignalLists {
    loops.iter().fold(SignalLists::default(), |lists, seen| feed(&lists, seen, generation))
}

/// (name, generation, loops, `test_only_loops`, `done_signals`, `completion_indicators`)
type Case = (&'static str, Generation, Vec<LoopSignals>, Vec<u64>, Vec<u64>, Vec<u64>);

#[test]
fn loops_join_the_lists() {
    let tests = |n| LoopSignals { test_only: true, ..quiet(n) };
    let done = |n| LoopSignals { completion: true, ..quiet(n) };
    let no = |n| LoopSignals { completion: true, explicit_false: true, ..quiet(n) };
    let work = |n| LoopSignals { progress: true, ..quiet(n) };
    let sure = |n, confidence| LoopSignals { confidence, ..quiet(n) };
    let cases: Vec<Case> = vec![
        ("a run of exits", V0_11, vec![exits(1), exits(2), exits(3)], vec![], vec![1, 2, 3], vec![1, 2, 3]),
        ("one between clears (#88)", V0_11, vec![exits(1), quiet(2), exits(3)], vec![], vec![3], vec![3]),
        ("one loop twice (#263)", V0_11, vec![exits(1), exits(1)], vec![], vec![1], vec![1]),
        ("the window", V0_11, (1..=7).map(exits).collect(), vec![], vec![3, 4, 5, 6, 7], vec![3, 4, 5, 6, 7]),
        ("loop 3 and loop 40", V0_11, vec![exits(3), exits(40)], vec![], vec![40], vec![40]),
        ("a later run", V0_11, vec![exits(4), exits(5), exits(1)], vec![], vec![1], vec![1]),
        ("an explicit false (#146)", V0_11, vec![no(1), no(2)], vec![], vec![], vec![]),
        ("an explicit false clears", V0_11, vec![done(1), no(2)], vec![], vec![], vec![]),
        ("tests, then work", V0_11, vec![tests(1), tests(2), work(3)], vec![], vec![], vec![]),
        ("tests, then nothing", V0_11, vec![tests(1), tests(2), quiet(3)], vec![], vec![], vec![]),
        ("tests (#91)", V0_11, vec![tests(1), work(2), tests(3)], vec![3], vec![], vec![]),
        ("found out on a second look", V0_11, vec![exits(1), quiet(2), exits(2)], vec![], vec![2], vec![2]),
        ("taken back on a second look", V0_11, vec![exits(1), exits(2), quiet(2)], vec![], vec![], vec![]),
        ("the largest numbers", V0_11, vec![exits(u64::MAX), exits(0)], vec![], vec![0], vec![0]),
        ("confidence alone", V0_11, vec![sure(1, 100), sure(2, 100)], vec![], vec![], vec![]),
        ("nothing clears", V0_9, vec![exits(1), quiet(2), exits(9)], vec![], vec![1, 9], vec![1, 9]),
        ("an explicit false is as good", V0_9, vec![no(1), no(2)], vec![], vec![1, 2], vec![]),
        ("confidence decides", V0_9, vec![sure(1, 59), sure(2, 60), sure(3, 61)], vec![], vec![], vec![2, 3]),
        ("an exit signal alone", V0_9, vec![LoopSignals { exit: true, ..quiet(1) }], vec![], vec![], vec![]),
        ("tests, then nothing", V0_9, vec![tests(1), quiet(2), tests(3)], vec![1, 3], vec![], vec![]),
        ("tests, then work", V0_9, vec![tests(1), tests(2), work(3)], vec![], vec![], vec![]),
        ("one loop twice", V0_9, vec![exits(1), exits(1)], vec![], vec![1], vec![1]),
        ("the window", V0_9, (1..=7).map(exits).collect(), vec![], vec![3, 4, 5, 6, 7], vec![3, 4, 5, 6, 7]),
    ];
    for (name, generation, loops, test_only_loops, done_signals, completion_indicators) in cases {
        let expected = SignalLists { test_only_loops, done_signals, completion_indicators, ..SignalLists::default() };
        assert_eq!(run(generation, &loops), expected, "{name}, {generation:?}");
    }
}

#[test]
fn lists_that_bash_left_are_cut_to_what_leads_up_to_the_loop() {
    let lists = SignalLists { completion_indicators: vec![1, 3, 4, 6, 7], ..SignalLists::default() };
    assert_eq!(feed(&lists, &exits(8), V0_11).completion_indicators, [6, 7, 8]);
    assert_eq!(feed(&lists, &exits(7), V0_11).completion_indicators, [6, 7]);
    assert_eq!(feed(&lists, &exits(8), V0_9).completion_indicators, [3, 4, 6, 7, 8]);
    let twice = SignalLists { completion_indicators: vec![2, 2], ..SignalLists::default() };
    assert_eq!(feed(&twice, &exits(3), V0_11).completion_indicators, [2, 3]);
}

#[test]
fn the_first_exit_that_holds_is_the_reason() {
    let lists = |tests: usize, done: usize, indicators: usize| SignalLists {
        test_only_loops: vec![1; tests],
        done_signals: vec![1; done],
        completion_indicators: vec![1; indicators],
        ..SignalLists::default()
    };
    let nothing = lists(0, 0, 0);
    let evidence = |lists| Evidence {
        lists,
        permission_denials: false,
        compound_limitation: false,
        exit_signal: false,
        overage: false,
        plan_complete: false,
    };
    let all = lists(3, 2, 5);
    let (tests, two, four, five) = (lists(3, 2, 5), lists(0, 0, 2), lists(2, 1, 4), lists(2, 1, 5));
    let done = lists(2, 2, 5);
    let blocked = SignalLists { blocked_loops: vec![3, 4], ..lists(2, 1, 1) };
    let once = SignalLists { blocked_loops: vec![3], ..lists(0, 0, 0) };
    #[rustfmt::skip]
    let cases = [
        (evidence(&nothing), "", ""),
        (Evidence { permission_denials: true, plan_complete: true, exit_signal: true, ..evidence(&all) }, "permission_denied", "test_saturation"),
        (Evidence { permission_denials: true, compound_limitation: true, ..evidence(&nothing) }, "", ""),
        (Evidence { compound_limitation: true, ..evidence(&nothing) }, "", ""),
        (evidence(&tests), "test_saturation", "test_saturation"),
        (evidence(&done), "completion_signals", "completion_signals"),
        (evidence(&five), "safety_circuit_breaker", "project_complete"),
        (evidence(&four), "", "project_complete"),
        (evidence(&two), "", "project_complete"),
        (Evidence { exit_signal: true, ..evidence(&two) }, "project_complete", "project_complete"),
        (Evidence { exit_signal: true, ..evidence(&nothing) }, "", ""),
        (evidence(&blocked), "blocked", ""),
        (evidence(&once), "", ""),
        (Evidence { overage: true, ..evidence(&all) }, "overage", "overage"),
        (Evidence { overage: true, permission_denials: true, ..evidence(&all) }, "permission_denied", "overage"),
        (Evidence { plan_complete: true, ..evidence(&four) }, "plan_complete", "project_complete"),
        (Evidence { plan_complete: true, ..evidence(&nothing) }, "plan_complete", "plan_complete"),
    ];
    for (evidence, since_0_11, in_0_9) in cases {
        assert_eq!(decide(&evidence, V0_11).as_str(), since_0_11, "{evidence:?}");
        assert_eq!(decide(&evidence, V0_9).as_str(), in_0_9, "{evidence:?}");
    }
}

fn any_loop() -> impl Strategy<Value = LoopSignals> {
    (0..8_u64, any::<[bool; 6]>(), 0..150_u64).prop_map(
        |(loop_number, [test_only, progress, completion, exit, no, blocked], confidence)| LoopSignals {
            loop_number,
            test_only,
            progress,
            completion,
            exit,
            explicit_false: no,
            confidence,
            blocked,
        },
    )
}

fn any_lists() -> impl Strategy<Value = SignalLists> {
    let list = || prop::collection::vec(0..10_u64, 0..9);
    (list(), list(), list(), list()).prop_map(|(test_only_loops, done_signals, completion_indicators, blocked_loops)| {
        SignalLists { test_only_loops, done_signals, completion_indicators, blocked_loops }
    })
}

proptest! {
    #[test]
    fn feeding_is_idempotent(lists in any_lists(), seen in any_loop(), old in any::<bool>()) {
        let generation = if old { V0_9 } else { V0_11 };
        let once = feed(&lists, &seen, generation);
        prop_assert_eq!(&feed(&once, &seen, generation), &once);
    }

    #[test]
    fn a_list_holds_loops_in_a_row(loops in prop::collection::vec(any_loop(), 0..30)) {
        let lists = run(V0_11, &loops);
        for list in [&lists.test_only_loops, &lists.done_signals, &lists.completion_indicators] {
            prop_assert!(list.len() <= WINDOW);
            prop_assert!(list.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{:?}", list);
        }
    }

    #[test]
    fn an_exit_of_signals_needs_their_loops(loops in prop::collection::vec(any_loop(), 0..30)) {
        // Two of the last loops, at least, said so: one signal never ends a run.
        let lists = run(V0_11, &loops);
        let said = |f: fn(&LoopSignals) -> bool| loops.iter().filter(|l| f(l)).map(|l| l.loop_number).collect::<std::collections::HashSet<_>>().len();
        if lists.done_signals.len() >= 2 {
            prop_assert!(said(|l| l.completion && !l.explicit_false) >= 2);
        }
        if lists.completion_indicators.len() >= 2 {
            prop_assert!(said(|l| l.exit) >= 2);
        }
    }
}
