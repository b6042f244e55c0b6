//! Expressions other than operators: literals, designators, quantifiers, predicates.

use super::places::Meant;
use super::scope::{Named, Symbol};
use super::{Lower, Lowerer};
use crate::ir::{Base, ExprId, ExprKind, Type, TypeId, Types};
use crate::syntax::{Diagnostic, Span, ast};

impl<'a> Lowerer<'a> {
    /// An expression of any type.
    pub(super) fn value(&mut self, tree: &'a ast::Expr) -> Lower<ExprId> {
        let span = tree.span;
        match &tree.kind {
            ast::ExprKind::Int { value, hex } => {
                if !hex && *value > 7 && self.source.slice(span).starts_with('0') {
                    let message = format!("this number is octal and means {value}");
                    let help = "Rumur reads it so; CMurphi would read it as decimal";
                    self.warn(Diagnostic::warning(span, message).help(help.to_string()));
                }
                Ok(self.expr(ExprKind::Const(*value), Types::INT, span))
            }
            ast::ExprKind::Bool(value) => {
                Ok(self.expr(ExprKind::Const(i64::from(*value)), Types::BOOL, span))
            }
            ast::ExprKind::Real(text) => {
                let message = format!("`{text}` is not an integer; `real` numbers are not supported");
                Err(self.error(span, message))
            }
            ast::ExprKind::Undefined(name) => self.undefined(name, span),
            ast::ExprKind::Designator(designator) => match self.designator(designator)? {
                Meant::Value(expr) => Ok(expr),
                Meant::Place(place, _) => {
                    let ty = place.ty;
                    Ok(self.expr(ExprKind::Read(place), ty, span))
                }
            },
            ast::ExprKind::Call { name, args } => self.call_named(name, args, span),
            ast::ExprKind::Unary { op, operand } => self.unary(*op, operand, span),
            ast::ExprKind::Binary { op, left, right } => self.binary(*op, left, right, span),
            ast::ExprKind::Chain { first, rest } => self.chain(first, rest, span),
            ast::ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, span)
            }
            ast::ExprKind::Quantified { all, quantifiers, body } => {
                self.quantified(*all, quantifiers, body, span)
            }
            ast::ExprKind::IsUndefined(designator) => self.is_undefined(designator, span),
            ast::ExprKind::IsMember { value, ty } => self.is_member(value, ty, span),
            ast::ExprKind::MultisetCount { index, multiset, predicate } => {
                self.multiset_count(index, multiset, predicate, span)
            }
        }
    }

    /// An expression that must be boolean.
    pub(super) fn boolean(&mut self, tree: &'a ast::Expr, what: &str) -> Lower<ExprId> {
        let expr = self.value(tree)?;
        self.coerce(expr, Types::BOOL, tree.span, what)
    }

    fn undefined(&mut self, name: &'a ast::Name, span: Span) -> Lower<ExprId> {
        match self.scopes.find(&name.text).cloned() {
            None => {
                self.model.cmurphi_only = true;
                Ok(self.expr(ExprKind::Undefined, Types::INT, span))
            }
            Some(Symbol::Place(Named { base, offset, ty, .. })) => {
                let place = crate::ir::Place { base, offset, indices: Vec::new(), ty, span: super::at(span) };
                Ok(self.expr(ExprKind::Read(place), ty, span))
            }
            Some(Symbol::Const { ty, value }) => Ok(self.expr(ExprKind::Const(value), ty, span)),
            Some(Symbol::Broken) => Err(super::Reported),
            Some(_) => Err(self.error(span, format!("`{}` is not a value", name.text))),
        }
    }

    fn conditional(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Expr,
        otherwise: &'a ast::Expr,
        span: Span,
    ) -> Lower<ExprId> {
        let test = self.boolean(condition, "the condition");
        let (then, otherwise) = (self.value(then), self.value(otherwise));
        let (test, then, otherwise) = (test?, then?, otherwise?);
        let (then, otherwise, ty) = self.unify(then, otherwise, span, "both results of `?:`")?;
        match self.constant(test) {
            Some(0) => Ok(otherwise),
            Some(_) => Ok(then),
            None => Ok(self.expr(ExprKind::Conditional { condition: test, then, otherwise }, ty, span)),
        }
    }

    fn quantified(
        &mut self,
        all: bool,
        quantifiers: &'a [ast::Quantifier],
        body: &'a ast::Expr,
        span: Span,
    ) -> Lower<ExprId> {
        self.scopes.open();
        let mut bound = Vec::new();
        let mut failed = None;
        for quantifier in quantifiers {
            match self.bind_quantifier(quantifier) {
                Ok(each) => bound.push(each),
                Err(reported) => failed = Some(reported),
            }
        }
        let inner = self.boolean(body, "the body of a quantifier");
        self.scopes.close();
        if let Some(reported) = failed {
            return Err(reported);
        }
        let mut body = inner?;
        for (local, domain) in bound.into_iter().rev() {
            body = self.expr(ExprKind::Quantified { all, local, domain, body }, Types::BOOL, span);
        }
        Ok(body)
    }

    fn is_undefined(&mut self, designator: &'a ast::Designator, span: Span) -> Lower<ExprId> {
        let place = self.place(designator, "the argument of `isundefined`")?;
        if !self.model.types.is_simple(place.ty) {
            let message = format!("`isundefined` is about simple values, not {}", self.show(place.ty));
            return Err(self.error(designator.span, message));
        }
        Ok(self.expr(ExprKind::IsUndefined(place), Types::BOOL, span))
    }

    fn is_member(&mut self, value: &'a ast::Expr, ty: &'a ast::TypeExpr, span: Span) -> Lower<ExprId> {
        let expr = self.value(value);
        let ty = self.finite_type(ty, "the type in `ismember`");
        let (expr, ty) = (expr?, ty?);
        if !self.model.types.is_simple(self.type_of(expr)) {
            let message = format!("`ismember` is about simple values, not {}", self.show(self.type_of(expr)));
            return Err(self.error(value.span, message));
        }
        Ok(self.expr(ExprKind::IsMember { value: expr, ty }, Types::BOOL, span))
    }

    fn multiset_count(
        &mut self,
        index: &'a ast::Name,
        multiset: &'a ast::Designator,
        predicate: &'a ast::Expr,
        span: Span,
    ) -> Lower<ExprId> {
        let (set, _, capacity) = self.multiset(multiset, false)?;
        self.scopes.open();
        let local = self.bind_position(index, set.ty, capacity);
        let predicate = self.boolean(predicate, "the predicate of `multisetcount`");
        self.scopes.close();
        let (local, predicate) = (local?, predicate?);
        Ok(self.expr(ExprKind::MultisetCount { local, set, predicate }, Types::INT, span))
    }

    /// Declares a name for a position of a multiset.
    pub(super) fn bind_position(
        &mut self,
        name: &ast::Name,
        set: TypeId,
        capacity: u32,
    ) -> Lower<crate::ir::Local> {
        let ty = self.model.types.intern(Type::Position { set, capacity });
        let local = self.new_local(&name.text, ty, false, name.span)?;
        let read_only = Some("it is a position in a multiset");
        self.declare(name, Symbol::Place(Named { base: Base::Frame, offset: local.0, ty, read_only }));
        Ok(local)
    }
}
