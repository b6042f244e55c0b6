//! Responses under fairness: the oracle against the bare definition, and the ranks against the oracle.
//!
//! Random small models are made as data, run here by their bare meaning, and written as text for everyone else. By
//! definition a response fails when some set of pending states is strongly connected and keeps every promise of
//! fairness; here all sets are tried.

use std::cell::RefCell;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;

use verify::audit::{self, DeadlockMode};
use verify::base::prng::Prng;
use verify::comm::{Comm, thread};
use verify::compile::{Interpreter, Layout, Owners, Setup, Steps};
use verify::exchange;
use verify::explore::balance::Balance;
use verify::explore::frontier::Frontier;
use verify::explore::sequel::{Sequel, Stage};
use verify::explore::{self, Limits, Observer, Outside, Remember, Settings, TakeIn};
use verify::ir::Model;
use verify::job::reaches::Reaches;
use verify::job::responses::{Judgement, Responses};
use verify::lower::{Constants, lower};
use verify::property::response::{self, Rounds, Seeds, Study};
use verify::sim;
use verify::syntax::{Source, parse};
use verify::verdict::{CheckKind, Report, Verdict};

const RADIX: [u8; 3] = [3, 3, 2];
const FAIRNESS: [&str; 3] = ["", "fair ", "strong fair "];
/// More pending states than this have too many subsets.
const PENDING_MAX: usize = 11;

type State = [u8; 3];
/// A conjunction of `variable = value`.
type Test = Vec<(usize, u8)>;

#[derive(Clone, Debug)]
struct RuleSpec {
    guard: Test,
    /// With a parameter: the variable that must equal it.
    guard_param: Option<usize>,
    assign: Vec<(usize, Value)>,
    fairness: usize,
    /// The number and fairness of the ruleset around it.
    ruleset: Option<(usize, usize)>,
}

#[derive(Clone, Copy, Debug)]
enum Value {
    Constant(u8),
    Next,
    Param,
}

#[derive(Clone, Debug)]
struct Spec {
    rules: Vec<RuleSpec>,
    states: Vec<(Option<Test>, Test)>,
    claim: Test,
    target: Test,
    /// The property stands in a ruleset, and this variable must equal its parameter for the claim to hold.
    claim_param: Option<usize>,
}

fn test(prng: &mut Prng, terms: u64) -> Test {
    (0..prng.below(terms + 1))
        .map(|_| {
            let var = prng.index(3);
            (var, prng.below(u64::from(RADIX[var])) as u8)
        })
        .collect()
}

fn spec(seed: u64) -> Spec {
    let mut prng = Prng::new(seed);
    let mut rules = Vec::new();
    let mut rulesets = 0;
    for _ in 0..2 + prng.below(4) {
        let ruleset = prng.chance(35).then(|| {
            rulesets += 1;
            (rulesets, prng.index(3))
        });
        for _ in 0..1 + u64::from(ruleset.is_some() && prng.chance(40)) {
            let assign = (0..1 + prng.below(2)).map(|_| {
                let var = prng.index(3);
                let value = match prng.below(3) {
                    0 => Value::Constant(prng.below(u64::from(RADIX[var])) as u8),
                    1 if ruleset.is_some() => Value::Param,
                    _ => Value::Next,
                };
                (var, value)
            });
            let assign = assign.collect();
            let guard_param = (ruleset.is_some() && prng.chance(50)).then(|| prng.index(3));
            rules.push(RuleSpec {
                guard: test(&mut prng, 2),
                guard_param,
                assign,
                fairness: prng.index(3),
                ruleset,
            });
        }
    }
    let states = (0..prng.below(3).saturating_sub(1))
        .map(|_| {
            let premise = prng.chance(50).then(|| test(&mut prng, 1));
            (premise, test(&mut prng, 1))
        })
        .collect();
    let mut target = test(&mut prng, 2);
    if target.is_empty() {
        target.push((0, 2));
    }
    let claim = test(&mut prng, 2);
    let claim_param = prng.chance(30).then(|| prng.index(3));
    Spec { rules, states, claim, target, claim_param }
}

fn words(test: &Test) -> String {
    let terms: Vec<String> = test.iter().map(|(var, value)| format!("v{var} = {value}")).collect();
    if terms.is_empty() { "true".to_string() } else { terms.join(" & ") }
}

fn text(spec: &Spec) -> String {
    let mut out = String::from("var v0 : 0..2; v1 : 0..2; v2 : 0..1;\n");
    out += "startstate begin v0 := 0; v1 := 0; v2 := 0; end;\n";
    let mut open = None;
    for (at, rule) in spec.rules.iter().enumerate() {
        let number = rule.ruleset.map(|(number, _)| number);
        if open.is_some() && open != number {
            out += "end;\n";
        }
        if let Some((number, fairness)) = rule.ruleset
            && open != Some(number)
        {
            out += &format!("{}ruleset i : 0..1 do\n", FAIRNESS[fairness]);
        }
        open = number;
        let param = rule.guard_param.map_or(String::new(), |var| format!(" & v{var} = i"));
        out += &format!("{}rule \"r{at}\" {}{param} ==> begin ", FAIRNESS[rule.fairness], words(&rule.guard));
        for (var, value) in &rule.assign {
            out += &match value {
                Value::Constant(value) => format!("v{var} := {value}; "),
                Value::Next => format!("v{var} := (v{var} + 1) % {}; ", RADIX[*var]),
                Value::Param => format!("v{var} := i; "),
            };
        }
        out += "end;\n";
    }
    if open.is_some() {
        out += "end;\n";
    }
    for (premise, conclusion) in &spec.states {
        match premise {
            None => out += &format!("fair \"f\" {};\n", words(conclusion)),
            Some(premise) => {
                out += &format!("strong fair \"f\" {} -> {};\n", words(premise), words(conclusion))
            }
        }
    }
    let (claim, target) = (words(&spec.claim), words(&spec.target));
    out + &match spec.claim_param {
        None => format!("liveness \"response\" {claim} LEADSTO {target};\n"),
        Some(var) => {
            format!("ruleset i : 0..1 do liveness \"response\" {claim} & v{var} = i LEADSTO {target}; end;\n")
        }
    }
}

/// The claims of all instances of the property.
fn claims(spec: &Spec) -> Vec<Test> {
    let with = |(var, value): (usize, u8)| spec.claim.iter().copied().chain([(var, value)]).collect();
    match spec.claim_param {
        None => vec![spec.claim.clone()],
        Some(var) => (0..2).map(|value| with((var, value))).collect(),
    }
}

fn holds(test: &Test, state: State) -> bool {
    test.iter().all(|&(var, value)| state[var] == value)
}

fn next(rule: &RuleSpec, param: u8, state: State) -> Option<State> {
    let by_param = rule.guard_param.is_none_or(|var| state[var] == param);
    (by_param && holds(&rule.guard, state)).then(|| {
        let mut next = state;
        for &(var, value) in &rule.assign {
            next[var] = match value {
                Value::Constant(value) => value,
                Value::Next => (next[var] + 1) % RADIX[var],
                Value::Param => param,
            };
        }
        next
    })
}

fn params(rule: &RuleSpec) -> std::ops::Range<u8> {
    if rule.ruleset.is_some() { 0..2 } else { 0..1 }
}

fn closure(from: Vec<State>, spec: &Spec, stay: impl Fn(State) -> bool) -> Vec<State> {
    let mut states = from;
    let mut at = 0;
    while at < states.len() {
        let from = states[at];
        for rule in &spec.rules {
            for to in params(rule).filter_map(|param| next(rule, param, from)) {
                if stay(to) && !states.contains(&to) {
                    states.push(to);
                }
            }
        }
        at += 1;
    }
    states
}

/// Every fair action: its instances and whether it is strong.
fn actions(spec: &Spec) -> Vec<(Vec<(usize, u8)>, bool)> {
    let mut actions = Vec::new();
    for (at, rule) in spec.rules.iter().enumerate() {
        if rule.fairness > 0 {
            actions.extend(params(rule).map(|param| (vec![(at, param)], rule.fairness == 2)));
        }
    }
    let numbers = spec.rules.iter().filter_map(|rule| rule.ruleset).filter(|&(_, fairness)| fairness > 0);
    let mut numbers: Vec<(usize, usize)> = numbers.collect();
    numbers.dedup();
    for ruleset in numbers {
        let inside = spec.rules.iter().enumerate().filter(|(_, rule)| rule.ruleset == Some(ruleset));
        let instances = inside.flat_map(|(at, rule)| params(rule).map(move |param| (at, param)));
        actions.push((instances.collect(), ruleset.1 == 2));
    }
    actions
}

/// The verdict by definition of the response to one claim; none where there are too many sets to try.
fn by_definition(spec: &Spec, claim: &Test) -> Option<Verdict> {
    let reachable = closure(vec![[0; 3]], spec, |_| true);
    let unanswered = |state: State| !holds(&spec.target, state);
    let seeds = reachable.iter().copied().filter(|&state| holds(claim, state) && unanswered(state));
    let pending = closure(seeds.collect(), spec, unanswered);
    if pending.len() > PENDING_MAX {
        return None;
    }
    let fair = (1u32..1 << pending.len()).any(|set| {
        let members: Vec<State> =
            (0..pending.len()).filter(|at| set >> at & 1 != 0).map(|at| pending[at]).collect();
        connected(spec, &members) && fair(spec, &members)
    });
    Some(if fair { Verdict::Violated } else { Verdict::Holds })
}

fn connected(spec: &Spec, members: &[State]) -> bool {
    members.iter().all(|&from| closure(vec![from], spec, |to| members.contains(&to)).len() == members.len())
}

fn fair(spec: &Spec, members: &[State]) -> bool {
    let actions = actions(spec).into_iter().all(|(instances, strong)| {
        let step = |state: State, &(rule, param): &(usize, u8)| next(&spec.rules[rule], param, state);
        let enabled = |state: &State| instances.iter().any(|instance| step(*state, instance).is_some());
        let leads_inside = |state: &State| {
            instances.iter().filter_map(|instance| step(*state, instance)).any(|to| members.contains(&to))
        };
        let taken = members.iter().any(leads_inside);
        let asked = if strong { members.iter().any(enabled) } else { members.iter().all(enabled) };
        taken || !asked
    });
    let some = |test: &Test| members.iter().any(|&state| holds(test, state));
    let states = |(premise, conclusion): &(Option<Test>, Test)| {
        some(conclusion) || premise.as_ref().is_some_and(|premise| !some(premise))
    };
    actions && spec.states.iter().all(states)
}

fn model(name: &str, text: String, constants: &Constants) -> Model {
    let source = Source::from_bytes(name.to_string(), text.into_bytes()).unwrap();
    let tree = parse(&source).unwrap_or_else(|said| panic!("{}", said.render(&source)));
    lower(&tree, &source, constants).unwrap_or_else(|said| panic!("{}", said.render(&source))).model
}

fn options() -> audit::Options {
    audit::Options { deadlock: DeadlockMode::Off, max_errors: 1_000, ..audit::Options::default() }
}

fn oracle(model: &Model) -> Report {
    let report = audit::brute(model, &options(), &mut |_| ControlFlow::Continue(()));
    for check in report.checks.iter().filter(|check| check.kind == CheckKind::Liveness) {
        assert_eq!(
            check.lasso.is_some() || check.trace.is_some(),
            check.verdict == Verdict::Violated,
            "{check:?}"
        );
        if let Some(lasso) = &check.lasso {
            assert_eq!(audit::replay_lasso(model, &options(), lasso), Ok(()), "{lasso:#?}");
        }
    }
    report
}

fn verdict_of(report: &Report, name: &str) -> Verdict {
    report.checks.iter().find(|check| check.name == name).unwrap().verdict
}

/// Odd batches go with owners by locality.
fn settings(comm: &dyn Comm, model: &Model, batch: u32) -> Settings {
    Settings {
        exchange: exchange::Settings { batch_items_max: batch, credits: 2, ..Default::default() },
        owners: match batch % 2 {
            1 => Owners::by_locality(model, &Layout::new(model), comm.ranks()),
            _ => Owners::by_hash(comm.ranks()),
        },
        balance: Balance { factor: 0 },
        remember: Remember::Whole,
        by_levels: false,
        finder_expands: false,
        take_in: TakeIn::Auto,
        limits: Limits { findings: 1_000, ..Limits::of_memory(1 << 30) },
    }
}

/// One rank's part of a distributed check: what was judged of each property, at rank 0.
fn search(comm: &mut dyn Comm, model: &Model, study: Study, batch: u32) -> Option<Vec<(u32, Verdict, bool)>> {
    let mut steps = Interpreter::new(model, Setup::default());
    let goals = response::goals(model, batch > 50);
    let queues = goals.iter().map(|_| Frontier::new(steps.words(), 1 << 20, None)).collect();
    let (seeds, queues) = Seeds::new(goals.clone(), queues);
    let mut responses = Responses::new(model, options().eval, goals, queues, study);
    let mut observers: Vec<Box<dyn Observer>> = vec![Box::new(seeds)];
    let settings = settings(comm, model, batch);
    let outside = Outside { stop: &|| false, moment: &mut |_| {} };
    explore::search_then(comm, &mut steps, &mut observers, &settings, outside, Some(&mut responses))
        .unwrap()?;
    assert!(responses.ran);
    let instances = verify::compile::Instances::new(model);
    let mut told = audit::Outcome::default();
    let mut machine = verify::ir::eval::Machine::new(model, options().eval);
    let mut judged = Vec::new();
    for (goal, judgement, outcome) in &responses.judged {
        let verdict = match judgement {
            Judgement::Holds => Verdict::Holds,
            Judgement::Open(why) => panic!("{why}"),
            Judgement::Violated { path, cycle } => {
                let (rule, index) = instances.start(path[0]);
                let mut real = vec![verify::verdict::StepRef { rule: rule as u32, index }];
                real.extend(path[1..].iter().map(|&number| {
                    let instance = instances.instance(number);
                    verify::verdict::StepRef { rule: instance.rule.0, index: instance.index }
                }));
                let ending = verify::verdict::Ending::Never { property: goal.property, index: goal.index };
                told.note_lasso(model, &mut machine, &real, cycle, ending);
                Verdict::Violated
            }
        };
        judged.push((goal.property, verdict, outcome.pending > 0));
    }
    let report = told.report(model, &options(), Default::default(), String::new(), &[], None);
    for lasso in report.checks.iter().filter_map(|check| check.lasso.as_ref()) {
        assert_eq!(audit::replay_lasso(model, &options(), lasso), Ok(()), "{lasso:#?}");
    }
    Some(judged)
}

fn study(seed: u64) -> Study {
    Study {
        saved_expansions: seed & 1 == 0,
        dynamic_kernel: seed & 2 == 0,
        predecessor_counting: seed & 4 == 0,
    }
}

fn together(judged: &[(u32, Verdict, bool)], property: u32) -> Verdict {
    let violated = judged.iter().any(|each| each.0 == property && each.1 == Verdict::Violated);
    if violated { Verdict::Violated } else { Verdict::Holds }
}

fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    match number("VERIFY_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("VERIFY_SEEDS").unwrap_or(400),
    }
}

#[test]
fn the_oracle_and_all_ranks_agree_with_the_definition() {
    let (mut decided, mut violated, mut pending) = (0, 0, 0);
    for seed in seeds() {
        let spec = spec(seed);
        let text = text(&spec);
        let model = model(&format!("seed {seed}"), text.clone(), &Constants::none());
        let report = oracle(&model);
        let expected = verdict_of(&report, "response");
        let each: Vec<Option<Verdict>> =
            claims(&spec).iter().map(|claim| by_definition(&spec, claim)).collect();
        if each.iter().all(Option::is_some) {
            let broken = each.contains(&Some(Verdict::Violated));
            assert_eq!(expected == Verdict::Violated, broken, "VERIFY_SEED={seed}\n{text}");
            decided += 1;
            violated += u64::from(broken);
        }
        for ranks in [1, 2, 4] {
            let all =
                thread::run(ranks, |comm| search(comm, &model, study(seed + u64::from(ranks)), 3)).unwrap();
            let judged = all.into_iter().next().flatten().unwrap();
            assert_eq!(together(&judged, 0), expected, "VERIFY_SEED={seed}, {ranks} ranks\n{text}");
            // Instances behind a violated one are not decided.
            for (at, (judged, by_definition)) in judged.iter().zip(&each).enumerate() {
                let said = by_definition.is_none_or(|verdict| verdict == judged.1);
                assert!(said, "VERIFY_SEED={seed}, {ranks} ranks, instance {at}: {judged:?}\n{text}");
            }
            pending += u64::from(ranks == 1 && judged[0].2);
        }
    }
    let count = seeds().end - seeds().start;
    println!(
        "{count} models, {pending} with pending states, {decided} by definition, {violated} of them violated"
    );
    if count >= 100 {
        assert!(decided > count / 3 && violated > count / 20 && pending > count / 3);
        assert!(decided - violated > count / 10);
    }
}

#[test]
fn every_schedule_gives_the_oracles_verdict() {
    let all = std::env::var_os("VERIFY_SEEDS").is_some();
    for seed in seeds().take(if all { usize::MAX } else { 100 }) {
        let text = text(&spec(seed));
        let model = model(&format!("seed {seed}"), text.clone(), &Constants::none());
        let expected = verdict_of(&oracle(&model), "response");
        let ranks = 2 + (seed % 3) as u32;
        let outcome = sim::run(seed, ranks, |comm| search(comm, &model, study(seed), 1 + (seed % 4) as u32));
        let outcome = outcome.unwrap_or_else(|failure| panic!("VERIFY_SEED={seed}: {failure}\n{text}"));
        let judged = outcome.results.into_iter().next().flatten().unwrap();
        assert_eq!(together(&judged, 0), expected, "VERIFY_SEED={seed}\n{text}");
    }
}

/// One state in each of 3001 places, which can be left for the next one and never come back; a fair step goes round in
/// each of them, so every place has a fair cycle, and only the first is led to by no other.
const PLACES: &str = "var n : 0..3000; a : 0..1; startstate begin n := 0; a := 0; end;
    fair rule \"round\" begin a := 1 - a; end;
    rule \"on\" n < 3000 ==> begin n := n + 1; end;
    liveness \"never\" true LEADSTO a = 1 & a = 0;";

/// Runs the rounds for the first goal and narrows down what they leave.
struct Narrowing<'m> {
    model: &'m Model,
    goal: response::Goal,
    seeds: Rc<RefCell<response::SeedQueues>>,
    left: (u64, u64),
}

impl Sequel for Narrowing<'_> {
    fn run(&mut self, stage: &mut Stage<'_, '_>) {
        let promises = verify::ir::promise::Promises::new(self.model);
        let mut rounds = Rounds::new(stage, self.goal, &promises, Study::default(), false);
        let outcome = rounds.run(stage, &mut self.seeds.borrow_mut().queues[0]);
        self.left = (outcome.left, rounds.narrow(stage, outcome.left).unwrap());
    }
}

#[test]
fn ranks_narrow_down_what_is_left_before_one_looks_at_it() {
    let model = model("places", PLACES.to_string(), &Constants::none());
    let narrowed = |comm: &mut dyn Comm| {
        let mut steps = Interpreter::new(&model, Setup::default());
        let goals = response::goals(&model, false);
        let (seeds, queues) = Seeds::new(goals.clone(), vec![Frontier::new(steps.words(), 1 << 20, None)]);
        let mut sequel = Narrowing { model: &model, goal: goals[0], seeds: queues, left: (0, 0) };
        let mut observers: Vec<Box<dyn Observer>> = vec![Box::new(seeds)];
        let (settings, outside) =
            (settings(comm, &model, 51), Outside { stop: &|| false, moment: &mut |_| {} });
        explore::search_then(comm, &mut steps, &mut observers, &settings, outside, Some(&mut sequel))
            .unwrap();
        sequel.left
    };
    for ranks in [1, 3] {
        for (all, few) in thread::run(ranks, narrowed).unwrap() {
            assert_eq!(all, 6002);
            assert!(few > 0 && few <= 1000, "{few} of {all} states are left");
        }
        let judged = thread::run(ranks, |comm| search(comm, &model, Study::default(), 50)).unwrap();
        assert_eq!(together(judged[0].as_ref().unwrap(), 0), Verdict::Violated);
    }
}

#[test]
fn one_time_budget_is_for_the_search_and_the_rounds() {
    let model = model("places", PLACES.to_string(), &Constants::none());
    let reasons = thread::run(1, |comm| {
        let mut steps = Interpreter::new(&model, Setup::default());
        let goals = response::goals(&model, false);
        let (seeds, queues) = Seeds::new(goals.clone(), vec![Frontier::new(steps.words(), 1 << 20, None)]);
        let mut responses = Responses::new(&model, options().eval, goals, queues, Study::default());
        let mut observers: Vec<Box<dyn Observer>> = vec![Box::new(seeds)];
        let mut settings = settings(comm, &model, 50);
        settings.limits.time = Some(std::time::Duration::from_nanos(1));
        let outside = Outside { stop: &|| false, moment: &mut |_| {} };
        let sequel = Some(&mut responses as &mut dyn Sequel);
        let outcome = explore::search_then(comm, &mut steps, &mut observers, &settings, outside, sequel);
        match responses.judged.first() {
            Some((_, Judgement::Open(why), _)) => why.clone(),
            Some(judged) => panic!("{judged:?}"),
            // A slow machine runs out of it in the search already.
            None => outcome.unwrap().unwrap().halt.unwrap(),
        }
    });
    assert_eq!(reasons.unwrap(), ["out of time after 0 s"]);
}

/// A random model with helpful and unhelpful rules and two properties of what stays in reach.
fn reach_text(seed: u64) -> String {
    let mut prng = Prng::new(seed ^ 0x5eed);
    let spec = spec(seed);
    let mut out = String::new();
    for line in text(&spec).lines().filter(|line| !line.contains("liveness")) {
        let unhelpful = line.contains("rule \"") && prng.chance(40);
        out += &format!("{}{line}\n", if unhelpful { "unhelpful " } else { "" });
    }
    let (claim, target) = (words(&spec.claim), words(&spec.target));
    out + &format!("liveness \"reach\" {claim} CANGETTO {target};\nliveness \"again\" {target};\n")
}

/// One rank's part: the violated properties of what stays in reach, and whether a way leads to each, at rank 0.
fn search_reach(comm: &mut dyn Comm, model: &Model, batch: u32) -> Option<Vec<u32>> {
    let mut steps = Interpreter::new(model, Setup::default());
    let goals = response::reach_goals(model);
    let queues = goals.iter().map(|_| Frontier::new(steps.words(), 1 << 20, None)).collect();
    let (seeds, queues) = Seeds::new(goals.clone(), queues);
    let mut reaches = Reaches::new(model, goals, queues);
    let mut observers: Vec<Box<dyn Observer>> = vec![Box::new(seeds)];
    let settings = settings(comm, model, batch);
    let outside = Outside { stop: &|| false, moment: &mut |_| {} };
    let outcome =
        explore::search_then(comm, &mut steps, &mut observers, &settings, outside, Some(&mut reaches))
            .unwrap()?;
    assert!(reaches.ran && reaches.open.is_empty());
    assert_eq!(outcome.findings.len(), reaches.violated.len());
    assert!(outcome.findings.iter().all(|(_, path)| !path.is_empty()));
    Some(reaches.violated)
}

#[test]
fn what_stays_in_reach_is_what_the_oracle_says() {
    let mut violated = [0; 2];
    for seed in seeds() {
        let text = reach_text(seed);
        let model = model(&format!("seed {seed}"), text.clone(), &Constants::none());
        let report = oracle(&model);
        let expected: Vec<u32> = (0..2)
            .filter(|&at| verdict_of(&report, ["reach", "again"][at as usize]) == Verdict::Violated)
            .collect();
        expected.iter().for_each(|&at| violated[at as usize] += 1);
        for ranks in [1, 2, 4] {
            let all = thread::run(ranks, |comm| search_reach(comm, &model, 3)).unwrap();
            let found = all.into_iter().next().flatten().unwrap();
            assert_eq!(found, expected, "VERIFY_SEED={seed}, {ranks} ranks\n{text}");
        }
        if seed % 4 == 0 {
            let outcome = sim::run(seed, 3, |comm| search_reach(comm, &model, 2));
            let outcome = outcome.unwrap_or_else(|failure| panic!("VERIFY_SEED={seed}: {failure}\n{text}"));
            assert_eq!(outcome.results[0].as_ref(), Some(&expected), "VERIFY_SEED={seed}\n{text}");
        }
    }
    println!("violated: {violated:?}");
    let count = seeds().end - seeds().start;
    assert!(count < 100 || violated.iter().all(|&n| n > count / 20 && n < count * 19 / 20));
}

/// Each model of docs/models.md with the sizes used there, and the verdict of its LEADSTO property.
const MODELS: [(&str, &[&str], &str, Verdict); 9] = [
    ("peterson_weak", &["N=3"], "who tries gets in", Verdict::Holds),
    ("peterson_strong", &["N=3"], "who tries gets in", Verdict::Holds),
    ("mcslock", &["N=3"], "who waits gets the lock", Verdict::Holds),
    ("muxsem_weak", &["N=3"], "who requests gets in", Verdict::Violated),
    ("muxsem_strong", &["N=3"], "who requests gets in", Verdict::Holds),
    ("stop_and_wait", &[], "", Verdict::Holds),
    ("go_back_n", &["CAP=1"], "", Verdict::Holds),
    ("selective_repeat", &["CAP=1"], "", Verdict::Holds),
    ("snoop", &["DATA_NUM=1"], "", Verdict::Violated),
];

#[test]
fn models_have_the_verdicts_of_their_heads() {
    for (name, constants, property, expected) in MODELS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/liveness/{name}.m"));
        let mut values = Constants::none();
        constants.iter().for_each(|constant| values.parse(constant).unwrap());
        let model = model(name, fs::read_to_string(path).unwrap(), &values);
        let at = model.properties.iter().position(|each| {
            each.kind == verify::ir::PropertyKind::LeadsTo && (property.is_empty() || each.name == property)
        });
        let at = at.unwrap_or_else(|| panic!("{name} has no such property"));
        let found = verdict_of(&oracle(&model), &model.properties[at].name);
        assert_eq!(found, expected, "{name}: the oracle");
        let all = thread::run(2, |comm| search(comm, &model, Study::default(), 100)).unwrap();
        let judged = all.into_iter().next().flatten().unwrap();
        assert_eq!(together(&judged, at as u32), expected, "{name}: two ranks");
    }
}

/// Files with their sizes, a CANGETTO property and its verdict.
const REACH: [(&str, &[&str], Verdict); 5] = [
    ("german", &[], Verdict::Holds),
    ("peterson_helpful", &["N=3"], Verdict::Holds),
    ("peterson_buggy", &["N=3"], Verdict::Violated),
    ("mcslock", &["N=3"], Verdict::Holds),
    ("snoop", &["DATA_NUM=1"], Verdict::Holds),
];

#[test]
fn helpful_rules_are_the_only_ones_that_help() {
    for (name, constants, expected) in REACH {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/liveness/{name}.m"));
        let mut values = Constants::none();
        constants.iter().for_each(|constant| values.parse(constant).unwrap());
        let mut model = model(name, fs::read_to_string(path).unwrap(), &values);
        let reach = |each: &&verify::ir::Property| each.kind == verify::ir::PropertyKind::CanGetTo;
        let property = model.properties.iter().find(reach).unwrap().name.clone();
        assert_eq!(verdict_of(&oracle(&model), &property), expected, "{name}");
        // With no helpful rule, whatever is not there already cannot be reached.
        let all: Vec<String> = model.rules.iter().map(|rule| rule.name.clone()).collect();
        verify::job::model::make_unhelpful(&mut model, &all).unwrap();
        assert_eq!(verdict_of(&oracle(&model), &property), Verdict::Violated, "{name} without helpful rules");
        assert!(verify::job::model::make_unhelpful(&mut model, &["no such rule".to_string()]).is_err());
    }
}

#[test]
fn one_instance_stands_for_its_orbit() {
    let text = "type P : scalarset(3); Q : 0..1; var x : array [P] of boolean;
        startstate begin for p : P do x[p] := false; end; end;
        ruleset p : P do fair rule begin x[p] := !x[p]; end; end;
        ruleset p : P; r : P; n : Q do liveness \"both\" x[p] & n = 0 LEADSTO !x[r]; end;";
    let model = model("orbits", text.to_string(), &Constants::none());
    assert_eq!(response::goals(&model, false).len(), 18);
    // p = r, or p and r differ; n is no scalarset's.
    assert_eq!(response::goals(&model, true).len(), 4);
}

#[test]
fn a_lasso_that_lies_is_refused() {
    let text = "var x : 0..3; startstate begin x := 0; end;
        fair rule \"on\" x < 3 ==> begin x := x + 1; end;
        fair rule \"round\" x = 2 ==> begin x := 1; end;
        liveness \"three\" x = 0 LEADSTO x = 3;";
    let found = model("weak", text.to_string(), &Constants::none());
    let report = oracle(&found);
    // "on" is enabled all the way round and taken there: from 1 to 2.
    let check = report.checks.iter().find(|check| check.name == "three").unwrap();
    let lasso = check.lasso.clone().unwrap();
    assert_eq!(lasso.cycle.len(), 2);
    let mut stays = lasso.clone();
    stays.cycle.clear();
    assert!(matches!(audit::replay_lasso(&found, &options(), &stays), Err(audit::LassoError::Unfair(_))));
    let mut open = lasso.clone();
    open.cycle.pop();
    assert_eq!(audit::replay_lasso(&found, &options(), &open), Err(audit::LassoError::NotClosed));
    let mut early = lasso;
    early.stem.steps.pop();
    assert!(audit::replay_lasso(&found, &options(), &early).is_err());
}
