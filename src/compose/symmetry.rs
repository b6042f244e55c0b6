//! Components that differ by their names alone: one is computed, the others are made from it (`--symmetry exact`).
//!
//! The strongest split invariant is the least solution of equations that an automorphism (`automorphism.rs`) maps to themselves,
//! so it maps theta(k) to the theta of the component that k becomes. The same is true of thread-modular sets, of effects, and of
//! what is known after each turn. So of components that automorphisms map to each other one is enough: turns, thetas and all that
//! follows are what they would be without. What is not interchangeable is computed one by one, and a note says so. The
//! check of a finished proof (`recheck.rs`) knows nothing of all this.
//!
//! One rank computes a class's component, one that has the fewest to compute otherwise. What it does travels as always, and
//! every rank that computes something makes the effects of its like from it; in the end its theta travels, and each rank makes
//! the thetas of its own components. Transparent components need no fixpoint, so they are left as they are. Cost: one renaming of
//! a theta for each component, and of effects for each turn, instead of fixpoints.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::automorphism::{Judge, Kind};
use super::interference::Effect;
use super::judge::{all_gather, together};
use super::member::Member;
use super::phases;
use super::renaming::Renaming;
use super::split::{Guarantee, Setting, Split, halted};
use crate::base::wire;
use crate::comm::Comm;
use crate::ir::TypeId;
use crate::ir::eval::State;
use crate::symbolic::{Bdd, Trouble};

/// A component that is made from another.
struct Copy {
    of: usize,
    kind: usize,
}

/// Which components are made from which.
#[derive(Default)]
pub struct Orbits {
    kinds: Vec<Kind>,
    copies: BTreeMap<usize, Copy>,
    /// The effects of components that the copies' effects were made from last.
    spread: HashMap<usize, Vec<Effect>>,
    pub notes: Vec<String>,
}

/// The relations and first thetas of this rank's components; those that are made from others are known as copies.
pub fn split<'a>(
    setting: Setting<'a>,
    comm: &mut dyn Comm,
    mine: Range<usize>,
    starts: &[State],
) -> Result<Split<'a>, Trouble> {
    let mut split = together(comm, Split::new(setting, mine, starts))?;
    phases::done("relations");
    let orbits = establish(&split, comm, starts)?;
    phases::done("interchangeable components found");
    for member in &mut split.members {
        member.copy = orbits.copies.contains_key(&member.part);
    }
    split.orbits = Some(orbits);
    Ok(split)
}

/// Makes the thetas of copies, when all that is computed is there; on all ranks together.
pub fn settle(split: &mut Split<'_>, comm: &mut dyn Comm) -> Result<(), Trouble> {
    let Some(orbits) = split.orbits.as_mut().filter(|orbits| !orbits.copies.is_empty()) else {
        return Ok(());
    };
    let sources = orbits.sources();
    let own = split.members.iter().filter(|member| sources.contains(&member.part));
    let own: Vec<(u32, Vec<u8>)> = own.map(|member| (member.part as u32, member.theta.bytes())).collect();
    let all = gathered(comm, &own);
    let mut made = orbits.fill(split.setting, &mut split.members, &all.into_iter().collect());
    // The shared states of transparent components are then closed under what each component is known to do.
    if made.is_ok() && split.setting.guarantee == Guarantee::Any {
        made = orbits.spread(split.setting, &mut split.effects);
        for member in split.members.iter_mut().filter(|member| member.copy) {
            member.effects.clone_from(&split.effects[member.part]);
        }
    }
    phases::done("thetas by symmetry");
    together(comm, made)
}

/// What all ranks say of their components.
fn gathered<T: Serialize + DeserializeOwned>(comm: &mut dyn Comm, own: &Vec<(u32, T)>) -> Vec<(u32, T)> {
    let all = all_gather(comm, wire::encode(own));
    let lists = all.iter().map(|bytes| wire::decode::<Vec<(u32, T)>>(bytes).expect("a peer's components"));
    lists.flatten().collect()
}

impl Orbits {
    /// How many components are made from others.
    pub fn copied(&self) -> usize {
        self.copies.len()
    }

    /// The components that others are made from.
    fn sources(&self) -> BTreeSet<usize> {
        self.copies.values().map(|copy| copy.of).collect()
    }

    /// What a copy is made from: its class's computed component, or the copy that was made of it last, whichever is nearer.
    /// The bits of neighbours stand together, so that the order of the variables changes least.
    fn nearest(&self, part: usize, last: &HashMap<usize, usize>) -> usize {
        let of = self.copies[&part].of;
        *last.get(&of).filter(|last| part.abs_diff(**last) < part.abs_diff(of)).unwrap_or(&of)
    }

    /// The renaming by which a copy is made from another component of its class.
    fn renaming<'r>(&'r self, setting: Setting<'r>, from: usize, part: usize) -> Renaming<'r> {
        let kind = &self.kinds[self.copies[&part].kind];
        let index = |part: usize| setting.parts.parts[part].member.map_or(0, |(_, index)| index as u32);
        kind.renaming(setting, kind.permutation(index(from), index(part)))
    }

    /// Makes the thetas of this rank's copies from those of the computed components, given as bytes.
    fn fill(
        &self,
        setting: Setting<'_>,
        members: &mut [Member],
        sources: &HashMap<u32, Vec<u8>>,
    ) -> Result<(), Trouble> {
        let (mut thetas, mut last) = (HashMap::<usize, Bdd>::new(), HashMap::new());
        for member in members.iter_mut().filter(|member| member.copy) {
            halted(setting.stop)?;
            let of = self.copies[&member.part].of;
            if let Entry::Vacant(entry) = thetas.entry(of) {
                let theta = setting.space.store.import(&sources[&(of as u32)])?;
                entry.insert(theta.expect("a peer's diagram"));
            }
            let from = self.nearest(member.part, &last);
            member.theta = self.renaming(setting, from, member.part).lens(from).diagram(&thetas[&from])?;
            thetas.insert(member.part, member.theta.clone());
            last.insert(of, member.part);
        }
        Ok(())
    }

    /// Makes the effects of copies from those of the computed components, as far as these have changed.
    pub fn spread(&mut self, setting: Setting<'_>, effects: &mut [Vec<Effect>]) -> Result<(), Trouble> {
        let mut last = HashMap::new();
        for (&part, copy) in &self.copies {
            if self.spread.get(&copy.of) != Some(&effects[copy.of]) {
                halted(setting.stop)?;
                let from = self.nearest(part, &last);
                effects[part] = self.renaming(setting, from, part).lens(from).effects(&effects[from])?;
                last.insert(copy.of, part);
            }
        }
        self.spread = self.sources().into_iter().map(|of| (of, effects[of].clone())).collect();
        Ok(())
    }

    /// Chooses, of each class of each process, which component is computed: one of the rank that has the fewest. `rank_of` has
    /// the components that are not transparent.
    fn choose(&mut self, rank_of: &BTreeMap<usize, usize>, ranks: usize) {
        let mut classes: Vec<(usize, Vec<usize>)> = Vec::new();
        for (at, kind) in self.kinds.iter().enumerate() {
            for (first, class) in
                kind.processes.iter().flatten().flat_map(|first| kind.classes.iter().map(move |c| (first, c)))
            {
                let parts = class.iter().map(|&member| first + member as usize);
                let class: Vec<usize> = parts.filter(|part| rank_of.contains_key(part)).collect();
                classes.extend((class.len() > 1).then_some((at, class)));
            }
        }
        let together: HashSet<usize> = classes.iter().flat_map(|(_, class)| class.iter().copied()).collect();
        let mut load = vec![0usize; ranks];
        let alone = rank_of.iter().filter(|(part, _)| !together.contains(part));
        alone.for_each(|(_, &rank)| load[rank] += 1);
        for (kind, class) in classes {
            let of = *class.iter().min_by_key(|part| load[rank_of[part]]).expect("a class has members");
            load[rank_of[&of]] += 1;
            let others = class.into_iter().filter(|&part| part != of);
            self.copies.extend(others.map(|part| (part, Copy { of, kind })));
        }
    }

    /// Says of which processes several components are computed and none is made from another.
    fn note(&mut self, setting: Setting<'_>, computed: &BTreeMap<usize, usize>) {
        let mut names: Vec<&str> = Vec::new();
        let mut found: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for &part in computed.keys() {
            if let Some((process, _)) = setting.parts.parts[part].member {
                let (all, copied) = found.entry(process).or_default();
                *all += 1;
                *copied += usize::from(self.copies.contains_key(&part));
                names.resize(names.len().max(process as usize + 1), "");
                names[process as usize] =
                    setting.parts.parts[part].name.split('[').next().unwrap_or_default();
            }
        }
        for (process, _) in found.into_iter().filter(|(_, (all, copied))| *all > 1 && *copied == 0) {
            let name = names[process as usize];
            self.notes.push(format!("components of {name} are not interchangeable: computed one by one"));
        }
    }
}

/// Finds out what is interchangeable among the components that are not transparent.
fn establish(split: &Split<'_>, comm: &mut dyn Comm, starts: &[State]) -> Result<Orbits, Trouble> {
    let setting = split.setting;
    let own = split.members.iter().filter(|member| !member.transparent);
    let rank = comm.rank().0;
    let own: Vec<(u32, u32)> = own.map(|member| (member.part as u32, rank)).collect();
    let all = gathered(comm, &own).into_iter();
    let rank_of: BTreeMap<usize, usize> = all.map(|(part, rank)| (part as usize, rank as usize)).collect();
    let processes = rank_of.keys().filter_map(|&part| setting.parts.parts[part].member);
    let types: BTreeSet<TypeId> =
        processes.filter_map(|(process, _)| setting.parts.types[process as usize]).collect();
    let mut orbits = Orbits::default();
    if !types.is_empty() {
        let mut judge = Judge::new(split, comm, starts)?;
        for ty in types {
            orbits.kinds.extend(judge.best(ty)?);
        }
    }
    orbits.choose(&rank_of, comm.ranks() as usize);
    orbits.note(setting, &rank_of);
    Ok(orbits)
}
