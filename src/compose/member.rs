//! One component of a proof: its steps, what it knows, and what it does to the shared state.
//!
//! In: a component and the plan of bits. Out: relations of its rule instances over its view; closing a theta under them
//! and under what others do; the effects: the relation between shared states that its steps from theta make.

use std::rc::Rc;

use super::interference::{Effect, add};
use super::split::{Guarantee, Setting, close, halted};
use crate::symbolic::relation::Relation;
use crate::symbolic::space::Side;
use crate::symbolic::tabulate::tabulate;
use crate::symbolic::{Bdd, Space, Trouble, VALUES_MAX, View};

/// How many valuations are asked for.
const VALUATIONS_MAX: u64 = 1_024;

/// One component of this rank.
#[derive(Clone)]
pub struct Member {
    pub part: usize,
    pub view: View,
    pub relations: Vec<Relation>,
    /// The same steps, joined where that is no larger.
    pub steps: Vec<Relation>,
    /// Its theta; for a transparent component, what its auxiliaries say of its own bits (`transparent.rs`).
    pub theta: Bdd,
    pub transparent: bool,
    /// Its theta is made from another's when that has ended (`symmetry.rs`).
    pub copy: bool,
    /// Its own bits on both sides, for quantifiers; and on the side before alone.
    own_both: Bdd,
    pub own_now: Bdd,
    /// For `Guarantee::Any`: local states that agree with the auxiliaries.
    consistent: Bdd,
    pub effects: Vec<Effect>,
    /// All ranks close it together (`spread.rs`); theta is what it was before.
    pub spread: bool,
    /// Nodes of theta at which sharing it out is thought about.
    pub spread_at: usize,
    /// The theta that the effects were made of.
    summarised: Option<Bdd>,
    /// The others' effects that theta is closed under.
    pub closed_under: Option<Vec<Effect>>,
    /// The bits of its own auxiliaries, and "they do not change".
    pub flags: Vec<u32>,
    flags_kept: Bdd,
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
            transparent: false,
            copy: false,
            own_both,
            own_now,
            consistent,
            effects: Vec::new(),
            spread: false,
            spread_at: setting.spread_nodes,
            summarised: None,
            closed_under: None,
            flags_kept: space.unchanged(&flags)?,
            flags,
            view,
        })
    }

    /// Whether its theta is computed turn by turn.
    pub fn is_computed(&self) -> bool {
        !self.transparent && !self.copy
    }

    /// Closes theta under own steps and others' effects; whether it came to an end before theta was as large as this.
    pub fn close(
        &mut self,
        setting: Setting<'_>,
        others: &[Effect],
        nodes_max: usize,
    ) -> Result<bool, Trouble> {
        let (theta, closed) = close(&self.theta, &self.all_steps(setting, others)?, nodes_max, setting.stop)?;
        self.theta = theta;
        if closed {
            self.closed_under = Some(others.to_vec());
        }
        Ok(closed)
    }

    /// Own steps, and what others do.
    pub fn all_steps(&self, setting: Setting<'_>, others: &[Effect]) -> Result<Vec<Relation>, Trouble> {
        let others = others.iter().map(|effect| effect.relation(setting.space));
        self.steps.iter().cloned().map(Ok).chain(others).collect()
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
        let effects = self.effects_of(setting, from)?;
        let grew = effects != self.effects;
        self.effects = effects;
        Ok(grew)
    }

    /// What steps from some views do to the shared state.
    pub fn effects_of(&self, setting: &Setting<'_>, from: &Bdd) -> Result<Vec<Effect>, Trouble> {
        joined(setting, self.single_effects(setting, from)?)
    }

    /// The same for each relation that writes something shared.
    pub fn single_effects(&self, setting: &Setting<'_>, from: &Bdd) -> Result<Vec<Effect>, Trouble> {
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
            effects.push(Effect { steps, writes });
        }
        Ok(effects)
    }

    /// Whether the effects of `Guarantee::Any` are those of the views of theta.
    pub fn keeps_to_theta(&self, setting: &Setting<'_>) -> Result<bool, Trouble> {
        Ok(self.effects_of(setting, &self.consistent)? == self.effects_of(setting, &self.theta)?)
    }

    /// Whether every effect changes an auxiliary of its own, so that what leaves these alone is not its own doing.
    pub fn shows_itself(&self) -> Result<bool, Trouble> {
        for effect in &self.effects {
            if self.flags.is_empty() || effect.steps.meets(&self.flags_kept)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What theta says of the shared state.
    pub fn shared(&self) -> Result<Bdd, Trouble> {
        self.theta.exists(&self.own_now)
    }

    /// A state as far as it concerns this component's own bits and auxiliaries.
    pub fn own_part(&self, space: &Space, state: &[i64]) -> Result<Bdd, Trouble> {
        let of_slot = |slot: &u32| Some((*slot, self.view.flags.get(slot)?.clone()));
        let flags = self.view.own.keys().filter_map(of_slot).collect();
        let own = View { own: self.view.own.clone(), flags: Rc::new(flags), ..View::default() };
        space.state(&own, state)
    }
}

/// Effects of single relations, joined where that stays small.
pub fn joined(setting: &Setting<'_>, singles: Vec<Effect>) -> Result<Vec<Effect>, Trouble> {
    let mut effects = Vec::new();
    for single in singles.iter().filter(|single| !single.steps.is_false()) {
        add(*setting, &mut effects, std::slice::from_ref(single))?;
    }
    Ok(effects)
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
