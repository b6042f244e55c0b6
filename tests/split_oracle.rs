//! The oracle of proofs by components: the models of models/proof show the published pattern of what is proved with
//! which help, the sets are what the definition says, and the check of certificates notices what is wrong.

mod processes;

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use verify::audit::certificate::{Obligation, check};
use verify::audit::certify::certify;
use verify::audit::implication::counterexample;
use verify::audit::split::{Invariant, Method, in_order, strongest};
use verify::audit::views::{Auxiliary, Composition, Partition, contains, size};
use verify::audit::{self, DeadlockMode};
use verify::ir::Model;
use verify::lower::{Constants, lower};
use verify::syntax::{Source, parse};
use verify::verdict::Verdict;
use verify::verdict::certificate::{Certificate, Node, Variable};

const VIEWS_MAX: usize = 2_000_000;

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
            let path = model.slot_path(verify::ir::Slot(slot));
            if path.split('[').next() != Some(local) {
                continue;
            }
            let values: Vec<String> = values.iter().map(|value| value.to_string()).collect();
            let ty = model.slots[slot as usize].ty;
            let says = move |state: &[i64]| {
                let value = state[slot as usize];
                value != verify::ir::UNDEFINED && values.contains(&model.types.value_name(ty, value))
            };
            auxiliaries.push(Auxiliary { name: format!("{path} shown"), component, says: Box::new(says) });
        }
    }
    auxiliaries
}

/// Which invariants follow; none where a run-time error is possible in some view.
fn proved(model: &Model, partition: &Partition, auxiliaries: &[Auxiliary], method: Method) -> bool {
    let found = in_order(model, partition, auxiliaries, method, VIEWS_MAX).expect("small enough");
    let composition = Composition::new(model, partition, auxiliaries);
    let follows =
        |property| counterexample(&composition, &found.thetas, property, VIEWS_MAX).expect("small enough").is_none();
    found.faults.is_empty() && model.properties.iter().all(follows)
}

#[test]
fn explore_pattern() {
    let cases: &[(&str, &[&str], &[(&str, &[&str])])] = &[
        ("mux_sem.m", &["N=3"], &[("place", &["Critical", "Release"])]),
        ("mux_sem_last.m", &["N=3"], &[]),
        ("mux_sem_count.m", &["N=2"], &[("place", &["Critical", "Release"])]),
        ("bakery.m", &["N=2"], &[]),
        ("bakery.m", &["N=3", "TICKETS=3"], &[]),
        ("philosophers.m", &["N=3"], &[("place", &["HasFirst", "Eating"]), ("place", &["Eating", "HasSecond"])]),
        ("philosophers.m", &["N=4"], &[("place", &["HasFirst", "Eating"]), ("place", &["Eating", "HasSecond"])]),
        ("peterson.m", &["N=2"], &[]),
        ("peterson.m", &["N=3"], &[]),
        ("szymanski.m", &["N=2"], &[("place", &["Open"])]),
        ("szymanski.m", &["N=3"], &[("place", &["Open"])]),
        ("german.m", &["N=2"], &[("cache", &["E"]), ("cache", &["S"])]),
        ("german.m", &["N=2"], &[("cache", &["E"])]),
    ];
    for (name, constants, help) in cases {
        let clock = std::time::Instant::now();
        let model = model(name, constants);
        let partition = Partition::of(&model).expect("components");
        let shown: Vec<Auxiliary> = help.iter().flat_map(|(l, v)| exposed(&model, &partition, l, v)).collect();
        let t = proved(&model, &partition, &[], Method::ThreadModular);
        let s = proved(&model, &partition, &[], Method::Split);
        let a = proved(&model, &partition, &shown, Method::Split);
        let ta = proved(&model, &partition, &shown, Method::ThreadModular);
        println!("{name} {constants:?}: tmmc {t} split {s} aux({}) {a} tmmc+aux {ta} {:?}", shown.len(), clock.elapsed());
    }
}
