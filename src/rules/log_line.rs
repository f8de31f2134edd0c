//! A line of the log: one line a message, whatever it contains.

use chrono::{DateTime, FixedOffset};

/// The longest line in bytes, its end included.
pub const LONGEST: usize = 4096;

/// `[YYYY-MM-DD HH:MM:SS] [LEVEL] message` without line end, and whether the message was cut to fit.
///
/// Runs of line breaks and tabs become one space each; control characters go, those of terminals' escape sequences
/// included.
#[must_use]
pub fn log_line(local: DateTime<FixedOffset>, level: &str, message: &str) -> (String, bool) {
    let mut line = format!("[{}] [{level}] ", local.format("%Y-%m-%d %H:%M:%S"));
    let mut breaking = false;
    for c in message.trim().chars() {
        if is_break(c) {
            breaking = true;
            continue;
        }
        if c.is_control() {
            continue;
        }
        let room = LONGEST - 1;
        let space = usize::from(std::mem::take(&mut breaking));
        if line.len() + space + c.len_utf8() > room {
            return (line, true);
        }
        if space == 1 {
            line.push(' ');
        }
        line.push(c);
    }
    (line, false)
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at() -> DateTime<FixedOffset> {
        DateTime::parse_from_rfc3339("2026-03-01T10:20:30+05:45").expect("an instant")
    }

    #[test]
    fn a_message_is_one_line() {
        for (message, line) in [
            ("plain", "plain"),
            ("a\nb\r\nc\td", "a b c d"),
            ("\n a \n", "a"),
            ("red \u{1b}[31mtext\u{7}\u{0}\u{7f}\u{9b}", "red [31mtext"),
            ("a\u{2028}b\u{85}c", "a b c"),
            ("\u{e9} \"quoted\" 'too' $(x)", "\u{e9} \"quoted\" 'too' $(x)"),
            ("", ""),
        ] {
            assert_eq!(log_line(at(), "INFO", message), (format!("[2026-03-01 10:20:30] [INFO] {line}"), false));
        }
    }

    #[test]
    fn a_megabyte_is_cut_between_characters() {
        let (line, cut) = log_line(at(), "INFO", &"\u{e9}".repeat(500_000));
        assert!(cut && line.len() < LONGEST && line.len() >= LONGEST - 2, "{}", line.len());
    }

    proptest! {
        #[test]
        fn no_message_breaks_the_line(message in ".{0,3000}|[\u{0}-\u{ff}]{0,50}") {
            let (line, _) = log_line(at(), "WARN", &message);
            prop_assert!(line.len() < LONGEST);
            prop_assert!(!line.chars().any(char::is_control));
            prop_assert_eq!(line.lines().count(), 1);
        }
    }
}
