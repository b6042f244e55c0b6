//! From a model to a program that engines run on packed states.
//!
//! This is the waist between models and explicit engines: packed states as `u64` words (`layout`), numbered
//! rule instances, and `Steps`, which yields start states, successors and the truth of properties. There
//! are two backends: `interpret` asks the evaluator and is the reference; `native` runs machine code and must
//! answer exactly the same.
//!
//! Evaluations may nest deeply: whoever uses a backend runs it inside `ir::eval::on_deep_stack`.

pub mod canonical;
pub mod instances;
pub mod interpret;
pub mod native;
pub mod owners;

use crate::base::hash;
use crate::ir::eval::Fault;
use crate::ir::{Model, eval};

pub use crate::ir::layout::{self, Layout};
pub use instances::{InstanceNo, Instances};
pub use interpret::Interpreter;
pub use native::Native;
pub use owners::Owners;

/// How backends are set up.
#[derive(Default)]
pub struct Setup {
    pub eval: eval::Options,
    /// Applied to each start state and successor, after comparing it with the state it came from.
    pub canonical: Option<Box<dyn Canonical>>,
}

/// Maps the states of one orbit to one of them.
pub trait Canonical: Send {
    /// Works on one value a slot; multisets are in canonical order before and after. False where nothing was changed.
    fn canonicalise(&mut self, state: &mut [i64]) -> bool;
}

/// What one state leads to. Reused from state to state, so that nothing is allocated for most of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// Successor after successor, `words` each, in the order of instances; those equal to the state
    /// expanded (before any canonical form is taken) are left out.
    pub states: Vec<u64>,
    /// The stable hash of each successor.
    pub hashes: Vec<u128>,
    /// The instance that led to each successor.
    pub steps: Vec<InstanceNo>,
    /// Instances that fired, those that left the state unchanged included, those that failed not.
    pub fired: u64,
    /// Instances whose guard or body fails, in order. For deadlocks they count as enabled and as moving.
    pub faults: Vec<(InstanceNo, Box<Fault>)>,
}

impl Expansion {
    pub fn clear(&mut self) {
        self.states.clear();
        self.hashes.clear();
        self.steps.clear();
        self.fired = 0;
        self.faults.clear();
    }

    /// Hashes the successors, of so many words each.
    fn take_hashes(&mut self, words: usize) {
        self.hashes.clear();
        self.hashes.extend(self.states.chunks_exact(words).map(hash::words));
    }

    /// No rule is enabled (Rumur's "stuck").
    pub fn stuck(&self) -> bool {
        self.fired == 0 && self.faults.is_empty()
    }

    /// No rule leads to another state (CMurphi's deadlock).
    pub fn stuttering(&self) -> bool {
        self.steps.is_empty() && self.faults.is_empty()
    }
}

/// What is wrong with a state: which property, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Position among the model's properties.
    pub property: u32,
    pub how: Broken,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The claim of this instance does not hold.
    False { index: u64 },
    /// Evaluating the property fails.
    Fault(Box<Fault>),
}

/// A boolean of states that properties of whole runs ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// Of a property, by position.
    Claim(u32),
    Target(u32),
    /// Of a fairness requirement on states, by position.
    Premise(u32),
    Conclusion(u32),
    /// Of a rule, by position.
    Guard(u32),
}

/// A model as engines see it. States handed in are whole packed states.
///
/// An engine that counts `fired` of every state expanded, takes in those states for which `assumed` says so,
/// and calls `check` once for each state taken in, has the counts and verdicts of brute force.
pub trait Steps {
    fn layout(&self) -> &Layout;

    fn instances(&self) -> &Instances;

    /// Runs all start states; the steps are numbers of start instances. Nothing counts as fired.
    fn starts(&mut self, out: &mut Expansion);

    /// Tries all instances of the enabled rules with the least priority number. Clears `out` first.
    fn expand(&mut self, state: &[u64], out: &mut Expansion);

    /// As `expand`, but nothing counts as fired: for a second look at a state.
    fn peek(&mut self, state: &[u64], out: &mut Expansion);

    /// Whether a state belongs to the model: false where an assumption rules it out. A state for which
    /// evaluating an assumption fails does not belong to it either, and that is a violation.
    fn assumed(&mut self, state: &[u64]) -> Result<bool, Violation>;

    /// Adds what is wrong with a state, in the order of properties: broken invariants, and failing
    /// evaluations of invariants and of covers not yet reached; notes covers that it reaches.
    fn check(&mut self, state: &[u64], found: &mut Vec<Violation>);

    /// Evaluates one instance of a predicate; none where a chosen position is empty, or where there is no
    /// such predicate.
    fn predicate(&mut self, which: Predicate, index: u64, state: &[u64]) -> Result<Option<bool>, Box<Fault>>;

    /// Whether the guard of a rule instance holds, whatever the priorities of others.
    fn enabled(&mut self, instance: InstanceNo, state: &[u64]) -> Result<bool, Box<Fault>>;

    /// The instances that fire in a state and leave it unchanged, in order; clears `out` first. `expand` says how
    /// many there are: `fired` without the steps. Slow in every backend.
    fn loops(&mut self, state: &[u64], out: &mut Vec<InstanceNo>);

    /// What has been covered so far.
    fn covered(&self) -> Covered;

    /// How often each rule fired so far, self-loops included.
    fn fired_by_rule(&self) -> &[u64];

    fn words(&self) -> usize {
        self.layout().words()
    }
}

/// What a run has covered: which cover properties and which `cover` statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// One for each property of the model; true only for covers.
    pub properties: Vec<bool>,
    pub statements: Vec<bool>,
}

impl Predicate {
    /// Binders, cells of the frame and the expression, where the model has this predicate.
    pub(crate) fn find(self, model: &Model) -> Option<(&[crate::ir::Binder], u32, crate::ir::ExprId)> {
        match self {
            Predicate::Claim(at) | Predicate::Target(at) => {
                let property = model.properties.get(at as usize)?;
                let expr =
                    if let Predicate::Claim(_) = self { Some(property.claim) } else { property.target };
                Some((&property.binders, property.frame.cells, expr?))
            }
            Predicate::Premise(at) | Predicate::Conclusion(at) => {
                let fairness = model.fairness.get(at as usize)?;
                let expr = if let Predicate::Conclusion(_) = self {
                    Some(fairness.conclusion)
                } else {
                    fairness.premise
                };
                Some((&fairness.binders, fairness.frame.cells, expr?))
            }
            Predicate::Guard(at) => {
                let rule = model.rules.get(at as usize)?;
                Some((&rule.binders, rule.frame.cells, rule.guard?))
            }
        }
    }
}
