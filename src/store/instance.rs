//! What one instance remembers from call to call; none of it is ever written.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What has become of `autoReset`, which applies once per instance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AutoReset {
    /// Nobody has asked for the breaker yet.
    #[default]
    Unused,
    /// The opening of this mark counts as reset, which the next record has to persist.
    Pending(String),
    /// It has been used up.
    Spent,
}

/// The memory of an instance.
#[derive(Debug, Default)]
pub struct Instance {
    auto_reset: Mutex<AutoReset>,
}

impl Instance {
    /// What has become of `autoReset`.
    pub fn auto_reset(&self) -> MutexGuard<'_, AutoReset> {
        // A panic while it was held cannot have left it half changed: it is replaced as a whole.
        self.auto_reset.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
