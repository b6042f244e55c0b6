//! Where a running search is.

/// A moment of a running search, over all ranks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moment {
    pub states: u64,
    pub rules_fired: u64,
    pub frontier: u64,
    pub frontier_longest: u64,
    pub level: u64,
    pub resident_bytes: u64,
    pub ranks: u32,
}
