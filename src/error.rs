//! The one error type: a stable code for programs and a message that says what to do next.

use std::fmt;
use std::io;
use std::path::Path;

/// What went wrong, by the names that programs may rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// A call or an option that no retry will mend: unknown action, wrong type, out of range.
    InvalidInput,
    /// `projectDir` is missing or no directory.
    InvalidProject,
    /// The plan file does not exist.
    PlanNotFound,
    /// No task has the given id or description.
    TaskNotFound,
    /// More than one task has the given description.
    TaskAmbiguous,
    /// There is no output to analyze.
    OutputNotFound,
    /// A path leads out of the project once its links are resolved.
    OutsideProject,
    /// Another worker has claimed the task.
    TaskClaimed,
    /// The server where workers meet cannot be used.
    SharedUnreachable,
    /// Another process held the lock for longer than `lockTimeoutMs`.
    LockTimeout,
    /// Another session loops on the project.
    SessionBusy,
    /// A setting has a value of the wrong kind; the message names file and line.
    ConfigInvalid,
    /// The operating system refused; the message names the path.
    IoError,
    /// A defect of this package. It never takes the process down.
    Internal,
}

impl ErrorCode {
    /// Every code with what it means and what a caller does about it, for the generated documents.
    pub const ALL: &'static [(ErrorCode, &'static str)] = &[
        (
            ErrorCode::InvalidInput,
            "The call or an option is wrong: unknown action, wrong type, a number that is negative, fractional or out of range. Correct the call.",
        ),
        (ErrorCode::InvalidProject, "`projectDir` is missing or is no directory. Create it or pass another."),
        (ErrorCode::PlanNotFound, "There is no plan file to change. Create the file that the message names."),
        (
            ErrorCode::TaskNotFound,
            "No task has this id; the message names the closest ids. Call task_planner `read` for the list.",
        ),
        (ErrorCode::TaskAmbiguous, "Several tasks have this description. Use one of the ids in the message."),
        (
            ErrorCode::TaskClaimed,
            "Another worker has claimed the task; the message says who, and until when. Take another: task_planner `claim`. People may pass `force`.",
        ),
        (
            ErrorCode::SharedUnreachable,
            "The server that `shared` names cannot be used; the message says why, and what to do. Nothing was admitted: wait, and call again.",
        ),
        (ErrorCode::OutputNotFound, "There is no output to analyze. Pass `output` or an existing `outputFile`."),
        (ErrorCode::OutsideProject, "The path leads out of the project, links resolved. Use a path inside it."),
        (
            ErrorCode::LockTimeout,
            "Another process held the lock for longer than `lockTimeoutMs`. Nothing was changed: call again.",
        ),
        (
            ErrorCode::SessionBusy,
            "Another session loops on this project; the message has its id. One at a time: wait for it, or end it.",
        ),
        (
            ErrorCode::ConfigInvalid,
            "A setting is no number (or no boolean); the message names its file and line, or its environment variable. Correct it there.",
        ),
        (ErrorCode::IoError, "The operating system refused; the message has the path and its reason."),
        (ErrorCode::Internal, "A defect of this package. State on disk is intact; please report the message."),
    ];

    /// The code as callers see it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidInput => "INVALID_INPUT",
            Self::InvalidProject => "INVALID_PROJECT",
            Self::PlanNotFound => "PLAN_NOT_FOUND",
            Self::TaskNotFound => "TASK_NOT_FOUND",
            Self::TaskAmbiguous => "TASK_AMBIGUOUS",
            Self::TaskClaimed => "TASK_CLAIMED",
            Self::SharedUnreachable => "SHARED_UNREACHABLE",
            Self::OutputNotFound => "OUTPUT_NOT_FOUND",
            Self::OutsideProject => "OUTSIDE_PROJECT",
            Self::LockTimeout => "LOCK_TIMEOUT",
            Self::SessionBusy => "SESSION_BUSY",
            Self::ConfigInvalid => "CONFIG_INVALID",
            Self::IoError => "IO_ERROR",
            Self::Internal => "INTERNAL",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What to do next about what the operating system refuses.
const IO_HINTS: &[(io::ErrorKind, &str)] = &[
    (io::ErrorKind::PermissionDenied, "give this user access to it"),
    (io::ErrorKind::ReadOnlyFilesystem, "only reading actions work there"),
    (io::ErrorKind::StorageFull, "make room on the disk"),
    (io::ErrorKind::QuotaExceeded, "make room in the quota"),
    (io::ErrorKind::NotFound, "create what is missing"),
    (io::ErrorKind::AlreadyExists, "move what stands there away"),
    (io::ErrorKind::NotADirectory, "move the file away that stands where a folder should be"),
    (io::ErrorKind::IsADirectory, "move the folder away that stands where a file should be"),
];

/// A failed call: displayed as `CODE: message`.
///
/// ```
/// use ralph_sdk_tools::{ErrorCode, Ralph};
///
/// let error = Ralph::check("rate_limits", Vec::new()).expect_err("no such tool");
/// assert_eq!(error.code(), ErrorCode::InvalidInput);
/// assert!(error.message().contains("rate_limit"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    code: ErrorCode,
    message: String,
}

/// What every fallible function of the core returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with a message that ends in what to do next.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// `INVALID_INPUT`.
    pub fn invalid_input(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidInput, message)
    }

    /// `IO_ERROR`: what was tried, on which path, and what the operating system said.
    #[must_use]
    pub fn io(tried: &str, path: &Path, error: &io::Error) -> Self {
        let hint = IO_HINTS.iter().find(|(kind, _)| *kind == error.kind()).map_or("mend that and call again", |(_, hint)| hint);
        Self::new(ErrorCode::IoError, format!("cannot {tried} {}: {error}; {hint}", path.display()))
    }

    /// The same under another code, and with the place where it is wrong in front.
    #[must_use]
    pub fn at(self, code: ErrorCode, place: &str) -> Self {
        Self::new(code, format!("{place}: {}", self.message.trim_start_matches([':', ' '])))
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// The message, without the code.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}
