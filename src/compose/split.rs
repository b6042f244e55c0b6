//! The strongest split invariant, computed by all ranks at once.
//!
//! In: components and the bits they share. Out: for each component of this rank its theta: the least set of views that
//! contains the start states' and is closed under the component's own steps and under what the others' steps, taken
//! from their own thetas, do to the shared state.
//!
//! Each rank has some of the components. A turn closes each of them under its own steps and the effects of all others that
//! were known when the turn began, on all ranks at once; then the effects that grew travel to everyone, and the next turn
//! begins when all have arrived. A rank that went on by itself would close its components under effects of others that are
//! half as large as a moment later, again and again: that was as much work on two ranks as on one. So every turn is the same
//! on any number of ranks, and each rank has its share of it.
//!
//! Thetas only grow and are finite, so it ends; the least fixpoint does not depend on the order of updates (P. and R.
//! Cousot's theorem on chaotic iteration), so the result is the same on any number of ranks and under any schedule.
//! Published: A. Cohen, K. S. Namjoshi, Y. Sa'ar, L. D. Zuck, K. I. Kisyova, "Model Checking in Bits and Pieces". There,
//! each processor has one component, which broadcasts its summary and does not wait for others'.
//!
//! The thread-modular variant takes the effects of all local states of a component, not only of those in its theta:
//! W. Meng, F. He, B.-Y. Wang, Q. Liu, "Thread-Modular Model Checking with Iterative Refinement". Effects then never
//! change, so one sending is enough.
//!
//! Cost: a few relational products for each component and turn; the effects that grew, to every rank, in each turn.

use std::collections::BTreeMap;
use std::ops::Range;

use super::interference::{Effect, Tree, Visit};
use super::member::Member;
use super::parts::{Part, Parts, Plan};
use super::phases;
use super::spread::{self, Spread};
use super::symmetry::Orbits;
use super::transparent;
use crate::base::{Rank, wire};
use crate::comm::{Op, Tag};
use crate::exchange::{Exchange, Idle};
use crate::ir::Model;
use crate::ir::eval::{Options, State};
use crate::symbolic::parcel::pack;
use crate::symbolic::relation::Relation;
use crate::symbolic::{Bdd, Space, Trouble};

/// Looked at now and then: a reason to stop.
pub type Stop<'a> = &'a dyn Fn() -> Option<String>;

/// Which local states of a component count when its effects are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// Those of its theta.
    Theta,
    /// All.
    Any,
}

/// What everyone needs, the same on all ranks.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub model: &'a Model,
    pub options: Options,
    pub parts: &'a Parts,
    pub plan: &'a Plan,
    pub space: &'a Space,
    pub guarantee: Guarantee,
    /// Make relations over few slots by asking the evaluator.
    pub tabulated: bool,
    /// Do not compute the thetas of transparent components one by one.
    pub shortcut: bool,
    /// Nodes from which on a theta that is more than a rank's share of a turn is closed by all ranks together; with none, every
    /// theta is.
    pub spread_nodes: usize,
    pub stop: Stop<'a>,
}

/// `Setting::spread_nodes` where nobody says otherwise: what travels has to be little beside what is computed.
pub const SPREAD_NODES: usize = 1_000;

/// A component with this many times as many rule instances as the average counts for nothing when blocks are made: it is
/// closed by all ranks together as soon as it is large (`spread.rs`).
const OUTSTANDING: usize = 4;

/// By component, whether it is one of those.
pub fn outstanding(parts: &Parts) -> Vec<bool> {
    let instances = |part: &Part| part.instances.len();
    let all: usize = parts.parts.iter().map(instances).sum();
    parts.parts.iter().map(|part| instances(part) * parts.parts.len() >= OUTSTANDING * all).collect()
}

/// The components of one rank. Neighbours have most of their diagrams in common, so a block is less work than as many
/// components from here and there. Ranks in front have one more where they do not come out even.
pub fn block(parts: &Parts, rank: Rank, ranks: u32) -> Range<usize> {
    let outstanding = outstanding(parts);
    let total = outstanding.iter().filter(|&&it| !it).count().max(1);
    let begin = |rank: usize| {
        let mut before = 0;
        let belongs = |&it: &bool| {
            let owner = before * ranks as usize / total;
            before += usize::from(!it);
            owner.min(ranks as usize - 1) >= rank
        };
        outstanding.iter().position(belongs).unwrap_or(parts.parts.len())
    };
    begin(rank.index())..begin(rank.index() + 1)
}

/// Takes a component, and the effects of all others.
pub type VisitMember<'v> = &'v mut dyn FnMut(&Member, &[Effect]) -> Result<(), Trouble>;

pub struct Split<'a> {
    pub setting: Setting<'a>,
    pub members: Vec<Member>,
    /// Components that all ranks close together.
    pub(super) spread: Vec<Spread>,
    /// What each component does, of all ranks, as far as it is known here.
    pub(super) effects: Vec<Vec<Effect>>,
    /// Which components are made from others, where that was asked for.
    pub orbits: Option<Orbits>,
    /// The shared parts of start states.
    start: Bdd,
    /// The shared states of transparent components, when the others have ended.
    pub common: Bdd,
    /// How many components all ranks closed together.
    pub spread_count: u64,
    pub turns: u64,
    pub bytes_sent: u64,
    pub nodes_most: u64,
}

impl<'a> Split<'a> {
    /// Makes the relations of this rank's components, whose thetas are empty yet.
    pub fn bare(setting: Setting<'a>, mine: Range<usize>, starts: &[State]) -> Result<Split<'a>, Trouble> {
        let mut members = Vec::with_capacity(mine.len());
        for part in mine {
            halted(setting.stop)?;
            members.push(Member::new(setting, part)?);
        }
        let shared = |state: &State| setting.plan.shared_state(setting.space, state);
        let shared = starts.iter().map(shared).collect::<Result<Vec<_>, _>>()?;
        let store = &setting.space.store;
        Ok(Split {
            setting,
            members,
            spread: Vec::new(),
            effects: vec![Vec::new(); setting.parts.parts.len()],
            orbits: None,
            start: store.any(&shared)?,
            common: store.truth(),
            spread_count: 0,
            turns: 0,
            bytes_sent: 0,
            nodes_most: 0,
        })
    }

    /// Makes the relations and first thetas of this rank's components.
    pub fn new(setting: Setting<'a>, mine: Range<usize>, starts: &[State]) -> Result<Split<'a>, Trouble> {
        let mut split = Split::bare(setting, mine, starts)?;
        for member in &mut split.members {
            halted(setting.stop)?;
            if setting.shortcut && transparent::recognise(setting, member, starts)? {
                continue;
            }
            for state in starts {
                let shared = setting.plan.shared_state(setting.space, state)?;
                let first = shared.and(&member.own_part(setting.space, state)?)?;
                member.theta = member.theta.or(&first)?;
            }
        }
        Ok(split)
    }

    /// The shared parts of start states.
    pub fn start(&self) -> &Bdd {
        &self.start
    }

    pub fn any_transparent(&self) -> bool {
        self.members.iter().any(|member| member.transparent)
    }

    /// What a component's theta is when all has ended.
    pub fn theta(&self, member: &Member) -> Result<Bdd, Trouble> {
        if member.transparent { self.common.and(&member.theta) } else { Ok(member.theta.clone()) }
    }

    /// The shared states that go with this rank's thetas, where one of its components tells them.
    pub fn shared_states(&self) -> Result<Option<Bdd>, Trouble> {
        let known = self.members.iter().find(|member| !member.transparent);
        known.map(Member::shared).transpose()
    }

    /// The shared states that effects lead to from the start.
    pub fn closed_start(&self, effects: &[Effect]) -> Result<Bdd, Trouble> {
        let relations: Vec<Relation> =
            effects.iter().map(|effect| effect.relation(self.setting.space)).collect::<Result<_, _>>()?;
        Ok(close(&self.start, &relations, usize::MAX, self.setting.stop)?.0)
    }

    /// Runs turns until no effect grows on any rank. After trouble the rank stays to the end of the turn, so that all end.
    pub fn run(&mut self, exchange: &mut Exchange<'_>) -> Result<(), Trouble> {
        let plain = self.members.iter().any(|member| !member.transparent);
        let plain = exchange.tally(Op::Max, &[i64::from(plain)])[0] != 0;
        let mut heard = Vec::new();
        loop {
            let turn = self.hear(&heard).and_then(|()| self.turn(exchange.ranks()));
            phases::done("turn");
            let turn =
                if plain && exchange.ranks() > 1 { spread::share(self, exchange.comm(), turn) } else { turn };
            let turn = turn.and_then(|turn| {
                self.remember();
                Ok((self.message(&turn.grown, exchange.ranks())?, turn.grew || !turn.grown.is_empty()))
            });
            let (failed, grew) = (turn.is_err(), matches!(turn, Ok((_, true))));
            if plain && let Ok((Some(message), _)) = &turn {
                for to in exchange.rank().others(exchange.ranks()) {
                    exchange.post(to, Tag::Summaries, message);
                }
                self.bytes_sent += message.len() as u64 * u64::from(exchange.ranks() - 1);
            }
            phases::done("turn");
            heard = delivered(exchange);
            let all = exchange.tally(Op::Max, &[i64::from(failed), i64::from(grew)]);
            phases::done("turn: waiting for others");
            turn?;
            if all[0] != 0 {
                return Err(Trouble::Halted("another rank could not go on".to_string()));
            }
            if all[1] == 0 || !plain {
                return spread::gather(self, exchange.comm());
            }
        }
    }

    /// The effects of components that grew, as one item; none where there is nobody to tell or nothing to say.
    fn message(&self, grown: &[usize], ranks: u32) -> Result<Option<Vec<u8>>, Trouble> {
        if ranks == 1 || grown.is_empty() {
            return Ok(None);
        }
        Ok(Some(wire::item(&packed(grown.iter().map(|&part| (part, self.effects[part].as_slice()))))))
    }

    /// Takes in what components of other ranks do: the latest of each holds all before.
    fn hear(&mut self, heard: &[Vec<u8>]) -> Result<(), Trouble> {
        for message in heard.iter().flat_map(|bytes| wire::items::<Message>(bytes)) {
            self.know(&message)?;
        }
        Ok(())
    }

    /// What components of another rank do.
    pub fn know(&mut self, message: &Message) -> Result<(), Trouble> {
        for (part, effects) in unpacked(self.setting, message)? {
            self.effects[part] = effects;
        }
        Ok(())
    }

    /// Closes every component of this rank, as far as it does so alone.
    fn turn(&mut self, ranks: u32) -> Result<Turn, Trouble> {
        let setting = self.setting;
        self.turns += 1;
        let mut turn = Turn::default();
        for member in self.members.iter_mut().filter(|member| member.transparent) {
            if member.summarise(&setting)? {
                turn.grown.push(member.part);
            }
        }
        if !self.members.iter().any(Member::is_computed) && self.spread.is_empty() {
            return Ok(turn);
        }
        if let Some(orbits) = &mut self.orbits {
            orbits.spread(setting, &mut self.effects)?;
            phases::done("turn: effects by symmetry");
        }
        let others = self.others()?;
        others.each(setting, &mut |part, effects| {
            halted(setting.stop)?;
            let spread = self.spread.iter().find(|spread| spread.member.part == part);
            let known = spread.map_or_else(|| &self.members[self.place(part)], |spread| &spread.member);
            if known.closed_under.as_deref() == Some(effects) {
                return Ok(());
            }
            turn.open.insert(part, effects.to_vec());
            if spread.is_none() { self.close_alone(part, ranks, &mut turn) } else { Ok(()) }
        })?;
        Ok(turn)
    }

    /// Where a component of this rank stands.
    pub(super) fn place(&self, part: usize) -> usize {
        self.members.binary_search_by_key(&part, |member| member.part).expect("a part of this rank")
    }

    /// Closes a component of this rank that is open, unless it grows so large that others should help.
    pub(super) fn close_alone(&mut self, part: usize, ranks: u32, turn: &mut Turn) -> Result<(), Trouble> {
        let (setting, place) = (self.setting, self.place(part));
        let member = &mut self.members[place];
        let nodes_max = if ranks == 1 { usize::MAX } else { member.spread_at };
        if member.close(setting, &turn.open[&part], nodes_max)? {
            turn.open.remove(&part);
            if member.summarise(&setting)? {
                turn.grown.push(part);
            }
        }
        self.nodes_most = self.nodes_most.max(setting.space.store.nodes());
        Ok(())
    }

    /// Effects of this rank's components are known to it from the end of the turn on, as to the others.
    fn remember(&mut self) {
        for member in self.members.iter().filter(|member| !member.spread && !member.copy) {
            self.effects[member.part].clone_from(&member.effects);
        }
        for spread in &self.spread {
            self.effects[spread.member.part].clone_from(&spread.member.effects);
        }
    }

    /// What all components do, ready to be seen by each of this rank that is not transparent without its own part.
    fn others(&self) -> Result<Others, Trouble> {
        let space = self.setting.space;
        let tree = Tree::new(self.setting, &self.effects)?;
        let all = tree.all();
        let mut kept: Vec<Seen> = (0..self.effects.len()).map(|_| Seen::Not).collect();
        let written = all.first().map_or(&[][..], |effect| effect.writes.as_slice());
        let alone = self.members.iter().filter(|member| member.is_computed() && !member.spread);
        for member in alone.chain(self.spread.iter().map(|spread| &spread.member)) {
            let shows = all.len() <= 1 && member.shows_itself()?;
            // A bit that nobody writes is not mentioned by the steps either.
            let flags: Vec<u32> =
                member.flags.iter().copied().filter(|bit| written.binary_search(bit).is_ok()).collect();
            kept[member.part] = if shows { Seen::Keeping(space.unchanged(&flags)?) } else { Seen::Apart };
        }
        Ok(Others { tree, kept })
    }

    /// What the components of this rank do, joined.
    pub fn joined_effects(&self) -> Result<Vec<Effect>, Trouble> {
        let leaves: Vec<Vec<Effect>> = self.members.iter().map(|member| member.effects.clone()).collect();
        Ok(Tree::new(self.setting, &leaves)?.all().to_vec())
    }

    /// What all other components may do to each of this rank's that is not transparent, for whoever checks.
    pub fn others_of(&self, each: VisitMember<'_>) -> Result<(), Trouble> {
        if self.members.iter().all(|member| member.transparent) {
            return Ok(());
        }
        self.others()?.each(self.setting, &mut |part, others| each(&self.members[self.place(part)], others))
    }
}

/// What a rank did in a turn.
#[derive(Default)]
pub struct Turn {
    /// Components whose effects grew and that others are to be told of.
    pub grown: Vec<usize>,
    /// Whether effects of components that all ranks close together grew.
    pub grew: bool,
    /// Components that are not closed yet, with what the others do to them: large ones of this rank, spread ones of all.
    pub open: BTreeMap<usize, Vec<Effect>>,
}

/// What all components do, to be seen by one without its own part.
struct Others {
    tree: Tree,
    /// By component.
    kept: Vec<Seen>,
}

/// How a component sees all others.
enum Seen {
    /// Nobody asked.
    Not,
    /// All of its steps show in its auxiliaries, and this says that they do not change: what is left of all effects are
    /// just the others'.
    Keeping(Bdd),
    Apart,
}

impl Others {
    fn each(&self, setting: Setting<'_>, each: Visit<'_>) -> Result<(), Trouble> {
        for (at, kept) in self.kept.iter().enumerate() {
            let Seen::Keeping(kept) = kept else { continue };
            let restrict = |effect: &Effect| {
                Ok(Effect { steps: effect.steps.and(kept)?, writes: effect.writes.clone() })
            };
            let others = self.tree.all().iter().map(restrict).collect::<Result<Vec<Effect>, Trouble>>()?;
            each(at, &others)?;
        }
        let wanted = |at: usize| matches!(self.kept.get(at), Some(Seen::Apart));
        self.tree.all_but_one(setting, &wanted, each)
    }
}

/// What arrives in a turn of everyone's, by sender: the order of arrival does not matter.
fn delivered(exchange: &mut Exchange<'_>) -> Vec<Vec<u8>> {
    let mut heard: Vec<(Rank, Vec<u8>)> = Vec::new();
    loop {
        while exchange.receive(|_, inbound| heard.push((inbound.from, inbound.bytes().to_vec()))) {}
        if exchange.idle() == Idle::PhaseOver {
            heard.sort();
            return heard.into_iter().map(|(_, bytes)| bytes).collect();
        }
    }
}

/// Effects on their way: for each component the bits that each of its effects writes, and all steps in that order.
pub type Message = (Vec<(u32, Vec<Vec<u32>>)>, Vec<u8>);

pub fn packed<'e>(effects: impl Iterator<Item = (usize, &'e [Effect])> + Clone) -> Message {
    let writes = |effects: &[Effect]| effects.iter().map(|effect| effect.writes.clone()).collect();
    let heads = effects.clone().map(|(part, effects)| (part as u32, writes(effects))).collect();
    (heads, pack(effects.flat_map(|(_, effects)| effects.iter().map(|effect| &effect.steps))))
}

pub fn unpacked(setting: Setting<'_>, message: &Message) -> Result<Vec<(usize, Vec<Effect>)>, Trouble> {
    let mut steps = setting.space.store.unpack(&message.1)?.expect("a peer's diagrams").into_iter();
    let mut effect =
        |writes: &Vec<u32>| Effect { steps: steps.next().expect("a peer's steps"), writes: writes.clone() };
    let of = |(part, writes): &(u32, Vec<Vec<u32>>)| {
        (*part as usize, writes.iter().map(&mut effect).collect::<Vec<Effect>>())
    };
    Ok(message.0.iter().map(of).collect())
}

/// Closes a set under relations, under each alone before the next: sets that are closed under something have smaller
/// diagrams. Each step starts from all of the set, which is mostly a smaller diagram than what was added last. It ends early
/// where the set has more nodes than this after a pass over all relations; whether it did not.
pub fn close(
    from: &Bdd,
    relations: &[Relation],
    nodes_max: usize,
    stop: Stop<'_>,
) -> Result<(Bdd, bool), Trouble> {
    let mut all = from.clone();
    loop {
        let before = all.clone();
        for relation in relations {
            halted(stop)?;
            loop {
                let next = all.or(&relation.after(&all)?)?;
                let same = next == all;
                all = next;
                if same {
                    break;
                }
            }
        }
        if all == before {
            return Ok((all, true));
        }
        if nodes_max < usize::MAX && all.nodes() > nodes_max {
            return Ok((all, false));
        }
    }
}

pub fn halted(stop: Stop<'_>) -> Result<(), Trouble> {
    stop().map_or(Ok(()), |why| Err(Trouble::Halted(why)))
}
