//! The settings as data: their names in each source, what they accept, and their built-in values.

use crate::schema::MAX_SAFE_INTEGER;

/// What a setting accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number in decimal digits.
    Integer {
        /// The smallest value accepted.
        min: u64,
        /// The largest value accepted.
        max: u64,
    },
    /// `true` or `false`.
    Boolean,
    /// Entries separated by commas; an empty text is an empty list.
    List,
    /// Any text; an empty one is as good as none.
    Text,
}

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its name among the options of `RalphTools`.
    pub option: &'static str,
    /// The environment variable.
    pub variable: &'static str,
    /// Its names in `.ralphrc`, the first winning.
    pub in_ralphrc: &'static [&'static str],
    /// Its name in the installed Ralph's own scripts.
    pub in_script: &'static str,
    /// What it accepts.
    pub kind: Kind,
    /// Its value when nobody says, as it would be written.
    pub built_in: &'static str,
}

/// A count that may be 0.
const COUNT: Kind = Kind::Integer { min: 0, max: MAX_SAFE_INTEGER };
/// A threshold: 0 would open the breaker whatever happens, so it is refused.
const THRESHOLD: Kind = Kind::Integer { min: 1, max: MAX_SAFE_INTEGER };
/// Minutes: at most a thousand years, which no clock arithmetic here overflows on.
const MINUTES: Kind = Kind::Integer { min: 0, max: 525_960_000 };
/// Hours: as long.
const HOURS: Kind = Kind::Integer { min: 0, max: 8_766_000 };

/// Calls allowed in one clock hour; 0 allows none.
pub const MAX_CALLS_PER_HOUR: Setting = Setting {
    option: "maxCallsPerHour",
    variable: "MAX_CALLS_PER_HOUR",
    in_ralphrc: &["MAX_CALLS_PER_HOUR"],
    in_script: "MAX_CALLS_PER_HOUR",
    kind: COUNT,
    built_in: "100",
};
/// Tokens allowed in one clock hour; 0 sets no limit (v0.11).
pub const MAX_TOKENS_PER_HOUR: Setting = Setting {
    option: "maxTokensPerHour",
    variable: "MAX_TOKENS_PER_HOUR",
    in_ralphrc: &["MAX_TOKENS_PER_HOUR"],
    in_script: "MAX_TOKENS_PER_HOUR",
    kind: COUNT,
    built_in: "0",
};
/// Loops without progress that open the breaker.
pub const NO_PROGRESS_THRESHOLD: Setting = Setting {
    option: "noProgressThreshold",
    variable: "CB_NO_PROGRESS_THRESHOLD",
    in_ralphrc: &["CB_NO_PROGRESS_THRESHOLD"],
    in_script: "CB_NO_PROGRESS_THRESHOLD",
    kind: THRESHOLD,
    built_in: "3",
};
/// Loops with errors that open the breaker.
pub const SAME_ERROR_THRESHOLD: Setting = Setting {
    option: "sameErrorThreshold",
    variable: "CB_SAME_ERROR_THRESHOLD",
    in_ralphrc: &["CB_SAME_ERROR_THRESHOLD"],
    in_script: "CB_SAME_ERROR_THRESHOLD",
    kind: THRESHOLD,
    built_in: "5",
};
/// Loops with permission denials that open the breaker (v0.11).
pub const PERMISSION_DENIAL_THRESHOLD: Setting = Setting {
    option: "permissionDenialThreshold",
    variable: "CB_PERMISSION_DENIAL_THRESHOLD",
    in_ralphrc: &["CB_PERMISSION_DENIAL_THRESHOLD"],
    in_script: "CB_PERMISSION_DENIAL_THRESHOLD",
    kind: THRESHOLD,
    built_in: "2",
};
/// Minutes from `OPEN` to `HALF_OPEN`; 0 is at once (v0.11).
pub const COOLDOWN_MINUTES: Setting = Setting {
    option: "cooldownMinutes",
    variable: "CB_COOLDOWN_MINUTES",
    in_ralphrc: &["CB_COOLDOWN_MINUTES"],
    in_script: "CB_COOLDOWN_MINUTES",
    kind: MINUTES,
    built_in: "30",
};
/// Whether an open breaker closes when a run starts (v0.11).
pub const AUTO_RESET: Setting = Setting {
    option: "autoReset",
    variable: "CB_AUTO_RESET",
    in_ralphrc: &["CB_AUTO_RESET"],
    in_script: "CB_AUTO_RESET",
    kind: Kind::Boolean,
    built_in: "false",
};
/// Headings of the plan whose open tasks do not keep it from being complete (v0.11).
pub const OPTIONAL_SECTIONS: Setting = Setting {
    option: "optionalSections",
    variable: "OPTIONAL_SECTIONS",
    in_ralphrc: &["OPTIONAL_SECTIONS"],
    in_script: "OPTIONAL_SECTIONS",
    kind: Kind::List,
    built_in: "Optional,Future,Future Enhancements,Nice to Have",
};
/// Tools that Claude may use; decides which denials are a limitation of compound commands (v0.11).
pub const ALLOWED_TOOLS: Setting = Setting {
    option: "allowedTools",
    variable: "CLAUDE_ALLOWED_TOOLS",
    // Ralph copies the first over the second once the file is read.
    in_ralphrc: &["ALLOWED_TOOLS", "CLAUDE_ALLOWED_TOOLS"],
    in_script: "CLAUDE_ALLOWED_TOOLS",
    kind: Kind::Text,
    built_in: "Write,Read,Edit,Bash(git add *),Bash(git commit *),Bash(git diff *),Bash(git log *),Bash(git status),\
               Bash(git status *),Bash(git push *),Bash(git pull *),Bash(git fetch *),Bash(git checkout *),\
               Bash(git branch *),Bash(git stash *),Bash(git merge *),Bash(git tag *),Bash(npm *),Bash(pytest)",
};

/// The text of a `<promise>` that is an exit signal; empty: none is. Bash has no such thing.
pub const COMPLETION_PROMISE: Setting = Setting {
    option: "completionPromise",
    variable: "COMPLETION_PROMISE",
    in_ralphrc: &["COMPLETION_PROMISE"],
    in_script: "COMPLETION_PROMISE",
    kind: Kind::Text,
    built_in: "",
};
/// Whether paid overage ends the run. Bash has no such thing.
pub const STOP_AT_OVERAGE: Setting = Setting {
    option: "stopAtOverage",
    variable: "STOP_AT_OVERAGE",
    in_ralphrc: &["STOP_AT_OVERAGE"],
    in_script: "STOP_AT_OVERAGE",
    kind: Kind::Boolean,
    built_in: "false",
};
/// Hours after which a session is not resumed (v0.11).
pub const SESSION_EXPIRY_HOURS: Setting = Setting {
    option: "sessionExpiryHours",
    variable: "CLAUDE_SESSION_EXPIRY_HOURS",
    // Ralph copies the first over the second once the file is read.
    in_ralphrc: &["SESSION_EXPIRY_HOURS", "CLAUDE_SESSION_EXPIRY_HOURS"],
    in_script: "CLAUDE_SESSION_EXPIRY_HOURS",
    kind: HOURS,
    built_in: "24",
};
/// A setting of several workers, which is no Ralph's: a text, by one name everywhere.
const fn team(
    option: &'static str,
    variable: &'static str,
    in_ralphrc: &'static [&'static str],
    built_in: &'static str,
) -> Setting {
    Setting { option, variable, in_ralphrc, in_script: variable, kind: Kind::Text, built_in }
}

/// Where several workers meet: a directory, or a server's URL.
pub const SHARED: Setting = team("shared", "RALPH_SHARED", &["RALPH_SHARED"], "");
/// The group of workers there.
pub const SHARED_NAME: Setting = team("sharedName", "RALPH_SHARED_NAME", &["RALPH_SHARED_NAME"], "default");
/// What happens while the server cannot be used: `refuse` or `local`.
pub const SHARED_FALLBACK: Setting = team("sharedFallback", "RALPH_SHARED_FALLBACK", &["RALPH_SHARED_FALLBACK"], "refuse");
/// Budgets, as JSON.
pub const BUDGETS: Setting = team("budgets", "RALPH_BUDGETS", &["RALPH_BUDGETS"], "");
/// This worker's name.
pub const WORKER: Setting = team("worker", "RALPH_WORKER", &["RALPH_WORKER"], "");
/// Which plan this is, where its repository does not say.
pub const PLAN_NAME: Setting = team("planName", "RALPH_PLAN_NAME", &["RALPH_PLAN_NAME"], "");

/// Every setting.
pub const ALL: &[Setting] = &[
    MAX_CALLS_PER_HOUR,
    MAX_TOKENS_PER_HOUR,
    NO_PROGRESS_THRESHOLD,
    SAME_ERROR_THRESHOLD,
    PERMISSION_DENIAL_THRESHOLD,
    COOLDOWN_MINUTES,
    AUTO_RESET,
    OPTIONAL_SECTIONS,
    ALLOWED_TOOLS,
    COMPLETION_PROMISE,
    STOP_AT_OVERAGE,
    SESSION_EXPIRY_HOURS,
    SHARED,
    SHARED_NAME,
    SHARED_FALLBACK,
    BUDGETS,
    WORKER,
    PLAN_NAME,
];
