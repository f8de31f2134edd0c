//! What bash Ralph counted (`__test__/data/vectors.json`, family planner).

use serde_json::Value;

use super::optional;
use crate::generation::Generation;
use crate::rules::plan::Plan;

const VECTORS: &str = include_str!("../../../../__test__/data/vectors.json");

#[test]
fn totals_are_those_of_bash() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).expect("the vectors are JSON");
    let mut replayed = 0;
    for case in vectors.iter().filter(|case| case["id"].as_str().is_some_and(|id| id.starts_with("planner-"))) {
        let (generation, path) = match case["generation"].as_str() {
            Some("0.9.0") => (Generation::V0_9, "@fix_plan.md"),
            _ => (Generation::V0_11, ".ralph/fix_plan.md"),
        };
        let text = case["files"][path].as_str().expect("each case has a plan");
        let totals = Plan::parse(text.as_bytes(), &optional(), generation).totals();
        let expected = &case["steps"][0]["expect"]["output"];
        let counted = (totals.total, totals.completed, totals.pending());
        let of_bash = ["totalTasks", "completedTasks", "pendingTasks"].map(|field| expected[field].as_u64());
        assert_eq!([counted.0, counted.1, counted.2].map(|n| u64::try_from(n).ok()), of_bash, "{}: {text}", case["id"]);
        replayed += 1;
    }
    assert_eq!(replayed, 80);
}
