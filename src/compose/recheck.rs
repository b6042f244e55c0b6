//! A finished proof checked anew, without the machinery that found it.
//!
//! In: thetas as bytes. A fresh store is made, all relations are made anew, and the conditions of a split invariant are
//! looked at one by one, each rank for its own components: start states are in the thetas; own steps stay in them and
//! none fails; what other components do, taken from their thetas, stays in them; the properties follow. No fixpoint is
//! computed: one image of each relation. For transparent components, the set of common shared states is checked to be closed
//! under what everyone does, and what they claim to be about bits that nobody else writes. Relations over few slots are tabulated with the evaluator instead of being
//! executed for all states at once, so most of the translation is checked as well.
//!
//! Out: nothing, or the condition that does not hold, which would be a bug of ours.

use super::interference::Effect;
use super::judge::{self, together};
use super::phases;
use super::split::{Setting, Split, halted, packed};
use super::transparent::own_view;
use crate::base::wire;
use crate::comm::{Comm, Op, collective};
use crate::ir::eval::State;
use crate::symbolic::Trouble;
use crate::symbolic::relation::Relation;

/// What does not hold of a proof, or why it could not be checked.
pub enum Doubt {
    Trouble(Trouble),
    Broken(String),
}

impl From<Trouble> for Doubt {
    fn from(trouble: Trouble) -> Doubt {
        Doubt::Trouble(trouble)
    }
}

/// What is claimed of this rank's components, as bytes, in their order: thetas, or, for transparent components, what
/// their auxiliaries say of their own bits, to be taken with the common shared states.
pub struct Claims {
    pub own: Vec<(bool, Vec<u8>)>,
    pub common: Vec<u8>,
}

impl Claims {
    pub fn of(split: &Split<'_>) -> Claims {
        let own = split.members.iter().map(|member| (member.transparent, member.theta.bytes())).collect();
        Claims { own, common: split.common.bytes() }
    }
}

/// Checks claims in a setting of its own.
pub fn recheck(
    setting: Setting<'_>,
    comm: &mut dyn Comm,
    mine: std::ops::Range<usize>,
    claims: &Claims,
    starts: &[State],
) -> Result<(), Doubt> {
    let made = Split::bare(setting, mine, starts).and_then(|split| local(split, claims, starts));
    phases::done("recheck: local");
    let made = made.and_then(|(split, broken)| {
        let broken = broken.or(common(&split, &split.joined_effects()?)?);
        Ok((split, broken))
    });
    let (mut split, mut broken) = together(comm, made)?;
    phases::done("recheck: common states");
    let plain = split.members.iter().any(|member| !member.transparent);
    if collective::all_reduce(comm, Op::Max, &[i64::from(plain)])[0] != 0 {
        let own = split.members.iter().map(|member| (member.part, member.effects.as_slice()));
        let all = judge::all_gather(comm, wire::encode(&packed(own)));
        let found = together(comm, interference(&mut split, &all))?;
        broken = broken.or(found);
        phases::done("recheck: interference");
    }
    let failing = judge::judge(&split, comm)?;
    if let Some(first) = failing.first() {
        broken.get_or_insert(format!("a property does not follow: {:?}", first.property));
    }
    let all = judge::all_gather(comm, wire::encode(&broken));
    let any = all.iter().filter_map(|bytes| wire::decode::<Option<String>>(bytes).ok().flatten()).next();
    any.map_or(Ok(()), |why| Err(Doubt::Broken(why)))
}

/// Initiation and own steps.
fn local<'a>(
    mut split: Split<'a>,
    claims: &Claims,
    starts: &[State],
) -> Result<(Split<'a>, Option<String>), Trouble> {
    let setting = split.setting;
    let space = setting.space;
    let mut broken = None;
    split.common = space.store.import(&claims.common)?.expect("bytes of a set");
    let start = split.start().clone();
    for (member, (transparent, bytes)) in split.members.iter_mut().zip(&claims.own) {
        halted(setting.stop)?;
        let name = &setting.parts.parts[member.part].name;
        let theta = space.store.import(bytes)?.expect("bytes of a theta");
        member.transparent = *transparent;
        if *transparent && own_view(setting, member, &theta)? != theta {
            broken.get_or_insert(format!("what is claimed of {name} is not about its own bits alone"));
        }
        for state in starts {
            let own = member.own_part(space, state)?;
            let own = if *transparent { own } else { own.and(&setting.plan.shared_state(space, state)?)? };
            if !own.within(&theta)? {
                broken.get_or_insert(format!("a start state is not in the theta of {name}"));
            }
        }
        member.theta = theta;
        for relation in &member.steps {
            if !relation.after(&member.theta)?.within(&member.theta)? {
                broken.get_or_insert(format!("own steps leave the theta of {name}"));
            }
        }
        for relation in &member.relations {
            let rule = &setting.model.rule(relation.instance.rule).name;
            if relation.faults.and(&member.theta)?.meets(&split.common)? {
                broken.get_or_insert(format!("rule {rule:?} may fail in the theta of {name}"));
            }
            let foreign = |bit: &&u32| setting.plan.is_auxiliary(**bit) && !member.flags.contains(bit);
            if relation.writes.iter().any(|bit| foreign(&bit)) {
                broken.get_or_insert(format!("rule {rule:?} of {name} writes another's auxiliary"));
            }
        }
        member.summarise(&setting)?;
    }
    if !start.within(&split.common)? {
        broken.get_or_insert("a start state is not among the common shared states".to_string());
    }
    Ok((split, broken))
}

/// The common shared states are closed under what this rank's components do.
fn common(split: &Split<'_>, effects: &[Effect]) -> Result<Option<String>, Trouble> {
    for effect in effects {
        halted(split.setting.stop)?;
        if !effect.relation(split.setting.space)?.after(&split.common)?.within(&split.common)? {
            return Ok(Some("steps leave the common shared states".to_string()));
        }
    }
    Ok(None)
}

/// What others do stays in each theta.
fn interference(split: &mut Split<'_>, all: &[Vec<u8>]) -> Result<Option<String>, Trouble> {
    let setting = split.setting;
    for bytes in all {
        split.know(&wire::decode(bytes).expect("a peer's effects"))?;
    }
    let mut broken = None;
    split.others_of(&mut |member, others| {
        halted(setting.stop)?;
        for effect in others {
            let relation: Relation = effect.relation(setting.space)?;
            if !relation.after(&member.theta)?.within(&member.theta)? {
                let name = &setting.parts.parts[member.part].name;
                broken.get_or_insert(format!("steps of others leave the theta of {name}"));
            }
        }
        Ok(())
    })?;
    Ok(broken)
}
