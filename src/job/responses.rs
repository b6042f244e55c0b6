//! Response properties after a distributed search: the rounds for each goal, and a lasso for each that fails.
//!
//! All ranks do the rounds. Where states are left, the ranks narrow them down; the few that stay come to rank 0,
//! where the oracle finds a fair cycle among them (`audit::fair_cycle`), and the ranks tell how its first state was
//! reached. A property is done with its first violated instance. The oracle checks every lasso before it is printed.

use std::cell::RefCell;
use std::rc::Rc;

use crate::audit;
use crate::comm::Op;
use crate::compile::InstanceNo;
use crate::explore::sequel::{Sequel, Stage};
use crate::ir::promise::Promises;
use crate::ir::{Model, PropertyKind, eval};
use crate::property::response::{Goal, Outcome, Rounds, SeedQueues, Study};
use crate::verdict::StepRef;
use crate::verdict::figures::ResponseFigures;

/// About what a state costs at rank 0 beside its slots: its steps, its places in maps, its promises.
const HOME_STATE_BYTES: u64 = 700;

/// What became of one goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Holds,
    /// The steps to the cycle, start instance first, and the cycle's own.
    Violated {
        path: Vec<InstanceNo>,
        cycle: Vec<StepRef>,
    },
    Open(String),
}

/// The sequel that decides responses. What it found is at rank 0.
pub struct Responses<'m> {
    model: &'m Model,
    eval: eval::Options,
    goals: Vec<Goal>,
    seeds: Rc<RefCell<SeedQueues>>,
    study: Study,
    /// In the order of goals; goals behind a violated one of the same property are missing.
    pub judged: Vec<(Goal, Judgement, Outcome)>,
    /// Whether it came to the sequel at all.
    pub ran: bool,
}

impl<'m> Responses<'m> {
    pub fn new(
        model: &'m Model,
        eval: eval::Options,
        goals: Vec<Goal>,
        seeds: Rc<RefCell<SeedQueues>>,
        study: Study,
    ) -> Responses<'m> {
        Responses { model, eval, goals, seeds, study, judged: Vec::new(), ran: false }
    }

    pub fn is_wanted(&self) -> bool {
        !self.goals.is_empty()
    }

    /// What each goal took, of a search that saw this many states.
    pub fn figures(&self, states: u64) -> Vec<ResponseFigures> {
        let figures = self.judged.iter().map(|(goal, _, outcome)| {
            let property = &self.model.properties[goal.property as usize];
            let expansions: u64 = outcome.rounds.iter().map(|round| round.expansions).sum();
            ResponseFigures {
                property: property.name.clone(),
                params: self.model.instance_params(&property.binders, goal.index),
                claims: outcome.claims,
                targets: outcome.targets,
                pending: outcome.pending,
                expansions_per_state: expansions as f64 / states.max(1) as f64,
                expansions_per_pending: expansions as f64 / outcome.pending.max(1) as f64,
                rounds: outcome.rounds.clone(),
            }
        });
        figures.collect()
    }

    fn judge(&self, stage: &mut Stage<'_, '_>, promises: &Promises, at: usize) -> (Judgement, Outcome) {
        let assumes = self.model.properties.iter().any(|property| property.kind == PropertyKind::Assume);
        let mut rounds = Rounds::new(stage, self.goals[at], promises, self.study, assumes);
        let seeds = &mut *self.seeds.borrow_mut();
        if let Some(why) = &seeds.failure {
            rounds.give_up(why.clone());
        }
        let mut outcome = rounds.run(stage, &mut seeds.queues[at]);
        let counted = stage.exchange.tally(Op::Sum, &seeds.counts[at].map(|n| n as i64));
        (outcome.claims, outcome.targets) = (counted[0] as u64, counted[1] as u64);
        let judgement = match &outcome {
            Outcome { trouble: Some(why), .. } => Judgement::Open(why.clone()),
            Outcome { left: 0, .. } => Judgement::Holds,
            Outcome { left, .. } => self.violated(stage, &mut rounds, *left),
        };
        (judgement, outcome)
    }

    /// There is a fair cycle: narrows it down until rank 0 can find it.
    fn violated(&self, stage: &mut Stage<'_, '_>, rounds: &mut Rounds<'_>, left: u64) -> Judgement {
        let left = match rounds.narrow(stage, left) {
            Ok(left) => left,
            Err(why) => return Judgement::Open(format!("there is a fair cycle, not found in time: {why}")),
        };
        let state_bytes = stage.steps.layout().slots() as u64 * 8 + HOME_STATE_BYTES;
        let room = stage.memory_bytes.saturating_sub(rounds.bytes()) / state_bytes;
        let room = stage.exchange.tally(Op::Min, &[room as i64])[0] as u64;
        if left > room {
            return Judgement::Open(format!(
                "there is a fair cycle among {left} states, and one rank has memory for {room} to find it"
            ));
        }
        self.lasso(stage, rounds)
    }

    fn lasso(&self, stage: &mut Stage<'_, '_>, rounds: &mut Rounds<'_>) -> Judgement {
        let (names, states) = rounds.bring_home(stage);
        let root = stage.exchange.rank().is_root();
        let mut found = Ok(None);
        if root {
            let unpacked: Vec<eval::State> = states
                .iter()
                .map(|packed| {
                    let mut state = vec![0; stage.steps.layout().slots()];
                    stage.steps.layout().unpack(packed, &mut state);
                    state.into_boxed_slice()
                })
                .collect();
            found = audit::fair_cycle(self.model, self.eval, &unpacked);
        }
        let cycle = found.as_ref().ok().and_then(|cycle| cycle.as_ref());
        let way = rounds.way_to(stage, cycle.map(|cycle| names[cycle.entry]));
        // A rank whose log fails knows of it alone.
        let failed = stage.exchange.tally(Op::Sum, &[i64::from(way.is_err())])[0] > 0;
        match (found, way) {
            (_, Err(why)) | (Err(why), _) => Judgement::Open(why),
            _ if failed => Judgement::Open("a rank's log could not be read".to_string()),
            (Ok(Some(cycle)), Ok(path)) => Judgement::Violated { path, cycle: cycle.steps },
            (Ok(None), _) if root => panic!("the rounds left states without a fair cycle"),
            (Ok(None), _) => Judgement::Violated { path: Vec::new(), cycle: Vec::new() },
        }
    }
}

impl Sequel for Responses<'_> {
    fn run(&mut self, stage: &mut Stage<'_, '_>) {
        self.ran = true;
        let promises = Promises::new(self.model);
        let mut violated: Option<u32> = None;
        for at in 0..self.goals.len() {
            let goal = self.goals[at];
            if violated == Some(goal.property) {
                continue;
            }
            let (judgement, outcome) = self.judge(stage, &promises, at);
            if outcome.left > 0 && outcome.trouble.is_none() {
                violated = Some(goal.property);
            }
            self.judged.push((goal, judgement, outcome));
        }
    }
}
