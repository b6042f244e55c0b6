//! Response under fairness, [] (P -> <> Q), after a distributed search: is there a fair cycle without Q?
//!
//! While the search runs, an observer (`Seeds`) keeps the states that have P and not Q. Then, for each instance of
//! each property: `rounds.rs` finds all pending states and deletes those that cannot lie on a fair cycle, until none
//! is left (the property holds) or none can be deleted (it does not); `path.rs` brings what is left to rank 0 and
//! tells how a pending state was reached. Algorithms 6.1 to 6.4 of Bingham's thesis (PReach-Resp), with states kept
//! whole where the thesis walks again from the start.

mod path;
mod rounds;
mod table;

use std::cell::RefCell;
use std::rc::Rc;

use crate::compile::{Predicate, Steps};
use crate::explore::frontier::Frontier;
use crate::explore::{Finding, Observer, StateRef, What};
use crate::ir::model::instance_count;
use crate::ir::{Model, PropertyKind};
use crate::verdict::figures::Round;

pub use rounds::{Rounds, Study};

/// One instance of a response property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    pub property: u32,
    pub index: u64,
}

/// All instances of all response properties.
pub fn goals(model: &Model) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (at, property) in model.properties.iter().enumerate() {
        if property.kind == PropertyKind::LeadsTo {
            let indices = 0..instance_count(&property.binders, &model.types);
            goals.extend(indices.map(|index| Goal { property: at as u32, index }));
        }
    }
    goals
}

/// What the rounds for one goal came to, the same on all ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub pending: u64,
    /// States that no round could delete: more than none is a violation.
    pub left: u64,
    /// Why nothing can be said, where it cannot.
    pub trouble: Option<String>,
    pub rounds: Vec<Round>,
}

/// The states of each goal that are pending by themselves, collected while the search runs.
pub type SeedQueues = Rc<RefCell<Vec<Frontier>>>;

pub struct Seeds {
    goals: Vec<Goal>,
    queues: SeedQueues,
}

impl Seeds {
    pub fn new(goals: Vec<Goal>, words: usize) -> (Seeds, SeedQueues) {
        let queues = goals.iter().map(|_| Frontier::new(words, u64::MAX >> 1, None)).collect();
        let queues = Rc::new(RefCell::new(queues));
        (Seeds { goals, queues: Rc::clone(&queues) }, queues)
    }
}

impl Observer for Seeds {
    fn state(&mut self, steps: &mut dyn Steps, state: &[u64], id: StateRef, found: &mut Vec<Finding>) {
        for (goal, queue) in self.goals.iter().zip(self.queues.borrow_mut().iter_mut()) {
            let claim = steps.predicate(Predicate::Claim(goal.property), goal.index, state);
            let target = steps.predicate(Predicate::Target(goal.property), goal.index, state);
            let (Ok(claim), Ok(target)) = (claim, target) else {
                found.push(Finding::here(What::Property(goal.property), id));
                return;
            };
            if claim == Some(true) && target != Some(true) {
                queue.push(state, id, 0).expect("a frontier without a spool cannot fail");
            }
        }
    }
}
