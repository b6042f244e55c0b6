//! Whether a trace really is an execution and really ends as it says.
//!
//! In: a model, options and a trace from any engine. Out: nothing, or the first thing that is wrong. The
//! trace's steps are run by the evaluator and its states compared; priorities count. Linear in its length.

use super::brute::{DeadlockMode, Options};
use super::helpful;
use crate::ir::eval::{FaultKind, Machine, Step, on_deep_stack};
use crate::ir::model::instance_count;
use crate::ir::{Instance, Model, RuleId};
use crate::verdict::{Ending, StepRef, Trace};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    #[error("the trace is empty")]
    Empty,
    #[error("step {0} names a rule, instance or property that the model does not have")]
    Unknown(usize),
    #[error("step {0} cannot be taken there")]
    NotTaken(usize),
    #[error("step {0} leads to another state than the trace says")]
    OtherState(usize),
    #[error("the last state does not show the violation")]
    NoViolation,
    #[error("no thread for the replay: {0}")]
    NoThread(String),
}

pub fn replay(model: &Model, options: &Options, trace: &Trace) -> Result<(), ReplayError> {
    let run = || {
        let mut machine = Machine::new(model, options.eval);
        let last = run_steps(model, &mut machine, trace)?;
        check_ending(&mut machine, options, trace, last)
    };
    on_deep_stack(run).map_err(|error| ReplayError::NoThread(error.to_string()))?
}

/// Runs all steps; the last state, if there is one.
pub(super) fn run_steps(
    model: &Model,
    machine: &mut Machine<'_>,
    trace: &Trace,
) -> Result<Option<Vec<i64>>, ReplayError> {
    let mut state: Option<Vec<i64>> = None;
    for (at, step) in trace.steps.iter().enumerate() {
        let next = match &state {
            None => start(model, machine, step.step).map_err(|()| ReplayError::Unknown(at))?,
            Some(state) => {
                let instance = known(model, step.step).ok_or(ReplayError::Unknown(at))?;
                permitted(machine, state, instance)
            }
        };
        let next = next.ok_or(ReplayError::NotTaken(at))?;
        if next != step.state {
            return Err(ReplayError::OtherState(at));
        }
        state = Some(next);
    }
    Ok(state)
}

fn start(model: &Model, machine: &mut Machine<'_>, step: StepRef) -> Result<Option<Vec<i64>>, ()> {
    let rule = model.starts.get(step.rule as usize).ok_or(())?;
    if step.index >= model.instances(rule) {
        return Err(());
    }
    Ok(machine.start(step.rule as usize, step.index).ok().flatten().map(|state| state.to_vec()))
}

fn known(model: &Model, step: StepRef) -> Option<Instance> {
    let rule = model.rules.get(step.rule as usize)?;
    (step.index < model.instances(rule)).then_some(Instance { rule: RuleId(step.rule), index: step.index })
}

/// The state an instance leads to, where it is among those that may fire.
fn permitted(machine: &mut Machine<'_>, state: &[i64], instance: Instance) -> Option<Vec<i64>> {
    let mut next = None;
    machine.successors(state, |each, step| {
        if each == instance
            && let Ok(Step::Next(reached)) = step
        {
            next = Some(reached.to_vec());
        }
    });
    next
}

fn check_ending(
    machine: &mut Machine<'_>,
    options: &Options,
    trace: &Trace,
    last: Option<Vec<i64>>,
) -> Result<(), ReplayError> {
    let model = machine.model();
    if let (Ending::Fault { step, fault, .. }, None) = (&trace.ending, &last) {
        let known =
            model.starts.get(step.rule as usize).is_some_and(|rule| step.index < model.instances(rule));
        let found = known && machine.start(step.rule as usize, step.index).is_err_and(|f| f.kind == *fault);
        return if found { Ok(()) } else { Err(ReplayError::NoViolation) };
    }
    let last = last.ok_or(ReplayError::Empty)?;
    let shown = match &trace.ending {
        Ending::Property { property, index } => {
            let property =
                model.properties.get(*property as usize).ok_or(ReplayError::Unknown(trace.steps.len()))?;
            let held =
                machine.predicate(&last, &property.binders, property.frame.cells, *index, property.claim);
            held == Ok(Some(false))
        }
        Ending::PropertyFault { property, fault } => {
            let property =
                model.properties.get(*property as usize).ok_or(ReplayError::Unknown(trace.steps.len()))?;
            let faults = [machine.violation(&last, property), machine.witness(&last, property)];
            let mut kinds: Vec<FaultKind> =
                faults.into_iter().filter_map(|each| each.err()).map(|f| f.kind).collect();
            if let Some(target) = property.target {
                for index in 0..instance_count(&property.binders, &model.types) {
                    let held =
                        machine.predicate(&last, &property.binders, property.frame.cells, index, target);
                    kinds.extend(held.err().map(|found| found.kind));
                }
            }
            kinds.contains(fault)
        }
        Ending::Fault { step, fault, .. } => {
            let instance = known(model, *step).ok_or(ReplayError::Unknown(trace.steps.len()))?;
            machine.step(&last, instance).is_err_and(|found| found.kind == *fault)
        }
        Ending::Deadlock => is_deadlock(machine, options.deadlock, &last),
        Ending::Stuck { .. } | Ending::Round { .. } => helpful::shows_failing_path(machine, trace),
        Ending::Unreachable { .. } | Ending::Never { .. } | Ending::Reached => true,
    };
    if shown { Ok(()) } else { Err(ReplayError::NoViolation) }
}

fn is_deadlock(machine: &mut Machine<'_>, mode: DeadlockMode, state: &[i64]) -> bool {
    let (mut enabled, mut moved) = (false, false);
    machine.successors(state, |_, step| match step {
        Ok(Step::Next(next)) => {
            enabled = true;
            moved |= *next != *state;
        }
        Err(_) => (enabled, moved) = (true, true),
        Ok(_) => {}
    });
    match mode {
        DeadlockMode::Off => false,
        DeadlockMode::Stuck => !enabled,
        DeadlockMode::Stuttering => !moved,
    }
}
