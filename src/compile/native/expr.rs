//! Expressions: values with bounds, and booleans without branches where that is cheap.
//!
//! A conjunction of cheap terms is worked out whole: later terms are evaluated "inactive" where an earlier
//! one is false, so their faults do not count. Dear terms (long quantifiers, calls) are reached by branches.

use super::emit::{Emit, Emitter, Refusal};
use super::frame::Spot;
use super::value::Val;
use crate::ir::{CompareOp, Domain, ExprId, ExprKind, Local, Place};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

/// Estimated instructions up to which terms are worked out without branches.
const FLAT_MAX: u32 = 35;
/// Iterations up to which loops over constant domains are written out.
const UNROLL_MAX: u64 = 16;
/// Estimated instructions up to which they are.
const UNROLL_COST_MAX: u64 = 4_000;

/// One operand of a conjunction or disjunction.
#[derive(Clone, Copy, Debug)]
enum Term {
    Expr(ExprId),
    /// The body of a quantifier for one value.
    Bound(Local, i64, ExprId),
}

impl<'m> Emitter<'_, '_, 'm> {
    /// The value of a simple expression.
    pub fn expr(&mut self, id: ExprId) -> Emit<Val> {
        self.deeper()?;
        let val = self.kind(id);
        self.depth -= 1;
        val
    }

    /// A boolean expression as a flag.
    pub fn condition(&mut self, id: ExprId) -> Emit<Value> {
        let val = self.expr(id)?;
        Ok(self.flag_of(val))
    }

    fn kind(&mut self, id: ExprId) -> Emit<Val> {
        let expr = self.model.expr(id);
        match &expr.kind {
            ExprKind::Const(value) => Ok(Val::constant(*value)),
            ExprKind::Undefined => Err(Refusal::Unsupported("it uses `undefined` as a value")),
            ExprKind::Read(place) => self.read(place),
            ExprKind::Not(inner) => {
                let val = self.expr(*inner)?;
                self.not(val)
            }
            ExprKind::And(terms) => {
                self.terms(&terms.iter().map(|&t| Term::Expr(t)).collect::<Vec<_>>(), true)
            }
            ExprKind::Or(terms) => {
                self.terms(&terms.iter().map(|&t| Term::Expr(t)).collect::<Vec<_>>(), false)
            }
            ExprKind::Implies(a, b) => self.implies(*a, *b),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(*condition, *then, *otherwise)
            }
            ExprKind::Equal(a, b) => self.equal(*a, *b),
            ExprKind::NotEqual(a, b) => {
                let val = self.equal(*a, *b)?;
                self.not(val)
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.expr(*a)?, self.expr(*b)?);
                Ok(self.ordered(*op, a, b))
            }
            ExprKind::Arith(op, a, b) => self.arith(*op, *a, *b),
            ExprKind::Negate(inner) => {
                let val = self.expr(*inner)?;
                self.sum(Val::constant(0), val, true)
            }
            ExprKind::BitNot(inner) => {
                let val = self.expr(*inner)?;
                self.sum(Val::constant(-1), val, true)
            }
            ExprKind::Convert(inner) => self.convert(*inner, expr.ty),
            ExprKind::IsMember { value, ty } => self.is_member(*value, *ty),
            ExprKind::IsUndefined(place) => self.is_undefined(place),
            ExprKind::Quantified { all, local, domain, body } => self.quantified(*all, *local, domain, *body),
            ExprKind::MultisetCount { local, set, predicate } => self.multiset_count(*local, set, *predicate),
            ExprKind::Call { func, args } => self.call(*func, args),
        }
    }

    fn not(&mut self, val: Val) -> Emit<Val> {
        if let Some(value) = val.known() {
            return Ok(Val::constant(1 - value));
        }
        let flag = self.compare(IntCC::Equal, val, Val::constant(0));
        Ok(self.of_flag(flag))
    }

    fn implies(&mut self, a: ExprId, b: ExprId) -> Emit<Val> {
        if self.cost(b) > FLAT_MAX {
            return self.guarded(|e| {
                let premise = e.expr(a)?;
                e.choose(premise, &mut |e| e.expr(b), &mut |_| Ok(Val::constant(1)))
            });
        }
        let premise = self.expr(a)?;
        match premise.known() {
            Some(0) => return Ok(Val::constant(1)),
            Some(_) => return self.expr(b),
            None => {}
        }
        let premise = self.flag_of(premise);
        let conclusion = self.under(premise, b)?;
        let conclusion = self.flag_of(conclusion);
        let not = self.flip(premise);
        let flag = self.builder.ins().bor(not, conclusion);
        Ok(self.of_flag(flag))
    }

    /// An expression that is evaluated only where the flag is set.
    fn under(&mut self, flag: Value, id: ExprId) -> Emit<Val> {
        let outer = self.active;
        self.active = Some(self.and(outer, flag));
        let val = self.expr(id);
        self.active = outer;
        val
    }

    fn conditional(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> Emit<Val> {
        if self.cost(then).saturating_add(self.cost(otherwise)) > FLAT_MAX / 2 {
            return self.guarded(|e| {
                let condition = e.expr(condition)?;
                e.choose(condition, &mut |e| e.expr(then), &mut |e| e.expr(otherwise))
            });
        }
        let condition = self.expr(condition)?;
        match condition.known() {
            Some(0) => return self.expr(otherwise),
            Some(_) => return self.expr(then),
            None => {}
        }
        let flag = self.flag_of(condition);
        let first = self.under(flag, then)?;
        let not = self.flip(flag);
        let second = self.under(not, otherwise)?;
        let (yes, no) = (self.word(first), self.word(second));
        let word = self.builder.ins().select(flag, yes, no);
        Ok(Val::word(word, first.lo.min(second.lo), first.hi.max(second.hi)))
    }

    /// One of two values, by branching; evaluation gets here for certain.
    fn choose(
        &mut self,
        condition: Val,
        then: &mut dyn FnMut(&mut Self) -> Emit<Val>,
        otherwise: &mut dyn FnMut(&mut Self) -> Emit<Val>,
    ) -> Emit<Val> {
        self.settle();
        match condition.known() {
            Some(0) => return otherwise(self),
            Some(_) => return then(self),
            None => {}
        }
        let flag = self.flag_of(condition);
        let result = self.builder.declare_var(I64);
        let (yes, no, join) = (self.block(), self.block(), self.block());
        self.branch(flag, yes, no);
        self.at(yes);
        let first = self.leave_in(result, then, join)?;
        self.at(no);
        let second = self.leave_in(result, otherwise, join)?;
        self.at(join);
        let word = self.builder.use_var(result);
        Ok(Val::word(word, first.lo.min(second.lo), first.hi.max(second.hi)))
    }

    fn leave_in(
        &mut self,
        result: cranelift_frontend::Variable,
        write: &mut dyn FnMut(&mut Self) -> Emit<Val>,
        join: cranelift_codegen::ir::Block,
    ) -> Emit<Val> {
        let val = write(self)?;
        self.settle();
        let word = self.word(val);
        self.builder.def_var(result, word);
        self.goto(join);
        Ok(val)
    }

    fn term_cost(&self, term: &Term) -> u32 {
        match term {
            Term::Expr(id) | Term::Bound(_, _, id) => self.cost(*id),
        }
    }

    fn term(&mut self, term: &Term) -> Emit<Val> {
        match *term {
            Term::Expr(id) => self.expr(id),
            Term::Bound(local, value, body) => {
                self.count_one()?;
                self.bind(local, Val::constant(value))?;
                self.expr(body)
            }
        }
    }

    /// A conjunction (`all`) or disjunction.
    fn terms(&mut self, terms: &[Term], all: bool) -> Emit<Val> {
        let total = terms.iter().fold(0u32, |sum, term| sum.saturating_add(self.term_cost(term)));
        if total <= FLAT_MAX || terms.len() <= 1 {
            return self.flat_terms(terms, all);
        }
        self.guarded(|e| {
            let result = e.builder.declare_var(I64);
            let stop = e.int(i64::from(!all));
            e.builder.def_var(result, stop);
            let done = e.block();
            let mut rest = terms;
            while !rest.is_empty() {
                let (group, after) = rest.split_at(e.group(rest));
                rest = after;
                let val = e.flat_terms(group, all)?;
                e.settle();
                if val.known() == Some(i64::from(all)) {
                    continue;
                }
                let flag = e.flag_of(val);
                let next = e.block();
                if all {
                    e.branch(flag, next, done)
                } else {
                    e.branch(flag, done, next)
                }
                e.at(next);
            }
            let go = e.int(i64::from(all));
            e.builder.def_var(result, go);
            e.goto(done);
            e.at(done);
            let word = e.builder.use_var(result);
            Ok(Val::word(word, 0, 1))
        })
    }

    /// How many terms are worked out together before the next branch.
    fn group(&self, terms: &[Term]) -> usize {
        let mut cost = 0u32;
        let mut count = 0;
        for term in terms {
            cost = cost.saturating_add(self.term_cost(term));
            if count > 0 && cost > FLAT_MAX / 2 {
                break;
            }
            count += 1;
        }
        count
    }

    fn flat_terms(&mut self, terms: &[Term], all: bool) -> Emit<Val> {
        let outer = self.active;
        let mut result: Option<Value> = None;
        for term in terms {
            // A term is evaluated where all before it are true (false, in a disjunction).
            if let Some(before) = result {
                let going = if all { before } else { self.flip(before) };
                self.active = Some(self.and(outer, going));
            }
            let val = self.term(term);
            self.active = outer;
            let val = val?;
            match val.known() {
                Some(value) if (value != 0) == all => continue,
                Some(_) => return Ok(Val::constant(i64::from(!all))),
                None => {}
            }
            let flag = self.flag_of(val);
            result = Some(match result {
                None => flag,
                Some(before) if all => self.builder.ins().band(before, flag),
                Some(before) => self.builder.ins().bor(before, flag),
            });
        }
        Ok(match result {
            Some(flag) => self.of_flag(flag),
            None => Val::constant(i64::from(all)),
        })
    }

    pub fn flip(&mut self, flag: Value) -> Value {
        let one = self.flag(true);
        self.builder.ins().bxor(flag, one)
    }

    fn equal(&mut self, a: ExprId, b: ExprId) -> Emit<Val> {
        let ty = self.model.expr(a).ty;
        if self.types().is_simple(ty) {
            let (a, b) = (self.expr(a)?, self.expr(b)?);
            if let (Some(a), Some(b)) = (a.known(), b.known()) {
                return Ok(Val::constant(i64::from(a == b)));
            }
            if a.hi < b.lo || b.hi < a.lo {
                return Ok(Val::constant(0));
            }
            let flag = self.compare(IntCC::Equal, a, b);
            return Ok(self.of_flag(flag));
        }
        if self.types().has_multiset(ty) {
            return Err(Refusal::Unsupported("it compares multisets"));
        }
        let (a, b) = (self.locate(a)?, self.locate(b)?);
        let mut same = self.flag(true);
        for (at, leaf) in self.leaves(ty)?.into_iter().enumerate() {
            let (left, right) = (a.plus(at as u32)?, b.plus(at as u32)?);
            let (left, right) = (self.load(left, leaf)?, self.load(right, leaf)?);
            let equal = self.builder.ins().icmp(IntCC::Equal, left, right);
            same = self.builder.ins().band(same, equal);
        }
        Ok(self.of_flag(same))
    }

    /// Where the value of an expression that is not simple stands.
    pub fn locate(&mut self, id: ExprId) -> Emit<Spot> {
        match &self.model.expr(id).kind {
            ExprKind::Read(place) => self.spot(place),
            ExprKind::Call { func, args } => self.call_at(*func, args),
            ExprKind::Undefined => {
                let cells = self.leaves(self.model.expr(id).ty)?.len() as u32;
                Ok(Spot::Memory { home: self.memory(cells), cell: 0, at: None })
            }
            _ => Err(Refusal::Unsupported("it chooses between values that are not simple")),
        }
    }

    fn ordered(&mut self, op: CompareOp, a: Val, b: Val) -> Val {
        let cc = match op {
            CompareOp::Less => IntCC::SignedLessThan,
            CompareOp::LessEq => IntCC::SignedLessThanOrEqual,
            CompareOp::Greater => IntCC::SignedGreaterThan,
            CompareOp::GreaterEq => IntCC::SignedGreaterThanOrEqual,
        };
        // What the bounds decide needs no code.
        let (surely, perhaps) = match op {
            CompareOp::Less => (a.hi < b.lo, a.lo < b.hi),
            CompareOp::LessEq => (a.hi <= b.lo, a.lo <= b.hi),
            CompareOp::Greater => (a.lo > b.hi, a.hi > b.lo),
            CompareOp::GreaterEq => (a.lo >= b.hi, a.hi >= b.lo),
        };
        if surely || !perhaps {
            return Val::constant(i64::from(surely));
        }
        let flag = self.compare(cc, a, b);
        self.of_flag(flag)
    }

    fn is_undefined(&mut self, place: &'m Place) -> Emit<Val> {
        let spot = self.spot(place)?;
        let code = self.load(spot, place.ty)?;
        let zero = self.int(0);
        let flag = self.builder.ins().icmp(IntCC::Equal, code, zero);
        Ok(self.of_flag(flag))
    }

    fn quantified(&mut self, all: bool, local: Local, domain: &'m Domain, body: ExprId) -> Emit<Val> {
        if let Some(values) = self.constant_values(domain, u64::from(self.cost(body))) {
            let terms: Vec<Term> = values.into_iter().map(|value| Term::Bound(local, value, body)).collect();
            return self.terms(&terms, all);
        }
        self.guarded(|e| {
            let result = e.builder.declare_var(I64);
            let stop = e.int(i64::from(!all));
            e.builder.def_var(result, stop);
            let done = e.block();
            e.count_up(local, domain, &mut |e| {
                let flag = e.condition(body)?;
                e.settle();
                let next = e.block();
                if all {
                    e.branch(flag, next, done)
                } else {
                    e.branch(flag, done, next)
                }
                e.at(next);
                Ok(())
            })?;
            let go = e.int(i64::from(all));
            e.builder.def_var(result, go);
            e.goto(done);
            e.at(done);
            let word = e.builder.use_var(result);
            Ok(Val::word(word, 0, 1))
        })
    }

    /// The values of a domain that is constant, and short enough for a body of this cost to be written out.
    pub fn constant_values(&self, domain: &Domain, cost: u64) -> Option<Vec<i64>> {
        let constant = |id: ExprId| match self.model.expr(id).kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        };
        let (first, last, step) = match domain {
            Domain::Type(ty) => {
                let (first, last) = self.bounds(*ty);
                if self.types().count(*ty) == 0 {
                    return Some(Vec::new());
                }
                (first, last, 1)
            }
            Domain::Steps { from, to, by: None } => (constant(*from)?, constant(*to)?, 1),
            Domain::Steps { from, to, by: Some(by) } => (constant(*from)?, constant(*to)?, constant(*by)?),
        };
        let by = matches!(domain, Domain::Steps { by: Some(_), .. });
        if step == 0 || by && ((step > 0 && first > last) || (step < 0 && first < last)) {
            return None;
        }
        let mut values = Vec::new();
        let mut next = Some(first);
        while let Some(value) = next.filter(|&v| if step > 0 { v <= last } else { v >= last }) {
            values.push(value);
            let count = values.len() as u64;
            if count > UNROLL_MAX || count.saturating_mul(cost) > UNROLL_COST_MAX {
                return None;
            }
            next = value.checked_add(step);
        }
        Some(values)
    }
}
