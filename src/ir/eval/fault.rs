//! Everything that can go wrong while a model runs, located and in words.

use super::super::span::Span;
use serde::Serialize;

/// A run-time error of the model: a violation of its own rules, not of the tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    pub kind: FaultKind,
    pub message: String,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// An undefined value was used.
    Undefined,
    /// A value outside the range of what it was stored in.
    Range,
    /// A value outside the index type of an array or multiset.
    Index,
    /// A union's value where one of its members was needed.
    Member,
    Assert,
    /// The statement `error`.
    Error,
    DivisionByZero,
    Overflow,
    /// A function came to its end without `return`.
    MissingReturn,
    MultisetFull,
    /// The chosen element is no longer in the multiset.
    MultisetAbsent,
    /// A step of zero, or one that leads away from the end.
    ForStep,
    /// A `while` loop went round too often.
    LoopLimit,
    /// One rule did more work than the limit allows.
    StepLimit,
    RecursionLimit,
}

impl FaultKind {
    /// A short word for reports and tests.
    pub fn word(self) -> &'static str {
        match self {
            FaultKind::Undefined => "undefined",
            FaultKind::Range => "range",
            FaultKind::Index => "index",
            FaultKind::Member => "member",
            FaultKind::Assert => "assert",
            FaultKind::Error => "error",
            FaultKind::DivisionByZero => "division_by_zero",
            FaultKind::Overflow => "overflow",
            FaultKind::MissingReturn => "missing_return",
            FaultKind::MultisetFull => "multiset_full",
            FaultKind::MultisetAbsent => "multiset_absent",
            FaultKind::ForStep => "for_step",
            FaultKind::LoopLimit => "loop_limit",
            FaultKind::StepLimit => "step_limit",
            FaultKind::RecursionLimit => "recursion_limit",
        }
    }
}

/// Why an evaluation ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Boxed, since a fault is rare and every evaluation returns room for one.
    Fault(Box<Fault>),
    /// An `assume` statement was false.
    Assumed,
}

/// What evaluating yields inside the machine.
pub type Run<T> = Result<T, Stop>;

impl Stop {
    pub fn fault(kind: FaultKind, span: Span, message: impl Into<String>) -> Stop {
        Stop::Fault(Box::new(Fault { kind, message: message.into(), span }))
    }
}
