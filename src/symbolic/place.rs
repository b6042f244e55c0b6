//! Cells and addresses of a run for all states at once.
//!
//! A cell holds cases: values, each with the set of states where the cell has it. The sets of one cell exclude each
//! other and cover all states that are on the path; a single case is a value whatever the state. References are values
//! too: the number of a slot, or of a cell of the stack as -1, -2 and so on, as in the evaluator.
//!
//! A store keeps what was there for states that are held back: those in another branch, or that have returned.

use std::collections::BTreeMap;

use super::Trouble;
use super::bdd::Bdd;
use super::execute::Run;
use super::space::{Cases, Side};
use crate::ir::{Base, Local, Place, Slot, Span, TypeId, UNDEFINED};

/// How many values a slot that is read may have.
pub const VALUES_MAX: u64 = 4_096;
/// How many pairs of values an operation may look at.
const PAIRS_MAX: usize = 1 << 16;

pub fn plus(addr: i64, cells: i64) -> i64 {
    if addr >= 0 { addr + cells } else { addr - cells }
}

pub fn on_stack(cell: usize) -> i64 {
    -1 - cell as i64
}

impl Run<'_, '_> {
    pub(super) fn sure(&self, value: i64) -> Cases {
        vec![(value, self.space.store.truth())]
    }

    /// The cases that happen in a set of states.
    pub(super) fn within(&self, cases: &Cases, set: &Bdd) -> Result<Cases, Trouble> {
        if let [one] = cases.as_slice() {
            return Ok(vec![one.clone()]);
        }
        let mut kept = Vec::with_capacity(cases.len());
        for (value, guard) in cases {
            let guard = guard.and(set)?;
            if !guard.is_false() {
                kept.push((*value, guard));
            }
        }
        Ok(kept)
    }

    /// The cases of two values together under an operation; where it has no result, the path ends in a fault.
    pub(super) fn combine(
        &mut self,
        a: &Cases,
        b: &Cases,
        span: Span,
        operation: impl Fn(i64, i64) -> Option<i64>,
    ) -> Result<Cases, Trouble> {
        let (a, b) = (self.within(a, &self.path)?, self.within(b, &self.path)?);
        if let ([(x, _)], [(y, _)]) = (a.as_slice(), b.as_slice()) {
            return Ok(match operation(*x, *y) {
                Some(value) => self.sure(value),
                None => {
                    self.fail_all()?;
                    Vec::new()
                }
            });
        }
        if a.len() * b.len() > PAIRS_MAX {
            return Err(Trouble::refused(
                span,
                "the operation has too many pairs of values for decision diagrams",
            ));
        }
        let mut found: BTreeMap<i64, Bdd> = BTreeMap::new();
        let mut wrong = self.space.store.falsity();
        for (x, guard_x) in &a {
            for (y, guard_y) in &b {
                let guard = guard_x.and(guard_y)?;
                if guard.is_false() {
                    continue;
                }
                match operation(*x, *y) {
                    Some(value) => add(&mut found, value, guard)?,
                    None => wrong = wrong.or(&guard)?,
                }
            }
        }
        self.fail(&wrong)?;
        Ok(found.into_iter().collect())
    }

    /// The cases of a value under an operation, with faults as in `combine`.
    pub(super) fn map(
        &mut self,
        cases: &Cases,
        operation: impl Fn(i64) -> Option<i64>,
    ) -> Result<Cases, Trouble> {
        let cases = self.within(cases, &self.path)?;
        let mut found: BTreeMap<i64, Bdd> = BTreeMap::new();
        let mut wrong = self.space.store.falsity();
        for (value, guard) in cases {
            match operation(value) {
                Some(value) => add(&mut found, value, guard)?,
                None => wrong = wrong.or(&guard)?,
            }
        }
        self.fail(&wrong)?;
        Ok(found.into_iter().collect())
    }

    pub(super) fn set_local(&mut self, local: Local, cases: Cases) {
        let at = self.frame + local.0 as usize;
        self.stack[at] = cases;
    }

    /// What a cell holds, for states on the path and those held back.
    pub(super) fn load(&mut self, addr: i64, span: Span) -> Result<Cases, Trouble> {
        if addr < 0 {
            return Ok(self.stack[(-1 - addr) as usize].clone());
        }
        let slot = addr as u32;
        if let Some(known) = self.state.get(&slot) {
            return Ok(known.clone());
        }
        let Some(field) = self.view.field(slot) else {
            let path = self.model.slot_path(Slot(slot));
            return Err(Trouble::refused(span, format!("{path} is not in the view of this component")));
        };
        if field.count > VALUES_MAX {
            let path = self.model.slot_path(Slot(slot));
            let why = format!("{path} has {} values; decision diagrams take {VALUES_MAX}", field.count);
            return Err(Trouble::refused(span, why));
        }
        let cases = self.space.cases(field, Side::Now)?.as_ref().clone();
        self.state.insert(slot, cases.clone());
        Ok(cases)
    }

    /// What stands at any of several addresses.
    pub(super) fn load_at(&mut self, addrs: &Cases, offset: i64, span: Span) -> Result<Cases, Trouble> {
        if let [(addr, _)] = addrs.as_slice() {
            let cases = self.load(plus(*addr, offset), span)?;
            return self.within(&cases, &self.path);
        }
        let mut found: BTreeMap<i64, Bdd> = BTreeMap::new();
        for (addr, here) in addrs {
            let here = here.and(&self.path)?;
            for (value, guard) in self.load(plus(*addr, offset), span)? {
                add(&mut found, value, guard.and(&here)?)?;
            }
        }
        found.retain(|_, guard| !guard.is_false());
        Ok(found.into_iter().collect())
    }

    /// Puts a value into a cell, for the states of `here`, which are on the path.
    fn store_one(
        &mut self,
        addr: i64,
        value: &Cases,
        here: &Bdd,
        elsewhere: &Bdd,
        span: Span,
    ) -> Result<(), Trouble> {
        let cases = if elsewhere.is_false() {
            self.within(value, here)?
        } else {
            let old = self.load(addr, span)?;
            let mut merged: BTreeMap<i64, Bdd> = BTreeMap::new();
            for (value, guard) in value {
                add(&mut merged, *value, guard.and(here)?)?;
            }
            for (value, guard) in &old {
                add(&mut merged, *value, guard.and(elsewhere)?)?;
            }
            merged.retain(|_, guard| !guard.is_false());
            merged.into_iter().collect()
        };
        if addr < 0 {
            self.stack[(-1 - addr) as usize] = cases;
        } else {
            self.written.insert(addr as u32);
            self.state.insert(addr as u32, cases);
        }
        Ok(())
    }

    /// Puts a value at any of several addresses.
    pub(super) fn store_at(
        &mut self,
        addrs: &Cases,
        offset: i64,
        value: &Cases,
        span: Span,
    ) -> Result<(), Trouble> {
        let held = self.held_back()?;
        if let [(addr, _)] = addrs.as_slice() {
            return self.store_one(plus(*addr, offset), value, &self.path.clone(), &held, span);
        }
        for (addr, here) in addrs {
            let here = here.and(&self.path)?;
            if !here.is_false() {
                let elsewhere = held.or(&self.path.minus(&here)?)?;
                self.store_one(plus(*addr, offset), value, &here, &elsewhere, span)?;
            }
        }
        Ok(())
    }

    /// Where a place stands; indices outside their type are faults.
    pub(super) fn address(&mut self, place: &Place) -> Result<Cases, Trouble> {
        let offset = i64::from(place.offset);
        let mut cells = self.sure(offset);
        for index in &place.indices {
            let value = self.eval(index.expr)?;
            let (types, ty, stride) = (&self.model.types, index.ty, i64::from(index.stride));
            let scaled = self.map(&value, |value| {
                types.contains(ty, value).then(|| value.abs_diff(types.first(ty)) as i64 * stride)
            })?;
            cells = self.combine(&cells, &scaled, place.span, |a, b| Some(a + b))?;
        }
        match place.base {
            Base::State => Ok(cells),
            Base::Frame => {
                let frame = self.frame;
                self.map(&cells, |cells| Some(on_stack(frame + cells as usize)))
            }
            Base::Ref(local) => {
                let base = self.stack[self.frame + local.0 as usize].clone();
                self.combine(&base, &cells, place.span, |base, cells| Some(plus(base, cells)))
            }
        }
    }

    /// The value of a simple-typed place; a fault where it has none.
    pub(super) fn read(&mut self, place: &Place) -> Result<Cases, Trouble> {
        let addrs = self.address(place)?;
        let cases = self.load_at(&addrs, 0, place.span)?;
        self.defined(cases)
    }

    pub(super) fn defined(&mut self, cases: Cases) -> Result<Cases, Trouble> {
        if cases.iter().all(|(value, _)| *value != UNDEFINED) {
            return Ok(cases);
        }
        self.map(&cases, |value| (value != UNDEFINED).then_some(value))
    }

    /// Checks that a value may be stored in the type.
    pub(super) fn check_range(&mut self, ty: TypeId, cases: Cases) -> Result<Cases, Trouble> {
        let types = &self.model.types;
        if !types.is_range(ty) {
            return Ok(cases);
        }
        let fits = |value: i64| value == UNDEFINED || types.contains(ty, value);
        if cases.iter().all(|(value, _)| fits(*value)) {
            return Ok(cases);
        }
        self.map(&cases, |value| fits(value).then_some(value))
    }
}

/// Adds states to those where a value is had.
pub fn add(found: &mut BTreeMap<i64, Bdd>, value: i64, guard: Bdd) -> Result<(), Trouble> {
    let merged = match found.get(&value) {
        Some(known) => known.or(&guard)?,
        None => guard,
    };
    found.insert(value, merged);
    Ok(())
}
