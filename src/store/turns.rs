//! Turns at the processor: however many large outputs are read at once, one core stays free for small calls.

use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The turns of this process's scans: as many at a time as there are cores but one.
pub static SCANS: LazyLock<Turns> =
    LazyLock::new(|| Turns::new(thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1))));

/// Gives turns in the order in which they are asked for.
#[derive(Debug)]
pub struct Turns {
    at_once: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    /// The number that the next to ask gets, and the one whose turn it is.
    asked: u64,
    next: u64,
}

/// A turn; it ends when dropped.
#[derive(Debug)]
pub struct Turn<'a>(&'a Turns);

impl Turns {
    /// So many at a time, at least one.
    #[must_use]
    pub fn new(at_once: usize) -> Self {
        Self { at_once: at_once.max(1), state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits for a turn. Whoever holds one must not ask for another.
    pub fn take(&self) -> Turn<'_> {
        let mut state = self.lock();
        let number = state.asked;
        state.asked += 1;
        while state.next != number || state.running == self.at_once {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.next += 1;
        state.running += 1;
        drop(state);
        self.changed.notify_all();
        Turn(self)
    }

    /// The counts are whole at every instant, so a poisoned lock guards nothing broken.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn never_more_at_once_and_everybody_in_the_end() {
        for at_once in 1..=3 {
            let (turns, running, done) = (Turns::new(at_once), AtomicUsize::new(0), AtomicUsize::new(0));
            thread::scope(|scope| {
                for _ in 0..6 {
                    scope.spawn(|| {
                        for _ in 0..50 {
                            let turn = turns.take();
                            assert!(running.fetch_add(1, Ordering::SeqCst) < at_once);
                            running.fetch_sub(1, Ordering::SeqCst);
                            done.fetch_add(1, Ordering::SeqCst);
                            drop(turn);
                        }
                    });
                }
            });
            assert_eq!(done.into_inner(), 300);
        }
    }

    #[test]
    fn a_panic_ends_the_turn() {
        let turns = Turns::new(1);
        let panicked = thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _turn = turns.take();
                panic!("on purpose");
            });
            panics.join().is_err()
        });
        assert!(panicked);
        drop(turns.take());
    }
}
