//! States expanded together: their successors stay where the expansion left them until they are inserted, so that the
//! store's memory is asked for before it is needed and nothing is copied.

use super::StateRef;
use crate::base::Rank;
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

/// A state that may be new: its hash, and where whoever asks has the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub hash: u128,
    pub place: u64,
}

/// An expanded state's successors.
pub struct Expanded {
    pub id: StateRef,
    /// Of the successors.
    pub level: u32,
    pub expansion: Expansion,
}

/// States expanded together, and those of their successors that may be new.
#[derive(Default)]
pub struct Block {
    expanded: Vec<Expanded>,
    /// How many of them are this block's, and how many may be.
    len: usize,
    len_max: usize,
    pub candidates: Vec<Candidate>,
    /// Those that other ranks own, with their owners, in order.
    pub others: Vec<(Rank, Candidate)>,
}

impl Block {
    /// Empties it for so many states.
    pub fn begin(&mut self, states: usize) {
        self.clear();
        self.len_max = states;
        if self.expanded.len() < states {
            let none = || Expanded { id: StateRef::NONE, level: 0, expansion: Expansion::default() };
            self.expanded.resize_with(states, none);
        }
    }

    pub fn clear(&mut self) {
        self.len = 0;
        self.candidates.clear();
        self.others.clear();
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn is_full(&self) -> bool {
        self.len == self.len_max
    }

    /// Where the next state is to be expanded.
    pub fn next(&mut self) -> &mut Expanded {
        &mut self.expanded[self.len]
    }

    /// The next state was expanded: makes candidates of its successors, but for those that are `known`. What is known cannot
    /// be foreseen, and a wrong guess costs the processor more than a candidate that is taken back.
    #[inline]
    pub fn take(&mut self, mut known: impl FnMut(u128) -> bool) {
        let place = (self.len as u64) << 32;
        for (at, &hash) in (place..).zip(&self.expanded[self.len].expansion.hashes) {
            self.candidates.push(Candidate { hash, place: at });
            let kept = self.candidates.len() - usize::from(known(hash));
            self.candidates.truncate(kept);
        }
        self.len += 1;
    }

    #[inline]
    fn of(&self, candidate: Candidate) -> (&Expanded, usize) {
        (&self.expanded[(candidate.place >> 32) as usize], candidate.place as u32 as usize)
    }

    /// The state that a candidate stands for, of so many words.
    #[inline]
    pub fn state(&self, candidate: Candidate, words: usize) -> &[u64] {
        let (expanded, at) = self.of(candidate);
        &expanded.expansion.states[at * words..(at + 1) * words]
    }

    /// How it was reached.
    #[inline]
    pub fn origin(&self, candidate: Candidate) -> Origin {
        let (expanded, at) = self.of(candidate);
        Origin { parent: expanded.id, step: expanded.expansion.steps[at], level: expanded.level }
    }
}
