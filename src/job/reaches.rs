//! Properties of what stays in reach, after a distributed search; each that fails becomes a finding of the search.

use std::cell::RefCell;
use std::rc::Rc;

use crate::explore::sequel::{Sequel, Stage};
use crate::explore::{Finding, What};
use crate::ir::Model;
use crate::property::reach::Reach;
use crate::property::response::{Goal, SeedQueues};

/// The sequel that decides AG EF and CANGETTO.
pub struct Reaches<'m> {
    model: &'m Model,
    goals: Vec<Goal>,
    seeds: Rc<RefCell<SeedQueues>>,
    /// Properties that could not be decided, and why.
    pub open: Vec<(u32, String)>,
    /// Whether it came to the sequel at all.
    pub ran: bool,
    pub violated: Vec<u32>,
}

impl<'m> Reaches<'m> {
    pub fn new(model: &'m Model, goals: Vec<Goal>, seeds: Rc<RefCell<SeedQueues>>) -> Reaches<'m> {
        Reaches { model, goals, seeds, open: Vec::new(), ran: false, violated: Vec::new() }
    }
}

impl Sequel for Reaches<'_> {
    fn run(&mut self, stage: &mut Stage<'_, '_>) {
        self.ran = true;
        for (at, &goal) in self.goals.iter().enumerate() {
            if self.violated.contains(&goal.property) {
                continue;
            }
            let mut reach = Reach::new(stage, self.model, goal);
            let found = reach.run(stage, &mut self.seeds.borrow_mut(), at);
            if found.troubles > 0 {
                let why = reach.trouble.take().unwrap_or_else(|| "another rank could not go on".to_string());
                self.open.push((goal.property, why));
            } else if found.stuck > 0 {
                self.violated.push(goal.property);
                stage.findings.push(Finding::here(What::Property(goal.property), found.first));
            }
        }
    }
}

/// Several sequels, one after the other.
pub struct Sequels<'s>(pub Vec<&'s mut dyn Sequel>);

impl Sequel for Sequels<'_> {
    fn run(&mut self, stage: &mut Stage<'_, '_>) {
        self.0.iter_mut().for_each(|sequel| sequel.run(stage));
    }
}
