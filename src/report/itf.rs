//! A trace in the Informal Trace Format (ITF) of the Apalache project: JSON that trace viewers read.
//!
//! Each state has one variable for each of the model's, as printed values: records are objects, arrays are maps from
//! printed indices, multisets are lists. `loop` is the index of the state that a lasso returns to.

use serde_json::{Map, Value, json};

use crate::ir::{Model, Type, TypeId, UNDEFINED};
use crate::verdict::Trace;

/// The ITF document of a trace; `loop_at` is the state that its end leads back to.
pub fn document(model: &Model, trace: &Trace, loop_at: Option<usize>) -> String {
    let vars: Vec<&str> = model.vars.iter().map(|var| var.name.as_str()).collect();
    let states: Vec<Value> = trace
        .steps
        .iter()
        .enumerate()
        .map(|(index, step)| {
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
        })
        .collect();
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
