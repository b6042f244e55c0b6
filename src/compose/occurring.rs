//! Which values slots can have in a proof at all: those of their types, and a value where they always have one.
//!
//! In: every rank's components with their relations, the start states. Out, on every rank: the slots that are never undefined in
//! a view of any theta. A slot is taken for such if every start state defines it, until some rule is found that may undefine it
//! where the slots taken so far are defined; so what is left is kept by induction over steps. What a thread-modular guarantee
//! does counts from any own state, and may leave what is shared undefined.
//!
//! It matters since rules do not treat undefined slots alike: `forall` looks at one member after the other, and what it
//! looks at after the first that decides may be undefined without an error. Relations differ there, where no theta is.
//! Cost: a few passes over all relations; one or two pass where little is ever undefined.

use std::collections::HashMap;

use super::judge::{all_gather, together};
use super::member::Member;
use super::parts::Meaning;
use super::split::{Guarantee, Setting, Split, halted};
use crate::base::wire;
use crate::comm::Comm;
use crate::ir::UNDEFINED;
use crate::ir::eval::State;
use crate::symbolic::space::Side;
use crate::symbolic::{Bdd, Field, Trouble, VALUES_MAX};

/// From which views steps are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum From {
    Theta,
    /// Those that a component's effects are made of.
    Effects,
}

pub struct Occurring<'a> {
    setting: Setting<'a>,
    /// For each slot, whether it always has a value.
    defined: Vec<bool>,
    values: HashMap<(Field, bool), Bdd>,
}

impl<'a> Occurring<'a> {
    /// On all ranks together.
    pub fn find(split: &Split<'a>, comm: &mut dyn Comm, starts: &[State]) -> Result<Occurring<'a>, Trouble> {
        let setting = split.setting;
        let always = |slot: usize| starts.iter().all(|state| state[slot] != UNDEFINED);
        let defined = (0..setting.model.slots.len()).map(always).collect();
        let mut found = Occurring { setting, defined, values: HashMap::new() };
        loop {
            let undefined = together(comm, found.pass(split))?;
            let all = all_gather(comm, wire::encode(&undefined));
            let lists = all.iter().map(|bytes| wire::decode::<Vec<u32>>(bytes).expect("a peer's slots"));
            let undefined: Vec<u32> = lists.flatten().collect();
            if undefined.is_empty() {
                return Ok(found);
            }
            undefined.into_iter().for_each(|slot| found.defined[slot as usize] = false);
        }
    }

    pub fn is_defined(&self, slot: u32) -> bool {
        self.defined[slot as usize]
    }

    /// Slots that were taken to be defined and that rules of this rank's components may undefine.
    fn pass(&mut self, split: &Split<'_>) -> Result<Vec<u32>, Trouble> {
        let mut undefined = Vec::new();
        for member in &split.members {
            halted(self.setting.stop)?;
            let own = own_slots(member);
            for relation in &member.relations {
                let mut written: Vec<u32> =
                    relation.writes.iter().filter_map(|&bit| self.slot(&own, bit)).collect();
                written.dedup();
                for slot in written {
                    let field = member.view.field(slot).expect("what is written is in view");
                    let gone = self.setting.space.is(field, UNDEFINED, Side::Next)?;
                    if !self.defined[slot as usize] || !relation.steps.meets(&gone)? {
                        continue;
                    }
                    let from = if member.view.own.contains_key(&slot) { From::Theta } else { From::Effects };
                    if self.within(member, &relation.steps.and(&gone)?, from)?.is_false() {
                        continue;
                    }
                    undefined.push(slot);
                }
            }
        }
        undefined.sort_unstable();
        undefined.dedup();
        Ok(undefined)
    }

    /// A diagram over a component's view, where the slots that it mentions have values that occur.
    pub fn within(&mut self, member: &Member, diagram: &Bdd, from: From) -> Result<Bdd, Trouble> {
        let own = own_slots(member);
        let bits = diagram.support().into_iter().filter(|number| number.is_multiple_of(2));
        let mut slots: Vec<u32> = bits.filter_map(|number| self.slot(&own, number / 2)).collect();
        slots.sort_unstable();
        slots.dedup();
        let mut left = diagram.clone();
        for slot in slots {
            let is_own = member.view.own.contains_key(&slot);
            let any = is_own && from == From::Effects && self.setting.guarantee == Guarantee::Any;
            let field = member.view.field(slot).expect("what is read is in view");
            left = left.and(&self.values(field, self.defined[slot as usize] && !any)?)?;
        }
        Ok(left)
    }

    fn slot(&self, own: &HashMap<u32, u32>, bit: u32) -> Option<u32> {
        match self.setting.plan.meaning(bit) {
            Meaning::Slot(slot) => Some(slot),
            Meaning::Own => own.get(&bit).copied(),
            Meaning::Flag(_) => None,
        }
    }

    /// The codes of a field's values, with or without "undefined".
    fn values(&mut self, field: Field, defined: bool) -> Result<Bdd, Trouble> {
        let space = self.setting.space;
        if field.count > VALUES_MAX {
            return Ok(space.store.truth());
        }
        if let Some(known) = self.values.get(&(field, defined)) {
            return Ok(known.clone());
        }
        let cases = space.cases(field, Side::Now)?;
        let some: Vec<Bdd> = cases.iter().skip(usize::from(defined)).map(|(_, set)| set.clone()).collect();
        let made = space.store.any(&some)?;
        self.values.insert((field, defined), made.clone());
        Ok(made)
    }
}

/// The slot of each of a component's own bits.
fn own_slots(member: &Member) -> HashMap<u32, u32> {
    let fields = member.view.own.iter();
    fields.flat_map(|(&slot, field)| field.bits().map(move |bit| (bit, slot))).collect()
}
