//! Breadth-first search with exact states in one process.
//!
//! In: a model and options. Out: a `Report` with counts that can be compared with CMurphi's and Rumur's,
//! a verdict for each property, and a shortest trace for each violation. Invariant: a state is in `seen`
//! exactly when it was counted and its properties were checked; the frontier holds those not yet expanded.
//!
//! With symmetry, `seen` is keyed by the canonical state but the state first reached is the one expanded,
//! so traces are real executions. It terminates because `seen` grows with every step of the frontier and
//! the state space is finite; `max_states` bounds it further. Cost: one evaluation of every guard in every
//! state; one encoding kept for each state.
//!
//! Liveness is decided at the end, on the whole graph: `graph.rs` and, without symmetry, `response.rs`.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;

use super::graph::Graph;
use super::outcome::Outcome;
use super::response::Response;
use super::symmetry::Symmetry;
use crate::base::hash;
use crate::ir::encode::encode;
use crate::ir::eval::{self, Eval, Fault, Machine, State, Step, on_deep_stack};
use crate::ir::layout::Layout;
use crate::ir::{Instance, Model, PropertyKind, RuleId};
use crate::verdict::{Counts, Ending, Report, StepRef};

/// When a state counts as a deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DeadlockMode {
    Off,
    /// No rule is enabled.
    Stuck,
    /// No rule leads to another state.
    #[default]
    Stuttering,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SymmetryMode {
    #[default]
    Off,
    /// Try all permutations.
    Exhaustive,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub eval: eval::Options,
    pub deadlock: DeadlockMode,
    pub symmetry: SymmetryMode,
    /// Stop, undecided, after this many states.
    pub max_states: Option<u64>,
    /// Stop after this many violations.
    pub max_errors: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            eval: eval::Options::default(),
            deadlock: DeadlockMode::default(),
            symmetry: SymmetryMode::default(),
            max_states: None,
            max_errors: 1,
        }
    }
}

/// Where the search is, said now and then.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub states: u64,
    pub rules_fired: u64,
    pub frontier: u64,
    pub level: u64,
}

/// How many expanded states lie between two words of progress.
const PROGRESS_EVERY: u64 = 4_096;

const NO_PARENT: u32 = u32::MAX;

/// How a state was first reached.
struct Node {
    parent: u32,
    step: StepRef,
    level: u32,
}

/// Why the search ended before the frontier was empty.
type Halt = String;

pub(super) struct Search<'m> {
    pub(super) model: &'m Model,
    pub(super) options: Options,
    pub(super) machine: Machine<'m>,
    pub(super) symmetry: Option<Symmetry<'m>>,
    seen: HashMap<Box<[u8]>, u32>,
    nodes: Vec<Node>,
    frontier: VecDeque<(u32, State)>,
    pub(super) graph: Graph,
    /// Without symmetry only: the steps of fair actions are not those of canonical states.
    response: Option<Response>,
    pub(super) outcome: Outcome,
    pub(super) counts: Counts,
    /// The sum of the hashes of all packed states, as engines make it. Under symmetry their representatives differ.
    pub(super) digest: u128,
    layout: Layout,
    packed: Vec<u64>,
}

/// Searches a model; `progress` may end the search with a reason. Runs on a thread with a deep stack.
pub fn brute(
    model: &Model,
    options: &Options,
    progress: &mut (dyn FnMut(&Progress) -> ControlFlow<String> + Send),
) -> Report {
    let symmetry = match options.symmetry {
        SymmetryMode::Off => None,
        SymmetryMode::Exhaustive => match Symmetry::new(model) {
            Ok(symmetry) => Some(symmetry).filter(|symmetry| symmetry.order() > 1),
            Err(reason) => return Outcome::refused(model, reason),
        },
    };
    // Without a permutation to try, properties of single instances are decided too.
    let mode = if symmetry.is_some() { options.symmetry } else { SymmetryMode::Off };
    let options = Options { symmetry: mode, ..options.clone() };
    let run = || {
        let mut search = Search::new(model, options, symmetry);
        let halted = search.run(progress).err();
        search.report(halted)
    };
    match on_deep_stack(run) {
        Ok(report) => report,
        Err(error) => Outcome::refused(model, format!("no thread for the search: {error}")),
    }
}

impl<'m> Search<'m> {
    fn new(model: &'m Model, options: Options, symmetry: Option<Symmetry<'m>>) -> Search<'m> {
        let layout = Layout::new(model);
        Search {
            model,
            machine: Machine::new(model, options.eval),
            response: symmetry.is_none().then(|| Response::new(model)),
            options,
            symmetry,
            seen: HashMap::new(),
            nodes: Vec::new(),
            frontier: VecDeque::new(),
            graph: Graph::new(model),
            outcome: Outcome::default(),
            counts: Counts::default(),
            digest: 0,
            packed: vec![0; layout.words()],
            layout,
        }
    }

    fn run(&mut self, progress: &mut dyn FnMut(&Progress) -> ControlFlow<String>) -> Result<(), Halt> {
        self.start()?;
        let mut expanded = 0;
        while let Some((node, state)) = self.frontier.pop_front() {
            self.expand(node, &state)?;
            expanded += 1;
            if expanded % PROGRESS_EVERY == 0 {
                let now = Progress {
                    states: self.counts.states,
                    rules_fired: self.counts.rules_fired,
                    frontier: self.frontier.len() as u64,
                    level: u64::from(self.nodes[node as usize].level),
                };
                if let ControlFlow::Break(reason) = progress(&now) {
                    return Err(reason);
                }
            }
        }
        self.check_liveness();
        Ok(())
    }

    fn start(&mut self) -> Result<(), Halt> {
        for at in 0..self.model.starts.len() {
            for index in 0..self.model.instances(&self.model.starts[at]) {
                let step = StepRef { rule: at as u32, index };
                match self.machine.start(at, index) {
                    Ok(Some(state)) => {
                        self.arrive(NO_PARENT, step, state)?;
                    }
                    Ok(None) => {}
                    Err(fault) => self.rule_fault(NO_PARENT, step, &fault)?,
                }
            }
        }
        Ok(())
    }

    fn expand(&mut self, node: u32, state: &[i64]) -> Result<(), Halt> {
        let mut steps: Vec<(Instance, Eval<Step>)> = Vec::new();
        self.machine.successors(state, |instance, step| {
            if !matches!(step, Ok(Step::Disabled)) {
                steps.push((instance, step));
            }
        });
        let (mut enabled, mut moved) = (false, false);
        let mut moves: Vec<(u32, Instance)> = Vec::new();
        for (instance, step) in steps {
            let step_ref = StepRef { rule: instance.rule.0, index: instance.index };
            match step {
                Ok(Step::Next(next)) => {
                    self.counts.rules_fired += 1;
                    enabled = true;
                    moved |= *next != *state;
                    if let Some(to) = self.arrive(node, step_ref, next)? {
                        self.graph.edge(node, to, !self.model.rule(instance.rule).unhelpful);
                        moves.push((to, instance));
                    }
                }
                Ok(Step::Assumed | Step::Disabled) => {}
                Err(fault) => {
                    (enabled, moved) = (true, true);
                    self.rule_fault(node, step_ref, &fault)?;
                }
            }
        }
        if let Some(response) = &mut self.response
            && let Err((property, fault)) = response.expanded(&mut self.machine, state, &moves)
        {
            let ending = Ending::PropertyFault { property, fault: fault.kind };
            self.note(self.path(node), ending, Some(&fault))?;
        }
        let deadlock = match self.options.deadlock {
            DeadlockMode::Off => false,
            DeadlockMode::Stuck => !enabled,
            DeadlockMode::Stuttering => !moved,
        };
        if deadlock {
            self.counts.deadlocks += 1;
            self.violation(node, Ending::Deadlock)?;
        }
        Ok(())
    }

    /// Takes in a state: its number, or none where an assumption rules it out.
    fn arrive(&mut self, parent: u32, step: StepRef, state: State) -> Result<Option<u32>, Halt> {
        let canonical = self.symmetry.as_ref().map(|symmetry| symmetry.canonical(&state));
        let key = encode(canonical.as_deref().unwrap_or(&state));
        if let Some(&known) = self.seen.get(&key) {
            return Ok(Some(known));
        }
        if !self.assumed(parent, step, &state)? {
            return Ok(None);
        }
        if self.options.max_states.is_some_and(|max| self.counts.states >= max) {
            return Err(format!("stopped after {} states", self.counts.states));
        }
        let level = if parent == NO_PARENT { 1 } else { self.nodes[parent as usize].level + 1 };
        let node = self.nodes.len() as u32;
        if node == NO_PARENT {
            return Err("brute force numbers at most 2^32 - 1 states".to_string());
        }
        self.nodes.push(Node { parent, step, level });
        self.counts.states += 1;
        self.counts.levels = self.counts.levels.max(u64::from(level));
        self.layout.pack(canonical.as_deref().unwrap_or(&state), &mut self.packed);
        self.digest = self.digest.wrapping_add(hash::words(&self.packed));
        self.seen.insert(key, node);
        self.check_state(node, &state)?;
        self.frontier.push_back((node, state));
        Ok(Some(node))
    }

    fn assumed(&mut self, parent: u32, step: StepRef, state: &[i64]) -> Result<bool, Halt> {
        let model = self.model;
        for (at, property) in model.properties.iter().enumerate() {
            if property.kind != PropertyKind::Assume {
                continue;
            }
            match self.machine.violation(state, property) {
                Ok(None) => {}
                Ok(Some(_)) => return Ok(false),
                Err(fault) => {
                    let ending = Ending::PropertyFault { property: at as u32, fault: fault.kind };
                    let mut path = self.path(parent);
                    path.push(step);
                    self.note(path, ending, Some(&fault))?;
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn check_state(&mut self, node: u32, state: &[i64]) -> Result<(), Halt> {
        let model = self.model;
        for (at, property) in model.properties.iter().enumerate() {
            let property_at = at as u32;
            let verdict = match property.kind {
                PropertyKind::Invariant => self.machine.violation(state, property),
                PropertyKind::Cover if self.outcome.reached(property_at) => continue,
                PropertyKind::Cover => self.machine.witness(state, property),
                _ => continue,
            };
            match verdict {
                Ok(None) => {}
                Ok(Some(_)) if property.kind == PropertyKind::Cover => self.outcome.reach(property_at),
                Ok(Some(index)) => self.violation(node, Ending::Property { property: property_at, index })?,
                Err(fault) => {
                    let ending = Ending::PropertyFault { property: property_at, fault: fault.kind };
                    self.note(self.path(node), ending, Some(&fault))?;
                }
            }
        }
        if let Err((property, fault)) = self.graph.state(&mut self.machine, state) {
            let ending = Ending::PropertyFault { property, fault: fault.kind };
            self.note(self.path(node), ending, Some(&fault))?;
        }
        Ok(())
    }

    fn check_liveness(&mut self) {
        for (property, node) in self.graph.violations() {
            // An instance is not the same one in every state of an orbit; such properties are left open.
            let single = !self.model.properties[property as usize].binders.is_empty();
            if single && self.symmetry.is_some() {
                continue;
            }
            let _ = self.violation(node, Ending::Unreachable { property });
        }
        if let Some(response) = self.response.take() {
            self.check_response(&response);
        }
    }

    fn check_response(&mut self, response: &Response) {
        let model = self.model;
        if let Some(why) = &response.open {
            let responses =
                model.properties.iter().enumerate().filter(|(_, p)| p.kind == PropertyKind::LeadsTo);
            responses.for_each(|(at, _)| self.outcome.leave_open(at as u32, why.clone()));
            return;
        }
        for found in response.violations(model) {
            let mut path = self.path(found.source);
            path.extend(found.stem);
            let ending = Ending::Never { property: found.property, index: found.index };
            self.outcome.note_lasso(model, &mut self.machine, &path, &found.cycle, ending);
        }
    }

    fn rule_fault(&mut self, parent: u32, step: StepRef, fault: &Fault) -> Result<(), Halt> {
        let rule = match parent {
            NO_PARENT => &self.model.starts[step.rule as usize],
            _ => self.model.rule(RuleId(step.rule)),
        };
        let params = self.model.instance_params(&rule.binders, step.index);
        let ending = Ending::Fault { step, rule: rule.name.clone(), params, fault: fault.kind };
        self.note(self.path(parent), ending, Some(fault))
    }

    fn violation(&mut self, node: u32, ending: Ending) -> Result<(), Halt> {
        self.note(self.path(node), ending, None)
    }

    fn note(&mut self, path: Vec<StepRef>, ending: Ending, fault: Option<&Fault>) -> Result<(), Halt> {
        self.outcome.note(self.model, &mut self.machine, path, ending, fault);
        if self.outcome.errors() >= self.options.max_errors {
            return Err(match self.options.max_errors {
                1 => "stopped at the first violation".to_string(),
                max => format!("stopped after {max} violations"),
            });
        }
        Ok(())
    }

    /// The steps that first led to a state, beginning with a start state.
    fn path(&self, node: u32) -> Vec<StepRef> {
        let mut steps = Vec::new();
        let mut at = node;
        while at != NO_PARENT {
            let node = &self.nodes[at as usize];
            steps.push(node.step);
            at = node.parent;
        }
        steps.reverse();
        steps
    }

    fn report(self, halted: Option<Halt>) -> Report {
        let digest = format!("{:032x}", self.digest);
        let covered = self.machine.covered().to_vec();
        self.outcome.report(self.model, &self.options, self.counts, digest, &covered, halted)
    }
}
