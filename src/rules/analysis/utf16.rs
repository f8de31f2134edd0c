//! Outputs in UTF-16: PowerShell's `>` writes them, with a byte order mark (case S14).

use std::char::{REPLACEMENT_CHARACTER, decode_utf16};

/// How the bytes are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Encoding {
    /// Nothing was read yet.
    #[default]
    Unknown,
    /// One byte was, which may begin a mark.
    Half(u8),
    /// UTF-8, or whatever else: bytes pass as they are.
    Bytes,
    /// UTF-16, with the high byte first or last.
    Units { big_endian: bool },
}

/// Turns UTF-16 with a mark into UTF-8 as the pieces come; anything else passes.
#[derive(Debug, Default)]
pub struct Decoder {
    encoding: Encoding,
    /// The first byte of a unit that the next piece completes.
    byte: Option<u8>,
    /// The first half of a pair.
    high: Option<u16>,
    out: String,
}

impl Decoder {
    /// Takes the next piece.
    pub fn feed(&mut self, mut piece: &[u8], sink: &mut impl FnMut(&[u8])) {
        loop {
            match (self.encoding, piece.split_first()) {
                (Encoding::Bytes, _) => return sink(piece),
                (_, None) => return,
                (Encoding::Unknown, Some((&byte, rest))) if matches!(byte, 0xFE | 0xFF) => {
                    self.encoding = Encoding::Half(byte);
                    piece = rest;
                }
                (Encoding::Unknown, _) => self.encoding = Encoding::Bytes,
                (Encoding::Half(first), Some((&second, rest))) => match (first, second) {
                    (0xFF, 0xFE) | (0xFE, 0xFF) => {
                        self.encoding = Encoding::Units { big_endian: first == 0xFE };
                        piece = rest;
                    }
                    _ => {
                        self.encoding = Encoding::Bytes;
                        sink(&[first]);
                    }
                },
                (Encoding::Units { big_endian }, _) => return self.units(piece, big_endian, sink),
            }
        }
    }

    fn units(&mut self, piece: &[u8], big_endian: bool, sink: &mut impl FnMut(&[u8])) {
        let mut units: Vec<u16> = self.high.take().into_iter().collect();
        for &byte in piece {
            match self.byte.take() {
                None => self.byte = Some(byte),
                Some(first) if big_endian => units.push(u16::from_be_bytes([first, byte])),
                Some(first) => units.push(u16::from_le_bytes([first, byte])),
            }
        }
        self.high = units.pop_if(|last| (0xD800..0xDC00).contains(last));
        self.out.clear();
        self.out.extend(decode_utf16(units).map(|unit| unit.unwrap_or(REPLACEMENT_CHARACTER)));
        sink(self.out.as_bytes());
    }

    /// At the end of the text.
    pub fn finish(self, sink: &mut impl FnMut(&[u8])) {
        if let Encoding::Half(byte) = self.encoding {
            sink(&[byte]);
        }
        if self.high.is_some() || self.byte.is_some() {
            sink(REPLACEMENT_CHARACTER.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(raw: &[u8], cut: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let mut decoder = Decoder::default();
        let (before, after) = raw.split_at(cut.min(raw.len()));
        for piece in [before, after] {
            decoder.feed(piece, &mut |bytes| out.extend_from_slice(bytes));
        }
        decoder.finish(&mut |bytes| out.extend_from_slice(bytes));
        out
    }

    fn encoded(text: &str, big_endian: bool) -> Vec<u8> {
        let marked = std::iter::once(0xFEFF).chain(text.encode_utf16());
        marked.flat_map(|unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn what_has_no_mark_passes() {
        for raw in [b"".as_slice(), b"x", b"\xFF", b"\xFE", b"\xFFx", b"\xFE\xFEy", b"\xEF\xBB\xBFz", b"a\xFF\xFE"] {
            for cut in 0..=raw.len() {
                assert_eq!(decode(raw, cut), raw);
            }
        }
    }

    #[test]
    fn what_is_cut_is_marked() {
        assert_eq!(decode(b"\xFF\xFEa\0b", 3), "a\u{fffd}".as_bytes());
        assert_eq!(decode(b"\xFF\xFE\x3D\xD8", 3), "\u{fffd}".as_bytes());
        assert_eq!(decode(b"\xFE\xFF\xDE\x00\0a", 3), "\u{fffd}a".as_bytes());
    }

    proptest! {
        #[test]
        fn any_text_comes_back_however_it_is_cut(text in any::<String>(), big in any::<bool>(), cut in 0_usize..200) {
            prop_assert_eq!(decode(&encoded(&text, big), cut), text.as_bytes());
        }
    }
}
