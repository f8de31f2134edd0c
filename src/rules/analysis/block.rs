//! The `RALPH_STATUS` block: what Claude itself says about the loop.
//!
//! Two notations, both of Ralph v0.11 (its prompt template and issue reports): `---RALPH_STATUS---` to
//! `---END_RALPH_STATUS---`, and a `RALPH_STATUS:` header above its keys. The last complete block counts.

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
        self.template
            && self.status.is_none()
            && self.exit_signal.is_none()
            && self.work_type.is_none()
            && self.files_modified.is_none()
    }

    /// Takes `key: value`; false where the line is no such thing or the key is none of a block's.
    fn line(&mut self, line: &str) -> bool {
        let Some((key, value)) = line.split_once(':') else { return false };
        let key = key.trim_matches(|c| c == '-' || DECORATION.contains(&c)).to_ascii_uppercase();
        if !KEYS.contains(&key.as_str()) {
            return false;
        }
        let value = value.trim_matches(AROUND_VALUE);
        if FREE_TEXT.contains(&key.as_str()) || value.is_empty() {
            return true;
        }
        if is_template_value(&key, value) {
            self.template = true;
            return true;
        }
        // Bash takes the second of the fields between colons.
        let value = value.split(':').next().unwrap_or_default().trim_matches(AROUND_VALUE);
        match key.as_str() {
            "STATUS" => self.status = Some(value.to_ascii_uppercase()),
            "EXIT_SIGNAL" => self.exit_signal = Some(value.eq_ignore_ascii_case("true")),
            "WORK_TYPE" => self.work_type = Some(value.to_ascii_uppercase()),
            "FILES_MODIFIED" => self.files_modified = Some(count(value)),
            _ => {}
        }
        true
    }
}

/// The keys of Ralph's prompt template.
const KEYS: [&str; 7] =
    ["STATUS", "EXIT_SIGNAL", "WORK_TYPE", "FILES_MODIFIED", "TESTS_STATUS", "TASKS_COMPLETED_THIS_LOOP", "RECOMMENDATION"];

/// Keys whose value is prose, in which a bar is a bar.
const FREE_TEXT: [&str; 1] = ["RECOMMENDATION"];

/// What may stand around keys and markers: space, CR, a byte order mark, Markdown's bold, code and quote marks.
const DECORATION: [char; 9] = [' ', '\t', '\r', '\u{feff}', '*', '`', '"', '\'', '>'];

/// What may stand around values. Not `>`: it ends `<number>`.
const AROUND_VALUE: [char; 7] = [' ', '\t', '\r', '*', '`', '"', '\''];

/// The choices of the keys that are weighed, to tell a list of them from a value.
const CHOICES: &[(&str, &[&str])] = &[
    ("STATUS", &["IN_PROGRESS", "COMPLETE", "BLOCKED"]),
    ("EXIT_SIGNAL", &["TRUE", "FALSE"]),
    ("WORK_TYPE", &["IMPLEMENTATION", "TESTING", "DOCUMENTATION", "REFACTORING", "DEBUGGING"]),
];

/// What a template puts around the name of a value: `<number>`, `[number]`.
const BRACKETS: [(char, char); 3] = [('<', '>'), ('[', ']'), ('{', '}')];

/// Whether it is what the template says in place of a value: `a | b`, `<number>`, `true/false`, `false or true`.
fn is_template_value(key: &str, value: &str) -> bool {
    let bracketed = BRACKETS.iter().any(|(open, close)| value.starts_with(*open) && value.ends_with(*close));
    value.contains('|') || bracketed || lists_choices(key, value)
}

fn lists_choices(key: &str, value: &str) -> bool {
    let Some((_, choices)) = CHOICES.iter().find(|(of, _)| *of == key) else { return false };
    let value = value.to_ascii_uppercase().replace(" OR ", "/");
    value.contains(['/', ',']) && value.split(['/', ',']).all(|choice| choices.contains(&choice.trim_matches(AROUND_VALUE)))
}

/// A whole number; one that no `u64` holds is its greatest, to be brought into range by whoever weighs it.
fn count(value: &str) -> Result<u64, String> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    value.parse().or_else(|_| if digits { Ok(u64::MAX) } else { Err(value.to_owned()) })
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

#[derive(Debug, Clone)]
enum State {
    Outside,
    /// Between the markers.
    Marked(StatusBlock, Words, u32),
    /// Below a header indented by so many bytes.
    Headed(StatusBlock, Words, u32, usize),
}

/// Follows the lines of a text and keeps the last complete block.
#[derive(Debug, Clone)]
pub struct BlockReader {
    state: State,
    last: Option<StatusBlock>,
    words_of_last: Words,
    words_outside: Words,
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

fn marker(line: &str) -> Option<Marker> {
    let bare = line.trim_matches(DECORATION);
    [("---RALPH_STATUS---", Marker::Begin), ("---END_RALPH_STATUS---", Marker::End), ("RALPH_STATUS:", Marker::Header)]
        .into_iter()
        .find_map(|(text, marker)| bare.eq_ignore_ascii_case(text).then_some(marker))
}

/// Quote marks count as space.
const INDENT: [char; 3] = [' ', '\t', '>'];

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(INDENT).len()
}

fn is_blank(line: &str) -> bool {
    line.trim_start_matches(INDENT).trim().is_empty()
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
                self.close(false);
                self.state = State::Marked(StatusBlock::default(), words, 0);
            }
            (State::Marked(_, seen, _), Some(Marker::End)) => {
                seen.add(words);
                self.close(true);
            }
            (State::Marked(block, seen, lines), _) => {
                seen.add(words);
                block.line(line);
                *lines += 1;
                if *lines > MAX_LINES {
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
            (State::Headed(..), Some(Marker::End)) => self.close(true),
            (State::Outside, _) => self.words_outside.add(words),
        }
    }

    /// Ends what is open. A marked block is complete only with its end marker.
    fn close(&mut self, marked_is_complete: bool) {
        match std::mem::replace(&mut self.state, State::Outside) {
            State::Outside => {}
            State::Marked(block, words, _) if marked_is_complete => self.complete(block, words),
            State::Headed(block, words, ..) if block != StatusBlock::default() => self.complete(block, words),
            State::Marked(_, words, _) | State::Headed(_, words, ..) => self.words_outside.add(words),
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

    /// At the end of the text: the last complete block, and the completion words outside it and outside templates.
    #[must_use]
    pub fn finish(mut self) -> (Option<StatusBlock>, Words) {
        // A header's block needs no end; a marked one without its end is none.
        let headed = matches!(self.state, State::Headed(..));
        self.close(headed);
        (self.last, self.words_outside)
    }
}

#[cfg(test)]
#[path = "block_tests.rs"]
mod tests;
