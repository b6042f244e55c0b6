//! Thetas of the engine beside those of brute force, in every way that they can be computed.
//!
//! Each file of tests uses some of this.
#![allow(dead_code)]

use std::sync::atomic::{AtomicU64, Ordering};

use verify::audit::split;
use verify::audit::split::in_order;
use verify::audit::views::{Auxiliary as Shown, Composition, Partition, Views, size};
use verify::comm::{Comm, thread};
use verify::compose::Parts;
use verify::compose::parts::{Auxiliary, Plan};
use verify::compose::proof::converge;
use verify::compose::split::{Guarantee, SPREAD_NODES, Setting, Split, block};
use verify::compose::symmetry;
use verify::compose::symmetry::Orbits;
use verify::host::signals::Signals;
use verify::ir::Model;
use verify::ir::eval::{Machine, Options, State};
use verify::job::check::{self, Task};
use verify::job::options::Command;
use verify::lower::{Constants, lower};
use verify::report::document::Document;
use verify::sim;
use verify::symbolic::Space;
use verify::symbolic::reach::count;
use verify::syntax::{Source, parse};

/// How many thetas came from what components have in common, and from components that differ by their names alone; and how many
/// components all ranks closed together.
pub static TRANSPARENT: AtomicU64 = AtomicU64::new(0);
pub static COPIED: AtomicU64 = AtomicU64::new(0);
pub static SPREAD: AtomicU64 = AtomicU64::new(0);

/// How thetas are computed.
#[derive(Clone, Copy)]
pub struct Ways {
    pub guarantee: Guarantee,
    pub shortcut: bool,
    pub symmetric: bool,
    /// With no nodes, every theta is closed by all ranks together.
    pub spread_nodes: usize,
}

pub fn read(name: &str, text: &str) -> Model {
    let source = Source::new(name, text.to_string());
    let tree = parse(&source).unwrap_or_else(|found| panic!("{name}: {found:?}"));
    lower(&tree, &source, &Constants::none()).unwrap_or_else(|found| panic!("{name}: {found:?}")).model
}

pub fn starts(model: &Model) -> Option<Vec<State>> {
    let mut machine = Machine::new(model, Options::default());
    let mut states = Vec::new();
    for (at, rule) in model.starts.iter().enumerate() {
        for index in 0..model.instances(rule) {
            states.extend(machine.start(at, index).ok()?);
        }
    }
    Some(states)
}

/// The thetas of a rank's components as bytes, and how many views each has.
pub fn thetas(
    comm: &mut dyn Comm,
    model: &Model,
    auxiliaries: &[Auxiliary],
    ways: Ways,
    oracle: Option<&[Views]>,
) -> Vec<(usize, Vec<u8>, u128)> {
    let Ways { guarantee, shortcut, symmetric, spread_nodes } = ways;
    let parts = Parts::new(model).expect("components");
    let plan = Plan::new(model, &parts, auxiliaries.to_vec(), 1);
    let space = Space::new(plan.bits(), 16 << 20);
    let setting = Setting {
        model,
        options: Options::default(),
        parts: &parts,
        plan: &plan,
        space: &space,
        guarantee,
        tabulated: comm.ranks().is_multiple_of(2),
        shortcut,
        spread_nodes,
        stop: &|| None,
    };
    let mine = block(&parts, comm.rank(), comm.ranks());
    let starts = starts(model).expect("start states");
    let split = match symmetric {
        true => symmetry::split(setting, comm, mine, &starts).expect("relations"),
        false => Split::new(setting, mine, &starts).expect("relations"),
    };
    COPIED.fetch_add(split.orbits.as_ref().map_or(0, Orbits::copied) as u64, Ordering::Relaxed);
    let split = converge(split, comm).expect("a split invariant");
    SPREAD.fetch_add(split.spread_count, Ordering::Relaxed);
    let mut found = Vec::new();
    for member in &split.members {
        let theta = split.theta(member).expect("room");
        TRANSPARENT.fetch_add(u64::from(member.transparent), Ordering::Relaxed);
        let view = &member.view;
        let unused = plan.bank_bits - view.own.values().map(|field| field.width).sum::<u32>();
        let views = count(&theta, plan.bits()) >> unused;
        if let Some(oracle) = oracle {
            for (shared, locals) in
                oracle[member.part].iter().flat_map(|(s, l)| l.iter().map(move |l| (s, l)))
            {
                let mut state = vec![verify::ir::UNDEFINED; model.slots.len()];
                parts
                    .shared
                    .iter()
                    .zip(shared.iter())
                    .for_each(|(&slot, &value)| state[slot as usize] = value);
                let own = &parts.parts[member.part].locals;
                own.iter().zip(locals.iter()).for_each(|(&slot, &value)| state[slot as usize] = value);
                let mut flags = Vec::new();
                for (at, &bit) in plan.auxiliary_bits.iter().enumerate() {
                    flags.push((bit * 2, shared[parts.shared.len() + at] != 0));
                }
                let plain = verify::symbolic::View { flags: Default::default(), ..view.clone() };
                let cube =
                    space.state(&plain, &state).unwrap().and(&space.store.cube(&flags).unwrap()).unwrap();
                assert!(
                    cube.within(&theta).unwrap(),
                    "{guarantee:?} with {auxiliaries:?}: a view of {} is missing: {shared:?} {locals:?}",
                    member.part
                );
            }
            let name = &parts.parts[member.part].name;
            assert_eq!(
                views,
                size(&oracle[member.part]) as u128,
                "{guarantee:?} with {auxiliaries:?}: {name}"
            );
        }
        found.push((member.part, theta.bytes(), views));
    }
    found
}

/// Some auxiliaries: every third value of local slots, in the plan's order.
pub fn some_auxiliaries(model: &Model, parts: &Parts, every: usize) -> Vec<Auxiliary> {
    let mut all = Vec::new();
    for &slot in parts.parts.iter().flat_map(|part| &part.locals) {
        let ty = model.slots[slot as usize].ty;
        let first = model.types.first(ty);
        let values = (0..model.types.count(ty).min(8)).map(|at| first.wrapping_add_unsigned(at));
        all.extend(values.map(|value| Auxiliary { slot, value }));
    }
    all.sort();
    all.into_iter().skip(1).step_by(every).take(6).collect()
}

/// Compares with brute force on several numbers of ranks; whether the model was small enough.
pub fn compare(name: &str, model: &Model, simulated: u64) -> bool {
    let parts = Parts::new(model).expect("components");
    let partition = Partition::of(model).expect("components");
    if starts(model).is_none() || parts.parts.is_empty() {
        return false;
    }
    for (guarantee, method) in
        [(Guarantee::Theta, split::Method::Split), (Guarantee::Any, split::Method::ThreadModular)]
    {
        for auxiliaries in
            [Vec::new(), some_auxiliaries(model, &parts, 3), some_auxiliaries(model, &parts, 1)]
        {
            let shown: Vec<Shown> = auxiliaries
                .iter()
                .map(|aux| Shown::of_value(model, &partition, aux.slot, aux.value).expect("a local slot"))
                .collect();
            let Ok(oracle) = in_order(model, &partition, &shown, method, 4_000) else { return false };
            let _ = Composition::new(model, &partition, &shown);
            let run = |comm: &mut dyn Comm, symmetric: bool, spread_nodes: usize| {
                let ways = Ways { guarantee, shortcut: comm.ranks() != 2, symmetric, spread_nodes };
                thetas(comm, model, &auxiliaries, ways, Some(&oracle.thetas))
            };
            let plain = |comm: &mut dyn Comm| run(comm, false, 0);
            let one = thread::run(1, plain).unwrap_or_else(|why| panic!("{name}: {why}")).remove(0);
            for (ranks, symmetric, nodes) in [
                (2, false, 0),
                (2, false, SPREAD_NODES),
                (3, false, 0),
                (3, false, 10),
                (5, false, 0),
                (1, true, 0),
                (2, true, 0),
                (3, true, SPREAD_NODES),
                (5, true, 10),
            ] {
                let many = thread::run(ranks, |comm| run(comm, symmetric, nodes));
                let many = many.unwrap_or_else(|why| panic!("{name} on {ranks}: {why}"));
                let many: Vec<_> = many.into_iter().flatten().collect();
                assert!(one == many, "{name} on {ranks} ranks, symmetry {symmetric}, windows from {nodes}");
            }
            for seed in 0..simulated {
                let spread_nodes = [SPREAD_NODES, 0][(seed / 2 % 2) as usize];
                let ways = Ways { guarantee, shortcut: true, symmetric: seed % 2 == 1, spread_nodes };
                let outcome = sim::run(seed, 2 + (seed % 3) as u32, |comm| {
                    thetas(comm, model, &auxiliaries, ways, None)
                });
                let many = outcome.unwrap_or_else(|why| panic!("{name}, seed {seed}: {why}")).results;
                assert!(one == many.into_iter().flatten().collect::<Vec<_>>(), "{name}, seed {seed}");
            }
        }
    }
    true
}

/// Schedules of the simulator for each model; many with `VERIFY_SIM_SEEDS=300`.
pub fn schedules(default: u64) -> u64 {
    std::env::var("VERIFY_SIM_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What `verify prove` says of a text, on ranks that are threads.
pub fn prove_text(name: &str, text: &str, words: &str, ranks: u32) -> Document {
    let values = crate::given::values(Command::Prove, &format!("memory=200M {words}"));
    let constant =
        |text: &String| text.split_once('=').map(|(name, value)| (name.to_string(), value.to_string()));
    let task = || Task {
        name: name.to_string(),
        proving: true,
        constants: values.list("const").iter().filter_map(constant).collect(),
        text: text.as_bytes().to_vec(),
        values: values.clone(),
        ..Task::default()
    };
    let answers = thread::run(ranks, |comm| check::run(comm, || Ok(task()), &Signals::none()));
    let answers = answers.unwrap_or_else(|why| panic!("{name}: {why}"));
    let answer = answers.into_iter().flatten().next().expect("rank 0 has the answer");
    answer.unwrap_or_else(|(_, refusal)| panic!("{name}: {}", refusal.text))
}
