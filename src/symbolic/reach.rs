//! All reachable states of a whole model as one diagram: the baseline that proofs by components are compared with.
//!
//! In: a model that is taken (see `mod.rs`). Out: the set of reachable states, what goes wrong in it, and ways there.
//! Each rule instance is a relation of its own over the bits it touches. A pass applies them one after the other, each
//! to all that is reached so far (chaining), until a pass adds nothing; states are finite, so it ends.
//!
//! A way to a state is found backward, set by set from the target until a start state is met, and then walked forward
//! by the evaluator; each set is one step nearer, so the way is a shortest one within what was reached.
//!
//! Published: J. R. Burch, E. M. Clarke, D. E. Long, "Symbolic model checking with partitioned transition relations",
//! VLSI 1991; chaining: O. Roig, J. Cortadella, E. Pastor, "Verification of asynchronous circuits by BDD-based model
//! checking of Petri nets", 1995. Cost: a relational product for each instance and pass.

use std::collections::HashMap;

use super::bdd::Bdd;
use super::relation::{Predicate, Relation, predicate};
use super::space::{Side, Space, View, variable};
use super::{Trouble, Watch};
use crate::ir::eval::{Fault, Machine, Options, State, Step};
use crate::ir::model::instance_count;
use crate::ir::{Instance, Model, PropertyKind};

/// Where a start state could not be made.
pub struct StartFault {
    pub start: usize,
    pub index: u64,
    pub fault: Box<Fault>,
}

/// A way from a start state: which one, the steps, and the state at the end.
pub struct Way {
    pub start: (usize, u64),
    pub steps: Vec<Instance>,
    pub last: State,
}

pub struct Reach<'m> {
    model: &'m Model,
    options: Options,
    pub space: Space,
    pub view: View,
    pub relations: Vec<Relation>,
    starts: Vec<((usize, u64), State)>,
    pub start_faults: Vec<StartFault>,
    /// States that assumptions allow, and states where an assumption cannot be evaluated, by property.
    allowed: Bdd,
    assume_faults: Vec<(u32, Bdd)>,
    /// States that were arrived at where an assumption cannot be evaluated, by property.
    pub arrived: Vec<(u32, Bdd)>,
    pub reached: Bdd,
    pub passes: u64,
    pub nodes_most: u64,
}

impl<'m> Reach<'m> {
    pub fn new(model: &'m Model, options: Options, bytes: u64, stop: &Watch) -> Result<Reach<'m>, Trouble> {
        let (view, bits) = View::whole(model);
        let space = Space::watched(bits, bytes, stop);
        let truth = space.store.truth();
        let falsity = space.store.falsity();
        let mut reach = Reach {
            model,
            options,
            space,
            view,
            relations: Vec::new(),
            starts: Vec::new(),
            start_faults: Vec::new(),
            allowed: truth,
            assume_faults: Vec::new(),
            arrived: Vec::new(),
            reached: falsity,
            passes: 0,
            nodes_most: 0,
        };
        for instance in model.all_instances() {
            halted(stop)?;
            let relation = Relation::new(model, options, &reach.space, &reach.view, instance)?;
            reach.relations.push(relation);
        }
        reach.prioritise()?;
        reach.assume()?;
        reach.begin()?;
        Ok(reach)
    }

    /// Only enabled instances of the least priority number fire.
    fn prioritise(&mut self) -> Result<(), Trouble> {
        let model = self.model;
        let priority = |relation: &Relation| model.rule(relation.instance.rule).priority;
        let mut priorities: Vec<i64> = self.relations.iter().map(priority).collect();
        priorities.sort_unstable();
        priorities.dedup();
        let mut tried = self.space.store.falsity();
        for &least in &priorities {
            let free = tried.not()?;
            for relation in self.relations.iter_mut().filter(|relation| priority(relation) == least) {
                if !free.is_true() {
                    relation.only(&free)?;
                }
                if priorities.len() > 1 {
                    tried = tried.or(&relation.tried)?;
                }
            }
        }
        Ok(())
    }

    /// One instance of a property's claim in all states.
    pub fn claim(&self, property: u32, index: u64) -> Result<Predicate, Trouble> {
        let of = &self.model.properties[property as usize];
        let place = (&self.space, &self.view);
        predicate(self.model, self.options, place, &of.binders, of.frame.cells, index, of.claim)
    }

    /// States where property number `property` is violated, or cannot be evaluated.
    pub fn violations(&self, property: u32) -> Result<(Bdd, Bdd), Trouble> {
        let of = &self.model.properties[property as usize];
        let (mut fails, mut faults) = (self.space.store.falsity(), self.space.store.falsity());
        for index in 0..instance_count(&of.binders, &self.model.types) {
            let claim = self.claim(property, index)?;
            // Instances are tried in order; the first that fails ends the trial.
            faults = faults.or(&claim.faults.minus(&fails)?)?;
            fails = fails.or(&claim.fails.minus(&faults)?)?;
        }
        Ok((fails, faults))
    }

    fn assume(&mut self) -> Result<(), Trouble> {
        for (at, property) in self.model.properties.iter().enumerate() {
            if property.kind == PropertyKind::Assume {
                let (fails, faults) = self.violations(at as u32)?;
                self.assume_faults.push((at as u32, faults.and(&self.allowed)?));
                self.allowed = self.allowed.minus(&fails)?.minus(&faults)?;
            }
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<(), Trouble> {
        let mut machine = Machine::new(self.model, self.options);
        let mut cubes = Vec::new();
        for (start, rule) in self.model.starts.iter().enumerate() {
            for index in 0..self.model.instances(rule) {
                match machine.start(start, index) {
                    Ok(Some(state)) => {
                        cubes.push(self.space.state(&self.view, &state)?);
                        self.starts.push(((start, index), state));
                    }
                    Ok(None) => {}
                    Err(fault) => self.start_faults.push(StartFault { start, index, fault }),
                }
            }
        }
        let first = self.space.store.any(&cubes)?;
        self.reached = self.arrive(&first)?;
        Ok(())
    }

    /// What is left of states that were arrived at.
    fn arrive(&mut self, states: &Bdd) -> Result<Bdd, Trouble> {
        if self.allowed.is_true() {
            return Ok(states.clone());
        }
        for (property, faults) in &self.assume_faults {
            let here = states.and(faults)?;
            if !here.is_false() {
                self.arrived.push((*property, here));
            }
        }
        states.and(&self.allowed)
    }

    /// One pass over all relations; whether anything was added.
    pub fn pass(&mut self, stop: &Watch) -> Result<bool, Trouble> {
        let before = self.reached.clone();
        for at in 0..self.relations.len() {
            halted(stop)?;
            let next = self.relations[at].after(&self.reached)?;
            let next = self.arrive(&next)?;
            self.reached = self.reached.or(&next)?;
            self.space.store.tidy();
        }
        self.passes += 1;
        self.nodes_most = self.nodes_most.max(self.space.store.nodes());
        Ok(self.reached != before)
    }

    /// How many states a set has.
    pub fn count(&self, states: &Bdd) -> u128 {
        count(states, self.space.bits())
    }

    pub fn state_in(&self, set: &Bdd, state: &[i64]) -> Result<bool, Trouble> {
        self.space.contains(&self.view, set, state)
    }

    /// A way from a start state to some state of the target, which must be reachable or arrived at.
    pub fn way(&self, target: &Bdd, stop: &Watch) -> Result<Option<Way>, Trouble> {
        let mut layers = vec![target.clone()];
        let mut seen = target.clone();
        loop {
            let nearest = &layers[layers.len() - 1];
            for (start, state) in &self.starts {
                if self.state_in(nearest, state)? {
                    return self.walk(*start, state.clone(), &layers).map(Some);
                }
            }
            let mut before = self.space.store.falsity();
            for relation in &self.relations {
                halted(stop)?;
                before = before.or(&relation.before(nearest)?)?;
            }
            let fresh = before.and(&self.reached)?.minus(&seen)?;
            if fresh.is_false() {
                return Ok(None);
            }
            seen = seen.or(&fresh)?;
            layers.push(fresh);
        }
    }

    /// Walks down the layers with the evaluator.
    fn walk(&self, start: (usize, u64), state: State, layers: &[Bdd]) -> Result<Way, Trouble> {
        let mut machine = Machine::new(self.model, self.options);
        let mut way = Way { start, steps: Vec::new(), last: state };
        for layer in layers.iter().rev().skip(1) {
            let mut nexts = Vec::new();
            machine.successors(&way.last, |instance, step| {
                if let Ok(Step::Next(next)) = step {
                    nexts.push((instance, next));
                }
            });
            for (instance, next) in nexts {
                if self.state_in(layer, &next)? {
                    way.steps.push(instance);
                    way.last = next;
                    break;
                }
            }
        }
        assert_eq!(way.steps.len() + 1, layers.len(), "each layer is one step from the one before");
        Ok(way)
    }
}

fn halted(stop: &Watch) -> Result<(), Trouble> {
    stop().map_or(Ok(()), |why| Err(Trouble::Halted(why)))
}

/// How many valuations of the first `bits` bits before a step are in a set; saturates.
pub fn count(states: &Bdd, bits: u32) -> u128 {
    let (nodes, root) = states.node_list();
    let level = |variable: u32| {
        debug_assert!(variable.is_multiple_of(2), "a set of states mentions no bits after a step");
        variable / 2
    };
    let mut counts: Vec<(u32, u128)> = vec![(bits, 0), (bits, 1)];
    let scaled = |counts: &[(u32, u128)], from: u32, to: u32| {
        let (below, count) = counts[to as usize];
        let free = below - from;
        if count == 0 {
            0
        } else if free >= 128 || count.leading_zeros() < free {
            u128::MAX
        } else {
            count << free
        }
    };
    for (number, high, low) in nodes {
        let at = level(number);
        let (high, low) = (scaled(&counts, at + 1, high), scaled(&counts, at + 1, low));
        counts.push((at, high.saturating_add(low)));
    }
    scaled(&counts, 0, root)
}

/// The values of all slots in one state of a set, by slot.
pub fn pick_state(model: &Model, space: &Space, view: &View, set: &Bdd) -> Option<HashMap<u32, i64>> {
    let valuation = set.pick(space.store.variables())?;
    debug_assert!(valuation.len() > variable(space.bits().saturating_sub(1), Side::Next) as usize);
    let fields = (0..model.slots.len() as u32).filter_map(|slot| Some((slot, view.field(slot)?)));
    Some(fields.map(|(slot, field)| (slot, space.value_in(field, &valuation, Side::Now))).collect())
}
