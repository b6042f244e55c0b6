//! The check of certificates set by set: it says what the check view by view says on whatever is done to certificates of
//! random models, and refuses what was done to real ones that are too large to be enumerated.

mod checks;
mod processes;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use verify::audit::certificate::{Checked, Failure, Obligation};
use verify::audit::certify::certify;
use verify::audit::setwise::{self, Budget};
use verify::audit::share::{Share, joined};
use verify::audit::split::{Method, in_order};
use verify::audit::views::{Auxiliary, Composition, Partition};
use verify::base::prng::Prng;
use verify::ir::eval::Options;
use verify::ir::{Model, Slot};
use verify::job::certify::from_bytes;
use verify::lower::{Constants, lower};
use verify::syntax::{Source, parse};
use verify::verdict::certificate::{Certificate, Node};

const VIEWS_MAX: usize = 100_000;

fn read(name: &str, text: String, constants: &[&str]) -> Model {
    let source = Source::new(name, text);
    let mut given = Constants::none();
    constants.iter().for_each(|constant| given.parse(constant).expect("a constant"));
    lower(&parse(&source).expect("a tree"), &source, &given).expect("a model").model
}

/// The certificate of a random model that claims all of its invariants, whether they follow or not.
fn written(model: &Model, seed: u64) -> Certificate {
    let partition = Partition::of(model).expect("components");
    let is_a = |slot: &u32| model.slot_path(Slot(*slot)).starts_with("a[");
    let slots = (0..model.slots.len() as u32).filter(is_a).take(seed as usize % 4);
    let shown = slots.filter_map(|slot| Auxiliary::of_value(model, &partition, slot, (seed % 3) as i64));
    let auxiliaries: Vec<Auxiliary> = shown.collect();
    let method = if seed.is_multiple_of(5) { Method::ThreadModular } else { Method::Split };
    let found = in_order(model, &partition, &auxiliaries, method, VIEWS_MAX).expect("small enough");
    let composition = Composition::new(model, &partition, &auxiliaries);
    let all: Vec<u32> = (0..model.properties.len() as u32).collect();
    certify(&composition, &found, "split", &all, VIEWS_MAX).expect("small enough")
}

/// What the whole check set by set says; the shares of two and of three say the same together.
fn shared_out(model: &Model, certificate: &Certificate) -> Result<Checked, Failure> {
    let whole = setwise::check(model, certificate, Options::default(), checks::BUDGET);
    for of in [2, 3] {
        let share = |number| {
            let share = Share { number, of };
            setwise::check_share(model, certificate, Options::default(), checks::BUDGET, share)
        };
        let together = joined((0..of).map(share)).map_err(|refused| *refused.failure);
        assert_eq!(together, whole, "{of} shares");
    }
    whole
}

/// Changes something at random: a node, a theta, a predicate, what is common, or what is claimed.
fn mutate(certificate: &mut Certificate, prng: &mut Prng) {
    let references = certificate.nodes.len() as u32 + 2;
    let any = |prng: &mut Prng, below: u32| prng.index(below as usize) as u32;
    let part = prng.index(certificate.components.len());
    match prng.index(12) {
        0..2 if !certificate.nodes.is_empty() => {
            let at = prng.index(certificate.nodes.len());
            let Node(_, low, high) = &mut certificate.nodes[at];
            match prng.index(3) {
                0 => *low = 0,
                1 => *high = 0,
                _ => std::mem::swap(low, high),
            }
        }
        2 if !certificate.nodes.is_empty() => {
            let at = prng.index(certificate.nodes.len());
            certificate.nodes[at].2 = any(prng, at as u32 + 2);
        }
        4 => certificate.components[part].theta = any(prng, 2),
        // Where a bit is set or not, views are taken out or put in.
        7.. => {
            let variable = any(prng, certificate.variables.len() as u32);
            let (theta, other) = (certificate.components[part].theta, u32::from(prng.index(4) == 0));
            let [low, high] = if prng.index(2) == 0 { [theta, other] } else { [other, theta] };
            certificate.nodes.push(Node(variable, low, high));
            certificate.components[part].theta = references;
        }
        5 if !certificate.auxiliaries.is_empty() => {
            let at = prng.index(certificate.auxiliaries.len());
            certificate.auxiliaries[at].predicate = any(prng, references);
        }
        6 => {
            let other = prng.index(certificate.components.len());
            certificate.components[part].common = certificate.components[other].theta;
        }
        _ => drop(certificate.implied.pop()),
    }
}

#[test]
fn both_checks_agree_on_whatever_is_done_to_certificates() {
    let mut refused = std::collections::BTreeMap::new();
    let seeds = processes::seeds(150);
    let many = seeds.end - seeds.start >= 150;
    for seed in seeds {
        let model = read("random", processes::random_model(seed), &[]);
        let good = written(&model, seed);
        let mut prng = Prng::new(seed);
        for changes in [0, 1, 1, 1, 2, 3, 3, 4] {
            let mut bad = good.clone();
            (0..changes).for_each(|_| mutate(&mut bad, &mut prng));
            let found = checks::agreed(&model, &bad, Options::default(), VIEWS_MAX);
            let _ = shared_out(&model, &bad);
            let word = found.map_or_else(|failure| failure.obligation.name(), |_| "passes");
            *refused.entry(word).or_insert(0) += 1;
        }
    }
    for word in ["passes", "initiation", "own step", "run-time error", "interference", "implication"] {
        assert!(!many || refused.get(word).is_some_and(|&times| times > 0), "{word}: {refused:?}");
    }
}

/// Processes of which only some go inside, and the claim that no two are.
fn pairs(going: &[usize]) -> String {
    let goes: Vec<String> = going.iter().map(|at| format!("i = {at}")).collect();
    let goes = goes.join(" | ");
    format!(
        "type PID : 1..7;\n\
         var a : array [PID] of boolean;\n\
         startstate for i : PID do a[i] := false; end; end;\n\
         ruleset i : PID do\n\
           rule \"in\" {goes} ==> a[i] := true; end;\n\
           rule \"out\" a[i] ==> a[i] := false; end;\n\
         end;\n\
         invariant \"no two\" forall i : PID do forall j : PID do i != j & a[i] -> !a[j] end end;\n"
    )
}

#[test]
fn one_pair_among_many_is_found() {
    for first in 1..=7 {
        for second in first..=7 {
            let model = read("pairs", pairs(&[first, second]), &[]);
            for seed in [1, 2, 4] {
                let made = written(&model, seed);
                let found = checks::agreed(&model, &made, Options::default(), VIEWS_MAX);
                assert_eq!(found.is_ok(), first == second, "{first}, {second}: {found:?}");
                let found = shared_out(&model, &made);
                let refused = found.err().map(|failure| failure.obligation);
                assert_eq!(refused, (first != second).then_some(Obligation::Implication));
            }
        }
    }
}

fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("verify-setwise-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

/// What `verify prove` writes for a model, and what it says.
fn proved(name: &str, size: &str) -> (Model, Certificate, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("models/proof").join(format!("{name}.m"));
    let file = folder().join(format!("{name}.bin"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_verify"));
    command.args(["prove", path.to_str().expect("a path"), "--const", size, "--ranks", "2", "--certificate"]);
    let output = command.arg(&file).stdin(Stdio::null()).output().expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(path).expect("a model");
    let made = from_bytes(&std::fs::read(file).expect("a file")).expect("a certificate");
    (read(name, text, &[size]), made, said)
}

#[test]
fn real_certificates_pass_and_those_tampered_with_do_not() {
    let models = [("szymanski", "N=5"), ("german", "N=5"), ("mux_sem", "N=50"), ("philosophers", "N=8")];
    for (name, size) in models {
        let (model, good, said) = proved(name, size);
        assert!(said.contains("its certificate symbolically, without the engine"), "{said}");
        let check = |certificate: &Certificate| {
            setwise::check(&model, certificate, Options::default(), checks::BUDGET)
        };
        check(&good).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        let mut prng = Prng::new(5);
        let (mut refused, tried) = (0, 12);
        for _ in 0..tried {
            let mut bad = good.clone();
            let at = prng.index(bad.nodes.len());
            let Node(_, low, high) = &mut bad.nodes[at];
            // Views are taken out of least sets: something must be missing, unless they had none of a value.
            if *low != 0 {
                *low = 0
            } else {
                *high = 0
            }
            if let Err(failure) = shared_out(&model, &bad) {
                assert_ne!(failure.obligation, Obligation::Size, "{name}: {failure}");
                assert!(!failure.detail.contains("translation"), "{name}: {failure}");
                refused += 1;
            }
        }
        assert!(refused * 4 >= tried * 3, "{name}: {refused} of {tried}");
    }
}

#[test]
fn limits_are_told_and_nothing_passes_unseen() {
    let (model, good, _) = proved("szymanski", "N=3");
    let size = |budget| {
        let failure = setwise::check(&model, &good, Options::default(), budget).expect_err("too little");
        assert_eq!(failure.obligation, Obligation::Size, "{failure}");
        failure.detail
    };
    assert!(size(Budget { bytes: 10_000, ..checks::BUDGET }).contains("nodes"));
    let stop = || Some("out of time".to_string());
    assert_eq!(size(Budget { stop: &stop, ..checks::BUDGET }), "out of time");
}
