//! Deadlock freedom in a job: which goals, by which method, and what became of them over all ranks.

use std::cell::RefCell;
use std::rc::Rc;

use super::options::Values;
use crate::base::{Rank, wire};
use crate::comm::{Comm, collective};
use crate::compile::{Owners, Steps};
use crate::explore::sequel::{Sequel, Stage};
use crate::ir::{Model, PropertyKind};
use crate::property::freedom::{Freedom, GOALS_MAX, Method, Witnesses};
use crate::property::response::Goal;
use crate::verdict::figures::{FreedomCounts, FreedomFigures, FreedomLine};

/// The method that `--df` names.
pub fn method(values: &Values) -> Method {
    match values.choice("df") {
        "local" => Method::Local,
        "ptp" => Method::PassThePath,
        _ => Method::Table,
    }
}

/// The goals whose witnesses are looked for, taken out of `goals`; the rest is decided exactly after the search. More
/// than can be looked for at a time stay there.
pub fn take_goals(model: &Model, goals: &mut Vec<Goal>) -> Vec<Goal> {
    let (mut taken, rest): (Vec<Goal>, Vec<Goal>) = std::mem::take(goals)
        .into_iter()
        .partition(|goal| model.properties[goal.property as usize].kind == PropertyKind::CanGetTo);
    *goals = rest;
    if taken.len() > GOALS_MAX {
        goals.append(&mut taken);
    }
    taken
}

/// One rank's part of it: an observer while the search runs, then its sequel.
pub struct Freedoms {
    goals: Vec<Goal>,
    method: Method,
    freedom: Rc<RefCell<Freedom>>,
    /// Whether it came to the sequel.
    pub ran: bool,
}

impl Freedoms {
    /// `memory`: whether whole states are kept, and the bytes that the tables may use.
    pub fn new(
        place: (Rank, Owners),
        model: &Model,
        goals: Vec<Goal>,
        method: Method,
        steps: &dyn Steps,
        memory: (bool, u64),
    ) -> Freedoms {
        let freedom = Freedom::new(model, goals.clone(), method, place, steps, memory);
        Freedoms { goals, method, freedom: Rc::new(RefCell::new(freedom)), ran: false }
    }

    pub fn observer(&self) -> Witnesses {
        Witnesses(Rc::clone(&self.freedom))
    }

    /// What all ranks counted, and why they could not go on where one could not; at rank 0.
    pub fn gather(&self, comm: &mut dyn Comm, model: &Model) -> Option<(FreedomFigures, Option<String>)> {
        let freedom = self.freedom.borrow();
        let parts = collective::gather(comm, wire::encode(&(&freedom.counts, &freedom.trouble)))?;
        let mut all = FreedomCounts::new(self.goals.len());
        let mut trouble = None;
        for part in parts {
            let (counts, troubled): (FreedomCounts, Option<String>) =
                wire::decode(&part).expect("counts decode");
            all.join(&counts);
            trouble = trouble.or(troubled);
        }
        Some((self.figures(model, &all), trouble))
    }

    fn figures(&self, model: &Model, counts: &FreedomCounts) -> FreedomFigures {
        let line = |(at, goal): (usize, &Goal)| {
            let property = &model.properties[goal.property as usize];
            FreedomLine {
                property: property.name.clone(),
                params: model.instance_params(&property.binders, goal.index),
                p_states: counts.claims[at],
                q_states: counts.targets[at],
                searches: counts.searches[at],
            }
        };
        let method = match self.method {
            Method::Count => "exact",
            Method::Local => "local",
            Method::PassThePath => "ptp",
            Method::Table => "ost",
        };
        FreedomFigures {
            method: method.to_string(),
            properties: self.goals.iter().enumerate().map(line).collect(),
            witness_steps: counts.steps,
            witness_messages: counts.steps_sent,
            acknowledgements: counts.acknowledgements,
            acknowledgement_messages: counts.acknowledgements_sent,
            expanded_again: counts.expanded_again,
            waiting_most: counts.waiting_most,
            longest_path: counts.longest_path,
        }
    }
}

impl Sequel for Freedoms {
    fn run(&mut self, stage: &mut Stage<'_, '_>) {
        self.ran = true;
        self.freedom.borrow_mut().conclude(stage);
    }
}
