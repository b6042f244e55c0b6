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
//! the thetas of its own components. Where the computed component is transparent, so are those made from it, and no more
//! is made of it than R. Cost: one renaming of a theta for each component, and of effects for each turn, instead of fixpoints.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::automorphism::{Judge, Kind};
use super::interference::Effect;
use super::judge::{all_gather, together};
use super::member::Member;
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
    /// Those of them that are not transparent.
    open: Vec<usize>,
    /// The effects of components that the copies' effects were made from last.
    spread: HashMap<usize, Vec<Effect>>,
    pub notes: Vec<String>,
}

/// The relations and first thetas of this rank's components, without those that are made from others.
pub fn split<'a>(
    setting: Setting<'a>,
    comm: &mut dyn Comm,
    mine: Range<usize>,
    starts: &[State],
) -> Result<Split<'a>, Trouble> {
    let mut split = together(comm, Split::bare(setting, mine, starts))?;
    let orbits = establish(&split, comm, starts)?;
    for member in &mut split.members {
        member.copy = orbits.copies.contains_key(&member.part);
    }
    let begun = split.begin(starts);
    together(comm, begun)?;
    split.orbits = Some(orbits);
    share(&mut split, comm)?;
    Ok(split)
}

/// Tells everyone which of the computed components are transparent; copies of these are, too.
fn share(split: &mut Split<'_>, comm: &mut dyn Comm) -> Result<(), Trouble> {
    let Some(orbits) = split.orbits.as_mut().filter(|orbits| !orbits.copies.is_empty()) else {
        return Ok(());
    };
    let sources: BTreeSet<usize> = orbits.copies.values().map(|copy| copy.of).collect();
    let known = split.members.iter().filter(|member| sources.contains(&member.part) && member.transparent);
    let all = gathered(comm, known);
    let open = orbits.copies.iter().filter(|(_, copy)| !all.contains_key(&copy.of));
    orbits.open = open.map(|(&part, _)| part).collect();
    let made = orbits.fill(split.setting, &mut split.members, &all, &mut |member, theta| {
        (member.copy, member.transparent, member.theta) = (false, true, theta);
    });
    together(comm, made)
}

/// Makes the thetas of copies, when all that is computed is there; on all ranks together.
pub fn settle(split: &mut Split<'_>, comm: &mut dyn Comm) -> Result<(), Trouble> {
    let Some(orbits) = split.orbits.as_mut().filter(|orbits| !orbits.open.is_empty()) else { return Ok(()) };
    let sources: BTreeSet<usize> = orbits.open.iter().map(|part| orbits.copies[part].of).collect();
    let all = gathered(comm, split.members.iter().filter(|member| sources.contains(&member.part)));
    let (setting, members) = (split.setting, &mut split.members);
    let mut made = orbits.fill(setting, members, &all, &mut |member, theta| member.theta = theta);
    // The shared states of transparent components are then closed under what each component is known to do.
    if made.is_ok() && setting.guarantee == Guarantee::Any {
        made = orbits.spread(setting, &mut split.effects);
        for member in members.iter_mut().filter(|member| member.copy) {
            member.effects.clone_from(&split.effects[member.part]);
        }
    }
    together(comm, made)
}

/// The thetas of some components of all ranks, as bytes.
fn gathered<'m>(comm: &mut dyn Comm, own: impl Iterator<Item = &'m Member>) -> HashMap<usize, Vec<u8>> {
    let own: Vec<(u32, Vec<u8>)> = own.map(|member| (member.part as u32, member.theta.bytes())).collect();
    let all = all_gather(comm, wire::encode(&own));
    let lists = all.iter().map(|bytes| wire::decode::<Vec<(u32, Vec<u8>)>>(bytes).expect("a peer's sets"));
    lists.flatten().map(|(part, bytes)| (part as usize, bytes)).collect()
}

impl Orbits {
    /// How many components are made from others.
    pub fn copied(&self) -> usize {
        self.copies.len()
    }

    /// The renaming by which a copy is made.
    fn renaming<'r>(&'r self, setting: Setting<'r>, part: usize) -> Renaming<'r> {
        let copy = &self.copies[&part];
        let kind = &self.kinds[copy.kind];
        let index = |part: usize| setting.parts.parts[part].member.map_or(0, |(_, index)| index as u32);
        kind.renaming(setting, kind.permutation(index(copy.of), index(part)))
    }

    /// Makes sets of this rank's copies from those of some computed components, given as bytes.
    fn fill(
        &self,
        setting: Setting<'_>,
        members: &mut [Member],
        sources: &HashMap<usize, Vec<u8>>,
        put: &mut dyn FnMut(&mut Member, Bdd),
    ) -> Result<(), Trouble> {
        let mut imported: HashMap<usize, Bdd> = HashMap::new();
        for member in members.iter_mut().filter(|member| member.copy) {
            halted(setting.stop)?;
            let of = self.copies[&member.part].of;
            let Some(bytes) = sources.get(&of) else { continue };
            if !imported.contains_key(&of) {
                imported.insert(of, setting.space.store.import(bytes)?.expect("a peer's diagram"));
            }
            let renaming = self.renaming(setting, member.part);
            let theta = renaming.lens(of).diagram(&imported[&of])?;
            put(member, theta);
        }
        Ok(())
    }

    /// Makes the effects of copies from those of the computed components, as far as these have changed.
    pub fn spread(&mut self, setting: Setting<'_>, effects: &mut [Vec<Effect>]) -> Result<(), Trouble> {
        for &part in &self.open {
            let of = self.copies[&part].of;
            if self.spread.get(&of) != Some(&effects[of]) {
                halted(setting.stop)?;
                effects[part] = self.renaming(setting, part).lens(of).effects(&effects[of])?;
            }
        }
        let sources: BTreeSet<usize> = self.open.iter().map(|part| self.copies[part].of).collect();
        self.spread = sources.into_iter().map(|of| (of, effects[of].clone())).collect();
        Ok(())
    }

    /// Chooses, for each class of each process, which component is computed: one of the rank that has the fewest.
    fn choose(&mut self, parts: usize, rank_of: &[usize], ranks: usize) {
        let mut classes: Vec<(usize, Vec<usize>)> = Vec::new();
        for (at, kind) in self.kinds.iter().enumerate() {
            for first in kind.processes.iter().flatten() {
                let of = |class: &Vec<u32>| class.iter().map(|&member| first + member as usize).collect();
                classes
                    .extend(kind.classes.iter().filter(|class| class.len() > 1).map(|class| (at, of(class))));
            }
        }
        let together: HashSet<usize> = classes.iter().flat_map(|(_, class)| class.iter().copied()).collect();
        let mut load = vec![0usize; ranks];
        (0..parts).filter(|part| !together.contains(part)).for_each(|part| load[rank_of[part]] += 1);
        for (kind, class) in classes {
            let of =
                *class.iter().min_by_key(|&&part| (load[rank_of[part]], part)).expect("a class has members");
            load[rank_of[of]] += 1;
            let others = class.into_iter().filter(|&part| part != of);
            self.copies.extend(others.map(|part| (part, Copy { of, kind })));
        }
    }
}

/// Finds out what is interchangeable.
fn establish(split: &Split<'_>, comm: &mut dyn Comm, starts: &[State]) -> Result<Orbits, Trouble> {
    let setting = split.setting;
    let mut orbits = Orbits::default();
    let types: BTreeSet<TypeId> = setting.parts.types.iter().flatten().copied().collect();
    let mut judge = Judge::new(split, comm, starts);
    for ty in types {
        orbits.kinds.extend(judge.best(ty)?);
    }
    let (ranks, parts) = (comm.ranks() as usize, setting.parts.parts.len());
    if !orbits.kinds.is_empty() {
        let own: Vec<u32> = split.members.iter().map(|member| member.part as u32).collect();
        let mut rank_of = vec![0; parts];
        for (rank, bytes) in all_gather(comm, wire::encode(&own)).iter().enumerate() {
            let theirs: Vec<u32> = wire::decode(bytes).expect("a peer's components");
            theirs.into_iter().for_each(|part| rank_of[part as usize] = rank);
        }
        orbits.choose(parts, &rank_of, ranks);
    }
    for process in 0..setting.parts.types.len() as u32 {
        let of = |part: &usize| setting.parts.parts[*part].member.is_some_and(|(at, _)| at == process);
        let mut all = (0..parts).filter(of).peekable();
        let name = all.peek().map(|&first| setting.parts.parts[first].name.clone()).unwrap_or_default();
        if !all.any(|part| orbits.copies.contains_key(&part)) {
            let process = name.split('[').next().unwrap_or_default();
            orbits
                .notes
                .push(format!("components of {process} are not interchangeable: computed one by one"));
        }
    }
    Ok(orbits)
}
