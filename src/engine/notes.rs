//! What a session notes while its loop is open, `.session_<id>.edits`: a line each, appended only, for tools run side by side.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::event::{Event, LoopEventKind};
use crate::store::git::own::is_own;
use crate::store::project::Project;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Note {
    /// A file, from the project directory.
    Edited(String),
    /// A tool that may have changed any file.
    Opaque(String),
    /// A denial: the tool, and its command.
    Denied(String, String),
}

/// The line for an event; `None` where it does not count.
pub fn line(project: &Project, event: &Event) -> Option<String> {
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let note = match event.kind? {
        LoopEventKind::Edited => Note::Edited(counted(project, event.path.as_deref()?)?),
        LoopEventKind::Opaque => Note::Opaque(text(&event.tool)),
        LoopEventKind::Denied => Note::Denied(text(&event.tool), text(&event.command)),
        _ => return None,
    };
    serde_json::to_string(&note).ok()
}

/// A file as it is counted: inside the project, and not Ralph's own. The plan counts, for git counts it too.
fn counted(project: &Project, path: &str) -> Option<String> {
    let joined = project.root().join(path);
    // A file that is new has no other name; one behind a link counts by the name that git sees.
    let folder = joined.parent().and_then(|folder| folder.canonicalize().ok());
    let resolved = match (folder, joined.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => lexically(&joined),
    };
    let inside = resolved.strip_prefix(project.root()).ok()?;
    let own = resolved.strip_prefix(project.state_dir()).is_ok_and(is_own);
    (!own && !inside.as_os_str().is_empty()).then(|| inside.to_string_lossy().into_owned())
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
    denied: Vec<(String, String)>,
    torn: usize,
}

impl Notes {
    /// Reads the lines; what is none of ours makes the loop opaque, for it may have stood for anything.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        let mut notes = Self::default();
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(Note::Edited(path)) => drop(notes.edited.insert(path)),
                Ok(Note::Opaque(_)) => notes.opaque = true,
                Ok(Note::Denied(tool, command)) => notes.denied.push((tool, command)),
                Err(_) => notes.torn += 1,
            }
        }
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
            .map(|(tool, command)| json!({ "tool_name": tool, "tool_use_id": "", "tool_input": { "command": command } }))
            .collect()
    }

    /// What a person should know of the notes.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        (self.torn > 0).then(|| format!("{} of the session's notes cannot be read: git is asked what changed", self.torn))
    }
}
