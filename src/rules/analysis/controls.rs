//! What a terminal does and nobody reads: escape sequences, other control characters, and what backspaces take back.
//!
//! An output that went through a pseudo-terminal (`script`, an expect, a CI's log) begins with `^D\b\b`, switches cursors
//! and modes around the JSON, and colours words (case S2). All of it goes before anything is looked for.

/// Bytes at the end of the line so far that backspaces may take back.
const HELD: usize = 64;
/// Bytes that are searched for a control character at a time.
const BLOCK: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Plain,
    /// After ESC.
    Escape,
    /// After ESC and one of `INTERMEDIATE`.
    Intermediate,
    /// After `ESC [`.
    Sequence { begun: bool },
    /// Inside a title, a link or the like, which ends with BEL or `ESC \`, at the latest with its line.
    Text,
    /// After an ESC inside it.
    TextEscape,
}

/// Takes control sequences out of a text that comes in pieces. However it is cut, the same remains.
#[derive(Debug, Default)]
pub struct Controls {
    state: State,
    /// A carriage return that may yet be part of a line's end.
    returned: bool,
    /// The end of the line so far, not passed on yet; always as many bytes as may be taken back.
    held: Vec<u8>,
    out: Vec<u8>,
}

/// Whether the byte is a control character that means something to terminals alone. Tabs and line ends are text, and so is
/// a NUL: what it means is for the readers to say.
const fn is_control(byte: u8) -> bool {
    matches!(byte, 1..=8 | 13..=31 | 127)
}

/// Numbers in place of conditions: without a branch in the loop the compiler uses whole vectors.
fn has_control(block: &[u8]) -> bool {
    let low = |byte: u8| u8::from(byte < 32);
    let none = |byte: u8, text: u8| u8::from(byte != text);
    let found = block.iter().fold(0, |any, &byte| {
        let text = none(byte, 0) & none(byte, b'\t') & none(byte, b'\n') & none(byte, 11) & none(byte, 12);
        any | (low(byte) & text) | u8::from(byte == 127)
    });
    found != 0
}

/// The length of the beginning without control characters.
fn plain(bytes: &[u8]) -> usize {
    let clean = bytes.chunks(BLOCK).take_while(|block| !has_control(block)).map(<[u8]>::len).sum();
    let rest = bytes.get(clean..).unwrap_or_default();
    clean + rest.iter().take(BLOCK).position(|byte| is_control(*byte)).unwrap_or(rest.len())
}

/// Bytes after `ESC` that begin a sequence of three: character sets and the like.
const INTERMEDIATE: &[u8] = b" #%()*+-./";
/// Bytes that are a sequence with the `ESC` before them.
const SINGLE: &[u8] = b"6789<=>DEFHMNOVWZ\\clno|}~";

impl Controls {
    /// Takes the next piece and passes on what remains of it, in pieces.
    pub fn feed(&mut self, piece: &[u8], sink: &mut impl FnMut(&[u8])) {
        let mut clean = 0;
        if self.state == State::Plain && !self.returned {
            clean = plain(piece);
            if clean == piece.len() && clean >= HELD {
                self.pass_plain(piece, sink);
                return;
            }
        }
        let mut out = std::mem::take(&mut self.out);
        out.append(&mut self.held);
        let mut erasable = out.len();
        let mut rest = piece;
        loop {
            if clean > 0 {
                let (text, after) = rest.split_at_checked(clean).unwrap_or((rest, &[]));
                erasable = match memchr::memrchr(b'\n', text) {
                    Some(newline) => text.len() - newline - 1,
                    None => erasable + text.len(),
                }
                .min(HELD);
                out.extend_from_slice(text);
                rest = after;
            }
            let Some((&byte, after)) = rest.split_first() else { break };
            if self.byte(byte, &mut out, &mut erasable) {
                rest = after;
            }
            clean = if self.state == State::Plain && !self.returned { plain(rest) } else { 0 };
        }
        let pass = out.len() - erasable;
        if let Some(passed) = out.get(..pass).filter(|passed| !passed.is_empty()) {
            sink(passed);
        }
        self.held.extend_from_slice(out.get(pass..).unwrap_or_default());
        out.clear();
        self.out = out;
    }

    /// At the end of the text.
    pub fn finish(mut self, sink: &mut impl FnMut(&[u8])) {
        if self.returned {
            self.held.push(b'\r');
        }
        if !self.held.is_empty() {
            sink(&self.held);
        }
    }

    /// A long piece with nothing to take out.
    fn pass_plain(&mut self, piece: &[u8], sink: &mut impl FnMut(&[u8])) {
        if !self.held.is_empty() {
            sink(&self.held);
            self.held.clear();
        }
        let last = piece.get(piece.len() - HELD..).unwrap_or_default();
        let line = memchr::memrchr(b'\n', last).map_or(last, |newline| last.get(newline + 1..).unwrap_or_default());
        sink(piece.get(..piece.len() - line.len()).unwrap_or_default());
        self.held.extend_from_slice(line);
    }

    /// Takes one byte; false where it is to come again, as one that ended a sequence and is no part of it.
    fn byte(&mut self, byte: u8, out: &mut Vec<u8>, erasable: &mut usize) -> bool {
        let plain = State::Plain;
        match self.state {
            State::Plain => {
                self.plain_byte(byte, out, erasable);
                return true;
            }
            State::Escape => {
                self.state = match byte {
                    b'[' => State::Sequence { begun: false },
                    b']' | b'P' | b'X' | b'^' | b'_' => State::Text,
                    _ if INTERMEDIATE.contains(&byte) => State::Intermediate,
                    _ => plain,
                };
                return self.state != plain || SINGLE.contains(&byte);
            }
            State::Intermediate => {
                self.state = plain;
                return (0x30..0x7F).contains(&byte);
            }
            State::Sequence { begun } => match byte {
                0x20..0x40 if byte != b'"' => self.state = State::Sequence { begun: true },
                0x40..0x7F if begun || byte.is_ascii_alphabetic() || byte == b'@' => self.state = plain,
                _ => {
                    self.state = plain;
                    return false;
                }
            },
            State::Text => match byte {
                0x07 | 0x18 | 0x1A => self.state = plain,
                0x1B => self.state = State::TextEscape,
                b'\n' | b'\r' => {
                    self.state = plain;
                    return false;
                }
                _ => {}
            },
            State::TextEscape => {
                // Another sequence ends the text as well.
                self.state = if byte == b'\\' { plain } else { State::Escape };
                return byte == b'\\';
            }
        }
        true
    }

    fn plain_byte(&mut self, byte: u8, out: &mut Vec<u8>, erasable: &mut usize) {
        match byte {
            0x1B => self.state = State::Escape,
            b'\r' => self.returned = true,
            0x08 => {
                let line = out.get(out.len() - *erasable..).unwrap_or_default();
                // A character goes whole, or not at all.
                let width = line.iter().rev().position(|byte| byte & 0xC0 != 0x80).map_or(0, |before| before + 1);
                out.truncate(out.len() - width);
                *erasable = if width == 0 { 0 } else { *erasable - width };
            }
            _ if is_control(byte) => {}
            _ => {
                if std::mem::take(&mut self.returned) {
                    // On a terminal a lone carriage return begins the line anew: what follows it is a line of its own.
                    out.push(if byte == b'\n' { b'\r' } else { b'\n' });
                    *erasable = 0;
                }
                out.push(byte);
                *erasable = if byte == b'\n' { 0 } else { (*erasable + 1).min(HELD) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn strip(pieces: &[&[u8]]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut controls = Controls::default();
        for piece in pieces {
            controls.feed(piece, &mut |bytes| out.extend_from_slice(bytes));
        }
        controls.finish(&mut |bytes| out.extend_from_slice(bytes));
        out
    }

    fn text(raw: &str) -> String {
        String::from_utf8(strip(&[raw.as_bytes()])).unwrap()
    }

    #[test]
    fn sequences_go_and_text_stays() {
        for (raw, expected) in [
            ("", ""),
            ("plain\n\ttext\r\nand \u{c}more\0", "plain\n\ttext\r\nand \u{c}more\0"),
            ("^D\u{8}\u{8}{\"a\":1}\r\n\u{1b}[<u\u{1b}[?1004l", "{\"a\":1}\r\n"),
            ("\u{4}\u{8}\u{8}{}", "{}"),
            ("\u{1b}[?25h{}\u{1b}[?25l", "{}"),
            ("\u{1b}[1;31mError:\u{1b}[0m boom\u{1b}[K", "Error: boom"),
            ("\u{1b}[38;2;255;0;0mred\u{1b}[m \u{1b}[38:5:1mx", "red x"),
            ("\u{1b}]0;a title\u{7}{}\u{1b}]8;;https://example.invalid\u{1b}\\link\u{1b}]8;;\u{1b}\\", "{}link"),
            ("\u{1b}]0;never ended\nnext", "\nnext"),
            ("\u{1b}]0;cut by another\u{1b}[0mnext", "next"),
            ("\u{1b}(B\u{1b}=\u{1b}7x\u{1b}8\u{1b}>\u{1b}c", "x"),
            ("\u{1b}{}\u{1b}\"a\"\u{1b}é", "{}\"a\"é"),
            ("\u{1b}[{\"a\":1}", "{\"a\":1}"),
            ("\u{1b}[31\nx", "\nx"),
            ("\u{1b}\u{1b}[31mx\u{1b}", "x"),
            ("B\u{8}Bo\u{8}ol\u{8}ld _\u{8}u", "Bold u"),
            ("é😀\u{8}\u{8}\u{8}\u{8}x", "x"),
            ("a\n\u{8}\u{8}b", "a\nb"),
            ("\u{7}bell\u{7f}\u{e}\u{f}", "bell"),
            ("50%\r100%\r\n", "50%\n100%\r\n"),
            ("spin\r\u{1b}[2K{}\r\r\n", "spin\n{}\r\n"),
            ("end\r", "end\r"),
            ("a\r\u{1b}[K\nb", "a\r\nb"),
        ] {
            assert_eq!(text(raw), expected, "{raw:?}");
        }
        let long = "x".repeat(1000);
        assert_eq!(text(&format!("{long}\u{8}{long}\n{long}")), format!("{}{long}\n{long}", &long[1..]));
        let back = format!("{long}{}|", "\u{8}".repeat(500));
        assert_eq!(text(&back), format!("{}|", "x".repeat(1000 - HELD)), "no more is held than so much");
    }

    proptest! {
        #[test]
        fn where_pieces_end_does_not_matter(
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", "é", "\n", "\r", "\u{8}", "\u{1b}", "[", "]", "0", ";", "m", "\u{7}", "\\", "{", "(", "\u{1}",
                "0123456789012345678901234567890123456789012345678901234567890123456789",
            ]), 0..60),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let raw = parts.concat().into_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(raw.len() + 1)).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut start = 0;
            for cut in cuts.into_iter().chain([raw.len()]) {
                pieces.push(&raw[start..cut]);
                start = cut;
            }
            let whole = strip(&[&raw]);
            prop_assert_eq!(strip(&pieces), whole.clone());
            prop_assert!(!whole.iter().any(|byte| is_control(*byte) && *byte != b'\r'));
        }

        #[test]
        fn text_without_control_characters_stays(text in "[^\\p{Cc}]{0,300}(\\n[^\\p{Cc}]{0,100}){0,4}") {
            prop_assert_eq!(strip(&[text.as_bytes()]), text.as_bytes());
        }
    }
}
