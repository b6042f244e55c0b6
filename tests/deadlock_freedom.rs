//! Deadlock freedom by helpful paths: every method, on every number of ranks and schedule, against the oracle.
//!
//! The oracle (`audit::freedom`) has the graph of all states with the one helpful step of each; brute force has the
//! exact verdict by all helpful steps. Random small models have P, Q and helpful rules of all sorts.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use verify::audit::{self, DeadlockMode, SymmetryMode};
use verify::base::prng::Prng;
use verify::comm::{Comm, thread};
use verify::explore::Outside;
use verify::ir::{Model, PropertyKind};
use verify::job::engine::{self, Searched};
use verify::job::options::{self, Values};
use verify::lower::{Constants, lower};
use verify::sim;
use verify::syntax::{Source, parse};
use verify::verdict::{CheckKind, Ending, Report, Verdict};

const METHODS: [&str; 3] = ["ost", "ptp", "local"];

fn model(name: &str, text: &str, constants: &[&str]) -> Model {
    let source = Source::from_bytes(name.to_string(), text.as_bytes().to_vec()).unwrap();
    let tree = parse(&source).unwrap_or_else(|said| panic!("{}", said.render(&source)));
    let mut values = Constants::none();
    constants.iter().for_each(|constant| values.parse(constant).unwrap());
    lower(&tree, &source, &values).unwrap_or_else(|said| panic!("{}", said.render(&source))).model
}

fn file(name: &str, constants: &[&str]) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/{name}.m"));
    model(name, &fs::read_to_string(path).unwrap(), constants)
}

fn audit_options(symmetry: SymmetryMode) -> audit::Options {
    audit::Options { deadlock: DeadlockMode::Off, max_errors: 1_000, symmetry, ..audit::Options::default() }
}

fn values(given: &[(&str, &str)]) -> Values {
    let mut values = Values::default();
    for (name, value) in given {
        values.set(options::find(name, None).unwrap(), value).unwrap();
    }
    values
}

/// One rank's part; the result is at rank 0. All violations are asked for, so that every state is seen.
fn search(
    comm: &mut dyn Comm,
    model: &Model,
    symmetry: SymmetryMode,
    given: &[(&str, &str)],
) -> Option<Searched> {
    let mut all = vec![
        ("engine", "eval"),
        ("max-errors", "1000"),
        ("memory", "64MiB"),
        ("batch", "3"),
        ("credits", "2"),
    ];
    all.extend(given);
    let outside = Outside { stop: &|| false, moment: &mut |_| {} };
    let options = audit_options(symmetry);
    let searched = engine::search(comm, model, &values(&all), &options, outside).unwrap()?;
    for trace in searched.report.checks.iter().filter_map(|check| check.trace.as_ref()) {
        assert_eq!(audit::replay(model, &options, trace), Ok(()), "{trace:#?}");
    }
    Some(searched)
}

fn on_threads(ranks: u32, model: &Model, symmetry: SymmetryMode, given: &[(&str, &str)]) -> Searched {
    let all = thread::run(ranks, |comm| search(comm, model, symmetry, given)).unwrap();
    all.into_iter().next().flatten().unwrap()
}

fn brute(model: &Model, symmetry: SymmetryMode) -> Report {
    audit::brute(model, &audit_options(symmetry), &mut |_| ControlFlow::Continue(()))
}

/// The verdicts of CANGETTO properties, in order.
fn verdicts(model: &Model, report: &Report) -> Vec<Verdict> {
    let names =
        model.properties.iter().filter(|each| each.kind == PropertyKind::CanGetTo).map(|each| &each.name);
    let verdict = |name: &String| {
        let mut checks = report.checks.iter().filter(|check| check.kind == CheckKind::Liveness);
        checks.find(|check| check.name == *name).unwrap().verdict
    };
    names.map(verdict).collect()
}

/// P and Q counts of each instance.
fn counts(searched: &Searched) -> Vec<(u64, u64)> {
    let figures = searched.freedom.as_ref().expect("figures of deadlock freedom");
    figures.properties.iter().map(|line| (line.p_states, line.q_states)).collect()
}

/// What holds without trying other helpful steps than the fixed ones: whether each property's paths all arrive.
fn fixed(model: &Model) -> (Vec<(u64, u64)>, Vec<bool>) {
    let facts = audit::freedom(model, &audit_options(SymmetryMode::Off)).unwrap();
    let properties = (0..model.properties.len() as u32)
        .filter(|&at| model.properties[at as usize].kind == PropertyKind::CanGetTo);
    let arrives = |at: u32| facts.iter().filter(|each| each.property == at).all(|each| each.failing == 0);
    (facts.iter().map(|each| (each.claims, each.targets)).collect(), properties.map(arrives).collect())
}

const RADIX: [u64; 3] = [3, 3, 2];

fn test(prng: &mut Prng, terms: u64) -> String {
    let terms = (0..prng.below(terms + 1)).map(|_| {
        let var = prng.index(3);
        format!("v{var} = {}", prng.below(RADIX[var]))
    });
    let terms: Vec<String> = terms.collect();
    if terms.is_empty() { "true".to_string() } else { terms.join(" & ") }
}

/// A random model with two CANGETTO properties, the second inside a ruleset; some have an assumption.
fn random_text(seed: u64) -> String {
    let mut prng = Prng::new(seed ^ 0xdf00);
    let mut out = String::from("var v0 : 0..2; v1 : 0..2; v2 : 0..1;\n");
    out += "startstate begin v0 := 0; v1 := 0; v2 := 0; end;\n";
    for at in 0..3 + prng.below(5) {
        let in_ruleset = prng.chance(30);
        let unhelpful = if prng.chance(35) { "unhelpful " } else { "" };
        let mut body = String::new();
        for _ in 0..1 + prng.below(2) {
            let var = prng.index(3);
            body += &match prng.below(3) {
                0 => format!("v{var} := {}; ", prng.below(RADIX[var])),
                1 if in_ruleset => format!("v{var} := i; "),
                _ => format!("v{var} := (v{var} + 1) % {}; ", RADIX[var]),
            };
        }
        let guard = test(&mut prng, 2);
        let rule = format!("{unhelpful}rule \"r{at}\" {guard} ==> begin {body}end;");
        out += &if in_ruleset { format!("ruleset i : 0..1 do {rule} end;\n") } else { format!("{rule}\n") };
    }
    if prng.chance(20) {
        out += &format!("assume \"a\" !({} & v2 = 1);\n", test(&mut prng, 1));
    }
    let (claim, target) = (test(&mut prng, 2), format!("{} & v0 = {}", test(&mut prng, 1), prng.below(3)));
    out += &format!("liveness \"one\" {claim} CANGETTO {target};\n");
    let (claim, target) = (test(&mut prng, 1), test(&mut prng, 1));
    out + &format!("ruleset i : 0..1 do liveness \"each\" {claim} CANGETTO {target} & v1 = i; end;\n")
}

fn seeds(default: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    match number("VERIFY_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("VERIFY_SEEDS").unwrap_or(default),
    }
}

/// Compares one run, which never tries other steps than the fixed ones, with the oracle.
fn judge(
    model: &Model,
    searched: &Searched,
    expected: &(Vec<(u64, u64)>, Vec<bool>),
    exact: &[Verdict],
    what: &str,
) {
    assert_eq!(counts(searched), expected.0, "P and Q counts: {what}");
    for ((verdict, &arrives), &exact) in verdicts(model, &searched.report).iter().zip(&expected.1).zip(exact)
    {
        // A path that fails is a violation only where nothing else leads to Q from there.
        match (arrives, verdict) {
            (true, verdict) => assert_eq!(*verdict, Verdict::Holds, "{what}"),
            (false, Verdict::Violated) => assert_eq!(exact, Verdict::Violated, "{what}"),
            (false, verdict) => assert_eq!(*verdict, Verdict::Unknown, "{what}"),
        }
    }
}

#[test]
fn every_method_agrees_with_the_oracle_on_random_models() {
    let (mut arriving, mut failing, mut choice, mut rounds) = (0, 0, 0, 0);
    for seed in seeds(300) {
        let text = random_text(seed);
        let model = model(&format!("seed {seed}"), &text, &[]);
        let expected = fixed(&model);
        let exact = verdicts(&model, &brute(&model, SymmetryMode::Off));
        for (arrives, exact) in expected.1.iter().zip(&exact) {
            assert!(!arrives || *exact == Verdict::Holds, "VERIFY_SEED={seed}\n{text}");
            arriving += u64::from(*arrives);
            failing += u64::from(*exact == Verdict::Violated);
            choice += u64::from(!arrives && *exact == Verdict::Holds);
        }
        for (at, method) in METHODS.iter().enumerate() {
            let ranks = [1, 2, 4][(seed as usize + at) % 3];
            let what = format!("VERIFY_SEED={seed}, {method}, {ranks} ranks\n{text}");
            let balance = if seed % 2 == 0 { "0" } else { "2" };
            let exact_store = if seed % 5 == 0 { "true" } else { "false" };
            let given =
                [("df", *method), ("df-complete", "never"), ("balance", balance), ("exact", exact_store)];
            let searched = on_threads(ranks, &model, SymmetryMode::Off, &given);
            judge(&model, &searched, &expected, &exact, &what);
            let traces = searched.report.checks.iter().filter_map(|check| check.trace.as_ref());
            rounds += traces.filter(|trace| matches!(trace.ending, Ending::Round { .. })).count();
        }
        let method = METHODS[seed as usize % 3];
        let found = on_threads(2, &model, SymmetryMode::Off, &[("df", method)]);
        let what = format!("VERIFY_SEED={seed}, {method}, to the end\n{text}");
        assert_eq!(verdicts(&model, &found.report), exact, "{what}");
        assert_eq!(counts(&found), expected.0, "{what}");
    }
    println!("{arriving} arrive, {failing} violated, {choice} only by the choice, {rounds} go round");
    let count = seeds(300).end - seeds(300).start;
    assert!(count < 100 || arriving > count / 5 && failing > count / 5 && choice > count / 50 && rounds > 20);
}

#[test]
fn every_schedule_gives_the_oracles_facts() {
    for seed in seeds(120).take(700) {
        let text = random_text(seed);
        let model = model(&format!("seed {seed}"), &text, &[]);
        let (ranks, method) = (2 + (seed % 3) as u32, METHODS[(seed / 3) as usize % 3]);
        let given = [
            ("df", method),
            ("df-complete", if seed % 4 == 0 { "auto" } else { "never" }),
            ("owner", if seed % 2 == 0 { "hash" } else { "locality" }),
        ];
        let outcome = sim::run(seed, ranks, |comm| search(comm, &model, SymmetryMode::Off, &given));
        let outcome = outcome.unwrap_or_else(|failure| panic!("VERIFY_SEED={seed}: {failure}\n{text}"));
        let searched = outcome.results.into_iter().next().flatten().unwrap();
        let exact = verdicts(&model, &brute(&model, SymmetryMode::Off));
        let what = format!("VERIFY_SEED={seed}, {method}, simulated\n{text}");
        if seed % 4 == 0 {
            assert_eq!(verdicts(&model, &searched.report), exact, "{what}");
        } else {
            judge(&model, &searched, &fixed(&model), &exact, &what);
        }
    }
}

/// Models with a CANGETTO property, with their sizes.
const MODELS: [(&str, &[&str]); 6] = [
    ("liveness/german", &["DATA_NUM=1"]),
    ("liveness/flash", &["NODE_NUM=2", "DATA_NUM=1"]),
    ("liveness/peterson_helpful", &["N=3"]),
    ("liveness/peterson_buggy", &["N=3"]),
    ("liveness/mcslock", &["N=2"]),
    ("liveness/snoop", &["DATA_NUM=1"]),
];

/// The model without its other liveness properties, which have tests of their own.
fn helpful_alone(mut model: Model) -> Model {
    model.properties.retain(|property| property.kind != PropertyKind::LeadsTo);
    model
}

#[test]
fn every_method_agrees_with_the_oracle_on_the_models() {
    for (name, constants) in MODELS {
        let model = helpful_alone(file(name, constants));
        let expected = fixed(&model);
        let exact = verdicts(&model, &brute(&model, SymmetryMode::Off));
        for (ranks, method) in [(1, "ost"), (2, "ost"), (4, "ost"), (2, "ptp"), (4, "local")] {
            let what = format!("{name}, {method}, {ranks} ranks");
            let owner = if ranks == 2 { "locality" } else { "hash" };
            let given = [("df", method), ("batch", "50"), ("owner", owner)];
            let found = on_threads(ranks, &model, SymmetryMode::Off, &given);
            assert_eq!(verdicts(&model, &found.report), exact, "{what}");
            assert_eq!(counts(&found), expected.0, "{what}");
        }
    }
}

#[test]
fn symmetric_states_share_their_witnesses() {
    for (name, constants) in
        [("liveness/german", &["DATA_NUM=1"][..]), ("liveness/flash", &["NODE_NUM=3", "DATA_NUM=1"])]
    {
        let model = helpful_alone(file(name, constants));
        let oracle = brute(&model, SymmetryMode::Exhaustive);
        for (ranks, method) in [(1, "ost"), (3, "ost"), (2, "ptp"), (2, "local")] {
            let given = [("df", method), ("batch", "50"), ("balance", "2"), ("owner", "locality")];
            let found = on_threads(ranks, &model, SymmetryMode::Exhaustive, &given);
            assert_eq!(found.report.counts.states, oracle.counts.states, "{name}, {method}");
            assert_eq!(verdicts(&model, &found.report), verdicts(&model, &oracle), "{name}, {method}");
            let p_states = found.freedom.unwrap().properties[0].p_states;
            assert_eq!(p_states, oracle.counts.states, "{name}: P is true");
        }
    }
}

/// Two processes that pass a token round for ever, and a third place where it may rest.
const ROUND: &str = "type P : scalarset(3);
    var at : array [P] of boolean; rest : boolean;
    startstate begin for p : P do at[p] := false; end; rest := true; end;
    unhelpful ruleset p : P do rule \"wake\" rest ==> begin rest := false; at[p] := true; end; end;
    ruleset p : P; q : P do rule \"pass\" at[p] & p != q & !rest ==> begin at[p] := false; at[q] := true; end; end;";

#[test]
fn a_cycle_of_symmetric_states_closes_in_real_ones() {
    let text = format!("{ROUND}\nliveness \"rest\" !rest CANGETTO rest;");
    let model = model("round", &text, &[]);
    for (symmetry, method, ranks) in [
        (SymmetryMode::Exhaustive, "ost", 2),
        (SymmetryMode::Exhaustive, "ptp", 1),
        (SymmetryMode::Off, "ost", 1),
        (SymmetryMode::Off, "local", 2),
    ] {
        let found = on_threads(ranks, &model, symmetry, &[("df", method)]);
        let check = found.report.checks.iter().find(|check| check.name == "rest").unwrap();
        assert_eq!(check.verdict, Verdict::Violated, "{method}");
        let trace = check.trace.as_ref().unwrap();
        let Ending::Round { from: 1, back, .. } = trace.ending else {
            panic!("{method}: {:?}", trace.ending)
        };
        assert_eq!(trace.steps[back as usize].state, trace.steps.last().unwrap().state, "{method}");
    }
}

#[test]
fn a_wrong_choice_is_told_from_a_violation() {
    // "first" stands before "second" and leads where nothing helps any more.
    let trap = "rule \"first\" x = 0 ==> begin x := 1; end; rule \"second\" x = 0 ==> begin x := 2; end;";
    let head = "var x : 0..3; startstate begin x := 0; end;";
    let only_choice = format!(
        "{head} {trap} rule \"off\" x = 1 ==> begin x := 3; end; \
        unhelpful rule \"back\" x > 1 ==> begin x := 0; end; liveness \"two\" x = 0 CANGETTO x = 2;"
    );
    let model = model("trap", &only_choice, &[]);
    for method in METHODS {
        let told = |given: &[(&str, &str)]| {
            let found = on_threads(2, &model, SymmetryMode::Off, given);
            let check = found.report.checks.iter().find(|check| check.name == "two").unwrap().clone();
            (check.verdict, check.reason.unwrap_or_default(), check.trace.map(|trace| trace.ending))
        };
        let (verdict, reason, ending) = told(&[("df", method), ("df-complete", "never")]);
        assert_eq!(verdict, Verdict::Unknown, "{method}");
        assert!(reason.contains("--df-complete"), "{reason}");
        assert_eq!(ending, Some(Ending::Stuck { property: 0, index: 0, from: 0 }), "{method}");
        let (verdict, reason, ending) = told(&[("df", method)]);
        assert_eq!((verdict, ending), (Verdict::Holds, None), "{method}");
        assert!(reason.contains("by other helpful steps"), "{reason}");
        let (verdict, reason, _) = told(&[("df-complete", "always")]);
        assert_eq!((verdict, reason.as_str()), (Verdict::Holds, ""));
    }
}

#[test]
fn a_helpful_path_that_lies_is_refused() {
    let model = helpful_alone(file("liveness/peterson_buggy", &["N=3"]));
    let found = on_threads(1, &model, SymmetryMode::Off, &[("df", "local")]);
    let trace = found.report.checks.iter().find_map(|check| check.trace.clone()).unwrap();
    let Ending::Stuck { property, index, from } = trace.ending else { panic!("{:?}", trace.ending) };
    let options = audit_options(SymmetryMode::Off);
    let refused = |change: &dyn Fn(&mut verify::verdict::Trace)| {
        let mut lie = trace.clone();
        change(&mut lie);
        assert_eq!(audit::replay(&model, &options, &lie), Err(audit::ReplayError::NoViolation));
    };
    // Before the P state, steps are not all helpful; P does not hold at the start; the path is not at its end.
    refused(&|lie| lie.ending = Ending::Stuck { property, index, from: 0 });
    refused(&|lie| lie.ending = Ending::Round { property, index, from, back: from });
    refused(&|lie| lie.ending = Ending::Stuck { property, index, from: from + 1_000 });
    refused(&|lie| {
        lie.steps.truncate(4);
        lie.ending = Ending::Stuck { property, index, from: 3 };
    });
}

#[test]
fn the_historic_typo_shows_in_helpful_paths_and_nowhere_else() {
    // The invariant, the search for deadlocks and AG EF all pass; only helpful rules tell.
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("models/liveness/peterson_buggy.m"))
            .unwrap();
    let more = "invariant \"one at a time\" forall i : PID do forall j : PID do
        step[i] = Critical & step[j] = Critical -> i = j end end;
        ruleset i : PID do liveness \"each can rest\" step[i] = Rest; end;";
    let buggy = model("peterson_buggy", &format!("{text}\n{more}"), &["N=3"]);
    let verdict = |found: &Searched, name: &str| {
        found.report.checks.iter().find(|check| check.name == name).unwrap().verdict
    };
    let found = on_threads(2, &buggy, SymmetryMode::Off, &[("deadlock", "stuttering")]);
    assert_eq!(verdict(&found, "who competes can finish"), Verdict::Violated);
    for name in ["one at a time", "each can rest"] {
        assert_eq!(verdict(&found, name), Verdict::Holds, "{name}");
    }
    // With all rules helpful, a newcomer may help, and the typo hides again.
    let mut all_help = buggy;
    all_help.rules.iter_mut().for_each(|rule| rule.unhelpful = false);
    let found = on_threads(2, &all_help, SymmetryMode::Off, &[]);
    assert_eq!(verdict(&found, "who competes can finish"), Verdict::Holds);
}

#[test]
fn many_instances_are_decided_exactly() {
    let text = "var x : 0..80; startstate begin x := 0; end; rule begin x := (x + 1) % 81; end;
        ruleset i : 0..80 do liveness \"i comes\" true CANGETTO x = i; end;";
    let model = model("many", text, &[]);
    let found = on_threads(2, &model, SymmetryMode::Off, &[]);
    assert_eq!(verdicts(&model, &found.report), [Verdict::Holds]);
    assert!(found.freedom.is_none(), "more goals than bits of a word");
}

#[test]
fn ranks_that_run_out_of_memory_do_not_leave_others_waiting() {
    let model = helpful_alone(file("liveness/german", &["NODE_NUM=3"]));
    // By locality, ranks own different numbers of states: somewhere in between, one runs out and another does not.
    let mut seen = Vec::new();
    for kibibytes in (400..1_600).step_by(50) {
        let memory = format!("{kibibytes}KiB");
        let given = [("engine", "native"), ("batch", "500"), ("memory", &*memory), ("owner", "locality")];
        let found = on_threads(3, &model, SymmetryMode::Off, &given);
        seen.push(verdicts(&model, &found.report)[0]);
    }
    assert_eq!((seen.first(), seen.last()), (Some(&Verdict::Unknown), Some(&Verdict::Holds)));
    assert!(!seen.contains(&Verdict::Violated), "{seen:?}");
}
