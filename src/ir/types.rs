//! The type table: exact ranges, dense value numbers, sizes in cells, names of values.
//!
//! Every value of a simple type is an `i64`. Ranges use the integers themselves; enums, scalarsets,
//! unions and positions use the dense numbers 0, 1, …; a union numbers the values of its atoms one atom
//! after the other. `Types::convert` renumbers between a union and its parts.
//!
//! Questions about a type walk all its parts, except that a type without cells has none worth a walk.
//!
//! Invariant: structural types (ranges, unions, records, arrays, multisets) are interned, so two ids are
//! equal exactly when the types are; each enum and scalarset declaration is a type of its own.

use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    pub name: String,
    pub ty: TypeId,
    /// Cells from the start of the record.
    pub offset: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Range {
        lo: i64,
        hi: i64,
    },
    Enum {
        values: Vec<String>,
    },
    Scalarset {
        size: i64,
    },
    /// Enums, scalarsets and ranges; unions in unions are flattened, and no atom occurs twice.
    Union {
        atoms: Vec<TypeId>,
    },
    /// Where an element of a multiset stands, 0 to capacity - 1.
    Position {
        set: TypeId,
        capacity: u32,
    },
    Record {
        fields: Vec<Field>,
    },
    Array {
        index: TypeId,
        elem: TypeId,
    },
    /// `capacity` times a presence cell (1, or undefined for "absent") and an element.
    Multiset {
        capacity: u32,
        elem: TypeId,
    },
}

#[derive(Clone, Debug)]
struct Info {
    ty: Type,
    name: Option<String>,
    cells: u64,
    depth: u32,
}

#[derive(Clone, Debug)]
pub struct Types {
    infos: Vec<Info>,
    interned: HashMap<Type, TypeId>,
}

impl Default for Types {
    fn default() -> Types {
        Types::new()
    }
}

impl Types {
    pub const BOOL: TypeId = TypeId(0);
    /// What arithmetic yields: all integers but the one that marks "undefined".
    pub const INT: TypeId = TypeId(1);
    /// The type of a multiset's presence cells: the one value 1, or undefined.
    pub const PRESENT: TypeId = TypeId(2);

    pub fn new() -> Types {
        let mut types = Types { infos: Vec::new(), interned: HashMap::new() };
        types.declare(Type::Enum { values: vec!["false".into(), "true".into()] }, Some("boolean".into()));
        types.intern(Type::Range { lo: i64::MIN + 1, hi: i64::MAX });
        types.intern(Type::Range { lo: 1, hi: 1 });
        types
    }

    /// Adds an enum or scalarset, which differs from every other type.
    pub fn declare(&mut self, ty: Type, name: Option<String>) -> TypeId {
        let id = TypeId(self.infos.len() as u32);
        let (cells, depth) = (self.cells_of(&ty), self.depth_of(&ty));
        self.infos.push(Info { ty, name, cells, depth });
        id
    }

    /// Finds or adds a structural type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.interned.get(&ty) {
            return id;
        }
        let id = self.declare(ty.clone(), None);
        self.interned.insert(ty, id);
        id
    }

    /// Names a type that has no name yet.
    pub fn set_name(&mut self, id: TypeId, name: &str) {
        let info = &mut self.infos[id.0 as usize];
        if info.name.is_none() && id != Types::INT && id != Types::PRESENT {
            info.name = Some(name.to_string());
        }
    }

    pub fn len(&self) -> usize {
        self.infos.len()
    }

    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    pub fn ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.infos.len() as u32).map(TypeId)
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.infos[id.0 as usize].ty
    }

    pub fn name(&self, id: TypeId) -> Option<&str> {
        self.infos[id.0 as usize].name.as_deref()
    }

    /// How many cells a value of the type takes.
    pub fn cells(&self, id: TypeId) -> u64 {
        self.infos[id.0 as usize].cells
    }

    fn cells_of(&self, ty: &Type) -> u64 {
        match ty {
            Type::Record { fields } => {
                fields.iter().fold(0u64, |sum, field| sum.saturating_add(self.cells(field.ty)))
            }
            Type::Array { index, elem } => (self.count(*index)).saturating_mul(self.cells(*elem)),
            Type::Multiset { capacity, elem } => {
                u64::from(*capacity).saturating_mul(self.cells(*elem).saturating_add(1))
            }
            _ => 1,
        }
    }

    /// How deep records, arrays and multisets nest in the type.
    pub fn depth(&self, id: TypeId) -> u32 {
        self.infos[id.0 as usize].depth
    }

    fn depth_of(&self, ty: &Type) -> u32 {
        match ty {
            Type::Record { fields } => 1 + fields.iter().map(|field| self.depth(field.ty)).max().unwrap_or(0),
            Type::Array { elem, .. } | Type::Multiset { elem, .. } => 1 + self.depth(*elem),
            _ => 0,
        }
    }

    pub fn is_simple(&self, id: TypeId) -> bool {
        !matches!(self.get(id), Type::Record { .. } | Type::Array { .. } | Type::Multiset { .. })
    }

    pub fn is_range(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Range { .. })
    }

    /// How many values a simple type has, saturating; 0 for other types.
    pub fn count(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Range { lo, hi } if lo > hi => 0,
            Type::Range { lo, hi } => hi.abs_diff(*lo).saturating_add(1),
            Type::Enum { values } => values.len() as u64,
            Type::Scalarset { size } => (*size).max(0) as u64,
            Type::Union { atoms } => {
                atoms.iter().fold(0, |sum: u64, &atom| sum.saturating_add(self.count(atom)))
            }
            Type::Position { capacity, .. } => u64::from(*capacity),
            _ => 0,
        }
    }

    /// The least value of a simple type.
    pub fn first(&self, id: TypeId) -> i64 {
        match self.get(id) {
            Type::Range { lo, .. } => *lo,
            _ => 0,
        }
    }

    /// Whether a simple type has this value.
    pub fn contains(&self, id: TypeId, value: i64) -> bool {
        match self.get(id) {
            Type::Range { lo, hi } => *lo <= value && value <= *hi,
            _ => value >= 0 && (value as u64) < self.count(id),
        }
    }

    /// The types a simple type is made of: itself, or the atoms of a union.
    pub fn atoms(&self, id: TypeId) -> &[TypeId] {
        match self.get(id) {
            Type::Union { atoms } => atoms,
            _ => &[],
        }
    }

    /// The number at which an atom's values begin in a union, if it is one of the union's.
    pub fn atom_base(&self, union: TypeId, atom: TypeId) -> Option<i64> {
        let mut base = 0i64;
        for &each in self.atoms(union) {
            if each == atom {
                return Some(base);
            }
            base = base.saturating_add(self.count(each) as i64);
        }
        None
    }

    /// The atom a union's value belongs to, and its number there.
    pub fn atom_of(&self, union: TypeId, value: i64) -> Option<(TypeId, i64)> {
        let mut base = 0i64;
        for &atom in self.atoms(union) {
            let count = self.count(atom) as i64;
            if value >= base && value - base < count {
                return Some((atom, value - base + self.first(atom)));
            }
            base = base.saturating_add(count);
        }
        None
    }

    /// The value's number in another type; none where that type does not have it.
    pub fn convert(&self, from: TypeId, to: TypeId, value: i64) -> Option<i64> {
        if from == to {
            return Some(value);
        }
        if self.is_range(from) && self.is_range(to) {
            return self.contains(to, value).then_some(value);
        }
        let (atom, value) = match self.get(from) {
            Type::Union { .. } => self.atom_of(from, value)?,
            _ => (from, value),
        };
        match self.get(to) {
            Type::Union { .. } => self.number_in(atom, to, value),
            Type::Range { .. } if self.is_range(atom) => self.contains(to, value).then_some(value),
            _ => (atom == to).then_some(value),
        }
    }

    fn number_in(&self, atom: TypeId, union: TypeId, value: i64) -> Option<i64> {
        if let Some(base) = self.atom_base(union, atom) {
            return Some(base + (value - self.first(atom)));
        }
        if !self.is_range(atom) {
            return None;
        }
        let fits = |&each: &TypeId| self.is_range(each) && self.contains(each, value);
        let home = self.atoms(union).iter().copied().find(fits)?;
        Some(self.atom_base(union, home)? + (value - self.first(home)))
    }

    /// Whether permuting some scalarset could change a value of this type.
    pub fn has_scalarset(&self, id: TypeId) -> bool {
        if self.cells(id) == 0 {
            return false;
        }
        match self.get(id) {
            Type::Scalarset { .. } => true,
            Type::Union { atoms } => atoms.iter().any(|&atom| self.has_scalarset(atom)),
            Type::Record { fields } => fields.iter().any(|field| self.has_scalarset(field.ty)),
            Type::Array { index, elem } => self.has_scalarset(*index) || self.has_scalarset(*elem),
            Type::Multiset { elem, .. } => self.has_scalarset(*elem),
            _ => false,
        }
    }

    /// Whether a value of this type is, or may hold, a scalarset's value (array indices do not count).
    pub fn has_scalarset_leaf(&self, id: TypeId) -> bool {
        if self.cells(id) == 0 {
            return false;
        }
        match self.get(id) {
            Type::Array { elem, .. } => self.has_scalarset_leaf(*elem),
            Type::Record { fields } => fields.iter().any(|field| self.has_scalarset_leaf(field.ty)),
            Type::Multiset { .. } => false,
            _ => self.has_scalarset(id),
        }
    }

    pub fn has_multiset(&self, id: TypeId) -> bool {
        if self.cells(id) == 0 {
            return false;
        }
        match self.get(id) {
            Type::Multiset { .. } => true,
            Type::Record { fields } => fields.iter().any(|field| self.has_multiset(field.ty)),
            Type::Array { elem, .. } => self.has_multiset(*elem),
            _ => false,
        }
    }

    /// The type as a person would write or name it.
    pub fn describe(&self, id: TypeId) -> String {
        if let Some(name) = self.name(id) {
            return name.to_string();
        }
        match self.get(id) {
            Type::Range { .. } if id == Types::INT => "integer".to_string(),
            Type::Range { lo, hi } => format!("{lo}..{hi}"),
            Type::Enum { values } => format!("enum {{ {} }}", values.join(", ")),
            Type::Scalarset { size } => format!("scalarset({size})"),
            Type::Union { atoms } => {
                let parts: Vec<String> = atoms.iter().map(|&atom| self.describe(atom)).collect();
                format!("union {{ {} }}", parts.join(", "))
            }
            Type::Position { set, .. } => format!("position in {}", self.describe(*set)),
            Type::Record { fields } => {
                let parts: Vec<String> =
                    fields.iter().map(|f| format!("{}: {};", f.name, self.describe(f.ty))).collect();
                format!("record {} end", parts.join(" "))
            }
            Type::Array { index, elem } => {
                format!("array [{}] of {}", self.describe(*index), self.describe(*elem))
            }
            Type::Multiset { capacity, elem } => format!("multiset [{capacity}] of {}", self.describe(*elem)),
        }
    }

    /// A value of a simple type as it is printed: `3`, `true`, `NODE_1`.
    pub fn value_name(&self, id: TypeId, value: i64) -> String {
        match self.get(id) {
            Type::Enum { values } => match usize::try_from(value).ok().and_then(|at| values.get(at)) {
                Some(name) => name.clone(),
                None => value.to_string(),
            },
            Type::Scalarset { .. } => {
                format!("{}_{}", self.name(id).unwrap_or("Scalarset"), value.saturating_add(1))
            }
            Type::Union { .. } => match self.atom_of(id, value) {
                Some((atom, inner)) => self.value_name(atom, inner),
                None => value.to_string(),
            },
            _ => value.to_string(),
        }
    }
}
