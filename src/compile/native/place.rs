//! Places: from indices to addresses, and reading and storing codes there.
//!
//! Indices known while code is written cost nothing; others are checked, scaled and added at run time.

use super::emit::{Emit, Emitter, Refusal, trusted};
use super::frame::{Offset, Spot};
use super::value::Val;
use crate::ir::{Place, Type, TypeId};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

/// Cells copied one by one, beyond which a statement is left to the evaluator.
pub const COPY_MAX: u64 = 512;

impl<'m> Emitter<'_, '_, 'm> {
    pub fn spot(&mut self, place: &'m Place) -> Emit<Spot> {
        let mut spot = self.base_spot(place)?;
        for index in &place.indices {
            let val = self.expr(index.expr)?;
            spot = self.step_into(spot, val, index.ty, index.stride)?;
        }
        Ok(spot)
    }

    /// Adds an index, checked against its type.
    pub fn step_into(&mut self, spot: Spot, val: Val, ty: TypeId, stride: u32) -> Emit<Spot> {
        let count = self.types().count(ty);
        let (first, last) = self.bounds(ty);
        if count == 0 || count > 1 << 20 {
            return Err(Refusal::Unsupported("it indexes an array of no or very many elements"));
        }
        if let Some(value) = val.known() {
            if !self.types().contains(ty, value) {
                self.fault_always();
                return Ok(spot);
            }
            return spot.plus(value.abs_diff(first) as u32 * stride);
        }
        let mut cells = self.word(Val { add: val.add.wrapping_sub(first), ..val });
        let certain = val.within(first, last);
        if !certain || self.pending.is_some() || self.active.is_some() {
            let count = self.int(count as i64);
            let inside = self.builder.ins().icmp(IntCC::UnsignedLessThan, cells, count);
            if !certain {
                let outside = self.builder.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, cells, count);
                self.fault_if(outside);
            }
            let zero = self.int(0);
            cells = self.builder.ins().select(inside, cells, zero);
        }
        if stride != 1 {
            let stride = self.int(i64::from(stride));
            cells = self.builder.ins().imul(cells, stride);
        }
        self.shifted(spot, Offset { cells, most: (count as u32 - 1) * stride })
    }

    /// Adds cells known at run time.
    pub fn shifted(&mut self, spot: Spot, by: Offset) -> Emit<Spot> {
        let mut sum = |at: Option<Value>| match at {
            Some(at) => self.builder.ins().iadd(at, by.cells),
            None => by.cells,
        };
        match spot {
            Spot::State { slot, at } => {
                let most = at.map_or(0, |at| at.most) + by.most;
                let cells = sum(at.map(|at| at.cells));
                Ok(Spot::State { slot, at: Some(Offset { cells, most }) })
            }
            Spot::Memory { home, cell, at } => Ok(Spot::Memory { home, cell, at: Some(sum(at)) }),
            _ => Err(Refusal::Unsupported("it indexes a simple value")),
        }
    }

    /// The code of a simple value, 0 where it is undefined.
    pub fn load(&mut self, spot: Spot, ty: TypeId) -> Emit<Value> {
        match spot {
            Spot::State { slot, at: None } => {
                let Some(&field) = self.plan.layout.fields().get(slot as usize) else {
                    return Err(Refusal::Unsupported("it addresses a slot that is not there"));
                };
                Ok(self.load_code(field))
            }
            Spot::State { slot, at: Some(at) } => self.load_code_at(slot, at, self.field_of(ty)),
            Spot::Memory { home, cell, at } => {
                let address = self.cell_address(home, at);
                Ok(self.builder.ins().load(I64, trusted(), address, cell as i32 * 8))
            }
            Spot::Variable(variable) => Ok(self.builder.use_var(variable)),
            Spot::Bound(val) => Ok(self.code_of(val, ty)),
        }
    }

    fn cell_address(&mut self, home: cranelift_codegen::ir::StackSlot, at: Option<Value>) -> Value {
        let base = self.builder.ins().stack_addr(I64, home, 0);
        match at {
            Some(at) => {
                let three = self.int(3);
                let bytes = self.builder.ins().ishl(at, three);
                self.builder.ins().iadd(base, bytes)
            }
            None => base,
        }
    }

    /// Stores a code, under a condition only where that holds.
    pub fn store(&mut self, spot: Spot, ty: TypeId, code: Value) -> Emit<()> {
        match spot {
            Spot::State { slot, at } => {
                let Some(&field) = self.plan.layout.fields().get(slot as usize) else {
                    return Err(Refusal::Unsupported("it addresses a slot that is not there"));
                };
                self.wrote_multiset |= self.plan.in_multiset[slot as usize];
                match at {
                    None => self.store_code(field, code),
                    Some(at) => self.store_code_at(slot, at, self.field_of(ty), code),
                }
            }
            Spot::Memory { home, cell, at } => {
                let address = self.cell_address(home, at);
                let offset = cell as i32 * 8;
                let code = match self.active {
                    Some(_) => {
                        let old = self.builder.ins().load(I64, trusted(), address, offset);
                        self.if_active(code, old)
                    }
                    None => code,
                };
                self.builder.ins().store(trusted(), code, address, offset);
                Ok(())
            }
            Spot::Variable(variable) => {
                self.change(variable, code);
                Ok(())
            }
            Spot::Bound(_) => Err(Refusal::Unsupported("it stores to a name that is bound to a value")),
        }
    }

    /// The value of a simple place; something is pending where it has none.
    pub fn read(&mut self, place: &'m Place) -> Emit<Val> {
        let spot = self.spot(place)?;
        if let Spot::Bound(val) = spot {
            return Ok(val);
        }
        let code = self.load(spot, place.ty)?;
        let zero = self.int(0);
        let undefined = self.builder.ins().icmp(IntCC::Equal, code, zero);
        self.fault_if(undefined);
        let (first, last) = self.bounds(place.ty);
        Ok(Val::from_code(code, first, last))
    }

    /// Something is pending where a value is outside a range type.
    pub fn check_range(&mut self, ty: TypeId, val: Val) -> Val {
        if !self.types().is_range(ty) {
            return val;
        }
        let (first, last) = self.bounds(ty);
        if val.lo < first {
            let low = self.compare(IntCC::SignedLessThan, val, Val::constant(first));
            self.fault_if(low);
        }
        if val.hi > last {
            let high = self.compare(IntCC::SignedGreaterThan, val, Val::constant(last));
            self.fault_if(high);
        }
        Val { lo: val.lo.clamp(first, last.max(first)), hi: val.hi.clamp(first, last.max(first)), ..val }
    }

    /// The types of a value's cells, in order.
    pub fn leaves(&self, ty: TypeId) -> Emit<Vec<TypeId>> {
        if self.types().cells(ty) > COPY_MAX {
            return Err(Refusal::Unsupported("it handles a very large value at once"));
        }
        let mut found = Vec::new();
        self.collect_leaves(ty, &mut found);
        Ok(found)
    }

    fn collect_leaves(&self, ty: TypeId, found: &mut Vec<TypeId>) {
        match self.types().get(ty) {
            Type::Record { fields } => fields.iter().for_each(|field| self.collect_leaves(field.ty, found)),
            Type::Array { index, elem } => {
                (0..self.types().count(*index)).for_each(|_| self.collect_leaves(*elem, found));
            }
            Type::Multiset { capacity, elem } => {
                for _ in 0..*capacity {
                    found.push(crate::ir::Types::PRESENT);
                    self.collect_leaves(*elem, found);
                }
            }
            _ => found.push(ty),
        }
    }

    /// Copies a value of any type; all is read before anything is stored.
    pub fn copy(&mut self, from: Spot, to: Spot, ty: TypeId) -> Emit<()> {
        self.settle_for_good();
        let leaves = self.leaves(ty)?;
        let mut codes = Vec::with_capacity(leaves.len());
        for (at, &leaf) in leaves.iter().enumerate() {
            let spot = from.plus(at as u32)?;
            codes.push(self.load(spot, leaf)?);
        }
        for (at, (&leaf, code)) in leaves.iter().zip(codes).enumerate() {
            let spot = to.plus(at as u32)?;
            self.store(spot, leaf, code)?;
        }
        Ok(())
    }

    pub fn undefine(&mut self, spot: Spot, ty: TypeId) -> Emit<()> {
        self.settle_for_good();
        let leaves = self.leaves(ty)?;
        let zero = self.int(0);
        for (at, &leaf) in leaves.iter().enumerate() {
            let spot = spot.plus(at as u32)?;
            self.store(spot, leaf, zero)?;
        }
        Ok(())
    }

    /// Sets every leaf to its least value, and empties multisets.
    pub fn clear(&mut self, spot: Spot, ty: TypeId) -> Emit<()> {
        if self.types().has_multiset(ty) && !matches!(self.types().get(ty), Type::Multiset { .. }) {
            return Err(Refusal::Unsupported("it clears a value with multisets inside"));
        }
        if self.types().has_multiset(ty) {
            return self.undefine(spot, ty);
        }
        self.settle_for_good();
        let leaves = self.leaves(ty)?;
        for (at, &leaf) in leaves.iter().enumerate() {
            let code = self.int(i64::from(self.types().count(leaf) > 0));
            let spot = spot.plus(at as u32)?;
            self.store(spot, leaf, code)?;
        }
        Ok(())
    }
}
