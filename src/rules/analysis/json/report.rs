//! The texts of an output in JSON, and the message that speaks for it.

use serde_json::{Map, Value};

use super::super::controls::Controls;
use super::super::needles::Groups;
use super::super::text::{TextFacts, TextScanner};
use super::unescape::Unescape;
use super::value;

/// Bytes kept of a result's text for `work_summary`; it is read to its end all the same.
const TEXT_KEPT: usize = 1 << 20;
/// Bytes of escaped text that are taken at a time: a text with many escapes comes in small pieces.
const TAKEN: usize = 32 << 10;

/// The text of a result as it comes.
pub(super) struct ResultText {
    raw: Vec<u8>,
    unescape: Unescape,
    text: Vec<u8>,
    controls: Controls,
    read: Reading,
}

/// What is read of a text without escapes and control sequences.
struct Reading {
    scanner: TextScanner,
    kept: Vec<u8>,
    cut: bool,
}

impl Reading {
    fn take(&mut self, bytes: &[u8]) {
        self.scanner.feed(bytes);
        let room = TEXT_KEPT.saturating_sub(self.kept.len());
        self.cut |= bytes.len() > room;
        self.kept.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }
}

impl ResultText {
    /// Nothing yet; `wanted` is what to look for.
    pub(super) fn new(wanted: Groups) -> Self {
        let read = Reading { scanner: TextScanner::new(wanted), kept: Vec::new(), cut: false };
        Self { raw: Vec::new(), unescape: Unescape::default(), text: Vec::new(), controls: Controls::default(), read }
    }

    /// Takes further content of the string, escapes unresolved.
    pub(super) fn feed(&mut self, raw: &[u8]) {
        if self.raw.is_empty() && raw.len() >= TAKEN {
            self.resolve(raw);
        } else {
            self.raw.extend_from_slice(raw);
            if self.raw.len() >= TAKEN {
                let mut raw = std::mem::take(&mut self.raw);
                self.resolve(&raw);
                raw.clear();
                self.raw = raw;
            }
        }
    }

    fn resolve(&mut self, raw: &[u8]) {
        let Self { unescape, text, .. } = self;
        unescape.feed(raw, &mut |bytes| text.extend_from_slice(bytes));
        self.pass();
    }

    fn pass(&mut self) {
        let Self { text, controls, read, .. } = self;
        controls.feed(text, &mut |bytes| read.take(bytes));
        text.clear();
    }

    /// At the end of the string.
    pub(super) fn finish(mut self) -> ReadText {
        let raw = std::mem::take(&mut self.raw);
        self.resolve(&raw);
        let Self { unescape, text, .. } = &mut self;
        unescape.finish(&mut |bytes| text.extend_from_slice(bytes));
        self.pass();
        let Self { controls, mut read, .. } = self;
        controls.finish(&mut |bytes| read.take(bytes));
        ReadText { facts: read.scanner.finish(), text: String::from_utf8_lossy(&read.kept).into_owned(), cut: read.cut }
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
    pub fn of(text: &str, wanted: Groups) -> Self {
        let mut read = ResultText::new(wanted);
        read.text.extend_from_slice(text.as_bytes());
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
    // All of a message, or what is in it.
    let content = message.get("message").unwrap_or(&message).get("content")?;
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
