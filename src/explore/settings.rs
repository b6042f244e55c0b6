//! How a search is done, what it may ask of the outside world, and what it comes to.

use super::balance::Balance;
use super::compact::Compact;
use super::{Finding, Limits, Moment};
use crate::compile::{InstanceNo, Owners};
use crate::exchange;
use crate::verdict::figures::RankFigures;

/// How states are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remember {
    /// By this many bits of their hash.
    Hash {
        bits: u32,
    },
    Whole,
}

impl Remember {
    /// Whether the store needs the log's hashes to grow.
    pub fn needs_hashes(self) -> bool {
        matches!(self, Remember::Hash { bits } if Compact::fills_anew(bits))
    }
}

/// When the successors of states that were expanded together are taken in (`worker/expanding.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakeIn {
    AtOnce,
    /// When the next states have been expanded.
    Later,
    /// Later where the store has grown beyond the processor's caches and there is enough to do.
    Auto,
}

/// How a search is done.
#[derive(Clone, Debug)]
pub struct Settings {
    pub exchange: exchange::Settings,
    pub owners: Owners,
    pub balance: Balance,
    pub remember: Remember,
    pub by_levels: bool,
    /// A new state is expanded by the rank that found it instead of by its owner (`worker/asking.rs`). Not together
    /// with whole states, assumptions, levels, or observers that want numbers or to see states at their owner.
    pub finder_expands: bool,
    pub take_in: TakeIn,
    pub limits: Limits,
}

/// What rank 0 has in the end.
#[derive(Debug)]
pub struct Outcome {
    /// Each finding with the steps to its state, start instance first.
    pub findings: Vec<(Finding, Vec<InstanceNo>)>,
    /// Why the search ended before all states were seen, where that was not a finding.
    pub halt: Option<String>,
    pub ranks: Vec<RankFigures>,
}

/// What the outside world may ask and be told while the search runs.
pub struct Outside<'a> {
    /// Whether this rank was asked to stop.
    pub stop: &'a dyn Fn() -> bool,
    /// Told now and then, at rank 0.
    pub moment: &'a mut dyn FnMut(&Moment),
}
