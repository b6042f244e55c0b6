//! Whether properties follow from the thetas, without the product of the components.
//!
//! In: a split invariant on all ranks. Out, on every rank: the pieces of properties, and run-time errors, that do not
//! follow. A piece follows when no view of its components, agreeing on the shared state, is bad; what others know of the
//! shared state adds nothing, since the thetas of a split invariant agree on it.
//!
//! Pieces of one component are checked by its rank. Pieces of two are many but mostly alike: those with the same
//! diagram make a group. For each first component of a group, the shared states and second views with which it is bad
//! (its *reach*) are joined over a rank's block; a second component is checked against these joins, of its own rank as
//! far as they go before it. So n² pairs cost n operations. Where a group does not pair a component with all of a block,
//! the join is too much: what it does not exclude is then looked at pair by pair, by the rank that has both components,
//! or else by rank 0. Wider pieces go to rank 0. At most `TOLD_MAX` failures of a rank are told, but none is told only
//! where there is none.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::pieces::{Piece, pieces};
use super::split::{Setting, Split, block, halted};
use crate::base::{Rank, wire};
use crate::comm::{Comm, Op, collective};
use crate::ir::PropertyKind;
use crate::symbolic::space::{Side, variable};
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

/// How many of a rank's failures are told.
const TOLD_MAX: usize = 16;

/// Pairs with the same diagram: for each second component the first ones, both ascending.
struct Group {
    property: u32,
    bad: Bdd,
    firsts: BTreeSet<u32>,
    by_second: HashMap<u32, Vec<u32>>,
}

#[derive(Default)]
struct Sorted {
    narrow: Vec<Piece>,
    groups: Vec<Group>,
    wide: Vec<Piece>,
}

/// All ranks' failures, on every rank; trouble of one is trouble of all.
pub fn judge(split: &Split<'_>, comm: &mut dyn Comm) -> Result<Vec<Failing>, Trouble> {
    let setting = split.setting;
    let own = together(
        comm,
        sort(setting).and_then(|sorted| {
            let mut failing = faults(split)?;
            narrow(split, &sorted.narrow, &mut failing)?;
            let totals = reaches(split, &sorted.groups)?;
            Ok((sorted, failing, totals))
        }),
    )?;
    let (mut sorted, mut failing, totals) = own;
    let bytes: Vec<Vec<u8>> = totals.iter().map(|(_, total)| total.bytes()).collect();
    let all = all_gather(comm, wire::encode(&bytes));
    let rank = comm.rank();
    let ranks = comm.ranks();
    let checked = pairs(split, &sorted.groups, &totals, &all, rank, ranks, &mut failing);
    let unseen = together(comm, checked)?;
    let mut across = doubtful(comm, &sorted.groups, failing.is_empty(), unseen);
    across.append(&mut sorted.wide);
    let wanted: BTreeSet<u32> = across.iter().flat_map(|piece| piece.parts.iter().copied()).collect();
    let thetas = fetch(split, comm, &wanted);
    let thetas = together(comm, thetas)?;
    let checked = thetas.map_or(Ok(()), |thetas| wide(setting, &across, &thetas, &mut failing));
    together(comm, checked)?;
    failing.truncate(TOLD_MAX);
    let told = all_gather(comm, wire::encode(&failing));
    let lists = told.iter().map(|bytes| wire::decode::<Vec<Failing>>(bytes).expect("a peer's list"));
    let mut all: Vec<Failing> = lists.flatten().collect();
    all.sort();
    all.dedup();
    Ok(all)
}

/// Goes on only if all ranks can.
pub fn together<T>(comm: &mut dyn Comm, result: Result<T, Trouble>) -> Result<T, Trouble> {
    let failed = collective::all_reduce(comm, Op::Max, &[i64::from(result.is_err())])[0] != 0;
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
    let own: Vec<(u32, Vec<u8>)> = own.map(|member| (member.part as u32, member.theta.bytes())).collect();
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

#[expect(clippy::mutable_key_type, reason = "counting references does not change what a key is equal to")]
fn sort(setting: Setting<'_>) -> Result<Sorted, Trouble> {
    let mut sorted = Sorted::default();
    let mut group_of: HashMap<Bdd, usize> = HashMap::new();
    for (at, property) in setting.model.properties.iter().enumerate() {
        if property.kind != PropertyKind::Invariant {
            continue;
        }
        pieces(setting, at as u32, &mut |piece| {
            match piece.parts.len() {
                0 | 1 => sorted.narrow.push(piece),
                2 => {
                    let at = *group_of.entry(piece.bad.clone()).or_insert_with(|| {
                        let (firsts, by_second) = (BTreeSet::new(), HashMap::new());
                        let (property, bad) = (piece.property, piece.bad.clone());
                        sorted.groups.push(Group { property, bad, firsts, by_second });
                        sorted.groups.len() - 1
                    });
                    let group = &mut sorted.groups[at];
                    group.firsts.insert(piece.parts[0]);
                    let firsts: &mut Vec<u32> = group.by_second.entry(piece.parts[1]).or_default();
                    if let Err(place) = firsts.binary_search(&piece.parts[0]) {
                        firsts.insert(place, piece.parts[0]);
                    }
                }
                _ => sorted.wide.push(piece),
            }
            Ok(())
        })?;
    }
    Ok(sorted)
}

/// Rules that may fail in a component's view.
fn faults(split: &Split<'_>) -> Result<Vec<Failing>, Trouble> {
    let mut failing = Vec::new();
    for member in &split.members {
        let mut bad = split.setting.space.store.falsity();
        for relation in &member.relations {
            bad = bad.or(&relation.faults.and(&member.theta)?)?;
        }
        if !bad.is_false() {
            failing.push(Failing { property: None, parts: vec![member.part as u32], bad: bad.bytes() });
        }
    }
    Ok(failing)
}

fn narrow(split: &Split<'_>, narrow: &[Piece], failing: &mut Vec<Failing>) -> Result<(), Trouble> {
    let Some(first) = split.members.first().map(|member| member.part as u32) else { return Ok(()) };
    for piece in narrow {
        // What concerns no component is checked by whoever has the first.
        let part = piece.parts.first().copied().unwrap_or(0);
        let Some(member) = split.members.get((part as usize).wrapping_sub(first as usize)) else { continue };
        if !member.theta.and(&piece.bad)?.is_false() {
            failing.push(told(piece));
        }
    }
    Ok(())
}

fn told(piece: &Piece) -> Failing {
    Failing { property: Some(piece.property), parts: piece.parts.clone(), bad: piece.bad.bytes() }
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

fn pairs(
    split: &Split<'_>,
    groups: &[Group],
    own: &Reaches,
    all: &[Vec<u8>],
    rank: Rank,
    ranks: u32,
    failing: &mut Vec<Failing>,
) -> Result<Vec<Unseen>, Trouble> {
    let setting = split.setting;
    let store = &setting.space.store;
    let mut unseen = Vec::new();
    let mut remote: Vec<Vec<Bdd>> = Vec::new();
    for (from, bytes) in all.iter().enumerate() {
        let list: Vec<Vec<u8>> = wire::decode(bytes).expect("a peer's joins");
        let import = |bytes: &Vec<u8>| match from == rank.index() {
            true => Ok(store.falsity()),
            false => Ok(store.import(bytes)?.expect("a peer's diagram")),
        };
        remote.push(list.iter().map(import).collect::<Result<_, Trouble>>()?);
    }
    let mover = Mover::new(setting, 1)?;
    for (at, group) in groups.iter().enumerate() {
        let (each, _) = &own[at];
        let mut before = store.falsity();
        for member in &split.members {
            halted(setting.stop)?;
            let second = member.part as u32;
            let firsts = group.by_second.get(&second).map_or(&[][..], Vec::as_slice);
            if !firsts.is_empty() {
                let mut bad = before.clone();
                for (from, totals) in remote.iter().enumerate() {
                    let theirs = block(setting.parts.parts.len(), Rank(from as u32), ranks);
                    if firsts.iter().any(|&first| theirs.contains(&(first as usize))) {
                        bad = bad.or(&totals[at])?;
                    }
                }
                let theta = mover.there(&member.theta)?;
                if !theta.and(&bad)?.is_false() {
                    suspects(&theta, firsts, each, group, second, failing)?;
                    let far = firsts.iter().filter(|first| !each.contains_key(first));
                    unseen.extend(far.map(|&first| (at as u32, first, second)));
                }
            }
            if let Some(reach) = each.get(&second) {
                before = before.or(reach)?;
            }
        }
    }
    Ok(unseen)
}

/// A pair that a join does not exclude and whose first component is another rank's: its group, and the two.
type Unseen = (u32, u32, u32);

/// The unseen pairs of all ranks, for rank 0 to look at one by one; none where some rank has a failure that is certain.
fn doubtful(comm: &mut dyn Comm, groups: &[Group], sound: bool, unseen: Vec<Unseen>) -> Vec<Piece> {
    if collective::all_reduce(comm, Op::Max, &[i64::from(!sound)])[0] != 0 {
        return Vec::new();
    }
    let all = all_gather(comm, wire::encode(&unseen));
    let lists = all.iter().map(|bytes| wire::decode::<Vec<Unseen>>(bytes).expect("a peer's pairs"));
    let piece = |(at, first, second): Unseen| {
        let group = &groups[at as usize];
        Piece { property: group.property, parts: vec![first, second], bad: group.bad.clone() }
    };
    lists.flatten().map(piece).collect()
}

/// The pairs of this rank behind a suspicion, looked at one by one.
fn suspects(
    theta: &Bdd,
    firsts: &[u32],
    each: &HashMap<u32, Bdd>,
    group: &Group,
    second: u32,
    failing: &mut Vec<Failing>,
) -> Result<(), Trouble> {
    let bad = group.bad.bytes();
    for &first in firsts {
        if failing.len() >= TOLD_MAX {
            return Ok(());
        }
        let Some(reach) = each.get(&first) else { continue };
        if !theta.and(reach)?.is_false() {
            let (property, parts) = (Some(group.property), vec![first, second]);
            failing.push(Failing { property, parts, bad: bad.clone() });
        }
    }
    Ok(())
}

/// Moves diagrams from the first bank to another.
pub struct Mover {
    agree: Bdd,
    here: Bdd,
}

impl Mover {
    pub fn new(setting: Setting<'_>, bank: u32) -> Result<Mover, Trouble> {
        let (plan, store) = (setting.plan, &setting.space.store);
        let mut agree = store.truth();
        if bank > 0 && bank < plan.banks {
            for (here, there) in plan.bank(0).zip(plan.bank(bank)).collect::<Vec<_>>().into_iter().rev() {
                let here = store.variable(variable(here, Side::Now))?;
                let there = store.variable(variable(there, Side::Now))?;
                agree = here.equiv(&there)?.and(&agree)?;
            }
        }
        Ok(Mover { agree, here: setting.space.set(plan.bank(0), Side::Now)? })
    }

    pub fn there(&self, set: &Bdd) -> Result<Bdd, Trouble> {
        if self.agree.is_true() { Ok(set.clone()) } else { set.and_exists(&self.agree, &self.here) }
    }
}

fn wide(
    setting: Setting<'_>,
    wide: &[Piece],
    thetas: &HashMap<u32, Bdd>,
    failing: &mut Vec<Failing>,
) -> Result<(), Trouble> {
    for piece in wide {
        halted(setting.stop)?;
        if failing.len() >= TOLD_MAX {
            break;
        }
        if !join(setting, piece, thetas)?.is_false() {
            failing.push(told(piece));
        }
    }
    Ok(())
}

/// The bad views of a piece that the thetas do not exclude, the k-th component in bank k.
pub fn join(setting: Setting<'_>, piece: &Piece, thetas: &HashMap<u32, Bdd>) -> Result<Bdd, Trouble> {
    let mut bad = piece.bad.clone();
    for (bank, part) in piece.parts.iter().enumerate() {
        let theta = Mover::new(setting, bank as u32)?.there(&thetas[part])?;
        bad = bad.and(&theta)?;
    }
    Ok(bad)
}
