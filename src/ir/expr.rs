//! Expressions, places and statements.
//!
//! Expressions live in the model's arena and are typed; children have smaller ids than their parents.
//! A *place* is where cells stand: a base, a constant offset, and checked index terms with strides. Fields
//! and constant indices are already part of the offset. References (`var` parameters, aliases) are cells
//! that hold an address and are used as a base.
//!
//! What this leaves out: names and types as written; they are resolved before this point.

use super::model::FuncId;
use super::span::Span;
use super::types::TypeId;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// A cell of the running frame, counted from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local(pub u32);

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// `offset` counts from the first slot of the state.
    State,
    /// `offset` counts from the first cell of the frame.
    Frame,
    /// `offset` counts from where the reference in this cell points.
    Ref(Local),
}

#[derive(Clone, Debug)]
pub struct Place {
    pub base: Base,
    pub offset: u32,
    pub indices: Vec<Index>,
    pub ty: TypeId,
    pub span: Span,
}

/// Adds `(value - first value of ty) * stride` cells, after checking that `ty` has the value.
#[derive(Clone, Debug)]
pub struct Index {
    pub expr: ExprId,
    pub ty: TypeId,
    pub stride: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithOp {
    Add,
    Sub,
    Mul,
    /// Truncates toward zero.
    Div,
    Mod,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    Less,
    LessEq,
    Greater,
    GreaterEq,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Const(i64),
    /// The value that is none; only as the source of an assignment.
    Undefined,
    Read(Place),
    Not(ExprId),
    /// True when all are; stops at the first that is not.
    And(Vec<ExprId>),
    /// True when any is; stops at the first that is.
    Or(Vec<ExprId>),
    Implies(ExprId, ExprId),
    Conditional {
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// Both sides have the same type, which need not be simple.
    Equal(ExprId, ExprId),
    NotEqual(ExprId, ExprId),
    Compare(CompareOp, ExprId, ExprId),
    Arith(ArithOp, ExprId, ExprId),
    Negate(ExprId),
    BitNot(ExprId),
    /// The same value in this expression's type; a fault where that type does not have it.
    Convert(ExprId),
    /// Whether a union's value is one of `ty`.
    IsMember {
        value: ExprId,
        ty: TypeId,
    },
    IsUndefined(Place),
    Quantified {
        all: bool,
        local: Local,
        domain: Domain,
        body: ExprId,
    },
    /// How many elements satisfy the predicate.
    MultisetCount {
        local: Local,
        set: Place,
        predicate: ExprId,
    },
    Call {
        func: FuncId,
        args: Vec<Arg>,
    },
}

/// What a call hands over; the callee's parameter says how it is held.
#[derive(Clone, Debug)]
pub enum Arg {
    Value(ExprId),
    Ref(Place),
}

/// The values a bound variable takes, in order.
#[derive(Clone, Debug)]
pub enum Domain {
    Type(TypeId),
    /// From, to, both included, by a step (1 where none is written).
    Steps {
        from: ExprId,
        to: ExprId,
        by: Option<ExprId>,
    },
}

pub type Block = Vec<Stmt>;

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// What an alias stands for, bound once on entry.
#[derive(Clone, Debug)]
pub enum Alias {
    Place(Place),
    Value(ExprId),
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Both sides have the same type, or both are ranges.
    Assign {
        to: Place,
        from: ExprId,
    },
    If {
        branches: Vec<(ExprId, Block)>,
        otherwise: Block,
    },
    /// The subject and all case values have the same type, or are ranges.
    Switch {
        subject: ExprId,
        cases: Vec<(Vec<ExprId>, Block)>,
        otherwise: Block,
    },
    For {
        local: Local,
        domain: Domain,
        body: Block,
    },
    While {
        condition: ExprId,
        body: Block,
    },
    Alias {
        local: Local,
        target: Alias,
        body: Block,
    },
    Clear(Place),
    Undefine(Place),
    PutText(String),
    PutExpr(ExprId),
    Error(String),
    Assert {
        condition: ExprId,
        message: String,
    },
    Assume {
        condition: ExprId,
    },
    /// Marks cover number `cover` as reached where the condition holds.
    Cover {
        cover: u32,
        condition: ExprId,
    },
    Return(Option<ExprId>),
    Call {
        func: FuncId,
        args: Vec<Arg>,
    },
    MultisetAdd {
        element: ExprId,
        set: Place,
    },
    MultisetRemove {
        position: ExprId,
        set: Place,
    },
    MultisetRemovePred {
        local: Local,
        set: Place,
        predicate: ExprId,
    },
}
