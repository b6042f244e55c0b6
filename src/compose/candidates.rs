//! Pieces of several components that may not follow, looked at one by one with the thetas of their components.
//!
//! In: each rank's candidates. Out: those that do not follow, each rank's least ones in order. Ranks take up to `BATCH`
//! candidates at a time, in order; the thetas these need travel to everyone. A rank ends when it has none left that is less than
//! the `TOLD_MAX`-th failure found on all ranks together, so all ranks end with the same least failures.
//!
//! Where candidates are too many to keep, the least `KEPT_MAX` are, and properties are taken apart anew for the next ones.

// A diagram is hashed and compared by its edge, which never changes.
#![allow(clippy::mutable_key_type)]

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use fxhash::{FxHashMap, FxHashSet};

use super::judge::{Mover, TOLD_MAX, all_gather, take_apart, together};
use super::pieces::{Piece, Share};
use super::split::{Setting, Split, halted};
use crate::base::wire;
use crate::comm::{Comm, Op, collective};
use crate::symbolic::parcel::pack;
use crate::symbolic::{Bdd, Trouble};

const BATCH: usize = 256;
const KEPT_MAX: usize = 4_096;

/// The property, the components, and the number of what is bad.
type Key = (u32, Vec<u32>, usize);

/// Candidates of one rank in order.
#[derive(Default)]
pub struct Candidates<'a> {
    /// Where more come from.
    source: Option<(Setting<'a>, Share)>,
    kept: BinaryHeap<Key>,
    /// Sets that are bad, by number.
    bads: Vec<Bdd>,
    number_of: FxHashMap<Bdd, usize>,
    /// What pairs must have to be candidates; where none is given, anything will do.
    doubtful: Option<FxHashSet<Bdd>>,
    /// Whether some were left out, and the greatest that was taken.
    overflowed: bool,
    taken: Option<Key>,
    waiting: Vec<Key>,
}

impl<'a> Candidates<'a> {
    /// Nothing yet; more come from a share of the properties.
    pub fn new(setting: Setting<'a>, share: Share) -> Candidates<'a> {
        Candidates { source: Some((setting, share)), ..Candidates::default() }
    }

    /// These and no others.
    pub fn listed(pieces: Vec<Piece>) -> Candidates<'a> {
        let mut made = Candidates::default();
        pieces.iter().for_each(|piece| made.offer(piece));
        made
    }

    /// Takes a piece of several components, if it is among the least.
    pub fn offer(&mut self, piece: &Piece) {
        let number = match self.number_of.get(&piece.bad) {
            Some(&number) => number,
            None => {
                self.number_of.insert(piece.bad.clone(), self.bads.len());
                self.bads.push(piece.bad.clone());
                self.bads.len() - 1
            }
        };
        let order = |than: &Key| (piece.property, &piece.parts, number).cmp(&(than.0, &than.1, than.2));
        if self.taken.as_ref().is_some_and(|taken| order(taken).is_le()) {
            return;
        }
        let full = self.source.is_some() && self.kept.len() >= KEPT_MAX;
        if full && self.kept.peek().is_some_and(|last| order(last).is_ge()) {
            self.overflowed = true;
            return;
        }
        self.kept.push((piece.property, piece.parts.clone(), number));
        if full {
            self.kept.pop();
            self.overflowed = true;
        }
    }

    /// Forgets pairs whose bad set is none of these.
    pub fn only(&mut self, doubtful: FxHashSet<Bdd>) {
        self.doubtful = Some(doubtful);
    }

    /// The next ones in order.
    fn next(&mut self) -> Result<Vec<Key>, Trouble> {
        loop {
            if self.waiting.is_empty() && !self.kept.is_empty() {
                let mut sorted = std::mem::take(&mut self.kept).into_sorted_vec();
                sorted.dedup();
                self.taken = sorted.last().cloned();
                sorted.retain(|key| self.is_doubtful(key));
                sorted.reverse();
                self.waiting = sorted;
            }
            if !self.waiting.is_empty() || !self.overflowed {
                break;
            }
            self.refill()?;
        }
        let from = self.waiting.len().saturating_sub(BATCH);
        let mut batch = self.waiting.split_off(from);
        batch.reverse();
        Ok(batch)
    }

    fn is_doubtful(&self, key: &Key) -> bool {
        let doubtful = self.doubtful.as_ref();
        key.1.len() > 2 || doubtful.is_none_or(|doubtful| doubtful.contains(&self.bads[key.2]))
    }

    /// Takes properties apart once more, for what comes after all that was taken.
    fn refill(&mut self) -> Result<(), Trouble> {
        self.overflowed = false;
        let Some((setting, share)) = self.source else { return Ok(()) };
        take_apart(setting, share, &mut |piece| {
            let doubtful = self.doubtful.as_ref();
            let wanted = piece.parts.len() > 2 || doubtful.is_none_or(|some| some.contains(&piece.bad));
            if piece.parts.len() > 1 && wanted {
                self.offer(&piece);
            }
            Ok(())
        })
    }

    fn piece(&self, key: &Key) -> Piece {
        Piece { property: key.0, parts: key.1.clone(), bad: self.bads[key.2].clone() }
    }
}

/// The candidates of this rank that do not follow, in order: at least those among the least `TOLD_MAX` of all ranks.
pub fn examine(
    split: &Split<'_>,
    comm: &mut dyn Comm,
    mut candidates: Candidates<'_>,
) -> Result<Vec<Piece>, Trouble> {
    let mut failing: Vec<Piece> = Vec::new();
    // The property and components of failures on all ranks.
    let mut known: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut thetas: HashMap<u32, Bdd> = HashMap::new();
    loop {
        let batch = candidates.next().map(|mut batch| {
            if let Some(last) = known.get(TOLD_MAX - 1) {
                batch.retain(|key| (key.0, &key.1) <= (last.0, &last.1));
            }
            batch
        });
        let batch = together(comm, batch)?;
        if collective::all_reduce(comm, Op::Max, &[i64::from(!batch.is_empty())])[0] == 0 {
            return Ok(failing);
        }
        fetch(split, comm, &batch, &mut thetas)?;
        let pieces: Vec<Piece> = batch.iter().map(|key| candidates.piece(key)).collect();
        let found = together(comm, wrong(split, pieces, &thetas))?;
        let told: Vec<(u32, &Vec<u32>)> = found.iter().map(|piece| (piece.property, &piece.parts)).collect();
        for bytes in all_gather(comm, wire::encode(&told)) {
            known.extend(wire::decode::<Vec<(u32, Vec<u32>)>>(&bytes).expect("a peer's failures"));
        }
        known.sort();
        known.truncate(TOLD_MAX);
        failing.extend(found);
    }
}

/// The thetas that any rank's batch needs, on every rank, without the shared states that transparent components have in common.
fn fetch(
    split: &Split<'_>,
    comm: &mut dyn Comm,
    batch: &[Key],
    thetas: &mut HashMap<u32, Bdd>,
) -> Result<(), Trouble> {
    for member in &split.members {
        thetas.entry(member.part as u32).or_insert_with(|| member.theta.clone());
    }
    let wanted: BTreeSet<u32> = batch.iter().flat_map(|key| key.1.iter().copied()).collect();
    let wanted: Vec<u32> = wanted.into_iter().filter(|part| !thetas.contains_key(part)).collect();
    let mut asked = BTreeSet::new();
    for bytes in all_gather(comm, wire::encode(&wanted)) {
        asked.extend(wire::decode::<Vec<u32>>(&bytes).expect("a peer's wishes"));
    }
    let own: Vec<u32> =
        split.members.iter().map(|member| member.part as u32).filter(|part| asked.contains(part)).collect();
    let message = (&own, pack(own.iter().map(|part| &thetas[part])));
    let all = all_gather(comm, wire::encode(&message));
    let mut take = || {
        for (_, bytes) in all.iter().enumerate().filter(|(from, _)| *from != comm.rank().index()) {
            let (parts, bytes): (Vec<u32>, Vec<u8>) = wire::decode(bytes).expect("a peer's thetas");
            let diagrams = split.setting.space.store.unpack(&bytes)?.expect("a peer's diagrams");
            thetas.extend(parts.into_iter().zip(diagrams));
        }
        Ok(())
    };
    let taken = take();
    together(comm, taken)
}

/// The pieces that the thetas do not exclude.
fn wrong(split: &Split<'_>, pieces: Vec<Piece>, thetas: &HashMap<u32, Bdd>) -> Result<Vec<Piece>, Trouble> {
    let setting = split.setting;
    let own = setting.space.set(setting.plan.bank(0), crate::symbolic::Side::Now)?;
    let movers: Vec<Mover> =
        (0..setting.plan.banks).map(|bank| Mover::new(setting, bank)).collect::<Result<_, _>>()?;
    // With what a first component is bad; and thetas in other banks.
    let mut reaches: FxHashMap<(Bdd, u32), Bdd> = FxHashMap::default();
    let mut moved: FxHashMap<(u32, usize), Bdd> = FxHashMap::default();
    let mut found = Vec::new();
    for piece in pieces {
        halted(setting.stop)?;
        let key = (piece.bad.clone(), piece.parts[0]);
        let reach = match reaches.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(thetas[&piece.parts[0]].and_exists(&piece.bad, &own)?),
        };
        let mut bad = reach.and(&split.common)?;
        for (bank, part) in piece.parts.iter().enumerate().skip(1) {
            let theta = match moved.entry((*part, bank)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => free.insert(movers[bank].there(&thetas[part])?),
            };
            bad = match bank + 1 == piece.parts.len() {
                true if !bad.meets(theta)? => setting.space.store.falsity(),
                true => bad,
                false => bad.and(theta)?,
            };
        }
        if !bad.is_false() {
            found.push(piece);
        }
    }
    Ok(found)
}
