//! Distributed explicit-state search: every reachable state, once, at its owner.
//!
//! Stern and Dill's algorithm with the three additions of PReach (Bingham's thesis, chapter 3, Algorithms 3.1 and
//! 3.2). In go a model's steps (`compile::Steps`), observers and limits; out come counts, what observers found,
//! and for each finding the steps that lead to it. A state's hash names its owner; the owner's store knows
//! whether it is new; new states wait in their finder's frontier (`worker/asking.rs`), or in the owner's, until they are
//! expanded.
//!
//! Invariants: a state is counted, observed and expanded once (with hash compaction: at most once, and the bound on
//! the probability of less is computed); a state found by its owner never becomes a message. It ends because the
//! state space is finite and each state enters a frontier once; `exchange` says when all frontiers are empty.
//! It knows no property: see `observer.rs`. Cost: one hash per successor; one message item per successor that
//! another rank owns; about two bytes of log on disk per state, for traces (14 where hashes are needed again).

pub mod balance;
mod block;
pub mod compact;
mod control;
mod entries;
pub mod frontier;
pub mod limits;
pub mod log;
pub mod moment;
pub mod numbers;
pub mod observer;
mod recent;
mod records;
mod reel;
mod room;
mod segment;
pub mod sequel;
pub mod settings;
mod spread;
pub mod store;
mod tape;
pub mod trace;
pub mod worker;

use serde::{Deserialize, Serialize};

use crate::base::Rank;

pub use limits::Limits;
pub use moment::Moment;
pub use observer::{Desk, Finding, Observer, What};
pub use settings::{Outcome, Outside, Remember, Settings, TakeIn};
pub use worker::{search, search_then};

/// A state by the rank that numbers it, its owner or (where finders expand) its finder, and its number there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct StateRef(u64);

impl StateRef {
    const NUMBER_BITS: u32 = 40;
    /// Of a start state's parent: there is none.
    pub const NONE: StateRef = StateRef(u64::MAX);

    pub fn new(rank: Rank, number: u64) -> StateRef {
        assert!(number >> StateRef::NUMBER_BITS == 0, "a rank numbers fewer than 2^40 states");
        StateRef(u64::from(rank.0) << StateRef::NUMBER_BITS | number)
    }

    pub fn rank(self) -> Rank {
        Rank((self.0 >> StateRef::NUMBER_BITS) as u32)
    }

    pub fn number(self) -> u64 {
        self.0 & ((1 << StateRef::NUMBER_BITS) - 1)
    }

    pub fn word(self) -> u64 {
        self.0
    }

    pub fn from_word(word: u64) -> StateRef {
        StateRef(word)
    }
}
