//! The ends of Ralph's logs and the last loop's limits, for a status screen: whoever looks reads a bounded part of regular
//! files, and writes nothing.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::files::StatusFile;
use crate::error::Result;
use crate::store::chunks::read_tail;
use crate::store::project::Project;

/// As much of a log's end as is read, in bytes.
const TAIL: u64 = 64 << 10;
/// The most loops.
const LOOPS: usize = 10;
/// The most lines of the log.
const LOG_LINES: usize = 30;

/// One line of `metrics.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoopRecord {
    /// As the line has it.
    pub timestamp: String,
    /// The loop's number.
    pub r#loop: f64,
    /// In seconds.
    pub duration: f64,
    /// Whether it succeeded.
    pub success: bool,
    /// Calls that it made; 0 where the line does not say.
    pub calls: f64,
}

/// What was last.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recent {
    /// The last loops, the newest first.
    pub loops: Vec<LoopRecord>,
    /// The last lines of the log, the newest last.
    pub log: Vec<String>,
    /// The last loop's limit of calls an hour: a program's own is in no file of settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_calls_per_hour: Option<u64>,
    /// The same for tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens_per_hour: Option<u64>,
    /// What could not be read, and why.
    pub errors: Vec<String>,
}

/// What was last in a project. What cannot be read is left out, and said.
#[must_use]
pub fn recent(project: &Project) -> Recent {
    let mut recent = Recent::default();
    let logs = project.logs_dir();
    let mut lines = |result: Result<Vec<String>>| {
        result.unwrap_or_else(|error| {
            recent.errors.push(error.to_string());
            Vec::new()
        })
    };
    let metrics = lines(last_lines(project, &logs.join("metrics.jsonl")));
    let mut log = lines(last_lines(project, project.log_file()));
    recent.log = log.split_off(log.len().saturating_sub(LOG_LINES));
    recent.loops = metrics.iter().rev().filter_map(|line| loop_record(line)).take(LOOPS).collect();
    let limits = project.read(|files| {
        let status = files.load::<StatusFile>()?.unwrap_or_default();
        Ok((status.counter("max_calls_per_hour"), status.counter("max_tokens_per_hour")))
    });
    // A status that cannot be read is `read`'s to tell.
    if let Ok(limits) = limits {
        (recent.max_calls_per_hour, recent.max_tokens_per_hour) = limits.value;
    }
    recent
}

/// The whole lines at the end of a file; none where there is no file.
fn last_lines(project: &Project, path: &Path) -> Result<Vec<String>> {
    let Some((bytes, from_start)) = read_tail(project, path, TAIL)? else { return Ok(Vec::new()) };
    let text = String::from_utf8_lossy(&bytes);
    let whole = text.lines().skip(usize::from(!from_start));
    Ok(whole.filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
}

fn loop_record(line: &str) -> Option<LoopRecord> {
    let line: Value = serde_json::from_str(line).ok()?;
    Some(LoopRecord {
        timestamp: line.get("timestamp").and_then(Value::as_str).unwrap_or_default().to_owned(),
        r#loop: line.get("loop")?.as_f64()?,
        duration: line.get("duration")?.as_f64()?,
        success: line.get("success")?.as_bool()?,
        calls: line.get("calls").and_then(Value::as_f64).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_loop_is_left_out() {
        for line in ["", "x", "{}", "[]", r#"{"loop":"1","duration":1,"success":true}"#, r#"{"loop":1,"duration":1}"#] {
            assert_eq!(loop_record(line), None, "{line}");
        }
        let sound = loop_record(r#"{"timestamp":"t","loop":2,"duration":0.5,"success":false,"calls":3}"#);
        let expected = LoopRecord { timestamp: "t".into(), r#loop: 2.0, duration: 0.5, success: false, calls: 3.0 };
        assert_eq!(sound, Some(expected));
    }
}
