//! The typed representation from outside: footprints, components, multisets, symmetry, printing, replay.

use std::ops::ControlFlow;

use verify::audit::{self, ReplayError, symmetry::Symmetry};
use verify::ir::component::{Owner, components};
use verify::ir::eval::{Machine, Step};
use verify::ir::footprint::{footprint, instance_footprint};
use verify::ir::{Instance, Model, RuleId, Slot, UNDEFINED};
use verify::lower::{Constants, lower};
use verify::syntax::{Source, parse};
use verify::verdict::Verdict;

fn try_model(text: &str) -> Result<Model, String> {
    let source = Source::new("m.m", text);
    let tree = parse(&source).map_err(|said| said.render(&source))?;
    let lowered = lower(&tree, &source, &Constants::none()).map_err(|said| said.render(&source))?;
    Ok(lowered.model)
}

fn model(text: &str) -> Model {
    try_model(text).unwrap_or_else(|said| panic!("{said}"))
}

fn paths(model: &Model, slots: impl Iterator<Item = u32>) -> Vec<String> {
    slots.map(|slot| model.slot_path(Slot(slot))).collect()
}

const LOCK: &str = "
type node : scalarset(3);
var pc : array [node] of record at : 0..2; seen : boolean; end;
    lock : boolean; holder : node; clock : 0..1;
procedure enter(i : node); begin pc[i].at := 2; holder := i; end;
startstate begin lock := false; clock := 0; for i : node do pc[i].at := 0; pc[i].seen := false; end; end;
ruleset i : node do
  rule \"enter\" pc[i].at = 1 & !lock ==> begin lock := true; enter(i); end;
  alias me : pc[i] do
    rule \"try\" me.at = 0 ==> begin me.at := 1; end;
    rule \"leave\" me.at = 2 & holder = i ==> begin me.at := 0; lock := false; pc[holder].seen := true; end;
  end;
end;
rule \"tick\" begin clock := 1 - clock; end;";

#[test]
fn footprints_follow_parameters_aliases_and_calls() {
    let model = model(LOCK);
    let enter = instance_footprint(&model, &model.rules[0], 1);
    assert_eq!(paths(&model, enter.reads.iter()), ["pc[node_2].at", "lock"]);
    assert_eq!(paths(&model, enter.writes.iter()), ["pc[node_2].at", "lock", "holder"]);
    let try_ = instance_footprint(&model, &model.rules[1], 2);
    assert_eq!(paths(&model, try_.writes.iter()), ["pc[node_3].at"]);
    let leave = instance_footprint(&model, &model.rules[2], 0);
    let writes = paths(&model, leave.writes.iter());
    assert!(writes.contains(&"pc[node_3].seen".to_string()), "an index that is not known is any: {writes:?}");
    assert!(!writes.contains(&"pc[node_2].at".to_string()));
    let all = footprint(&model, &model.rules[1], &[]);
    assert_eq!(all.writes.len(), 3);
}

/// Every slot whose change could be seen is in the footprint: runs only touch what it says.
#[test]
fn footprints_cover_every_run() {
    let model = model(LOCK);
    let mut machine = Machine::new(&model, Default::default());
    let mut states = vec![machine.start(0, 0).unwrap().unwrap()];
    let mut at = 0;
    while at < states.len() {
        let state = states[at].clone();
        at += 1;
        for instance in model.all_instances() {
            let Ok(Step::Next(next)) = machine.step(&state, instance) else { continue };
            let allowed = instance_footprint(&model, model.rule(instance.rule), instance.index);
            let changed = (0..state.len()).filter(|&slot| state[slot] != next[slot]);
            assert!(changed.into_iter().all(|slot| allowed.writes.contains(slot as u32)));
            if !states.contains(&next) {
                states.push(next);
            }
        }
    }
    assert!(states.len() > 20);
}

#[test]
fn slots_are_local_shared_or_the_systems() {
    let model = model(LOCK);
    let components = components(&model);
    let owner = |path: &str| {
        let slot = (0..model.slots.len()).find(|&slot| model.slot_path(Slot(slot as u32)) == path).unwrap();
        components.owners[slot]
    };
    assert_eq!(components.processes.len(), 1);
    assert_eq!(owner("pc[node_2].at"), Owner::Local { process: 0, index: 1 });
    assert_eq!(owner("pc[node_2].seen"), Owner::Shared);
    assert_eq!(owner("lock"), Owner::Shared);
    assert_eq!(owner("clock"), Owner::System);
    let text = components.print(&model);
    assert!(text.contains("node[node_3]: pc[node_3].at"), "{text}");
}

#[test]
fn process_blocks_name_components() {
    let model = model(
        "type n : scalarset(2); var a : array [n] of boolean; b : array [n] of boolean;
         startstate begin for i : n do a[i] := false; b[i] := false; end; end;
         process \"Client\" i : n do rule \"a\" begin a[i] := !a[i]; end; end;
         ruleset i : n do rule \"b\" begin b[i] := !b[i]; end; end;",
    );
    let components = components(&model);
    assert_eq!(components.processes[0].name, "Client");
    assert_eq!(
        components.owners,
        [
            Owner::Local { process: 0, index: 0 },
            Owner::Local { process: 0, index: 1 },
            Owner::System,
            Owner::System,
        ]
    );
}

#[test]
fn equal_multisets_are_equal_states() {
    let model = model(
        "var net : multiset [3] of 0..5;
         startstate begin undefine net; end;
         ruleset i : 0..5 do rule \"add\" begin multisetadd(i, net); end; end;
         choose m : net do rule \"take\" begin multisetremove(m, net); end; end;",
    );
    let mut machine = Machine::new(&model, Default::default());
    let empty = machine.start(0, 0).unwrap().unwrap();
    let mut add =
        |state: &[i64], value: u64| match machine.step(state, Instance { rule: RuleId(0), index: value }) {
            Ok(Step::Next(next)) => next,
            other => panic!("{other:?}"),
        };
    let one = add(&empty, 3);
    let other = add(&empty, 1);
    let (a, b) = (add(&one, 1), add(&other, 3));
    assert_eq!(a, b);
    assert_eq!(*a, [1, 1, 1, 3, UNDEFINED, UNDEFINED]);
    let take = |machine: &mut Machine<'_>, index| machine.step(&a, Instance { rule: RuleId(1), index });
    assert_eq!(take(&mut machine, 0), Ok(Step::Next(one)));
    assert_eq!(take(&mut machine, 2), Ok(Step::Disabled));
}

#[test]
fn traces_show_elements_not_positions() {
    let model = model(
        "type msg : record kind : enum { req, ack }; n : 0..3; end;
         var net : multiset [3] of msg; last : msg;
         startstate begin undefine net; end;",
    );
    let u = UNDEFINED;
    let before = [1, 0, 2, 1, 1, u, u, u, u, u, u];
    let after = [1, 0, 1, 1, 0, 2, u, u, u, u, 3];
    let found = verify::ir::print_state::differences(&model, &before, &after);
    let shown: Vec<String> = found.iter().map(|d| format!("{} {:?} {:?}", d.path, d.from, d.to)).collect();
    assert_eq!(
        shown,
        [
            "net{} Some(\"{kind: ack}\") None",
            "net{} None Some(\"{kind: req, n: 1}\")",
            "last.n None Some(\"3\")",
        ]
    );
}

#[test]
fn canonical_states_are_one_for_each_orbit() {
    let model = model(
        "type n : scalarset(3); home : enum { H }; any : union { n, home };
         var a : array [n] of any; s : multiset [2] of n; own : n;
         startstate begin undefine a; end;",
    );
    let symmetry = Symmetry::new(&model).unwrap();
    assert_eq!(symmetry.order(), 6);
    let u = UNDEFINED;
    let state = [1, 3, u, 1, 0, 1, 2, 2];
    let orbit = symmetry.orbit(&state);
    assert_eq!(orbit.len(), 6);
    let canonical = symmetry.canonical(&state);
    assert!(orbit.iter().all(|each| symmetry.canonical(each) == canonical));
    assert_eq!(canonical, orbit[0]);
    assert_eq!(symmetry.orbit(&[3, 3, 3, u, u, u, u, u]).len(), 1);
}

#[test]
fn a_wrong_trace_does_not_replay() {
    let model = model(
        "var x : 0..5; startstate begin x := 0; end;
         rule \"up\" x < 5 ==> begin x := x + 1; end; invariant \"small\" x < 2;",
    );
    let options = audit::Options::default();
    let report = audit::brute(&model, &options, &mut |_| ControlFlow::Continue(()));
    assert_eq!(report.verdict, Verdict::Violated);
    let trace = report.checks[0].trace.clone().unwrap();
    assert_eq!(audit::replay(&model, &options, &trace), Ok(()));
    let mut wrong = trace.clone();
    wrong.steps[1].state[0] = 4;
    assert_eq!(audit::replay(&model, &options, &wrong), Err(ReplayError::OtherState(1)));
    let mut wrong = trace.clone();
    wrong.steps[1].step.rule = 9;
    assert_eq!(audit::replay(&model, &options, &wrong), Err(ReplayError::Unknown(1)));
    let mut short = trace.clone();
    short.steps.pop();
    assert_eq!(audit::replay(&model, &options, &short), Err(ReplayError::NoViolation));
    short.steps.clear();
    assert_eq!(audit::replay(&model, &options, &short), Err(ReplayError::Empty));
}

#[test]
fn progress_may_end_a_search() {
    let model =
        model("var x : 0..99999; startstate begin x := 0; end; rule \"up\" begin x := (x + 1) % 99999; end;");
    let mut calls = 0;
    let report = audit::brute(&model, &audit::Options::default(), &mut |progress| {
        calls += 1;
        assert!(progress.states > 0);
        ControlFlow::Break("enough".to_string())
    });
    assert_eq!((report.verdict, report.reason.as_deref(), calls), (Verdict::Unknown, Some("enough"), 1));
}

#[test]
fn digests_do_not_depend_on_order() {
    let one = model("var x : 0..3; startstate begin x := 0; end; rule \"up\" begin x := (x + 1) % 4; end;");
    let two = model("var x : 0..3; startstate begin x := 2; end; rule \"down\" begin x := (x + 3) % 4; end;");
    let digest =
        |model| audit::brute(model, &audit::Options::default(), &mut |_| ControlFlow::Continue(())).digest;
    assert_eq!(digest(&one), digest(&two));
}

#[test]
fn everything_prints_in_the_models_words() {
    let text = verify::ir::print::print(&model(LOCK));
    for part in [
        "rule \"enter\"",
        "for i: node",
        "((pc[i].at = 1) & !lock)",
        "me at pc[i]",
        "pc[holder].seen := true",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

/// Sums, types and tables of any size end in a model or a located error, on an ordinary stack.
#[test]
fn depth_and_size_are_bounded() {
    let frame = |value: &str| {
        format!(
            "var x : 0..1; startstate begin x := 0; end; rule \"r\" {value} = 1 ==> begin x := 1 - x; end;"
        )
    };
    let sum = |terms: usize| vec!["x"; terms].join(" + ");
    let long = model(&frame(&sum(900)));
    assert!(verify::ir::print::print(&long).len() > 900);
    let report = audit::brute(&long, &audit::Options::default(), &mut |_| ControlFlow::Continue(()));
    assert_eq!(report.counts.states, 1);
    assert!(!components(&long).print(&long).is_empty());
    let refused = try_model(&frame(&sum(100_000))).unwrap_err();
    assert!(refused.contains("nests more than 1000 deep"), "{refused}");
    let towers =
        (0..100).fold("x".to_string(), |inner, _| format!("(({inner} + {}) * {})", sum(60), sum(60)));
    assert!(try_model(&frame(&towers)).is_err());
    let both = vec!["x = 0"; 50_000].join(" & ");
    let wide = model(&format!("var x : 0..1; startstate begin x := 0; end; invariant {both};"));
    assert_eq!(wide.properties.len(), 1);

    let chain = |first: &str, link: &str, count: usize| {
        let mut text = format!("type t0 : {first};\n");
        (1..count).for_each(|at| {
            text.push_str(&format!("t{at} : {};\n", link.replace('#', &(at - 1).to_string())))
        });
        format!("{text} var x : t{}; startstate begin clear x; end;", count - 1)
    };
    assert!(
        try_model(&chain("boolean", "record a : t#; end", 100_000)).unwrap_err().contains("nest more than")
    );
    assert!(model(&chain("boolean", "record a : t#; end", 150)).slots.len() == 1);
    let empty = model(&chain("array [3..2] of boolean", "record a : t#; b : t#; end", 100));
    assert!(empty.slots.is_empty());
    Symmetry::new(&empty).unwrap();
    assert!(
        try_model(&chain("boolean", "record a : t#; b : t#; end", 100)).unwrap_err().contains("too large")
    );
}

/// Texts with very many names, rules, functions or errors are read in reasonable time.
#[test]
fn large_texts_are_no_trouble() {
    let many = |count: usize, each: &str| -> String {
        (0..count).map(|at| each.replace('#', &at.to_string())).collect()
    };
    let start = "startstate begin x0 := 0; end;\n";
    let vars = many(20_000, "var x# : 0..3;\n");
    let wrong = many(20_000, "rule y# = z# ==> begin x0 := w#; end;\n");
    assert!(try_model(&format!("{vars}{start}{wrong}")).unwrap_err().contains("more"));
    let rules = many(
        20_000,
        "fair ruleset i : 0..1 do rule x# = i ==> begin x# := 1 - i; end; end; invariant x# < 4;\n",
    );
    assert_eq!(model(&format!("{vars}{start}{rules}")).rules.len(), 20_000);
    let mut chain = "var x0 : 0..3; function f0(): boolean; begin x0 := 1; return true; end;\n".to_string();
    (1..10_000).for_each(|at| {
        chain.push_str(&format!("function f{at}(): boolean; begin return f{}(); end;\n", at - 1))
    });
    let chain = model(&format!("{chain}{start} rule f9999() ==> begin x0 := 0; end;"));
    assert!(!chain.rules[0].guard_pure);
    let report = audit::brute(&chain, &audit::Options::default(), &mut |_| ControlFlow::Continue(()));
    assert_eq!(report.verdict, Verdict::Violated);
    let record = format!(
        "var x0 : 0..1; r : record {} end; e : enum {{ {} }};",
        many(20_000, "f# : boolean;"),
        many(20_000, "m#,")
    );
    assert_eq!(model(&format!("{record}{start}")).slots.len(), 20_002);
}

/// All reachable states, by the plainest search there is.
fn reachable(model: &Model) -> std::collections::BTreeSet<Vec<i64>> {
    let mut machine = Machine::new(model, Default::default());
    let mut open: Vec<Vec<i64>> = Vec::new();
    for at in 0..model.starts.len() {
        for index in 0..model.instances(&model.starts[at]) {
            open.extend(machine.start(at, index).unwrap().map(|state| state.to_vec()));
        }
    }
    let mut seen: std::collections::BTreeSet<Vec<i64>> = open.iter().cloned().collect();
    while let Some(state) = open.pop() {
        machine.successors(&state, |_, step| {
            if let Ok(Step::Next(next)) = step
                && seen.insert(next.to_vec())
            {
                open.push(next.to_vec());
            }
        });
    }
    seen
}

/// Orbits partition the reachable states, and the search with symmetry finds one state of each.
#[test]
fn orbits_add_up_to_all_states() {
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/audit");
    let read = |name: &str| std::fs::read_to_string(golden.join(name)).unwrap();
    let files =
        ["scalarset_symmetric.m", "scalarset_two_kinds.m", "union_symmetric.m", "multiset_symmetric.m"];
    for text in files.iter().map(|name| read(name)).chain([LOCK.to_string()]) {
        let model = model(&text);
        let symmetry = Symmetry::new(&model).unwrap();
        let states = reachable(&model);
        let canonical: std::collections::BTreeSet<_> =
            states.iter().map(|state| symmetry.canonical(state)).collect();
        let total: usize = canonical.iter().map(|state| symmetry.orbit(state).len()).sum();
        assert_eq!(total, states.len());
        let mut options = audit::Options::default();
        for (mode, expected) in
            [(audit::SymmetryMode::Off, states.len()), (audit::SymmetryMode::Exhaustive, canonical.len())]
        {
            options.symmetry = mode;
            options.deadlock = audit::DeadlockMode::Off;
            let report = audit::brute(&model, &options, &mut |_| ControlFlow::Continue(()));
            assert_eq!(report.counts.states as usize, expected);
        }
    }
}
