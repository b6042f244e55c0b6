//! A permutation applied to a state, by the tables of its shape.
//!
//! In: where each member goes, and a state. Out: the permuted state, its multisets sorted again as
//! `ir::multiset` sorts them. Invariant: cells in no column or bag are copied; a column's slots are a
//! permutation of themselves, with members among their values renamed. Cost: the slots of all columns, and
//! a sort by insertion of the elements of each bag.

use super::PerMember;
use super::shape::{Bag, Column, Grid, Set, Shape};
use crate::ir::UNDEFINED;

/// For each member, the place in its scalarset where it goes.
#[derive(Clone)]
pub(super) struct Labels {
    pub to: PerMember<u8>,
    /// The first member of each member's scalarset.
    first: PerMember<u8>,
    members: usize,
}

impl Labels {
    pub fn new(sets: &[Set]) -> Labels {
        let mut labels = Labels { to: [0; 256], first: [0; 256], members: 0 };
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
        let mut moved = false;
        for (place, &member) in order[..self.members].iter().enumerate() {
            self.to[usize::from(member)] = place as u8 - self.first[place];
            moved |= place != usize::from(member);
        }
        moved
    }

    pub fn first(&self, member: u8) -> u8 {
        self.first[usize::from(member)]
    }

    /// Exchanges where two members go.
    pub fn swap(&mut self, a: u8, b: u8) {
        self.to.swap(usize::from(a), usize::from(b));
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

impl Column {
    /// The value after members have been renamed.
    #[inline]
    pub fn rename(&self, labels: &Labels, value: i64) -> i64 {
        for names in &self.names {
            if let Some(member) = names.member(value) {
                return names.lo + i64::from(labels.to[usize::from(member)]);
            }
        }
        value
    }

    fn image(&self, labels: &Labels, from: &[i64], to: &mut [i64]) {
        let base = self.grid.base;
        match self.grid.strides[..] {
            [] => to[base] = self.rename(labels, from[base]),
            [stride] => {
                let first = usize::from(self.first);
                let places = &labels.to[first..first + self.count];
                let (from, to) = (from[base..].iter().step_by(stride), &mut to[base..]);
                if self.names.is_empty() {
                    from.zip(places).for_each(|(&value, &place)| to[usize::from(place) * stride] = value);
                } else {
                    from.zip(places).for_each(|(&value, &place)| {
                        to[usize::from(place) * stride] = self.rename(labels, value);
                    });
                }
            }
            _ => {
                for (at, &place) in self.grid.places.iter().enumerate() {
                    to[self.grid.target(at, labels)] = self.rename(labels, from[place as usize]);
                }
            }
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
    for column in &shape.columns {
        column.image(labels, from, to);
    }
    for bag in &shape.bags {
        for at in 0..bag.grid.places.len() {
            bag.image(at, labels, from, to, bag.grid.target(at, labels));
        }
    }
}
