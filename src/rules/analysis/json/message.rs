//! What is kept of the messages of an output: the last result, and what stands in where there is none.

use std::sync::LazyLock;

use memchr::memmem;
use serde_json::{Map, Value};

use super::machine::{Sink, Want};
use super::report::{Report, ResultText, assistant_text};
use super::shorten::Shortener;
use super::value;

/// Bytes kept of any other member as they are. Of a longer one the long strings, or its end, are cut.
const MEMBER_KEPT: usize = 4 << 20;

/// Which messages a member is of use in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    /// All.
    Any,
    /// `type: result`, and objects that are no message of a stream.
    Result,
    /// `type: system` as well.
    SystemToo,
    /// `type: assistant`.
    Assistant,
    /// `type: rate_limit_event`.
    RateLimit,
}

/// The members that are read, and where. The first three are named below.
const MEMBERS: &[(&str, Of)] = &[
    ("type", Of::Any),
    ("result", Of::Result),
    ("message", Of::Assistant),
    ("subtype", Of::SystemToo),
    ("session_id", Of::SystemToo),
    ("sessionId", Of::Result),
    ("is_error", Of::Result),
    ("errors", Of::Result),
    ("status", Of::Result),
    ("exit_signal", Of::Result),
    ("work_type", Of::Result),
    ("files_modified", Of::Result),
    ("error_count", Of::Result),
    ("summary", Of::Result),
    ("confidence", Of::Result),
    ("permission_denials", Of::Result),
    ("usage", Of::Result),
    ("modelUsage", Of::Result),
    ("model_usage_since_last_result", Of::Result),
    ("metadata", Of::Result),
    ("rate_limit_info", Of::RateLimit),
    ("parent_tool_use_id", Of::Assistant),
];
const TYPE: usize = 0;
const RESULT: usize = 1;
const MESSAGE: usize = 2;

/// A message's kind, by its `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Not (yet) known: no `type`, or one that no stream has.
    Unknown,
    Result,
    System,
    Assistant,
    RateLimit,
    /// Another message of a stream, of no use here.
    Other,
}

/// The types of messages in Claude Code's streams, as raw JSON.
const TYPES: &[(&[u8], Kind)] = &[
    (b"\"result\"", Kind::Result),
    (b"\"system\"", Kind::System),
    (b"\"assistant\"", Kind::Assistant),
    (b"\"rate_limit_event\"", Kind::RateLimit),
    (b"\"user\"", Kind::Other),
    (b"\"stream_event\"", Kind::Other),
    (b"\"tool_progress\"", Kind::Other),
    (b"\"tool_use_summary\"", Kind::Other),
    (b"\"auth_status\"", Kind::Other),
    (b"\"control_request\"", Kind::Other),
    (b"\"control_response\"", Kind::Other),
    (b"\"keep_alive\"", Kind::Other),
];

impl Kind {
    fn of_type(raw: &[u8]) -> Self {
        TYPES.iter().find(|(name, _)| *name == raw).map_or(Self::Unknown, |(_, kind)| *kind)
    }

    fn reads(self, of: Of) -> bool {
        match of {
            Of::Any => true,
            Of::Result => matches!(self, Self::Result | Self::Unknown),
            Of::SystemToo => matches!(self, Self::Result | Self::Unknown | Self::System),
            Of::Assistant => matches!(self, Self::Assistant | Self::Unknown),
            Of::RateLimit => matches!(self, Self::RateLimit | Self::Unknown),
        }
    }
}

/// The message that is being read.
#[derive(Default)]
struct Current {
    members: Vec<Vec<u8>>,
    /// Of the member being read, where it is too long.
    shortener: Option<Shortener>,
    text: Option<ResultText>,
    kind: Option<Kind>,
}

/// Follows the messages of an output.
#[derive(Default)]
pub struct Messages {
    current: Current,
    /// Index in `MEMBERS` of the value being read.
    reading: usize,
    results: Option<Report>,
    /// `session_id` of the first `system` message of subtype `init`.
    session: Option<String>,
    /// Raw `message` of the last assistant message that has a text.
    assistant: Vec<u8>,
    rate_limit: Option<Value>,
    /// Whether the first message's type is one of a stream's.
    stream_type: Option<bool>,
    first_is_result: bool,
    in_array: bool,
    too_long: u64,
}

/// How Claude Code writes the beginning of a text in a message.
static TEXT_BLOCK: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(br#"{"type":"text","text":""#));
static TEXT_KEY: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(br#""text""#));

impl Messages {
    /// Whether the first complete message has the type of a stream's message; `None` before there is one.
    #[must_use]
    pub fn is_stream(&self) -> Option<bool> {
        self.stream_type
    }

    /// Whether the first message is a result: alone it is no stream.
    #[must_use]
    pub fn first_is_result(&self) -> bool {
        self.first_is_result
    }

    /// Whether the message now being read has a stream's type, other than a result's.
    #[must_use]
    pub fn is_in_stream_message(&self) -> bool {
        !matches!(self.kind(), Kind::Unknown | Kind::Result)
    }

    /// Whether the first message, complete or not, has a stream's type, a result's included.
    #[must_use]
    pub fn has_stream_type(&self) -> bool {
        self.stream_type.unwrap_or_else(|| self.kind() != Kind::Unknown)
    }

    /// Whether the message that speaks for the whole can only be Claude Code's or a report to Ralph, not JSON in somebody's text.
    #[must_use]
    pub fn is_claudes(&self) -> bool {
        self.results.as_ref().is_some_and(|report| {
            let session = report.get("session_id").is_string() || report.get("sessionId").is_string();
            report.get("type") == "result" || report.get("exit_signal").is_boolean() || (session && report.text.is_some())
        })
    }

    /// The message that speaks for the whole, the session of the init message, the last text of the assistant, the last
    /// `rate_limit_info`, and how many members were too long to keep whole.
    #[must_use]
    pub fn finish(self) -> Finished {
        let assistant = assistant_text(&self.assistant);
        Finished { report: self.results, session: self.session, assistant, rate_limit: self.rate_limit, too_long: self.too_long }
    }

    fn kind(&self) -> Kind {
        self.current.kind.unwrap_or_else(|| self.current.members.get(TYPE).map_or(Kind::Unknown, |raw| Kind::of_type(raw)))
    }

    fn member(&self, name: &str) -> Option<Value> {
        let at = MEMBERS.iter().position(|(member, _)| *member == name)?;
        let raw = self.current.members.get(at).filter(|raw| !raw.is_empty())?;
        value::read(raw).map(|(value, _)| value)
    }

    fn report(&mut self) -> Report {
        let text = self.current.text.take().map(ResultText::finish);
        let mut members = Map::new();
        for ((name, of), raw) in MEMBERS.iter().zip(&self.current.members) {
            if !raw.is_empty()
                && !matches!(of, Of::Assistant | Of::RateLimit)
                && let Some((value, cut)) = value::read(raw)
            {
                self.too_long += u64::from(cut);
                members.insert((*name).to_owned(), value);
            }
        }
        Report { members, text }
    }

    fn keep_assistant(&mut self) {
        // A subagent's text is not Claude's own.
        if self.member("parent_tool_use_id").is_some_and(|parent| !parent.is_null()) {
            return;
        }
        let Some(message) = self.current.members.get_mut(MESSAGE) else { return };
        if TEXT_KEY.find(message).is_none() {
            return;
        }
        let written = TEXT_BLOCK.find(message).is_some_and(|at| message.get(at + TEXT_BLOCK.needle().len()) != Some(&b'"'));
        // Other spacing, or another order of members: look closely.
        if written || assistant_text(message).is_some() {
            std::mem::swap(message, &mut self.assistant);
        }
    }
}

/// What `Messages` has at the end.
#[derive(Debug)]
pub struct Finished {
    /// The last result, or the last object that is no message of a stream.
    pub report: Option<Report>,
    /// The session of the init message.
    pub session: Option<String>,
    /// The text of the last assistant message that has one.
    pub assistant: Option<String>,
    /// The `rate_limit_info` of the last rate limit event.
    pub rate_limit: Option<Value>,
    /// Members that were too long to keep whole.
    pub too_long: u64,
}

impl Sink for Messages {
    fn begin(&mut self, in_array: bool) {
        self.in_array = in_array;
        let current = &mut self.current;
        current.members.resize_with(MEMBERS.len(), Vec::new);
        for member in &mut current.members {
            member.clear();
            member.shrink_to(MEMBER_KEPT);
        }
        current.text = None;
        current.shortener = None;
        current.kind = None;
    }

    fn key(&mut self, key: &[u8]) -> Want {
        let kind = self.kind();
        if kind != Kind::Unknown {
            self.current.kind = Some(kind);
        }
        let Some(at) = MEMBERS.iter().position(|(name, _)| name.as_bytes() == key) else { return Want::Skip };
        let Some((_, of)) = MEMBERS.get(at) else { return Want::Skip };
        if !kind.reads(*of) {
            return Want::Skip;
        }
        self.reading = at;
        self.current.shortener = None;
        if let Some(member) = self.current.members.get_mut(at) {
            // Of a key that comes twice the last counts.
            member.clear();
        }
        if at == TYPE {
            self.current.kind = None;
        }
        if at == RESULT {
            self.current.text = None;
            return Want::Text;
        }
        Want::Keep
    }

    fn value(&mut self, bytes: &[u8]) {
        let Some(member) = self.current.members.get_mut(self.reading) else { return };
        if let Some(shortener) = &mut self.current.shortener {
            shortener.feed(bytes, member);
        } else if member.len() + bytes.len() <= MEMBER_KEPT {
            member.extend_from_slice(bytes);
        } else {
            self.too_long += 1;
            let mut shortener = Shortener::default();
            let begun = std::mem::take(member);
            shortener.feed(&begun, member);
            shortener.feed(bytes, member);
            self.current.shortener = Some(shortener);
        }
    }

    fn text(&mut self, raw: &[u8], first: bool) {
        if first {
            self.current.text = Some(ResultText::new());
        }
        if let Some(text) = &mut self.current.text {
            text.feed(raw);
        }
    }

    fn end(&mut self) {
        let kind = self.kind();
        self.stream_type.get_or_insert_with(|| {
            self.first_is_result = kind == Kind::Result;
            kind != Kind::Unknown
        });
        match kind {
            Kind::Result => self.results = Some(self.report()),
            // In an array only `type: result` speaks; else an object without a type does too.
            Kind::Unknown if !self.in_array => self.results = Some(self.report()),
            Kind::System if self.session.is_none() => {
                if self.member("subtype").is_some_and(|subtype| subtype == "init") {
                    self.session = self.member("session_id").and_then(|id| id.as_str().map(str::to_owned));
                }
            }
            Kind::Assistant => self.keep_assistant(),
            Kind::RateLimit => self.rate_limit = self.member("rate_limit_info"),
            Kind::System | Kind::Other | Kind::Unknown => {}
        }
        self.current.text = None;
    }
}
