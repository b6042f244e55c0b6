//! Which functions store outside their own frames, and so which guards have side effects.
//!
//! A store through a reference counts as one outside: what it points to is the caller's business. A
//! subprogram can only call itself and those before it, so one pass in the order of the text is enough.

use super::Lowerer;
use crate::ir::{Base, Block, ExprKind, Model, StmtKind};
use crate::syntax::{Diagnostic, Span};

impl Lowerer<'_> {
    /// Fills in `Func::pure` and `Rule::guard_pure`; an impure guard is worth a warning.
    pub(super) fn find_purity(&mut self) {
        let mut effects = Vec::with_capacity(self.model.exprs.len());
        for at in 0..self.model.funcs.len() {
            self.model.funcs[at].pure = true;
            extend_effects(&self.model, self.func_ends[at], &mut effects);
            self.model.funcs[at].pure = !stores(&effects, &self.model, &self.model.funcs[at].body);
        }
        extend_effects(&self.model, self.model.exprs.len(), &mut effects);
        let mut impure_guards = Vec::new();
        for rule in &mut self.model.rules {
            rule.guard_pure = rule.guard.is_none_or(|guard| !effects[guard.0 as usize]);
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

/// Goes on to note, for each expression before `end`, whether evaluating it may store outside its frames.
fn extend_effects(model: &Model, end: usize, effects: &mut Vec<bool>) {
    for expr in &model.exprs[effects.len()..end] {
        let calls = matches!(&expr.kind, ExprKind::Call { func, .. } if !model.func(*func).pure);
        let effect = calls || expr.kind.children().iter().any(|child| effects[child.0 as usize]);
        effects.push(effect);
    }
}

fn stores(effects: &[bool], model: &Model, block: &Block) -> bool {
    block.iter().any(|stmt| {
        stmt.stores().iter().any(|place| place.base != Base::Frame)
            || matches!(&stmt.kind, StmtKind::Call { func, .. } if !model.func(*func).pure)
            || stmt.exprs().iter().any(|expr| effects[expr.0 as usize])
            || stmt.blocks().iter().any(|body| stores(effects, model, body))
    })
}
