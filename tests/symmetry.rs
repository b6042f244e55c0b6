//! The canonical form against brute force over all permutations, on reachable and on arbitrary states; the
//! number of orbits of whole models; and members by the dozen, where brute force cannot follow.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use verify::audit::symmetry::Symmetry;
use verify::audit::{self, DeadlockMode, SymmetryMode};
use verify::base::hash;
use verify::base::prng::Prng;
use verify::compile::Canonical;
use verify::compile::canonical::Canonicaliser;
use verify::ir::encode::encode;
use verify::ir::eval::{Machine, Options, State, Step, on_deep_stack};
use verify::ir::model::instance_count;
use verify::ir::multiset::normalize_state;
use verify::ir::{Model, Type, TypeId, UNDEFINED};
use verify::lower::{Constants, lower};
use verify::syntax::{Source, parse};

fn load(path: &Path, constants: &[&str]) -> Model {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let source = Source::new(path.display().to_string(), text);
    let mut overrides = Constants::none();
    constants.iter().for_each(|each| overrides.parse(each).unwrap());
    let tree = parse(&source).unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()));
    lower(&tree, &source, &overrides).unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display())).model
}

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn canonical(canonicaliser: &mut Canonicaliser, state: &[i64]) -> State {
    let mut state: State = state.into();
    canonicaliser.canonicalise(&mut state);
    state
}

fn starts(machine: &mut Machine<'_>) -> Vec<State> {
    let mut states = Vec::new();
    for (at, rule) in machine.model().starts.iter().enumerate() {
        for index in 0..instance_count(&rule.binders, &machine.model().types) {
            states.extend(machine.start(at, index).unwrap());
        }
    }
    states
}

fn next(machine: &mut Machine<'_>, state: &[i64]) -> Vec<State> {
    let mut states = Vec::new();
    machine.successors(state, |_, step| {
        if let Ok(Step::Next(next)) = step {
            states.push(next);
        }
    });
    states
}

/// States on random walks from the start states.
fn walks(model: &Model, prng: &mut Prng, count: usize) -> Vec<State> {
    let mut machine = Machine::new(model, Options::default());
    let starts = starts(&mut machine);
    let mut states = Vec::new();
    let mut state = starts[0].clone();
    while states.len() < count {
        let mut successors = next(&mut machine, &state);
        let restart = successors.is_empty() || prng.chance(2);
        state = match restart {
            true => starts[prng.index(starts.len())].clone(),
            false => successors.swap_remove(prng.index(successors.len())),
        };
        states.push(state.clone());
    }
    states
}

/// A value of the slot's type, undefined in `undefined` of 100 cases, from the first few of its type.
fn value(model: &Model, prng: &mut Prng, slot: usize, undefined: u64) -> i64 {
    let ty = model.slots[slot].ty;
    let count = model.types.count(ty).min(8);
    match count == 0 || prng.chance(undefined) {
        true => UNDEFINED,
        false => model.types.first(ty) + prng.below(count) as i64,
    }
}

/// Any state the types allow: now dense, now sparse.
fn arbitrary(model: &Model, prng: &mut Prng) -> State {
    let undefined = [0, 20, 60, 90][prng.index(4)];
    let mut state: State = (0..model.slots.len()).map(|slot| value(model, prng, slot, undefined)).collect();
    normalize_state(model, &mut state);
    state
}

/// Checks that equal canonical forms and equal least states of orbits are the same thing on all states
/// given, on others in their orbits, and on states that differ from them in one slot.
fn agree(model: &Model, prng: &mut Prng, states: Vec<State>) {
    let oracle = Symmetry::new(model).unwrap();
    let mut ours = Canonicaliser::new(model).unwrap().unwrap();
    assert_eq!(ours.group_order(), oracle.order() as f64);
    let (mut least_of, mut ours_of) = (HashMap::new(), HashMap::new());
    let mut check = |state: &[i64], prng: &mut Prng| {
        let orbit = oracle.orbit(state);
        let form = canonical(&mut ours, state);
        assert!(orbit.binary_search(&form).is_ok(), "not in its orbit: {state:?} gives {form:?}");
        for _ in 0..4 {
            let other = &orbit[prng.index(orbit.len())];
            assert_eq!(canonical(&mut ours, other), form, "{state:?} and {other:?} are in one orbit");
        }
        let least = least_of.entry(form.clone()).or_insert_with(|| orbit[0].clone());
        assert_eq!(*least, orbit[0], "two orbits share {form:?}");
        let form_before = ours_of.entry(orbit[0].clone()).or_insert_with(|| form.clone());
        assert_eq!(*form_before, form, "one orbit has two forms");
    };
    for state in states {
        check(&state, prng);
        let mut near = state.clone();
        let slot = prng.index(near.len());
        near[slot] = value(model, prng, slot, 10);
        normalize_state(model, &mut near);
        check(&near, prng);
    }
}

fn agree_on(path: &str, constants: &[&str], walked: usize, random: usize) {
    let model = load(&at(path), constants);
    let mut prng = Prng::new(path.len() as u64);
    on_deep_stack(|| {
        let mut states = walks(&model, &mut prng, walked);
        states.extend((0..random).map(|_| arbitrary(&model, &mut prng)));
        agree(&model, &mut prng, states);
    })
    .unwrap();
}

/// States and rules fired of a breadth-first search over canonical states.
fn orbits(path: &str, constants: &[&str]) -> (usize, usize) {
    let model = load(&at(path), constants);
    on_deep_stack(|| {
        let mut ours = Canonicaliser::new(&model).unwrap().unwrap();
        let mut machine = Machine::new(&model, Options::default());
        let mut seen: HashSet<u128> = HashSet::new();
        let mut frontier: Vec<State> = Vec::new();
        let mut fired = 0;
        for state in starts(&mut machine) {
            let state = canonical(&mut ours, &state);
            if seen.insert(hash::stable(&encode(&state))) {
                frontier.push(state);
            }
        }
        while let Some(state) = frontier.pop() {
            for next in next(&mut machine, &state) {
                fired += 1;
                let next = canonical(&mut ours, &next);
                if seen.insert(hash::stable(&encode(&next))) {
                    frontier.push(next);
                }
            }
        }
        (seen.len(), fired)
    })
    .unwrap()
}

/// The number that a golden model's head foretells.
fn foretold(path: &Path, word: &str) -> Option<u64> {
    let text = fs::read_to_string(path).unwrap();
    let value = text.lines().find_map(|line| line.strip_prefix(&format!("-- {word}: ")).map(str::to_string));
    value.and_then(|value| value.parse().ok())
}

fn golden() -> Vec<PathBuf> {
    let entries = fs::read_dir(at("tests/golden/symmetry")).unwrap();
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    assert!(paths.len() >= 8);
    paths
}

#[test]
fn one_feature_models_have_the_orbits_that_brute_force_counts() {
    for path in golden() {
        let model = load(&path, &[]);
        let options = audit::Options {
            symmetry: SymmetryMode::Exhaustive,
            deadlock: DeadlockMode::Off,
            ..audit::Options::default()
        };
        let counts = audit::brute(&model, &options, &mut |_| ControlFlow::Continue(())).counts;
        let (states, fired) = orbits(path.to_str().unwrap(), &[]);
        assert_eq!((states as u64, fired as u64), (counts.states, counts.rules_fired), "{}", path.display());
        let head = (foretold(&path, "states"), foretold(&path, "fired"));
        assert_eq!(head, (Some(counts.states), Some(counts.rules_fired)), "{}", path.display());
    }
}

#[test]
fn one_feature_models_agree_with_brute_force() {
    for path in golden() {
        println!("{}", path.display());
        agree_on(path.to_str().unwrap(), &[], 1_000, 3_000);
    }
    agree_on("tests/golden/symmetry/pointers.m", &["N=5"], 500, 2_000);
    agree_on("tests/golden/symmetry/relation.m", &["N=5"], 500, 1_000);
    agree_on("tests/golden/symmetry/two_sets.m", &["N=4", "M=3"], 500, 1_000);
    agree_on("tests/golden/symmetry/rows.m", &["N=6"], 200, 500);
}

#[test]
fn protocols_agree_with_brute_force() {
    let models: [(&str, &[&str]); 12] = [
        ("models/german.m", &["NODE_NUM=4"]),
        ("models/mcslock.m", &["N=5"]),
        ("models/peterson.m", &[]),
        ("models/directory.m", &["PROC_NUM=3"]),
        ("models/flash.m", &["NODE_NUM=4", "DATA_NUM=2"]),
        ("models/snoop.m", &[]),
        ("models/go_back_n.m", &[]),
        ("models/selective_repeat.m", &[]),
        ("models/stop_and_wait.m", &[]),
        ("models/mutex.m", &[]),
        ("models/muxsem_count.m", &[]),
        ("models/muxsem_last.m", &[]),
    ];
    for (path, constants) in models {
        println!("{path}");
        agree_on(path, constants, 400, 400);
    }
}

/// All models, of any folder, with their own constants: each that has symmetry, and not too much of it.
#[test]
fn every_symmetric_model_agrees_with_brute_force() {
    let mut symmetric = 0;
    for folder in ["models", "models/broken", "models/liveness"] {
        for path in fs::read_dir(at(folder)).unwrap().flatten().map(|entry| entry.path()) {
            if path.extension().is_none_or(|extension| extension != "m") {
                continue;
            }
            let Some(ours) = Canonicaliser::new(&load(&path, &[])).unwrap() else { continue };
            assert!(ours.group_order() <= 1_000.0, "{} takes long", path.display());
            agree_on(path.to_str().unwrap(), &[], 50, 50);
            symmetric += 1;
        }
    }
    assert!(symmetric >= 20, "only {symmetric} models have symmetry");
}

#[test]
fn german_has_the_published_orbits() {
    let published =
        [("NODE_NUM=2", (852, 2_491)), ("NODE_NUM=3", (5_235, 21_289)), ("NODE_NUM=4", (28_088, 150_584))];
    for (nodes, counts) in published {
        assert_eq!(orbits("models/german.m", &[nodes, "DATA_NUM=2"]), counts, "{nodes}");
    }
}

#[test]
#[ignore = "minutes"]
fn german_with_seven_caches_has_the_published_orbits() {
    assert_eq!(orbits("models/german.m", &["NODE_NUM=7", "DATA_NUM=2"]), (1_961_633, 18_332_867));
}

#[test]
fn other_models_have_the_orbits_their_heads_say() {
    assert_eq!(orbits("models/mcslock.m", &["N=3"]), (158, 402));
    assert_eq!(orbits("models/mcslock.m", &["N=4"]), (734, 2_456));
    assert_eq!(orbits("models/mcslock.m", &["N=5"]), (3_301, 13_697));
}

/// For each scalarset type, where its values go.
type Orders = HashMap<TypeId, Vec<i64>>;

fn random_orders(model: &Model, prng: &mut Prng) -> Orders {
    let mut orders = Orders::new();
    for ty in model.types.ids() {
        if let Type::Scalarset { size } = model.types.get(ty) {
            let mut order: Vec<i64> = (0..*size).collect();
            (1..order.len()).for_each(|at| order.swap(at, prng.index(at + 1)));
            orders.insert(ty, order);
        }
    }
    orders
}

fn moved_value(model: &Model, orders: &Orders, ty: TypeId, value: i64) -> i64 {
    let (atom, inner) = model.types.atom_of(ty, value).unwrap_or((ty, value));
    match orders.get(&atom) {
        Some(order) if value != UNDEFINED => value - inner + order[inner as usize],
        _ => value,
    }
}

fn move_cells(model: &Model, orders: &Orders, ty: TypeId, from: &[i64], to: &mut [i64]) {
    match model.types.get(ty) {
        Type::Record { fields } => fields.iter().for_each(|field| {
            let cells = field.offset as usize..field.offset as usize + model.types.cells(field.ty) as usize;
            move_cells(model, orders, field.ty, &from[cells.clone()], &mut to[cells]);
        }),
        Type::Array { index, elem } => {
            let (first, width) = (model.types.first(*index), model.types.cells(*elem) as usize);
            for (at, each) in from.chunks(width).enumerate() {
                let goal = (moved_value(model, orders, *index, first + at as i64) - first) as usize * width;
                move_cells(model, orders, *elem, each, &mut to[goal..goal + width]);
            }
        }
        Type::Multiset { elem, .. } => {
            let width = model.types.cells(*elem) as usize + 1;
            for (from, to) in from.chunks(width).zip(to.chunks_mut(width)) {
                to[0] = from[0];
                move_cells(model, orders, *elem, &from[1..], &mut to[1..]);
            }
        }
        _ => to[0] = moved_value(model, orders, ty, from[0]),
    }
}

fn permuted(model: &Model, orders: &Orders, state: &[i64]) -> State {
    let mut moved: State = state.into();
    for var in &model.vars {
        let cells = var.first.0 as usize..var.first.0 as usize + model.types.cells(var.ty) as usize;
        move_cells(model, orders, var.ty, &state[cells.clone()], &mut moved[cells]);
    }
    normalize_state(model, &mut moved);
    moved
}

#[test]
fn many_members_have_one_form_and_do_not_take_forever() {
    let models: [(&str, &[&str]); 10] = [
        ("models/german.m", &["NODE_NUM=16", "DATA_NUM=3"]),
        ("models/mcslock.m", &["N=16"]),
        ("models/peterson.m", &["N=10"]),
        ("models/directory.m", &["PROC_NUM=9", "VALUE_NUM=3"]),
        ("models/flash.m", &["NODE_NUM=16", "DATA_NUM=2"]),
        ("tests/golden/symmetry/pointers.m", &["N=16"]),
        ("tests/golden/symmetry/relation.m", &["N=10"]),
        ("tests/golden/symmetry/two_sets.m", &["N=12", "M=9"]),
        ("tests/golden/symmetry/unions.m", &["N=12", "M=9"]),
        ("tests/golden/symmetry/bags.m", &["N=16"]),
    ];
    for (path, constants) in models {
        let model = load(&at(path), constants);
        let mut prng = Prng::new(10);
        let mut ours = Canonicaliser::new(&model).unwrap().unwrap();
        let mut states = on_deep_stack(|| walks(&model, &mut prng, 100)).unwrap();
        states.extend((0..300).map(|_| arbitrary(&model, &mut prng)));
        let (begin, mut slowest) = (Instant::now(), 0.0f64);
        for state in &states {
            let begin = Instant::now();
            let form = canonical(&mut ours, state);
            slowest = slowest.max(begin.elapsed().as_secs_f64());
            for _ in 0..3 {
                let other = permuted(&model, &random_orders(&model, &mut prng), state);
                assert_eq!(canonical(&mut ours, &other), form, "{path}: {state:?}");
            }
        }
        println!("{path} {constants:?}: slowest {:.0} us", slowest * 1e6);
        assert!(begin.elapsed().as_secs() < 20, "{path}: ties are not cut down");
    }
}

/// A graph on 16 members with every edge in both directions, as a state of `relation.m`.
fn graph(edges: impl Iterator<Item = (usize, usize)>) -> Vec<i64> {
    let mut state = vec![0; 256];
    for (one, other) in edges {
        state[one * 16 + other] = 1;
        state[other * 16 + one] = 1;
    }
    state
}

fn shuffled(prng: &mut Prng, graph: &[i64]) -> Vec<i64> {
    let mut to: Vec<usize> = (0..16).collect();
    (1..16).for_each(|at| to.swap(at, prng.index(at + 1)));
    let mut moved = vec![0; 256];
    (0..256).for_each(|at| moved[to[at / 16] * 16 + to[at % 16]] = graph[at]);
    moved
}

#[test]
fn regular_graphs_on_sixteen_members_are_told_apart() {
    let model = load(&at("tests/golden/symmetry/relation.m"), &["N=16"]);
    let mut ours = Canonicaliser::new(&model).unwrap().unwrap();
    let mut prng = Prng::new(16);
    let cycles = |len: usize| graph((0..16).map(move |at| (at, at / len * len + (at + 1) % len)));
    let graphs = [
        ("empty", graph(std::iter::empty())),
        ("complete", graph((0..256).map(|at| (at / 16, at % 16)).filter(|(one, other)| one != other))),
        ("one cycle", cycles(16)),
        ("two cycles", cycles(8)),
        ("four cycles", cycles(4)),
        ("pairs", cycles(2)),
        ("hypercube", graph((0..16).flat_map(|at| (0..4).map(move |bit| (at, at ^ (1 << bit)))))),
        (
            "rook",
            graph(
                (0..256)
                    .map(|at| (at / 16, at % 16))
                    .filter(|&(a, b)| a != b && (a / 4 == b / 4 || a % 4 == b % 4)),
            ),
        ),
        (
            "Shrikhande",
            graph((0..16).flat_map(|at| {
                [(0, 1), (1, 0), (1, 1)].map(|(x, y)| (at, (at / 4 + x) % 4 * 4 + (at % 4 + y) % 4))
            })),
        ),
    ];
    let mut forms = HashSet::new();
    let begin = Instant::now();
    for (name, graph) in graphs {
        let form = canonical(&mut ours, &graph);
        for _ in 0..200 {
            assert_eq!(canonical(&mut ours, &shuffled(&mut prng, &graph)), form, "{name}");
        }
        println!("{name}: {:?} so far", begin.elapsed());
        assert!(forms.insert(form), "{name} looks like another graph");
    }
    assert!(begin.elapsed().as_secs() < 20, "the search among ties is not pruned");
}

#[test]
fn models_without_symmetry_have_no_canonical_form() {
    let model = load(&at("models/bakery.m"), &[]);
    assert!(Canonicaliser::new(&model).unwrap().is_none());
    let wide = load(&at("tests/golden/symmetry/rows.m"), &["N=300"]);
    assert!(Canonicaliser::new(&wide).is_err());
}

/// Successors of canonical states on random walks, as a search meets them.
fn successors(model: &Model, prng: &mut Prng, count: usize) -> Vec<State> {
    let mut ours = Canonicaliser::new(model).unwrap().unwrap();
    let mut machine = Machine::new(model, Options::default());
    let starts = starts(&mut machine);
    let mut states = Vec::new();
    let mut state = starts[0].clone();
    while states.len() < count {
        let found = next(&mut machine, &state);
        state = match found.is_empty() || prng.chance(2) {
            true => starts[prng.index(starts.len())].clone(),
            false => canonical(&mut ours, &found[prng.index(found.len())]),
        };
        states.extend(found);
    }
    states
}

/// Prints canonical forms a second, of the models whose path contains `SPEED_OF`; run it in release with
/// `--ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let models: [(&str, &[&str]); 12] = [
        ("models/german.m", &["NODE_NUM=5", "DATA_NUM=2"]),
        ("models/german.m", &["NODE_NUM=7", "DATA_NUM=2"]),
        ("models/german.m", &["NODE_NUM=9", "DATA_NUM=2"]),
        ("models/mcslock.m", &["N=5"]),
        ("models/mcslock.m", &["N=9"]),
        ("models/peterson.m", &["N=5"]),
        ("models/peterson.m", &["N=9"]),
        ("models/directory.m", &["PROC_NUM=3"]),
        ("models/directory.m", &["PROC_NUM=5"]),
        ("models/flash.m", &["NODE_NUM=5", "DATA_NUM=2"]),
        ("models/flash.m", &["NODE_NUM=9", "DATA_NUM=2"]),
        ("models/snoop.m", &[]),
    ];
    let wanted = std::env::var("SPEED_OF").unwrap_or_default();
    for (path, constants) in models.into_iter().filter(|(path, _)| path.contains(&wanted)) {
        let model = load(&at(path), constants);
        let states = on_deep_stack(|| successors(&model, &mut Prng::new(1), 20_000)).unwrap();
        let mut ours = Canonicaliser::new(&model).unwrap().unwrap();
        let mut scratch = states[0].clone();
        let mut best = f64::MAX;
        for _ in 0..20 {
            let begin = Instant::now();
            for state in &states {
                scratch.copy_from_slice(state);
                ours.canonicalise(&mut scratch);
            }
            best = best.min(begin.elapsed().as_secs_f64());
        }
        let (rate, slots) = (states.len() as f64 / best, model.slots.len());
        println!("{path} {constants:?}: {:.0} k/s, {slots} slots", rate / 1e3);
    }
}
