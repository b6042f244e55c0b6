//! The ordered partition of all members, and its refinement.
//!
//! In: numbers for members, or facts about them. Out: the members of each scalarset in order, grouped into
//! cells; members of one cell are tied. Invariant: scalarset after scalarset, and within one, cell after cell,
//! `order` lists every member once; `cell` is where a member's cell begins and `len` how long the cell that
//! begins at a place is. Splitting sorts inside cells only, so cells are never joined or moved past others.
//!
//! A round of refinement gives each member the sum over its facts of a hash of the cells of the fact's other
//! members, and splits by that. Rounds end when no cell was split; there are fewer than members. A round costs
//! the facts and a sort by insertion inside each cell.

use super::PerMember;
use super::facts::{Fact, mix};
use super::shape::Set;

#[derive(Clone)]
pub(super) struct Partition {
    pub order: PerMember<u8>,
    pub cell: PerMember<u8>,
    pub len: PerMember<u8>,
    pub members: usize,
    cells: usize,
}

impl Partition {
    pub fn new(sets: &[Set]) -> Partition {
        let members = sets.last().map_or(0, |last| last.first + last.size);
        let mut partition = Partition { order: [0; 256], cell: [0; 256], len: [0; 256], members, cells: 0 };
        partition.reset(sets);
        partition
    }

    /// One cell for each scalarset, in the order of their numbers.
    pub fn reset(&mut self, sets: &[Set]) {
        self.cells = 0;
        for set in sets.iter().filter(|set| set.size > 0) {
            for member in set.first..set.first + set.size {
                self.order[member] = member as u8;
                self.cell[member] = set.first as u8;
            }
            self.len[set.first] = set.size as u8;
            self.cells += 1;
        }
    }

    pub fn is_discrete(&self) -> bool {
        self.cells == self.members
    }

    /// The members of the cell that begins at a place.
    pub fn cell_at(&self, start: usize) -> &[u8] {
        &self.order[start..start + usize::from(self.len[start])]
    }

    /// Sorts each cell by the members' sums and splits it where they differ.
    pub fn split(&mut self, sums: &PerMember<u64>) {
        let mut start = 0;
        while start < self.members {
            let end = start + usize::from(self.len[start]);
            if end - start > 1 {
                sort(&mut self.order[start..end], sums);
                self.cut(start, end, sums);
            }
            start = end;
        }
    }

    /// Makes a cell of each run of equal sums.
    fn cut(&mut self, start: usize, end: usize, sums: &PerMember<u64>) {
        let mut begin = start;
        for at in start + 1..end {
            if sums[usize::from(self.order[at])] != sums[usize::from(self.order[at - 1])] {
                self.len[begin] = (at - begin) as u8;
                begin = at;
                self.cells += 1;
            }
            self.cell[usize::from(self.order[at])] = begin as u8;
        }
        self.len[begin] = (end - begin) as u8;
    }

    /// Makes the member a cell of its own, before the rest of the cell that begins at `start`.
    pub fn single_out(&mut self, member: u8, start: usize) {
        let len = usize::from(self.len[start]);
        let cell = &mut self.order[start..start + len];
        if let Some(at) = cell.iter().position(|&each| each == member) {
            cell[..=at].rotate_right(1);
        }
        for at in start + 1..start + len {
            self.cell[usize::from(self.order[at])] = start as u8 + 1;
        }
        self.len[start] = 1;
        self.len[start + 1] = len as u8 - 1;
        self.cells += 1;
    }

    /// Splits by facts until nothing splits. With `TRACE`, the result is a number that depends on nothing
    /// but the facts and cells. `sums` is scratch space.
    pub fn refine<const TRACE: bool>(&mut self, facts: &[Fact], sums: &mut PerMember<u64>) -> u64 {
        let mut trace = 0u64;
        while !self.is_discrete() && !facts.is_empty() {
            let before = self.cells;
            sums[..self.members].fill(0);
            self.tell(facts, sums);
            if TRACE {
                for (sum, &cell) in sums[..self.members].iter().zip(&self.cell) {
                    trace = trace.wrapping_add(mix(sum.wrapping_add(u64::from(cell))));
                }
                trace = mix(trace);
            }
            self.split(sums);
            if self.cells == before {
                break;
            }
        }
        trace
    }

    /// Whether a tied member is marked: without one, facts cannot split a cell.
    pub fn any_tied(&self, marked: &PerMember<bool>) -> bool {
        let mut start = 0;
        while start < self.members {
            let cell = self.cell_at(start);
            if cell.len() > 1 && cell.iter().any(|&member| marked[usize::from(member)]) {
                return true;
            }
            start += cell.len();
        }
        false
    }

    /// Adds up for each member what the facts say about the cells of the others.
    fn tell(&self, facts: &[Fact], sums: &mut PerMember<u64>) {
        let cell = |part: u8| u64::from(self.cell[usize::from(part)]);
        let mut add = |part: u8, term: u64| {
            let sum = &mut sums[usize::from(part)];
            *sum = sum.wrapping_add(term);
        };
        for fact in facts {
            let [one, other, ..] = fact.parts;
            if fact.len == 2 {
                add(one, mix(fact.hash.wrapping_add(cell(other))));
                add(other, mix((!fact.hash).wrapping_sub(cell(one))));
                continue;
            }
            let parts = &fact.parts[..usize::from(fact.len)];
            let whole = parts.iter().fold(fact.hash, |hash, &part| mix(hash.wrapping_add(cell(part))));
            for (at, &part) in parts.iter().enumerate() {
                add(part, mix(whole.wrapping_add(at as u64)));
            }
        }
    }
}

/// Sorts by insertion: cells are short, and this leaves ties in place.
fn sort(cell: &mut [u8], sums: &PerMember<u64>) {
    for end in 1..cell.len() {
        let member = cell[end];
        let sum = sums[usize::from(member)];
        let mut at = end;
        while at > 0 && sums[usize::from(cell[at - 1])] > sum {
            cell[at] = cell[at - 1];
            at -= 1;
        }
        cell[at] = member;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(sizes: &[usize]) -> Partition {
        let mut sets: Vec<Set> = Vec::new();
        for &size in sizes {
            let first = sets.last().map_or(0, |last| last.first + last.size);
            sets.push(Set { first, size, plain: Vec::new(), pointers: Vec::new() });
        }
        Partition::new(&sets)
    }

    fn cells(partition: &Partition) -> Vec<Vec<u8>> {
        let mut cells: Vec<Vec<u8>> = Vec::new();
        let mut start = 0;
        while start < partition.members {
            cells.push(partition.cell_at(start).to_vec());
            start += partition.cell_at(start).len();
        }
        cells
    }

    #[test]
    fn sums_split_cells_in_order_and_sets_stay_apart() {
        let mut partition = partition(&[4, 0, 2]);
        let mut sums = [0; 256];
        sums[..6].copy_from_slice(&[5, 1, 5, 0, 9, 9]);
        partition.split(&sums);
        assert_eq!(cells(&partition), [vec![3], vec![1], vec![0, 2], vec![4, 5]]);
        assert!(!partition.is_discrete());
        partition.single_out(2, 2);
        partition.single_out(4, 4);
        assert_eq!(cells(&partition), [[3], [1], [2], [0], [4], [5]]);
        assert!(partition.is_discrete());
    }

    #[test]
    fn a_chain_refines_to_its_order_and_a_cycle_does_not() {
        let link = |from: u8, to: u8| Fact { hash: 1, parts: [from, to, 0, 0, 0, 0, 0], len: 2 };
        let mut chain = partition(&[5]);
        chain.refine::<false>(&[link(3, 1), link(1, 4), link(4, 0), link(0, 2)], &mut [0; 256]);
        assert!(chain.is_discrete());
        let cycle = [link(0, 1), link(1, 2), link(2, 3), link(3, 4), link(4, 0)];
        let mut round = partition(&[5]);
        round.refine::<false>(&cycle, &mut [0; 256]);
        assert_eq!(cells(&round), [[0, 1, 2, 3, 4]]);
        round.single_out(3, 0);
        round.refine::<false>(&cycle, &mut [0; 256]);
        assert!(round.is_discrete());
    }
}
