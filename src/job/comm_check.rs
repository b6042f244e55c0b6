//! `verify comm-check`: do the ranks hear each other, is what they hear right, and how fast is it?
//!
//! First every pair of ranks alone, in the rounds of a tournament, so that each rank is in one pair at a time:
//! the median of some round trips, and a stream each way. Then all ranks at once through the exchange, every
//! item's content checked and every item seen once. Rank 0 gathers and returns the figures.
//! Cost: ranks - 1 rounds of at most `PAIR_TIME_MAX` per measurement, then ranks² × items items.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::base::{Rank, hash, prng::Prng, wire};
use crate::comm::{Comm, Tag, Tags, collective};
use crate::exchange::{Counts, Exchange, Idle, Inbound, Settings};
use crate::host::{disk, memory};

/// A measurement of a pair stops after this, however few round trips it had.
const PAIR_TIME_MAX: Duration = Duration::from_millis(50);
const STREAM_BATCHES: usize = 64;
const STREAM_BATCH_BYTES: usize = 32 << 10;
const PING_BYTES: usize = 64;

/// How much to send.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub items: u64,
    pub item_bytes: usize,
    pub pings: u64,
    /// A rank that fails on purpose.
    pub fail_rank: Option<u64>,
    pub exchange: Settings,
}

/// One rank's part of the figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RankFigures {
    pub rank: u32,
    pub machine: String,
    pub pid: u32,
    pub ranks_here: u32,
    pub memory_bytes: u64,
    /// Of the pairs in which this rank is the lower one.
    pub pairs: Vec<PairFigures>,
    pub exchange_seconds: f64,
    pub items_sent: u64,
    pub bytes_sent: u64,
    pub batches_sent: u64,
    pub items_wrong: u64,
    pub items_missing: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PairFigures {
    pub low: u32,
    pub high: u32,
    pub latency_us: f64,
    pub low_to_high_mb_s: f64,
    pub high_to_low_mb_s: f64,
}

/// All ranks' figures.
#[derive(Clone, Debug, Serialize)]
pub struct CommFigures {
    pub transport: String,
    pub ranks: Vec<RankFigures>,
}

impl CommFigures {
    /// Whether every item arrived once and unchanged.
    pub fn all_right(&self) -> bool {
        self.ranks.iter().all(|rank| rank.items_wrong == 0 && rank.items_missing == 0)
    }
}

/// Runs the check; the figures come back at rank 0.
pub fn run(comm: &mut dyn Comm, options: &Options, transport: &str) -> Option<CommFigures> {
    let pairs = measure_pairs(comm, options);
    if options.fail_rank == Some(u64::from(comm.rank().0)) {
        panic!("this rank was asked to fail (--fail-rank)");
    }
    collective::barrier(comm);
    let begin = Instant::now();
    let flood = flood(comm, options);
    let figures = RankFigures {
        rank: comm.rank().0,
        machine: disk::machine_name(),
        pid: std::process::id(),
        ranks_here: comm.ranks_here(),
        memory_bytes: memory::budget(None, comm.ranks_here()).rank_bytes,
        pairs,
        exchange_seconds: begin.elapsed().as_secs_f64(),
        items_sent: flood.counts.items_sent,
        bytes_sent: flood.counts.bytes_sent,
        batches_sent: flood.counts.batches_sent,
        items_wrong: flood.wrong,
        items_missing: flood.missing,
    };
    let parts = collective::gather(comm, wire::encode(&figures))?;
    let ranks = parts.iter().map(|part| wire::decode(part).expect("a rank's figures decode")).collect();
    Some(CommFigures { transport: transport.to_string(), ranks })
}

/// My partner in a round of the tournament (circle method); `None` when I sit out.
fn partner(me: Rank, ranks: u32, round: u32) -> Option<Rank> {
    let seats = ranks + ranks % 2;
    let wheel = seats - 1;
    // The last seat stays; the others turn, and pairs are those whose numbers add up to the round's.
    let other = if me.0 == wheel {
        (0..wheel).find(|&r| (2 * r) % wheel == round % wheel)?
    } else {
        let across = (round + wheel - me.0 % wheel) % wheel;
        if across == me.0 { wheel } else { across }
    };
    (other < ranks).then_some(Rank(other))
}

fn measure_pairs(comm: &mut dyn Comm, options: &Options) -> Vec<PairFigures> {
    let (me, ranks) = (comm.rank(), comm.ranks());
    let mut pairs = Vec::new();
    if ranks == 1 {
        return pairs;
    }
    for round in 0..ranks - 1 + ranks % 2 {
        collective::barrier(comm);
        match partner(me, ranks, round) {
            Some(high) if me < high => {
                let latency_us = lead_pings(comm, high, options.pings);
                let low_to_high_mb_s = lead_stream(comm, high);
                follow_stream(comm, high);
                let high_to_low_mb_s = f64::from_le_bytes(take_eight(&expect(comm, high)));
                pairs.push(PairFigures {
                    low: me.0,
                    high: high.0,
                    latency_us,
                    low_to_high_mb_s,
                    high_to_low_mb_s,
                });
            }
            Some(low) => {
                follow_pings(comm, low);
                follow_stream(comm, low);
                let rate = lead_stream(comm, low);
                collective::send(comm, low, Tag::Control, rate.to_le_bytes().to_vec());
            }
            None => {}
        }
    }
    pairs
}

/// The next batch, which must be the partner's.
fn expect(comm: &mut dyn Comm, from: Rank) -> Vec<u8> {
    loop {
        if let Some(delivery) = comm.try_recv(Tags::only(Tag::Control)) {
            assert_eq!(delivery.from, from, "a rank outside the pair spoke");
            return delivery.batch;
        }
        comm.wait();
    }
}

fn take_eight(bytes: &[u8]) -> [u8; 8] {
    bytes[..8].try_into().expect("eight bytes")
}

/// Half the median round trip, in microseconds. A ping's first byte says whether another will follow.
fn lead_pings(comm: &mut dyn Comm, to: Rank, pings: u64) -> f64 {
    let begin = Instant::now();
    let mut trips = Vec::new();
    loop {
        let last = trips.len() as u64 + 1 >= pings || begin.elapsed() > PAIR_TIME_MAX;
        let sent = Instant::now();
        let mut ping = vec![0; PING_BYTES];
        ping[0] = u8::from(last);
        collective::send(comm, to, Tag::Control, ping);
        expect(comm, to);
        trips.push(sent.elapsed());
        if last {
            trips.sort();
            return trips[trips.len() / 2].as_secs_f64() * 1e6 / 2.0;
        }
    }
}

fn follow_pings(comm: &mut dyn Comm, from: Rank) {
    loop {
        let ping = expect(comm, from);
        let last = ping[0] == 1;
        collective::send(comm, from, Tag::Control, ping);
        if last {
            return;
        }
    }
}

/// Megabytes (10^6) per second, one way, until the other side says that it has all.
fn lead_stream(comm: &mut dyn Comm, to: Rank) -> f64 {
    let begin = Instant::now();
    for _ in 0..STREAM_BATCHES {
        collective::send(comm, to, Tag::Control, vec![7; STREAM_BATCH_BYTES]);
    }
    expect(comm, to);
    (STREAM_BATCHES * STREAM_BATCH_BYTES) as f64 / 1e6 / begin.elapsed().as_secs_f64()
}

fn follow_stream(comm: &mut dyn Comm, from: Rank) {
    for _ in 0..STREAM_BATCHES {
        let batch = expect(comm, from);
        assert!(batch.len() == STREAM_BATCH_BYTES && batch.iter().all(|&b| b == 7), "a stream was garbled");
    }
    collective::send(comm, from, Tag::Control, vec![1]);
}

struct Flood {
    counts: Counts,
    wrong: u64,
    missing: u64,
}

/// What an item of this number from one rank to another looks like: number, then bytes that follow from all three.
fn fill_item(item: &mut [u8], from: Rank, to: Rank, number: u64) {
    item[..8].copy_from_slice(&number.to_le_bytes());
    let key = [u64::from(from.0), u64::from(to.0), number].map(u64::to_le_bytes).concat();
    Prng::new(hash::stable(&key) as u64).fill(&mut item[8..]);
}

/// Sends items to everyone while receiving from everyone, and checks each that comes.
fn flood(comm: &mut dyn Comm, options: &Options) -> Flood {
    let (me, ranks) = (comm.rank(), comm.ranks());
    let mut exchange = Exchange::new(comm, options.exchange);
    let mut ledger = Ledger::new(me, ranks, options);
    let mut item = vec![0; options.item_bytes];
    let mut number = 0;
    loop {
        while exchange.receive(|_, inbound| ledger.check(inbound)) {}
        if exchange.congested() {
            exchange.wait();
        } else if number < options.items {
            for to in me.others(ranks) {
                fill_item(&mut item, me, to, number);
                exchange.post(to, Tag::States, &item);
            }
            number += 1;
        } else if exchange.idle() == Idle::PhaseOver {
            break;
        }
    }
    Flood { counts: exchange.counts(), wrong: ledger.wrong, missing: ledger.missing() }
}

/// Which items have come, and how many were not as they should be.
struct Ledger {
    me: Rank,
    expected: Vec<u8>,
    /// The next number from each rank: batches of a pair keep their order.
    next: Vec<u64>,
    items: u64,
    wrong: u64,
}

impl Ledger {
    fn new(me: Rank, ranks: u32, options: &Options) -> Ledger {
        Ledger {
            me,
            expected: vec![0; options.item_bytes],
            next: vec![0; ranks as usize],
            items: options.items,
            wrong: 0,
        }
    }

    fn check(&mut self, inbound: &Inbound) {
        for item in inbound.bytes().chunks(self.expected.len()) {
            let next = &mut self.next[inbound.from.index()];
            fill_item(&mut self.expected, inbound.from, self.me, *next);
            self.wrong += u64::from(item != self.expected);
            *next += 1;
        }
    }

    fn missing(&self) -> u64 {
        let peers = self.next.iter().enumerate().filter(|(rank, _)| *rank != self.me.index());
        peers.map(|(_, &next)| self.items.abs_diff(next)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::thread;

    #[test]
    fn a_tournament_pairs_everyone_with_everyone_once() {
        for ranks in 2..=12 {
            let mut met = vec![vec![0; ranks as usize]; ranks as usize];
            for round in 0..ranks - 1 + ranks % 2 {
                for me in Rank::all(ranks) {
                    if let Some(other) = partner(me, ranks, round) {
                        assert_eq!(partner(other, ranks, round), Some(me), "{ranks} ranks, round {round}");
                        met[me.index()][other.index()] += 1;
                    }
                }
            }
            for (me, row) in met.iter().enumerate() {
                for (other, &times) in row.iter().enumerate() {
                    assert_eq!(times, u32::from(me != other), "{ranks} ranks, {me} and {other}");
                }
            }
        }
    }

    #[test]
    fn figures_are_complete_on_threads() {
        let options =
            Options { items: 300, item_bytes: 24, pings: 3, fail_rank: None, exchange: Settings::default() };
        for ranks in [1, 2, 3, 5] {
            let mut results = thread::run(ranks, |comm| run(comm, &options, "threads")).unwrap();
            let figures = results.remove(0).expect("rank 0 has the figures");
            assert!(figures.all_right());
            let pairs: usize = figures.ranks.iter().map(|rank| rank.pairs.len()).sum();
            assert_eq!(pairs as u32, ranks * (ranks - 1) / 2);
            for rank in &figures.ranks {
                assert_eq!(rank.items_sent, 300 * u64::from(ranks - 1));
            }
        }
    }
}
