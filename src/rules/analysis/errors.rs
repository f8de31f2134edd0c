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

/// Where an error message may begin: after marks and a list's dash, a log's time stamp, `[label]:` and `Uncaught` or the like.
const LEAD: &str = r"^[\s*>#✗❌✖×✘⨯•-]*(?:[0-9][0-9T:.,Z+/-]*\s+)*(?:\[[^\]]{1,80}\]:?\s*)*(?:Uncaught\s+|Unhandled\s+|Caused by:\s*|panic:\s*)?";

/// Each alternative, below `LEAD`: what errors look like as opposed to prose about them.
const LOOKS: &[&str] = &[
    // `Error: …`, `error[E0382]: …`, `Error [ERR_MODULE_NOT_FOUND]: …`, `API Error: 400 …`; not `Error: none`.
    r"(?:(?:API|Build|Compilation|Compile|Internal|Network|Parse|Runtime|Syntax|Test|Unexpected|Unknown)\s+)?(?:Error|ERROR|error)(?:\s?\[[A-Za-z0-9_-]{1,60}\])?\**:\**\s*(?P<said>\S.*)",
    // `[ERROR] …` of loggers and Maven.
    r"\[(?:Error|ERROR|error|FATAL|Fatal|fatal)\]:?\s*\S",
    // `main.c:3:5: error: …`, `ld: error: …`.
    r"[^\s:]+:(?:[0-9]+:)*\s+(?:fatal )?error:\s",
    r"[^\s:]+\([0-9]+,[0-9]+\): error\b",
    r"(?:Error|ERROR) occurred\b",
    r"\berror(?: TS\d+|\s+while\s|\s+CS\d+)",
    // `Command failed with error: …`, `npm run build failed with error code 2`: a short subject, and no sentence after it.
    r"(?:\S+\s+){0,3}failed with error(?:\s+code)?\s*(?:$|[:.(]|[0-9-]+\s*(?:$|[:.,(]))",
    r"(?:FATAL|Fatal|fatal)(?:\s+[Ee](?:rror|RROR))?\**:",
    r"FATAL\b",
    r"npm (?:ERR!|error)\s",
    // `make: *** [Makefile:2: all] Error 1`, `make[1]: *** No rule …`.
    r"g?make(?:\[[0-9]+\])?: \*\*\* ",
    // `TypeError: …`, `TypeError [ERR_INVALID_ARG_TYPE]: …`, `java.lang.NullPointerException: …`.
    r"[A-Za-z_$][A-Za-z0-9_.$:]*(?:Exception|Error)(?:\s\[[A-Z0-9_]{1,60}\])?:\s",
    r"Exception in thread\b",
    r"Traceback \(most recent call last\)",
    r"thread '[^']*'.{0,20} panicked at\b",
    // Go's.
    r"panic:\s+\S",
    // Shells say who, where and which process: `bash: line 1: 4242 Segmentation fault (core dumped) ./x`.
    r"(?:[^\s:]+:\s+)?(?:line\s+)?(?:[0-9]+:?\s+){0,2}[Ss]egmentation fault(?:\s*$|\s*[:(]|\s\s)",
];

/// An exception's name alone on its line. After a list's mark that may be a class that was written.
const ALONE: &str = r"^\s*(?:Uncaught\s+|Unhandled\s+|Caused by:\s*)?[A-Za-z_$][A-Za-z0-9_.$:]*(?:Exception|Error):?\s*$";

static LOOKS_LIKE_ERROR: LazyLock<Regex> = LazyLock::new(|| regex(&format!("{LEAD}(?:{})|{ALONE}", LOOKS.join("|"))));

/// Bytes of a line that are looked at: messages say at their beginning what they are.
const LINE_READ: usize = 1024;

/// Values after `Error:` that say there is none.
const NONE: [&str; 7] = ["none", "null", "no", "0", "false", "n/a", "nil"];

/// Whether the line looks like an error, for `hasErrors`.
#[must_use]
pub fn looks_like_error(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.get(..LINE_READ).unwrap_or(line);
    let Some(found) = LOOKS_LIKE_ERROR.captures(line) else { return false };
    let Some(said) = found.name("said") else { return true };
    let said = String::from_utf8_lossy(said.as_bytes()).to_lowercase();
    let word = said.trim_matches(['*', '`', '"', '.', ',', ' ']);
    !NONE.contains(&word)
}

/// What shells say of a program that did not run: `…: line 600: timeout: command not found`. It is an error where the output
/// is nothing else (case S29); within more it may be what some step printed, and the work went on.
static SHELL_FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?x)^\s*(?:
        (?:\S+:\s+)?(?:line\s+[0-9]+:\s+|[0-9]+:\s+)?\S.{0,200}:\s+(?:command\ not\ found|not\ found|[Nn]o\ such\ file\ or\ directory|[Pp]ermission\ denied|[Ii]s\ a\ directory|cannot\ execute.{0,60})\.?
        | \S+:\s+(?:command\ not\ found|no\ such\ file\ or\ directory|permission\ denied):\s+\S+
        | (?:\S+:\s+)?failed\ to\ run\ command\b.{0,200}
        | .{1,200}\ is\ not\ recognized\ as\ (?:an\ internal\ or\ external\ command|a\ name\ of\ a\ cmdlet|the\ name\ of\ a\ cmdlet).{0,200}
        | operable\ program\ or\ batch\ file\.
        )\s*$",
    )
});

/// Whether these lines, the whole of an output, say nothing but that a program did not run.
pub fn is_shell_failure<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut said = lines.filter(|line| !line.trim_ascii().is_empty()).peekable();
    said.peek().is_some() && said.all(|line| SHELL_FAILURE.is_match(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_shells_alone() {
        for output in [
            "/usr/local/bin/ralph: line 600: timeout: command not found",
            "ralph_loop.sh: line 12: gtimeout: command not found\n\nralph_loop.sh: line 13: claude: command not found\n",
            "bash: claude: command not found\r",
            "sh: 1: claude: not found",
            "zsh: command not found: claude",
            "timeout: failed to run command 'claude': No such file or directory",
            "env: node: No such file or directory",
            "bash: ./claude: Permission denied",
            "'claude' is not recognized as an internal or external command,\noperable program or batch file.",
        ] {
            assert!(is_shell_failure(output.as_bytes().split(|byte| *byte == b'\n')), "{output}");
        }
        for output in [
            "",
            "\n\n",
            "All is well.",
            "bash: foo: command not found\nI installed foo and went on.",
            "The message was: command not found, so I added a check.",
        ] {
            assert!(!is_shell_failure(output.as_bytes().split(|byte| *byte == b'\n')), "{output}");
        }
    }

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
            "[ERROR] COMPILATION ERROR :",
            "[error] could not compile",
            "2026-03-01 10:20:30 [ERROR] boom",
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'x'",
            "TypeError [ERR_INVALID_ARG_TYPE]: The \"path\" argument must be of type string",
            "- Error: build failed",
            "  - **Error:** build failed",
            "1. Error: build failed",
            "failed with error",
            "Command failed with error: exit status 2",
            "npm run build failed with error code 2",
            "panic: runtime error: index out of range [3] with length 3",
            "panic: assignment to entry in nil map",
            "thread 'tokio-runtime-worker' (4242) panicked at src/main.rs:2:5:",
            "make: *** [Makefile:2: all] Error 1",
            "make[1]: *** [x] Error 1",
            "Segmentation fault",
            "Segmentation fault (core dumped)",
            "bash: line 1:  4242 Segmentation fault      (core dumped) ./x",
            "zsh: segmentation fault  ./a.out",
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
            "- ValidationException",
            "* `NotFoundError`",
            "- Error handling: every call is checked",
            "- error: none",
            "[x] Error handling",
            "[INFO] no error was found",
            "Fixed the segmentation fault in the parser",
            "Segmentation fault in the parser is fixed",
            "The loop no longer stops when a command failed with error output",
            "Don't panic: all is well",
            "make: the error is gone",
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
