//! Whether properties follow from the thetas, without the product of the components.
//!
//! In: a split invariant on all ranks. Out, on every rank: the pieces of properties, and run-time errors, that do not
//! follow. A piece follows when no view of its components, agreeing on the shared state, is bad; what others know of the
//! shared state adds nothing, since the thetas of a split invariant agree on it.
//!
//! Pieces of one component are checked by its rank. All others are candidates: where components are few, every rank takes all
//! properties apart and has every so-manieth candidate; where they are many, every rank takes its share of the properties
//! apart, and only what is suspicious taken together (`rough.rs`) is a candidate (`candidates.rs`).
//!
//! The least `TOLD_MAX` failures are told, by property, components and what is bad, so they are the same on any number of ranks.

// A diagram is hashed and compared by its edge, which never changes.
#![allow(clippy::mutable_key_type)]

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::candidates::{self, Candidates};
use super::interference::FEW_PARTS_MAX;
use super::member::Member;
use super::phases;
use super::pieces::{ALL, Piece, Share, pieces};
use super::rough::{Groups, suspicious};
use super::split::{Setting, Split};
use crate::base::wire;
use crate::comm::{Comm, Op, collective};
use crate::ir::PropertyKind;
use crate::symbolic::space::{Side::Now, variable};
use crate::symbolic::{Bdd, Trouble};

/// Something that the thetas do not exclude.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Failing {
    /// None for run-time errors of the first component's rules.
    pub property: Option<u32>,
    pub parts: Vec<u32>,
    /// The bad views as bytes, the k-th component in bank k.
    pub bad: Vec<u8>,
}

/// How many failures are told.
pub const TOLD_MAX: usize = 16;

/// All ranks' failures, on every rank; trouble of one is trouble of all.
pub fn judge(split: &Split<'_>, comm: &mut dyn Comm) -> Result<Vec<Failing>, Trouble> {
    let mut failing = together(comm, faults(split))?;
    let few = split.setting.parts.parts.len() <= FEW_PARTS_MAX;
    let (narrow, candidates) = if few { judge_few(split, comm)? } else { judge_many(split, comm)? };
    phases::done("properties taken apart");
    failing.extend(narrow.iter().map(told));
    if let Some(candidates) = candidates {
        failing.extend(candidates::examine(split, comm, candidates)?.iter().map(told));
        phases::done("candidates examined");
    }
    least(&mut failing);
    let told = all_gather(comm, wire::encode(&failing));
    let lists = told.iter().map(|bytes| wire::decode::<Vec<Failing>>(bytes).expect("a peer's list"));
    let mut all: Vec<Failing> = lists.flatten().collect();
    least(&mut all);
    Ok(all)
}

fn least(failing: &mut Vec<Failing>) {
    failing.sort();
    failing.dedup();
    failing.truncate(TOLD_MAX);
}

/// Pieces of one component that do not follow, and candidates where there are any; on all ranks or on none.
type Judged<'a> = (Vec<Piece>, Option<Candidates<'a>>);

fn judge_few<'a>(split: &Split<'a>, comm: &mut dyn Comm) -> Result<Judged<'a>, Trouble> {
    let (of, number) = (comm.ranks() as usize, comm.rank().index());
    let mut all = Vec::new();
    let taken = take_apart(split.setting, ALL, &mut |piece| {
        all.push(piece);
        Ok(())
    });
    let taken = taken.and_then(|()| {
        let (small, large): (Vec<Piece>, Vec<Piece>) =
            all.into_iter().partition(|piece| piece.parts.len() < 2);
        Ok((narrow(split, &small)?, large))
    });
    let (failing, large) = together(comm, taken)?;
    let mine = large.iter().skip(number).step_by(of).cloned().collect();
    Ok((failing, (!large.is_empty()).then(|| Candidates::listed(mine))))
}

fn judge_many<'a>(split: &Split<'a>, comm: &mut dyn Comm) -> Result<Judged<'a>, Trouble> {
    let share = Share { of: u64::from(comm.ranks()), number: u64::from(comm.rank().0) };
    let (mut groups, mut wide) = (Groups::default(), 0);
    let mut candidates = Candidates::new(split.setting, share);
    let taken = take_apart(split.setting, share, &mut |piece| {
        if piece.parts.len() > 1 {
            candidates.offer(&piece);
        }
        match piece.parts.len() {
            0..=2 => groups.add(&piece),
            _ => wide += 1,
        }
        Ok(())
    });
    together(comm, taken)?;
    let (failing, doubtful) = suspicious(split, comm, &groups)?;
    let any = i64::from(wide > 0 || !doubtful.is_empty());
    if collective::all_reduce(comm, Op::Max, &[any])[0] == 0 {
        return Ok((failing, None));
    }
    candidates.only(doubtful);
    Ok((failing, Some(candidates)))
}

/// Takes a share of all invariants apart.
pub fn take_apart(
    setting: Setting<'_>,
    share: Share,
    each: &mut dyn FnMut(Piece) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    for (at, property) in setting.model.properties.iter().enumerate() {
        if property.kind == PropertyKind::Invariant {
            pieces(setting, at as u32, share, each)?;
        }
    }
    Ok(())
}

/// Goes on only if all ranks can.
pub fn together<T>(comm: &mut dyn Comm, result: Result<T, Trouble>) -> Result<T, Trouble> {
    phases::done("work");
    let failed = collective::all_reduce(comm, Op::Max, &[i64::from(result.is_err())])[0] != 0;
    phases::done("waiting");
    match result {
        Ok(_) if failed => Err(Trouble::Halted("another rank could not go on".to_string())),
        result => result,
    }
}

/// Every rank's bytes in rank order, on every rank.
pub fn all_gather(comm: &mut dyn Comm, bytes: Vec<u8>) -> Vec<Vec<u8>> {
    let parts = collective::gather(comm, bytes);
    let all = collective::broadcast(comm, parts.map(|parts| wire::encode(&parts)));
    wire::decode(&all).expect("rank 0's parts")
}

/// The thetas of some components, at rank 0, in the first bank.
pub fn fetch(
    split: &Split<'_>,
    comm: &mut dyn Comm,
    wanted: &BTreeSet<u32>,
) -> Result<Option<HashMap<u32, Bdd>>, Trouble> {
    let own = split.members.iter().filter(|member| wanted.contains(&(member.part as u32)));
    let bytes = |member: &Member| Ok((member.part as u32, split.theta(member)?.bytes()));
    let own = own.map(bytes).collect::<Result<Vec<(u32, Vec<u8>)>, Trouble>>();
    let own = together(comm, own)?;
    let Some(all) = collective::gather(comm, wire::encode(&own)) else { return Ok(None) };
    let mut thetas = HashMap::new();
    for bytes in all {
        for (part, bytes) in wire::decode::<Vec<(u32, Vec<u8>)>>(&bytes).expect("a peer's thetas") {
            let theta = split.setting.space.store.import(&bytes)?.expect("a peer's diagram");
            thetas.insert(part, theta);
        }
    }
    Ok(Some(thetas))
}

/// Rules that may fail in a component's view.
fn faults(split: &Split<'_>) -> Result<Vec<Failing>, Trouble> {
    let mut failing = Vec::new();
    for member in &split.members {
        let mut bad = split.setting.space.store.falsity();
        for relation in &member.relations {
            bad = bad.or(&relation.faults.and(&member.theta)?)?;
        }
        let bad = bad.and(&split.common)?;
        if !bad.is_false() {
            failing.push(Failing { property: None, parts: vec![member.part as u32], bad: bad.bytes() });
        }
    }
    Ok(failing)
}

/// The pieces of one component at most, that is this rank's, that do not follow.
pub fn narrow(split: &Split<'_>, narrow: &[Piece]) -> Result<Vec<Piece>, Trouble> {
    let mut failing = Vec::new();
    for piece in narrow {
        // What concerns no component is checked by whoever has the first.
        let part = piece.parts.first().copied().unwrap_or(0) as usize;
        let Ok(at) = split.members.binary_search_by_key(&part, |member| member.part) else { continue };
        if split.members[at].theta.and(&piece.bad)?.meets(&split.common)? {
            failing.push(piece.clone());
        }
    }
    failing.sort_by(|a, b| (a.property, &a.parts).cmp(&(b.property, &b.parts)));
    Ok(failing)
}

fn told(piece: &Piece) -> Failing {
    Failing { property: Some(piece.property), parts: piece.parts.clone(), bad: piece.bad.bytes() }
}

/// Moves diagrams from the first bank to another.
pub struct Mover {
    agree: Bdd,
    here: Bdd,
    /// The variables of the other bank.
    pub there: Bdd,
}

impl Mover {
    pub fn new(setting: Setting<'_>, bank: u32) -> Result<Mover, Trouble> {
        let (plan, store) = (setting.plan, &setting.space.store);
        let mut agree = store.truth();
        if bank > 0 && bank < plan.banks {
            for (here, there) in plan.bank(0).zip(plan.bank(bank)).collect::<Vec<_>>().into_iter().rev() {
                let here = store.variable(variable(here, Now))?;
                let there = store.variable(variable(there, Now))?;
                agree = here.equiv(&there)?.and(&agree)?;
            }
        }
        let (here, there) = (plan.bank(0), plan.bank(bank.min(plan.banks - 1)));
        Ok(Mover { agree, here: setting.space.set(here, Now)?, there: setting.space.set(there, Now)? })
    }

    pub fn there(&self, set: &Bdd) -> Result<Bdd, Trouble> {
        if self.agree.is_true() { Ok(set.clone()) } else { set.and_exists(&self.agree, &self.here) }
    }
}
