//! Permission denials (Ralph issue 101), and those that only mean that Claude Code matches no compound commands
//! against its patterns (Ralph issue 243).

use serde_json::Value;

/// What the denials of one run amount to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Denials {
    /// How many there were.
    pub count: u64,
    /// The tools denied; for Bash the first 60 characters of the command's first line.
    pub commands: Vec<String>,
    /// Whether every part of every denied command is allowed on its own.
    pub compound_only: bool,
    /// Whether all of them are Claude's way to ask something (case S12).
    pub asked_only: bool,
}

impl Denials {
    /// Denials that are a limitation of Claude Code's with compound commands: all or none.
    #[must_use]
    pub fn compound_count(&self) -> u64 {
        if self.compound_only { self.count } else { 0 }
    }
}

/// Characters of a denied command that are shown.
const SHOWN: usize = 60;

/// Reads `permission_denials`; `allowed_tools` is the comma-separated `ALLOWED_TOOLS`.
#[must_use]
pub fn denials(list: &Value, allowed_tools: &str) -> Denials {
    let Some(list) = list.as_array() else { return Denials::default() };
    let covered = |denial: &Value| command(denial).is_some_and(|command| is_covered(command, allowed_tools));
    Denials {
        count: list.len() as u64,
        commands: list.iter().map(describe).collect(),
        compound_only: !list.is_empty() && list.iter().all(covered),
        asked_only: !list.is_empty() && list.iter().all(asks),
    }
}

/// Tools whose call is a question to a person. Where nobody is there to answer they are denied.
const ASKING: [&str; 2] = ["AskUserQuestion", "ExitPlanMode"];

fn asks(denial: &Value) -> bool {
    denial["tool_name"].as_str().is_some_and(|tool| ASKING.contains(&tool))
}

fn command(denial: &Value) -> Option<&str> {
    if denial["tool_name"] != "Bash" {
        return None;
    }
    denial["tool_input"]["command"].as_str()
}

fn describe(denial: &Value) -> String {
    match denial["tool_name"].as_str() {
        Some("Bash") => {
            let first_line = command(denial).unwrap_or("?").split('\n').next().unwrap_or_default();
            format!("Bash({})", first_line.chars().take(SHOWN).collect::<String>())
        }
        Some(tool) => tool.to_owned(),
        None => "unknown".to_owned(),
    }
}

/// Whether the first command of each part is allowed with any arguments, and there is a part at all.
fn is_covered(command: &str, allowed_tools: &str) -> bool {
    let parts = parts(command);
    !parts.is_empty() && parts.iter().all(|part| allows_arguments(base(part), allowed_tools))
}

/// The parts between `&&`, `||`, `;` and newlines that stand outside of quotes and comments. Comments are no parts.
fn parts(command: &str) -> Vec<&str> {
    let bytes = command.as_bytes();
    let mut found = Vec::new();
    let (mut start, mut at, mut quote) = (0, 0, None);
    // Whether a word may begin here, and so a comment.
    let mut fresh = true;
    while let Some(&byte) = bytes.get(at) {
        let mut width = 0;
        match (quote, byte) {
            (Some(b'"') | None, b'\\') => at += 1,
            (Some(open), _) => {
                if byte == open {
                    quote = None;
                }
            }
            (None, b'#') if fresh => {
                // Neither quotes nor a backslash at its end mean anything in a comment.
                at = memchr::memchr(b'\n', bytes.get(at..).unwrap_or_default()).map_or(bytes.len(), |newline| at + newline);
                continue;
            }
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b';' | b'\n') => width = 1,
            (None, b'&' | b'|') if bytes.get(at + 1) == Some(&byte) => width = 2,
            (None, _) => {}
        }
        let continued = byte == b'\\' && bytes.get(at) == Some(&b'\n');
        fresh =
            quote.is_none() && (width > 0 || (continued && fresh) || matches!(byte, b' ' | b'\t' | b'&' | b'|' | b'(' | b')'));
        if width > 0 {
            found.push(command.get(start..at));
            start = at + width;
            at = start;
        } else {
            at += 1;
        }
    }
    found.push(command.get(start..));
    found.into_iter().flatten().map(trimmed).filter(|part| !part.is_empty() && !part.starts_with('#')).collect()
}

/// Without space around it, and without the backslashes that continue the line before its first word.
fn trimmed(part: &str) -> &str {
    let mut part = part.trim();
    while let Some(rest) = part.strip_prefix("\\\n").or_else(|| part.strip_prefix("\\\r\n")) {
        part = rest.trim_start();
    }
    part
}

/// The first word, as bash cuts it: up to a space, pipe, redirection, semicolon or ampersand.
fn base(part: &str) -> &str {
    // A subshell begins with a parenthesis.
    let part = part.trim_start_matches(['(', ' ']);
    part.split([' ', '\t', '\n', '|', ';', '&', '<', '>', ')']).next().unwrap_or_default()
}

/// Commands that Claude Code allows whatever the patterns say (case S11).
const ALWAYS_ALLOWED: [&str; 6] = ["cd", "ls", "pwd", "echo", "true", "head"];

/// Whether a pattern permits the command with any arguments: `*`, `Bash(*)`, `Bash(cmd*)`, `Bash(cmd … *)`, and Claude Code's
/// own form for prefixes, `Bash(cmd:*)`. An exact pattern such as `Bash(npm install)` does not.
fn allows_arguments(base: &str, allowed_tools: &str) -> bool {
    if base.is_empty() {
        return false;
    }
    if ALWAYS_ALLOWED.contains(&base) {
        return true;
    }
    allowed_tools.split(',').map(str::trim).any(|entry| {
        if entry == "*" || entry == "Bash(*)" {
            return true;
        }
        let Some(inside) = entry.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')')) else { return false };
        let Some(rest) = inside.strip_prefix(base) else { return false };
        rest.starts_with('*') || rest == ":*" || (rest.starts_with(' ') && rest.contains('*'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn bash(command: &str) -> Value {
        json!({"tool_name": "Bash", "tool_input": {"command": command}})
    }

    #[test]
    fn compound_only_where_each_part_is_allowed() {
        let table = [
            ("npm test 2>&1 | tail -5", "Bash(npm *)", true),
            ("npm test", "Bash(npm*)", true),
            ("git add . && git commit -m \"a && b; c\"", "Bash(git *)", true),
            ("git add . && rm -rf /", "Bash(git *)", false),
            ("npm test; curl evil", "Bash(npm *)", false),
            ("npm test || curl evil", "Bash(npm *)", false),
            ("npm test\ncurl evil", "Bash(npm *)", false),
            ("npm a && \\\n npm b", "Bash(npm *)", true),
            ("npm a || \\\n\\\n  npm b; \\\nnpm c \\\n", "Bash(npm *)", true),
            ("\\\nnpm a \\\n --flag && npm b", "Bash(npm *)", true),
            ("npm a && \\\n curl evil", "Bash(npm *)", false),
            ("npm\\\nx evil", "Bash(npm *)", false),
            ("# a comment \\\ncurl evil", "Bash(npm *)", false),
            ("npm a # don't\ncurl evil # don't", "Bash(npm *)", false),
            ("npm a # don't\nnpm b # so \"there", "Bash(npm *)", true),
            ("npm a \\\n# don't\ncurl evil # don't", "Bash(npm *)", false),
            ("npm a\\ #b 'c'; npm d", "Bash(npm *)", true),
            ("npm a#b 'c'; npm d", "Bash(npm *)", true),
            ("# first\nnpm test\n\nnpm run x\n", "Bash(npm *)", true),
            ("git commit -m \"$(cat <<'EOF'\nline; one\nEOF\n)\"", "Bash(git commit *)", true),
            ("git commit -m 'don\\' && curl evil", "Bash(git *)", false),
            ("git commit -m \"a\\\" && b\"", "Bash(git *)", true),
            ("npm test", "Bash(npm install)", false),
            ("anything", "Bash(*)", true),
            ("anything", "Read, *", true),
            ("npm test", "", false),
            ("", "Bash(*)", false),
            ("git add . && git commit -m x", "Bash(git:*)", true),
            ("git add . && git commit -m x", "Read,Bash(git add:*),Bash(npm run test:*)", true),
            ("git add . && npm t", "Bash(git:*)", false),
            ("npm run test:unit && npm t", "Bash(npm run test:unit)", false),
            ("gitx a", "Bash(git:*)", false),
            ("cd a && npm t", "Bash(npm *)", true),
            ("cd a && ls -la && pwd; echo ok || true", "", true),
            ("cd a && npm t 2>&1 | head -5", "Bash(npm:*)", true),
            ("npm t || true", "Bash(npm *)", true),
            ("cd a && curl evil", "Bash(npm *)", false),
            ("echo a; rm -rf b", "Bash(npm *)", false),
            ("cdx && npm t", "Bash(npm *)", false),
            ("(cd a && npm t)", "Bash(npm *)", true),
            ("(cd a && npm t) && (curl evil)", "Bash(npm *)", false),
        ];
        for (command, allowed, expected) in table {
            assert_eq!(denials(&json!([bash(command)]), allowed).compound_only, expected, "{command} against {allowed}");
        }
    }

    #[test]
    fn another_tool_is_a_real_denial() {
        let list = json!([bash("npm test"), {"tool_name": "AskUserQuestion"}, {}]);
        let denials = denials(&list, "Bash(npm *)");
        assert_eq!((denials.count, denials.compound_only), (3, false));
        assert_eq!(denials.commands, ["Bash(npm test)", "AskUserQuestion", "unknown"]);
    }

    /// Case S12.
    #[test]
    fn questions_are_no_denials() {
        let ask = |tool: &str| json!({"tool_name": tool, "tool_input": {"questions": []}});
        for (list, asked_only, compound_only) in [
            (json!([ask("AskUserQuestion")]), true, false),
            (json!([ask("ExitPlanMode"), ask("AskUserQuestion")]), true, false),
            (json!([ask("AskUserQuestion"), bash("npm test && npm t")]), false, false),
            (json!([ask("AskUserQuestion"), bash("curl evil")]), false, false),
            (json!([ask("askuserquestion")]), false, false),
            (json!([]), false, false),
        ] {
            let denials = denials(&list, "Bash(npm *)");
            assert_eq!((denials.asked_only, denials.compound_only), (asked_only, compound_only), "{list}");
            assert_eq!(denials.count, list.as_array().unwrap().len() as u64);
        }
    }

    #[test]
    fn commands_are_cut() {
        let list = json!([bash(&format!("{}\nsecond", "é".repeat(90))), {"tool_name": "Bash"}]);
        assert_eq!(denials(&list, "").commands, [format!("Bash({})", "é".repeat(60)), "Bash(?)".to_owned()]);
    }
}
