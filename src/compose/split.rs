//! The strongest split invariant, computed by all ranks at once.
//!
//! In: components and the bits they share. Out: for each component of this rank its theta: the least set of views that
//! contains the start states' and is closed under the component's own steps and under what the others' steps, taken
//! from their own thetas, do to the shared state.
//!
//! Each rank has a block of components. It closes each under its own steps and the effects of all others that it knows
//! of, joins the effects of its block, and sends them to all others when they grew; what comes from others makes all of
//! the block due again. When no rank is due and nothing is on its way, the exchange's reductions end the phase.
//!
//! Thetas only grow and are finite, so it ends; the least fixpoint does not depend on the order of updates (P. and R.
//! Cousot's theorem on chaotic iteration), so the result is the same on any number of ranks and under any schedule.
//! Published: A. Cohen, K. S. Namjoshi, Y. Sa'ar, L. D. Zuck, K. I. Kisyova, "Model Checking in Bits and Pieces". There,
//! each processor has one component and broadcasts its summary; here a rank's summaries travel joined.
//!
//! The thread-modular variant takes the effects of all local states of a component, not only of those in its theta:
//! W. Meng, F. He, B.-Y. Wang, Q. Liu, "Thread-Modular Model Checking with Iterative Refinement". Effects then never
//! change, so one sending is enough.
//!
//! Cost: a few relational products for each component and round; one joined effect for each rank and round.

use std::ops::Range;

use super::interference::{Effect, Tree, Visit, add};
use super::member::Member;
use super::parts::{Parts, Plan};
use super::transparent;
use crate::base::{Rank, wire};
use crate::comm::Tag;
use crate::exchange::{Exchange, Idle};
use crate::ir::Model;
use crate::ir::eval::{Options, State};
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

/// What everyone needs.
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
    pub stop: Stop<'a>,
}

/// The components of one rank.
pub fn block(parts: usize, rank: Rank, ranks: u32) -> Range<usize> {
    let at = |rank: usize| rank * parts / ranks as usize;
    at(rank.index())..at(rank.index() + 1)
}

/// Takes a component, and the effects of all others.
pub type VisitMember<'v> = &'v mut dyn FnMut(&Member, &[Effect]) -> Result<(), Trouble>;

pub struct Split<'a> {
    pub setting: Setting<'a>,
    pub members: Vec<Member>,
    /// What other ranks' blocks do, by rank.
    remote: Vec<Vec<Effect>>,
    /// The shared parts of start states.
    start: Bdd,
    /// The shared states of transparent components, when the others have ended.
    pub common: Bdd,
    pub rounds: u64,
    pub bytes_sent: u64,
    pub nodes_most: u64,
}

impl<'a> Split<'a> {
    /// Makes the relations of this rank's components, whose thetas are empty yet.
    pub fn bare(
        setting: Setting<'a>,
        mine: Range<usize>,
        ranks: u32,
        starts: &[State],
    ) -> Result<Split<'a>, Trouble> {
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
            remote: vec![Vec::new(); ranks as usize],
            start: store.any(&shared)?,
            common: store.truth(),
            rounds: 0,
            bytes_sent: 0,
            nodes_most: 0,
        })
    }

    /// Makes the relations and first thetas of this rank's components.
    pub fn new(
        setting: Setting<'a>,
        mine: Range<usize>,
        ranks: u32,
        starts: &[State],
    ) -> Result<Split<'a>, Trouble> {
        let mut split = Split::bare(setting, mine, ranks, starts)?;
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

    /// The shared states that all effects lead to from the start.
    pub fn closed_start(&self) -> Result<Bdd, Trouble> {
        let mut effects = self.block_effects()?;
        for remote in &self.remote {
            add(self.setting, &mut effects, remote)?;
        }
        let relations: Vec<Relation> =
            effects.iter().map(|effect| effect.relation(self.setting.space)).collect::<Result<_, _>>()?;
        close(&self.start, &relations, self.setting.stop)
    }

    /// Runs to the end of a phase of the exchange. After trouble the rank stays and listens, so that the others end.
    pub fn run(&mut self, exchange: &mut Exchange<'_>) -> Result<(), Trouble> {
        let mut trouble = None;
        let mut due = true;
        loop {
            if trouble.is_none() {
                let turn = self.turn(exchange, due);
                due = false;
                match turn {
                    Ok(again) => due = again,
                    Err(why) => trouble = Some(why),
                }
            }
            let mut heard = Vec::new();
            while exchange.receive(|_, inbound| heard.push((inbound.from, inbound.bytes().to_vec()))) {}
            for (from, bytes) in heard {
                if trouble.is_none() {
                    match self.hear(from, &bytes) {
                        Ok(news) => due |= news,
                        Err(why) => trouble = Some(why),
                    }
                }
            }
            if due && trouble.is_none() {
                continue;
            }
            if exchange.idle() == Idle::PhaseOver {
                return trouble.map_or(Ok(()), Err);
            }
        }
    }

    /// One round over the block, if it is due; whether it is due again.
    fn turn(&mut self, exchange: &mut Exchange<'_>, due: bool) -> Result<bool, Trouble> {
        if !due || self.members.is_empty() {
            return Ok(false);
        }
        self.rounds += 1;
        let grew = self.round()?;
        if grew && exchange.ranks() > 1 {
            let message: Vec<(Vec<u32>, Vec<u8>)> = self
                .block_effects()?
                .iter()
                .map(|effect| (effect.writes.clone(), effect.steps.bytes()))
                .collect();
            let item = wire::item(&message);
            for to in exchange.rank().others(exchange.ranks()) {
                exchange.post(to, Tag::Summaries, &item);
            }
            self.bytes_sent += item.len() as u64 * u64::from(exchange.ranks() - 1);
            exchange.flush();
        }
        Ok(grew && self.members.len() > 1)
    }

    /// Takes in what another rank's block does; whether that is news.
    fn hear(&mut self, from: Rank, bytes: &[u8]) -> Result<bool, Trouble> {
        let mut news = false;
        for message in wire::items::<Vec<(Vec<u32>, Vec<u8>)>>(bytes) {
            let mut effects = Vec::new();
            for (writes, bytes) in message {
                let steps = self.setting.space.store.import(&bytes)?.expect("a peer's diagram");
                effects.push(Effect { steps, writes });
            }
            let known = &mut self.remote[from.index()];
            news |= *known != effects;
            // Effects only grow, so the latest from a rank holds all before.
            *known = effects;
        }
        Ok(news)
    }

    /// Closes every component of the block; whether some effect grew.
    fn round(&mut self) -> Result<bool, Trouble> {
        let setting = self.setting;
        let mut grew = false;
        for member in self.members.iter_mut().filter(|member| member.transparent) {
            grew |= member.summarise(&setting)?;
        }
        if self.members.iter().all(|member| member.transparent) {
            return Ok(grew);
        }
        let others = self.others(&|member| !member.transparent)?;
        let (members, nodes_most) = (&mut self.members, &mut self.nodes_most);
        others.each(setting, &mut |at, effects| {
            halted(setting.stop)?;
            let member = &mut members[at];
            if member.closed_under.as_deref() == Some(effects) {
                return Ok(());
            }
            let relations: Vec<Relation> =
                effects.iter().map(|effect| effect.relation(setting.space)).collect::<Result<_, _>>()?;
            member.close(&relations, setting.stop)?;
            member.closed_under = Some(effects.to_vec());
            grew |= member.summarise(&setting)?;
            *nodes_most = (*nodes_most).max(setting.space.store.nodes());
            Ok(())
        })?;
        Ok(grew)
    }

    /// What all components do, ready to be seen by each of this rank without its own part.
    fn others(&self, wanted: &dyn Fn(&Member) -> bool) -> Result<Others, Trouble> {
        let space = self.setting.space;
        let leaves: Vec<Vec<Effect>> = self.members.iter().map(|member| member.effects.clone()).collect();
        let tree = Tree::new(self.setting, &leaves)?;
        let mut outside = Vec::new();
        for effects in &self.remote {
            add(self.setting, &mut outside, effects)?;
        }
        let mut all = outside.clone();
        add(self.setting, &mut all, tree.all())?;
        let mut kept = Vec::with_capacity(self.members.len());
        let written = all.first().map_or(&[][..], |effect| effect.writes.as_slice());
        for member in &self.members {
            if !wanted(member) {
                kept.push(Seen::Not);
                continue;
            }
            let shows = all.len() <= 1 && member.shows_itself()?;
            // A bit that nobody writes is not mentioned by the steps either.
            let flags: Vec<u32> =
                member.flags.iter().copied().filter(|bit| written.binary_search(bit).is_ok()).collect();
            kept.push(if shows { Seen::Keeping(space.unchanged(&flags)?) } else { Seen::Apart });
        }
        Ok(Others { tree, outside, all, kept })
    }

    /// What the components of this rank do, joined.
    pub fn block_effects(&self) -> Result<Vec<Effect>, Trouble> {
        let leaves: Vec<Vec<Effect>> = self.members.iter().map(|member| member.effects.clone()).collect();
        Ok(Tree::new(self.setting, &leaves)?.all().to_vec())
    }

    /// What the components of another rank do.
    pub fn set_remote(&mut self, rank: usize, effects: Vec<Effect>) {
        self.remote[rank] = effects;
    }

    /// What all other components may do to each of this rank's that is not transparent, for whoever checks.
    pub fn others_of(&self, each: VisitMember<'_>) -> Result<(), Trouble> {
        if self.members.iter().all(|member| member.transparent) {
            return Ok(());
        }
        self.others(&|member| !member.transparent)?
            .each(self.setting, &mut |at, others| each(&self.members[at], others))
    }
}

/// What all components do, to be seen by one without its own part.
struct Others {
    tree: Tree,
    outside: Vec<Effect>,
    all: Vec<Effect>,
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
            let others = self.all.iter().map(restrict).collect::<Result<Vec<Effect>, Trouble>>()?;
            each(at, &others)?;
        }
        let wanted = |at: usize| matches!(self.kept.get(at), Some(Seen::Apart));
        self.tree.all_but_one(setting, &self.outside, &wanted, each)
    }
}

/// Closes a set under relations. Each pass starts from all of the set, which is mostly a smaller diagram than what the
/// pass before added.
pub fn close(from: &Bdd, relations: &[Relation], stop: Stop<'_>) -> Result<Bdd, Trouble> {
    let mut all = from.clone();
    loop {
        let before = all.clone();
        for relation in relations {
            halted(stop)?;
            all = all.or(&relation.after(&all)?)?;
        }
        if all == before {
            return Ok(all);
        }
    }
}

pub fn halted(stop: Stop<'_>) -> Result<(), Trouble> {
    stop().map_or(Ok(()), |why| Err(Trouble::Halted(why)))
}
