//! Multisets: adding, removing, removing by predicate, counting.
//!
//! Positions are looked at in order, as the evaluator does. The canonical order is restored once, when the
//! rule is done.

use super::emit::{Emit, Emitter, Refusal};
use super::frame::{Offset, Spot};
use super::value::Val;
use crate::ir::{ExprId, Local, Place, Type, TypeId, Types};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

/// Cells up to which adding is written out for each position.
const WRITTEN_OUT_MAX: u32 = 64;
const CAPACITY_MAX: u32 = 64;

impl<'m> Emitter<'_, '_, 'm> {
    fn multiset(&self, set: &Place) -> Emit<(u32, TypeId, u32)> {
        match *self.types().get(set.ty) {
            Type::Multiset { capacity, elem } if capacity <= CAPACITY_MAX => {
                Ok((capacity, elem, self.types().cells(elem) as u32 + 1))
            }
            _ => Err(Refusal::Unsupported("it uses a very large multiset")),
        }
    }

    pub fn multiset_add(&mut self, element: ExprId, set: &'m Place) -> Emit<()> {
        let (capacity, elem, stride) = self.multiset(set)?;
        let source = if self.types().is_simple(elem) {
            let val = self.expr(element)?;
            Spot::Bound(self.check_range(elem, val))
        } else {
            self.locate(element)?
        };
        let spot = self.spot(set)?;
        self.settle();
        if capacity * stride > WRITTEN_OUT_MAX {
            return self.add_at_run_time(source, spot, capacity, elem, stride);
        }
        let done = self.block();
        for position in 0..capacity {
            let here = spot.plus(position * stride)?;
            let present = self.present(here)?;
            let (free, next) = (self.block(), self.block());
            self.branch(present, next, free);
            self.at(free);
            self.put_element(source, here, elem)?;
            self.goto(done);
            self.at(next);
        }
        self.goto(self.exits.ask);
        self.at(done);
        Ok(())
    }

    /// Finds the first free position at run time, and stores there.
    fn add_at_run_time(
        &mut self,
        source: Spot,
        spot: Spot,
        capacity: u32,
        elem: TypeId,
        stride: u32,
    ) -> Emit<()> {
        let mut cells = self.int(0);
        let mut full = self.flag(true);
        for position in (0..capacity).rev() {
            let here = spot.plus(position * stride)?;
            let present = self.present(here)?;
            let offset = self.int(i64::from(position * stride));
            cells = self.builder.ins().select(present, cells, offset);
            full = self.builder.ins().band(full, present);
        }
        self.fault_if(full);
        self.settle();
        let here = self.shifted(spot, Offset { cells, most: (capacity - 1) * stride })?;
        self.put_element(source, here, elem)
    }

    fn put_element(&mut self, source: Spot, here: Spot, elem: TypeId) -> Emit<()> {
        let inside = here.plus(1)?;
        self.copy(source, inside, elem)?;
        let present = self.int(1);
        self.store(here, Types::PRESENT, present)
    }

    /// Empties one position.
    fn remove(&mut self, here: Spot, elem: TypeId) -> Emit<()> {
        let absent = self.int(0);
        self.store(here, Types::PRESENT, absent)?;
        let inside = here.plus(1)?;
        self.undefine(inside, elem)
    }

    pub fn multiset_remove(&mut self, position: ExprId, set: &'m Place) -> Emit<()> {
        let (_, elem, stride) = self.multiset(set)?;
        let ty = self.model.expr(position).ty;
        let val = self.expr(position)?;
        let spot = self.spot(set)?;
        let here = self.step_into(spot, val, ty, stride)?;
        let present = self.present(here)?;
        let absent = self.flip(present);
        self.fault_if(absent);
        self.settle();
        self.remove(here, elem)
    }

    pub fn multiset_remove_pred(&mut self, local: Local, set: &'m Place, predicate: ExprId) -> Emit<()> {
        let (capacity, elem, stride) = self.multiset(set)?;
        let spot = self.spot(set)?;
        self.settle();
        for position in 0..capacity {
            let here = spot.plus(position * stride)?;
            let present = self.present(here)?;
            let (inside, next) = (self.block(), self.block());
            self.branch(present, inside, next);
            self.at(inside);
            self.count_one()?;
            self.bind(local, Val::constant(i64::from(position)))?;
            let flag = self.condition(predicate)?;
            self.settle();
            let gone = self.block();
            self.branch(flag, gone, next);
            self.at(gone);
            self.remove(here, elem)?;
            self.goto(next);
            self.at(next);
        }
        Ok(())
    }

    /// How many elements satisfy a predicate; positions are looked at one by one, written out.
    pub fn multiset_count(&mut self, local: Local, set: &'m Place, predicate: ExprId) -> Emit<Val> {
        let (capacity, _, stride) = self.multiset(set)?;
        let spot = self.spot(set)?;
        let outer = self.active;
        let mut count = self.int(0);
        for position in 0..capacity {
            let here = spot.plus(position * stride)?;
            let present = self.present(here)?;
            self.count_one()?;
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
        let code = self.load(spot, Types::PRESENT)?;
        let zero = self.int(0);
        Ok(self.builder.ins().icmp(IntCC::NotEqual, code, zero))
    }
}
