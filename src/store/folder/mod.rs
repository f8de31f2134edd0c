//! A folder held open, and files reached from it by name: the one way to open, look at, replace and remove a file.
//!
//! A name is never followed if it is a link, a pipe is never waited for, and what counts is what has been opened, not
//! what stood at the name a moment before (cases B5, B6). Where links are allowed, [`super::inside`] follows them itself.

#[cfg(any(not(unix), test))]
mod portable;
#[cfg(test)]
mod tests;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use portable::{Folder, facts, facts_at, give, give_attributes};
#[cfg(unix)]
pub use unix::{Folder, facts, facts_at, give, give_attributes};

use std::fmt;
use std::io;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};

/// What stands at a name or is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, not followed.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// What a file is told from others by, for as long as it is held open: its device and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The device, 0 where the system does not tell.
    pub device: u64,
    /// The number on it, 0 where the system does not tell.
    pub number: u64,
}

/// A time as the file system has it, which may lie beyond what a calendar can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileTime {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds after them.
    pub nanoseconds: u32,
}

impl FileTime {
    /// The instant; `None` for one that no calendar has (`touch -d @9e15`, case B10).
    #[must_use]
    pub fn instant(self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(self.seconds, self.nanoseconds)
    }
}

impl From<SystemTime> for FileTime {
    fn from(time: SystemTime) -> Self {
        let seconds = |duration: Duration| i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
        match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => Self { seconds: seconds(after), nanoseconds: after.subsec_nanos() },
            Err(before) => {
                let (whole, rest) = (seconds(before.duration()), before.duration().subsec_nanos());
                if rest == 0 {
                    Self { seconds: -whole, nanoseconds: 0 }
                } else {
                    Self { seconds: -whole - 1, nanoseconds: 1_000_000_000 - rest }
                }
            }
        }
    }
}

/// What the system tells of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// What it is.
    pub kind: Kind,
    /// Which it is.
    pub identity: Identity,
    /// Its length in bytes.
    pub length: u64,
    /// When its content was last changed.
    pub modified: FileTime,
    /// How many names it has.
    pub names: u64,
    /// Its owner and group; 0 where there are none.
    pub owner: (u32, u32),
    /// Its permission bits on Unix; elsewhere whether it may be written, as 0o200.
    pub mode: u32,
}

/// For what a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// To read it.
    Reading,
    /// To read it and write into it.
    Writing,
    /// To read it and append to it; made where it is missing.
    Appending,
    /// The same, but not made.
    AppendingToOld,
    /// To lock it; made where it is missing, and opened for reading alone where writing is not allowed.
    Locking,
}

/// Why we do not open what the system would have opened. It travels inside an [`io::Error`]; see [`refusal`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is a link.
    Link,
    /// It is no regular file: a folder, a pipe, a device.
    NoFile,
    /// Its links go round in a circle, or change as fast as they are followed.
    Circle,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Link => "it is a link, which is not followed",
            Self::NoFile => "it is no regular file",
            Self::Circle => "its links lead in a circle",
        })
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        Self::new(io::ErrorKind::InvalidInput, refusal)
    }
}

/// Whether an error is a refusal of ours.
#[must_use]
pub fn refusal(error: &io::Error) -> Option<Refusal> {
    error.get_ref().and_then(|inner| inner.downcast_ref()).copied()
}
