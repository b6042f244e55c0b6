//! The oracle of proofs by components: the models of models/proof show the published pattern of what is proved with
//! which help, the sets are what the definition says, and the check of certificates notices what is wrong.

mod checks;
mod processes;

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

use verify::audit::certificate::{Checked, Failure, Obligation};
use verify::audit::certify::certify;
use verify::audit::implication::counterexample;
use verify::audit::split::{Invariant, Method, in_order, strongest};
use verify::audit::views::{Auxiliary, Composition, Partition, Views, contains, insert, size};
use verify::base::prng::Prng;
use verify::ir::eval::{Machine, Options, Step};
use verify::ir::print::digest;
use verify::ir::{Model, Slot, UNDEFINED};
use verify::lower::{Constants, lower};
use verify::syntax::{Source, parse};
use verify::verdict::certificate::{Certificate, Node, Variable};

const VIEWS_MAX: usize = 2_000_000;

/// The check of a certificate, view by view and set by set.
fn check(
    model: &Model,
    certificate: &Certificate,
    options: Options,
    views_max: usize,
) -> Result<Checked, Failure> {
    checks::agreed(model, certificate, options, views_max)
}

fn read(name: &str, text: &str, constants: &[&str]) -> Model {
    let source = Source::new(name, text.to_string());
    let tree = parse(&source).unwrap_or_else(|found| panic!("{name}: {found:?}"));
    let mut given = Constants::none();
    constants.iter().for_each(|constant| given.parse(constant).expect("a constant"));
    lower(&tree, &source, &given).unwrap_or_else(|found| panic!("{name}: {found:?}")).model
}

fn model(name: &str, constants: &[&str]) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/proof").join(name);
    read(name, &fs::read_to_string(path).expect("a model"), constants)
}

/// A boolean for each component: one of its locals has one of these values.
fn exposed<'a>(model: &'a Model, partition: &Partition, local: &str, values: &[&str]) -> Vec<Auxiliary<'a>> {
    let mut auxiliaries = Vec::new();
    for (component, part) in partition.parts.iter().enumerate() {
        for &slot in &part.locals {
            let path = model.slot_path(Slot(slot));
            if path.split('[').next() != Some(local) {
                continue;
            }
            let values: Vec<String> = values.iter().map(|value| value.to_string()).collect();
            let ty = model.slots[slot as usize].ty;
            let says = move |state: &[i64]| {
                let value = state[slot as usize];
                value != UNDEFINED && values.contains(&model.types.value_name(ty, value))
            };
            auxiliaries.push(Auxiliary { name: format!("{path} shown"), component, says: Box::new(says) });
        }
    }
    auxiliaries
}

/// The invariants that follow from thetas.
fn implied(composition: &Composition, found: &Invariant) -> Vec<u32> {
    let follows = |at: &u32| {
        let property = &composition.model.properties[*at as usize];
        counterexample(composition, &found.thetas, property, VIEWS_MAX).expect("small enough").is_none()
    };
    (0..composition.model.properties.len() as u32).filter(follows).collect()
}

/// Whether all invariants follow, and no run-time error is possible in a view.
fn proved(model: &Model, auxiliaries: &[Auxiliary], method: Method) -> bool {
    let partition = Partition::of(model).expect("components");
    let found = in_order(model, &partition, auxiliaries, method, VIEWS_MAX).expect("small enough");
    let composition = Composition::new(model, &partition, auxiliaries);
    found.faults.is_empty() && implied(&composition, &found).len() == model.properties.len()
}

/// A certificate of a model from its strongest split invariant, with everything that follows.
fn certificate(model: &Model, auxiliaries: &[Auxiliary]) -> Certificate {
    let partition = Partition::of(model).expect("components");
    let found = in_order(model, &partition, auxiliaries, Method::Split, VIEWS_MAX).expect("small enough");
    let composition = Composition::new(model, &partition, auxiliaries);
    let implied = implied(&composition, &found);
    certify(&composition, &found, "split", &implied, VIEWS_MAX).expect("small enough")
}

/// Which local has to be shown with which values.
type Help = (&'static str, &'static [&'static str]);

fn shown<'a>(model: &'a Model, help: &[Help]) -> Vec<Auxiliary<'a>> {
    let partition = Partition::of(model).expect("components");
    help.iter().flat_map(|(local, values)| exposed(model, &partition, local, values)).collect()
}

/// What is proved by thread-modular checking, by split invariants alone, and with the auxiliaries.
fn pattern(name: &str, constants: &[&str], help: &[Help]) -> (bool, bool, bool) {
    let model = model(name, constants);
    let auxiliaries = shown(&model, help);
    (
        proved(&model, &[], Method::ThreadModular),
        proved(&model, &[], Method::Split),
        proved(&model, &auxiliaries, Method::Split),
    )
}

const INSIDE: Help = ("place", &["Critical", "Release"]);
const HOLDS_FIRST: Help = ("place", &["HasFirst", "Eating"]);
const HOLDS_SECOND: Help = ("place", &["Eating", "HasSecond"]);
const OPEN: Help = ("place", &["Open"]);
const OWNER: Help = ("cache", &["E"]);
const SHARER: Help = ("cache", &["S"]);

#[test]
fn the_semaphores_show_the_published_pattern() {
    assert_eq!(pattern("mux_sem.m", &["N=2"], &[INSIDE]), (false, false, true));
    assert_eq!(pattern("mux_sem.m", &["N=4"], &[INSIDE]), (false, false, true));
    assert_eq!(pattern("mux_sem_last.m", &["N=3"], &[]), (false, true, true));
    assert_eq!(pattern("mux_sem_last.m", &["N=4"], &[]), (false, true, true));
    assert_eq!(pattern("mux_sem_count.m", &["N=2", "M=3"], &[INSIDE]), (false, false, true));
}

#[test]
fn the_bakery_is_proved_by_every_method() {
    assert_eq!(pattern("bakery.m", &["N=2"], &[]), (true, true, true));
    assert_eq!(pattern("bakery.m", &["N=3", "TICKETS=3"], &[]), (true, true, true));
}

#[test]
fn philosophers_need_to_show_what_they_hold() {
    assert_eq!(pattern("philosophers.m", &["N=3"], &[HOLDS_FIRST, HOLDS_SECOND]), (false, false, true));
    assert_eq!(pattern("philosophers.m", &["N=4"], &[HOLDS_FIRST, HOLDS_SECOND]), (false, false, true));
}

#[test]
fn peterson_needs_no_help_and_szymanski_does() {
    assert_eq!(pattern("peterson.m", &["N=2"], &[]), (true, true, true));
    assert_eq!(pattern("peterson.m", &["N=3"], &[]), (true, true, true));
    assert_eq!(pattern("szymanski.m", &["N=2"], &[OPEN]), (false, false, true));
    assert_eq!(pattern("szymanski.m", &["N=3"], &[OPEN]), (false, false, true));
}

#[test]
fn german_needs_to_show_the_caches() {
    let model = model("german.m", &["N=2"]);
    assert!(!proved(&model, &[], Method::Split));
    assert!(proved(&model, &shown(&model, &[OWNER, SHARER]), Method::Split));
}

#[test]
fn no_broken_model_is_proved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/proof/broken");
    let mut tried = 0;
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().to_string();
        let members = if name.starts_with("german") { "N=2" } else { "N=3" };
        let model = model(&format!("broken/{name}"), &[members]);
        let places: Vec<Help> = match name.as_str() {
            name if name.starts_with("german") => vec![OWNER, SHARER],
            name if name.starts_with("philosophers") => vec![HOLDS_FIRST, HOLDS_SECOND],
            _ => vec![INSIDE, OPEN],
        };
        assert!(!proved(&model, &shown(&model, &places), Method::Split), "{name}");
        tried += 1;
    }
    assert!(tried >= 7, "{tried} broken models");
}

/// All reachable states, by the evaluator; none where there are too many.
fn reachable(model: &Model) -> BTreeSet<Box<[i64]>> {
    let mut machine = Machine::new(model, Options::default());
    let mut seen = BTreeSet::new();
    let mut open = VecDeque::new();
    for at in 0..model.starts.len() {
        for index in 0..model.instances(&model.starts[at]) {
            open.extend(machine.start(at, index).expect("a start state"));
        }
    }
    while let Some(state) = open.pop_front() {
        if seen.insert(state.clone()) {
            machine.successors(&state, |_, step| {
                if let Ok(Step::Next(next)) = step {
                    open.push_back(next);
                }
            });
        }
    }
    seen
}

/// One boolean for some components: local `a` has one value.
fn random_auxiliaries(model: &Model, seed: u64) -> Vec<Auxiliary<'static>> {
    let partition = Partition::of(model).expect("components");
    let is_a = |slot: &u32| model.slot_path(Slot(*slot)).starts_with("a[");
    let slots = (0..model.slots.len() as u32).filter(is_a).take(seed as usize / 3 % 3);
    slots.filter_map(|slot| Auxiliary::of_value(model, &partition, slot, (seed % 3) as i64)).collect()
}

/// The strongest split invariant by the other definition: successors of all whole states that agree with all thetas,
/// each seen by every component (Cohen, Namjoshi, CAV 2008, 3.1).
fn by_whole_states(composition: &Composition) -> Vec<Views> {
    let parts = composition.partition.parts.len();
    let mut machine = Machine::new(composition.model, Options::default());
    let mut thetas = vec![Views::new(); parts];
    let mut seen: BTreeSet<Box<[i64]>> = BTreeSet::new();
    let mut found: Vec<Box<[i64]>> = Vec::new();
    for at in 0..composition.model.starts.len() {
        for index in 0..composition.model.instances(&composition.model.starts[at]) {
            found.extend(machine.start(at, index).expect("a start state"));
        }
    }
    while !found.is_empty() {
        for state in found.drain(..) {
            for (part, theta) in thetas.iter_mut().enumerate() {
                let (shared, locals) = composition.view(&state, part);
                insert(theta, shared, locals);
            }
        }
        for state in whole_states(composition, &thetas) {
            if seen.insert(state.clone()) {
                machine.successors(&state, |_, step| {
                    if let Ok(Step::Next(next)) = step {
                        found.push(next);
                    }
                });
            }
        }
    }
    thetas
}

/// All states whose every view is in its theta and whose auxiliaries say what the locals say.
fn whole_states(composition: &Composition, thetas: &[Views]) -> Vec<Box<[i64]>> {
    let mut states = Vec::new();
    for shared in thetas[0].keys() {
        let mut rows: Vec<Vec<(usize, &[i64])>> = vec![Vec::new()];
        for (part, theta) in thetas.iter().enumerate() {
            let mut longer = Vec::new();
            for row in &rows {
                for locals in theta.get(shared).into_iter().flatten() {
                    longer.push([&row[..], &[(part, &**locals)]].concat());
                }
            }
            rows = longer;
        }
        states.extend(rows.iter().map(|row| composition.state(shared, row).into_boxed_slice()));
    }
    states
}

fn within(small: &[Views], large: &[Views]) -> bool {
    small.iter().zip(large).all(|(small, large)| {
        small.iter().all(|(shared, with)| with.iter().all(|locals| contains(large, shared, locals)))
    })
}

/// The check of certificates accepts these thetas, unless a run-time error is possible in a view.
fn assert_checked(composition: &Composition, found: &Invariant, follows: &[u32], seed: u64) {
    let written = certify(composition, found, "oracle", follows, VIEWS_MAX).expect("small enough");
    match check(composition.model, &written, Options::default(), VIEWS_MAX) {
        Ok(checked) => {
            assert!(found.faults.is_empty(), "errors are noticed, seed {seed}");
            assert_eq!(checked.views, Some(found.thetas.iter().map(size).sum::<usize>()));
        }
        Err(failure) => {
            assert_eq!(failure.obligation, Obligation::RunTimeError, "seed {seed}: {failure}");
            assert!(!found.faults.is_empty(), "seed {seed}: {failure}");
        }
    }
}

/// The components in some other orders.
fn orders(parts: usize, seed: u64) -> Vec<Vec<usize>> {
    let forward: Vec<usize> = (0..parts).collect();
    let mut prng = Prng::new(seed);
    let shuffled = || {
        let mut order = forward.clone();
        (1..parts).rev().for_each(|at| order.swap(at, prng.index(at + 1)));
        order
    };
    let mut orders: Vec<Vec<usize>> = std::iter::repeat_with(shuffled).take(3).collect();
    orders.push(forward.iter().rev().copied().collect());
    orders
}

/// What must be true of the oracle on any model.
fn examine(seed: u64, text: &str, model: &Model) -> [usize; 4] {
    let partition = Partition::of(model).expect("components");
    let auxiliaries = random_auxiliaries(model, seed);
    let composition = Composition::new(model, &partition, &auxiliaries);
    let compute = |method, order: &[usize]| {
        strongest(model, &partition, &auxiliaries, method, order, VIEWS_MAX).expect("small enough")
    };
    let forward: Vec<usize> = (0..partition.parts.len()).collect();
    let split = compute(Method::Split, &forward);
    let modular = compute(Method::ThreadModular, &forward);
    for order in orders(partition.parts.len(), seed) {
        assert_eq!(split.thetas, compute(Method::Split, &order).thetas, "{order:?}, seed {seed}\n{text}");
        let other = compute(Method::ThreadModular, &order);
        assert_eq!(modular.thetas, other.thetas, "{order:?}, seed {seed}\n{text}");
    }
    assert_eq!(split.thetas, by_whole_states(&composition), "definitions, seed {seed}\n{text}");
    assert!(within(&split.thetas, &modular.thetas), "split is stronger, seed {seed}\n{text}");
    let states = reachable(model);
    for state in &states {
        for (part, theta) in split.thetas.iter().enumerate() {
            let (shared, locals) = composition.view(state, part);
            assert!(contains(theta, &shared, &locals), "reachable, seed {seed}\n{text}");
        }
    }
    let follows = implied(&composition, &split);
    let mut machine = Machine::new(model, Options::default());
    for &property in &follows {
        let claim = &model.properties[property as usize];
        let mut holds = |state: &[i64]| matches!(machine.violation(state, claim), Ok(None));
        assert!(states.iter().all(|state| holds(state)), "sound, seed {seed}\n{text}");
    }
    assert_checked(&composition, &split, &follows, seed);
    assert_checked(&composition, &modular, &implied(&composition, &modular), seed);
    let proved = usize::from(split.faults.is_empty() && !follows.is_empty());
    let weak = usize::from(split.thetas != modular.thetas);
    [states.len(), proved, weak, usize::from(!split.faults.is_empty())]
}

#[test]
fn random_models_have_the_split_invariants_of_the_definition() {
    let mut sums = [0; 4];
    let seeds = processes::seeds(300);
    let many = seeds.end - seeds.start >= 300;
    for seed in seeds {
        let text = processes::random_model(seed);
        let found = examine(seed, &text, &read("random", &text, &[]));
        sums.iter_mut().zip(found).for_each(|(sum, each)| *sum += each);
    }
    let [states, proved, weak, faults] = sums;
    let telling = states > 2_000 && proved > 30 && weak > 30 && faults > 10;
    assert!(telling || !many, "the models say something: {sums:?}");
}

#[test]
fn small_models_have_the_split_invariants_of_the_definition() {
    let names =
        ["mux_sem", "mux_sem_last", "mux_sem_count", "bakery", "philosophers", "szymanski", "peterson"];
    for (seed, name) in (0..).zip(names) {
        for size in ["N=2", "N=3"] {
            // Too many whole states to go through them again and again.
            if size == "N=3" && name == "peterson" {
                continue;
            }
            let model = model(&format!("{name}.m"), &[size]);
            let [states, ..] = examine(seed, name, &model);
            assert!(states > 5, "{name}: {states}");
        }
    }
}

/// Whether an obligation about sets fails, as it must where a view is missing.
fn is_gap(failure: &Failure) -> bool {
    matches!(failure.obligation, Obligation::Initiation | Obligation::OwnStep | Obligation::Interference)
        && failure.component.is_some()
        && failure.state.is_some()
}

#[test]
fn the_split_invariant_is_the_least() {
    let mut tried = 0;
    for seed in 1_000..1_200 {
        let text = processes::random_model(seed);
        let model = read("random", &text, &[]);
        let partition = Partition::of(&model).expect("components");
        let auxiliaries = random_auxiliaries(&model, seed);
        let found =
            in_order(&model, &partition, &auxiliaries, Method::Split, VIEWS_MAX).expect("small enough");
        if !found.faults.is_empty() || found.thetas.iter().map(size).sum::<usize>() > 60 {
            continue;
        }
        let composition = Composition::new(&model, &partition, &auxiliaries);
        for part in 0..found.thetas.len() {
            for (shared, with) in &found.thetas[part] {
                for locals in with {
                    let mut less = found.clone();
                    less.thetas[part].get_mut(shared).expect("it is there").remove(locals);
                    let written =
                        certify(&composition, &less, "split", &[], VIEWS_MAX).expect("small enough");
                    let failure = check(&model, &written, Options::default(), VIEWS_MAX)
                        .expect_err("a view is missing");
                    assert!(is_gap(&failure), "seed {seed}: {failure}\n{text}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 500, "{tried} views were left out");
}

fn obligation(model: &Model, certificate: &Certificate) -> Obligation {
    check(model, certificate, Options::default(), VIEWS_MAX).expect_err("a planted flaw").obligation
}

#[test]
fn planted_flaws_of_the_data_are_found() {
    let model = model("mux_sem.m", &["N=3"]);
    let auxiliaries = shown(&model, &[INSIDE]);
    let good = certificate(&model, &auxiliaries);
    let checked = check(&model, &good, Options::default(), VIEWS_MAX).expect("a good certificate");
    assert!(
        checked.views == Some(24)
            && checked.steps > 10
            && checked.interferences > 10
            && checked.properties == 1
    );

    let flawed = |change: &dyn Fn(&mut Certificate)| {
        let mut bad = good.clone();
        change(&mut bad);
        obligation(&model, &bad)
    };
    assert_eq!(flawed(&|bad| bad.version += 1), Obligation::Form);
    assert_eq!(flawed(&|bad| bad.slots[1].push('x')), Obligation::Form);
    assert_eq!(flawed(&|bad| bad.constants[0].1 = "4".to_string()), Obligation::Form);
    assert_eq!(flawed(&|bad| bad.nodes[0].1 = 2), Obligation::Form);
    assert_eq!(flawed(&|bad| bad.nodes[0].0 = 999), Obligation::Form);
    assert_eq!(flawed(&|bad| bad.components[0].theta = 1 << 20), Obligation::Form);
    assert_eq!(flawed(&|bad| bad.variables[0] = Variable::Bit { slot: 0, bit: 60 }), Obligation::Form);
    assert_eq!(flawed(&|bad| bad.implied[0].property = 7), Obligation::Form);
    assert_eq!(flawed(&|bad| drop(bad.components.pop())), Obligation::Partition);
    assert_eq!(flawed(&|bad| bad.components.swap(0, 1)), Obligation::Partition);
    assert_eq!(flawed(&|bad| bad.shared.clear()), Obligation::Partition);
    assert_eq!(flawed(&|bad| bad.components[1].locals.insert(0, 0)), Obligation::Partition);
    let hide = |bad: &mut Certificate| {
        bad.components[1].locals.insert(0, 0);
        bad.shared.clear();
    };
    assert_eq!(flawed(&hide), Obligation::Partition);
    assert_eq!(flawed(&|bad| bad.auxiliaries[0].component = 9), Obligation::Auxiliary);
    assert_eq!(flawed(&|bad| bad.auxiliaries[0].component = 1), Obligation::Auxiliary);
    assert_eq!(flawed(&|bad| bad.components[0].theta = bad.components[1].theta), Obligation::Form);
    let small = check(&model, &good, Options::default(), 10).expect_err("too large");
    assert_eq!(small.obligation, Obligation::Size);
}

#[test]
fn planted_flaws_of_the_proof_are_found() {
    let good_model = model("mux_sem.m", &["N=3"]);
    let auxiliaries = shown(&good_model, &[INSIDE]);
    let good = certificate(&good_model, &auxiliaries);
    let wrong = [0, 1, good.auxiliaries[0].predicate];
    for (at, root) in wrong.into_iter().take(2).enumerate() {
        let mut bad = good.clone();
        bad.auxiliaries[at].predicate = root;
        let failure = check(&good_model, &bad, Options::default(), VIEWS_MAX).expect_err("another predicate");
        assert!(is_gap(&failure), "{failure}");
    }
    let mut empty = good.clone();
    empty.components[2].theta = 0;
    assert_eq!(obligation(&good_model, &empty), Obligation::Initiation);
    let mut full = good.clone();
    full.components[0].theta = 1;
    assert_eq!(obligation(&good_model, &full), Obligation::RunTimeError, "undefined places are read");

    let mut weak = certificate(&good_model, &[]);
    check(&good_model, &weak, Options::default(), VIEWS_MAX).expect("inductive, and claims nothing");
    assert!(weak.implied.is_empty());
    weak.implied.clone_from(&good.implied);
    let failure = check(&good_model, &weak, Options::default(), VIEWS_MAX)
        .expect_err("mutual exclusion does not follow");
    assert_eq!(failure.obligation, Obligation::Implication);
    let state = failure.state.expect("a state");
    assert!(state.contains("place[1] = ") && state.contains("place[2] = "), "{state}");

    let bad_model = model("broken/mux_sem_no_test.m", &["N=3"]);
    assert_eq!(obligation(&bad_model, &good), Obligation::Form, "a proof of another model");
    let claimed = Certificate { model: digest(&bad_model), ..good.clone() };
    let failure =
        check(&bad_model, &claimed, Options::default(), VIEWS_MAX).expect_err("it proves another model");
    assert!(is_gap(&failure), "{failure}");
}

#[test]
fn more_may_be_shared_than_must() {
    let model = model("mux_sem.m", &["N=2"]);
    let mut partition = Partition::of(&model).expect("components");
    let place = partition.parts[0].locals[0];
    partition.expose(place);
    let found = in_order(&model, &partition, &[], Method::Split, VIEWS_MAX).expect("small enough");
    let composition = Composition::new(&model, &partition, &[]);
    let follows = implied(&composition, &found);
    assert_eq!(follows, [0], "to see the place of one of two is enough");
    let written = certify(&composition, &found, "split", &follows, VIEWS_MAX).expect("small enough");
    check(&model, &written, Options::default(), VIEWS_MAX).expect("a certificate with more shared slots");
}

#[test]
fn nodes_need_be_neither_ordered_nor_reduced() {
    let model = model("mux_sem_last.m", &["N=2"]);
    let mut written = certificate(&model, &[]);
    let checked = check(&model, &written, Options::default(), VIEWS_MAX).expect("a good certificate");
    // A test of the last variable above the whole, with the same function on both sides, and one that repeats it.
    let variable =
        written.variables.iter().position(|v| *v == Variable::Bit { slot: 0, bit: 0 }).expect("a bit");
    let theta = written.components[0].theta;
    let top = written.nodes.len() as u32 + 2;
    written.nodes.push(Node(variable as u32, theta, theta));
    written.nodes.push(Node(variable as u32, top, top));
    // Then a long chain of the same question.
    for at in top + 1..top + 4_000_001 {
        written.nodes.push(Node(variable as u32, at, at));
    }
    written.components[0].theta = top + 4_000_001;
    assert_eq!(check(&model, &written, Options::default(), VIEWS_MAX).expect("the same function"), checked);
}

#[test]
fn a_certificate_with_many_components_is_checked() {
    let model = model("mux_sem.m", &["N=24"]);
    let auxiliaries = shown(&model, &[INSIDE]);
    let checked = check(&model, &certificate(&model, &auxiliaries), Options::default(), VIEWS_MAX)
        .expect("a good certificate");
    assert_eq!(checked.views, Some(24 * (2 + 2 + 23 * 2)));
}

#[test]
fn certificates_come_back_from_their_files() {
    let model = model("mux_sem_last.m", &["N=3"]);
    let written = certificate(&model, &[]);
    let json = serde_json::to_string(&written).expect("JSON");
    assert_eq!(serde_json::from_str::<Certificate>(&json).expect("the same"), written);
    let config = bincode::config::standard();
    let bytes = bincode::serde::encode_to_vec(&written, config).expect("bytes");
    let (back, read): (Certificate, usize) =
        bincode::serde::decode_from_slice(&bytes, config).expect("the same");
    assert_eq!((back, read), (written, bytes.len()));
}
