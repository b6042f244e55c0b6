//! A large set cut into disjoint windows, one for each rank, that are about the same amount of work.
//!
//! In: a set of a component's views. Out: for each rank a condition on the first few of the component's own bits that the set
//! depends on; the conditions exclude each other and one of them always holds. Nobody else writes these bits, so what
//! others do stays in its window. The first are those about no process, in which a diagram branches before anything else, so
//! that its parts below have least in common.
//!
//! Each valuation of these bits leaves a part of the diagram. Parts are dealt out by their nodes, the largest first, each to
//! the rank that has least; valuations with the same part stay together, as they are the same work. Then parts move
//! from the largest window to the smallest until that gains no more: how much parts have in common is seen in windows alone. What does
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
    let mut dealt: Vec<Window> =
        (0..ranks).map(|_| Window { groups: Vec::new(), sum: 0, nodes: 0 }).collect();
    for at in order {
        let least = dealt.iter_mut().min_by_key(|window| window.sum).expect("a rank");
        least.sum += found.groups[at].0;
        least.groups.push(at);
    }
    found.even_out(space, set, &mut dealt)?;
    let mut cubes: Vec<Vec<Bdd>> = Vec::new();
    for window in &dealt {
        cubes.push(found.cubes(space, &window.groups)?);
    }
    for (at, cube) in found.absent.iter().enumerate() {
        cubes[at % ranks as usize].push(space.store.cube(cube)?);
    }
    cubes.iter().map(|cubes| space.store.any(cubes)).collect()
}

/// What one rank gets.
#[derive(Clone)]
struct Window {
    groups: Vec<usize>,
    /// Nodes of its parts, one by one and together.
    sum: usize,
    nodes: usize,
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

    fn cubes(&self, space: &Space, groups: &[usize]) -> Result<Vec<Bdd>, Trouble> {
        let literals = groups.iter().flat_map(|&at| &self.groups[at].1);
        literals.map(|cube| space.store.cube(cube)).collect()
    }

    /// Moves parts from the largest window to the smallest as long as that makes the largest smaller.
    fn even_out(&self, space: &Space, set: &Bdd, dealt: &mut [Window]) -> Result<(), Trouble> {
        let nodes = |groups: &[usize]| -> Result<usize, Trouble> {
            Ok(set.and(&space.store.any(&self.cubes(space, groups)?)?)?.nodes())
        };
        for window in dealt.iter_mut() {
            window.nodes = nodes(&window.groups)?;
        }
        // Every move makes the largest smaller; most gains are in the first few.
        for _ in 0..self.groups.len() {
            let largest = (0..dealt.len()).max_by_key(|&at| dealt[at].nodes).expect("a rank");
            let smallest = (0..dealt.len()).min_by_key(|&at| dealt[at].nodes).expect("a rank");
            let (from, to) = (&dealt[largest], &dealt[smallest]);
            // Parts have much in common, so one counts for less than its nodes.
            let wanted = (from.nodes - to.nodes) / 2 * from.sum / from.nodes.max(1);
            let nearest = from.groups.iter().copied().min_by_key(|&at| self.groups[at].0.abs_diff(wanted));
            let Some(moved) = nearest.filter(|_| from.groups.len() > 1) else { return Ok(()) };
            let (mut less, mut more) = (from.clone(), to.clone());
            less.groups.retain(|&at| at != moved);
            more.groups.push(moved);
            less.sum -= self.groups[moved].0;
            more.sum += self.groups[moved].0;
            (less.nodes, more.nodes) = (nodes(&less.groups)?, nodes(&more.groups)?);
            if less.nodes.max(more.nodes) >= from.nodes {
                return Ok(());
            }
            (dealt[largest], dealt[smallest]) = (less, more);
        }
        Ok(())
    }
}
