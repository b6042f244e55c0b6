//! Ranks as MPI processes. The only file that names `mpi` (rsmpi), and one of the few with `unsafe`.
//!
//! Sends are nonblocking, from a pool of at most `SENDS_MAX` buffers that live until MPI says that it is done
//! with them; rsmpi's own requests borrow their buffer for a scope, which a pool cannot use, so the pool keeps
//! raw requests beside its buffers. Receives are matched probes, so a batch is received into exactly its
//! length. Reductions are `MPI_Iallreduce`. MPI has no "wait for anything", so `wait` polls, first eagerly,
//! then with growing naps: a rank that waits leaves its core to others.
//!
//! Every `unsafe` block is one MPI call whose buffers are owned by this struct and outlive the call's request, but for the one
//! that tells MPI its settings.
//! MPI's default error handler ends the job on any failure, so return codes carry no news.

use std::os::raw::c_int;
use std::time::{Duration, Instant};

use mpi::environment::{Threading, Universe};
use mpi::ffi;
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::traits::AsRaw;

use super::{Batch, Comm, CommError, Delivery, Op, Tag, Tags, Terms, identity, launcher};
use crate::base::Rank;

/// Batches on their way from one rank, over all its peers.
const SENDS_MAX: usize = 256;
/// `wait` returns after this even if nothing happened, so that callers can look at the clock and signals.
const WAIT_MAX: Duration = Duration::from_millis(10);
const NAP_FIRST: Duration = Duration::from_micros(20);
const NAP_MAX: Duration = Duration::from_micros(250);
/// Polls before the first nap where each rank has a core of its own, and where not.
const EAGER_POLLS_ALONE: u32 = 2_000;
const EAGER_POLLS_SHARED: u32 = 4;
/// The job's exit code when a rank panics or aborts.
const ABORT_CODE: c_int = 3;

/// One rank's end. Dropping it completes its sends and finalises MPI.
pub struct MpiComm {
    rank: Rank,
    ranks: u32,
    ranks_here: u32,
    library: String,
    pool: SendPool,
    reduction: Reduction,
    /// Batches that were received while another tag was wanted.
    early: Vec<Delivery>,
    eager_polls: u32,
    // A duplicate of the world, so that no other user of MPI in the process can take our messages. Declared
    // before the universe: fields are dropped in order, and the communicator must be freed first.
    world: SimpleCommunicator,
    _universe: Universe,
}

/// Initialises MPI, with or without a launcher, and checks that the world is what the launcher started.
pub fn start() -> Result<MpiComm, CommError> {
    for (name, value) in launcher::settings(|name| std::env::var(name).ok()) {
        // SAFETY: nothing of this process reads or writes the environment meanwhile: ranks have not been started, and
        // whoever started this thread waits for it.
        unsafe { std::env::set_var(name, value) };
    }
    let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)
        .ok_or_else(|| CommError::Launch("MPI was already initialised".to_string()))?;
    let library = mpi::environment::library_version().unwrap_or_default();
    let library = library.lines().next().unwrap_or("MPI").split(',').next().unwrap_or("MPI").to_string();
    let world = universe.world();
    let (rank, ranks) = (Rank(world.rank() as u32), world.size() as u32);
    identity::set(rank);
    if let Some(why) = launcher::mismatch(launcher::here().as_ref(), ranks, &library) {
        return Err(CommError::Launch(why));
    }
    let ranks_here = world.split_shared(rank.0 as c_int).size() as u32;
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    end_all_ranks_on_panic();
    Ok(MpiComm {
        rank,
        ranks,
        ranks_here,
        library,
        pool: SendPool::default(),
        reduction: Reduction::new(),
        early: Vec::new(),
        eager_polls: if ranks_here > cores { EAGER_POLLS_SHARED } else { EAGER_POLLS_ALONE },
        world: world.duplicate(),
        _universe: universe,
    })
}

/// A panic unwinds into `MPI_Finalize`, which waits for ranks that wait for us; so the job ends right after
/// the message.
fn end_all_ranks_on_panic() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        print(panic);
        abort_world();
    }));
}

fn abort_world() -> ! {
    // SAFETY: the handle is MPI's constant; the call does not return.
    unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, ABORT_CODE) };
    std::process::exit(ABORT_CODE)
}

impl MpiComm {
    /// The MPI library's own name and version.
    pub fn library(&self) -> &str {
        &self.library
    }

    /// Receives one batch with any tag, if one has arrived.
    fn poll_arrival(&mut self) -> Option<Delivery> {
        let mut flag: c_int = 0;
        // SAFETY: both are plain C data that MPI fills before they are read.
        let (mut message, mut status): (ffi::MPI_Message, ffi::MPI_Status) = unsafe { std::mem::zeroed() };
        // SAFETY: all pointers are to locals that outlive the call.
        unsafe {
            ffi::MPI_Improbe(
                ffi::RSMPI_ANY_SOURCE,
                ffi::RSMPI_ANY_TAG,
                self.world.as_raw(),
                &mut flag,
                &mut message,
                &mut status,
            );
        }
        if flag == 0 {
            return None;
        }
        let mut len: c_int = 0;
        // SAFETY: the status was filled by the probe.
        unsafe { ffi::MPI_Get_count(&status, ffi::RSMPI_UINT8_T, &mut len) };
        let mut batch = Batch::with_capacity(len as usize);
        // SAFETY: the buffer has room for the `len` bytes that the probe announced, and a blocking receive of a
        // matched message has written all of them when it returns.
        unsafe {
            let data = batch.as_mut_ptr().cast();
            ffi::MPI_Mrecv(data, len, ffi::RSMPI_UINT8_T, &mut message, ffi::RSMPI_STATUS_IGNORE);
            batch.set_len(len as usize);
        }
        let tag = Tag::ALL[status.MPI_TAG as usize];
        Some(Delivery { from: Rank(status.MPI_SOURCE as u32), tag, batch })
    }

    /// One look at everything that `wait` waits for.
    fn something_changed(&mut self) -> bool {
        if self.pool.complete_some() || self.reduction.test() {
            return true;
        }
        match self.poll_arrival() {
            Some(delivery) => {
                self.early.push(delivery);
                true
            }
            None => false,
        }
    }
}

impl Comm for MpiComm {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn ranks_here(&self) -> u32 {
        self.ranks_here
    }

    fn try_send(&mut self, to: Rank, tag: Tag, batch: Batch) -> Result<(), Batch> {
        assert_ne!(to, self.rank, "a rank does not send to itself");
        if self.pool.len() >= SENDS_MAX && !self.pool.complete_some() {
            return Err(batch);
        }
        self.pool.send(&self.world, to, tag, batch);
        Ok(())
    }

    fn try_recv(&mut self, want: Tags) -> Option<Delivery> {
        if let Some(at) = self.early.iter().position(|delivery| want.has(delivery.tag)) {
            return Some(self.early.remove(at));
        }
        loop {
            let delivery = self.poll_arrival()?;
            if want.has(delivery.tag) {
                return Some(delivery);
            }
            self.early.push(delivery);
        }
    }

    fn reduce_start(&mut self, terms: &Terms) {
        self.reduction.start(&self.world, terms);
    }

    fn reduce_poll(&mut self) -> Option<Terms> {
        self.reduction.test();
        self.reduction.take()
    }

    fn wait(&mut self) {
        for _ in 0..self.eager_polls {
            if self.something_changed() {
                return;
            }
            std::hint::spin_loop();
        }
        let begin = Instant::now();
        let mut nap = NAP_FIRST;
        while begin.elapsed() < WAIT_MAX {
            std::thread::sleep(nap);
            nap = (nap * 2).min(NAP_MAX);
            if self.something_changed() {
                return;
            }
        }
    }

    fn abort(&mut self, why: &str) -> ! {
        eprintln!("verify: rank {}: {why}", self.rank);
        abort_world()
    }
}

impl Drop for MpiComm {
    fn drop(&mut self) {
        self.pool.complete_all();
    }
}

/// Sends under way: requests and the buffers they read, side by side.
#[derive(Default)]
struct SendPool {
    requests: Vec<ffi::MPI_Request>,
    buffers: Vec<Batch>,
    finished: Vec<c_int>,
}

impl SendPool {
    fn len(&self) -> usize {
        self.requests.len()
    }

    fn send(&mut self, world: &SimpleCommunicator, to: Rank, tag: Tag, batch: Batch) {
        let len = c_int::try_from(batch.len()).expect("a batch is below 2 GiB");
        // SAFETY: a handle is plain C data, filled by the call below.
        let mut request: ffi::MPI_Request = unsafe { std::mem::zeroed() };
        // SAFETY: the heap buffer of `batch` does not move with the vector that owns it, and stays in `buffers`
        // until its request is complete.
        unsafe {
            ffi::MPI_Isend(
                batch.as_ptr().cast(),
                len,
                ffi::RSMPI_UINT8_T,
                to.0 as c_int,
                tag.index() as c_int,
                world.as_raw(),
                &mut request,
            );
        }
        self.requests.push(request);
        self.buffers.push(batch);
    }

    /// Lets go of every buffer that MPI is done with; whether there was one.
    fn complete_some(&mut self) -> bool {
        if self.requests.is_empty() {
            return false;
        }
        self.finished.resize(self.requests.len(), 0);
        let mut count: c_int = 0;
        // SAFETY: both arrays have as many entries as there are requests.
        unsafe {
            ffi::MPI_Testsome(
                self.requests.len() as c_int,
                self.requests.as_mut_ptr(),
                &mut count,
                self.finished.as_mut_ptr(),
                ffi::RSMPI_STATUSES_IGNORE,
            );
        }
        let finished = &mut self.finished[..count.max(0) as usize];
        // From the back, so that `swap_remove` never moves one that is still to be removed.
        finished.sort_unstable_by(|a, b| b.cmp(a));
        for &at in finished.iter() {
            self.requests.swap_remove(at as usize);
            self.buffers.swap_remove(at as usize);
        }
        count > 0
    }

    fn complete_all(&mut self) {
        // SAFETY: as in `complete_some`.
        unsafe {
            ffi::MPI_Waitall(
                self.requests.len() as c_int,
                self.requests.as_mut_ptr(),
                ffi::RSMPI_STATUSES_IGNORE,
            );
        }
        self.requests.clear();
        self.buffers.clear();
    }
}

/// The reduction under way, with boxed words that do not move while MPI uses them.
struct Reduction {
    mine: Box<[i64; Terms::COUNT]>,
    joined: Box<[i64; Terms::COUNT]>,
    op: Op,
    request: Option<ffi::MPI_Request>,
    complete: bool,
}

impl Reduction {
    fn new() -> Reduction {
        let words = || Box::new([0; Terms::COUNT]);
        Reduction { mine: words(), joined: words(), op: Op::Sum, request: None, complete: false }
    }

    fn start(&mut self, world: &SimpleCommunicator, terms: &Terms) {
        assert!(self.request.is_none() && !self.complete, "one reduction at a time");
        *self.mine = terms.words;
        self.op = terms.op;
        // SAFETY: reads of MPI's constants; the words live in boxes of this struct until the request is complete.
        unsafe {
            let op = match terms.op {
                Op::Sum => ffi::RSMPI_SUM,
                Op::Max => ffi::RSMPI_MAX,
                Op::Min => ffi::RSMPI_MIN,
            };
            let mut request: ffi::MPI_Request = std::mem::zeroed();
            ffi::MPI_Iallreduce(
                self.mine.as_ptr().cast(),
                self.joined.as_mut_ptr().cast(),
                Terms::COUNT as c_int,
                ffi::RSMPI_INT64_T,
                op,
                world.as_raw(),
                &mut request,
            );
            self.request = Some(request);
        }
    }

    /// Whether the reduction became complete in this call.
    fn test(&mut self) -> bool {
        let Some(request) = &mut self.request else { return false };
        let mut flag: c_int = 0;
        // SAFETY: the request is live; MPI sets it to null when it is complete, and we forget it then.
        unsafe { ffi::MPI_Test(request, &mut flag, ffi::RSMPI_STATUS_IGNORE) };
        if flag == 0 {
            return false;
        }
        self.request = None;
        self.complete = true;
        true
    }

    fn take(&mut self) -> Option<Terms> {
        std::mem::take(&mut self.complete).then_some(Terms { op: self.op, words: *self.joined })
    }
}
