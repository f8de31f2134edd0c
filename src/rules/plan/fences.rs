//! Code fences whose end has not been seen yet.
//!
//! A fence hides what it holds only if it is closed, which shows at its end. So a line is read as if no pending fence
//! counted, and a fence that does get closed takes back whatever was read since it opened. That is one pass, however
//! many fences stay open.

use super::line::{Fence, Level, Place};

/// How many of the levels, ordered outside in, a line at this place is still in.
pub(super) fn still_in<T>(levels: &[T], level: impl Fn(&T) -> Level, place: &Place) -> usize {
    let unquoted = levels.partition_point(|l| level(l).quotes == 0);
    let kept = levels.partition_point(|l| level(l) <= Level { quotes: 0, column: place.margin });
    if kept < unquoted {
        return kept;
    }
    levels.partition_point(|l| level(l) <= Level { quotes: place.quotes, column: place.indent })
}

#[derive(Debug)]
struct Pending<S> {
    level: Level,
    length: usize,
    order: usize,
    before: S,
}

/// The pending fences, outside in: those of backticks and those of tildes. `S` is what to go back to.
#[derive(Debug)]
pub(super) struct Fences<S> {
    pending: [Vec<Pending<S>>; 2],
    opened: usize,
}

impl<S> Default for Fences<S> {
    fn default() -> Self {
        Self { pending: [Vec::new(), Vec::new()], opened: 0 }
    }
}

impl<S: Copy> Fences<S> {
    /// Forgets the fences whose quote or list item ends at this line: they were never closed.
    pub fn leave(&mut self, place: &Place) {
        for pending in &mut self.pending {
            let kept = still_in(pending, |p| p.level, place);
            pending.truncate(kept);
        }
    }

    /// A line that may open a fence at this level.
    pub fn open(&mut self, fence: &Fence, level: Level, before: S) {
        self.opened += 1;
        let order = self.opened;
        let [backticks, tildes] = &mut self.pending;
        let pending = if fence.tilde { tildes } else { backticks };
        // What would close this one closes a shorter one around it at the same level first.
        if pending.last().is_none_or(|p| p.level != level || p.length > fence.length) {
            pending.push(Pending { level, length: fence.length, order, before });
        }
    }

    /// A line that may close a fence: the outermost that it fits, with its level and what to go back to.
    pub fn close(&mut self, fence: &Fence, place: &Place) -> Option<(Level, S)> {
        let [backticks, tildes] = &mut self.pending;
        let (same, other) = if fence.tilde { (tildes, backticks) } else { (backticks, tildes) };
        let index = outermost(same, fence.length, place)?;
        let (level, order, before) = same.get(index).map(|p| (p.level, p.order, p.before))?;
        same.truncate(index);
        let kept = other.partition_point(|p| p.order < order);
        other.truncate(kept);
        Some((level, before))
    }
}

/// A closing fence may stand up to three columns further in than its block. It may also stand further out, as people
/// write it below a list item: taken for an opening one it would hide what follows.
fn outermost<S>(pending: &[Pending<S>], length: usize, place: &Place) -> Option<usize> {
    let nearest = Level { quotes: place.quotes, column: place.indent.saturating_sub(3) };
    let mut start = pending.partition_point(|p| p.level < nearest);
    while let Some(level) = pending.get(start).map(|p| p.level).filter(|level| level.quotes == place.quotes) {
        let end = pending.partition_point(|p| p.level <= level);
        // At one level each fence is shorter than the one around it.
        let fits = pending.get(start..end)?.partition_point(|p| p.length > length);
        if start + fits < end {
            return Some(start + fits);
        }
        start = end;
    }
    None
}
