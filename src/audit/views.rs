//! What each component of a model sees, explicitly: the partition of the slots, views of states, a component's own
//! steps on its view. Split invariants, thread-modular sets and the check of certificates are made of these.
//!
//! In: a model, a partition, auxiliary booleans. Out: views as plain values, steps by `ir::eval` alone. A *view* of
//! component i is the shared slots, all auxiliaries, and the locals of i; docs/proof.md has the definitions.
//!
//! Invariant: a rule of i runs in a state in which every slot outside the view is undefined, and has to leave it
//! so; a step that does not is an error of the partition and is said, never used. Cost: one evaluation of every
//! instance of the component for each view. It leaves out priorities, which only take steps away.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::component::{Owner, components};
use crate::ir::eval::{Eval, Fault, Machine, Options, Step};
use crate::ir::model::{Binder, digits};
use crate::ir::print_state::{instance_name, slot_value};
use crate::ir::{Instance, Model, PropertyKind, Slot, UNDEFINED};

/// The shared slots' values, then the auxiliaries as 0 or 1.
pub type Shared = Box<[i64]>;
/// The values of one component's local slots.
pub type Locals = Box<[i64]>;
/// A set of views of one component: for each shared part, the local parts that occur with it.
pub type Views = BTreeMap<Shared, BTreeSet<Locals>>;

/// One component: its name, the slots that it alone touches, and its rule instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub name: String,
    pub locals: Vec<u32>,
    pub instances: Vec<Instance>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    pub shared: Vec<u32>,
    pub parts: Vec<Part>,
}

/// A predicate over states.
pub type Says<'a> = Box<dyn Fn(&[i64]) -> bool + Send + Sync + 'a>;

/// A boolean that shows others something of a component's locals.
pub struct Auxiliary<'a> {
    pub name: String,
    pub component: usize,
    /// Reads nothing but the component's locals in the state it is given.
    pub says: Says<'a>,
}

impl Auxiliary<'_> {
    /// Shows whether a local slot has a value; none where the slot is shared.
    pub fn of_value(
        model: &Model,
        partition: &Partition,
        slot: u32,
        value: i64,
    ) -> Option<Auxiliary<'static>> {
        let component = partition.owner(slot)?;
        let shown = slot_value(model, slot as usize, value);
        let name = format!("{} = {}", model.slot_path(Slot(slot)), shown.as_deref().unwrap_or("undefined"));
        Some(Auxiliary { name, component, says: Box::new(move |state| state[slot as usize] == value) })
    }
}

/// One own step, or what came instead.
#[derive(Clone, Debug)]
pub enum Move {
    To(Shared, Locals),
    Fault(Box<Fault>),
    /// It stored to this slot, which is not in the component's view.
    Outside(u32),
}

impl Partition {
    /// The partition of `verify print --stage processes`; the system, where it has rules, is the last component.
    pub fn of(model: &Model) -> Result<Partition, String> {
        if model.properties.iter().any(|property| property.kind == PropertyKind::Assume) {
            return Err("the model has assumptions, which are not split among components".to_string());
        }
        let found = components(model);
        let mut parts: Vec<Part> = Vec::new();
        let mut first: Vec<usize> = Vec::new();
        for process in &found.processes {
            first.push(parts.len());
            let name = |member: &String| format!("{}[{member}]", process.name);
            let part = |member| Part { name: name(member), locals: Vec::new(), instances: Vec::new() };
            parts.extend(process.members.iter().map(part));
        }
        let system = parts.len();
        if found.rules.iter().any(|of| of.is_none()) {
            parts.push(Part { name: "system".to_string(), locals: Vec::new(), instances: Vec::new() });
        }
        for instance in model.all_instances() {
            let at = match &found.rules[instance.rule.0 as usize] {
                None => system,
                Some((process, binders)) => {
                    let index = member(model, instance, binders) as usize;
                    let process_at = *process as usize;
                    if index >= found.processes[process_at].members.len() {
                        return Err(format!(
                            "process {} has too many components",
                            found.processes[process_at].name
                        ));
                    }
                    first[process_at] + index
                }
            };
            parts[at].instances.push(instance);
        }
        let mut shared = Vec::new();
        for (slot, owner) in (0u32..).zip(&found.owners) {
            match owner {
                Owner::Local { process, index } => {
                    parts[first[*process as usize] + *index as usize].locals.push(slot);
                }
                Owner::System => parts[system].locals.push(slot),
                Owner::Shared | Owner::Nobody => shared.push(slot),
            }
        }
        Ok(Partition { shared, parts })
    }

    /// Makes a local slot shared: always allowed, and the proof may become stronger.
    pub fn expose(&mut self, slot: u32) {
        for part in &mut self.parts {
            part.locals.retain(|&each| each != slot);
        }
        if let Err(at) = self.shared.binary_search(&slot) {
            self.shared.insert(at, slot);
        }
    }

    /// The component that a slot is local to.
    pub fn owner(&self, slot: u32) -> Option<usize> {
        self.parts.iter().position(|part| part.locals.binary_search(&slot).is_ok())
    }
}

/// Which member of its process an instance belongs to.
fn member(model: &Model, instance: Instance, component: &[usize]) -> u64 {
    let binders: &[Binder] = &model.rule(instance.rule).binders;
    let digits = digits(binders, &model.types, instance.index);
    component.iter().fold(0, |index, &at| index * binders[at].radix(&model.types) + digits[at])
}

/// A model seen by its components.
pub struct Composition<'a> {
    pub model: &'a Model,
    pub partition: &'a Partition,
    pub auxiliaries: &'a [Auxiliary<'a>],
    /// How rules and claims are evaluated.
    pub options: Options,
    machine: Machine<'a>,
}

impl<'a> Composition<'a> {
    pub fn new(
        model: &'a Model,
        partition: &'a Partition,
        auxiliaries: &'a [Auxiliary<'a>],
    ) -> Composition<'a> {
        Composition::with_options(model, partition, auxiliaries, Options::default())
    }

    pub fn with_options(
        model: &'a Model,
        partition: &'a Partition,
        auxiliaries: &'a [Auxiliary<'a>],
        options: Options,
    ) -> Composition<'a> {
        Composition { model, partition, auxiliaries, options, machine: Machine::new(model, options) }
    }

    /// The same once more, for whoever looks at it in another way.
    pub fn again(&self) -> Composition<'a> {
        Composition::with_options(self.model, self.partition, self.auxiliaries, self.options)
    }

    /// All start states, whole.
    pub fn starts(&mut self) -> Eval<Vec<Box<[i64]>>> {
        let mut states = Vec::new();
        for at in 0..self.model.starts.len() {
            for index in 0..self.model.instances(&self.model.starts[at]) {
                states.extend(self.machine.start(at, index)?);
            }
        }
        Ok(states)
    }

    /// What component `part` sees of a whole state.
    pub fn view(&self, state: &[i64], part: usize) -> (Shared, Locals) {
        let slots = self.partition.shared.iter().map(|&slot| state[slot as usize]);
        let says = self.auxiliaries.iter().map(|auxiliary| i64::from((auxiliary.says)(state)));
        (slots.chain(says).collect(), self.locals(state, part))
    }

    pub fn locals(&self, state: &[i64], part: usize) -> Locals {
        self.partition.parts[part].locals.iter().map(|&slot| state[slot as usize]).collect()
    }

    /// A state with what the given components see; all else is undefined.
    pub fn state(&self, shared: &[i64], locals: &[(usize, &[i64])]) -> Vec<i64> {
        let mut state = vec![UNDEFINED; self.model.slots.len()];
        for (&slot, &value) in self.partition.shared.iter().zip(shared) {
            state[slot as usize] = value;
        }
        for (part, values) in locals {
            for (&slot, &value) in self.partition.parts[*part].locals.iter().zip(*values) {
                state[slot as usize] = value;
            }
        }
        state
    }

    /// Whether the auxiliaries of a component say what its locals say.
    pub fn agrees(&self, shared: &[i64], locals: &[i64], part: usize) -> bool {
        let state = self.state(shared, &[(part, locals)]);
        let says = &shared[self.partition.shared.len()..];
        let mine = self.auxiliaries.iter().zip(says).filter(|(auxiliary, _)| auxiliary.component == part);
        mine.into_iter().all(|(auxiliary, &said)| i64::from((auxiliary.says)(&state)) == said)
    }

    /// All own steps of a component from a view of it.
    pub fn steps(&mut self, shared: &[i64], locals: &[i64], part: usize) -> Vec<(Instance, Move)> {
        let state = self.state(shared, &[(part, locals)]);
        let partition = self.partition;
        let mut moves = Vec::new();
        for &instance in &partition.parts[part].instances {
            match self.machine.step(&state, instance) {
                Ok(Step::Next(next)) => moves.push((instance, self.arrival(&next, shared, part))),
                Ok(Step::Disabled | Step::Assumed) => {}
                Err(fault) => moves.push((instance, Move::Fault(fault))),
            }
        }
        moves
    }

    /// Auxiliaries of the component say what its new locals say; those of others stay as they were.
    fn arrival(&self, next: &[i64], shared: &[i64], part: usize) -> Move {
        let partition = self.partition;
        let mine = &partition.parts[part].locals;
        let inside =
            |slot: &u32| mine.binary_search(slot).is_ok() || partition.shared.binary_search(slot).is_ok();
        let stored = |slot: &u32| next[*slot as usize] != UNDEFINED && !inside(slot);
        if let Some(slot) = (0..next.len() as u32).find(stored) {
            return Move::Outside(slot);
        }
        let old = &shared[partition.shared.len()..];
        let says = self.auxiliaries.iter().zip(old).map(|(auxiliary, &said)| {
            if auxiliary.component == part { i64::from((auxiliary.says)(next)) } else { said }
        });
        let slots = partition.shared.iter().map(|&slot| next[slot as usize]);
        Move::To(slots.chain(says).collect(), self.locals(next, part))
    }

    /// A view for people, on one line.
    pub fn show(&self, shared: &[i64], locals: &[(usize, &[i64])]) -> String {
        let state = self.state(shared, locals);
        let said = |slot: u32| {
            let value = slot_value(self.model, slot as usize, state[slot as usize]);
            format!("{} = {}", self.model.slot_path(Slot(slot)), value.as_deref().unwrap_or("undefined"))
        };
        let own = locals.iter().flat_map(|(part, _)| self.partition.parts[*part].locals.iter());
        let slots = self.partition.shared.iter().chain(own).map(|&slot| said(slot));
        let says = &shared[self.partition.shared.len()..];
        let auxiliaries = self
            .auxiliaries
            .iter()
            .zip(says)
            .map(|(auxiliary, &said)| format!("({}) = {}", auxiliary.name, said == 1));
        slots.chain(auxiliaries).collect::<Vec<String>>().join(", ")
    }

    pub fn instance_name(&self, instance: Instance) -> String {
        instance_name(self.model, instance)
    }
}

/// How many views a set has.
pub fn size(views: &Views) -> usize {
    views.values().map(BTreeSet::len).sum()
}

/// Whether a set has a view.
pub fn contains(views: &Views, shared: &[i64], locals: &[i64]) -> bool {
    views.get(shared).is_some_and(|with| with.contains(locals))
}

/// Adds a view; true where it is new.
pub fn insert(views: &mut Views, shared: Shared, locals: Locals) -> bool {
    views.entry(shared).or_default().insert(locals)
}
