//! Invariants and covers: looked at once in every state, when it is new.
//!
//! Evaluating a property may fail; that is a finding about the property too.

use crate::compile::{Steps, Violation};
use crate::explore::{Finding, Observer, StateRef, What};

/// Reports each property that a state breaks.
#[derive(Default)]
pub struct Invariants {
    broken: Vec<Violation>,
}

impl Observer for Invariants {
    fn state(&mut self, steps: &mut dyn Steps, state: &[u64], id: StateRef, found: &mut Vec<Finding>) {
        steps.check(state, &mut self.broken);
        if self.broken.is_empty() {
            return; // Nearly always; taking nothing out takes time, too.
        }
        found.extend(
            self.broken.drain(..).map(|violation| Finding::here(What::Property(violation.property), id)),
        );
    }
}
