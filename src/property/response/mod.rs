//! Response under fairness, [] (P -> <> Q), after a distributed search: is there a fair cycle without Q?
//!
//! While the search runs, an observer (`Seeds`) keeps the states that have P and not Q. Then, for each instance of
//! each property: `rounds.rs` finds all pending states and deletes those that cannot lie on a fair cycle, until none
//! is left (the property holds) or none can be deleted (it does not); `narrow.rs` keeps a small part of what is left
//! with a fair cycle in it; `path.rs` brings it to rank 0 and tells how a pending state was reached. Algorithms 6.1 to
//! 6.4 of Bingham's thesis (PReach-Resp), with states kept whole where the thesis walks again from the start.

mod narrow;
mod path;
mod pending;
mod rounds;
mod states;
pub(super) mod table;
mod waiting;

use std::cell::RefCell;
use std::rc::Rc;

use crate::compile::{Predicate, Steps};
use crate::explore::frontier::Frontier;
use crate::explore::{Finding, Observer, StateRef, What};
use crate::ir::eval::Fault;
use crate::ir::model::{digits, instance_count};
use crate::ir::{Binder, Model, ParamDomain, PropertyKind, Type, TypeId};
use crate::verdict::figures::Round;

pub use rounds::{Rounds, Study};

/// One instance of a liveness property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    pub property: u32,
    pub index: u64,
    /// It is AG EF: its claim is what is to stay in reach, from everywhere.
    pub always: bool,
}

impl Goal {
    /// Whether what is claimed holds in a state, and whether the target does.
    fn look(&self, steps: &mut dyn Steps, state: &[u64]) -> Result<[bool; 2], Box<Fault>> {
        let claim = steps.predicate(Predicate::Claim(self.property), self.index, state)?;
        if self.always {
            // AG EF has one expression, which is the target; it says nothing where its place is empty.
            return Ok([true, claim != Some(false)]);
        }
        let target = steps.predicate(Predicate::Target(self.property), self.index, state)?;
        Ok([claim == Some(true), target == Some(true)])
    }
}

/// All instances of all properties of what stays in reach.
pub fn reach_goals(model: &Model) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (at, property) in model.properties.iter().enumerate() {
        let always = property.kind == PropertyKind::AlwaysPossible;
        if always || property.kind == PropertyKind::CanGetTo {
            let indices = 0..instance_count(&property.binders, &model.types);
            goals.extend(indices.map(|index| Goal { property: at as u32, index, always }));
        }
    }
    goals
}

/// All instances of all response properties; `by_orbit`, one of those that differ only by the names of scalarset
/// members: a symmetric model has the same fair runs for each, up to names.
pub fn goals(model: &Model, by_orbit: bool) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (at, property) in model.properties.iter().enumerate() {
        if property.kind == PropertyKind::LeadsTo {
            let indices = 0..instance_count(&property.binders, &model.types);
            let wanted =
                indices.filter(|&index| !by_orbit || is_first_of_orbit(model, &property.binders, index));
            goals.extend(wanted.map(|index| Goal { property: at as u32, index, always: false }));
        }
    }
    goals
}

/// Whether the parameters of each scalarset take its members in their order: 1, then 1 or 2, and so on.
fn is_first_of_orbit(model: &Model, binders: &[Binder], index: u64) -> bool {
    let mut used: Vec<(TypeId, u64)> = Vec::new();
    for (binder, digit) in binders.iter().zip(digits(binders, &model.types, index)) {
        let Binder::Param { domain: ParamDomain::Type(ty), .. } = binder else { continue };
        if !matches!(model.types.get(*ty), Type::Scalarset { .. }) {
            continue;
        }
        let at = used.iter().position(|(each, _)| each == ty).unwrap_or_else(|| {
            used.push((*ty, 0));
            used.len() - 1
        });
        if digit > used[at].1 {
            return false;
        }
        used[at].1 = used[at].1.max(digit + 1);
    }
    true
}

/// What the rounds for one goal came to, the same on all ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub pending: u64,
    /// Reachable states where the claim holds, and where the target does.
    pub claims: u64,
    pub targets: u64,
    /// States that no round could delete: more than none is a violation.
    pub left: u64,
    /// Why nothing can be said, where it cannot.
    pub trouble: Option<String>,
    pub rounds: Vec<Round>,
}

/// The states of each goal that are pending by themselves, collected while the search runs.
pub struct SeedQueues {
    /// In the order of goals.
    pub queues: Vec<Frontier>,
    /// For each goal, the states of this rank where the claim holds, and where the target does.
    pub counts: Vec<[u64; 2]>,
    /// Why some are missing, where they are.
    pub failure: Option<String>,
}

pub struct Seeds {
    goals: Vec<Goal>,
    kept: Rc<RefCell<SeedQueues>>,
}

impl Seeds {
    /// With a queue for each goal, and the other end of the queues.
    pub fn new(goals: Vec<Goal>, queues: Vec<Frontier>) -> (Seeds, Rc<RefCell<SeedQueues>>) {
        let kept =
            Rc::new(RefCell::new(SeedQueues { queues, counts: vec![[0; 2]; goals.len()], failure: None }));
        (Seeds { goals, kept: Rc::clone(&kept) }, kept)
    }
}

impl Observer for Seeds {
    fn state(&mut self, steps: &mut dyn Steps, state: &[u64], id: StateRef, found: &mut Vec<Finding>) {
        let SeedQueues { queues, counts, failure } = &mut *self.kept.borrow_mut();
        for ((goal, queue), counts) in self.goals.iter().zip(queues).zip(counts) {
            let Ok([claim, target]) = goal.look(steps, state) else {
                found.push(Finding::here(What::Property(goal.property), id));
                continue;
            };
            counts[0] += u64::from(claim);
            counts[1] += u64::from(target);
            // The state is pending by itself.
            if claim
                && !target
                && let Err(error) = queue.push(state, id, 0)
            {
                failure.get_or_insert(error.to_string());
            }
        }
    }
}
