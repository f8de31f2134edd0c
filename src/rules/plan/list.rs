//! The tasks of a plan as a list, with their ids.

use std::sync::Arc;

use super::line::Mark;
use super::outline::Outline;
use super::scan::{Sight, Sink, pass};
use super::{Plan, Task, id};

/// A task before it has an id.
#[derive(Debug)]
struct Draft {
    description: String,
    mark: Mark,
    section: Arc<str>,
    line: usize,
    optional: bool,
    offset: usize,
    width: usize,
}

impl Sink for Vec<Draft> {
    type Point = usize;

    fn point(&self) -> usize {
        self.len()
    }

    fn back(&mut self, to: usize) {
        self.truncate(to);
    }

    fn task(&mut self, seen: &Sight<'_>, outline: &Outline) {
        self.push(Draft {
            description: String::from_utf8_lossy(seen.found.text).trim().to_owned(),
            mark: seen.found.mark,
            section: outline.title(seen.section),
            line: seen.line,
            optional: seen.optional,
            offset: seen.offset,
            width: seen.found.width,
        });
    }
}

/// The plan, read.
pub(super) fn plan(text: &[u8], optional_sections: &[String]) -> Plan {
    let (drafts, boxless) = pass(text, optional_sections, Vec::<Draft>::new());
    let ids = id::assign(drafts.iter().map(|draft| draft.description.as_str()));
    let task = |(id, draft): (String, Draft)| {
        let Draft { description, mark, section, line, optional, offset, width } = draft;
        Task { id, description, mark, section, line, optional, offset, width }
    };
    Plan { tasks: ids.into_iter().zip(drafts).map(task).collect(), boxless }
}
