//! What a state says about the members of scalarsets, whatever their numbers.
//!
//! In: a state. Out: a sum for each member over the values that it alone indexes and over those that name it
//! from outside of scalarset arrays; and facts, each a number and the members it ties together, in order: the
//! index of a slot and the member in it, or the members that an element of a multiset mentions.
//!
//! Invariant: permuting the state permutes sums and facts and changes nothing else about them. A fact keeps
//! its first `PARTS_MAX` members, and what is inside a part of an element is tied to the element's members
//! but not to its other parts: both weaken refinement in rare models and nothing else. One pass over the
//! slots of columns and bags.

use super::PerMember;
use super::shape::{Bag, Block, Column, Shape};
use crate::ir::UNDEFINED;

/// How many members a fact keeps.
pub(super) const PARTS_MAX: usize = 7;

/// A statement about several members in a fixed order.
#[derive(Clone, Copy, Default)]
pub(super) struct Fact {
    /// Says which statement it is, and which of its members are the same.
    pub hash: u64,
    pub parts: [u8; PARTS_MAX],
    pub len: u8,
}

pub(super) struct Reading {
    pub sums: PerMember<u64>,
    /// How many values name the member, modulo 2^16.
    pub named: PerMember<u16>,
    /// Whether some fact is about the member.
    pub tied: PerMember<bool>,
    pub facts: Vec<Fact>,
}

impl Default for Reading {
    fn default() -> Reading {
        Reading { sums: [0; 256], named: [0; 256], tied: [false; 256], facts: Vec::new() }
    }
}

/// Multiplies to 128 bits and folds them: every bit of the input reaches every bit of the output.
#[inline]
pub(super) fn mix(number: u64) -> u64 {
    let product = u128::from(number ^ 0x2d35_8dcc_aa6c_78a5) * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ ((product >> 64) as u64)
}

/// Undefined becomes 1 and no other small value does; members count as `NAMED`.
#[inline]
fn spread(value: i64) -> u64 {
    value.rotate_left(1) as u64
}

const NAMED: u64 = 3;

impl Fact {
    fn push(&mut self, member: u8) {
        if let Some(part) = self.parts.get_mut(usize::from(self.len)) {
            *part = member;
            self.len += 1;
        }
    }
}

impl Reading {
    pub fn read(&mut self, shape: &Shape, state: &[i64]) {
        let members = shape.members();
        self.sums[..members].fill(0);
        self.named[..members].fill(0);
        self.tied[..members].fill(false);
        self.facts.clear();
        for block in shape.blocks.iter().filter(|block| block.plain) {
            self.block(block, state);
        }
        for column in &shape.pointers {
            self.pointer(column, state);
        }
        for column in &shape.globals {
            if let Some(member) = column.member(state[column.grid.base]) {
                self.name(member);
                self.add(member, column.key_in);
            }
        }
        for column in &shape.tables {
            self.column(column, state, Fact { hash: column.key, ..Fact::default() });
        }
        for bag in &shape.bags {
            self.bag(bag, state, Fact { hash: bag.key, ..Fact::default() });
        }
    }

    /// A sum with a random factor for each cell tells all rows apart.
    fn block(&mut self, block: &Block, state: &[i64]) {
        let (first, width) = (usize::from(block.first), block.keys.len());
        let sums = self.sums[first..first + block.count].iter_mut();
        let cells = &state[block.base..block.base + block.count * width];
        match block.keys[..] {
            [key] => sums.zip(cells).for_each(|(sum, &value)| {
                *sum = sum.wrapping_add(spread(value).wrapping_mul(key));
            }),
            [one, two] => sums.zip(cells.chunks_exact(2)).for_each(|(sum, row)| {
                let two = spread(row[1]).wrapping_mul(two);
                *sum = sum.wrapping_add(spread(row[0]).wrapping_mul(one)).wrapping_add(two);
            }),
            _ => sums.zip(cells.chunks_exact(width)).for_each(|(sum, row)| {
                for (&value, &key) in row.iter().zip(&block.keys) {
                    *sum = sum.wrapping_add(spread(value).wrapping_mul(key));
                }
            }),
        }
    }

    /// One value for each member that may name a member; undefined ones add nothing.
    fn pointer(&mut self, column: &Column, state: &[i64]) {
        for (&from, &place) in column.grid.members.iter().zip(&column.grid.places) {
            let value = state[place as usize];
            if value == UNDEFINED {
                continue;
            }
            let Some(to) = column.member(value) else {
                self.add(from, spread(value.wrapping_add(1)).wrapping_mul(column.key));
                continue;
            };
            self.name(to);
            let itself = if from == to { mix(column.key_in) } else { 0 };
            self.add(from, column.key.wrapping_mul(NAMED).wrapping_add(itself));
            self.add(to, column.key_in);
            self.tied[usize::from(from)] = true;
            self.tied[usize::from(to)] = true;
            let parts = [from, to, 0, 0, 0, 0, 0];
            self.facts.push(Fact { hash: column.key.wrapping_add(itself), parts, len: 2 });
        }
    }

    /// Any column: a fact for each slot, about what `outer` is about, the slot's index and its value.
    /// Numbers 0 without a member are left out: the other slots of the column say as much.
    fn column(&mut self, column: &Column, state: &[i64], outer: Fact) {
        let rank = column.grid.strides.len();
        for (at, &place) in column.grid.places.iter().enumerate() {
            let value = state[place as usize];
            let named = column.member(value);
            if value == if column.is_plain() { 0 } else { UNDEFINED } {
                continue;
            }
            let mut fact = outer;
            column.grid.members[at * rank..(at + 1) * rank].iter().for_each(|&member| fact.push(member));
            let said = named.map_or(spread(value), |_| NAMED);
            fact.hash = mix(fact.hash.wrapping_add(said.wrapping_mul(column.key)));
            if let Some(member) = named {
                self.name(member);
                fact.push(member);
            }
            self.state(fact);
        }
    }

    /// A fact for each element: where it is, what it says and whom it names.
    fn bag(&mut self, bag: &Bag, state: &[i64], outer: Fact) {
        let rank = bag.grid.strides.len();
        for (at, &place) in bag.grid.places.iter().enumerate() {
            let start = place as usize;
            let mut whose = outer;
            whose.hash = mix(whose.hash.wrapping_add(bag.key));
            bag.grid.members[at * rank..(at + 1) * rank].iter().for_each(|&member| whose.push(member));
            for each in state[start..start + bag.capacity * bag.stride].chunks_exact(bag.stride) {
                if each[0] != 1 {
                    break;
                }
                self.element(&bag.elem, &each[1..], whose);
            }
        }
    }

    fn element(&mut self, shape: &Shape, cells: &[i64], outer: Fact) {
        let mut fact = outer;
        for &at in &shape.rest {
            fact.hash = mix(fact.hash.wrapping_add(spread(cells[at as usize])));
        }
        for column in &shape.globals {
            let value = cells[column.grid.base];
            let named = column.member(value);
            fact.hash = mix(fact.hash.wrapping_add(named.map_or(spread(value), |_| NAMED)));
            if let Some(member) = named {
                self.name(member);
                fact.push(member);
            }
        }
        self.state(fact);
        shape.tables.iter().for_each(|column| self.column(column, cells, fact));
        shape.bags.iter().for_each(|bag| self.bag(bag, cells, fact));
    }

    /// Keeps a fact, or adds it to the sum of the one member that it is about.
    fn state(&mut self, mut fact: Fact) {
        if fact.len < 2 {
            if fact.len == 1 {
                self.add(fact.parts[0], mix(fact.hash));
            }
            return;
        }
        let parts = &fact.parts[..usize::from(fact.len)];
        for (at, part) in parts.iter().enumerate() {
            let same = parts[..at].iter().position(|other| other == part).map_or(0, |other| other + 1);
            fact.hash = mix(fact.hash.wrapping_add(same as u64));
            self.tied[usize::from(*part)] = true;
        }
        self.facts.push(fact);
    }

    #[inline]
    fn name(&mut self, member: u8) {
        let named = &mut self.named[usize::from(member)];
        *named = named.wrapping_add(1);
    }

    #[inline]
    fn add(&mut self, member: u8, term: u64) {
        let sum = &mut self.sums[usize::from(member)];
        *sum = sum.wrapping_add(term);
    }
}
