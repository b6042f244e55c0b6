//! Response under fairness, [] (P -> <> Q), decided on the whole graph of reachable states.
//!
//! In: every state when it is expanded, with its moves. Out: for each LEADSTO property that is violated, steps to a
//! state where P held and since which Q did not, and a fair cycle there without Q. A run may stay where it is for
//! ever unless a promise forbids it (`ir::promise`), so the cycle may have no steps. Properties inside rulesets are
//! one property for each instance.
//!
//! Pending states are those reached from a state with P and without Q by states without Q; the property is violated
//! exactly when a fair component (`streett.rs`) lies among them. Kept: every edge, and two bits a state and property.

use std::collections::{HashMap, VecDeque};

use super::streett::FairGraph;
use crate::ir::eval::{self, Eval, Fault, Machine, State, Step, on_deep_stack};
use crate::ir::model::instance_count;
use crate::ir::promise::{Condition, Promises, join, set};
use crate::ir::{Instance, Model, PropertyKind, RuleId};
use crate::verdict::StepRef;

/// One instance of a LEADSTO property, and for each state whether P and whether Q holds.
struct Goal {
    property: u32,
    index: u64,
    marks: Vec<(bool, bool)>,
}

pub(super) struct Response {
    promises: Promises,
    goals: Vec<Goal>,
    graph: FairGraph,
    /// Why fairness could not be evaluated in some state.
    pub(super) open: Option<String>,
}

/// A violated property with the way to it: `source` is the state where P held, both parts are steps of rules.
pub(super) struct Violation {
    pub property: u32,
    pub index: u64,
    pub source: u32,
    pub stem: Vec<StepRef>,
    pub cycle: Vec<StepRef>,
}

impl Response {
    pub fn new(model: &Model) -> Response {
        let mut goals = Vec::new();
        for (at, property) in model.properties.iter().enumerate() {
            if property.kind == PropertyKind::LeadsTo {
                let indices = 0..instance_count(&property.binders, &model.types);
                goals.extend(indices.map(|index| Goal { property: at as u32, index, marks: Vec::new() }));
            }
        }
        let promises = Promises::new(model);
        Response { goals, graph: FairGraph::new(promises.words()), promises, open: None }
    }

    pub fn is_wanted(&self) -> bool {
        !self.goals.is_empty()
    }

    /// Takes in the next state with all its moves. Where a property fails there, it is handed back.
    pub fn expanded(
        &mut self,
        machine: &mut Machine<'_>,
        state: &[i64],
        moves: &[(u32, Instance)],
    ) -> Result<(), (u32, Box<Fault>)> {
        if !self.is_wanted() {
            return Ok(());
        }
        let instances: Vec<Instance> = moves.iter().map(|&(_, instance)| instance).collect();
        if let Err(fault) = look(machine, &self.promises, state, &instances, &mut self.graph) {
            self.open
                .get_or_insert(format!("fairness could not be evaluated in every state: {}", fault.message));
        }
        for &(to, instance) in moves {
            push_edge(&mut self.graph, &self.promises, to, instance);
        }
        self.graph.firsts.push(self.graph.targets.len());
        let mut failed = Ok(());
        for goal in &mut self.goals {
            let marks = mark(machine, goal.property, goal.index, state);
            goal.marks.push(marks.unwrap_or_else(|fault| {
                failed = Err((goal.property, fault));
                (false, true)
            }));
        }
        failed
    }

    /// Each violated property, once. Only after all states were expanded.
    pub fn violations(&self, model: &Model) -> Vec<Violation> {
        let mut found: Vec<Violation> = Vec::new();
        for goal in &self.goals {
            if found.iter().all(|violation| violation.property != goal.property) {
                found.extend(self.violation(model, goal));
            }
        }
        found
    }

    fn violation(&self, model: &Model, goal: &Goal) -> Option<Violation> {
        let (pending, order, came_by) = self.pending(goal);
        let component = self.graph.fair_component(&pending)?;
        let entry =
            *order.iter().find(|state| component.contains(state)).expect("pending states have an order");
        let mut stem = Vec::new();
        let mut source = entry;
        while let Some((before, edge)) = came_by[source as usize] {
            stem.push(step_ref(model, self.graph.steps[edge]));
            source = before;
        }
        stem.reverse();
        let walk = self.graph.fair_walk(&component, entry);
        let cycle = walk.iter().map(|&edge| step_ref(model, self.graph.steps[edge])).collect();
        Some(Violation { property: goal.property, index: goal.index, source, stem, cycle })
    }

    /// The pending states, their order by distance, and for each the state and edge it was first reached by.
    #[allow(clippy::type_complexity)]
    fn pending(&self, goal: &Goal) -> (Vec<bool>, Vec<u32>, Vec<Option<(u32, usize)>>) {
        let mut pending: Vec<bool> = goal.marks.iter().map(|&(claim, target)| claim && !target).collect();
        let mut queue: VecDeque<u32> = (0..pending.len() as u32).filter(|&at| pending[at as usize]).collect();
        let mut came_by = vec![None; pending.len()];
        let mut order = Vec::new();
        while let Some(at) = queue.pop_front() {
            order.push(at);
            for edge in self.graph.edges(at) {
                let to = self.graph.targets[edge];
                if !goal.marks[to as usize].1 && !pending[to as usize] {
                    pending[to as usize] = true;
                    came_by[to as usize] = Some((at, edge));
                    queue.push_back(to);
                }
            }
        }
        (pending, order, came_by)
    }
}

/// Whether P and whether Q holds in a state, for one instance of a property.
pub(super) fn mark(
    machine: &mut Machine<'_>,
    property: u32,
    index: u64,
    state: &[i64],
) -> Eval<(bool, bool)> {
    let property = &machine.model().properties[property as usize];
    let mut holds = |expr| machine.predicate(state, &property.binders, property.frame.cells, index, expr);
    let claim = holds(property.claim)? == Some(true);
    let target = match property.target {
        Some(target) => holds(target)? == Some(true),
        None => false,
    };
    Ok((claim, target))
}

/// Marks what is due and kept in the graph's next state, whose moves are these instances.
fn look(
    machine: &mut Machine<'_>,
    promises: &Promises,
    state: &[i64],
    moves: &[Instance],
    graph: &mut FairGraph,
) -> Eval<()> {
    let model = machine.model();
    let mut enabled = vec![0; promises.words()];
    for &instance in moves {
        promises.of(instance).iter().for_each(|&at| set(&mut enabled, at as usize));
    }
    let (mut due, mut kept) = (vec![0; promises.words()], vec![0; promises.words()]);
    let holds = |condition: Condition| {
        let fairness = &model.fairness[condition.fairness as usize];
        let expr = if condition.premise { fairness.premise } else { Some(fairness.conclusion) };
        let Some(expr) = expr else { return Ok(None) };
        machine.predicate(state, &fairness.binders, fairness.frame.cells, condition.index, expr)
    };
    let marked = promises.mark(&enabled, holds, &mut due, &mut kept);
    graph.due.extend(due);
    graph.kept.extend(kept);
    marked
}

fn push_edge(graph: &mut FairGraph, promises: &Promises, to: u32, instance: Instance) {
    let mut taken = vec![0; promises.words()];
    promises.of(instance).iter().for_each(|&at| set(&mut taken, at as usize));
    let number = promises.number(instance) as u32;
    // Steps between the same states in a row are told apart only by the promises that they keep.
    let first = *graph.firsts.last().expect("where the state's edges begin");
    let same = (first..graph.targets.len()).any(|edge| {
        let before = &mut graph.taken[edge * promises.words()..][..promises.words()];
        graph.targets[edge] == to && !join(&mut before.to_vec(), &taken)
    });
    if !same {
        graph.targets.push(to);
        graph.steps.push(number);
        graph.taken.extend(taken);
    }
}

fn step_ref(model: &Model, number: u32) -> StepRef {
    let instance = model.all_instances().nth(number as usize).expect("an instance of the model");
    StepRef { rule: instance.rule.0, index: instance.index }
}

/// The states that a state's enabled instances lead to, where they belong to the model.
pub(super) fn moves(machine: &mut Machine<'_>, state: &[i64]) -> Eval<Vec<(Instance, State)>> {
    let mut next = Vec::new();
    machine.successors(state, |instance, step| {
        if let Ok(Step::Next(to)) = step {
            next.push((instance, to));
        }
    });
    let model = machine.model();
    let mut kept = Vec::with_capacity(next.len());
    for (instance, to) in next {
        let mut belongs = true;
        for property in model.properties.iter().filter(|property| property.kind == PropertyKind::Assume) {
            belongs &= machine.violation(&to, property)?.is_none();
        }
        if belongs {
            kept.push((instance, to));
        }
    }
    Ok(kept)
}

/// A fair cycle: the state it begins and ends in, and its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    pub entry: usize,
    pub steps: Vec<StepRef>,
}

/// A fair cycle within a set of states, if there is one. `Err` where something cannot be evaluated.
pub fn fair_cycle(model: &Model, options: eval::Options, states: &[State]) -> Result<Option<Cycle>, String> {
    let run = || -> Eval<Option<Cycle>> {
        let mut machine = Machine::new(model, options);
        let promises = Promises::new(model);
        let mut graph = FairGraph::new(promises.words());
        let known: HashMap<&[i64], u32> =
            states.iter().enumerate().map(|(at, state)| (&**state, at as u32)).collect();
        for state in states {
            let moves = moves(&mut machine, state)?;
            let instances: Vec<Instance> = moves.iter().map(|(instance, _)| *instance).collect();
            look(&mut machine, &promises, state, &instances, &mut graph)?;
            for (instance, to) in &moves {
                if let Some(&to) = known.get(&**to) {
                    push_edge(&mut graph, &promises, to, *instance);
                }
            }
            graph.firsts.push(graph.targets.len());
        }
        let Some(component) = graph.fair_component(&vec![true; states.len()]) else { return Ok(None) };
        let entry = *component.iter().min().expect("a component has a state");
        let walk = graph.fair_walk(&component, entry);
        let steps = walk.iter().map(|&edge| step_ref(model, graph.steps[edge])).collect();
        Ok(Some(Cycle { entry: entry as usize, steps }))
    };
    match on_deep_stack(run) {
        Ok(found) => found.map_err(|fault| fault.message),
        Err(error) => Err(format!("no thread for the search: {error}")),
    }
}

/// The instance that a step names, where the model has it.
pub(super) fn instance_of(model: &Model, step: StepRef) -> Option<Instance> {
    let rule = model.rules.get(step.rule as usize)?;
    (step.index < model.instances(rule)).then_some(Instance { rule: RuleId(step.rule), index: step.index })
}
