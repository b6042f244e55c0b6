//! The cells of a running rule, property or subprogram, while its code is written.
//!
//! Simple locals become variables of the function, in the same codes as slots; others become stack memory,
//! one word a cell. What is bound once (parameters, loop variables, aliases) and never stored to is no cell
//! at all, but the value or place itself: constants stay constants.

use super::emit::{Emit, Emitter, Refusal, trusted};
use super::value::Val;
use crate::compile::layout::Field;
use crate::ir::expr::Arg;
use crate::ir::model::Frame as FrameInfo;
use crate::ir::{Alias, Base, Block, Domain, ExprId, ExprKind, Local, Model, Place, Stmt, StmtKind, TypeId};
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, StackSlot, StackSlotData, StackSlotKind, Value};
use cranelift_frontend::Variable;
use std::collections::HashSet;

/// Cells of one frame, beyond which it is left to the evaluator.
const CELLS_MAX: u32 = 4_096;

/// Cells counted at run time, and how many there are at most.
#[derive(Clone, Copy, Debug)]
pub struct Offset {
    pub cells: Value,
    pub most: u32,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug)]
pub enum Spot {
    /// More cells are added at run time.
    State {
        slot: u32,
        at: Option<Offset>,
    },
    Memory {
        home: StackSlot,
        cell: u32,
        at: Option<Value>,
    },
    Variable(Variable),
    Bound(Val),
}

#[derive(Clone, Copy, Debug)]
pub enum Cell {
    Unset,
    At(Spot),
    /// A reference: the place it refers to.
    Refers(Spot),
}

pub struct Frame {
    pub cells: Vec<Cell>,
    /// Cells that statements may store to.
    written: HashSet<u32>,
    types: Vec<(u32, TypeId)>,
}

impl Spot {
    pub fn plus(self, cells: u32) -> Emit<Spot> {
        match self {
            Spot::State { slot, at } => Ok(Spot::State { slot: slot + cells, at }),
            Spot::Memory { home, cell, at } => Ok(Spot::Memory { home, cell: cell + cells, at }),
            _ if cells == 0 => Ok(self),
            _ => Err(Refusal::Unsupported("it addresses parts of a simple value")),
        }
    }
}

impl<'m> Emitter<'_, '_, 'm> {
    /// Lays a fresh frame for an expression: only simple names can be bound in it.
    pub fn enter_expression(&mut self, info: &'m FrameInfo) -> Emit<()> {
        if info.cells > CELLS_MAX {
            return Err(Refusal::Unsupported("it has too many cells of locals"));
        }
        let cells = vec![Cell::Unset; info.cells as usize];
        self.frames.push(Frame { cells, written: HashSet::new(), types: Vec::new() });
        Ok(())
    }

    /// Lays a fresh frame, all cells undefined.
    pub fn enter_frame(&mut self, info: &'m FrameInfo, written: HashSet<u32>) -> Emit<()> {
        if info.cells > CELLS_MAX {
            return Err(Refusal::Unsupported("it has too many cells of locals"));
        }
        let mut cells = vec![Cell::Unset; info.cells as usize];
        let mut types = Vec::new();
        for local in info.locals.iter().filter(|local| !local.reference) {
            let first = local.local.0 as usize;
            types.push((local.local.0, local.ty));
            let count = self.types().cells(local.ty) as usize;
            if self.types().is_simple(local.ty) {
                let variable = self.builder.declare_var(I64);
                let undefined = self.int(0);
                self.builder.def_var(variable, undefined);
                cells[first] = Cell::At(Spot::Variable(variable));
            } else {
                let home = self.memory(count as u32);
                for at in 0..count {
                    cells[first + at] = Cell::At(Spot::Memory { home, cell: at as u32, at: None });
                }
            }
        }
        self.frames.push(Frame { cells, written, types });
        Ok(())
    }

    /// Stack memory for some cells, undefined at first.
    pub fn memory(&mut self, cells: u32) -> StackSlot {
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, cells.max(1) * 8, 3);
        let home = self.builder.create_sized_stack_slot(data);
        let zero = self.int(0);
        let base = self.builder.ins().stack_addr(I64, home, 0);
        for at in 0..cells {
            self.builder.ins().store(trusted(), zero, base, at as i32 * 8);
        }
        home
    }

    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("code is written inside a frame")
    }

    /// Binds a simple local.
    pub fn bind(&mut self, local: Local, val: Val) -> Emit<()> {
        let frame = self.top();
        if !frame.written.contains(&local.0) {
            frame.cells[local.0 as usize] = Cell::At(Spot::Bound(val));
            return Ok(());
        }
        let ty = frame.types.iter().find(|&&(at, _)| at == local.0).map(|&(_, ty)| ty);
        let (Some(ty), Cell::At(Spot::Variable(variable))) = (ty, frame.cells[local.0 as usize]) else {
            return Err(Refusal::Unsupported("it stores to a bound name of unknown type"));
        };
        let code = self.code_of(val, ty);
        self.builder.def_var(variable, code);
        Ok(())
    }

    pub fn bind_place(&mut self, local: Local, spot: Spot) {
        self.top().cells[local.0 as usize] = Cell::Refers(spot);
    }

    pub fn base_spot(&mut self, place: &Place) -> Emit<Spot> {
        let unset = Refusal::Unsupported("it uses a cell that nothing declares");
        match place.base {
            Base::State => Ok(Spot::State { slot: place.offset, at: None }),
            Base::Frame => match self.top().cells.get(place.offset as usize) {
                Some(Cell::At(spot)) => Ok(*spot),
                _ => Err(unset),
            },
            Base::Ref(local) => match self.top().cells.get(local.0 as usize) {
                Some(Cell::Refers(spot)) => spot.plus(place.offset),
                _ => Err(unset),
            },
        }
    }

    /// How codes of a type look, wherever they stand.
    pub fn field_of(&self, ty: TypeId) -> Field {
        let width = (64 - self.types().count(ty).leading_zeros()) as u8;
        Field { word: 0, shift: 0, width, first: self.types().first(ty) }
    }

    /// The least and the greatest value of a simple type.
    pub fn bounds(&self, ty: TypeId) -> (i64, i64) {
        let first = self.types().first(ty);
        (first, first.wrapping_add_unsigned(self.types().count(ty).wrapping_sub(1)))
    }

    pub fn code_of(&mut self, val: Val, ty: TypeId) -> Value {
        let first = self.types().first(ty);
        self.word(Val { add: val.add.wrapping_sub(first).wrapping_add(1), ..val })
    }
}

/// The cells of its own frame that a body may store to, or hand out for storing.
pub fn written(model: &Model, body: &Block) -> HashSet<u32> {
    let mut found = HashSet::new();
    block(model, body, &mut found);
    found
}

fn note(model: &Model, place: &Place, found: &mut HashSet<u32>) {
    if place.base == Base::Frame {
        found.insert(place.offset);
    }
    for index in &place.indices {
        expr(model, index.expr, found);
    }
}

fn args(model: &Model, list: &[Arg], found: &mut HashSet<u32>) {
    for arg in list {
        match arg {
            Arg::Ref(place) => note(model, place, found),
            Arg::Value(value) => expr(model, *value, found),
        }
    }
}

/// Only calls store, so only calls are looked for.
pub fn expr(model: &Model, id: ExprId, found: &mut HashSet<u32>) {
    each_child(model, id, &mut |child| expr(model, child, found));
    if let ExprKind::Call { args: list, .. } = &model.expr(id).kind {
        args(model, list, found);
    }
}

/// The expressions directly inside one, calls' arguments left out.
pub fn each_child(model: &Model, id: ExprId, visit: &mut dyn FnMut(ExprId)) {
    match &model.expr(id).kind {
        ExprKind::Const(_) | ExprKind::Undefined | ExprKind::Call { .. } => {}
        ExprKind::Read(place) | ExprKind::IsUndefined(place) => {
            place.indices.iter().for_each(|i| visit(i.expr))
        }
        ExprKind::Not(a) | ExprKind::Negate(a) | ExprKind::BitNot(a) | ExprKind::Convert(a) => visit(*a),
        ExprKind::IsMember { value, .. } => visit(*value),
        ExprKind::And(terms) | ExprKind::Or(terms) => terms.iter().for_each(|&term| visit(term)),
        ExprKind::Implies(a, b)
        | ExprKind::Equal(a, b)
        | ExprKind::NotEqual(a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::Arith(_, a, b) => {
            visit(*a);
            visit(*b);
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            [*condition, *then, *otherwise].into_iter().for_each(visit);
        }
        ExprKind::Quantified { domain, body, .. } => {
            domain_children(domain, visit);
            visit(*body);
        }
        ExprKind::MultisetCount { set, predicate, .. } => {
            set.indices.iter().for_each(|i| visit(i.expr));
            visit(*predicate);
        }
    }
}

fn domain_children(domain: &Domain, visit: &mut dyn FnMut(ExprId)) {
    if let Domain::Steps { from, to, by } = domain {
        visit(*from);
        visit(*to);
        by.iter().for_each(|&by| visit(by));
    }
}

fn block(model: &Model, stmts: &[Stmt], found: &mut HashSet<u32>) {
    for stmt in stmts {
        statement(model, stmt, found);
    }
}

fn statement(model: &Model, stmt: &Stmt, found: &mut HashSet<u32>) {
    match &stmt.kind {
        StmtKind::Assign { to, from } => {
            note(model, to, found);
            expr(model, *from, found);
        }
        StmtKind::If { branches, otherwise } => {
            for (condition, body) in branches {
                expr(model, *condition, found);
                block(model, body, found);
            }
            block(model, otherwise, found);
        }
        StmtKind::Switch { subject, cases, otherwise } => {
            expr(model, *subject, found);
            for (values, body) in cases {
                values.iter().for_each(|&value| expr(model, value, found));
                block(model, body, found);
            }
            block(model, otherwise, found);
        }
        StmtKind::For { domain, body, .. } => {
            domain_children(domain, &mut |child| expr(model, child, found));
            block(model, body, found);
        }
        StmtKind::While { condition, body } => {
            expr(model, *condition, found);
            block(model, body, found);
        }
        StmtKind::Alias { target, body, .. } => {
            match target {
                Alias::Place(place) => note(model, place, found),
                Alias::Value(value) => expr(model, *value, found),
            }
            block(model, body, found);
        }
        StmtKind::Clear(place) | StmtKind::Undefine(place) => note(model, place, found),
        StmtKind::PutText(_) | StmtKind::Error(_) | StmtKind::Return(None) => {}
        StmtKind::PutExpr(value) | StmtKind::Return(Some(value)) => expr(model, *value, found),
        StmtKind::Assert { condition, .. }
        | StmtKind::Assume { condition }
        | StmtKind::Cover { condition, .. } => {
            expr(model, *condition, found);
        }
        StmtKind::Call { args: list, .. } => args(model, list, found),
        StmtKind::MultisetAdd { element, set } => {
            expr(model, *element, found);
            note(model, set, found);
        }
        StmtKind::MultisetRemove { position, set } => {
            expr(model, *position, found);
            note(model, set, found);
        }
        StmtKind::MultisetRemovePred { set, predicate, .. } => {
            note(model, set, found);
            expr(model, *predicate, found);
        }
    }
}
