//! Estimates of how many instructions expressions take, to choose between branches and none.
//!
//! Children have smaller numbers than their parents, so one pass in order does; calls are worth the body of
//! what they call where that is one `return`, and much otherwise.

use super::frame::each_child;
use crate::ir::{Domain, ExprId, ExprKind, Model, StmtKind};

const CALL_COST: u32 = 200;

pub fn costs(model: &Model) -> Vec<u32> {
    let mut costs: Vec<u32> = Vec::with_capacity(model.exprs.len());
    for at in 0..model.exprs.len() {
        let id = ExprId(at as u32);
        let mut inner = 0u32;
        each_child(model, id, &mut |child| {
            inner = inner.saturating_add(costs.get(child.0 as usize).copied().unwrap_or(CALL_COST));
        });
        costs.push(match &model.expr(id).kind {
            ExprKind::Const(_) | ExprKind::Undefined => 0,
            ExprKind::Read(place) | ExprKind::IsUndefined(place) => {
                inner.saturating_add(5 + 3 * place.indices.len() as u32)
            }
            ExprKind::Quantified { domain, .. } => {
                inner.saturating_mul(iterations(model, domain)).saturating_add(2)
            }
            ExprKind::MultisetCount { set, .. } => {
                inner.saturating_add(5).saturating_mul(model.types.cells(set.ty).min(64) as u32)
            }
            ExprKind::Arith(..) => inner.saturating_add(3),
            ExprKind::Call { func, .. } => match &model.func(*func).body[..] {
                [stmt] => match stmt.kind {
                    StmtKind::Return(Some(result)) => {
                        costs.get(result.0 as usize).copied().unwrap_or(CALL_COST).saturating_add(5)
                    }
                    _ => CALL_COST,
                },
                _ => CALL_COST,
            },
            _ => inner.saturating_add(2),
        });
    }
    costs
}

fn iterations(model: &Model, domain: &Domain) -> u32 {
    match domain {
        Domain::Type(ty) => model.types.count(*ty).min(1 << 16) as u32,
        Domain::Steps { .. } => 8,
    }
}
