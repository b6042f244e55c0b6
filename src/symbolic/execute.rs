//! A rule, start state or predicate run once for all states: statements, calls, and where runs end.
//!
//! In: a model, a view of its slots, an instance. The run follows all branches, each with the set of states that take
//! it: the path. Out: what the written slots hold at the end, for the states that come to the end; the states that
//! fail, those that an `assume` rules out, and those where a `cover` is passed.
//!
//! Invariant: the path, the faults, the assumed and the states held back exclude each other; states held back are those
//! in other branches and those that have returned. It ends because every loop ends for each state, or its states reach
//! the evaluator's limit; a run that takes too many steps is refused. Cost: one walk over the text a branch, loops
//! unrolled; operations on diagrams of the slots it touches alone.

use std::collections::{BTreeSet, HashMap};

use super::Trouble;
use super::bdd::Bdd;
use super::place::{on_stack, plus};
use super::space::{Cases, Space, View};
use crate::ir::eval::{Compat, Options};
use crate::ir::expr::Arg;
use crate::ir::model::digits;
use crate::ir::{
    Alias, Binder, ExprId, ExprKind, Func, FuncId, Local, Model, Passing, Place, Span, Stmt, StmtKind, Type,
    TypeId, UNDEFINED,
};

/// Loop iterations and calls of one run.
const STEPS_MAX: u64 = 50_000;
const CALLS_MAX: usize = 100;
/// Iterations of one `while` loop: beyond, it is taken for one that need not end.
const WHILE_MAX: u64 = 64;

/// A call that runs: who has returned, with what.
struct Call {
    returned: Bdd,
    result: Cases,
    /// Where a result that is not simple goes.
    at: i64,
}

pub struct Run<'m, 's> {
    pub model: &'m Model,
    pub options: Options,
    pub space: &'s Space,
    pub view: &'s View,
    /// The states that are here now.
    pub path: Bdd,
    held: Vec<Bdd>,
    pub state: HashMap<u32, Cases>,
    pub written: BTreeSet<u32>,
    pub(super) stack: Vec<Cases>,
    pub(super) frame: usize,
    calls: Vec<Call>,
    pub fault: Bdd,
    pub assumed: Bdd,
    pub covered: Vec<(u32, Bdd)>,
    steps: u64,
}

impl<'m, 's> Run<'m, 's> {
    pub fn new(model: &'m Model, options: Options, space: &'s Space, view: &'s View) -> Run<'m, 's> {
        let store = &space.store;
        Run {
            model,
            options,
            space,
            view,
            path: store.truth(),
            held: Vec::new(),
            state: HashMap::new(),
            written: BTreeSet::new(),
            stack: Vec::new(),
            frame: 0,
            calls: Vec::new(),
            fault: store.falsity(),
            assumed: store.falsity(),
            covered: Vec::new(),
            steps: 0,
        }
    }

    /// Binds the names of one instance in a fresh frame.
    pub fn enter(&mut self, binders: &'m [Binder], cells: u32, index: u64) -> Result<(), Trouble> {
        let undefined = self.sure(UNDEFINED);
        self.stack = vec![undefined; cells as usize];
        for (binder, digit) in binders.iter().zip(digits(binders, &self.model.types, index)) {
            match binder {
                Binder::Param { local, domain, .. } => {
                    let value = self.sure(domain.value(&self.model.types, digit));
                    self.set_local(*local, value);
                }
                Binder::Choose { .. } => self.choose(binder, digit)?,
                _ => self.bind_alias(binder)?,
            }
        }
        Ok(())
    }

    pub fn bind_aliases(&mut self, binders: &'m [Binder]) -> Result<(), Trouble> {
        binders.iter().try_for_each(|binder| self.bind_alias(binder))
    }

    fn bind_alias(&mut self, binder: &'m Binder) -> Result<(), Trouble> {
        match binder {
            Binder::AliasPlace { local, place, .. } => {
                let addr = self.address(place)?;
                self.set_local(*local, addr);
            }
            Binder::AliasValue { local, value, .. } => self.bind_value(*local, *value)?,
            _ => {}
        }
        Ok(())
    }

    fn bind_value(&mut self, local: Local, value: ExprId) -> Result<(), Trouble> {
        let simple = self.model.types.is_simple(self.model.expr(value).ty);
        let cases = if simple { self.eval(value)? } else { self.locate(value)? };
        self.set_local(local, cases);
        Ok(())
    }

    /// Evaluates a condition: the states where it holds.
    pub fn condition(&mut self, expr: ExprId) -> Result<Bdd, Trouble> {
        self.truth(expr)
    }

    /// Runs a rule's body to its end.
    pub fn body(&mut self, block: &'m [Stmt]) -> Result<(), Trouble> {
        let store = &self.space.store;
        self.calls.push(Call { returned: store.falsity(), result: Vec::new(), at: 0 });
        self.block(block)?;
        let call = self.calls.pop().expect("the body's own");
        self.path = self.path.or(&call.returned)?;
        Ok(())
    }

    /// States of the path fail.
    pub(super) fn fail(&mut self, states: &Bdd) -> Result<(), Trouble> {
        if states.is_false() {
            return Ok(());
        }
        let failing = states.and(&self.path)?;
        self.fault = self.fault.or(&failing)?;
        self.path = self.path.minus(&failing)?;
        Ok(())
    }

    pub(super) fn fail_all(&mut self) -> Result<(), Trouble> {
        let path = self.path.clone();
        self.fail(&path)
    }

    /// Does something while some states wait.
    pub(super) fn holding<T>(
        &mut self,
        states: &Bdd,
        run: impl FnOnce(&mut Self) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        self.held.push(states.clone());
        let done = run(self);
        self.held.pop();
        done
    }

    /// All states that wait.
    pub(super) fn held_back(&self) -> Result<Bdd, Trouble> {
        let mut all = self.space.store.falsity();
        for each in self.held.iter().chain(self.calls.iter().map(|call| &call.returned)) {
            if !each.is_false() {
                all = all.or(each)?;
            }
        }
        Ok(all)
    }

    pub(super) fn count_step(&mut self, span: Span) -> Result<(), Trouble> {
        self.steps += 1;
        if self.steps > STEPS_MAX {
            let why = format!("one run takes more than {STEPS_MAX} iterations and calls");
            return Err(Trouble::refused(span, why));
        }
        Ok(())
    }

    pub(super) fn steps_left(&self) -> u64 {
        STEPS_MAX.saturating_sub(self.steps)
    }

    pub(super) fn copies_undefined(&self) -> bool {
        match self.options.compat {
            Compat::Strict => self.model.cmurphi_only,
            Compat::Cmurphi => true,
            Compat::Rumur => false,
        }
    }

    fn block(&mut self, stmts: &'m [Stmt]) -> Result<(), Trouble> {
        for stmt in stmts {
            if self.path.is_false() {
                break;
            }
            let kept = self.stack.len();
            self.stmt(stmt)?;
            self.stack.truncate(kept);
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &'m Stmt) -> Result<(), Trouble> {
        match &stmt.kind {
            StmtKind::If { branches, otherwise } => self.branch(branches, otherwise),
            StmtKind::Switch { subject, cases, otherwise } => self.switch(*subject, cases, otherwise),
            StmtKind::For { local, domain, body } => {
                let lists = self.domain(domain, stmt.span)?;
                self.each_part(lists, |run, values| {
                    for &value in values {
                        run.count_step(stmt.span)?;
                        let value = run.sure(value);
                        run.set_local(*local, value);
                        run.block(body)?;
                    }
                    Ok(())
                })
            }
            StmtKind::While { condition, body } => self.while_loop(*condition, body, stmt.span),
            StmtKind::Alias { local, target, body } => {
                match target {
                    Alias::Place(place) => {
                        let addr = self.address(place)?;
                        self.set_local(*local, addr);
                    }
                    Alias::Value(value) => self.bind_value(*local, *value)?,
                }
                self.block(body)
            }
            StmtKind::Return(expr) => self.leave(*expr),
            StmtKind::Assign { to, from } => self.assign(to, *from, stmt.span),
            StmtKind::Clear(place) => {
                let addrs = self.address(place)?;
                self.clear(place.ty, &addrs, 0, stmt.span)
            }
            StmtKind::Undefine(place) => {
                let addrs = self.address(place)?;
                let undefined = self.sure(UNDEFINED);
                let cells = self.model.types.cells(place.ty) as i64;
                (0..cells).try_for_each(|cell| self.store_at(&addrs, cell, &undefined, stmt.span))
            }
            StmtKind::PutText(_) => Ok(()),
            StmtKind::PutExpr(expr) => self.put(*expr),
            StmtKind::Error(_) => self.fail_all(),
            StmtKind::Assert { condition, .. } => {
                let truth = self.truth(*condition)?;
                let wrong = self.path.minus(&truth)?;
                self.fail(&wrong)
            }
            StmtKind::Assume { condition } => {
                let truth = self.truth(*condition)?;
                self.assumed = self.assumed.or(&self.path.minus(&truth)?)?;
                self.path = truth;
                Ok(())
            }
            StmtKind::Cover { cover, condition } => {
                let truth = self.truth(*condition)?;
                self.covered.push((*cover, truth));
                Ok(())
            }
            StmtKind::Call { func, args } => self.call(*func, args, stmt.span).map(|_| ()),
            StmtKind::MultisetAdd { element, set } => self.multiset_add(*element, set, stmt.span),
            StmtKind::MultisetRemove { position, set } => self.multiset_remove(*position, set, stmt.span),
            StmtKind::MultisetRemovePred { local, set, predicate } => {
                self.multiset_remove_pred(*local, set, *predicate, stmt.span)
            }
        }
    }

    fn branch(&mut self, branches: &'m [(ExprId, Vec<Stmt>)], otherwise: &'m [Stmt]) -> Result<(), Trouble> {
        let mut done = self.space.store.falsity();
        for (condition, body) in branches {
            let truth = self.holding(&done, |run| run.truth(*condition))?;
            let rest = self.path.minus(&truth)?;
            if !truth.is_false() {
                self.path = truth;
                let waiting = rest.or(&done)?;
                self.holding(&waiting, |run| run.block(body))?;
                done = done.or(&self.path)?;
            }
            self.path = rest;
            if self.path.is_false() {
                break;
            }
        }
        self.holding(&done, |run| run.block(otherwise))?;
        self.path = self.path.or(&done)?;
        Ok(())
    }

    fn switch(
        &mut self,
        subject: ExprId,
        cases: &'m [(Vec<ExprId>, Vec<Stmt>)],
        otherwise: &'m [Stmt],
    ) -> Result<(), Trouble> {
        let value = self.eval(subject)?;
        let mut done = self.space.store.falsity();
        for (candidates, body) in cases {
            let mut matched = self.space.store.falsity();
            for &candidate in candidates {
                if self.path.is_false() {
                    break;
                }
                let waiting = done.or(&matched)?;
                let other = self.holding(&waiting, |run| run.eval(candidate))?;
                let same = self.same(&value, &other)?;
                matched = matched.or(&same)?;
                self.path = self.path.minus(&same)?;
            }
            let rest = std::mem::replace(&mut self.path, matched);
            let waiting = rest.or(&done)?;
            self.holding(&waiting, |run| run.block(body))?;
            done = done.or(&self.path)?;
            self.path = rest;
        }
        self.holding(&done, |run| run.block(otherwise))?;
        self.path = self.path.or(&done)?;
        Ok(())
    }

    fn while_loop(&mut self, condition: ExprId, body: &'m [Stmt], span: Span) -> Result<(), Trouble> {
        let limit = if self.options.compat == Compat::Rumur { u64::MAX } else { self.options.loop_max };
        let mut done = self.space.store.falsity();
        let kept = self.stack.len();
        let mut rounds = 0;
        loop {
            let truth = self.holding(&done, |run| run.truth(condition))?;
            self.stack.truncate(kept);
            done = done.or(&self.path.minus(&truth)?)?;
            self.path = truth;
            if self.path.is_false() {
                break;
            }
            self.count_step(span)?;
            rounds += 1;
            if rounds > limit {
                self.fail_all()?;
                break;
            }
            if rounds > WHILE_MAX {
                let why = format!("the loop takes more than {WHILE_MAX} iterations for some states");
                return Err(Trouble::refused(span, why));
            }
            self.holding(&done, |run| run.block(body))?;
        }
        self.path = done;
        Ok(())
    }

    fn assign(&mut self, to: &'m Place, from: ExprId, span: Span) -> Result<(), Trouble> {
        if self.model.types.is_simple(to.ty) {
            let value = self.value_or_undefined(from, self.copies_undefined())?;
            let addrs = self.address(to)?;
            let value = self.check_range(to.ty, value)?;
            return self.store_at(&addrs, 0, &value, span);
        }
        let source = self.locate(from)?;
        let addrs = self.address(to)?;
        self.copy(&source, &addrs, self.model.types.cells(to.ty) as i64, span)
    }

    /// Copies cells; source and target may overlap.
    pub(super) fn copy(&mut self, from: &Cases, to: &Cases, cells: i64, span: Span) -> Result<(), Trouble> {
        let values: Vec<Cases> =
            (0..cells).map(|cell| self.load_at(from, cell, span)).collect::<Result<_, _>>()?;
        for (cell, value) in values.iter().enumerate() {
            self.store_at(to, cell as i64, value, span)?;
        }
        Ok(())
    }

    pub(super) fn value_or_undefined(&mut self, expr: ExprId, lenient: bool) -> Result<Cases, Trouble> {
        match &self.model.expr(expr).kind {
            ExprKind::Read(place) if lenient => {
                let addrs = self.address(place)?;
                self.load_at(&addrs, 0, place.span)
            }
            _ => self.eval(expr),
        }
    }

    fn put(&mut self, expr: ExprId) -> Result<(), Trouble> {
        match &self.model.expr(expr).kind {
            ExprKind::Read(place) => self.address(place).map(|_| ()),
            _ if self.model.types.is_simple(self.model.expr(expr).ty) => self.eval(expr).map(|_| ()),
            _ => self.locate(expr).map(|_| ()),
        }
    }

    /// Sets every leaf to its least value, and empties multisets.
    fn clear(&mut self, ty: TypeId, addrs: &Cases, offset: i64, span: Span) -> Result<(), Trouble> {
        let types = &self.model.types;
        if types.cells(ty) == 0 {
            return Ok(());
        }
        match types.get(ty) {
            Type::Record { fields } => fields
                .iter()
                .try_for_each(|field| self.clear(field.ty, addrs, offset + i64::from(field.offset), span)),
            Type::Array { index, elem } => {
                let stride = types.cells(*elem) as i64;
                (0..types.count(*index) as i64)
                    .try_for_each(|at| self.clear(*elem, addrs, offset + at * stride, span))
            }
            Type::Multiset { .. } => {
                let undefined = self.sure(UNDEFINED);
                let cells = offset..offset + types.cells(ty) as i64;
                cells.into_iter().try_for_each(|cell| self.store_at(addrs, cell, &undefined, span))
            }
            _ => {
                let least = if types.count(ty) == 0 { UNDEFINED } else { types.first(ty) };
                let least = self.sure(least);
                self.store_at(addrs, offset, &least, span)
            }
        }
    }

    fn leave(&mut self, expr: Option<ExprId>) -> Result<(), Trouble> {
        let mut value = self.sure(0);
        if let Some(expr) = expr {
            let node = self.model.expr(expr);
            if self.model.types.is_simple(node.ty) {
                value = self.eval(expr)?;
                let returns = self.calls.last().map(|_| node.ty);
                debug_assert!(returns.is_some());
            } else {
                let from = self.locate(expr)?;
                let to = self.sure(self.calls.last().expect("a return stands in a body").at);
                self.copy(&from, &to, self.model.types.cells(node.ty) as i64, node.span)?;
            }
        }
        let path = std::mem::replace(&mut self.path, self.space.store.falsity());
        let call = self.calls.last_mut().expect("a return stands in a body");
        let mut merged = std::collections::BTreeMap::new();
        for (value, guard) in call.result.drain(..) {
            super::place::add(&mut merged, value, guard)?;
        }
        for (value, guard) in &value {
            super::place::add(&mut merged, *value, guard.and(&path)?)?;
        }
        call.result = merged.into_iter().collect();
        call.returned = call.returned.or(&path)?;
        Ok(())
    }

    /// Calls for a simple result.
    pub(super) fn call(&mut self, id: FuncId, args: &'m [Arg], span: Span) -> Result<Cases, Trouble> {
        let kept = self.stack.len();
        let func = self.model.func(id);
        if func.returns.is_some_and(|ty| !self.model.types.is_simple(ty)) {
            self.call_at(id, args, span)?;
            self.stack.truncate(kept);
            return Ok(self.sure(0));
        }
        let passed = self.pass(func, args)?;
        let value = self.run_body(func, passed, 0, span)?;
        self.stack.truncate(kept);
        Ok(value)
    }

    /// Calls for a result that is not simple; it stays on the stack.
    pub(super) fn call_at(&mut self, id: FuncId, args: &'m [Arg], span: Span) -> Result<Cases, Trouble> {
        let func = self.model.func(id);
        let at = match func.returns {
            Some(ty) => self.reserve(ty),
            None => on_stack(self.stack.len()),
        };
        let kept = self.stack.len();
        let passed = self.pass(func, args)?;
        self.run_body(func, passed, at, span)?;
        self.stack.truncate(kept);
        Ok(self.sure(at))
    }

    /// Arguments worked out: values, or (true) addresses.
    fn pass(&mut self, func: &'m Func, args: &'m [Arg]) -> Result<Vec<(Cases, bool)>, Trouble> {
        let mut passed = Vec::with_capacity(args.len());
        for (param, arg) in func.params.iter().zip(args) {
            passed.push(match arg {
                Arg::Ref(place) => (self.address(place)?, true),
                Arg::Value(expr) if !self.model.types.is_simple(param.ty) => (self.locate(*expr)?, true),
                Arg::Value(expr) => {
                    let same = self.model.expr(*expr).ty == param.ty && self.copies_undefined();
                    let lenient = same || self.options.compat == Compat::Rumur;
                    let value = self.value_or_undefined(*expr, lenient)?;
                    (self.check_range(param.ty, value)?, false)
                }
            });
        }
        Ok(passed)
    }

    fn run_body(
        &mut self,
        func: &'m Func,
        passed: Vec<(Cases, bool)>,
        at: i64,
        span: Span,
    ) -> Result<Cases, Trouble> {
        self.count_step(span)?;
        if self.calls.len() >= CALLS_MAX {
            let why = format!("{} calls itself more than {CALLS_MAX} deep for some states", func.name);
            return Err(Trouble::refused(span, why));
        }
        let (outer, frame) = (self.frame, self.stack.len());
        let undefined = self.sure(UNDEFINED);
        self.stack.resize(frame + func.frame.cells as usize, undefined);
        for (param, (cases, address)) in func.params.iter().zip(passed) {
            let to = frame + param.local.0 as usize;
            if !address || param.passing == Passing::Ref {
                self.stack[to] = cases;
                continue;
            }
            for cell in 0..self.model.types.cells(param.ty) as i64 {
                let value = self.load_at(&cases, cell, span)?;
                let addr = plus(on_stack(to), cell);
                self.stack[(-1 - addr) as usize] = value;
            }
        }
        self.frame = frame;
        let falsity = self.space.store.falsity();
        self.calls.push(Call { returned: falsity, result: Vec::new(), at });
        if !self.path.is_false() {
            self.block(&func.body)?;
        }
        self.frame = outer;
        if func.returns.is_some() {
            self.fail_all()?;
        }
        let call = self.calls.pop().expect("this call's own");
        self.path = self.path.or(&call.returned)?;
        let Some(ty) = func.returns.filter(|ty| self.model.types.is_simple(*ty)) else {
            return Ok(self.sure(0));
        };
        if self.options.compat == Compat::Rumur {
            return Ok(call.result);
        }
        self.check_range(ty, call.result)
    }
}
