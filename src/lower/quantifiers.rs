//! Bound names: of quantifiers and loops (bounds may be worked out at run time) and of rulesets (constant).

use super::scope::{Named, Symbol};
use super::{Lower, Lowerer};
use crate::ir::{Base, Domain, ExprId, Local, ParamDomain, Type, TypeId, Types};
use crate::syntax::{Diagnostic, Span, ast};

impl<'a> Lowerer<'a> {
    /// Declares the name of a quantifier or loop in the innermost scope.
    pub(super) fn bind_quantifier(&mut self, tree: &'a ast::Quantifier) -> Lower<(Local, Domain)> {
        let domain = self.domain(&tree.domain);
        let bound = domain.and_then(|(ty, domain)| {
            let local = self.new_local(&tree.name.text, ty, false, tree.name.span)?;
            Ok((ty, local, domain))
        });
        let symbol = bound.as_ref().map_or(Symbol::Broken, |(ty, local, _)| named(*ty, *local));
        self.declare(&tree.name, symbol);
        bound.map(|(_, local, domain)| (local, domain))
    }

    fn domain(&mut self, tree: &'a ast::Domain) -> Lower<(TypeId, Domain)> {
        let (from_tree, to_tree, by_tree) = match tree {
            ast::Domain::Type(ty) => {
                let ty = self.finite_type(ty, "the type of a bound variable")?;
                return Ok((ty, Domain::Type(ty)));
            }
            ast::Domain::Range { from, to, by } => (from, to, by),
        };
        let (from, to) = (self.value(from_tree), self.value(to_tree));
        let by = match by_tree {
            Some(by) => Some(self.value(by)?),
            None => None,
        };
        let (from, to) = (from?, to?);
        let span = from_tree.span.to(to_tree.span);
        if let (Some(by), Some(tree)) = (by, by_tree) {
            self.coerce(by, Types::INT, tree.span, "the step")?;
        }
        let ty = self.bounds_type(from, to, span)?;
        self.check_steps(from, to, by, span)?;
        Ok((ty, Domain::Steps { from, to, by }))
    }

    /// The type of a variable that runs between two bounds.
    fn bounds_type(&mut self, from: ExprId, to: ExprId, span: Span) -> Lower<TypeId> {
        let (from, to, ty) = self.unify(from, to, span, "both bounds")?;
        match self.model.types.get(ty) {
            Type::Enum { .. } => return Ok(ty),
            Type::Range { .. } => {}
            _ => {
                let message = format!("cannot count from one {} to another", self.show(ty));
                let why = self.why_not_number(ty);
                return Err(self.report(Diagnostic::error(span, message).help(why)));
            }
        }
        Ok(match (self.constant(from), self.constant(to)) {
            (Some(a), Some(b)) => self.model.types.intern(Type::Range { lo: a.min(b), hi: a.max(b) }),
            _ => Types::INT,
        })
    }

    /// Refuses constant steps that never arrive. Without a step, an inverted range is empty.
    fn check_steps(&mut self, from: ExprId, to: ExprId, by: Option<ExprId>, span: Span) -> Lower<()> {
        let Some(step) = by.and_then(|by| self.constant(by)) else { return Ok(()) };
        if step == 0 {
            return Err(self.error(span, "a step of 0 never arrives"));
        }
        if let (Some(from), Some(to)) = (self.constant(from), self.constant(to))
            && ((step > 0 && from > to) || (step < 0 && from < to))
        {
            let message = format!("steps of {step} from {from} never arrive at {to}");
            return Err(self.error(span, message));
        }
        Ok(())
    }

    /// The constant domain of a ruleset's or process's parameter.
    pub(super) fn param_domain(&mut self, tree: &'a ast::Quantifier) -> Lower<ParamDomain> {
        let (ty, domain) = self.domain(&tree.domain)?;
        let (from, to, by) = match domain {
            Domain::Type(ty) => return Ok(ParamDomain::Type(ty)),
            Domain::Steps { from, to, by } => (from, to, by),
        };
        let step = by.map_or(Some(1), |by| self.constant(by));
        let (Some(first), Some(last), Some(step)) = (self.constant(from), self.constant(to), step) else {
            return Err(self.error(tree.span, "the bounds of a ruleset must be constant"));
        };
        let empty = if step > 0 { first > last } else { first < last };
        let count = if empty { 0 } else { first.abs_diff(last) / step.unsigned_abs() + 1 };
        Ok(ParamDomain::Steps { ty, first, step, count })
    }
}

/// A bound name: it may be stored to, as in Rumur, which changes nothing outside the iteration.
pub(super) fn named(ty: TypeId, local: Local) -> Symbol {
    Symbol::Place(Named { base: Base::Frame, offset: local.0, ty, read_only: None })
}
