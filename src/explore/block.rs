//! States expanded together: their successors stay where the expansion left them until they are inserted, so that the
//! store's memory is asked for before it is needed and nothing is copied.

use super::StateRef;
use crate::compile::{Expansion, InstanceNo};

/// How a state was reached: what travels with it.
#[derive(Clone, Copy)]
pub struct Origin {
    pub parent: StateRef,
    pub step: InstanceNo,
    pub level: u32,
}

impl Origin {
    /// As it travels behind a state.
    #[inline]
    pub fn words(self) -> [u64; 2] {
        [self.parent.word(), u64::from(self.level) << 32 | u64::from(self.step.0)]
    }

    #[inline]
    pub fn from_words([parent, rest]: [u64; 2]) -> Origin {
        let (step, level) = (InstanceNo(rest as u32), (rest >> 32) as u32);
        Origin { parent: StateRef::from_word(parent), step, level }
    }
}

/// An expanded state's successors, until those that this rank owns are inserted.
pub struct Expanded {
    pub id: StateRef,
    /// Of the successors.
    pub level: u32,
    pub expansion: Expansion,
    /// The successors that this rank owns, by position, with their hashes.
    pub own: Vec<(u32, u128)>,
}

impl Expanded {
    pub fn none() -> Expanded {
        Expanded { id: StateRef::NONE, level: 0, expansion: Expansion::default(), own: Vec::new() }
    }

    /// How the successor at this position was reached.
    #[inline]
    pub fn origin(&self, at: usize) -> Origin {
        Origin { parent: self.id, step: self.expansion.steps[at], level: self.level }
    }
}
