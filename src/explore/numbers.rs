//! Which number has this state? Beside the visited store, where an observer asks for it.
//!
//! A search numbers the states of a rank in the order of its log, and what observers keep of states is kept by number.
//! The store only says whether a state is old. Beside a compact store, a table has 48 bits of each state's hash and its
//! number, six to a cache line; the line comes from other bits. It doubles when it is 85 % full, and is then filled from
//! the log. Beside an exact store, numbers stand in the order of the store.
//!
//! New states are put in some at a time, so that the memory is asked for first: `settle` before `find`. Cost: a cache
//! line touched for a new state and for a question; 13 to 25 bytes a state; nothing where no observer asks. A state is
//! taken for another one with a probability below 6 * 2^-48 a question.

use super::log::Log;
use super::store::Store;
use crate::base::pages;
use crate::base::prefetch::prefetch;
use crate::host::HostError;

const EACH: usize = 6;
const LOAD_PERCENT_MAX: u64 = 85;
const LINES_FIRST: usize = 1 << 8;
/// New states put in together.
const AT_ONCE: usize = 32;
const NONE: u32 = u32::MAX;
/// States that a rank may number, so that observers have a bit of their own beside a number.
const NUMBERS_MAX: u32 = 1 << 31;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line {
    low: [u32; EACH],
    number: [u32; EACH],
    high: [u16; EACH],
    /// How many there are.
    len: u32,
}

const EMPTY: Line = Line { low: [0; EACH], number: [0; EACH], high: [0; EACH], len: 0 };

fn empty_lines(len: usize) -> Vec<Line> {
    let mut lines = Vec::with_capacity(len);
    pages::ask_for_huge(lines.spare_capacity_mut());
    lines.resize(len, EMPTY);
    lines
}

/// The numbers of a rank's states.
#[derive(Default)]
pub struct Numbers {
    wanted: bool,
    lines: Vec<Line>,
    len: u64,
    fresh: Vec<(u128, u32)>,
    /// By the store's order, where it is exact.
    in_order: Vec<u32>,
}

impl Numbers {
    pub fn new(wanted: bool) -> Numbers {
        let lines = if wanted { empty_lines(LINES_FIRST) } else { Vec::new() };
        Numbers { wanted, lines, ..Numbers::default() }
    }

    pub fn wanted(&self) -> bool {
        self.wanted
    }

    /// The numbers of all states in a log, in at most so many bytes.
    pub fn of_log(log: &mut Log, bytes_max: u64) -> Result<Numbers, HostError> {
        let lines = log.len() * 100 / (EACH as u64 * LOAD_PERCENT_MAX) + 1;
        if log.len() >= u64::from(NUMBERS_MAX) || lines * size_of::<Line>() as u64 > bytes_max {
            return Err(HostError::MemoryFull);
        }
        let mut numbers = Numbers { wanted: true, len: log.len(), ..Numbers::default() };
        numbers.fill(lines as usize, log)?;
        Ok(numbers)
    }

    /// Notes a state that the store has just taken in and whose number is the log's length.
    #[inline]
    pub fn note(&mut self, store: &Store, log: &mut Log, hash: u128, state: &[u64]) -> Result<(), HostError> {
        if !self.wanted {
            return Ok(());
        }
        let number = u32::try_from(log.len()).ok().filter(|&number| number < NUMBERS_MAX - 2);
        let number = number.ok_or(HostError::MemoryFull)?;
        if let Some(at) = store.order_of(hash, state) {
            // States that do not belong to the model have a place in the store's order, but no number.
            self.in_order.resize(at, NONE);
            self.in_order.push(number);
            return Ok(());
        }
        if (self.len + 1) * 100 > (self.lines.len() * EACH) as u64 * LOAD_PERCENT_MAX {
            self.grow(log)?;
        }
        self.len += 1;
        prefetch(&self.lines[self.home(hash)]);
        self.fresh.push((hash, number));
        if self.fresh.len() >= AT_ONCE {
            self.settle();
        }
        Ok(())
    }

    /// Puts in the states noted last.
    #[inline]
    pub fn settle(&mut self) {
        while let Some((hash, number)) = self.fresh.pop() {
            self.put(hash, number);
        }
    }

    #[inline]
    fn home(&self, hash: u128) -> usize {
        (((hash >> 64) as u32 as u64 * self.lines.len() as u64) >> 32) as usize
    }

    fn put(&mut self, hash: u128, number: u32) {
        let mut at = self.home(hash);
        loop {
            let line = &mut self.lines[at];
            let place = line.len as usize;
            if place < EACH {
                line.low[place] = hash as u32;
                line.high[place] = (hash >> 32) as u16;
                line.number[place] = number;
                line.len += 1;
                return;
            }
            at = if at + 1 == self.lines.len() { 0 } else { at + 1 };
        }
    }

    fn grow(&mut self, log: &mut Log) -> Result<(), HostError> {
        self.fill(self.lines.len() * 2, log)
    }

    /// Begins anew with so many lines.
    fn fill(&mut self, lines: usize, log: &mut Log) -> Result<(), HostError> {
        // The old table goes first, so that the two never stand beside each other.
        self.lines = Vec::new();
        self.lines = empty_lines(lines);
        self.fresh.clear();
        let mut number = 0;
        log.each_hash(|hash| {
            prefetch(&self.lines[self.home(hash)]);
            self.fresh.push((hash, number));
            number += 1;
            if self.fresh.len() >= AT_ONCE {
                self.settle();
            }
        })?;
        self.settle();
        Ok(())
    }

    /// Hints the processor that this state will be looked for soon.
    #[inline]
    pub fn prefetch(&self, hash: u128) {
        if !self.lines.is_empty() {
            prefetch(&self.lines[self.home(hash)]);
        }
    }

    /// The number of a state that was taken in; none where it was not, or does not belong to the model.
    #[inline]
    pub fn find(&self, store: &Store, hash: u128, state: &[u64]) -> Option<u64> {
        if let Store::Exact(_) = store {
            let number = *self.in_order.get(store.order_of(hash, state)?)?;
            return (number != NONE).then_some(u64::from(number));
        }
        self.find_hash(hash)
    }

    /// The same beside a compact store.
    #[inline]
    pub fn find_hash(&self, hash: u128) -> Option<u64> {
        let (low, high) = (hash as u32, (hash >> 32) as u16);
        let mut at = self.home(hash);
        loop {
            let line = &self.lines[at];
            // All six at a time: which of them it may be.
            let mut may = (0..EACH).fold(0u32, |may, place| may | u32::from(line.low[place] == low) << place);
            may &= (1 << line.len) - 1;
            while may != 0 {
                let place = may.trailing_zeros() as usize;
                if line.high[place] == high {
                    return Some(u64::from(line.number[place]));
                }
                may &= may - 1;
            }
            if (line.len as usize) < EACH {
                return None;
            }
            at = if at + 1 == self.lines.len() { 0 } else { at + 1 };
        }
    }
}

/// The states that a rank has taken in, by what they are.
#[derive(Clone, Copy)]
pub struct Known<'k> {
    pub store: &'k Store,
    pub numbers: &'k Numbers,
}

impl Known<'_> {
    /// The state's number in this rank's log.
    #[inline]
    pub fn number(&self, hash: u128, state: &[u64]) -> Option<u64> {
        self.numbers.find(self.store, hash, state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash;
    use crate::compile::InstanceNo;
    use crate::explore::StateRef;
    use crate::explore::compact::Compact;
    use crate::explore::log::Record;
    use crate::explore::store::{Exact, Insert};

    #[test]
    fn numbers_stay_with_their_states_while_the_table_grows() {
        let stores =
            [Store::Compact(Compact::new(48, 1 << 22).expect("room")), Store::Exact(Exact::new(1, 1 << 22))];
        for mut store in stores {
            let exact = matches!(store, Store::Exact(_));
            let mut numbers = Numbers::new(true);
            let mut log = Log::in_memory();
            let mut number = 0;
            for n in 0..40_000u64 {
                let (state, hash) = ([n], hash::words(&[n]));
                if exact {
                    assert_eq!(store.insert(hash, &state), Insert::New);
                }
                // Every fifth is known to the store, but has no number.
                if n % 5 != 0 {
                    numbers.note(&store, &mut log, hash, &state).unwrap();
                    log.push(Record { parent: StateRef::NONE, step: InstanceNo(0) }).unwrap();
                    log.push_hash(hash).unwrap();
                    number += 1;
                }
                if n % 1_000 == 999 {
                    numbers.settle();
                    assert_eq!(numbers.find(&store, hash, &state), Some(number - 1));
                }
            }
            let mut expected = 0;
            for n in 0..40_100u64 {
                let has = n < 40_000 && n % 5 != 0;
                assert_eq!(numbers.find(&store, hash::words(&[n]), &[n]), has.then_some(expected));
                expected += u64::from(has);
            }
        }
    }
}
