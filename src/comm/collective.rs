//! Blocking collectives above `Comm`, for set-up and results: broadcast, gather, reductions of any length.
//!
//! They use the tag `Setup` alone, so a fast rank that has gone on to its exchange does not disturb a slow one
//! that is still here. Cost: one message per rank and call; not for hot paths. They end because every rank
//! calls the same ones in the same order.

use super::{Batch, Comm, Op, Tag, Tags, Terms};
use crate::base::Rank;

const SETUP: Tags = Tags::only(Tag::Setup);

/// Sends, waiting as long as the transport hands the batch back.
pub fn send(comm: &mut dyn Comm, to: Rank, tag: Tag, mut batch: Batch) {
    while let Err(back) = comm.try_send(to, tag, batch) {
        batch = back;
        comm.wait();
    }
}

/// Waits for the next set-up message from anyone.
fn receive(comm: &mut dyn Comm) -> (Rank, Batch) {
    loop {
        if let Some(delivery) = comm.try_recv(SETUP) {
            return (delivery.from, delivery.batch);
        }
        comm.wait();
    }
}

/// Rank 0's bytes, on every rank. Only rank 0 passes some.
pub fn broadcast(comm: &mut dyn Comm, bytes: Option<Batch>) -> Batch {
    if !comm.rank().is_root() {
        let (from, batch) = receive(comm);
        assert!(from.is_root(), "a broadcast came from rank {from}");
        return batch;
    }
    let bytes = bytes.expect("rank 0 has something to broadcast");
    for to in Rank::ROOT.others(comm.ranks()) {
        send(comm, to, Tag::Setup, bytes.clone());
    }
    bytes
}

/// Every rank's bytes in rank order, at rank 0; `None` elsewhere.
///
/// A reduction closes it, so that no rank's next set-up message can overtake a slower rank's part.
pub fn gather(comm: &mut dyn Comm, bytes: Batch) -> Option<Vec<Batch>> {
    if !comm.rank().is_root() {
        send(comm, Rank::ROOT, Tag::Setup, bytes);
        barrier(comm);
        return None;
    }
    let mut parts: Vec<Option<Batch>> = vec![None; comm.ranks() as usize];
    parts[0] = Some(bytes);
    for _ in 1..comm.ranks() {
        let (from, part) = receive(comm);
        let slot = &mut parts[from.index()];
        assert!(slot.is_none(), "rank {from} sent two parts to one gather");
        *slot = Some(part);
    }
    barrier(comm);
    Some(parts.into_iter().flatten().collect())
}

/// Bytes from each rank to each: `parts` by receiver, and out by sender; a rank keeps its own. It takes in what arrives while a
/// send is handed back, as all send at once. `words` are joined as by `all_reduce`; that is done even where there
/// are none, as it keeps the next set-up messages from overtaking these.
pub fn all_to_all(
    comm: &mut dyn Comm,
    mut parts: Vec<Batch>,
    op: Op,
    words: &[i64],
) -> (Vec<Batch>, Vec<i64>) {
    let mut arrived: Vec<Option<Batch>> = vec![None; parts.len()];
    arrived[comm.rank().index()] = Some(std::mem::take(&mut parts[comm.rank().index()]));
    for to in comm.rank().others(comm.ranks()) {
        let mut batch = std::mem::take(&mut parts[to.index()]);
        while let Err(back) = comm.try_send(to, Tag::Setup, batch) {
            batch = back;
            match comm.try_recv(SETUP) {
                Some(delivery) => arrived[delivery.from.index()] = Some(delivery.batch),
                None => comm.wait(),
            }
        }
    }
    while arrived.iter().any(Option::is_none) {
        let (from, batch) = receive(comm);
        arrived[from.index()] = Some(batch);
    }
    let joined = all_reduce(comm, op, if words.is_empty() { &[0] } else { words });
    (arrived.into_iter().flatten().collect(), joined)
}

/// Joins `words` over all ranks, in as many reductions as it takes.
pub fn all_reduce(comm: &mut dyn Comm, op: Op, words: &[i64]) -> Vec<i64> {
    let mut joined = Vec::with_capacity(words.len());
    for chunk in words.chunks(Terms::COUNT) {
        comm.reduce_start(&Terms::new(op, chunk));
        joined.extend_from_slice(&wait_reduction(comm).words[..chunk.len()]);
    }
    joined
}

/// Returns when every rank has called it.
pub fn barrier(comm: &mut dyn Comm) {
    all_reduce(comm, Op::Sum, &[0]);
}

/// Waits for the reduction under way.
pub fn wait_reduction(comm: &mut dyn Comm) -> Terms {
    loop {
        if let Some(terms) = comm.reduce_poll() {
            return terms;
        }
        comm.wait();
    }
}
