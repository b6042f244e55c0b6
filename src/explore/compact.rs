//! Hash compaction: a set of states, of each of which only some bits of its hash are kept.
//!
//! The store is a few dense tables (`segment.rs`); some bits of the hash choose the table, others the place in it, yet
//! others are kept. Each table grows alone, by a fifth, from itself, and no two are as full at the same time. So the
//! store as a whole is about 84 % full at all times: 6.4 bytes a state with 40 bits, 8.5 with 56. The first tables, of 2 MiB
//! in all, have room for a quarter of a million states: that is little beside the rest of the process.
//!
//! How many hashes a table tells apart is settled when it is filled: `2^(bits - 3)` for each home it has then, however far it
//! grows (`segment.rs`). With 56 bits and more that is enough for good: for a growth by 2^15, to eight billion states a rank.
//! With fewer bits, a table that has grown far is emptied and filled anew from the log, where whole hashes are; that
//! happens to one table at a time.
//!
//! Cost: a state is moved about six times in all, in order. With 40 bits a table is filled anew for each growth by a factor
//! of 8, with 48 for each by 256.
//!
//! Omission: a new state is taken for an old one if some entry has the same place and the same further bits. With hashes
//! taken as random, the probability that this happens at all in a run is at most the number of pairs of states in a table
//! over the number of hashes that are told apart there; the tables add that up for each time they were filled.

use super::block::Candidate;
use super::segment::{Form, HOME_BITS, PLACE_BITS, Segment};
use super::store::Insert;
use crate::base::lines::LINE_BYTES;

/// The top bits of an address choose the table.
const SEGMENT_BITS: u32 = 3;
const SEGMENTS: u64 = 1 << SEGMENT_BITS;
const GROWTH_PERCENT: u64 = 19;
/// Of what it was: grown much.
const MUCH_PERCENT: u64 = 150;
/// Of each table, unless memory is scarce; they are not quite equal.
const HOMES_FIRST: u64 = 1 << 12;
/// Entries with so many bits spare enough for all growth there will be: by two to the power of the other.
const ONCE_FROM_BITS: u32 = 56;
const GROWN_BITS_MAX: u32 = 15;
/// A store beyond this does not stay in the caches next to the processor: looking twice costs less than waiting.
const FAR_FROM_BYTES: u64 = 6 << 20;
/// A store beyond this has little room in any cache.
const BEYOND_CACHES_FROM_BYTES: u64 = 32 << 20;

/// What became of the wish to grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growth {
    Done,
    /// A table of the store is larger and empty: its hashes must be put back.
    Emptied,
    Refused,
}

pub struct Compact {
    segments: Vec<Segment>,
    form: Form,
    lines_max: u64,
    /// The table that was full when it was last asked.
    full: usize,
    /// Beyond the caches next to the processor, and beyond all of them.
    far: bool,
    beyond_caches: bool,
    /// What it had when it was last told to have grown much.
    told_bytes: u64,
}

/// Where in the store: the table and the address in it. The owner's bits, on top of the hash, take no part.
#[inline]
fn address(hash: u128) -> (usize, u64) {
    let bits = (hash >> 32) as u64;
    ((bits >> (64 - SEGMENT_BITS)) as usize, bits << SEGMENT_BITS)
}

impl Compact {
    /// An empty store of entries with this many bits that may use `bytes_max` bytes; none where the system has no room.
    pub fn new(bits: u32, bytes_max: u64) -> Option<Compact> {
        assert!((40..=64).contains(&bits), "fingerprints have 40 to 64 bits");
        // With few bits, a table that is filled anew soon tells more hashes apart.
        let grown_bits = if Compact::fills_anew(bits) { (bits - 40) * 5 / 8 + 3 } else { GROWN_BITS_MAX };
        let form = Form { bits, growth: grown_bits + PLACE_BITS + HOME_BITS };
        let lines_max = bytes_max / LINE_BYTES as u64;
        // Tiny budgets get tiny tables, so that they are kept all the same.
        let first = (lines_max / SEGMENTS).clamp(1, HOMES_FIRST);
        // Tables differ by less than their growth.
        let each_max = lines_max / SEGMENTS * 2 + form.lines(HOMES_FIRST * 2);
        let segment = |at| {
            // The sizes are spread evenly, by their logarithms, over one growth.
            let part = (1.0 + GROWTH_PERCENT as f64 / 100.0).powf(at as f64 / SEGMENTS as f64);
            let homes = (first as f64 * part) as u64;
            // None is filled anew together with another: the first time, each grows by twice as much as the one before it,
            // or by as much more as there are bits for.
            let apart = (f64::from(grown_bits) / SEGMENTS as f64).min(1.0);
            let grown = (f64::from(grown_bits) - apart * (SEGMENTS - 1 - at) as f64).exp2();
            Segment::new(form, homes, (homes as f64 * grown) as u64, each_max)
        };
        let segments = (0..SEGMENTS).map(segment).collect::<Option<Vec<Segment>>>()?;
        Some(Compact { segments, form, lines_max, full: 0, far: false, beyond_caches: false, told_bytes: 0 })
    }

    /// Whether a store of such entries needs the hashes of its states to grow.
    pub fn fills_anew(bits: u32) -> bool {
        bits < ONCE_FROM_BITS
    }

    pub fn len(&self) -> u64 {
        self.segments.iter().map(Segment::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lines(&self) -> u64 {
        self.segments.iter().map(Segment::lines).sum()
    }

    /// Bytes that the store takes.
    pub fn bytes(&self) -> u64 {
        self.lines() * LINE_BYTES as u64
    }

    /// The bound on the probability that a state was omitted so far.
    pub fn omission_bound(&self) -> f64 {
        let comparisons: f64 = self.segments.iter().map(Segment::comparisons).sum();
        (comparisons * (-f64::from(self.form.bits)).exp2()).min(1.0)
    }

    #[inline]
    pub fn prefetch(&self, hash: u128) {
        let (segment, address) = address(hash);
        // One entry in seven or so is in a line before; if that is far, `sift` asks for it where needed.
        self.segments[segment].prefetch(address, !self.far);
    }

    /// Whether looking twice pays.
    pub fn is_far(&self) -> bool {
        self.far
    }

    pub fn is_beyond_caches(&self) -> bool {
        self.beyond_caches
    }

    /// Leaves out what the first line looked at shows to be old, and asks for the memory to insert the others.
    pub fn sift(&self, some: &mut Vec<Candidate>) {
        match self.form.entry_bytes() {
            5 => self.sift_as::<5>(some),
            6 => self.sift_as::<6>(some),
            7 => self.sift_as::<7>(some),
            _ => self.sift_as::<8>(some),
        }
    }

    fn sift_as<const E: usize>(&self, some: &mut Vec<Candidate>) {
        let mut kept = 0;
        for at in 0..some.len() {
            // What is old cannot be foreseen, so there is no branch on it.
            let candidate = some[at];
            some[kept] = candidate;
            let (segment, address) = address(candidate.hash);
            let old = self.segments[segment].old_at_home::<E>(address, candidate.hash as u64);
            kept += usize::from(!old);
        }
        some.truncate(kept);
    }

    #[inline]
    pub fn insert(&mut self, hash: u128) -> Insert {
        let (at, address) = address(hash);
        let (segment, print) = (&mut self.segments[at], hash as u64);
        let insert = match self.form.entry_bytes() {
            5 => segment.insert::<5>(address, print),
            6 => segment.insert::<6>(address, print),
            7 => segment.insert::<7>(address, print),
            _ => segment.insert::<8>(address, print),
        };
        if insert == Insert::Full {
            self.full = at;
        }
        insert
    }

    /// Whether it has grown by half since this last held; at first it has.
    pub fn has_grown_much(&mut self) -> bool {
        let much = self.bytes() >= MUCH_PERCENT * self.told_bytes / 100;
        if much {
            self.told_bytes = self.bytes();
        }
        much
    }

    /// Makes room for what was refused last.
    pub fn grow(&mut self) -> Growth {
        let homes_now = self.segments[self.full].homes();
        let more = (homes_now * GROWTH_PERCENT / 100).min(self.lines_max.saturating_sub(self.lines()));
        // Near the limit, moving everything for a few lines is not worth it.
        if more <= homes_now / 64 {
            return Growth::Refused;
        }
        let bytes = self.bytes() + more * LINE_BYTES as u64;
        (self.far, self.beyond_caches) = (bytes > FAR_FROM_BYTES, bytes > BEYOND_CACHES_FROM_BYTES);
        if self.segments[self.full].grow(homes_now + more) {
            return Growth::Done;
        }
        if !Compact::fills_anew(self.form.bits) || !self.segments[self.full].make_empty(homes_now + more) {
            return Growth::Refused;
        }
        Growth::Emptied
    }

    /// Whether this hash must be put back after `grow` has emptied a table.
    #[inline]
    pub fn is_missing(&self, hash: u128) -> bool {
        address(hash).0 == self.full
    }

    /// Puts back hashes that are missing; false where there is no room. Comparisons were counted when the states were new.
    pub fn restore(&mut self, hashes: &[u128]) -> bool {
        let at = self.full;
        hashes.iter().for_each(|&hash| self.prefetch(hash));
        // Nothing is old; this asks for the lines behind.
        self.sift(&mut hashes.iter().map(|&hash| Candidate { hash, place: 0 }).collect());
        let room = hashes.iter().all(|&hash| {
            loop {
                match self.insert(hash) {
                    Insert::New | Insert::Old => break true,
                    Insert::Full if self.grow() == Growth::Done => {}
                    Insert::Full => break false,
                }
            }
        });
        self.segments[at].take_as_counted();
        room
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash;

    fn hash_of(n: u64) -> u128 {
        hash::words(&[n])
    }

    /// Inserts numbers from `table.len()` on; grows, from the hashes where that is asked for.
    fn fill(table: &mut Compact, to: u64) -> bool {
        for n in table.len()..to {
            while table.insert(hash_of(n)) == Insert::Full {
                match table.grow() {
                    Growth::Done => {}
                    Growth::Emptied => {
                        assert!(table.len() > n / 2, "one table of four is emptied at a time");
                        let hashes = (0..n).map(hash_of).filter(|&hash| table.is_missing(hash));
                        let hashes: Vec<u128> = hashes.collect();
                        assert!(table.restore(&hashes));
                    }
                    Growth::Refused => return false,
                }
            }
        }
        true
    }

    #[test]
    fn a_table_knows_what_it_has_seen_through_every_growth() {
        for bits in [40, 44, 48, 56, 64] {
            let mut table = Compact::new(bits, 64 << 20).expect("room");
            for to in [1_000, 9_000, 70_000, 150_000, 250_000] {
                assert!(fill(&mut table, to));
                assert!((0..to).all(|n| table.insert(hash_of(n)) == Insert::Old), "{bits} bits, {to} states");
                assert_eq!(table.len(), to);
            }
        }
    }

    #[test]
    fn it_has_grown_much_once_for_each_half_more() {
        let mut table = Compact::new(56, 64 << 20).expect("room");
        assert!(table.has_grown_much() && !table.has_grown_much());
        let (first, mut times) = (table.bytes(), 0);
        for to in (1..=1_000_000).step_by(1_000) {
            assert!(fill(&mut table, to));
            times += u32::from(table.has_grown_much());
        }
        // From room for a quarter of a million: by half three times, less what each is late.
        assert!(table.bytes() > 3 * first && (2..=3).contains(&times), "{times} times to {}", table.bytes());
    }

    #[test]
    fn a_state_never_takes_more_bytes_than_promised() {
        for (bits, most) in [(40, 6.5), (56, 8.5)] {
            let mut table = Compact::new(bits, 32 << 20).expect("room");
            assert!(fill(&mut table, 640_000));
            for to in (320..800).map(|thousand| thousand * 2_000) {
                assert!(fill(&mut table, to));
                let bytes = table.bytes() as f64 / to as f64;
                assert!(bytes <= most, "{bits} bits, {to} states: {bytes:.2} bytes a state");
            }
            let bound = table.omission_bound();
            assert!(bound > 0.0 && bound < 0.001, "{bound}");
        }
    }

    #[test]
    fn a_full_table_says_so_and_still_knows_old_states() {
        let mut table = Compact::new(56, 4 << 20).expect("room");
        assert!(!fill(&mut table, 1_000_000));
        let len = table.len();
        assert!(len > 480_000, "{len} states in four megabytes");
        assert!((0..len).all(|n| table.insert(hash_of(n)) == Insert::Old));
        assert_eq!(table.insert(hash_of(len)), Insert::Full);
    }
}
