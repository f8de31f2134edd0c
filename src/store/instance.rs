//! What one instance remembers from call to call; none of it is ever written.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    memories: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Instance {
    /// What has become of `autoReset`.
    pub fn auto_reset(&self) -> MutexGuard<'_, AutoReset> {
        // A panic while it was held cannot have left it half changed: it is replaced as a whole.
        self.auto_reset.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a tool remembers: one value of each type, its default before anybody has set it. It is for what can be told
    /// from the files again, and checked against them each time.
    pub fn memory<T: Default + Send + 'static>(&self) -> Arc<Mutex<T>> {
        let mut memories = self.memories.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = memories.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(Mutex::new(T::default())));
        // By its type it cannot be another; were it, there would be nothing remembered.
        Arc::clone(memory).downcast().unwrap_or_default()
    }
}
