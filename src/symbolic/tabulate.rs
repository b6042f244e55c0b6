//! A rule instance as a relation, made by asking the evaluator for every valuation of the slots it touches.
//!
//! In: an instance whose footprint has few valuations. Out: the same relation as `Relation::new` makes, by other means:
//! the evaluator runs the rule in each valuation, all other slots undefined, and what it says becomes one cube. It is
//! exact because no run touches a slot outside the footprint. Cost: one run and two cubes for each valuation.

use super::Trouble;
use super::relation::Relation;
use super::space::{Side, Space, View, variable};
use crate::ir::eval::{Machine, Options, Step};
use crate::ir::footprint::instance_footprint;
use crate::ir::{Instance, Model, UNDEFINED};

/// The relation, where the footprint has at most so many valuations.
pub fn tabulate(
    model: &Model,
    options: Options,
    space: &Space,
    view: &View,
    instance: Instance,
    valuations_max: u64,
) -> Result<Option<Relation>, Trouble> {
    let footprint = instance_footprint(model, model.rule(instance.rule), instance.index);
    let mut touched = footprint.reads.clone();
    touched.extend(&footprint.writes);
    let slots: Vec<u32> = touched.iter().collect();
    let mut fields = Vec::with_capacity(slots.len());
    let mut valuations = 1u64;
    for &slot in &slots {
        let Some(field) = view.field(slot) else { return Ok(None) };
        valuations = valuations.saturating_mul(field.count + 1);
        fields.push(field);
    }
    if valuations > valuations_max {
        return Ok(None);
    }
    let written: Vec<u32> = footprint.writes.iter().collect();
    let mut writes: Vec<u32> = Vec::new();
    for &slot in &written {
        writes.extend(view.field(slot).expect("a touched slot is in view").bits());
        writes.extend(view.flags.get(&slot).into_iter().flatten().map(|&(_, bit)| bit));
    }
    let mut machine = Machine::new(model, options);
    let mut state = vec![UNDEFINED; model.slots.len()];
    let (mut steps, mut leads, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..valuations {
        let mut rest = number;
        for (&slot, field) in slots.iter().zip(&fields) {
            state[slot as usize] = field.value(rest % (field.count + 1));
            rest /= field.count + 1;
        }
        let mut literals = Vec::new();
        for (&slot, field) in slots.iter().zip(&fields) {
            literals.extend(field.literals(field.code(state[slot as usize]), Side::Now));
        }
        match machine.step(&state, instance) {
            Ok(Step::Next(next)) => {
                leads.push(space.store.cube(&literals)?);
                for &slot in &written {
                    let (field, value) = (view.field(slot).expect("in view"), next[slot as usize]);
                    literals.extend(field.literals(field.code(value), Side::Next));
                    for &(flag, bit) in view.flags.get(&slot).into_iter().flatten() {
                        literals.push((variable(bit, Side::Next), value == flag));
                    }
                }
                steps.push(space.store.cube(&literals)?);
            }
            Ok(Step::Disabled | Step::Assumed) => {}
            Err(_) => faults.push(space.store.cube(&literals)?),
        }
    }
    let mut relation = Relation::of_steps(space, space.store.any(&steps)?, writes)?;
    relation.instance = instance;
    relation.leads = space.store.any(&leads)?;
    relation.faults = space.store.any(&faults)?;
    Ok(Some(relation))
}
