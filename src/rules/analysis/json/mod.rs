//! Output in JSON: one object, an array of messages, or stream-json, read in one pass and bounded memory.

pub mod last;
pub mod machine;
pub mod message;
pub mod report;
mod shorten;
mod stack;
mod string_end;
pub mod unescape;
mod value;

use super::needles::Groups;
use machine::Machine;
use memchr::memchr;
use message::{Finished, Messages, Origin};

/// How far the bytes so far are JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verdict {
    /// They may still turn out to be text.
    #[default]
    Open,
    /// They are messages, whatever comes.
    Json,
    /// They are text.
    Text,
}

/// Bytes of valid JSON after which an output is JSON even if it ends early (bash's
/// `RALPH_JSONL_SAFE_MAX_BYTES`, Ralph issue 250).
const CERTAIN_AFTER: u64 = 1 << 20;

/// Lines of text around JSON beyond which the whole is text. Bash merges what Claude Code writes to its standard error, such
/// as a warning of Node's, with the JSON.
const NOISE_LINES: u64 = 16;

/// Reads an output that may be JSON.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about what was read")]
pub struct JsonReader {
    machine: Machine,
    messages: Messages,
    read: u64,
    /// Bytes of a byte order mark at the beginning.
    bom: usize,
    verdict: Verdict,
    /// Inside a line that is no JSON.
    skipping: bool,
    bad_lines: u64,
    /// Lines were no JSON before anything was known to be messages: then only what is sound and Claude's own is JSON.
    noise: bool,
    /// How many of them came before the first value.
    noise_before: u64,
    /// One of them is a fence: what is between fences is somebody's example.
    fence: bool,
    /// The first bytes of the line that is skipped.
    skipped: Vec<u8>,
    /// The line of a stream so far.
    line: Vec<u8>,
    /// Whether the last bytes read do not end with a line.
    in_line: bool,
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

/// Bytes of a line in a stream up to which it is looked at as a whole.
const LINE_KEPT: usize = 256 << 10;

/// What a code block begins with.
const FENCES: [&[u8]; 2] = [b"```", b"~~~"];

const BOM: &[u8] = b"\xEF\xBB\xBF";

impl JsonReader {
    /// Nothing read yet; `wanted` is what to look for in a result's text.
    #[must_use]
    pub fn new(wanted: Groups) -> Self {
        Self { messages: Messages::new(wanted), ..Self::default() }
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, chunk: &[u8]) -> Verdict {
        // The decision falls at the same byte however the output is cut.
        let until = usize::try_from(CERTAIN_AFTER.saturating_sub(self.read)).unwrap_or(usize::MAX);
        match chunk.split_at_checked(until) {
            Some((before, after)) if !before.is_empty() && !after.is_empty() => {
                self.feed_part(before);
                self.feed_part(after)
            }
            _ => self.feed_part(chunk),
        }
    }

    fn feed_part(&mut self, chunk: &[u8]) -> Verdict {
        let mut rest = self.without_bom(chunk);
        self.read += (chunk.len() - rest.len()) as u64;
        // Line by line, for in a stream most lines are of no use; but of an array, or where a line does not end, all there is.
        while !rest.is_empty() && self.verdict != Verdict::Text {
            let whole = if self.machine.is_array() { rest.len() } else { memchr(b'\n', rest).map_or(0, |newline| newline + 1) };
            let (line, after) = rest.split_at(if whole == 0 { rest.len() } else { whole });
            rest = after;
            let goes_on = std::mem::replace(&mut self.in_line, whole == 0);
            if !self.is_certain_stream() || self.skipping || (goes_on && self.line.is_empty()) {
                self.read_closely(line);
            } else if whole == 0 && self.line.len() + line.len() <= LINE_KEPT {
                self.line.extend_from_slice(line);
            } else if self.line.is_empty() {
                self.stream_line(line, whole > 0);
            } else {
                let mut begun = std::mem::take(&mut self.line);
                begun.extend_from_slice(line);
                self.stream_line(&begun, whole > 0);
                begun.clear();
                self.line = begun;
            }
        }
        self.read += rest.len() as u64;
        if self.read == CERTAIN_AFTER {
            self.decide();
        }
        self.verdict
    }

    /// Whether lines are messages, whatever comes.
    fn is_certain_stream(&self) -> bool {
        self.verdict == Verdict::Json && !self.machine.is_array() && self.messages.is_stream() == Some(true)
    }

    /// A line of a stream, or the beginning of one that is long.
    fn stream_line(&mut self, line: &[u8], whole: bool) {
        if self.machine.is_inside() && line.starts_with(message::TYPE_FIRST) {
            // The message before it was never written to its end.
            self.bad_lines += 1;
            self.machine.abandon();
        }
        if !self.machine.is_inside() && whole && line.len() <= LINE_KEPT && self.messages.skims(line) {
            self.machine.pass_over();
            self.read += line.len() as u64;
        } else {
            self.read_closely(line);
        }
    }

    fn read_closely(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        let end = self.read + bytes.len() as u64;
        while self.verdict != Verdict::Text {
            if self.skipping {
                self.note_fence(rest);
                let Some(newline) = memchr(b'\n', rest) else { break };
                rest = rest.get(newline + 1..).unwrap_or_default();
                self.skipping = false;
            }
            let fed = self.machine.feed(rest, &mut self.messages);
            // The same position decides wherever the chunks end.
            let left = fed.map_or_else(|invalid| rest.get(invalid.at..).unwrap_or_default(), |()| &[]);
            self.read = end - left.len() as u64;
            self.decide();
            if fed.is_ok() {
                break;
            }
            if self.verdict == Verdict::Open {
                self.step_over_noise();
            }
            // Around a document and between a stream's messages another program may have written.
            let document = self.machine.is_array() || self.messages.is_stream() != Some(true);
            self.broken |= document && self.machine.is_inside();
            self.bad_lines += 1;
            self.machine.abandon();
            self.skipping = true;
            self.skipped.clear();
            rest = left;
        }
        self.read = end;
    }

    /// Looks at the beginning of a line that is skipped, which may come in pieces.
    fn note_fence(&mut self, bytes: &[u8]) {
        let missing = FENCES[0].len().saturating_sub(self.skipped.len());
        self.skipped.extend_from_slice(bytes.get(..missing).unwrap_or(bytes));
        self.fence |= FENCES.contains(&self.skipped.as_slice());
    }

    /// At a byte that cannot be JSON, where nothing says yet what the output is.
    fn step_over_noise(&mut self) {
        let nothing_yet = self.machine.members() == 0;
        if self.bad_lines >= NOISE_LINES || self.read >= CERTAIN_AFTER || (self.machine.is_inside() && !nothing_yet) {
            self.verdict = Verdict::Text;
        } else if nothing_yet {
            // It may have looked like an array: `[12:00:01] …`.
            self.machine = Machine::default();
            self.messages = Messages::new(self.messages.wanted());
            self.noise_before += 1;
        }
        self.noise = true;
    }

    /// The chunk without its part of a byte order mark. A part of one alone begins no JSON.
    fn without_bom<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let mut rest = chunk;
        if self.read == self.bom as u64 {
            while let (Some((first, after)), Some(expected)) = (rest.split_first(), BOM.get(self.bom))
                && first == expected
            {
                self.bom += 1;
                rest = after;
            }
            if !rest.is_empty() && (1..BOM.len()).contains(&self.bom) {
                self.verdict = Verdict::Text;
            }
        }
        rest
    }

    /// Whether what was read so far can no longer turn out to be text.
    fn decide(&mut self) {
        if self.noise {
            // Two readers may not both go on with what may be one long line.
            if self.verdict == Verdict::Open && self.read >= CERTAIN_AFTER {
                self.verdict = if self.messages.has_stream_type() { Verdict::Json } else { Verdict::Text };
            }
            return;
        }
        // A result that comes first may be quoted by a text.
        let messages = self.messages.is_stream() == Some(true) && !self.messages.first_is_result();
        let long = self.read > CERTAIN_AFTER && self.machine.members() > 0;
        if self.verdict == Verdict::Open && (messages || long) {
            self.verdict = Verdict::Json;
        }
    }

    /// At the end of the output; `None` where it is text. `reports`: as a text it has a status block of its own.
    #[must_use]
    pub fn finish(mut self, reports: bool) -> Option<JsonOutput> {
        let last = std::mem::take(&mut self.line);
        self.read_closely(&last);
        let cut = self.machine.is_inside() || self.broken;
        let complete = !cut && self.machine.values() > 0;
        // One that ends early is JSON where it looks like an object's beginning.
        let is_json = match self.verdict {
            Verdict::Json => true,
            Verdict::Text => false,
            Verdict::Open if self.noise => {
                let one_side = self.noise_before == 0 || self.noise_before == self.bad_lines;
                let whose = match self.messages.origin() {
                    Origin::Claude => true,
                    Origin::Likely => one_side,
                    Origin::Anybody => false,
                };
                complete && whose && !self.fence && !reports
            }
            Verdict::Open => complete || self.machine.members() > 0,
        };
        if !is_json {
            return None;
        }
        let alone = self.machine.values() <= 1 && (self.bad_lines == 0 || self.noise);
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
