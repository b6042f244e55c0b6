//! How fast backends expand states: machine code against the evaluator, on states of real models.
//!
//! `cargo bench --no-default-features --bench expand [SUBSTRING]`. For each model, states are collected by
//! breadth-first search; then all of them are expanded and checked again and again, without a store, so the
//! figures are the backend's alone.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use verify::compile::{Expansion, Interpreter, Native, Setup, Steps};
use verify::ir::Model;
use verify::ir::eval::on_deep_stack;
use verify::lower::{Constants, lower};
use verify::syntax::{Source, parse};

const STATES_MAX: usize = 100_000;
const EVALUATED_STATES_MAX: usize = 2_000;

const RUNS: &[(&str, &[(&str, &str)])] = &[
    ("german", &[("NODE_NUM", "4")]),
    ("german", &[("NODE_NUM", "5")]),
    ("german", &[("NODE_NUM", "9")]),
    ("peterson", &[]),
    ("flash", &[]),
    ("flash", &[("NODE_NUM", "5")]),
    ("snoop", &[]),
    ("mcslock", &[]),
    ("szymanski", &[]),
    ("directory", &[]),
    ("bakery", &[]),
    ("selective_repeat", &[]),
];

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    println!(
        "{:<18} {:>8} {:>6} {:>10} {:>12} {:>12} {:>12} {:>8} {:>10}",
        "model", "states", "words", "compile ms", "expand/s", "succ/s", "check/s", "ns/inst", "x eval"
    );
    on_deep_stack(|| {
        RUNS.iter().filter(|(name, _)| name.contains(&wanted)).for_each(|run| bench(run.0, run.1))
    })
    .expect("a thread");
}

fn bench(name: &str, constants: &[(&str, &str)]) {
    let model = load(name, constants);
    let begin = Instant::now();
    let mut native = Native::new(&model, Setup::default()).expect("code for this machine");
    let compile = begin.elapsed();
    let states = collect(&mut native);
    let words = native.words();
    let mut reference = Interpreter::new(&model, Setup::default());
    let fast = rate(&mut native, &states, Duration::from_millis(1_000));
    let some = EVALUATED_STATES_MAX.min(states.len() / words) * words;
    let slow = rate(&mut reference, &states[..some], Duration::from_millis(300));
    let checks = check_rate(&mut native, &states);
    let label = constants.first().map_or(name.to_string(), |(_, value)| format!("{name} {value}"));
    println!(
        "{label:<18} {:>8} {words:>6} {:>10.1} {:>12.0} {:>12.0} {checks:>12.0} {:>8.2} {:>10.1}",
        states.len() / words,
        compile.as_secs_f64() * 1e3,
        fast.0,
        fast.1,
        1e9 / fast.0 / f64::from(native.instances().rule_instances()),
        fast.0 / slow.0,
    );
    for fallback in native.fallbacks() {
        println!("    evaluated: {}: {}", fallback.what, fallback.reason);
    }
}

fn load(name: &str, constants: &[(&str, &str)]) -> Model {
    let path = format!("{}/models/{name}.m", env!("CARGO_MANIFEST_DIR"));
    let source = Source::new(&path, std::fs::read_to_string(&path).expect("the model"));
    let tree = parse(&source).expect("a model");
    let overrides = constants.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    lower(&tree, &source, &Constants { overrides }).expect("a model").model
}

fn collect(steps: &mut dyn Steps) -> Vec<u64> {
    let words = steps.words();
    let mut states: Vec<u64> = Vec::new();
    let mut seen: HashSet<Vec<u64>> = HashSet::new();
    let mut out = Expansion::default();
    steps.starts(&mut out);
    let mut next = 0;
    loop {
        for state in out.states.chunks(words) {
            if seen.len() < STATES_MAX && seen.insert(state.to_vec()) {
                states.extend_from_slice(state);
            }
        }
        if next * words >= states.len() {
            return states;
        }
        let state = states[next * words..(next + 1) * words].to_vec();
        steps.expand(&state, &mut out);
        next += 1;
    }
}

/// Time this thread has spent on a processor, where the system says so: the machine may be busy otherwise.
fn cpu_time(begin: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|first| first.parse().ok());
    nanos.map_or_else(|| begin.elapsed(), Duration::from_nanos)
}

/// States expanded and successors found in a second.
fn rate(steps: &mut dyn Steps, states: &[u64], least: Duration) -> (f64, f64) {
    let words = steps.words();
    let mut out = Expansion::default();
    let (mut expanded, mut successors) = (0u64, 0u64);
    let begin = Instant::now();
    let before = cpu_time(begin);
    while begin.elapsed() < least {
        for state in states.chunks(words) {
            steps.expand(state, &mut out);
            expanded += 1;
            successors += out.steps.len() as u64;
        }
    }
    let seconds = (cpu_time(begin) - before).as_secs_f64();
    (expanded as f64 / seconds, successors as f64 / seconds)
}

/// States checked in a second.
fn check_rate(steps: &mut dyn Steps, states: &[u64]) -> f64 {
    let words = steps.words();
    let mut found = Vec::new();
    let mut checked = 0u64;
    let begin = Instant::now();
    let before = cpu_time(begin);
    while begin.elapsed() < Duration::from_millis(300) {
        for state in states.chunks(words) {
            found.clear();
            steps.check(state, &mut found);
            checked += 1;
        }
    }
    checked as f64 / (cpu_time(begin) - before).as_secs_f64()
}
