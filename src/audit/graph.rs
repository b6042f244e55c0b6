//! Whether target states can always still be reached: AG EF Q, and AG (P -> EF Q) by helpful rules.
//!
//! In: the edges between numbered states and, for each liveness property, which states satisfy P and Q.
//! Out: for each property, the first state that satisfies P and from which no Q can be reached. By a
//! backward search from all Q states; linear in edges, which are only kept where a property needs them.
//! Properties inside rulesets are one property for each instance.

use crate::ir::eval::{Eval, Fault, Machine};
use crate::ir::model::instance_count;
use crate::ir::{Model, PropertyKind};

struct Goal {
    property: u32,
    index: u64,
    helpful_only: bool,
    /// For each state: whether it is pending (satisfies P), whether it is a target (satisfies Q).
    marks: Vec<(bool, bool)>,
}

impl Goal {
    fn mark(&self, machine: &mut Machine<'_>, state: &[i64]) -> Eval<(bool, bool)> {
        let property = &machine.model().properties[self.property as usize];
        let mut holds =
            |expr| machine.predicate(state, &property.binders, property.frame.cells, self.index, expr);
        let claim = holds(property.claim)?;
        Ok(match property.target {
            Some(target) => (claim == Some(true), holds(target)? == Some(true)),
            None => (claim.is_some(), claim == Some(true)),
        })
    }
}

pub(super) struct Graph {
    goals: Vec<Goal>,
    edges: Vec<(u32, u32, bool)>,
}

impl Graph {
    pub fn new(model: &Model) -> Graph {
        let mut goals = Vec::new();
        for (at, property) in model.properties.iter().enumerate() {
            let helpful_only = property.kind == PropertyKind::CanGetTo;
            if !helpful_only && property.kind != PropertyKind::AlwaysPossible {
                continue;
            }
            for index in 0..instance_count(&property.binders, &model.types) {
                goals.push(Goal { property: at as u32, index, helpful_only, marks: Vec::new() });
            }
        }
        Graph { goals, edges: Vec::new() }
    }

    pub fn edge(&mut self, from: u32, to: u32, helpful: bool) {
        if !self.goals.is_empty() && from != to {
            self.edges.push((from, to, helpful));
        }
    }

    /// Evaluates all goals in the next state. Where one fails, the state counts as neither pending nor in
    /// the way, and the first failure is handed back.
    pub fn state(&mut self, machine: &mut Machine<'_>, state: &[i64]) -> Result<(), (u32, Box<Fault>)> {
        let mut failed = Ok(());
        for goal in &mut self.goals {
            match goal.mark(machine, state) {
                Ok(mark) => goal.marks.push(mark),
                Err(fault) => {
                    goal.marks.push((false, true));
                    failed = failed.and(Err((goal.property, fault)));
                }
            }
        }
        failed
    }

    /// Each violated property with the first state that violates it.
    pub fn violations(&self) -> Vec<(u32, u32)> {
        let mut found: Vec<(u32, u32)> = Vec::new();
        for goal in &self.goals {
            let can = self.can_reach(goal);
            let stuck = (0..goal.marks.len()).find(|&at| goal.marks[at].0 && !can[at]);
            match stuck {
                Some(at) if !found.iter().any(|&(property, _)| property == goal.property) => {
                    found.push((goal.property, at as u32));
                }
                _ => {}
            }
        }
        found
    }

    fn can_reach(&self, goal: &Goal) -> Vec<bool> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); goal.marks.len()];
        for &(from, to, helpful) in &self.edges {
            if helpful || !goal.helpful_only {
                before[to as usize].push(from);
            }
        }
        let mut can: Vec<bool> = goal.marks.iter().map(|mark| mark.1).collect();
        let mut open: Vec<u32> = (0..can.len() as u32).filter(|&at| can[at as usize]).collect();
        while let Some(at) = open.pop() {
            for &from in &before[at as usize] {
                if !std::mem::replace(&mut can[from as usize], true) {
                    open.push(from);
                }
            }
        }
        can
    }
}
