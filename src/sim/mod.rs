//! The simulator: a whole run of N ranks in one process, every schedule of which follows from one seed.
//!
//! Ranks are threads that pass one baton, so exactly one runs at a time; `stage.rs` decides who is next and what
//! arrives, by a generator made from the seed. It obeys the contract of `comm` and nothing more: whatever that
//! contract leaves open, some seed does. "All ranks wait and nothing can arrive" is an exact report of a
//! deadlock, not a timeout. A failure names the seed and the number of ranks, which replay it.
//! Clocks jump and disks fill up by the same seed (`machine.rs`).

mod machine;
mod stage;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::base::{Rank, stack};
use crate::comm::{Batch, Comm, Delivery, Tag, Tags, Terms, identity, thread::panic_text};

pub use machine::{SimClock, SimDisk};
use stage::{Ended, Stage, Status};

/// What can be told of a run that went well.
#[derive(Debug)]
pub struct Outcome<T> {
    /// By rank.
    pub results: Vec<T>,
    /// Calls of `Comm` in all.
    pub steps: u64,
    /// A hash of every decision: equal for two runs of one seed.
    pub schedule: u64,
}

/// How a run failed. Printed, it is the line that replays it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} (replay with VERIFY_SIM_SEED={seed} VERIFY_SIM_RANKS={ranks})")]
pub struct Failure {
    pub seed: u64,
    pub ranks: u32,
    pub what: Fault,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("deadlock after {steps} steps: {ranks}")]
    Deadlock { steps: u64, ranks: String },
    #[error("rank {rank} panicked: {text}")]
    Panic { rank: Rank, text: String },
    #[error("rank {rank} aborted: {why}")]
    Abort { rank: Rank, why: String },
    #[error("rank {from} sent a batch of {tag:?} that rank {to} never received")]
    Unreceived { from: Rank, to: Rank, tag: Tag },
    #[error("no end after {steps} steps")]
    Endless { steps: u64 },
}

/// One rank's end in the simulator.
pub struct SimComm<'s> {
    rank: Rank,
    stage: &'s Stage,
}

impl Comm for SimComm<'_> {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn ranks(&self) -> u32 {
        self.stage.ranks()
    }

    fn ranks_here(&self) -> u32 {
        self.stage.ranks()
    }

    fn try_send(&mut self, to: Rank, tag: Tag, batch: Batch) -> Result<(), Batch> {
        assert_ne!(to, self.rank, "a rank does not send to itself");
        self.stage.turn(self.rank).try_send(self.rank, to, tag, batch)
    }

    fn try_recv(&mut self, want: Tags) -> Option<Delivery> {
        self.stage.turn(self.rank).try_recv(self.rank, want)
    }

    fn reduce_start(&mut self, terms: &Terms) {
        self.stage.turn(self.rank).reduce_start(self.rank, terms);
    }

    fn reduce_poll(&mut self) -> Option<Terms> {
        self.stage.turn(self.rank).reduce_poll(self.rank)
    }

    fn wait(&mut self) {
        self.stage.wait(self.rank);
    }

    fn abort(&mut self, why: &str) -> ! {
        self.stage.end(Fault::Abort { rank: self.rank, why: why.to_string() });
        resume_unwind(Box::new(Ended))
    }
}

/// Runs `work` on `ranks` simulated ranks under the schedule of `seed`.
pub fn run<T, W>(seed: u64, ranks: u32, work: W) -> Result<Outcome<T>, Failure>
where
    T: Send,
    W: Fn(&mut dyn Comm) -> T + Sync,
{
    let stage = Stage::new(seed, ranks);
    let results: Vec<Option<T>> = std::thread::scope(|scope| {
        let handles: Vec<_> = Rank::all(ranks)
            .map(|rank| {
                let (stage, work) = (&stage, &work);
                let name = format!("rank {rank}");
                std::thread::Builder::new()
                    .name(name)
                    .stack_size(stack::DEEP_BYTES)
                    .spawn_scoped(scope, move || run_rank(rank, stage, work))
                    .expect("a simulated rank's thread starts")
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().ok().flatten()).collect()
    });
    match stage.finish() {
        Ok((steps, schedule)) => {
            Ok(Outcome { results: results.into_iter().flatten().collect(), steps, schedule })
        }
        Err(what) => Err(Failure { seed, ranks, what }),
    }
}

fn run_rank<T, W>(rank: Rank, stage: &Stage, work: &W) -> Option<T>
where
    W: Fn(&mut dyn Comm) -> T + Sync,
{
    identity::set(rank);
    let mut comm = SimComm { rank, stage };
    let result = catch_unwind(AssertUnwindSafe(|| {
        stage.enter(rank);
        let result = work(&mut comm);
        stage.leave(rank, Status::Done);
        result
    }));
    match result {
        Ok(result) => Some(result),
        Err(payload) => {
            if !payload.is::<Ended>() {
                stage.end(Fault::Panic { rank, text: panic_text(payload.as_ref()) });
            }
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::{Op, collective};

    #[test]
    fn collectives_agree_and_a_seed_replays() {
        for seed in 0..50 {
            let work = |comm: &mut dyn Comm| {
                let me = i64::from(comm.rank().0);
                let text = comm.rank().is_root().then(|| b"hello".to_vec());
                let heard = collective::broadcast(comm, text);
                let sum = collective::all_reduce(comm, Op::Sum, &[me, 1]);
                let parts = collective::gather(comm, vec![me as u8]);
                (heard, sum, parts)
            };
            let first = run(seed, 4, work).unwrap();
            for (rank, (heard, sum, parts)) in first.results.iter().enumerate() {
                assert_eq!((heard.as_slice(), sum.as_slice()), (&b"hello"[..], &[6, 4][..]));
                let expected = (rank == 0).then(|| vec![vec![0u8], vec![1], vec![2], vec![3]]);
                assert_eq!(parts, &expected);
            }
            let second = run(seed, 4, work).unwrap();
            assert_eq!((first.steps, first.schedule), (second.steps, second.schedule));
        }
    }

    #[test]
    fn waiting_for_nobody_is_a_deadlock_and_says_who_waits() {
        let failure = run(1, 3, |comm| {
            if comm.rank() != Rank(1) {
                collective::barrier(comm);
            }
        })
        .unwrap_err();
        let Fault::Deadlock { ranks, .. } = &failure.what else { panic!("{failure}") };
        assert!(ranks.contains("0 waits") && ranks.contains("1 is done"), "{ranks}");
        assert!(failure.to_string().contains("VERIFY_SIM_SEED=1 VERIFY_SIM_RANKS=3"));
    }

    #[test]
    fn panics_aborts_and_lost_batches_are_told_apart() {
        let panic =
            run(2, 3, |comm| if comm.rank() == Rank(2) { panic!("oh") } else { collective::barrier(comm) });
        assert_eq!(panic.unwrap_err().what, Fault::Panic { rank: Rank(2), text: "oh".to_string() });
        let abort = run(2, 2, |comm| if comm.rank().is_root() { comm.abort("enough") } else { comm.wait() });
        assert_eq!(abort.unwrap_err().what, Fault::Abort { rank: Rank(0), why: "enough".to_string() });
        let lost = run(2, 2, |comm| {
            if comm.rank().is_root() {
                collective::send(comm, Rank(1), Tag::Summaries, vec![1]);
            }
        });
        let expected = Fault::Unreceived { from: Rank(0), to: Rank(1), tag: Tag::Summaries };
        assert_eq!(lost.unwrap_err().what, expected);
    }

    #[test]
    fn order_holds_within_a_tag_and_some_seed_breaks_it_across_tags() {
        let mut crossed = false;
        for seed in 0..40 {
            let outcome = run(seed, 2, |comm| {
                let mut got = Vec::new();
                if comm.rank().is_root() {
                    for n in 0..6u8 {
                        let tag = if n % 2 == 0 { Tag::States } else { Tag::Summaries };
                        collective::send(comm, Rank(1), tag, vec![n]);
                    }
                } else {
                    while got.len() < 6 {
                        match comm.try_recv(Tags::exchange()) {
                            Some(delivery) => got.push(delivery.batch[0]),
                            None => comm.wait(),
                        }
                    }
                }
                got
            })
            .unwrap();
            let got = &outcome.results[1];
            let of = |parity: u8| got.iter().copied().filter(|n| n % 2 == parity).collect::<Vec<_>>();
            assert_eq!((of(0), of(1)), (vec![0, 2, 4], vec![1, 3, 5]));
            crossed |= !got.is_sorted();
        }
        assert!(crossed, "some schedule delivers across tags out of order");
    }
}
