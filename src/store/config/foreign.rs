//! A `.ralphrc` that is no bash: JSON, UTF-16, or lines that look like assignments and are none. Bash would not take them
//! either; whoever wrote them should hear of it.

use std::borrow::Cow;

use super::setting;

/// The text as UTF-8 where a mark says that it is UTF-16, as `>` of PowerShell writes it (S14).
pub(super) fn as_utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let (rest, little) = match bytes {
        [0xff, 0xfe, rest @ ..] => (rest, true),
        [0xfe, 0xff, rest @ ..] => (rest, false),
        _ => return Cow::Borrowed(bytes),
    };
    let units = rest.chunks(2).map(|pair| match *pair {
        [a, b] if little => u16::from_le_bytes([a, b]),
        [a, b] => u16::from_be_bytes([a, b]),
        // Half a character at the end.
        _ => u16::from(b'?'),
    });
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    Cow::Owned(text.into_bytes())
}

/// Whether the file is JSON, or means to be (S29). `{ A=1; }` is bash.
pub(super) fn is_json(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    match text {
        [b'{', rest @ ..] => matches!(rest.trim_ascii_start().first(), Some(b'"' | b'}')),
        [b'[', ..] => serde_json::from_slice::<serde_json::Value>(text).is_ok(),
        _ => false,
    }
}

/// Settings that are written as in YAML, `NAME: value`, with their line from 1. (`NAME = value` the reader of bash notices.)
pub(super) fn near_misses(bytes: &[u8]) -> Vec<(usize, &'static str)> {
    let names = || setting::ALL.iter().flat_map(|setting| setting.in_ralphrc.iter().copied());
    let missed = |line: &[u8]| {
        let line = line.trim_ascii();
        names().find(|name| {
            let rest = line.strip_prefix(b"export ").unwrap_or(line).trim_ascii_start().strip_prefix(name.as_bytes());
            rest.is_some_and(|rest| match rest {
                [b':', next, ..] => *next != b'=',
                [b' ' | b'\t', ..] => rest.trim_ascii_start().starts_with(b": "),
                _ => false,
            })
        })
    };
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    lines.filter_map(|(index, line)| Some((index + 1, missed(line)?))).take(MOST_NAMED).collect()
}

/// No more of them are named.
const MOST_NAMED: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_from_bash() {
        for text in ["{\"maxCalls\": 5}", "\u{feff}\n {\n  \"a\": 1,\n}", "{}", "[1]", "{\"cut", "[{\"a\": 1}]\n"] {
            assert!(is_json(text.as_bytes()), "{text:?}");
        }
        for text in ["", "A=1\n", "{ A=1; }\n", "{\n  A=1\n}\n", "[ -f x ] && A=1\n", "[[ -n $A ]]\n", "# {\"a\"}\n"] {
            assert!(!is_json(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn utf_16_is_read_where_a_mark_says_so() {
        let text = "MAX_CALLS_PER_HOUR=5\r\n# \u{fc}\u{1f600}\r\n";
        let units: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = [0xff, 0xfe].into_iter().chain(units.iter().flat_map(|unit| unit.to_le_bytes())).collect();
        let big: Vec<u8> = [0xfe, 0xff].into_iter().chain(units.iter().flat_map(|unit| unit.to_be_bytes())).collect();
        for bytes in [little.as_slice(), big.as_slice(), text.as_bytes()] {
            assert_eq!(as_utf8(bytes), text.as_bytes());
        }
        assert_eq!(as_utf8(&[0xff, 0xfe, b'A', 0, b'B']), &b"A?"[..]);
        assert_eq!(as_utf8(&[0xff, 0xfe, 0x00, 0xd8]), "\u{fffd}".as_bytes());
        assert_eq!(as_utf8(b""), &b""[..]);
    }

    #[test]
    fn settings_as_in_yaml() {
        let text = "MAX_CALLS_PER_HOUR : 5\n  CB_COOLDOWN_MINUTES: 3\r\nMAX_CALLS_PER_HOUR=7\nMAX_CALLS_PER_HOUR = 7\n\
                    MAX_CALLS_PER_HOUR_X: 1\n# MAX_CALLS_PER_HOUR: 1\nOTHER: 2\nMAX_CALLS_PER_HOUR:=5\nCB_AUTO_RESET:true\n";
        assert_eq!(near_misses(text.as_bytes()), [(1, "MAX_CALLS_PER_HOUR"), (2, "CB_COOLDOWN_MINUTES"), (9, "CB_AUTO_RESET")]);
        assert_eq!(near_misses("CB_AUTO_RESET: x\n".repeat(99).as_bytes()).len(), MOST_NAMED);
    }
}
