//! Constants: declarations, overrides, and expressions that must be constant.
//!
//! There is no separate evaluator: expressions of constants fold while they are lowered, so an expression
//! is constant exactly when it came out as one value.

use super::scope::Symbol;
use super::{Lower, Lowerer};
use crate::ir::eval::arith;
use crate::ir::{ArithOp, ExprId, ExprKind, Type, TypeId, Types};
use crate::syntax::{Diagnostic, Span, ast, nearest};

impl<'a> Lowerer<'a> {
    /// An expression that must be constant: its type and value.
    pub(super) fn constant_expr(&mut self, expr: &'a ast::Expr, what: &str) -> Lower<(TypeId, i64)> {
        let id = self.value(expr)?;
        match self.certain(id) {
            Some(value) => Ok((self.type_of(id), value)),
            None => Err(self.error(expr.span, format!("{what} must be constant"))),
        }
    }

    /// The value of an expression that has only one, whatever its other parts are: `0 * f()` is 0. Only
    /// where a constant is needed; elsewhere, all parts are worked out for their errors.
    fn certain(&self, id: ExprId) -> Option<i64> {
        let any = |terms: &[ExprId], value: i64| terms.iter().any(|&term| self.certain(term) == Some(value));
        match &self.model.expr(id).kind {
            ExprKind::Const(value) => Some(*value),
            ExprKind::And(terms) if any(terms, 0) => Some(0),
            ExprKind::Or(terms) if any(terms, 1) => Some(1),
            ExprKind::Implies(a, b) if self.certain(*a) == Some(0) || self.certain(*b) == Some(1) => Some(1),
            ExprKind::Arith(op, a, b) => match (self.certain(*a), self.certain(*b)) {
                (Some(a), Some(b)) => arith(*op, a, b, Default::default()).ok(),
                (Some(0), None) => zero_stays(*op).then_some(0),
                (None, Some(0)) => matches!(op, ArithOp::Mul | ArithOp::BitAnd).then_some(0),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn constant_int(&mut self, expr: &'a ast::Expr, what: &str) -> Lower<i64> {
        let (ty, value) = self.constant_expr(expr, what)?;
        if !self.model.types.is_range(ty) {
            let message = format!("{what} must be an integer, not {}", self.show(ty));
            return Err(self.error(expr.span, message));
        }
        Ok(value)
    }

    pub(super) fn const_decl(&mut self, decl: &'a ast::Decl, expr: &'a ast::Expr) -> Lower<()> {
        let written = self.constant_expr(expr, "the value of a constant");
        for name in &decl.names {
            let global = self.scopes.is_global();
            let overridden = if global { self.override_of(&name.text) } else { None };
            let value = match overridden {
                Some(text) => self.override_value(name, &text),
                None => written,
            };
            if let (Ok((ty, value)), true) = (value, global) {
                self.model.constants.push((name.text.clone(), self.model.types.value_name(ty, value)));
            }
            let symbol = value.map_or(Symbol::Broken, |(ty, value)| Symbol::Const { ty, value });
            self.declare(name, symbol);
        }
        written.map(|_| ())
    }

    /// The last override of a constant, all of them marked as used.
    fn override_of(&mut self, name: &str) -> Option<String> {
        let mut found = None;
        for (each, value, used) in &mut self.overrides {
            if each == name {
                *used = true;
                found = Some(value.clone());
            }
        }
        found
    }

    fn override_value(&mut self, name: &ast::Name, text: &str) -> Lower<(TypeId, i64)> {
        if let Some(value) = text.parse::<i64>().ok().filter(|&value| value != i64::MIN) {
            return Ok((Types::INT, value));
        }
        match text.to_ascii_lowercase().as_str() {
            "true" => return Ok((Types::BOOL, 1)),
            "false" => return Ok((Types::BOOL, 0)),
            _ => {}
        }
        match self.scopes.find(text) {
            Some(&Symbol::Const { ty, value }) => Ok((ty, value)),
            _ => {
                let message = format!("`{text}`, given for the constant `{}`, is not a value", name.text);
                Err(self.error(name.span, message))
            }
        }
    }

    /// Reports overrides that no constant took.
    pub(super) fn check_overrides(&mut self) {
        let unused: Vec<String> =
            self.overrides.iter().filter(|(_, _, used)| !used).map(|(name, _, _)| name.clone()).collect();
        for name in unused {
            let known: Vec<&str> = self.model.constants.iter().map(|(name, _)| name.as_str()).collect();
            let near = nearest(&name, known.iter().copied()).map(str::to_string);
            let message = format!("the model has no constant `{name}` to override");
            let diagnostic = Diagnostic::error(Span::new(0, 0), message).suggest(near.as_deref());
            self.report(diagnostic);
        }
    }

    /// Why a type's values cannot be computed with, for messages.
    pub(super) fn why_not_number(&self, ty: TypeId) -> &'static str {
        match self.model.types.get(ty) {
            Type::Scalarset { .. } => {
                "the values of a scalarset are interchangeable: they have no order and no numbers"
            }
            Type::Union { .. } => "the values of a union have no order and no numbers",
            Type::Enum { .. } => "the values of an enum are names, not numbers",
            Type::Position { .. } => "a place in a multiset is not a number",
            _ => "only integers can be computed with",
        }
    }
}

/// Whether an operator with 0 on its left gives 0, whatever is on its right.
fn zero_stays(op: ArithOp) -> bool {
    matches!(
        op,
        ArithOp::Mul
            | ArithOp::Div
            | ArithOp::Mod
            | ArithOp::BitAnd
            | ArithOp::ShiftLeft
            | ArithOp::ShiftRight
    )
}
