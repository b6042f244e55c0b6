//! Whole states of one rank, each once, numbered densely from 0 in the order of insertion.
//!
//! In: packed states with their hashes. Out: their numbers. A number is found by open addressing over the hash; the
//! bits of a place that the number leaves free hold bits of the hash, so that most other states are passed over
//! without a look at them. The places are given back before larger ones are filled from the states themselves, so
//! growing needs no second copy; they grow by half, at three quarters full. Cost: the state and 5 to 8 bytes.

use crate::base::hash;
use crate::base::prefetch::prefetch;

const PLACES_FIRST: usize = 1 << 8;

pub struct States {
    words: usize,
    /// One more than a state's number, below bits of its hash; 0 where there is none.
    places: Vec<u32>,
    /// How many bits of a place hold the number.
    number_bits: u32,
    states: Vec<u64>,
    len: usize,
}

impl States {
    pub fn new(words: usize) -> States {
        let mut states = States { words, places: Vec::new(), number_bits: 0, states: Vec::new(), len: 0 };
        states.make_places(PLACES_FIRST);
        states
    }

    pub fn state(&self, at: usize) -> &[u64] {
        &self.states[at * self.words..][..self.words]
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        (self.states.len() * 8 + self.places.len() * 4) as u64
    }

    /// Hints the processor that this state will be looked up soon.
    pub fn prefetch(&self, hash: u128) {
        prefetch(&self.places[self.place(hash)]);
    }

    pub fn find(&self, hash: u128, state: &[u64]) -> Option<usize> {
        let (mut place, mark) = (self.place(hash), self.mark(hash));
        let numbers = self.numbers();
        loop {
            let entry = self.places[place];
            if entry == 0 {
                return None;
            }
            if entry & !numbers == mark {
                let at = (entry & numbers) as usize - 1;
                if self.state(at) == state {
                    return Some(at);
                }
            }
            place = self.next(place);
        }
    }

    /// Adds a state that is not there; none where numbers have run out.
    pub fn insert(&mut self, hash: u128, state: &[u64]) -> Option<usize> {
        let at = self.len;
        if at as u64 >= u64::from(u32::MAX) - 1 {
            return None;
        }
        if (at + 1) * 4 > self.places.len() * 3 {
            self.grow();
        }
        self.put(hash, at);
        self.states.extend_from_slice(state);
        self.len += 1;
        Some(at)
    }

    fn put(&mut self, hash: u128, at: usize) {
        let mut place = self.place(hash);
        while self.places[place] != 0 {
            place = self.next(place);
        }
        self.places[place] = self.mark(hash) | (at as u32 + 1);
    }

    /// Any number of places gets an even share of the hashes.
    fn place(&self, hash: u128) -> usize {
        ((u128::from(hash as u64) * self.places.len() as u128) >> 64) as usize
    }

    fn next(&self, place: usize) -> usize {
        if place + 1 == self.places.len() { 0 } else { place + 1 }
    }

    /// The mask of a place's number.
    fn numbers(&self) -> u32 {
        u32::MAX >> (32 - self.number_bits)
    }

    /// The hash's bits in a place; others than those that name the place.
    fn mark(&self, hash: u128) -> u32 {
        (hash >> 64) as u32 & !self.numbers()
    }

    fn make_places(&mut self, count: usize) {
        self.number_bits = usize::BITS - count.leading_zeros();
        self.places = vec![0; count];
    }

    fn grow(&mut self) {
        let count = (self.places.len() / 2 * 3).min(u32::MAX as usize);
        self.places = Vec::new();
        self.make_places(count);
        for at in 0..self.len {
            let hash = hash::words(self.state(at));
            self.put(hash, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_again_and_others_are_not() {
        let mut states = States::new(2);
        for n in 0..50_000u64 {
            assert_eq!(states.find(hash::words(&[n, 1]), &[n, 1]), None);
            assert_eq!(states.insert(hash::words(&[n, 1]), &[n, 1]), Some(n as usize));
        }
        for n in 0..50_000u64 {
            assert_eq!(states.find(hash::words(&[n, 1]), &[n, 1]), Some(n as usize));
        }
        assert_eq!(states.find(hash::words(&[0, 2]), &[0, 2]), None);
        assert!(states.bytes() <= 50_000 * (16 + 8));
    }
}
