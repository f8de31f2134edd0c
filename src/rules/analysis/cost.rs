//! What a loop cost. Claude Code's `total_cost_usd` is the running total of a session: a resumed one goes on from what its
//! transcript has (Agent SDK 0.3), so what a loop cost is what the total has grown by.

use serde_json::Value;

use super::json::report::Report;

/// What an output says of costs, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// `total_cost_usd`.
    pub total: Option<f64>,
    /// Since the last result, where the models are told apart since then.
    pub since_last: Option<f64>,
}

impl Cost {
    /// Of a result.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let models = report.get("model_usage_since_last_result").as_object();
        let costs = models.map(|models| models.values().filter_map(|usage| amount(&usage["costUSD"])).collect::<Vec<_>>());
        Self {
            total: amount(report.get("total_cost_usd")).or_else(|| amount(report.get("cost_usd"))),
            since_last: costs.filter(|costs| !costs.is_empty()).map(|costs| costs.iter().sum()),
        }
    }

    /// What the loop cost, where `before` is the total that the loop before it left in the same session. A total that has not
    /// grown is no running total, or one that began anew: then it is the loop's own.
    #[must_use]
    pub fn of_loop(self, before: Option<f64>) -> Option<f64> {
        self.since_last.or_else(|| {
            let total = self.total?;
            Some(before.filter(|before| *before < total).map_or(total, |before| total - before))
        })
    }
}

/// An amount of dollars: at least 0, and no more than anybody pays.
fn amount(value: &Value) -> Option<f64> {
    value.as_f64().filter(|amount| (0.0..1e9).contains(amount))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn cost(members: &Value) -> Cost {
        Cost::of(&Report { members: members.as_object().cloned().unwrap_or_default(), text: None })
    }

    #[test]
    fn of_a_result() {
        for (members, before, expected) in [
            (json!({}), None, None),
            (json!({"total_cost_usd": 0.5}), None, Some(0.5)),
            (json!({"cost_usd": 0.5}), None, Some(0.5)),
            (json!({"total_cost_usd": 0.75}), Some(0.5), Some(0.25)),
            (json!({"total_cost_usd": 0.5}), Some(0.5), Some(0.5)),
            (json!({"total_cost_usd": 0.2}), Some(0.5), Some(0.2)),
            (json!({"total_cost_usd": 0}), Some(0.5), Some(0.0)),
            (json!({"total_cost_usd": -1}), None, None),
            (json!({"total_cost_usd": "0.5"}), None, None),
            (json!({"total_cost_usd": 1e300}), None, None),
            (
                json!({"total_cost_usd": 9.0, "model_usage_since_last_result": {"a": {"costUSD": 0.25}, "b": {"costUSD": 0.5}}}),
                Some(1.0),
                Some(0.75),
            ),
            (json!({"total_cost_usd": 2.0, "model_usage_since_last_result": {"a": {"inputTokens": 1}}}), Some(1.5), Some(0.5)),
        ] {
            assert_eq!(cost(&members).of_loop(before), expected, "{members} after {before:?}");
        }
    }
}
