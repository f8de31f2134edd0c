//! Questions instead of work (v0.11, Ralph issue 190): lines in which a pattern stands as whole words, in any case.

/// How many needles, from the first of `needles::NEEDLES`, are a pattern of `grep -ciw` or begin one.
pub const PATTERNS: usize = 17;
const AWAITING: usize = 14;
const WAITING: usize = 15;
const INPUT: usize = 17;
const RESPONSE: usize = 18;

/// Patterns of two words with anything between them: the first, the second.
const PAIRS: [(usize, usize); 2] = [(AWAITING, INPUT), (WAITING, RESPONSE)];

/// Which patterns a line matches, told of the words in it by and by: a line of any length needs no list of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Questions {
    /// A bit for each pattern.
    matched: u32,
    /// Where the first words of `PAIRS` ended first.
    begun: [Option<usize>; PAIRS.len()],
}

impl Questions {
    /// Takes a word found in the line: its index in `NEEDLES`, where it begins and ends. They come ordered by their ends.
    pub fn word(&mut self, line: &[u8], needle: usize, start: usize, end: usize) {
        for ((first, second), begun) in PAIRS.iter().zip(&mut self.begun) {
            if needle == *first {
                if begun.is_none() && word_begins(line, start) {
                    *begun = Some(end);
                }
                return;
            }
            if needle == *second && begun.is_some_and(|begun| begun <= start) && word_ends(line, end) {
                self.matched |= 1 << first;
            }
        }
        if needle < PATTERNS && self.matched & 1 << needle == 0 && word_begins(line, start) && word_ends(line, end) {
            self.matched |= 1 << needle;
        }
    }

    /// How many patterns match, each once.
    #[must_use]
    pub fn count(self) -> u64 {
        self.matched.count_ones().into()
    }
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn word_begins(line: &[u8], at: usize) -> bool {
    let before = line.get(at.saturating_sub(4)..at).unwrap_or_default();
    let last = before.utf8_chunks().last();
    // Bytes that are no UTF-8 are no letters.
    let before = last.filter(|chunk| chunk.invalid().is_empty()).and_then(|chunk| chunk.valid().chars().next_back());
    !before.is_some_and(is_word)
}

fn word_ends(line: &[u8], at: usize) -> bool {
    let after = line.get(at..line.len().min(at + 4)).unwrap_or_default();
    let after = after.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    !after.is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use super::super::needles::{IN_LINE, NEEDLES};
    use super::*;

    fn count(line: &str) -> u64 {
        let mut questions = Questions::default();
        for word in IN_LINE.find_overlapping_iter(line) {
            questions.word(line.as_bytes(), word.pattern().as_usize(), word.start(), word.end());
        }
        questions.count()
    }

    #[test]
    fn the_indices_are_those_of_the_table() {
        let word = |index: usize| NEEDLES[index].0;
        assert_eq!([word(AWAITING), word(WAITING), word(INPUT), word(RESPONSE)], ["awaiting", "waiting", "input", "response"]);
        assert_eq!(word(PATTERNS - 1), "your preference");
    }

    #[test]
    fn whole_words_in_any_case() {
        for (line, expected) in [
            ("Should I continue with the next one?", 1),
            ("shoulder injury", 0),
            ("could youth", 0),
            ("Could you clarify the scope", 1),
            ("What should I do?", 2),
            ("Would you? would you?", 1),
            ("I am awaiting your input", 1),
            ("awaiting inputs", 0),
            ("awaiting inputs and input", 1),
            ("input awaiting", 0),
            ("xawaiting your input", 0),
            ("xawaiting, awaiting your input", 1),
            ("awaiting input, waiting for a response", 2),
            ("waiting for a response from you", 1),
            ("awaiting your response", 0),
            ("éshould I", 0),
            ("should Ié", 0),
            ("«should I»", 1),
            ("_should I", 0),
        ] {
            assert_eq!(count(line), expected, "{line}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_no_letters() {
        let line = b"\xffshould I\xff";
        let mut questions = Questions::default();
        questions.word(line, 0, 1, 9);
        assert_eq!(questions.count(), 1);
    }
}
