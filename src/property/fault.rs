//! Run-time errors, false assertions and `error` statements: rules that fail when they are tried.

use crate::compile::{Expansion, Steps};
use crate::explore::{Finding, Observer, StateRef, What};

pub struct Faults;

impl Observer for Faults {
    fn expanded(
        &mut self,
        _steps: &mut dyn Steps,
        _state: &[u64],
        id: StateRef,
        expansion: &Expansion,
        found: &mut Vec<Finding>,
    ) {
        found.extend(expansion.faults.iter().map(|(step, _)| Finding::by(What::Fault, id, *step)));
    }
}
