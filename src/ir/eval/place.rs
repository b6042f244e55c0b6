//! Addresses: where places stand, in the state or on the stack, and reading and storing there.
//!
//! Indices are checked against their index type before they are scaled; stores are checked against the
//! range of what they are stored in. Reads hand out raw cells: whoever needs a value asks `read`.

use super::super::expr::{Base, Local, Place};
use super::super::model::{Model, Slot, UNDEFINED};
use super::super::span::Span;
use super::super::types::{Type, TypeId};
use super::{FaultKind, Machine, Run, Stop};

/// A cell of the state (0, 1, …) or of the stack (-1, -2, …), so that a reference fits in one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addr(i64);

impl Addr {
    pub fn state(slot: usize) -> Addr {
        Addr(slot as i64)
    }

    pub fn stack(cell: usize) -> Addr {
        Addr(-1 - cell as i64)
    }

    pub fn to_cell(self) -> i64 {
        self.0
    }

    pub fn from_cell(cell: i64) -> Addr {
        Addr(cell)
    }

    pub fn plus(self, cells: usize) -> Addr {
        if self.0 >= 0 { Addr(self.0 + cells as i64) } else { Addr(self.0 - cells as i64) }
    }

    pub fn slot(self) -> Option<usize> {
        usize::try_from(self.0).ok()
    }
}

/// Cells from one element of a multiset to the next.
pub fn multiset_stride(model: &Model, set: TypeId) -> usize {
    match model.types.get(set) {
        Type::Multiset { elem, .. } => model.types.cells(*elem) as usize + 1,
        _ => 1,
    }
}

impl<'m> Machine<'m> {
    pub(super) fn set_local(&mut self, local: Local, value: i64) {
        let at = self.frame + local.0 as usize;
        self.stack[at] = value;
    }

    pub(super) fn local_addr(&self, local: Local) -> Addr {
        Addr::stack(self.frame + local.0 as usize)
    }

    pub(super) fn load(&self, addr: Addr) -> i64 {
        match addr.slot() {
            Some(slot) => {
                if let Some(attention) = &self.attention {
                    attention.read(slot);
                }
                self.state[slot]
            }
            None => self.stack[(-1 - addr.0) as usize],
        }
    }

    pub(super) fn store(&mut self, addr: Addr, value: i64) {
        match addr.slot() {
            Some(slot) => {
                if let Some(attention) = &mut self.attention {
                    attention.wrote(slot);
                }
                self.state[slot] = value;
            }
            None => self.stack[(-1 - addr.0) as usize] = value,
        }
    }

    /// The cells from an address on.
    pub(super) fn cells(&self, addr: Addr, count: usize) -> &[i64] {
        match addr.slot() {
            Some(slot) => {
                if let Some(attention) = &self.attention {
                    (slot..slot + count).for_each(|each| attention.read(each));
                }
                &self.state[slot..slot + count]
            }
            None => {
                let first = (-1 - addr.0) as usize;
                &self.stack[first..first + count]
            }
        }
    }

    /// Copies cells; source and target may overlap.
    pub(super) fn copy(&mut self, from: Addr, to: Addr, count: usize) {
        let cells = self.cells(from, count).to_vec();
        for (at, value) in cells.into_iter().enumerate() {
            self.store(to.plus(at), value);
        }
    }

    pub(super) fn fill(&mut self, addr: Addr, count: usize, value: i64) {
        for at in 0..count {
            self.store(addr.plus(at), value);
        }
    }

    pub(super) fn address(&mut self, place: &'m Place) -> Run<Addr> {
        let mut cells = place.offset as usize;
        for index in &place.indices {
            let value = self.eval(index.expr)?;
            let types = &self.model.types;
            if !types.contains(index.ty, value) {
                let ty = types.describe(index.ty);
                let shown = types.value_name(self.model.expr(index.expr).ty, value);
                let message = format!("index {shown} is outside {ty}");
                return Err(Stop::fault(FaultKind::Index, self.model.expr(index.expr).span, message));
            }
            cells += value.abs_diff(types.first(index.ty)) as usize * index.stride as usize;
        }
        Ok(match place.base {
            Base::State => Addr::state(cells),
            Base::Frame => Addr::stack(self.frame + cells),
            Base::Ref(local) => Addr::from_cell(self.load(self.local_addr(local))).plus(cells),
        })
    }

    /// The value of a simple-typed place; a fault where it has none.
    pub(super) fn read(&mut self, place: &'m Place) -> Run<i64> {
        let addr = self.address(place)?;
        let value = self.load(addr);
        if value == UNDEFINED {
            let what = self.describe(place, addr);
            return Err(Stop::fault(
                FaultKind::Undefined,
                place.span,
                format!("{what} is read but undefined"),
            ));
        }
        Ok(value)
    }

    /// What stands at an address, for messages: the slot's path, or the text of the place.
    fn describe(&self, place: &Place, addr: Addr) -> String {
        match addr.slot() {
            Some(slot) => self.model.slot_path(Slot(slot as u32)),
            None => self.model.source.slice(place.span).to_string(),
        }
    }

    /// Checks that a value may be stored in the type.
    pub(super) fn check_range(&self, ty: TypeId, value: i64, span: Span) -> Run<()> {
        let types = &self.model.types;
        if value == UNDEFINED || !types.is_range(ty) || types.contains(ty, value) {
            return Ok(());
        }
        let message = format!("value {value} is outside {}", types.describe(ty));
        Err(Stop::fault(FaultKind::Range, span, message))
    }

    pub(super) fn store_checked(&mut self, place: &'m Place, addr: Addr, value: i64, span: Span) -> Run<()> {
        let types = &self.model.types;
        if value != UNDEFINED && types.is_range(place.ty) && !types.contains(place.ty, value) {
            let what = self.describe(place, addr);
            let ty = types.describe(place.ty);
            let message = format!("value {value} does not fit {what}, which is {ty}");
            return Err(Stop::fault(FaultKind::Range, span, message));
        }
        self.store(addr, value);
        Ok(())
    }

    /// Whether a position of the multiset at an address is occupied.
    pub(super) fn present(&self, set: Addr, stride: usize, position: u64) -> bool {
        self.load(set.plus(position as usize * stride)) == 1
    }
}
