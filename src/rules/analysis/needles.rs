//! The words that an analysis looks for, as a table, and the searchers made of it.
//!
//! A text is searched in two steps. A prefilter runs over whole blocks and finds the next line that may hold one of
//! the words still wanted; only such lines are looked at closely, by one automaton that reports every word in them.

use aho_corasick::packed;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::LazyLock;

/// What a word is evidence of. The discriminant is its bit in a `Groups` set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Group {
    /// "Done" and the like (both versions of Ralph).
    Completion = 1,
    /// Nothing left to do.
    NoWork = 1 << 1,
    /// Tests were run.
    Tests = 1 << 2,
    /// Something was implemented.
    Implementation = 1 << 3,
    /// May be an error that bash counts towards `is_stuck`.
    Stuck = 1 << 4,
    /// May look like an error, for `hasErrors`.
    Errors = 1 << 5,
    /// A line that sums the work up.
    Summary = 1 << 6,
    /// A question to the user (v0.11, Ralph issue 190).
    Question = 1 << 7,
    /// A marker of a status block.
    Status = 1 << 8,
    /// The second half of a question pattern, looked at only in lines that hit.
    Tail = 1 << 9,
    /// A mark of a promise, or a fence, in which a promise is none.
    Promise = 1 << 10,
}

/// A set of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Groups(u16);

impl Groups {
    /// The set of the given groups.
    #[must_use]
    pub const fn of(groups: &[Group]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < groups.len() {
            bits |= groups[at] as u16;
            at += 1;
        }
        Self(bits)
    }

    /// The set with another group in it.
    #[must_use]
    pub const fn with(self, group: Group) -> Self {
        Self(self.0 | group as u16)
    }

    /// Whether the group is in it.
    #[must_use]
    pub const fn has(self, group: Group) -> bool {
        self.0 & group as u16 != 0
    }

    /// Whether the two have a group in common.
    #[must_use]
    pub const fn meets(self, other: Groups) -> bool {
        self.0 & other.0 != 0
    }

    /// Puts the groups of another set in.
    pub fn add(&mut self, other: Groups) {
        self.0 |= other.0;
    }

    /// Takes a group out.
    pub fn remove(&mut self, group: Group) {
        self.0 &= !(group as u16);
    }
}

/// The words, lower case, with what they are evidence of. Questions keep the order of `questions::PATTERNS`.
pub const NEEDLES: &[(&str, Groups)] = {
    use Group::{Completion, Errors, Implementation, NoWork, Promise, Question, Status, Stuck, Summary, Tail, Tests};
    const COMPLETION: Groups = Groups::of(&[Completion]);
    const NO_WORK: Groups = Groups::of(&[NoWork]);
    const TESTS: Groups = Groups::of(&[Tests]);
    const IMPLEMENTATION: Groups = Groups::of(&[Implementation]);
    const BOTH_ERRORS: Groups = Groups::of(&[Stuck, Errors]);
    const ERRORS: Groups = Groups::of(&[Errors]);
    const SUMMARY: Groups = Groups::of(&[Summary]);
    const QUESTION: Groups = Groups::of(&[Question]);
    &[
        ("should i", QUESTION),
        ("would you", QUESTION),
        ("do you want", QUESTION),
        ("which approach", QUESTION),
        ("which option", QUESTION),
        ("how should", QUESTION),
        ("what should", QUESTION),
        ("shall i", QUESTION),
        ("do you prefer", QUESTION),
        ("can you clarify", QUESTION),
        ("could you", QUESTION),
        ("what do you think", QUESTION),
        ("please confirm", QUESTION),
        ("need clarification", QUESTION),
        ("awaiting", QUESTION),
        ("waiting", QUESTION),
        ("your preference", QUESTION),
        ("input", Groups::of(&[Tail])),
        ("response", Groups::of(&[Tail])),
        // "all tasks complete" and "project complete" are contained.
        ("done", COMPLETION),
        ("complete", COMPLETION),
        ("finished", COMPLETION),
        ("ready for review", COMPLETION),
        ("nothing to do", NO_WORK),
        ("no changes", NO_WORK),
        ("already implemented", NO_WORK),
        ("up to date", NO_WORK),
        ("running tests", TESTS),
        ("npm test", TESTS),
        ("bats", TESTS),
        ("pytest", TESTS),
        ("jest", TESTS),
        ("implementing", IMPLEMENTATION),
        ("creating", IMPLEMENTATION),
        ("writing", IMPLEMENTATION),
        ("adding", IMPLEMENTATION),
        ("function", IMPLEMENTATION),
        ("class", IMPLEMENTATION),
        ("error", BOTH_ERRORS),
        ("exception", BOTH_ERRORS),
        ("fatal", BOTH_ERRORS),
        ("traceback", ERRORS),
        ("panic", ERRORS),
        ("segmentation fault", ERRORS),
        (": ***", ERRORS),
        ("npm err!", ERRORS),
        ("summary", SUMMARY),
        ("completed", SUMMARY),
        ("implemented", SUMMARY),
        ("ralph_status", Groups::of(&[Status])),
        ("<promise>", Groups::of(&[Promise])),
        ("```", Groups::of(&[Promise])),
        ("~~~", Groups::of(&[Promise])),
    ]
};

/// One less than the longest needle: what two windows must share for no hit to be missed.
const OVERLAP: usize = {
    let (mut longest, mut at) = (0, 0);
    while at < NEEDLES.len() {
        if NEEDLES[at].0.len() > longest {
            longest = NEEDLES[at].0.len();
        }
        at += 1;
    }
    longest - 1
};

/// Reports every word in a line, overlapping ones too, by its index in `NEEDLES`.
pub static IN_LINE: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(NEEDLES.iter().map(|(needle, _)| needle.as_bytes())));

fn automaton<'a>(needles: impl Iterator<Item = &'a [u8]>) -> AhoCorasick {
    #[expect(clippy::expect_used, reason = "a part of a constant list of short words, all of which every test builds")]
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(needles)
        .expect("a constant list")
}

/// Bytes that are folded and searched at a time: within the first-level cache, with room for the text itself.
const WINDOW: usize = 16 * 1024;

/// ASCII letters to lower case; other bytes may change too, hits are confirmed in the line. One `or` a byte is what
/// lets the compiler use whole vectors.
const fn fold(byte: u8) -> u8 {
    byte | 0x20
}

enum Engine {
    /// SIMD over a folded copy.
    Packed(Box<packed::Searcher>),
    /// Where the processor has no vectors that the packed searcher knows.
    Automaton(Box<AhoCorasick>),
}

/// Finds the next place where one of the words of some groups may stand.
pub struct Prefilter {
    engine: Engine,
}

impl Prefilter {
    /// For the words of the given groups.
    #[must_use]
    pub fn new(wanted: Groups) -> Self {
        let needles = || NEEDLES.iter().filter(|(_, groups)| groups.meets(wanted)).map(|(needle, _)| needle.as_bytes());
        let folded: Vec<Vec<u8>> = needles().map(|needle| needle.iter().copied().map(fold).collect()).collect();
        let packed = packed::Config::new().builder().extend(folded).build();
        let engine = if let Some(searcher) = packed {
            Engine::Packed(Box::new(searcher))
        } else {
            Engine::Automaton(Box::new(automaton(needles())))
        };
        Self { engine }
    }
}

/// A search through one block. Its folded window is kept between calls.
pub struct Search<'a> {
    block: &'a [u8],
    folded: &'a mut Vec<u8>,
    window: usize,
}

impl<'a> Search<'a> {
    /// Starts at the beginning of the block; `scratch` is reused memory.
    pub fn new(block: &'a [u8], scratch: &'a mut Vec<u8>) -> Self {
        scratch.clear();
        Self { block, folded: scratch, window: 0 }
    }

    /// The first place at or after `from` where a word may begin.
    pub fn next(&mut self, prefilter: &Prefilter, mut from: usize) -> Option<usize> {
        let searcher = match &prefilter.engine {
            Engine::Automaton(automaton) => return automaton.find(self.block.get(from..)?).map(|found| from + found.start()),
            Engine::Packed(searcher) => searcher,
        };
        loop {
            if from < self.window || from >= self.window + self.folded.len() {
                let end = self.block.len().min(from + WINDOW);
                let source = self.block.get(from..end).filter(|source| !source.is_empty())?;
                self.folded.clear();
                self.folded.extend(source.iter().copied().map(fold));
                self.window = from;
            }
            let span = aho_corasick::Span { start: from - self.window, end: self.folded.len() };
            if let Some(found) = searcher.find_in(&*self.folded, span) {
                return Some(self.window + found.start());
            }
            let end = self.window + self.folded.len();
            if end >= self.block.len() {
                return None;
            }
            from = from.max(end.saturating_sub(OVERLAP)).max(from + 1);
            // The rest of this window holds no whole word: the next one begins within its last bytes.
            self.folded.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needles_are_lower_case_and_in_a_group() {
        for (needle, groups) in NEEDLES {
            assert_eq!(*needle, needle.to_lowercase());
            assert_ne!(groups.0, 0, "{needle}");
        }
    }

    #[test]
    fn a_word_is_found_wherever_it_stands() {
        let prefilter = Prefilter::new(Groups::of(&[Group::Status, Group::Question]));
        for at in [0, 1, 100, WINDOW - OVERLAP - 1, WINDOW - 5, WINDOW, WINDOW + 1, 3 * WINDOW - 3] {
            let mut block = vec![b'.'; 4 * WINDOW];
            for (offset, byte) in b"RALPH_status".iter().enumerate() {
                block[at + offset] = *byte;
            }
            let mut scratch = Vec::new();
            let mut search = Search::new(&block, &mut scratch);
            assert_eq!(search.next(&prefilter, 0), Some(at));
            assert_eq!(search.next(&prefilter, at + 1), None);
        }
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        let prefilter = Prefilter::new(Groups::of(&[Group::Status]));
        let mut scratch = Vec::new();
        assert_eq!(Search::new(b"", &mut scratch).next(&prefilter, 0), None);
        assert_eq!(Search::new(b"ralph", &mut scratch).next(&prefilter, 9), None);
    }
}
