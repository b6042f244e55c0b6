//! Whether properties over thousands of components follow, group by group: n² pairs cost n operations.
//!
//! In: each rank's share of the properties, taken apart. Pairs of components with the same diagram make a group. Out, on every
//! rank: whether something of one component does not follow, and the groups that may not: for each first component of a group,
//! the shared states and second views with which it is bad (its *reach*) are joined over a rank's block; a second component is
//! checked against these joins, of its own rank as far as they go before it. A group is taken for all pairs of its first and
//! second components, so that a group that is not suspicious follows, while one that is may follow all the same.

// A diagram is hashed and compared by its edge, which never changes.
#![allow(clippy::mutable_key_type)]

use std::collections::HashMap;

use fxhash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::judge::{Mover, all_gather, narrow, together};
use super::member::Member;
use super::pieces::Piece;
use super::split::{Setting, Split, halted};
use crate::base::wire;
use crate::comm::Comm;
use crate::symbolic::{Bdd, Trouble};

/// Pairs with the same diagram: the first components and the second ones.
struct Group {
    property: u32,
    bad: Bdd,
    firsts: FxHashSet<u32>,
    seconds: FxHashSet<u32>,
}

/// Pieces of one component, and groups of pieces of two.
#[derive(Default)]
pub struct Groups {
    narrow: Vec<Piece>,
    groups: Vec<Group>,
    group_of: FxHashMap<Bdd, usize>,
}

/// Pieces on their way: which pairs a group has is left out.
#[derive(Default, Serialize, Deserialize)]
struct Plain {
    pieces: Vec<(u32, Vec<u32>, Vec<u8>)>,
    groups: Vec<PlainGroup>,
}

/// The property, the bytes of what is bad, first and second components.
type PlainGroup = (u32, Vec<u8>, Vec<u32>, Vec<u32>);

impl Groups {
    /// Takes a piece of at most two components.
    pub fn add(&mut self, piece: &Piece) {
        match piece.parts[..] {
            [first, second] => {
                let group = self.group(piece.property, &piece.bad);
                group.firsts.insert(first);
                group.seconds.insert(second);
            }
            _ => self.narrow.push(piece.clone()),
        }
    }

    fn group(&mut self, property: u32, bad: &Bdd) -> &mut Group {
        let at = *self.group_of.entry(bad.clone()).or_insert_with(|| {
            let (firsts, seconds) = (FxHashSet::default(), FxHashSet::default());
            self.groups.push(Group { property, bad: bad.clone(), firsts, seconds });
            self.groups.len() - 1
        });
        &mut self.groups[at]
    }

    fn bytes(&self) -> Vec<u8> {
        let piece = |piece: &Piece| (piece.property, piece.parts.clone(), piece.bad.bytes());
        let group = |group: &Group| {
            let mut firsts: Vec<u32> = group.firsts.iter().copied().collect();
            firsts.sort_unstable();
            let mut seconds: Vec<u32> = group.seconds.iter().copied().collect();
            seconds.sort_unstable();
            (group.property, group.bad.bytes(), firsts, seconds)
        };
        wire::encode(&Plain {
            pieces: self.narrow.iter().map(piece).collect(),
            groups: self.groups.iter().map(group).collect(),
        })
    }

    /// What all ranks found, in the same order everywhere.
    fn joined(setting: Setting<'_>, all: &[Vec<u8>]) -> Result<Groups, Trouble> {
        let import = |bytes: &[u8]| Ok(setting.space.store.import(bytes)?.expect("a peer's diagram"));
        let mut groups = Groups::default();
        for bytes in all {
            let plain: Plain = wire::decode(bytes).expect("a peer's pieces");
            for (property, parts, bad) in plain.pieces {
                groups.narrow.push(Piece { property, parts, bad: import(&bad)? });
            }
            for (property, bad, firsts, seconds) in plain.groups {
                let group = groups.group(property, &import(&bad)?);
                group.firsts.extend(firsts);
                group.seconds.extend(seconds);
            }
        }
        Ok(groups)
    }
}

/// Joins the ranks' shares. Out: pieces of one component of this rank that do not follow, and what is bad of suspicious groups.
pub fn suspicious(
    split: &Split<'_>,
    comm: &mut dyn Comm,
    own: &Groups,
) -> Result<(Vec<Piece>, FxHashSet<Bdd>), Trouble> {
    let all = all_gather(comm, own.bytes());
    let groups = together(comm, Groups::joined(split.setting, &all))?;
    let checked =
        narrow(split, &groups.narrow).and_then(|failing| Ok((failing, reaches(split, &groups.groups)?)));
    let (failing, own) = together(comm, checked)?;
    let bytes: Vec<Vec<u8>> = own.iter().map(|(_, total)| total.bytes()).collect();
    let all = all_gather(comm, wire::encode(&bytes));
    let doubts = doubts(split, &groups.groups, &own, &all[..comm.rank().index()]);
    let doubts = together(comm, doubts)?;
    let all = all_gather(comm, wire::encode(&doubts));
    let mut found = FxHashSet::default();
    for bytes in &all {
        let doubts: Vec<bool> = wire::decode(bytes).expect("a peer's doubts");
        let bad = groups.groups.iter().zip(doubts).filter(|(_, doubt)| *doubt);
        found.extend(bad.map(|(group, _)| group.bad.clone()));
    }
    Ok((failing, found))
}

/// For each group, whether some pair may be bad whose second component is of this rank. `before` has the joins of the ranks
/// before.
fn doubts(
    split: &Split<'_>,
    groups: &[Group],
    own: &Reaches,
    before: &[Vec<u8>],
) -> Result<Vec<bool>, Trouble> {
    let store = &split.setting.space.store;
    let mover = Mover::new(split.setting, 1)?;
    let mut joins = vec![Vec::new(); groups.len()];
    for bytes in before {
        let list: Vec<Vec<u8>> = wire::decode(bytes).expect("a peer's joins");
        for (at, bytes) in list.iter().enumerate() {
            joins[at].push(store.import(bytes)?.expect("a peer's diagram"));
        }
    }
    let of = |(at, group): (usize, &Group)| doubt(split, group, &own[at].0, store.any(&joins[at])?, &mover);
    groups.iter().enumerate().map(of).collect()
}

fn doubt(
    split: &Split<'_>,
    group: &Group,
    reach: &HashMap<u32, Bdd>,
    mut before: Bdd,
    mover: &Mover,
) -> Result<bool, Trouble> {
    if split.members.is_empty() {
        return Ok(false);
    }
    if split.members.iter().all(|member| member.transparent) {
        let near = within(split, &sides(split, group, reach, mover)?, mover)?;
        let bad = near.bad.or(&before.and_exists(&near.seconds, &mover.there)?)?;
        return bad.meets(&split.common);
    }
    for member in &split.members {
        halted(split.setting.stop)?;
        let part = member.part as u32;
        if group.seconds.contains(&part) && mover.there(&member.theta)?.and(&before)?.meets(&split.common)? {
            return Ok(true);
        }
        if let Some(reach) = reach.get(&part) {
            before = before.or(reach)?;
        }
    }
    Ok(false)
}

/// For each group, the reach of each first component of this rank, and their join.
type Reaches = Vec<(HashMap<u32, Bdd>, Bdd)>;

fn reaches(split: &Split<'_>, groups: &[Group]) -> Result<Reaches, Trouble> {
    let mut all = Vec::new();
    for group in groups {
        halted(split.setting.stop)?;
        let mut each = HashMap::new();
        for member in split.members.iter().filter(|member| group.firsts.contains(&(member.part as u32))) {
            each.insert(member.part as u32, member.theta.and_exists(&group.bad, &member.own_now)?);
        }
        let mut parts: Vec<u32> = each.keys().copied().collect();
        parts.sort_unstable();
        let list: Vec<Bdd> = parts.iter().map(|part| each[part].clone()).collect();
        let total = split.setting.space.store.any(&list)?;
        all.push((each, total));
    }
    Ok(all)
}

/// Some components of a group in order: with what the first ones are bad, what the second ones know, and in which shared
/// states some first one may be bad with a second one after it.
struct Side {
    firsts: Bdd,
    seconds: Bdd,
    bad: Bdd,
}

fn sides(
    split: &Split<'_>,
    group: &Group,
    reach: &HashMap<u32, Bdd>,
    mover: &Mover,
) -> Result<Vec<Side>, Trouble> {
    let no = split.setting.space.store.falsity();
    let side = |member: &Member| {
        let part = member.part as u32;
        let firsts = reach.get(&part).unwrap_or(&no).clone();
        let seconds = match group.seconds.contains(&part) {
            true => mover.there(&member.theta)?,
            false => no.clone(),
        };
        Ok(Side { firsts, seconds, bad: no.clone() })
    };
    split.members.iter().map(side).collect()
}

/// All of them together, in halves: as many operations as components, on diagrams as long as the halves.
fn within(split: &Split<'_>, sides: &[Side], mover: &Mover) -> Result<Side, Trouble> {
    halted(split.setting.stop)?;
    match sides {
        [one] => Ok(Side { firsts: one.firsts.clone(), seconds: one.seconds.clone(), bad: one.bad.clone() }),
        _ => {
            let (left, right) = sides.split_at(sides.len() / 2);
            let (left, right) = (within(split, left, mover)?, within(split, right, mover)?);
            let across = left.firsts.and_exists(&right.seconds, &mover.there)?;
            Ok(Side {
                firsts: left.firsts.or(&right.firsts)?,
                seconds: left.seconds.or(&right.seconds)?,
                bad: left.bad.or(&right.bad)?.or(&across)?,
            })
        }
    }
}
