//! What to expose when properties do not follow: auxiliary booleans that rule out bad views.
//!
//! In: bad views that the thetas do not exclude, and the thetas they concern. Out: new auxiliaries, each showing whether
//! a local slot has a value. A slot is *essential* in a bad view when another value of it alone makes the view not bad;
//! the value it has there is then worth showing. Where the bad views have no essential value that is not shown already,
//! their predecessors are bad too, by steps of the components concerned and of a few others, and are looked at in turn.
//! Last, all values of slots that bad views depend on, and of any slot, are exposed: with all local state exposed, thetas
//! are exact, so refinement ends.
//!
//! What is found for one component is exposed for all members of its process.
//!
//! Published: essential predicates and predecessors are those of Meng, He, Wang and Liu (Algorithm 3, there state by
//! state); exposing local state on demand is Cohen and Namjoshi's. Cost: a few operations for each local slot concerned.

use std::collections::{BTreeSet, HashMap};

use super::judge::{Failing, Mover};
use super::member::Member;
use super::parts::Auxiliary;
use super::split::{Setting, halted};
use crate::symbolic::space::Side;
use crate::symbolic::{Bdd, Trouble};

/// How far back predecessors are followed, and how many bad sets are kept on each level.
const LEVELS_MAX: usize = 8;
const SETS_MAX: usize = 24;
/// How many components besides those concerned are looked at for predecessors.
const OTHERS_MAX: usize = 6;

/// Bad views of some components, the k-th in bank k.
struct Bad {
    parts: Vec<u32>,
    views: Bdd,
}

/// The components whose thetas are needed.
pub fn wanted(setting: Setting<'_>, failing: &[Failing]) -> BTreeSet<u32> {
    let mut wanted: BTreeSet<u32> = failing.iter().flat_map(|each| each.parts.iter().copied()).collect();
    let count = setting.parts.parts.len() as u32;
    let near: Vec<u32> =
        wanted.iter().flat_map(|&part| [(part + 1) % count, (part + count - 1) % count]).collect();
    let others = near.into_iter().chain([count - 1, 0, 1, 2]);
    let mut added = 0;
    for part in others {
        if added < OTHERS_MAX && part < count && wanted.insert(part) {
            added += 1;
        }
    }
    wanted
}

/// New auxiliaries for failures that the thetas do not exclude; an empty list where nothing helps.
pub fn refine(
    setting: Setting<'_>,
    failing: &[Failing],
    thetas: &HashMap<u32, Bdd>,
) -> Result<Vec<Auxiliary>, Trouble> {
    let mut refiner = Refiner { setting, thetas, members: HashMap::new() };
    let mut bad = Vec::new();
    for each in failing {
        let views = setting.space.store.import(&each.bad)?.expect("a peer's diagram");
        let views = refiner.joined(&each.parts, views)?;
        assert!(!views.is_false(), "a failure that the thetas exclude");
        bad.push(Bad { parts: each.parts.clone(), views });
    }
    let first: Vec<Bad> =
        bad.iter().map(|bad| Bad { parts: bad.parts.clone(), views: bad.views.clone() }).collect();
    for _ in 0..LEVELS_MAX {
        let mut found = BTreeSet::new();
        for each in &bad {
            halted(setting.stop)?;
            refiner.essential(each, &mut found)?;
        }
        let fresh = refiner.fresh(found);
        if !fresh.is_empty() {
            return Ok(fresh);
        }
        bad = refiner.before(&bad)?;
        if bad.is_empty() {
            break;
        }
    }
    refiner.rest(&first)
}

struct Refiner<'a> {
    setting: Setting<'a>,
    thetas: &'a HashMap<u32, Bdd>,
    members: HashMap<(u32, u32), Member>,
}

impl Refiner<'_> {
    /// Views restricted to the thetas of their components.
    fn joined(&self, parts: &[u32], mut views: Bdd) -> Result<Bdd, Trouble> {
        for (bank, part) in parts.iter().enumerate() {
            let Some(theta) = self.thetas.get(part) else { continue };
            views = views.and(&Mover::new(self.setting, bank as u32)?.there(theta)?)?;
        }
        Ok(views)
    }

    /// Values of local slots that make the difference in some bad view.
    fn essential(&self, bad: &Bad, found: &mut BTreeSet<Auxiliary>) -> Result<(), Trouble> {
        let (setting, space) = (self.setting, self.setting.space);
        let good = bad.views.not()?;
        for (bank, &part) in bad.parts.iter().enumerate() {
            let of = &setting.parts.parts[part as usize];
            let view = setting.plan.view(setting.model, of, bank as u32);
            for &slot in &of.locals {
                let field = view.field(slot).expect("a local slot is in its component's view");
                if field.count > crate::symbolic::space::EXPOSED_MAX {
                    continue;
                }
                let cases = space.cases(field, Side::Now)?;
                // Being undefined is no alternative: hardly any theta has it, so every slot would be essential.
                let values: Vec<Bdd> = cases.iter().skip(1).map(|(_, set)| set.clone()).collect();
                let valid = space.store.any(&values)?;
                let bits = space.set(field.bits(), Side::Now)?;
                let differs = good.and_exists(&valid, &bits)?.and(&bad.views)?;
                for (value, has) in cases.iter() {
                    if !differs.and(has)?.is_false() {
                        found.insert(Auxiliary { slot, value: *value });
                    }
                }
            }
        }
        Ok(())
    }

    /// Those for all members of a process, without what is shown already.
    fn fresh(&self, found: BTreeSet<Auxiliary>) -> Vec<Auxiliary> {
        let setting = self.setting;
        let mut all = BTreeSet::new();
        for auxiliary in found {
            for part in 0..setting.parts.parts.len() {
                if let Some(slot) = setting.parts.twin(setting.model, auxiliary.slot, part) {
                    all.insert(Auxiliary { slot, ..auxiliary });
                }
            }
        }
        let known: BTreeSet<Auxiliary> = setting.plan.auxiliaries.iter().copied().collect();
        all.difference(&known).copied().collect()
    }

    fn member(&mut self, part: u32, bank: u32) -> Result<&Member, Trouble> {
        if !self.members.contains_key(&(part, bank)) {
            let made = Member::in_bank(self.setting, part as usize, bank)?;
            self.members.insert((part, bank), made);
        }
        Ok(&self.members[&(part, bank)])
    }

    /// The bad views one step earlier.
    fn before(&mut self, bad: &[Bad]) -> Result<Vec<Bad>, Trouble> {
        let mut earlier: Vec<Bad> = Vec::new();
        let mut candidates: Vec<u32> = self.thetas.keys().copied().collect();
        candidates.sort_unstable();
        for each in bad {
            for &part in &candidates {
                halted(self.setting.stop)?;
                if earlier.len() >= SETS_MAX {
                    return Ok(earlier);
                }
                let inside = each.parts.iter().position(|&known| known == part);
                let bank = inside.unwrap_or(each.parts.len()) as u32;
                if bank >= self.setting.plan.banks {
                    continue;
                }
                let mut parts = each.parts.clone();
                if inside.is_none() {
                    parts.push(part);
                }
                let falsity = self.setting.space.store.falsity();
                let member = self.member(part, bank)?;
                let mut views = falsity;
                for relation in &member.relations {
                    views = views.or(&relation.before(&each.views)?)?;
                }
                let views = self.joined(&parts, views)?.minus(&each.views)?;
                if !views.is_false() {
                    earlier.push(Bad { parts, views });
                }
            }
        }
        Ok(earlier)
    }

    /// All values of some slot that is not wholly exposed: first of those that bad views depend on.
    fn rest(&self, bad: &[Bad]) -> Result<Vec<Auxiliary>, Trouble> {
        let setting = self.setting;
        let concerned = bad.iter().flat_map(|bad| bad.parts.iter().copied());
        let all = 0..setting.parts.parts.len() as u32;
        for part in concerned.chain(all) {
            for &slot in &setting.parts.parts[part as usize].locals {
                let ty = setting.model.slots[slot as usize].ty;
                let (first, count) = (setting.model.types.first(ty), setting.model.types.count(ty));
                if count > crate::symbolic::space::EXPOSED_MAX {
                    continue;
                }
                let values = (0..count).map(|at| Auxiliary { slot, value: first.wrapping_add_unsigned(at) });
                let fresh = self.fresh(values.collect());
                if !fresh.is_empty() {
                    return Ok(fresh);
                }
            }
        }
        Ok(Vec::new())
    }
}
