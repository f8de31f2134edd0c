//! The options of a `RalphTools` instance: one definition for validation, declarations and documents.

use std::path::PathBuf;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::generation::Generation;
use crate::input::{Arguments, RawInput, did_you_mean, quoted};
use crate::schema::{Field, FieldSpec, InputRecord};
use crate::secret::Secret;

const PROJECT_DIR: Field<String> = Field::text("projectDir", "The project directory.")
    .default("`RALPH_PROJECT_DIR`, else the nearest folder with Ralph's files, from the working directory upwards");
const LAYOUT: Field<String> = Field::one_of(
    "layout",
    &["auto", "ralph", "flat"],
    "Where Ralph's files are: `ralph` keeps them in `.ralph/` (v0.10 and later), `flat` at the project root (v0.9). `auto` looks.",
)
.default("`auto`");
const RULES: Field<String> = Field::one_of("rules", &["v0.9", "v0.11"], "Which bash Ralph's decisions to take.")
    .default("`v0.9` in a flat layout, else `v0.11`");
const RALPH_HOME: Field<String> =
    Field::text("ralphHome", "An installed bash Ralph, whose scripts' own settings count where nothing nearer says otherwise.")
        .default("`RALPH_HOME`, else `~/.ralph`");
const MAX_CALLS_PER_HOUR: Field<u64> =
    Field::integer("maxCallsPerHour", "Calls admitted in a local clock hour.").default("`MAX_CALLS_PER_HOUR`, built in: 100");
const MAX_TOKENS_PER_HOUR: Field<u64> =
    Field::integer("maxTokensPerHour", "Tokens in a local clock hour; 0 is no limit (v0.11).")
        .default("`MAX_TOKENS_PER_HOUR`, built in: 0");
const NO_PROGRESS_THRESHOLD: Field<u64> = Field::integer("noProgressThreshold", "Loops without progress that open the circuit.")
    .at_least(1)
    .default("`CB_NO_PROGRESS_THRESHOLD`, built in: 3");
const SAME_ERROR_THRESHOLD: Field<u64> =
    Field::integer("sameErrorThreshold", "Loops with errors in a row that open the circuit.")
        .at_least(1)
        .default("`CB_SAME_ERROR_THRESHOLD`, built in: 5");
const PERMISSION_DENIAL_THRESHOLD: Field<u64> =
    Field::integer("permissionDenialThreshold", "Loops with permission denials in a row that open the circuit (v0.11).")
        .at_least(1)
        .default("`CB_PERMISSION_DENIAL_THRESHOLD`, built in: 2");
const COOLDOWN_MINUTES: Field<u64> =
    Field::integer("cooldownMinutes", "Minutes after which an open circuit is half-open (v0.11).")
        .at_most(525_960_000)
        .default("`CB_COOLDOWN_MINUTES`, built in: 30");
const AUTO_RESET: Field<bool> =
    Field::boolean("autoReset", "Close an open circuit at this instance's first circuit_breaker action (v0.11).")
        .default("`CB_AUTO_RESET`, built in: false");
const OPTIONAL_SECTIONS: Field<Vec<String>> =
    Field::text_list("optionalSections", "Headings of the plan below which an open task does not keep a run going (v0.11).")
        .default("`OPTIONAL_SECTIONS`, built in: Optional, Future, Future Enhancements, Nice to Have");
const ALLOWED_TOOLS: Field<String> = Field::text(
    "allowedTools",
    "The tools that Claude Code was started with, comma-separated, to tell a real denial from a compound command (v0.11).",
)
.default("`CLAUDE_ALLOWED_TOOLS`, in `.ralphrc` `ALLOWED_TOOLS`; built in: Ralph's list");
const COMPLETION_PROMISE: Field<String> = Field::text(
    "completionPromise",
    "What Claude is told to write between `<promise>` and `</promise>` when all is done: an exit signal, as EXIT_SIGNAL: true is.",
)
.default("`COMPLETION_PROMISE`, built in: none");
const STOP_AT_OVERAGE: Field<bool> =
    Field::boolean("stopAtOverage", "End the run once paid overage is being used (exitReason `overage`).")
        .default("`STOP_AT_OVERAGE`, built in: false");
const SESSION_EXPIRY_HOURS: Field<u64> =
    Field::integer("sessionExpiryHours", "Hours after which exit_detection tells no session to resume (v0.11).")
        .at_most(8_766_000)
        .default("`CLAUDE_SESSION_EXPIRY_HOURS`, in `.ralphrc` `SESSION_EXPIRY_HOURS`; built in: 24");
const LOG_LEVEL: Field<String> =
    Field::one_of("logLevel", &["debug", "info", "warn", "error", "off"], "Log lines below it are not written.")
        .default("`info`");
const LOG_FILE: Field<String> = Field::text("logFile", "Instead of `logs/ralph.log`; relative to the project directory.");
const LOCK_TIMEOUT: Field<u64> = Field::integer("lockTimeoutMs", "Milliseconds to wait for another process that holds the lock.")
    .at_most(3_600_000)
    .default("5000");
const GIT_TIMEOUT: Field<u64> =
    Field::integer("gitTimeoutMs", "Milliseconds after which git is stopped and its answer done without.")
        .at_most(3_600_000)
        .default("10000");
const SHARED: Field<String> = Field::text(
    "shared",
    "Where several projects, worktrees or machines meet, for common budgets and claims: a directory (`~/.ralph/shared`), or a Redis or \
     Valkey server (`redis://…`, `rediss://…`, `unix:///…`).",
)
.default("`RALPH_SHARED`; without it, this project alone");
const SHARED_NAME: Field<String> =
    Field::text("sharedName", "The group of workers there.").default("`RALPH_SHARED_NAME`, built in: default");
const SHARED_FALLBACK: Field<String> = Field::one_of(
    "sharedFallback",
    &["refuse", "local"],
    "While the server cannot be used: `refuse` admits nothing, `local` counts and claims in this project alone, with a warning.",
)
.default("`RALPH_SHARED_FALLBACK`, built in: refuse");
/// Budgets.
pub(crate) const BUDGETS: Field<Vec<Arguments>> =
    Field::records("budgets", &BUDGET, "What all workers together may spend. Calls are admitted by every budget or by none.")
        .default("`RALPH_BUDGETS`, as JSON; built in: none");
const WORKER: Field<String> = Field::text("worker", "This worker's name in claims and lists.")
    .default("`RALPH_WORKER`, else host, process and a random part");
const PLAN_NAME: Field<String> = Field::text("planName", "Which plan this is, for claims; the same in all its copies.")
    .default("`RALPH_PLAN_NAME`, else the repository's origin and the plan's path in it");
/// A budget's name.
pub(crate) const BUDGET_NAME: Field<String> = Field::text("name", "Its name, the same wherever it is shared.");
/// A budget's period.
pub(crate) const BUDGET_PER: Field<String> = Field::one_of(
    "per",
    &["hour", "5h", "day", "week"],
    "How long what was spent counts: rolling, in 60 steps, so that a count leaves at most one step late and no such stretch of time ever holds more.",
);
/// A budget's limit of calls.
pub(crate) const BUDGET_CALLS: Field<u64> = Field::integer("calls", "Calls admitted.").at_least(1).default("no limit");
/// A budget's limit of tokens.
pub(crate) const BUDGET_TOKENS: Field<u64> =
    Field::integer("tokens", "Tokens after which no call is admitted.").at_least(1).default("no limit");
/// A budget's limit of money.
pub(crate) const BUDGET_COST: Field<f64> =
    Field::number("costUsd", "Dollars after which no call is admitted.").default("no limit");
const BUDGET: InputRecord = InputRecord {
    name: "BudgetOptions",
    doc: "A budget that workers share.",
    fields: &[BUDGET_NAME.spec, BUDGET_PER.spec, BUDGET_CALLS.spec, BUDGET_TOKENS.spec, BUDGET_COST.spec],
    required: 2,
};

/// The least severe log line that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum LogLevel {
    /// Everything.
    Debug,
    /// From INFO, LOOP and SUCCESS on.
    #[default]
    Info,
    /// From WARN on.
    Warn,
    /// ERROR alone.
    Error,
    /// Nothing.
    Off,
}

/// How the layout is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LayoutChoice {
    /// By what is there.
    #[default]
    Auto,
    /// `.ralph/`.
    Ralph,
    /// The project root.
    Flat,
}

/// The settings that an option may override; `None` leaves them to the environment, `.ralphrc` and so on.
#[derive(Debug, Clone, Default)]
pub struct ConfigOptions {
    /// `maxCallsPerHour`.
    pub max_calls_per_hour: Option<u64>,
    /// `maxTokensPerHour`.
    pub max_tokens_per_hour: Option<u64>,
    /// `noProgressThreshold`.
    pub no_progress_threshold: Option<u64>,
    /// `sameErrorThreshold`.
    pub same_error_threshold: Option<u64>,
    /// `permissionDenialThreshold`.
    pub permission_denial_threshold: Option<u64>,
    /// `cooldownMinutes`.
    pub cooldown_minutes: Option<u64>,
    /// `autoReset`.
    pub auto_reset: Option<bool>,
    /// `optionalSections`.
    pub optional_sections: Option<Vec<String>>,
    /// `allowedTools`.
    pub allowed_tools: Option<String>,
    /// `completionPromise`.
    pub completion_promise: Option<String>,
    /// `stopAtOverage`.
    pub stop_at_overage: Option<bool>,
    /// `sessionExpiryHours`.
    pub session_expiry_hours: Option<u64>,
    /// Those of several workers.
    pub team: TeamOptions,
}

/// The options of several workers.
#[derive(Debug, Clone, Default)]
pub struct TeamOptions {
    /// `shared`.
    pub shared: Option<Secret>,
    /// `sharedName`.
    pub shared_name: Option<String>,
    /// `sharedFallback`.
    pub shared_fallback: Option<String>,
    /// `budgets`.
    pub budgets: Option<Vec<Arguments>>,
    /// `worker`.
    pub worker: Option<String>,
    /// `planName`.
    pub plan_name: Option<String>,
}

/// Checked options; what is `None` takes its default.
///
/// ```
/// use ralph_sdk_tools::Options;
/// use ralph_sdk_tools::input::RawValue;
///
/// let raw = vec![("maxCallsPerHour".to_owned(), RawValue::Number(-1.0))];
/// let error = Options::from_raw(&raw).expect_err("a limit is 0 or more");
/// assert!(error.to_string().starts_with("INVALID_INPUT: "));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `projectDir`.
    pub project_dir: Option<PathBuf>,
    /// `layout`.
    pub layout: LayoutChoice,
    /// `rules`.
    pub rules: Option<Generation>,
    /// `ralphHome`.
    pub ralph_home: Option<PathBuf>,
    /// The settings among the options.
    pub config: ConfigOptions,
    /// `logLevel`.
    pub log_level: LogLevel,
    /// `logFile`.
    pub log_file: Option<PathBuf>,
    /// `lockTimeoutMs`.
    pub lock_timeout: Option<Duration>,
    /// `gitTimeoutMs`.
    pub git_timeout: Option<Duration>,
}

impl Options {
    /// Every option, in the order of the documents.
    pub const FIELDS: &'static [FieldSpec] = &[
        PROJECT_DIR.spec,
        LAYOUT.spec,
        RULES.spec,
        RALPH_HOME.spec,
        MAX_CALLS_PER_HOUR.spec,
        MAX_TOKENS_PER_HOUR.spec,
        NO_PROGRESS_THRESHOLD.spec,
        SAME_ERROR_THRESHOLD.spec,
        PERMISSION_DENIAL_THRESHOLD.spec,
        COOLDOWN_MINUTES.spec,
        AUTO_RESET.spec,
        OPTIONAL_SECTIONS.spec,
        ALLOWED_TOOLS.spec,
        COMPLETION_PROMISE.spec,
        STOP_AT_OVERAGE.spec,
        SESSION_EXPIRY_HOURS.spec,
        LOG_LEVEL.spec,
        LOG_FILE.spec,
        LOCK_TIMEOUT.spec,
        GIT_TIMEOUT.spec,
        SHARED.spec,
        SHARED_NAME.spec,
        SHARED_FALLBACK.spec,
        BUDGETS.spec,
        WORKER.spec,
        PLAN_NAME.spec,
    ];

    /// Checks what the constructor was given.
    ///
    /// # Errors
    /// `INVALID_INPUT` for an unknown option or a value of the wrong kind.
    pub fn from_raw(raw: &RawInput) -> Result<Self> {
        if let Some((name, _)) = raw.iter().find(|(name, _)| !Self::FIELDS.iter().any(|spec| spec.name == name)) {
            let hint = match did_you_mean(name, Self::FIELDS) {
                near if !near.is_empty() => near,
                _ => format!("; there are {}", Self::FIELDS.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", ")),
            };
            return Err(Error::invalid_input(format!("RalphTools has no option {}{hint}", quoted(name))));
        }
        let checked = Arguments::check("RalphTools", Self::FIELDS, raw.iter().cloned())?;
        let word = |field: Field<String>| checked.get(field);
        Ok(Self {
            project_dir: checked.get(PROJECT_DIR).map(PathBuf::from),
            layout: match word(LAYOUT).as_deref() {
                Some("ralph") => LayoutChoice::Ralph,
                Some("flat") => LayoutChoice::Flat,
                _ => LayoutChoice::Auto,
            },
            rules: word(RULES).map(|rules| if rules == "v0.9" { Generation::V0_9 } else { Generation::V0_11 }),
            ralph_home: checked.get(RALPH_HOME).map(PathBuf::from),
            config: ConfigOptions {
                max_calls_per_hour: checked.get(MAX_CALLS_PER_HOUR),
                max_tokens_per_hour: checked.get(MAX_TOKENS_PER_HOUR),
                no_progress_threshold: checked.get(NO_PROGRESS_THRESHOLD),
                same_error_threshold: checked.get(SAME_ERROR_THRESHOLD),
                permission_denial_threshold: checked.get(PERMISSION_DENIAL_THRESHOLD),
                cooldown_minutes: checked.get(COOLDOWN_MINUTES),
                auto_reset: checked.get(AUTO_RESET),
                optional_sections: checked.get(OPTIONAL_SECTIONS),
                allowed_tools: checked.get(ALLOWED_TOOLS),
                completion_promise: checked.get(COMPLETION_PROMISE),
                stop_at_overage: checked.get(STOP_AT_OVERAGE),
                session_expiry_hours: checked.get(SESSION_EXPIRY_HOURS),
                team: TeamOptions {
                    shared: checked.get(SHARED).map(Secret::new),
                    shared_name: checked.get(SHARED_NAME),
                    shared_fallback: checked.get(SHARED_FALLBACK),
                    budgets: checked.get(BUDGETS),
                    worker: checked.get(WORKER),
                    plan_name: checked.get(PLAN_NAME),
                },
            },
            log_level: match word(LOG_LEVEL).as_deref() {
                Some("debug") => LogLevel::Debug,
                Some("warn") => LogLevel::Warn,
                Some("error") => LogLevel::Error,
                Some("off") => LogLevel::Off,
                _ => LogLevel::Info,
            },
            log_file: checked.get(LOG_FILE).map(PathBuf::from),
            lock_timeout: checked.get(LOCK_TIMEOUT).map(Duration::from_millis),
            git_timeout: checked.get(GIT_TIMEOUT).map(Duration::from_millis),
        })
    }
}
