//! Members whose exchange leaves the state as it is.
//!
//! In: a state and the cells of its members. Out: for each member, a representative of its twins. Being
//! twins is an equivalence, because the exchange of the outer two of three twins is made of the two others;
//! so a member is compared with one twin of each class, and twins may be put in any order. Untouched members
//! are twins, and comparing two of them costs their rows only.
//!
//! Invariant: twins stand in one cell, before and after any refinement or singling out of others.
//! Quadratic in a cell's classes, linear in its members where all are twins.

use super::PerMember;
use super::facts::Reading;
use super::image::Labels;
use super::partition::Partition;
use super::shape::{Bag, Block, Column, Shape};

pub(super) struct Twins {
    /// The first of the member's twins that was met; itself for one without.
    pub of: PerMember<u8>,
    /// The identity, but for the two members being compared.
    labels: Option<Labels>,
    scratch: Vec<i64>,
}

impl Twins {
    pub fn new(slots: usize) -> Twins {
        Twins { of: [0; 256], labels: None, scratch: vec![0; slots] }
    }

    /// Finds the classes of twins inside each cell; true where each cell is one class.
    pub fn find(&mut self, shape: &Shape, state: &[i64], reading: &Reading, partition: &Partition) -> bool {
        let labels = self.labels.get_or_insert_with(|| Labels::new(&shape.sets));
        let mut exchange =
            Exchange { shape, state, named: &reading.named, labels, scratch: &mut self.scratch };
        let mut whole = true;
        let mut start = 0;
        while start < partition.members {
            let cell = partition.cell_at(start);
            self.of[usize::from(cell[0])] = cell[0];
            for (at, &member) in cell.iter().enumerate().skip(1) {
                let mut classes = cell[..at].iter().rev().filter(|&&each| self.of[usize::from(each)] == each);
                let twin = classes.find(|&&other| exchange.leaves_same(other, member));
                whole &= twin.is_some();
                self.of[usize::from(member)] = *twin.unwrap_or(&member);
            }
            start += cell.len();
        }
        whole
    }

    /// Where the first cell begins that holds members that are not all twins.
    pub fn first_open(&self, partition: &Partition) -> Option<usize> {
        let mut start = 0;
        while start < partition.members {
            let cell = partition.cell_at(start);
            let class = self.of[usize::from(cell[0])];
            if cell.iter().any(|&member| self.of[usize::from(member)] != class) {
                return Some(start);
            }
            start += cell.len();
        }
        None
    }
}

/// Tries exchanges of two members of one set.
struct Exchange<'a> {
    shape: &'a Shape,
    state: &'a [i64],
    named: &'a PerMember<u16>,
    labels: &'a mut Labels,
    scratch: &'a mut [i64],
}

impl Exchange<'_> {
    /// Whether exchanging two members leaves the state as it is: first what tells most members apart.
    fn leaves_same(&mut self, a: u8, b: u8) -> bool {
        let (shape, state, first) = (self.shape, self.state, self.labels.first(a));
        let (row_a, row_b) = (usize::from(a - first), usize::from(b - first));
        let named = self.named[usize::from(a)] > 0;
        if self.named[usize::from(a)] != self.named[usize::from(b)]
            || shape.blocks.iter().any(|block| block.first == first && !rows_same(block, state, row_a, row_b))
        {
            return false;
        }
        self.labels.swap(a, b);
        let labels = &*self.labels;
        let mut bags = shape.bags.iter().filter(|bag| bag.concerns.contains(&first));
        let same = shape.pointers.iter().all(|column| match named && column.names_set(first) {
            true => column_same(column, state, labels),
            false => {
                column.grid.firsts[0] != first || {
                    let row = |at: usize| state[column.grid.places[at] as usize];
                    row(row_a) == row(row_b)
                }
            }
        }) && (!named || shape.globals.iter().all(|column| column_same(column, state, labels)))
            && shape.tables.iter().all(|column| column_same(column, state, labels))
            && bags.all(|bag| bag_same(bag, state, labels, self.scratch));
        self.labels.swap(a, b);
        same
    }
}

/// Whether two rows of a block are equal in the cells that are in no other column.
fn rows_same(block: &Block, state: &[i64], a: usize, b: usize) -> bool {
    let width = block.keys.len();
    let row = |at: usize| &state[block.base + at * width..][..width];
    let mut cells = row(a).iter().zip(row(b)).zip(&block.keys);
    cells.all(|((one, other), &key)| one == other || key == 0)
}

/// Whether the exchange leaves a column as it is.
fn column_same(column: &Column, state: &[i64], labels: &Labels) -> bool {
    let mut places = column.grid.places.iter().enumerate();
    places.all(|(at, &place)| {
        state[column.grid.target(at, labels)] == column.rename(labels, state[place as usize])
    })
}

/// Whether the exchange leaves all multisets of a bag as they are.
fn bag_same(bag: &Bag, state: &[i64], labels: &Labels, scratch: &mut [i64]) -> bool {
    let cells = bag.capacity * bag.stride;
    (0..bag.grid.places.len()).all(|at| {
        let target = bag.grid.target(at, labels);
        bag.image(at, labels, state, scratch, target);
        scratch[target..target + cells] == state[target..target + cells]
    })
}
