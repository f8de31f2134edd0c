//! Output in JSON: one object, an array of messages, or stream-json, read in one pass and bounded memory.

pub mod machine;
pub mod message;
pub mod unescape;

use machine::Machine;
use memchr::memchr;
use message::{Finished, Messages};

/// How far the bytes so far are JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They may still turn out to be text.
    Open,
    /// They are messages, whatever comes.
    Json,
    /// They are text.
    Text,
}

/// Bytes of valid JSON after which an output is JSON even if it ends early (bash's
/// `RALPH_JSONL_SAFE_MAX_BYTES`, Ralph issue 250).
const CERTAIN_AFTER: u64 = 1 << 20;

/// Reads an output that may be JSON.
#[derive(Default)]
pub struct JsonReader {
    machine: Machine,
    messages: Messages,
    read: u64,
    verdict: Option<Verdict>,
    /// Inside a line that is no JSON.
    skipping: bool,
    bad_lines: u64,
    /// A document, not a stream, stopped being JSON.
    broken: bool,
}

/// What there was to read.
#[derive(Debug)]
pub struct JsonOutput {
    /// Whether it was a stream of messages rather than one document.
    pub stream: bool,
    /// Whether it ends in the middle of a message.
    pub cut: bool,
    /// Lines that were no JSON.
    pub bad_lines: u64,
    /// The messages.
    pub messages: Finished,
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

impl JsonReader {
    /// Takes the next bytes.
    pub fn feed(&mut self, chunk: &[u8]) -> Verdict {
        if self.verdict == Some(Verdict::Text) {
            return Verdict::Text;
        }
        let mut rest = if self.read == 0 { chunk.strip_prefix(BOM).unwrap_or(chunk) } else { chunk };
        self.read += chunk.len() as u64;
        loop {
            if self.skipping {
                let Some(newline) = memchr(b'\n', rest) else { return self.verdict() };
                rest = rest.get(newline + 1..).unwrap_or_default();
                self.skipping = false;
            }
            let Err(invalid) = self.machine.feed(rest, &mut self.messages) else { return self.verdict() };
            // After a first message of a stream a line that is none is only that: another process wrote in between.
            let in_stream = !self.machine.is_array() && self.messages.is_stream() == Some(true);
            if !in_stream && self.verdict != Some(Verdict::Json) {
                self.verdict = Some(Verdict::Text);
                return Verdict::Text;
            }
            self.verdict = Some(Verdict::Json);
            self.broken |= !in_stream;
            self.bad_lines += 1;
            self.machine.abandon();
            self.skipping = true;
            rest = rest.get(invalid.at..).unwrap_or_default();
        }
    }

    fn verdict(&mut self) -> Verdict {
        let certain = self.read > CERTAIN_AFTER && self.machine.members() > 0
            || (self.messages.is_stream() == Some(true) && (self.machine.is_array() || self.machine.values() > 1));
        if certain {
            self.verdict = Some(Verdict::Json);
        }
        self.verdict.unwrap_or(Verdict::Open)
    }

    /// At the end of the output; `None` where it is text.
    #[must_use]
    pub fn finish(self) -> Option<JsonOutput> {
        let cut = self.machine.is_inside() || self.broken;
        let complete = !cut && self.machine.values() > 0;
        // One that ends early is JSON where it looks like an object's beginning.
        let is_json = match self.verdict {
            Some(Verdict::Json) => true,
            Some(Verdict::Text) => false,
            _ => complete || self.machine.members() > 0,
        };
        if !is_json {
            return None;
        }
        let alone = self.machine.values() <= 1 && self.bad_lines == 0;
        let stream = !self.machine.is_array()
            && if alone {
                match self.messages.is_stream() {
                    Some(stream) => stream && !self.messages.first_is_result(),
                    None => self.messages.is_in_stream_message(),
                }
            } else {
                self.messages.is_stream() == Some(true)
            };
        Some(JsonOutput { stream, cut, bad_lines: self.bad_lines, messages: self.messages.finish() })
    }
}
