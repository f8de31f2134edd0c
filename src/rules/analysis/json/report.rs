//! The texts of an output in JSON, and the message that speaks for it.

use serde_json::{Map, Value};

use super::super::text::{RESULT_GROUPS, TextFacts, TextScanner};
use super::unescape::Unescape;
use super::value;

/// Bytes kept of a result's text for `work_summary`; it is read to its end all the same.
const TEXT_KEPT: usize = 1 << 20;
/// The text of a result as it comes.
pub(super) struct ResultText {
    unescape: Unescape,
    scanner: TextScanner,
    kept: Vec<u8>,
    cut: bool,
}

impl ResultText {
    /// Nothing yet.
    pub(super) fn new() -> Self {
        Self { unescape: Unescape::default(), scanner: TextScanner::new(RESULT_GROUPS), kept: Vec::new(), cut: false }
    }

    fn take(scanner: &mut TextScanner, kept: &mut Vec<u8>, cut: &mut bool, bytes: &[u8]) {
        scanner.feed(bytes);
        let room = TEXT_KEPT.saturating_sub(kept.len());
        *cut |= bytes.len() > room;
        kept.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    /// Takes further content of the string, escapes unresolved.
    pub(super) fn feed(&mut self, raw: &[u8]) {
        let Self { unescape, scanner, kept, cut } = self;
        unescape.feed(raw, &mut |bytes| Self::take(scanner, kept, cut, bytes));
    }

    /// At the end of the string.
    pub(super) fn finish(mut self) -> ReadText {
        let Self { unescape, scanner, kept, cut } = &mut self;
        unescape.finish(&mut |bytes| Self::take(scanner, kept, cut, bytes));
        ReadText { facts: self.scanner.finish(), text: String::from_utf8_lossy(&self.kept).into_owned(), cut: self.cut }
    }
}

/// A text that was read: its facts, and the text itself up to 1 MiB.
#[derive(Debug, Clone, Default)]
pub struct ReadText {
    /// What it says.
    pub facts: TextFacts,
    /// Its beginning.
    pub text: String,
    /// Whether there was more of it.
    pub cut: bool,
}

impl ReadText {
    /// Reads a text that is at hand.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut read = ResultText::new();
        ResultText::take(&mut read.scanner, &mut read.kept, &mut read.cut, text.as_bytes());
        read.finish()
    }
}

/// The message that speaks for the whole output.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Its members, those that are read.
    pub members: Map<String, Value>,
    /// Its `result`, where that is a text.
    pub text: Option<ReadText>,
}

impl Report {
    /// Whether it has a `result`, of whatever type.
    #[must_use]
    pub fn has_result(&self) -> bool {
        self.text.is_some() || self.members.contains_key("result")
    }

    /// A member; null where there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> &Value {
        self.members.get(name).unwrap_or(&Value::Null)
    }
}

/// The text blocks of an assistant's message, a line each; `None` where there is none.
pub(super) fn assistant_text(message: &[u8]) -> Option<String> {
    let (message, _) = value::read(message)?;
    let content = message.get("content")?;
    if let Some(text) = content.as_str() {
        return (!text.is_empty()).then(|| text.to_owned());
    }
    let texts: Vec<&str> = content
        .as_array()?
        .iter()
        .filter(|block| block.get("type").is_some_and(|kind| kind == "text"))
        .filter_map(|block| block.get("text")?.as_str())
        .filter(|text| !text.is_empty())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
