//! The canonical order of multisets in a packed state.
//!
//! In: a packed state. Out: the same state with every multiset's occupied positions in front, sorted by their
//! codes, and its empty ones all 0. Codes keep the order of values, so this is the evaluator's order. Inner
//! multisets come before those that hold them. Nothing is allocated; cost: quadratic in what is out of order.

use crate::compile::layout::{Field, Layout};
use crate::ir::{Model, Type, TypeId};

/// One multiset: where its first presence cell is, and how many elements of how many cells follow.
struct Set {
    first: usize,
    capacity: usize,
    stride: usize,
}

pub struct Multisets {
    fields: Box<[Field]>,
    words: usize,
    sets: Vec<Set>,
}

impl Multisets {
    pub fn new(model: &Model, layout: &Layout) -> Multisets {
        let mut sets = Vec::new();
        for var in &model.vars {
            collect(model, var.ty, var.first.0 as usize, &mut sets);
        }
        Multisets { fields: layout.fields().into(), words: layout.words(), sets }
    }

    pub fn words(&self) -> usize {
        self.words
    }

    pub fn order(&self, words: &mut [u64]) {
        for set in &self.sets {
            self.sort(set, words);
        }
    }

    fn element(&self, set: &Set, position: usize) -> &[Field] {
        let first = set.first + position * set.stride;
        &self.fields[first..first + set.stride]
    }

    /// Sorts by insertion: most often one element was added or changed in an ordered multiset.
    fn sort(&self, set: &Set, words: &mut [u64]) {
        let mut sorted = 0;
        for position in 0..set.capacity {
            let here = self.element(set, position);
            if here[0].code(words) == 0 {
                // Elements of empty positions may have been stored to.
                here[1..].iter().for_each(|field| field.set_code(words, 0));
                continue;
            }
            if position > sorted {
                swap(here, self.element(set, sorted), words);
            }
            let mut at = sorted;
            while at > 0 && self.greater(set, at - 1, words) {
                swap(self.element(set, at - 1), self.element(set, at), words);
                at -= 1;
            }
            sorted += 1;
        }
    }

    /// Whether the element at a position is greater than the next.
    fn greater(&self, set: &Set, position: usize, words: &[u64]) -> bool {
        let codes = |position| self.element(set, position).iter().map(|field| field.code(words));
        codes(position).gt(codes(position + 1))
    }
}

fn swap(a: &[Field], b: &[Field], words: &mut [u64]) {
    for (a, b) in a.iter().zip(b) {
        let (left, right) = (a.code(words), b.code(words));
        a.set_code(words, right);
        b.set_code(words, left);
    }
}

/// All multisets of a value, inner ones first.
fn collect(model: &Model, ty: TypeId, first: usize, sets: &mut Vec<Set>) {
    let types = &model.types;
    if !types.has_multiset(ty) {
        return;
    }
    match types.get(ty) {
        Type::Record { fields } => {
            fields.iter().for_each(|field| collect(model, field.ty, first + field.offset as usize, sets));
        }
        Type::Array { index, elem } => {
            let stride = types.cells(*elem) as usize;
            (0..types.count(*index) as usize).for_each(|at| collect(model, *elem, first + at * stride, sets));
        }
        Type::Multiset { capacity, elem } => {
            let stride = types.cells(*elem) as usize + 1;
            (0..*capacity as usize).for_each(|at| collect(model, *elem, first + at * stride + 1, sets));
            sets.push(Set { first, capacity: *capacity as usize, stride });
        }
        _ => {}
    }
}
