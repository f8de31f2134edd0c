//! A validating JSON reader fed with chunks: it never holds the document, nor recurses into it.
//!
//! It knows three shapes: one object, an array of objects, and objects one after another (stream-json). Each such
//! object is a message; its members' values are skipped, kept or passed on as the `Sink` says.

use super::stack::Stack;
use super::string_end::{StringEnd, may_follow_backslash, next_stop, string_end};

/// What to do with the value of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Only check that it is JSON.
    Skip,
    /// Pass its bytes to `Sink::value`.
    Keep,
    /// Pass a string's content on as it comes, to `Sink::text`, escapes unresolved; anything else as with `Keep`.
    Text,
}

/// Takes what the machine reads.
pub trait Sink {
    /// A message begins, in an array or on its own.
    fn begin(&mut self, in_array: bool);
    /// A member's key; keys of more than `MAX_KEY` bytes are skipped unasked.
    fn key(&mut self, key: &[u8]) -> Want;
    /// Further bytes of the value that is kept.
    fn value(&mut self, bytes: &[u8]);
    /// Further bytes of the string that is passed on. The first call for a value has `first` set.
    fn text(&mut self, raw: &[u8], first: bool);
    /// The message is complete.
    fn end(&mut self);
}

/// Bytes of the longest key that a sink is asked about.
pub const MAX_KEY: usize = 32;

/// The bytes are no JSON from here on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalid {
    /// The index in the chunk of the first byte that does not fit.
    pub at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Between top-level values.
    Top,
    Value,
    /// After `[`.
    ValueOrEnd,
    /// After `{`.
    KeyOrEnd,
    /// After a comma in an object.
    Key,
    Colon,
    /// After a value: a comma or the container's end.
    After,
    String {
        key: bool,
    },
    Escape {
        key: bool,
    },
    Number,
    /// Inside `true`, `false` or `null`: what is still to come.
    Literal(&'static [u8]),
}

/// The reader's state between chunks.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one position")]
pub struct Machine {
    state: State,
    stack: Stack,
    /// Containers around a message: one in an array, none else.
    base: Option<usize>,
    in_message: bool,
    want: Want,
    /// Whether the value being read belongs to the sink.
    passing: bool,
    text_begun: bool,
    key: Vec<u8>,
    key_too_long: bool,
    /// Top-level values begun.
    values: u64,
    members: u64,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            state: State::Top,
            stack: Stack::default(),
            base: None,
            in_message: false,
            want: Want::Skip,
            passing: false,
            text_begun: false,
            key: Vec::with_capacity(MAX_KEY),
            key_too_long: false,
            values: 0,
            members: 0,
        }
    }
}

impl Machine {
    /// Whether the input so far ends inside a value.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        self.state != State::Top
    }

    /// How many top-level values have begun.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.values
    }

    /// How many members of messages have begun.
    #[must_use]
    pub fn members(&self) -> u64 {
        self.members
    }

    /// Whether the first value was an array.
    #[must_use]
    pub fn is_array(&self) -> bool {
        self.base == Some(1)
    }

    /// Counts a value that nobody looked into.
    pub fn pass_over(&mut self) {
        self.values += 1;
    }

    /// Drops the value that is being read, to go on with the next one.
    pub fn abandon(&mut self) {
        self.state = State::Top;
        self.stack.clear();
        self.in_message = false;
        self.passing = false;
    }

    /// Reads a chunk.
    ///
    /// # Errors
    /// Where the bytes cannot be JSON. What was read before them has reached the sink.
    pub fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) -> Result<(), Invalid> {
        let mut at = 0;
        // Where the bytes of a kept value begin in this chunk.
        let mut kept_from = 0;
        while let Some(&byte) = chunk.get(at) {
            let invalid = Err(Invalid { at });
            match self.state {
                State::String { key } => {
                    at = self.string(chunk, at, key, kept_from, sink)?;
                    continue;
                }
                State::Escape { key } => {
                    if !may_follow_backslash(byte) {
                        return invalid;
                    }
                    self.string_content(&[byte], key, sink);
                    self.state = State::String { key };
                }
                State::Number if matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E') => {}
                State::Number => {
                    self.value_ends(chunk, kept_from, at, sink);
                    continue;
                }
                State::Literal(rest) => match rest.split_first() {
                    Some((&expected, rest)) if expected == byte => {
                        self.state = State::Literal(rest);
                        if rest.is_empty() {
                            self.value_ends(chunk, kept_from, at + 1, sink);
                        }
                    }
                    _ => return invalid,
                },
                _ if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') => {}
                State::Colon => {
                    if byte != b':' {
                        return invalid;
                    }
                    self.member(sink);
                    self.state = State::Value;
                }
                State::Key | State::KeyOrEnd if byte == b'"' => {
                    self.key.clear();
                    self.key_too_long = false;
                    self.state = State::String { key: true };
                }
                State::KeyOrEnd if byte == b'}' => self.close(chunk, kept_from, at, sink),
                State::After => match byte {
                    b',' => self.state = if self.stack.in_object() { State::Key } else { State::Value },
                    b'}' if self.stack.in_object() => self.close(chunk, kept_from, at, sink),
                    b']' if !self.stack.in_object() => self.close(chunk, kept_from, at, sink),
                    _ => return invalid,
                },
                State::ValueOrEnd if byte == b']' => self.close(chunk, kept_from, at, sink),
                State::Top | State::Value | State::ValueOrEnd => {
                    if self.want != Want::Skip && self.at_member() {
                        // Only a string can be passed on as it comes.
                        if self.want == Want::Text && byte != b'"' {
                            self.want = Want::Keep;
                        }
                        self.passing = true;
                        kept_from = at;
                    }
                    if !self.value_begins(byte, sink) {
                        return invalid;
                    }
                }
                State::Key | State::KeyOrEnd => return invalid,
            }
            at += 1;
        }
        if self.passing && self.keeps_bytes() {
            sink.value(chunk.get(kept_from..).unwrap_or_default());
        }
        Ok(())
    }

    fn message_depth(&self) -> usize {
        self.base.unwrap_or(0) + 1
    }

    /// Whether what comes is a member of the message itself, not of something inside it.
    fn at_member(&self) -> bool {
        self.in_message && self.stack.depth() == self.message_depth()
    }

    fn keeps_bytes(&self) -> bool {
        self.want == Want::Keep
    }

    /// Reads on inside a string, and returns where to go on.
    fn string(&mut self, chunk: &[u8], at: usize, key: bool, kept_from: usize, sink: &mut impl Sink) -> Result<usize, Invalid> {
        let read = key || (self.passing && self.want == Want::Text);
        let (stop, end) = if key { next_stop(chunk, at) } else { string_end(chunk, at) };
        if read {
            self.string_content(chunk.get(at..stop).unwrap_or_default(), key, sink);
        }
        match end {
            StringEnd::Chunk => return Ok(stop),
            StringEnd::Invalid => return Err(Invalid { at: stop }),
            StringEnd::Backslash => {
                self.string_content(b"\\", key, sink);
                self.state = State::Escape { key };
            }
            StringEnd::Quote if key => self.state = State::Colon,
            StringEnd::Quote => {
                if read && !self.text_begun {
                    sink.text(&[], true);
                }
                self.value_ends(chunk, kept_from, stop + 1, sink);
            }
        }
        Ok(stop + 1)
    }

    fn string_content(&mut self, content: &[u8], key: bool, sink: &mut impl Sink) {
        if key {
            if self.at_member() {
                let room = MAX_KEY.saturating_sub(self.key.len());
                self.key_too_long |= content.len() > room;
                self.key.extend_from_slice(content.get(..room).unwrap_or(content));
            }
        } else if self.passing && self.want == Want::Text && !content.is_empty() {
            sink.text(content, !self.text_begun);
            self.text_begun = true;
        }
    }

    /// A key is complete: if it is the message's own, the sink says what its value is for.
    fn member(&mut self, sink: &mut impl Sink) {
        if self.at_member() {
            self.members += 1;
            self.want = if self.key_too_long { Want::Skip } else { sink.key(&self.key) };
            self.text_begun = false;
        }
    }

    fn value_begins(&mut self, byte: u8, sink: &mut impl Sink) -> bool {
        let top = self.state == State::Top;
        if top && !matches!(byte, b'{' | b'[') {
            return false;
        }
        match byte {
            b'{' | b'[' => {
                let object = byte == b'{';
                if top {
                    self.values += 1;
                    self.base.get_or_insert(usize::from(!object));
                }
                if object && !self.in_message && self.base == Some(self.stack.depth()) {
                    self.in_message = true;
                    sink.begin(self.base == Some(1));
                }
                self.stack.push(object);
                self.state = if object { State::KeyOrEnd } else { State::ValueOrEnd };
            }
            b'"' => self.state = State::String { key: false },
            b'-' | b'0'..=b'9' => self.state = State::Number,
            b't' => self.state = State::Literal(b"rue"),
            b'f' => self.state = State::Literal(b"alse"),
            b'n' => self.state = State::Literal(b"ull"),
            _ => return false,
        }
        true
    }

    fn close(&mut self, chunk: &[u8], kept_from: usize, at: usize, sink: &mut impl Sink) {
        let message = self.at_member();
        self.stack.pop();
        if message {
            self.in_message = false;
            sink.end();
        }
        self.value_ends(chunk, kept_from, at + 1, sink);
    }

    /// A value ends before `end`.
    fn value_ends(&mut self, chunk: &[u8], kept_from: usize, end: usize, sink: &mut impl Sink) {
        if self.passing && self.at_member() {
            if self.keeps_bytes() {
                sink.value(chunk.get(kept_from..end).unwrap_or_default());
            }
            self.passing = false;
        }
        self.state = if self.stack.depth() == 0 { State::Top } else { State::After };
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
