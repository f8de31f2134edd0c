//! The other readers of what people and models write: plans, plan-limit sentences, denied commands.
#![no_main]

use chrono::{DateTime, Duration, Utc};
use libfuzzer_sys::fuzz_target;
use ralph_sdk_tools::Generation;
use ralph_sdk_tools::rules::analysis::json::machine::{Machine, Sink, Want};
use ralph_sdk_tools::rules::analysis::{api_limit, permissions};
use ralph_sdk_tools::rules::plan::Plan;
use ralph_sdk_tools::zone::Zone;

struct Skipping;

impl Sink for Skipping {
    fn begin(&mut self, _: bool) {}
    fn key(&mut self, _: &[u8]) -> Want {
        Want::Skip
    }
    fn value(&mut self, _: &[u8]) {}
    fn text(&mut self, _: &[u8], _: bool) {}
    fn end(&mut self) {}
}

fuzz_target!(|data: &[u8]| {
    for generation in [Generation::V0_9, Generation::V0_11] {
        let totals = Plan::parse(data, &["Optional".to_owned()], generation).totals();
        assert!(totals.completed + totals.blocking <= totals.total);
    }
    // What serde_json takes as a document, the machine takes too.
    let mut machine = Machine::default();
    let taken = machine.feed(data, &mut Skipping).is_ok() && !machine.is_inside() && machine.values() == 1;
    if let Ok(document) = serde_json::from_slice::<serde_json::Value>(data) {
        assert_eq!(taken, document.is_object() || document.is_array());
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    let now: DateTime<Utc> = DateTime::UNIX_EPOCH + Duration::days(20_000);
    if let Some(limit) = api_limit::in_line(text, now, Zone::named("America/New_York").expect("a zone")) {
        assert!(limit.message.chars().count() <= 300);
    }
    let denial = serde_json::json!([{"tool_name": "Bash", "tool_input": {"command": text}}]);
    assert_eq!(permissions::denials(&denial, "Bash(git *), Bash(npm*)").count, 1);
});
