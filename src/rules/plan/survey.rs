//! How a plan stands, counted in one pass: no task of it is kept, and none needs a name for it.

use super::line::Mark;
use super::outline::Outline;
use super::scan::{Sight, Sink, pass};
use super::{Plan, Task};

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

/// Tasks whose marks are nobody's but their owner's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Odd {
    count: usize,
    /// The first: its line, and where its mark is.
    line: usize,
    offset: usize,
    width: usize,
}

/// How a plan stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// Its counts.
    pub totals: Totals,
    /// What its owner should know: what was guessed, and what does not count.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    totals: Totals,
    odd: Option<Odd>,
}

impl Counts {
    fn add(&mut self, mark: Mark, optional: bool, odd: Odd) {
        let completed = mark == Mark::Done;
        self.totals.total += 1;
        self.totals.completed += usize::from(completed);
        self.totals.blocking += usize::from(!completed && !optional);
        if mark == Mark::Other {
            self.odd.get_or_insert(odd).count += 1;
        }
    }

    fn survey(self, text: &[u8], boxless: bool) -> Survey {
        let odd = self.odd.map(|odd| {
            let mark = text.get(odd.offset..odd.offset + odd.width).unwrap_or_default();
            let others = if odd.count > 1 { format!(", as are {} more", odd.count - 1) } else { String::new() };
            format!(
                "line {} of the plan: the mark [{}] is none of [ ], [x], [/], [~] and [-], so its task counts as open{others}",
                odd.line,
                String::from_utf8_lossy(mark)
            )
        });
        let boxless = boxless.then(|| {
            "the plan has text but no task: a task is a list item with a box, such as `- [ ] Write the tests`".to_owned()
        });
        Survey { totals: self.totals, notes: odd.into_iter().chain(boxless).collect() }
    }
}

impl Sink for Counts {
    type Point = Self;

    fn point(&self) -> Self {
        *self
    }

    fn back(&mut self, to: Self) {
        *self = to;
    }

    fn task(&mut self, seen: &Sight<'_>, _: &Outline) {
        let odd = Odd { count: 0, line: seen.line, offset: seen.offset, width: seen.found.width };
        self.add(seen.found.mark, seen.optional, odd);
    }
}

/// How a plan stands, without the list of its tasks.
pub(super) fn survey(text: &[u8], optional_sections: &[String]) -> Survey {
    let (counts, boxless) = pass(text, optional_sections, Counts::default());
    counts.survey(text, boxless)
}

impl Plan {
    /// How it stands; `text` is what it was read from.
    #[must_use]
    pub fn survey(&self, text: &[u8]) -> Survey {
        self.counts().survey(text, self.boxless)
    }

    /// Counts over the whole plan.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.counts().totals
    }

    fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for &Task { mark, optional, line, offset, width, .. } in &self.tasks {
            counts.add(mark, optional, Odd { count: 0, line, offset, width });
        }
        counts
    }
}
