//! A finished proof checked anew, without the machinery that found it.
//!
//! In: thetas as bytes. A fresh store is made, all relations are made anew, and the conditions of a split invariant are
//! looked at one by one, each rank for its own components: start states are in the thetas; own steps stay in them and
//! none fails; what other components do, taken from their thetas, stays in them; the properties follow. No fixpoint is
//! computed: one image of each relation. Relations over few slots are tabulated with the evaluator instead of being
//! executed for all states at once, so most of the translation is checked as well.
//!
//! Out: nothing, or the condition that does not hold, which would be a bug of ours.

use super::interference::Effect;
use super::judge::{self, together};
use super::split::{Setting, Split, halted};
use crate::base::wire;
use crate::comm::Comm;
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

/// Checks the thetas of this rank's components, given as bytes in their order, in a setting of its own.
pub fn recheck(
    setting: Setting<'_>,
    comm: &mut dyn Comm,
    mine: std::ops::Range<usize>,
    thetas: &[Vec<u8>],
    starts: &[State],
) -> Result<(), Doubt> {
    let made = Split::new(setting, mine, comm.ranks(), starts).and_then(|split| local(split, thetas));
    let made = made.and_then(|(split, broken)| {
        let effects = split.block_effects()?;
        Ok((split, broken, effects))
    });
    let (mut split, mut broken, effects) = together(comm, made)?;
    let message: Vec<(Vec<u32>, Vec<u8>)> =
        effects.iter().map(|effect| (effect.writes.clone(), effect.steps.bytes())).collect();
    let all = judge::all_gather(comm, wire::encode(&message));
    let checked = interference(&mut split, &all, comm.rank().index());
    let found = together(comm, checked)?;
    broken = broken.or(found);
    let failing = judge::judge(&split, comm)?;
    if let Some(first) = failing.first() {
        broken.get_or_insert(format!("a property does not follow: {:?}", first.property));
    }
    let all = judge::all_gather(comm, wire::encode(&broken));
    let any = all.iter().filter_map(|bytes| wire::decode::<Option<String>>(bytes).ok().flatten()).next();
    any.map_or(Ok(()), |why| Err(Doubt::Broken(why)))
}

/// Initiation and own steps.
fn local<'a>(mut split: Split<'a>, thetas: &[Vec<u8>]) -> Result<(Split<'a>, Option<String>), Trouble> {
    let setting = split.setting;
    let mut broken = None;
    for (member, bytes) in split.members.iter_mut().zip(thetas) {
        halted(setting.stop)?;
        let name = &setting.parts.parts[member.part].name;
        let theta = setting.space.store.import(bytes)?.expect("bytes of a theta");
        if !member.theta.within(&theta)? {
            broken.get_or_insert(format!("a start state is not in the theta of {name}"));
        }
        member.theta = theta;
        for relation in &member.steps {
            if !relation.after(&member.theta)?.within(&member.theta)? {
                broken.get_or_insert(format!("own steps leave the theta of {name}"));
            }
        }
        for relation in &member.relations {
            let rule = &setting.model.rule(relation.instance.rule).name;
            if !relation.faults.and(&member.theta)?.is_false() {
                broken.get_or_insert(format!("rule {rule:?} may fail in the theta of {name}"));
            }
        }
        member.summarise(&setting)?;
    }
    Ok((split, broken))
}

/// What others do stays in each theta.
fn interference(split: &mut Split<'_>, all: &[Vec<u8>], rank: usize) -> Result<Option<String>, Trouble> {
    let setting = split.setting;
    for (from, bytes) in all.iter().enumerate().filter(|(from, _)| *from != rank) {
        let message: Vec<(Vec<u32>, Vec<u8>)> = wire::decode(bytes).expect("a peer's effects");
        let import = |(writes, bytes): (Vec<u32>, Vec<u8>)| {
            let steps = setting.space.store.import(&bytes)?.expect("a peer's diagram");
            Ok(Effect { steps, writes })
        };
        let effects = message.into_iter().map(import).collect::<Result<Vec<Effect>, Trouble>>()?;
        split.set_remote(from, effects);
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
