use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const TASKS: [&str; 3] = ["a", "b", "c"];

fn granted(task: &str, until: Millis) -> Claim {
    Claim::Granted { task: task.into(), until }
}

#[test]
fn the_first_free_task_is_claimed_and_ones_own_is_renewed() {
    let mut leases = Leases::default();
    for (worker, now, claim) in [
        ("w1", 0, granted("a", 100)),
        ("w2", 10, granted("b", 110)),
        ("w1", 50, granted("a", 150)),
        ("w3", 60, granted("c", 160)),
        ("w4", 70, Claim::Taken),
        // The lease of w2 has run out.
        ("w4", 110, granted("b", 210)),
        ("w2", 120, Claim::Taken),
    ] {
        assert_eq!(leases.claim(&TASKS, worker, now, 100), claim, "{worker} at {now}");
    }
    assert_eq!(leases.claim(&["b"], "w1", 130, 100), Claim::Taken);
    assert_eq!(leases.claim(&["d"], "w1", 130, 100), granted("d", 230), "another task beside one's own, by its name");
}

#[test]
fn a_release_frees_ones_own_and_by_force_anybodys() {
    let mut leases = Leases::default();
    leases.claim(&["a"], "w1", 0, 100);
    leases.claim(&["b"], "w1", 0, 100);
    leases.claim(&["c"], "w2", 0, 100);
    let released = |tasks: &[&str]| Release::Released(tasks.iter().map(|task| (*task).to_owned()).collect());
    let theirs = Release::Taken(Lease { worker: "w2".into(), until: 100, done: false });
    assert_eq!(leases.release(Some("c"), "w1", false, 1), theirs);
    assert_eq!(leases.release(Some("c"), "w1", true, 1), released(&["c"]));
    assert_eq!(leases.release(Some("c"), "w1", false, 1), released(&[]));
    assert_eq!(leases.release(None, "w1", false, 1), released(&["a", "b"]));
    leases.claim(&["c"], "w2", 2, 100);
    assert_eq!(leases.release(Some("c"), "w1", false, 102), released(&[]), "a lease that ran out is nobody's");
}

#[test]
fn what_is_done_is_nobodys_to_claim() {
    let mut leases = Leases::default();
    leases.claim(&["a"], "w1", 0, 100);
    leases.finish("a", "w1", 10);
    leases.finish("b", "w2", 10);
    assert_eq!(leases.claim(&TASKS, "w1", 20, 100), granted("c", 120), "neither one's own nor another's");
    assert_eq!(leases.release(None, "w1", false, 21), Release::Released(vec!["c".into()]), "what is done stays done");
    assert_eq!(leases.release(Some("b"), "w1", false, 22), Release::Released(vec!["b".into()]), "until it is opened again");
    assert_eq!(leases.claim(&["a"], "w3", 10 + DONE_FOR - 1, 100), Claim::Taken);
    assert_eq!(leases.claim(&["a"], "w3", 10 + DONE_FOR, 100), granted("a", 110 + DONE_FOR), "and not for ever");
}

#[test]
fn a_worker_is_listed_for_a_day_and_what_it_does_not_say_stays() {
    let mut roster = Roster::default();
    let beat = |machine: &str| Beat { machine: Some(machine.into()), ..Beat::default() };
    roster.beat("w1", Beat { loop_number: Some(3), ..beat("m") }, 1);
    roster.beat("w2", beat("n"), 2);
    roster.beat("w1", Beat { task: Some("a".into()), ..Beat::default() }, SEEN_FOR + 1);
    assert_eq!(roster.0.keys().collect::<Vec<_>>(), ["w1", "w2"]);
    let w1 = Beat { machine: Some("m".into()), loop_number: Some(3), task: Some("a".into()), project: None };
    assert_eq!(roster.0["w1"], Seen { at: SEEN_FOR + 1, beat: w1 });
    roster.beat("w3", beat("o"), SEEN_FOR + 2);
    assert_eq!(roster.0.keys().collect::<Vec<_>>(), ["w1", "w3"]);
}

#[derive(Debug, Clone)]
enum Step {
    Claim(usize, Vec<usize>, Millis),
    Release(usize, Option<usize>, bool),
    Wait(Millis),
}

fn a_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..4_usize, prop::collection::vec(0..6_usize, 0..6), 1..50_u64).prop_map(|(w, t, l)| Step::Claim(w, t, l)),
        (0..4_usize, prop::option::of(0..6_usize), any::<bool>()).prop_map(|(w, t, f)| Step::Release(w, t, f)),
        (0..60_u64).prop_map(Step::Wait),
    ]
}

proptest! {
    /// No task has two workers at one time: who is granted one while another's lease runs has the lease's owner's consent.
    #[test]
    fn no_task_has_two_workers(steps in prop::collection::vec(a_step(), 0..80)) {
        let names = ["a", "b", "c", "d", "e", "f"];
        let workers = ["w0", "w1", "w2", "w3"];
        let (mut leases, mut now) = (Leases::default(), 1_000);
        let mut owners: BTreeMap<String, (usize, Millis)> = BTreeMap::new();
        for step in steps {
            owners.retain(|_, (_, until)| *until > now);
            match step {
                Step::Wait(time) => now += time,
                Step::Claim(worker, tasks, lease) => {
                    let tasks: Vec<&str> = tasks.iter().map(|task| names[*task]).collect();
                    match leases.claim(&tasks, workers[worker], now, lease) {
                        Claim::Granted { task, until } => {
                            prop_assert!(owners.get(&task).is_none_or(|(owner, _)| *owner == worker), "{task} is another's");
                            prop_assert!(tasks.contains(&task.as_str()));
                            prop_assert_eq!(until, now + lease);
                            owners.insert(task, (worker, until));
                        }
                        Claim::Taken => {
                            let free = tasks.iter().any(|task| owners.get(*task).is_none_or(|(owner, _)| *owner == worker));
                            prop_assert!(!free, "refused though one was free");
                        }
                    }
                }
                Step::Release(worker, task, force) => {
                    if let Release::Released(tasks) = leases.release(task.map(|task| names[task]), workers[worker], force, now) {
                        for task in tasks {
                            let owner = owners.remove(&task);
                            prop_assert!(force || owner.is_none_or(|(owner, _)| owner == worker));
                        }
                    }
                }
            }
            owners.retain(|_, (_, until)| *until > now);
            let live: BTreeMap<String, usize> = leases
                .live(now)
                .map(|(task, lease)| (task.to_owned(), workers.iter().position(|name| *name == lease.worker).expect("one of ours")))
                .collect();
            let known: BTreeMap<String, usize> = owners.iter().map(|(task, (owner, _))| (task.clone(), *owner)).collect();
            prop_assert_eq!(live, known);
        }
    }
}
