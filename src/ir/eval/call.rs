//! Calls: arguments, frames, results.
//!
//! Arguments are worked out in the caller's frame, in order; then the callee's frame is laid on top of the
//! stack, values are copied into it and references stored in it. Everything a call put on the stack is
//! gone when it ends, except a result that is not simple: it stands just above the caller's cells until
//! the statement that asked for it is done.

use super::super::expr::{Arg, ExprId, ExprKind, Local};
use super::super::model::{Func, FuncId, FuncParam, Passing, UNDEFINED};
use super::super::span::Span;
use super::place::Addr;
use super::stmt::Flow;
use super::{Compat, FaultKind, Machine, Run, STACK_CELLS_MAX, Stop};

/// An argument worked out.
enum Passed {
    Value(i64),
    /// Cells to copy, or (for a reference) to point to.
    At(Addr),
}

impl<'m> Machine<'m> {
    /// Calls for a simple result; 0 for procedures and where the result is not wanted.
    pub(super) fn call(&mut self, id: FuncId, args: &'m [Arg], span: Span) -> Run<i64> {
        let kept = self.stack.len();
        let func = self.model.func(id);
        if func.returns.is_some_and(|ty| !self.model.types.is_simple(ty)) {
            self.call_at(id, args, span)?;
            self.stack.truncate(kept);
            return Ok(0);
        }
        let passed = self.pass(func, args)?;
        let value = self.run_body(func, passed, span)?;
        self.stack.truncate(kept);
        Ok(value)
    }

    /// Calls for a result that is not simple; it stays on the stack.
    pub(super) fn call_at(&mut self, id: FuncId, args: &'m [Arg], span: Span) -> Run<Addr> {
        let func = self.model.func(id);
        let count = func.returns.map_or(1, |ty| self.model.types.cells(ty)) as usize;
        let at = Addr::stack(self.stack.len());
        self.stack.resize(self.stack.len() + count, UNDEFINED);
        let kept = self.stack.len();
        let passed = self.pass(func, args)?;
        let outer = std::mem::replace(&mut self.result, at);
        self.run_body(func, passed, span)?;
        self.result = outer;
        self.stack.truncate(kept);
        Ok(at)
    }

    fn pass(&mut self, func: &'m Func, args: &'m [Arg]) -> Run<Vec<Passed>> {
        let mut passed = Vec::with_capacity(args.len());
        for (param, arg) in func.params.iter().zip(args) {
            passed.push(match arg {
                Arg::Ref(place) => Passed::At(self.address(place)?),
                Arg::Value(expr) => self.pass_value(param, *expr)?,
            });
        }
        Ok(passed)
    }

    fn pass_value(&mut self, param: &FuncParam, expr: ExprId) -> Run<Passed> {
        if !self.model.types.is_simple(param.ty) {
            return Ok(Passed::At(self.locate(expr)?));
        }
        let same = self.model.expr(expr).ty == param.ty && self.copies_undefined();
        let value = self.value_or_undefined(expr, same || self.options.compat == Compat::Rumur)?;
        self.check_range(param.ty, value, self.model.expr(expr).span)?;
        Ok(Passed::Value(value))
    }

    /// The value of a simple expression; where `lenient`, an undefined variable is let through.
    pub(super) fn value_or_undefined(&mut self, expr: ExprId, lenient: bool) -> Run<i64> {
        match &self.model.expr(expr).kind {
            ExprKind::Read(place) if lenient => {
                let addr = self.address(place)?;
                Ok(self.load(addr))
            }
            _ => self.eval(expr),
        }
    }

    fn run_body(&mut self, func: &'m Func, passed: Vec<Passed>, span: Span) -> Run<i64> {
        self.count_step(span)?;
        if self.calls >= self.options.call_depth_max {
            let message =
                format!("{} calls itself more than {} deep", func.name, self.options.call_depth_max);
            return Err(Stop::fault(FaultKind::RecursionLimit, span, message));
        }
        let (outer, frame) = (self.frame, self.stack.len());
        if frame + func.frame.cells as usize > STACK_CELLS_MAX {
            let message = format!("{} needs more than {STACK_CELLS_MAX} cells of local variables", func.name);
            return Err(Stop::fault(FaultKind::RecursionLimit, span, message));
        }
        self.calls += 1;
        self.stack.resize(frame + func.frame.cells as usize, UNDEFINED);
        for (param, passed) in func.params.iter().zip(passed) {
            let to = Addr::stack(frame + param.local.0 as usize);
            match (passed, param.passing) {
                (Passed::Value(value), _) => self.store(to, value),
                (Passed::At(from), Passing::Ref) => self.store(to, from.to_cell()),
                (Passed::At(from), Passing::Value) => {
                    self.copy(from, to, self.model.types.cells(param.ty) as usize)
                }
            }
        }
        self.frame = frame;
        let flow = self.block(&func.body);
        self.frame = outer;
        self.calls -= 1;
        self.finish(func, flow?)
    }

    fn finish(&mut self, func: &'m Func, flow: Flow) -> Run<i64> {
        match (flow, func.returns) {
            (Flow::Next, Some(_)) => {
                let message = format!("function {} came to its end without a return", func.name);
                Err(Stop::fault(FaultKind::MissingReturn, func.span, message))
            }
            (Flow::Return(value, span), Some(ty)) => {
                if self.options.compat != Compat::Rumur {
                    self.check_range(ty, value, span)?;
                }
                Ok(value)
            }
            (_, None) => Ok(0),
        }
    }

    /// Leaves the result of the running function; the value is for simple ones.
    pub(super) fn leave(&mut self, expr: ExprId) -> Run<i64> {
        let node = self.model.expr(expr);
        if self.model.types.is_simple(node.ty) {
            return self.eval(expr);
        }
        let from = self.locate(expr)?;
        let (to, count) = (self.result, self.model.types.cells(node.ty) as usize);
        self.copy(from, to, count);
        Ok(0)
    }

    /// Binds a value alias: simple values are copied, others referred to.
    pub(super) fn bind_value(&mut self, local: Local, value: ExprId) -> Run<()> {
        let node = self.model.expr(value);
        let cell = if self.model.types.is_simple(node.ty) {
            self.eval(value)?
        } else {
            self.locate(value)?.to_cell()
        };
        self.set_local(local, cell);
        Ok(())
    }
}
