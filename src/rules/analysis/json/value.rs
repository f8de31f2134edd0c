//! Values that were kept as bytes, parsed whatever is wrong with their texts.

use serde_json::{Number, Value};

use super::shorten::{Shortener, VALUES};

/// The value, and whether some of it was left out. `None` where it is no JSON after all.
pub(super) fn read(raw: &[u8]) -> Option<(Value, bool)> {
    if memchr::memchr3_iter(b',', b'{', b'[', raw).nth(VALUES).is_some() {
        let short = Shortener::shorten(raw);
        return Some((parse(&short)?, short.len() < raw.len()));
    }
    Some((parse(raw)?, false))
}

fn parse(raw: &[u8]) -> Option<Value> {
    serde_json::from_slice(raw).ok().or_else(|| serde_json::from_slice(&mended(raw)).ok()).or_else(|| too_great(raw))
}

/// With U+FFFD for bytes that are no UTF-8 and for halves of surrogate pairs: both come of texts that were cut.
fn mended(raw: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(raw);
    let mut mended = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some((before, after)) = rest.split_once('\\') {
        mended.push_str(before);
        let width = match (unit(after), unit_after(after)) {
            (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 11,
            (Some(0xD800..0xE000), _) => {
                mended.push(char::REPLACEMENT_CHARACTER);
                rest = after.get(5..).unwrap_or_default();
                continue;
            }
            (Some(_), _) => 5,
            (None, _) => after.chars().next().map_or(0, char::len_utf8),
        };
        mended.push('\\');
        let (escape, next) = after.split_at_checked(width).unwrap_or((after, ""));
        mended.push_str(escape);
        rest = next;
    }
    mended.push_str(rest);
    mended.into_bytes()
}

/// The UTF-16 unit that `uXXXX` writes.
fn unit(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix('u')?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

fn unit_after(escape: &str) -> Option<u16> {
    unit(escape.get(5..)?.strip_prefix('\\')?)
}

/// A number that no float holds: the greatest one.
fn too_great(raw: &[u8]) -> Option<Value> {
    let number: f64 = std::str::from_utf8(raw).ok()?.trim().parse().ok()?;
    Number::from_f64(number.clamp(f64::MIN, f64::MAX)).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_with_something_wrong() {
        for (raw, expected) in [
            (br#"{"a":[1,"x"]}"#.as_slice(), json!({"a": [1, "x"]})),
            (br#"["npm test \ud83d","b"]"#, json!(["npm test \u{fffd}", "b"])),
            (br#"["\ude00\ud83d\ude00\ud83dx\\ud83d"]"#, json!(["\u{fffd}😀\u{fffd}x\\ud83d"])),
            (br#"["\ud83d\ud83d\ude00\n"]"#, json!(["\u{fffd}😀\n"])),
            (b"[\"cut \xf0\x9f\",2]", json!(["cut \u{fffd}", 2])),
            (b"1e999", json!(f64::MAX)),
            (b"-1e999", json!(f64::MIN)),
        ] {
            assert_eq!(read(raw), Some((expected, false)), "{}", String::from_utf8_lossy(raw));
        }
        for raw in [b"".as_slice(), b"[", br#""\u12"#, br#""\"#, b"\"\\\xff", b"nan"] {
            assert_eq!(read(raw), None, "{}", String::from_utf8_lossy(raw));
        }
    }

    #[test]
    fn of_very_many_values_the_first_are_parsed() {
        let many = json!(vec![1; 500_000]);
        let (value, cut) = read(many.to_string().as_bytes()).unwrap();
        assert!(cut && value.as_array().is_some_and(|list| list.len() <= VALUES + 1 && list.len() + 1 >= VALUES));
        let commas = json!(",".repeat(100_000));
        assert_eq!(read(commas.to_string().as_bytes()), Some((commas, false)));
    }
}
