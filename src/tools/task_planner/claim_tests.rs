#![allow(clippy::needless_pass_by_value, reason = "a `json!` at the place of use reads best")]
use serde_json::{Value, json};

use crate::ErrorCode;
use crate::testing::Bench;

const PLAN: &str = "# Plan\n- [ ] [a-1] first\n- [x] [a-2] second\n- [ ] [a-3] third\n## Optional\n- [ ] [a-4] maybe\n";

/// Workers in projects of their own, each with a copy of the plan, who meet in a folder.
struct Workers {
    _place: tempfile::TempDir,
    benches: Vec<Bench>,
}

impl Workers {
    fn new(names: &[&str]) -> Self {
        let place = tempfile::tempdir().expect("a folder");
        let shared = place.path().to_string_lossy().into_owned();
        let bench = |name: &&str| {
            let bench = Bench::with(&json!({ "shared": shared, "worker": name, "planName": "plan" }));
            bench.write("fix_plan.md", PLAN);
            bench
        };
        let benches = names.iter().map(bench).collect();
        Self { _place: place, benches }
    }
}

fn planner(bench: &Bench, input: Value) -> Value {
    bench.call("task_planner", &input)
}

fn claim(bench: &Bench) -> Value {
    planner(bench, json!({ "action": "claim" }))
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["tasks"].as_array().expect("tasks").iter().map(|task| task["id"].as_str().expect("an id")).collect()
}

#[test]
fn each_claims_the_next_free_task_and_the_last_is_told_who_has_them() {
    let mut workers = Workers::new(&["w1", "w2", "w3", "w4"]);
    let [w1, w2, w3, w4] = workers.benches.as_mut_slice() else { panic!("four") };
    let first = claim(w1);
    assert_eq!((&first["task"]["id"], &first["claimedUntil"]), (&json!("a-1"), &json!("2026-03-01T13:00:00.000Z")));
    assert_eq!((&first["task"]["claimedBy"], ids(&first)), (&json!("w1"), vec!["a-1"]));
    assert_eq!(claim(w1)["task"]["id"], "a-1", "one's own again");
    assert_eq!(planner(w2, json!({ "action": "claim", "leaseMinutes": 5 }))["task"]["id"], "a-3");
    assert_eq!(claim(w3)["task"]["id"], "a-4", "optional ones last");
    let nothing = claim(w4);
    assert_eq!((&nothing["task"], ids(&nothing)), (&Value::Null, vec!["a-1", "a-3", "a-4"]));
    assert_eq!(
        (&nothing["tasks"][1]["claimedBy"], &nothing["tasks"][1]["claimedUntil"]),
        (&json!("w2"), &json!("2026-03-01T12:05:00.000Z"))
    );
    assert_eq!(nothing.get("nextTask"), None);
    assert_eq!(ids(&planner(w4, json!({ "action": "read", "filter": "available" }))), Vec::<&str>::new());
    assert_eq!(ids(&planner(w2, json!({ "action": "read", "filter": "available" }))), ["a-3"], "one's own is available");
    assert_eq!(planner(w2, json!({ "action": "progress" }))["nextTask"]["id"], "a-3");
    for bench in [&mut *w1, w2, w3, w4] {
        bench.wait(6);
    }
    assert_eq!(claim(w4)["task"]["id"], "a-3", "the lease of w2 ran out");
}

#[test]
fn only_its_worker_ticks_a_claimed_task_and_then_it_is_done_in_every_copy() {
    let workers = Workers::new(&["w1", "w2"]);
    let [w1, w2] = workers.benches.as_slice() else { panic!("two") };
    claim(w1);
    let update = json!({ "action": "update", "taskId": "a-1" });
    let error = w2.fail("task_planner", &update);
    assert_eq!(error.code(), ErrorCode::TaskClaimed);
    for part in ["\"a-1\"", "\"w1\"", "2026-03-01T13:00:00"] {
        assert!(error.message().contains(part), "{error}");
    }
    let error = w2.fail("task_planner", &json!({ "action": "claim", "taskId": "[a-1] first" }));
    assert_eq!(error.code(), ErrorCode::TaskClaimed);
    assert_eq!(planner(w1, update.clone())["tasks"][0]["completed"], true);
    // In the copy of w2 it stands open still.
    let read = planner(w2, json!({ "action": "read", "filter": "pending" }));
    assert_eq!((ids(&read), &read["nextTask"]["id"]), (vec!["a-1", "a-3", "a-4"], &json!("a-3")));
    assert_eq!((&read["tasks"][0]["claimedBy"], read["tasks"][0].get("claimedUntil")), (&json!("w1"), None));
    assert_eq!(claim(w2)["task"]["id"], "a-3");
    assert_eq!(planner(w2, update)["tasks"][0]["completed"], true, "ticking here what is done there is no conflict");
    planner(w1, json!({ "action": "update", "taskId": "a-1", "completed": false }));
    assert_eq!(claim(w1)["task"]["id"], "a-1", "opened again, it is free");
    let forced = planner(w2, json!({ "action": "update", "taskId": "a-1", "completed": false, "force": true }));
    assert_eq!(forced["tasks"][0]["completed"], false);
}

#[test]
fn a_release_frees_and_force_is_for_people() {
    let workers = Workers::new(&["w1", "w2"]);
    let [w1, w2] = workers.benches.as_slice() else { panic!("two") };
    claim(w1);
    let release = |force: bool| json!({ "action": "release", "taskId": "a-1", "force": force });
    assert_eq!(w2.fail("task_planner", &release(false)).code(), ErrorCode::TaskClaimed);
    assert_eq!(ids(&planner(w2, release(true))), ["a-1"]);
    let nothing = planner(w1, json!({ "action": "release" }));
    assert!(nothing["warnings"][0].as_str().is_some_and(|warning| warning.contains("no claim")), "{nothing}");
    claim(w1);
    assert_eq!(ids(&planner(w1, json!({ "action": "release" }))), ["a-1"]);
    assert_eq!(claim(w2)["task"]["id"], "a-1");
}

#[test]
fn in_one_folder_claims_are_a_state_file_and_ticking_releases() {
    let bench = Bench::with(&json!({ "worker": "w1" }));
    bench.write("fix_plan.md", PLAN);
    assert_eq!(claim(&bench)["task"]["id"], "a-1");
    assert_eq!(bench.json(".claims.json")[".ralph/fix_plan.md"]["a-1"]["worker"], "w1");
    let other = bench.beside(&json!({ "worker": "w2" }));
    let call = |input: &Value| other.call("task_planner", crate::testing::raw(input));
    let refused = call(&json!({ "action": "update", "taskId": "a-1" })).expect_err("claimed");
    assert_eq!(refused.code(), ErrorCode::TaskClaimed);
    planner(&bench, json!({ "action": "update", "taskId": "a-1" }));
    assert_eq!(bench.json(".claims.json"), json!({}));
    let made_up = bench.beside(&json!({}));
    let answer = made_up.call("task_planner", crate::testing::raw(&json!({ "action": "claim" }))).expect("claimed");
    let name = answer["task"]["claimedBy"].as_str().expect("a name").to_owned();
    assert!(name.contains(&std::process::id().to_string()), "{name}");
}

#[test]
fn wrong_claims_are_told() {
    let bench = Bench::with(&json!({ "worker": "w" }));
    for (input, code) in [
        (json!({ "action": "claim" }), ErrorCode::PlanNotFound),
        (json!({ "action": "claim", "leaseMinutes": 0 }), ErrorCode::InvalidInput),
        (json!({ "action": "claim", "leaseMinutes": 1441 }), ErrorCode::InvalidInput),
    ] {
        assert_eq!(bench.fail("task_planner", &input).code(), code, "{input}");
    }
    bench.write("fix_plan.md", PLAN);
    for (input, code) in [
        (json!({ "action": "claim", "taskId": "nothing" }), ErrorCode::TaskNotFound),
        (json!({ "action": "claim", "taskId": "a-2" }), ErrorCode::InvalidInput),
    ] {
        assert_eq!(bench.fail("task_planner", &input).code(), code, "{input}");
    }
}

#[test]
fn who_has_nothing_to_do_waits_and_does_not_stop() {
    let mut workers = Workers::new(&["w1", "w2"]);
    for bench in &workers.benches {
        bench.write("fix_plan.md", "- [x] [a-0] done\n- [ ] [a-1] one\n- [ ] [a-2] two\n");
    }
    let [w1, w2] = workers.benches.as_mut_slice() else { panic!("two") };
    let check = |bench: &Bench| bench.call("exit_detection", &json!({ "action": "check" }));
    claim(w1);
    assert_eq!(check(w2).get("waiting"), None, "one is free");
    planner(w1, json!({ "action": "claim", "taskId": "a-2", "leaseMinutes": 30 }));
    let waiting = check(w2);
    assert_eq!(
        (&waiting["shouldExit"], &waiting["waiting"], &waiting["claimedUntil"]),
        (&json!(false), &json!(true), &json!("2026-03-01T12:30:00.000Z"))
    );
    assert_eq!(check(w1).get("waiting"), None, "its own");
    let done = json!({ "status": "COMPLETE", "exit_signal": true, "result": "All tasks are done." }).to_string();
    for number in 1..=2 {
        let analyze = json!({ "action": "analyze", "output": done, "loopNumber": number, "filesChanged": 0 });
        assert_eq!(w2.call("exit_detection", &analyze)["shouldExit"], false, "that it sees nothing to do is no end");
    }
    for task in ["a-1", "a-2"] {
        planner(w1, json!({ "action": "update", "taskId": task }));
    }
    let complete = check(w2);
    assert_eq!((&complete["shouldExit"], complete.get("waiting")), (&json!(true), None), "done in the copy of w1");
}

#[test]
fn a_plan_limit_of_one_stops_all() {
    let place = tempfile::tempdir().expect("a folder");
    let shared = place.path().to_string_lossy().into_owned();
    let [mut w1, mut w2] = ["w1", "w2"].map(|name| Bench::with(&json!({ "shared": shared, "worker": name })));
    let output = "Claude usage limit reached. Your limit will reset at 3pm (UTC).";
    let analysed = w1.call("exit_detection", &json!({ "action": "analyze", "output": output, "filesChanged": 0 }));
    assert_eq!(analysed["analysis"]["apiLimit"]["resetsAt"], "2026-03-01T15:00:00+00:00", "{analysed}");
    let refused = w2.call("rate_limit", &json!({ "action": "increment" }));
    assert_eq!(
        json!([
            refused["admitted"],
            refused["limitedBy"],
            refused["secondsUntilReset"],
            refused["nextAdmission"],
            refused["currentCount"]
        ]),
        json!([false, "plan", 3 * 3600, "2026-03-01T15:00:00Z", 0])
    );
    assert_eq!(w2.call("rate_limit", &json!({ "action": "reset" }))["canMakeCall"], true, "people lift it");
    for bench in [&mut w1, &mut w2] {
        bench.wait(181);
        assert_eq!(bench.call("rate_limit", &json!({ "action": "increment" }))["admitted"], true);
    }
}
