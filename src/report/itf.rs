//! A trace in the Informal Trace Format (ITF) of the Apalache project: JSON that trace viewers read.
//!
//! Each state has one variable for each of the model's, as printed values: records are objects, arrays are maps from
//! printed indices, multisets are lists. `loop` is the index of the state that a lasso returns to.

use serde_json::{Map, Value, json};

use crate::ir::{Model, Type, TypeId, UNDEFINED};
use crate::verdict::{Ending, Lasso, Trace, TraceStep};

/// The ITF document of a trace; of one that goes round, up to the state before it closes.
pub fn document(model: &Model, trace: &Trace) -> String {
    match trace.ending {
        Ending::Round { back, .. } => {
            written(model, &trace.steps[..trace.steps.len() - 1], Some(back as usize))
        }
        _ => written(model, &trace.steps, None),
    }
}

/// The ITF document of a lasso: the stem, then the cycle up to the state before it closes. The state that follows the
/// last one is the one `loop` names; a run that stays where it is has its last state there.
pub fn lasso(model: &Model, lasso: &Lasso) -> String {
    let stem = &lasso.stem.steps;
    // The cycle's last step leads back to the last state of the stem.
    let cycle = &lasso.cycle[..lasso.cycle.len().saturating_sub(1)];
    let steps: Vec<TraceStep> = stem.iter().chain(cycle).cloned().collect();
    written(model, &steps, Some(stem.len() - 1))
}

/// `loop_at` is the state that the end leads back to.
fn written(model: &Model, steps: &[TraceStep], loop_at: Option<usize>) -> String {
    let vars: Vec<&str> = model.vars.iter().map(|var| var.name.as_str()).collect();
    let states: Vec<Value> =
        steps.iter().enumerate().map(|(index, step)| state(model, index, step)).collect();
    let mut document = json!({
        "#meta": { "format": "ITF", "source": model.source.name(), "tool": super::document::tool() },
        "vars": vars,
        "states": states,
    });
    if let Some(at) = loop_at {
        document["loop"] = json!(at);
    }
    serde_json::to_string_pretty(&document).expect("plain data") + "\n"
}

fn state(model: &Model, index: usize, step: &TraceStep) -> Value {
    let mut state = Map::new();
    let mut action = step.rule.clone();
    for (name, value) in &step.params {
        action += &format!(", {name} = {value}");
    }
    state.insert("#meta".to_string(), json!({ "index": index, "action": action }));
    for var in &model.vars {
        let first = var.first.0 as usize;
        let cells = &step.state[first..first + model.types.cells(var.ty) as usize];
        state.insert(var.name.clone(), value(model, var.ty, cells));
    }
    Value::Object(state)
}

fn value(model: &Model, ty: TypeId, cells: &[i64]) -> Value {
    let types = &model.types;
    match types.get(ty) {
        Type::Record { fields } => {
            let field = |f: &crate::ir::Field| {
                let first = f.offset as usize;
                (f.name.clone(), value(model, f.ty, &cells[first..first + types.cells(f.ty) as usize]))
            };
            Value::Object(fields.iter().map(field).collect())
        }
        Type::Array { index, elem } => {
            let stride = (types.cells(*elem) as usize).max(1);
            let pair = |(at, part): (usize, &[i64])| {
                let key = types.value_name(*index, types.first(*index) + at as i64);
                json!([key, value(model, *elem, part)])
            };
            json!({ "#map": cells.chunks(stride).enumerate().map(pair).collect::<Vec<_>>() })
        }
        Type::Multiset { elem, .. } => {
            let stride = types.cells(*elem) as usize + 1;
            let present = cells.chunks(stride).filter(|part| part[0] != UNDEFINED);
            Value::Array(present.map(|part| value(model, *elem, &part[1..])).collect())
        }
        _ if cells.first().is_none_or(|&cell| cell == UNDEFINED) => json!("undefined"),
        Type::Range { .. } => json!(cells[0]),
        _ => match types.value_name(ty, cells[0]).as_str() {
            "true" => json!(true),
            "false" => json!(false),
            name => json!(name),
        },
    }
}
