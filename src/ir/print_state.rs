//! States for people: all slots that have a value, or only what differs between two states.
//!
//! Multisets are shown by their elements, not by positions: a step shows what was added and removed, not
//! how the canonical order moved the rest.

use super::model::{Instance, Model, Slot, UNDEFINED};
use super::types::{Type, TypeId};
use std::fmt::Write;

/// One thing that differs between two states. An element added to a multiset has no `from`, one removed
/// has no `to`; both stand under the path of the multiset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The slot, or the first slot of the multiset.
    pub slot: Slot,
    pub path: String,
    pub from: Option<String>,
    pub to: Option<String>,
}

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

/// What differs, in the order of the variables.
pub fn differences(model: &Model, before: &[i64], after: &[i64]) -> Vec<Difference> {
    let mut found = Vec::new();
    for var in &model.vars {
        let first = var.first.0 as usize;
        let range = first..first + model.types.cells(var.ty) as usize;
        let sides = (&before[range.clone()], &after[range]);
        compare(model, var.ty, &var.name, var.first.0, sides, &mut found);
    }
    found
}

fn compare(
    model: &Model,
    ty: TypeId,
    path: &str,
    slot: u32,
    (before, after): (&[i64], &[i64]),
    found: &mut Vec<Difference>,
) {
    if before == after {
        return;
    }
    let types = &model.types;
    match types.get(ty) {
        Type::Record { fields } => {
            for field in fields {
                let part = field.offset as usize..field.offset as usize + types.cells(field.ty) as usize;
                let sides = (&before[part.clone()], &after[part]);
                compare(
                    model,
                    field.ty,
                    &format!("{path}.{}", field.name),
                    slot + field.offset,
                    sides,
                    found,
                );
            }
        }
        Type::Array { index, elem } => {
            let stride = types.cells(*elem).max(1) as usize;
            for (at, sides) in before.chunks(stride).zip(after.chunks(stride)).enumerate() {
                let value = types.first(*index).wrapping_add(at as i64);
                let path = format!("{path}[{}]", types.value_name(*index, value));
                compare(model, *elem, &path, slot + (at * stride) as u32, sides, found);
            }
        }
        Type::Multiset { elem, .. } => compare_multisets(model, *elem, path, slot, (before, after), found),
        _ => {
            let show = |value: i64| (value != UNDEFINED).then(|| types.value_name(ty, value));
            let (from, to) = (show(before[0]), show(after[0]));
            found.push(Difference { slot: Slot(slot), path: path.to_string(), from, to });
        }
    }
}

fn compare_multisets(
    model: &Model,
    elem: TypeId,
    path: &str,
    slot: u32,
    (before, after): (&[i64], &[i64]),
    found: &mut Vec<Difference>,
) {
    let stride = model.types.cells(elem) as usize + 1;
    let present = |cells: &[i64]| -> Vec<Vec<i64>> {
        cells.chunks(stride).filter(|each| each[0] == 1).map(|each| each[1..].to_vec()).collect()
    };
    let (mut removed, mut added) = (present(before), Vec::new());
    for each in present(after) {
        match removed.iter().position(|old| *old == each) {
            Some(at) => drop(removed.swap_remove(at)),
            None => added.push(each),
        }
    }
    removed.sort();
    let changes = removed.iter().map(|each| (each, true)).chain(added.iter().map(|each| (each, false)));
    for (each, gone) in changes {
        let shown = Some(value_text(model, elem, each));
        let (from, to) = if gone { (shown, None) } else { (None, shown) };
        found.push(Difference { slot: Slot(slot), path: format!("{path}{{}}"), from, to });
    }
}

/// A whole value on one line; undefined parts are left out.
pub fn value_text(model: &Model, ty: TypeId, cells: &[i64]) -> String {
    let types = &model.types;
    let defined = |cells: &[i64]| cells.iter().any(|&cell| cell != UNDEFINED);
    let parts: Vec<String> = match types.get(ty) {
        Type::Record { fields } => fields
            .iter()
            .map(|f| (f, &cells[f.offset as usize..f.offset as usize + types.cells(f.ty) as usize]))
            .filter(|(_, cells)| defined(cells))
            .map(|(field, cells)| format!("{}: {}", field.name, value_text(model, field.ty, cells)))
            .collect(),
        Type::Array { index, elem } => cells
            .chunks(types.cells(*elem).max(1) as usize)
            .enumerate()
            .filter(|(_, cells)| defined(cells))
            .map(|(at, cells)| {
                let value = types.first(*index).wrapping_add(at as i64);
                format!("{}: {}", types.value_name(*index, value), value_text(model, *elem, cells))
            })
            .collect(),
        Type::Multiset { elem, .. } => cells
            .chunks(types.cells(*elem) as usize + 1)
            .filter(|each| each[0] == 1)
            .map(|each| value_text(model, *elem, &each[1..]))
            .collect(),
        _ if cells[0] == UNDEFINED => return "undefined".to_string(),
        _ => return types.value_name(ty, cells[0]),
    };
    format!("{{{}}}", parts.join(", "))
}

/// `name, i: NODE_1` for a rule instance.
pub fn instance_name(model: &Model, instance: Instance) -> String {
    let rule = model.rule(instance.rule);
    let mut text = rule.name.clone();
    for (name, value) in model.instance_params(&rule.binders, instance.index) {
        let _ = write!(text, ", {name}: {value}");
    }
    text
}
