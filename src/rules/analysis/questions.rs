//! Questions instead of work (v0.11, Ralph issue 190): lines in which a pattern stands as whole words, in any case.

/// One pattern of `grep -ciw`: a phrase, or two words with anything between them.
struct Pattern {
    needle: usize,
    tail: Option<usize>,
}

/// How many needles, from the first of `needles::NEEDLES`, begin a pattern.
pub const PATTERNS: usize = 17;
const AWAITING: usize = 14;
const WAITING: usize = 15;
const INPUT: usize = 17;
const RESPONSE: usize = 18;

const fn pattern(needle: usize) -> Pattern {
    let tail = match needle {
        AWAITING => Some(INPUT),
        WAITING => Some(RESPONSE),
        _ => None,
    };
    Pattern { needle, tail }
}

/// A word found in a line: its index in `NEEDLES`, where it begins and ends.
pub type Found = (usize, usize, usize);

/// How many patterns match the line, each once, given the words found in it.
#[must_use]
pub fn matching(line: &[u8], found: &[Found]) -> u64 {
    let matches = |index: usize| {
        let Pattern { needle, tail } = pattern(index);
        let mut starts = found.iter().filter(|word| word.0 == needle && word_begins(line, word.1));
        match tail {
            None => starts.any(|word| word_ends(line, word.2)),
            Some(tail) => {
                starts.any(|start| found.iter().any(|word| word.0 == tail && word.1 >= start.2 && word_ends(line, word.2)))
            }
        }
    };
    (0..PATTERNS).filter(|&index| matches(index)).count() as u64
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
        let found: Vec<Found> =
            IN_LINE.find_overlapping_iter(line).map(|m| (m.pattern().as_usize(), m.start(), m.end())).collect();
        matching(line.as_bytes(), &found)
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
        let found = [(0, 1, 9)];
        assert_eq!(matching(line, &found), 1);
    }
}
