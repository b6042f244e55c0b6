//! Operators: which types they take, what they mean there, and folding of constants.
//!
//! `&` and `|` are logical on booleans and work bit by bit on integers, as in Rumur. A comparison with the
//! word `undefined` asks whether the other side is undefined.

use super::{DEPTH_MAX, Lower, Lowerer, at};
use crate::ir::eval::arith;
use crate::ir::{ArithOp, CompareOp, ExprId, ExprKind, Types};
use crate::syntax::ast::{self, BinOp, UnOp};
use crate::syntax::{Diagnostic, Span};

impl<'a> Lowerer<'a> {
    pub(super) fn unary(&mut self, op: UnOp, operand: &'a ast::Expr, span: Span) -> Lower<ExprId> {
        match op {
            UnOp::Not => {
                let inner = self.boolean(operand, "the operand of `!`")?;
                let known = self.constant(inner).map(|value| 1 - value);
                Ok(self.folded(known, ExprKind::Not(inner), Types::BOOL, span))
            }
            UnOp::Plus => self.integer(operand, "+"),
            UnOp::Minus => {
                let inner = self.integer(operand, "-")?;
                let known = self.constant(inner).and_then(i64::checked_neg);
                Ok(self.folded(known, ExprKind::Negate(inner), Types::INT, span))
            }
            UnOp::BitNot => {
                let inner = self.integer(operand, "~")?;
                let known = self.constant(inner).map(|value| !value).filter(|&value| value != i64::MIN);
                Ok(self.folded(known, ExprKind::BitNot(inner), Types::INT, span))
            }
        }
    }

    fn folded(&mut self, known: Option<i64>, kind: ExprKind, ty: crate::ir::TypeId, span: Span) -> ExprId {
        self.expr(known.map_or(kind, ExprKind::Const), ty, span)
    }

    /// An operand that must be a number.
    fn integer(&mut self, tree: &'a ast::Expr, symbol: &str) -> Lower<ExprId> {
        let expr = self.value(tree)?;
        self.require_integer(expr, tree.span, symbol)
    }

    fn require_integer(&mut self, expr: ExprId, span: Span, symbol: &str) -> Lower<ExprId> {
        let ty = self.type_of(expr);
        let undefined = matches!(self.model.expr(expr).kind, ExprKind::Undefined);
        if self.model.types.is_range(ty) && !undefined {
            return Ok(expr);
        }
        let message = match undefined {
            true => format!("`{symbol}` needs an integer, not `undefined`"),
            false => format!("`{symbol}` needs an integer, not {}", self.show(ty)),
        };
        let why = self.why_not_number(ty);
        Err(self.report(Diagnostic::error(span, message).help(why)))
    }

    pub(super) fn binary(
        &mut self,
        op: BinOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Lower<ExprId> {
        let compare = match op {
            BinOp::Implies => return self.implies(left, right, span),
            BinOp::Equal | BinOp::NotEqual => return self.equality(op, left, right, span),
            BinOp::Less => CompareOp::Less,
            BinOp::LessEq => CompareOp::LessEq,
            BinOp::Greater => CompareOp::Greater,
            BinOp::GreaterEq => CompareOp::GreaterEq,
            _ => {
                let link = (op, right, span);
                let first = self.value(left)?;
                return self.fold_arith(first, left.span, std::iter::once(link));
            }
        };
        let (a, b) = (self.integer(left, op.symbol()), self.integer(right, op.symbol()));
        let (a, b) = (a?, b?);
        let known = self.constant(a).zip(self.constant(b)).map(|(a, b)| {
            i64::from(match compare {
                CompareOp::Less => a < b,
                CompareOp::LessEq => a <= b,
                CompareOp::Greater => a > b,
                CompareOp::GreaterEq => a >= b,
            })
        });
        Ok(self.folded(known, ExprKind::Compare(compare, a, b), Types::BOOL, span))
    }

    fn implies(&mut self, left: &'a ast::Expr, right: &'a ast::Expr, span: Span) -> Lower<ExprId> {
        let (a, b) =
            (self.boolean(left, "the left side of `->`"), self.boolean(right, "the right side of `->`"));
        let (a, b) = (a?, b?);
        let known = self.constant(a).zip(self.constant(b)).map(|(a, b)| i64::from(a == 0 || b != 0));
        Ok(self.folded(known, ExprKind::Implies(a, b), Types::BOOL, span))
    }

    fn equality(
        &mut self,
        op: BinOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Lower<ExprId> {
        let (a, b) = (self.value(left), self.value(right));
        let (a, b) = (a?, b?);
        if let Some(asked) = self.undefined_test(a, b, span)? {
            return Ok(match op {
                BinOp::NotEqual => self.expr(ExprKind::Not(asked), Types::BOOL, span),
                _ => asked,
            });
        }
        let (a, b, _) = self.unify(a, b, span, &format!("both sides of `{}`", op.symbol()))?;
        let known = self.constant(a).zip(self.constant(b)).map(|(a, b)| a == b);
        Ok(match op {
            BinOp::NotEqual => {
                self.folded(known.map(|same| i64::from(!same)), ExprKind::NotEqual(a, b), Types::BOOL, span)
            }
            _ => self.folded(known.map(i64::from), ExprKind::Equal(a, b), Types::BOOL, span),
        })
    }

    /// `x = undefined`: the question whether x is.
    fn undefined_test(&mut self, a: ExprId, b: ExprId, span: Span) -> Lower<Option<ExprId>> {
        let is_word = |lowerer: &Self, id| matches!(lowerer.model.expr(id).kind, ExprKind::Undefined);
        let other = match (is_word(self, a), is_word(self, b)) {
            (false, false) => return Ok(None),
            (true, _) => b,
            _ => a,
        };
        match self.model.expr(other).kind.clone() {
            ExprKind::Read(place) if self.model.types.is_simple(place.ty) => {
                Ok(Some(self.expr(ExprKind::IsUndefined(place), Types::BOOL, span)))
            }
            _ => Err(self.error(span, "only a simple variable can be compared with `undefined`")),
        }
    }

    pub(super) fn chain(&mut self, first: &'a ast::Expr, rest: &'a [ast::Link], span: Span) -> Lower<ExprId> {
        let Some(op) = rest.first().map(|link| link.op) else { return self.value(first) };
        let head = self.value(first);
        let numeric = head.is_ok_and(|head| self.model.types.is_range(self.type_of(head)));
        let logical = match op {
            BinOp::AndAnd | BinOp::OrOr => true,
            BinOp::Amp | BinOp::Pipe => !numeric,
            _ => false,
        };
        if logical {
            return self.logical(op, head, first.span, rest, span);
        }
        let links = rest.iter().map(|link| (link.op, &link.operand, first.span.to(link.operand.span)));
        self.fold_arith(head?, first.span, links)
    }

    /// A run of one logical operator: all operands at one level, evaluated in order.
    fn logical(
        &mut self,
        op: BinOp,
        head: Lower<ExprId>,
        head_span: Span,
        rest: &'a [ast::Link],
        span: Span,
    ) -> Lower<ExprId> {
        let what = format!("each operand of `{}`", op.symbol());
        let head = head.and_then(|head| self.coerce(head, Types::BOOL, head_span, &what));
        let mut terms = Vec::with_capacity(rest.len() + 1);
        let mut failed = None;
        for term in std::iter::once(head).chain(rest.iter().map(|link| self.boolean(&link.operand, &what))) {
            match term {
                Ok(term) => terms.push(term),
                Err(reported) => failed = Some(reported),
            }
        }
        if let Some(reported) = failed {
            return Err(reported);
        }
        let all = matches!(op, BinOp::AndAnd | BinOp::Amp);
        let known: Option<Vec<i64>> = terms.iter().map(|&term| self.constant(term)).collect();
        let known = known.map(|values| {
            i64::from(if all { values.iter().all(|&v| v != 0) } else { values.iter().any(|&v| v != 0) })
        });
        let kind = if all { ExprKind::And(terms) } else { ExprKind::Or(terms) };
        Ok(self.folded(known, kind, Types::BOOL, span))
    }

    /// `first op operand op operand …`, from the left.
    fn fold_arith(
        &mut self,
        first: ExprId,
        first_span: Span,
        links: impl Iterator<Item = (BinOp, &'a ast::Expr, Span)>,
    ) -> Lower<ExprId> {
        let mut sum: Option<ExprId> = None;
        let mut failed = None;
        for (op, operand, span) in links {
            if sum.is_some_and(|sum| self.depths[sum.0 as usize] > DEPTH_MAX) {
                return Err(super::Reported);
            }
            let left = match sum {
                Some(sum) => Ok(sum),
                None => self.require_integer(first, first_span, op.symbol()),
            };
            match (left, self.integer(operand, op.symbol())) {
                (Ok(left), Ok(right)) => sum = Some(self.arith_node(op, left, right, span)),
                (Ok(left), Err(reported)) => {
                    (sum, failed) = (Some(left), Some(reported));
                }
                (Err(reported), _) => return Err(reported),
            }
        }
        failed.map_or(Ok(sum.unwrap_or(first)), Err)
    }

    fn arith_node(&mut self, op: BinOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let op = match op {
            BinOp::Add => ArithOp::Add,
            BinOp::Sub => ArithOp::Sub,
            BinOp::Mul => ArithOp::Mul,
            BinOp::Div => ArithOp::Div,
            BinOp::Mod => ArithOp::Mod,
            BinOp::ShiftLeft => ArithOp::ShiftLeft,
            BinOp::ShiftRight => ArithOp::ShiftRight,
            BinOp::Pipe | BinOp::OrOr => ArithOp::BitOr,
            BinOp::Caret => ArithOp::BitXor,
            _ => ArithOp::BitAnd,
        };
        let known = self.constant(left).zip(self.constant(right));
        let known = known.and_then(|(a, b)| arith(op, a, b, at(span)).ok());
        self.folded(known, ExprKind::Arith(op, left, right), Types::INT, span)
    }
}
