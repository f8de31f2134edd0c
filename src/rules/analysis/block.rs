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
        // Bash takes the second of the fields between colons.
        let value = value.trim_matches(DECORATION);
        if FREE_TEXT.contains(&key.as_str()) || value.is_empty() {
            return true;
        }
        if is_template_value(value) {
            self.template = true;
            return true;
        }
        let value = value.split(':').next().unwrap_or_default().trim_matches(DECORATION);
        match key.as_str() {
            "STATUS" => self.status = Some(value.to_ascii_uppercase()),
            "EXIT_SIGNAL" => self.exit_signal = Some(value.eq_ignore_ascii_case("true")),
            "WORK_TYPE" => self.work_type = Some(value.to_ascii_uppercase()),
            "FILES_MODIFIED" => self.files_modified = Some(value.parse().map_err(|_| value.to_owned())),
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

/// What may stand around keys, values and markers: space, CR, Markdown's bold, code and quote marks.
const DECORATION: [char; 8] = [' ', '\t', '\r', '*', '`', '"', '\'', '>'];

fn is_template_value(value: &str) -> bool {
    value.contains('|') || (value.starts_with('<') && value.ends_with('>')) || (value.starts_with('[') && value.ends_with(']'))
}

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
    Headed(StatusBlock, Words, usize),
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

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
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
        let line: Cow<'_, str> = String::from_utf8_lossy(line);
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
                self.state = State::Headed(StatusBlock::default(), words, indent(line));
            }
            (State::Headed(block, seen, header), None) => {
                if block.line(line) || (indent(line) > *header && !line.trim().is_empty()) {
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
            State::Headed(block, words, _) if block != StatusBlock::default() => self.complete(block, words),
            State::Marked(_, words, _) | State::Headed(_, words, _) => self.words_outside.add(words),
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
mod tests {
    use super::*;

    fn read(text: &str) -> Option<StatusBlock> {
        let mut reader = BlockReader::default();
        for line in text.split('\n') {
            reader.line(line.as_bytes(), Words::default());
        }
        reader.finish().0
    }

    fn exit(text: &str) -> Option<bool> {
        read(text).and_then(|block| block.exit_signal)
    }

    #[test]
    fn notations_of_the_same_signal() {
        for text in [
            "---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---",
            "---RALPH_STATUS---\r\nEXIT_SIGNAL: true\r\n---END_RALPH_STATUS---\r",
            "---RALPH_STATUS---\n**EXIT_SIGNAL:** true\n---END_RALPH_STATUS---",
            "**---RALPH_STATUS---**\n**EXIT_SIGNAL**: **true**\n**---END_RALPH_STATUS---**",
            "---RALPH_STATUS---\nexit_signal: True\n---END_RALPH_STATUS---",
            "---RALPH_STATUS---\n- EXIT_SIGNAL: `true`\n---END_RALPH_STATUS---",
            "```\n---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n```",
            "RALPH_STATUS:\n  EXIT_SIGNAL: true\n  reason: \"x\"",
            "prose\n  RALPH_STATUS:\n    EXIT_SIGNAL: true\nprose",
        ] {
            assert_eq!(exit(text), Some(true), "{text}");
        }
    }

    #[test]
    fn the_last_complete_block_counts() {
        let block = |value: &str| format!("---RALPH_STATUS---\nEXIT_SIGNAL: {value}\n---END_RALPH_STATUS---\n");
        assert_eq!(exit(&(block("false") + &block("true"))), Some(true));
        assert_eq!(exit(&(block("true") + &block("false"))), Some(false));
        assert_eq!(exit(&(block("false") + "---RALPH_STATUS---\nEXIT_SIGNAL: true")), Some(false));
        assert_eq!(exit(&(block("false | true") + &block("true"))), Some(true));
        assert_eq!(exit(&(block("true") + &block("false | true"))), Some(true));
        assert_eq!(exit(&block("false | true")), None);
        assert_eq!(exit("---RALPH_STATUS---\n---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---"), Some(true));
    }

    #[test]
    fn only_whole_keys_inside_a_block() {
        assert_eq!(read("STATUS: COMPLETE\nEXIT_SIGNAL: true"), None);
        assert_eq!(read("see RALPH_STATUS: below\nEXIT_SIGNAL: true"), None);
        let block = read("---RALPH_STATUS---\nTESTS_STATUS: COMPLETE\nMY_EXIT_SIGNAL: true\n---END_RALPH_STATUS---").unwrap();
        assert_eq!((block.status, block.exit_signal), (None, None));
        assert_eq!(exit("---RALPH_STATUS---\nEXIT_SIGNAL: maybe\n---END_RALPH_STATUS---"), Some(false));
        assert_eq!(exit("---RALPH_STATUS---\nEXIT_SIGNAL:\n---END_RALPH_STATUS---"), None);
    }

    #[test]
    fn values() {
        let block = read(
            "---RALPH_STATUS---\nSTATUS: complete\nWORK_TYPE: Testing\nFILES_MODIFIED: 08\nRECOMMENDATION: a | b\n---END_RALPH_STATUS---",
        )
        .unwrap();
        assert!(block.is_complete());
        assert_eq!(block.work_type.as_deref(), Some("TESTING"));
        assert_eq!(block.files_modified, Some(Ok(8)));
        let block = read("---RALPH_STATUS---\nFILES_MODIFIED: three\n---END_RALPH_STATUS---").unwrap();
        assert_eq!(block.files_modified, Some(Err("three".to_owned())));
    }

    #[test]
    fn words_count_outside_the_last_block_and_outside_templates() {
        let done = Words { completion: true, no_work: false };
        let outside = |lines: &[&str]| {
            let mut reader = BlockReader::default();
            for line in lines {
                let words = if line.to_lowercase().contains("complete") { done } else { Words::default() };
                reader.line(line.as_bytes(), words);
            }
            reader.finish().1.completion
        };
        let (begin, end) = ("---RALPH_STATUS---", "---END_RALPH_STATUS---");
        assert!(!outside(&[begin, "STATUS: COMPLETE", end]));
        assert!(!outside(&[begin, "STATUS: IN_PROGRESS | COMPLETE", end]));
        assert!(outside(&["all complete", begin, "STATUS: COMPLETE", end]));
        assert!(outside(&[begin, "STATUS: COMPLETE"]));
        assert!(outside(&[begin, "STATUS: COMPLETE", end, begin, "STATUS: BLOCKED", end]));
        assert!(!outside(&["RALPH_STATUS:", "  STATUS: COMPLETE"]));
    }
}
