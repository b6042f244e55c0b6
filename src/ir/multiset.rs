//! The canonical order of multisets inside a value.
//!
//! In: the cells of a value and its type. Out: the same value with every multiset's occupied positions
//! moved to the front and sorted, and its empty ones wholly undefined; so equal multisets are equal cells.
//! Inner multisets are ordered before the ones that hold them. Idempotent; O(n log n) compares per multiset.

use super::model::{Model, UNDEFINED};
use super::types::{Type, TypeId, Types};

/// Orders all multisets of a state.
pub fn normalize_state(model: &Model, state: &mut [i64]) {
    for var in &model.vars {
        if model.types.has_multiset(var.ty) {
            let first = var.first.0 as usize;
            let cells = model.types.cells(var.ty) as usize;
            normalize(&model.types, var.ty, &mut state[first..first + cells]);
        }
    }
}

/// Orders all multisets of one value.
pub fn normalize(types: &Types, ty: TypeId, cells: &mut [i64]) {
    match types.get(ty) {
        Type::Record { fields } => {
            for field in fields {
                let first = field.offset as usize;
                let len = types.cells(field.ty) as usize;
                if types.has_multiset(field.ty) {
                    normalize(types, field.ty, &mut cells[first..first + len]);
                }
            }
        }
        Type::Array { elem, .. } if types.has_multiset(*elem) => {
            let stride = types.cells(*elem) as usize;
            for each in cells.chunks_mut(stride.max(1)) {
                normalize(types, *elem, each);
            }
        }
        Type::Multiset { elem, .. } => sort_elements(types, *elem, cells),
        _ => {}
    }
}

fn sort_elements(types: &Types, elem: TypeId, cells: &mut [i64]) {
    let stride = types.cells(elem) as usize + 1;
    let mut present: Vec<Vec<i64>> = Vec::new();
    for each in cells.chunks_mut(stride) {
        if each[0] == 1 {
            normalize(types, elem, &mut each[1..]);
            present.push(each.to_vec());
        }
    }
    present.sort();
    let (front, back) = cells.split_at_mut(present.len() * stride);
    for (to, from) in front.chunks_mut(stride).zip(&present) {
        to.copy_from_slice(from);
    }
    back.fill(UNDEFINED);
}
