//! What a check comes to, as plain data: verdicts, checks, traces, counts.
//!
//! Whoever finds a verdict builds these; whoever prints them needs nothing else. States in traces are whole,
//! and each step also says what changed, in the model's own names.

pub mod certificate;
pub mod figures;

use serde::Serialize;

use crate::ir::eval::FaultKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Holds,
    Violated,
    /// Out of time, memory or scope; the reason stands beside it.
    Unknown,
    /// The check itself could not be done.
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    Invariant,
    Deadlock,
    /// Run-time errors, false assertions and `error` statements.
    Fault,
    Cover,
    Liveness,
}

/// One thing that was checked, and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    pub kind: CheckKind,
    pub name: String,
    pub verdict: Verdict,
    pub reason: Option<String>,
    pub trace: Option<Trace>,
    pub lasso: Option<Lasso>,
}

/// Which start state or rule, and which instance of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StepRef {
    /// Position among the start states (in a trace's first step) or rules.
    pub rule: u32,
    pub index: u64,
}

/// One slot that a step changed, or one element added to or removed from a multiset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    pub slot: u32,
    pub path: String,
    /// As printed; none for "undefined".
    pub from: Option<String>,
    pub to: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TraceStep {
    pub rule: String,
    pub params: Vec<(String, String)>,
    #[serde(skip)]
    pub step: StepRef,
    /// What differs from the state before; from all undefined in the first step.
    pub changed: Vec<Change>,
    #[serde(skip)]
    pub state: Vec<i64>,
}

/// Where and how a trace ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The last state violates property number `property`, instance `index`.
    Property {
        property: u32,
        index: u64,
    },
    /// Evaluating property number `property` in the last state fails.
    PropertyFault {
        property: u32,
        fault: FaultKind,
    },
    /// Trying this rule in the last state (or this start state, where there are no steps) fails.
    Fault {
        step: StepRef,
        rule: String,
        params: Vec<(String, String)>,
        fault: FaultKind,
    },
    Deadlock,
    /// From the last state, no target state of liveness property number `property` can be reached.
    Unreachable {
        property: u32,
    },
    /// From the state after step `from` on, where P of instance `index` holds, all steps are helpful, Q holds nowhere,
    /// and in the last state no helpful rule leads to another one.
    Stuck {
        property: u32,
        index: u64,
        from: u32,
    },
    /// The same, but the last state is that after step `back` again.
    Round {
        property: u32,
        index: u64,
        from: u32,
        back: u32,
    },
    /// The last state is pending for instance `index` of response property `property`, and a cycle follows in
    /// which what is asked for never comes.
    Never {
        property: u32,
        index: u64,
    },
    /// The last state is what was asked for: a cover, or just a way there.
    Reached,
}

/// An execution from a start state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trace {
    pub steps: Vec<TraceStep>,
    pub ending: Ending,
}

/// An execution that goes round for ever: `cycle` begins in the last state of `stem` and ends there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lasso {
    pub stem: Trace,
    pub cycle: Vec<TraceStep>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Distinct states, after canonicalisation where symmetry is used.
    pub states: u64,
    /// Enabled instances tried in expanded states, self-loops included; start states are not counted.
    pub rules_fired: u64,
    pub deadlocks: u64,
    /// The length of the longest shortest way from a start state, in states.
    pub levels: u64,
}

/// The result of one search.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub verdict: Verdict,
    pub reason: Option<String>,
    #[serde(flatten)]
    pub counts: Counts,
    /// Sum modulo 2^128 of the hashes of all states' canonical bytes, in hexadecimal.
    pub digest: String,
    pub checks: Vec<Check>,
}

impl Report {
    /// The verdict over all checks: violated if any is, else unknown or error if any is.
    pub fn conclude(checks: &[Check]) -> Verdict {
        let has = |verdict| checks.iter().any(|check| check.verdict == verdict);
        if has(Verdict::Violated) {
            Verdict::Violated
        } else if has(Verdict::Error) {
            Verdict::Error
        } else if has(Verdict::Unknown) {
            Verdict::Unknown
        } else {
            Verdict::Holds
        }
    }
}
