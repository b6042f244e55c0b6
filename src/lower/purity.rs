//! Which functions store outside their own frames, and so which guards have side effects.
//!
//! A store through a reference counts as one outside: what it points to is the caller's business. The
//! flags only ever turn from pure to impure, once for each function, so the iteration ends.

use super::Lowerer;
use crate::ir::{Base, Block, ExprKind, Model, StmtKind};
use crate::syntax::{Diagnostic, Span};

impl Lowerer<'_> {
    /// Fills in `Func::pure` and `Rule::guard_pure`; an impure guard is worth a warning.
    pub(super) fn find_purity(&mut self) {
        for func in &mut self.model.funcs {
            func.pure = true;
        }
        loop {
            let (model, effects) = (&self.model, effects(&self.model));
            let impure: Vec<usize> = (0..model.funcs.len())
                .filter(|&at| model.funcs[at].pure && stores(&effects, model, &model.funcs[at].body))
                .collect();
            if impure.is_empty() {
                break;
            }
            impure.into_iter().for_each(|at| self.model.funcs[at].pure = false);
        }
        let calls: Vec<bool> = effects(&self.model);
        let mut impure_guards = Vec::new();
        for rule in &mut self.model.rules {
            rule.guard_pure = rule.guard.is_none_or(|guard| !calls[guard.0 as usize]);
            if let (false, Some(guard)) = (rule.guard_pure, rule.guard) {
                impure_guards.push(guard);
            }
        }
        for guard in impure_guards {
            let span = self.model.expr(guard).span;
            let message = "the guard changes variables; what it does becomes part of the rule's step";
            self.warn(Diagnostic::warning(Span::new(span.start, span.end), message));
        }
    }
}

/// For each expression, whether evaluating it may store outside its frames: children come before parents.
fn effects(model: &Model) -> Vec<bool> {
    let mut effects: Vec<bool> = Vec::with_capacity(model.exprs.len());
    for expr in &model.exprs {
        let calls = matches!(&expr.kind, ExprKind::Call { func, .. } if !model.func(*func).pure);
        let effect = calls || expr.kind.children().iter().any(|child| effects[child.0 as usize]);
        effects.push(effect);
    }
    effects
}

fn stores(effects: &[bool], model: &Model, block: &Block) -> bool {
    block.iter().any(|stmt| {
        stmt.stores().iter().any(|place| place.base != Base::Frame)
            || matches!(&stmt.kind, StmtKind::Call { func, .. } if !model.func(*func).pure)
            || stmt.exprs().iter().any(|expr| effects[expr.0 as usize])
            || stmt.blocks().iter().any(|body| stores(effects, model, body))
    })
}
