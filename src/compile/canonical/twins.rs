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
use super::shape::{Bag, Column, Row, Set, Shape};

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
        for set in &shape.sets {
            let mut start = set.first;
            while start < set.first + set.size {
                let cell = partition.cell_at(start);
                self.of[usize::from(cell[0])] = cell[0];
                for (at, &member) in cell.iter().enumerate().skip(1) {
                    let mut classes = cell[..at].iter().filter(|&&each| self.of[usize::from(each)] == each);
                    let twin = classes.find(|&&other| exchange.leaves_same(set, other, member));
                    whole &= twin.is_some();
                    self.of[usize::from(member)] = *twin.unwrap_or(&member);
                }
                start += cell.len();
            }
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
    /// Whether exchanging two members of a set leaves the state as it is: first what tells most apart.
    fn leaves_same(&mut self, set: &Set, a: u8, b: u8) -> bool {
        let (row_a, row_b) = (usize::from(a) - set.first, usize::from(b) - set.first);
        let same = |row: &Row| row.at(self.state, row_a) == row.at(self.state, row_b);
        let named = self.named[usize::from(a)];
        if named != self.named[usize::from(b)]
            || !set.plain.iter().all(same)
            || (named == 0 && !set.pointers.iter().all(same))
        {
            return false;
        }
        let shape = self.shape;
        if named == 0 && shape.tables.is_empty() && shape.bags.is_empty() {
            return true;
        }
        self.labels.swap(a, b);
        let same = self.columns_same(set.first as u8, named > 0)
            && shape.bags.iter().all(|bag| self.bag_same(bag, set.first as u8, named > 0));
        self.labels.swap(a, b);
        same
    }

    /// Whether the exchange leaves all columns as they are that are not known to be equal.
    fn columns_same(&self, first: u8, named: bool) -> bool {
        let indexed = |column: &&Column| column.grid.firsts.contains(&first);
        let naming = |column: &&Column| named && column.names_set(first);
        let same = |column: &Column| {
            let mut places = column.grid.places.iter().enumerate();
            places.all(|(at, &place)| {
                let renamed = column.rename(self.labels, self.state[place as usize]);
                self.state[column.grid.target(at, self.labels)] == renamed
            })
        };
        self.shape.globals.iter().filter(naming).all(same)
            && self
                .shape
                .pointers
                .iter()
                .filter(|column| named && (indexed(column) || naming(column)))
                .all(same)
            && self.shape.tables.iter().filter(|column| indexed(column) || naming(column)).all(same)
    }

    /// Whether the exchange leaves all multisets of a bag as they are.
    fn bag_same(&mut self, bag: &Bag, first: u8, named: bool) -> bool {
        let inside = named && bag.concerns.contains(&first) || bag.inner.contains(&first);
        if !inside && !bag.grid.firsts.contains(&first) {
            return true;
        }
        let cells = bag.capacity * bag.stride;
        bag.grid.places.iter().enumerate().all(|(at, &place)| {
            let target = bag.grid.target(at, self.labels);
            let (here, there) = (place as usize, target..target + cells);
            if !inside {
                return here == target || self.state[here..here + cells] == self.state[there];
            }
            self.scratch[there.clone()].copy_from_slice(&self.state[there.clone()]);
            bag.image(at, self.labels, self.state, self.scratch, target);
            self.scratch[there.clone()] == self.state[there]
        })
    }
}
