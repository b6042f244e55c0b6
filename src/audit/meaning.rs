//! What conditions and rules mean, as sets: where a condition is true or false, where a rule's step exists or fails, and
//! what every bit is after it.
//!
//! In: a part of a model, in the scope of its names. `&`, `|`, `!`, `->`, quantifiers over types, loops over types and
//! sequences of statements are taken apart here; everything else is asked of the evaluator (`ask.rs`). Out: sets over the
//! variables of `Names`. A call of a function that is one expression, with arguments that do not depend on the state, is
//! that expression.
//!
//! Statements are asked for one by one only where they have nothing but the state in common: the rule has no aliases,
//! stores to none of its own variables, and does not return in the middle. Else its body is asked for as a whole, and
//! so is a rule whose guard has effects. Operators are taken apart as the evaluator does them, from left to right: what
//! comes after the one that decides is neither asked nor can it fail.
//!
//! What this leaves out: the evaluator's limits on iterations and nesting count for each part by itself. Multisets
//! and `assume` within conditions are refused. Cost: a few operations on small sets for each part.

use std::rc::Rc;

use fxhash::FxHashMap;

use super::ask::{Asker, Known, Names};
use super::decision::{ALL, Enough, May, NONE, Set, Sets};
use crate::ir::eval::{Eval, Machine, Options, Scope, Step};
use crate::ir::expr::Arg;
use crate::ir::model::digits;
use crate::ir::walk::ref_args;
use crate::ir::{
    Alias, Base, Binder, Block, Domain, ExprId, ExprKind, FuncId, Instance, Local, Model, Passing, Place,
    Rule, Stmt, StmtKind, TypeId,
};

/// Where a condition is true, and where it is false; elsewhere it cannot be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    pub yes: Set,
    pub no: Set,
}

impl Truth {
    fn not(self) -> Truth {
        Truth { yes: self.no, no: self.yes }
    }

    fn and(self, sets: &mut Sets, then: Truth) -> May<Truth> {
        let late = sets.and(self.yes, then.no)?;
        Ok(Truth { yes: sets.and(self.yes, then.yes)?, no: sets.or(self.no, late)? })
    }

    /// Where it cannot be evaluated.
    pub fn fails(self, sets: &mut Sets) -> May<Set> {
        let told = sets.or(self.yes, self.no)?;
        sets.not(told)
    }
}

/// What a rule instance does.
pub struct Effect {
    /// Where its step exists.
    pub exists: Set,
    /// Where it ends in a run-time error.
    pub fails: Set,
    /// What bits are after the step, in terms of those before; the others stay.
    pub change: FxHashMap<u32, Set>,
    /// A slot that it stores to and does not see.
    pub outside: Option<u32>,
}

/// Where a step of a rule's body leads, said of one row.
struct Row {
    cube: Set,
    written: Vec<(u32, i64)>,
}

pub struct Meaning<'m> {
    model: &'m Model,
    asker: Asker<'m>,
    pub names: Names,
    /// The component that each slot is local to.
    owner: Vec<Option<usize>>,
    /// The names that conditions mention; none where it cannot be told.
    mentioned: FxHashMap<ExprId, Option<Rc<[Local]>>>,
    /// Conditions with the values of the names that they mention.
    known: FxHashMap<(ExprId, Vec<i64>), Truth>,
}

impl<'m> Meaning<'m> {
    pub fn new(model: &'m Model, options: Options, names: Names, owner: Vec<Option<usize>>) -> Meaning<'m> {
        let asker = Asker::new(model, options);
        Meaning { model, asker, names, owner, mentioned: FxHashMap::default(), known: FxHashMap::default() }
    }

    /// Forgets the conditions that are known, before their sets are forgotten.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// The component that a slot is local to.
    pub fn owner(&self, slot: u32) -> Option<usize> {
        self.owner[slot as usize]
    }

    /// The values of a type.
    pub fn values(&self, ty: TypeId) -> impl Iterator<Item = i64> + use<> {
        let (first, count) = (self.model.types.first(ty), self.model.types.count(ty));
        (0..count).map(move |at| first.wrapping_add_unsigned(at))
    }

    /// Where a condition is true and where it is false; a component alone sees only its own view.
    pub fn truth(
        &mut self,
        sets: &mut Sets,
        scope: &mut Scope<'m>,
        part: Option<usize>,
        expr: ExprId,
    ) -> May<Truth> {
        // What a component does not see depends on the component.
        let key = if part.is_none() { self.key(scope, expr) } else { None };
        if let Some(&known) = key.as_ref().and_then(|key| self.known.get(key)) {
            return Ok(known);
        }
        let model = self.model;
        let truth = match &model.expr(expr).kind {
            ExprKind::Not(inner) => self.truth(sets, scope, part, *inner)?.not(),
            ExprKind::And(terms) => self.all(sets, scope, part, terms, false)?,
            ExprKind::Or(terms) => self.all(sets, scope, part, terms, true)?.not(),
            ExprKind::Implies(a, b) => {
                let a = self.truth(sets, scope, part, *a)?;
                let b = if a.yes == NONE {
                    Truth { yes: ALL, no: NONE }
                } else {
                    self.truth(sets, scope, part, *b)?
                };
                a.and(sets, b.not())?.not()
            }
            ExprKind::Quantified { all, local, domain: Domain::Type(ty), body } => {
                let mut whole = Truth { yes: ALL, no: NONE };
                for value in self.values(*ty) {
                    scope.bound.push((*local, value));
                    let each = self.truth(sets, scope, part, *body);
                    scope.bound.pop();
                    let each = if *all { each? } else { each?.not() };
                    whole = whole.and(sets, each)?;
                }
                if *all { whole } else { whole.not() }
            }
            ExprKind::Call { func, args } => match self.inner(scope, *func, args) {
                Some((mut inner, result)) => self.truth(sets, &mut inner, part, result)?,
                None => self.ask_truth(sets, scope, part, expr)?,
            },
            _ => self.ask_truth(sets, scope, part, expr)?,
        };
        if let Some(key) = key {
            self.known.insert(key, truth);
        }
        Ok(truth)
    }

    /// The inside of a call whose function is one expression and whose arguments do not depend on the state.
    fn inner(&mut self, scope: &Scope<'m>, func: FuncId, args: &'m [Arg]) -> Option<(Scope<'m>, ExprId)> {
        let model = self.model;
        let func = model.func(func);
        let [Stmt { kind: StmtKind::Return(Some(result)), .. }] = &func.body[..] else { return None };
        let mut bound = Vec::new();
        for (param, arg) in func.params.iter().zip(args) {
            let Arg::Value(expr) = arg else { return None };
            if !model.types.is_simple(param.ty) || param.passing != Passing::Value {
                return None;
            }
            let value = self.asker.constant(scope, *expr)?;
            model.types.contains(param.ty, value).then(|| bound.push((param.local, value)))?;
        }
        Some((Scope { binders: &[], cells: func.frame.cells, index: 0, bound }, *result))
    }

    /// All terms, from left to right; each turned round where `negated`.
    fn all(
        &mut self,
        sets: &mut Sets,
        scope: &mut Scope<'m>,
        part: Option<usize>,
        terms: &[ExprId],
        negated: bool,
    ) -> May<Truth> {
        let mut whole = Truth { yes: ALL, no: NONE };
        for &term in terms {
            if whole.yes == NONE {
                break;
            }
            let each = self.truth(sets, scope, part, term)?;
            whole = whole.and(sets, if negated { each.not() } else { each })?;
        }
        Ok(whole)
    }

    fn ask_truth(
        &mut self,
        sets: &mut Sets,
        scope: &Scope<'m>,
        part: Option<usize>,
        expr: ExprId,
    ) -> May<Truth> {
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        let names = &self.names;
        let mut run = |machine: &mut Machine<'m>, state: &[i64]| machine.value_of(state, scope, expr);
        let mut take = |known: &Known, told: Eval<Option<i64>>, written: &[u32]| {
            let side = match told {
                Ok(Some(0)) => &mut no,
                Ok(Some(_)) => &mut yes,
                Err(_) => return Ok(()),
                Ok(None) => return Err(Enough("a condition contains an assumption".to_string())),
            };
            if !written.is_empty() {
                return Err(Enough("a condition has effects".to_string()));
            }
            side.push(names.cube(sets, known)?);
            Ok(())
        };
        let owner = &self.owner;
        let seen = |slot: u32| part.is_none() || owner[slot as usize].is_none_or(|of| Some(of) == part);
        self.asker.rows(&seen, &mut run, &mut take)?;
        Ok(Truth { yes: sets.any(yes)?, no: sets.any(no)? })
    }

    /// The names that a condition mentions, if that can be told.
    pub fn mentions(&mut self, expr: ExprId) -> Option<Rc<[Local]>> {
        let model = self.model;
        self.mentioned.entry(expr).or_insert_with(|| mentioned(model, expr).map(Rc::from)).clone()
    }

    /// A condition with the values of what it mentions, where that is less than all that is bound.
    fn key(&mut self, scope: &Scope<'m>, expr: ExprId) -> Option<(ExprId, Vec<i64>)> {
        if scope.binders.iter().any(|binder| !matches!(binder, Binder::Param { .. })) {
            return None;
        }
        let model = self.model;
        let mentioned = self.mentions(expr)?;
        if mentioned.len() >= scope.binders.len() + scope.bound.len() {
            return None;
        }
        let mut values = Vec::with_capacity(mentioned.len());
        for &local in &*mentioned {
            let bound = scope.bound.iter().rev().find(|(each, _)| *each == local);
            values.push(match bound {
                Some(&(_, value)) => value,
                None => {
                    let digits = digits(scope.binders, &model.types, scope.index);
                    scope.binders.iter().zip(digits).find_map(|(binder, digit)| match binder {
                        Binder::Param { local: each, domain, .. } if *each == local => {
                            Some(domain.value(&model.types, digit))
                        }
                        _ => None,
                    })?
                }
            });
        }
        Some((expr, values))
    }

    /// What a rule instance of a component does.
    pub fn effect(&mut self, sets: &mut Sets, part: usize, instance: Instance) -> May<Effect> {
        let model = self.model;
        let rule = model.rule(instance.rule);
        let mut scope = Scope {
            binders: &rule.binders,
            cells: rule.frame.cells,
            index: instance.index,
            bound: Vec::new(),
        };
        let change = FxHashMap::default();
        let mut effect = Effect { exists: ALL, fails: NONE, change, outside: None };
        if !rule.guard_pure {
            let mut run = |machine: &mut Machine<'m>, state: &[i64]| machine.step(state, instance);
            self.then(sets, part, &mut effect, &mut run)?;
            return Ok(effect);
        }
        if let Some(guard) = rule.guard {
            let guard = self.truth(sets, &mut scope, Some(part), guard)?;
            (effect.exists, effect.fails) = (guard.yes, guard.fails(sets)?);
        }
        match separable(model, rule) {
            true => self.block(sets, part, &mut scope, &rule.body, &mut effect)?,
            false => self.run(sets, part, &scope, &rule.body, &mut effect)?,
        }
        Ok(effect)
    }

    /// Statements one after the other.
    fn block(
        &mut self,
        sets: &mut Sets,
        part: usize,
        scope: &mut Scope<'m>,
        body: &'m [Stmt],
        effect: &mut Effect,
    ) -> May<()> {
        for stmt in body {
            match &stmt.kind {
                StmtKind::For { local, domain: Domain::Type(ty), body } => {
                    for value in self.values(*ty) {
                        scope.bound.push((*local, value));
                        let done = self.block(sets, part, scope, body, effect);
                        scope.bound.pop();
                        done?;
                    }
                }
                _ => self.run(sets, part, scope, std::slice::from_ref(stmt), effect)?,
            }
        }
        Ok(())
    }

    fn run(
        &mut self,
        sets: &mut Sets,
        part: usize,
        scope: &Scope<'m>,
        body: &'m [Stmt],
        effect: &mut Effect,
    ) -> May<()> {
        let mut run = |machine: &mut Machine<'m>, state: &[i64]| machine.perform(state, scope, body);
        self.then(sets, part, effect, &mut run)
    }

    /// Adds what a run does after all before it.
    fn then(
        &mut self,
        sets: &mut Sets,
        part: usize,
        effect: &mut Effect,
        run: &mut dyn FnMut(&mut Machine<'m>, &[i64]) -> Eval<Step>,
    ) -> May<()> {
        let mut rows: Vec<Row> = Vec::new();
        let mut fails = Vec::new();
        let names = &self.names;
        let mut take = |known: &Known, step: Eval<Step>, written: &[u32]| {
            match step {
                Ok(Step::Next(next)) => {
                    let written = written.iter().map(|&slot| (slot, next[slot as usize])).collect();
                    rows.push(Row { cube: names.cube(sets, known)?, written });
                }
                Ok(Step::Disabled | Step::Assumed) => {}
                Err(_) => fails.push(names.cube(sets, known)?),
            }
            Ok(())
        };
        let owner = &self.owner;
        let seen = |slot: u32| owner[slot as usize].is_none_or(|of| of == part);
        self.asker.rows(&seen, run, &mut take)?;
        let stored = rows.iter().flat_map(|row| row.written.iter().map(|(slot, _)| *slot));
        let stored: std::collections::BTreeSet<u32> = stored.collect();
        if effect.outside.is_none() {
            effect.outside = stored.iter().copied().find(|&slot| !seen(slot));
        }
        let fails = sets.any(fails)?;
        let fails = sets.after(fails, &effect.change)?;
        let fails = sets.and(effect.exists, fails)?;
        effect.fails = sets.or(effect.fails, fails)?;
        let exists = sets.any(rows.iter().map(|row| row.cube).collect())?;
        let exists = sets.after(exists, &effect.change)?;
        effect.exists = sets.and(effect.exists, exists)?;
        let mut changed = Vec::new();
        for slot in stored {
            changed.extend(bits_after(sets, &self.names, &rows, slot)?);
        }
        let before = effect.change.clone();
        for (bit, set) in changed {
            let set = sets.after(set, &before)?;
            effect.change.insert(bit, set);
        }
        Ok(())
    }
}

/// What the bits of a slot are after a step that rows tell of.
fn bits_after(sets: &mut Sets, names: &Names, rows: &[Row], slot: u32) -> May<Vec<(u32, Set)>> {
    let mut set_by: FxHashMap<u32, Vec<Set>> = FxHashMap::default();
    for row in rows {
        let stored = row.written.iter().find(|(each, _)| *each == slot);
        // The names of the bits are the same for every value.
        for (bit, is_set) in names.code(slot, stored.map_or(crate::ir::UNDEFINED, |(_, value)| *value)) {
            let sets_of_bit = set_by.entry(bit).or_default();
            match stored {
                Some(_) if is_set => sets_of_bit.push(row.cube),
                Some(_) => {}
                None => {
                    let literal = sets.literal(bit, true)?;
                    sets_of_bit.push(sets.and(row.cube, literal)?);
                }
            }
        }
    }
    let mut bits: Vec<(u32, Vec<Set>)> = set_by.into_iter().collect();
    bits.sort_unstable();
    bits.into_iter().map(|(bit, cubes)| Ok((bit, sets.any(cubes)?))).collect()
}

/// Whether the statements of a rule's body have nothing but the state in common.
fn separable(model: &Model, rule: &Rule) -> bool {
    let plain = |binder: &Binder| matches!(binder, Binder::Param { .. });
    rule.binders.iter().all(plain) && keeps_to_state(model, &rule.body)
}

/// Whether a block stores to no variable of the frame, and does not return.
fn keeps_to_state(model: &Model, block: &Block) -> bool {
    let in_state = |place: &&Place| place.base != Base::Frame;
    let stmt_keeps = |stmt: &Stmt| {
        let aliased = match &stmt.kind {
            StmtKind::Return(_) => return false,
            StmtKind::Alias { target: Alias::Place(place), .. } => Some(place),
            _ => None,
        };
        let mut open = stmt.exprs();
        let mut keeps = stmt.stores().into_iter().chain(aliased).all(|place| in_state(&place));
        while let Some(id) = open.pop() {
            let kind = &model.expr(id).kind;
            if let ExprKind::Call { args, .. } = kind {
                keeps &= ref_args(args).iter().all(in_state);
            }
            open.extend(kind.children());
        }
        keeps && stmt.blocks().into_iter().all(|inner| keeps_to_state(model, inner))
    };
    block.iter().all(stmt_keeps)
}

/// The names of the frame that an expression reads; none where it reads through references or indices of its own.
fn mentioned(model: &Model, expr: ExprId) -> Option<Vec<Local>> {
    let mut found = Vec::new();
    let kind = &model.expr(expr).kind;
    let places: Vec<&Place> = match kind {
        ExprKind::Read(place) | ExprKind::IsUndefined(place) => vec![place],
        ExprKind::Call { args, .. } => ref_args(args),
        ExprKind::MultisetCount { .. } => return None,
        _ => Vec::new(),
    };
    for place in places {
        match place.base {
            Base::State => {}
            Base::Frame if place.indices.is_empty() => found.push(Local(place.offset)),
            _ => return None,
        }
    }
    for child in kind.children() {
        found.extend(mentioned(model, child)?);
    }
    if let ExprKind::Quantified { local, .. } = kind {
        found.retain(|each| each != local);
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}
