//! Whether a lasso really shows that a response property fails.
//!
//! In: a model, options and a lasso from any engine. Out: nothing, or the first thing that is wrong. All is worked
//! out anew by the evaluator: the stem is an execution; P holds in one of its states, and from the last such state
//! on Q never does; the cycle's steps can be taken and end where they began; and each promise of fairness
//! (`ir::promise`) is kept, by its own definition. Linear in the lasso's length × (moves + promises).

use super::brute::Options;
use super::replay::{self, ReplayError};
use super::response::{instance_of, mark, moves};
use crate::ir::eval::{Machine, on_deep_stack};
use crate::ir::promise::{Promise, Promises};
use crate::ir::{Instance, Model, PropertyKind};
use crate::verdict::{Ending, Lasso};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LassoError {
    #[error("the stem: {0}")]
    Stem(ReplayError),
    #[error("the stem does not end in a pending state of a response property")]
    NotPending,
    #[error("step {0} of the cycle cannot be taken there")]
    NotTaken(usize),
    #[error("step {0} of the cycle leads to another state than the lasso says")]
    OtherState(usize),
    #[error("what is asked for holds in the cycle")]
    Fulfilled,
    #[error("the cycle does not end where it began")]
    NotClosed,
    #[error("promise {0} of fairness is not kept")]
    Unfair(usize),
    #[error("something cannot be evaluated: {0}")]
    Fault(String),
}

pub fn replay_lasso(model: &Model, options: &Options, lasso: &Lasso) -> Result<(), LassoError> {
    let run = || {
        let mut machine = Machine::new(model, options.eval);
        check(&mut machine, lasso)
    };
    on_deep_stack(run).map_err(|error| LassoError::Stem(ReplayError::NoThread(error.to_string())))?
}

fn check(machine: &mut Machine<'_>, lasso: &Lasso) -> Result<(), LassoError> {
    let model = machine.model();
    let Ending::Never { property, index } = lasso.stem.ending else { return Err(LassoError::NotPending) };
    let kind = model.properties.get(property as usize).map(|property| property.kind);
    if kind != Some(PropertyKind::LeadsTo) {
        return Err(LassoError::NotPending);
    }
    let last = replay::run_steps(model, machine, &lasso.stem).map_err(LassoError::Stem)?;
    let entry = last.ok_or(LassoError::Stem(ReplayError::Empty))?;
    let fault = |fault: Box<crate::ir::eval::Fault>| LassoError::Fault(fault.message);
    let mut pending = false;
    for step in &lasso.stem.steps {
        let (claim, target) = mark(machine, property, index, &step.state).map_err(fault)?;
        pending = !target && (pending || claim);
    }
    if !pending {
        return Err(LassoError::NotPending);
    }
    let mut visits = vec![entry.clone()];
    for (at, step) in lasso.cycle.iter().enumerate() {
        let before = &visits[visits.len() - 1];
        let instance = instance_of(model, step.step).ok_or(LassoError::NotTaken(at))?;
        let next = moves(machine, before).map_err(fault)?.into_iter().find(|(each, _)| *each == instance);
        let (_, next) = next.ok_or(LassoError::NotTaken(at))?;
        if *next != *step.state {
            return Err(LassoError::OtherState(at));
        }
        if mark(machine, property, index, &next).map_err(fault)?.1 {
            return Err(LassoError::Fulfilled);
        }
        visits.push(next.to_vec());
    }
    if visits[visits.len() - 1] != entry {
        return Err(LassoError::NotClosed);
    }
    check_fairness(machine, lasso, &visits)
}

/// Each promise by its definition, over the states visited and the steps taken.
fn check_fairness(machine: &mut Machine<'_>, lasso: &Lasso, visits: &[Vec<i64>]) -> Result<(), LassoError> {
    let model = machine.model();
    let fault = |fault: Box<crate::ir::eval::Fault>| LassoError::Fault(fault.message);
    let promises = Promises::new(model);
    let mut enabled: Vec<Vec<Instance>> = Vec::new();
    for state in visits {
        enabled
            .push(moves(machine, state).map_err(fault)?.into_iter().map(|(instance, _)| instance).collect());
    }
    for (at, &promise) in promises.list().iter().enumerate() {
        let belongs = |instance: &Instance| promises.of(*instance).contains(&(at as u32));
        let taken =
            lasso.cycle.iter().any(|step| instance_of(model, step.step).as_ref().is_some_and(belongs));
        let enabled_in = |of: &Vec<Instance>| of.iter().any(belongs);
        let kept = match promise {
            Promise::WeakAction => taken || !enabled.iter().all(enabled_in),
            Promise::StrongAction => taken || !enabled.iter().any(enabled_in),
            Promise::WeakState { fairness, index } | Promise::StrongState { fairness, index } => {
                let fairness = &model.fairness[fairness as usize];
                let (mut wanted, mut fulfilled) = (fairness.premise.is_none(), false);
                for state in visits {
                    let mut holds =
                        |expr| machine.predicate(state, &fairness.binders, fairness.frame.cells, index, expr);
                    fulfilled |= holds(fairness.conclusion).map_err(fault)? != Some(false);
                    if let Some(premise) = fairness.premise {
                        wanted |= holds(premise).map_err(fault)? == Some(true);
                    }
                }
                fulfilled || !wanted
            }
        };
        if !kept {
            return Err(LassoError::Unfair(at));
        }
    }
    Ok(())
}
