//! Ranks as threads of one process: `--ranks N` without mpirun, and most tests.
//!
//! Each rank has one inbox (a queue behind a lock) and a condition variable. A batch moves by pointer. An
//! inbox holds at most `INBOX_MAX` batches from each sender; beyond that a send is handed back and the
//! sender is woken when the receiver takes one. A rank that panics or aborts sets a flag that every call of
//! every rank looks at; the others leave by unwinding, silently, and `run` returns who began it and why.
//! Leaves out: progress of a rank that never calls its `Comm`, which no transport can give.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Aborted, Batch, Comm, Delivery, Tag, Tags, Terms, identity};
use crate::base::{Rank, stack};

/// Batches that one sender may have in one inbox.
const INBOX_MAX: usize = 32;
/// `wait` returns after this even if nothing happened, so that callers can look at the clock and signals.
const WAIT_MAX: Duration = Duration::from_millis(20);

struct Inbox {
    arrived: VecDeque<Delivery>,
    /// Batches in `arrived` by sender.
    held: Vec<usize>,
    /// Senders whose batch was handed back since the last receive.
    refused: Vec<Rank>,
    /// Something happened since the last `wait`: an arrival, room at a receiver, a completed reduction.
    woken: bool,
    /// The rank is in `wait`; only then is there anybody to hear the bell, whose ringing is a call of the kernel's.
    waits: bool,
}

struct Door {
    inbox: Mutex<Inbox>,
    bell: Condvar,
}

impl Door {
    /// Something happened for this rank, whose inbox is locked.
    fn ring(&self, mut inbox: MutexGuard<'_, Inbox>) {
        inbox.woken = true;
        let waits = inbox.waits;
        drop(inbox);
        if waits {
            self.bell.notify_one();
        }
    }
}

/// The reduction that ranks are joining. A round cannot complete before all ranks took the result of the one
/// before, so two accumulators, used in turn, are enough.
#[derive(Default)]
struct Reductions {
    rounds: [Round; 2],
}

#[derive(Default)]
struct Round {
    terms: Option<Terms>,
    joined: u32,
    taken: u32,
}

struct World {
    ranks: u32,
    doors: Vec<Door>,
    reductions: Mutex<Reductions>,
    ended: AtomicBool,
    first_abort: Mutex<Option<Aborted>>,
}

/// The payload with which ranks unwind when another one ended the run.
struct Ended;

/// Locks never guard an invariant that a panic could break midway, so poison carries no news.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl World {
    fn new(ranks: u32) -> World {
        let door = || Door {
            inbox: Mutex::new(Inbox {
                arrived: VecDeque::new(),
                held: vec![0; ranks as usize],
                refused: Vec::new(),
                woken: false,
                waits: false,
            }),
            bell: Condvar::new(),
        };
        World {
            ranks,
            doors: (0..ranks).map(|_| door()).collect(),
            reductions: Mutex::default(),
            ended: AtomicBool::new(false),
            first_abort: Mutex::default(),
        }
    }

    fn wake(&self, rank: Rank) {
        let door = &self.doors[rank.index()];
        door.ring(lock(&door.inbox));
    }

    fn end(&self, rank: Rank, why: String, panicked: bool) {
        lock(&self.first_abort).get_or_insert(Aborted { rank, why, panicked });
        self.ended.store(true, Ordering::SeqCst);
        Rank::all(self.ranks).for_each(|r| self.wake(r));
    }
}

/// One rank's end.
pub struct ThreadComm {
    rank: Rank,
    world: Arc<World>,
    /// Reductions started; the parity names the accumulator.
    reductions_started: u64,
    reducing: bool,
}

impl ThreadComm {
    fn leave_if_ended(&self) {
        if self.world.ended.load(Ordering::Relaxed) {
            resume_unwind(Box::new(Ended));
        }
    }

    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        lock(&self.world.doors[self.rank.index()].inbox)
    }
}

impl Comm for ThreadComm {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn ranks(&self) -> u32 {
        self.world.ranks
    }

    fn ranks_here(&self) -> u32 {
        self.world.ranks
    }

    fn try_send(&mut self, to: Rank, tag: Tag, batch: Batch) -> Result<(), Batch> {
        assert_ne!(to, self.rank, "a rank does not send to itself");
        self.leave_if_ended();
        let door = &self.world.doors[to.index()];
        let mut inbox = lock(&door.inbox);
        if inbox.held[self.rank.index()] >= INBOX_MAX {
            if !inbox.refused.contains(&self.rank) {
                inbox.refused.push(self.rank);
            }
            return Err(batch);
        }
        inbox.held[self.rank.index()] += 1;
        inbox.arrived.push_back(Delivery { from: self.rank, tag, batch });
        door.ring(inbox);
        Ok(())
    }

    fn try_recv(&mut self, want: Tags) -> Option<Delivery> {
        self.leave_if_ended();
        let mut inbox = self.inbox();
        let at = inbox.arrived.iter().position(|delivery| want.has(delivery.tag))?;
        let delivery = inbox.arrived.remove(at)?;
        inbox.held[delivery.from.index()] -= 1;
        let refused = std::mem::take(&mut inbox.refused);
        drop(inbox);
        refused.into_iter().for_each(|sender| self.world.wake(sender));
        Some(delivery)
    }

    fn reduce_start(&mut self, terms: &Terms) {
        self.leave_if_ended();
        assert!(!self.reducing, "one reduction at a time");
        self.reducing = true;
        self.reductions_started += 1;
        let mut reductions = lock(&self.world.reductions);
        let round = &mut reductions.rounds[(self.reductions_started % 2) as usize];
        match &mut round.terms {
            Some(joined) => joined.join(terms),
            none => *none = Some(*terms),
        }
        round.joined += 1;
        let complete = round.joined == self.world.ranks;
        drop(reductions);
        if complete {
            Rank::all(self.world.ranks).for_each(|r| self.world.wake(r));
        }
    }

    fn reduce_poll(&mut self) -> Option<Terms> {
        self.leave_if_ended();
        if !self.reducing {
            return None;
        }
        let mut reductions = lock(&self.world.reductions);
        let round = &mut reductions.rounds[(self.reductions_started % 2) as usize];
        if round.joined < self.world.ranks {
            return None;
        }
        let terms = round.terms;
        round.taken += 1;
        if round.taken == self.world.ranks {
            *round = Round::default();
        }
        self.reducing = false;
        terms
    }

    fn wait(&mut self) {
        let door = &self.world.doors[self.rank.index()];
        let mut inbox = lock(&door.inbox);
        if !inbox.woken {
            inbox.waits = true;
            inbox = door.bell.wait_timeout(inbox, WAIT_MAX).unwrap_or_else(PoisonError::into_inner).0;
            inbox.waits = false;
        }
        inbox.woken = false;
        drop(inbox);
        self.leave_if_ended();
    }

    fn abort(&mut self, why: &str) -> ! {
        self.world.end(self.rank, why.to_string(), false);
        resume_unwind(Box::new(Ended));
    }
}

/// Runs `work` on `ranks` threads and returns their results in rank order, or the first abort or panic.
pub fn run<T, W>(ranks: u32, work: W) -> Result<Vec<T>, Aborted>
where
    T: Send,
    W: Fn(&mut dyn Comm) -> T + Sync,
{
    assert!(ranks > 0, "a run has at least one rank");
    let world = Arc::new(World::new(ranks));
    let results: Vec<Option<T>> = std::thread::scope(|scope| {
        let spawn = |rank: Rank| {
            let (world, work) = (world.clone(), &work);
            std::thread::Builder::new()
                .name(format!("rank {rank}"))
                .stack_size(stack::DEEP_BYTES)
                .spawn_scoped(scope, move || run_rank(rank, world, work))
        };
        let mut handles = Vec::new();
        for rank in Rank::all(ranks) {
            match spawn(rank) {
                Ok(handle) => handles.push(handle),
                Err(error) => world.end(rank, format!("its thread could not be started: {error}"), false),
            }
        }
        handles.into_iter().map(|handle| handle.join().ok().flatten()).collect()
    });
    if let Some(aborted) = lock(&world.first_abort).take() {
        return Err(aborted);
    }
    Ok(results.into_iter().flatten().collect())
}

fn run_rank<T, W>(rank: Rank, world: Arc<World>, work: &W) -> Option<T>
where
    W: Fn(&mut dyn Comm) -> T + Sync,
{
    identity::set(rank);
    let mut comm = ThreadComm { rank, world: world.clone(), reductions_started: 0, reducing: false };
    match catch_unwind(AssertUnwindSafe(|| work(&mut comm))) {
        Ok(result) => Some(result),
        Err(payload) => {
            if !payload.is::<Ended>() {
                world.end(rank, panic_text(payload.as_ref()), true);
            }
            None
        }
    }
}

/// The text that a panic was raised with.
pub fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message")
        .to_string()
}
