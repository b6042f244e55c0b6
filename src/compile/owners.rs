//! Which rank owns a state: one function, the same on all ranks, that everything that sends states asks.
//!
//! In: a packed state (canonical, where symmetry is used) and its hash. Out: a rank. *By hash*, all bits of the state
//! decide, so every rank gets an even share, and of n ranks the owner of a successor is another one in (n - 1) / n of all
//! cases. *By locality*, only the slots that the fewest rule instances write decide: a step that writes none of them
//! leads to a state of the same owner, and nothing is sent. The price is balance: what is owned together is more.
//!
//! The slots are chosen from the rules' footprints alone, so all ranks choose the same: by the number of rule
//! instances that may write them, least first, until the parts of states that they make up could have `PARTS_A_RANK`
//! values for each rank. Slots that nothing writes are left out, and where all that is written does not suffice, all
//! of it decides. Cost: one walk over the rules for each instance, at most `INSTANCES_MAX`; beyond that, one a rule.
//! It leaves out how often a rule fires, which values occur together, and that canonical forms move slots.

use super::Layout;
use crate::base::{Rank, hash};
use crate::ir::Model;
use crate::ir::footprint::{SlotSet, footprint, instance_footprint};

/// Values that the deciding slots could take, for each rank. Slots that are seldom written depend on each other and
/// seldom have but a few of their values, so that far fewer occur; with a few hundred, loads differ by half and more.
const PARTS_A_RANK: u64 = 1 << 20;
/// Rules with more instances are walked once for all of them.
const INSTANCES_MAX: u64 = 10_000;

/// The owner of each state, among so many ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owners {
    ranks: u32,
    /// The words with bits that decide, and these bits; none where all bits of the hash do.
    part: Vec<(u32, u64)>,
}

impl Owners {
    pub fn by_hash(ranks: u32) -> Owners {
        Owners { ranks, part: Vec::new() }
    }

    /// By the slots that the fewest rule instances write; by all bits where nothing is written.
    pub fn by_locality(model: &Model, layout: &Layout, ranks: u32) -> Owners {
        let mut masks = vec![0; layout.words()];
        for slot in deciding(model, ranks) {
            let field = layout.fields()[slot as usize];
            masks[field.word as usize] |= field.mask() << (field.shift & 63);
        }
        let part = (0u32..).zip(masks).filter(|(_, mask)| *mask != 0).collect();
        Owners { ranks, part }
    }

    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// The owner of a state with this hash.
    #[inline]
    pub fn of(&self, hash: u128, state: &[u64]) -> Rank {
        if self.part.is_empty() {
            return Rank(hash::owner(hash, self.ranks));
        }
        let mixed = self.part.iter().fold(0, |sum, &(at, mask)| mix(sum ^ (state[at as usize] & mask)));
        Rank((((mixed >> 32) * u64::from(self.ranks)) >> 32) as u32)
    }
}

/// Spreads a difference in any bit over all bits; one to one. (The finalizer of SplitMix64.)
#[inline]
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The slots that decide.
fn deciding(model: &Model, ranks: u32) -> Vec<u32> {
    let writes = writes_by_slot(model);
    let mut slots: Vec<u32> = (0..writes.len() as u32).filter(|&slot| writes[slot as usize] > 0).collect();
    slots.sort_by_key(|&slot| writes[slot as usize]);
    let enough = PARTS_A_RANK * u64::from(ranks);
    let mut values = 1u64;
    let many = |&slot: &u32| {
        let more = values < enough;
        values = values.saturating_mul(model.types.count(model.slots[slot as usize].ty).saturating_add(1));
        more
    };
    slots.into_iter().take_while(many).collect()
}

/// How many rule instances may write each slot.
fn writes_by_slot(model: &Model) -> Vec<u64> {
    let mut writes = vec![0; model.slots.len()];
    each_instance(model, |times, slots| slots.iter().for_each(|slot| writes[slot as usize] += times));
    writes
}

/// What each rule instance may write; rules with many instances are told of once.
fn each_instance(model: &Model, mut tell: impl FnMut(u64, &SlotSet)) {
    for rule in &model.rules {
        match model.instances(rule) {
            many if many > INSTANCES_MAX => tell(many, &footprint(model, rule, &[]).writes),
            few => (0..few).for_each(|index| tell(1, &instance_footprint(model, rule, index).writes)),
        }
    }
}
