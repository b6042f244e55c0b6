//! Statements. Each says whether control goes on behind it.

use super::emit::{Emit, Emitter, Refusal};
use super::frame::each_child;
use super::value::Val;
use crate::ir::{Alias, Domain, ExprId, ExprKind, Local, Place, Stmt, StmtKind};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Value};

/// How far from the limit on iterations and calls the evaluator takes over: more than any code without loops does.
const STEPS_SLACK: u64 = 200_000;
/// Estimated instructions up to which assignments under a condition are worked out without branches, and the cells
/// that one of them may write.
const FLAT_COST_MAX: u64 = 60;
const FLAT_CELLS_MAX: u64 = 4;

impl<'m> Emitter<'_, '_, 'm> {
    /// Writes statements; false where control never comes behind them.
    pub fn statements(&mut self, stmts: &'m [Stmt]) -> Emit<bool> {
        for stmt in stmts {
            self.deeper()?;
            let goes_on = self.statement(stmt)?;
            self.depth -= 1;
            if !goes_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn statement(&mut self, stmt: &'m Stmt) -> Emit<bool> {
        match &stmt.kind {
            StmtKind::If { branches, otherwise } => self.if_statement(branches, otherwise),
            StmtKind::Switch { subject, cases, otherwise } => self.switch(*subject, cases, otherwise),
            StmtKind::For { local, domain, body } => self.for_loop(*local, domain, body),
            StmtKind::While { condition, body } => self.while_loop(*condition, body),
            StmtKind::Alias { local, target, body } => {
                self.alias(*local, target)?;
                self.statements(body)
            }
            StmtKind::Return(expr) => self.leave(*expr).map(|()| false),
            StmtKind::Error(_) => {
                self.goto(self.exits.ask);
                Ok(false)
            }
            _ => self.simple(stmt).map(|()| true),
        }
    }

    fn simple(&mut self, stmt: &'m Stmt) -> Emit<()> {
        match &stmt.kind {
            StmtKind::Assign { to, from } => self.assign(to, *from)?,
            StmtKind::Clear(place) => {
                let spot = self.spot(place)?;
                self.clear(spot, place.ty)?;
            }
            StmtKind::Undefine(place) => {
                let spot = self.spot(place)?;
                self.undefine(spot, place.ty)?;
            }
            StmtKind::PutExpr(expr) => self.put(*expr)?,
            StmtKind::Assert { condition, .. } => {
                let holds = self.condition(*condition)?;
                let fails = self.flip(holds);
                self.fault_if(fails);
            }
            StmtKind::Assume { condition } => {
                let holds = self.condition(*condition)?;
                self.settle();
                let next = self.block();
                self.branch(holds, next, self.exits.assumed);
                self.at(next);
            }
            StmtKind::Cover { cover, condition } => {
                let holds = self.condition(*condition)?;
                self.settle();
                let flags = super::emit::trusted();
                let at = self.int(self.plan.covered[*cover as usize].as_ptr() as i64);
                let old = self.builder.ins().load(I8, flags, at, 0);
                let new = self.builder.ins().bor(old, holds);
                self.builder.ins().store(flags, new, at, 0);
            }
            StmtKind::Call { func, args } => {
                self.call(*func, args)?;
            }
            StmtKind::MultisetAdd { element, set } => self.multiset_add(*element, set)?,
            StmtKind::MultisetRemove { position, set } => self.multiset_remove(*position, set)?,
            StmtKind::MultisetRemovePred { local, set, predicate } => {
                self.multiset_remove_pred(*local, set, *predicate)?;
            }
            _ => {}
        }
        self.settle();
        Ok(())
    }

    fn assign(&mut self, to: &'m Place, from: ExprId) -> Emit<()> {
        if !self.types().is_simple(to.ty) {
            let source = self.locate(from)?;
            let target = self.spot(to)?;
            return self.copy(source, target, to.ty);
        }
        if let ExprKind::Undefined = self.model.expr(from).kind {
            let spot = self.spot(to)?;
            return self.undefine(spot, to.ty);
        }
        let val = self.expr(from)?;
        let spot = self.spot(to)?;
        let val = self.check_range(to.ty, val);
        self.settle_for_good();
        let code = self.code_of(val, to.ty);
        self.store(spot, to.ty, code)
    }

    /// Printing is not part of the semantics: the expression is worked out for its faults, variables are not.
    fn put(&mut self, expr: ExprId) -> Emit<()> {
        let node = self.model.expr(expr);
        match &node.kind {
            ExprKind::Read(place) => self.spot(place).map(|_| ()),
            _ if self.types().is_simple(node.ty) => self.expr(expr).map(|_| ()),
            _ => self.locate(expr).map(|_| ()),
        }
    }

    fn alias(&mut self, local: Local, target: &'m Alias) -> Emit<()> {
        match target {
            Alias::Place(place) => {
                let spot = self.spot(place)?;
                self.settle();
                self.bind_place(local, spot);
            }
            Alias::Value(value) => self.bind_value(local, *value)?,
        }
        Ok(())
    }

    pub fn bind_value(&mut self, local: Local, value: ExprId) -> Emit<()> {
        if self.types().is_simple(self.model.expr(value).ty) {
            let val = self.expr(value)?;
            self.settle();
            return self.bind(local, val);
        }
        let spot = self.locate(value)?;
        self.settle();
        self.bind_place(local, spot);
        Ok(())
    }

    /// Whether statements are few assignments: they are worked out whether or not control gets there, and count only
    /// where it does. That costs less than a branch that cannot be foreseen.
    fn flat(&self, stmts: &[Stmt]) -> bool {
        let cheap = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign { to, from } => {
                let whole = matches!(self.model.expr(*from).kind, ExprKind::Read(_) | ExprKind::Undefined);
                self.types().cells(to.ty) <= FLAT_CELLS_MAX
                    && (whole || self.types().is_simple(to.ty))
                    && !self.calls(*from)
                    && !to.indices.iter().any(|index| self.calls(index.expr))
            }
            _ => false,
        };
        stmts.iter().all(cheap) && self.block_cost(stmts) <= FLAT_COST_MAX
    }

    fn calls(&self, id: ExprId) -> bool {
        let mut found = matches!(self.model.expr(id).kind, ExprKind::Call { .. });
        each_child(self.model, id, &mut |child| found |= self.calls(child));
        found
    }

    /// Assignments under a condition, without branches.
    fn flat_if(&mut self, flag: Value, then: &'m [Stmt], otherwise: &'m [Stmt]) -> Emit<()> {
        for (wanted, stmts) in [(true, then), (false, otherwise)] {
            if !stmts.is_empty() {
                self.active = Some(if wanted { flag } else { self.flip(flag) });
                for stmt in stmts {
                    if let StmtKind::Assign { to, from } = &stmt.kind {
                        self.assign(to, *from)?;
                    }
                }
                self.active = None;
            }
        }
        self.settle();
        Ok(())
    }

    fn if_statement(&mut self, branches: &'m [(ExprId, Vec<Stmt>)], otherwise: &'m [Stmt]) -> Emit<bool> {
        let join = self.block();
        let mut goes_on = false;
        for (condition, body) in branches {
            let val = self.expr(*condition)?;
            match val.known() {
                Some(0) => continue,
                Some(_) => {
                    self.settle();
                    goes_on |= self.arm(body, join)?;
                    return self.joined(join, goes_on);
                }
                None => {}
            }
            let flag = self.flag_of(val);
            self.settle();
            if branches.len() == 1 && self.flat(body) && self.flat(otherwise) {
                return self.flat_if(flag, body, otherwise).map(|()| true);
            }
            let (then, next) = (self.block(), self.block());
            self.branch(flag, then, next);
            self.at(then);
            goes_on |= self.arm(body, join)?;
            self.at(next);
        }
        self.settle();
        goes_on |= self.arm(otherwise, join)?;
        self.joined(join, goes_on)
    }

    /// One alternative, which goes on at `join`.
    fn arm(&mut self, body: &'m [Stmt], join: Block) -> Emit<bool> {
        let goes_on = self.statements(body)?;
        if goes_on {
            self.goto(join);
        }
        Ok(goes_on)
    }

    fn joined(&mut self, join: Block, goes_on: bool) -> Emit<bool> {
        if goes_on {
            self.at(join);
        }
        Ok(goes_on)
    }

    fn switch(
        &mut self,
        subject: ExprId,
        cases: &'m [(Vec<ExprId>, Vec<Stmt>)],
        otherwise: &'m [Stmt],
    ) -> Emit<bool> {
        let subject = self.expr(subject)?;
        self.settle();
        let join = self.block();
        let mut goes_on = false;
        for (candidates, body) in cases {
            let (then, next) = (self.block(), self.block());
            for &candidate in candidates {
                let candidate = self.expr(candidate)?;
                self.settle();
                let same = self.compare(IntCC::Equal, subject, candidate);
                let other = self.block();
                self.branch(same, then, other);
                self.at(other);
            }
            self.goto(next);
            self.at(then);
            goes_on |= self.arm(body, join)?;
            self.at(next);
        }
        goes_on |= self.arm(otherwise, join)?;
        self.joined(join, goes_on)
    }

    fn for_loop(&mut self, local: Local, domain: &'m Domain, body: &'m [Stmt]) -> Emit<bool> {
        if let Some(values) = self.constant_values(domain, self.block_cost(body)) {
            for value in values {
                self.count_one()?;
                self.bind(local, Val::constant(value))?;
                if !self.statements(body)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        self.count_up(local, domain, &mut |e| {
            if !e.statements(body)? {
                // What follows is never run; it only keeps the function well formed.
                let dead = e.block();
                e.at(dead);
            }
            Ok(())
        })?;
        Ok(true)
    }

    /// Estimated instructions of statements.
    fn block_cost(&self, stmts: &[Stmt]) -> u64 {
        let one = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign { to, from } => {
                8 * self.types().cells(to.ty).max(1) + u64::from(self.cost(*from))
            }
            StmtKind::If { branches, otherwise } => {
                branches.iter().fold(self.block_cost(otherwise), |sum, (c, body)| {
                    sum.saturating_add(u64::from(self.cost(*c))).saturating_add(self.block_cost(body))
                })
            }
            StmtKind::Switch { cases, otherwise, .. } => {
                cases.iter().fold(self.block_cost(otherwise), |sum, (_, body)| {
                    sum.saturating_add(4 + self.block_cost(body))
                })
            }
            StmtKind::For { body, .. } => self.block_cost(body).saturating_mul(4),
            StmtKind::While { body, .. } | StmtKind::Alias { body, .. } => self.block_cost(body),
            StmtKind::Call { .. } => 60,
            _ => 12,
        };
        stmts.iter().fold(0u64, |sum, stmt| sum.saturating_add(one(stmt)))
    }

    /// A loop left in the code, over a domain that need not be constant.
    pub fn count_up(
        &mut self,
        local: Local,
        domain: &'m Domain,
        body: &mut dyn FnMut(&mut Self) -> Emit<()>,
    ) -> Emit<()> {
        let (from, to, step) = self.domain(domain)?;
        if to.hi.checked_add(step).is_none() || to.lo.checked_add(step).is_none() {
            return Err(Refusal::Unsupported("it loops to the end of all integers"));
        }
        self.settle();
        let counter = self.builder.declare_var(I64);
        let (first, last) = (self.word(from), self.word(to));
        self.builder.def_var(counter, first);
        let (head, inside, done) = (self.block(), self.block(), self.block());
        self.goto(head);
        self.at(head);
        let now = self.builder.use_var(counter);
        let cc = if step > 0 { IntCC::SignedLessThanOrEqual } else { IntCC::SignedGreaterThanOrEqual };
        let more = self.builder.ins().icmp(cc, now, last);
        self.branch(more, inside, done);
        self.at(inside);
        let (lo, hi) = if step > 0 { (from.lo, to.hi) } else { (to.lo, from.hi) };
        self.bind(local, Val::word(now, lo, hi.max(lo)))?;
        let before = self.counted;
        body(self)?;
        self.settle();
        self.count(before);
        let by = self.int(step);
        let next = self.builder.ins().iadd(now, by);
        self.builder.def_var(counter, next);
        self.goto(head);
        self.at(done);
        Ok(())
    }

    /// Where a domain begins and ends, and its step; something is pending where it never arrives.
    fn domain(&mut self, domain: &'m Domain) -> Emit<(Val, Val, i64)> {
        match domain {
            Domain::Type(ty) => {
                let (first, last) = self.bounds(*ty);
                if self.types().count(*ty) == 0 {
                    return Ok((Val::constant(1), Val::constant(0), 1));
                }
                Ok((Val::constant(first), Val::constant(last), 1))
            }
            Domain::Steps { from, to, by } => {
                let (from, to) = (self.expr(*from)?, self.expr(*to)?);
                let Some(by) = by else { return Ok((from, to, 1)) };
                let Some(step) = self.expr(*by)?.known().filter(|&step| step != 0) else {
                    return Err(Refusal::Unsupported("it loops by a step that is not a constant"));
                };
                let cc = if step > 0 { IntCC::SignedGreaterThan } else { IntCC::SignedLessThan };
                let away = self.compare(cc, from, to);
                self.fault_if(away);
                Ok((from, to, step))
            }
        }
    }

    /// Counts one round of a loop, with all that its body counted since `before`.
    fn count(&mut self, before: u64) {
        let round = self.counted - before + 1;
        let steps = self.builder.use_var(self.steps);
        let round = self.int(round as i64);
        let steps = self.builder.ins().iadd(steps, round);
        self.builder.def_var(self.steps, steps);
        let max = self.plan.options.steps_max.saturating_sub(STEPS_SLACK).min(i64::MAX as u64);
        let max = self.int(max as i64);
        let many = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, steps, max);
        self.fault_if(many);
        self.settle();
    }

    fn while_loop(&mut self, condition: ExprId, body: &'m [Stmt]) -> Emit<bool> {
        let rounds = self.builder.declare_var(I64);
        let zero = self.int(0);
        self.builder.def_var(rounds, zero);
        let (head, inside, done) = (self.block(), self.block(), self.block());
        self.goto(head);
        self.at(head);
        let before = self.counted;
        let flag = self.condition(condition)?;
        self.settle();
        self.branch(flag, inside, done);
        self.at(inside);
        let one = self.int(1);
        let round = self.builder.use_var(rounds);
        let round = self.builder.ins().iadd(round, one);
        self.builder.def_var(rounds, round);
        let limit = self.int(self.plan.options.loop_max.min(i64::MAX as u64) as i64);
        let over = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, round, limit);
        self.fault_if(over);
        self.settle();
        if self.statements(body)? {
            self.count(before);
            self.goto(head);
        }
        self.at(done);
        Ok(true)
    }
}
