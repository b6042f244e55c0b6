//! Throughput of the exchange between ranks that are threads: items/s and MB/s per rank.
//!
//!     cargo bench --bench exchange                   threads of one process
//!     mpirun -n 2 verify comm-check --items 2000000 --item-bytes 16      the same over MPI
//!
//! Every rank sends items to every other rank and counts what arrives. The best of some rounds is printed: the
//! machine's noise only ever makes a round slower.

use std::time::Instant;

use verify::comm::{Comm, Tag, thread};
use verify::exchange::{Exchange, Idle, Settings};

const ROUNDS: usize = 5;
const BYTES_PER_RANK: usize = 64 << 20;

/// Seconds that one rank needed to send its share and receive the others'.
fn flood(comm: &mut dyn Comm, item_bytes: usize, settings: Settings) -> f64 {
    let (me, ranks) = (comm.rank(), comm.ranks());
    let items = BYTES_PER_RANK / item_bytes / (ranks as usize - 1).max(1);
    let item = vec![7u8; item_bytes];
    let mut exchange = Exchange::new(comm, settings);
    let (mut sent, mut received) = (0, 0usize);
    let begin = Instant::now();
    loop {
        while exchange.receive(|_, inbound| received += inbound.bytes().len() / item_bytes) {}
        if exchange.congested() {
            exchange.wait();
        } else if sent < items {
            for _ in 0..64.min(items - sent) {
                me.others(ranks).for_each(|to| exchange.post(to, Tag::States, &item));
                sent += 1;
            }
        } else if exchange.idle() == Idle::PhaseOver {
            break;
        }
    }
    assert_eq!(received, items * (ranks as usize - 1), "every item arrives");
    begin.elapsed().as_secs_f64()
}

fn main() {
    println!("{:>6} {:>11} {:>14} {:>12}", "ranks", "item bytes", "items/s/rank", "MB/s/rank");
    for ranks in [2, 4] {
        for item_bytes in [16, 64, 256] {
            let settings = Settings { batch_items_max: u32::MAX, ..Settings::default() };
            let best = (0..ROUNDS)
                .map(|_| {
                    let seconds =
                        thread::run(ranks, |comm| flood(comm, item_bytes, settings)).expect("no rank fails");
                    seconds.into_iter().fold(0.0, f64::max)
                })
                .fold(f64::INFINITY, f64::min);
            let items = (BYTES_PER_RANK / item_bytes) as f64;
            println!(
                "{ranks:>6} {item_bytes:>11} {:>14.0} {:>12.0}",
                items / best,
                items * item_bytes as f64 / best / 1e6
            );
        }
    }
}
