//! JSON string escapes resolved as the pieces come.

/// What an escape cut by the end of a piece needs to go on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Plain,
    Backslash,
    /// After `\u`: the digits so far, and their number.
    Unicode(u16, u8),
}

/// Turns raw string content into text. Escapes that mean nothing become U+FFFD.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unescape {
    state: State,
    /// The first half of a surrogate pair.
    high: Option<u16>,
}

impl Unescape {
    /// Resolves the next piece, calling `out` with text.
    pub fn feed(&mut self, mut raw: &[u8], out: &mut impl FnMut(&[u8])) {
        while let Some((&byte, rest)) = raw.split_first() {
            match self.state {
                State::Plain => {
                    let run = memchr::memchr(b'\\', raw).unwrap_or(raw.len());
                    let (plain, after) = raw.split_at(run);
                    if !plain.is_empty() {
                        self.lone_half(out);
                        out(plain);
                    }
                    raw = after.get(1..).unwrap_or_default();
                    if !after.is_empty() {
                        self.state = State::Backslash;
                    }
                    continue;
                }
                State::Backslash => {
                    self.state = State::Plain;
                    let resolved = match byte {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        b'b' => 8,
                        b'f' => 12,
                        b'u' => {
                            self.state = State::Unicode(0, 0);
                            raw = rest;
                            continue;
                        }
                        other => other,
                    };
                    self.lone_half(out);
                    out(&[resolved]);
                }
                State::Unicode(value, digits) => {
                    let Some(digit) = char::from(byte).to_digit(16) else {
                        self.state = State::Plain;
                        self.lone_half(out);
                        emit(char::REPLACEMENT_CHARACTER, out);
                        continue;
                    };
                    #[expect(clippy::cast_possible_truncation, reason = "a hexadecimal digit is below 16")]
                    let value = value << 4 | digit as u16;
                    self.state = State::Unicode(value, digits + 1);
                    if digits == 3 {
                        self.state = State::Plain;
                        self.unit(value, out);
                    }
                }
            }
            raw = rest;
        }
    }

    /// At the end of the string.
    pub fn finish(mut self, out: &mut impl FnMut(&[u8])) {
        self.lone_half(out);
    }

    fn unit(&mut self, unit: u16, out: &mut impl FnMut(&[u8])) {
        match (self.high.take(), unit) {
            (Some(high), 0xDC00..=0xDFFF) => {
                let pair = char::decode_utf16([high, unit]).next().and_then(Result::ok);
                emit(pair.unwrap_or(char::REPLACEMENT_CHARACTER), out);
            }
            (high, _) => {
                if high.is_some() {
                    emit(char::REPLACEMENT_CHARACTER, out);
                }
                if (0xD800..=0xDBFF).contains(&unit) {
                    self.high = Some(unit);
                } else {
                    emit(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER), out);
                }
            }
        }
    }

    fn lone_half(&mut self, out: &mut impl FnMut(&[u8])) {
        if self.high.take().is_some() {
            emit(char::REPLACEMENT_CHARACTER, out);
        }
    }
}

fn emit(c: char, out: &mut impl FnMut(&[u8])) {
    out(c.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn resolve(pieces: &[&[u8]]) -> String {
        let mut text = Vec::new();
        let mut unescape = Unescape::default();
        for piece in pieces {
            unescape.feed(piece, &mut |bytes| text.extend_from_slice(bytes));
        }
        unescape.finish(&mut |bytes| text.extend_from_slice(bytes));
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn escapes() {
        assert_eq!(resolve(&[br#"a\n\"\\\/\t\u00e9\ud83d\ude00"#]), "a\n\"\\/\té😀");
        assert_eq!(resolve(&[br"\ud83dx\ude00"]), "\u{fffd}x\u{fffd}");
        assert_eq!(resolve(&[br"\ud83d"]), "\u{fffd}");
        assert_eq!(resolve(&[br"\u00zz"]), "\u{fffd}zz");
    }

    proptest! {
        #[test]
        fn any_string_comes_back_however_it_is_cut(text in any::<String>(), cut in any::<prop::sample::Index>()) {
            let json = serde_json::to_string(&text).unwrap();
            let raw = &json.as_bytes()[1..json.len() - 1];
            let cut = cut.index(raw.len() + 1);
            let mut resolved = Vec::new();
            let mut unescape = Unescape::default();
            for piece in [&raw[..cut], &raw[cut..]] {
                unescape.feed(piece, &mut |bytes| resolved.extend_from_slice(bytes));
            }
            unescape.finish(&mut |bytes| resolved.extend_from_slice(bytes));
            prop_assert_eq!(resolved, text.as_bytes());
        }
    }
}
