//! The task list in a plan (`fix_plan.md`): what is a task, what it is called, and the one byte that ticks it.
//!
//! A task is a line that is a list item (`-`, `*`, `+`, `1.`, `1)`, at any indent, also behind `>` or heading marks) whose
//! text begins with a box: `[ ]`, `[x]`, `[X]`, or `[/]` for a task that is begun. What a closed code fence or HTML comment
//! holds is neither a task nor a heading. Headings are the `#` ones; a line of `---` under text makes none, as in bash.
//! Lines end in LF, CRLF or CR. Everything is read as bytes, in one pass: the plan is its owner's text, in whatever state.

mod comments;
mod fences;
mod find;
mod id;
mod line;
mod outline;
mod scan;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::generation::Generation;

pub use find::Found;
pub use line::Mark;

/// A task of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Unique in its plan: the tag that leads the text (`proj-001`, `#123`), else a slug of its words. Ticking keeps it.
    pub id: String,
    /// The text behind the box, its tag included.
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

/// Counts over a whole plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// All tasks.
    pub total: usize,
    /// Those ticked.
    pub completed: usize,
    /// Those pending and not optional.
    pub blocking: usize,
}

impl Totals {
    /// Those not ticked.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.total.saturating_sub(self.completed)
    }

    /// Complete: at least one task is ticked and none blocks.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.completed > 0 && self.blocking == 0
    }

    /// Ticked tasks in percent, two decimals; 0 without tasks, and 100 only when all are ticked.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "no plan has 2^52 tasks")]
    pub fn percentage(&self) -> f64 {
        if self.completed >= self.total {
            return if self.total == 0 { 0.0 } else { 100.0 };
        }
        let percentage = (self.completed as f64 * 10_000.0 / self.total as f64).round() / 100.0;
        percentage.min(99.99)
    }
}

/// A plan, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// In the order of the file.
    pub tasks: Vec<Task>,
}

impl Plan {
    /// Reads a plan. `optional_sections` are titles, in any case; v0.9 knows no optional sections.
    #[must_use]
    pub fn parse(text: &[u8], optional_sections: &[String], generation: Generation) -> Self {
        let optional_sections = match generation {
            Generation::V0_9 => &[],
            Generation::V0_11 => optional_sections,
        };
        scan::tasks(text, optional_sections).into()
    }

    /// Counts over the whole plan.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let count = |which: fn(&Task) -> bool| self.tasks.iter().filter(|task| which(task)).count();
        Totals { total: self.tasks.len(), completed: count(Task::completed), blocking: count(Task::blocking) }
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

/// The plan with a task of it ticked, or unticked: exactly the mark's byte differs. None if nothing is to change: the task
/// is ticked already, or it is to be pending and is, begun or not.
#[must_use]
pub fn set_mark(text: &[u8], task: &Task, completed: bool) -> Option<Vec<u8>> {
    if task.completed() == completed {
        return None;
    }
    let mut text = text.to_vec();
    *text.get_mut(task.offset)? = if completed { b'x' } else { b' ' };
    Some(text)
}
