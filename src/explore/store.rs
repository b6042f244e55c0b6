//! The visited store: which states has this rank seen?
//!
//! Two stores behind one door. *Compact* (`compact.rs`) keeps 40 to 64 bits of a state's hash. *Exact* keeps whole packed
//! states in an arena, found through a table of their numbers.

use super::block::Candidate;
use super::compact::{Compact, Growth};
use super::log::Log;
use super::settings::Remember;
use crate::base::hash;
use crate::base::prefetch::prefetch;
use crate::host::{HostError, release};

/// Where a state is looked for comes from these bits of its hash; the owner's are above them.
const PLACE_SHIFT: u32 = 64;

/// Hashes put back together, so that their memory can be asked for first.
const RESTORE_AT_ONCE: usize = 64;

/// What became of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Insert {
    New,
    Old,
    /// The store must grow first (`grow`), or is full.
    Full,
}

/// A store of either kind.
pub enum Store {
    Compact(Compact),
    Exact(Exact),
}

impl Store {
    /// For states of so many words, with so many bytes at most.
    pub fn new(remember: Remember, words: usize, bytes_max: u64) -> Result<Store, HostError> {
        Ok(match remember {
            Remember::Hash { bits } => {
                Store::Compact(Compact::new(bits, bytes_max).ok_or(HostError::MemoryFull)?)
            }
            Remember::Whole => Store::Exact(Exact::new(words, bytes_max)),
        })
    }

    /// Hints the processor that this state will be looked up soon.
    #[inline]
    pub fn prefetch(&self, hash: u128) {
        match self {
            Store::Compact(store) => store.prefetch(hash),
            Store::Exact(store) => store.prefetch(hash),
        }
    }

    /// Whether what is looked up comes from memory, mostly, and not from the processor's caches.
    pub fn is_beyond_caches(&self) -> bool {
        matches!(self, Store::Compact(store) if store.is_beyond_caches())
    }

    /// Leaves out of `some` what a first look shows to be old, where that pays. The others are for `insert` to decide; what
    /// memory it will need is asked for.
    pub fn sift(&self, some: &mut Vec<Candidate>) {
        if let Store::Compact(store) = self
            && store.is_far()
        {
            store.sift(some);
        }
    }

    #[inline]
    pub fn insert(&mut self, hash: u128, state: &[u64]) -> Insert {
        match self {
            Store::Compact(store) => store.insert(hash),
            Store::Exact(store) => store.insert(hash, state),
        }
    }

    /// Where among all states a state stands; a compact store does not know.
    pub fn order_of(&self, hash: u128, state: &[u64]) -> Option<usize> {
        match self {
            Store::Compact(_) => None,
            Store::Exact(store) => store.order_of(hash, state),
        }
    }

    /// Makes room for what was refused last, with the log's help where needed.
    pub fn grow(&mut self, log: &mut Log) -> Result<(), HostError> {
        let Store::Compact(store) = self else { return Err(HostError::MemoryFull) };
        // States need the memory more than what is free in the heaps, where the frontier was longer once, and more than what
        // the program did a while ago. Its parts are read again when they are next used, so they are given back more rarely;
        // and so are the heaps, batches of messages above all, where they are little beside the store.
        if store.has_grown_much() {
            release::give_back();
        } else if !store.is_beyond_caches() {
            release::give_back_heaps();
        }
        match store.grow() {
            Growth::Done => Ok(()),
            Growth::Refused => Err(HostError::MemoryFull),
            Growth::Emptied => {
                let (mut room, mut some) = (true, Vec::with_capacity(RESTORE_AT_ONCE));
                log.each_hash(|hash| {
                    if !store.is_missing(hash) {
                        return;
                    }
                    some.push(hash);
                    if some.len() == RESTORE_AT_ONCE {
                        room &= store.restore(&some);
                        some.clear();
                    }
                })?;
                if room && store.restore(&some) { Ok(()) } else { Err(HostError::MemoryFull) }
            }
        }
    }

    /// Bytes that the store has allocated.
    pub fn bytes(&self) -> u64 {
        match self {
            Store::Compact(store) => store.bytes(),
            Store::Exact(store) => store.bytes(),
        }
    }

    /// The bound on the probability that a state was omitted so far.
    pub fn omission_bound(&self) -> f64 {
        match self {
            Store::Compact(store) => store.omission_bound(),
            Store::Exact(_) => 0.0,
        }
    }
}

/// Whole states.
pub struct Exact {
    words: usize,
    arena: Vec<u64>,
    /// One more than a state's number, or 0; open addressing with linear probing.
    table: Vec<u32>,
    len: u64,
    bytes_max: u64,
}

impl Exact {
    pub fn new(words: usize, bytes_max: u64) -> Exact {
        Exact { words, arena: Vec::new(), table: vec![0; 1 << 10], len: 0, bytes_max }
    }

    #[inline]
    fn place(&self, hash: u128) -> usize {
        // The table has a power of two places.
        (hash >> PLACE_SHIFT) as usize & (self.table.len() - 1)
    }

    #[inline]
    fn prefetch(&self, hash: u128) {
        prefetch(&self.table[self.place(hash)]);
    }

    fn state(&self, number: u64) -> &[u64] {
        let begin = number as usize * self.words;
        &self.arena[begin..begin + self.words]
    }

    fn insert(&mut self, hash: u128, state: &[u64]) -> Insert {
        let mut at = self.place(hash);
        while self.table[at] != 0 {
            if self.state(u64::from(self.table[at]) - 1) == state {
                return Insert::Old;
            }
            at = (at + 1) & (self.table.len() - 1);
        }
        if self.len * 4 >= self.table.len() as u64 * 3 {
            return if self.grow() { self.insert(hash, state) } else { Insert::Full };
        }
        let arena_bytes = (self.arena.len() + self.words) as u64 * 8;
        if arena_bytes + self.table.len() as u64 * 4 > self.bytes_max || self.len >= u64::from(u32::MAX) - 1 {
            return Insert::Full;
        }
        self.table[at] = self.len as u32 + 1;
        if self.arena.len() + self.words > self.arena.capacity() {
            // By a quarter, not by doubling: the arena is most of the memory.
            let more = (self.arena.capacity() / 4).max(1 << 9) + self.words;
            self.arena.reserve_exact(more);
        }
        self.arena.extend_from_slice(state);
        self.len += 1;
        Insert::New
    }

    /// The position of a state in the order of insertion.
    fn order_of(&self, hash: u128, state: &[u64]) -> Option<usize> {
        let mut at = self.place(hash);
        while self.table[at] != 0 {
            let number = self.table[at] as usize - 1;
            if self.state(number as u64) == state {
                return Some(number);
            }
            at = (at + 1) & (self.table.len() - 1);
        }
        None
    }

    fn grow(&mut self) -> bool {
        let places = self.table.len() * 2;
        if self.arena.len() as u64 * 8 + places as u64 * 4 > self.bytes_max {
            return false;
        }
        self.table = vec![0; places];
        for number in 0..self.len {
            let hash = hash::words(self.state(number));
            let mut at = self.place(hash);
            while self.table[at] != 0 {
                at = (at + 1) & (places - 1);
            }
            self.table[at] = number as u32 + 1;
        }
        true
    }

    fn bytes(&self) -> u64 {
        self.arena.capacity() as u64 * 8 + self.table.len() as u64 * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_store_tells_states_with_equal_hashes_apart_and_stops_at_its_limit() {
        let mut store = Exact::new(2, 1 << 20);
        assert_eq!(store.insert(7, &[1, 2]), Insert::New);
        assert_eq!(store.insert(7, &[1, 3]), Insert::New);
        assert_eq!(store.insert(7, &[1, 2]), Insert::Old);
        let mut small = Exact::new(2, 64 << 10);
        let stored =
            (0..).take_while(|&n| small.insert(hash::words(&[n, n]), &[n, n]) == Insert::New).count();
        assert!(stored > 1_000 && small.bytes() <= 80 << 10, "{stored} states in {} bytes", small.bytes());
        assert_eq!(small.insert(hash::words(&[5, 5]), &[5, 5]), Insert::Old, "what is there is still known");
    }
}
