//! Execution of statements.
//!
//! Whatever a statement put on the stack above the frame is gone when it ends. Bound variables are fresh
//! in each iteration: assigning to one does not change how often the loop runs.

use super::super::expr::{Alias, Domain, ExprId, ExprKind, Local, Place, Stmt, StmtKind};
use super::super::model::UNDEFINED;
use super::super::span::Span;
use super::super::types::{Type, TypeId};
use super::place::{Addr, multiset_stride};
use super::{Compat, FaultKind, Machine, Run, Stop};

/// How a statement ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flow {
    Next,
    /// With the simple result, and where it was returned.
    Return(i64, Span),
}

impl<'m> Machine<'m> {
    pub(super) fn block(&mut self, stmts: &'m [Stmt]) -> Run<Flow> {
        for stmt in stmts {
            self.deeper(stmt.span)?;
            let kept = self.stack.len();
            let flow = self.stmt(stmt)?;
            self.stack.truncate(kept);
            self.depth -= 1;
            if let Flow::Return(..) = flow {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(&mut self, stmt: &'m Stmt) -> Run<Flow> {
        match &stmt.kind {
            StmtKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    if self.eval(*condition)? != 0 {
                        return self.block(body);
                    }
                }
                self.block(otherwise)
            }
            StmtKind::Switch { subject, cases, otherwise } => {
                let body = self.switch(*subject, cases)?;
                self.block(body.unwrap_or(otherwise))
            }
            StmtKind::For { local, domain, body } => self.for_loop(*local, domain, body, stmt.span),
            StmtKind::While { condition, body } => self.while_loop(*condition, body, stmt.span),
            StmtKind::Alias { local, target, body } => {
                match target {
                    Alias::Place(place) => {
                        let addr = self.address(place)?;
                        self.set_local(*local, addr.to_cell());
                    }
                    Alias::Value(value) => self.bind_value(*local, *value)?,
                }
                self.block(body)
            }
            StmtKind::Return(None) => Ok(Flow::Return(0, stmt.span)),
            StmtKind::Return(Some(expr)) => {
                let span = self.model.expr(*expr).span;
                Ok(Flow::Return(self.leave(*expr)?, span))
            }
            _ => {
                self.simple(stmt)?;
                Ok(Flow::Next)
            }
        }
    }

    /// Statements that always go on to the next.
    fn simple(&mut self, stmt: &'m Stmt) -> Run<()> {
        match &stmt.kind {
            StmtKind::Assign { to, from } => self.assign(to, *from, stmt.span),
            StmtKind::Clear(place) => {
                let addr = self.address(place)?;
                self.clear(place.ty, addr);
                Ok(())
            }
            StmtKind::Undefine(place) => {
                let addr = self.address(place)?;
                self.fill(addr, self.model.types.cells(place.ty) as usize, UNDEFINED);
                Ok(())
            }
            StmtKind::PutExpr(expr) => self.put(*expr),
            StmtKind::Error(message) => Err(Stop::fault(FaultKind::Error, stmt.span, message.clone())),
            StmtKind::Assert { condition, message } => match self.eval(*condition)? {
                0 => Err(Stop::fault(FaultKind::Assert, stmt.span, message.clone())),
                _ => Ok(()),
            },
            StmtKind::Assume { condition } => match self.eval(*condition)? {
                0 => Err(Stop::Assumed),
                _ => Ok(()),
            },
            StmtKind::Cover { cover, condition } => {
                if self.eval(*condition)? != 0 {
                    self.covered[*cover as usize] = true;
                }
                Ok(())
            }
            StmtKind::Call { func, args } => self.call(*func, args, stmt.span).map(|_| ()),
            StmtKind::MultisetAdd { element, set } => self.multiset_add(*element, set, stmt.span),
            StmtKind::MultisetRemove { position, set } => self.multiset_remove(*position, set, stmt.span),
            StmtKind::MultisetRemovePred { local, set, predicate } => {
                self.multiset_remove_pred(*local, set, *predicate, stmt.span)
            }
            _ => Ok(()),
        }
    }

    fn assign(&mut self, to: &'m Place, from: ExprId, span: Span) -> Run<()> {
        if self.model.types.is_simple(to.ty) {
            let value = self.value_or_undefined(from, self.copies_undefined())?;
            let addr = self.address(to)?;
            return self.store_checked(to, addr, value, span);
        }
        let source = self.locate(from)?;
        let addr = self.address(to)?;
        self.copy(source, addr, self.model.types.cells(to.ty) as usize);
        Ok(())
    }

    fn switch(
        &mut self,
        subject: ExprId,
        cases: &'m [(Vec<ExprId>, Vec<Stmt>)],
    ) -> Run<Option<&'m Vec<Stmt>>> {
        let value = self.eval(subject)?;
        for (candidates, body) in cases {
            for &candidate in candidates {
                if self.eval(candidate)? == value {
                    return Ok(Some(body));
                }
            }
        }
        Ok(None)
    }

    fn for_loop(&mut self, local: Local, domain: &'m Domain, body: &'m [Stmt], span: Span) -> Run<Flow> {
        for value in self.values(domain, span)? {
            self.count_step(span)?;
            self.set_local(local, value);
            if let flow @ Flow::Return(..) = self.block(body)? {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn while_loop(&mut self, condition: ExprId, body: &'m [Stmt], span: Span) -> Run<Flow> {
        let limit = if self.options.compat == Compat::Rumur { u64::MAX } else { self.options.loop_max };
        let mut rounds = 0;
        let kept = self.stack.len();
        while self.eval(condition)? != 0 {
            self.stack.truncate(kept);
            self.count_step(span)?;
            rounds += 1;
            if rounds > limit {
                let message = format!("the loop is not done after {limit} iterations");
                return Err(Stop::fault(FaultKind::LoopLimit, span, message));
            }
            if let flow @ Flow::Return(..) = self.block(body)? {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    /// Printing is not part of the semantics: the expression is worked out for its faults, variables are not.
    fn put(&mut self, expr: ExprId) -> Run<()> {
        match &self.model.expr(expr).kind {
            ExprKind::Read(place) => self.address(place).map(|_| ()),
            _ if self.model.types.is_simple(self.model.expr(expr).ty) => self.eval(expr).map(|_| ()),
            _ => self.locate(expr).map(|_| ()),
        }
    }

    /// Sets every leaf to its least value, and empties multisets.
    fn clear(&mut self, ty: TypeId, addr: Addr) {
        let types = &self.model.types;
        if types.cells(ty) == 0 {
            return;
        }
        match types.get(ty) {
            Type::Record { fields } => {
                for field in fields {
                    self.clear(field.ty, addr.plus(field.offset as usize));
                }
            }
            Type::Array { index, elem } => {
                let stride = types.cells(*elem) as usize;
                for at in 0..types.count(*index) as usize {
                    self.clear(*elem, addr.plus(at * stride));
                }
            }
            Type::Multiset { .. } => self.fill(addr, types.cells(ty) as usize, UNDEFINED),
            _ if types.count(ty) == 0 => self.store(addr, UNDEFINED),
            _ => self.store(addr, types.first(ty)),
        }
    }

    fn multiset_add(&mut self, element: ExprId, set: &'m Place, span: Span) -> Run<()> {
        let Type::Multiset { capacity, elem } = *self.model.types.get(set.ty) else { return Ok(()) };
        let simple = self.model.types.is_simple(elem);
        let value = if simple { self.value_or_undefined(element, self.copies_undefined())? } else { 0 };
        let source = if simple { Addr::state(0) } else { self.locate(element)? };
        let addr = self.address(set)?;
        let stride = multiset_stride(self.model, set.ty);
        let Some(free) = (0..u64::from(capacity)).find(|&at| !self.present(addr, stride, at)) else {
            let message = format!("the multiset is full: it holds {capacity} already");
            return Err(Stop::fault(FaultKind::MultisetFull, span, message));
        };
        let to = addr.plus(free as usize * stride);
        if simple {
            self.check_range(elem, value, span)?;
            self.store(to.plus(1), value);
        } else {
            self.copy(source, to.plus(1), stride - 1);
        }
        self.store(to, 1);
        Ok(())
    }

    fn multiset_remove(&mut self, position: ExprId, set: &'m Place, span: Span) -> Run<()> {
        let position = self.eval(position)?;
        let addr = self.address(set)?;
        let stride = multiset_stride(self.model, set.ty);
        if !self.present(addr, stride, position as u64) {
            return Err(Stop::fault(
                FaultKind::MultisetAbsent,
                span,
                "the element is no longer in the multiset",
            ));
        }
        self.fill(addr.plus(position as usize * stride), stride, UNDEFINED);
        Ok(())
    }

    fn multiset_remove_pred(
        &mut self,
        local: Local,
        set: &'m Place,
        predicate: ExprId,
        span: Span,
    ) -> Run<()> {
        let addr = self.address(set)?;
        let stride = multiset_stride(self.model, set.ty);
        let capacity = self.model.types.cells(set.ty) as usize / stride;
        let kept = self.stack.len();
        for position in 0..capacity {
            if !self.present(addr, stride, position as u64) {
                continue;
            }
            self.count_step(span)?;
            self.set_local(local, position as i64);
            if self.eval(predicate)? != 0 {
                self.fill(addr.plus(position * stride), stride, UNDEFINED);
            }
            self.stack.truncate(kept);
        }
        Ok(())
    }
}
