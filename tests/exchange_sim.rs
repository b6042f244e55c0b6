//! The exchange under the simulator, on threads, and with faults planted.
//!
//! The work is a random tree: handling an item makes a few more, for ranks that the item's bytes name, so the
//! whole tree follows from its roots and can be grown by a plain loop, the oracle. Every phase must handle
//! exactly the items of its tree, each at its rank and once. `VERIFY_SIM_SEED` and `VERIFY_SIM_RANKS` replay
//! one run; `VERIFY_SIM_SEEDS` changes how many are run.

use std::collections::BTreeMap;

use verify::base::{Rank, hash, prng::Prng};
use verify::comm::{Comm, Op, Tag, thread};
use verify::exchange::{Exchange, Idle, Inbound, Plant, Settings};
use verify::sim;

const PHASES: u32 = 3;
const ITEM_BYTES: usize = 16;
const KINDS: [Tag; 4] = [Tag::States, Tag::Witnesses, Tag::Acknowledgements, Tag::Control];

type Item = [u8; ITEM_BYTES];

/// How large a phase's tree may become.
const DEPTH_MAX: u8 = 4;

/// The items that handling `item` makes, with kind and rank; the depth is in the first byte.
fn children(item: &Item, ranks: u32) -> Vec<(Rank, Tag, Item)> {
    let mut prng = Prng::new(hash::stable(item) as u64);
    let count = if item[0] >= DEPTH_MAX { 0 } else { prng.below(4) };
    (0..count)
        .map(|_| {
            let mut child = [0; ITEM_BYTES];
            prng.fill(&mut child);
            child[0] = item[0] + 1;
            (Rank(prng.below(u64::from(ranks)) as u32), KINDS[prng.index(KINDS.len())], child)
        })
        .collect()
}

/// The roots of a phase, each at the rank that finds it.
fn roots(seed: u64, phase: u32, ranks: u32) -> Vec<(Rank, Item)> {
    let mut prng = Prng::new(seed ^ (u64::from(phase) << 40));
    (0..prng.below(8))
        .map(|_| {
            let mut item = [0; ITEM_BYTES];
            prng.fill(&mut item);
            item[0] = 0;
            (Rank(prng.below(u64::from(ranks)) as u32), item)
        })
        .collect()
}

/// What each rank must handle in a phase: the oracle.
fn expected(seed: u64, phase: u32, ranks: u32) -> Vec<BTreeMap<Item, u32>> {
    let mut handled = vec![BTreeMap::new(); ranks as usize];
    let mut open = roots(seed, phase, ranks);
    while let Some((rank, item)) = open.pop() {
        *handled[rank.index()].entry(item).or_insert(0) += 1;
        open.extend(children(&item, ranks).into_iter().map(|(to, _, child)| (to, child)));
    }
    handled
}

/// One rank's part: grows the trees of all phases and returns what it handled in each.
fn grow(comm: &mut dyn Comm, seed: u64, settings: Settings) -> Vec<BTreeMap<Item, u32>> {
    let (me, ranks) = (comm.rank(), comm.ranks());
    let mut exchange = Exchange::new(comm, settings);
    let mut phases = Vec::new();
    for phase in 0..PHASES {
        let mut handled = BTreeMap::new();
        let mut work: Vec<Item> = roots(seed, phase, ranks)
            .into_iter()
            .filter(|(rank, _)| *rank == me)
            .map(|(_, item)| item)
            .collect();
        loop {
            while exchange.receive(|_, inbound| work.extend(items(inbound))) {}
            if exchange.congested() {
                exchange.wait();
            } else if let Some(item) = work.pop() {
                *handled.entry(item).or_insert(0) += 1;
                for (to, kind, child) in children(&item, ranks) {
                    if to == me { work.push(child) } else { exchange.post(to, kind, &child) }
                }
            } else if exchange.idle() == Idle::PhaseOver {
                break;
            }
        }
        // Sent and received agree over all ranks when a phase is over, item by item and batch by batch.
        let counts = exchange.counts();
        let words = [counts.items_sent, counts.items_received, counts.batches_sent, counts.batches_received];
        let sums = exchange.tally(Op::Sum, &words.map(|n| n as i64));
        assert_eq!((sums[0], sums[2]), (sums[1], sums[3]), "sent and received differ after phase {phase}");
        phases.push(handled);
    }
    phases
}

fn items(inbound: &Inbound) -> impl Iterator<Item = Item> + '_ {
    assert_eq!(inbound.bytes().len(), inbound.items as usize * ITEM_BYTES);
    inbound.bytes().chunks_exact(ITEM_BYTES).map(|chunk| chunk.try_into().expect("an item's bytes"))
}

/// Settings follow from the seed too: tiny batches and one credit are where trouble lives.
fn settings(seed: u64, plant: Plant) -> Settings {
    let mut prng = Prng::new(seed.wrapping_mul(31));
    let pick = |prng: &mut Prng, choices: &[u32]| choices[prng.index(choices.len())];
    Settings {
        batch_items_max: pick(&mut prng, &[1, 2, 3, 100]),
        batch_bytes_max: pick(&mut prng, &[20, 64, 4096]) as usize,
        credits: pick(&mut prng, &[1, 1, 2, 5, 0]),
        plant,
    }
}

fn compare(seed: u64, ranks: u32, results: &[Vec<BTreeMap<Item, u32>>]) -> Result<(), String> {
    for phase in 0..PHASES {
        for (rank, expected) in expected(seed, phase, ranks).iter().enumerate() {
            if &results[rank][phase as usize] != expected {
                return Err(format!("rank {rank} did not handle exactly its items of phase {phase}"));
            }
        }
    }
    Ok(())
}

/// One run in the simulator, compared with the oracle; an error names what replays it.
fn simulate(seed: u64, ranks: u32, plant: Plant) -> Result<u64, String> {
    let settings = settings(seed, plant);
    let outcome = sim::run(seed, ranks, |comm| grow(comm, seed, settings)).map_err(|f| f.to_string())?;
    compare(seed, ranks, &outcome.results)
        .map_err(|why| format!("{why} (replay with VERIFY_SIM_SEED={seed} VERIFY_SIM_RANKS={ranks})"))?;
    Ok(outcome.schedule)
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

#[test]
fn every_item_is_handled_once_under_a_thousand_seeds() {
    if let (Some(seed), Some(ranks)) = (number("VERIFY_SIM_SEED"), number("VERIFY_SIM_RANKS")) {
        simulate(seed, ranks as u32, Plant::None).unwrap_or_else(|why| panic!("{why}"));
        return;
    }
    let seeds = number("VERIFY_SIM_SEEDS").unwrap_or(1_000);
    for ranks in 2..=8 {
        for seed in 0..seeds {
            simulate(seed, ranks, Plant::None).unwrap_or_else(|why| panic!("{why}"));
        }
    }
}

#[test]
fn a_seed_replays_its_schedule() {
    for seed in 0..20 {
        assert_eq!(simulate(seed, 4, Plant::None), simulate(seed, 4, Plant::None), "seed {seed}");
    }
}

/// Planted faults panic on purpose; their messages would bury those of real failures.
fn quietly<T>(work: impl FnOnce() -> T) -> T {
    std::panic::set_hook(Box::new(|panic| {
        if !std::thread::current().name().is_some_and(|name| name.starts_with("rank ")) {
            eprintln!("{panic}");
        }
    }));
    let result = work();
    let _ = std::panic::take_hook();
    result
}

/// The first seed whose run shows the fault, and that the same line shows it again.
fn first_caught(plant: Plant) -> (u64, String) {
    let caught = (0..200).find_map(|seed| Some((seed, simulate(seed, 4, plant).err()?)));
    let (seed, why) = caught.unwrap_or_else(|| panic!("{plant:?} was not noticed in 200 seeds"));
    assert!(why.contains(&format!("VERIFY_SIM_SEED={seed} VERIFY_SIM_RANKS=4")), "{why}");
    assert_eq!(simulate(seed, 4, plant), Err(why.clone()), "the seed replays the failure");
    simulate(seed, 4, Plant::None).unwrap_or_else(|why| panic!("without the fault: {why}"));
    (seed, why)
}

#[test]
fn planted_faults_are_caught_and_replay() {
    quietly(|| {
        let (_, lost) = first_caught(Plant::LoseCredit);
        assert!(lost.contains("deadlock") || lost.contains("credits"), "{lost}");
        let (_, early) = first_caught(Plant::EndOneRoundEarly);
        assert!(!early.is_empty());
    });
}

#[test]
fn threads_give_the_same_answers() {
    for ranks in [1, 2, 3, 4, 7] {
        for seed in 0..20 {
            let settings = settings(seed, Plant::None);
            let results = thread::run(ranks, |comm| grow(comm, seed, settings)).unwrap();
            compare(seed, ranks, &results).unwrap_or_else(|why| panic!("seed {seed}, {ranks} ranks: {why}"));
        }
    }
}

#[test]
fn a_panic_on_one_thread_ends_all_and_names_the_rank() {
    quietly(|| {
        let aborted = thread::run(4, |comm| {
            if comm.rank() == Rank(2) {
                panic!("out of luck");
            }
            loop {
                comm.wait();
            }
        })
        .unwrap_err();
        assert_eq!(aborted.to_string(), "rank 2: out of luck");
    });
}

#[test]
fn a_hundred_and_twenty_eight_ranks_end() {
    let settings = Settings::default();
    let results = thread::run(128, |comm| grow(comm, 5, settings)).unwrap();
    compare(5, 128, &results).unwrap_or_else(|why| panic!("{why}"));
}
