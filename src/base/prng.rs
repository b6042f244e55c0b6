//! A small seeded generator (SplitMix64): the same seed gives the same run everywhere.
//!
//! For schedules, tests and tie-breaks; not for secrets.

/// The generator; its whole state is one word, so a seed is all that a replay needs.
#[derive(Clone, Debug)]
pub struct Prng {
    state: u64,
}

impl Prng {
    pub fn new(seed: u64) -> Prng {
        Prng { state: seed }
    }

    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "no number is below 0");
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// An index into something of length `len`.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// True in `percent` of 100 calls.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A generator of its own for a part of the run, so that one part's draws do not shift another's.
    pub fn fork(&mut self) -> Prng {
        Prng::new(self.next_u64())
    }

    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let word = self.next_u64().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_published_sequence() {
        let mut prng = Prng::new(1234567);
        assert_eq!(prng.next_u64(), 6457827717110365317);
        assert_eq!(prng.next_u64(), 3203168211198807973);
    }

    #[test]
    fn below_reaches_every_value_and_no_other() {
        let mut prng = Prng::new(7);
        let mut seen = [0u32; 5];
        (0..1000).for_each(|_| seen[prng.index(5)] += 1);
        assert!(seen.iter().all(|&n| n > 150), "{seen:?}");
    }
}
