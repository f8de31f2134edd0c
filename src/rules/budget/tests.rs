use proptest::prelude::*;

use super::*;

const MINUTE: Millis = 60_000;
const HOUR: Millis = 60 * MINUTE;
/// Some full hour.
const START: Millis = 1_772_366_400_000;

fn budget(per: BudgetPeriod, limits: BudgetLimits) -> Budget {
    Budget { name: "team".into(), per, limits }
}

fn calls(limit: u64) -> BudgetLimits {
    BudgetLimits { calls: Some(limit), ..BudgetLimits::default() }
}

fn spent(calls: u64, tokens: u64, micro_usd: u64) -> Spent {
    Spent { calls, tokens, micro_usd }
}

#[test]
fn a_period_has_sixty_steps() {
    for (word, minutes) in [("hour", 60), ("5h", 300), ("day", 1440), ("week", 10080)] {
        let per = BudgetPeriod::from_word(word).expect("a period");
        assert_eq!(per.step() * STEPS, minutes * MINUTE, "{word}");
        assert_eq!(per.memory(), per.step() * 61, "{word}");
    }
}

#[test]
fn a_budget_refuses_by_whatever_is_limited() {
    let limits = BudgetLimits { calls: Some(3), tokens: Some(100), micro_usd: Some(5) };
    for (limits, used, asked, refused) in [
        (limits, spent(2, 99, 4), 1, false),
        (limits, spent(2, 99, 4), 2, true),
        (limits, spent(0, 100, 0), 1, true),
        (limits, spent(0, 0, 5), 1, true),
        (limits, spent(9, 900, 50), 0, false),
        (BudgetLimits::default(), spent(9, 900, 50), 1000, false),
        (calls(u64::MAX), spent(u64::MAX, 0, 0), 1, false),
    ] {
        assert_eq!(limits.refuses(used, asked), refused, "{limits:?} {used:?} {asked}");
    }
}

#[test]
fn a_count_leaves_a_step_late_and_never_early() {
    let mut steps = Steps::default();
    let at = START + MINUTE - 1;
    steps.add(BudgetPeriod::Hour, at, spent(1, 0, 0));
    for (later, used) in [(0, 1), (HOUR - 1, 1), (HOUR, 1), (HOUR + 1, 0)] {
        assert_eq!(steps.used(BudgetPeriod::Hour, at + later).calls, used, "{later} ms later");
    }
    let mut steps = Steps::default();
    steps.add(BudgetPeriod::Hour, START, spent(1, 0, 0));
    assert_eq!(steps.used(BudgetPeriod::Hour, START + HOUR + MINUTE - 1).calls, 1);
    assert_eq!(steps.used(BudgetPeriod::Hour, START + HOUR + MINUTE).calls, 0);
    assert_eq!(steps.used(BudgetPeriod::Hour, START - HOUR).calls, 1, "a clock that went back");
}

#[test]
fn the_next_admission_is_when_enough_has_left() {
    let hourly = budget(BudgetPeriod::Hour, calls(3));
    let steps: Steps =
        [(0, 2), (10, 1), (20, 3)].map(|(minute, n)| (START / MINUTE + minute, spent(n, 0, 0))).into_iter().collect();
    let now = START + 30 * MINUTE;
    for (asked, minute) in [(1, 81), (2, 81), (3, 81), (7, 81)] {
        assert_eq!(hourly.next_admission(&steps, now, asked), START + minute * MINUTE, "{asked}");
    }
    let roomy = budget(BudgetPeriod::Hour, calls(6));
    for (asked, minute) in [(1, 61), (2, 61), (3, 71), (4, 81), (6, 81), (600, 81)] {
        assert_eq!(roomy.next_admission(&steps, now, asked), START + minute * MINUTE, "{asked}");
    }
    let free = budget(BudgetPeriod::Hour, calls(7));
    assert_eq!(free.next_admission(&steps, now, 1), now);
}

#[test]
fn all_budgets_admit_or_none_counts() {
    let budgets = [
        Budget { name: "a".into(), ..budget(BudgetPeriod::Hour, calls(5)) },
        Budget { name: "b".into(), ..budget(BudgetPeriod::Day, calls(2)) },
    ];
    let mut book = Book::default();
    let ask = |n| Ask { budgets: &budgets, calls: n, used: spent(0, 10, 1) };
    assert!(book.admit(&ask(2), START).admitted);
    let refused = book.admit(&ask(1), START + 1);
    assert!(!refused.admitted);
    let used = |tally: &Tally| [0, 1].map(|n| tally.steps[n].used(budgets[n].per, tally.now));
    assert_eq!(used(&refused), [spent(2, 20, 2); 2], "what was used counts, the calls do not");
    let refusal = refused.refusal(&budgets, 1).expect("refused");
    assert_eq!(refusal.budget, Some(1));
    assert_eq!(refusal.until, (START / BudgetPeriod::Day.step() + 61) * BudgetPeriod::Day.step());
    book.take_back(&budgets, Receipt { at: START, calls: 2 });
    assert!(book.admit(&ask(2), START + 2).admitted);
}

#[test]
fn a_plan_limit_keeps_everybody_out_until_it_is_lifted() {
    let mut book = Book::default();
    let limit = |until| PlanLimit { until, by: "a".into() };
    book.announce(limit(START + HOUR), START);
    book.announce(limit(START + 1), START);
    let ask = Ask { budgets: &[], calls: 1, used: Spent::default() };
    let refused = book.admit(&ask, START + HOUR - 1);
    assert!(!refused.admitted);
    assert_eq!(refused.refusal(&[], 1), Some(Refusal { budget: None, until: START + HOUR }));
    assert!(book.admit(&Ask { calls: 0, ..ask.clone() }, START + 2).admitted);
    assert!(book.admit(&ask, START + HOUR).admitted);
    book.announce(limit(Millis::MAX), START);
    assert!(book.plan.expect("told").until < START + 9 * 24 * HOUR, "a wrong instant stops nobody for ever");
}

fn a_period() -> impl Strategy<Value = BudgetPeriod> {
    prop::sample::select(vec![BudgetPeriod::Hour, BudgetPeriod::FiveHours, BudgetPeriod::Day, BudgetPeriod::Week])
}

proptest! {
    /// Whatever is asked when, no stretch of time as long as the period holds more than the limit.
    #[test]
    fn no_stretch_holds_more_than_the_limit(
        per in a_period(),
        limit in 1_u64..20,
        asks in prop::collection::vec((0_u64..400, 0_u64..6), 1..120),
    ) {
        let budgets = [budget(per, calls(limit))];
        let (mut book, mut now, mut admitted) = (Book::default(), START, Vec::new());
        for (hundredths, n) in asks {
            now += per.step() * hundredths / 100;
            if book.admit(&Ask { budgets: &budgets, calls: n, used: Spent::default() }, now).admitted {
                admitted.push((now, n));
            }
        }
        for (from, _) in &admitted {
            let stretch: u64 = admitted.iter().filter(|(at, _)| (*from..*from + per.step() * STEPS).contains(at)).map(|(_, n)| n).sum();
            prop_assert!(stretch <= limit, "{stretch} from {from}");
        }
    }

    /// At the next admission the calls are admitted, and a moment before they are not.
    #[test]
    fn the_next_admission_is_exact(
        per in a_period(),
        limits in (1_u64..9, 1_u64..90, 1_u64..90),
        spends in prop::collection::vec((0_u64..90, (0_u64..4, 0_u64..30, 0_u64..30)), 0..30),
        asked in 1_u64..9,
    ) {
        let budget = budget(per, BudgetLimits { calls: Some(limits.0), tokens: Some(limits.1), micro_usd: Some(limits.2) });
        let asked = asked.min(limits.0);
        let (mut steps, mut now) = (Steps::default(), START);
        for (halves, (calls, tokens, micro_usd)) in spends {
            now += per.step() * halves / 2;
            steps.add(per, now, spent(calls, tokens, micro_usd));
        }
        let next = budget.next_admission(&steps, now, asked);
        prop_assert!(!budget.limits.refuses(steps.used(per, next), asked));
        prop_assert!(next == now || budget.limits.refuses(steps.used(per, next - 1), asked));
    }

    /// What is taken back leaves no trace.
    #[test]
    fn taking_back_undoes(per in a_period(), n in 0_u64..9, tokens in 0_u64..9) {
        let budgets = [budget(per, BudgetLimits::default())];
        let mut book = Book::default();
        book.record(&budgets, spent(1, 1, 1), START);
        let before = book.clone();
        let tally = book.admit(&Ask { budgets: &budgets, calls: n, used: spent(0, tokens, 0) }, START + 5);
        book.take_back(&budgets, tally.receipt(n));
        let used = |book: &Book| book.tally(&budgets, START + 9).steps[0].used(per, START + 9);
        prop_assert_eq!(used(&book), used(&before).plus(spent(0, tokens, 0)));
    }
}
