//! Which variables carry which slot, and sets of states by the value of a slot.
//!
//! A slot's value is its code (0 for undefined, then the values in order) in binary, most significant bit first. Bit
//! number b of a space has two variables next to each other: 2b for the state before a step, 2b + 1 for the one after.
//!
//! A `View` says where slots stand. The whole model has one view; components share one space and one set of shared
//! slots, and each has its own slots on the same bits as the others', so that thousands of components need few bits.
//!
//! The order is static and follows from the model alone: slots without a process first, then those of the first
//! process, of the second, and so on. A process is a value of the type that most arrays are indexed by.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::bdd::{Bdd, Store};
use super::{Trouble, Watch, place::VALUES_MAX};
use crate::ir::{Model, Type, TypeId, UNDEFINED};

/// How many values a slot may have whose values are exposed one by one.
pub const EXPOSED_MAX: u64 = 64;

/// Before a step or after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    Now,
    Next,
}

/// Where a slot stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The first of its bits, and how far the next is.
    pub bit: u32,
    pub stride: u32,
    pub width: u32,
    /// The least value of its type, and how many there are.
    pub first: i64,
    pub count: u64,
}

impl Field {
    /// The field of a slot, beginning at `bit`.
    pub fn new(model: &Model, slot: u32, bit: u32) -> Field {
        let ty = model.slots[slot as usize].ty;
        let count = model.types.count(ty);
        Field {
            bit,
            stride: 1,
            width: u64::BITS - count.leading_zeros(),
            first: model.types.first(ty),
            count,
        }
    }

    pub fn code(&self, value: i64) -> u64 {
        if value == UNDEFINED { 0 } else { (value.wrapping_sub(self.first) as u64).wrapping_add(1) }
    }

    pub fn value(&self, code: u64) -> i64 {
        if code == 0 { UNDEFINED } else { self.first.wrapping_add_unsigned(code - 1) }
    }

    pub fn bits(&self) -> impl Iterator<Item = u32> + use<> {
        let (bit, stride) = (self.bit, self.stride);
        (0..self.width).map(move |at| bit + at * stride)
    }

    /// The literals that say that the field has a code.
    pub fn literals(&self, code: u64, side: Side) -> Vec<(u32, bool)> {
        let literal =
            |at: u32| (variable(self.bit + at * self.stride, side), code >> (self.width - 1 - at) & 1 == 1);
        (0..self.width).map(literal).collect()
    }
}

/// The variable of a bit.
pub fn variable(bit: u32, side: Side) -> u32 {
    bit * 2 + u32::from(side == Side::Next)
}

/// Where slots stand: some for everyone, some for one component alone.
#[derive(Clone, Debug, Default)]
pub struct View {
    pub shared: Rc<Vec<Option<Field>>>,
    pub own: HashMap<u32, Field>,
    /// Bits that tell whether a slot has a value, kept up to date by whoever writes the slot.
    pub flags: Rc<HashMap<u32, Vec<(i64, u32)>>>,
    /// Whether multisets are taken: their cells are in canonical order in every state.
    pub multisets: bool,
}

impl View {
    pub fn field(&self, slot: u32) -> Option<Field> {
        self.own.get(&slot).copied().or_else(|| self.shared.get(slot as usize).copied().flatten())
    }

    /// The view of a whole model, and how many bits it takes.
    pub fn whole(model: &Model) -> (View, u32) {
        let mut fields = vec![None; model.slots.len()];
        let mut bits = 0;
        for slot in slot_order(model) {
            let field = Field::new(model, slot, bits);
            bits += field.width;
            fields[slot as usize] = Some(field);
        }
        (View { shared: Rc::new(fields), multisets: true, ..View::default() }, bits)
    }
}

/// A value that a slot may have, and the set of states where it has it.
pub type Cases = Vec<(i64, Bdd)>;

/// A store of bits, and the sets that are asked for often.
pub struct Space {
    pub store: Store,
    bits: u32,
    cases: RefCell<HashMap<(Field, Side), Rc<Cases>>>,
    frames: RefCell<HashMap<Rc<Vec<u32>>, Rc<Frame>>>,
}

/// What images over some written bits are made with: the bits before, the bits after, and "they agree".
pub struct Frame {
    pub now: Bdd,
    pub next: Bdd,
    pub agree: Bdd,
}

impl Space {
    pub fn new(bits: u32, bytes: u64) -> Space {
        Space {
            store: Store::new(bits * 2, bytes),
            bits,
            cases: RefCell::default(),
            frames: RefCell::default(),
        }
    }

    /// A space whose operations end when the watch says so.
    pub fn watched(bits: u32, bytes: u64, watch: &Watch) -> Space {
        let space = Space::new(bits, bytes);
        space.store.watch(watch.clone());
        space
    }

    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The states where a field has a value; none where the type does not have it.
    pub fn is(&self, field: Field, value: i64, side: Side) -> Result<Bdd, Trouble> {
        let code = field.code(value);
        if code > field.count {
            return Ok(self.store.falsity());
        }
        self.store.cube(&field.literals(code, side))
    }

    /// All values of a field, undefined first. The caller has seen to it that they are not too many.
    pub fn cases(&self, field: Field, side: Side) -> Result<Rc<Cases>, Trouble> {
        debug_assert!(field.count <= VALUES_MAX);
        if let Some(known) = self.cases.borrow().get(&(field, side)) {
            return Ok(known.clone());
        }
        let case = |code: u64| {
            let value = field.value(code);
            Ok((value, self.is(field, value, side)?))
        };
        let made = Rc::new((0..=field.count).map(case).collect::<Result<Cases, Trouble>>()?);
        self.cases.borrow_mut().insert((field, side), made.clone());
        Ok(made)
    }

    /// The set of the variables of bits on one side, for quantifiers.
    pub fn set(&self, bits: impl IntoIterator<Item = u32>, side: Side) -> Result<Bdd, Trouble> {
        self.store.set(bits.into_iter().map(|bit| variable(bit, side)))
    }

    /// "These bits do not change", from the last bit on.
    pub fn unchanged(&self, bits: &[u32]) -> Result<Bdd, Trouble> {
        let mut sorted = bits.to_vec();
        sorted.sort_unstable();
        let mut made = self.store.truth();
        for &bit in sorted.iter().rev() {
            let now = self.store.variable(variable(bit, Side::Now))?;
            let next = self.store.variable(variable(bit, Side::Next))?;
            made = now.equiv(&next)?.and(&made)?;
        }
        Ok(made)
    }

    /// The frame of some bits.
    pub fn frame(&self, bits: &[u32]) -> Result<Rc<Frame>, Trouble> {
        let key = Rc::new(bits.to_vec());
        if let Some(known) = self.frames.borrow().get(&key) {
            return Ok(known.clone());
        }
        let made = Rc::new(Frame {
            now: self.set(bits.iter().copied(), Side::Now)?,
            next: self.set(bits.iter().copied(), Side::Next)?,
            agree: self.unchanged(bits)?,
        });
        self.frames.borrow_mut().insert(key, made.clone());
        Ok(made)
    }

    /// The one state, as far as the view sees it.
    pub fn state(&self, view: &View, state: &[i64]) -> Result<Bdd, Trouble> {
        let mut literals = Vec::new();
        for (slot, field) in view.shared.iter().enumerate() {
            if let Some(field) = field {
                literals.extend(field.literals(field.code(state[slot]), Side::Now));
            }
        }
        for (&slot, field) in &view.own {
            literals.extend(field.literals(field.code(state[slot as usize]), Side::Now));
        }
        for (&slot, flags) in view.flags.iter() {
            for &(value, bit) in flags {
                literals.push((variable(bit, Side::Now), state[slot as usize] == value));
            }
        }
        self.store.cube(&literals)
    }

    /// Whether a set contains a state, as far as the view sees it.
    pub fn contains(&self, view: &View, set: &Bdd, state: &[i64]) -> Result<bool, Trouble> {
        Ok(!self.state(view, state)?.and(set)?.is_false())
    }

    /// The value of a field in a valuation, where bits that do not matter count as 0.
    pub fn value_in(&self, field: Field, valuation: &[Option<bool>], side: Side) -> i64 {
        let bit =
            |at: u32| valuation[variable(field.bit + at * field.stride, side) as usize].unwrap_or(false);
        let code = (0..field.width).fold(0u64, |code, at| code << 1 | u64::from(bit(at)));
        field.value(code)
    }
}

/// The static order of a model's slots.
pub fn slot_order(model: &Model) -> Vec<u32> {
    let keys = slot_keys(model);
    let mut slots: Vec<u32> = (0..keys.len() as u32).collect();
    slots.sort_by_key(|&slot| (keys[slot as usize], slot));
    slots
}

/// For each slot, 0 or one more than the number of the process it belongs with in the order.
pub fn slot_keys(model: &Model) -> Vec<u64> {
    let process = process_type(model);
    let key = |slot: u32| {
        let var = &model.vars[model.slots[slot as usize].var as usize];
        let at = process.and_then(|ty| process_of(model, ty, var.ty, u64::from(slot - var.first.0)));
        at.map_or(0, |at| at + 1)
    };
    (0..model.slots.len() as u32).map(key).collect()
}

/// The type that most arrays are indexed by.
fn process_type(model: &Model) -> Option<TypeId> {
    let mut uses: Vec<(TypeId, usize)> = Vec::new();
    for var in &model.vars {
        let mut open = vec![var.ty];
        while let Some(ty) = open.pop() {
            match model.types.get(ty) {
                Type::Array { index, elem } => {
                    match uses.iter_mut().find(|(each, _)| each == index) {
                        Some((_, count)) => *count += 1,
                        None => uses.push((*index, 1)),
                    }
                    open.push(*elem);
                }
                Type::Record { fields } => open.extend(fields.iter().map(|field| field.ty)),
                _ => {}
            }
        }
    }
    let most = uses.iter().map(|(_, count)| *count).max()?;
    uses.into_iter().find(|(_, count)| *count == most).map(|(ty, _)| ty)
}

/// The index by the process type on the way to what lies `offset` cells into a value.
fn process_of(model: &Model, process: TypeId, ty: TypeId, offset: u64) -> Option<u64> {
    let (mut ty, mut offset) = (ty, offset);
    loop {
        match model.types.get(ty) {
            Type::Record { fields } => {
                let at = fields.iter().rposition(|field| u64::from(field.offset) <= offset)?;
                offset -= u64::from(fields[at].offset);
                ty = fields[at].ty;
            }
            Type::Array { index, elem } => {
                let stride = model.types.cells(*elem).max(1);
                if *index == process {
                    return Some(offset / stride);
                }
                offset %= stride;
                ty = *elem;
            }
            _ => return None,
        }
    }
}
