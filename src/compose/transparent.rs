//! Components whose auxiliaries tell all that others could learn of them: their thetas need not be computed one by one.
//!
//! Let R be the set of values of a component's own bits and auxiliaries that its own steps lead to from the start, in any
//! surroundings. The component is *transparent* if, wherever a step that changes something shared or a start state has brought it, steps that
//! change nothing shared lead on to every local state that R allows with the auxiliaries as they are then. Its theta is
//! then the shared states that occur at all, with R: by induction over the way to a shared state, since nobody else writes
//! its auxiliaries, and since it has just all that R allows after each step of its own. Nothing has to be known of the
//! shared states for that, so effects are made of R once, and stay.
//!
//! With all local state exposed a component is always transparent. Where R has more than a few local states, or
//! where the condition fails, the component is computed like any other. Cost: small diagrams alone, over the bits that
//! the component touches.

use super::member::Member;
use super::split::{Guarantee, Setting};
use crate::ir::eval::State;
use crate::symbolic::relation::Relation;
use crate::symbolic::space::Side;
use crate::symbolic::{Bdd, Trouble};

/// Local states that are looked at one by one; and valuations of own slots up to which they are counted.
const LOCALS_MAX: usize = 64;
const VALUATIONS_MAX: u64 = 4_096;

/// Whether the component is transparent; then its theta is R.
pub fn recognise(setting: Setting<'_>, member: &mut Member, starts: &[State]) -> Result<bool, Trouble> {
    let counts = member.view.own.values().map(|field| field.count + 1);
    if counts.fold(1u64, u64::saturating_mul) > VALUATIONS_MAX {
        return Ok(false);
    }
    let own_parts =
        starts.iter().map(|state| member.own_part(setting.space, state)).collect::<Result<Vec<_>, _>>()?;
    let allowed = surroundings_forgotten(setting, member, &own_parts)?;
    let Some(locals) = local_states(setting, member, &allowed)? else { return Ok(false) };
    let (quiet, loud) = by_loudness(setting, member)?;
    let mut arrivals = loud.iter().map(|relation| relation.after(&allowed)).collect::<Result<Vec<_>, _>>()?;
    for (own_part, state) in own_parts.iter().zip(starts) {
        let seen = quiet.iter().flat_map(|relation| relation.steps.support());
        let seen = seen.filter(|variable| setting.plan.is_shared(variable / 2)).map(|variable| variable / 2);
        arrivals.push(own_part.and(&setting.plan.shared_values(setting.space, state, seen)?)?);
    }
    for local in locals {
        let target = allowed.and(&local)?;
        let possible = target.exists(&member.own_now)?;
        let mut leads_there = target;
        loop {
            let known = leads_there.clone();
            for relation in &quiet {
                leads_there = leads_there.or(&relation.before(&leads_there)?)?;
            }
            if leads_there == known {
                break;
            }
        }
        for arrival in &arrivals {
            if !arrival.and(&possible)?.within(&leads_there)? {
                return Ok(false);
            }
        }
    }
    let theta = std::mem::replace(&mut member.theta, allowed);
    if setting.guarantee == Guarantee::Any && !member.keeps_to_theta(&setting)? {
        member.theta = theta;
        return Ok(false);
    }
    member.transparent = true;
    Ok(true)
}

/// The values of own bits and auxiliaries that own steps lead to, whatever the rest of the shared state is.
fn surroundings_forgotten(setting: Setting<'_>, member: &Member, own: &[Bdd]) -> Result<Bdd, Trouble> {
    let mut allowed = setting.space.store.any(own)?;
    loop {
        let known = allowed.clone();
        for relation in &member.relations {
            allowed = allowed.or(&own_view(setting, member, &relation.after(&allowed)?)?)?;
        }
        if allowed == known {
            return Ok(allowed);
        }
    }
}

/// What is left of views where the shared state is forgotten, but for the component's auxiliaries.
pub fn own_view(setting: Setting<'_>, member: &Member, views: &Bdd) -> Result<Bdd, Trouble> {
    let foreign = |variable: &u32| {
        let bit = variable / 2;
        setting.plan.is_shared(bit) && !member.flags.contains(&bit)
    };
    let foreign = views.support().into_iter().filter(foreign);
    views.exists(&setting.space.store.set(foreign)?)
}

/// The local states that occur, where they are few.
fn local_states(setting: Setting<'_>, member: &Member, allowed: &Bdd) -> Result<Option<Vec<Bdd>>, Trouble> {
    let space = setting.space;
    let mut rest = allowed.exists(&space.set(member.flags.iter().copied(), Side::Now)?)?;
    let mut locals = Vec::new();
    while let Some(valuation) = rest.pick(space.store.variables()) {
        if locals.len() == LOCALS_MAX {
            return Ok(None);
        }
        let mut literals = Vec::new();
        for field in member.view.own.values() {
            let value = space.value_in(*field, &valuation, Side::Now);
            literals.extend(field.literals(field.code(value), Side::Now));
        }
        let local = space.store.cube(&literals)?;
        rest = rest.minus(&local)?;
        locals.push(local);
    }
    Ok(Some(locals))
}

/// The steps that change nothing shared, as relations over own bits; and all others.
fn by_loudness(setting: Setting<'_>, member: &Member) -> Result<(Vec<Relation>, Vec<Relation>), Trouble> {
    let space = setting.space;
    let (mut quiet, mut loud) = (Vec::new(), Vec::new());
    for relation in &member.relations {
        let (shared, own): (Vec<u32>, Vec<u32>) =
            relation.writes.iter().partition(|&&bit| setting.plan.is_shared(bit));
        let frame = space.frame(&shared)?;
        let steps = relation.steps.and_exists(&frame.agree, &frame.next)?;
        if !own.is_empty() {
            quiet.push(Relation::of_steps(space, steps, own)?);
        }
        let steps = relation.steps.minus(&frame.agree)?;
        loud.push(Relation::of_steps(space, steps, relation.writes.clone())?);
    }
    Ok((quiet, loud))
}
