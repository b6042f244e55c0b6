//! Helpful paths by the evaluator alone: what a state's helpful steps are, and where they lead.
//!
//! In: a model and states. Out: for each instance of each CANGETTO property, how many reachable states have P and Q and
//! for how many P states the fixed helpful path (always the first helpful step that leads to another state) does not
//! come to Q; and whether Q can be reached from one state by any helpful steps. The first is a functional graph: every
//! path is followed once. All states are kept; without symmetry. Used as the oracle of `property::freedom`, and to be
//! certain of a violation before it is told.

use std::collections::{HashMap, HashSet, VecDeque};

use super::brute::Options;
use super::response::mark;
use crate::ir::eval::{Eval, Machine, State, Step, on_deep_stack};
use crate::ir::model::instance_count;
use crate::ir::{Instance, Model, PropertyKind};
use crate::verdict::{Ending, Trace};

/// What is true of one instance of a CANGETTO property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreedomFacts {
    pub property: u32,
    pub index: u64,
    pub claims: u64,
    pub targets: u64,
    /// P states whose fixed helpful path is stuck or goes round.
    pub failing: u64,
}

/// The states that helpful rules lead to from a state, where they are others and belong to the model, in the order of
/// instances.
pub fn helpful_steps(machine: &mut Machine<'_>, state: &[i64]) -> Vec<(Instance, State)> {
    let model = machine.model();
    let mut steps = Vec::new();
    machine.successors(state, |instance, step| {
        if let Ok(Step::Next(next)) = step
            && !model.rule(instance.rule).unhelpful
            && *next != *state
        {
            steps.push((instance, next));
        }
    });
    steps.retain(|(_, next)| belongs(machine, next));
    steps
}

fn belongs(machine: &mut Machine<'_>, state: &[i64]) -> bool {
    let mut assumptions = machine.model().properties.iter().filter(|each| each.kind == PropertyKind::Assume);
    assumptions.all(|property| machine.violation(state, property) == Ok(None))
}

/// Whether no helpful steps at all lead from a state to one with Q; none where more than `most` states would have to
/// be looked at, or something cannot be evaluated.
pub fn out_of_reach(
    machine: &mut Machine<'_>,
    property: u32,
    index: u64,
    state: &[i64],
    most: usize,
) -> Option<bool> {
    let mut seen: HashSet<State> = HashSet::from([state.into()]);
    let mut open: Vec<State> = vec![state.into()];
    while let Some(state) = open.pop() {
        if mark(machine, property, index, &state).ok()?.1 {
            return Some(false);
        }
        for (_, next) in helpful_steps(machine, &state) {
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        if seen.len() > most {
            return None;
        }
    }
    Some(true)
}

/// Whether a trace's end is a helpful path that fails, as its ending says: P holds where the path begins, Q nowhere on
/// it, each of its steps is helpful, and at its end no helpful step leads on, or it is back where it was.
pub(super) fn shows_failing_path(machine: &mut Machine<'_>, trace: &Trace) -> bool {
    let model = machine.model();
    let (property, index, from, back) = match trace.ending {
        Ending::Stuck { property, index, from } => (property, index, from as usize, None),
        Ending::Round { property, index, from, back } => {
            (property, index, from as usize, Some(back as usize))
        }
        _ => return false,
    };
    let kind = model.properties.get(property as usize).map(|property| property.kind);
    let (Some(PropertyKind::CanGetTo), true) = (kind, from < trace.steps.len()) else { return false };
    let path = &trace.steps[from..];
    let marks: Eval<Vec<(bool, bool)>> =
        path.iter().map(|step| mark(machine, property, index, &step.state)).collect();
    let Ok(marks) = marks else { return false };
    let helpful = |step: &crate::verdict::TraceStep| {
        model.rules.get(step.step.rule as usize).is_some_and(|r| !r.unhelpful)
    };
    let last = &path[path.len() - 1].state;
    let fails = match back {
        None => helpful_steps(machine, last).is_empty(),
        Some(back) => (from..trace.steps.len() - 1).contains(&back) && trace.steps[back].state == *last,
    };
    marks[0].0 && marks.iter().all(|mark| !mark.1) && path[1..].iter().all(helpful) && fails
}

/// The facts of every instance of every CANGETTO property, by the whole graph. Runs on a thread with a deep stack.
pub fn freedom(model: &Model, options: &Options) -> Result<Vec<FreedomFacts>, String> {
    on_deep_stack(|| facts(model, options).map_err(|fault| fault.message))
        .map_err(|error| error.to_string())?
}

fn facts(model: &Model, options: &Options) -> Eval<Vec<FreedomFacts>> {
    let mut machine = Machine::new(model, options.eval);
    let states = reachable(model, &mut machine)?;
    let numbers: HashMap<&State, usize> = states.iter().enumerate().map(|(at, state)| (state, at)).collect();
    let mut next = Vec::with_capacity(states.len());
    for state in &states {
        next.push(helpful_steps(&mut machine, state).first().map(|(_, to)| numbers[to]));
    }
    let mut facts = Vec::new();
    for (property, each) in model.properties.iter().enumerate() {
        if each.kind != PropertyKind::CanGetTo {
            continue;
        }
        for index in 0..instance_count(&each.binders, &model.types) {
            let mut marks = Vec::with_capacity(states.len());
            for state in &states {
                marks.push(mark(&mut machine, property as u32, index, state)?);
            }
            let good = witnessed(&next, marks.iter().map(|mark| mark.1).collect());
            let count = |of: fn(&(bool, bool)) -> bool| marks.iter().filter(|mark| of(mark)).count() as u64;
            facts.push(FreedomFacts {
                property: property as u32,
                index,
                claims: count(|mark| mark.0),
                targets: count(|mark| mark.1),
                failing: marks.iter().zip(&good).filter(|(mark, good)| mark.0 && !**good).count() as u64,
            });
        }
    }
    Ok(facts)
}

/// Which states' paths come to a target: backwards along the one step of each.
fn witnessed(next: &[Option<usize>], mut good: Vec<bool>) -> Vec<bool> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); next.len()];
    for (from, to) in next.iter().enumerate().filter_map(|(from, to)| Some((from, (*to)?))) {
        before[to].push(from);
    }
    let mut open: Vec<usize> = (0..good.len()).filter(|&at| good[at]).collect();
    while let Some(at) = open.pop() {
        for &from in &before[at] {
            if !std::mem::replace(&mut good[from], true) {
                open.push(from);
            }
        }
    }
    good
}

fn reachable(model: &Model, machine: &mut Machine<'_>) -> Eval<Vec<State>> {
    let mut seen: HashSet<State> = HashSet::new();
    let mut open = VecDeque::new();
    let mut states = Vec::new();
    for at in 0..model.starts.len() {
        for index in 0..model.instances(&model.starts[at]) {
            open.extend(machine.start(at, index)?);
        }
    }
    while let Some(state) = open.pop_front() {
        if seen.contains(&state) || !belongs(machine, &state) {
            continue;
        }
        machine.successors(&state, |_, step| {
            if let Ok(Step::Next(next)) = step {
                open.push_back(next);
            }
        });
        seen.insert(state.clone());
        states.push(state);
    }
    Ok(states)
}
