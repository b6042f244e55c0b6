//! States for people: all slots that have a value, or only what differs between two states.

use super::model::{Instance, Model, Slot, UNDEFINED};
use std::fmt::Write;

/// The value of a slot as printed; none for undefined.
pub fn slot_value(model: &Model, slot: usize, value: i64) -> Option<String> {
    (value != UNDEFINED).then(|| model.types.value_name(model.slots[slot].ty, value))
}

/// One line `path: value` for each slot; empty places of multisets are left out.
pub fn print_state(model: &Model, state: &[i64]) -> String {
    let mut text = String::new();
    for (slot, &value) in state.iter().enumerate() {
        let path = model.slot_path(Slot(slot as u32));
        if path.ends_with('?') || (value == UNDEFINED && path.contains('{')) {
            continue;
        }
        let shown = slot_value(model, slot, value).unwrap_or_else(|| "undefined".to_string());
        let _ = writeln!(text, "{path}: {shown}");
    }
    text
}

/// Each slot that differs: its number, path, and both values as printed.
pub fn differences(
    model: &Model,
    before: &[i64],
    after: &[i64],
) -> Vec<(u32, String, Option<String>, Option<String>)> {
    let mut found = Vec::new();
    for (slot, (&old, &new)) in before.iter().zip(after).enumerate() {
        if old != new {
            let path = model.slot_path(Slot(slot as u32));
            found.push((slot as u32, path, slot_value(model, slot, old), slot_value(model, slot, new)));
        }
    }
    found
}

/// `Rule "name", i: NODE_1` for a rule instance.
pub fn instance_name(model: &Model, instance: Instance) -> String {
    let rule = model.rule(instance.rule);
    let mut text = rule.name.clone();
    for (name, value) in model.instance_params(&rule.binders, instance.index) {
        let _ = write!(text, ", {name}: {value}");
    }
    text
}
