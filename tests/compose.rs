//! Proofs by components against the oracle: the strongest split invariant and the thread-modular sets are exactly those
//! of brute force, on any number of ranks and under any schedule; what is proved holds, and what is violated comes with
//! an execution.

mod given;
mod processes;
mod thetas;

use given::{models, root};
use thetas::{SPREAD, TRANSPARENT, compare, prove_text, read, schedules, starts};

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use verify::audit::{self, brute};
use verify::comm::thread;
use verify::compose::Parts;
use verify::compose::parts::Plan;
use verify::compose::proof::converge;
use verify::compose::recheck::{Claims, Doubt, recheck};
use verify::compose::split::{Guarantee, SPREAD_NODES, Setting, Split};
use verify::compose::windows::windows;
use verify::ir::eval::Options;
use verify::symbolic::Space;
use verify::verdict::figures::CheckedBy;
use verify::verdict::{CheckKind, Verdict};

#[test]
fn split_invariants_are_those_of_brute_force_on_any_ranks_and_schedule() {
    let mut small = 0;
    for path in models("models/proof").into_iter().chain(models("models/proof/broken")) {
        let name = path.display().to_string();
        let model = read(&name, &std::fs::read_to_string(&path).expect("a model"));
        small += usize::from(compare(&name, &model, schedules(4)));
    }
    assert!(small >= 6, "{small} models were small enough");
    let spread = SPREAD.load(Ordering::Relaxed);
    assert!(spread >= 100, "{spread} components were closed by all ranks together");
}

#[test]
fn random_processes_have_the_split_invariants_of_brute_force() {
    let seeds = processes::seeds(60);
    let (all, mut small) = (seeds.end - seeds.start, 0);
    for seed in seeds {
        let text = processes::random_model(seed);
        let model = read(&format!("seed {seed}"), &text);
        let simulated = if seed % 10 == 0 { schedules(1) } else { 0 };
        small += u64::from(compare(&format!("seed {seed}"), &model, simulated));
    }
    eprintln!("{small} of {all} random models were small enough");
    assert!(all == 1 || small * 2 >= all, "{small} of {all} models were small enough");
    let transparent = TRANSPARENT.load(Ordering::Relaxed);
    assert!(all == 1 || transparent >= 30, "{transparent} components were transparent");
}

/// What others do grows by a bit that their steps write and no longer mention: the steps are the same diagram, and yet
/// another effect. These models were once closed under the first and not under the second, by some schedules.
#[test]
fn the_same_steps_that_write_more_are_another_effect() {
    for seed in [803, 920] {
        let name = format!("seed {seed}");
        assert!(compare(&name, &read(&name, &processes::random_model(seed)), 20), "{name}");
    }
}

/// Thread-modular checking proves the bakery and Peterson's lock; both refining methods prove all.
#[test]
fn the_models_show_the_published_pattern() {
    for path in models("models/proof") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a model");
        for ranks in [1, 2] {
            let found = prove_text(&name, &text, "method=split", ranks);
            assert_eq!(found.verdict, Verdict::Holds, "{name} split: {:?}", found.reason);
            let rounds = found.proof.expect("figures").rounds.len();
            let unrefined = ["bakery", "peterson", "mux_sem_last"].contains(&name.as_str());
            assert_eq!(rounds == 1, unrefined, "{name}: {rounds} rounds");
            if name == "mux_sem" {
                assert_eq!(rounds, 2);
            }
        }
        let modular = prove_text(&name, &text, "method=tmmc", 2);
        let proved = ["bakery", "peterson"].contains(&name.as_str());
        assert_eq!(modular.verdict == Verdict::Holds, proved, "{name} tmmc: {:?}", modular.reason);
        let refined = prove_text(&name, &text, "method=tmmcir", 1);
        assert_eq!(refined.verdict, Verdict::Holds, "{name} tmmcir: {:?}", refined.reason);
    }
}

/// Turns, failures that are told and predicates do not depend on how components are shared out: few and many of them.
#[test]
fn rounds_are_the_same_on_any_number_of_ranks() {
    for (name, words) in [
        ("szymanski", "const=N=4"),
        ("philosophers", "const=N=5"),
        ("german", "const=N=3"),
        ("mux_sem", "const=N=40"),
        ("mux_sem_count", "const=N=30 method=tmmcir"),
    ] {
        let text = std::fs::read_to_string(root().join(format!("models/proof/{name}.m"))).expect("a model");
        let rounds = |ranks: u32| {
            let found = prove_text(name, &text, words, ranks);
            assert_eq!(found.verdict, Verdict::Holds, "{name} on {ranks}: {:?}", found.reason);
            let rounds = found.proof.expect("figures").rounds.into_iter();
            rounds.map(|round| (round.predicates, round.added, round.turns, round.open)).collect::<Vec<_>>()
        };
        let one = rounds(1);
        assert!(one.len() > 1, "{name} needs refinement");
        for ranks in [2, 3, 5] {
            assert_eq!(rounds(ranks), one, "{name} on {ranks} ranks");
        }
    }
}

/// Only neighbours make a pair here, so joins over the components of other ranks are too much to decide by themselves.
#[test]
fn pairs_across_ranks_are_looked_at_one_by_one() {
    let text = std::fs::read_to_string(root().join("models/proof/philosophers.m")).expect("a model");
    for ranks in [2, 3] {
        let found = prove_text("philosophers", &text, "method=split const=N=5", ranks);
        assert_eq!(found.verdict, Verdict::Holds, "{ranks} ranks: {:?}", found.reason);
    }
}

#[test]
fn every_broken_variant_is_violated_with_an_execution() {
    for path in models("models/proof/broken") {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a model");
        for (ranks, words) in [(1, "method=split"), (3, "method=tmmcir")] {
            let found = prove_text(&name, &text, words, ranks);
            assert_eq!(found.verdict, Verdict::Violated, "{name}: {:?}", found.reason);
            // A trace that did not replay would have ended the run.
            assert!(found.checks.iter().any(|check| check.trace.is_some()), "{name}");
        }
    }
}

/// Also with more components than those of the models as they are.
#[test]
fn mistakes_of_more_components_are_found() {
    for path in models("models/proof/broken") {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a model");
        let found = prove_text(&name, &text, "const=N=6", 2);
        assert_eq!(found.verdict, Verdict::Violated, "{name}: {:?}", found.reason);
        let trace = found.checks.iter().find_map(|check| check.trace.as_ref()).expect("a trace");
        assert!(trace.steps.len() > 3, "{name}: {} steps", trace.steps.len());
    }
}

/// Of so many components that no machine code is made, and only those that took steps are looked at.
#[test]
fn mistakes_of_very_many_components_are_found() {
    for (model, steps) in [("mux_sem_no_test", 4), ("mux_sem_last_early_release", 5)] {
        let name = format!("models/proof/broken/{model}.m");
        let text = std::fs::read_to_string(&name).expect("a model");
        for ranks in [1, 2] {
            let found = prove_text(&name, &text, "const=N=600", ranks);
            assert_eq!(found.verdict, Verdict::Violated, "{name}: {:?}", found.reason);
            let trace = found.checks.iter().find_map(|check| check.trace.as_ref()).expect("a trace");
            assert_eq!(trace.steps.len(), steps + 1, "{name}: the start and what cannot be left out");
        }
    }
}

/// An assumption in a condition is nothing that sets are made of, and views are too many to be enumerated: what was proved is
/// not told as such. Where views are few, it is.
#[test]
fn a_proof_whose_certificate_cannot_be_checked_is_none() {
    let text = |most: u32| {
        format!(
            "type pid : 1..3; num : 0..{most};
            var place : array [pid] of num; mark : num; last : num; busy : boolean;
            function low(x : num) : boolean; begin assume x < {most}; return x < {most} - 1; end;
            startstate mark := 0; last := 0; busy := false; for i : pid do place[i] := 0; end; end;
            ruleset i : pid do
              rule \"up\" low(place[i]) & !busy ==>
                place[i] := place[i] + 1; mark := place[i]; busy := true; end;
              rule \"mark\" busy ==> last := mark; busy := false; end;
              rule \"back\" place[i] > 0 ==> place[i] := place[i] - 1; end;
            end;
            invariant \"not beyond\" forall i : pid do place[i] < {most} end;"
        )
    };
    for ranks in [1, 2] {
        let few = prove_text("few views", &text(5), "", ranks);
        assert_eq!(few.verdict, Verdict::Holds, "{:?}", few.reason);
        let many = prove_text("many views", &text(50), "", ranks);
        assert_eq!(many.verdict, Verdict::Unknown);
        let reason = many.reason.expect("a reason");
        assert!(reason.contains("could not be checked without the engine"), "{reason}");
        assert!(many.checks.iter().all(|check| check.verdict == Verdict::Unknown));
        let certificate = many.proof.expect("a proof was found").certificate.expect("a certificate");
        assert_eq!(certificate.by, CheckedBy::Engine);
        assert_eq!(certificate.reason.as_deref(), Some("a condition contains an assumption"));
    }
}

/// No walk gets there: four members have to step in turn, thirty times.
#[test]
fn what_walks_do_not_find_is_found_between_rounds() {
    let text = "type pid : 1..4;
        var steps : 0..30; place : array [pid] of boolean;
        startstate for i : pid do place[i] := false; end; steps := 0; end;
        ruleset i : pid do rule \"step\" true ==>
          place[i] := !place[i];
          if steps % 4 = i - 1 & steps < 30 then steps := steps + 1 else steps := 0 end;
        end; end;
        invariant \"not that far\" steps < 30;";
    for ranks in [1, 2] {
        let found = prove_text("in turn", text, "", ranks);
        assert_eq!(found.verdict, Verdict::Violated, "{:?}", found.reason);
        assert!(!found.proof.expect("a proof was begun").rounds.is_empty());
        let trace = found.checks.iter().find_map(|check| check.trace.as_ref()).expect("a trace");
        assert_eq!(trace.steps.len(), 31, "the start and thirty steps");
    }
}

#[test]
fn what_is_proved_of_random_processes_holds() {
    let seeds = processes::seeds(40);
    let all = seeds.end - seeds.start;
    let (mut proved, mut violated, mut open) = (0, 0, 0);
    for seed in seeds.start + 10_000..seeds.end + 10_000 {
        let text = processes::random_model(seed);
        let model = read(&format!("seed {seed}"), &text);
        let options = audit::Options {
            deadlock: audit::DeadlockMode::Off,
            max_states: Some(20_000),
            max_errors: u64::MAX,
            ..Default::default()
        };
        let oracle = brute(&model, &options, &mut |_| ControlFlow::Continue(()));
        let kinds = [CheckKind::Invariant, CheckKind::Fault];
        let wrong = oracle.checks.iter().any(|c| kinds.contains(&c.kind) && c.verdict == Verdict::Violated);
        let found = prove_text(&format!("seed {seed}"), &text, "method=split", 1 + (seed % 2) as u32);
        match found.verdict {
            Verdict::Holds => assert!(!wrong, "seed {seed}: proved, but violated\n{text}"),
            Verdict::Violated => {
                assert!(wrong, "seed {seed}: violated, but brute force finds nothing\n{text}")
            }
            _ => assert!(found.reason.is_some()),
        }
        proved += usize::from(found.verdict == Verdict::Holds);
        violated += usize::from(found.verdict == Verdict::Violated);
        if !matches!(found.verdict, Verdict::Holds | Verdict::Violated) {
            open += 1;
            eprintln!("seed {seed} is left open: {}", found.reason.as_deref().unwrap_or_default());
        }
    }
    eprintln!("{proved} proved, {violated} violated, {open} left open");
    assert!(all < 40 || proved > 0 && violated > 0, "{proved} proved, {violated} violated");
}

/// Sizes that nothing but the shared states of transparent components makes feasible.
#[test]
fn large_instances_are_proved() {
    for (name, words) in [
        ("mux_sem", "const=N=400 aux=place[*]=Critical aux=place[*]=Release"),
        ("german", "const=N=6"),
        ("german", "const=N=8"),
    ] {
        let text = std::fs::read_to_string(root().join(format!("models/proof/{name}.m"))).expect("a model");
        for ranks in [1, 2] {
            let found = prove_text(name, &text, words, ranks);
            assert_eq!(found.verdict, Verdict::Holds, "{name} {words}, {ranks} ranks: {:?}", found.reason);
        }
    }
}

/// The limit is noticed within operations that would take much longer.
#[test]
fn limits_are_kept_within_a_few_seconds() {
    let text = std::fs::read_to_string(root().join("models/proof/german.m")).expect("a model");
    let begin = std::time::Instant::now();
    let found = prove_text("german", &text, "const=N=40 time=1s", 2);
    assert_eq!(found.verdict, Verdict::Unknown);
    assert_eq!(found.reason.as_deref(), Some("out of time"));
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
}

/// Windows exclude each other, leave nothing out, and are about the same amount of work.
#[test]
fn a_directory_is_cut_into_windows_that_are_even() {
    let text = std::fs::read_to_string(root().join("models/proof/german.m")).expect("a model");
    let model = read("german.m", &text.replace("N : 2;", "N : 6;"));
    let parts = Parts::new(&model).expect("components");
    let starts = starts(&model).expect("start states");
    let found = thread::run(1, |comm| {
        let plan = Plan::new(&model, &parts, Vec::new(), 2);
        let space = Space::new(plan.bits(), 16 << 20);
        let setting = Setting {
            model: &model,
            options: Options::default(),
            parts: &parts,
            plan: &plan,
            space: &space,
            guarantee: Guarantee::Theta,
            tabulated: false,
            shortcut: false,
            spread_nodes: SPREAD_NODES,
            stop: &|| None,
        };
        let split = Split::new(setting, 0..parts.parts.len(), &starts).expect("relations");
        let split = converge(split, comm).expect("a split invariant");
        let home = &split.members.last().expect("the home").theta;
        let cut = |ranks: u32| {
            let windows = windows(setting, home, ranks).expect("room");
            assert_eq!(windows.len(), ranks as usize);
            for (at, window) in windows.iter().enumerate() {
                assert!(windows[..at].iter().all(|other| !window.meets(other).unwrap()), "{at} of {ranks}");
            }
            assert!(space.store.any(&windows).unwrap() == space.store.truth(), "{ranks} windows");
            windows.iter().map(|window| home.and(window).unwrap().nodes()).collect::<Vec<usize>>()
        };
        (home.nodes(), [1, 2, 3, 5].map(cut))
    });
    let (whole, cuts) = found.unwrap_or_else(|why| panic!("{why}")).remove(0);
    assert_eq!(cuts[0], [whole]);
    for sizes in &cuts[1..] {
        let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
        assert!(2 * most <= 3 * least && 4 * most < 3 * whole, "{cuts:?}");
    }
}

/// What is claimed of transparent components is not taken on trust.
#[test]
fn false_claims_of_transparent_components_are_noticed() {
    let text = std::fs::read_to_string(root().join("models/proof/mux_sem.m")).expect("a model");
    let model = read("mux_sem.m", &text);
    let parts = Parts::new(&model).expect("components");
    let given = |text: &str| parts.parse(&model, text).expect("a pattern");
    let auxiliaries = [given("place[*] = Critical"), given("place[*] = Release")].concat();
    let starts = starts(&model).expect("start states");
    let outcomes = thread::run(1, |comm| {
        let plan = Plan::new(&model, &parts, auxiliaries.clone(), 2);
        let space = Space::new(plan.bits(), 16 << 20);
        let setting = Setting {
            model: &model,
            options: Options::default(),
            parts: &parts,
            plan: &plan,
            space: &space,
            guarantee: Guarantee::Theta,
            tabulated: true,
            shortcut: true,
            spread_nodes: SPREAD_NODES,
            stop: &|| None,
        };
        let split = Split::new(setting, 0..parts.parts.len(), &starts).expect("relations");
        let split = converge(split, comm).expect("a split invariant");
        assert!(split.members.iter().all(|member| member.transparent));
        let (truth, start) = (space.store.truth().bytes(), split.start().bytes());
        let sound = Claims::of(&split);
        let with = |at: usize, bytes: &Vec<u8>| {
            let mut claims = Claims { own: sound.own.clone(), common: sound.common.clone() };
            match claims.own.get_mut(at) {
                Some(own) => own.1 = bytes.clone(),
                None => claims.common = bytes.clone(),
            }
            claims
        };
        let none = space.store.falsity().bytes();
        let common = parts.parts.len();
        let mut try_out = |claims: &Claims| match recheck(setting, comm, 0..common, claims, &starts) {
            Ok(()) => String::new(),
            Err(Doubt::Broken(why)) => why,
            Err(Doubt::Trouble(trouble)) => panic!("{trouble:?}"),
        };
        let tried = [
            Claims { own: sound.own.clone(), common: sound.common.clone() },
            with(common, &start),
            with(common, &none),
            with(common, &truth),
            with(1, &none),
            with(1, &sound.own[0].1),
            with(1, &sound.common),
        ];
        tried.iter().map(&mut try_out).collect::<Vec<String>>()
    });
    let outcomes = outcomes.unwrap_or_else(|why| panic!("{why}")).remove(0);
    let expected = ["", "common", "common", "may fail", "start", "own bits", "own bits"];
    for (found, expected) in outcomes.iter().zip(expected) {
        assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{outcomes:?}");
    }
}

#[test]
fn auxiliaries_can_be_given_by_pattern() {
    let text = std::fs::read_to_string(root().join("models/proof/mux_sem.m")).expect("a model");
    let model = read("mux_sem.m", &text);
    let parts = Parts::new(&model).expect("components");
    let all = parts.parse(&model, "place[*] = Critical").expect("a pattern");
    assert_eq!(all.len(), parts.parts.len());
    assert_eq!(parts.parse(&model, "place[2]=Release").expect("a slot").len(), 1);
    for wrong in ["place[*]", "place[*] = Nowhere", "nothing = 1", "free = true"] {
        assert!(parts.parse(&model, wrong).is_err(), "{wrong}");
    }
}
