//! Which bash Ralph's rules apply.

/// A generation of Ralph's rules. What differs between the two is data in `rules`, never a branch scattered about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Generation {
    /// Bash Ralph v0.9.0, decision for decision.
    V0_9,
    /// Bash Ralph v0.11.5, as its documents describe it.
    V0_11,
}

impl Generation {
    /// For rows of a table that hold in both.
    pub const BOTH: &'static [Generation] = &[Self::V0_9, Self::V0_11];
    /// For rows that v0.9 does not have.
    pub const SINCE_0_11: &'static [Generation] = &[Self::V0_11];
    /// For rows that v0.11 replaced.
    pub const ONLY_0_9: &'static [Generation] = &[Self::V0_9];
}
