//! The states of a search for what stays in reach that a rank owns, whole, with how each was first reached.
//!
//! In: packed states. Out: their numbers, dense from 0 in the order of insertion, as in `states.rs`. Cost: the state
//! and about 25 bytes.

use super::states::States;

/// How a state was first reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Of a state where the walk began, the log's reference where that is known; else the rank and number, among the
    /// states walked through, of the one before.
    pub word: u64,
    /// The instance that led here; `SEED` where the walk began.
    pub step: u32,
}

/// In place of a step: the walk began in this state.
pub const SEED: u32 = u32::MAX;

/// Bytes beside a state: its parent, its flags, and its places at most.
const EXTRA_BYTES: u64 = 25;

pub struct Table {
    state_bytes: u64,
    bytes_max: u64,
    states: States,
    pub flags: Vec<u8>,
    pub parents: Vec<Parent>,
}

impl Table {
    pub fn new(words: usize, bytes_max: u64) -> Table {
        let state_bytes = words as u64 * 8 + EXTRA_BYTES;
        Table { state_bytes, bytes_max, states: States::new(words), flags: Vec::new(), parents: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.flags.len()
    }

    pub fn state(&self, at: usize) -> &[u64] {
        self.states.state(at)
    }

    pub fn find(&self, hash: u128, state: &[u64]) -> Option<usize> {
        self.states.find(hash, state)
    }

    /// Adds a state that is not there; its number, or none where there is no memory for it.
    pub fn insert(&mut self, hash: u128, state: &[u64], parent: Parent) -> Option<usize> {
        if (self.len() as u64 + 1) * self.state_bytes > self.bytes_max {
            return None;
        }
        let at = self.states.insert(hash, state)?;
        self.flags.push(0);
        self.parents.push(parent);
        Some(at)
    }
}
