//! The canonical order of multisets in a packed state.
//!
//! In: a packed state. Out: the same state with every multiset's occupied positions in front, sorted by their
//! codes, and its empty ones all 0. Codes keep the order of values, so this is the evaluator's order. Inner
//! multisets come before those that hold them. Nothing is written where the order is right already.

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
            if !self.in_order(set, words) {
                self.sort(set, words);
            }
        }
    }

    fn element(&self, set: &Set, position: usize) -> &[Field] {
        let first = set.first + position * set.stride;
        &self.fields[first..first + set.stride]
    }

    fn in_order(&self, set: &Set, words: &[u64]) -> bool {
        for position in 1..set.capacity {
            let (a, b) = (self.element(set, position - 1), self.element(set, position));
            let (here, next) = (a[0].code(words), b[0].code(words));
            if here == 0 && next != 0 {
                return false;
            }
            let codes = |fields: &[Field]| fields.iter().map(|f| f.code(words)).collect::<Vec<_>>();
            if here != 0 && next != 0 && codes(a) > codes(b) {
                return false;
            }
        }
        // Elements of empty positions may have been stored to.
        let empty = |position: &usize| self.element(set, *position)[0].code(words) == 0;
        let clean = |position: usize| self.element(set, position).iter().all(|f| f.code(words) == 0);
        (0..set.capacity).filter(empty).all(clean)
    }

    fn sort(&self, set: &Set, words: &mut [u64]) {
        let mut present: Vec<Vec<u64>> = Vec::new();
        for position in 0..set.capacity {
            let element = self.element(set, position);
            if element[0].code(words) != 0 {
                present.push(element.iter().map(|f| f.code(words)).collect());
            }
        }
        present.sort_unstable();
        for position in 0..set.capacity {
            for (at, field) in self.element(set, position).iter().enumerate() {
                let code = present.get(position).map_or(0, |codes| codes[at]);
                field.set_code(words, code);
            }
        }
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
