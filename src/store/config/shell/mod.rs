//! The assignments of a bash file, read without running it.
//!
//! Assignments that bash would make for certain, at the top level of the file, are values; whatever only a shell can
//! know is skipped and says why. Time and memory are linear in the file (a value is at most [`MAX_VALUE`] bytes), and
//! no nesting in the file can overflow the stack.
//!
//! ```
//! use std::collections::BTreeMap;
//! use ralph_sdk_tools::store::config::shell;
//!
//! let script = shell::read(b"export A=\"${N:-5}\" # five\nB=$(nproc)\n", &BTreeMap::new());
//! assert_eq!(script.assignments["A"].value, "5");
//! assert_eq!(script.skipped[0].name.as_deref(), Some("B"));
//! ```

mod command;
mod cursor;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeMap;

/// The longest value that is read, in bytes: a file of a few lines could otherwise double one without end.
pub const MAX_VALUE: usize = 64 * 1024;

/// The last value that a name is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Quotes removed, variables replaced.
    pub value: String,
    /// Where it is assigned, from 1.
    pub line: usize,
}

/// Something that was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The name that it would assign, where that can be told.
    pub name: Option<String>,
    /// Where, from 1.
    pub line: usize,
    /// Why, to follow "was skipped:".
    pub why: String,
}

/// What a bash file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// The values, by name.
    pub assignments: BTreeMap<String, Assignment>,
    /// What was not read, in the file's order.
    pub skipped: Vec<Skipped>,
}

/// Reads a bash file. Variables are looked up in the assignments above, then in `environment`.
///
/// CRLF line ends, a BOM and bytes that are not UTF-8 are tolerated.
#[must_use]
pub fn read(bytes: &[u8], environment: &BTreeMap<String, String>) -> Script {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    command::Commands::new(text, environment).read()
}
