//! The length of an output in characters, as bash's `${#var}` of a command substitution has it.

/// Counts characters over chunks: NUL bytes do not count, nor do the newlines at the very end.
#[derive(Debug, Clone, Copy, Default)]
pub struct LengthCounter {
    counted: u64,
    newlines_at_end: u64,
}

/// Small enough for the compiler to keep the partial sums in byte lanes.
const LANE_BLOCK: usize = 255;

fn characters(bytes: &[u8]) -> u64 {
    bytes
        .chunks(LANE_BLOCK)
        .map(|block| {
            // Every byte that does not continue a UTF-8 sequence begins a character.
            let starts = block.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(u8::from(byte & 0xC0 != 0x80 && byte != 0)));
            u64::from(starts)
        })
        .sum()
}

impl LengthCounter {
    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.counted += characters(bytes);
        let mut newlines = 0;
        for &byte in bytes.iter().rev() {
            match byte {
                b'\n' => newlines += 1,
                0 => {}
                _ => {
                    self.newlines_at_end = newlines;
                    return;
                }
            }
        }
        self.newlines_at_end += newlines;
    }

    /// The characters so far, those newlines left out that end the output.
    #[must_use]
    pub fn characters(&self) -> u64 {
        self.counted - self.newlines_at_end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(chunks: &[&[u8]]) -> u64 {
        let mut counter = LengthCounter::default();
        for chunk in chunks {
            counter.feed(chunk);
        }
        counter.characters()
    }

    #[test]
    fn counts_characters_without_the_last_newlines() {
        assert_eq!(length(&[b""]), 0);
        assert_eq!(length(&[b"\n\n"]), 0);
        assert_eq!(length(&[b"a\nb\n\n"]), 3);
        assert_eq!(length(&["Créé\n".as_bytes()]), 4);
        assert_eq!(length(&[b"a\0b\0"]), 2);
        assert_eq!(length(&[b"a\n\0\n"]), 1);
    }

    #[test]
    fn chunks_do_not_matter() {
        let text = "Créé le fichier\n\n\ncafé.ts ✓\n\n".as_bytes();
        let whole = length(&[text]);
        for cut in 0..=text.len() {
            assert_eq!(length(&[&text[..cut], &text[cut..]]), whole, "cut at {cut}");
        }
    }

    #[test]
    fn blocks_longer_than_a_lane_do_not_overflow() {
        assert_eq!(length(&["x".repeat(100_000).as_bytes()]), 100_000);
    }
}
