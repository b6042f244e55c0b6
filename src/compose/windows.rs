//! A large set cut into disjoint windows, one for each rank, that are about the same amount of work.
//!
//! In: a set of a component's views. Out: for each rank a condition on the first few of the component's own bits that the set
//! depends on; the conditions exclude each other and one of them always holds. Nobody else writes these bits, so what
//! others do stays in its window. The first are those about no process, in which a diagram branches before anything else, so
//! that its parts below have least in common.
//!
//! Each valuation of these bits leaves a part of the diagram. Parts are dealt out by their nodes, the largest first, each to
//! the rank that has least; valuations with the same part stay together, as they are the same work. What does
//! not occur yet is dealt out in turn. Published: O. Grumberg, T. Heyman, A. Schuster, "A work-efficient distributed algorithm
//! for reachability analysis", 2006; there, windows are cut anew while they grow. Cost: a few hundred operations on the set.

// A diagram is hashed and compared by its edge, which never changes.
#![allow(clippy::mutable_key_type)]

use std::collections::HashMap;

use super::split::Setting;
use crate::symbolic::{Bdd, Space, Trouble};

/// How many bits windows depend on at most.
const WINDOW_BITS_MAX: usize = 8;

type Literals = Vec<(u32, bool)>;

/// One window for each rank.
pub fn windows(setting: Setting<'_>, set: &Bdd, ranks: u32) -> Result<Vec<Bdd>, Trouble> {
    let space = setting.space;
    let own = set.support().into_iter().filter(|variable| !setting.plan.is_shared(variable / 2));
    let bits: Vec<u32> = own.take(WINDOW_BITS_MAX).collect();
    let quantified = space.store.set(bits.iter().copied())?;
    let mut found = Found { groups: Vec::new(), group_of: HashMap::new(), absent: Vec::new() };
    found.look(space, set, &bits, &quantified, Vec::new())?;
    let mut order: Vec<usize> = (0..found.groups.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(found.groups[at].0));
    let mut loads = vec![0usize; ranks as usize];
    let mut dealt: Vec<Vec<Bdd>> = vec![Vec::new(); ranks as usize];
    for at in order {
        let (nodes, cubes) = &found.groups[at];
        let least = (0..loads.len()).min_by_key(|&rank| loads[rank]).expect("a rank");
        loads[least] += nodes;
        for cube in cubes {
            dealt[least].push(space.store.cube(cube)?);
        }
    }
    for (at, cube) in found.absent.iter().enumerate() {
        dealt[at % ranks as usize].push(space.store.cube(cube)?);
    }
    dealt.iter().map(|cubes| space.store.any(cubes)).collect()
}

struct Found {
    /// Nodes of a part, and the valuations that leave it.
    groups: Vec<(usize, Vec<Literals>)>,
    group_of: HashMap<Bdd, usize>,
    absent: Vec<Literals>,
}

impl Found {
    fn look(
        &mut self,
        space: &Space,
        set: &Bdd,
        bits: &[u32],
        all: &Bdd,
        so_far: Literals,
    ) -> Result<(), Trouble> {
        if set.is_false() {
            self.absent.push(so_far);
            return Ok(());
        }
        let Some((&bit, rest)) = bits.split_first() else {
            let part = set.exists(all)?;
            let nodes = part.nodes();
            let at = *self.group_of.entry(part).or_insert_with(|| {
                self.groups.push((nodes, Vec::new()));
                self.groups.len() - 1
            });
            self.groups[at].1.push(so_far);
            return Ok(());
        };
        for value in [false, true] {
            let mut literals = so_far.clone();
            literals.push((bit, value));
            self.look(space, &set.and(&space.store.literal(bit, value)?)?, rest, all, literals)?;
        }
        Ok(())
    }
}
