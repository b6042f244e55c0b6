//! Arithmetic, and conversion between unions, their parts and ranges.
//!
//! Bounds decide what must be checked: where no result can overflow, nothing is; where one might, the rule is
//! left to the evaluator. Divisions are reached by branches, since the machine's would trap on zero.

use super::emit::{Emit, Emitter, Refusal};
use super::value::{Val, fitting};
use crate::ir::{ArithOp, ExprId, ExprKind, TypeId};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

impl Emitter<'_, '_, '_> {
    pub fn sum(&mut self, a: Val, b: Val, minus: bool) -> Emit<Val> {
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

    pub fn arith(&mut self, op: ArithOp, a: ExprId, b: ExprId) -> Emit<Val> {
        match op {
            ArithOp::Div | ArithOp::Mod => {
                if let ExprKind::Const(by) = self.model.expr(b).kind
                    && by > 0
                {
                    let a = self.expr(a)?;
                    return Ok(self.divide_by(op, a, by));
                }
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

    /// Divides by a constant above zero, without branches.
    fn divide_by(&mut self, op: ArithOp, a: Val, by: i64) -> Val {
        let modulo = op == ArithOp::Mod;
        let (lo, hi) = match modulo {
            true => ((a.lo.max(1 - by)).min(0), a.hi.clamp(0, by - 1)),
            false => (a.lo / by, a.hi / by),
        };
        let (x, y) = (self.word(a), self.int(by));
        let natural = a.lo >= 0;
        let ins = self.builder.ins();
        let word = match (modulo, natural) {
            (true, true) if a.hi < by => return a,
            (true, true) if a.hi / 2 < by => {
                let less = self.builder.ins().isub(x, y);
                let small = self.builder.ins().icmp(IntCC::UnsignedLessThan, x, y);
                self.builder.ins().select(small, x, less)
            }
            (true, true) => ins.urem(x, y),
            (true, false) => ins.srem(x, y),
            (false, true) => ins.udiv(x, y),
            (false, false) => ins.sdiv(x, y),
        };
        Val::word(word, lo, hi)
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

    pub fn convert(&mut self, inner: ExprId, to: TypeId) -> Emit<Val> {
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

    pub fn is_member(&mut self, inner: ExprId, ty: TypeId) -> Emit<Val> {
        let from = self.model.expr(inner).ty;
        let val = self.expr(inner)?;
        let mut member = self.flag(false);
        for piece in self.pieces(from, ty)? {
            let inside = self.in_piece(val, piece);
            member = self.builder.ins().bor(member, inside);
        }
        Ok(self.of_flag(member))
    }
}
