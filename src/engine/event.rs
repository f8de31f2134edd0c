//! What a door tells the engine: one definition for the check of a value, the declarations and the documents.

use crate::error::{Error, Result};
use crate::input::{Arguments, RawInput, RawValue, raw_input};
use crate::schema::{Field, FieldSpec};
use crate::store::sessions::is_session_id;
use crate::words;

words! {
    /// What happened.
    LoopEventKind {
        /// A run begins.
        Start = "start",
        /// A wait is over: may the next loop begin?
        Admit = "admit",
        /// A person wrote to the session.
        Prompt = "prompt",
        /// The model changed a file.
        Edited = "edited",
        /// The model ran something that may have changed any file.
        Opaque = "opaque",
        /// The model was denied a tool.
        Denied = "denied",
        /// The model calls a tool.
        Called = "called",
        /// A call of a tool is over, and changed no file.
        Returned = "returned",
        /// All calls of a turn are over: one that did not return was denied.
        Settled = "settled",
        /// The model has ended its turn: the loop is over.
        Stop = "stop",
        /// The model has ended its turn while a task of a subagent still runs.
        Background = "background",
        /// The query failed without a result.
        Failure = "failure",
        /// The session was compacted: the model may have forgotten its task.
        Compaction = "compaction",
        /// A session is resumed.
        Resume = "resume",
        /// The session ends, or somebody interrupts the run.
        End = "end",
        /// A person ends the run.
        Cancel = "cancel",
        /// How does the run stand?
        Status = "status",
        /// What would the first loop of a run send?
        Preview = "preview",
    }
}

words! {
    /// Which door a run came through.
    LoopOwner {
        /// `runRalph`: one query a loop, and the engine makes the whole prompt.
        Loop = "loop",
        /// Hooks of a program on the Agent SDK.
        Sdk = "sdk",
        /// The plugin of Claude Code.
        Plugin = "plugin",
    }
}

/// As long as what `exit_detection` analyzes.
const LONGEST_OUTPUT: usize = 1 << 28;

const START: &[&str] = &[LoopEventKind::Start.as_str()];
const BEFORE: &[&str] = &[LoopEventKind::Start.as_str(), LoopEventKind::Preview.as_str()];
const OVER: &[&str] = &[LoopEventKind::Stop.as_str(), LoopEventKind::Failure.as_str()];

const SESSION: Field<String> = Field::text("session", "The session that loops: 1 to 128 letters, digits, `_` and `-`.")
    .default("(start) one is made; else required");
const OWNER: Field<String> =
    Field::one_of("owner", LoopOwner::ENUMERATION.words, "Which door the run comes through.").default("`loop`").on(BEFORE);
const PID: Field<u64> =
    Field::integer("pid", "The process that holds the session: once it is gone, another may take the project over.")
        .at_least(1)
        .at_most(u32::MAX as u64)
        .default("this process")
        .on(START);
const MAX_LOOPS: Field<u64> =
    Field::integer("maxLoops", "Loops after which the run ends.").at_least(1).default("no such limit").on(START);
const MAX_MINUTES: Field<f64> =
    Field::number("maxMinutes", "Minutes after which no further loop begins.").default("no such limit").on(START);
const MAX_TOKENS: Field<u64> =
    Field::integer("maxTokens", "Tokens of the run, input and output, after which no further loop begins.")
        .at_least(1)
        .default("no such limit")
        .on(START);
const MAX_COST_USD: Field<f64> =
    Field::number("maxCostUsd", "US dollars of the run after which no further loop begins.").default("no such limit").on(START);
const INSTRUCTION: Field<String> = Field::text(
    "instruction",
    "What goes to the model instead of the engine's own text: `{task}`, `{id}` and `{section}` stand for the next task's.",
)
.at_most_chars(1 << 20)
.default("the engine's own text")
.on(BEFORE);
const PATH: Field<String> = Field::text("path", "The file that changed, absolute or from the project directory.")
    .default("the plan")
    .on(&[LoopEventKind::Edited.as_str()]);
const TOOL: Field<String> = Field::text("tool", "The tool.").on(&[
    LoopEventKind::Opaque.as_str(),
    LoopEventKind::Denied.as_str(),
    LoopEventKind::Called.as_str(),
]);
const COMMAND: Field<String> = Field::text("command", "What the tool was to run, where it is a command.")
    .at_most_chars(1 << 20)
    .on(&[LoopEventKind::Denied.as_str(), LoopEventKind::Called.as_str()]);
const CALL: Field<String> = Field::text("call", "The call's own id.").on(&[
    LoopEventKind::Called.as_str(),
    LoopEventKind::Returned.as_str(),
    LoopEventKind::Edited.as_str(),
    LoopEventKind::Opaque.as_str(),
]);
const AGENT: Field<String> = Field::text("agent", "The subagent that calls.")
    .default("the main agent")
    .on(&[LoopEventKind::Called.as_str(), LoopEventKind::Settled.as_str()]);
const OUTPUT: Field<String> =
    Field::text("output", "What the loop printed: the SDK's result message and its rate_limit_events, a line of JSON each.")
        .at_most_chars(LONGEST_OUTPUT)
        .on(OVER);
const MESSAGE: Field<String> =
    Field::text("message", "Without output: the model's last words, or (failure) why the query failed.")
        .at_most_chars(LONGEST_OUTPUT)
        .on(OVER);
const CLAUDE_SESSION: Field<String> =
    Field::text("claudeSession", "Claude's session, for the next query to resume.").default("the output's").on(OVER);
const DURATION: Field<f64> =
    Field::number("durationSeconds", "How long the loop took.").default("the time since it began").on(OVER);

/// What a session must be.
pub const SESSION_RULE: &str = "session must be 1 to 128 letters, digits, _ and -, as the answer to start has it";

/// Every field of an event besides `event`, in the order of the documents.
pub const FIELDS: &[FieldSpec] = &[
    SESSION.spec,
    OWNER.spec,
    PID.spec,
    MAX_LOOPS.spec,
    MAX_MINUTES.spec,
    MAX_TOKENS.spec,
    MAX_COST_USD.spec,
    INSTRUCTION.spec,
    PATH.spec,
    TOOL.spec,
    COMMAND.spec,
    CALL.spec,
    AGENT.spec,
    OUTPUT.spec,
    MESSAGE.spec,
    CLAUDE_SESSION.spec,
    DURATION.spec,
];

/// Where a run ends by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Limits {
    /// Loops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_loops: Option<u64>,
    /// Minutes since the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_minutes: Option<f64>,
    /// Tokens, input and output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
}

/// An event: a flat value, of which each kind looks at its own fields.
#[derive(Debug, Clone, Default)]
pub struct Event {
    /// What happened; `None` is an event of no kind that this version knows.
    pub kind: Option<LoopEventKind>,
    /// `session`.
    pub session: Option<String>,
    /// `owner`.
    pub owner: Option<LoopOwner>,
    /// `pid`.
    pub pid: Option<u32>,
    /// `maxLoops`, `maxMinutes`, `maxTokens`, `maxCostUsd`.
    pub limits: Limits,
    /// `instruction`.
    pub instruction: Option<String>,
    /// `path`.
    pub path: Option<String>,
    /// `tool`.
    pub tool: Option<String>,
    /// `command`.
    pub command: Option<String>,
    /// `call`.
    pub call: Option<String>,
    /// `agent`.
    pub agent: Option<String>,
    /// `output`.
    pub output: Option<String>,
    /// `message`.
    pub message: Option<String>,
    /// `claudeSession`.
    pub claude_session: Option<String>,
    /// `durationSeconds`.
    pub duration_seconds: Option<f64>,
    /// What was noticed that is no error, such as a field that this version does not know.
    pub warnings: Vec<String>,
}

impl Event {
    /// An event of this kind in a session.
    #[must_use]
    pub fn of(kind: LoopEventKind, session: &str) -> Self {
        Self { kind: Some(kind), session: Some(session.to_owned()), ..Self::default() }
    }

    /// Checks what a door passed.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unknown kind or a field of the wrong kind.
    pub fn from_raw(raw: RawInput) -> Result<Self> {
        let words = || LoopEventKind::ENUMERATION.words.join(", ");
        let given = raw.iter().find(|(name, _)| name == "event").map(|(_, value)| value);
        let kind = match given {
            None => return Err(Error::invalid_input(format!("LoopEngine: event is required: one of {}", words()))),
            Some(RawValue::Text(word)) => LoopEventKind::from_word(word),
            Some(_) => None,
        };
        if kind.is_none() {
            return Err(Error::invalid_input(format!("LoopEngine: event must be one of {}", words())));
        }
        let others = raw.into_iter().filter(|(name, _)| name != "event");
        let checked = Arguments::check("LoopEngine", FIELDS, others)?;
        let session = checked.get(SESSION);
        let needed = !matches!(kind, Some(LoopEventKind::Start | LoopEventKind::Preview));
        if session.as_deref().map_or(needed, |id| !is_session_id(id)) {
            return Err(Error::invalid_input(format!("LoopEngine: {SESSION_RULE}")));
        }
        Ok(Self {
            kind,
            session,
            owner: checked.get(OWNER).and_then(|word| LoopOwner::from_word(&word)),
            pid: checked.get(PID).and_then(|pid| u32::try_from(pid).ok()),
            limits: Limits {
                max_loops: checked.get(MAX_LOOPS),
                max_minutes: checked.get(MAX_MINUTES),
                max_tokens: checked.get(MAX_TOKENS),
                max_cost_usd: checked.get(MAX_COST_USD),
            },
            instruction: checked.get(INSTRUCTION),
            path: checked.get(PATH),
            tool: checked.get(TOOL),
            command: checked.get(COMMAND),
            call: checked.get(CALL),
            agent: checked.get(AGENT),
            output: checked.get(OUTPUT),
            message: checked.get(MESSAGE),
            claude_session: checked.get(CLAUDE_SESSION),
            duration_seconds: checked.get(DURATION),
            warnings: checked.warnings().to_vec(),
        })
    }

    /// Checks an event that came as JSON text.
    ///
    /// # Errors
    /// `INVALID_INPUT` for what is no JSON object, and as [`Event::from_raw`].
    pub fn from_json(text: &[u8]) -> Result<Self> {
        match serde_json::from_slice(text) {
            Ok(serde_json::Value::Object(object)) => Self::from_raw(raw_input(&object)),
            Ok(_) => Err(Error::invalid_input("LoopEngine: an event is a JSON object; this is none")),
            Err(error) => Err(Error::invalid_input(format!("LoopEngine: an event is a JSON object; this is no JSON: {error}"))),
        }
    }
}
