//! Backends against brute force and against each other, on every model of the repository.

mod features;
mod random;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use verify::audit::{self, brute};
use verify::base::hash;
use verify::compile::canonical::Canonicaliser;
use verify::compile::native::Fallback;
use verify::compile::{
    Canonical, Expansion, InstanceNo, Interpreter, Native, Predicate, Setup, Steps, Violation,
};
use verify::ir::Model;
use verify::ir::eval::{Options, on_deep_stack};
use verify::ir::model::instance_count;
use verify::lower::{Constants, lower};
use verify::syntax::{Source, parse};

/// How many states are expanded of each model.
const STATES_MAX: usize = 3_000;

fn models() -> Vec<(PathBuf, Model)> {
    let mut paths = Vec::new();
    for folder in ["models", "tests/golden", "tests/regress"] {
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut paths);
    }
    paths.sort();
    let model = |path: PathBuf| Some((path.clone(), load(&path, &[])?));
    paths.into_iter().filter_map(model).collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "m") {
            found.push(path);
        }
    }
}

/// A model, where it is one.
fn load(path: &Path, constants: &[(&str, &str)]) -> Option<Model> {
    let text = std::fs::read_to_string(path).ok()?;
    model_of(&path.display().to_string(), &text, constants).ok()
}

fn model_of(name: &str, text: &str, constants: &[(&str, &str)]) -> Result<Model, String> {
    let source = Source::new(name, text);
    let tree = parse(&source).map_err(|diagnostics| format!("{diagnostics:?}"))?;
    let overrides = constants.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    let lowered = lower(&tree, &source, &Constants { overrides });
    lowered.map(|lowered| lowered.model).map_err(|diagnostics| format!("{diagnostics:?}"))
}

/// What a search over a backend counts.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    states: u64,
    fired: u64,
    digest: u128,
    deadlocks: u64,
}

/// Breadth-first search of at most `max` states, each looked at by `visit`.
fn search(steps: &mut dyn Steps, max: usize, mut visit: impl FnMut(&[u64])) -> Tally {
    let words = steps.words();
    let mut tally = Tally::default();
    let mut seen: HashSet<Vec<u64>> = HashSet::new();
    let mut frontier: Vec<Vec<u64>> = Vec::new();
    let mut out = Expansion::default();
    steps.starts(&mut out);
    let mut next = 0;
    loop {
        for state in out.states.chunks(words) {
            if seen.len() < max && !seen.contains(state) && steps.assumed(state) == Ok(true) {
                seen.insert(state.to_vec());
                frontier.push(state.to_vec());
                tally.states += 1;
                tally.digest = tally.digest.wrapping_add(hash::words(state));
            }
        }
        let Some(state) = frontier.get(next) else { return tally };
        next += 1;
        visit(state);
        steps.expand(state, &mut out);
        tally.fired += out.fired;
        tally.deadlocks += u64::from(out.stuttering());
    }
}

fn run<T: Send>(job: impl FnOnce() -> T + Send) -> T {
    on_deep_stack(job).expect("a thread")
}

#[test]
fn the_interpreter_counts_like_brute_force() {
    run(|| {
        for (path, model) in models() {
            let options =
                audit::Options { max_states: Some(20_000), max_errors: u64::MAX, ..Default::default() };
            let report = brute(&model, &options, &mut |_| ControlFlow::Continue(()));
            if report.counts.states >= 20_000 {
                continue;
            }
            let mut steps = Interpreter::new(&model, Setup::default());
            let tally = search(&mut steps, usize::MAX, |_| {});
            assert_eq!(
                (tally.states, tally.fired),
                (report.counts.states, report.counts.rules_fired),
                "{path:?}"
            );
            assert_eq!(format!("{:032x}", tally.digest), report.digest, "{path:?}");
            assert_eq!(tally.deadlocks, report.counts.deadlocks, "{path:?}");
            let by_rule: u64 = steps.fired_by_rule().iter().sum();
            assert_eq!(by_rule, tally.fired, "{path:?}");
        }
    });
}

/// Every answer of both backends on the states of a bounded search.
fn compare(name: &str, model: &Model, max: usize) -> (usize, Vec<Fallback>) {
    compare_with(Options::default(), name, model, max)
}

fn compare_with(eval: Options, name: &str, model: &Model, max: usize) -> (usize, Vec<Fallback>) {
    let setup = || Setup { eval, canonical: None };
    let mut native = Native::new(model, setup()).expect("code for this machine");
    let mut reference = Interpreter::new(model, setup());
    let mut driver = Interpreter::new(model, setup());
    let (mut ours, mut theirs) = (Expansion::default(), Expansion::default());
    native.starts(&mut ours);
    reference.starts(&mut theirs);
    assert_eq!(ours, theirs, "{name}: start states");
    let tally = search(&mut driver, max, |state| {
        native.expand(state, &mut ours);
        reference.expand(state, &mut theirs);
        assert_eq!(ours, theirs, "{name}: successors");
        let (mut found, mut expected): (Vec<Violation>, Vec<Violation>) = (Vec::new(), Vec::new());
        native.check(state, &mut found);
        reference.check(state, &mut expected);
        assert_eq!(found, expected, "{name}: properties");
        for successor in ours.states.chunks(native.words()) {
            assert_eq!(native.assumed(successor), reference.assumed(successor), "{name}: assumptions");
        }
        compare_predicates(name, model, &mut native, &mut reference, state);
        for number in (0..native.instances().rule_instances().min(200)).map(InstanceNo) {
            assert_eq!(native.enabled(number, state), reference.enabled(number, state), "{name}: {number:?}");
        }
    });
    assert_eq!(native.covered(), reference.covered(), "{name}: covers");
    assert_eq!(native.fired_by_rule(), reference.fired_by_rule(), "{name}: profile");
    (tally.states as usize, native.fallbacks().to_vec())
}

fn compare_predicates(name: &str, model: &Model, a: &mut dyn Steps, b: &mut dyn Steps, state: &[u64]) {
    let mut whiches = Vec::new();
    for (at, property) in model.properties.iter().enumerate() {
        let count = instance_count(&property.binders, &model.types).min(20);
        whiches.push((Predicate::Claim(at as u32), count));
        whiches.push((Predicate::Target(at as u32), count));
    }
    for (at, fairness) in model.fairness.iter().enumerate() {
        let count = instance_count(&fairness.binders, &model.types).min(20);
        whiches.push((Predicate::Premise(at as u32), count));
        whiches.push((Predicate::Conclusion(at as u32), count));
    }
    for (which, count) in whiches {
        for index in 0..count {
            assert_eq!(
                a.predicate(which, index, state),
                b.predicate(which, index, state),
                "{name}: {which:?}"
            );
        }
    }
}

#[test]
fn native_code_says_what_the_evaluator_says_on_every_model() {
    run(|| {
        for (path, model) in models() {
            let (states, fallbacks) = compare(&path.display().to_string(), &model, STATES_MAX);
            println!("{}: {states} states, evaluated: {fallbacks:?}", path.display());
        }
    });
}

#[test]
fn canonical_forms_are_taken_by_both_backends() {
    run(|| {
        for name in ["german", "mcslock", "directory"] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/{name}.m"));
            let model = load(&path, &[]).expect("a model");
            let setup = || {
                let canonical =
                    Canonicaliser::new(&model).expect("symmetry").map(|c| Box::new(c) as Box<dyn Canonical>);
                Setup { canonical, ..Setup::default() }
            };
            let mut native = Native::new(&model, setup()).expect("code for this machine");
            let mut reference = Interpreter::new(&model, setup());
            let expected = search(&mut reference, STATES_MAX, |_| {});
            assert_eq!(search(&mut native, STATES_MAX, |_| {}), expected, "{name}");
        }
    });
}
