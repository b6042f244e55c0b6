//! A whole model: types, variables and their slots, subprograms, rules, start states, properties.
//!
//! A rule stands for all its instances: the mixed-radix number of its parameters' values (first parameter
//! most significant) and the rule's id name one instance. Parameters are finite and their domains constant,
//! so the number of instances is known; whether a `choose` position is occupied depends on the state.

use super::expr::{Block, Expr, ExprId, Local, Place};
use super::span::{SourceMap, Span};
use super::types::{Type, TypeId, Types};

/// The mark of a cell without a value.
pub const UNDEFINED: i64 = i64::MIN;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncId(pub u32);

#[derive(Clone, Debug, Default)]
pub struct Model {
    pub source: SourceMap,
    pub types: Types,
    pub exprs: Vec<Expr>,
    pub vars: Vec<Var>,
    pub slots: Vec<SlotInfo>,
    pub funcs: Vec<Func>,
    pub rules: Vec<Rule>,
    /// Start states; their rules have no guard.
    pub starts: Vec<Rule>,
    pub properties: Vec<Property>,
    /// `cover` statements, in the order of their numbers.
    pub cover_statements: Vec<CoverStatement>,
    pub fairness: Vec<StateFairness>,
    /// It uses what only CMurphi can run (unions, multisets, the word `undefined`), so only CMurphi's
    /// reading of copying undefined values counts.
    pub cmurphi_only: bool,
    /// The constants as they were used, for reports.
    pub constants: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub ty: TypeId,
    pub first: Slot,
    pub span: Span,
}

/// One leaf of the state.
#[derive(Clone, Copy, Debug)]
pub struct SlotInfo {
    /// A simple type; `Types::PRESENT` marks the presence cell of a multiset's element.
    pub ty: TypeId,
    /// Which variable it is part of.
    pub var: u32,
}

/// The cells a subprogram, rule or property needs while it runs.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub cells: u32,
    pub locals: Vec<LocalVar>,
}

#[derive(Clone, Debug)]
pub struct LocalVar {
    pub name: String,
    pub ty: TypeId,
    pub local: Local,
    /// The cell holds an address, not a value.
    pub reference: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    Value,
    Ref,
}

#[derive(Clone, Debug)]
pub struct FuncParam {
    pub name: String,
    pub ty: TypeId,
    pub passing: Passing,
    pub local: Local,
}

#[derive(Clone, Debug)]
pub struct Func {
    pub name: String,
    pub params: Vec<FuncParam>,
    pub returns: Option<TypeId>,
    pub frame: Frame,
    pub body: Block,
    pub span: Span,
    /// Neither it nor what it calls stores outside its own frames.
    pub pure: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Fairness {
    #[default]
    None,
    Weak,
    Strong,
}

/// What binds the names around a rule or property, outermost first.
#[derive(Clone, Debug)]
pub enum Binder {
    Param {
        name: String,
        local: Local,
        domain: ParamDomain,
    },
    /// One instance for each position of the multiset, disabled where the position is empty.
    Choose {
        name: String,
        local: Local,
        set: Place,
        capacity: u32,
    },
    /// A reference bound before the guard.
    AliasPlace {
        name: String,
        local: Local,
        place: Place,
    },
    AliasValue {
        name: String,
        local: Local,
        value: ExprId,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamDomain {
    Type(TypeId),
    /// `first`, `first + step`, …, `count` of them.
    Steps {
        ty: TypeId,
        first: i64,
        step: i64,
        count: u64,
    },
}

/// Whose rule it is: the process block or the outer quantifier over the process type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    pub process: String,
    /// The binders whose values together say which component it is.
    pub binders: Vec<usize>,
}

/// Marks the enclosing ruleset that carries a promise: its binders up to `depth` vary inside the action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionGroup {
    /// Instances of rules with the same group number are one action …
    pub group: u32,
    /// … for each value of the first `depth` binders.
    pub depth: usize,
    pub fairness: Fairness,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    Start,
    Rule,
}

#[derive(Clone, Debug)]
pub struct Rule {
    pub kind: RuleKind,
    /// The name as written, or `Rule 3` / `Startstate 1` by position in the text.
    pub name: String,
    pub binders: Vec<Binder>,
    pub guard: Option<ExprId>,
    /// The guard stores nothing outside its frames; without this, its effects are part of the step.
    pub guard_pure: bool,
    pub body: Block,
    pub frame: Frame,
    /// Only enabled rules of the least number fire.
    pub priority: i64,
    /// Fairness of each instance.
    pub fairness: Fairness,
    /// Fairness of enclosing rulesets as single actions.
    pub groups: Vec<ActionGroup>,
    pub unhelpful: bool,
    pub component: Option<Component>,
    pub span: Span,
}

/// One instance of a rule or start state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance {
    pub rule: RuleId,
    pub index: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    Invariant,
    Assume,
    Cover,
    /// AG EF `claim`
    AlwaysPossible,
    /// AG (`claim` -> EF `target`) by helpful rules
    CanGetTo,
    /// [] (`claim` -> <> `target`) under the fairness of the rules
    LeadsTo,
}

#[derive(Clone, Debug)]
pub struct Property {
    pub kind: PropertyKind,
    pub name: String,
    pub binders: Vec<Binder>,
    pub claim: ExprId,
    pub target: Option<ExprId>,
    pub frame: Frame,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct CoverStatement {
    pub name: String,
    pub span: Span,
}

/// Fairness of states: `conclusion` infinitely often, if `premise` (where written) is.
#[derive(Clone, Debug)]
pub struct StateFairness {
    pub name: String,
    pub binders: Vec<Binder>,
    pub premise: Option<ExprId>,
    pub conclusion: ExprId,
    pub frame: Frame,
    pub span: Span,
}

impl ParamDomain {
    pub fn ty(&self) -> TypeId {
        match self {
            ParamDomain::Type(ty) | ParamDomain::Steps { ty, .. } => *ty,
        }
    }

    pub fn count(&self, types: &Types) -> u64 {
        match self {
            ParamDomain::Type(ty) => types.count(*ty),
            ParamDomain::Steps { count, .. } => *count,
        }
    }

    /// The value with this number, from 0.
    pub fn value(&self, types: &Types, at: u64) -> i64 {
        match self {
            ParamDomain::Type(ty) => types.first(*ty).wrapping_add_unsigned(at),
            ParamDomain::Steps { first, step, .. } => first.wrapping_add(step.wrapping_mul(at as i64)),
        }
    }
}

impl Binder {
    pub fn name(&self) -> &str {
        match self {
            Binder::Param { name, .. }
            | Binder::Choose { name, .. }
            | Binder::AliasPlace { name, .. }
            | Binder::AliasValue { name, .. } => name,
        }
    }

    /// How many values the binder ranges over; 1 for aliases.
    pub fn radix(&self, types: &Types) -> u64 {
        match self {
            Binder::Param { domain, .. } => domain.count(types),
            Binder::Choose { capacity, .. } => u64::from(*capacity),
            _ => 1,
        }
    }
}

/// How many instances the binders make, saturating.
pub fn instance_count(binders: &[Binder], types: &Types) -> u64 {
    binders.iter().fold(1u64, |product, binder| product.saturating_mul(binder.radix(types)))
}

/// The digit of each binder in an instance's index, first binder most significant.
pub fn digits(binders: &[Binder], types: &Types, index: u64) -> Vec<u64> {
    let mut rest = index;
    let mut digits = vec![0; binders.len()];
    for (at, binder) in binders.iter().enumerate().rev() {
        let radix = binder.radix(types).max(1);
        digits[at] = rest % radix;
        rest /= radix;
    }
    digits
}

impl Model {
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    pub fn func(&self, id: FuncId) -> &Func {
        &self.funcs[id.0 as usize]
    }

    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.0 as usize]
    }

    pub fn instances(&self, rule: &Rule) -> u64 {
        instance_count(&rule.binders, &self.types)
    }

    /// All instances of all rules, in the order of the text.
    pub fn all_instances(&self) -> impl Iterator<Item = Instance> + '_ {
        self.rules.iter().enumerate().flat_map(move |(at, rule)| {
            (0..self.instances(rule)).map(move |index| Instance { rule: RuleId(at as u32), index })
        })
    }

    /// Parameters of an instance with their values, for people: `("n", "NODE_2")`.
    pub fn instance_params(&self, binders: &[Binder], index: u64) -> Vec<(String, String)> {
        let digits = digits(binders, &self.types, index);
        let mut params = Vec::new();
        for (binder, digit) in binders.iter().zip(digits) {
            match binder {
                Binder::Param { name, domain, .. } => {
                    let value = domain.value(&self.types, digit);
                    params.push((name.clone(), self.types.value_name(domain.ty(), value)));
                }
                Binder::Choose { name, .. } => params.push((name.clone(), digit.to_string())),
                _ => {}
            }
        }
        params
    }

    /// The printable path of a slot: `Cache[NODE_1].State`, `Net{3}.kind`, `Net{3}?` for presence.
    pub fn slot_path(&self, slot: Slot) -> String {
        let Some(info) = self.slots.get(slot.0 as usize) else { return format!("slot {}", slot.0) };
        let var = &self.vars[info.var as usize];
        let mut path = var.name.clone();
        self.append_path(&mut path, var.ty, u64::from(slot.0 - var.first.0));
        path
    }

    /// Extends a path by what lies `offset` cells into a value of the type.
    pub fn append_path(&self, path: &mut String, ty: TypeId, offset: u64) {
        let (mut ty, mut offset) = (ty, offset);
        loop {
            match self.types.get(ty) {
                Type::Record { fields } => {
                    let inside = |f: &&super::types::Field| {
                        u64::from(f.offset) <= offset && offset - u64::from(f.offset) < self.types.cells(f.ty)
                    };
                    let Some(field) = fields.iter().find(inside) else { return };
                    path.push('.');
                    path.push_str(&field.name);
                    offset -= u64::from(field.offset);
                    ty = field.ty;
                }
                Type::Array { index, elem } => {
                    let stride = self.types.cells(*elem).max(1);
                    let value = self.types.first(*index).wrapping_add_unsigned(offset / stride);
                    path.push_str(&format!("[{}]", self.types.value_name(*index, value)));
                    offset %= stride;
                    ty = *elem;
                }
                Type::Multiset { elem, .. } => {
                    let stride = self.types.cells(*elem) + 1;
                    path.push_str(&format!("{{{}}}", offset / stride));
                    if offset % stride == 0 {
                        path.push('?');
                        return;
                    }
                    offset = offset % stride - 1;
                    ty = *elem;
                }
                _ => return,
            }
        }
    }
}
