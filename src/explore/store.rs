//! The visited store: which states has this rank seen?
//!
//! Two stores behind one door. *Compact* keeps `bits` (40 to 64) of a state's hash in buckets of one cache line:
//! 12 entries of 5 bytes, 10 of 6, 9 of 7 or 8 of 8. The bucket comes from other bits of the hash than the entry
//! (and the owner from yet others); a full bucket overflows into the next. *Exact* keeps whole packed states in an
//! arena, found through a table of their numbers.
//!
//! Compact stores cannot be rehashed from themselves: what would name an entry's new bucket is not stored. They grow
//! by reading all hashes anew from the log (`log.rs`), in order, so the old table is given back before the new one is
//! filled. Growth doubles, so each state is read twice on average.
//!
//! Omission (compact): a new state is taken for an old one if some entry it is compared with has the same bits. With
//! hashes taken as random, the probability that this happens at all in a run is at most the sum of all comparisons
//! made by new states, times 2^-bits; the store counts those comparisons.

use crate::base::hash;
use crate::base::prefetch::prefetch;

/// The bits of a hash: entry below, bucket in the middle, owner on top; they do not overlap.
const BUCKET_SHIFT: u32 = 64;
const LINE_BYTES: usize = 64;
/// A compact table grows, or is full, beyond this share of its entries.
const LOAD_PERCENT_MAX: u64 = 85;
const BUCKETS_FIRST: u64 = 1 << 10;

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
    /// Hints the processor that this state will be looked up soon.
    #[inline]
    pub fn prefetch(&self, hash: u128) {
        match self {
            Store::Compact(store) => store.prefetch(hash),
            Store::Exact(store) => store.prefetch(hash),
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

    /// Bytes that the store has allocated.
    pub fn bytes(&self) -> u64 {
        match self {
            Store::Compact(store) => store.lines.len() as u64 * LINE_BYTES as u64,
            Store::Exact(store) => store.bytes(),
        }
    }

    /// The bound on the probability that a state was omitted so far.
    pub fn omission_bound(&self) -> f64 {
        match self {
            Store::Compact(store) => (store.comparisons as f64 * (-f64::from(store.bits)).exp2()).min(1.0),
            Store::Exact(_) => 0.0,
        }
    }
}

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u8; LINE_BYTES]);

/// Hash compaction.
pub struct Compact {
    lines: Vec<Line>,
    bits: u32,
    entry_bytes: usize,
    entries_per_line: usize,
    len: u64,
    bytes_max: u64,
    comparisons: u64,
}

impl Compact {
    /// An empty store of entries with this many bits that may use `bytes_max` bytes.
    pub fn new(bits: u32, bytes_max: u64) -> Compact {
        assert!((40..=64).contains(&bits), "fingerprints have 40 to 64 bits");
        let entry_bytes = bits.div_ceil(8) as usize;
        let buckets = BUCKETS_FIRST.min((bytes_max / LINE_BYTES as u64).max(4));
        Compact {
            lines: vec![Line([0; LINE_BYTES]); buckets as usize],
            bits,
            entry_bytes,
            entries_per_line: LINE_BYTES / entry_bytes,
            len: 0,
            bytes_max,
            comparisons: 0,
        }
    }

    /// The entry's bits; never all zero, which marks an empty place.
    #[inline]
    fn fingerprint(&self, hash: u128) -> u64 {
        let print = hash as u64 & (u64::MAX >> (64 - self.bits));
        if print == 0 { 1 } else { print }
    }

    #[inline]
    fn bucket(&self, hash: u128) -> usize {
        let middle = (hash >> BUCKET_SHIFT) as u32;
        ((u64::from(middle) * self.lines.len() as u64) >> 32) as usize
    }

    #[inline]
    fn prefetch(&self, hash: u128) {
        prefetch(&self.lines[self.bucket(hash)]);
    }

    fn insert(&mut self, hash: u128) -> Insert {
        let print = self.fingerprint(hash);
        let mut at = self.bucket(hash);
        let (mut compared, capacity) = (0, self.capacity());
        loop {
            let line = &mut self.lines[at].0;
            for place in line.chunks_exact_mut(self.entry_bytes).take(self.entries_per_line) {
                let mut word = [0; 8];
                word[..place.len()].copy_from_slice(place);
                let entry = u64::from_le_bytes(word);
                if entry == print {
                    return Insert::Old;
                }
                if entry == 0 {
                    // Only a new state needs room; old ones are known however full the table is.
                    if self.len >= capacity {
                        return Insert::Full;
                    }
                    place.copy_from_slice(&print.to_le_bytes()[..place.len()]);
                    self.len += 1;
                    self.comparisons += compared;
                    return Insert::New;
                }
                compared += 1;
            }
            at = if at + 1 == self.lines.len() { 0 } else { at + 1 };
        }
    }

    fn capacity(&self) -> u64 {
        (self.lines.len() * self.entries_per_line) as u64 * LOAD_PERCENT_MAX / 100
    }

    /// Makes the table larger, empty; the caller then inserts every hash anew. False when it may not grow.
    pub fn grow(&mut self) -> bool {
        let most = self.bytes_max / LINE_BYTES as u64;
        let buckets = (self.lines.len() as u64 * 2).min(most);
        if buckets <= self.lines.len() as u64 {
            return false;
        }
        // The old table goes first, so that the two never stand beside each other.
        self.lines = Vec::new();
        self.lines = vec![Line([0; LINE_BYTES]); buckets as usize];
        self.len = 0;
        true
    }

    /// Puts a hash back after `grow`. Comparisons were counted when the state was new; the larger table needs no
    /// more, so the bound stays one.
    pub fn restore(&mut self, hash: u128) {
        let comparisons = self.comparisons;
        self.insert(hash);
        self.comparisons = comparisons;
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
        // The table has a power of two places; the bits are the bucket's.
        (hash >> BUCKET_SHIFT) as usize & (self.table.len() - 1)
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

    fn hash_of(n: u64) -> u128 {
        hash::words(&[n])
    }

    #[test]
    fn a_compact_store_knows_what_it_has_seen_and_grows_from_the_hashes() {
        for bits in [40, 48, 56, 64] {
            let mut store = Compact::new(bits, 64 << 20);
            for n in 0..300_000u64 {
                if store.insert(hash_of(n)) == Insert::Full {
                    assert!(store.grow());
                    (0..n).for_each(|old| store.restore(hash_of(old)));
                    assert_eq!(store.insert(hash_of(n)), Insert::New);
                }
                assert_eq!(store.insert(hash_of(n)), Insert::Old);
            }
            assert_eq!(store.len, 300_000);
            assert!((0..300_000).all(|n| store.insert(hash_of(n)) == Insert::Old));
        }
    }

    #[test]
    fn a_full_table_takes_the_bytes_that_were_promised() {
        // At 85 % load: 6.5 bytes a state with 40 bits, 8.5 with 56.
        for (bits, most) in [(40, 6.5), (56, 8.5)] {
            let mut store = Compact::new(bits, 1 << 20);
            let (mut n, mut seen) = (0u64, 0u64);
            loop {
                match store.insert(hash_of(n)) {
                    Insert::Full if store.grow() => (0..seen).for_each(|n| store.restore(hash_of(n))),
                    Insert::Full => break,
                    _ => {
                        n += 1;
                        seen += 1;
                    }
                }
            }
            let bytes = (store.lines.len() * LINE_BYTES) as f64 / store.len as f64;
            assert!(bytes <= most, "{bits} bits: {bytes:.2} bytes a state");
            let bound = Store::Compact(store).omission_bound();
            assert!(bound > 0.0 && bound < 0.001, "{bound}");
        }
    }

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
