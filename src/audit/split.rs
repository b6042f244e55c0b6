//! The strongest split invariant and the thread-modular sets of a model, by brute force from their definitions.
//!
//! In: a model, a partition, auxiliary booleans. Out: for each component its theta as an explicit set of views, and
//! the run-time errors that its own rules meet there. Invariant: every view in a theta is of a start state, or an
//! own step or an interference leads to it from a view already there; so nothing but the least vector closed under
//! the three comes out, whatever the order.
//!
//! Split invariants: Cohen, Namjoshi, Sa'ar, Zuck, Kisyova, "Model checking in bits and pieces", equation (1).
//! Thread-modular sets: Meng, He, Wang, Liu, "Thread-modular model checking with iterative refinement", Algorithm 1;
//! there the others are not held to their thetas, only to their types and what auxiliaries say.
//!
//! It ends because sets of finitely many views only grow; `views_max` bounds them. Cost: one evaluation of each own
//! instance for each view; rounds of interference over all pairs of components. It leaves out all cleverness: it is
//! what the symbolic engine is compared with.

use std::collections::BTreeSet;

use super::views::{Auxiliary, Composition, Locals, Move, Partition, Shared, Views, contains, insert};
use crate::ir::eval::{Fault, on_deep_stack};
use crate::ir::multiset::normalize_state;
use crate::ir::{Instance, Model, Slot, Type, UNDEFINED};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Others step from views in their own thetas.
    Split,
    /// Others step from any values of their locals.
    ThreadModular,
}

/// A run-time error that a component meets in its own view.
#[derive(Clone, Debug)]
pub struct LocalFault {
    pub component: usize,
    pub instance: Instance,
    pub shared: Shared,
    pub locals: Locals,
    pub fault: Box<Fault>,
}

#[derive(Clone, Debug, Default)]
pub struct Invariant {
    pub thetas: Vec<Views>,
    pub faults: Vec<LocalFault>,
}

/// Computes the sets; `order` says in which order components take their turns and must not matter.
pub fn strongest(
    model: &Model,
    partition: &Partition,
    auxiliaries: &[Auxiliary],
    method: Method,
    order: &[usize],
    views_max: usize,
) -> Result<Invariant, String> {
    let run = || {
        let mut fixpoint = Fixpoint::new(Composition::new(model, partition, auxiliaries), method, views_max);
        fixpoint.run(order)?;
        Ok(Invariant { thetas: fixpoint.thetas, faults: fixpoint.faults })
    };
    on_deep_stack(run).map_err(|error| format!("no thread for the fixpoint: {error}"))?
}

/// `strongest` for components in their own order.
pub fn in_order(
    model: &Model,
    partition: &Partition,
    auxiliaries: &[Auxiliary],
    method: Method,
    views_max: usize,
) -> Result<Invariant, String> {
    let order: Vec<usize> = (0..partition.parts.len()).collect();
    strongest(model, partition, auxiliaries, method, &order, views_max)
}

struct Fixpoint<'a> {
    composition: Composition<'a>,
    method: Method,
    views_max: usize,
    thetas: Vec<Views>,
    /// Views whose own steps have not been taken yet.
    fresh: Vec<Vec<(Shared, Locals)>>,
    /// For each component, what its steps do to the shared part.
    summaries: Vec<BTreeSet<(Shared, Shared)>>,
    /// Shared parts from which the guarantees have been made.
    asked: BTreeSet<Shared>,
    faults: Vec<LocalFault>,
    views: usize,
}

impl<'a> Fixpoint<'a> {
    fn new(composition: Composition<'a>, method: Method, views_max: usize) -> Fixpoint<'a> {
        let parts = composition.partition.parts.len();
        Fixpoint {
            composition,
            method,
            views_max,
            thetas: vec![Views::new(); parts],
            fresh: vec![Vec::new(); parts],
            summaries: vec![BTreeSet::new(); parts],
            asked: BTreeSet::new(),
            faults: Vec::new(),
            views: 0,
        }
    }

    fn run(&mut self, order: &[usize]) -> Result<(), String> {
        let starts = self.composition.starts().map_err(|fault| format!("a start state fails: {fault:?}"))?;
        for state in &starts {
            for part in 0..self.thetas.len() {
                let (shared, locals) = self.composition.view(state, part);
                self.add(part, shared, locals)?;
            }
        }
        loop {
            let before = self.size();
            for &part in order {
                self.own_steps(part)?;
                if self.method == Method::ThreadModular {
                    self.guarantees(part)?;
                }
                self.interference(part)?;
            }
            if self.size() == before && self.fresh.iter().all(Vec::is_empty) {
                return Ok(());
            }
        }
    }

    /// How many views and steps of summaries there are: a summary can grow after others have looked at it.
    fn size(&self) -> (usize, usize) {
        (self.views, self.summaries.iter().map(BTreeSet::len).sum())
    }

    fn add(&mut self, part: usize, shared: Shared, locals: Locals) -> Result<(), String> {
        if insert(&mut self.thetas[part], shared.clone(), locals.clone()) {
            self.fresh[part].push((shared, locals));
            self.views += 1;
            if self.views > self.views_max {
                return Err(format!("more than {} views", self.views_max));
            }
        }
        Ok(())
    }

    fn own_steps(&mut self, part: usize) -> Result<(), String> {
        while let Some((shared, locals)) = self.fresh[part].pop() {
            for (instance, step) in self.composition.steps(&shared, &locals, part) {
                match step {
                    Move::To(to, with) => {
                        self.summaries[part].insert((shared.clone(), to.clone()));
                        self.add(part, to, with)?;
                    }
                    Move::Fault(fault) => {
                        let (shared, locals) = (shared.clone(), locals.clone());
                        self.faults.push(LocalFault { component: part, instance, shared, locals, fault });
                    }
                    Move::Outside(slot) => return Err(self.outside(instance, slot)),
                }
            }
        }
        Ok(())
    }

    fn outside(&self, instance: Instance, slot: u32) -> String {
        let path = self.composition.model.slot_path(Slot(slot));
        format!("rule {} stores to {path}, which it does not see", self.composition.instance_name(instance))
    }

    fn interference(&mut self, part: usize) -> Result<(), String> {
        for other in (0..self.thetas.len()).filter(|&other| other != part) {
            let mut arrivals = Vec::new();
            for (from, to) in &self.summaries[other] {
                let theta = &self.thetas[part];
                let with = theta.get(from).into_iter().flatten().filter(|with| !contains(theta, to, with));
                arrivals.extend(with.map(|locals| (to.clone(), locals.clone())));
            }
            for (shared, locals) in arrivals {
                self.add(part, shared, locals)?;
            }
        }
        Ok(())
    }

    /// What every component may do from the shared parts in this component's theta, whatever its locals are.
    fn guarantees(&mut self, part: usize) -> Result<(), String> {
        let new: Vec<Shared> =
            self.thetas[part].keys().filter(|shared| !self.asked.contains(*shared)).cloned().collect();
        for shared in new {
            for other in 0..self.thetas.len() {
                for locals in valuations(&self.composition, other, self.views_max)? {
                    if self.composition.agrees(&shared, &locals, other) {
                        let steps = self.composition.steps(&shared, &locals, other);
                        let to = steps.into_iter().filter_map(|(_, step)| match step {
                            Move::To(to, _) => Some((shared.clone(), to)),
                            _ => None,
                        });
                        self.summaries[other].extend(to);
                    }
                }
            }
            self.asked.insert(shared);
        }
        Ok(())
    }
}

/// All values that a component's locals can have by their types, undefined included; multisets in canonical order.
pub fn valuations(composition: &Composition, part: usize, max: usize) -> Result<Vec<Locals>, String> {
    let model = composition.model;
    let slots = &composition.partition.parts[part].locals;
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for &slot in slots {
        let ty = model.slots[slot as usize].ty;
        let count = model.types.count(ty);
        if (all.len() as u64).saturating_mul(count.saturating_add(1)) > max as u64 {
            return Err(format!(
                "{} has more than {max} local states",
                composition.partition.parts[part].name
            ));
        }
        let first = model.types.first(ty);
        let values = || {
            std::iter::once(UNDEFINED).chain((0..count).map(move |code| first.wrapping_add_unsigned(code)))
        };
        let with = |each: Vec<i64>| values().map(move |value| [&each[..], &[value]].concat());
        all = all.into_iter().flat_map(with).collect();
    }
    let canonical = |locals: &Vec<i64>| {
        let state = composition.state(&[], &[(part, locals)]);
        let mut ordered = state.clone();
        normalize_state(model, &mut ordered);
        ordered == state
    };
    let multisets = model.types.ids().any(|id| matches!(model.types.get(id), Type::Multiset { .. }));
    Ok(all.into_iter().filter(|locals| !multisets || canonical(locals)).map(Vec::into_boxed_slice).collect())
}
