//! The pending states that a rank owns, whole, with what the rounds know of each.
//!
//! Beside each state: the promises due and kept there, the promises kept on ways into it (its tags), how many steps
//! lead to it, and a few flags. What is due and kept in a state depends on which rules are
//! enabled there, so few different pairs of sets serve many states: each pair is stored once and has a number.
//! Counts of steps stop at 255 and then stay there: such a state is never deleted by its count, only by its tags
//! (thesis, 6.5.3). Cost: the state, one set of promises and about 13 bytes; less than twice the sets in addition
//! where every state has a pair of its own.

use std::collections::HashMap;

use super::states::States;

/// The state is no longer one that may lie on a fair cycle.
pub const DEAD: u8 = 1;
/// It waits to be expanded.
pub const QUEUED: u8 = 2;
/// Rounds begin with it.
pub const KERNEL: u8 = 4;
/// This round has reached it.
pub const VISITED: u8 = 8;
/// It is pending by itself: the claim holds and the target does not.
pub const SEED: u8 = 16;

/// A count that no longer counts.
const MANY: u8 = u8::MAX;
/// About what a map's entry costs beside its key.
const ENTRY_BYTES: usize = 64;

/// What may be due and kept in a state: each pair of sets once.
#[derive(Default)]
struct Pairs {
    known: HashMap<Box<[u64]>, u32>,
    /// Due, then kept.
    sets: Vec<u64>,
}

impl Pairs {
    fn number(&mut self, pair: &[u64]) -> u32 {
        if let Some(&number) = self.known.get(pair) {
            return number;
        }
        let number = self.known.len() as u32;
        self.known.insert(pair.into(), number);
        self.sets.extend_from_slice(pair);
        number
    }
}

pub struct Pending {
    tag_words: usize,
    bytes_max: u64,
    states: States,
    pairs: Pairs,
    pair_of: Vec<u32>,
    tags: Vec<u64>,
    pub flags: Vec<u8>,
    before: Vec<u8>,
    pair: Vec<u64>,
}

impl Pending {
    pub fn new(words: usize, tag_words: usize, bytes_max: u64) -> Pending {
        let mut pairs = Pairs::default();
        pairs.number(&vec![0; 2 * tag_words]);
        Pending {
            tag_words,
            bytes_max,
            states: States::new(words),
            pairs,
            pair_of: Vec::new(),
            tags: Vec::new(),
            flags: Vec::new(),
            before: Vec::new(),
            pair: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.flags.len()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        let sets = self.tags.len() + self.pairs.sets.len() * 2;
        self.states.bytes() + (sets * 8 + self.pairs.known.len() * ENTRY_BYTES + self.len() * 6) as u64
    }

    pub fn state(&self, at: usize) -> &[u64] {
        self.states.state(at)
    }

    pub fn find(&self, hash: u128, state: &[u64]) -> Option<usize> {
        self.states.find(hash, state)
    }

    pub fn prefetch(&self, hash: u128) {
        self.states.prefetch(hash);
    }

    /// Adds a state that is not there; its number, or none where there is no memory for it.
    pub fn insert(&mut self, hash: u128, state: &[u64]) -> Option<usize> {
        if self.bytes() > self.bytes_max {
            return None;
        }
        let at = self.states.insert(hash, state)?;
        self.pair_of.push(0);
        self.tags.resize(self.tags.len() + self.tag_words, 0);
        self.flags.push(0);
        self.before.push(0);
        Some(at)
    }

    /// Gives back what only rounds need; states and flags stay.
    pub fn end_rounds(&mut self) {
        (self.tags, self.pair_of, self.before) = (Vec::new(), Vec::new(), Vec::new());
    }

    pub fn has(&self, at: usize, flag: u8) -> bool {
        self.flags[at] & flag != 0
    }

    fn pair(&self, at: usize) -> &[u64] {
        &self.pairs.sets[self.pair_of[at] as usize * 2 * self.tag_words..][..2 * self.tag_words]
    }

    pub fn due(&self, at: usize) -> &[u64] {
        &self.pair(at)[..self.tag_words]
    }

    pub fn kept(&self, at: usize) -> &[u64] {
        &self.pair(at)[self.tag_words..]
    }

    pub fn set_promises(&mut self, at: usize, due: &[u64], kept: &[u64]) {
        self.pair.clear();
        self.pair.extend_from_slice(due);
        self.pair.extend_from_slice(kept);
        self.pair_of[at] = self.pairs.number(&self.pair);
    }

    pub fn tags(&self, at: usize) -> &[u64] {
        &self.tags[at * self.tag_words..][..self.tag_words]
    }

    pub fn tags_mut(&mut self, at: usize) -> &mut [u64] {
        &mut self.tags[at * self.tag_words..][..self.tag_words]
    }

    /// Tags begin with what is kept in the state itself.
    pub fn reset_tags(&mut self) {
        let (words, sets) = (self.tag_words, &self.pairs.sets);
        for (tags, &pair) in self.tags.chunks_exact_mut(words.max(1)).zip(&self.pair_of) {
            tags.copy_from_slice(&sets[(2 * pair as usize + 1) * words..][..words]);
        }
    }

    /// One more step leads to the state.
    pub fn count(&mut self, at: usize) {
        self.before[at] = self.before[at].saturating_add(1);
    }

    /// One step fewer does.
    pub fn discount(&mut self, at: usize) {
        if self.before[at] != MANY {
            self.before[at] -= 1;
        }
    }

    pub fn forget_counts(&mut self) {
        self.before.fill(0);
    }

    /// Whether no step from a state that is left leads to it.
    pub fn is_first(&self, at: usize) -> bool {
        self.before[at] == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash;

    #[test]
    fn what_is_known_of_states_comes_back_and_the_limit_holds() {
        let mut pending = Pending::new(2, 1, 1 << 20);
        let mut stored = 0;
        while let Some(at) = pending.insert(hash::words(&[stored, 1]), &[stored, 1]) {
            pending.set_promises(at, &[stored % 3], &[stored % 2]);
            stored += 1;
        }
        assert!(stored > 20_000, "{stored}");
        pending.reset_tags();
        for n in 0..stored {
            let at = pending.find(hash::words(&[n, 1]), &[n, 1]).unwrap();
            assert_eq!((pending.due(at), pending.kept(at)), (&[n % 3][..], &[n % 2][..]));
            assert_eq!(pending.tags(at), &[n % 2][..]);
        }
        assert_eq!(pending.pairs.known.len(), 6);
    }

    #[test]
    fn many_steps_are_never_none() {
        let mut pending = Pending::new(1, 0, 1 << 20);
        let at = pending.insert(hash::words(&[1]), &[1]).unwrap();
        pending.reset_tags();
        (0..3).for_each(|_| pending.count(at));
        (0..3).for_each(|_| pending.discount(at));
        assert!(pending.is_first(at));
        (0..300).for_each(|_| pending.count(at));
        (0..300).for_each(|_| pending.discount(at));
        assert!(!pending.is_first(at));
    }
}
