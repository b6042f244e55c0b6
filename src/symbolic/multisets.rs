//! Multisets in a run for all states at once: each position is cells like any other, a mark and an element.
//!
//! In: statements and counts over a multiset. Out: the same cells as the evaluator leaves; at the end of a rule, those of
//! every multiset it stored to in canonical order (`ir::multiset`): occupied positions first, sorted, the rest undefined.
//! The order is made by exchanging neighbours, each exchange for the states that need it.
//!
//! Cost: for a multiset of k positions, k² / 2 exchanges over diagrams of all its bits; so one with too many bits is
//! refused with its place. Proofs by components do not take multisets: their views are not in canonical order.

use std::collections::BTreeMap;

use super::Trouble;
use super::bdd::Bdd;
use super::execute::Run;
use super::place::{add, plus};
use super::space::Cases;
use crate::ir::{Binder, ExprId, Local, Place, Span, Type, TypeId, UNDEFINED};

/// Bits of one multiset: beyond, its order makes diagrams too large.
const MULTISET_BITS_MAX: u32 = 24;

/// How a multiset's cells lie.
#[derive(Clone, Copy)]
struct Shape {
    elem: TypeId,
    capacity: i64,
    stride: i64,
}

impl<'m> Run<'m, '_> {
    /// The shape of a multiset that is taken.
    fn shape(&self, ty: TypeId, span: Span) -> Result<Shape, Trouble> {
        let types = &self.model.types;
        let Type::Multiset { capacity, elem } = *types.get(ty) else { unreachable!("a multiset's place") };
        if !self.view.multisets {
            return Err(Trouble::refused(span, "proofs by components do not take multisets"));
        }
        let bits = self.bits(elem).saturating_add(1).saturating_mul(capacity);
        if bits > MULTISET_BITS_MAX {
            let why = format!(
                "the multiset has {bits} bits: decision diagrams take multisets of at most {MULTISET_BITS_MAX}"
            );
            return Err(Trouble::refused(span, why));
        }
        Ok(Shape { elem, capacity: i64::from(capacity), stride: types.cells(elem) as i64 + 1 })
    }

    fn bits(&self, ty: TypeId) -> u32 {
        let types = &self.model.types;
        match types.get(ty) {
            Type::Record { fields } => fields.iter().fold(0, |sum, field| sum + self.bits(field.ty)),
            Type::Array { index, elem } => {
                let count = u32::try_from(types.count(*index)).unwrap_or(u32::MAX);
                self.bits(*elem).saturating_mul(count)
            }
            Type::Multiset { capacity, elem } => (self.bits(*elem) + 1).saturating_mul(*capacity),
            _ => u64::BITS - types.count(ty).leading_zeros(),
        }
    }

    /// The states of the path where a position is occupied.
    fn occupied(&mut self, set: &Cases, shape: Shape, position: i64, span: Span) -> Result<Bdd, Trouble> {
        let mark = self.load_at(set, position * shape.stride, span)?;
        let one = self.sure(1);
        self.same(&mark, &one)
    }

    /// Binds a chosen position; states where it is empty leave the path.
    pub(super) fn choose(&mut self, binder: &'m Binder, position: u64) -> Result<(), Trouble> {
        let Binder::Choose { local, set, .. } = binder else { return Ok(()) };
        let shape = self.shape(set.ty, set.span)?;
        let addrs = self.address(set)?;
        self.path = self.occupied(&addrs, shape, position as i64, set.span)?;
        let value = self.sure(position as i64);
        self.set_local(*local, value);
        Ok(())
    }

    pub(super) fn multiset_add(
        &mut self,
        element: ExprId,
        set: &'m Place,
        span: Span,
    ) -> Result<(), Trouble> {
        let shape = self.shape(set.ty, span)?;
        let simple = self.model.types.is_simple(shape.elem);
        let value = match simple {
            true => self.value_or_undefined(element, self.copies_undefined())?,
            false => self.locate(element)?,
        };
        let addrs = self.address(set)?;
        let mut full = self.path.clone();
        let mut free = Vec::new();
        for position in 0..shape.capacity {
            let occupied = self.occupied(&addrs, shape, position, span)?;
            free.push((position, full.minus(&occupied)?));
            full = full.and(&occupied)?;
        }
        self.fail(&full)?;
        let value = if simple { self.check_range(shape.elem, value)? } else { value };
        let mark = self.sure(1);
        self.each_part(free, |run, position| {
            let at = position * shape.stride;
            if simple {
                run.store_at(&addrs, at + 1, &value, span)?;
            } else {
                let to = run.map(&addrs, |addr| Some(plus(addr, at + 1)))?;
                run.copy(&value, &to, shape.stride - 1, span)?;
            }
            run.store_at(&addrs, at, &mark, span)
        })
    }

    pub(super) fn multiset_remove(
        &mut self,
        position: ExprId,
        set: &'m Place,
        span: Span,
    ) -> Result<(), Trouble> {
        let shape = self.shape(set.ty, span)?;
        let positions = self.eval(position)?;
        let addrs = self.address(set)?;
        self.each_part(positions, |run, &position| {
            let occupied = run.occupied(&addrs, shape, position, span)?;
            let absent = run.path.minus(&occupied)?;
            run.fail(&absent)?;
            run.empty(&addrs, position * shape.stride, shape.stride, span)
        })
    }

    fn empty(&mut self, addrs: &Cases, from: i64, cells: i64, span: Span) -> Result<(), Trouble> {
        let undefined = self.sure(UNDEFINED);
        (from..from + cells).try_for_each(|cell| self.store_at(addrs, cell, &undefined, span))
    }

    /// Does something at each position, for the states where it is occupied.
    fn each_occupied(
        &mut self,
        local: Local,
        set: &'m Place,
        span: Span,
        mut each: impl FnMut(&mut Self, &Cases, Shape, i64) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let shape = self.shape(set.ty, span)?;
        let addrs = self.address(set)?;
        let kept = self.stack.len();
        for position in 0..shape.capacity {
            let occupied = self.occupied(&addrs, shape, position, span)?;
            self.each_part(vec![((), occupied)], |run, ()| {
                run.count_step(span)?;
                let value = run.sure(position);
                run.set_local(local, value);
                each(run, &addrs, shape, position)?;
                run.stack.truncate(kept);
                Ok(())
            })?;
        }
        Ok(())
    }

    pub(super) fn multiset_remove_pred(
        &mut self,
        local: Local,
        set: &'m Place,
        predicate: ExprId,
        span: Span,
    ) -> Result<(), Trouble> {
        self.each_occupied(local, set, span, |run, addrs, shape, position| {
            let goes = run.truth(predicate)?;
            run.each_part(vec![((), goes)], |run, ()| {
                run.empty(addrs, position * shape.stride, shape.stride, span)
            })
        })
    }

    pub(super) fn multiset_count(
        &mut self,
        local: Local,
        set: &'m Place,
        predicate: ExprId,
        span: Span,
    ) -> Result<Cases, Trouble> {
        let mut counts = vec![self.path.clone()];
        self.each_occupied(local, set, span, |run, _, _, _| {
            let counted = run.truth(predicate)?;
            for at in (0..counts.len()).rev() {
                let more = counts[at].and(&counted)?;
                if more.is_false() {
                    continue;
                }
                counts[at] = counts[at].minus(&more)?;
                match counts.get_mut(at + 1) {
                    Some(above) => *above = above.or(&more)?,
                    None => counts.push(more),
                }
            }
            Ok(())
        })?;
        let counts: Cases = (0..).zip(counts).collect();
        let mut kept = Vec::new();
        for (count, states) in counts {
            let states = states.and(&self.path)?;
            if !states.is_false() {
                kept.push((count, states));
            }
        }
        Ok(kept)
    }

    /// The states of the path where two values with multisets are the same: their copies in order are.
    pub(super) fn equal_in_order(
        &mut self,
        ty: TypeId,
        a: &Cases,
        b: &Cases,
        span: Span,
    ) -> Result<Bdd, Trouble> {
        let cells = self.model.types.cells(ty) as i64;
        let kept = self.stack.len();
        let mut copies = Vec::new();
        for from in [a, b] {
            let at = self.reserve(ty);
            let to = self.sure(at);
            self.copy(from, &to, cells, span)?;
            self.order(ty, at, span)?;
            copies.push(to);
        }
        let mut equal = self.path.clone();
        for cell in 0..cells {
            let (left, right) =
                (self.load_at(&copies[0], cell, span)?, self.load_at(&copies[1], cell, span)?);
            equal = equal.and(&self.same(&left, &right)?)?;
        }
        self.stack.truncate(kept);
        Ok(equal)
    }

    /// Orders the multisets that were stored to, as the evaluator does at the end of a rule.
    pub fn order_written(&mut self, span: Span) -> Result<(), Trouble> {
        for var in &self.model.vars {
            if self.model.types.has_multiset(var.ty) {
                self.order(var.ty, i64::from(var.first.0), span)?;
            }
        }
        Ok(())
    }

    /// Orders the multisets of the value at an address; those of the state only where they were stored to.
    fn order(&mut self, ty: TypeId, addr: i64, span: Span) -> Result<(), Trouble> {
        let model = self.model;
        let cells = model.types.cells(ty) as i64;
        let slots = addr.max(0) as u32..(addr + cells).max(0) as u32;
        let untouched = addr >= 0 && self.written.range(slots).next().is_none();
        if untouched || !model.types.has_multiset(ty) {
            return Ok(());
        }
        match model.types.get(ty) {
            Type::Record { fields } => fields
                .iter()
                .try_for_each(|field| self.order(field.ty, plus(addr, i64::from(field.offset)), span)),
            Type::Array { index, elem } => {
                let stride = model.types.cells(*elem) as i64;
                let count = model.types.count(*index) as i64;
                (0..count).try_for_each(|at| self.order(*elem, plus(addr, at * stride), span))
            }
            Type::Multiset { .. } => {
                let shape = self.shape(ty, span)?;
                self.sort(shape, addr, span)
            }
            _ => Ok(()),
        }
    }

    fn sort(&mut self, shape: Shape, addr: i64, span: Span) -> Result<(), Trouble> {
        let set = self.sure(addr);
        for position in 0..shape.capacity {
            self.order(shape.elem, plus(addr, position * shape.stride + 1), span)?;
            let occupied = self.occupied(&set, shape, position, span)?;
            let empty = self.path.minus(&occupied)?;
            self.each_part(vec![((), empty)], |run, ()| {
                run.empty(&set, position * shape.stride, shape.stride, span)
            })?;
        }
        for last in (1..shape.capacity).rev() {
            for position in 0..last {
                self.exchange(shape, &set, position, span)?;
            }
        }
        Ok(())
    }

    /// Exchanges a position with the next where that one comes first.
    fn exchange(&mut self, shape: Shape, set: &Cases, position: i64, span: Span) -> Result<(), Trouble> {
        let at = position * shape.stride;
        let cells = |run: &mut Self, at: i64| -> Result<Vec<Cases>, Trouble> {
            (at..at + shape.stride).map(|cell| run.load_at(set, cell, span)).collect()
        };
        let (here, there) = (cells(self, at)?, cells(self, at + shape.stride)?);
        // An empty position, whose mark is undefined, comes last; elements stand in the order of their cells.
        let mut before = self.less(&here[0], &there[0])?;
        let mut equal = self.same(&here[0], &there[0])?;
        for (here, there) in here.iter().zip(&there).skip(1) {
            if equal.is_false() {
                break;
            }
            before = before.or(&equal.and(&self.less(there, here)?)?)?;
            equal = equal.and(&self.same(here, there)?)?;
        }
        self.each_part(vec![((), before)], |run, ()| {
            for (cell, (here, there)) in here.iter().zip(&there).enumerate() {
                run.store_at(set, at + cell as i64, there, span)?;
                run.store_at(set, at + shape.stride + cell as i64, here, span)?;
            }
            Ok(())
        })
    }

    /// The states of the path where one value is less than another; undefined is least.
    fn less(&mut self, a: &Cases, b: &Cases) -> Result<Bdd, Trouble> {
        let (a, b) = (self.within(a, &self.path)?, self.within(b, &self.path)?);
        let mut greater: BTreeMap<i64, Bdd> = BTreeMap::new();
        for (value, guard) in &b {
            add(&mut greater, *value, guard.clone())?;
        }
        let mut found = self.space.store.falsity();
        for (value, guard) in &a {
            let mut above = self.space.store.falsity();
            for (_, other) in greater.range(value + 1..) {
                above = above.or(other)?;
            }
            found = found.or(&guard.and(&above)?)?;
        }
        found.and(&self.path)
    }
}
