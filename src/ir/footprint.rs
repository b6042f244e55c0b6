//! Read and write footprints: which slots a rule may read and may write, conservatively.
//!
//! In: a rule and, for some of its parameters, their values. Out: two sets of slots. Invariant: every slot
//! that any run of the rule (with those parameter values) reads or writes is in the set; indices that are
//! not constant under the known parameters count as any value of their type.
//!
//! The body is walked once, each subprogram once for each distinct way it is called (known values and
//! referenced slots) down to `CALLS_MAX` deep; a call below that counts as touching everything, so the walk
//! ends. Storing a whole multiset's element touches the multiset: adding and removing read and write all.

use std::collections::HashMap;

use super::expr::{Alias, Arg, Base, Block, ExprId, ExprKind, Local, Place, Stmt, StmtKind};
use super::model::{Binder, FuncId, Model, Rule, digits};
use super::walk::ref_args;

/// How deep calls are followed.
const CALLS_MAX: usize = 16;
/// How many places a reference may stand for before it counts as any slot.
const BASES_MAX: usize = 4_096;

/// A set of slots, as sorted ranges that do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotSet {
    ranges: Vec<(u32, u32)>,
}

impl SlotSet {
    /// Adds the slots from `first` to before `end`.
    pub fn insert(&mut self, first: u32, end: u32) {
        if first >= end {
            return;
        }
        let from = self.ranges.partition_point(|range| range.1 < first);
        let to = self.ranges.partition_point(|range| range.0 <= end);
        let merged = self.ranges[from..to].iter().fold((first, end), |m, r| (m.0.min(r.0), m.1.max(r.1)));
        self.ranges.splice(from..to, [merged]);
    }

    pub fn contains(&self, slot: u32) -> bool {
        let at = self.ranges.partition_point(|range| range.1 <= slot);
        self.ranges.get(at).is_some_and(|range| range.0 <= slot)
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.iter().flat_map(|&(first, end)| first..end)
    }

    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub fn len(&self) -> usize {
        self.ranges.iter().map(|&(first, end)| (end - first) as usize).sum()
    }

    pub fn intersects(&self, other: &SlotSet) -> bool {
        self.ranges.iter().any(|a| other.ranges.iter().any(|b| a.0 < b.1 && b.0 < a.1))
    }

    pub fn extend(&mut self, other: &SlotSet) {
        other.ranges.iter().for_each(|&(first, end)| self.insert(first, end));
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub reads: SlotSet,
    pub writes: SlotSet,
}

/// What is known of a local cell.
#[derive(Clone, Debug, PartialEq)]
enum Known {
    Value(i64),
    /// The first slots a reference may point to; a reference into frames points to none.
    Slots(Vec<u32>),
    /// A reference that may point to any slot.
    Anywhere,
}

type Env = HashMap<Local, Known>;

/// The footprint of all instances whose binders have the given values (by position; none for any value).
pub fn footprint(model: &Model, rule: &Rule, fixed: &[Option<i64>]) -> Footprint {
    let mut walk = Walk::new(model);
    let mut env = Env::new();
    walk.bind(&rule.binders, fixed, &mut env);
    let mut assigned = Vec::new();
    assigned_locals(model, &rule.body, &mut assigned);
    assigned.iter().for_each(|local| {
        env.retain(|each, known| each != local || !matches!(known, Known::Value(_)));
    });
    if let Some(guard) = rule.guard {
        walk.expr(guard, &env);
    }
    walk.block(&rule.body, &mut env);
    walk.found
}

/// The footprint of one instance.
pub fn instance_footprint(model: &Model, rule: &Rule, index: u64) -> Footprint {
    let digits = digits(&rule.binders, &model.types, index);
    let fixed: Vec<Option<i64>> = rule
        .binders
        .iter()
        .zip(digits)
        .map(|(binder, digit)| match binder {
            Binder::Param { domain, .. } => Some(domain.value(&model.types, digit)),
            Binder::Choose { .. } => Some(digit as i64),
            _ => None,
        })
        .collect();
    footprint(model, rule, &fixed)
}

/// The slots an expression under binders may read.
pub fn expr_reads(model: &Model, binders: &[Binder], expr: ExprId) -> SlotSet {
    let mut walk = Walk::new(model);
    let mut env = Env::new();
    walk.bind(binders, &[], &mut env);
    walk.expr(expr, &env);
    let mut reads = walk.found.reads;
    reads.extend(&walk.found.writes);
    reads
}

/// The slots an expression may read where some locals have known values.
pub fn known_reads(model: &Model, known: &[(Local, i64)], expr: ExprId) -> SlotSet {
    let mut walk = Walk::new(model);
    let env: Env = known.iter().map(|&(local, value)| (local, Known::Value(value))).collect();
    walk.expr(expr, &env);
    let mut reads = walk.found.reads;
    reads.extend(&walk.found.writes);
    reads
}

struct Walk<'m> {
    model: &'m Model,
    found: Footprint,
    calls: Vec<(FuncId, Vec<Option<Known>>)>,
    depth: usize,
}

impl<'m> Walk<'m> {
    fn new(model: &'m Model) -> Walk<'m> {
        Walk { model, found: Footprint::default(), calls: Vec::new(), depth: 0 }
    }

    fn bind(&mut self, binders: &[Binder], fixed: &[Option<i64>], env: &mut Env) {
        for (at, binder) in binders.iter().enumerate() {
            let value = fixed.get(at).copied().flatten().map(Known::Value);
            match binder {
                Binder::Param { local, .. } => env.extend(value.map(|value| (*local, value))),
                Binder::Choose { local, set, .. } => {
                    self.touch(set, env, true, false);
                    env.extend(value.map(|value| (*local, value)));
                }
                Binder::AliasPlace { local, place, .. } => {
                    self.indices(place, env);
                    env.insert(*local, self.bases(place, env));
                }
                Binder::AliasValue { value, .. } => self.expr(*value, env),
            }
        }
    }

    /// Marks all slots a place may cover.
    fn touch(&mut self, place: &Place, env: &Env, read: bool, write: bool) {
        self.indices(place, env);
        let cells = self.model.types.cells(place.ty) as u32;
        let slots = match self.bases(place, env) {
            Known::Slots(slots) => slots.into_iter().map(|first| (first, first + cells)).collect(),
            _ => vec![(0, self.model.slots.len() as u32)],
        };
        for (first, end) in slots {
            if read {
                self.found.reads.insert(first, end);
            }
            if write {
                self.found.writes.insert(first, end);
            }
        }
    }

    fn indices(&mut self, place: &Place, env: &Env) {
        place.indices.iter().for_each(|index| self.expr(index.expr, env));
    }

    /// The slots a place may begin at.
    fn bases(&self, place: &Place, env: &Env) -> Known {
        let mut bases = match place.base {
            Base::Frame => return Known::Slots(Vec::new()),
            Base::State => vec![place.offset],
            Base::Ref(local) => match env.get(&local) {
                Some(Known::Slots(slots)) => slots.iter().map(|slot| slot + place.offset).collect(),
                _ => return Known::Anywhere,
            },
        };
        for index in &place.indices {
            let first = self.model.types.first(index.ty);
            let values: Vec<u64> = match self.value(index.expr, env) {
                Some(value) if self.model.types.contains(index.ty, value) => vec![value.abs_diff(first)],
                Some(_) => Vec::new(),
                None => (0..self.model.types.count(index.ty)).collect(),
            };
            if bases.len().saturating_mul(values.len()) > BASES_MAX {
                return Known::Anywhere;
            }
            let step = |base: &u32| {
                let base = *base;
                values.iter().map(move |value| base + *value as u32 * index.stride).collect::<Vec<u32>>()
            };
            bases = bases.iter().flat_map(step).collect();
        }
        Known::Slots(bases)
    }

    /// The value of an expression, where it follows from what is known.
    fn value(&self, id: ExprId, env: &Env) -> Option<i64> {
        match &self.model.expr(id).kind {
            ExprKind::Const(value) => Some(*value),
            ExprKind::Read(place) if place.base == Base::Frame && place.indices.is_empty() => {
                match env.get(&Local(place.offset)) {
                    Some(Known::Value(value)) => Some(*value),
                    _ => None,
                }
            }
            ExprKind::Convert(inner) => {
                let value = self.value(*inner, env)?;
                self.model.types.convert(self.model.expr(*inner).ty, self.model.expr(id).ty, value)
            }
            ExprKind::Arith(op, a, b) => {
                let (a, b) = (self.value(*a, env)?, self.value(*b, env)?);
                super::eval::arith(*op, a, b, super::span::Span::default()).ok()
            }
            _ => None,
        }
    }

    fn expr(&mut self, id: ExprId, env: &Env) {
        let kind = &self.model.expr(id).kind;
        match kind {
            ExprKind::Read(place) | ExprKind::IsUndefined(place) => {
                return self.touch(place, env, true, false);
            }
            ExprKind::Call { func, args } => return self.call(*func, args, env),
            ExprKind::MultisetCount { set, .. } => self.touch(set, env, true, false),
            _ => {}
        }
        kind.children().into_iter().for_each(|child| self.expr(child, env));
    }

    fn call(&mut self, id: FuncId, args: &[Arg], env: &Env) {
        let func = self.model.func(id);
        let mut inner = Env::new();
        let mut key = Vec::new();
        for (param, arg) in func.params.iter().zip(args) {
            let known = match arg {
                Arg::Value(expr) => {
                    self.expr(*expr, env);
                    self.value(*expr, env).map(Known::Value)
                }
                Arg::Ref(place) => {
                    self.indices(place, env);
                    Some(self.bases(place, env))
                }
            };
            key.push(known.clone());
            inner.extend(known.map(|known| (param.local, known)));
        }
        if self.calls.contains(&(id, key.clone())) {
            return;
        }
        if self.depth >= CALLS_MAX {
            let all = self.model.slots.len() as u32;
            self.found.reads.insert(0, all);
            self.found.writes.insert(0, all);
            return;
        }
        self.calls.push((id, key));
        self.depth += 1;
        self.block(&func.body, &mut inner);
        self.depth -= 1;
    }

    fn block(&mut self, block: &Block, env: &mut Env) {
        for stmt in block {
            self.stmt(stmt, env);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, env: &mut Env) {
        match &stmt.kind {
            StmtKind::Call { func, args } => return self.call(*func, args, env),
            StmtKind::Alias { local, target: Alias::Place(place), .. } => {
                env.insert(*local, self.bases(place, env));
            }
            StmtKind::Alias { local, target: Alias::Value(value), .. } => {
                let target = self.aliased(*value, env).unwrap_or(Known::Slots(Vec::new()));
                env.insert(*local, target);
            }
            _ => {}
        }
        stmt.exprs().into_iter().for_each(|expr| self.expr(expr, env));
        let multiset = matches!(
            stmt.kind,
            StmtKind::MultisetAdd { .. }
                | StmtKind::MultisetRemove { .. }
                | StmtKind::MultisetRemovePred { .. }
        );
        stmt.stores().into_iter().for_each(|place| self.touch(place, env, multiset, true));
        for body in stmt.blocks() {
            self.block(body, env);
        }
    }

    /// Where a value alias that is not simple may stand, if it may stand in the state.
    fn aliased(&self, value: ExprId, env: &Env) -> Option<Known> {
        let expr = self.model.expr(value);
        match &expr.kind {
            _ if self.model.types.is_simple(expr.ty) => None,
            ExprKind::Read(place) => Some(self.bases(place, env)),
            ExprKind::Conditional { .. } => Some(Known::Anywhere),
            _ => None,
        }
    }
}

/// Locals that statements store to, by name or by reference: what they hold is not known afterwards.
fn assigned_locals(model: &Model, block: &Block, found: &mut Vec<Local>) {
    let mut note = |place: &Place| {
        if place.base == Base::Frame {
            found.push(Local(place.offset));
        }
    };
    for stmt in block {
        stmt.stores().into_iter().for_each(&mut note);
        if let StmtKind::Alias { target: Alias::Place(place), .. } = &stmt.kind {
            note(place);
        }
        let mut open = stmt.exprs();
        while let Some(id) = open.pop() {
            let kind = &model.expr(id).kind;
            if let ExprKind::Call { args, .. } = kind {
                ref_args(args).into_iter().for_each(&mut note);
            }
            open.extend(kind.children());
        }
    }
    for body in block.iter().flat_map(|stmt| stmt.blocks()) {
        assigned_locals(model, body, found);
    }
}
