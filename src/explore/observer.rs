//! Observers: what a search is for. The engine calls them and knows nothing of properties.
//!
//! An observer sees each state once, when it is new, at its owner or, where finders expand, at its finder; and each
//! expansion once, at whichever rank made it. What it finds goes to rank 0, which ends the search when there are enough findings.
//!
//! An observer may talk to itself on other ranks, by witnesses and acknowledgements (`comm::Tag`): it is called between
//! expansions to send, and for each batch that arrives. A phase of the search ends when nothing of that is on its way.

use serde::{Deserialize, Serialize};

use super::StateRef;
use super::numbers::Known;
use crate::compile::{Expansion, InstanceNo, Steps};
use crate::exchange::{Exchange, Inbound};

/// What was found. Rank 0 looks at the state again with the evaluator, so this only says where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// This property, by its position in the model, is false or cannot be evaluated.
    Property(u32),
    /// What was tried from the state for this property failed, which need not mean that the property does.
    Tried(u32),
    /// No rule leads on.
    Deadlock,
    /// A rule (or, without a state, a start state) fails when it is tried.
    Fault,
}

/// A finding: in this state, or in what this step makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub what: What,
    /// `StateRef::NONE` where there is no state yet: a start state fails.
    pub at: StateRef,
    /// The number of the instance that fails, or that leads to the state meant.
    pub step: Option<u32>,
}

impl Finding {
    pub fn here(what: What, at: StateRef) -> Finding {
        Finding { what, at, step: None }
    }

    pub fn by(what: What, at: StateRef, step: InstanceNo) -> Finding {
        Finding { what, at, step: Some(step.0) }
    }
}

/// What an observer works with between expansions.
pub struct Desk<'d, 'c> {
    pub exchange: &'d mut Exchange<'c>,
    pub steps: &'d mut dyn Steps,
    /// The rank's states, for observers that ask for numbers.
    pub known: Known<'d>,
    pub found: &'d mut Vec<Finding>,
}

/// One interest in a search.
pub trait Observer {
    /// A state is new.
    fn state(&mut self, _steps: &mut dyn Steps, _state: &[u64], _id: StateRef, _found: &mut Vec<Finding>) {}

    /// A state was expanded.
    fn expanded(
        &mut self,
        _steps: &mut dyn Steps,
        _state: &[u64],
        _id: StateRef,
        _expansion: &Expansion,
        _found: &mut Vec<Finding>,
    ) {
    }

    /// Whether it looks for states by what they are.
    fn wants_numbers(&self) -> bool {
        false
    }

    /// A batch of witnesses or acknowledgements arrived.
    fn receive(&mut self, _desk: &mut Desk<'_, '_>, _inbound: &Inbound) {}

    /// The states found by the last expansions are taken in: time to send, and to do what need not wait. It leaves
    /// nothing for later that another call does not bring up again.
    fn correspond(&mut self, _desk: &mut Desk<'_, '_>) {}

    /// A number that is added up over all ranks.
    fn tally(&self) -> u64 {
        0
    }
}
