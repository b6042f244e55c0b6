//! The diagrams of a model as text, for people: `verify print --stage relations`.
//!
//! In: a model. Out: the order of the variables, slot by slot, and for each rule instance what its relation reads and
//! writes and how many nodes it has. Reads and writes are those of the diagrams: what a text reads but no step depends on
//! is not among them. Cost: one relation for each instance.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::relation::Relation;
use super::space::{Space, View, slot_order};
use super::{Bdd, Trouble};
use crate::ir::eval::Options;
use crate::ir::print_state::instance_name;
use crate::ir::{Model, Slot};

/// The variable order and all relations.
pub fn describe(model: &Model, options: Options, bytes: u64) -> Result<String, Trouble> {
    let (view, bits) = View::whole(model);
    let space = Space::new(bits, bytes);
    let mut out = format!("-- {bits} bits; bit b is variable 2b before a step and 2b + 1 after it\n");
    let mut slot_of = Vec::new();
    for slot in slot_order(model) {
        let Some(field) = view.field(slot).filter(|field| field.width > 0) else { continue };
        let last = field.bit + field.width - 1;
        let place =
            if field.width == 1 { format!("bit {last}") } else { format!("bits {}-{last}", field.bit) };
        let _ = writeln!(out, "var {}: {place}, {} values and undefined", path(model, slot), field.count);
        slot_of.resize(last as usize + 1, slot);
    }
    for instance in model.all_instances() {
        let relation = Relation::new(model, options, &space, &view, instance)?;
        let written: BTreeSet<u32> = relation.writes.iter().map(|&bit| slot_of[bit as usize]).collect();
        let read: BTreeSet<u32> = support(&relation.steps)
            .into_iter()
            .chain(support(&relation.faults))
            .filter(|variable| variable % 2 == 0)
            .map(|variable| slot_of[variable as usize / 2])
            .collect();
        let _ = writeln!(out, "\nrule {}: {} nodes", instance_name(model, instance), relation.steps.nodes());
        for (word, slots) in [("reads", &read), ("writes", &written)] {
            let paths: Vec<String> = slots.iter().map(|&slot| path(model, slot)).collect();
            let _ = writeln!(
                out,
                "  {word} {}",
                if paths.is_empty() { "nothing".into() } else { paths.join(", ") }
            );
        }
        if !relation.faults.is_false() {
            let _ = writeln!(out, "  fails in some states: {} nodes", relation.faults.nodes());
        }
        space.store.tidy();
    }
    Ok(out)
}

fn path(model: &Model, slot: u32) -> String {
    model.slot_path(Slot(slot))
}

/// The variables that a diagram asks.
fn support(diagram: &Bdd) -> BTreeSet<u32> {
    diagram.node_list().0.into_iter().map(|(variable, _, _)| variable).collect()
}
