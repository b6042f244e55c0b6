//! Decision diagrams against brute force: the same states, rules fired, deadlocks and verdicts on every model that is
//! taken, and on random ones; what is not taken is refused with its place.

use verify::comm::thread;
use verify::host::signals::Signals;
use verify::job::check::{self, Task};
use verify::job::options::{Command, Values};
use verify::job::{Exit, Refusal};
use verify::report::document::Document;
use verify::verdict::{CheckKind, Verdict};

mod given;
mod processes;
mod rich;

use given::{models, root};

fn try_check(name: &str, text: &str, words: &str) -> Result<Document, Refusal> {
    let values = given::values(Command::Check, &format!("memory=300M symmetry=off {words}"));
    try_task(name, text, values, false)
}

fn try_task(name: &str, text: &str, values: Values, proving: bool) -> Result<Document, Refusal> {
    let task = || Task {
        name: name.to_string(),
        proving,
        text: text.as_bytes().to_vec(),
        values: values.clone(),
        ..Task::default()
    };
    let results = thread::run(1, |comm| check::run(comm, || Ok(task()), &Signals::none()))
        .unwrap_or_else(|a| panic!("{a}"));
    results.into_iter().flatten().next().expect("rank 0 has the answer").map_err(|(_, refusal)| refusal)
}

fn check(name: &str, text: &str, words: &str) -> Document {
    try_check(name, text, words).unwrap_or_else(|refusal| panic!("{name}: {}", refusal.text))
}

/// Kinds of checks that are violated, and properties.
fn wrong(document: &Document) -> Vec<(CheckKind, String)> {
    let violated = document.checks.iter().filter(|check| check.verdict == Verdict::Violated);
    // Of run-time errors, one is told: which one is not promised.
    let name = |kind, name: &str| if kind == CheckKind::Fault { String::new() } else { name.to_string() };
    let mut wrong: Vec<_> = violated.map(|check| (check.kind, name(check.kind, &check.name))).collect();
    wrong.sort_by_key(|(kind, name)| format!("{kind:?} {name}"));
    wrong.dedup();
    wrong
}

#[test]
fn every_model_that_is_taken_has_the_counts_of_brute_force() {
    let mut taken = 0;
    for path in models("models") {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a model");
        let oracle = check(&name, &text, "engine=brute");
        let Ok(found) = try_check(&name, &text, "engine=bdd") else { continue };
        taken += 1;
        assert_eq!(found.verdict, oracle.verdict, "{name}");
        if oracle.verdict == Verdict::Holds {
            assert_eq!((found.states, found.rules_fired), (oracle.states, oracle.rules_fired), "{name}");
            assert_eq!(found.checks.len(), oracle.checks.len(), "{name}");
        }
    }
    assert!(taken >= 16, "{taken} models were taken");
}

#[test]
fn every_seeded_bug_is_found_with_a_trace_that_replays() {
    let mut taken = 0;
    for path in models("models/broken") {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a model");
        let Ok(found) = try_check(&name, &text, "engine=bdd") else { continue };
        taken += 1;
        assert_eq!(found.verdict, Verdict::Violated, "{name}");
        let oracle = check(&name, &text, "engine=brute");
        let steps =
            |d: &Document| d.checks.iter().find_map(|check| check.trace.as_ref()).map(|t| t.steps.len());
        assert!(steps(&found).is_some_and(|steps| Some(steps) >= steps_least(&oracle)), "{name}");
    }
    assert!(taken >= 15, "{taken} models were taken");
}

/// A rule that fails in the last state is found one step earlier than the state itself by some engines.
fn steps_least(document: &Document) -> Option<usize> {
    let traces = document.checks.iter().filter_map(|check| check.trace.as_ref());
    traces.map(|trace| trace.steps.len().saturating_sub(1)).min()
}

#[test]
fn what_is_not_taken_is_refused_with_its_place() {
    let sets = "type E : enum { a, b }; var m : multiset [30] of E;\nstartstate end;\nrule\n  multisetcount(i : m, true) < 2\n==>\n  multisetadd(a, m); end;";
    let refusal = try_check("sets.m", sets, "engine=bdd").expect_err("large multisets are refused");
    let told = refusal.text.starts_with("sets.m:4:") && refusal.text.contains("the multiset has 90 bits");
    assert!(told && refusal.exit == Exit::Usage, "{}", refusal.text);
    let small = sets.replace("30", "2");
    let refusal = try_task("sets.m", &small, given::values(Command::Prove, ""), true);
    let refusal = refusal.expect_err("proofs do not take multisets");
    let told = refusal.text.starts_with("sets.m:4:") && refusal.text.contains("do not take multisets");
    assert!(told && refusal.exit == Exit::Usage, "{}", refusal.text);
    let endless =
        "var n : 0..99;\nstartstate n := 0; end;\nrule n < 9 ==>\n while n < 99 do n := n + 1; end; end;";
    let refusal = try_check("endless.m", endless, "engine=bdd").expect_err("long loops are refused");
    assert!(
        refusal.text.starts_with("endless.m:4:") && refusal.text.contains("64 iterations"),
        "{}",
        refusal.text
    );
    let wide = "var n : 0..100000;\nstartstate n := 0; end;\nrule n < 9 ==>\n n := n + 1; end;";
    let refusal = try_check("wide.m", wide, "engine=bdd").expect_err("wide variables are refused");
    assert!(refusal.text.starts_with("wide.m:3:") && refusal.text.contains("n has"), "{}", refusal.text);
}

#[test]
fn running_out_is_unknown() {
    let text = std::fs::read_to_string(root().join("models/flash.m")).expect("a model");
    let small = check("flash.m", &text, "engine=bdd memory=1K");
    assert_eq!(small.verdict, Verdict::Unknown, "{:?}", small.reason);
    let short = check("flash.m", &text, "engine=bdd time=1ms");
    assert_eq!(short.verdict, Verdict::Unknown, "{:?}", short.reason);
}

/// Compares both engines on random models; most must be small enough to be compared.
fn compare_all(count: u64, large_percent: u64, random_model: fn(u64) -> String) {
    let seeds = processes::seeds(count);
    let (all, mut compared, mut large) = (seeds.end - seeds.start, 0, 0);
    for seed in seeds {
        let text = random_model(seed);
        match compare(&text) {
            Ok(states) => {
                compared += 1;
                large += u64::from(states >= 50);
            }
            Err(why) => eprintln!("seed {seed} is left out: {why}"),
        }
    }
    eprintln!("{compared} of {all} random models were compared; {large} have 50 states or more");
    assert!(compared * 10 >= all * 8, "{compared} of {all}");
    assert!(all == 1 || large * 100 >= all * large_percent, "{large} of {all}");
}

#[test]
fn random_processes_have_the_counts_of_brute_force() {
    compare_all(60, 0, processes::random_model);
}

#[test]
fn random_models_have_the_counts_of_brute_force() {
    compare_all(60, 10, rich::random_model);
}

/// What the random models are for: whatever happens, both say the same of it. An error says why they were not compared.
fn compare(text: &str) -> Result<u64, String> {
    let oracle = check("random", text, "engine=brute max-errors=1000000000 max-states=3000");
    if oracle.states >= 3_000 {
        return Err("it has more than 3,000 states".to_string());
    }
    let found = match try_check("random", text, "engine=bdd max-errors=1000000000 time=20s") {
        Ok(found) => found,
        Err(refusal) => panic!("{}\n{text}", refusal.text),
    };
    if found.reason.as_deref() == Some("out of time") {
        return Err("the decision diagrams take too long".to_string());
    }
    assert_eq!(found.verdict, oracle.verdict, "{text}");
    assert_eq!((found.states, found.rules_fired), (oracle.states, oracle.rules_fired), "{text}");
    assert_eq!(found.deadlocks, oracle.deadlocks, "{text}");
    assert_eq!(wrong(&found), wrong(&oracle), "{text}");
    Ok(oracle.states)
}
