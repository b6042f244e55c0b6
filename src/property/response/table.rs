//! The pending states that a rank owns, whole, with the tags of the rounds beside them.
//!
//! In: packed states. Out: their numbers, dense from 0 in the order of insertion. A state is found by open addressing
//! over its hash. Beside each state: the promises due and kept there, the promises kept on ways into it (its tags),
//! how many steps lead to it, how it was first reached, and a few flags. Cost: the state, three sets of promises and
//! about 23 bytes.

use crate::base::hash;

/// The state is no longer one that may lie on a fair cycle.
pub const DEAD: u8 = 1;
/// It waits in the queue.
pub const QUEUED: u8 = 2;
/// Rounds begin with it.
pub const KERNEL: u8 = 4;
/// This round has reached it.
pub const VISITED: u8 = 8;

/// How a pending state was first reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The log's reference for a state where the claim held; else the rank and number of a pending state.
    pub word: u64,
    /// The instance that led here; `SEED` where the claim held.
    pub step: u32,
}

/// In place of a step: the state is pending by itself.
pub const SEED: u32 = u32::MAX;

pub struct Table {
    words: usize,
    tag_words: usize,
    bytes_max: u64,
    /// One more than a state's number, or 0.
    places: Vec<u32>,
    states: Vec<u64>,
    due: Vec<u64>,
    kept: Vec<u64>,
    tags: Vec<u64>,
    pub flags: Vec<u8>,
    /// Steps into the state from other states that are not dead.
    pub before: Vec<u32>,
    pub parents: Vec<Parent>,
}

impl Table {
    pub fn new(words: usize, tag_words: usize, bytes_max: u64) -> Table {
        Table {
            words,
            tag_words,
            bytes_max,
            places: vec![0; 1 << 8],
            states: Vec::new(),
            due: Vec::new(),
            kept: Vec::new(),
            tags: Vec::new(),
            flags: Vec::new(),
            before: Vec::new(),
            parents: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.flags.len()
    }

    pub fn state(&self, at: usize) -> &[u64] {
        &self.states[at * self.words..][..self.words]
    }

    pub fn due(&self, at: usize) -> &[u64] {
        &self.due[at * self.tag_words..][..self.tag_words]
    }

    pub fn kept(&self, at: usize) -> &[u64] {
        &self.kept[at * self.tag_words..][..self.tag_words]
    }

    pub fn tags(&self, at: usize) -> &[u64] {
        &self.tags[at * self.tag_words..][..self.tag_words]
    }

    pub fn tags_mut(&mut self, at: usize) -> &mut [u64] {
        &mut self.tags[at * self.tag_words..][..self.tag_words]
    }

    pub fn set_promises(&mut self, at: usize, due: &[u64], kept: &[u64]) {
        self.due[at * self.tag_words..][..self.tag_words].copy_from_slice(due);
        self.kept[at * self.tag_words..][..self.tag_words].copy_from_slice(kept);
    }

    /// Tags begin with what is kept in the state itself.
    pub fn reset_tags(&mut self) {
        self.tags.copy_from_slice(&self.kept);
    }

    pub fn has(&self, at: usize, flag: u8) -> bool {
        self.flags[at] & flag != 0
    }

    pub fn find(&self, hash: u128, state: &[u64]) -> Option<usize> {
        let mut place = self.place(hash);
        while self.places[place] != 0 {
            let at = self.places[place] as usize - 1;
            if self.state(at) == state {
                return Some(at);
            }
            place = (place + 1) & (self.places.len() - 1);
        }
        None
    }

    /// Adds a state that is not there; its number, or none where there is no memory for it.
    pub fn insert(&mut self, hash: u128, state: &[u64], parent: Parent) -> Option<usize> {
        let at = self.len();
        let bytes = (self.words + 3 * self.tag_words) as u64 * 8 + 23;
        if (at as u64 + 1) * bytes > self.bytes_max || at as u64 >= u64::from(u32::MAX) - 1 {
            return None;
        }
        if (at + 1) * 4 > self.places.len() * 3 {
            self.grow();
        }
        let mut place = self.place(hash);
        while self.places[place] != 0 {
            place = (place + 1) & (self.places.len() - 1);
        }
        self.places[place] = at as u32 + 1;
        self.states.extend_from_slice(state);
        for bits in [&mut self.due, &mut self.kept, &mut self.tags] {
            bits.resize(bits.len() + self.tag_words, 0);
        }
        self.flags.push(0);
        self.before.push(0);
        self.parents.push(parent);
        Some(at)
    }

    fn place(&self, hash: u128) -> usize {
        hash as usize & (self.places.len() - 1)
    }

    fn grow(&mut self) {
        self.places = vec![0; self.places.len() * 2];
        for at in 0..self.len() {
            let mut place = self.place(hash::words(self.state(at)));
            while self.places[place] != 0 {
                place = (place + 1) & (self.places.len() - 1);
            }
            self.places[place] = at as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_again_and_the_limit_holds() {
        let mut table = Table::new(2, 1, 1 << 20);
        let parent = Parent { word: 0, step: SEED };
        let mut stored = 0;
        while table.insert(hash::words(&[stored, 1]), &[stored, 1], parent).is_some() {
            stored += 1;
        }
        assert!(stored > 10_000, "{stored}");
        for n in 0..stored {
            assert_eq!(table.find(hash::words(&[n, 1]), &[n, 1]), Some(n as usize));
        }
        assert_eq!(table.find(hash::words(&[0, 2]), &[0, 2]), None);
    }
}
