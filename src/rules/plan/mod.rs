//! The task list in a plan (`fix_plan.md`): what is a task, what it is called, and the one byte that ticks it.
//!
//! A task is a line that is a list item (`-`, `*`, `+`, `1.`, `1)`, at any indent, also behind `>` or heading marks) whose
//! text begins with a box: `[x]` or `[X]` is done, `[-]` is dropped and no task, any other single mark and `[]` is open. What
//! a closed code fence or HTML comment holds is neither a task nor a heading. Headings are the `#` ones; a line of `---` under text makes none, as in bash.
//! Lines end in LF, CRLF or CR. Everything is read as bytes, in one pass: the plan is its owner's text, in whatever state.

mod add;
mod comments;
mod fences;
mod find;
mod id;
mod line;
mod list;
mod outline;
mod scan;
mod survey;
mod tag;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::generation::Generation;

pub use add::{Added, LONGEST_ADDED, add_task, task_text};
pub use find::Found;
pub use line::Mark;
pub use survey::{Survey, Totals};

/// A task of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Unique in its plan: the mark that leads the text (`proj-001`, `T007`, `2.3`, `#123`), else a slug of its words. Ticking keeps it.
    pub id: String,
    /// The text behind the box, its leading mark included.
    pub description: String,
    /// What the box says.
    pub mark: Mark,
    /// The title of the nearest heading above; empty where there is none.
    pub section: Arc<str>,
    /// Counted from 1.
    pub line: usize,
    /// Whether it stands in an optional section (v0.11): it does not keep the plan from being complete.
    pub optional: bool,
    /// Where the box's mark is, in bytes from the start of the file.
    pub offset: usize,
    /// How many bytes the mark has: 1, but 0 in `[]`, and more where it is no letter of ASCII.
    pub width: usize,
}

impl Task {
    /// Whether it is ticked.
    #[must_use]
    pub fn completed(&self) -> bool {
        self.mark == Mark::Done
    }

    /// Whether it keeps the plan from being complete.
    #[must_use]
    pub fn blocking(&self) -> bool {
        !self.completed() && !self.optional
    }
}

/// A plan, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// In the order of the file.
    pub tasks: Vec<Task>,
    /// Whether it has text, and no box at all.
    pub boxless: bool,
}

/// v0.9 knows no optional sections.
fn known(optional_sections: &[String], generation: Generation) -> &[String] {
    match generation {
        Generation::V0_9 => &[],
        Generation::V0_11 => optional_sections,
    }
}

/// How a plan stands, for whoever needs no task of it: as [`Plan::survey`], in a fraction of the time.
#[must_use]
pub fn survey(text: &[u8], optional_sections: &[String], generation: Generation) -> Survey {
    survey::survey(text, known(optional_sections, generation))
}

impl Plan {
    /// Reads a plan. `optional_sections` are titles, in any case; v0.9 knows no optional sections.
    #[must_use]
    pub fn parse(text: &[u8], optional_sections: &[String], generation: Generation) -> Self {
        list::plan(text, known(optional_sections, generation))
    }

    /// The task to do next: the first that blocks, else the first that is pending.
    #[must_use]
    pub fn next(&self) -> Option<&Task> {
        let first = |which: fn(&Task) -> bool| self.tasks.iter().find(|task| which(task));
        first(Task::blocking).or_else(|| first(|task| !task.completed()))
    }

    /// The titles of the sections that hold tasks, in the order of the file.
    #[must_use]
    pub fn sections(&self) -> Vec<&str> {
        let mut seen = std::collections::HashSet::new();
        self.tasks.iter().map(|task| &*task.section).filter(|title| seen.insert(*title)).collect()
    }
}

/// Whether two section titles are the same to a reader: case and a trailing colon do not count.
#[must_use]
pub fn same_section(a: &str, b: &str) -> bool {
    outline::key(a) == outline::key(b)
}

/// The plan with a task of it ticked, or unticked: its mark differs, which is one byte. None if nothing is to change: the
/// task is ticked already, or it is to be pending and is, begun or not.
#[must_use]
pub fn set_mark(text: &[u8], task: &Task, completed: bool) -> Option<Vec<u8>> {
    if task.completed() == completed {
        return None;
    }
    let (before, rest) = text.split_at_checked(task.offset)?;
    let after = rest.get(task.width..)?;
    Some([before, if completed { b"x" } else { b" " }, after].concat())
}
