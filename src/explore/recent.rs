//! Which successors did this rank make a short while ago?
//!
//! Steps of different components commute, so the same successor is made again and again, often within a few hundred
//! expansions: its siblings lead to it, too. A small table of recent hashes, each overwritten by the next one with the
//! same place, recognises many of them before they are looked up or sent. That is always right: what is in the table
//! was inserted here, or sent to its owner, before.
//!
//! Two states with the same 64 bits and the same place would be taken for one. A new state is compared with one entry,
//! so the probability of that is at most the number of states times 2^-64, and less than the store's own. Where whole
//! states are remembered, the table is not used. Cost: one access to the second-level cache for each successor.

use super::settings::Remember;

/// The table stays in the second-level cache.
const PLACES: usize = 1 << 15;

pub struct Recent {
    places: Vec<u64>,
}

impl Recent {
    pub fn new(remember: Remember) -> Recent {
        Recent { places: if remember == Remember::Whole { Vec::new() } else { vec![0; PLACES] } }
    }

    /// Whether this hash was here a short while ago; it is from now on.
    #[inline]
    pub fn seen(&mut self, hash: u128) -> bool {
        let Some(place) = self.places.get_mut((hash >> 64) as usize % PLACES) else { return false };
        std::mem::replace(place, hash as u64) == hash as u64
    }

    /// The probability that a state was omitted here, of so many that were found, is at most this.
    pub fn omission_bound(&self, states: u64) -> f64 {
        if self.places.is_empty() { 0.0 } else { states as f64 * (-64f64).exp2() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash;

    #[test]
    fn recent_hashes_are_seen_until_others_take_their_places() {
        let mut recent = Recent::new(Remember::Hash { bits: 56 });
        let hashes: Vec<u128> = (0..1_000u64).map(|n| hash::words(&[n])).collect();
        assert!(hashes.iter().all(|&hash| !recent.seen(hash)));
        let again = hashes.iter().filter(|&&hash| recent.seen(hash)).count();
        assert!(again > 800, "{again} of a thousand are still there");
        let other = |hash: u128| hash ^ 1;
        assert!(hashes.iter().all(|&hash| !recent.seen(other(hash))), "the place alone does not count");
        let mut exact = Recent::new(Remember::Whole);
        assert!(!exact.seen(hashes[0]) && !exact.seen(hashes[0]));
    }
}
