//! The guarded loop: one engine behind all its doors.
//!
//! An event goes in as a value, an answer comes out as a value. What happens is in the rows of [`table`]; the executor
//! (`turn` and its neighbours) performs their actions through the tools and keeps the session's files. It knows no SDK and
//! no Claude Code: the doors translate. Nothing is kept in memory, so that each process of a hook may make an engine.

mod admit;
mod answer;
mod claim;
mod close;
mod event;
mod guards;
mod notes;
#[cfg(test)]
mod properties;
mod session;
pub mod table;
#[cfg(test)]
mod tests;
mod texts;
mod turn;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use answer::{
    ClosedLoop, LoopAnswer, LoopCounts, LoopEffects, LoopEnding, LoopHookAnswer, LoopStep, LoopWait, LoopWaitReason,
};
pub use event::{Event, FIELDS, Limits, LoopEventKind, LoopOwner};

pub(crate) use notes::own_file;

pub use crate::store::sessions::has_session;

use crate::ralph::Ralph;
use crate::schema::{Enumeration, Record};
use crate::store::project::Project;
use turn::Turn;

/// What an answer is made of, parts first.
pub const RECORDS: &[&Record] = &[
    &LoopWait::RECORD,
    &LoopEnding::RECORD,
    &ClosedLoop::RECORD,
    &LoopCounts::RECORD,
    &LoopAnswer::RECORD,
    &LoopHookAnswer::RECORD,
    &LoopEffects::RECORD,
];

/// The enumerations that events and answers are made of.
pub const ENUMERATIONS: &[&Enumeration] =
    &[&LoopEventKind::ENUMERATION, &LoopOwner::ENUMERATION, &LoopStep::ENUMERATION, &LoopWaitReason::ENUMERATION];

/// The guarded loop of one project.
#[derive(Debug, Clone)]
pub struct LoopEngine {
    ralph: Arc<Ralph>,
}

impl LoopEngine {
    /// An engine on a project's tools.
    #[must_use]
    pub fn new(ralph: Arc<Ralph>) -> Self {
        Self { ralph }
    }

    /// The project that it loops on.
    #[must_use]
    pub fn project(&self) -> &Project {
        self.ralph.project()
    }

    /// Takes an event and says what to do next. It never fails: an error of ours ends the loop, and is told in the answer.
    #[must_use]
    pub fn handle(&self, event: &Event) -> LoopAnswer {
        Turn::take(&self.ralph, event)
    }

    /// The files that events say were changed, each once, as they are counted: for wrappers that count edits and ask the
    /// guards themselves.
    #[must_use]
    pub fn effects(&self, events: &[Event]) -> LoopEffects {
        let of = |kind| events.iter().filter(move |event| event.kind == Some(kind));
        let files: BTreeSet<String> =
            of(LoopEventKind::Edited).filter_map(|event| notes::edited(self.ralph.project(), event.path.as_deref())).collect();
        LoopEffects { files: files.into_iter().collect(), opaque: of(LoopEventKind::Opaque).next().is_some() }
    }

    /// As [`LoopEngine::handle`], for an event that came as JSON text; what is none changes nothing and is told in a note.
    #[must_use]
    pub fn handle_json(&self, text: &[u8]) -> LoopAnswer {
        match Event::from_json(text) {
            Ok(event) => self.handle(&event),
            Err(error) => LoopAnswer { notes: vec![error.to_string()], ..LoopAnswer::none("") },
        }
    }
}
