//! Exact canonical form under scalarset symmetry: one state for each orbit of all permutations of all
//! scalarsets together.
//!
//! In: a state, one value a slot, multisets in canonical order. Out: the representative of its orbit, in
//! place. Two states get the same representative exactly when some permutation maps one to the other; it
//! depends on nothing but the model and the orbit, so it is the same on every rank.
//!
//! The idea is graph canonical labelling (B. D. McKay, "Practical graph isomorphism", Congressus
//! Numerantium 30, 1981) on what scalarsets permute (C. N. Ip, D. L. Dill, "Better verification through
//! symmetry", Formal Methods in System Design 9, 1996). The vertices are the members of all scalarsets. A
//! state is read into a sum for each member, over the data that only the member indexes, and into facts
//! that tie several members together (`facts`). Members are sorted and split by their sums, then by the
//! facts about them, until nothing splits (`partition`). Ties are mostly members whose exchange leaves the
//! state as it is (`twins`): any order of those gives the same state. Only among other ties there is a
//! search (`search`). An order of the members is a permutation, applied by tables (`shape`, `build`, `image`).
//!
//! Invariant: everything that decides an order is computed from values and sizes of classes, never from the
//! number a member happens to have; a hash that collides splits less and costs time, never exactness, since
//! what the search compares in the end are whole states.
//!
//! It terminates: every round of refinement splits a class or is the last, and every level of the search
//! makes one more member a class of its own. Cost: linear in the slots touched by scalarsets for most
//! states, and a round for each split; the search is factorial at worst, cut down by the automorphisms it
//! finds. Nothing is allocated once the scratch space has grown to what the model needs.
//!
//! It leaves out models with more than `MEMBERS_MAX` members of scalarsets in the state.

mod build;
mod facts;
mod image;
pub mod memo;
mod partition;
mod search;
mod shape;
mod twins;

use super::Canonical;
use crate::ir::Model;
use facts::Reading;
use image::Labels;
use partition::Partition;
use search::Search;
use shape::Shape;
use twins::Twins;

/// How many members all scalarsets of the state may have together: their numbers fit in a byte.
pub const MEMBERS_MAX: usize = 255;

/// One entry for each value of a byte, so that a member's number is always a valid index.
type PerMember<T> = [T; 256];

/// The canonical form of one model's states, with all the scratch space it needs.
pub struct Canonicaliser {
    shape: Shape,
    reading: Reading,
    partition: Partition,
    twins: Twins,
    labels: Labels,
    copy: Vec<i64>,
    search: Search,
}

impl Canonicaliser {
    /// None where no scalarset with two members or more occurs in the state; the error says what is too large.
    pub fn new(model: &Model) -> Result<Option<Canonicaliser>, String> {
        let shape = build::build(model)?;
        if shape.sets.iter().all(|set| set.size < 2) {
            return Ok(None);
        }
        Ok(Some(Canonicaliser {
            reading: Reading::default(),
            partition: Partition::new(&shape.sets),
            twins: Twins::new(model.slots.len()),
            labels: Labels::new(&shape.sets),
            copy: vec![0; model.slots.len()],
            search: Search::new(model.slots.len()),
            shape,
        }))
    }

    /// How many permutations of the scalarsets there are.
    pub fn group_order(&self) -> f64 {
        let factorial = |size: usize| (1..=size).map(|factor| factor as f64).product::<f64>();
        self.shape.sets.iter().map(|set| factorial(set.size)).product()
    }

    /// Puts the members in their canonical order up to ties; true where ties are left that must be searched.
    fn order(&mut self, state: &[i64]) -> bool {
        self.reading.read(&self.shape, state);
        self.partition.reset(&self.shape.sets);
        self.partition.split(&self.reading.sums);
        if !self.partition.is_discrete() && self.partition.any_tied(&self.reading.tied) {
            self.partition.refine::<false>(&self.reading.facts, &mut self.reading.sums);
        }
        !self.partition.is_discrete() && !self.twins.find(&self.shape, state, &self.reading, &self.partition)
    }
}

impl Canonical for Canonicaliser {
    fn canonicalise(&mut self, state: &mut [i64]) -> bool {
        if self.order(state) {
            let best = self.search.run(&self.shape, state, &self.reading.facts, &self.twins, &self.partition);
            state.copy_from_slice(best);
            return true;
        }
        let moved = self.labels.set(&self.partition.order);
        if moved {
            self.copy.copy_from_slice(state);
            image::state(&self.shape, &self.labels, &self.copy, state);
        }
        moved
    }
}
