//! Sets of goals, one for each state of a rank.
//!
//! In: state numbers (dense, in the order in which states were found) and sets of goals as bits of a word. Out: the
//! same. A set takes as many bits as there are goals, rounded up to a power of two, so that it never crosses a word.

/// A set of goals for each state.
pub struct Masks {
    words: Vec<u64>,
    len: u64,
    /// Bits of one set, as a power of two.
    bits_log: u32,
}

impl Masks {
    pub fn new(goals: usize) -> Masks {
        Masks { words: Vec::new(), len: 0, bits_log: goals.max(1).next_power_of_two().trailing_zeros() }
    }

    /// Adds the set of the next state.
    #[inline]
    pub fn push(&mut self, goals: u64) {
        let (word, shift) = self.place(self.len);
        if word == self.words.len() {
            self.words.push(0);
        }
        self.words[word] |= goals << shift;
        self.len += 1;
    }

    #[inline]
    fn place(&self, number: u64) -> (usize, u32) {
        let bit = number << self.bits_log;
        ((bit >> 6) as usize, (bit & 63) as u32)
    }

    #[inline]
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - (1u32 << self.bits_log))
    }

    #[inline]
    pub fn get(&self, number: u64) -> u64 {
        let (word, shift) = self.place(number);
        self.words[word] >> shift & self.mask()
    }

    #[inline]
    pub fn add(&mut self, number: u64, goals: u64) {
        let (word, shift) = self.place(number);
        self.words[word] |= goals << shift;
    }

    /// Calls `take` with each state that has a goal here which it has not in `other`, and those goals.
    pub fn each_beyond(&self, other: &Masks, mut take: impl FnMut(u64, u64)) {
        for (at, (&mine, &others)) in self.words.iter().zip(&other.words).enumerate() {
            let mut left = mine & !others;
            while left != 0 {
                let number = ((at as u64) << 6 | u64::from(left.trailing_zeros())) >> self.bits_log;
                let shift = self.place(number).1;
                take(number, left >> shift & self.mask());
                left &= !(self.mask() << shift);
            }
        }
    }

    pub fn bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_any_width_stay_apart() {
        for goals in [1, 2, 3, 7, 33, 64] {
            let mut masks = Masks::new(goals);
            let set = |n: u64| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3) & (u64::MAX >> (64 - goals));
            for n in 0..500 {
                masks.push(set(n) & 5);
                masks.add(n, set(n));
            }
            assert!((0..500).all(|n| masks.get(n) == set(n)), "{goals} goals");
        }
    }

    #[test]
    fn what_one_has_beyond_another_is_told_state_by_state() {
        for goals in [1, 3, 64] {
            let (mut all, mut some) = (Masks::new(goals), Masks::new(goals));
            let full = u64::MAX >> (64 - goals);
            let missing = |n: u64| if n.is_multiple_of(7) { 1 << (n % goals as u64) } else { 0 };
            for n in 0..300 {
                all.push(full);
                some.push(full & !missing(n));
            }
            let mut told = Vec::new();
            all.each_beyond(&some, |number, goals| told.push((number, goals)));
            let expected: Vec<(u64, u64)> = (0..300).step_by(7).map(|n| (n, missing(n))).collect();
            assert_eq!(told, expected, "{goals} goals");
        }
    }
}
