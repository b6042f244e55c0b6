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
use super::parts::{Parts, Plan};
use crate::base::{Rank, wire};
use crate::comm::Tag;
use crate::exchange::{Exchange, Idle};
use crate::ir::Model;
use crate::ir::eval::{Options, State};
use crate::symbolic::VALUES_MAX;
use crate::symbolic::relation::Relation;
use crate::symbolic::space::Side;
use crate::symbolic::tabulate::tabulate;
use crate::symbolic::{Bdd, Space, Trouble, View};

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
    pub stop: Stop<'a>,
}

/// How many valuations are asked for.
const VALUATIONS_MAX: u64 = 1_024;

/// The components of one rank.
pub fn block(parts: usize, rank: Rank, ranks: u32) -> Range<usize> {
    let at = |rank: usize| rank * parts / ranks as usize;
    at(rank.index())..at(rank.index() + 1)
}

/// Takes a component, and the effects of all others.
pub type VisitMember<'v> = &'v mut dyn FnMut(&Member, &[Effect]) -> Result<(), Trouble>;

/// One component of this rank.
pub struct Member {
    pub part: usize,
    pub view: View,
    pub relations: Vec<Relation>,
    /// The same steps, joined where that is no larger.
    pub steps: Vec<Relation>,
    pub theta: Bdd,
    /// Its own bits on both sides, for quantifiers; and on the side before alone.
    own_both: Bdd,
    pub own_now: Bdd,
    /// For `Guarantee::Any`: local states that agree with the auxiliaries.
    consistent: Bdd,
    effects: Vec<Effect>,
    /// The theta that the effects were made of.
    summarised: Option<Bdd>,
    /// The others' effects that theta is closed under.
    closed_under: Option<Vec<Effect>>,
    /// The bits of its own auxiliaries, and "they do not change".
    flags: Vec<u32>,
    flags_kept: Bdd,
}

pub struct Split<'a> {
    pub setting: Setting<'a>,
    pub members: Vec<Member>,
    /// What other ranks' blocks do, by rank.
    remote: Vec<Vec<Effect>>,
    pub rounds: u64,
    pub bytes_sent: u64,
    pub nodes_most: u64,
}

impl<'a> Split<'a> {
    /// Makes the relations and first thetas of this rank's components.
    pub fn new(
        setting: Setting<'a>,
        mine: Range<usize>,
        ranks: u32,
        starts: &[State],
    ) -> Result<Split<'a>, Trouble> {
        let empty = View::default();
        let shared_view =
            View { own: Default::default(), ..setting.plan.view(setting.model, &setting.parts.parts[0], 0) };
        let shared: Vec<Bdd> =
            starts.iter().map(|state| setting.space.state(&shared_view, state)).collect::<Result<_, _>>()?;
        let mut members = Vec::with_capacity(mine.len());
        for part in mine {
            halted(setting.stop)?;
            let mut member = Member::new(setting, part)?;
            let own = View { own: member.view.own.clone(), ..empty.clone() };
            for (state, shared) in starts.iter().zip(&shared) {
                let first = shared.and(&setting.space.state(&own, state)?)?;
                member.theta = member.theta.or(&first)?;
            }
            members.push(member);
        }
        Ok(Split {
            setting,
            members,
            remote: vec![Vec::new(); ranks as usize],
            rounds: 0,
            bytes_sent: 0,
            nodes_most: 0,
        })
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
        let others = self.others()?;
        let mut grew = false;
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
            setting.space.store.tidy();
            Ok(())
        })?;
        Ok(grew)
    }

    /// What all components do, ready to be seen by each of this rank without its own part.
    fn others(&self) -> Result<Others, Trouble> {
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
            let shows = all.len() <= 1 && member.shows_itself()?;
            // A bit that nobody writes is not mentioned by the steps either.
            let flags: Vec<u32> =
                member.flags.iter().copied().filter(|bit| written.binary_search(bit).is_ok()).collect();
            kept.push(if shows { Some(space.unchanged(&flags)?) } else { None });
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

    /// What all other components may do to each of this rank's, for whoever checks.
    pub fn others_of(&self, each: VisitMember<'_>) -> Result<(), Trouble> {
        self.others()?.each(self.setting, &mut |at, others| each(&self.members[at], others))
    }
}

/// What all components do, to be seen by one without its own part.
struct Others {
    tree: Tree,
    outside: Vec<Effect>,
    all: Vec<Effect>,
    /// For components all of whose steps show in their auxiliaries: "these do not change". What is left of all effects
    /// are then just the others'.
    kept: Vec<Option<Bdd>>,
}

impl Others {
    fn each(&self, setting: Setting<'_>, each: Visit<'_>) -> Result<(), Trouble> {
        for (at, kept) in self.kept.iter().enumerate() {
            let Some(kept) = kept else { continue };
            let restrict = |effect: &Effect| {
                Ok(Effect { steps: effect.steps.and(kept)?, writes: effect.writes.clone() })
            };
            let others = self.all.iter().map(restrict).collect::<Result<Vec<Effect>, Trouble>>()?;
            each(at, &others)?;
        }
        let wanted = |at: usize| self.kept.get(at).is_some_and(Option::is_none);
        self.tree.all_but_one(setting, &self.outside, &wanted, each)
    }
}

impl Member {
    pub fn new(setting: Setting<'_>, part: usize) -> Result<Member, Trouble> {
        Member::in_bank(setting, part, 0)
    }

    /// A component whose own slots stand in a bank.
    pub fn in_bank(setting: Setting<'_>, part: usize, bank: u32) -> Result<Member, Trouble> {
        let (model, plan, space) = (setting.model, setting.plan, setting.space);
        let of = &setting.parts.parts[part];
        let view = plan.view(model, of, bank);
        let relations = of
            .instances
            .iter()
            .map(|&instance| {
                let tabulated = match setting.tabulated {
                    true => tabulate(model, setting.options, space, &view, instance, VALUATIONS_MAX)?,
                    false => None,
                };
                match tabulated {
                    Some(relation) => Ok(relation),
                    None => Relation::new(model, setting.options, space, &view, instance),
                }
            })
            .collect::<Result<Vec<Relation>, Trouble>>()?;
        let own_now = space.set(plan.bank(bank), Side::Now)?;
        let own_both = own_now.and(&space.set(plan.bank(bank), Side::Next)?)?;
        let mut consistent = space.store.truth();
        if setting.guarantee == Guarantee::Any {
            consistent = consistency(&setting, &view, part)?;
        }
        let mut joined = Vec::new();
        for relation in &relations {
            let effect = Effect { steps: relation.steps.clone(), writes: relation.writes.clone() };
            add(setting, &mut joined, &[effect])?;
        }
        let steps = joined.iter().map(|effect| effect.relation(space)).collect::<Result<_, Trouble>>()?;
        let flags: Vec<u32> =
            of.locals.iter().filter_map(|slot| view.flags.get(slot)).flatten().map(|&(_, bit)| bit).collect();
        Ok(Member {
            part,
            relations,
            steps,
            theta: space.store.falsity(),
            own_both,
            own_now,
            consistent,
            effects: Vec::new(),
            summarised: None,
            closed_under: None,
            flags_kept: space.unchanged(&flags)?,
            flags,
            view,
        })
    }

    /// Closes theta under own steps and others' effects. Each pass starts from all of theta, which is mostly a smaller
    /// diagram than what the pass before added.
    fn close(&mut self, others: &[Relation], stop: Stop<'_>) -> Result<(), Trouble> {
        loop {
            let before = self.theta.clone();
            for relation in self.steps.iter().chain(others) {
                halted(stop)?;
                self.theta = self.theta.or(&relation.after(&self.theta)?)?;
            }
            if self.theta == before {
                return Ok(());
            }
        }
    }

    /// Makes the component's effects anew; whether they grew.
    pub fn summarise(&mut self, setting: &Setting<'_>) -> Result<bool, Trouble> {
        if setting.guarantee == Guarantee::Any && !self.effects.is_empty() {
            return Ok(false);
        }
        if self.summarised.as_ref() == Some(&self.theta) {
            return Ok(false);
        }
        self.summarised = Some(self.theta.clone());
        let from = if setting.guarantee == Guarantee::Any { &self.consistent } else { &self.theta };
        let mut effects: Vec<Effect> = Vec::new();
        for relation in &self.relations {
            let shared = |bit: &u32| setting.plan.is_shared(*bit);
            let writes: Vec<u32> = relation.writes.iter().copied().filter(shared).collect();
            if writes.is_empty() {
                continue;
            }
            halted(setting.stop)?;
            let steps = from.and_exists(&relation.steps, &self.own_both)?;
            // A step that changes nothing shared is nothing to the others.
            let steps = steps.minus(&setting.space.frame(&writes)?.agree)?;
            if !steps.is_false() {
                add(*setting, &mut effects, &[Effect { steps, writes }])?;
            }
        }
        let grew = effects != self.effects;
        self.effects = effects;
        Ok(grew)
    }

    /// Whether every effect changes an auxiliary of its own, so that what leaves these alone is not its own doing.
    fn shows_itself(&self) -> Result<bool, Trouble> {
        for effect in &self.effects {
            if self.flags.is_empty() || !effect.steps.and(&self.flags_kept)?.is_false() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What theta says of the shared state.
    pub fn shared(&self) -> Result<Bdd, Trouble> {
        self.theta.exists(&self.own_now)
    }

    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }
}

/// The views of a component whose own slots have values of their types and whose auxiliaries say the truth. Relations say
/// nothing sensible about codes that no value has; thetas never contain them.
pub fn consistency(setting: &Setting<'_>, view: &View, part: usize) -> Result<Bdd, Trouble> {
    let space = setting.space;
    let mut all = space.store.truth();
    for field in view.own.values() {
        if field.count <= VALUES_MAX && field.count + 1 < 1 << field.width {
            let values: Vec<Bdd> =
                space.cases(*field, Side::Now)?.iter().map(|(_, set)| set.clone()).collect();
            all = all.and(&space.store.any(&values)?)?;
        }
    }
    for (at, auxiliary) in setting.plan.auxiliaries.iter().enumerate().rev() {
        if setting.parts.owner[auxiliary.slot as usize] != Some(part as u32) {
            continue;
        }
        let field = view.field(auxiliary.slot).expect("a local slot is in its component's view");
        let variable = crate::symbolic::space::variable(setting.plan.auxiliary_bits[at], Side::Now);
        let flag = space.store.variable(variable)?;
        all = all.and(&flag.equiv(&space.is(field, auxiliary.value, Side::Now)?)?)?;
    }
    Ok(all)
}

pub fn halted(stop: Stop<'_>) -> Result<(), Trouble> {
    stop().map_or(Ok(()), |why| Err(Trouble::Halted(why)))
}
