//! How full the plan's windows are, by Claude Code's `rate_limit_event`s (case S25).

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::reset_time;

/// Windows that are told apart; the types have six names so far.
const WINDOWS: usize = 16;
/// Bytes of a window's name.
const NAME: usize = 60;

/// A window, as its last event told it.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageWindow {
    /// `rateLimitType`: `five_hour`, `seven_day`, …; an event without one is of the five-hour window.
    pub window: String,
    /// `status`: `allowed`, `allowed_warning` or `rejected`.
    pub status: Option<String>,
    /// From 0 to 1, and beyond.
    pub utilization: Option<f64>,
    /// When it begins anew.
    pub resets_at: Option<DateTime<Utc>>,
}

/// What the events of one output tell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ApiUsage {
    /// A window each, in the order in which they came first.
    pub windows: Vec<UsageWindow>,
    /// Whether paid overage is being used, by the last event that says so or not.
    pub is_using_overage: bool,
}

/// The events' `rate_limit_info`, the last of each window kept.
#[derive(Debug, Default)]
pub struct UsageReader {
    usage: ApiUsage,
    seen: bool,
}

impl UsageReader {
    /// Takes the `rate_limit_info` of the next event.
    pub fn event(&mut self, info: &Value) {
        if !info.is_object() {
            return;
        }
        self.seen = true;
        let text = |key: &str| info.get(key).and_then(Value::as_str).map(|text| text.chars().take(NAME).collect::<String>());
        let window = UsageWindow {
            window: text("rateLimitType").unwrap_or_else(|| "five_hour".to_owned()),
            status: text("status"),
            utilization: info.get("utilization").and_then(Value::as_f64),
            resets_at: info.get("resetsAt").and_then(reset_time::of_value),
        };
        for key in ["isUsingOverage", "overageInUse"] {
            if let Some(using) = info.get(key).and_then(Value::as_bool) {
                self.usage.is_using_overage = using;
                break;
            }
        }
        let windows = &mut self.usage.windows;
        let room = windows.len() < WINDOWS;
        match windows.iter_mut().find(|known| known.window == window.window) {
            Some(known) => {
                // What an event leaves out stays as it was told.
                known.status = window.status.or(known.status.take());
                known.utilization = window.utilization.or(known.utilization);
                known.resets_at = window.resets_at.or(known.resets_at);
            }
            None if room => windows.push(window),
            None => {}
        }
    }

    /// At the end; `None` where there was no event.
    #[must_use]
    pub fn finish(self) -> Option<ApiUsage> {
        self.seen.then_some(self.usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(events: &[Value]) -> Option<ApiUsage> {
        let mut reader = UsageReader::default();
        for event in events {
            reader.event(event);
        }
        reader.finish()
    }

    #[test]
    fn the_last_event_of_each_window_counts() {
        let usage = read(&[
            json!({"status": "allowed", "rateLimitType": "five_hour", "utilization": 0.5, "resetsAt": 1_772_660_000}),
            json!({"status": "allowed_warning", "rateLimitType": "seven_day", "utilization": 0.91, "isUsingOverage": true}),
            json!({"status": "allowed", "rateLimitType": "five_hour", "utilization": 0.6}),
        ])
        .unwrap();
        let windows: Vec<_> = usage.windows.iter().map(|window| (window.window.as_str(), window.utilization)).collect();
        assert_eq!(windows, [("five_hour", Some(0.6)), ("seven_day", Some(0.91))]);
        assert_eq!(usage.windows[0].resets_at.map(|at| at.timestamp()), Some(1_772_660_000));
        assert!(usage.is_using_overage, "an event that does not say leaves it as it was");
        assert!(!read(&[json!({"isUsingOverage": true}), json!({"isUsingOverage": false})]).unwrap().is_using_overage);
        assert!(read(&[json!({"overageInUse": true})]).unwrap().is_using_overage);
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[json!(null), json!("x")]), None);
        let many: Vec<Value> = (0..100).map(|number| json!({"rateLimitType": format!("w{number}")})).collect();
        assert_eq!(read(&many).map(|usage| usage.windows.len()), Some(WINDOWS));
    }
}
