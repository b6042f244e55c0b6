//! A model cut into components, and the bits that a proof is about.
//!
//! In: a model, and auxiliary booleans, each showing whether a local slot of a component has a value. Out: the
//! components in the order of the processes and their members, the system last where it has rules; which slots are
//! local to which, all others being shared; and where slots and auxiliaries stand.
//!
//! Order of the bits: what belongs to no process, then for each process number its shared slots and the auxiliaries of
//! its component, then banks for the slots of one component each, interleaved bit by bit. All components use the first bank
//! for themselves; the others are for properties that speak of several. A component that keeps something about each
//! process, as a directory does, has these slots next to what is shared with that process: what depends on each other
//! stands together, or diagrams would double with every process. It is the same on every rank.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::ir::component::{Components, Owner, components};
use crate::ir::model::{ParamDomain, digits};
use crate::ir::{Binder, Instance, Model, RuleId, Slot, TypeId};
use crate::symbolic::space::{slot_keys, variable};
use crate::symbolic::{Bdd, Field, Side, Space, Trouble, View};

/// A shared boolean that shows whether a local slot has a value. It is its component's to keep up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Auxiliary {
    pub slot: u32,
    pub value: i64,
}

#[derive(Clone, Debug)]
pub struct Part {
    /// `PID[3]`, or `system`.
    pub name: String,
    pub locals: Vec<u32>,
    pub instances: Vec<Instance>,
    /// Which process, and which member of it; none for the system.
    pub member: Option<(u32, u64)>,
}

#[derive(Clone, Debug)]
pub struct Parts {
    pub parts: Vec<Part>,
    pub shared: Vec<u32>,
    /// For each slot, the component it is local to.
    pub owner: Vec<Option<u32>>,
    /// For each process, the type whose values are its members, where it is one type.
    pub types: Vec<Option<TypeId>>,
}

/// Where everything stands, for one choice of auxiliaries.
pub struct Plan {
    pub auxiliaries: Vec<Auxiliary>,
    /// The bit of each auxiliary.
    pub auxiliary_bits: Vec<u32>,
    /// How many bits are shared, auxiliaries included.
    pub shared_bits: u32,
    /// How many bits one bank has, and how many banks there are.
    pub bank_bits: u32,
    pub banks: u32,
    /// For each local slot, its first bit in the first bank.
    own: HashMap<u32, u32>,
    /// The bits of the first bank, ascending; those of the others follow each.
    bank: Rc<Vec<u32>>,
    shared: Rc<Vec<Option<Field>>>,
    flags: Rc<HashMap<u32, Vec<(i64, u32)>>>,
    /// What each bit is for.
    meaning: Vec<Meaning>,
}

/// What a bit is for: a shared slot, an auxiliary, or slots of one component at a time.
#[derive(Clone, Copy)]
pub enum Meaning {
    Slot(u32),
    Flag(Auxiliary),
    Own,
}

impl Parts {
    /// Cuts the model; a text says why it cannot be cut.
    pub fn new(model: &Model) -> Result<Parts, String> {
        let found = components(model);
        let mut parts = Vec::new();
        let mut first_of = Vec::new();
        for (at, process) in found.processes.iter().enumerate() {
            first_of.push(parts.len());
            for (index, member) in process.members.iter().enumerate() {
                let name = format!("{}[{member}]", process.name);
                let member = Some((at as u32, index as u64));
                parts.push(Part { name, locals: Vec::new(), instances: Vec::new(), member });
            }
        }
        let system = parts.len();
        if found.rules.iter().any(|of| of.is_none()) {
            let name = "system".to_string();
            parts.push(Part { name, locals: Vec::new(), instances: Vec::new(), member: None });
        }
        for (at, of) in found.rules.iter().enumerate() {
            let rule = &model.rules[at];
            for index in 0..model.instances(rule) {
                let part = match of {
                    None => system,
                    Some((process, binders)) => {
                        let member = member_of(model, &rule.binders, binders, index);
                        let count = found.processes[*process as usize].members.len() as u64;
                        if member >= count {
                            let name = &found.processes[*process as usize].name;
                            return Err(format!("process {name} has more than {count} members"));
                        }
                        first_of[*process as usize] + member as usize
                    }
                };
                parts[part].instances.push(Instance { rule: RuleId(at as u32), index });
            }
        }
        let mut owner = vec![None; model.slots.len()];
        let mut shared = Vec::new();
        for (slot, of) in found.owners.iter().enumerate() {
            let part = match *of {
                Owner::Local { process, index } => first_of[process as usize] + index as usize,
                Owner::System => system,
                Owner::Shared | Owner::Nobody => {
                    shared.push(slot as u32);
                    continue;
                }
            };
            owner[slot] = Some(part as u32);
            parts[part].locals.push(slot as u32);
        }
        Ok(Parts { parts, shared, owner, types: member_types(model, &found) })
    }

    /// The slot of another member of the same process that stands where this one does.
    pub fn twin(&self, model: &Model, slot: u32, part: usize) -> Option<u32> {
        let own = self.owner[slot as usize]? as usize;
        let at = self.parts[own].locals.iter().position(|&each| each == slot)?;
        let same_process = match (self.parts[own].member, self.parts[part].member) {
            (Some((a, _)), Some((b, _))) => a == b,
            _ => own == part,
        };
        let twin = *self.parts[part].locals.get(at).filter(|_| same_process)?;
        (model.slots[twin as usize].ty == model.slots[slot as usize].ty).then_some(twin)
    }

    /// An auxiliary as people write it: `place[3] = Critical`.
    pub fn text(&self, model: &Model, auxiliary: Auxiliary) -> String {
        let path = model.slot_path(Slot(auxiliary.slot));
        if auxiliary.value == crate::ir::UNDEFINED {
            return format!("isundefined({path})");
        }
        let ty = model.slots[auxiliary.slot as usize].ty;
        format!("{path} = {}", model.types.value_name(ty, auxiliary.value))
    }

    /// The auxiliaries that a text stands for, where `*` in a path stands for any index: `place[*] = Critical`.
    pub fn parse(&self, model: &Model, text: &str) -> Result<Vec<Auxiliary>, String> {
        let (path, value) = text.split_once('=').ok_or_else(|| format!("'{text}' is not PATH = VALUE"))?;
        let (path, value) = (path.trim().replace(' ', ""), value.trim());
        let mut found = Vec::new();
        let mut known = false;
        for slot in 0..model.slots.len() as u32 {
            if !matches(&path, &model.slot_path(Slot(slot))) {
                continue;
            }
            known = true;
            if self.owner[slot as usize].is_none() {
                continue;
            }
            let ty = model.slots[slot as usize].ty;
            let first = model.types.first(ty);
            let values = (0..model.types.count(ty)).map(|at| first.wrapping_add_unsigned(at));
            let named = values.into_iter().find(|&each| model.types.value_name(ty, each) == value);
            let value = named.ok_or_else(|| format!("{path} has no value '{value}'"))?;
            found.push(Auxiliary { slot, value });
        }
        match (known, found.is_empty()) {
            (false, _) => Err(format!("the model has no variable {path}")),
            (true, true) => Err(format!("{path} is not local to a component, so it is seen already")),
            _ => Ok(found),
        }
    }
}

/// Whether a path fits a pattern in which `*` stands for the text of one index.
fn matches(pattern: &str, path: &str) -> bool {
    let mut rest = path;
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or("");
    let Some(after) = rest.strip_prefix(first) else { return false };
    rest = after;
    for piece in pieces {
        let end = rest.find(']').unwrap_or(rest.len());
        let Some(after) = rest[end..].strip_prefix(piece) else { return false };
        rest = after;
    }
    rest.is_empty()
}

/// For each process, the type that its rules have one parameter of, all values of which are members.
fn member_types(model: &Model, found: &Components) -> Vec<Option<TypeId>> {
    let mut types: Vec<Option<Option<TypeId>>> = vec![None; found.processes.len()];
    for (rule, of) in model.rules.iter().zip(&found.rules) {
        let Some((process, binders)) = of else { continue };
        let binder = if let [at] = binders[..] { rule.binders.get(at) } else { None };
        let ty = match binder {
            Some(Binder::Param { domain: ParamDomain::Type(ty), .. }) => Some(*ty),
            _ => None,
        };
        let known = types[*process as usize].get_or_insert(ty);
        *known = known.filter(|known| Some(*known) == ty);
    }
    types.into_iter().map(Option::flatten).collect()
}

/// The number of the component that an instance's component binders name.
fn member_of(model: &Model, binders: &[Binder], of: &[usize], index: u64) -> u64 {
    let digits = digits(binders, &model.types, index);
    of.iter().fold(0u64, |member, &at| member * binders[at].radix(&model.types).max(1) + digits[at])
}

impl Plan {
    pub fn new(model: &Model, parts: &Parts, mut auxiliaries: Vec<Auxiliary>, banks: u32) -> Plan {
        let keys = slot_keys(model);
        auxiliaries.sort();
        auxiliaries.dedup();
        let mut items: Vec<((u64, u32), Item)> = Vec::new();
        items.extend(parts.shared.iter().map(|&slot| ((keys[slot as usize], slot), Item::Slot(slot))));
        for &auxiliary in &auxiliaries {
            let part =
                parts.owner[auxiliary.slot as usize].expect("an auxiliary shows a local slot") as usize;
            let key = parts.parts[part].member.map_or(0, |(_, index)| index + 1);
            items.push(((key, u32::MAX), Item::Flag(auxiliary)));
        }
        items.extend(cells(model, parts, &keys).into_iter().map(|(at, cell)| (at, Item::Cell(cell))));
        items.sort_by_key(|(at, _)| *at);
        let mut shared = vec![None; model.slots.len()];
        let mut flags: HashMap<u32, Vec<(i64, u32)>> = HashMap::new();
        let mut bit_of: HashMap<Auxiliary, u32> = HashMap::new();
        let (mut own, mut bank) = (HashMap::new(), Vec::new());
        let mut bits = 0;
        let mut meaning = Vec::new();
        for (_, item) in items {
            match item {
                Item::Slot(slot) => {
                    let field = Field::new(model, slot, bits);
                    bits += field.width;
                    meaning.resize(bits as usize, Meaning::Slot(slot));
                    shared[slot as usize] = Some(field);
                }
                Item::Flag(auxiliary) => {
                    flags.entry(auxiliary.slot).or_default().push((auxiliary.value, bits));
                    bit_of.insert(auxiliary, bits);
                    bits += 1;
                    meaning.push(Meaning::Flag(auxiliary));
                }
                Item::Cell(cell) => {
                    own.extend(cell.slots.iter().map(|&slot| (slot, bits)));
                    bank.extend((0..cell.width).map(|at| bits + at * banks));
                    bits += cell.width * banks;
                    meaning.resize(bits as usize, Meaning::Own);
                }
            }
        }
        let bank_bits = bank.len() as u32;
        let auxiliary_bits = auxiliaries.iter().map(|auxiliary| bit_of[auxiliary]).collect();
        Plan {
            auxiliaries,
            auxiliary_bits,
            shared_bits: bits - bank_bits * banks,
            bank_bits,
            banks,
            own,
            bank: Rc::new(bank),
            shared: Rc::new(shared),
            flags: Rc::new(flags),
            meaning,
        }
    }

    pub fn bits(&self) -> u32 {
        self.shared_bits + self.bank_bits * self.banks
    }

    /// Whether a bit is shared: not one of a bank.
    pub fn is_shared(&self, bit: u32) -> bool {
        let at = self.bank.partition_point(|&first| first <= bit);
        at == 0 || bit >= self.bank[at - 1] + self.banks
    }

    /// What one component sees, its own slots in a bank.
    pub fn view(&self, model: &Model, part: &Part, bank: u32) -> View {
        let (shared, flags) = (self.shared.clone(), self.flags.clone());
        let mut view = View { shared, flags, ..View::default() };
        self.add_own(model, part, bank, &mut view);
        view
    }

    /// Adds a component's own slots to a view, in a bank.
    pub fn add_own(&self, model: &Model, part: &Part, bank: u32, view: &mut View) {
        for &slot in &part.locals {
            let field = Field { stride: self.banks, ..Field::new(model, slot, self.own[&slot] + bank) };
            view.own.insert(slot, field);
        }
    }

    /// The values that some shared bits have in a state, auxiliaries included.
    pub fn shared_values(
        &self,
        space: &Space,
        state: &[i64],
        bits: impl Iterator<Item = u32>,
    ) -> Result<Bdd, Trouble> {
        let mut wanted: Vec<u32> = bits.collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut literals = Vec::new();
        for bit in wanted {
            let value = match self.meaning[bit as usize] {
                Meaning::Slot(slot) => {
                    let field = self.shared[slot as usize].expect("a shared slot has a field");
                    field.code(state[slot as usize]) >> (field.width - 1 - (bit - field.bit)) & 1 == 1
                }
                Meaning::Flag(auxiliary) => state[auxiliary.slot as usize] == auxiliary.value,
                Meaning::Own => continue,
            };
            literals.push((variable(bit, Side::Now), value));
        }
        space.store.cube(&literals)
    }

    /// All that is shared in a state.
    pub fn shared_state(&self, space: &Space, state: &[i64]) -> Result<Bdd, Trouble> {
        self.shared_values(space, state, 0..self.bits())
    }

    pub fn meaning(&self, bit: u32) -> Meaning {
        self.meaning[bit as usize]
    }

    /// Where a shared slot stands.
    pub fn shared(&self, slot: u32) -> Option<Field> {
        self.shared[slot as usize]
    }

    /// The bit of an auxiliary, where there is one.
    pub fn auxiliary_bit(&self, auxiliary: Auxiliary) -> Option<u32> {
        self.auxiliaries.binary_search(&auxiliary).ok().map(|at| self.auxiliary_bits[at])
    }

    pub fn is_auxiliary(&self, bit: u32) -> bool {
        matches!(self.meaning[bit as usize], Meaning::Flag(_))
    }

    /// The bits of a bank.
    pub fn bank(&self, bank: u32) -> impl Iterator<Item = u32> + Clone + use<> {
        let bits = self.bank.clone();
        (0..bits.len()).map(move |at| bits[at] + bank)
    }
}

/// What stands in the order: a shared slot, an auxiliary, or room for slots of one component at a time.
enum Item {
    Slot(u32),
    Flag(Auxiliary),
    Cell(Cell),
}

/// Room for one slot of each of some components, in every bank.
#[derive(Default)]
struct Cell {
    slots: Vec<u32>,
    width: u32,
}

/// The cells of local slots by their place in the order: with a process for components that keep something about several
/// processes, after everything else for all others.
fn cells(model: &Model, parts: &Parts, keys: &[u64]) -> BTreeMap<(u64, u32), Cell> {
    let mut cells: BTreeMap<(u64, u32), Cell> = BTreeMap::new();
    for part in &parts.parts {
        let mut about: Vec<u64> = part.locals.iter().map(|&slot| keys[slot as usize]).collect();
        about.sort_unstable();
        about.dedup();
        let spread = about.iter().filter(|&&key| key > 0).count() > 1;
        let mut next: HashMap<u64, u32> = HashMap::new();
        for &slot in &part.locals {
            let key = if spread { keys[slot as usize] } else { u64::MAX };
            let at = next.entry(key).or_default();
            let cell = cells.entry((key, *at)).or_default();
            cell.slots.push(slot);
            cell.width = cell.width.max(Field::new(model, slot, 0).width);
            *at += 1;
        }
    }
    cells
}
