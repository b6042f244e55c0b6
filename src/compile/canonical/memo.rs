//! Canonical forms taken a short while ago, by the packed states they were taken of.
//!
//! The same successor is made again and again by states that are expanded one after the other; its form need not be
//! computed anew. A place holds a whole state and its form, so an answer is always right; a new pair overwrites what has
//! the same place. Cost: a few instructions a word; `PLACES` pairs of states of memory.

/// The pairs of most models stay in the second-level cache.
const PLACES: usize = 1 << 12;

pub struct Memo {
    words: usize,
    /// One after the other: state and form, in places that are taken.
    pairs: Vec<u64>,
    taken: Vec<bool>,
}

impl Memo {
    pub fn new(words: usize) -> Memo {
        Memo { words, pairs: Vec::new(), taken: Vec::new() }
    }

    /// Replaces a state by its form: the one that is known, or the one that `compute` makes of it.
    pub fn replace(&mut self, state: &mut [u64], compute: impl FnOnce(&mut [u64])) {
        if self.taken.is_empty() {
            self.pairs = vec![0; PLACES * 2 * self.words];
            self.taken = vec![false; PLACES];
        }
        let place = place(state);
        let (known, form) =
            self.pairs[place * 2 * self.words..(place + 1) * 2 * self.words].split_at_mut(self.words);
        if self.taken[place] && known.iter().zip(&*state).all(|(known, word)| known == word) {
            state.copy_from_slice(form);
            return;
        }
        known.copy_from_slice(state);
        compute(state);
        form.copy_from_slice(state);
        self.taken[place] = true;
    }
}

fn place(state: &[u64]) -> usize {
    let mixed = state
        .iter()
        .fold(0u64, |sum, &word| (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (mixed >> 52) as usize % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::prng::Prng;

    #[test]
    fn a_known_form_is_the_computed_one() {
        let (mut memo, mut prng) = (Memo::new(2), Prng::new(7));
        let (mut computed, rounds) = (0, 50_000u64);
        for _ in 0..rounds {
            let mut state = [prng.below(40), prng.below(40)];
            let wanted = [state[0].min(state[1]), state[0].max(state[1])];
            memo.replace(&mut state, |state| {
                computed += 1;
                state.sort_unstable();
            });
            assert_eq!(state, wanted);
        }
        assert!((1_600..rounds / 2).contains(&computed), "{computed} were computed");
    }
}
