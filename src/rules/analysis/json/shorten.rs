//! Cuts a JSON value to size as it comes, so that what is left is JSON: long strings lose their ends, and of too many
//! values the first ones stay.

/// Bytes kept of a string inside a value: far more than any that is weighed.
const STRING_INSIDE: usize = 64 << 10;
/// Bytes kept of a value that is a string itself.
const STRING_ALONE: usize = 1 << 20;
/// Bytes kept of a value with others in it.
const KEPT: usize = 1 << 20;
/// Brackets and commas kept in a value: what stands between them takes many times its bytes once it is parsed.
pub(super) const VALUES: usize = 16_000;

/// Where in a string the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Plain,
    Backslash,
    /// After `\u`: the digits so far, and their number.
    Unicode(u16, u8),
}

/// The state between pieces of a value.
#[derive(Debug)]
pub(super) struct Shortener {
    place: Place,
    /// Bytes kept of the string.
    kept: usize,
    dropping: bool,
    /// After the first half of a surrogate pair, which must not stay alone.
    half: bool,
    /// The brackets that close what is open.
    closing: Vec<u8>,
    /// How much of the output, with those brackets behind it, is JSON.
    sound: usize,
    values: usize,
    full: bool,
}

impl Default for Shortener {
    fn default() -> Self {
        Self {
            place: Place::Outside,
            kept: 0,
            dropping: false,
            half: false,
            closing: Vec::new(),
            sound: 0,
            values: 0,
            full: false,
        }
    }
}

impl Shortener {
    /// The value cut to size; it is whole JSON if `value` was.
    pub(super) fn shorten(value: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        Self::default().feed(value, &mut out);
        out
    }

    /// Takes the next bytes of the value and appends to `out` what stays.
    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for &byte in bytes {
            if self.full {
                return;
            }
            if self.place == Place::Outside {
                self.outside(byte, out);
            } else {
                self.inside(byte, out);
            }
        }
    }

    fn outside(&mut self, byte: u8, out: &mut Vec<u8>) {
        if self.values > VALUES || (out.len() >= KEPT && byte != b'"') {
            out.truncate(self.sound);
            out.extend(self.closing.iter().rev());
            self.full = true;
            return;
        }
        match byte {
            b'"' => {
                (self.place, self.kept, self.dropping, self.half) = (Place::Plain, 0, false, false);
                out.push(byte);
            }
            b'{' | b'[' => {
                self.values += 1;
                out.push(byte);
                self.closing.push(if byte == b'{' { b'}' } else { b']' });
                self.sound = out.len();
            }
            b'}' | b']' => {
                out.push(byte);
                self.closing.pop();
                self.sound = out.len();
            }
            b',' => {
                self.values += 1;
                self.sound = out.len();
                out.push(byte);
            }
            _ => out.push(byte),
        }
    }

    fn inside(&mut self, byte: u8, out: &mut Vec<u8>) {
        let limit = if self.closing.is_empty() { STRING_ALONE } else { STRING_INSIDE };
        if byte == b'"' && self.place != Place::Backslash {
            self.place = Place::Outside;
            out.push(byte);
            return;
        }
        let begins = self.place == Place::Plain && byte & 0xC0 != 0x80 && !std::mem::take(&mut self.half);
        self.dropping |= begins && self.kept >= limit;
        self.place = match self.place {
            Place::Plain if byte == b'\\' => Place::Backslash,
            Place::Backslash if byte == b'u' => Place::Unicode(0, 0),
            Place::Unicode(value, digits) => {
                let value = value << 4 | char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok()).unwrap_or(0);
                self.half = digits == 3 && (0xD800..0xDC00).contains(&value);
                if digits == 3 { Place::Plain } else { Place::Unicode(value, digits + 1) }
            }
            _ => Place::Plain,
        };
        if !self.dropping {
            self.kept += 1;
            out.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn shortened(value: &Value) -> Value {
        let raw = value.to_string();
        let mut pieces = Vec::new();
        let mut shortener = Shortener::default();
        raw.as_bytes().chunks(7).for_each(|piece| shortener.feed(piece, &mut pieces));
        assert_eq!(pieces, Shortener::shorten(raw.as_bytes()));
        serde_json::from_slice(&pieces).unwrap_or_else(|error| panic!("{error}: {}", raw.len()))
    }

    #[test]
    fn long_strings_lose_their_ends() {
        let long = "x".repeat(5 << 20);
        let denial = |content: &str| json!([{"tool_name": "Write", "tool_input": {"content": content}}, {"tool_name": "Bash"}]);
        assert_eq!(shortened(&denial(&long)), denial(&long[..STRING_INSIDE]));
        assert_eq!(shortened(&json!(long)), long[..STRING_ALONE]);
        for character in ["é", "😀", "\n", "\u{1}", "\\", "\""] {
            let cut = shortened(&denial(&format!("x{}", character.repeat(STRING_INSIDE))));
            let content = cut[0]["tool_input"]["content"].as_str().unwrap();
            assert!(content.len() > 1000 && content.trim_start_matches('x').replace(character, "").is_empty(), "{character:?}");
            assert_eq!(cut[1]["tool_name"], "Bash");
        }
        // Pairs of escapes are cut between them.
        for lead in ["", "x", "xx", "xxx", "xxxx", "xxxxx"] {
            let raw = format!("[\"{lead}{}\",1]", "\\ud83d\\ude00".repeat(STRING_INSIDE));
            let cut: Value = serde_json::from_slice(&Shortener::shorten(raw.as_bytes())).unwrap();
            assert_eq!(cut[1], 1);
        }
    }

    #[test]
    fn of_too_many_values_the_first_stay() {
        let many = vec![json!({"tool_name": "Bash", "tool_input": {"edits": [1, "two", {"three": null}]}}); 30_000];
        let kept = shortened(&json!(many));
        assert!(kept.as_array().is_some_and(|kept| kept.len() > 1000 && kept[0] == many[0]));
        let deep = shortened(&json!([{"tool_name": "MultiEdit", "tool_input": {"edits": vec!["x"; 100_000]}}, 1]));
        assert_eq!((&deep[0]["tool_name"], deep.as_array().map(Vec::len)), (&json!("MultiEdit"), Some(1)));
        assert_eq!(Shortener::shorten("1".repeat(2 << 20).as_bytes()), b"", "no number is so long");
        assert_eq!(shortened(&json!(vec!["x".repeat(1000); 5000])).as_array().map(Vec::len), Some(KEPT / 1003));
    }

    proptest! {
        #[test]
        fn what_is_short_stays(texts in prop::collection::vec(any::<String>(), 0..20), number in any::<i64>()) {
            let value = json!({"texts": texts, "deep": [[number, null], {}], "more": true});
            prop_assert_eq!(shortened(&value), value);
        }
    }
}
