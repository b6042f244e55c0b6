//! Expressions: values with bounds, and booleans without branches where that is cheap.
//!
//! A conjunction of cheap terms is worked out whole: later terms are evaluated "inactive" where an earlier
//! one is false, so their faults do not count. Dear terms (long quantifiers, calls) are reached by branches.

use super::emit::{Emit, Emitter, Refusal};
use super::frame::Spot;
use super::value::{Val, fitting};
use crate::ir::{ArithOp, CompareOp, Domain, ExprId, ExprKind, Local, Place, Type, TypeId};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

/// Estimated instructions up to which terms are worked out without branches.
const FLAT_MAX: u32 = 60;
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
        Ok(self.to_flag(val))
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
                let premise = e.condition(a)?;
                e.choose(premise, &mut |e| e.expr(b), &mut |_| Ok(Val::constant(1)))
            });
        }
        let premise = self.condition(a)?;
        let outer = self.active;
        self.active = Some(self.and(outer, premise));
        let conclusion = self.condition(b);
        self.active = outer;
        let one = self.flag(true);
        let not = self.builder.ins().bxor(premise, one);
        let conclusion = conclusion?;
        let flag = self.builder.ins().bor(not, conclusion);
        Ok(self.of_flag(flag))
    }

    fn conditional(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> Emit<Val> {
        self.guarded(|e| {
            let flag = e.condition(condition)?;
            e.choose(flag, &mut |e| e.expr(then), &mut |e| e.expr(otherwise))
        })
    }

    /// One of two values, by branching; evaluation gets here for certain.
    fn choose(
        &mut self,
        flag: Value,
        then: &mut dyn FnMut(&mut Self) -> Emit<Val>,
        otherwise: &mut dyn FnMut(&mut Self) -> Emit<Val>,
    ) -> Emit<Val> {
        self.settle();
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

    fn term(&mut self, term: &Term) -> Emit<Value> {
        match *term {
            Term::Expr(id) => self.condition(id),
            Term::Bound(local, value, body) => {
                self.counted += 1;
                self.bind(local, Val::constant(value))?;
                self.condition(body)
            }
        }
    }

    /// A conjunction (`all`) or disjunction.
    fn terms(&mut self, terms: &[Term], all: bool) -> Emit<Val> {
        let total = terms.iter().fold(0u32, |sum, term| sum.saturating_add(self.term_cost(term)));
        if total <= FLAT_MAX || terms.len() <= 1 {
            let flag = self.flat_terms(terms, all)?;
            return Ok(self.of_flag(flag));
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
                let flag = e.flat_terms(group, all)?;
                e.settle();
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

    fn flat_terms(&mut self, terms: &[Term], all: bool) -> Emit<Value> {
        let outer = self.active;
        let mut result: Option<Value> = None;
        for term in terms {
            // A term is evaluated where all before it are true (false, in a disjunction).
            if let Some(before) = result {
                let going = if all { before } else { self.flip(before) };
                self.active = Some(self.and(outer, going));
            }
            let flag = self.term(term)?;
            result = Some(match result {
                None => flag,
                Some(before) if all => self.builder.ins().band(before, flag),
                Some(before) => self.builder.ins().bor(before, flag),
            });
        }
        self.active = outer;
        Ok(match result {
            Some(flag) => flag,
            None => self.flag(all),
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
        if let (Some(a), Some(b)) = (a.known(), b.known()) {
            let holds = match op {
                CompareOp::Less => a < b,
                CompareOp::LessEq => a <= b,
                CompareOp::Greater => a > b,
                CompareOp::GreaterEq => a >= b,
            };
            return Val::constant(i64::from(holds));
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

    fn sum(&mut self, a: Val, b: Val, minus: bool) -> Emit<Val> {
        let (alo, ahi, blo, bhi) = (i128::from(a.lo), i128::from(a.hi), i128::from(b.lo), i128::from(b.hi));
        let ends = if minus { [alo - bhi, ahi - blo] } else { [alo + blo, ahi + bhi] };
        let Some((lo, hi)) = fitting(&ends) else {
            return Err(Refusal::Unsupported("its arithmetic might overflow"));
        };
        match (a.base, b.base) {
            (_, None) => {
                let add = if minus { a.add.wrapping_sub(b.add) } else { a.add.wrapping_add(b.add) };
                Ok(Val { base: a.base, add, lo, hi })
            }
            (None, _) if !minus => Ok(Val { base: b.base, add: a.add.wrapping_add(b.add), lo, hi }),
            _ => {
                let (a, b) = (self.word(a), self.word(b));
                let word = if minus { self.builder.ins().isub(a, b) } else { self.builder.ins().iadd(a, b) };
                Ok(Val::word(word, lo, hi))
            }
        }
    }

    fn arith(&mut self, op: ArithOp, a: ExprId, b: ExprId) -> Emit<Val> {
        match op {
            ArithOp::Div | ArithOp::Mod => {
                return self.guarded(|e| {
                    let (a, b) = (e.expr(a)?, e.expr(b)?);
                    e.divide(op, a, b)
                });
            }
            _ => {}
        }
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        let natural = a.lo >= 0 && b.lo >= 0;
        match op {
            ArithOp::Add => self.sum(a, b, false),
            ArithOp::Sub => self.sum(a, b, true),
            ArithOp::Mul => {
                let ends = [(a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi)];
                let Some((lo, hi)) = fitting(&ends.map(|(x, y)| i128::from(x) * i128::from(y))) else {
                    return Err(Refusal::Unsupported("its arithmetic might overflow"));
                };
                let (a, b) = (self.word(a), self.word(b));
                let word = self.builder.ins().imul(a, b);
                Ok(Val::word(word, lo, hi))
            }
            ArithOp::BitAnd | ArithOp::BitOr | ArithOp::BitXor if natural => {
                let all = (u64::MAX >> (a.hi | b.hi | 1).leading_zeros()) as i64;
                let hi = if op == ArithOp::BitAnd { a.hi.min(b.hi) } else { all };
                let (a, b) = (self.word(a), self.word(b));
                let word = match op {
                    ArithOp::BitAnd => self.builder.ins().band(a, b),
                    ArithOp::BitOr => self.builder.ins().bor(a, b),
                    _ => self.builder.ins().bxor(a, b),
                };
                Ok(Val::word(word, 0, hi))
            }
            _ => Err(Refusal::Unsupported("it shifts, or combines the bits of numbers that may be negative")),
        }
    }

    fn divide(&mut self, op: ArithOp, a: Val, b: Val) -> Emit<Val> {
        if b.within(0, 0) {
            self.fault_always();
            return Ok(Val::constant(0));
        }
        let zero = self.compare(IntCC::Equal, b, Val::constant(0));
        if b.lo <= 0 && b.hi >= 0 {
            self.fault_if(zero);
        }
        self.settle();
        let reach = a.lo.unsigned_abs().max(a.hi.unsigned_abs()).min(i64::MAX as u64) as i64;
        let most = b.lo.unsigned_abs().max(b.hi.unsigned_abs()).min(i64::MAX as u64) as i64 - 1;
        let (x, y) = (self.word(a), self.word(b));
        let (word, bound) = match op {
            ArithOp::Div => (self.builder.ins().sdiv(x, y), reach),
            _ => (self.builder.ins().srem(x, y), most.min(reach)),
        };
        let least = if a.lo >= 0 && (b.lo >= 0 || op == ArithOp::Mod) { 0 } else { -bound };
        Ok(Val::word(word, least, bound))
    }

    /// Pieces of a simple type whose values move by the same distance into another: from, to, distance.
    fn pieces(&self, from: TypeId, to: TypeId) -> Emit<Vec<(i64, i64, i64)>> {
        let types = self.types();
        let (first, last) = self.bounds(from);
        if types.is_range(from) && types.is_range(to) {
            let (lo, hi) = self.bounds(to);
            return Ok(vec![(lo.max(first), hi.min(last), 0)]);
        }
        if types.count(from) > 4_096 {
            return Err(Refusal::Unsupported("it converts between very large types"));
        }
        let mut pieces: Vec<(i64, i64, i64)> = Vec::new();
        for value in first..=last {
            let Some(image) = types.convert(from, to, value) else { continue };
            let distance = image.wrapping_sub(value);
            match pieces.last_mut() {
                Some(piece) if piece.1 + 1 == value && piece.2 == distance => piece.1 = value,
                _ => pieces.push((value, value, distance)),
            }
        }
        Ok(pieces)
    }

    fn in_piece(&mut self, val: Val, piece: (i64, i64, i64)) -> Value {
        let low = self.compare(IntCC::SignedGreaterThanOrEqual, val, Val::constant(piece.0));
        let high = self.compare(IntCC::SignedLessThanOrEqual, val, Val::constant(piece.1));
        self.builder.ins().band(low, high)
    }

    fn convert(&mut self, inner: ExprId, to: TypeId) -> Emit<Val> {
        let from = self.model.expr(inner).ty;
        let val = self.expr(inner)?;
        if let Some(value) = val.known() {
            return Ok(Val::constant(match self.types().convert(from, to, value) {
                Some(image) => image,
                None => {
                    self.fault_always();
                    self.types().first(to)
                }
            }));
        }
        let pieces = self.pieces(from, to)?;
        let (lo, hi) = self.bounds(to);
        if let [(first, last, distance)] = pieces[..]
            && val.within(first, last)
        {
            return Ok(Val { base: val.base, add: val.add.wrapping_add(distance), lo, hi });
        }
        let mut image = self.int(lo);
        let mut member = self.flag(false);
        for piece in pieces {
            let inside = self.in_piece(val, piece);
            let moved = self.word(Val { add: val.add.wrapping_add(piece.2), ..val });
            image = self.builder.ins().select(inside, moved, image);
            member = self.builder.ins().bor(member, inside);
        }
        let outside = self.flip(member);
        self.fault_if(outside);
        Ok(Val::word(image, lo, hi))
    }

    fn is_member(&mut self, inner: ExprId, ty: TypeId) -> Emit<Val> {
        let from = self.model.expr(inner).ty;
        let val = self.expr(inner)?;
        let mut member = self.flag(false);
        for piece in self.pieces(from, ty)? {
            let inside = self.in_piece(val, piece);
            member = self.builder.ins().bor(member, inside);
        }
        Ok(self.of_flag(member))
    }

    /// How many elements satisfy a predicate; positions are looked at one by one, written out.
    fn multiset_count(&mut self, local: Local, set: &'m Place, predicate: ExprId) -> Emit<Val> {
        let Type::Multiset { capacity, elem } = *self.types().get(set.ty) else {
            return Err(Refusal::Unsupported("it counts in what is no multiset"));
        };
        if u64::from(capacity) > 4 * UNROLL_MAX {
            return Err(Refusal::Unsupported("it counts in a very large multiset"));
        }
        let stride = self.types().cells(elem) as u32 + 1;
        let spot = self.spot(set)?;
        let outer = self.active;
        let mut count = self.int(0);
        for position in 0..capacity {
            let here = spot.plus(position * stride)?;
            let present = self.present(here)?;
            self.counted += 1;
            self.bind(local, Val::constant(i64::from(position)))?;
            self.active = Some(self.and(outer, present));
            let flag = self.condition(predicate)?;
            self.active = outer;
            let one = self.builder.ins().band(flag, present);
            let one = self.builder.ins().uextend(I64, one);
            count = self.builder.ins().iadd(count, one);
        }
        Ok(Val::word(count, 0, i64::from(capacity)))
    }

    /// Whether a position of a multiset is occupied.
    pub fn present(&mut self, spot: Spot) -> Emit<Value> {
        let code = self.load(spot, crate::ir::Types::PRESENT)?;
        let zero = self.int(0);
        Ok(self.builder.ins().icmp(IntCC::NotEqual, code, zero))
    }
}
