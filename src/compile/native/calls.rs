//! Calls: subprograms are written into their callers.
//!
//! Arguments are worked out in the caller's frame, in order, before the callee's frame is laid. A function
//! that is one `return` stays an expression and needs no branches. What calls itself is left to the evaluator.

use super::emit::{Emit, Emitter, Refusal};
use super::frame::{Spot, written};
use super::value::Val;
use crate::ir::expr::Arg;
use crate::ir::model::{Func, FuncParam};
use crate::ir::{ExprId, FuncId, Passing, Stmt, StmtKind, TypeId};
use cranelift_codegen::ir::Block;
use cranelift_codegen::ir::types::I64;
use cranelift_frontend::Variable;

/// Where `return` goes in the body being written.
#[derive(Clone, Copy, Debug)]
pub struct Returning {
    pub exit: Block,
    pub result: Leaves,
}

/// What `return` leaves.
#[derive(Clone, Copy, Debug)]
pub enum Leaves {
    Nothing,
    Simple(Variable, TypeId),
    Whole(Spot, TypeId),
}

enum Passed {
    Value(Val),
    At(Spot),
}

impl<'m> Emitter<'_, '_, 'm> {
    /// Calls for a simple result; 0 where there is none.
    pub fn call(&mut self, id: FuncId, args: &'m [Arg]) -> Emit<Val> {
        let func = self.model.func(id);
        if let Some(ty) = func.returns
            && !self.types().is_simple(ty)
        {
            self.call_at(id, args)?;
            return Ok(Val::constant(0));
        }
        match (&func.body[..], func.returns) {
            ([Stmt { kind: StmtKind::Return(Some(result)), .. }], Some(ty)) => {
                self.call_flat(id, args, *result, ty)
            }
            _ => self.guarded(|e| e.call_whole(id, args)),
        }
    }

    /// A function that is one `return`.
    fn call_flat(&mut self, id: FuncId, args: &'m [Arg], result: ExprId, ty: TypeId) -> Emit<Val> {
        let func = self.model.func(id);
        let passed = self.pass(func, args)?;
        self.begin(id, func, passed)?;
        let val = self.expr(result)?;
        let val = self.check_range(ty, val);
        self.end();
        Ok(val)
    }

    fn call_whole(&mut self, id: FuncId, args: &'m [Arg]) -> Emit<Val> {
        let func = self.model.func(id);
        let passed = self.pass(func, args)?;
        self.begin(id, func, passed)?;
        let Some(ty) = func.returns else {
            self.body(func, Leaves::Nothing)?;
            return Ok(Val::constant(0));
        };
        let result = self.builder.declare_var(I64);
        self.body(func, Leaves::Simple(result, ty))?;
        let (lo, hi) = self.bounds(ty);
        let word = self.builder.use_var(result);
        Ok(Val::word(word, lo, hi))
    }

    /// Calls for a result that is not simple: where it stands.
    pub fn call_at(&mut self, id: FuncId, args: &'m [Arg]) -> Emit<Spot> {
        if self.active.is_some() {
            return Err(Refusal::Unsupported("it calls for a whole value inside a condition"));
        }
        self.settle();
        let func = self.model.func(id);
        let Some(ty) = func.returns else {
            return Err(Refusal::Unsupported("it calls a procedure for a value"));
        };
        let cells = self.leaves(ty)?.len() as u32;
        let spot = Spot::Memory { home: self.memory(cells), cell: 0, at: None };
        let passed = self.pass(func, args)?;
        self.begin(id, func, passed)?;
        self.body(func, Leaves::Whole(spot, ty))?;
        Ok(spot)
    }

    fn pass(&mut self, func: &'m Func, args: &'m [Arg]) -> Emit<Vec<Passed>> {
        let mut passed = Vec::with_capacity(args.len());
        for (param, arg) in func.params.iter().zip(args) {
            passed.push(match arg {
                Arg::Ref(place) => Passed::At(self.spot(place)?),
                Arg::Value(expr) => self.pass_value(param, *expr)?,
            });
        }
        Ok(passed)
    }

    fn pass_value(&mut self, param: &FuncParam, expr: ExprId) -> Emit<Passed> {
        if !self.types().is_simple(param.ty) {
            return Ok(Passed::At(self.locate(expr)?));
        }
        let val = self.expr(expr)?;
        Ok(Passed::Value(self.check_range(param.ty, val)))
    }

    /// Lays the callee's frame.
    fn begin(&mut self, id: FuncId, func: &'m Func, passed: Vec<Passed>) -> Emit<()> {
        if self.calls.contains(&id) {
            return Err(Refusal::Unsupported("it calls itself"));
        }
        self.count_one()?;
        self.calls.push(id);
        if self.calls.len() as u64 > u64::from(self.plan.options.call_depth_max) {
            return Err(Refusal::Unsupported("its calls nest too deeply"));
        }
        self.enter_frame(&func.frame, written(self.model, &func.body))?;
        for (param, passed) in func.params.iter().zip(passed) {
            match (passed, param.passing) {
                (Passed::Value(val), _) => self.bind(param.local, val)?,
                (Passed::At(from), Passing::Ref) => self.bind_place(param.local, from),
                (Passed::At(from), Passing::Value) => {
                    if self.active.is_some() {
                        return Err(Refusal::Unsupported("it passes a whole value inside a condition"));
                    }
                    let to = self.local_spot(param.local)?;
                    self.copy(from, to, param.ty)?;
                }
            }
        }
        Ok(())
    }

    fn local_spot(&self, local: crate::ir::Local) -> Emit<Spot> {
        match self.frames.last().and_then(|frame| frame.cells.get(local.0 as usize)) {
            Some(super::frame::Cell::At(spot)) => Ok(*spot),
            _ => Err(Refusal::Unsupported("it uses a cell that nothing declares")),
        }
    }

    fn body(&mut self, func: &'m Func, result: Leaves) -> Emit<()> {
        self.settle();
        let exit = self.block();
        self.returning.push(Returning { exit, result });
        let goes_on = self.statements(&func.body)?;
        if goes_on {
            let end = if func.returns.is_some() { self.exits.ask } else { exit };
            self.goto(end);
        }
        self.at(exit);
        self.returning.pop();
        self.end();
        Ok(())
    }

    fn end(&mut self) {
        self.frames.pop();
        self.calls.pop();
    }

    /// Writes `return`.
    pub fn leave(&mut self, expr: Option<ExprId>) -> Emit<()> {
        let Some(&Returning { exit, result }) = self.returning.last() else {
            return Err(Refusal::Unsupported("it returns from nowhere"));
        };
        match (result, expr) {
            (Leaves::Simple(variable, ty), Some(expr)) => {
                let val = self.expr(expr)?;
                let val = self.check_range(ty, val);
                self.settle();
                let word = self.word(val);
                self.builder.def_var(variable, word);
            }
            (Leaves::Whole(spot, ty), Some(expr)) => {
                let from = self.locate(expr)?;
                self.copy(from, spot, ty)?;
            }
            _ => {}
        }
        self.settle();
        self.goto(exit);
        Ok(())
    }
}
