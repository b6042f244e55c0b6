//! What permuting scalarsets does to the slots of a state, as flat tables.
//!
//! In: the types of a model's variables. Out: columns and bags. A *column* is all the slots that
//! permutations can move onto each other: `Cache[·].State` for all nodes, or a single slot outside of such
//! arrays that holds a member. A *bag* is the same for multisets; its elements have a shape of their own. An
//! array indexed by a union is one column for each scalarset in the union and one for each other value.
//!
//! Invariant: every slot that a permutation can move, or whose value it can change, is in exactly one column
//! or bag; slots in none never change. Building it takes time and space linear in the slots.

use super::MEMBERS_MAX;
use crate::ir::{Model, Type, TypeId, Types};

/// One scalarset: its members are numbered on from `first`.
pub(super) struct Set {
    ty: TypeId,
    pub first: usize,
    pub size: usize,
}

/// Values `lo` and on, `count` of them, that name members `first` and on.
#[derive(Clone, Copy)]
pub(super) struct Names {
    pub lo: i64,
    pub count: u64,
    pub first: u8,
}

/// Where the parts of a column or bag are: one place for each choice of a member in each dimension.
pub(super) struct Grid {
    pub base: usize,
    /// Distance from one member's place to the next, for each dimension.
    pub strides: Vec<usize>,
    pub places: Vec<u32>,
    /// For each place, one member for each dimension.
    pub members: Vec<u8>,
}

/// Slots that permutations move onto each other.
pub(super) struct Column {
    pub grid: Grid,
    /// Which values are members; empty where none is.
    pub names: Vec<Names>,
    /// Number of members and first member, for columns with one dimension.
    pub count: usize,
    pub first: u8,
    /// Random numbers that tell this column from all others.
    pub key: u64,
    pub key_in: u64,
}

/// Multisets that permutations move onto each other.
pub(super) struct Bag {
    pub grid: Grid,
    pub capacity: usize,
    /// Cells from one element to the next, its presence cell included.
    pub stride: usize,
    pub elem: Shape,
    pub key: u64,
}

/// The symmetric structure of a state, or of one element of a multiset.
#[derive(Default)]
pub(super) struct Shape {
    pub sets: Vec<Set>,
    pub columns: Vec<Column>,
    pub bags: Vec<Bag>,
    /// Cells in no column or bag; noted for elements only.
    pub rest: Vec<u32>,
    /// Whether elements have parts that are indexed by scalarsets, or multisets.
    pub deep: bool,
}

#[derive(Clone, Copy)]
struct Dim {
    set: usize,
    stride: usize,
}

struct Builder<'m> {
    types: &'m Types,
    sets: Vec<Set>,
    seed: u64,
}

impl Shape {
    pub fn new(model: &Model) -> Result<Shape, String> {
        let mut builder = Builder { types: &model.types, sets: Vec::new(), seed: 0 };
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
            builder.walk(&mut shape, var.ty, var.first.0 as usize, &mut Vec::new());
        }
        shape.rest.clear();
        shape.sets = builder.sets;
        Ok(shape)
    }

    fn names_set(&self, first: u8) -> bool {
        self.columns.iter().any(|column| column.names_set(first) || column.grid.members.contains(&first))
            || self.bags.iter().any(|bag| bag.concerns(first))
    }
}

impl Column {
    /// The member that a value names.
    #[inline]
    pub fn member(&self, value: i64) -> Option<u8> {
        self.names.iter().find_map(|names| names.member(value))
    }

    /// Whether values may be members of the set that begins with this member.
    pub fn names_set(&self, first: u8) -> bool {
        self.names.iter().any(|names| names.first == first)
    }
}

impl Names {
    #[inline]
    pub fn member(&self, value: i64) -> Option<u8> {
        let at = value.wrapping_sub(self.lo) as u64;
        (at < self.count).then(|| self.first.wrapping_add(at as u8))
    }
}

impl Bag {
    /// Whether permuting the set that begins with this member can change the bag.
    pub fn concerns(&self, first: u8) -> bool {
        self.grid.members.contains(&first) || self.elem.names_set(first)
    }
}

impl Builder<'_> {
    fn collect(&mut self, ty: TypeId) {
        match self.types.get(ty) {
            Type::Scalarset { size } => {
                if !self.sets.iter().any(|set| set.ty == ty) {
                    let first = self.sets.last().map_or(0, |last| last.first.saturating_add(last.size));
                    self.sets.push(Set { ty, first, size: usize::try_from(*size).unwrap_or(0) });
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

    fn walk(&mut self, shape: &mut Shape, ty: TypeId, base: usize, dims: &mut Vec<Dim>) {
        if dims.is_empty() && !self.types.has_scalarset(ty) {
            shape.rest.extend((base..base + self.types.cells(ty) as usize).map(|at| at as u32));
            return;
        }
        match self.types.get(ty) {
            Type::Record { fields } => {
                for field in fields {
                    self.walk(shape, field.ty, base + field.offset as usize, dims);
                }
            }
            Type::Array { index, elem } => self.walk_array(shape, *index, *elem, base, dims),
            Type::Multiset { capacity, elem } => {
                let mut inner = Shape::default();
                self.walk(&mut inner, *elem, 0, &mut Vec::new());
                inner.deep =
                    !inner.bags.is_empty() || inner.columns.iter().any(|c| !c.grid.strides.is_empty());
                let stride = self.types.cells(*elem) as usize + 1;
                let key = self.key();
                let grid = self.grid(base, dims);
                shape.bags.push(Bag { grid, capacity: *capacity as usize, stride, elem: inner, key });
            }
            _ => {
                let column = self.column(ty, base, dims);
                shape.columns.push(column);
            }
        }
    }

    /// A scalarset index is one more dimension; every other index value leads to places of its own.
    fn walk_array(
        &mut self,
        shape: &mut Shape,
        index: TypeId,
        elem: TypeId,
        base: usize,
        dims: &mut Vec<Dim>,
    ) {
        let types = self.types;
        let stride = types.cells(elem) as usize;
        let whole = [index];
        let atoms = if types.atoms(index).is_empty() { &whole } else { types.atoms(index) };
        let mut base = base;
        for &atom in atoms {
            let count = types.count(atom) as usize;
            if let Some(set) = self.sets.iter().position(|set| set.ty == atom) {
                dims.push(Dim { set, stride });
                self.walk(shape, elem, base, dims);
                dims.pop();
            } else {
                (0..count).for_each(|at| self.walk(shape, elem, base + at * stride, dims));
            }
            base += count * stride;
        }
    }

    fn column(&mut self, ty: TypeId, base: usize, dims: &[Dim]) -> Column {
        let whole = [ty];
        let atoms = if self.types.atoms(ty).is_empty() { &whole } else { self.types.atoms(ty) };
        let mut names = Vec::new();
        let mut lo = 0i64;
        for &atom in atoms {
            if let Some(set) = self.sets.iter().find(|set| set.ty == atom) {
                names.push(Names { lo, count: set.size as u64, first: set.first as u8 });
            }
            lo = lo.saturating_add_unsigned(self.types.count(atom));
        }
        let only = dims.first().map(|dim| &self.sets[dim.set]);
        let (count, first) = only.map_or((0, 0), |set| (set.size, set.first as u8));
        let grid = self.grid(base, dims);
        Column { grid, names, count, first, key: self.key(), key_in: self.key() }
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
        Grid { base, strides: dims.iter().map(|dim| dim.stride).collect(), places, members: members.concat() }
    }

    /// The next of a fixed sequence of random odd numbers, the same everywhere.
    fn key(&mut self) -> u64 {
        self.seed += 1;
        crate::base::prng::Prng::new(self.seed.wrapping_mul(0xa076_1d64_78bd_642f)).next_u64() | 1
    }
}
