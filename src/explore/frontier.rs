//! The frontier: states that were found and not yet expanded, first in, first out.
//!
//! An entry is a packed state, who it is (owner and number: a borrowed state is not this rank's) and its level.
//! Entries live in blocks; blocks beyond the memory share go to the spool, whole, and come back whole. Order: the
//! blocks in memory are older than those on disk, which are older than the one being filled.
//!
//! New states of a rank have numbers that follow each other, and mostly the same level. So entries are kept in runs: the
//! first one's number, the level and how many there are, then the states. An entry is little more than its state where
//! runs are long, and has two words more where none is.

use std::collections::VecDeque;

use super::StateRef;
use crate::base::words;
use crate::host::HostError;
use crate::host::spool::Spool;

const BLOCK_BYTES: usize = 64 << 10;
/// Words in front of a run: the first reference; level and length.
const RUN_WORDS: usize = 2;

/// One entry's data, borrowed from the frontier's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub state: &'a [u64],
    pub id: StateRef,
    pub level: u32,
}

/// What is left of the run being read.
#[derive(Clone, Copy, Default)]
struct Run {
    id: u64,
    level: u32,
    left: u32,
}

pub struct Frontier {
    words: usize,
    block_words: usize,
    /// The block being emptied, how far, and the run there.
    head: Vec<u64>,
    head_at: usize,
    run: Run,
    full: VecDeque<Vec<u64>>,
    tail: Vec<u64>,
    /// Where the last run of `tail` begins, and what would continue it: the next reference, and the level.
    tail_run: usize,
    tail_next: (u64, u32),
    spool: Option<Spool>,
    /// The bytes of the block that was read last.
    from_disk: Vec<u8>,
    blocks_max: usize,
    len: u64,
    len_most: u64,
    /// Emptied blocks, for use again.
    spare: Vec<Vec<u64>>,
}

impl Frontier {
    /// A frontier for states of this many words that keeps about `bytes_max` in memory, and more on the spool if
    /// there is one (without it, everything stays in memory).
    pub fn new(words: usize, bytes_max: u64, spool: Option<Spool>) -> Frontier {
        // Small limits (tests, tiny budgets) get small blocks, so that they are kept all the same.
        let block_bytes = (bytes_max as usize / 4).clamp((RUN_WORDS + words) * 8, BLOCK_BYTES);
        let block_words = block_bytes / 8;
        Frontier {
            words,
            block_words,
            head: Vec::new(),
            head_at: 0,
            run: Run::default(),
            full: VecDeque::new(),
            tail: Vec::new(),
            tail_run: 0,
            tail_next: (0, 0),
            spool,
            from_disk: Vec::new(),
            blocks_max: (bytes_max as usize / (block_words * 8)).max(1),
            len: 0,
            len_most: 0,
            spare: Vec::new(),
        }
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The most entries that ever waited.
    pub fn len_most(&self) -> u64 {
        self.len_most
    }

    /// Bytes on disk now and at most.
    pub fn spool_bytes(&self) -> (u64, u64) {
        self.spool.as_ref().map_or((0, 0), Spool::bytes)
    }

    pub fn memory_bytes(&self) -> u64 {
        let blocks = self.full.len() + self.spare.len() + 2;
        (blocks * self.block_words * 8) as u64
    }

    #[inline]
    pub fn push(&mut self, state: &[u64], id: StateRef, level: u32) -> Result<(), HostError> {
        assert_eq!(state.len(), self.words, "states of one size");
        if self.tail.len() + RUN_WORDS + self.words > self.block_words && !self.tail.is_empty() {
            self.put_away_tail()?;
        }
        if self.tail.is_empty() || self.tail_next != (id.word(), level) {
            self.tail_run = self.tail.len();
            self.tail.extend_from_slice(&[id.word(), u64::from(level) << 32]);
        }
        self.tail_next = (id.word().wrapping_add(1), level);
        // A block has fewer entries than would reach the level.
        self.tail[self.tail_run + 1] += 1;
        self.tail.extend_from_slice(state);
        self.len += 1;
        self.len_most = self.len_most.max(self.len);
        Ok(())
    }

    fn put_away_tail(&mut self) -> Result<(), HostError> {
        let spilled = self.spool.as_ref().is_some_and(|spool| !spool.is_empty());
        let room = self.full.len() < self.blocks_max;
        if let Some(spool) = self.spool.as_mut().filter(|_| spilled || !room) {
            spool.push(&words::bytes(&self.tail))?;
            self.tail.clear();
            return Ok(());
        }
        let next = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(self.block_words));
        self.full.push_back(std::mem::replace(&mut self.tail, next));
        Ok(())
    }

    /// Copies the oldest entry's state to `state` and takes it out; `None` when there is none.
    pub fn pop(&mut self, state: &mut Vec<u64>) -> Result<Option<(StateRef, u32)>, HostError> {
        let Some(entry) = self.take()? else { return Ok(None) };
        state.clear();
        state.extend_from_slice(entry.state);
        Ok(Some((entry.id, entry.level)))
    }

    /// Takes the oldest entry out; it can be looked at until the next call.
    #[inline]
    pub fn take(&mut self) -> Result<Option<Entry<'_>>, HostError> {
        if self.run.left == 0 && !self.next_run()? {
            return Ok(None);
        }
        let Run { id, level, .. } = self.run;
        self.run.left -= 1;
        self.run.id = id.wrapping_add(1);
        let state = &self.head[self.head_at..self.head_at + self.words];
        self.head_at += self.words;
        self.len -= 1;
        Ok(Some(Entry { state, id: StateRef::from_word(id), level }))
    }

    /// Begins the next run; false when there is none.
    fn next_run(&mut self) -> Result<bool, HostError> {
        if self.head_at == self.head.len() && !self.next_block()? {
            return Ok(false);
        }
        let [id, rest] = [self.head[self.head_at], self.head[self.head_at + 1]];
        self.run = Run { id, level: (rest >> 32) as u32, left: rest as u32 };
        self.head_at += RUN_WORDS;
        Ok(true)
    }

    /// Makes the next block the head; false when all are empty.
    fn next_block(&mut self) -> Result<bool, HostError> {
        let mut done = std::mem::take(&mut self.head);
        self.head_at = 0;
        done.clear();
        if let Some(block) = self.full.pop_front() {
            self.head = block;
        } else if let Some(spool) = self.spool.as_mut().filter(|spool| !spool.is_empty()) {
            spool.pop(&mut self.from_disk)?;
            words::read(&self.from_disk, &mut done);
            self.head = done;
            return Ok(true);
        } else {
            self.head = std::mem::take(&mut self.tail);
        }
        if self.spare.len() < 2 && done.capacity() > 0 {
            self.spare.push(done);
        }
        Ok(!self.head.is_empty())
    }

    /// Forgets everything, after a decision to stop.
    pub fn clear(&mut self) {
        self.head.clear();
        self.head_at = 0;
        self.run = Run::default();
        self.full.clear();
        self.tail.clear();
        self.spool = None;
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rank;
    use crate::base::prng::Prng;
    use crate::sim::SimDisk;

    #[test]
    fn order_holds_with_and_without_a_spool() {
        // Lengths of runs: single entries, as of other ranks; a few; and such as fill blocks.
        for (spooled, run) in [(false, 1), (true, 1), (true, 3), (false, 40), (true, 40)] {
            let spool = spooled.then(|| Spool::new(Box::new(SimDisk::new(1, 1 << 30, 0))));
            let mut frontier = Frontier::new(2, 400, spool);
            let mut prng = Prng::new(3);
            let (mut pushed, mut popped) = (0u64, 0u64);
            let mut state = Vec::new();
            let entry = |n: u64| (StateRef::new(Rank(1 + (n / run % 2) as u32), n), (n / run / 3) as u32);
            for _ in 0..5_000 {
                if prng.chance(55) {
                    let (id, level) = entry(pushed);
                    frontier.push(&[pushed, !pushed], id, level).unwrap();
                    pushed += 1;
                } else if let Some(found) = frontier.pop(&mut state).unwrap() {
                    assert_eq!((state[0], state[1]), (popped, !popped));
                    assert_eq!(found, entry(popped));
                    popped += 1;
                }
                assert_eq!(frontier.len(), pushed - popped);
            }
            assert_eq!(frontier.spool_bytes().1 > 0, spooled);
            while let Some(found) = frontier.pop(&mut state).unwrap() {
                assert_eq!(found, entry(popped));
                popped += 1;
            }
            assert_eq!(pushed, popped);
        }
    }

    #[test]
    fn entries_of_one_run_take_no_more_room_than_their_states() {
        let mut frontier = Frontier::new(1, 1 << 20, Some(Spool::new(Box::new(SimDisk::new(1, 1 << 30, 0)))));
        (0..120_000).for_each(|n| frontier.push(&[n], StateRef::new(Rank(0), n), 7).unwrap());
        assert_eq!(frontier.spool_bytes().1, 0, "a megabyte of states stays in memory");
        (120_000..300_000).for_each(|n| frontier.push(&[n], StateRef::new(Rank(0), n), 7).unwrap());
        assert!(frontier.spool_bytes().1 > 0, "and more does not");
    }
}
