use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::rules::budget::{Ask, Book, Budget, BudgetLimits, BudgetPeriod, PlanLimit, Spent, Tally};
use crate::rules::lease::{Beat, Claim, Lease, Leases, Release, Roster};
use crate::store::shared::{Counted, Worker};

const MINUTE: Millis = 60_000;

fn budget(name: &str, per: BudgetPeriod, calls: u64) -> Budget {
    Budget { name: name.into(), per, limits: BudgetLimits { calls: Some(calls), ..BudgetLimits::default() } }
}

fn worker(name: &str) -> Worker<'_> {
    Worker { name, beat: Some(Beat { machine: Some("m".into()), ..Beat::default() }) }
}

fn ask(budgets: &[Budget], calls: u64, tokens: u64) -> Ask<'_> {
    Ask { budgets, calls, used: Spent { calls: 0, tokens, micro_usd: 3 } }
}

fn used(tally: &Tally, budgets: &[Budget]) -> Vec<u64> {
    budgets.iter().zip(&tally.steps).map(|(budget, steps)| steps.used(budget.per, tally.now).calls).collect()
}

#[test]
fn budgets_admit_together_or_not_at_all() {
    for (name, mut row) in rows() {
        let budgets = [budget("a b:c", BudgetPeriod::Hour, 3), budget("ü", BudgetPeriod::Week, 2)];
        let admit = |operation: &str, calls| row.place.admit(operation, &ask(&budgets, calls, 7), &worker("w")).expect(name);
        let empty = row.place.tally(&budgets).expect(name);
        assert_eq!((empty.now, used(&empty.value, &budgets)), (NOON, vec![0, 0]), "{name}");
        let first = admit("1", 2);
        assert!(first.value.admitted, "{name}");
        assert_eq!(used(&first.value, &budgets), [2, 2], "{name}");
        let refused = admit("2", 1).value;
        assert!(!refused.admitted, "{name}");
        assert_eq!(used(&refused, &budgets), [2, 2], "{name}");
        let recorded = admit("3", 0).value;
        assert!(recorded.admitted, "{name}");
        let spent = recorded.steps[1].used(BudgetPeriod::Week, NOON);
        assert_eq!(spent, Spent { calls: 2, tokens: 21, micro_usd: 9 }, "{name}: what was used counts in any case");
        let counted = Counted { operation: "1".into(), at: first.now, calls: 2 };
        assert_eq!(row.place.take_back(&budgets, &counted).expect(name).value, ());
        assert_eq!(used(&row.place.tally(&budgets).expect(name).value, &budgets), [0, 0], "{name}");
        assert!(admit("4", 2).value.admitted, "{name}");
        (row.set_clock)(NOON + 61 * MINUTE);
        assert_eq!(used(&row.place.tally(&budgets).expect(name).value, &budgets), [0, 2], "{name}: an hour later");
    }
}

#[test]
fn a_plan_limit_is_told_to_all() {
    for (name, mut row) in rows() {
        row.place.announce(10 * MINUTE, "w one").expect(name);
        row.place.announce(MINUTE, "w2").expect(name);
        let limit = Some(PlanLimit { until: NOON + 10 * MINUTE, by: "w one".into() });
        let refused = row.place.admit("1", &ask(&[], 1, 0), &worker("w")).expect(name).value;
        assert_eq!((refused.admitted, &refused.plan), (false, &limit), "{name}");
        assert_eq!(row.place.tally(&[]).expect(name).value.plan, limit, "{name}");
        (row.set_clock)(NOON + 10 * MINUTE);
        assert!(row.place.admit("2", &ask(&[], 1, 0), &worker("w")).expect(name).value.admitted, "{name}");
        row.place.announce(Millis::MAX / 4, "w").expect(name);
        let until = row.place.tally(&[]).expect(name).value.plan.expect("told").until;
        assert_eq!(until, NOON + 10 * MINUTE + 8 * 24 * 60 * MINUTE, "{name}: not for ever");
        row.place.lift().expect(name);
        assert_eq!(row.place.tally(&[]).expect(name).value.plan, None, "{name}");
    }
}

#[test]
fn claims_are_leases() {
    for (name, mut row) in rows() {
        let tasks = ["über-task", "#2", "a b"];
        let hour = 60 * MINUTE;
        let mut claim = |now: Millis, who: &str| {
            (row.set_clock)(now);
            row.place.claim("plan: x", &tasks, &worker(who), hour).expect(name).value
        };
        let granted = |task: &str, until| Claim::Granted { task: task.into(), until };
        assert_eq!(claim(NOON, "w1").0, granted("über-task", NOON + hour), "{name}");
        assert_eq!(claim(NOON + 1, "w 2").0, granted("#2", NOON + 1 + hour), "{name}");
        assert_eq!(claim(NOON + 2, "w1").0, granted("über-task", NOON + 2 + hour), "{name}: renewed");
        assert_eq!(claim(NOON + 3, "w3").0, granted("a b", NOON + 3 + hour), "{name}");
        let (taken, all) = claim(NOON + 4, "w4");
        assert_eq!(taken, Claim::Taken, "{name}");
        let lease = |who: &str, until| Lease { worker: who.into(), until, done: false };
        assert_eq!(all.of("#2", NOON + 4), Some(&lease("w 2", NOON + 1 + hour)), "{name}");
        assert_eq!(all.iter().count(), 3, "{name}");
        assert_eq!(claim(NOON + 1 + hour, "w4").0, granted("#2", NOON + 1 + 2 * hour), "{name}: a lease ran out");
        assert_eq!(row.place.leases("another plan").expect(name).value, Leases::default(), "{name}");
        let release = |task, who, force| row.place.release("plan: x", task, &worker(who), force).expect(name).value;
        assert_eq!(release(Some("#2"), "w1", false), Release::Taken(lease("w4", NOON + 1 + 2 * hour)), "{name}");
        assert_eq!(release(Some("#2"), "w1", true), Release::Released(vec!["#2".into()]), "{name}");
        assert_eq!(release(None, "w1", false), Release::Released(vec!["über-task".into()]), "{name}");
        assert_eq!(release(Some("nobody's"), "w1", false), Release::Released(vec![]), "{name}");
        assert_eq!(
            row.place.leases("plan: x").expect(name).value.iter().map(|(task, _)| task).collect::<Vec<_>>(),
            ["a b"],
            "{name}"
        );
    }
}

#[test]
fn workers_are_listed_for_a_day() {
    for (name, mut row) in rows() {
        row.place
            .beat(&Worker {
                name: "w 1",
                beat: Some(Beat { loop_number: Some(4), project: Some("/p \"q\"".into()), ..Beat::default() }),
            })
            .expect(name);
        row.place.beat(&Worker { name: "quiet", beat: None }).expect(name);
        (row.set_clock)(NOON + 5);
        row.place
            .claim("p", &["t"], &Worker { name: "w 1", beat: Some(Beat { task: Some("t".into()), ..Beat::default() }) }, 1)
            .expect(name);
        row.place.admit("1", &ask(&[], 1, 0), &worker("w2")).expect(name);
        let workers = row.place.roster().expect(name).value.0;
        assert_eq!(workers.keys().collect::<Vec<_>>(), ["w 1", "w2"], "{name}");
        let beat = Beat { machine: None, project: Some("/p \"q\"".into()), loop_number: Some(4), task: Some("t".into()) };
        assert_eq!((workers["w 1"].at, &workers["w 1"].beat), (NOON + 5, &beat), "{name}");
        (row.set_clock)(NOON + 6 + 24 * 60 * MINUTE);
        assert_eq!(row.place.roster().expect(name).value, Roster::default(), "{name}");
        row.place.release("p", None, &worker("w3"), false).expect(name);
        assert_eq!(row.place.roster().expect(name).value.0.keys().collect::<Vec<_>>(), ["w3"], "{name}");
    }
}

#[derive(Debug, Clone)]
enum Step {
    Wait(Millis),
    Admit(u64, u64),
    TakeBack,
    Announce(Millis),
    Claim(usize, Vec<usize>, Millis),
    Finish(usize, usize),
    Release(usize, Option<usize>, bool),
}

fn a_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..200 * MINUTE).prop_map(Step::Wait),
        (0..4_u64, 0..3_000_000_000_u64).prop_map(|(calls, tokens)| Step::Admit(calls, tokens)),
        Just(Step::TakeBack),
        (1..20 * MINUTE).prop_map(Step::Announce),
        (0..3_usize, prop::collection::vec(0..5_usize, 0..5), 1..300 * MINUTE).prop_map(|(w, t, l)| Step::Claim(w, t, l)),
        (0..3_usize, 0..5_usize).prop_map(|(w, t)| Step::Finish(w, t)),
        (0..3_usize, prop::option::of(0..5_usize), any::<bool>()).prop_map(|(w, t, f)| Step::Release(w, t, f)),
    ]
}

/// Whatever happens in which order, every place answers what the rules alone would.
#[test]
fn every_place_keeps_to_the_rules() {
    for (name, row) in rows() {
        let (place, set_clock) = (&row.place, std::cell::RefCell::new(row.set_clock));
        let group = std::cell::Cell::new(0_u64);
        let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
        let result = runner.run(&prop::collection::vec(a_step(), 1..40), |steps| {
            group.set(group.get() + 1);
            let plan = format!("plan {}", group.get());
            let budgets = [
                budget(&format!("a{}", group.get()), BudgetPeriod::Hour, 6),
                Budget {
                    name: format!("b{}", group.get()),
                    per: BudgetPeriod::FiveHours,
                    limits: BudgetLimits { calls: Some(9), tokens: Some(9_000_000_000), micro_usd: Some(40) },
                },
            ];
            let names = ["t0", "t1", "t2", "t3", "t4"];
            let workers = ["w0", "w1", "w2"];
            let (mut book, mut leases, mut now, mut last) = (Book::default(), Leases::default(), NOON, None);
            place.lift().expect("lifted");
            for (number, step) in steps.iter().enumerate() {
                set_clock.borrow_mut()(now);
                match step {
                    Step::Wait(time) => now += time,
                    Step::Admit(calls, tokens) => {
                        let operation = format!("{}-{number}", group.get());
                        let told =
                            place.admit(&operation, &ask(&budgets, *calls, *tokens), &worker("w")).expect("answered").value;
                        let expected = book.admit(&ask(&budgets, *calls, *tokens), now);
                        let counts = |tally: &Tally| {
                            let each = budgets.iter().zip(&tally.steps);
                            let next = |(budget, steps)| Budget::next_admission(budget, steps, now, 1);
                            (
                                tally.admitted,
                                tally.plan.clone(),
                                each.clone().map(|(b, s)| s.used(b.per, now)).collect::<Vec<_>>(),
                                each.map(next).collect::<Vec<_>>(),
                            )
                        };
                        prop_assert_eq!(counts(&told), counts(&expected));
                        if told.admitted {
                            last = Some(Counted { operation, at: now, calls: *calls });
                        }
                    }
                    Step::TakeBack => {
                        // A server forgets an operation after two minutes; callers take back at once.
                        if let Some(counted) = last.take().filter(|counted| counted.at == now) {
                            place.take_back(&budgets, &counted).expect("answered");
                            book.take_back(&budgets, crate::rules::budget::Receipt { at: counted.at, calls: counted.calls });
                        }
                    }
                    Step::Announce(after) => {
                        place.announce(*after, "w").expect("answered");
                        book.announce(PlanLimit { until: now + after, by: "w".into() }, now);
                    }
                    Step::Claim(who, tasks, lease) => {
                        let tasks: Vec<&str> = tasks.iter().map(|task| names[*task]).collect();
                        let told = place.claim(&plan, &tasks, &worker(workers[*who]), *lease).expect("answered").value;
                        let claim = leases.claim(&tasks, workers[*who], now, *lease);
                        prop_assert_eq!(told, (claim, leases.clone()));
                    }
                    Step::Finish(who, task) => {
                        place.finish(&plan, names[*task], &worker(workers[*who])).expect("answered");
                        leases.finish(names[*task], workers[*who], now);
                    }
                    Step::Release(who, task, force) => {
                        let task = task.map(|task| names[task]);
                        let told = place.release(&plan, task, &worker(workers[*who]), *force).expect("answered").value;
                        prop_assert_eq!(told, leases.release(task, workers[*who], *force, now));
                    }
                }
            }
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
