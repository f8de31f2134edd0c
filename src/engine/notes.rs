//! What a session notes while its loop is open, `.session_<id>.edits`: a line each, appended only, for tools run side by side.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::event::{Event, LoopEventKind};
use crate::input::clip;
use crate::store::git::own::is_own;
use crate::store::project::Project;

/// So much of a command is kept.
const LONGEST_COMMAND: usize = 1000;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Note {
    /// A file, from the project directory.
    Edited(String),
    /// A tool that may have changed any file.
    Opaque(String),
    /// A denial.
    Denied(Call),
    /// A call that begins: its id, who calls, and what.
    Called(String, String, Call),
    /// A call that is over, by its id.
    Returned(String),
    /// All calls of an agent's turn are over.
    Settled(String),
}

/// A tool, and its command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Call(String, String);

/// The lines for an event; `None` where it does not count.
pub fn lines(project: &Project, event: &Event) -> Option<String> {
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let call = || Call(text(&event.tool), clip(event.command.as_deref().unwrap_or_default(), LONGEST_COMMAND));
    let returned = event.call.clone().map(Note::Returned);
    let notes = match event.kind? {
        LoopEventKind::Edited => vec![edited(project, event.path.as_deref()).map(Note::Edited), returned],
        LoopEventKind::Opaque => vec![Some(Note::Opaque(text(&event.tool))), returned],
        LoopEventKind::Denied => vec![Some(Note::Denied(call()))],
        LoopEventKind::Called => vec![event.call.clone().map(|id| Note::Called(id, text(&event.agent), call()))],
        LoopEventKind::Returned => vec![returned],
        LoopEventKind::Settled => vec![Some(Note::Settled(text(&event.agent)))],
        _ => return None,
    };
    let lines: Vec<String> = notes.into_iter().flatten().filter_map(|note| serde_json::to_string(&note).ok()).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A file that was changed, as it is counted; the plan where it is not named.
pub fn edited(project: &Project, path: Option<&str>) -> Option<String> {
    match path {
        Some(path) => counted(project, path),
        None => counted(project, &project.plan_path().to_string_lossy()),
    }
}

/// A file as it is counted: inside the project, and not Ralph's own. The plan counts, for git counts it too.
fn counted(project: &Project, path: &str) -> Option<String> {
    let resolved = resolved(&project.root().join(path));
    let inside = resolved.strip_prefix(project.root()).ok()?;
    let own = resolved.strip_prefix(project.state_dir()).is_ok_and(is_own);
    (!own && !inside.as_os_str().is_empty()).then(|| inside.to_string_lossy().into_owned())
}

/// The name of a file of Ralph's own, from the state directory; `None` for any other, the plan included.
pub(crate) fn own_file(project: &Project, path: &Path) -> Option<String> {
    let resolved = resolved(path);
    let name = resolved.strip_prefix(project.state_dir()).ok().filter(|name| is_own(name))?;
    Some(name.to_string_lossy().into_owned())
}

/// A file's path, its folder's links resolved: a file that is new has no other name, and one behind a link counts by the name
/// that git sees.
fn resolved(path: &Path) -> PathBuf {
    match (path.parent().and_then(|folder| folder.canonicalize().ok()), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => lexically(path),
    }
}

/// A path without `.` and `..`, by its names alone.
fn lexically(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut named, part| {
        match part {
            Component::ParentDir => drop(named.pop()),
            Component::CurDir => {}
            part => named.push(part),
        }
        named
    })
}

/// What a loop's notes come to.
#[derive(Debug, Default)]
pub struct Notes {
    edited: BTreeSet<String>,
    opaque: bool,
    denied: Vec<Call>,
    torn: usize,
}

impl Notes {
    /// Reads the lines; what is none of ours makes the loop opaque, for it may have stood for anything.
    ///
    /// A call whose turn is settled, and that returned nowhere, was denied. One whose turn never settled was interrupted.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        let mut notes = Self::default();
        let mut returned = BTreeSet::new();
        let (mut pending, mut settled) = (Vec::new(), Vec::new());
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(Note::Edited(path)) => drop(notes.edited.insert(path)),
                Ok(Note::Opaque(_)) => notes.opaque = true,
                Ok(Note::Denied(call)) => notes.denied.push(call),
                Ok(Note::Called(id, agent, call)) => pending.push((id, agent, call)),
                Ok(Note::Returned(id)) => drop(returned.insert(id)),
                Ok(Note::Settled(agent)) => {
                    let (over, open) = std::mem::take(&mut pending).into_iter().partition(|(_, caller, _)| *caller == agent);
                    pending = open;
                    settled.extend::<Vec<_>>(over);
                }
                Err(_) => notes.torn += 1,
            }
        }
        let refused = settled.into_iter().filter(|(id, _, _)| !returned.contains(id));
        notes.denied.extend(refused.map(|(_, _, call)| call));
        notes
    }

    /// Files that the loop changed; `None` where git must be asked.
    #[must_use]
    pub fn files_changed(&self) -> Option<u64> {
        let known = self.edited.len() as u64;
        if known == 0 && (self.opaque || self.torn > 0) { None } else { Some(known) }
    }

    /// The denials, as the SDK's result message lists them.
    #[must_use]
    pub fn denials(&self) -> Vec<Value> {
        self.denied
            .iter()
            .map(|Call(tool, command)| json!({ "tool_name": tool, "tool_use_id": "", "tool_input": { "command": command } }))
            .collect()
    }

    /// What a person should know of the notes.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        (self.torn > 0).then(|| format!("{} of the session's notes cannot be read: git is asked what changed", self.torn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denials(lines: &[&str]) -> usize {
        Notes::read(lines.join("\n").as_bytes()).denials().len()
    }

    #[test]
    fn a_call_that_settles_without_returning_was_denied() {
        let (called, returned, settled) =
            ("{\"called\":[\"1\",\"\",[\"Bash\",\"x\"]]}", "{\"returned\":\"1\"}", "{\"settled\":\"\"}");
        assert_eq!(denials(&[called, settled]), 1);
        assert_eq!(denials(&[called, returned, settled]), 0);
        assert_eq!(denials(&[called, settled, returned]), 0, "hooks run side by side");
        assert_eq!(denials(&[called]), 0, "interrupted");
        assert_eq!(denials(&[called, "{\"settled\":\"agent-1\"}"]), 0, "another agent's turn");
    }

    #[test]
    fn a_torn_line_sends_for_git() {
        for (lines, files) in [
            ("", Some(0)),
            ("{\"edited\":\"a\"}\n{\"edited\":\"a\"}\n", Some(1)),
            ("{\"opaque\":\"Bash\"}\n", None),
            ("{\"opaque\":\"Bash\"}\n{\"edited\":\"a\"}", Some(1)),
            ("{\"edi", None),
            ("\u{0}", None),
        ] {
            let notes = Notes::read(lines.as_bytes());
            assert_eq!(notes.files_changed(), files, "{lines}");
        }
    }
}
