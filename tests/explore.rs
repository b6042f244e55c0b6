//! The distributed search against brute force: the same states, rules fired, deadlocks, digest and verdict, on every
//! model, at every number of ranks, however it is made to run; and under the simulator.

use std::path::Path;

use verify::comm::{Comm, thread};
use verify::host::signals::Signals;
use verify::job::check::{self, Task};
use verify::job::options::{Command, Values};
use verify::report::document::Document;
use verify::sim;
use verify::verdict::Verdict;

mod given;

use given::{models, root};

/// Options as they would be typed.
fn values(words: &str) -> Values {
    given::values(Command::Check, words)
}

fn run_on(comm: &mut dyn Comm, path: &Path, words: &str) -> Option<Document> {
    let answer = check::run(comm, || Task::of_model(path, &values(words)), &Signals::none());
    answer.map(|answer| answer.unwrap_or_else(|(name, refusal)| panic!("{name}: {}", refusal.text)))
}

/// One run on threads.
fn run(path: &Path, ranks: u32, words: &str) -> Document {
    let results = thread::run(ranks, |comm| run_on(comm, path, words)).unwrap_or_else(|a| panic!("{a}"));
    results.into_iter().flatten().next().expect("rank 0 has the document")
}

/// What must be equal: verdict, states, rules fired, deadlocks, each check's verdict, and the digest where wanted.
fn assert_same(name: &str, how: &str, oracle: &Document, found: &Document, digest: bool) {
    let checks = |document: &Document| {
        let mut checks: Vec<_> =
            document.checks.iter().map(|c| format!("{:?} {} {:?}", c.kind, c.name, c.verdict)).collect();
        checks.sort();
        checks
    };
    assert_eq!(oracle.verdict, found.verdict, "{name} {how}: verdict");
    assert_eq!(
        (oracle.states, oracle.rules_fired),
        (found.states, found.rules_fired),
        "{name} {how}: states, fired"
    );
    assert_eq!(oracle.deadlocks, found.deadlocks, "{name} {how}: deadlocks");
    assert_eq!(checks(oracle), checks(found), "{name} {how}: checks");
    if digest {
        assert_eq!(oracle.digest, found.digest, "{name} {how}: digest");
    }
}

const HOW: [(u32, &str); 17] = [
    (1, "engine=native"),
    (2, "engine=native"),
    (3, "engine=native batch=1 credits=1"),
    (4, "engine=native balance=1 batch=3"),
    (7, "engine=native credits=0"),
    (2, "engine=eval"),
    (3, "engine=native exact=true"),
    (2, "engine=native owner=locality expand=owner memory=400K"),
    (4, "engine=native shortest=true"),
    (5, "engine=native owner=locality"),
    (2, "engine=native memory=400K"),
    (4, "engine=native expand=owner balance=1 batch=3"),
    (3, "engine=native expand=owner batch=1 credits=1"),
    (2, "engine=eval owner=locality memory=400K"),
    (1, "engine=native take-in=later"),
    (3, "engine=native take-in=later batch=2 balance=1"),
    (2, "engine=native take-in=later expand=owner shortest=true"),
];

#[test]
fn every_model_has_the_counts_of_brute_force_however_it_is_searched() {
    for path in models("models") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let oracle = run(&path, 1, "engine=brute symmetry=off");
        if oracle.verdict != Verdict::Holds {
            continue;
        }
        for (ranks, words) in HOW {
            let found = run(&path, ranks, &format!("{words} symmetry=off"));
            assert_same(&name, &format!("on {ranks}: {words}"), &oracle, &found, true);
            assert!(found.omission_bound < 1e-6, "{name}: {}", found.omission_bound);
        }
    }
}

#[test]
fn a_frontier_goes_to_disk_and_comes_back() {
    let path = root().join("tests/explore_models/wide.m");
    let oracle = run(&path, 1, "engine=brute deadlock=off");
    for (ranks, words) in
        [(1, ""), (2, ""), (3, "batch=7"), (2, "expand=owner"), (3, "expand=owner owner=hash")]
    {
        let found = run(&path, ranks, &format!("{words} deadlock=off memory=600K"));
        assert_same("wide.m", &format!("on {ranks}: {words}"), &oracle, &found, true);
        let spooled = found.rank_figures.iter().map(|rank| rank.spool_bytes_most).sum::<u64>();
        assert!(spooled > 0, "on {ranks}: {words}: so little memory has no room for a level");
    }
}

#[test]
fn every_model_has_as_many_orbits_as_brute_force_says() {
    for path in models("models") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let oracle = run(&path, 1, "engine=brute symmetry=exact");
        if oracle.verdict != Verdict::Holds {
            continue;
        }
        let one = run(&path, 1, "engine=native symmetry=exact");
        assert_same(&name, "orbits on 1", &oracle, &one, false);
        for (ranks, words) in [
            (3, "engine=native"),
            (4, "engine=eval balance=1"),
            (2, "engine=native exact=true owner=locality"),
            (3, "engine=native expand=owner"),
            (2, "engine=native take-in=later"),
        ] {
            let found = run(&path, ranks, &format!("{words} symmetry=exact"));
            // Representatives are the engine's own, so digests agree among engines.
            assert_same(&name, &format!("orbits on {ranks}: {words}"), &one, &found, true);
        }
    }
}

#[test]
fn every_seeded_bug_is_found_with_a_trace_that_replays() {
    let mut broken = models("models/broken");
    broken.push(root().join("models/philosophers_deadlock.m"));
    for path in broken {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for symmetry in ["off", "exact"] {
            let oracle = run(&path, 1, &format!("engine=brute symmetry={symmetry}"));
            assert_eq!(oracle.verdict, Verdict::Violated, "{name}");
            let shortest =
                oracle.checks.iter().filter_map(|check| check.trace.as_ref()).map(|t| t.steps.len()).min();
            for (ranks, words) in [
                (1, ""),
                (4, ""),
                (4, "batch=1 credits=1"),
                (2, "engine=eval owner=locality"),
                (3, "expand=owner batch=2"),
                (3, "shortest=true"),
            ] {
                let found = run(&path, ranks, &format!("{words} symmetry={symmetry}"));
                assert_eq!(found.verdict, Verdict::Violated, "{name} on {ranks}: {words}");
                // A trace that did not replay would have ended the run.
                let trace = found.checks.iter().find_map(|check| check.trace.as_ref());
                let steps =
                    trace.unwrap_or_else(|| panic!("{name} on {ranks}: {words}: no trace")).steps.len();
                if words.contains("shortest") {
                    // Brute force meets states in order, but a rule that fails in the last state is one step shorter.
                    assert!(
                        Some(steps) <= shortest,
                        "{name}: {steps} steps instead of {shortest:?}, symmetry {symmetry}"
                    );
                }
            }
        }
    }
}

#[test]
fn limits_end_in_unknown_with_what_was_reached() {
    let german = root().join("models/german.m");
    for ranks in [1, 3] {
        let few = run(&german, ranks, "symmetry=off max-states=500");
        assert_eq!(few.verdict, Verdict::Unknown);
        assert!(few.reason.as_ref().is_some_and(|reason| reason.contains("500 states")), "{:?}", few.reason);
        assert!(few.states > 500 && few.states < 3_390);
        let small = run(&german, ranks, "symmetry=off memory=4K");
        assert_eq!(small.verdict, Verdict::Unknown, "{:?}", small.reason);
        assert!(small.reason.as_ref().is_some_and(|reason| reason.contains("memory")), "{:?}", small.reason);
        let short = run(&root().join("models/flash.m"), ranks, "engine=eval symmetry=off time=1ms");
        assert_eq!(short.verdict, Verdict::Unknown, "{:?}", short.reason);
    }
}

#[test]
fn many_errors_are_found_when_many_are_asked_for() {
    let deadlocks = root().join("models/philosophers_deadlock.m");
    let found = run(&deadlocks, 3, "symmetry=off max-errors=1000000");
    let oracle = run(&deadlocks, 1, "engine=brute symmetry=off max-errors=1000000");
    assert!(oracle.deadlocks > 0);
    assert_eq!(
        (oracle.states, oracle.rules_fired, oracle.deadlocks),
        (found.states, found.rules_fired, found.deadlocks)
    );
}

#[test]
fn a_hundred_and_twenty_eight_ranks_agree() {
    let german = root().join("models/german.m");
    let found = run(&german, 128, "symmetry=off");
    assert_eq!((found.states, found.rules_fired), (3_390, 9_912));
    assert_eq!(found.rank_figures.len(), 128);
}

/// Small models, whole searches, 500 seeds: the same answers whatever the schedule.
#[test]
fn the_simulator_gives_the_same_answers_under_five_hundred_seeds() {
    let seeds: u64 =
        std::env::var("VERIFY_SIM_SEEDS").ok().map_or(500, |n| n.parse().expect("a number of seeds"));
    let single = std::env::var("VERIFY_SIM_SEED").ok().map(|n| n.parse::<u64>().expect("a seed"));
    let cases =
        [("models/mutex.m", "symmetry=off"), ("models/broken/mutex_no_lock.m", ""), ("models/muxsem.m", "")];
    for (file, words) in cases {
        let path = root().join(file);
        let oracle = run(&path, 1, &format!("engine=brute {words}"));
        let range = single.map_or(0..seeds, |seed| seed..seed + 1);
        for seed in range {
            let ranks = 2 + (seed % 4) as u32;
            let how = [
                "batch=1 credits=1",
                "batch=2 balance=1",
                "shortest=true",
                "exact=true credits=2",
                "expand=owner batch=1 credits=1",
                "expand=owner batch=3 balance=1",
                "take-in=later batch=2",
                "take-in=later expand=owner balance=1",
            ][(seed / 4 % 8) as usize];
            let words = format!("engine=eval {words} {how}");
            let outcome = sim::run(seed, ranks, |comm| run_on(comm, &path, &words))
                .unwrap_or_else(|f| panic!("{file} {how}: {f}"));
            let found = outcome.results.into_iter().flatten().next().expect("rank 0 has the document");
            let name = format!("{file} (VERIFY_SIM_SEED={seed} VERIFY_SIM_RANKS={ranks})");
            assert_eq!(found.verdict, oracle.verdict, "{name} {how}");
            if oracle.verdict == Verdict::Holds {
                assert_same(&name, how, &oracle, &found, words.contains("symmetry=off"));
            }
        }
    }
}
