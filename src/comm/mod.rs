//! The seam between the algorithms and whatever carries their bytes.
//!
//! Every distributed algorithm is written once, against `&mut dyn Comm`, and runs on MPI (`mpi.rs`), on
//! threads of one process (`thread.rs`) and in the seeded simulator (room `sim`). Dispatch is per batch,
//! never per state.
//!
//! The contract, which is MPI's and not a network's:
//! - A batch that `try_send` took arrives exactly once, at the rank it was sent to, unchanged.
//! - Batches from one rank with one tag arrive in the order they were sent. Nothing is promised across
//!   ranks or tags.
//! - A send may complete only when its receiver takes the batch, and progress is made only inside calls of
//!   this trait: a rank that computes for long holds up its peers.
//! - At most one reduction is under way per rank; all ranks start the same reductions in the same order.
//! - When a rank's work function returns, every batch sent to it has been received and its reductions are
//!   complete.
//! - `abort`, a panic or the death of one rank ends all ranks; no rank is left waiting.

pub mod collective;
pub mod identity;
pub mod launcher;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod thread;

use crate::base::Rank;

/// What travels: bytes that the sender gave away.
pub type Batch = Vec<u8>;

/// Why a batch was sent; each kind of message has a tag of its own, so that one kind's flood does not
/// delay another's order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Tag {
    /// States, or questions about them, on their way to their owners.
    States = 0,
    /// Witness searches that go on at the owner of their next state.
    Witnesses = 1,
    /// Answers: to witness searches, and whether states are new.
    Acknowledgements = 2,
    /// A component's new summary.
    Summaries = 3,
    /// Small typed messages of an algorithm to itself: stop, a found violation, queue lengths.
    Control = 4,
    /// Credits on their way home (`exchange` only).
    Credits = 5,
    /// States lent to a rank that has less to do, which expands them for their owner.
    Loans = 6,
    /// Set-up and results, outside any exchange (`collective` only).
    Setup = 7,
}

impl Tag {
    pub const COUNT: usize = 8;
    pub const ALL: [Tag; Tag::COUNT] = [
        Tag::States,
        Tag::Witnesses,
        Tag::Acknowledgements,
        Tag::Summaries,
        Tag::Control,
        Tag::Credits,
        Tag::Loans,
        Tag::Setup,
    ];

    pub fn index(self) -> usize {
        self as usize
    }
}

/// A set of tags: what a receiver is ready to take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tags(u8);

impl Tags {
    pub const fn only(tag: Tag) -> Tags {
        Tags(1 << tag as u8)
    }

    /// Everything but `Setup`: what an exchange takes.
    pub const fn exchange() -> Tags {
        Tags(((1u16 << Tag::COUNT) - 1) as u8 & !(1 << Tag::Setup as u8))
    }

    pub const fn has(self, tag: Tag) -> bool {
        self.0 & (1 << tag as u8) != 0
    }
}

/// A batch that arrived.
#[derive(Debug)]
pub struct Delivery {
    pub from: Rank,
    pub tag: Tag,
    pub batch: Batch,
}

/// How a reduction joins the ranks' terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Sum,
    Max,
    Min,
}

impl Op {
    pub fn join(self, a: i64, b: i64) -> i64 {
        match self {
            Op::Sum => a.wrapping_add(b),
            Op::Max => a.max(b),
            Op::Min => a.min(b),
        }
    }
}

/// The terms of one reduction: a few words, joined position by position with one operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    pub op: Op,
    pub words: [i64; Terms::COUNT],
}

impl Terms {
    pub const COUNT: usize = 8;

    /// `words` and zeros.
    pub fn new(op: Op, words: &[i64]) -> Terms {
        assert!(words.len() <= Terms::COUNT, "a reduction has at most {} terms", Terms::COUNT);
        let mut all = [0; Terms::COUNT];
        all[..words.len()].copy_from_slice(words);
        Terms { op, words: all }
    }

    pub fn join(&mut self, other: &Terms) {
        assert_eq!(self.op, other.op, "all ranks start the same reductions in the same order");
        for (mine, theirs) in self.words.iter_mut().zip(other.words) {
            *mine = self.op.join(*mine, theirs);
        }
    }
}

/// One rank's end of the transport. The module head has the contract.
pub trait Comm {
    fn rank(&self) -> Rank;

    /// How many ranks share the run.
    fn ranks(&self) -> u32;

    /// How many of them share this machine, this one included: memory is divided by it.
    fn ranks_here(&self) -> u32;

    /// Takes the batch, or hands it back when too many are on their way. It is only ever handed back while
    /// an earlier send of this rank is incomplete, so that `wait` will return. `to` is another rank.
    fn try_send(&mut self, to: Rank, tag: Tag, batch: Batch) -> Result<(), Batch>;

    /// A batch with one of the wanted tags, if one has arrived; others stay where they are.
    fn try_recv(&mut self, want: Tags) -> Option<Delivery>;

    /// Joins the next reduction.
    fn reduce_start(&mut self, terms: &Terms);

    /// The result of the reduction that was started, once all ranks have joined it; then a new one may
    /// start.
    fn reduce_poll(&mut self) -> Option<Terms>;

    /// Returns when something may have changed since the last look (an arrival, a completed send, a completed
    /// reduction), or for no reason after some milliseconds. Call it only after everything wanted was found
    /// to be absent. Does not use the processor for long.
    fn wait(&mut self);

    /// Ends all ranks at once; `why` is printed once, with this rank's number.
    fn abort(&mut self, why: &str) -> !;
}

/// What is left of a run that one rank ended for all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rank {rank}: {why}")]
pub struct Aborted {
    pub rank: Rank,
    pub why: String,
    /// A panic has had its message printed already.
    pub panicked: bool,
}

/// Failures of the transport itself, before or while ranks talk.
#[derive(Debug, thiserror::Error)]
pub enum CommError {
    #[error(transparent)]
    Aborted(#[from] Aborted),
    #[error("{0}")]
    Launch(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_sets_hold_what_they_say() {
        assert!(Tags::only(Tag::Setup).has(Tag::Setup));
        assert!(!Tags::only(Tag::Setup).has(Tag::States));
        for (index, tag) in Tag::ALL.into_iter().enumerate() {
            assert_eq!(tag.index(), index);
            assert_eq!(Tags::exchange().has(tag), tag != Tag::Setup);
        }
    }

    #[test]
    fn terms_join_by_position() {
        let mut sum = Terms::new(Op::Sum, &[1, 2]);
        sum.join(&Terms::new(Op::Sum, &[10, -20, 3]));
        assert_eq!(sum.words[..4], [11, -18, 3, 0]);
        let mut least = Terms::new(Op::Min, &[5, -1]);
        least.join(&Terms::new(Op::Min, &[4, 7]));
        assert_eq!(least.words[..2], [4, -1]);
    }
}
