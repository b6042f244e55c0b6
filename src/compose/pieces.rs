//! Properties taken apart: each piece concerns few components, and all together are the property.
//!
//! In: an invariant. Its conjunctions, implications from constants and `forall`s over constant domains are taken apart;
//! what is left is built from *atoms*, conditions that read the slots of at most one component. An atom is evaluated
//! once for each component and bank, and a piece is a handful of operations on small diagrams, so that properties over
//! all pairs of thousands of components can be taken apart in seconds.
//!
//! Out: for each piece, the components it reads, in order, and the states that violate it or in which it cannot be
//! evaluated, the slots of its k-th component standing in bank k. A conjunct is looked at in all states, not only where
//! those before it hold: where one of them does not hold, its own piece is violated.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use fxhash::FxHashMap;

use super::split::{Setting, halted};
use crate::ir::footprint::known_reads;
use crate::ir::model::{digits, instance_count};
use crate::ir::{Base, Binder, Domain, ExprId, ExprKind, Local, Property, PropertyKind};
use crate::symbolic::relation::{Predicate, condition, predicate};
use crate::symbolic::{Bdd, Trouble, View};

/// What must not happen, and among which components.
#[derive(Clone, Debug)]
pub struct Piece {
    pub property: u32,
    pub parts: Vec<u32>,
    pub bad: Bdd,
}

type Env = Vec<(Local, i64)>;

/// A condition over atoms.
#[derive(Clone)]
enum Form {
    Constant(bool),
    /// Reads one component at most.
    Atom(Rc<Atom>),
    Not(Box<Form>),
    /// All, or any, of them in order.
    Chain(bool, Vec<Form>),
}

struct Atom {
    expr: ExprId,
    known: Env,
    parts: Vec<u32>,
    key: usize,
}

pub struct Cutter<'a> {
    setting: Setting<'a>,
    cells: u32,
    free: HashMap<ExprId, Rc<Vec<Local>>>,
    atoms: FxHashMap<(ExprId, Vec<i64>), Rc<Atom>>,
    /// By atom and the banks of its components.
    values: FxHashMap<(usize, Vec<u32>), Predicate>,
    /// What conditions are made of, by expression; and what they are where they are made of the same.
    terms: HashMap<ExprId, Rc<Vec<Term>>>,
    /// Terms that are atoms, by expression and the value of their one bound variable.
    kinds: FxHashMap<(ExprId, i64), Kind>,
    /// Numbers of atoms' values: where they hold, fail, and cannot be evaluated.
    triples: HashMap<[Bdd; 3], u32>,
    same: FxHashMap<Vec<u32>, (Bdd, Vec<u32>)>,
    /// Memory for the sign of a condition: there are millions.
    sign: Sign,
    /// What is to be taken apart of the next quantifier; all of those within it. What is not quantified is everyone's.
    share: Share,
}

/// What a condition depends on, and the components that its terms read: ascending, and term by term.
#[derive(Default)]
struct Sign {
    depends: Vec<u32>,
    parts: Vec<u32>,
    of_terms: Vec<u32>,
}

/// What the value of a condition depends on.
enum Term {
    /// An atom of one bound variable at most.
    Atom(ExprId, Option<Local>),
    /// Whether two known values are equal.
    Equal(ExprId, ExprId),
}

/// An atom but for the component that it reads: its value, as a number, and that component.
#[derive(Clone, Copy)]
struct Kind {
    value: u32,
    part: Option<u32>,
}

/// Every `of`-th value of the outermost variable, from one on.
#[derive(Clone, Copy)]
pub struct Share {
    pub of: u64,
    pub number: u64,
}

/// Takes a share of an invariant apart; pieces that cannot be violated are left out.
pub fn pieces(
    setting: Setting<'_>,
    at: u32,
    share: Share,
    each: &mut dyn FnMut(Piece) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let property = &setting.model.properties[at as usize];
    debug_assert_eq!(property.kind, PropertyKind::Invariant);
    let mut cutter = Cutter::new(setting, property.frame.cells);
    let count = instance_count(&property.binders, &setting.model.types);
    // Of one instance, the quantifiers are shared; of several, the instances.
    let share = if count > 1 { share } else { std::mem::replace(&mut cutter.share, share) };
    for index in (share.number..count).step_by(share.of as usize) {
        halted(setting.stop)?;
        match known_binders(setting, property, index) {
            Some(mut env) => cutter.cut(at, property.claim, true, &mut env, each)?,
            None => {
                let whole = cutter.whole(at, property, index)?;
                each(whole)?;
            }
        }
    }
    Ok(())
}

/// Everything.
pub const ALL: Share = Share { of: 1, number: 0 };

/// How many components a piece may read.
pub const BANKS_MAX: u32 = 4;

/// The values of parameters, where the binders are nothing else.
fn known_binders(setting: Setting<'_>, property: &Property, index: u64) -> Option<Env> {
    let types = &setting.model.types;
    let digits = digits(&property.binders, types, index);
    let known = |(binder, digit): (&Binder, u64)| match binder {
        Binder::Param { local, domain, .. } => Some((*local, domain.value(types, digit))),
        _ => None,
    };
    property.binders.iter().zip(digits).map(known).collect()
}

impl<'a> Cutter<'a> {
    fn new(setting: Setting<'a>, cells: u32) -> Cutter<'a> {
        Cutter {
            setting,
            cells,
            free: HashMap::new(),
            atoms: FxHashMap::default(),
            values: FxHashMap::default(),
            terms: HashMap::new(),
            kinds: FxHashMap::default(),
            triples: HashMap::new(),
            same: FxHashMap::default(),
            sign: Sign::default(),
            share: ALL,
        }
    }

    /// Cuts a condition that must hold (or, negated, must not) into pieces.
    fn cut(
        &mut self,
        property: u32,
        expr: ExprId,
        wanted: bool,
        env: &mut Env,
        each: &mut dyn FnMut(Piece) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let model = self.setting.model;
        match &model.expr(expr).kind {
            ExprKind::Not(inner) => return self.cut(property, *inner, !wanted, env, each),
            ExprKind::And(terms) if wanted => {
                return terms.iter().try_for_each(|&term| self.cut(property, term, true, env, each));
            }
            ExprKind::Or(terms) if !wanted => {
                return terms.iter().try_for_each(|&term| self.cut(property, term, false, env, each));
            }
            ExprKind::Quantified { all, local, domain: Domain::Type(ty), body } if *all == wanted => {
                let (first, count) = (model.types.first(*ty), model.types.count(*ty));
                let share = std::mem::replace(&mut self.share, ALL);
                let before = env.clone();
                env.retain(|(each, _)| each != local);
                env.push((*local, first));
                let place = env.len() - 1;
                for at in (share.number..count).step_by(share.of as usize) {
                    halted(self.setting.stop)?;
                    env[place].1 = first.wrapping_add_unsigned(at);
                    self.cut(property, *body, wanted, env, each)?;
                }
                *env = before;
                self.share = share;
                return Ok(());
            }
            _ => {}
        }
        let mut sign = std::mem::take(&mut self.sign);
        let known = self.sign(expr, wanted, env, &mut sign)?;
        if known && let Some((bad, banks)) = self.same.get(&sign.depends) {
            if !bad.is_false() {
                let parts = banks.iter().map(|&bank| sign.parts[bank as usize]).collect();
                each(Piece { property, parts, bad: bad.clone() })?;
            }
            self.sign = sign;
            return Ok(());
        }
        let form = self.form(expr, env);
        let mut parts = BTreeSet::new();
        collect(&form, &mut parts);
        let parts: Vec<u32> = parts.into_iter().collect();
        if parts.len() as u32 > self.setting.plan.banks {
            let why = format!("the property reads the local state of {} components at once", parts.len());
            return Err(Trouble::Halted(why));
        }
        let value = self.value(&form, &parts)?;
        let bad = if wanted { value.fails } else { value.holds }.or(&value.faults)?;
        if known {
            let bank = |part: &u32| sign.parts.binary_search(part).expect("a part of the terms") as u32;
            self.same.insert(sign.depends, (bad.clone(), parts.iter().map(bank).collect()));
        }
        if bad.is_false() { Ok(()) } else { each(Piece { property, parts, bad }) }
    }

    /// What a condition depends on: where this is the same, the condition is the same but for the components it reads,
    /// which are given in order. False where that cannot be told.
    fn sign(&mut self, expr: ExprId, wanted: bool, env: &Env, sign: &mut Sign) -> Result<bool, Trouble> {
        let terms = self.terms_of(expr);
        let Sign { depends, parts, of_terms } = sign;
        depends.clear();
        parts.clear();
        of_terms.clear();
        depends.push(expr.0 << 1 | u32::from(wanted));
        for term in terms.iter() {
            match term {
                Term::Equal(a, b) => match (self.known(*a, env), self.known(*b, env)) {
                    (Some(a), Some(b)) => depends.push(u32::from(a == b)),
                    _ => return Ok(false),
                },
                Term::Atom(expr, local) => {
                    let value = local.and_then(|local| env.iter().find(|(each, _)| *each == local));
                    let Some(kind) = self.kind(*expr, value.map_or(0, |(_, value)| *value), env)? else {
                        return Ok(false);
                    };
                    depends.push(kind.value);
                    of_terms.push(kind.part.unwrap_or(u32::MAX));
                    parts.extend(kind.part);
                }
            }
        }
        parts.sort_unstable();
        parts.dedup();
        let place = |part: &u32| parts.binary_search(part).map_or(u32::MAX, |at| at as u32);
        depends.extend(of_terms.iter().map(place));
        Ok(true)
    }

    /// An atom that reads one component at most, by the value of its bound variable.
    fn kind(&mut self, expr: ExprId, value: i64, env: &Env) -> Result<Option<Kind>, Trouble> {
        if let Some(known) = self.kinds.get(&(expr, value)) {
            return Ok(Some(*known));
        }
        let atom = self.atom(expr, env);
        if atom.parts.len() > 1 {
            return Ok(None);
        }
        let made = self.atom_value(&atom, &atom.parts)?;
        let triple = [made.holds, made.fails, made.faults];
        let next = self.triples.len() as u32;
        let number = *self.triples.entry(triple).or_insert(next);
        let kind = Kind { value: number, part: atom.parts.first().copied() };
        self.kinds.insert((expr, value), kind);
        Ok(Some(kind))
    }

    /// The terms of a condition: as `form` goes through it.
    fn terms_of(&mut self, expr: ExprId) -> Rc<Vec<Term>> {
        if let Some(known) = self.terms.get(&expr) {
            return known.clone();
        }
        let mut terms = Vec::new();
        self.add_terms(expr, &mut terms);
        let terms = Rc::new(terms);
        self.terms.insert(expr, terms.clone());
        terms
    }

    fn add_terms(&mut self, expr: ExprId, terms: &mut Vec<Term>) {
        let free = self.free(expr);
        if free.len() < 2 {
            terms.push(Term::Atom(expr, free.first().copied()));
            return;
        }
        match &self.setting.model.expr(expr).kind {
            ExprKind::Equal(a, b) | ExprKind::NotEqual(a, b) => terms.push(Term::Equal(*a, *b)),
            kind @ (ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Implies(..)) => {
                kind.children().into_iter().for_each(|child| self.add_terms(child, terms));
            }
            // Not known in advance: such a term never has two known values.
            _ => terms.push(Term::Equal(expr, expr)),
        }
    }

    /// An instance with aliases: evaluated as it stands.
    fn whole(&mut self, at: u32, property: &Property, index: u64) -> Result<Piece, Trouble> {
        let reads = crate::ir::footprint::expr_reads(self.setting.model, &property.binders, property.claim);
        let owners = reads.iter().filter_map(|slot| self.setting.parts.owner[slot as usize]);
        let parts: Vec<u32> = owners.collect::<BTreeSet<u32>>().into_iter().collect();
        if parts.len() as u32 > self.setting.plan.banks {
            let why = format!("the property reads the local state of {} components at once", parts.len());
            return Err(Trouble::Halted(why));
        }
        let banks: Vec<u32> = (0..parts.len() as u32).collect();
        let view = self.view(&parts, &banks);
        let (model, options) = (self.setting.model, self.setting.options);
        let place = (self.setting.space, &view);
        let value =
            predicate(model, options, place, &property.binders, property.frame.cells, index, property.claim)?;
        Ok(Piece { property: at, parts, bad: value.fails.or(&value.faults)? })
    }

    /// A condition over atoms. What depends on one bound variable at most is an atom, so that atoms are few; what
    /// depends on more is taken apart as far as it can be.
    fn form(&mut self, expr: ExprId, env: &Env) -> Form {
        let model = self.setting.model;
        if self.free(expr).len() > 1 {
            match &model.expr(expr).kind {
                ExprKind::Not(inner) => return Form::Not(Box::new(self.form(*inner, env))),
                ExprKind::And(terms) => return self.chain(true, terms, env),
                ExprKind::Or(terms) => return self.chain(false, terms, env),
                ExprKind::Implies(a, b) => return self.implication(*a, *b, env),
                ExprKind::Equal(a, b) => {
                    if let (Some(a), Some(b)) = (self.known(*a, env), self.known(*b, env)) {
                        return Form::Constant(a == b);
                    }
                }
                ExprKind::NotEqual(a, b) => {
                    if let (Some(a), Some(b)) = (self.known(*a, env), self.known(*b, env)) {
                        return Form::Constant(a != b);
                    }
                }
                _ => {}
            }
        }
        let atom = self.atom(expr, env);
        match constant(self, &atom) {
            Some(value) => Form::Constant(value),
            None => Form::Atom(atom),
        }
    }

    fn implication(&mut self, a: ExprId, b: ExprId, env: &Env) -> Form {
        match self.form(a, env) {
            Form::Constant(false) => Form::Constant(true),
            Form::Constant(true) => self.form(b, env),
            premise => match self.form(b, env) {
                Form::Constant(false) => Form::Not(Box::new(premise)),
                conclusion => Form::Chain(false, vec![Form::Not(Box::new(premise)), conclusion]),
            },
        }
    }

    /// The value of a bound variable or a constant.
    fn known(&self, expr: ExprId, env: &Env) -> Option<i64> {
        match &self.setting.model.expr(expr).kind {
            ExprKind::Const(value) => Some(*value),
            ExprKind::Read(place) if place.base == Base::Frame && place.indices.is_empty() => {
                let value = env.iter().find(|(local, _)| local.0 == place.offset);
                value.map(|(_, value)| *value)
            }
            _ => None,
        }
    }

    fn chain(&mut self, all: bool, terms: &[ExprId], env: &Env) -> Form {
        let mut forms = Vec::new();
        for &term in terms {
            match self.form(term, env) {
                // A constant that decides hides all behind it.
                Form::Constant(value) if value != all => {
                    forms.push(Form::Constant(value));
                    break;
                }
                Form::Constant(_) => {}
                form => forms.push(form),
            }
        }
        match forms.as_slice() {
            [Form::Constant(value)] => Form::Constant(*value),
            _ => Form::Chain(all, forms),
        }
    }

    fn atom(&mut self, expr: ExprId, env: &Env) -> Rc<Atom> {
        let free = self.free(expr);
        let known: Env = env.iter().copied().filter(|(local, _)| free.contains(local)).collect();
        let key = (expr, known.iter().map(|(_, value)| *value).collect::<Vec<i64>>());
        if let Some(atom) = self.atoms.get(&key) {
            return atom.clone();
        }
        let reads = known_reads(self.setting.model, &known, expr);
        let owners = reads.iter().filter_map(|slot| self.setting.parts.owner[slot as usize]);
        let parts: Vec<u32> = owners.collect::<BTreeSet<u32>>().into_iter().collect();
        let atom = Rc::new(Atom { expr, known, parts, key: self.atoms.len() });
        self.atoms.insert(key, atom.clone());
        atom
    }

    /// The cells of the frame that an expression reads.
    fn free(&mut self, expr: ExprId) -> Rc<Vec<Local>> {
        if let Some(known) = self.free.get(&expr) {
            return known.clone();
        }
        let model = self.setting.model;
        let mut found = BTreeSet::new();
        if let ExprKind::Read(place) | ExprKind::IsUndefined(place) = &model.expr(expr).kind {
            match place.base {
                Base::Frame => {
                    let cells = if place.indices.is_empty() {
                        model.types.cells(place.ty) as u32
                    } else {
                        self.cells
                    };
                    found.extend((place.offset..place.offset + cells).map(Local));
                }
                Base::Ref(local) => {
                    found.insert(local);
                }
                Base::State => {}
            }
        }
        for child in model.expr(expr).kind.children() {
            found.extend(self.free(child).iter().copied());
        }
        let found: Rc<Vec<Local>> = Rc::new(found.into_iter().collect());
        self.free.insert(expr, found.clone());
        found
    }

    fn view(&self, parts: &[u32], banks: &[u32]) -> View {
        let setting = &self.setting;
        let mut view =
            View { own: HashMap::new(), ..setting.plan.view(setting.model, &setting.parts.parts[0], 0) };
        for (&part, &bank) in parts.iter().zip(banks) {
            setting.plan.add_own(setting.model, &setting.parts.parts[part as usize], bank, &mut view);
        }
        view
    }

    fn atom_value(&mut self, atom: &Atom, parts: &[u32]) -> Result<Predicate, Trouble> {
        let bank =
            |part: &u32| parts.iter().position(|each| each == part).expect("a part of the piece") as u32;
        let banks: Vec<u32> = atom.parts.iter().map(bank).collect();
        if let Some(known) = self.values.get(&(atom.key, banks.clone())) {
            return Ok(known.clone());
        }
        let view = self.view(&atom.parts, &banks);
        let place = (self.setting.space, &view);
        let value =
            condition(self.setting.model, self.setting.options, place, self.cells, &atom.known, atom.expr)?;
        self.values.insert((atom.key, banks), value.clone());
        Ok(value)
    }

    fn value(&mut self, form: &Form, parts: &[u32]) -> Result<Predicate, Trouble> {
        let store = &self.setting.space.store;
        Ok(match form {
            Form::Constant(value) => Predicate {
                holds: store.constant(*value),
                fails: store.constant(!*value),
                faults: store.falsity(),
            },
            Form::Atom(atom) => self.atom_value(atom, parts)?,
            Form::Not(inner) => {
                let inner = self.value(inner, parts)?;
                Predicate { holds: inner.fails, fails: inner.holds, faults: inner.faults }
            }
            Form::Chain(all, forms) => {
                let (mut open, mut done, mut faults) = (store.truth(), store.falsity(), store.falsity());
                for form in forms {
                    let value = self.value(form, parts)?;
                    let (goes_on, stops) =
                        if *all { (value.holds, value.fails) } else { (value.fails, value.holds) };
                    faults = faults.or(&open.and(&value.faults)?)?;
                    done = done.or(&open.and(&stops)?)?;
                    open = open.and(&goes_on)?;
                }
                let (holds, fails) = if *all { (open, done) } else { (done, open) };
                Predicate { holds, fails, faults }
            }
        })
    }
}

/// The value of an atom that reads nothing.
fn constant(cutter: &mut Cutter<'_>, atom: &Rc<Atom>) -> Option<bool> {
    if !atom.parts.is_empty() {
        return None;
    }
    let value = cutter.atom_value(atom, &[]).ok()?;
    match () {
        _ if value.holds.is_true() => Some(true),
        _ if value.fails.is_true() => Some(false),
        _ => None,
    }
}

fn collect(form: &Form, parts: &mut BTreeSet<u32>) {
    match form {
        Form::Constant(_) => {}
        Form::Atom(atom) => parts.extend(atom.parts.iter().copied()),
        Form::Not(inner) => collect(inner, parts),
        Form::Chain(_, forms) => forms.iter().for_each(|form| collect(form, parts)),
    }
}
