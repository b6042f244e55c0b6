//! A permutation applied to a state, by the tables of its shape.
//!
//! In: where each member goes, a state, and a copy of it. Out: the copy permuted, its multisets sorted again as
//! `ir::multiset` sorts them. Invariant: only what may differ is written: rows of members that move, and
//! columns and bags of scalarsets some member of which moves. Cost: the slots written, and a sort by
//! insertion of the elements of each bag.

use super::PerMember;
use super::shape::{Bag, Block, Column, Grid, Set, Shape};
use crate::ir::UNDEFINED;

/// For each member, the place in its scalarset where it goes.
#[derive(Clone)]
pub(super) struct Labels {
    pub to: PerMember<u8>,
    /// The first member of each member's scalarset.
    first: PerMember<u8>,
    /// For the first member of a scalarset: whether any of its members moves.
    moved: PerMember<bool>,
    members: usize,
}

impl Labels {
    /// The identity.
    pub fn new(sets: &[Set]) -> Labels {
        let mut labels = Labels { to: [0; 256], first: [0; 256], moved: [false; 256], members: 0 };
        for set in sets {
            for member in set.first..set.first + set.size {
                labels.first[member] = set.first as u8;
                labels.to[member] = (member - set.first) as u8;
            }
            labels.members = set.first + set.size;
        }
        labels
    }

    /// Sends the member at each place of the order to that place; false where all stay where they are.
    pub fn set(&mut self, order: &PerMember<u8>) -> bool {
        let mut any = false;
        self.moved[..self.members].fill(false);
        for (place, (&member, &first)) in order.iter().zip(&self.first).take(self.members).enumerate() {
            self.to[usize::from(member)] = place as u8 - first;
            let moves = place != usize::from(member);
            self.moved[usize::from(first)] |= moves;
            any |= moves;
        }
        any
    }

    /// Exchanges where two members go, starting from the identity; or back.
    pub fn swap(&mut self, a: u8, b: u8) {
        self.to.swap(usize::from(a), usize::from(b));
        let moved = &mut self.moved[usize::from(self.first[usize::from(a)])];
        *moved = !*moved;
    }

    fn moves(&self, first: u8) -> bool {
        self.moved[usize::from(first)]
    }
}

impl Grid {
    /// Where what stands at place number `at` goes.
    #[inline]
    pub fn target(&self, at: usize, labels: &Labels) -> usize {
        let rank = self.strides.len();
        let members = &self.members[at * rank..(at + 1) * rank];
        let steps = self.strides.iter().zip(members);
        self.base
            + steps
                .map(|(stride, &member)| stride * usize::from(labels.to[usize::from(member)]))
                .sum::<usize>()
    }
}

impl Block {
    /// Moves the rows of members that move.
    fn image(&self, labels: &Labels, from: &[i64], to: &mut [i64]) {
        let (first, width) = (usize::from(self.first), self.keys.len());
        for (at, &place) in labels.to[first..first + self.count].iter().enumerate() {
            let place = usize::from(place);
            if place == at {
                continue;
            }
            let (here, there) = (self.base + at * width, self.base + place * width);
            match width {
                1 => to[there] = from[here],
                2 => [to[there], to[there + 1]] = [from[here], from[here + 1]],
                _ => to[there..there + width].copy_from_slice(&from[here..here + width]),
            }
        }
    }
}

impl Column {
    /// The value after members have been renamed.
    #[inline]
    pub fn rename(&self, labels: &Labels, value: i64) -> i64 {
        if let Some(member) = self.names.member(value) {
            return self.names.lo + i64::from(labels.to[usize::from(member)]);
        }
        for names in &self.more {
            if let Some(member) = names.member(value) {
                return names.lo + i64::from(labels.to[usize::from(member)]);
            }
        }
        value
    }

    /// Renames the members in a pointer whose rows are where they belong.
    fn rename_all(&self, labels: &Labels, cells: &mut [i64]) {
        for &place in &self.grid.places {
            let cell = &mut cells[place as usize];
            if *cell != UNDEFINED {
                *cell = self.rename(labels, *cell);
            }
        }
    }

    fn image_of_table(&self, labels: &Labels, from: &[i64], to: &mut [i64]) {
        for (at, &place) in self.grid.places.iter().enumerate() {
            to[self.grid.target(at, labels)] = self.rename(labels, from[place as usize]);
        }
    }
}

impl Bag {
    /// The image of the multiset at place number `at`, written over the one in `to` from `goal` on.
    pub fn image(&self, at: usize, labels: &Labels, from: &[i64], to: &mut [i64], goal: usize) {
        let start = self.grid.places[at] as usize;
        let mut end = goal;
        for each in from[start..start + self.capacity * self.stride].chunks_exact(self.stride) {
            if each[0] != 1 {
                break;
            }
            let place = &mut to[end..end + self.stride];
            place.copy_from_slice(each);
            state(&self.elem, labels, &each[1..], &mut place[1..]);
            end += self.stride;
            self.insert(&mut to[goal..end]);
        }
        for each in to[end..goal + self.capacity * self.stride].chunks_exact_mut(self.stride) {
            if each[0] != 1 {
                break;
            }
            each.fill(UNDEFINED);
        }
    }

    /// Moves the last element forward to where it belongs among the sorted ones before it.
    fn insert(&self, elements: &mut [i64]) {
        let mut at = elements.len() / self.stride - 1;
        while at > 0 {
            let (before, here) = elements.split_at_mut(at * self.stride);
            let before = &mut before[(at - 1) * self.stride..];
            let here = &mut here[..self.stride];
            if *before <= *here {
                return;
            }
            before.swap_with_slice(here);
            at -= 1;
        }
    }
}

/// The image of a whole state, or of one element's cells; `to` begins as a copy of `from`.
pub(super) fn state(shape: &Shape, labels: &Labels, from: &[i64], to: &mut [i64]) {
    for block in shape.blocks.iter().filter(|block| labels.moves(block.first)) {
        block.image(labels, from, to);
    }
    let renamed = |column: &&Column| labels.moves(column.names.first) || !column.more.is_empty();
    for column in shape.pointers.iter().filter(renamed) {
        column.rename_all(labels, to);
    }
    for column in &shape.globals {
        to[column.grid.base] = column.rename(labels, from[column.grid.base]);
    }
    for column in &shape.tables {
        column.image_of_table(labels, from, to);
    }
    for bag in shape.bags.iter().filter(|bag| bag.concerns.iter().any(|&first| labels.moves(first))) {
        for at in 0..bag.grid.places.len() {
            bag.image(at, labels, from, to, bag.grid.target(at, labels));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets() -> [Set; 2] {
        let set = |first, size| Set { first, size, plain: Vec::new(), pointers: Vec::new() };
        [set(0, 3), set(3, 2)]
    }

    #[test]
    fn an_order_sends_members_to_places_in_their_own_set() {
        let mut labels = Labels::new(&sets());
        let mut order = [0; 256];
        order[..5].copy_from_slice(&[2, 0, 1, 3, 4]);
        assert!(labels.set(&order));
        assert_eq!(labels.to[..5], [1, 2, 0, 0, 1]);
        assert!(labels.moves(0) && !labels.moves(3));
        order[..5].copy_from_slice(&[0, 1, 2, 3, 4]);
        assert!(!labels.set(&order));
    }

    #[test]
    fn elements_are_sorted_as_they_arrive() {
        let grid = Grid { places: vec![0], ..Grid::default() };
        let elem = Shape { rest: vec![0], ..Shape::default() };
        let bag = Bag { grid, capacity: 4, stride: 2, elem, key: 1, concerns: Vec::new(), inner: Vec::new() };
        let from = [1, 7, 1, UNDEFINED, 1, 3, UNDEFINED, UNDEFINED];
        let mut to = [1, 1, 1, 2, 1, 3, 1, 4];
        bag.image(0, &Labels::new(&sets()), &from, &mut to, 0);
        assert_eq!(to, [1, UNDEFINED, 1, 3, 1, 7, UNDEFINED, UNDEFINED]);
    }
}
