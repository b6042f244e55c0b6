//! How states were reached, in few bytes: records appended one by one and read by number.
//!
//! A record is a parent and a step. A rank finds states in the order in which it expands their parents, so a parent is mostly
//! that of the record before, or one shortly behind it. What is written is the difference and the step, each in as few
//! bytes as it needs. Records stand in blocks, each of which begins anew; where blocks
//! begin stays in memory.
//!
//! Cost: two to four bytes a state where ranks lend little, 15 at most, and a few thousandths of a byte of memory. Reading a
//! record reads its block: that is for traces.

use super::StateRef;
use super::log::Record;
use super::reel::Reel;
use crate::base::numbers::{Numbers, push_number};
use crate::compile::InstanceNo;
use crate::host::HostError;

/// Records of a block.
const BLOCK: u64 = 1 << 12;

pub struct Records {
    reel: Reel,
    /// Where each finished block begins in the reel.
    begins: Vec<u64>,
    /// The last block, which is not in the reel yet.
    tail: Vec<u8>,
    /// The parent in the last record.
    parent: u64,
    len: u64,
}

impl Records {
    pub fn new(reel: Reel) -> Records {
        Records { reel, begins: Vec::new(), tail: Vec::new(), parent: 0, len: 0 }
    }

    /// Records so far.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Adds a record; its number is the length before.
    #[inline]
    pub fn push(&mut self, record: Record) -> Result<(), HostError> {
        let parent = record.parent.word();
        push_number(&mut self.tail, folded(parent.wrapping_sub(self.parent)));
        push_number(&mut self.tail, u64::from(record.step.0));
        self.parent = parent;
        self.len += 1;
        if self.len.is_multiple_of(BLOCK) { self.finish_block() } else { Ok(()) }
    }

    fn finish_block(&mut self) -> Result<(), HostError> {
        let begin = self.reel.len();
        self.reel.append(&self.tail)?;
        self.begins.push(begin);
        self.tail.clear();
        self.parent = 0;
        Ok(())
    }

    /// Bytes of memory that the records take.
    pub fn memory_bytes(&self) -> u64 {
        self.reel.memory_bytes() + (self.tail.capacity() + self.begins.capacity() * size_of::<u64>()) as u64
    }

    /// The record with this number.
    pub fn get(&self, number: u64) -> Result<Record, HostError> {
        assert!(number < self.len, "state {number} of {} has no record", self.len);
        let block = (number / BLOCK) as usize;
        let Some(&begin) = self.begins.get(block) else { return Ok(nth(&self.tail, number % BLOCK)) };
        let end = self.begins.get(block + 1).copied().unwrap_or(self.reel.len());
        let mut bytes = vec![0; (end - begin) as usize];
        self.reel.read(begin, &mut bytes)?;
        Ok(nth(&bytes, number % BLOCK))
    }
}

/// The record with this number in its block.
fn nth(block: &[u8], number: u64) -> Record {
    let mut numbers = Numbers::new(block);
    let mut next = || numbers.next().expect("a block has all its records");
    let (mut parent, mut step) = (0u64, 0);
    for _ in 0..=number {
        parent = parent.wrapping_add(unfolded(next()));
        step = next() as u32;
    }
    Record { parent: StateRef::from_word(parent), step: InstanceNo(step) }
}

/// A difference either way, small where it is small.
#[inline]
fn folded(difference: u64) -> u64 {
    difference << 1 ^ ((difference as i64) >> 63) as u64
}

fn unfolded(word: u64) -> u64 {
    word >> 1 ^ (word & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rank;
    use crate::base::prng::Prng;

    #[test]
    fn every_record_comes_back_whatever_its_parent() {
        let mut prng = Prng::new(7);
        let mut records = Records::new(Reel::in_memory());
        let mut pushed = Vec::new();
        for n in 0..3 * BLOCK + 100 {
            let parent = match prng.index(5) {
                0 => StateRef::NONE,
                1 => StateRef::new(Rank(prng.index(1 << 20) as u32), prng.next_u64() >> 30),
                _ => StateRef::new(Rank(3), n / 2),
            };
            let record = Record { parent, step: InstanceNo(prng.next_u64() as u32 >> prng.index(32)) };
            records.push(record).unwrap();
            pushed.push(record);
        }
        assert_eq!(records.len(), pushed.len() as u64);
        for n in (0..pushed.len()).step_by(61).chain([4095, 4096, 8191, 8192, pushed.len() - 1]) {
            assert_eq!(records.get(n as u64).unwrap(), pushed[n], "record {n}");
        }
    }

    #[test]
    fn states_found_in_order_take_a_few_bytes() {
        let mut records = Records::new(Reel::in_memory());
        for n in 0..10 * BLOCK {
            let record =
                Record { parent: StateRef::new(Rank(0), n * 9 / 10), step: InstanceNo(n as u32 % 100) };
            records.push(record).unwrap();
        }
        assert!(records.reel.len() < 21 * BLOCK, "{} bytes", records.reel.len());
    }
}
