//! Which members of a process are interchangeable: found by trying renamings, none taken on trust.
//!
//! In: a rank's components with their relations, the start states. Out: classes of members, with a way to map one of a class to
//! another that is an *automorphism*: a renaming (`renaming.rs`) that maps the start states to themselves, every auxiliary to an
//! auxiliary, what is shared to what is shared, and the own slots and the rule instances of every component to those of
//! the component that it becomes, as relations, errors included. Relations are looked at where slots have values that occur
//! (`occurring.rs`), and are renamed and compared as diagrams, which are equal exactly when the functions are. Neither a
//! scalarset nor a subrange that looks alike is believed.
//!
//! Automorphisms are a group. All members are interchangeable where exchanging the first two and passing all names on by one are
//! automorphisms, since all permutations come from these; the second alone makes a ring. Elsewhere, of few members, pairs are
//! tried: those whose exchange is an automorphism are a class. What is symmetric in another way is not found.
//!
//! All ranks try the same renamings; each looks at its own components, and all hear whether one found a difference. Cost: two
//! renamings of every relation where all members are interchangeable; few where they are not, since the first difference ends
//! a trial; at most four trials for each member and proposal in between.

// A diagram is hashed and compared by its edge, which never changes.
#![allow(clippy::mutable_key_type)]

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use fxhash::FxHashSet;

use super::judge::together;
use super::member::Member;
use super::occurring::{From, Occurring};
use super::parts::{Auxiliary, Part};
use super::renaming::{Mark, Names, Renaming};
use super::split::{Setting, Split, halted};
use crate::comm::{Comm, Op, collective};
use crate::ir::TypeId;
use crate::ir::eval::State;
use crate::symbolic::{Bdd, Trouble};

/// Members up to which pairs are tried, and classes that a member is tried with.
const PAIRS_MEMBERS_MAX: u32 = 32;
const CLASSES_TRIED_MAX: usize = 4;
/// Proposals of what is a name that are tried, those of them for which pairs are tried, and values for which all choices are.
const PROPOSALS_MAX: usize = 48;
const PROPOSALS_PAIRS_MAX: usize = 4;
const VALUES_TRIED_MAX: usize = 5;

/// How the names of a class are mapped to each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Two are exchanged, all others stay.
    Exchange,
    /// All are passed on equally far.
    Turn,
}

/// What is interchangeable among the members of a type.
pub struct Kind {
    names: Names,
    /// For each process, its first component, where its members are of the type.
    pub processes: Vec<Option<usize>>,
    members: u32,
    way: Way,
    pub classes: Vec<Vec<u32>>,
}

impl Kind {
    pub fn renaming<'r>(&'r self, setting: Setting<'r>, to: Vec<u32>) -> Renaming<'r> {
        Renaming::new(setting, &self.names, &self.processes, to)
    }

    /// A permutation that maps one member to another.
    pub fn permutation(&self, from: u32, to: u32) -> Vec<u32> {
        let members = self.members;
        let mut all: Vec<u32> = (0..members).collect();
        match self.way {
            Way::Exchange => all.swap(from as usize, to as usize),
            Way::Turn => all.iter_mut().for_each(|at| *at = (*at + members + to - from) % members),
        }
        all
    }
}

/// What a component does, as far as it matters: each rule's steps, the bits they may write, its errors.
type Steps = FxHashSet<(Bdd, Vec<u32>, Bdd)>;

/// Tries renamings.
pub struct Judge<'j, 'a> {
    split: &'j Split<'a>,
    comm: &'j mut dyn Comm,
    occurring: Occurring<'a>,
    starts: HashSet<&'j State>,
    /// What components do, made when asked for.
    steps: HashMap<usize, Rc<Steps>>,
}

impl<'j, 'a> Judge<'j, 'a> {
    /// On all ranks together.
    pub fn new(
        split: &'j Split<'a>,
        comm: &'j mut dyn Comm,
        starts: &'j [State],
    ) -> Result<Judge<'j, 'a>, Trouble> {
        let occurring = Occurring::find(split, comm, starts)?;
        Ok(Judge { split, comm, occurring, starts: starts.iter().collect(), steps: HashMap::new() })
    }

    /// What is interchangeable among the members of a type, by the first proposal of names that makes all alike, or by one that
    /// leaves few classes; none where no two are.
    pub fn best(&mut self, ty: TypeId) -> Result<Option<Kind>, Trouble> {
        let setting = self.split.setting;
        let members = setting.model.types.count(ty) as u32;
        let first = |process: u32| {
            let begins = |part: &Part| part.member == Some((process, 0));
            setting.parts.parts.iter().position(begins)
        };
        let types = (0..).zip(&setting.parts.types);
        let processes: Vec<Option<usize>> =
            types.map(|(at, each)| first(at).filter(|_| *each == Some(ty))).collect();
        let Some(marks) = Names::marks(setting.model, ty) else { return Ok(None) };
        let kinds = proposals(&marks).into_iter().map(|kept| {
            let names = Names::new(setting.model, ty, &|at| kept[at]).expect("a model whose marks are known");
            Kind { names, processes: processes.clone(), members, way: Way::Exchange, classes: Vec::new() }
        });
        let mut kinds: Vec<Kind> = kinds.collect();
        for at in 0..kinds.len() {
            if members > 1 && self.all_alike(&mut kinds[at])? {
                return Ok(Some(kinds.swap_remove(at)));
            }
        }
        if members > PAIRS_MEMBERS_MAX {
            return Ok(None);
        }
        kinds.truncate(PROPOSALS_PAIRS_MAX);
        for kind in &mut kinds {
            self.pairs(kind)?;
        }
        let best = kinds.into_iter().min_by_key(|kind| kind.classes.len());
        Ok(best.filter(|kind| kind.classes.len() < members as usize))
    }

    /// Whether all members are interchangeable, if names stand where the kind says.
    fn all_alike(&mut self, kind: &mut Kind) -> Result<bool, Trouble> {
        let exchange = self.holds(kind, kind.permutation(0, 1))?;
        kind.way = Way::Turn;
        let turn = self.holds(kind, kind.permutation(0, 1))?;
        kind.way = if exchange { Way::Exchange } else { Way::Turn };
        kind.classes = vec![(0..kind.members).collect()];
        Ok(turn)
    }

    /// Which members are interchangeable in pairs.
    fn pairs(&mut self, kind: &mut Kind) -> Result<(), Trouble> {
        kind.way = Way::Exchange;
        kind.classes.clear();
        for member in 0..kind.members {
            let mut class = kind.classes.len();
            for at in (0..class.min(CLASSES_TRIED_MAX)).rev() {
                if self.holds(kind, kind.permutation(kind.classes[at][0], member))? {
                    class = at;
                    break;
                }
            }
            if class == kind.classes.len() {
                kind.classes.push(Vec::new());
            }
            kind.classes[class].push(member);
        }
        Ok(())
    }

    /// Whether a permutation is an automorphism; all ranks ask together, and each looks at its own components.
    fn holds(&mut self, kind: &Kind, to: Vec<u32>) -> Result<bool, Trouble> {
        let renaming = kind.renaming(self.split.setting, to);
        if !self.fits(&renaming) {
            return Ok(false);
        }
        let own = self.steps_agree(&renaming);
        let own = together(self.comm, own)?;
        Ok(collective::all_reduce(self.comm, Op::Min, &[i64::from(own)])[0] != 0)
    }

    /// What every rank sees alike: slots, auxiliaries, start states.
    fn fits(&self, renaming: &Renaming<'_>) -> bool {
        let setting = self.split.setting;
        let owner = |slot: u32| setting.parts.owner[slot as usize].map(|part| part as usize);
        let slot_fits = |slot: u32| {
            let to = renaming.slot(slot);
            let same = setting.model.slots[slot as usize].ty == setting.model.slots[to as usize].ty;
            same && owner(to) == owner(slot).map(|part| renaming.part(part))
                && self.occurring.is_defined(to) == self.occurring.is_defined(slot)
        };
        let known =
            |auxiliary: &Auxiliary| setting.plan.auxiliary_bit(renaming.auxiliary(*auxiliary)).is_some();
        (0..setting.model.slots.len() as u32).all(slot_fits)
            && setting.plan.auxiliaries.iter().all(known)
            && self.starts.iter().all(|state| self.starts.contains(&renaming.state(state)))
    }

    /// Whether each component of this rank does, renamed, what the component does that it becomes. Renaming maps different
    /// relations to different ones, so it is enough that all are found and that there are as many.
    fn steps_agree(&mut self, renaming: &Renaming<'_>) -> Result<bool, Trouble> {
        let split = self.split;
        let mut members: Vec<&Member> = split.members.iter().collect();
        // Those that become others tell sooner.
        members.sort_by_key(|member| renaming.part(member.part) == member.part);
        for member in members {
            halted(split.setting.stop)?;
            let (own, there) = (self.steps(member.part)?, self.steps(renaming.part(member.part))?);
            if own.len() != there.len() {
                return Ok(false);
            }
            let mut lens = renaming.lens(member.part);
            for (steps, writes, faults) in own.iter() {
                let renamed = (lens.diagram(steps)?, lens.writes(writes), lens.diagram(faults)?);
                if !there.contains(&renamed) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn steps(&mut self, part: usize) -> Result<Rc<Steps>, Trouble> {
        if let Some(known) = self.steps.get(&part) {
            return Ok(known.clone());
        }
        let made = match self.split.members.binary_search_by_key(&part, |member| member.part) {
            Ok(at) => self.steps_of(&self.split.members[at])?,
            Err(_) => self.steps_of(&Member::new(self.split.setting, part)?)?,
        };
        let made = Rc::new(made);
        self.steps.insert(part, made.clone());
        Ok(made)
    }

    fn steps_of(&mut self, member: &Member) -> Result<Steps, Trouble> {
        let mut all = Steps::default();
        for relation in &member.relations {
            let steps = self.occurring.within(member, &relation.steps, From::Effects)?;
            let faults = self.occurring.within(member, &relation.faults, From::Theta)?;
            all.insert((steps, relation.writes.clone(), faults));
        }
        Ok(all)
    }
}

/// What may be taken for names, the likeliest first: what is of the members' type, then wider types as well, then any of the
/// values that may be names, then without one of the indices.
fn proposals(marks: &[Mark]) -> Vec<Vec<bool>> {
    let mut all: Vec<Vec<bool>> = Vec::new();
    let mut add = |kept: Vec<bool>| {
        if all.len() < PROPOSALS_MAX && !all.contains(&kept) {
            all.push(kept);
        }
    };
    let exact: Vec<bool> = marks.iter().map(|mark| !mark.wide).collect();
    add(exact.clone());
    add(vec![true; marks.len()]);
    let values: Vec<usize> = (0..marks.len()).filter(|&at| !marks[at].index).collect();
    for chosen in (0..1u64 << values.len().min(VALUES_TRIED_MAX)).rev() {
        let mut kept = exact.clone();
        values
            .iter()
            .take(VALUES_TRIED_MAX)
            .enumerate()
            .for_each(|(bit, &at)| kept[at] = chosen >> bit & 1 == 1);
        add(kept);
    }
    for at in (0..marks.len()).filter(|&at| marks[at].index) {
        let mut kept = exact.clone();
        kept[at] = !kept[at];
        add(kept);
    }
    all
}
