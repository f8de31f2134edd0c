//! A state file is one [`Document`] type: its name and how its bytes and its value turn into each other.

use serde_json::Value;

/// Why bytes are no value of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// Empty, or it ends early. Bash truncates and rewrites in place, so it may be whole again in a moment.
    Cut,
    /// What is wrong with it, for a warning.
    Wrong(String),
}

impl Damage {
    /// For a warning: what the file is or has.
    #[must_use]
    pub fn describe(&self) -> &str {
        match self {
            Self::Cut => "is empty or ends early",
            Self::Wrong(what) => what,
        }
    }
}

/// The most bytes of a state file, where its format says nothing else.
pub const LARGEST_STATE_FILE: u64 = 4 << 20;

/// A state file's format. The tool that owns the file defines it.
pub trait Document {
    /// Its path under the state directory, such as `.call_count`.
    const FILE: &'static str;
    /// What it holds.
    type Value;
    /// Whether we write it, so that a damaged one will be kept aside.
    const WRITTEN: bool = true;
    /// A file of more bytes is damaged, and not even read (case B4).
    const LARGEST: u64 = LARGEST_STATE_FILE;

    /// Reads its bytes.
    ///
    /// # Errors
    /// What makes it damaged by section 5 of the contract.
    fn decode(bytes: &[u8]) -> Result<Self::Value, Damage>;

    /// Writes its bytes.
    fn encode(value: &Self::Value) -> Vec<u8>;
}

/// Parses JSON and tells an early end from a wrong text.
///
/// # Errors
/// [`Damage::Cut`] where the text ends early, [`Damage::Wrong`] where it is no JSON.
pub fn parse_json(bytes: &[u8]) -> Result<Value, Damage> {
    serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        serde_json::error::Category::Eof => Damage::Cut,
        _ => Damage::Wrong(format!("is no valid JSON ({error})")),
    })
}

/// Parses JSON whose top level must be an object.
///
/// # Errors
/// As [`parse_json`]; [`Damage::Wrong`] for another top-level type.
pub fn parse_object(bytes: &[u8]) -> Result<serde_json::Map<String, Value>, Damage> {
    // Told by its first character: another value may be long to parse.
    if bytes.trim_ascii_start().first().is_some_and(|first| b"[\"tfn-0123456789".contains(first)) {
        return Err(Damage::Wrong("holds no JSON object".into()));
    }
    match parse_json(bytes)? {
        Value::Object(object) => Ok(object),
        _ => Err(Damage::Wrong("holds no JSON object".into())),
    }
}

/// JSON as bash Ralph's readers expect it: indented, with a last newline.
///
/// # Panics
/// Never: a value of our own types always has a JSON form; should one not, the text is `null`.
#[must_use]
pub fn pretty_json<T: serde::Serialize>(value: &T) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).unwrap_or_else(|_| b"null".to_vec());
    text.push(b'\n');
    text
}

/// Reads a counter strictly: decimal digits, blanks around them and leading zeros allowed (`5\r\n` is 5, `08` is 8).
/// Bash evaluates such a file as arithmetic, `a[$(cmd)]` included; here that is damage.
///
/// # Errors
/// [`Damage::Cut`] where there is nothing, [`Damage::Wrong`] where it is no decimal integer or too large.
pub fn parse_counter(bytes: &[u8]) -> Result<u64, Damage> {
    let digits = bytes.trim_ascii();
    if digits.is_empty() {
        return Err(Damage::Cut);
    }
    digits
        .iter()
        .try_fold(0_u64, |sum, byte| match byte {
            b'0'..=b'9' => sum.checked_mul(10)?.checked_add(u64::from(byte - b'0')),
            _ => None,
        })
        .filter(|count| *count <= crate::schema::MAX_SAFE_INTEGER)
        .ok_or_else(|| Damage::Wrong("is no decimal integer".into()))
}

/// A counter inside a JSON object: a whole number, or its digits as a string (bash's `jq -r` makes no difference).
/// A missing one and `null` are 0, as in bash arithmetic.
///
/// # Errors
/// [`Damage::Wrong`] for anything else.
pub fn json_counter(object: &serde_json::Map<String, Value>, key: &str) -> Result<u64, Damage> {
    let wrong = || Damage::Wrong(format!("has a {key} that is no decimal integer"));
    match object.get(key) {
        None | Some(Value::Null) => Ok(0),
        Some(Value::Number(number)) => whole_number(number).ok_or_else(wrong),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(0),
        Some(Value::String(text)) => parse_counter(text.as_bytes()).map_err(|_| wrong()),
        Some(_) => Err(wrong()),
    }
}

/// A JSON number as a whole one from 0 to 2^53 - 1; `3.0` is 3.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the range is checked before the cast"
)]
#[must_use]
pub fn whole_number(number: &serde_json::Number) -> Option<u64> {
    let max = crate::schema::MAX_SAFE_INTEGER;
    match number.as_u64() {
        Some(whole) => (whole <= max).then_some(whole),
        None => number
            .as_f64()
            .filter(|value| value.fract() == 0.0 && *value >= 0.0 && *value <= max as f64)
            .map(|value| value as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_parsed_strictly() {
        for (text, count) in [
            ("5\r\n", Ok(5)),
            ("08", Ok(8)),
            (" 7 \n", Ok(7)),
            ("", Err(Damage::Cut)),
            ("\n", Err(Damage::Cut)),
            ("a[$(cmd)]", Err(Damage::Wrong("is no decimal integer".into()))),
            ("-1", Err(Damage::Wrong("is no decimal integer".into()))),
            ("1 2", Err(Damage::Wrong("is no decimal integer".into()))),
            ("0x10", Err(Damage::Wrong("is no decimal integer".into()))),
            ("99999999999999999999999", Err(Damage::Wrong("is no decimal integer".into()))),
        ] {
            assert_eq!(parse_counter(text.as_bytes()), count, "{text:?}");
        }
    }

    #[test]
    fn counters_inside_json_take_digits_as_numbers_or_text() {
        let object =
            parse_object(br#"{"a": 3, "b": "08", "c": null, "d": 3.0, "e": -1, "f": [1], "g": "x", "h": 1e300, "i": ""}"#)
                .expect("an object");
        for (key, count) in [
            ("a", Some(3)),
            ("b", Some(8)),
            ("c", Some(0)),
            ("d", Some(3)),
            ("e", None),
            ("f", None),
            ("g", None),
            ("h", None),
            ("i", Some(0)),
            ("z", Some(0)),
        ] {
            assert_eq!(json_counter(&object, key).ok(), count, "{key}");
        }
    }

    #[test]
    fn an_early_end_is_told_from_a_wrong_text() {
        assert_eq!(parse_json(b""), Err(Damage::Cut));
        assert_eq!(parse_json(b"{\"status\": \"run"), Err(Damage::Cut));
        assert!(matches!(parse_json(b"{\"a\" 1}"), Err(Damage::Wrong(_))));
        assert!(matches!(parse_object(b"[]"), Err(Damage::Wrong(_))));
    }
}
