//! Items between ranks: batched, credited, counted, and known to be all delivered. Written once, above `Comm`.
//!
//! In goes an item and the rank it is for; out comes, at that rank, a batch of items. A rank that has nothing
//! left to do calls `idle` until it says that no rank has: the end of a *phase*. Phases follow each other (a
//! search, then each round of a liveness check) on the same exchange.
//!
//! Invariants, asserted in release builds:
//! - Each item posted is handled exactly once, at its rank, in the phase it was posted in: batches carry their
//!   phase, and one that arrives before this rank knows of the phase's end waits for it.
//! - At most `credits` batches of one kind are unacknowledged between two ranks, so at most
//!   ranks × kinds × credits × batch bytes wait at one rank (thesis, 3.2; there, one kind).
//! - At the end of a phase every outbox is empty, every credit is home and no message is on its way.
//!
//! It does not deadlock: receiving never depends on sending, credits return when a batch was handled, and a
//! producer that is `congested` stops producing and goes on receiving. It terminates by `termination.rs`.
//! Cost per batch: one message, sixteen bytes of header, and one credit message per half window.
//! Batches and credits also tell how much their sender has to do, for load balancing.
//! Batching, credits and termination are Algorithm 3.2 of Bingham's thesis (PReach) without its timers.

mod ledger;
mod outbox;
mod termination;

use std::collections::VecDeque;

use crate::base::Rank;
use crate::base::wire::Reader;
use crate::comm::{Batch, Comm, Op, Tag, Tags, Terms, collective};
use ledger::Ledger;
use outbox::Outboxes;
use termination::Detector;

/// Faults that a test plants to see that it would notice them. Nothing else sets one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Plant {
    #[default]
    None,
    /// The third credit to return is forgotten.
    LoseCredit,
    /// The end is declared after one balanced reduction instead of two equal ones.
    EndOneRoundEarly,
}

/// How an exchange batches and holds back.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// A batch leaves when it has this many items, or the next one might pass `batch_bytes_max`.
    pub batch_items_max: u32,
    pub batch_bytes_max: usize,
    /// Unacknowledged batches per peer and kind; 0 turns crediting off.
    pub credits: u32,
    pub plant: Plant,
}

impl Settings {
    /// Credits where nobody says how many: few ranks can afford to run further ahead of each other.
    pub fn credits_among(ranks: u32) -> u32 {
        (128 / ranks).max(8)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { batch_items_max: 1_000, batch_bytes_max: 32 << 10, credits: 8, plant: Plant::None }
    }
}

/// What passed through one rank's exchange so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub batches_sent: u64,
    pub batches_received: u64,
    pub items_sent: u64,
    pub items_received: u64,
    pub bytes_sent: u64,
    pub credit_messages_sent: u64,
    pub credit_messages_received: u64,
    /// Termination reductions that this rank joined.
    pub reductions: u64,
}

/// A batch of items that arrived.
#[derive(Debug)]
pub struct Inbound {
    pub from: Rank,
    pub kind: Tag,
    pub items: u32,
    batch: Batch,
}

impl Inbound {
    /// The items' bytes, one behind the other, as they were posted.
    pub fn bytes(&self) -> &[u8] {
        &self.batch[outbox::HEADER_BYTES..]
    }

    /// Takes the items away, to be handled later; then their memory goes back (`Exchange::give_back`).
    pub fn take(&mut self) -> Inbound {
        Inbound { batch: std::mem::take(&mut self.batch), ..*self }
    }
}

/// What `idle` found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Idle {
    /// Something may have changed: receive, and come back when there is nothing to do.
    Again,
    /// No rank has work and nothing is on its way. The next phase has begun.
    PhaseOver,
}

/// One rank's end of the exchange.
pub struct Exchange<'c> {
    comm: &'c mut dyn Comm,
    settings: Settings,
    outboxes: Outboxes,
    ledger: Ledger,
    detector: Detector,
    phase: u32,
    /// Batches of the next phase that arrived before this rank knew that it had begun.
    early: VecDeque<Inbound>,
    counts: Counts,
    /// What each peer said last of how much it has to do.
    peer_loads: Vec<u32>,
    /// The transport handed a message of credits back; they are still owed.
    debts_refused: bool,
}

impl<'c> Exchange<'c> {
    pub fn new(comm: &'c mut dyn Comm, settings: Settings) -> Exchange<'c> {
        let ranks = comm.ranks();
        Exchange {
            outboxes: Outboxes::new(ranks, settings.batch_items_max, settings.batch_bytes_max),
            ledger: Ledger::new(ranks, settings.credits),
            detector: Detector::new(settings.plant == Plant::EndOneRoundEarly),
            comm,
            settings,
            phase: 0,
            early: VecDeque::new(),
            counts: Counts::default(),
            peer_loads: vec![0; ranks as usize],
            debts_refused: false,
        }
    }

    pub fn rank(&self) -> Rank {
        self.comm.rank()
    }

    pub fn ranks(&self) -> u32 {
        self.comm.ranks()
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The number of phases that are over.
    pub fn phase(&self) -> u32 {
        self.phase
    }

    /// Says how much this rank has to do, in a unit of the algorithm's own; peers hear it with the next batch.
    pub fn set_load(&mut self, load: u64) {
        self.outboxes.load = u32::try_from(load).unwrap_or(u32::MAX);
    }

    /// What each rank said last of how much it has to do.
    pub fn peer_loads(&mut self) -> &mut [u32] {
        &mut self.peer_loads
    }

    /// Puts an item into the outbox for `to`, another rank. Always takes it: ask `congested` before making more.
    pub fn post(&mut self, to: Rank, kind: Tag, item: &[u8]) {
        self.post_parts(to, kind, &[item]);
    }

    /// The same for an item in parts, which are put together in the outbox.
    #[inline]
    pub fn post_parts(&mut self, to: Rank, kind: Tag, parts: &[&[u8]]) {
        self.post_some(to, kind, 1, parts);
    }

    /// The same for `count` items of one length, one behind the other, which stay together.
    pub fn post_many(&mut self, to: Rank, kind: Tag, count: u32, items: &[u8]) {
        self.post_some(to, kind, count, &[items]);
    }

    #[inline]
    fn post_some(&mut self, to: Rank, kind: Tag, count: u32, parts: &[&[u8]]) {
        assert!(!matches!(kind, Tag::Credits | Tag::Setup), "{kind:?} is not a kind of item");
        assert_ne!(to, self.comm.rank(), "an item for oneself is not posted");
        if self.outboxes.push(to, kind, count, parts, self.phase) {
            self.send_sealed();
        }
    }

    /// Whether full batches wait for credit: time to receive instead of producing.
    pub fn congested(&mut self) -> bool {
        if self.debts_refused {
            self.return_all_credits();
        }
        self.outboxes.backlogged() && {
            self.send_sealed();
            self.outboxes.backlogged()
        }
    }

    /// Sends batches that are not full yet; for ranks with little left to do, whose peers may be idle.
    pub fn flush(&mut self) {
        self.outboxes.seal_all();
        self.send_sealed();
    }

    /// Sends batches of one kind that are not full yet.
    pub fn flush_kind(&mut self, kind: Tag) {
        self.outboxes.seal_kind(kind);
        self.send_sealed();
    }

    /// Forgets the items that have not left yet, control messages excepted, after a decision to stop early.
    pub fn discard_unsent(&mut self) {
        self.outboxes.clear_but(Tag::Control);
    }

    /// Waits a moment, for a producer that is congested and has received all there is. What it owes goes home first:
    /// two ranks that wait for each other's credits would wait for ever.
    pub fn wait(&mut self) {
        self.return_all_credits();
        self.comm.wait();
    }

    /// Hands one arrived batch to `handle`, which may post; whether there was one.
    pub fn receive(&mut self, handle: impl FnOnce(&mut Exchange<'c>, &mut Inbound)) -> bool {
        let Some(mut inbound) = self.next_inbound() else { return false };
        handle(self, &mut inbound);
        self.counts.items_received += u64::from(inbound.items);
        let (from, kind) = (inbound.from, inbound.kind);
        self.give_back(inbound);
        self.ledger.owe(from, kind);
        if self.ledger.should_return(from) {
            self.return_credits(from);
        }
        true
    }

    /// Keeps the memory of a batch that was handled for use again.
    pub fn give_back(&mut self, inbound: Inbound) {
        self.outboxes.reuse(inbound.batch);
    }

    /// For a rank with no work left: sends what is left, gives back credits, takes part in termination.
    pub fn idle(&mut self) -> Idle {
        self.flush();
        self.return_all_credits();
        if !self.outboxes.is_empty() || self.ledger.owes_any() {
            self.comm.wait();
            return Idle::Again;
        }
        if self.detector.join() {
            let (sent, received) = self.messages();
            self.counts.reductions += 1;
            self.comm.reduce_start(&Terms::new(Op::Sum, &[sent, received]));
        }
        match self.comm.reduce_poll() {
            Some(sums) if self.detector.conclude(sums.words[0], sums.words[1]) => {
                self.end_phase();
                Idle::PhaseOver
            }
            Some(_) => Idle::Again,
            None => {
                self.comm.wait();
                Idle::Again
            }
        }
    }

    /// Joins `words` over all ranks; between phases only, by all ranks.
    pub fn tally(&mut self, op: Op, words: &[i64]) -> Vec<i64> {
        assert!(!self.detector.joined(), "tallies are between phases");
        collective::all_reduce(self.comm, op, words)
    }

    /// The transport, for set-up messages between phases.
    pub fn comm(&mut self) -> &mut dyn Comm {
        self.comm
    }

    /// All messages of this rank, credits included, so that none is on its way when a phase ends.
    fn messages(&self) -> (i64, i64) {
        let counts = &self.counts;
        let sent = counts.batches_sent + counts.credit_messages_sent;
        let received = counts.batches_received + counts.credit_messages_received;
        (sent as i64, received as i64)
    }

    fn end_phase(&mut self) {
        assert!(self.outboxes.is_empty(), "a phase ended with items in an outbox of rank {}", self.rank());
        if let Some((peer, kind, missing)) = self.ledger.missing() {
            panic!("a phase ended with {missing} credits of {kind:?} still at rank {peer}");
        }
        self.phase += 1;
    }

    fn next_inbound(&mut self) -> Option<Inbound> {
        if self.early.front().is_some_and(|inbound| outbox::header_of(&inbound.batch).phase == self.phase) {
            return self.early.pop_front();
        }
        loop {
            let delivery = self.comm.try_recv(Tags::exchange())?;
            if delivery.tag == Tag::Credits {
                self.counts.credit_messages_received += 1;
                self.take_credits(delivery.from, &delivery.batch);
                self.send_sealed();
                continue;
            }
            self.counts.batches_received += 1;
            let header = outbox::header_of(&delivery.batch);
            self.peer_loads[delivery.from.index()] = header.load;
            let inbound = Inbound {
                from: delivery.from,
                kind: delivery.tag,
                items: header.items,
                batch: delivery.batch,
            };
            if header.phase == self.phase {
                return Some(inbound);
            }
            assert_eq!(
                header.phase,
                self.phase + 1,
                "a batch of a phase that is over came from rank {}",
                inbound.from
            );
            self.early.push_back(inbound);
        }
    }

    /// Sends sealed batches, one peer after the other, as far as credits and the transport allow.
    fn send_sealed(&mut self) {
        let (comm, ledger, counts) = (&mut *self.comm, &mut self.ledger, &mut self.counts);
        self.outboxes.drain_sealed(|to, kind, batch| {
            if !ledger.may_send(to, kind) {
                return Err(batch);
            }
            let items = outbox::header_of(&batch).items;
            let bytes = batch.len() as u64;
            comm.try_send(to, kind, batch)?;
            ledger.spend(to, kind);
            counts.batches_sent += 1;
            counts.items_sent += u64::from(items);
            counts.bytes_sent += bytes;
            Ok(())
        });
    }

    fn return_all_credits(&mut self) {
        self.debts_refused = false;
        if self.ledger.owes_any() {
            for peer in self.rank().others(self.ranks()) {
                self.return_credits(peer);
            }
        }
    }

    fn return_credits(&mut self, peer: Rank) {
        let Some(message) = self.ledger.debt_message(peer, self.outboxes.load) else { return };
        if self.comm.try_send(peer, Tag::Credits, message).is_ok() {
            self.ledger.debt_paid(peer);
            self.counts.credit_messages_sent += 1;
        } else {
            self.debts_refused = true;
        }
    }

    fn take_credits(&mut self, from: Rank, message: &[u8]) {
        let mut reader = Reader::new(message);
        self.peer_loads[from.index()] = reader.u32().unwrap_or(0);
        while let (Some(kind), Some(credits)) = (reader.u32(), reader.u32()) {
            let lost = self.settings.plant == Plant::LoseCredit && self.counts.credit_messages_received == 3;
            let credits = if lost { credits - 1 } else { credits };
            self.ledger.come_home(from, Tag::ALL[kind as usize], credits);
        }
    }
}
