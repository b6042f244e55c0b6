//! Evaluation of expressions: simple values as `i64`, other values as the address where they stand.
//!
//! Logical operators and `?:` evaluate only what they need. Arithmetic is exact or a fault. Shifts follow
//! Rumur: a negative distance shifts the other way, and distances beyond the width give 0 (or the sign).

use super::super::expr::{ArithOp, CompareOp, Domain, ExprId, ExprKind, Local, Place};
use super::super::model::UNDEFINED;
use super::super::multiset::normalize;
use super::super::span::Span;
use super::super::types::TypeId;
use super::place::{Addr, multiset_stride};
use super::{Compat, FaultKind, Machine, NESTING_MAX, Run, Stop};

/// A domain worked out: the values `first`, `first + step`, …, up to and including `last`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values {
    next: Option<i64>,
    last: i64,
    step: i64,
}

impl Iterator for Values {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        let value = self.next?;
        let within = |v: &i64| if self.step > 0 { *v <= self.last } else { *v >= self.last };
        self.next = value.checked_add(self.step).filter(within);
        Some(value)
    }
}

impl<'m> Machine<'m> {
    /// The value of a simple-typed expression.
    pub(super) fn eval(&mut self, id: ExprId) -> Run<i64> {
        self.deeper(self.model.expr(id).span)?;
        let value = self.eval_kind(id);
        self.depth -= 1;
        value
    }

    pub(super) fn deeper(&mut self, span: Span) -> Run<()> {
        if self.depth >= NESTING_MAX {
            let message = format!("more than {NESTING_MAX} evaluations nested in each other");
            return Err(Stop::fault(FaultKind::RecursionLimit, span, message));
        }
        self.depth += 1;
        Ok(())
    }

    fn eval_kind(&mut self, id: ExprId) -> Run<i64> {
        let expr = self.model.expr(id);
        match &expr.kind {
            ExprKind::Const(value) => Ok(*value),
            ExprKind::Undefined => Ok(UNDEFINED),
            ExprKind::Read(place) => self.read(place),
            ExprKind::Not(inner) => Ok(1 - self.eval(*inner)?),
            ExprKind::And(terms) => self.all_or_any(terms, 0),
            ExprKind::Or(terms) => self.all_or_any(terms, 1),
            ExprKind::Implies(a, b) => Ok(if self.eval(*a)? == 0 { 1 } else { self.eval(*b)? }),
            ExprKind::Conditional { condition, then, otherwise } => {
                let taken = if self.eval(*condition)? != 0 { *then } else { *otherwise };
                self.eval(taken)
            }
            ExprKind::Equal(a, b) => self.equal(*a, *b).map(i64::from),
            ExprKind::NotEqual(a, b) => Ok(i64::from(!self.equal(*a, *b)?)),
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.eval(*a)?, self.eval(*b)?);
                Ok(i64::from(compare(*op, a, b)))
            }
            ExprKind::Arith(op, a, b) => {
                let (a, b) = (self.eval(*a)?, self.eval(*b)?);
                arith(*op, a, b, expr.span)
            }
            ExprKind::Negate(inner) => {
                let value = self.eval(*inner)?;
                defined(value.checked_neg(), "negation", expr.span)
            }
            ExprKind::BitNot(inner) => {
                let value = !self.eval(*inner)?;
                defined(Some(value), "complement", expr.span)
            }
            ExprKind::Convert(inner) => self.convert(*inner, expr.ty, expr.span),
            ExprKind::IsMember { value, ty } => self.is_member(*value, *ty).map(i64::from),
            ExprKind::IsUndefined(place) => {
                let addr = self.address(place)?;
                Ok(i64::from(self.load(addr) == UNDEFINED))
            }
            ExprKind::Quantified { all, local, domain, body } => {
                self.quantified(*all, *local, domain, *body, expr.span)
            }
            ExprKind::MultisetCount { local, set, predicate } => {
                self.multiset_count(*local, set, *predicate, expr.span)
            }
            ExprKind::Call { func, args } => self.call(*func, args, expr.span),
        }
    }

    fn all_or_any(&mut self, terms: &[ExprId], stop: i64) -> Run<i64> {
        for &term in terms {
            if self.eval(term)? == stop {
                return Ok(stop);
            }
        }
        Ok(1 - stop)
    }

    fn equal(&mut self, a: ExprId, b: ExprId) -> Run<bool> {
        let ty = self.model.expr(a).ty;
        if self.model.types.is_simple(ty) {
            return Ok(self.eval(a)? == self.eval(b)?);
        }
        let count = self.model.types.cells(ty) as usize;
        let (a, b) = (self.locate(a)?, self.locate(b)?);
        let mut left = self.cells(a, count).to_vec();
        let mut right = self.cells(b, count).to_vec();
        normalize(&self.model.types, ty, &mut left);
        normalize(&self.model.types, ty, &mut right);
        Ok(left == right)
    }

    /// Where the value of an expression that is not simple stands, now that it has been worked out.
    pub(super) fn locate(&mut self, id: ExprId) -> Run<Addr> {
        let expr = self.model.expr(id);
        self.deeper(expr.span)?;
        let addr = match &expr.kind {
            ExprKind::Read(place) => self.address(place),
            ExprKind::Conditional { condition, then, otherwise } => {
                let taken = if self.eval(*condition)? != 0 { *then } else { *otherwise };
                self.locate(taken)
            }
            ExprKind::Call { func, args } => self.call_at(*func, args, expr.span),
            _ => {
                let at = Addr::stack(self.stack.len());
                let count = self.model.types.cells(expr.ty) as usize;
                self.stack.resize(self.stack.len() + count, UNDEFINED);
                Ok(at)
            }
        };
        self.depth -= 1;
        addr
    }

    fn convert(&mut self, inner: ExprId, to: TypeId, span: Span) -> Run<i64> {
        let from = self.model.expr(inner).ty;
        let value = self.eval(inner)?;
        let types = &self.model.types;
        types.convert(from, to, value).ok_or_else(|| {
            let message = format!("value {} is not in {}", types.value_name(from, value), types.describe(to));
            Stop::fault(FaultKind::Member, span, message)
        })
    }

    fn is_member(&mut self, inner: ExprId, ty: TypeId) -> Run<bool> {
        let from = self.model.expr(inner).ty;
        let value = self.eval(inner)?;
        Ok(self.model.types.convert(from, ty, value).is_some())
    }

    fn quantified(
        &mut self,
        all: bool,
        local: Local,
        domain: &'m Domain,
        body: ExprId,
        span: Span,
    ) -> Run<i64> {
        let stop = i64::from(!all);
        let kept = self.stack.len();
        for value in self.values(domain, span)? {
            self.count_step(span)?;
            self.set_local(local, value);
            let held = self.eval(body)?;
            self.stack.truncate(kept);
            if held == stop {
                return Ok(stop);
            }
        }
        Ok(1 - stop)
    }

    fn multiset_count(&mut self, local: Local, set: &'m Place, predicate: ExprId, span: Span) -> Run<i64> {
        let addr = self.address(set)?;
        let stride = multiset_stride(self.model, set.ty);
        let capacity = self.model.types.cells(set.ty) as usize / stride;
        let kept = self.stack.len();
        let mut count = 0;
        for position in 0..capacity as u64 {
            if self.present(addr, stride, position) {
                self.count_step(span)?;
                self.set_local(local, position as i64);
                count += self.eval(predicate)?;
                self.stack.truncate(kept);
            }
        }
        Ok(count)
    }

    /// The values of a domain, its bounds evaluated once.
    pub(super) fn values(&mut self, domain: &'m Domain, span: Span) -> Run<Values> {
        let (from, to, by) = match domain {
            Domain::Type(ty) => {
                let first = self.model.types.first(*ty);
                let count = self.model.types.count(*ty);
                let last = first.wrapping_add_unsigned(count.wrapping_sub(1));
                return Ok(Values { next: (count > 0).then_some(first), last, step: 1 });
            }
            Domain::Steps { from, to, by } => (self.eval(*from)?, self.eval(*to)?, *by),
        };
        let step = match by {
            Some(by) => self.eval(by)?,
            None if self.options.compat == Compat::Rumur && from > to => -1,
            None => 1,
        };
        let wrong_way = by.is_some() && ((step > 0 && from > to) || (step < 0 && from < to));
        if step == 0 || wrong_way {
            let message = format!("a loop from {from} to {to} by {step} never arrives");
            return Err(Stop::fault(FaultKind::ForStep, span, message));
        }
        let empty = if step > 0 { from > to } else { from < to };
        Ok(Values { next: (!empty).then_some(from), last: to, step })
    }

    /// Counts one iteration or call against the limit of a rule run.
    pub(super) fn count_step(&mut self, span: Span) -> Run<()> {
        self.steps += 1;
        if self.steps > self.options.steps_max {
            let message = format!("one rule took more than {} iterations and calls", self.options.steps_max);
            return Err(Stop::fault(FaultKind::StepLimit, span, message));
        }
        Ok(())
    }
}

fn compare(op: CompareOp, a: i64, b: i64) -> bool {
    match op {
        CompareOp::Less => a < b,
        CompareOp::LessEq => a <= b,
        CompareOp::Greater => a > b,
        CompareOp::GreaterEq => a >= b,
    }
}

/// Works out one operation, exactly; shared with constant folding.
pub fn arith(op: ArithOp, a: i64, b: i64, span: Span) -> Run<i64> {
    if b == 0 && matches!(op, ArithOp::Div | ArithOp::Mod) {
        return Err(Stop::fault(FaultKind::DivisionByZero, span, "division by zero"));
    }
    let (value, word) = match op {
        ArithOp::Add => (a.checked_add(b), "addition"),
        ArithOp::Sub => (a.checked_sub(b), "subtraction"),
        ArithOp::Mul => (a.checked_mul(b), "multiplication"),
        ArithOp::Div => (a.checked_div(b), "division"),
        ArithOp::Mod => (a.checked_rem(b), "remainder"),
        ArithOp::BitAnd => (Some(a & b), "bit operation"),
        ArithOp::BitOr => (Some(a | b), "bit operation"),
        ArithOp::BitXor => (Some(a ^ b), "bit operation"),
        ArithOp::ShiftLeft => (Some(shift(a, b)), "shift"),
        ArithOp::ShiftRight => (Some(shift(a, b.saturating_neg())), "shift"),
    };
    defined(value, word, span)
}

/// Left by a positive distance, right (keeping the sign) by a negative one.
fn shift(value: i64, distance: i64) -> i64 {
    match distance {
        0..=63 => value << distance,
        64.. => 0,
        -63..=-1 => value >> -distance,
        _ => value >> 63,
    }
}

/// Refuses results that do not fit, and the one that would read as "undefined".
fn defined(value: Option<i64>, word: &str, span: Span) -> Run<i64> {
    value
        .filter(|&value| value != UNDEFINED)
        .ok_or_else(|| Stop::fault(FaultKind::Overflow, span, format!("{word} overflows 64 bits")))
}
