//! Deadlock: a state from which nothing leads on. Counted in every state that is expanded.

use crate::compile::{Expansion, Steps};
use crate::explore::{Finding, Observer, StateRef, What};

/// What counts as a deadlock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// No rule is enabled.
    Stuck,
    /// No rule leads to another state.
    Stuttering,
}

pub struct Deadlocks {
    mode: Mode,
    count: u64,
}

impl Deadlocks {
    pub fn new(mode: Mode) -> Deadlocks {
        Deadlocks { mode, count: 0 }
    }
}

impl Observer for Deadlocks {
    fn expanded(
        &mut self,
        _steps: &mut dyn Steps,
        _state: &[u64],
        id: StateRef,
        expansion: &Expansion,
        found: &mut Vec<Finding>,
    ) {
        let dead = match self.mode {
            Mode::Stuck => expansion.stuck(),
            Mode::Stuttering => expansion.stuttering(),
        };
        if dead {
            self.count += 1;
            found.push(Finding::here(What::Deadlock, id));
        }
    }

    fn tally(&self) -> u64 {
        self.count
    }
}
