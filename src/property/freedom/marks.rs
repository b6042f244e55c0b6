//! What a rank keeps of its states while helpful paths are looked for: a few bits each, and who waits for whom.
//!
//! In: state numbers (dense, in the order in which states were found) and sets of goals as bits of a word. Out: the
//! same. A set takes as many bits as there are goals, rounded up to a power of two, so that it never crosses a word.
//! Waiting lists are threaded through the waiting states' numbers, and through a pool for those of other ranks, whose
//! links are used again. Cost: 8 bytes a state, and 24 for each state of another rank that waits.

use crate::base::pages;
use crate::base::prefetch::prefetch;
use crate::explore::StateRef;

/// A set of goals for each state.
pub struct Masks {
    words: Vec<u64>,
    /// Bits of one set, as a power of two.
    bits_log: u32,
}

impl Masks {
    pub fn new(goals: usize) -> Masks {
        Masks { words: Vec::new(), bits_log: goals.max(1).next_power_of_two().trailing_zeros() }
    }

    /// Makes room for state `number`; new sets are empty.
    pub fn reach(&mut self, number: u64) {
        let word = self.place(number).0;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
    }

    #[inline]
    fn place(&self, number: u64) -> (usize, u32) {
        let bit = number << self.bits_log;
        ((bit >> 6) as usize, (bit & 63) as u32)
    }

    #[inline]
    pub fn get(&self, number: u64) -> u64 {
        let (word, shift) = self.place(number);
        let mask = u64::MAX >> (64 - (1u32 << self.bits_log));
        self.words[word] >> shift & mask
    }

    #[inline]
    pub fn add(&mut self, number: u64, goals: u64) {
        let (word, shift) = self.place(number);
        self.words[word] |= goals << shift;
    }

    pub fn bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }
}

/// Ends a list.
const END: u32 = u32::MAX;
/// In place of the next: on no list.
const UNLISTED: u32 = u32::MAX - 1;
/// Marks a link of the pool among numbers of this rank's states.
const IN_POOL: u32 = 1 << 31;

/// First: who waits for the state. Next: who waits for the same state as this one.
#[derive(Clone, Copy)]
struct Threads {
    first: u32,
    next: u32,
}

/// A state of another rank that waits.
#[derive(Clone, Copy)]
struct Link {
    from: StateRef,
    goals: u64,
    next: u32,
}

/// The states that wait for each state of this rank. A state waits for its helpful successor alone, so that those of
/// this rank are threaded through their own numbers; what they still wait for is known of themselves.
#[derive(Default)]
pub struct Waiting {
    threads: Vec<Threads>,
    pool: Vec<Link>,
    /// Links that may be used again.
    free: Vec<u32>,
    waits: u64,
    most: u64,
}

impl Waiting {
    pub fn reach(&mut self, number: u64) {
        if self.threads.len() == self.threads.capacity() {
            self.threads.reserve_exact(self.threads.len().max(1 << 10));
            pages::ask_for_huge(self.threads.spare_capacity_mut());
        }
        self.threads.resize(number as usize + 1, Threads { first: END, next: UNLISTED });
    }

    fn count(&mut self) {
        self.waits += 1;
        self.most = self.most.max(self.waits);
    }

    /// A state of this rank waits, if it does not already.
    pub fn push_own(&mut self, number: u64, waiter: u64) {
        if self.threads[waiter as usize].next == UNLISTED {
            let first = std::mem::replace(&mut self.threads[number as usize].first, waiter as u32);
            self.threads[waiter as usize].next = first;
            self.count();
        }
    }

    /// A state of another rank waits, for these goals.
    pub fn push_other(&mut self, number: u64, from: StateRef, goals: u64) {
        let link = Link { from, goals, next: self.threads[number as usize].first };
        let at = match self.free.pop() {
            Some(at) => {
                self.pool[at as usize] = link;
                at
            }
            None => {
                self.pool.push(link);
                self.pool.len() as u32 - 1
            }
        };
        self.threads[number as usize].first = at | IN_POOL;
        self.count();
    }

    /// Tells all that wait for a state that it has these goals. `own` says whether a state of this rank waits on.
    pub fn end(
        &mut self,
        number: u64,
        goals: u64,
        mut own: impl FnMut(u64) -> bool,
        mut other: impl FnMut(StateRef, u64),
    ) {
        let mut at = std::mem::replace(&mut self.threads[number as usize].first, END);
        let mut kept = END;
        while at != END {
            let here = at;
            let (next, stays) = if at & IN_POOL == 0 {
                (&mut self.threads[at as usize].next, own(u64::from(at)))
            } else {
                let link = &mut self.pool[(at & !IN_POOL) as usize];
                if link.goals & goals != 0 {
                    other(link.from, link.goals & goals);
                }
                link.goals &= !goals;
                (&mut link.next, link.goals != 0)
            };
            at = *next;
            if stays {
                *next = std::mem::replace(&mut kept, here);
                continue;
            }
            self.waits -= 1;
            if here & IN_POOL == 0 {
                *next = UNLISTED;
            } else {
                self.free.push(here & !IN_POOL);
            }
        }
        self.threads[number as usize].first = kept;
    }

    /// Hints the processor that this state's list will be ended soon.
    pub fn prefetch(&self, number: u64) {
        prefetch(&self.threads[number as usize]);
    }

    /// The most waits there ever were at a time.
    pub fn most(&self) -> u64 {
        self.most
    }

    pub fn bytes(&self) -> u64 {
        let threads = self.threads.capacity() * size_of::<Threads>();
        (threads + self.pool.capacity() * size_of::<Link>() + self.free.capacity() * 4) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rank;

    #[test]
    fn sets_of_any_width_stay_apart() {
        for goals in [1, 2, 3, 7, 33, 64] {
            let mut masks = Masks::new(goals);
            let set = |n: u64| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3) & (u64::MAX >> (64 - goals));
            for n in 0..500 {
                masks.reach(n);
                masks.add(n, set(n));
            }
            assert!((0..500).all(|n| masks.get(n) == set(n)), "{goals} goals");
        }
    }

    #[test]
    fn a_wait_ends_goal_by_goal() {
        let mut waiting = Waiting::default();
        (0..10).for_each(|number| waiting.reach(number));
        waiting.push_other(3, StateRef::new(Rank(1), 7), 0b11);
        waiting.push_own(3, 8);
        waiting.push_own(3, 8);
        waiting.push_own(3, 9);
        waiting.push_other(3, StateRef::new(Rank(2), 6), 0b10);
        let mut end = |goals: u64, stays: bool| {
            let (mut own, mut other) = (Vec::new(), Vec::new());
            waiting.end(
                3,
                goals,
                |waiter| {
                    own.push(waiter);
                    stays && waiter == 8
                },
                |from, goals| other.push((from.number(), goals)),
            );
            own.sort();
            other.sort();
            (own, other)
        };
        assert_eq!(end(0b01, true), (vec![8, 9], vec![(7, 0b01)]));
        assert_eq!(end(0b11, false), (vec![8], vec![(6, 0b10), (7, 0b10)]));
        assert_eq!(end(0b11, false), (vec![], vec![]));
        assert_eq!((waiting.most(), waiting.waits, waiting.free.len()), (4, 0, 2));
        waiting.push_own(5, 8);
        waiting.push_own(8, 8);
        assert_eq!(waiting.waits, 1, "on one list at a time");
    }
}
