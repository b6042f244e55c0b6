//! Whether properties follow from the thetas, without the product of the components.
//!
//! In: a split invariant on all ranks. Out, on every rank: the pieces of properties, and run-time errors, that do not
//! follow. A piece follows when no view of its components, agreeing on the shared state, is bad; what others know of the
//! shared state adds nothing, since the thetas of a split invariant agree on it.
//!
//! Pieces of one component are checked by its rank. Pieces of two are many but mostly alike: those with the same
//! diagram make a group. For each first component of a group, the shared states and second views with which it is bad
//! (its *reach*) are joined over a rank's block; a second component is checked against these joins, of its own rank as
//! far as they go before it. So n² pairs cost n operations. First every rank takes apart its share of the properties, and
//! groups are taken for all pairs of their first and second components; only where that does not exclude all that is bad
//! does every rank look at all pieces. Where a group does not pair a component with all of a block,
//! the join is too much: what it does not exclude is then looked at pair by pair, by the rank that has both components,
//! or else by rank 0. Wider pieces go to rank 0. At most `TOLD_MAX` failures of a rank are told, but none is told only
//! where there is none.

use std::collections::{BTreeSet, HashMap};

use fxhash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::member::Member;
use super::pieces::{ALL, Piece, Share, pieces};
use super::split::{Setting, Split, block, halted};
use crate::base::{Rank, wire};
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

/// How many of a rank's failures are told.
const TOLD_MAX: usize = 16;

/// Pairs with the same diagram: for each second component the first ones, both ascending.
struct Group {
    property: u32,
    bad: Bdd,
    firsts: FxHashSet<u32>,
    by_second: FxHashMap<u32, Vec<u32>>,
}

#[derive(Default)]
struct Sorted {
    narrow: Vec<Piece>,
    groups: Vec<Group>,
    wide: Vec<Piece>,
    group_of: FxHashMap<Bdd, usize>,
}

/// Pieces on their way: what the pairs of a group are is left out.
#[derive(Default, Serialize, Deserialize)]
struct Plain {
    pieces: Vec<(u32, Vec<u32>, Vec<u8>)>,
    groups: Vec<PlainGroup>,
}

/// The property, the bytes of what is bad, first and second components.
type PlainGroup = (u32, Vec<u8>, Vec<u32>, Vec<u32>);

impl Sorted {
    fn group(&mut self, property: u32, bad: &Bdd) -> &mut Group {
        let at = *self.group_of.entry(bad.clone()).or_insert_with(|| {
            let (firsts, by_second) = (FxHashSet::default(), FxHashMap::default());
            self.groups.push(Group { property, bad: bad.clone(), firsts, by_second });
            self.groups.len() - 1
        });
        &mut self.groups[at]
    }

    fn bytes(&self) -> Vec<u8> {
        let piece = |piece: &Piece| (piece.property, piece.parts.clone(), piece.bad.bytes());
        let group = |group: &Group| {
            let mut firsts: Vec<u32> = group.firsts.iter().copied().collect();
            firsts.sort_unstable();
            let mut seconds: Vec<u32> = group.by_second.keys().copied().collect();
            seconds.sort_unstable();
            (group.property, group.bad.bytes(), firsts, seconds)
        };
        wire::encode(&Plain {
            pieces: self.narrow.iter().chain(&self.wide).map(piece).collect(),
            groups: self.groups.iter().map(group).collect(),
        })
    }

    /// What all ranks found, in the same order everywhere.
    fn joined(setting: Setting<'_>, all: &[Vec<u8>]) -> Result<Sorted, Trouble> {
        let import = |bytes: &[u8]| Ok(setting.space.store.import(bytes)?.expect("a peer's diagram"));
        let mut sorted = Sorted::default();
        for bytes in all {
            let plain: Plain = wire::decode(bytes).expect("a peer's pieces");
            for (property, parts, bad) in plain.pieces {
                let piece = Piece { property, parts, bad: import(&bad)? };
                let list = if piece.parts.len() < 2 { &mut sorted.narrow } else { &mut sorted.wide };
                list.push(piece);
            }
            for (property, bad, firsts, seconds) in plain.groups {
                let group = sorted.group(property, &import(&bad)?);
                group.firsts.extend(firsts);
                seconds.into_iter().for_each(|second| {
                    group.by_second.entry(second).or_default();
                });
            }
        }
        Ok(sorted)
    }
}

/// All ranks' failures, on every rank; trouble of one is trouble of all.
pub fn judge(split: &Split<'_>, comm: &mut dyn Comm) -> Result<Vec<Failing>, Trouble> {
    let mut failing = together(comm, faults(split))?;
    if judged_roughly(split, comm)? {
        judge_pairs(split, comm, &mut failing)?;
    }
    failing.truncate(TOLD_MAX);
    let told = all_gather(comm, wire::encode(&failing));
    let lists = told.iter().map(|bytes| wire::decode::<Vec<Failing>>(bytes).expect("a peer's list"));
    let mut all: Vec<Failing> = lists.flatten().collect();
    all.sort();
    all.dedup();
    Ok(all)
}

/// Whether some piece of some property may not follow. Each rank takes some of the properties' instances apart.
fn judged_roughly(split: &Split<'_>, comm: &mut dyn Comm) -> Result<bool, Trouble> {
    let share = Share { of: u64::from(comm.ranks()), number: u64::from(comm.rank().0) };
    let own = together(comm, sort(split.setting, share, true))?;
    let all = all_gather(comm, own.bytes());
    let sorted = together(comm, Sorted::joined(split.setting, &all))?;
    let mut failing = Vec::new();
    let checked = narrow(split, &sorted.narrow, &mut failing).and_then(|()| reaches(split, &sorted.groups));
    let own = together(comm, checked)?;
    let bytes: Vec<Vec<u8>> = own.iter().map(|(_, total)| total.bytes()).collect();
    let all = all_gather(comm, wire::encode(&bytes));
    let suspicious = suspicious(split, &sorted.groups, &own, &all[..comm.rank().index()]);
    let suspicious = together(comm, suspicious)? || !failing.is_empty() || !sorted.wide.is_empty();
    Ok(collective::all_reduce(comm, Op::Max, &[i64::from(suspicious)])[0] != 0)
}

/// Looks at all pieces, adding those that do not follow.
fn judge_pairs(split: &Split<'_>, comm: &mut dyn Comm, failing: &mut Vec<Failing>) -> Result<(), Trouble> {
    let own = sort(split.setting, ALL, false).and_then(|sorted| {
        narrow(split, &sorted.narrow, failing)?;
        let totals = reaches(split, &sorted.groups)?;
        Ok((sorted, totals))
    });
    let (mut sorted, totals) = together(comm, own)?;
    let bytes: Vec<Vec<u8>> = totals.iter().map(|(_, total)| total.bytes()).collect();
    let all = all_gather(comm, wire::encode(&bytes));
    let rank = comm.rank();
    let ranks = comm.ranks();
    let checked = pairs(split, &sorted.groups, &totals, &all, rank, ranks, failing);
    let unseen = together(comm, checked)?;
    let mut across = doubtful(comm, &sorted.groups, failing.is_empty(), unseen);
    across.append(&mut sorted.wide);
    let wanted: BTreeSet<u32> = across.iter().flat_map(|piece| piece.parts.iter().copied()).collect();
    let thetas = fetch(split, comm, &wanted);
    let thetas = together(comm, thetas)?;
    let checked = thetas.map_or(Ok(()), |thetas| wide(split.setting, &across, &thetas, failing));
    together(comm, checked)
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

/// Takes properties apart; `coarse` leaves out which first components go with which second ones.
fn sort(setting: Setting<'_>, share: Share, coarse: bool) -> Result<Sorted, Trouble> {
    let mut sorted = Sorted::default();
    for (at, property) in setting.model.properties.iter().enumerate() {
        if property.kind != PropertyKind::Invariant {
            continue;
        }
        pieces(setting, at as u32, share, &mut |piece| {
            match piece.parts.len() {
                0 | 1 => sorted.narrow.push(piece),
                2 => {
                    let group = sorted.group(piece.property, &piece.bad);
                    group.firsts.insert(piece.parts[0]);
                    let firsts: &mut Vec<u32> = group.by_second.entry(piece.parts[1]).or_default();
                    if !coarse && let Err(place) = firsts.binary_search(&piece.parts[0]) {
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

/// Whether some pair of a group may be bad whose second component is of this rank, each group taken for all pairs of its
/// first and second components. `before` has the joins of the ranks before.
fn suspicious(
    split: &Split<'_>,
    groups: &[Group],
    own: &Reaches,
    before: &[Vec<u8>],
) -> Result<bool, Trouble> {
    let store = &split.setting.space.store;
    let mover = Mover::new(split.setting, 1)?;
    let mut joins = vec![Vec::new(); groups.len()];
    for bytes in before {
        let list: Vec<Vec<u8>> = wire::decode(bytes).expect("a peer's joins");
        for (at, bytes) in list.iter().enumerate() {
            joins[at].push(store.import(bytes)?.expect("a peer's diagram"));
        }
    }
    for (at, group) in groups.iter().enumerate() {
        let (each, _) = &own[at];
        let mut before = store.any(&joins[at])?;
        if split.members.is_empty() {
            continue;
        }
        if split.members.iter().all(|member| member.transparent) {
            let near = within(split, &sides(split, group, each, &mover)?, &mover)?;
            let bad = near.bad.or(&before.and_exists(&near.seconds, &mover.there)?)?;
            if bad.meets(&split.common)? {
                return Ok(true);
            }
            continue;
        }
        for member in &split.members {
            halted(split.setting.stop)?;
            let part = member.part as u32;
            if group.by_second.contains_key(&part) {
                let bad = mover.there(&member.theta)?.and(&before)?;
                if bad.meets(&split.common)? {
                    return Ok(true);
                }
            }
            if let Some(reach) = each.get(&part) {
                before = before.or(reach)?;
            }
        }
    }
    Ok(false)
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

fn narrow(split: &Split<'_>, narrow: &[Piece], failing: &mut Vec<Failing>) -> Result<(), Trouble> {
    let Some(first) = split.members.first().map(|member| member.part as u32) else { return Ok(()) };
    for piece in narrow {
        // What concerns no component is checked by whoever has the first.
        let part = piece.parts.first().copied().unwrap_or(0);
        let Some(member) = split.members.get((part as usize).wrapping_sub(first as usize)) else { continue };
        if member.theta.and(&piece.bad)?.meets(&split.common)? {
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
                if theta.and(&bad)?.meets(&split.common)? {
                    let theta = theta.and(&split.common)?;
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
        let seconds = match group.by_second.contains_key(&part) {
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
        if theta.meets(reach)? {
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
    /// The variables of the other bank.
    there: Bdd,
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
