//! What errors look like, line by line: bash's count for `is_stuck`, and our `hasErrors`.

use regex::bytes::Regex;
use std::sync::LazyLock;

/// Error lines beyond which a loop counts as stuck (both versions of Ralph).
pub const STUCK_ABOVE: u64 = 5;

fn regex(pattern: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "the patterns are constants, and the tests compile them all")]
    Regex::new(pattern).expect("a constant pattern")
}

/// Lines that name a JSON field rather than an error, such as `"is_error": false`.
static JSON_FIELD: LazyLock<Regex> = LazyLock::new(|| regex(r#"(?-u)"[^"]*error[^"]*":"#));

/// What both versions of Ralph count as an error.
static BASH_ERROR: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?-u)^Error:|^ERROR:|^error:|\]: error|Link: error|Error occurred|failed with error|[Ee]xception|Fatal|FATAL")
});

/// Whether bash counts the line towards `is_stuck`.
#[must_use]
pub fn counts_as_stuck(line: &[u8]) -> bool {
    BASH_ERROR.is_match(line) && !JSON_FIELD.is_match(line)
}

/// Where an error message may begin: after marks, a log's time stamp, `[label]:` and `Uncaught` or the like.
const LEAD: &str = r"^(?:\x1b\[[0-9;]*m|[\s*>#✗❌✖×✘⨯•])*(?:[0-9][0-9T:.,Z+/-]*\s+)*(?:\[[^\]]{1,80}\]:?\s*)*(?:Uncaught\s+|Unhandled\s+|Caused by:\s*|panic:\s*)?";

/// Each alternative, below `LEAD`: what errors look like as opposed to prose about them.
const LOOKS: &[&str] = &[
    // `Error: …`, `error[E0382]: …`, `API Error: 400 …`; not `Error: none`.
    r"(?:(?:API|Build|Compilation|Compile|Internal|Network|Parse|Runtime|Syntax|Test|Unexpected|Unknown)\s+)?(?:Error|ERROR|error)(?:\[[A-Za-z0-9]{1,12}\])?\**:\**\s*(?P<said>\S.*)",
    // `main.c:3:5: error: …`, `ld: error: …`.
    r"[^\s:]+:(?:[0-9]+:)*\s+(?:fatal )?error:\s",
    r"[^\s:]+\([0-9]+,[0-9]+\): error\b",
    r"(?:Error|ERROR) occurred\b",
    r"\berror(?: TS\d+|\s+while\s|\s+CS\d+)",
    r"(?:FATAL|Fatal|fatal)(?:\s+[Ee](?:rror|RROR))?\**:",
    r"FATAL\b",
    r"npm (?:ERR!|error)\s",
    // `TypeError: …`, `java.lang.NullPointerException: …`, also alone on its line.
    r"[A-Za-z_$][A-Za-z0-9_.$:]*(?:Exception|Error)(?::\s|:?\s*$)",
    r"Exception in thread\b",
    r"Traceback \(most recent call last\)",
    r"thread '[^']*'.{0,20} panicked at\b",
];

static LOOKS_LIKE_ERROR: LazyLock<Regex> = LazyLock::new(|| regex(&format!("{LEAD}(?:{})", LOOKS.join("|"))));

/// Values after `Error:` that say there is none.
const NONE: [&str; 7] = ["none", "null", "no", "0", "false", "n/a", "nil"];

/// Whether the line looks like an error, for `hasErrors`.
#[must_use]
pub fn looks_like_error(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let Some(found) = LOOKS_LIKE_ERROR.captures(line) else { return false };
    let Some(said) = found.name("said") else { return true };
    let said = String::from_utf8_lossy(said.as_bytes()).to_lowercase();
    let word = said.trim_matches(['*', '`', '"', '.', ',', ' ']);
    !NONE.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_look_like_errors() {
        for line in [
            "Error: build failed",
            "  Error: indented",
            "error: lowercase",
            "ERROR: boom",
            "**Error:** build failed",
            "API Error: 400 tool use concurrency",
            "error[E0382]: borrow of moved value",
            "[main]: error while linking",
            "[12:00:01] ERROR: boom",
            "2026-03-01T10:20:30Z ERROR: boom",
            "Fatal: cannot continue",
            "fatal: not a git repository",
            "FATAL now",
            "FATAL ERROR: heap limit",
            "TypeError: x is undefined",
            "Uncaught TypeError: x is undefined",
            "java.lang.NullPointerException: null",
            "Exception in thread \"main\" java.lang.IllegalStateException",
            "Traceback (most recent call last):",
            "thread 'main' panicked at src/main.rs:2:5:",
            "npm ERR! code ELIFECYCLE",
            "main.c:3:5: error: expected ';'",
            "src/a.ts(3,4): error TS2304: Cannot find name 'x'",
            "ValidationException",
            "Error: cannot find module 'x'\r",
        ] {
            assert!(looks_like_error(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn prose_about_errors_is_none() {
        for line in [
            "Added ValidationException class with unit tests.",
            "The word error stands in prose.",
            "Improved error handling: every call is checked",
            "Fixed the fatal crash in the parser",
            "\"error\": null,",
            "  \"is_error\": false",
            "Errors: 0",
            "Error: none",
            "error: null",
            "No errors found",
            "Fixed error: the parser now recovers",
            "Summary: Error: is handled",
            "An exception to the rule",
            "Documented how TypeError: messages are shown",
        ] {
            assert!(!looks_like_error(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn bash_counts_words_but_not_json_fields() {
        for (line, expected) in [
            ("Error: same", true),
            ("FATAL now", true),
            ("[main]: error while linking", true),
            ("An unhandled Exception was thrown", true),
            ("  \"error\": null,", false),
            ("\"is_error\": Fatal", false),
            ("  Error: indented", false),
            ("fatal", false),
        ] {
            assert_eq!(counts_as_stuck(line.as_bytes()), expected, "{line}");
        }
    }
}
