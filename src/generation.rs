//! Which bash Ralph's rules apply.

/// A generation of Ralph's rules. What differs between the two is data in `rules`, never a branch scattered about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Generation {
    /// Bash Ralph v0.9.0, decision for decision.
    V0_9,
    /// Bash Ralph v0.11.5, as its documents describe it.
    V0_11,
}
