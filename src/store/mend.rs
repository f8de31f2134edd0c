//! JSON whose strings were written by a shell: bash Ralph puts messages into `status.json` as they are, with the colours
//! and line breaks of a terminal (S13).

/// The text with raw control characters inside strings escaped, and a backslash that escapes nothing doubled; `None` where
/// there is no such thing. What stands outside of strings stays as it is.
#[must_use]
pub fn mend_strings(text: &[u8]) -> Option<Vec<u8>> {
    let mut mended = Vec::with_capacity(text.len() + 64);
    let mut inside = false;
    let mut changed = false;
    let mut rest = text.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => inside = !inside,
            b'\\' if inside => match rest.peek().copied() {
                Some(escaped @ (b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u')) => {
                    rest.next();
                    mended.extend_from_slice(&[b'\\', escaped]);
                    continue;
                }
                // At the end of the text it is cut, not wrong.
                None => {}
                Some(_) => {
                    mended.push(b'\\');
                    changed = true;
                }
            },
            0..=0x1f if inside => {
                mended.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
                changed = true;
                continue;
            }
            _ => {}
        }
        mended.push(byte);
    }
    changed.then_some(mended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn strings_of_a_shell_are_read() {
        for (text, expected) in [
            ("{\"a\": \"\u{1b}[31mred\u{1b}[0m\"}", json!({"a": "\u{1b}[31mred\u{1b}[0m"})),
            ("{\"a\": \"one\ntwo\r\nthree\t\"}", json!({"a": "one\ntwo\r\nthree\t"})),
            ("{\n\t\"a\": \"x\ny\",\n\t\"b\": [\"\u{7}\"]\n}", json!({"a": "x\ny", "b": ["\u{7}"]})),
            ("{\"a\": \"say \\\"hi\\\"\n\"}", json!({"a": "say \"hi\"\n"})),
            ("{\"a\": \"C:\\dir\\new\"}", json!({"a": "C:\\dir\new"})),
            ("{\"a\\\\\": \"\n\"}", json!({"a\\": "\n"})),
        ] {
            let mended = mend_strings(text.as_bytes()).expect("mended");
            assert_eq!(serde_json::from_slice::<Value>(&mended).ok(), Some(expected), "{text:?}");
        }
        for text in ["{}", "{\"a\": \"b\\n\"}\n", "\n\t", "", "{\"a\": \"cut\\"] {
            assert_eq!(mend_strings(text.as_bytes()), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_string_comes_back(value in ".{0,40}|[\u{0}-\u{7f}]{0,20}") {
            // As the heredoc of a shell would write it: quotes and backslashes alone are the writer's to escape.
            let written = format!("{{\"a\": \"{}\"}}", value.replace('\\', "\\\\").replace('"', "\\\""));
            let mended = mend_strings(written.as_bytes()).unwrap_or_else(|| written.into_bytes());
            prop_assert_eq!(serde_json::from_slice::<Value>(&mended).ok(), Some(json!({"a": value})));
        }
    }
}
