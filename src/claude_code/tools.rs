//! What Claude Code's tools may have done to the project's files.

/// What a call of a tool changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// The file that it names.
    File,
    /// Ralph's plan.
    Plan,
    /// Any file, or none: nobody can tell.
    Any,
    /// No file.
    None,
}

/// The tools whose effect is known; of any other nobody can tell.
const TOOLS: &[(&str, Effect)] = &[
    ("Edit", Effect::File),
    ("MultiEdit", Effect::File),
    ("Write", Effect::File),
    ("NotebookEdit", Effect::File),
    ("Read", Effect::None),
    ("Glob", Effect::None),
    ("Grep", Effect::None),
    ("LS", Effect::None),
    ("WebFetch", Effect::None),
    ("WebSearch", Effect::None),
    ("TodoWrite", Effect::None),
    ("TaskCreate", Effect::None),
    ("TaskGet", Effect::None),
    ("TaskList", Effect::None),
    ("TaskUpdate", Effect::None),
    ("TaskOutput", Effect::None),
    ("TaskStop", Effect::None),
    ("BashOutput", Effect::None),
    ("KillShell", Effect::None),
    ("ToolSearch", Effect::None),
    ("Skill", Effect::None),
    ("AskUserQuestion", Effect::None),
    ("EnterPlanMode", Effect::None),
    ("ExitPlanMode", Effect::None),
    // What a subagent does comes as calls of its own.
    ("Agent", Effect::None),
    ("Task", Effect::None),
];

/// Ralph's own tools that change nothing but Ralph's files, by their last name.
const GUARDS: &[&str] = &["rate_limit", "exit_detection", "circuit_breaker", "progress_reporter"];

/// What a call of this tool changes. `action` is what one of Ralph's own was asked.
pub(super) fn effect(tool: &str, action: Option<&str>) -> Effect {
    if let Some((_, effect)) = TOOLS.iter().find(|(name, _)| *name == tool) {
        return *effect;
    }
    // `mcp__ralph__task_planner`, from a plugin `mcp__plugin_ralph_ralph__task_planner`.
    match tool.rsplit_once("__") {
        Some((server, "task_planner")) if is_ralph(server) => match action {
            Some("read" | "progress" | "claim" | "release") => Effect::None,
            _ => Effect::Plan,
        },
        Some((server, name)) if is_ralph(server) && GUARDS.contains(&name) => Effect::None,
        _ => Effect::Any,
    }
}

fn is_ralph(server: &str) -> bool {
    server == "mcp__ralph" || (server.starts_with("mcp__plugin_") && server.ends_with("_ralph"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_nobody_knows_may_have_changed_anything() {
        for (tool, action, expected) in [
            ("Edit", None, Effect::File),
            ("Read", None, Effect::None),
            ("Bash", None, Effect::Any),
            ("PowerShell", None, Effect::Any),
            ("", None, Effect::Any),
            ("mcp__github__create_file", None, Effect::Any),
            ("mcp__other__task_planner", Some("update"), Effect::Any),
            ("mcp__ralph__task_planner", Some("update"), Effect::Plan),
            ("mcp__ralph__task_planner", Some("read"), Effect::None),
            ("mcp__plugin_ralph_ralph__task_planner", Some("update"), Effect::Plan),
            ("mcp__plugin_ralph_ralph__rate_limit", Some("check"), Effect::None),
            ("mcp__ralph__delete_all", None, Effect::Any),
        ] {
            assert_eq!(effect(tool, action), expected, "{tool}");
        }
    }
}
