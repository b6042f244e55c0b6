//! What it means for a proof to give the members of a process other names.
//!
//! In: a type whose values name members, the places where such names stand, and a permutation of them. Out: where slots,
//! values, components, auxiliaries, whole states and diagrams go.
//!
//! Names stand as indices of arrays and as values of slots. Whether a number of a subrange is meant as a name cannot be seen
//! from its type, so `Names` are a proposal: some places, taken for names. Nothing depends on a proposal being right, since
//! whoever uses a renaming checks what it does (`symmetry.rs`).
//!
//! A diagram is renamed by putting, for each bit, what it was before the renaming: a bit of another slot, or, where the slot
//! holds a name, a small function of that slot's bits. Codes that no value has stay, so a renaming is a permutation
//! of all valuations. Cost: `Bdd::substitute`.

use std::collections::HashMap;

use super::interference::Effect;
use super::parts::{Auxiliary, Meaning};
use super::split::Setting;
use crate::ir::eval::State;
use crate::ir::{Model, Type, TypeId, UNDEFINED};
use crate::symbolic::space::{Side, variable};
use crate::symbolic::{Bdd, Field, Trouble};

/// A place in the type of a variable where names may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The index of an array, or else a value.
    pub index: bool,
    /// Of a type that has more values than there are names.
    pub wide: bool,
}

/// An index on the way to a slot: its type, its value, and how far the slots of the next value are.
type Index = (TypeId, i64, i64);

/// How a slot depends on names: the indices on the way to it that are names, and whether its value is.
#[derive(Clone, Debug, Default)]
struct Spot {
    indices: Vec<Index>,
    named: bool,
}

/// Where the names of members stand.
#[derive(Clone, Debug)]
pub struct Names {
    pub ty: TypeId,
    spots: Vec<Spot>,
}

impl Names {
    /// The places of a model where names of a type may stand; none where the model has what cannot be renamed.
    pub fn marks(model: &Model, ty: TypeId) -> Option<Vec<Mark>> {
        let mut walk = Walk { model, ty, marks: Vec::new(), kept: &|_| true, spots: Vec::new() };
        walk.all()?;
        Some(walk.marks)
    }

    /// Those of the places, by number, that are kept.
    pub fn new(model: &Model, ty: TypeId, kept: &dyn Fn(usize) -> bool) -> Option<Names> {
        let mut walk = Walk { model, ty, marks: Vec::new(), kept, spots: Vec::new() };
        walk.all()?;
        Some(Names { ty, spots: walk.spots })
    }
}

/// A walk over the types of all variables.
struct Walk<'w> {
    model: &'w Model,
    ty: TypeId,
    marks: Vec<Mark>,
    kept: &'w dyn Fn(usize) -> bool,
    spots: Vec<Spot>,
}

impl Walk<'_> {
    fn all(&mut self) -> Option<()> {
        let mut next = 0;
        for var in &self.model.vars {
            next = self.below(var.ty, next, &mut Vec::new())?;
        }
        Some(())
    }

    /// Whether a name may stand here, being place number `at`, and is to be taken for one.
    fn named(&mut self, ty: TypeId, index: bool, at: usize) -> Option<bool> {
        let wide = is_wide(self.model, self.ty, ty)?;
        if at == self.marks.len() {
            self.marks.push(Mark { index, wide });
        }
        Some((self.kept)(at))
    }

    /// Goes through a type whose first place has a number; out comes the next number. All elements of an array have the
    /// same places. Elements of multisets stand in an order of their own, which a renaming would have to keep.
    fn below(&mut self, ty: TypeId, first: usize, indices: &mut Vec<Index>) -> Option<usize> {
        let types = &self.model.types;
        match types.get(ty) {
            Type::Multiset { .. } => None,
            Type::Record { fields } => {
                fields.iter().try_fold(first, |next, field| self.below(field.ty, next, indices))
            }
            Type::Array { index, elem } => {
                let named = self.named(*index, true, first);
                let first = first + usize::from(named.is_some());
                let mut next = first;
                for at in 0..types.count(*index).min(types.cells(ty)) {
                    if named == Some(true) {
                        let value = types.first(*index) + at as i64;
                        indices.push((*index, value, types.cells(*elem) as i64));
                    }
                    next = self.below(*elem, first, indices)?;
                    if named == Some(true) {
                        indices.pop();
                    }
                }
                Some(next)
            }
            _ => {
                let named = self.named(ty, false, first);
                self.spots.push(Spot { indices: indices.clone(), named: named == Some(true) });
                Some(first + usize::from(named.is_some()))
            }
        }
    }
}

/// Of a type that has all names, whether it has more.
fn is_wide(model: &Model, members: TypeId, ty: TypeId) -> Option<bool> {
    if ty == members {
        return Some(false);
    }
    let types = &model.types;
    let (first, count) = (types.first(members), types.count(members));
    let has = |value: i64| count > 0 && types.convert(members, ty, value).is_some();
    (has(first) && has(first.wrapping_add_unsigned(count - 1))).then_some(true)
}

/// A permutation of names.
pub struct Renaming<'a> {
    setting: Setting<'a>,
    names: &'a Names,
    /// For each member, by number, where it goes; and those that go elsewhere.
    to: Vec<u32>,
    moved: Vec<u32>,
    /// For each process, its first component, where its members have these names.
    processes: &'a [Option<usize>],
}

impl<'a> Renaming<'a> {
    pub fn new(
        setting: Setting<'a>,
        names: &'a Names,
        processes: &'a [Option<usize>],
        to: Vec<u32>,
    ) -> Renaming<'a> {
        let moved = (0..to.len() as u32).filter(|&at| to[at as usize] != at).collect();
        Renaming { setting, names, to, moved, processes }
    }

    pub fn part(&self, part: usize) -> usize {
        let Some((process, index)) = self.setting.parts.parts[part].member else { return part };
        self.processes[process as usize].map_or(part, |first| first + self.to[index as usize] as usize)
    }

    /// The number of a member as a value of a type.
    fn value_of(&self, ty: TypeId, member: u32) -> i64 {
        let types = &self.setting.model.types;
        let value = types.first(self.names.ty) + i64::from(member);
        types.convert(self.names.ty, ty, value).expect("the type has all names")
    }

    /// Where a value goes that stands for a name; others stay.
    fn name(&self, ty: TypeId, value: i64) -> i64 {
        let types = &self.setting.model.types;
        let member = types.convert(ty, self.names.ty, value).filter(|&v| types.contains(self.names.ty, v));
        let Some(member) = member.filter(|_| value != UNDEFINED) else { return value };
        self.value_of(ty, self.to[(member - types.first(self.names.ty)) as usize])
    }

    pub fn slot(&self, slot: u32) -> u32 {
        let indices = self.names.spots[slot as usize].indices.iter();
        let way = indices.map(|&(ty, value, stride)| (self.name(ty, value) - value) * stride);
        (i64::from(slot) + way.sum::<i64>()) as u32
    }

    fn value(&self, slot: u32, value: i64) -> i64 {
        let ty = self.setting.model.slots[slot as usize].ty;
        if self.names.spots[slot as usize].named { self.name(ty, value) } else { value }
    }

    pub fn auxiliary(&self, auxiliary: Auxiliary) -> Auxiliary {
        let value = self.value(auxiliary.slot, auxiliary.value);
        Auxiliary { slot: self.slot(auxiliary.slot), value }
    }

    pub fn state(&self, state: &[i64]) -> State {
        let mut image = vec![UNDEFINED; state.len()].into_boxed_slice();
        for (slot, &value) in (0u32..).zip(state) {
            image[self.slot(slot) as usize] = self.value(slot, value);
        }
        image
    }

    /// What renames diagrams over the view of a component.
    pub fn lens(&self, part: usize) -> Lens<'_> {
        let (model, parts) = (self.setting.model, &self.setting.parts.parts);
        let from = self.setting.plan.view(model, &parts[part], 0).own;
        let to = self.setting.plan.view(model, &parts[self.part(part)], 0).own;
        let bits = from.iter().flat_map(|(&slot, field)| field.bits().map(move |bit| (bit, slot)));
        Lens { renaming: self, own: bits.collect(), from, to, made: HashMap::new() }
    }
}

/// Renames diagrams over the view of one component to those over the view of the component that it becomes.
pub struct Lens<'r> {
    renaming: &'r Renaming<'r>,
    /// The slot of each of the component's own bits, and where its slots stand before and after.
    own: HashMap<u32, u32>,
    from: HashMap<u32, Field>,
    to: HashMap<u32, Field>,
    made: HashMap<u32, Bdd>,
}

/// What a bit becomes: an auxiliary's bit, or one of a slot's.
enum Target {
    Bit(u32),
    /// The slot before, its field after, and which of its bits.
    Field(u32, Field, u32),
}

impl Lens<'_> {
    fn target(&self, bit: u32) -> Target {
        let (renaming, plan) = (self.renaming, self.renaming.setting.plan);
        let (slot, from, to) = match plan.meaning(bit) {
            Meaning::Flag(auxiliary) => {
                let bit = plan.auxiliary_bit(renaming.auxiliary(auxiliary));
                return Target::Bit(bit.expect("auxiliaries are closed under the renaming"));
            }
            Meaning::Slot(slot) => (slot, plan.shared(slot), plan.shared(renaming.slot(slot))),
            Meaning::Own => {
                let slot = self.own[&bit];
                (slot, self.from.get(&slot).copied(), self.to.get(&renaming.slot(slot)).copied())
            }
        };
        let (Some(from), Some(to)) = (from, to) else {
            panic!("slots stay shared, or their component's own")
        };
        Target::Field(slot, to, (bit - from.bit) / from.stride)
    }

    /// What a variable was before the renaming, as a function of what is after it.
    fn before(&self, number: u32) -> Result<Bdd, Trouble> {
        let side = if number.is_multiple_of(2) { Side::Now } else { Side::Next };
        let (renaming, store) = (self.renaming, &self.renaming.setting.space.store);
        let (slot, field, at) = match self.target(number / 2) {
            Target::Bit(bit) => return store.variable(variable(bit, side)),
            Target::Field(slot, field, at) => (slot, field, at),
        };
        let after = store.variable(variable(field.bit + at * field.stride, side))?;
        if !renaming.names.spots[slot as usize].named {
            return Ok(after);
        }
        let ty = renaming.setting.model.slots[slot as usize].ty;
        let mut differs = Vec::new();
        for &member in &renaming.moved {
            let old = field.code(renaming.value_of(ty, member));
            let new = field.code(renaming.value_of(ty, renaming.to[member as usize]));
            if (old ^ new) >> (field.width - 1 - at) & 1 == 1 {
                differs.push(store.cube(&field.literals(new, side))?);
            }
        }
        after.equiv(&store.any(&differs)?)?.not()
    }

    pub fn diagram(&mut self, diagram: &Bdd) -> Result<Bdd, Trouble> {
        let mut made = std::mem::take(&mut self.made);
        let renamed = diagram.substitute(&mut |number| match made.get(&number) {
            Some(known) => Ok(known.clone()),
            None => Ok(made.entry(number).or_insert(self.before(number)?).clone()),
        });
        self.made = made;
        renamed
    }

    /// Bits that may be written; a slot's are written together, so that it does not matter whether it holds a name.
    pub fn writes(&self, bits: &[u32]) -> Vec<u32> {
        let target = |&bit: &u32| match self.target(bit) {
            Target::Bit(bit) => bit,
            Target::Field(_, field, at) => field.bit + at * field.stride,
        };
        let mut writes: Vec<u32> = bits.iter().map(target).collect();
        writes.sort_unstable();
        writes
    }

    pub fn effects(&mut self, effects: &[Effect]) -> Result<Vec<Effect>, Trouble> {
        let one = |effect: &Effect| {
            Ok(Effect { steps: self.diagram(&effect.steps)?, writes: self.writes(&effect.writes) })
        };
        effects.iter().map(one).collect()
    }
}
