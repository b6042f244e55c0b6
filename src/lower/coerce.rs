//! Which types fit each other: for assignments, arguments, comparisons and conditionals.
//!
//! All ranges fit each other; stores are checked at run time. A union fits its members and other unions
//! that share one, with a conversion that is checked where it may fail. Everything else must be the same
//! type; records and arrays with the same parts are the same type.

use super::{Lower, Lowerer};
use crate::ir::{ExprId, ExprKind, Type, TypeId, Types};
use crate::syntax::{Diagnostic, Span};

/// How many values a range may have as part of a union.
const UNION_RANGE_MAX: u64 = 1 << 32;

impl<'a> Lowerer<'a> {
    /// The expression as a value of the type.
    pub(super) fn coerce(&mut self, expr: ExprId, to: TypeId, span: Span, what: &str) -> Lower<ExprId> {
        let from = self.type_of(expr);
        if from == to || (self.model.types.is_range(from) && self.model.types.is_range(to)) {
            return Ok(expr);
        }
        if let ExprKind::Undefined = self.model.expr(expr).kind {
            return Ok(self.expr(ExprKind::Undefined, to, span));
        }
        if self.overlaps(from, to) {
            return Ok(self.convert(expr, to, span));
        }
        let message = format!("{what} must be {}, not {}", self.show(to), self.show(from));
        let mut diagnostic = Diagnostic::error(span, message);
        if let Some(reason) = self.why_apart(from, to) {
            diagnostic = diagnostic.help(reason);
        }
        Err(self.report(diagnostic))
    }

    fn convert(&mut self, expr: ExprId, to: TypeId, span: Span) -> ExprId {
        let from = self.type_of(expr);
        let known = self.constant(expr).and_then(|value| self.model.types.convert(from, to, value));
        match known {
            Some(value) => self.expr(ExprKind::Const(value), to, span),
            None => self.expr(ExprKind::Convert(expr), to, span),
        }
    }

    /// Whether some value of a union and another type are the same.
    fn overlaps(&self, a: TypeId, b: TypeId) -> bool {
        let types = &self.model.types;
        let is_union = |ty| matches!(types.get(ty), Type::Union { .. });
        if !is_union(a) && !is_union(b) {
            return false;
        }
        let parts = |ty| if is_union(ty) { types.atoms(ty).to_vec() } else { vec![ty] };
        let (left, right) = (parts(a), parts(b));
        left.iter().any(|&x| right.iter().any(|&y| x == y || (types.is_range(x) && types.is_range(y))))
    }

    fn why_apart(&self, from: TypeId, to: TypeId) -> Option<&'static str> {
        match (self.model.types.get(from), self.model.types.get(to)) {
            (Type::Range { .. }, Type::Scalarset { .. }) => Some(
                "a scalarset's values have no names: they only come from bound variables and other variables",
            ),
            (Type::Scalarset { .. }, Type::Scalarset { .. }) => {
                Some("each scalarset declaration is a type of its own, permuted by itself")
            }
            (Type::Record { .. }, Type::Record { .. }) => {
                Some("records are the same type only where fields, their order and their types are the same")
            }
            _ => None,
        }
    }

    /// Both expressions as values of one type, for comparing them or choosing between them.
    pub(super) fn unify(
        &mut self,
        a: ExprId,
        b: ExprId,
        span: Span,
        what: &str,
    ) -> Lower<(ExprId, ExprId, TypeId)> {
        let (left, right) = (self.type_of(a), self.type_of(b));
        if left == right {
            return Ok((a, b, left));
        }
        if self.model.types.is_range(left) && self.model.types.is_range(right) {
            return Ok((a, b, Types::INT));
        }
        if !self.overlaps(left, right) {
            let message =
                format!("{what} must have the same type, not {} and {}", self.show(left), self.show(right));
            let mut diagnostic = Diagnostic::error(span, message);
            if let Some(reason) = self.why_apart(left, right).or_else(|| self.why_apart(right, left)) {
                diagnostic = diagnostic.help(reason);
            }
            return Err(self.report(diagnostic));
        }
        let ty = match (self.is_unbounded(left), self.is_unbounded(right)) {
            (true, _) => right,
            (_, true) => left,
            _ => self.joint_union(left, right),
        };
        Ok((self.convert_to(a, ty, span), self.convert_to(b, ty, span), ty))
    }

    fn convert_to(&mut self, expr: ExprId, ty: TypeId, span: Span) -> ExprId {
        if self.type_of(expr) == ty { expr } else { self.convert(expr, ty, span) }
    }

    /// Whether a range is too wide to be numbered as part of a union.
    pub(super) fn is_unbounded(&self, ty: TypeId) -> bool {
        self.model.types.is_range(ty) && self.model.types.count(ty) > UNION_RANGE_MAX
    }

    /// A union with the values of both types.
    fn joint_union(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let parts = |types: &Types, ty| match types.get(ty) {
            Type::Union { atoms } => atoms.clone(),
            _ => vec![ty],
        };
        let mut atoms = parts(&self.model.types, a);
        for atom in parts(&self.model.types, b) {
            if !atoms.contains(&atom) && !self.covered_by(atom, &atoms) {
                atoms.push(atom);
            }
        }
        self.model.types.intern(Type::Union { atoms })
    }

    /// Whether a range lies within another that is there already.
    fn covered_by(&self, atom: TypeId, atoms: &[TypeId]) -> bool {
        let types = &self.model.types;
        let Type::Range { lo, hi } = types.get(atom) else { return false };
        atoms
            .iter()
            .any(|&each| types.is_range(each) && types.contains(each, *lo) && types.contains(each, *hi))
    }
}
