//! Finding the task that a caller means.

use std::cmp::Reverse;

use super::{Plan, Task, id, tag};

/// What an id or a description leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<'a> {
    /// One task.
    Task(&'a Task),
    /// Several tasks have this description: their ids.
    Ambiguous(Vec<&'a str>),
    /// None has; the ids that come closest, best first.
    None(Vec<&'a str>),
}

/// How many of the closest ids are named.
const CLOSEST: usize = 5;

/// More of what was asked for tells nothing about what was meant.
const LONGEST_QUESTION: usize = 200;

impl Plan {
    /// The task with this id, else the one with exactly this description.
    #[must_use]
    pub fn find(&self, wanted: &str) -> Found<'_> {
        if let Some(task) = self.tasks.iter().find(|task| task.id == wanted) {
            return Found::Task(task);
        }
        let mut described = self.tasks.iter().filter(|task| task.description == wanted);
        match (described.next(), described.next()) {
            (Some(task), None) => Found::Task(task),
            (Some(first), Some(second)) => {
                Found::Ambiguous([first, second].into_iter().chain(described).map(|task| task.id.as_str()).collect())
            }
            (None, _) => Found::None(self.closest(wanted)),
        }
    }

    fn closest(&self, wanted: &str) -> Vec<&str> {
        let wanted: String = wanted.chars().take(LONGEST_QUESTION).collect();
        let spelled = wanted.trim().to_lowercase();
        let slug = id::natural(&wanted).to_lowercase();
        let mut scored: Vec<(Reverse<u32>, usize, &str)> = self
            .tasks
            .iter()
            .enumerate()
            .map(|(index, task)| {
                let like = |name: &str| likeness(name, &spelled).max(likeness(name, &slug));
                let id = like(&task.id.to_lowercase());
                // Behind a mark the words may be what the caller has in mind.
                let words = if tag::leading(&task.description).is_some() { like(&id::slug(&task.description)) } else { 0 };
                (Reverse(id.max(words)), index, task.id.as_str())
            })
            .collect();
        if scored.len() > CLOSEST {
            scored.select_nth_unstable(CLOSEST);
            scored.truncate(CLOSEST);
        }
        scored.sort_unstable();
        scored.into_iter().map(|(_, _, id)| id).collect()
    }
}

/// From 0 to 1000: letters in common, in order (a typing error) or in pairs (words left out or moved).
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "both likenesses lie between 0 and 1")]
fn likeness(id: &str, wanted: &str) -> u32 {
    (strsim::jaro_winkler(id, wanted).max(strsim::sorensen_dice(id, wanted)) * 1000.0) as u32
}
