//! What is kept of the messages of an output: the last result, and what stands in where there is none.

use std::sync::LazyLock;

use memchr::memmem;
use serde_json::{Map, Value};

use super::super::api_usage::{ApiUsage, UsageReader};
use super::super::needles::Groups;
use super::super::text::RESULT_GROUPS;
use super::machine::{MAX_KEY, Sink, Want};
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
    /// All, as long as none has told it: the session.
    Session,
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
    ("session_id", Of::Session),
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
    ("structured_output", Of::Result),
    ("api_error_status", Of::Result),
    ("total_cost_usd", Of::Result),
    ("cost_usd", Of::Result),
    ("tests_status", Of::Result),
    ("tasks_completed", Of::Result),
    ("tasks_completed_this_loop", Of::Result),
    ("recommendation", Of::Result),
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
            Of::Any | Of::Session => true,
            Of::Result => matches!(self, Self::Result | Self::Unknown),
            Of::SystemToo => matches!(self, Self::Result | Self::Unknown | Self::System),
            Of::Assistant => matches!(self, Self::Assistant | Self::Unknown),
            Of::RateLimit => matches!(self, Self::RateLimit | Self::Unknown),
        }
    }
}

/// No more members have names of one length.
const SAME_LENGTH: usize = 6;
/// Where in `MEMBERS` the names of each length are, one more than the index: few keys of most messages are read at all.
const BY_LENGTH: [[u8; SAME_LENGTH]; MAX_KEY + 1] = {
    let mut table = [[0; SAME_LENGTH]; MAX_KEY + 1];
    let mut at = 0;
    while at < MEMBERS.len() {
        let row = &mut table[MEMBERS[at].0.len()];
        let mut place = 0;
        while row[place] != 0 {
            place += 1;
        }
        at += 1;
        #[expect(clippy::cast_possible_truncation, reason = "there are some thirty")]
        {
            row[place] = at as u8;
        }
    }
    table
};

/// The index of the member of that name.
fn member_of(key: &[u8]) -> Option<usize> {
    let row = BY_LENGTH.get(key.len())?;
    let places = row.iter().take_while(|place| **place != 0).map(|place| usize::from(*place) - 1);
    places.into_iter().find(|at| MEMBERS.get(*at).is_some_and(|(name, _)| name.as_bytes() == key))
}

/// The message that is being read.
#[derive(Default)]
struct Current {
    members: Vec<Vec<u8>>,
    /// Which of them were begun, a bit each.
    begun: u64,
    /// Of the member being read, where it is too long.
    shortener: Option<Shortener>,
    text: Option<ResultText>,
    kind: Option<Kind>,
}

/// Follows the messages of an output.
pub struct Messages {
    /// What is looked for in the text of a result.
    wanted: Groups,
    current: Current,
    /// Index in `MEMBERS` of the value being read.
    reading: usize,
    results: Option<Report>,
    /// `session_id` of the first `system` message of subtype `init`.
    session: Option<String>,
    /// The first `session_id` of any other message.
    any_session: Option<String>,
    /// The last assistant message that has a text: its raw `message`, or all of it.
    assistant: Vec<u8>,
    rate_limit: Option<Value>,
    usage: UsageReader,
    /// Whether the first message's type is one of a stream's.
    stream_type: Option<bool>,
    first_is_result: bool,
    in_array: bool,
    too_long: u64,
}

/// How Claude Code writes the beginning of a text in a message.
static TEXT_BLOCK: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(br#"{"type":"text","text":""#));
static PARENT: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(br#""parent_tool_use_id":"#));
/// The end of a message and the beginning of another.
static ANOTHER: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(br#"}{"type":""#));
/// How Claude Code begins a message.
pub(super) const TYPE_FIRST: &[u8] = br#"{"type":""#;
static TEXT_KEY: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(br#""text""#));

impl Default for Messages {
    fn default() -> Self {
        Self::new(RESULT_GROUPS)
    }
}

impl Messages {
    /// None yet; `wanted` is what to look for in a result's text.
    #[must_use]
    pub fn new(wanted: Groups) -> Self {
        Self {
            wanted,
            current: Current::default(),
            reading: 0,
            results: None,
            session: None,
            any_session: None,
            assistant: Vec::new(),
            rate_limit: None,
            usage: UsageReader::default(),
            stream_type: None,
            first_is_result: false,
            in_array: false,
            too_long: 0,
        }
    }

    /// What is looked for in the text of a result.
    #[must_use]
    pub fn wanted(&self) -> Groups {
        self.wanted
    }

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

    /// How sure it is that the message that speaks for the whole is Claude Code's, not JSON in somebody's text: with lines of
    /// text around it, only such a one is the output (case S31).
    #[must_use]
    pub fn origin(&self) -> Origin {
        let Some(report) = &self.results else { return Origin::Anybody };
        let session = self.session.is_some() || report.get("session_id").is_string() || report.get("sessionId").is_string();
        let result = report.get("type") == "result";
        if session && (result || report.text.is_some()) {
            Origin::Claude
        } else if result && (report.text.is_some() || report.get("subtype").is_string()) {
            Origin::Likely
        } else {
            Origin::Anybody
        }
    }

    /// The message that speaks for the whole, the session of the init message, the last text of the assistant, the last
    /// `rate_limit_info`, and how many members were too long to keep whole.
    #[must_use]
    pub fn finish(self) -> Finished {
        let assistant = assistant_text(&self.assistant);
        Finished {
            report: self.results,
            session: self.session.or(self.any_session),
            assistant,
            rate_limit: self.rate_limit,
            usage: self.usage.finish(),
            too_long: self.too_long,
            wanted: self.wanted,
        }
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

    /// Whether a line of a stream is a message that holds nothing of use, or whose text was kept for the end: then nobody has
    /// to look into it. It is told by how Claude Code writes its lines; any other way of writing is read closely.
    pub fn skims(&mut self, line: &[u8]) -> bool {
        let line = line.trim_ascii_end();
        let Some(rest) = line.strip_prefix(TYPE_FIRST).filter(|rest| rest.ends_with(b"}")) else { return false };
        let Some(end) = rest.iter().take(MAX_KEY).position(|byte| *byte == b'"') else { return false };
        let named = rest.get(..end).unwrap_or_default();
        let kind = TYPES.iter().find(|(raw, _)| raw.get(1..raw.len() - 1) == Some(named)).map(|(_, kind)| *kind);
        let knows_session = self.session.is_some() || self.any_session.is_some();
        let nothing = match kind {
            Some(Kind::Other) => knows_session,
            Some(Kind::System) => self.session.is_some(),
            Some(Kind::Assistant) if knows_session => TEXT_KEY.find(rest).is_none(),
            _ => return false,
        };
        // Of two messages in one line the second may be a result.
        if ANOTHER.find(rest).is_some() {
            return false;
        }
        if !nothing && kind == Some(Kind::Assistant) {
            let own = PARENT
                .find(rest)
                .is_none_or(|at| rest.get(at + PARENT.needle().len()..).unwrap_or_default().starts_with(b"null"));
            let written = TEXT_BLOCK.find(rest).is_some_and(|at| rest.get(at + TEXT_BLOCK.needle().len()) != Some(&b'"'));
            if own && written {
                self.assistant.clear();
                self.assistant.extend_from_slice(line);
                return true;
            }
        }
        nothing
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

/// Whose message speaks for the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Claude Code's: a result of a session.
    Claude,
    /// Claude Code's, by its type.
    Likely,
    /// Anybody's.
    Anybody,
}

/// What `Messages` has at the end.
#[derive(Debug)]
pub struct Finished {
    /// The last result, or the last object that is no message of a stream.
    pub report: Option<Report>,
    /// The session of the init message, else of the first other one that names it.
    pub session: Option<String>,
    /// The text of the last assistant message that has one.
    pub assistant: Option<String>,
    /// The `rate_limit_info` of the last rate limit event.
    pub rate_limit: Option<Value>,
    /// What all of them tell of the plan's windows.
    pub usage: Option<ApiUsage>,
    /// Members that were too long to keep whole.
    pub too_long: u64,
    /// What is looked for in a result's text.
    pub wanted: Groups,
}

impl Sink for Messages {
    fn begin(&mut self, in_array: bool) {
        self.in_array = in_array;
        let current = &mut self.current;
        current.members.resize_with(MEMBERS.len(), Vec::new);
        while current.begun != 0 {
            let at = current.begun.trailing_zeros() as usize;
            current.begun &= current.begun - 1;
            if let Some(member) = current.members.get_mut(at) {
                member.clear();
                member.shrink_to(MEMBER_KEPT);
            }
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
        let Some(at) = member_of(key) else { return Want::Skip };
        let Some((_, of)) = MEMBERS.get(at) else { return Want::Skip };
        let known = *of == Of::Session && self.any_session.is_some() && !kind.reads(Of::SystemToo);
        if known || !kind.reads(*of) {
            return Want::Skip;
        }
        self.reading = at;
        self.current.begun |= 1 << at;
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
            self.current.text = Some(ResultText::new(self.wanted));
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
            Kind::RateLimit => {
                self.rate_limit = self.member("rate_limit_info");
                if let Some(info) = &self.rate_limit {
                    self.usage.event(info);
                }
            }
            Kind::System | Kind::Other | Kind::Unknown => {}
        }
        if self.any_session.is_none() && kind != Kind::Result && kind != Kind::Unknown {
            self.any_session = self.member("session_id").and_then(|id| id.as_str().map(str::to_owned));
        }
        self.current.text = None;
    }
}
