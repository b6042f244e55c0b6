//! Expressions, evaluated once for all states of the path.
//!
//! Conditions are sets of states (`truth`), other simple values are cases, values that are not simple are the addresses
//! where they stand. Logical operators evaluate an operand only for the states that need it, as the evaluator does; the
//! others are held back meanwhile. States where evaluation fails leave the path and join the faults.

use super::Trouble;
use super::bdd::Bdd;
use super::execute::Run;
use super::place::{add, on_stack};
use super::space::Cases;
use crate::ir::eval::{Compat, arith};
use crate::ir::{ArithOp, CompareOp, Domain, ExprId, ExprKind, Span, TypeId, UNDEFINED};
use std::collections::BTreeMap;

impl<'m> Run<'m, '_> {
    /// The states of the path where a condition holds.
    pub(super) fn truth(&mut self, id: ExprId) -> Result<Bdd, Trouble> {
        let expr = self.model.expr(id);
        match &expr.kind {
            ExprKind::Const(value) => {
                Ok(if *value != 0 { self.path.clone() } else { self.space.store.falsity() })
            }
            ExprKind::Not(inner) => {
                let inner = self.truth(*inner)?;
                self.path.minus(&inner)
            }
            ExprKind::And(terms) => self.chain(true, terms.len(), |run, at| run.truth(terms[at])),
            ExprKind::Or(terms) => self.chain(false, terms.len(), |run, at| run.truth(terms[at])),
            ExprKind::Implies(a, b) => {
                let premise = self.truth(*a)?;
                let free = self.path.minus(&premise)?;
                self.path = premise;
                let conclusion = self.holding(&free, |run| run.truth(*b))?;
                self.path = self.path.or(&free)?;
                free.or(&conclusion)
            }
            ExprKind::Equal(a, b) => self.equal(*a, *b),
            ExprKind::NotEqual(a, b) => {
                let equal = self.equal(*a, *b)?;
                self.path.minus(&equal)
            }
            ExprKind::Quantified { all, local, domain, body } => {
                let mut lists = self.domain(domain, expr.span)?;
                if let [(values, _)] = &mut lists[..] {
                    let values = std::mem::take(values);
                    return self.chain(*all, values.len(), |run, at| {
                        run.quantified_body(*local, values[at], *body, expr.span)
                    });
                }
                let mut truth = self.space.store.falsity();
                self.each_part(lists, |run, values| {
                    let held = run.chain(*all, values.len(), |run, at| {
                        run.quantified_body(*local, values[at], *body, expr.span)
                    })?;
                    truth = truth.or(&held)?;
                    Ok(())
                })?;
                truth.and(&self.path)
            }
            _ => {
                let cases = self.eval(id)?;
                self.nonzero(&cases)
            }
        }
    }

    fn quantified_body(
        &mut self,
        local: crate::ir::Local,
        value: i64,
        body: ExprId,
        span: Span,
    ) -> Result<Bdd, Trouble> {
        self.count_step(span)?;
        let value = self.sure(value);
        self.set_local(local, value);
        let kept = self.stack.len();
        let held = self.truth(body);
        self.stack.truncate(kept);
        held
    }

    /// The states of the path where a value is not 0.
    pub(super) fn nonzero(&self, cases: &Cases) -> Result<Bdd, Trouble> {
        if let [(value, _)] = cases.as_slice() {
            return Ok(if *value != 0 { self.path.clone() } else { self.space.store.falsity() });
        }
        let mut found = self.space.store.falsity();
        for (value, guard) in cases {
            if *value != 0 {
                found = found.or(guard)?;
            }
        }
        found.and(&self.path)
    }

    /// Conditions one after the other, each for the states that none before has decided.
    fn chain(
        &mut self,
        all: bool,
        count: usize,
        mut each: impl FnMut(&mut Self, usize) -> Result<Bdd, Trouble>,
    ) -> Result<Bdd, Trouble> {
        let mut decided = self.space.store.falsity();
        for at in 0..count {
            if self.path.is_false() {
                break;
            }
            let truth = self.holding(&decided, |run| each(run, at))?;
            let falsity = self.path.minus(&truth)?;
            let (open, done) = if all { (truth, falsity) } else { (falsity, truth) };
            decided = decided.or(&done)?;
            self.path = open;
        }
        let open = self.path.clone();
        self.path = open.or(&decided)?;
        Ok(if all { open } else { decided })
    }

    /// The value of a simple-typed expression.
    pub(super) fn eval(&mut self, id: ExprId) -> Result<Cases, Trouble> {
        let expr = self.model.expr(id);
        match &expr.kind {
            ExprKind::Const(value) => Ok(self.sure(*value)),
            ExprKind::Undefined => Ok(self.sure(UNDEFINED)),
            ExprKind::Read(place) => self.read(place),
            ExprKind::Conditional { condition, then, otherwise } => {
                let mut found: BTreeMap<i64, Bdd> = BTreeMap::new();
                self.either(*condition, *then, *otherwise, |run, taken| {
                    for (value, guard) in run.eval(taken)? {
                        add(&mut found, value, guard.and(&run.path)?)?;
                    }
                    Ok(())
                })?;
                found.retain(|_, guard| !guard.is_false());
                Ok(found.into_iter().collect())
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.eval(*a)?, self.eval(*b)?);
                let op = *op;
                self.combine(&a, &b, expr.span, |a, b| Some(i64::from(compare(op, a, b))))
            }
            ExprKind::Arith(op, a, b) => {
                let (a, b) = (self.eval(*a)?, self.eval(*b)?);
                let (op, span) = (*op, expr.span);
                self.combine(&a, &b, span, |a, b| arith(op, a, b, span).ok())
            }
            ExprKind::Negate(inner) => {
                let (value, span) = (self.eval(*inner)?, expr.span);
                self.map(&value, |value| arith(ArithOp::Sub, 0, value, span).ok())
            }
            ExprKind::BitNot(inner) => {
                let value = self.eval(*inner)?;
                self.map(&value, |value| Some(!value).filter(|value| *value != UNDEFINED))
            }
            ExprKind::Convert(inner) => {
                let (from, to) = (self.model.expr(*inner).ty, expr.ty);
                let value = self.eval(*inner)?;
                let types = &self.model.types;
                self.map(&value, |value| types.convert(from, to, value))
            }
            ExprKind::IsMember { value, ty } => {
                let from = self.model.expr(*value).ty;
                let cases = self.eval(*value)?;
                let types = &self.model.types;
                self.map(&cases, |value| Some(i64::from(types.convert(from, *ty, value).is_some())))
            }
            ExprKind::IsUndefined(place) => {
                let addrs = self.address(place)?;
                let cases = self.load_at(&addrs, 0, place.span)?;
                self.map(&cases, |value| Some(i64::from(value == UNDEFINED)))
            }
            ExprKind::MultisetCount { local, set, predicate } => {
                self.multiset_count(*local, set, *predicate, expr.span)
            }
            ExprKind::Call { func, args } => self.call(*func, args, expr.span),
            _ => {
                let truth = self.truth(id)?;
                self.boolean(truth)
            }
        }
    }

    fn boolean(&mut self, truth: Bdd) -> Result<Cases, Trouble> {
        if truth == self.path {
            return Ok(self.sure(1));
        }
        if truth.is_false() {
            return Ok(self.sure(0));
        }
        let falsity = self.path.minus(&truth)?;
        Ok(vec![(0, falsity), (1, truth)])
    }

    /// Does one of two things, each for its states.
    fn either(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        mut take: impl FnMut(&mut Self, ExprId) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let truth = self.truth(condition)?;
        let falsity = self.path.minus(&truth)?;
        let mut done = self.space.store.falsity();
        for (path, other, taken) in [(truth.clone(), &falsity, then), (falsity.clone(), &truth, otherwise)] {
            if !path.is_false() {
                self.path = path;
                self.holding(other, |run| take(run, taken))?;
                done = done.or(&self.path)?;
            }
        }
        self.path = done;
        Ok(())
    }

    fn equal(&mut self, a: ExprId, b: ExprId) -> Result<Bdd, Trouble> {
        let (ty, span) = (self.model.expr(a).ty, self.model.expr(a).span);
        if self.model.types.is_simple(ty) {
            let (a, b) = (self.eval(a)?, self.eval(b)?);
            return self.same(&a, &b);
        }
        let (a, b) = (self.locate(a)?, self.locate(b)?);
        if self.model.types.has_multiset(ty) {
            return self.equal_in_order(ty, &a, &b, span);
        }
        let mut equal = self.path.clone();
        for cell in 0..self.model.types.cells(ty) as i64 {
            let (left, right) = (self.load_at(&a, cell, span)?, self.load_at(&b, cell, span)?);
            equal = equal.and(&self.same(&left, &right)?)?;
        }
        equal.and(&self.path)
    }

    /// The states of the path where two values are the same.
    pub(super) fn same(&mut self, a: &Cases, b: &Cases) -> Result<Bdd, Trouble> {
        let (a, b) = (self.within(a, &self.path)?, self.within(b, &self.path)?);
        let mut found = self.space.store.falsity();
        for (value, guard) in &a {
            if let Some((_, other)) = b.iter().find(|(each, _)| each == value) {
                found = found.or(&guard.and(other)?)?;
            }
        }
        found.and(&self.path)
    }

    /// Where the value of an expression that is not simple stands.
    pub(super) fn locate(&mut self, id: ExprId) -> Result<Cases, Trouble> {
        let expr = self.model.expr(id);
        match &expr.kind {
            ExprKind::Read(place) => self.address(place),
            ExprKind::Conditional { condition, then, otherwise } => {
                let mut found: BTreeMap<i64, Bdd> = BTreeMap::new();
                self.either(*condition, *then, *otherwise, |run, taken| {
                    for (addr, guard) in run.locate(taken)? {
                        add(&mut found, addr, guard.and(&run.path)?)?;
                    }
                    Ok(())
                })?;
                found.retain(|_, guard| !guard.is_false());
                Ok(found.into_iter().collect())
            }
            ExprKind::Call { func, args } => self.call_at(*func, args, expr.span),
            _ => {
                let at = self.reserve(expr.ty);
                Ok(self.sure(at))
            }
        }
    }

    /// Fresh cells on the stack for a value of the type.
    pub(super) fn reserve(&mut self, ty: TypeId) -> i64 {
        let at = self.stack.len();
        let count = self.model.types.cells(ty) as usize;
        let undefined = self.sure(UNDEFINED);
        self.stack.resize(at + count, undefined);
        on_stack(at)
    }

    /// The values of a domain in order, for each set of states that see the same.
    pub(super) fn domain(&mut self, domain: &Domain, span: Span) -> Result<Vec<(Vec<i64>, Bdd)>, Trouble> {
        let (from, to, by) = match domain {
            Domain::Type(ty) => {
                let (first, count) = (self.model.types.first(*ty), self.model.types.count(*ty));
                let count = i64::try_from(count).unwrap_or(i64::MAX).min(self.steps_left() as i64 + 1);
                return Ok(vec![((0..count).map(|at| first + at).collect(), self.path.clone())]);
            }
            Domain::Steps { from, to, by } => (*from, *to, *by),
        };
        let (low, high) = (self.eval(from)?, self.eval(to)?);
        let step = match by {
            Some(by) => self.eval(by)?,
            None => self.sure(1),
        };
        let rumur = by.is_none() && self.options.compat == Compat::Rumur;
        let mut lists = Vec::new();
        let mut wrong = self.space.store.falsity();
        for (low, guard_low) in &low {
            for (high, guard_high) in &high {
                for (step, guard_step) in &step {
                    let here = guard_low.and(guard_high)?.and(guard_step)?.and(&self.path)?;
                    if here.is_false() {
                        continue;
                    }
                    let step = if rumur && low > high { -1 } else { *step };
                    let wrong_way = by.is_some() && ((step > 0 && low > high) || (step < 0 && low < high));
                    if step == 0 || wrong_way {
                        wrong = wrong.or(&here)?;
                        continue;
                    }
                    lists.push((self.stepped(*low, *high, step), here));
                }
            }
        }
        self.fail(&wrong)?;
        if lists.is_empty() {
            lists.push((Vec::new(), self.path.clone()));
        }
        let _ = span;
        Ok(lists)
    }

    fn stepped(&self, low: i64, high: i64, step: i64) -> Vec<i64> {
        let mut values = Vec::new();
        let mut next = Some(low);
        while let Some(value) = next.filter(|v| if step > 0 { *v <= high } else { *v >= high }) {
            values.push(value);
            if values.len() as u64 > self.steps_left() {
                break;
            }
            next = value.checked_add(step);
        }
        values
    }

    /// Goes through parts of the path one by one.
    pub(super) fn each_part<T>(
        &mut self,
        parts: Vec<(T, Bdd)>,
        mut each: impl FnMut(&mut Self, &T) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let mut open = self.path.clone();
        let mut done = self.space.store.falsity();
        for (part, here) in &parts {
            let path = here.and(&open)?;
            open = open.minus(&path)?;
            if path.is_false() {
                continue;
            }
            self.path = path;
            let others = open.or(&done)?;
            self.holding(&others, |run| each(run, part))?;
            done = done.or(&self.path)?;
        }
        self.path = done.or(&open)?;
        Ok(())
    }
}

fn compare(op: CompareOp, a: i64, b: i64) -> bool {
    match op {
        CompareOp::Less => a < b,
        CompareOp::LessEq => a <= b,
        CompareOp::Greater => a > b,
        CompareOp::GreaterEq => a >= b,
    }
}
