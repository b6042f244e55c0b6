//! What components do to the shared state, joined so that one component meets all others at once.
//!
//! An effect is a relation over shared bits: the steps, and the bits that they may write. Two effects are joined into
//! one where that does not make the diagram much larger; otherwise they stay side by side. Thousands of loosely coupled
//! components so become one effect whose diagram is as long as the shared state, and a component's image under all
//! others costs one relational product instead of thousands.
//!
//! Where there are few components, effects are joined only while they write few bits: steps that touch little, one after
//! the other, keep the sets on the way small, as is usual for asynchronous systems.
//!
//! A component must not meet itself. `all_but_one` goes down a binary tree over the components with the join of all
//! that lies outside: n joins on each level that stay within the tree, so 2n in all.

use super::split::{Setting, halted};
use crate::symbolic::relation::Relation;
use crate::symbolic::{Bdd, Space, Trouble};

/// Steps on shared bits, and the bits they may write, ascending. The same steps with other writes are another effect: a bit
/// that is written and not mentioned becomes anything, one that is not written stays.
#[derive(Clone, PartialEq)]
pub struct Effect {
    pub steps: Bdd,
    pub writes: Vec<u32>,
}

/// A join may be this many times larger than its two sides.
const GROWTH_MAX: usize = 2;
const SMALL_NODES: usize = 256;
/// Up to this many components, what is joined writes at most this many bits.
pub const FEW_PARTS_MAX: usize = 24;
const APART_BITS_MAX: usize = 12;

/// The bits of `of` that are not in `without`; both ascend.
fn missing(of: &[u32], without: &[u32]) -> Vec<u32> {
    of.iter().copied().filter(|bit| without.binary_search(bit).is_err()).collect()
}

impl Effect {
    /// Either of two effects.
    pub fn or(&self, space: &Space, other: &Effect) -> Result<Effect, Trouble> {
        let (mine, theirs) = (missing(&self.writes, &other.writes), missing(&other.writes, &self.writes));
        let left = self.steps.and(&space.unchanged(&theirs)?)?;
        let right = other.steps.and(&space.unchanged(&mine)?)?;
        let mut writes = self.writes.clone();
        writes.extend(theirs);
        writes.sort_unstable();
        Ok(Effect { steps: left.or(&right)?, writes })
    }

    pub fn relation(&self, space: &Space) -> Result<Relation, Trouble> {
        Relation::of_steps(space, self.steps.clone(), self.writes.clone())
    }
}

/// Adds effects to a list, joining what can be joined.
pub fn add(setting: Setting<'_>, list: &mut Vec<Effect>, more: &[Effect]) -> Result<(), Trouble> {
    let few = setting.parts.parts.len() <= FEW_PARTS_MAX;
    for effect in more {
        halted(setting.stop)?;
        let bits = |last: &Effect| last.writes.len() + missing(&effect.writes, &last.writes).len();
        let near = |last: &&mut Effect| !few || bits(last) <= APART_BITS_MAX.max(last.writes.len());
        let Some(last) = list.last_mut().filter(near) else {
            list.push(effect.clone());
            continue;
        };
        let joined = last.or(setting.space, effect)?;
        let parts = last.steps.nodes() + effect.steps.nodes();
        if joined.steps.nodes() <= GROWTH_MAX * parts + SMALL_NODES {
            *last = joined;
        } else {
            list.push(effect.clone());
        }
    }
    Ok(())
}

/// Takes a component by its place, and the effects of all others.
pub type Visit<'v> = &'v mut dyn FnMut(usize, &[Effect]) -> Result<(), Trouble>;

/// The effects of ranges of components: of all, of halves, and so on.
pub struct Tree {
    count: usize,
    /// For each node of the tree, 1 being the root and 2k and 2k + 1 the halves of k.
    nodes: Vec<Vec<Effect>>,
}

impl Tree {
    pub fn new(setting: Setting<'_>, leaves: &[Vec<Effect>]) -> Result<Tree, Trouble> {
        let count = leaves.len().max(1).next_power_of_two();
        let mut nodes = vec![Vec::new(); 2 * count];
        for (at, leaf) in leaves.iter().enumerate() {
            nodes[count + at] = leaf.clone();
        }
        for at in (1..count).rev() {
            let mut joined = nodes[2 * at].clone();
            add(setting, &mut joined, &nodes[2 * at + 1])?;
            nodes[at] = joined;
        }
        Ok(Tree { count, nodes })
    }

    /// The effects of all components.
    pub fn all(&self) -> &[Effect] {
        &self.nodes[1]
    }

    /// For each leaf that is wanted, the effects of all other leaves.
    pub fn all_but_one(
        &self,
        setting: Setting<'_>,
        wanted: &dyn Fn(usize) -> bool,
        each: Visit<'_>,
    ) -> Result<(), Trouble> {
        self.below(setting, 1, 0..self.count, Vec::new(), wanted, each)
    }

    fn below(
        &self,
        setting: Setting<'_>,
        at: usize,
        range: std::ops::Range<usize>,
        outside: Vec<Effect>,
        wanted: &dyn Fn(usize) -> bool,
        each: Visit<'_>,
    ) -> Result<(), Trouble> {
        if !range.clone().any(wanted) {
            return Ok(());
        }
        if range.len() == 1 {
            return each(range.start, &outside);
        }
        let middle = range.start + range.len() / 2;
        for (child, sibling, part) in
            [(2 * at, 2 * at + 1, range.start..middle), (2 * at + 1, 2 * at, middle..range.end)]
        {
            if part.clone().any(wanted) {
                let mut others = outside.clone();
                add(setting, &mut others, &self.nodes[sibling])?;
                self.below(setting, child, part, others, wanted, each)?;
            }
        }
        Ok(())
    }
}
