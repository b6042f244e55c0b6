//! Symmetry by brute force: the canonical state is the least over all permutations of all scalarsets.
//!
//! In: a model. Out: for a state, its orbit's least member, comparing slots in order with undefined least.
//! Obviously right and factorially slow: it is the oracle for canonicalisers that are neither. A model
//! with more than `PERMUTATIONS_MAX` permutations is refused.

use crate::ir::eval::State;
use crate::ir::multiset::normalize_state;
use crate::ir::{Model, Type, TypeId, UNDEFINED};
use std::collections::HashMap;

/// 9 factorial.
const PERMUTATIONS_MAX: u64 = 362_880;

/// For each scalarset, where each of its values goes.
type Permutation = HashMap<TypeId, Vec<i64>>;

pub struct Symmetry<'m> {
    model: &'m Model,
    permutations: Vec<Permutation>,
}

impl<'m> Symmetry<'m> {
    /// All permutations of the scalarsets that occur in the state; the error says how many there are.
    pub fn new(model: &'m Model) -> Result<Symmetry<'m>, String> {
        let mut scalarsets = Vec::new();
        for var in &model.vars {
            collect(model, var.ty, &mut scalarsets);
        }
        let mut count = 1u64;
        for &(_, size) in &scalarsets {
            count = (1..=size).fold(count, |product, factor| product.saturating_mul(factor));
        }
        if count > PERMUTATIONS_MAX {
            return Err(format!("{count} permutations are more than brute force tries ({PERMUTATIONS_MAX})"));
        }
        let mut permutations: Vec<Permutation> = vec![HashMap::new()];
        for &(ty, size) in &scalarsets {
            let orders = orders(size as usize);
            let extend = |each: &Permutation| {
                let each = each.clone();
                orders.iter().map(move |order| {
                    let mut more = each.clone();
                    more.insert(ty, order.clone());
                    more
                })
            };
            permutations = permutations.iter().flat_map(extend).collect();
        }
        Ok(Symmetry { model, permutations })
    }

    /// How many permutations there are.
    pub fn order(&self) -> usize {
        self.permutations.len()
    }

    /// The least state of the orbit.
    pub fn canonical(&self, state: &[i64]) -> State {
        let mut least: State = state.into();
        for permutation in &self.permutations {
            let image = self.apply(permutation, state);
            if image < least {
                least = image;
            }
        }
        least
    }

    /// All states of the orbit, each once, in order.
    pub fn orbit(&self, state: &[i64]) -> Vec<State> {
        let mut orbit: Vec<State> = self.permutations.iter().map(|each| self.apply(each, state)).collect();
        orbit.sort();
        orbit.dedup();
        orbit
    }

    fn apply(&self, permutation: &Permutation, state: &[i64]) -> State {
        let mut image = vec![UNDEFINED; state.len()].into_boxed_slice();
        for var in &self.model.vars {
            let first = var.first.0 as usize;
            let cells = self.model.types.cells(var.ty) as usize;
            let (from, to) = (&state[first..first + cells], &mut image[first..first + cells]);
            permute(self.model, permutation, var.ty, from, to);
        }
        normalize_state(self.model, &mut image);
        image
    }
}

/// The scalarsets a type mentions, each once.
fn collect(model: &Model, ty: TypeId, found: &mut Vec<(TypeId, u64)>) {
    if model.types.cells(ty) == 0 {
        return;
    }
    match model.types.get(ty) {
        Type::Scalarset { size } => {
            if !found.iter().any(|&(each, _)| each == ty) {
                found.push((ty, *size as u64));
            }
        }
        Type::Union { atoms } => atoms.iter().for_each(|&atom| collect(model, atom, found)),
        Type::Record { fields } => fields.iter().for_each(|field| collect(model, field.ty, found)),
        Type::Array { index, elem } => {
            collect(model, *index, found);
            collect(model, *elem, found);
        }
        Type::Multiset { elem, .. } => collect(model, *elem, found),
        Type::Range { .. } | Type::Enum { .. } | Type::Position { .. } => {}
    }
}

/// All orders of 0 … n-1.
fn orders(n: usize) -> Vec<Vec<i64>> {
    let mut orders: Vec<Vec<i64>> = vec![Vec::new()];
    for next in 0..n as i64 {
        let insert = |order: &Vec<i64>| {
            let order = order.clone();
            (0..=order.len()).map(move |at| {
                let mut more = order.clone();
                more.insert(at, next);
                more
            })
        };
        orders = orders.iter().flat_map(insert).collect();
    }
    orders
}

/// Where a simple value goes.
fn image(model: &Model, permutation: &Permutation, ty: TypeId, value: i64) -> i64 {
    if value == UNDEFINED {
        return value;
    }
    match model.types.get(ty) {
        Type::Scalarset { .. } => permutation.get(&ty).map_or(value, |order| order[value as usize]),
        Type::Union { .. } => {
            let Some((atom, inner)) = model.types.atom_of(ty, value) else { return value };
            let moved = image(model, permutation, atom, inner);
            model.types.convert(atom, ty, moved).unwrap_or(value)
        }
        _ => value,
    }
}

fn permute(model: &Model, permutation: &Permutation, ty: TypeId, from: &[i64], to: &mut [i64]) {
    let types = &model.types;
    if from.is_empty() {
        return;
    }
    match types.get(ty) {
        Type::Record { fields } => {
            for field in fields {
                let range = field.offset as usize..field.offset as usize + types.cells(field.ty) as usize;
                permute(model, permutation, field.ty, &from[range.clone()], &mut to[range]);
            }
        }
        Type::Array { index, elem } => {
            let stride = types.cells(*elem) as usize;
            let first = types.first(*index);
            for at in 0..types.count(*index) as usize {
                let target = image(model, permutation, *index, first + at as i64) - first;
                let goal = target as usize * stride..(target as usize + 1) * stride;
                permute(model, permutation, *elem, &from[at * stride..(at + 1) * stride], &mut to[goal]);
            }
        }
        Type::Multiset { elem, .. } => {
            let stride = types.cells(*elem) as usize + 1;
            for (from, to) in from.chunks(stride).zip(to.chunks_mut(stride)) {
                to[0] = from[0];
                permute(model, permutation, *elem, &from[1..], &mut to[1..]);
            }
        }
        _ => to[0] = image(model, permutation, ty, from[0]),
    }
}
