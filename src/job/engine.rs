//! The distributed search as the job sees it: set up on every rank, its findings told by the evaluator at rank 0.
//!
//! The engine says where it found something: a state and how it was first reached, in its own (canonical, hashed)
//! terms. Here the way is walked again by the evaluator from a real start state, so what is reported is a real
//! execution; `audit::replay` then checks it once more, and nothing that fails there is printed.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::freedoms::{self, Freedoms};
use super::options::Values;
use super::reaches::{Reaches, Sequels};
use super::responses::{Judgement, Responses};
use crate::audit::{self, DeadlockMode, Outcome, SymmetryMode};
use crate::base::{Rank, wire};
use crate::comm::{Comm, collective};
use crate::compile::canonical::Canonicaliser;
use crate::compile::{Canonical, InstanceNo, Instances, Interpreter, Layout, Native, Owners, Setup, Steps};
use crate::exchange;
use crate::explore::balance::Balance;
use crate::explore::frontier::Frontier;
use crate::explore::sequel::Sequel;
use crate::explore::{self, Finding, Limits, Moment, Observer, Outside, Remember, StateRef, TakeIn, What};
use crate::host::spool::Spool;
use crate::host::{FileDisk, memory, release};
use crate::ir::eval::{Fault, Machine, Step};
use crate::ir::model::instance_count;
use crate::ir::{Instance, Model, PropertyKind};
use crate::property::freedom::Method;
use crate::property::response::{self, Seeds, Study};
use crate::property::{deadlock, fault::Faults, invariant::Invariants};
use crate::verdict::figures::{FreedomFigures, RankFigures, ResponseFigures};
use crate::verdict::{Counts, Ending, Report, StepRef, Verdict};

/// What a distributed search came to.
pub struct Searched {
    pub report: Report,
    pub ranks: Vec<RankFigures>,
    pub responses: Vec<ResponseFigures>,
    pub freedom: Option<FreedomFigures>,
    /// Properties for which a helpful path failed, though others might not.
    doubted: Vec<u32>,
}

/// What is said of a property that was not decided, and of one that holds all the same.
const DOUBT: &str =
    "the helpful path chosen fails; whether others lead there was not decided (--df-complete)";
const RELIEF: &str = "not by the helpful path chosen first, which fails, but by other helpful steps";

/// Searches on all ranks; the result is at rank 0. An `Err` is a failing machine.
///
/// Where a helpful path fails and nothing is certain yet, all is searched once more, and what is in reach is decided
/// exactly.
pub fn search(
    comm: &mut dyn Comm,
    model: &Model,
    values: &Values,
    options: &audit::Options,
    outside: Outside<'_>,
) -> Result<Option<Searched>, String> {
    let begun = Instant::now();
    let Outside { stop, moment } = outside;
    let complete = values.choice("df-complete");
    let outside = Outside { stop, moment: &mut *moment };
    let first = attempt(comm, model, values, options, outside, (complete == "always", Duration::ZERO))?;
    let helpful = model.properties.iter().any(|property| property.kind == PropertyKind::CanGetTo);
    if complete != "auto" || !helpful {
        return Ok(first);
    }
    let again = first.as_ref().map(|found| wire::encode(&!found.doubted.is_empty()));
    if !wire::decode::<bool>(&collective::broadcast(comm, again)).expect("rank 0's decision decodes") {
        return Ok(first);
    }
    let outside = Outside { stop, moment };
    let second = attempt(comm, model, values, options, outside, (true, begun.elapsed()))?;
    Ok(second.zip(first).map(|(mut second, first)| {
        for property in first.doubted {
            let name = &model.properties[property as usize].name;
            let checks = second.report.checks.iter_mut();
            let of = checks.filter(|check| check.name == *name && check.verdict == Verdict::Holds);
            of.for_each(|check| check.reason = Some(RELIEF.to_string()));
        }
        second
    }))
}

/// One search. `exactly` decides what CANGETTO asks for after it, by all helpful steps; `spent` is time gone by before.
fn attempt(
    comm: &mut dyn Comm,
    model: &Model,
    values: &Values,
    options: &audit::Options,
    outside: Outside<'_>,
    (exactly, spent): (bool, Duration),
) -> Result<Option<Searched>, String> {
    let canonical = || -> Result<Option<Box<dyn Canonical>>, String> {
        Ok(match options.symmetry {
            SymmetryMode::Off => None,
            SymmetryMode::Exhaustive => Canonicaliser::new(model)?.map(|c| Box::new(c) as Box<dyn Canonical>),
        })
    };
    let setup = Setup { eval: options.eval, canonical: canonical()? };
    // Reading is over, and making code takes more than anything before the search.
    release::give_back();
    let mut steps: Box<dyn Steps + '_> = match values.choice("engine") {
        "eval" => Box::new(Interpreter::new(model, setup)),
        _ => Box::new(native(model, setup)?),
    };
    release::give_back();
    let mut settings = settings(comm, values, model, (steps.layout(), options.symmetry));
    settings.limits.time = settings.limits.time.map(|limit| limit.saturating_sub(spent));
    let mut observers = observers(options.deadlock);
    // Responses are decided without symmetry of states, but not once for each name of a scalarset's member.
    let by_orbit = values.choice("symmetry") == "exact";
    let goals = match options.symmetry {
        SymmetryMode::Off => response::goals(model, by_orbit),
        SymmetryMode::Exhaustive => Vec::new(),
    };
    let queues = seed_queues(comm.rank(), &goals, steps.words(), &settings.limits);
    let (seeds, queues) = Seeds::new(goals.clone(), queues);
    let mut responses = Responses::new(model, options.eval, goals, queues, study(values));
    let mut reach_goals = reach_goals(model, options);
    let helpful_goals = freedoms::take_goals(model, &mut reach_goals);
    let method = if exactly { Method::Count } else { freedoms::method(values) };
    if exactly {
        reach_goals.extend(&helpful_goals);
    }
    let table_bytes = share_memory(&mut settings.limits, method, helpful_goals.is_empty());
    let place = (comm.rank(), settings.owners.clone());
    let memory = (settings.remember == Remember::Whole, table_bytes);
    let mut freedoms = Freedoms::new(place, model, helpful_goals.clone(), method, &*steps, memory);
    let queues = seed_queues(comm.rank(), &reach_goals, steps.words(), &settings.limits);
    let (reach_seeds, queues) = Seeds::new(reach_goals.clone(), queues);
    let mut reaches = Reaches::new(model, reach_goals.clone(), queues);
    let mut sequels = Sequels(Vec::new());
    if !helpful_goals.is_empty() {
        observers.push(Box::new(freedoms.observer()));
        sequels.0.push(&mut freedoms);
    }
    if responses.is_wanted() {
        observers.push(Box::new(seeds));
        sequels.0.push(&mut responses);
    }
    if !reach_goals.is_empty() {
        observers.push(Box::new(reach_seeds));
        sequels.0.push(&mut reaches);
    }
    assert!(!settings.finder_expands || sequels.0.is_empty(), "liveness is decided where states are owned");
    let sequel: Option<&mut dyn Sequel> = if sequels.0.is_empty() { None } else { Some(&mut sequels) };
    let outcome = explore::search_then(comm, &mut *steps, &mut observers, &settings, outside, sequel)?;
    let counted = (!helpful_goals.is_empty()).then(|| freedoms.gather(comm, model));
    let Some(outcome) = outcome else { return Ok(None) };
    let (freedom, trouble) = counted.flatten().unzip();
    let mut teller = Teller {
        model,
        machine: Machine::new(model, options.eval),
        canonical: canonical()?,
        instances: Instances::new(model),
        doubted: Vec::new(),
        open: Vec::new(),
        through: responses.ran || reaches.ran || freedoms.ran,
    };
    if let Some(why) = trouble.flatten() {
        teller.open = helpful_goals.iter().map(|goal| (goal.property, why.clone())).collect();
    }
    let (report, figures) = teller.report(options, &outcome, &responses, &reaches);
    let doubted = teller.doubted;
    Ok(Some(Searched { report, ranks: outcome.ranks, responses: figures, freedom, doubted }))
}

/// Takes what witness searches need from the store's share: numbers beside the store, and the tables, whose bytes are
/// handed back.
fn share_memory(limits: &mut Limits, method: Method, unused: bool) -> u64 {
    let whole = limits.store_bytes;
    if !unused && method != Method::Count {
        limits.store_bytes = whole / 100 * 35;
    }
    whole / 100 * 45
}

/// Machine code for the model, and a word about what had to stay with the evaluator.
fn native(model: &Model, setup: Setup) -> Result<Native<'_>, String> {
    let native = Native::new(model, setup)?;
    for fallback in native.fallbacks() {
        log::info!("not compiled, so slower: {}: {}", fallback.what, fallback.reason);
    }
    Ok(native)
}

fn settings(
    comm: &dyn Comm,
    values: &Values,
    model: &Model,
    (layout, symmetry): (&Layout, SymmetryMode),
) -> explore::Settings {
    let finder_expands = values.choice("expand") == "finder" && owner_is_not_needed(values, model);
    // Where owners expand, fewer messages are worth more than even halves; but canonical forms move slots about, and more
    // ranks get too uneven. Finders ask as often whoever owns what.
    let local = comm.ranks() == 2 && symmetry == SymmetryMode::Off && !finder_expands;
    let owner = match values.choice("owner") {
        "auto" if local => "locality",
        named => named,
    };
    let budget = memory::budget(values.size("memory"), comm.ranks_here());
    let mut limits = Limits::of_memory(budget.rank_bytes);
    limits.spool =
        Some(values.text("spool").map_or_else(std::env::temp_dir, PathBuf::from).join("verify-spool"));
    limits.time = values.time("time");
    limits.states = values.number("max-states");
    limits.findings = values.number("max-errors").unwrap_or(1);
    let batch_items_max = values.number("batch").unwrap_or(2_000) as u32;
    let item_bytes = (layout.words() + 2) * 8;
    explore::Settings {
        exchange: exchange::Settings {
            batch_items_max,
            // `--batch` counts states; large ones leave earlier, so that a batch stays below what MPI sends well.
            batch_bytes_max: (batch_items_max as usize * item_bytes).min(64 << 10).max(item_bytes * 2),
            credits: values.credits(comm.ranks()),
            ..Default::default()
        },
        owners: match owner {
            "locality" => Owners::by_locality(model, layout, comm.ranks()),
            _ => Owners::by_hash(comm.ranks()),
        },
        balance: Balance { factor: values.number("balance").unwrap_or(5) as u32 },
        remember: match values.switch("exact") {
            true => Remember::Whole,
            false => Remember::Hash { bits: values.number("fingerprint-bits").unwrap_or(56) as u32 },
        },
        by_levels: values.switch("shortest"),
        finder_expands,
        take_in: match values.choice("take-in") {
            "at-once" => TakeIn::AtOnce,
            "later" => TakeIn::Later,
            _ => TakeIn::Auto,
        },
        limits,
    }
}

/// Whether nothing of a state but its hash is wanted at its owner.
fn owner_is_not_needed(values: &Values, model: &Model) -> bool {
    let kept = |kind| !matches!(kind, PropertyKind::Invariant | PropertyKind::Cover);
    !values.switch("exact")
        && !values.switch("shortest")
        && !model.properties.iter().any(|property| kept(property.kind))
}

/// The savings of the rounds that are on.
fn study(values: &Values) -> Study {
    let without = |name: &str| values.several("owcty-without").any(|word| word == name);
    Study {
        saved_expansions: !without("saved"),
        dynamic_kernel: !without("kernel"),
        predecessor_counting: !without("counting"),
    }
}

/// Seeds are read once, in order: they need no more memory than this before they go to disk.
const SEED_BYTES: u64 = 16 << 20;

/// A queue for each goal's seeds, on disk beyond a share of memory; where there is no disk for it, in memory.
fn seed_queues(me: Rank, goals: &[response::Goal], words: usize, limits: &Limits) -> Vec<Frontier> {
    let queue = |_: &response::Goal| {
        let disk = limits.spool.as_ref().and_then(|folder| FileDisk::open(folder, me).ok());
        let spool = disk.map(|disk| Spool::new(Box::new(disk)));
        let share =
            if spool.is_some() { limits.frontier_bytes.min(SEED_BYTES) } else { limits.frontier_bytes };
        Frontier::new(words, share / goals.len() as u64, spool)
    };
    goals.iter().map(queue).collect()
}

/// What to decide of reach: as the oracle, no single instances under symmetry.
fn reach_goals(model: &Model, options: &audit::Options) -> Vec<response::Goal> {
    let mut goals = response::reach_goals(model);
    let symmetric = options.symmetry != SymmetryMode::Off;
    goals.retain(|goal| !symmetric || model.properties[goal.property as usize].binders.is_empty());
    goals
}

/// Where the deadlock observer stands, for its tally.
const DEADLOCKS_AT: usize = 2;

fn observers(deadlock: DeadlockMode) -> Vec<Box<dyn Observer>> {
    let mut observers: Vec<Box<dyn Observer>> = vec![Box::new(Invariants::default()), Box::new(Faults)];
    let mode = match deadlock {
        DeadlockMode::Off => return observers,
        DeadlockMode::Stuck => deadlock::Mode::Stuck,
        DeadlockMode::Stuttering => deadlock::Mode::Stuttering,
    };
    observers.push(Box::new(deadlock::Deadlocks::new(mode)));
    observers
}

/// Turns findings into checks with traces.
pub(super) struct Teller<'m> {
    pub(super) model: &'m Model,
    pub(super) machine: Machine<'m>,
    canonical: Option<Box<dyn Canonical>>,
    instances: Instances,
    doubted: Vec<u32>,
    /// Properties that could not be decided, and why.
    open: Vec<(u32, String)>,
    /// Whether all states were seen.
    through: bool,
}

impl<'m> Teller<'m> {
    fn report(
        &mut self,
        options: &audit::Options,
        outcome: &explore::Outcome,
        responses: &Responses<'_>,
        reaches: &Reaches<'_>,
    ) -> (Report, Vec<ResponseFigures>) {
        let mut told = Outcome::default();
        for (finding, path) in &outcome.findings {
            self.tell(&mut told, finding, path);
        }
        let halted = stopped(outcome, &told, options, self.through);
        self.tell_liveness(&mut told, responses, reaches);
        let ranks = &outcome.ranks;
        let sum = |of: fn(&RankFigures) -> u64| ranks.iter().map(of).sum::<u64>();
        let counts = Counts {
            states: sum(|rank| rank.states),
            rules_fired: sum(|rank| rank.rules_fired),
            deadlocks: sum(|rank| rank.tallies.get(DEADLOCKS_AT).copied().unwrap_or(0)),
            levels: ranks.iter().map(|rank| u64::from(rank.level_most)).max().unwrap_or(0),
        };
        let digest = ranks.iter().fold(0u128, |sum, rank| sum.wrapping_add(rank.digest()));
        let any = |of: fn(&RankFigures) -> &Vec<bool>, at: usize| ranks.iter().any(|rank| of(rank)[at]);
        for at in 0..self.model.properties.len() {
            if any(|rank| &rank.covered_properties, at) {
                told.reach(at as u32);
            }
        }
        let statements: Vec<bool> = (0..self.model.cover_statements.len())
            .map(|at| any(|rank| &rank.covered_statements, at))
            .collect();
        let digest = format!("{digest:032x}");
        let figures = responses.figures(counts.states);
        (told.report(self.model, options, counts, digest, &statements, halted), figures)
    }

    /// What the sequels found; violations of what stays in reach are findings, told before.
    fn tell_liveness(&mut self, told: &mut Outcome, responses: &Responses<'_>, reaches: &Reaches<'_>) {
        let model = self.model;
        for (property, why) in reaches.open.iter().chain(&self.open) {
            told.leave_open(*property, why.clone());
        }
        for (goal, judgement, _) in &responses.judged {
            match judgement {
                Judgement::Holds => {}
                Judgement::Open(why) => told.leave_open(goal.property, why.clone()),
                Judgement::Violated { path, cycle } => {
                    let (path, _) = self.realise(path);
                    let ending = Ending::Never { property: goal.property, index: goal.index };
                    told.note_lasso(model, &mut self.machine, &path, cycle, ending);
                }
            }
        }
    }

    /// Walks to the finding with the evaluator and notes what is there.
    fn tell(&mut self, told: &mut Outcome, finding: &Finding, path: &[InstanceNo]) {
        if finding.at == StateRef::NONE && finding.what == What::Fault {
            let (start, index) = self.instances.start(InstanceNo(finding.step.expect("a start that fails")));
            let step = StepRef { rule: start as u32, index };
            let fault = self.machine.start(start, index).expect_err("a start state that failed fails again");
            let ending = self.fault_ending(true, step, &fault);
            told.note(self.model, &mut self.machine, Vec::new(), ending, Some(&fault));
            return;
        }
        let mut whole = path.to_vec();
        if let (What::Property(_), Some(step)) = (finding.what, finding.step) {
            whole.push(InstanceNo(step));
        }
        if let What::Tried(property) | What::Property(property) = finding.what
            && self.tell_path(told, &whole, property, matches!(finding.what, What::Tried(_)))
        {
            return;
        }
        let (real, last) = self.realise(&whole);
        let (ending, fault) = self.ending(finding, &last);
        told.note(self.model, &mut self.machine, real, ending, fault.as_deref());
    }

    /// Tells a CANGETTO property by the helpful path that fails; false where it is another property or there is none.
    fn tell_path(&mut self, told: &mut Outcome, path: &[InstanceNo], property: u32, tried: bool) -> bool {
        if self.model.properties[property as usize].kind != PropertyKind::CanGetTo {
            return false;
        }
        let Some(failing) = self.failing_path(path, property) else {
            // A witness that is missing here was missed there: states are known by their hashes.
            if tried {
                told.leave_open(property, "a witness was missed");
                self.doubted.push(property);
            }
            return tried;
        };
        told.note(self.model, &mut self.machine, failing.steps, failing.ending, None);
        if tried && !failing.certain {
            told.doubt(DOUBT);
            self.doubted.push(property);
        }
        true
    }

    pub(super) fn canonical(&mut self, state: &[i64]) -> Vec<i64> {
        let mut state = state.to_vec();
        if let Some(canonical) = &mut self.canonical {
            canonical.canonicalise(&mut state);
        }
        state
    }

    /// A real execution along a way of canonical states, and the state it ends in.
    ///
    /// The way's steps are those of canonical states. From a real state of the same orbit, some instance leads to a
    /// state of the next orbit: the one that is tried first is the way's own, then all.
    pub(super) fn realise(&mut self, path: &[InstanceNo]) -> (Vec<StepRef>, Vec<i64>) {
        let (start, index) = self.instances.start(path[0]);
        let mut real = self.machine.start(start, index).ok().flatten().expect("the way's start").to_vec();
        let mut orbit = self.canonical(&real);
        let mut steps = vec![StepRef { rule: start as u32, index }];
        for &number in &path[1..] {
            let instance = self.instances.instance(number);
            let Ok(Step::Next(next)) = self.machine.step(&orbit, instance) else {
                panic!("step {number:?} of a way cannot be taken again");
            };
            let next_orbit = self.canonical(&next);
            let (taken, reached) = self.step_to(&real, &next_orbit, instance);
            steps.push(StepRef { rule: taken.rule.0, index: taken.index });
            (real, orbit) = (reached, next_orbit);
        }
        (steps, real)
    }

    fn step_to(&mut self, real: &[i64], orbit: &[i64], first: Instance) -> (Instance, Vec<i64>) {
        if let Ok(Step::Next(next)) = self.machine.step(real, first)
            && self.canonical(&next) == orbit
        {
            return (first, next.to_vec());
        }
        let mut reached = Vec::new();
        self.machine.successors(real, |instance, step| {
            if let Ok(Step::Next(next)) = step {
                reached.push((instance, next.to_vec()));
            }
        });
        let found = reached.into_iter().find(|(_, next)| self.canonical(next) == orbit);
        found.expect("a step to the next orbit: the model is symmetric")
    }

    fn ending(&mut self, finding: &Finding, last: &[i64]) -> (Ending, Option<Box<Fault>>) {
        match finding.what {
            What::Deadlock => (Ending::Deadlock, None),
            What::Property(at) | What::Tried(at) => {
                let property = &self.model.properties[at as usize];
                let seen = match property.kind {
                    PropertyKind::LeadsTo | PropertyKind::CanGetTo | PropertyKind::AlwaysPossible => {
                        match self.response_fault(last, at) {
                            Ok(_) => return (Ending::Unreachable { property: at }, None),
                            fault => fault,
                        }
                    }
                    PropertyKind::Cover => self.machine.witness(last, property),
                    _ => self.machine.violation(last, property),
                };
                match seen {
                    Ok(index) => {
                        let index = index.expect("what broke in the orbit breaks here");
                        (Ending::Property { property: at, index }, None)
                    }
                    Err(fault) => (Ending::PropertyFault { property: at, fault: fault.kind }, Some(fault)),
                }
            }
            What::Fault => {
                let mut first: Option<(Instance, Box<Fault>)> = None;
                let named = finding.step.map(|n| self.instances.instance(InstanceNo(n)));
                self.machine.successors(last, |instance, step| {
                    if let Err(fault) = step
                        && (first.is_none() || Some(instance) == named)
                    {
                        first = Some((instance, fault));
                    }
                });
                let (instance, fault) = first.expect("a step that fails in the orbit fails here");
                let step = StepRef { rule: instance.rule.0, index: instance.index };
                (self.fault_ending(false, step, &fault), Some(fault))
            }
        }
    }

    /// Why some instance of a response property cannot be evaluated in a state.
    fn response_fault(&mut self, state: &[i64], at: u32) -> Result<Option<u64>, Box<Fault>> {
        let property = &self.model.properties[at as usize];
        for index in 0..instance_count(&property.binders, &self.model.types) {
            for expr in [Some(property.claim), property.target].into_iter().flatten() {
                self.machine.predicate(state, &property.binders, property.frame.cells, index, expr)?;
            }
        }
        Ok(None)
    }

    fn fault_ending(&self, start: bool, step: StepRef, fault: &Fault) -> Ending {
        let rules = if start { &self.model.starts } else { &self.model.rules };
        let rule = &rules[step.rule as usize];
        let params = self.model.instance_params(&rule.binders, step.index);
        Ending::Fault { step, rule: rule.name.clone(), params, fault: fault.kind }
    }
}

/// Why the search did not see every state, where it did not.
fn stopped(
    outcome: &explore::Outcome,
    told: &Outcome,
    options: &audit::Options,
    through: bool,
) -> Option<String> {
    outcome.halt.clone().or_else(|| {
        // A sequel follows only a search that saw every state.
        let enough = !through && told.errors() >= options.max_errors && told.errors() > 0;
        enough.then(|| match options.max_errors {
            1 => "stopped at the first violation".to_string(),
            max => format!("stopped after {max} violations"),
        })
    })
}

/// Whether moments are worth showing: the longest frontier over the mean.
pub fn imbalance(moment: &Moment) -> Option<f64> {
    let mean = moment.frontier as f64 / f64::from(moment.ranks);
    (moment.ranks > 1 && moment.frontier > 0).then(|| moment.frontier_longest as f64 / mean)
}
