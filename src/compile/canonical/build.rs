//! The shape of a model's states, from the types of its variables.
//!
//! In: a model. Out: its shape, or what is too large about it. A scalarset index is a dimension; every value
//! of any other index leads to columns of its own; an array indexed by a union is both, atom after atom.
//! One walk over types and index values, linear in the slots; it ends because types are not recursive.

use super::MEMBERS_MAX;
use super::shape::{Bag, Block, Column, Grid, Names, Row, Set, Shape};
use crate::base::prng::Prng;
use crate::ir::{Model, Type, TypeId, Types};

#[derive(Clone, Copy)]
struct Dim {
    set: usize,
    stride: usize,
}

struct Builder<'m> {
    types: &'m Types,
    /// The type of each set.
    atoms: Vec<TypeId>,
    sets: Vec<Set>,
    keys: Prng,
}

/// Where a walk is: the dimensions around it, and whether it is inside of an element.
struct Walk {
    dims: Vec<Dim>,
    inside: bool,
}

pub(super) fn build(model: &Model) -> Result<Shape, String> {
    let keys = Prng::new(0xa076_1d64_78bd_642f);
    let mut builder = Builder { types: &model.types, atoms: Vec::new(), sets: Vec::new(), keys };
    for var in &model.vars {
        builder.collect(var.ty);
    }
    let members = builder.sets.iter().fold(0usize, |sum, set| sum.saturating_add(set.size));
    if members > MEMBERS_MAX {
        return Err(format!(
            "the scalarsets of the state have {members} members together; symmetry takes at most {MEMBERS_MAX}"
        ));
    }
    let mut shape = Shape::default();
    for var in &model.vars {
        let mut walk = Walk { dims: Vec::new(), inside: false };
        builder.walk(&mut shape, var.ty, var.first.0 as usize, &mut walk);
    }
    let pointed = |block: &Block| shape.pointers.iter().any(|column| block.covers(column.grid.base));
    let kept: Vec<bool> = shape.blocks.iter().map(|block| block.plain || pointed(block)).collect();
    let mut kept = kept.into_iter();
    shape.blocks.retain(|_| kept.next() == Some(true));
    shape.sets = builder.sets;
    Ok(shape)
}

impl Builder<'_> {
    /// Notes the scalarsets that a type mentions, each once.
    fn collect(&mut self, ty: TypeId) {
        match self.types.get(ty) {
            Type::Scalarset { size } => {
                if !self.atoms.contains(&ty) {
                    let first = self.sets.last().map_or(0, |last| last.first.saturating_add(last.size));
                    let size = usize::try_from(*size).unwrap_or(0);
                    self.sets.push(Set { first, size, plain: Vec::new(), pointers: Vec::new() });
                    self.atoms.push(ty);
                }
            }
            Type::Union { atoms } => atoms.iter().for_each(|&atom| self.collect(atom)),
            Type::Record { fields } => fields.iter().for_each(|field| self.collect(field.ty)),
            Type::Array { index, elem } => {
                self.collect(*index);
                self.collect(*elem);
            }
            Type::Multiset { elem, .. } => self.collect(*elem),
            Type::Range { .. } | Type::Enum { .. } | Type::Position { .. } => {}
        }
    }

    fn walk(&mut self, shape: &mut Shape, ty: TypeId, base: usize, walk: &mut Walk) {
        if walk.dims.is_empty() && !self.types.has_scalarset(ty) {
            if walk.inside {
                shape.rest.extend((base..base + self.types.cells(ty) as usize).map(|at| at as u32));
            }
            return;
        }
        match self.types.get(ty) {
            Type::Record { fields } => {
                for field in fields {
                    self.walk(shape, field.ty, base + field.offset as usize, walk);
                }
            }
            Type::Array { index, elem } => self.walk_array(shape, *index, *elem, base, walk),
            Type::Multiset { capacity, elem } => {
                let bag = self.bag(*capacity as usize, *elem, base, &walk.dims);
                shape.bags.push(bag);
            }
            _ => self.walk_simple(shape, ty, base, walk),
        }
    }

    fn walk_array(&mut self, shape: &mut Shape, index: TypeId, elem: TypeId, base: usize, walk: &mut Walk) {
        let stride = self.types.cells(elem) as usize;
        let mut base = base;
        for atom in self.parts(index) {
            let count = self.types.count(atom) as usize;
            if let Some(set) = self.atoms.iter().position(|&each| each == atom) {
                if walk.dims.is_empty() && !walk.inside {
                    let first = self.sets[set].first as u8;
                    shape.blocks.push(Block { base, first, count, keys: vec![0; stride], plain: false });
                }
                walk.dims.push(Dim { set, stride });
                self.walk(shape, elem, base, walk);
                walk.dims.pop();
            } else {
                (0..count).for_each(|at| self.walk(shape, elem, base + at * stride, walk));
            }
            base += count * stride;
        }
    }

    fn walk_simple(&mut self, shape: &mut Shape, ty: TypeId, base: usize, walk: &Walk) {
        let column = self.column(ty, base, &walk.dims);
        match (&walk.dims[..], walk.inside) {
            ([], _) => shape.globals.push(column),
            ([Dim { set, stride }], false) => {
                let row = Row { base, stride: *stride };
                if !column.is_plain() {
                    self.sets[*set].pointers.push(row);
                    shape.pointers.push(column);
                } else if let Some(block) = shape.blocks.last_mut() {
                    self.sets[*set].plain.push(row);
                    block.keys[base - block.base] = column.key;
                    block.plain = true;
                }
            }
            _ => shape.tables.push(column),
        }
    }

    fn bag(&mut self, capacity: usize, elem: TypeId, base: usize, dims: &[Dim]) -> Bag {
        let mut shape = Shape::default();
        self.walk(&mut shape, elem, 0, &mut Walk { dims: Vec::new(), inside: true });
        let stride = self.types.cells(elem) as usize + 1;
        let grid = self.grid(base, dims);
        let mut concerns = shape.concerns();
        concerns.extend(&grid.firsts);
        concerns.sort_unstable();
        concerns.dedup();
        let inner = shape.indexed();
        Bag { grid, capacity, stride, elem: shape, key: self.key(), concerns, inner }
    }

    fn column(&mut self, ty: TypeId, base: usize, dims: &[Dim]) -> Column {
        let mut ranges = Vec::new();
        let mut lo = 0i64;
        for atom in self.parts(ty) {
            if let Some(set) = self.atoms.iter().position(|&each| each == atom) {
                let Set { first, size, .. } = self.sets[set];
                ranges.push(Names { lo, count: size as u64, first: first as u8 });
            }
            lo = lo.saturating_add_unsigned(self.types.count(atom));
        }
        ranges.retain(|names| names.count > 0);
        let more = ranges.split_off(ranges.len().min(1));
        let names = ranges.first().copied().unwrap_or(Names::NONE);
        Column { grid: self.grid(base, dims), names, more, key: self.key(), key_in: self.key() }
    }

    fn grid(&self, base: usize, dims: &[Dim]) -> Grid {
        let mut places = vec![base as u32];
        let mut members: Vec<Vec<u8>> = vec![Vec::new()];
        for dim in dims {
            let set = &self.sets[dim.set];
            let spread = |&place: &u32| (0..set.size).map(move |at| place + (at * dim.stride) as u32);
            places = places.iter().flat_map(spread).collect();
            let extend = |row: &Vec<u8>| {
                let row = row.clone();
                (0..set.size).map(move |at| [row.as_slice(), &[(set.first + at) as u8]].concat())
            };
            members = members.iter().flat_map(extend).collect();
        }
        Grid {
            base,
            strides: dims.iter().map(|dim| dim.stride).collect(),
            firsts: dims.iter().map(|dim| self.sets[dim.set].first as u8).collect(),
            places,
            members: members.concat(),
        }
    }

    /// The atoms of a union, or the type itself.
    fn parts(&self, ty: TypeId) -> Vec<TypeId> {
        match self.types.atoms(ty) {
            [] => vec![ty],
            atoms => atoms.to_vec(),
        }
    }

    /// The next of a fixed sequence of random odd numbers, the same everywhere.
    fn key(&mut self) -> u64 {
        self.keys.next_u64() | 1
    }
}
