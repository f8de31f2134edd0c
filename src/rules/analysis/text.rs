//! Reading a text in chunks: every fact that both generations' rules need of it, in one pass and bounded memory.

use super::block::{BlockReader, Blocks, Words};
use super::errors::{self, STUCK_ABOVE};
use super::needles::{Group, Groups, IN_LINE, NEEDLES, Prefilter, Search};
use super::negation;
use super::promise::PromiseReader;
use super::questions::Questions;
use memchr::{memchr, memrchr};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// What a text says, before any rule weighs it.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct TextFacts {
    /// The status blocks, and the completion words outside of them that stand under no negation.
    pub blocks: Blocks,
    /// Completion words anywhere.
    pub words: Words,
    /// The promises made, where they were looked for.
    pub promises: Vec<String>,
    /// Whether tests were run.
    pub tests: bool,
    /// Whether something was implemented.
    pub implementation: bool,
    /// Error lines as bash counts them, at most one more than `STUCK_ABOVE`.
    pub stuck_lines: u64,
    /// Whether a line looks like an error.
    pub errors: bool,
    /// The first line that sums up, at most `SUMMARY_BYTES` of it.
    pub summary: Option<String>,
    /// Lines with questions, over all patterns.
    pub questions: u64,
    /// The last lines, each cut to `TAIL_BYTES`.
    pub tail: VecDeque<Vec<u8>>,
    /// Whether there are more lines, or more in them.
    pub tail_is_cut: bool,
}

impl TextFacts {
    /// All lines that are not empty, where the text is as short as that.
    #[must_use]
    pub fn whole(&self) -> Option<impl Iterator<Item = &[u8]>> {
        let lines = || self.tail.iter().map(Vec::as_slice).filter(|line| !line.trim_ascii().is_empty());
        (!self.tail_is_cut).then(lines)
    }
}

/// Bytes of a summarizing line that are kept (bash: `cut -c 1-100`).
pub const SUMMARY_BYTES: usize = 100;
/// Lines at the end that are looked at for a plan limit (bash: `tail -30`).
const TAIL_LINES: usize = 30;
/// Bytes kept of each of them: a plan-limit sentence is far shorter.
const TAIL_BYTES: usize = 512;
/// A carry larger than this is given back once its line is done.
const CARRY_KEPT: usize = 1 << 20;
/// Bytes after which a searcher for fewer words pays for being built.
const REBUILD_AFTER: u64 = 256 * 1024;

/// Everything that a text's heuristics need.
pub const TEXT_GROUPS: Groups = Groups::of(&[
    Group::Completion,
    Group::NoWork,
    Group::Tests,
    Group::Implementation,
    Group::Stuck,
    Group::Errors,
    Group::Summary,
    Group::Question,
    Group::Status,
]);
/// The words of which questions are made.
const ASKING: Groups = Groups::of(&[Group::Question, Group::Tail]);
/// What the text of a result needs.
pub const RESULT_GROUPS: Groups = Groups::of(&[Group::Errors, Group::Question, Group::Status]);

/// The searchers that were needed so far. There are not many: a group once settled stays settled, and texts are alike.
static PREFILTERS: Mutex<Vec<(Groups, Arc<Prefilter>)>> = Mutex::new(Vec::new());

fn prefilter(wanted: Groups) -> Arc<Prefilter> {
    let mut built = PREFILTERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, prefilter)) = built.iter().find(|(groups, _)| *groups == wanted) {
        return prefilter.clone();
    }
    let prefilter = Arc::new(Prefilter::new(wanted));
    built.push((wanted, prefilter.clone()));
    prefilter
}

/// Fed with chunks, answers with `TextFacts`.
pub struct TextScanner {
    wanted: Groups,
    searched: Groups,
    prefilter: Arc<Prefilter>,
    since_built: u64,
    carry: Vec<u8>,
    scratch: Vec<u8>,
    blocks: BlockReader,
    promises: PromiseReader,
    /// What stood before the lines that are looked at: a sentence may have begun there.
    before: Vec<u8>,
    facts: TextFacts,
}

impl TextScanner {
    /// Looks for the words of the given groups only.
    #[must_use]
    pub fn new(wanted: Groups) -> Self {
        Self {
            wanted,
            searched: wanted,
            prefilter: prefilter(wanted),
            since_built: 0,
            carry: Vec::new(),
            scratch: Vec::new(),
            blocks: BlockReader::default(),
            promises: PromiseReader::default(),
            before: Vec::new(),
            facts: TextFacts::default(),
        }
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, chunk: &[u8]) {
        let mut rest = chunk;
        if !self.carry.is_empty() {
            let Some(newline) = memchr(b'\n', rest) else {
                self.carry.extend_from_slice(rest);
                return;
            };
            let (head, tail) = rest.split_at(newline + 1);
            self.carry.extend_from_slice(head);
            rest = tail;
            let mut carry = std::mem::take(&mut self.carry);
            self.lines(&carry);
            carry.clear();
            carry.shrink_to(CARRY_KEPT);
            self.carry = carry;
        }
        let whole = memrchr(b'\n', rest).map_or(0, |newline| newline + 1);
        let (lines, open) = rest.split_at(whole);
        self.lines(lines);
        self.carry.extend_from_slice(open);
    }

    /// At the end of the text.
    #[must_use]
    pub fn finish(mut self) -> TextFacts {
        let carry = std::mem::take(&mut self.carry);
        self.lines(&carry);
        self.facts.blocks = self.blocks.finish();
        self.facts.promises = self.promises.finish();
        self.facts
    }

    /// Takes whole lines; the last one may lack its newline at the end of the text.
    fn lines(&mut self, lines: &[u8]) {
        if lines.is_empty() {
            return;
        }
        self.keep_tail(lines);
        self.narrow(lines.len());
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut search = Search::new(lines, &mut scratch);
        let mut at = 0;
        while at < lines.len() {
            let start = if self.blocks.is_open() || self.promises.is_open() {
                at
            } else {
                let Some(hit) = search.next(&self.prefilter, at) else { break };
                lines.get(at..hit).and_then(|before| memrchr(b'\n', before)).map_or(at, |newline| at + newline + 1)
            };
            let rest = lines.get(start..).unwrap_or_default();
            let end = memchr(b'\n', rest).unwrap_or(rest.len());
            self.line(lines.get(..start).unwrap_or_default(), rest.get(..end).unwrap_or_default());
            at = start + end + 1;
        }
        self.scratch = scratch;
        self.before.extend_from_slice(last(lines));
        let from = self.before.len().saturating_sub(negation::BEFORE);
        self.before.drain(..from);
    }

    /// What stands before a place in the line: its beginning, and lines before it as far as a sentence may reach.
    fn before(&self, lines: &[u8], line: &[u8], at: usize) -> Vec<u8> {
        let mut before = [self.before.as_slice(), last(lines), last(line.get(..at).unwrap_or_default())].concat();
        let from = before.len().saturating_sub(negation::BEFORE);
        before.drain(..from);
        before
    }

    /// One line that may hold a wanted word, or any line inside a block; `lines` are those before it.
    fn line(&mut self, lines: &[u8], line: &[u8]) {
        let mut questions = Questions::default();
        let mut groups = Groups::default();
        let mut affirmed = Words::default();
        for hit in IN_LINE.find_overlapping_iter(line) {
            let index = hit.pattern().as_usize();
            if let Some((_, of_needle)) = NEEDLES.get(index) {
                groups.add(*of_needle);
                let says = Words { completion: of_needle.has(Group::Completion), no_work: of_needle.has(Group::NoWork) };
                let adds = (says.completion && !affirmed.completion) || (says.no_work && !affirmed.no_work);
                if adds {
                    let (word, after) = (line.get(hit.range()).unwrap_or_default(), line.get(hit.end()..).unwrap_or_default());
                    if !negation::is_negated(&self.before(lines, line, hit.start()), word, after) {
                        affirmed.add(says);
                    }
                }
                if of_needle.meets(ASKING) {
                    questions.word(line, index, hit.start(), hit.end());
                }
            }
        }
        let wanted = |group: Group| groups.has(group) && self.wanted.has(group);
        let words = Words { completion: wanted(Group::Completion), no_work: wanted(Group::NoWork) };
        let (tests, implementation) = (wanted(Group::Tests), wanted(Group::Implementation));
        let (stuck, errors) = (wanted(Group::Stuck), wanted(Group::Errors));
        let (summary, question, status) = (wanted(Group::Summary), wanted(Group::Question), wanted(Group::Status));
        let wanted_promise = wanted(Group::Promise);
        let facts = &mut self.facts;
        if status || self.blocks.is_open() || words != Words::default() {
            facts.words.add(words);
            self.blocks.line(
                line,
                Words { completion: words.completion && affirmed.completion, no_work: words.no_work && affirmed.no_work },
            );
        }
        if wanted_promise || self.promises.is_open() {
            let before = lines.strip_suffix(b"\n").unwrap_or(lines);
            let before = if lines.is_empty() { self.before.as_slice() } else { last(before) };
            self.promises.line(before, line);
        }
        if tests {
            facts.tests = true;
            self.wanted.remove(Group::Tests);
        }
        if implementation {
            facts.implementation = true;
            self.wanted.remove(Group::Implementation);
        }
        if stuck && errors::counts_as_stuck(line) {
            facts.stuck_lines += 1;
            if facts.stuck_lines > STUCK_ABOVE {
                self.wanted.remove(Group::Stuck);
            }
        }
        if errors && errors::looks_like_error(line) {
            facts.errors = true;
            self.wanted.remove(Group::Errors);
        }
        if summary {
            facts.summary = Some(cut(line));
            self.wanted.remove(Group::Summary);
        }
        if question {
            facts.questions += questions.count();
        }
        let outside = self.blocks.words_outside();
        if outside.completion {
            self.wanted.remove(Group::Completion);
        }
        if outside.no_work {
            self.wanted.remove(Group::NoWork);
        }
    }

    /// Searches for fewer words once some are settled.
    fn narrow(&mut self, bytes: usize) {
        self.since_built += bytes as u64;
        if self.wanted != self.searched && self.since_built > REBUILD_AFTER {
            self.prefilter = prefilter(self.wanted);
            self.searched = self.wanted;
            self.since_built = 0;
        }
    }

    fn keep_tail(&mut self, lines: &[u8]) {
        let mut rest = lines.strip_suffix(b"\n").unwrap_or(lines);
        let mut newest: Vec<&[u8]> = Vec::with_capacity(TAIL_LINES);
        loop {
            let newline = memrchr(b'\n', rest);
            let line = rest.get(newline.map_or(0, |newline| newline + 1)..).unwrap_or_default();
            self.facts.tail_is_cut |= line.len() > TAIL_BYTES;
            newest.push(line.get(..TAIL_BYTES).unwrap_or(line));
            match newline {
                Some(newline) if newest.len() < TAIL_LINES => rest = rest.get(..newline).unwrap_or_default(),
                more => {
                    self.facts.tail_is_cut |= more.is_some();
                    break;
                }
            }
        }
        self.facts.tail_is_cut |= self.facts.tail.len() + newest.len() > TAIL_LINES;
        let tail = &mut self.facts.tail;
        for line in newest.into_iter().rev() {
            let mut kept = if tail.len() == TAIL_LINES { tail.pop_front().unwrap_or_default() } else { Vec::new() };
            kept.clear();
            kept.extend_from_slice(line);
            tail.push_back(kept);
        }
    }
}

/// The end of a text, as far as a negation may stand before a word.
fn last(text: &[u8]) -> &[u8] {
    text.get(text.len().saturating_sub(negation::BEFORE)..).unwrap_or_default()
}

/// The line's first bytes as bash's `cut` has them, but never half a character.
fn cut(line: &[u8]) -> String {
    let cut = line.get(..SUMMARY_BYTES).unwrap_or(line);
    // Of a character cut in two, its first bytes remain: they go.
    let mut kept = String::with_capacity(cut.len());
    let mut chunks = cut.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        kept.push_str(chunk.valid());
        let at_cut = chunks.peek().is_none() && cut.len() < line.len();
        if !chunk.invalid().is_empty() && !at_cut {
            kept.push(char::REPLACEMENT_CHARACTER);
        }
    }
    kept.retain(|c| c != '\0');
    kept
}
