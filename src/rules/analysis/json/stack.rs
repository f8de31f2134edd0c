//! Nesting, at a bit a level: 100 000 open brackets are 12 KiB.

/// Which containers are open, one bit each: set for objects.
#[derive(Debug, Default)]
pub(super) struct Stack {
    bits: Vec<u64>,
    depth: usize,
}

const WORD: usize = u64::BITS as usize;

impl Stack {
    /// How many are open.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Closes all.
    pub(super) fn clear(&mut self) {
        self.depth = 0;
    }

    pub(super) fn push(&mut self, object: bool) {
        let (word, bit) = (self.depth / WORD, self.depth % WORD);
        if word == self.bits.len() {
            self.bits.push(0);
        }
        if let Some(word) = self.bits.get_mut(word) {
            *word = *word & !(1 << bit) | u64::from(object) << bit;
        }
        self.depth += 1;
    }

    pub(super) fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Whether the innermost is an object.
    pub(super) fn in_object(&self) -> bool {
        let Some(top) = self.depth.checked_sub(1) else { return false };
        self.bits.get(top / WORD).is_some_and(|word| word >> (top % WORD) & 1 == 1)
    }
}
