//! What permuting scalarsets does to the slots of a state, as flat tables.
//!
//! A *column* is all the slots that permutations can move onto each other: `Cache[·].State` for all nodes, or
//! a single slot outside of such arrays that holds a member. A *bag* is the same for multisets; its elements
//! have a shape of their own. Columns come in kinds, so that the common ones are simple loops: a *block* is an
//! array indexed by one scalarset, with those of its columns that hold no members; a *pointer* is a column with
//! one index whose values may be members; a *global* has no index; everything else is a *table*.
//!
//! Invariant: every slot that a permutation can move, or whose value it can change, is in exactly one column
//! or bag; slots in none never change. Members of all scalarsets are numbered in one sequence.

/// One scalarset: its members are numbered on from `first`.
pub(super) struct Set {
    pub first: usize,
    pub size: usize,
    /// The cells of blocks and pointers that the set alone indexes.
    pub plain: Vec<Row>,
    pub pointers: Vec<Row>,
}

/// A cell for each member: the first one's, and the distance to the next.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub base: usize,
    pub stride: usize,
}

/// Values `lo` and on, `count` of them, that name members `first` and on.
#[derive(Clone, Copy)]
pub(super) struct Names {
    pub lo: i64,
    pub count: u64,
    pub first: u8,
}

/// Where the parts of a column or bag are: one place for each choice of a member in each dimension.
#[derive(Default)]
pub(super) struct Grid {
    pub base: usize,
    /// Distance from one member's place to the next, for each dimension.
    pub strides: Vec<usize>,
    /// The first member of the set that indexes each dimension.
    pub firsts: Vec<u8>,
    pub places: Vec<u32>,
    /// For each place, one member for each dimension.
    pub members: Vec<u8>,
}

/// An array with one row of `keys.len()` cells for each of `count` members.
pub(super) struct Block {
    pub base: usize,
    pub first: u8,
    pub count: usize,
    /// A random number for each cell of a row, or 0 where the cell is in a column of its own.
    pub keys: Vec<u64>,
    /// Whether some cell has a key.
    pub plain: bool,
}

/// Slots that permutations move onto each other.
pub(super) struct Column {
    pub grid: Grid,
    /// Which values are members: first the one scalarset that most columns with members have.
    pub names: Names,
    pub more: Vec<Names>,
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
    /// The first members of all sets whose permutation can change the bag.
    pub concerns: Vec<u8>,
    /// Those of them that index parts of elements.
    pub inner: Vec<u8>,
}

/// The symmetric structure of a state, or of one element of a multiset, which has no blocks or pointers.
#[derive(Default)]
pub(super) struct Shape {
    pub sets: Vec<Set>,
    pub blocks: Vec<Block>,
    pub pointers: Vec<Column>,
    pub globals: Vec<Column>,
    pub tables: Vec<Column>,
    pub bags: Vec<Bag>,
    /// Cells in no column or bag; noted for elements only.
    pub rest: Vec<u32>,
}

impl Shape {
    pub fn members(&self) -> usize {
        self.sets.last().map_or(0, |last| last.first + last.size)
    }

    /// The first members of all sets whose permutation can change a value of this shape.
    pub fn concerns(&self) -> Vec<u8> {
        let mut firsts = Vec::new();
        for column in self.pointers.iter().chain(&self.globals).chain(&self.tables) {
            firsts.extend(&column.grid.firsts);
            firsts.extend(column.all_names().map(|names| names.first));
        }
        self.bags.iter().for_each(|bag| firsts.extend(&bag.concerns));
        firsts
    }

    /// The first members of all sets that index parts of an element of this shape.
    pub fn indexed(&self) -> Vec<u8> {
        let mut firsts = Vec::new();
        self.tables.iter().for_each(|column| firsts.extend(&column.grid.firsts));
        for bag in &self.bags {
            firsts.extend(&bag.grid.firsts);
            firsts.extend(&bag.inner);
        }
        firsts
    }
}

impl Block {
    /// Whether a slot is in the block.
    pub fn covers(&self, slot: usize) -> bool {
        (self.base..self.base + self.count * self.keys.len()).contains(&slot)
    }
}

impl Row {
    #[inline]
    pub fn at(self, state: &[i64], member: usize) -> i64 {
        state[self.base + self.stride * member]
    }
}

impl Names {
    pub const NONE: Names = Names { lo: 0, count: 0, first: 0 };

    #[inline]
    pub fn member(&self, value: i64) -> Option<u8> {
        let at = value.wrapping_sub(self.lo) as u64;
        (at < self.count).then(|| self.first.wrapping_add(at as u8))
    }
}

impl Column {
    /// The member that a value names.
    #[inline]
    pub fn member(&self, value: i64) -> Option<u8> {
        match self.names.member(value) {
            None if !self.more.is_empty() => self.more.iter().find_map(|names| names.member(value)),
            member => member,
        }
    }

    /// Whether values may be members of the set that begins with this member.
    pub fn names_set(&self, first: u8) -> bool {
        self.all_names().any(|names| names.first == first)
    }

    /// Whether no value is a member.
    pub fn is_plain(&self) -> bool {
        self.names.count == 0
    }

    fn all_names(&self) -> impl Iterator<Item = &Names> {
        std::iter::once(&self.names).filter(|names| names.count > 0).chain(&self.more)
    }
}
