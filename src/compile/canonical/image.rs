//! A permutation applied to a state, by the tables of its shape.
//!
//! In: where each member goes, and a state. Out: the permuted state, its multisets sorted again as
//! `ir::multiset` sorts them. Invariant: the image begins as a copy, and only what may differ from it is
//! written: rows of members that move, and columns and bags of scalarsets some member of which moves. Cost: a
//! copy, the slots written, and a sort by insertion of the elements of each bag.

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

    pub fn first(&self, member: u8) -> u8 {
        self.first[usize::from(member)]
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

    /// The image of a pointer: one value for each member of a set.
    fn image_of_pointer(&self, labels: &Labels, from: &[i64], to: &mut [i64]) {
        let ([stride], [first]) = (&self.grid.strides[..], &self.grid.firsts[..]) else { return };
        if !labels.moves(*first) && !labels.moves(self.names.first) && self.more.is_empty() {
            return;
        }
        let first = usize::from(*first);
        let places = &labels.to[first..first + self.grid.places.len()];
        let mut here = self.grid.base;
        for &place in places {
            to[self.grid.base + usize::from(place) * stride] = self.rename(labels, from[here]);
            here += stride;
        }
    }

    fn image_of_table(&self, labels: &Labels, from: &[i64], to: &mut [i64]) {
        for (at, &place) in self.grid.places.iter().enumerate() {
            to[self.grid.target(at, labels)] = self.rename(labels, from[place as usize]);
        }
    }
}

impl Bag {
    /// The image of the multiset at place number `at`, written to `to` from `goal` on.
    pub fn image(&self, at: usize, labels: &Labels, from: &[i64], to: &mut [i64], goal: usize) {
        let start = self.grid.places[at] as usize;
        let mut filled = 0;
        for each in from[start..start + self.capacity * self.stride].chunks_exact(self.stride) {
            if each[0] != 1 {
                continue;
            }
            let begin = goal + filled * self.stride;
            let place = &mut to[begin..begin + self.stride];
            place[0] = 1;
            state(&self.elem, labels, &each[1..], &mut place[1..]);
            self.insert(&mut to[goal..begin + self.stride], filled);
            filled += 1;
        }
        to[goal + filled * self.stride..goal + self.capacity * self.stride].fill(UNDEFINED);
    }

    /// Moves the last element forward to where it belongs among the sorted ones before it.
    fn insert(&self, elements: &mut [i64], last: usize) {
        let mut at = last;
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

/// The image of a whole state, or of one element's cells.
pub(super) fn state(shape: &Shape, labels: &Labels, from: &[i64], to: &mut [i64]) {
    to.copy_from_slice(from);
    for block in shape.blocks.iter().filter(|block| labels.moves(block.first)) {
        block.image(labels, from, to);
    }
    for column in &shape.pointers {
        column.image_of_pointer(labels, from, to);
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
