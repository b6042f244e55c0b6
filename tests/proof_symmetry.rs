//! One component computed for all that differ by their names: thetas, verdicts, rounds and predicates are those of computing
//! each, and those of brute force; what only looks interchangeable is noticed, and would be wrong otherwise.

mod given;
mod thetas;
mod twins;

use std::sync::atomic::Ordering;

use given::{models, root};
use thetas::{COPIED, Ways, compare, prove_text, read, schedules, starts};

use verify::comm::thread;
use verify::compose::Parts;
use verify::compose::parts::Plan;
use verify::compose::proof::converge;
use verify::compose::renaming::{Names, Renaming};
use verify::compose::split::{Guarantee, SPREAD_NODES, Setting, Split};
use verify::compose::symmetry;
use verify::ir::Model;
use verify::ir::eval::Options;
use verify::report::document::Document;
use verify::symbolic::Space;
use verify::verdict::Verdict;

/// Runs something on the components of a model, without auxiliaries, on one rank.
fn on_one_rank<T: Send>(
    model: &Model,
    work: impl Fn(Setting<'_>, &mut dyn verify::comm::Comm) -> T + Sync,
) -> T {
    let run = |comm: &mut dyn verify::comm::Comm| {
        let parts = Parts::new(model).expect("components");
        let plan = Plan::new(model, &parts, Vec::new(), 1);
        let space = Space::new(plan.bits(), 16 << 20);
        let setting = Setting {
            model,
            options: Options::default(),
            parts: &parts,
            plan: &plan,
            space: &space,
            guarantee: Guarantee::Theta,
            tabulated: false,
            spread_nodes: SPREAD_NODES,
            shortcut: false,
            stop: &|| None,
        };
        work(setting, comm)
    };
    thread::run(1, run).unwrap_or_else(|why| panic!("{why}")).remove(0)
}

/// How many components are made from others, and what is said of those that are not.
fn copied(model: &Model) -> (usize, Vec<String>) {
    let starts = starts(model).expect("start states");
    on_one_rank(model, |setting, comm| {
        let split = symmetry::split(setting, comm, 0..setting.parts.parts.len(), &starts).expect("relations");
        let orbits = split.orbits.expect("orbits were asked for");
        (orbits.copied(), orbits.notes)
    })
}

#[test]
fn random_twins_have_the_split_invariants_of_brute_force() {
    let seeds = given("VERIFY_SEEDS").unwrap_or(60);
    let seeds = given("VERIFY_SEED").map_or(0..seeds, |seed| seed..seed + 1);
    let (all, mut small, mut found, mut alike) = (seeds.end - seeds.start, 0, 0, 0);
    for seed in seeds {
        let name = format!("seed {seed}");
        let twins = twins::random_twins(seed);
        let model = read(&name, &twins.text);
        small += u64::from(compare(&name, &model, if seed % 10 == 0 { schedules(2) } else { 0 }));
        let (copies, _) = copied(&model);
        alike += u64::from(twins.interchangeable);
        found += u64::from(twins.interchangeable && copies > 0);
        if twins.interchangeable && copies == 0 {
            eprintln!("seed {seed}: interchangeable, but not found to be");
        }
    }
    eprintln!(
        "{small} of {all} models were small enough; {found} of {alike} were found to be interchangeable"
    );
    assert!(all == 1 || small * 2 >= all, "{small} of {all} models were small enough");
    assert!(all == 1 || found * 10 >= alike * 9, "{found} of {alike}");
}

fn given(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn proof_model(name: &str) -> String {
    std::fs::read_to_string(root().join(format!("models/proof/{name}.m"))).expect("a model")
}

/// What is interchangeable in the models: all members of the semaphores and clients; those of Peterson's lock but the first,
/// which is named by the start state; none where the order of numbers decides, or where one sits the other way round.
#[test]
fn interchangeable_components_are_found_and_others_are_not() {
    for (name, expected) in [
        ("mux_sem", 3),
        ("mux_sem_last", 3),
        ("mux_sem_count", 2),
        ("german", 1),
        ("peterson", 1),
        ("bakery", 0),
        ("szymanski", 0),
        ("philosophers", 0),
    ] {
        let (copies, notes) = copied(&read(name, &proof_model(name)));
        assert_eq!(copies, expected, "{name}: {notes:?}");
        assert_eq!(notes.is_empty(), expected > 0, "{name}: {notes:?}");
        assert!(
            notes.iter().all(|note| note.contains("are not interchangeable: computed one by one")),
            "{notes:?}"
        );
    }
}

const RING: &str = "
  type SEAT : 0..2;
  var taken : array [SEAT] of boolean; place : array [SEAT] of 0..2; last : SEAT;
  startstate for s : SEAT do taken[s] := false; place[s] := 0; end; undefine last; end;
  ruleset s : SEAT do
    rule \"left\" place[s] = 0 & !taken[s] ==> taken[s] := true; place[s] := 1; end;
    rule \"right\" place[s] = 1 & !taken[(s + 1) % 3] ==> taken[(s + 1) % 3] := true; place[s] := 2; last := s; end;
    rule \"lay down\" place[s] = 2 ==> taken[s] := false; taken[(s + 1) % 3] := false; place[s] := 0; end;
  end;
  invariant \"neighbours\" forall s : SEAT do !(place[s] = 2 & place[(s + 1) % 3] = 2) end;";

/// Passing names round is enough, though no two can be exchanged.
#[test]
fn a_ring_is_computed_once() {
    let model = read("ring", RING);
    assert_eq!(copied(&model).0, 2);
    assert!(compare("ring", &model, schedules(4)));
}

const ALIKE: &str = "
  type PID : 1..3;
  var free : boolean; last : 0..3; place : array [PID] of 0..2; seen : array [PID] of boolean;
  startstate free := true; last := 0; for i : PID do place[i] := 0; seen[i] := false; end; end;
  ruleset i : PID do
    rule \"take\" place[i] = 0 & free ==> free := false; last := i; place[i] := 1; end;
    rule \"work\" place[i] = 1 ==> place[i] := 2; seen[i] := true; end;
    rule \"leave\" place[i] = 2 ==> free := true; place[i] := 0; end;
    rule \"look\" place[i] = 0 & exists j : PID do seen[j] end ==> seen[i] := false; end;
  end;
  rule \"forget\" last != 0 & free ==> last := 0; end;
  invariant \"p\" forall i : PID do place[i] = 1 -> last = i end;";

/// Each change favours a member in one place. It must be noticed, also where thetas come out alike by chance; to go by the names
/// all the same would be wrong of most: the planted fault.
#[test]
fn what_only_looks_alike_is_noticed_and_would_be_wrong() {
    let alike = read("alike", ALIKE);
    assert_eq!(copied(&alike), (2, Vec::new()));
    assert!(compare("alike", &alike, schedules(4)));
    assert!(trusting_is_right(&alike));
    let mut wrong = 0;
    for (old, new, expected) in [
        ("place[i] = 1 ==>", "place[i] = 1 & i != 2 ==>", 1),
        ("free := true; last := 0; for", "free := false; last := 1; for", 1),
        ("seen[i] := false; end; end;", "seen[i] := false; end; place[3] := 2; end;", 1),
        ("exists j : PID do seen[j] end", "exists j : PID do j < i & seen[j] end", 0),
        ("last != 0 & free", "last = 2 & free", 1),
        ("rule \"forget\" last != 0 & free ==> last := 0;", "rule \"forget\" free ==> place[1] := 2;", 1),
        ("place[i] := 2; seen[i]", "place[i] := 2; if i = 1 then clear free; end; seen[i]", 1),
        ("place[i] := 2; seen[i]", "place[i] := 2; if i = 3 then last := last + 1; end; seen[i]", 0),
    ] {
        assert!(ALIKE.contains(old), "{old}");
        let model = read(new, &ALIKE.replacen(old, new, 1));
        let (copies, notes) = copied(&model);
        assert_eq!(copies, expected, "{new}: {notes:?}");
        assert!(compare(new, &model, schedules(2)), "{new}");
        wrong += usize::from(!trusting_is_right(&model));
    }
    assert!(wrong >= 6, "{wrong} thetas would be wrong without the check");
}

/// Whether the first member's theta, and the errors in it, renamed without a check, are those of the second and the third.
fn trusting_is_right(model: &Model) -> bool {
    let starts = starts(model).expect("start states");
    on_one_rank(model, |setting, comm| {
        let ty = setting.parts.types[0].expect("members of one type");
        let split = Split::new(setting, 0..setting.parts.parts.len(), &starts).expect("relations");
        let split = converge(split, comm).expect("a split invariant");
        let names = Names::new(model, ty, &|_| true).expect("no multisets");
        let right = |to: usize| {
            let mut all = vec![0, 1, 2];
            all.swap(0, to);
            let renaming = Renaming::new(setting, &names, &[Some(0)], all);
            let owner = |slot: u32| setting.parts.owner[slot as usize].map(|part| part as usize);
            let becomes = |slot: u32| owner(slot).map(|part| renaming.part(part));
            if (0..model.slots.len() as u32).any(|slot| owner(renaming.slot(slot)) != becomes(slot)) {
                return false;
            }
            let mut lens = renaming.lens(0);
            let theta = |part: usize| split.theta(&split.members[part]).expect("room");
            let faults = |part: usize| {
                let each = split.members[part].relations.iter().map(|each| each.faults.clone());
                let any = setting.space.store.any(&each.collect::<Vec<_>>()).expect("room");
                any.and(&theta(part)).expect("room")
            };
            lens.diagram(&theta(0)).expect("room") == theta(to)
                && lens.diagram(&faults(0)).expect("room") == faults(to)
        };
        right(1) && right(2)
    })
}

/// Predicates, those added, turns, and what was left open.
type Round = (u64, Vec<String>, u64, Vec<String>);

/// All that a proof says, but for seconds, nodes and what was computed.
fn said(document: &Document) -> (Verdict, Option<String>, Vec<Round>) {
    let rounds = document.proof.iter().flat_map(|proof| &proof.rounds);
    let round = |round: &verify::verdict::figures::ProofRound| {
        (round.predicates, round.added.clone(), round.turns, round.open.clone())
    };
    (document.verdict, document.reason.clone(), rounds.map(round).collect())
}

#[test]
fn proofs_say_the_same_with_symmetry() {
    let names = models("models/proof").into_iter().chain(models("models/proof/broken"));
    let mut copied = 0;
    for path in names {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a model");
        for method in ["split", "tmmc", "tmmcir"] {
            let off = prove_text(&name, &text, &format!("method={method}"), 1);
            assert_eq!((off.symmetry.as_str(), &off.symmetry_note), ("off", &None));
            for ranks in [1, 2, 3] {
                let found = prove_text(&name, &text, &format!("method={method} symmetry=exact"), ranks);
                // Which execution is found first depends on chance and on the time it takes.
                match off.verdict {
                    Verdict::Violated => assert_eq!(found.verdict, off.verdict, "{name} {method} on {ranks}"),
                    _ => assert_eq!(said(&found), said(&off), "{name} {method} on {ranks}"),
                }
                assert_eq!(found.symmetry, "exact");
                let Some(proof) = &found.proof else { continue };
                let note = found.symmetry_note.expect("a note");
                assert!(
                    note.contains(&format!(" of {} components computed", proof.components)),
                    "{name}: {note}"
                );
                copied += proof.rounds.iter().map(|round| round.copied).sum::<u64>();
            }
        }
    }
    assert!(copied > 30, "{copied}");
}

/// Sizes at which components are looked at in groups, transparent and not; members beyond those tried in pairs.
#[test]
fn many_components_say_the_same_with_symmetry() {
    for (name, words, copied) in [
        ("mux_sem", "const=N=60", [59, 0].as_slice()),
        ("mux_sem_last", "const=N=50", &[49]),
        ("mux_sem_last", "const=N=30 method=tmmcir", &[29, 0]),
        ("mux_sem_count", "const=N=40", &[39, 39]),
        ("german", "const=N=5", &[4, 0]),
        ("peterson", "const=N=4", &[2]),
        ("szymanski", "const=N=5", &[0, 0, 0, 0]),
    ] {
        let text = proof_model(name);
        let off = prove_text(name, &text, words, 1);
        for ranks in [1, 2, 5] {
            let found = prove_text(name, &text, &format!("{words} symmetry=exact"), ranks);
            assert_eq!(said(&found), said(&off), "{name} {words} on {ranks}");
            let rounds = found.proof.expect("figures").rounds;
            let seen: Vec<u64> = rounds.iter().map(|round| round.copied).collect();
            assert_eq!(seen, copied, "{name} {words} on {ranks}");
        }
    }
}

/// An auxiliary of one member tells it from the others.
#[test]
fn an_auxiliary_of_one_member_is_noticed() {
    let text = proof_model("mux_sem");
    let found = prove_text("mux_sem", &text, "aux=place[2]=Critical rounds=0 symmetry=exact", 2);
    assert_eq!(found.symmetry_note.as_deref(), Some("2 of 4 components computed, 2 made from these"));
    let note = prove_text("szymanski", &proof_model("szymanski"), "symmetry=exact", 1).symmetry_note;
    let expected =
        "3 of 3 components computed; components of 1..3 are not interchangeable: computed one by one";
    assert_eq!(note.as_deref(), Some(expected));
}

/// The sets of transparent components and of others are copied in one run, on every rank.
#[test]
fn both_kinds_of_components_are_copied() {
    let before = COPIED.load(Ordering::Relaxed);
    let model = read("german", &proof_model("german"));
    for shortcut in [false, true] {
        let ways =
            |symmetric| Ways { guarantee: Guarantee::Theta, shortcut, symmetric, spread_nodes: SPREAD_NODES };
        let run = |symmetric: bool, ranks: u32| {
            let all = thread::run(ranks, |comm| thetas::thetas(comm, &model, &[], ways(symmetric), None));
            all.unwrap_or_else(|why| panic!("{why}")).into_iter().flatten().collect::<Vec<_>>()
        };
        let one = run(false, 1);
        for ranks in [1, 2, 3, 5] {
            assert!(run(true, ranks) == one, "{ranks} ranks, shortcut {shortcut}");
        }
    }
    assert!(COPIED.load(Ordering::Relaxed) > before);
}
