//! The search for the least state among ties that are not twins.
//!
//! In: a state, its facts, its twins and the refined partition. Out: the image of the state under the best
//! order of its members. A node of the search tree is a partition; a child singles out one member of the
//! first cell that is not all twins, and refines. A leaf has only cells of twins left, so its order gives one
//! image. Leaves are compared by the traces of refinement on the path to them, then by their images: the best is
//! the same whichever member of an orbit the search began with, because the tree is.
//!
//! Two leaves with the same image give an automorphism of the state. It maps the subtree of the earlier leaf to
//! the subtree of the later where their paths part, so the search leaves the later one; and at each node
//! whose singled-out members it fixes, children it maps to each other are tried once (McKay 1981).
//!
//! Invariant: `best` is the least leaf seen, and while `ahead` is false the path's traces equal those of
//! the best leaf's path. It terminates because each level singles out a member. Cost: a refinement for each
//! node; images for leaves only.

use std::cmp::Ordering;

use super::PerMember;
use super::facts::{Fact, mix};
use super::image::{self, Labels};
use super::partition::Partition;
use super::shape::Shape;
use super::twins::Twins;

/// Goes on with the next child wherever the search is.
const NO_RETURN: usize = usize::MAX;

/// One level of the path from the root.
struct Level {
    partition: Partition,
    /// Members that automorphisms found so far map to each other: a forest, each member to a smaller one.
    orbits: PerMember<u8>,
    /// What refinement said about the child that the path goes through.
    trace: u64,
    /// The member that the path singles out.
    chosen: u8,
}

/// The least leaf so far.
struct Leaf {
    image: Vec<i64>,
    order: PerMember<u8>,
    /// Trace and singled-out member of each level.
    path: Vec<(u64, u8)>,
}

pub(super) struct Search {
    levels: Vec<Level>,
    best: Leaf,
    candidate: Vec<i64>,
    labels: Option<Labels>,
    sums: PerMember<u64>,
}

/// What stays the same in one search.
struct Given<'a> {
    shape: &'a Shape,
    state: &'a [i64],
    facts: &'a [Fact],
    twins: &'a Twins,
}

impl Search {
    pub fn new(slots: usize) -> Search {
        let best = Leaf { image: vec![0; slots], order: [0; 256], path: Vec::new() };
        Search { levels: Vec::new(), best, candidate: vec![0; slots], labels: None, sums: [0; 256] }
    }

    pub fn run(
        &mut self,
        shape: &Shape,
        state: &[i64],
        facts: &[Fact],
        twins: &Twins,
        partition: &Partition,
    ) -> &[i64] {
        self.labels.get_or_insert_with(|| Labels::new(&shape.sets));
        self.enter(0, partition);
        self.visit(&Given { shape, state, facts, twins }, 0, true);
        &self.best.image
    }

    /// Makes the partition the node at a depth.
    fn enter(&mut self, depth: usize, partition: &Partition) {
        match self.levels.get_mut(depth) {
            Some(level) => level.partition.clone_from(partition),
            None => {
                let partition = partition.clone();
                self.levels.push(Level { partition, orbits: [0; 256], trace: 0, chosen: 0 });
            }
        }
    }

    /// Searches below the node at a depth; the result is the depth to return to, if it lies above.
    fn visit(&mut self, given: &Given<'_>, depth: usize, ahead: bool) -> usize {
        let Some(start) = given.twins.first_open(&self.levels[depth].partition) else {
            return self.leaf(given, depth, ahead);
        };
        self.levels[depth].orbits = given.twins.of;
        let parent = self.levels[depth].partition.clone();
        let cell = parent.cell_at(start);
        let mut ahead = ahead;
        for (at, &member) in cell.iter().enumerate() {
            let orbits = &self.levels[depth].orbits;
            if cell[..at].iter().any(|&other| root(orbits, other) == root(orbits, member)) {
                continue;
            }
            let trace = self.descend(given, depth, &parent, start, member);
            let order = match self.best.path.get(depth) {
                _ if ahead => Ordering::Less,
                Some(&(best, _)) => trace.cmp(&best),
                None => Ordering::Greater,
            };
            if order == Ordering::Greater {
                continue;
            }
            let back = self.visit(given, depth + 1, order == Ordering::Less);
            ahead = false;
            if back < depth {
                return back;
            }
        }
        NO_RETURN
    }

    /// Makes the child of a node that singles out a member; the result says how it refined, and whether it
    /// is a leaf.
    fn descend(
        &mut self,
        given: &Given<'_>,
        depth: usize,
        parent: &Partition,
        start: usize,
        member: u8,
    ) -> u64 {
        self.enter(depth + 1, parent);
        let child = &mut self.levels[depth + 1].partition;
        child.single_out(member, start);
        let refined = child.refine::<true>(given.facts, &mut self.sums);
        let leaf = given.twins.first_open(child).is_none();
        let trace = mix(refined) << 1 | u64::from(!leaf);
        self.levels[depth].trace = trace;
        self.levels[depth].chosen = member;
        trace
    }

    fn leaf(&mut self, given: &Given<'_>, depth: usize, ahead: bool) -> usize {
        let order = &self.levels[depth].partition.order;
        let labels = self.labels.get_or_insert_with(|| Labels::new(&given.shape.sets));
        labels.set(order);
        self.candidate.copy_from_slice(given.state);
        image::state(given.shape, labels, given.state, &mut self.candidate);
        let compared = if ahead { Ordering::Less } else { self.candidate.cmp(&self.best.image) };
        match compared {
            Ordering::Less => {
                std::mem::swap(&mut self.candidate, &mut self.best.image);
                self.best.order = *order;
                self.best.path.clear();
                self.best.path.extend(self.levels[..depth].iter().map(|level| (level.trace, level.chosen)));
                NO_RETURN
            }
            Ordering::Equal => self.automorphism(depth),
            Ordering::Greater => NO_RETURN,
        }
    }

    /// Joins orbits by the automorphism from the best leaf to this one; the result is where their paths part.
    fn automorphism(&mut self, depth: usize) -> usize {
        let (above, here) = self.levels.split_at_mut(depth);
        let partition = &here[0].partition;
        let pairs = self.best.order[..partition.members].iter().zip(&partition.order);
        let mut part = 0;
        for (at, level) in above.iter_mut().enumerate() {
            part = at;
            pairs.clone().for_each(|(&from, &to)| join(&mut level.orbits, from, to));
            if self.best.path.get(at).is_none_or(|&(_, chosen)| chosen != level.chosen) {
                break;
            }
        }
        part
    }
}

fn root(orbits: &PerMember<u8>, member: u8) -> u8 {
    let mut at = member;
    while orbits[usize::from(at)] != at {
        at = orbits[usize::from(at)];
    }
    at
}

fn join(orbits: &mut PerMember<u8>, one: u8, other: u8) {
    let (one, other) = (root(orbits, one), root(orbits, other));
    orbits[usize::from(one.max(other))] = one.min(other);
}
