//! Which files are Ralph's own, or ours: their changes are no progress.

use std::path::{Component, Path};

use crate::store::lock::LOCK_FILE;
use crate::store::sessions::is_session_file;
use crate::store::temporary::is_temporary;

/// State files, by their names under the state directory: section 5 of the contract, and what else bash Ralph keeps there.
const STATE_FILES: &[&str] = &[
    ".call_count",
    ".token_count",
    ".last_reset",
    ".exit_signals",
    ".response_analysis",
    ".last_output_length",
    ".claude_session_id",
    ".loop_start_sha",
    ".loop_start_files",
    ".tasks_added",
    ".claims.json",
    ".budgets.json",
    ".workers.json",
    ".circuit_breaker_state",
    ".circuit_breaker_history",
    ".ralph_session",
    ".ralph_session_history",
    "status.json",
    "progress.json",
    "live.log",
    LOCK_FILE,
];

/// What names in the folder of logs begin with: ours and bash Ralph's.
const LOGS: &[&str] = &["ralph.log", "metrics.jsonl", "claude_output_", "claude_stderr_"];

/// Whether a file is Ralph's own, by its path from the state directory. The plan is the user's.
#[must_use]
pub fn is_own(path: &Path) -> bool {
    let mut parts = path.components();
    let (Some(Component::Normal(first)), rest) = (parts.next(), parts.as_path()) else { return false };
    let first_name = first.to_string_lossy();
    if rest.as_os_str().is_empty() {
        let name = first_name.split_once(".corrupt-").map_or(&*first_name, |(name, _)| name);
        return is_temporary(first) || STATE_FILES.contains(&name) || is_session_file(name);
    }
    let name = rest.to_string_lossy();
    first_name == "logs" && LOGS.iter().any(|start| name.starts_with(start))
}

/// Whether a path is a log's, or that of an archive of it.
pub(super) fn is_log(path: &str, log: &str) -> bool {
    path.strip_prefix(log).is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix('.').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_files_are_own_and_the_users_are_not() {
        let own = [
            ".call_count",
            "status.json",
            ".ralph-tools.lock",
            ".loop_start_files",
            ".session_0a1b",
            ".session_0a1b.edits",
            ".ralph-tools-tmp-x1",
            "status.json.corrupt-20260301T102030Z",
            ".exit_signals.corrupt-20260301T102030Z-2",
            ".session_0b1c-4d",
            ".session_0b1c-4d.edits",
            "logs/ralph.log",
            "logs/ralph.log.3",
            "logs/metrics.jsonl",
            "logs/claude_output_2026-03-01_10-20-30.log",
        ];
        let users =
            ["fix_plan.md", "@fix_plan.md", "PROMPT.md", "src/status.json", "logs/app.log", "docs/logs/ralph.log", "", "../x"];
        for path in own {
            assert!(is_own(Path::new(path)), "{path}");
        }
        for path in users {
            assert!(!is_own(Path::new(path)), "{path}");
        }
    }
}
