//! The typed intermediate representation of a model: the one waist between the language and all engines.
//!
//! A `Model` has no names left to resolve, no types left to check and no constants left to fold. Its state
//! is a flat vector of *slots*, one for each simple-typed leaf of the variables. `eval` runs a model slowly
//! and obviously and is the judge of every engine; `footprint` and `component` say what rules touch;
//! `print` shows all of it to people.
//!
//! The representation is plain data in arenas: expressions are numbered, children before parents, so that
//! passes may walk them in order and nothing recurses on being dropped.

pub mod component;
pub mod encode;
pub mod eval;
pub mod expr;
pub mod footprint;
pub mod layout;
pub mod model;
pub mod multiset;
pub mod print;
pub mod print_state;
pub mod promise;
pub mod span;
pub mod types;
pub mod walk;

pub use expr::{
    Alias, ArithOp, Base, Block, CompareOp, Domain, Expr, ExprId, ExprKind, Index, Local, Place, Stmt,
    StmtKind,
};
pub use model::{
    Binder, Component, Fairness, Frame, Func, FuncId, Instance, LocalVar, Model, ParamDomain, Passing,
    Property, PropertyKind, Rule, RuleId, RuleKind, Slot, SlotInfo, StateFairness, UNDEFINED, Var,
};
pub use span::{SourceMap, Span};
pub use types::{Field, Type, TypeId, Types};
