//! The `RALPH_STATUS` block: what Claude itself says about the loop.
//!
//! Two notations, both of Ralph v0.11 (its prompt template and issue reports): `---RALPH_STATUS---` to
//! `---END_RALPH_STATUS---`, and a `RALPH_STATUS:` header above its keys. The last block counts. Models also close the first
//! notation otherwise (case S1): by another mark, by the opening mark again, by the end of a code fence, or not at all.

use std::borrow::Cow;

/// What one block says. A key that is absent, empty or still the template's list of choices is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusBlock {
    /// `STATUS`, upper case.
    pub status: Option<String>,
    /// `EXIT_SIGNAL`: any value but `true` is false.
    pub exit_signal: Option<bool>,
    /// `WORK_TYPE`, upper case.
    pub work_type: Option<String>,
    /// `FILES_MODIFIED`; `Err` keeps what is no number.
    pub files_modified: Option<Result<u64, String>>,
    /// `TESTS_STATUS`, upper case.
    pub tests_status: Option<String>,
    /// `TASKS_COMPLETED_THIS_LOOP`; `Err` keeps what is no number.
    pub tasks_completed: Option<Result<u64, String>>,
    /// `RECOMMENDATION`, at most `RECOMMENDATION_SHOWN` characters of it.
    pub recommendation: Option<String>,
    /// Whether a key still holds the template's choices.
    template: bool,
}

impl StatusBlock {
    /// Whether it says `STATUS: COMPLETE`.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.status.as_deref() == Some("COMPLETE")
    }

    /// Whether it is the prompt's template rather than a report: choices everywhere, a value nowhere.
    fn is_template(&self) -> bool {
        self.template && *self == Self { template: true, ..Self::default() }
    }

    /// Takes `key: value`; false where the line is no such thing or the key is none of a block's.
    fn line(&mut self, line: &str) -> bool {
        let Some((key, value)) = line.split_once(':') else { return false };
        let key = key.trim_matches(|c| c == '-' || DECORATION.contains(&c)).to_ascii_uppercase();
        let Some((_, choices)) = KEYS.iter().find(|(name, _)| *name == key) else { return false };
        let value = value.trim_matches(AROUND_VALUE);
        if value.is_empty() {
            return true;
        }
        if is_template_value(*choices, value) {
            self.template = true;
            return true;
        }
        match key.as_str() {
            "STATUS" => self.status = Some(word(value, *choices)),
            "EXIT_SIGNAL" => self.exit_signal = Some(word(value, *choices) == "TRUE"),
            "WORK_TYPE" => self.work_type = Some(word(value, *choices)),
            "TESTS_STATUS" => self.tests_status = Some(word(value, *choices)),
            "FILES_MODIFIED" => self.files_modified = Some(count(value)),
            "TASKS_COMPLETED_THIS_LOOP" => self.tasks_completed = Some(count(value)),
            _ => self.recommendation = Some(value.chars().take(RECOMMENDATION_SHOWN).collect()),
        }
        true
    }
}

/// Characters kept of a recommendation: the template asks for a line.
pub const RECOMMENDATION_SHOWN: usize = 500;

/// What the value of a key is.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// One of these words; the first word counts, whatever explanation follows it (case S21).
    Choice(&'static [&'static str]),
    /// A number.
    Number,
    /// Prose, in which a bar is a bar.
    Prose,
}

/// The keys of Ralph's prompt template, with the choices that it lists.
const KEYS: [(&str, Kind); 7] = [
    ("STATUS", Kind::Choice(&["IN_PROGRESS", "COMPLETE", "BLOCKED"])),
    ("EXIT_SIGNAL", Kind::Choice(&["TRUE", "FALSE"])),
    ("WORK_TYPE", Kind::Choice(&["IMPLEMENTATION", "TESTING", "DOCUMENTATION", "REFACTORING", "DEBUGGING"])),
    ("FILES_MODIFIED", Kind::Number),
    ("TESTS_STATUS", Kind::Choice(&["PASSING", "FAILING", "NOT_RUN"])),
    ("TASKS_COMPLETED_THIS_LOOP", Kind::Number),
    ("RECOMMENDATION", Kind::Prose),
];

/// What may stand around keys and markers: space, CR, a byte order mark, Markdown's bold, code and quote marks.
const DECORATION: [char; 9] = [' ', '\t', '\r', '\u{feff}', '*', '`', '"', '\'', '>'];

/// What may stand around values. Not `>`: it ends `<number>`.
const AROUND_VALUE: [char; 7] = [' ', '\t', '\r', '*', '`', '"', '\''];

/// What a template puts around the name of a value: `<number>`, `[number]`.
const BRACKETS: [(char, char); 3] = [('<', '>'), ('[', ']'), ('{', '}')];

/// Whether it is what the template says in place of a value: `a | b`, `<number>`, `true/false`, `false or true`.
fn is_template_value(kind: Kind, value: &str) -> bool {
    if BRACKETS.iter().any(|(open, close)| value.starts_with(*open) && value.ends_with(*close)) {
        return true;
    }
    match kind {
        Kind::Prose => false,
        Kind::Number => value.contains('|'),
        Kind::Choice(choices) => lists(choices, value),
    }
}

/// Whether the value lists choices instead of making one. Behind a bar there may also be an explanation.
fn lists(choices: &[&str], value: &str) -> bool {
    let value = value.to_ascii_uppercase().replace(" OR ", "/");
    let is_choice = |part: &str| choices.contains(&part.trim_matches(AROUND_VALUE));
    let all = value.contains(['/', ',']) && value.split(['/', ',']).all(is_choice);
    let (first, second) = value.split_once('|').unwrap_or_default();
    all || (value.contains('|') && (!is_choice(first) || is_choice(second.split('|').next().unwrap_or_default())))
}

/// The first word, upper case; of the template's words of two, both, whatever joins them.
fn word(value: &str, kind: Kind) -> String {
    let value = value.trim_start_matches(|c: char| !c.is_alphanumeric()).to_ascii_uppercase();
    if let Kind::Choice(choices) = kind {
        let joined = value.replace([' ', '-'], "_");
        if let Some(choice) = choices.iter().find(|choice| choice.contains('_') && joined.starts_with(**choice)) {
            return (*choice).to_owned();
        }
    }
    value.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default().to_owned()
}

/// A whole number, whatever stands behind it; one that no `u64` holds is its greatest, to be brought into range by whoever
/// weighs it.
fn count(value: &str) -> Result<u64, String> {
    let first = value.split_whitespace().next().unwrap_or_default().trim_matches([',', ';', '.', '(', ')', '*', '`']);
    let digits = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    first.parse().or_else(|_| if digits { Ok(u64::MAX) } else { Err(value.to_owned()) })
}

/// Bytes of a line that are looked at: markers, and keys with values that mean something, are far shorter.
const LINE_READ: usize = 4096;

/// Lines after which an unclosed block is given up: no real one is a tenth as long.
const MAX_LINES: u32 = 400;

/// Completion words seen inside a block, which count only if they turn out to stand outside one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Words {
    /// A completion keyword.
    pub completion: bool,
    /// A no-work phrase.
    pub no_work: bool,
}

impl Words {
    /// Adds those of `other`.
    pub fn add(&mut self, other: Words) {
        self.completion |= other.completion;
        self.no_work |= other.no_work;
    }
}

/// A block that was opened by its mark.
#[derive(Debug, Clone, Default)]
struct Marked {
    block: StatusBlock,
    words: Words,
    lines: u32,
    /// Whether the mark that opened it may have been the end of the block before it.
    doubtful: bool,
    /// Fences without a language behind the first key: the first ends the code block that the status block stands in, unless
    /// another follows before the end mark.
    fences: u32,
    /// The keys and words before the first of them.
    before_fence: Option<(StatusBlock, Words)>,
}

#[derive(Debug, Clone)]
enum State {
    Outside,
    /// Between the markers.
    Marked(Marked),
    /// Below a header indented by so many bytes.
    Headed(StatusBlock, Words, u32, usize),
}

/// Follows the lines of a text and keeps the last block.
#[derive(Debug, Clone)]
pub struct BlockReader {
    state: State,
    last: Option<StatusBlock>,
    words_of_last: Words,
    words_outside: Words,
}

/// What the blocks of a text come to.
#[derive(Debug, Clone, Default)]
pub struct Blocks {
    /// The last block.
    pub last: Option<StatusBlock>,
    /// The last block that was closed: where the text is cut, one that was not does not count.
    pub closed: Option<StatusBlock>,
    /// The completion words outside the last block and outside templates.
    pub words_outside: Words,
}

impl Default for BlockReader {
    fn default() -> Self {
        Self { state: State::Outside, last: None, words_of_last: Words::default(), words_outside: Words::default() }
    }
}

enum Marker {
    Begin,
    End,
    Header,
}

/// What end marks are called, blanks written as `_`.
const ENDS: [&str; 8] = [
    "END_RALPH_STATUS",
    "END_STATUS",
    "END",
    "/RALPH_STATUS",
    "RALPH_STATUS_END",
    "END_OF_RALPH_STATUS",
    "END_RALPH_STATUS_BLOCK",
    "END_STATUS_BLOCK",
];

/// What a mark is framed with. Editors make long dashes of two hyphens.
const DASHES: [char; 3] = ['-', '–', '—'];

fn marker(line: &str) -> Option<Marker> {
    let bare = line.trim_matches(DECORATION);
    if bare.eq_ignore_ascii_case("RALPH_STATUS:") {
        return Some(Marker::Header);
    }
    let name = bare.trim_start_matches(DASHES);
    let framed = bare.starts_with("--") || bare.starts_with(['–', '—']);
    let (name, closed) = (name.trim_end_matches(DASHES), name.ends_with(DASHES));
    if !framed || name.len() > 40 {
        return None;
    }
    let name = name.trim_matches(DECORATION).to_ascii_uppercase().replace(' ', "_");
    match name.as_str() {
        "RALPH_STATUS" if closed => Some(Marker::Begin),
        name if ENDS.contains(&name) => Some(Marker::End),
        _ => None,
    }
}

/// A line that opens or closes a code block; whether it can close one, having no language.
fn fence(line: &str) -> Option<bool> {
    let line = line.trim_matches([' ', '\t', '\r', '>']);
    let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark))?;
    Some(line.trim_start_matches(mark.get(..1)?).is_empty())
}

/// Quote marks count as space.
const INDENT: [char; 3] = [' ', '\t', '>'];

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(INDENT).len()
}

fn is_blank(line: &str) -> bool {
    line.trim_start_matches(INDENT).trim().is_empty()
}

impl Marked {
    /// A line that is no mark; false where it shows that the opening mark was the end of another block.
    fn line(&mut self, line: &str, words: Words) -> bool {
        if let Some(closes) = fence(line) {
            if closes && self.block != StatusBlock::default() {
                self.fences += 1;
                self.before_fence.get_or_insert_with(|| (self.block.clone(), self.words));
            }
        } else if !self.block.line(line) && self.doubtful && !is_blank(line) {
            return false;
        } else if !is_blank(line) {
            self.doubtful = false;
        }
        self.words.add(words);
        self.lines += 1;
        true
    }

    /// The block, its words, and the words behind it.
    fn closed(self, by_mark: bool) -> (StatusBlock, Words, Words) {
        match self.before_fence {
            // Code blocks inside it come in pairs of fences.
            Some((block, words)) if !by_mark || self.fences % 2 == 1 => (block, words, self.words),
            _ => (self.block, self.words, Words::default()),
        }
    }
}

impl BlockReader {
    /// Whether a block is open, so that every line matters.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    /// Takes a line without its newline, and the completion words in it. Outside of blocks only lines that name
    /// `RALPH_STATUS` or hold such words need to come.
    pub fn line(&mut self, line: &[u8], words: Words) {
        let line = line.trim_ascii_end();
        let line: Cow<'_, str> = String::from_utf8_lossy(line.get(..LINE_READ).unwrap_or(line));
        let line = line.as_ref();
        let marker = marker(line);
        match (&mut self.state, marker) {
            (_, Some(Marker::Begin)) => {
                let doubtful = self.close(false);
                self.state = State::Marked(Marked { words, doubtful, ..Marked::default() });
            }
            (State::Marked(block), Some(Marker::End)) => {
                block.words.add(words);
                self.close(true);
            }
            (State::Marked(block), _) => {
                if !block.line(line, words) {
                    self.state = State::Outside;
                    self.words_outside.add(words);
                } else if block.lines > MAX_LINES {
                    self.close(false);
                }
            }
            (_, Some(Marker::Header)) => {
                self.close(true);
                self.state = State::Headed(StatusBlock::default(), words, 0, indent(line));
            }
            (State::Headed(block, seen, lines, header), None) => {
                *lines += 1;
                if *lines <= MAX_LINES && (is_blank(line) || indent(line) > *header) {
                    block.line(line);
                    seen.add(words);
                } else {
                    self.close(true);
                    self.words_outside.add(words);
                }
            }
            (State::Headed(..), Some(Marker::End)) => {
                self.close(true);
            }
            (State::Outside, _) => self.words_outside.add(words),
        }
    }

    /// Ends what is open; whether that was a block. One that no mark ends needs a key to be one.
    fn close(&mut self, by_mark: bool) -> bool {
        match std::mem::replace(&mut self.state, State::Outside) {
            State::Outside => false,
            State::Marked(marked) if by_mark || marked.block != StatusBlock::default() => {
                let (block, words, behind) = marked.closed(by_mark);
                self.complete(block, words);
                self.words_outside.add(behind);
                true
            }
            State::Headed(block, words, ..) if block != StatusBlock::default() => {
                self.complete(block, words);
                true
            }
            State::Marked(Marked { words, .. }) | State::Headed(_, words, ..) => {
                self.words_outside.add(words);
                false
            }
        }
    }

    fn complete(&mut self, block: StatusBlock, words: Words) {
        if block.is_template() {
            return;
        }
        // Only the last block's own words are no prose.
        let earlier = std::mem::replace(&mut self.words_of_last, words);
        self.words_outside.add(earlier);
        self.last = Some(block);
    }

    /// The words that are known to stand outside so far.
    #[must_use]
    pub fn words_outside(&self) -> Words {
        self.words_outside
    }

    /// At the end of the text.
    #[must_use]
    pub fn finish(mut self) -> Blocks {
        // A header's block needs no end, nor does one that a fence has ended.
        let ended = match &self.state {
            State::Outside | State::Headed(..) => true,
            State::Marked(marked) => marked.before_fence.is_some(),
        };
        let before = if ended { None } else { self.last.clone() };
        self.close(false);
        let closed = if ended { self.last.clone() } else { before };
        Blocks { last: self.last, closed, words_outside: self.words_outside }
    }
}

#[cfg(test)]
#[path = "block_tests.rs"]
mod tests;
