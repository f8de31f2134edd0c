#![allow(clippy::needless_pass_by_value, reason = "a `json!` at the place of use reads best")]
use serde_json::{Value, json};

use crate::testing::Bench;

const HOURLY: &str = "hour";

fn options(shared: Option<&str>, budgets: Value, worker: &str) -> Value {
    let mut options = json!({ "budgets": budgets, "worker": worker });
    if let Some(shared) = shared {
        options["shared"] = shared.into();
    }
    options
}

fn increment(bench: &Bench, input: Value) -> Value {
    let mut input = input;
    input["action"] = "increment".into();
    bench.call("rate_limit", &input)
}

fn part(answer: &Value, fields: &[&str]) -> Value {
    fields.iter().map(|field| ((*field).to_owned(), answer[*field].clone())).collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn a_budget_without_a_shared_place_is_the_projects_own() {
    let mut bench = Bench::with(&options(None, json!([{ "name": "five", "per": "5h", "calls": 3 }]), "w"));
    for _ in 0..3 {
        assert_eq!(increment(&bench, json!({}))["admitted"], true);
    }
    let refused = increment(&bench, json!({}));
    let expected = json!({
        "admitted": false, "canMakeCall": false, "limitedBy": "budget", "budget": "five", "currentCount": 3,
        "secondsUntilReset": 5 * 3600 + 300, "nextAdmission": "2026-03-01T17:05:00Z", "nextReset": "2026-03-01T13:00:00+00:00",
    });
    assert_eq!(
        part(
            &refused,
            &[
                "admitted",
                "canMakeCall",
                "limitedBy",
                "budget",
                "currentCount",
                "secondsUntilReset",
                "nextAdmission",
                "nextReset"
            ]
        ),
        expected
    );
    let row = json!([{
        "name": "five", "per": "5h", "unit": "calls", "used": 3.0, "limit": 3.0, "remaining": 0.0, "mine": 3.0,
        "nextAdmission": "2026-03-01T17:05:00+00:00",
    }]);
    assert_eq!(refused["budgets"], row);
    bench.wait(5 * 60);
    assert_eq!(bench.call("rate_limit", &json!({ "action": "check" }))["canMakeCall"], false);
    bench.wait(5);
    let free = bench.call("rate_limit", &json!({ "action": "check" }));
    assert_eq!((free["canMakeCall"].clone(), free["budgets"][0]["nextAdmission"].clone()), (true.into(), Value::Null));
}

#[test]
fn projects_share_a_budget_and_each_knows_its_part() {
    let place = tempfile::tempdir().expect("a folder");
    let shared = place.path().join("team").to_string_lossy().into_owned();
    let budgets = json!([{ "name": "all", "per": HOURLY, "calls": 4, "tokens": 1000, "costUsd": 0.5 }]);
    let [one, two] = ["one", "two"].map(|name| Bench::with(&options(Some(&shared), budgets.clone(), name)));
    assert_eq!(increment(&one, json!({ "calls": 3, "tokens": 10, "costUsd": 0.1 }))["admitted"], true);
    assert_eq!(increment(&two, json!({ "calls": 2 }))["admitted"], false, "all or none");
    assert_eq!(increment(&two, json!({ "costUsd": 0.2 }))["admitted"], true);
    let uses = |bench: &Bench| -> Vec<Value> {
        let status = bench.call("rate_limit", &json!({ "action": "status" }));
        status["budgets"]
            .as_array()
            .expect("budgets")
            .iter()
            .map(|row| json!([row["unit"], row["used"], row["remaining"], row["mine"]]))
            .collect()
    };
    assert_eq!(
        uses(&two),
        [json!(["calls", 4.0, 0.0, 1.0]), json!(["tokens", 10.0, 990.0, 0.0]), json!(["costUsd", 0.3, 0.2, 0.2])]
    );
    assert_eq!(uses(&one)[0], json!(["calls", 4.0, 0.0, 3.0]));
    let status = two.call("rate_limit", &json!({ "action": "status" }));
    let names: Vec<_> = status["workers"].as_array().expect("workers").iter().map(|worker| worker["name"].clone()).collect();
    assert_eq!(names, ["one", "two"].map(Value::from));
    assert_eq!(status["workers"][0]["lastSeen"], "2026-03-01T12:00:00Z");
    assert_eq!(two.call("rate_limit", &json!({ "action": "check" })).get("workers"), None);
    // Tokens beyond the limit are added, and the next call is refused.
    increment(&one, json!({ "calls": 0, "tokens": 5000 }));
    assert_eq!(two.call("rate_limit", &json!({ "action": "check" }))["budgets"][1]["used"], 5010.0);
}

#[test]
fn the_hour_and_the_budgets_admit_together() {
    let place = tempfile::tempdir().expect("a folder");
    let mut settings = options(Some(&place.path().to_string_lossy()), json!([{ "name": "b", "per": "day", "calls": 5 }]), "w");
    settings["maxCallsPerHour"] = 2.into();
    let bench = Bench::with(&settings);
    assert_eq!(increment(&bench, json!({ "calls": 2 }))["admitted"], true);
    let refused = increment(&bench, json!({ "tokens": 7 }));
    assert_eq!(
        part(&refused, &["admitted", "limitedBy", "secondsUntilReset", "tokensUsed"]),
        json!({ "admitted": false, "limitedBy": "calls", "secondsUntilReset": 3600, "tokensUsed": 7 })
    );
    assert_eq!(refused["budgets"][0]["used"], 2.0, "the hour refused, so that no budget counts");
    let refused = increment(&bench, json!({ "calls": 9 }));
    assert_eq!(
        part(&refused, &["admitted", "limitedBy", "budget"]),
        json!({ "admitted": false, "limitedBy": "budget", "budget": "b" }),
        "the one that admits last"
    );
    let reset = bench.call("rate_limit", &json!({ "action": "reset" }));
    assert_eq!(reset["budgets"][0]["used"], 2.0);
    assert!(reset["warnings"][0].as_str().is_some_and(|warning| warning.contains("budgets are not reset")), "{reset}");
}

#[test]
fn wrong_settings_are_told() {
    let limits = |budget: Value| options(None, json!([budget]), "w");
    for (options, parts) in [
        (limits(json!({ "name": "b", "per": "hour" })), &["\"b\"", "limits nothing"][..]),
        (limits(json!({ "per": "hour", "calls": 1 })), &["budgets[0]", "needs name"]),
        (limits(json!({ "name": "b", "calls": 1 })), &["budgets[0]", "needs per"]),
        (limits(json!({ "name": "b", "per": "month", "calls": 1 })), &["budgets[0]", "hour, 5h, day, week"]),
        (limits(json!({ "name": "b", "per": "day", "calls": 0 })), &["budgets[0]", "calls"]),
        (limits(json!({ "name": "b", "per": "day", "call": 5 })), &["budgets[0]", "call", "did you mean"]),
        (limits(json!("b")), &["budgets[0]", "must be an object"]),
        (limits(json!({ "name": "", "per": "day", "calls": 5 })), &["name"]),
        (json!({ "budgets": "many" }), &["budgets must be an array"]),
        (
            json!({ "budgets": [{ "name": "b", "per": "day", "calls": 5 }, { "name": "b", "per": "hour", "calls": 5 }] }),
            &["two budgets"],
        ),
        (json!({ "shared": "http://:s3cret@host" }), &["shared", "redis://"]),
        (json!({ "shared": "redis://:s3cret@host:x" }), &["shared", "URL"]),
        (json!({ "sharedName": "../up" }), &["sharedName"]),
        (json!({ "sharedFallback": "maybe" }), &["sharedFallback", "refuse, local"]),
        (json!({ "worker": "a\nb" }), &["worker"]),
    ] {
        let error = Bench::try_with(&options).err().unwrap_or_else(|| panic!("{options} is refused"));
        assert_eq!(error.code(), crate::ErrorCode::InvalidInput, "{error}");
        for part in parts {
            assert!(error.message().contains(part), "{part:?} is not in {error}");
        }
        assert!(!error.message().contains("s3cret"), "{error}");
    }
}

#[cfg(unix)]
mod with_a_server {
    use super::*;
    use crate::store::shared::TestServer;

    #[test]
    fn an_unreachable_server_admits_nothing_and_what_was_used_is_told_later() {
        let Some(mut server) = TestServer::start(&[]) else { return };
        let bench =
            Bench::with(&options(Some(&server.url()), json!([{ "name": "b", "per": "day", "calls": 2, "tokens": 100 }]), "w"));
        assert_eq!(increment(&bench, json!({}))["admitted"], true);
        server.stop();
        let error = bench.fail("rate_limit", &json!({ "action": "increment", "tokens": 5 }));
        assert_eq!(error.code(), crate::ErrorCode::SharedUnreachable);
        let read = bench.call("rate_limit", &json!({ "action": "check" }));
        assert_eq!(
            (read["budgets"][0]["used"].clone(), read["currentCount"].clone()),
            (1.0.into(), 1.into()),
            "what is known here"
        );
        assert!(read["warnings"][0].as_str().is_some_and(|warning| warning.contains("only what this project knows")), "{read}");
        let told = increment(&bench, json!({ "calls": 0, "tokens": 30 }));
        assert_eq!((told["tokensUsed"].clone(), told["warnings"].as_array().map(Vec::len)), (30.into(), Some(1)), "{told}");
        server.restart(&[]);
        let later = (0..1000).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            bench.try_call("rate_limit", &json!({ "action": "increment" })).ok()
        });
        let later = later.expect("it comes back");
        assert_eq!(later["budgets"][1]["used"], 30.0, "{later}");
    }

    #[test]
    fn by_choice_a_project_counts_alone_meanwhile() {
        let mut options = options(Some("redis://:s3cret@127.0.0.1:1"), json!([{ "name": "b", "per": "day", "calls": 1 }]), "w");
        options["sharedFallback"] = "local".into();
        let bench = Bench::with(&options);
        let first = increment(&bench, json!({}));
        assert_eq!(first["admitted"], true);
        assert!(first["warnings"][0].as_str().is_some_and(|warning| warning.contains("in this project alone")), "{first}");
        let second = increment(&bench, json!({}));
        assert_eq!((second["admitted"].clone(), second["budgets"][0]["used"].clone()), (false.into(), 1.0.into()));
        assert!(!second.to_string().contains("s3cret"));
    }
}
