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
use super::shape::{Bag, Column, Shape};

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

    /// Finds the classes of twins inside each cell.
    pub fn find(&mut self, shape: &Shape, state: &[i64], reading: &Reading, partition: &Partition) {
        let mut labels = self.labels.take().unwrap_or_else(|| Labels::new(&shape.sets));
        let mut start = 0;
        while start < partition.members {
            let cell = partition.cell_at(start);
            for (at, &member) in cell.iter().enumerate() {
                let mut classes = cell[..at].iter().rev().filter(|&&each| self.of[usize::from(each)] == each);
                let scratch = &mut self.scratch;
                let twin = classes
                    .find(|&&other| exchangeable(shape, state, reading, &mut labels, scratch, other, member));
                self.of[usize::from(member)] = twin.copied().unwrap_or(member);
            }
            start += cell.len();
        }
        self.labels = Some(labels);
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

fn exchangeable(
    shape: &Shape,
    state: &[i64],
    reading: &Reading,
    labels: &mut Labels,
    scratch: &mut [i64],
    a: u8,
    b: u8,
) -> bool {
    let first = labels.first(a);
    let named = reading.named[usize::from(a)] || reading.named[usize::from(b)];
    labels.swap(a, b);
    let columns = shape.columns.iter().all(|column| column_same(column, state, labels, named, first, a, b));
    let same = columns && shape.bags.iter().all(|bag| bag_same(bag, state, labels, scratch, first));
    labels.swap(a, b);
    same
}

/// Whether the exchange leaves a column as it is.
fn column_same(
    column: &Column,
    state: &[i64],
    labels: &Labels,
    named: bool,
    first: u8,
    a: u8,
    b: u8,
) -> bool {
    if named && column.names_set(first) {
        let mut places = column.grid.places.iter().enumerate();
        return places.all(|(at, &place)| {
            state[column.grid.target(at, labels)] == column.rename(labels, state[place as usize])
        });
    }
    match column.grid.strides[..] {
        [] => true,
        [stride] if column.first == first => {
            let row = |member: u8| state[column.grid.base + usize::from(member - first) * stride];
            row(a) == row(b)
        }
        [_] => true,
        _ => {
            let mut places = column.grid.places.iter().enumerate();
            places.all(|(at, &place)| state[column.grid.target(at, labels)] == state[place as usize])
        }
    }
}

/// Whether the exchange leaves all multisets of a bag as they are.
fn bag_same(bag: &Bag, state: &[i64], labels: &Labels, scratch: &mut [i64], first: u8) -> bool {
    if !bag.concerns(first) {
        return true;
    }
    let cells = bag.capacity * bag.stride;
    (0..bag.grid.places.len()).all(|at| {
        let target = bag.grid.target(at, labels);
        bag.image(at, labels, state, scratch, target);
        scratch[target..target + cells] == state[target..target + cells]
    })
}
