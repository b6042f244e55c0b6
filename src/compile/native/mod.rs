//! The fast backend: machine code, made in memory, for guards, actions and properties.
//!
//! In: packed states. Out: exactly what `Interpreter` says. Guards read the packed state; a successor is
//! copied and changed only once its guard holds. Where code finds something wrong, or is not sure, it asks:
//! the evaluator then runs that one instance, and its word counts. So faults have the evaluator's messages, and
//! what is not compiled (`fallbacks`) is slow but right.

mod action;
mod arith;
mod call;
mod calls;
mod costs;
mod emit;
mod expand;
mod expr;
mod frame;
mod hashing;
mod judge;
mod multiset;
mod order;
mod packing;
mod place;
mod program;
mod stmt;
mod value;

use super::{
    Broken, Covered, Expansion, InstanceNo, Instances, Interpreter, Layout, Predicate, Setup, Steps,
    Violation,
};
use crate::ir::eval::{Fault, Step};
use crate::ir::{Instance, Model, PropertyKind, RuleId};
use packing::Packing;
use program::{Program, Segment};
use std::sync::atomic::Ordering;

pub use program::Fallback;

pub struct Native<'m> {
    program: Program<'m>,
    /// Answers what code does not, and holds the canonicaliser.
    reference: Interpreter<'m>,
    model: &'m Model,
    questions: Vec<u32>,
    fired_by_rule: Vec<u64>,
    reached: Vec<bool>,
    /// The positions of assumptions, and of invariants and covers, among the properties.
    assumptions: Vec<usize>,
    checked: Vec<usize>,
}

impl<'m> Native<'m> {
    /// The error says why there is no code on this machine; the evaluator still runs there.
    pub fn new(model: &'m Model, setup: Setup) -> Result<Native<'m>, String> {
        let of_kind = |kinds: &[PropertyKind]| {
            let positions = 0..model.properties.len();
            positions.filter(|&at| kinds.contains(&model.properties[at].kind)).collect()
        };
        Ok(Native {
            assumptions: of_kind(&[PropertyKind::Assume]),
            checked: of_kind(&[PropertyKind::Invariant, PropertyKind::Cover]),
            program: Program::new(model, setup.eval, setup.canonical.is_some())?,
            reference: Interpreter::new(model, setup),
            model,
            questions: Vec::new(),
            fired_by_rule: vec![0; model.rules.len()],
            reached: vec![false; model.properties.len()],
        })
    }

    /// What the evaluator runs, and why.
    pub fn fallbacks(&self) -> &[Fallback] {
        &self.program.fallbacks
    }

    /// Runs one segment; true where any instance was not simply disabled.
    fn run(&mut self, priority: usize, at: usize, state: &[u64], out: &mut Expansion) -> bool {
        let words = self.program.plan.layout.words();
        match self.program.segments[priority][at] {
            Segment::Native { expander, instances } => {
                let room = (instances, words);
                let (questions, by_rule) = (&mut self.questions, &mut self.fired_by_rule);
                let tally = self.program.code.expand(expander, room, state, out, questions, by_rule);
                out.fired += tally.fired;
                let mut any = tally.fired > 0 || tally.assumed > 0;
                if !self.questions.is_empty() {
                    let questions = std::mem::take(&mut self.questions);
                    for &number in &questions {
                        any |= self.evaluate(InstanceNo(number), state, out);
                    }
                    self.questions = questions;
                    self.questions.clear();
                }
                any
            }
            Segment::Evaluated { rule } => {
                let mut any = false;
                for index in 0..self.model.instances(&self.model.rules[rule]) {
                    let instance = Instance { rule: RuleId(rule as u32), index };
                    let number = self.reference.instances().number(instance);
                    any |= self.evaluate(number, state, out);
                }
                any
            }
        }
    }

    /// Lets the evaluator try one instance; true where it is not disabled.
    fn evaluate(&mut self, number: InstanceNo, state: &[u64], out: &mut Expansion) -> bool {
        let instance = self.reference.instances().instance(number);
        match self.reference.step(instance, state) {
            Ok(Step::Disabled) => return false,
            Ok(Step::Assumed) => {}
            Ok(Step::Next(next)) => {
                out.fired += 1;
                self.fired_by_rule[instance.rule.0 as usize] += 1;
                self.insert(number, &next, state, out);
            }
            Err(fault) => out.faults.push((number, fault)),
        }
        true
    }

    /// Adds a successor where its instance's number belongs.
    fn insert(&mut self, number: InstanceNo, next: &[i64], state: &[u64], out: &mut Expansion) {
        let words = self.program.plan.layout.words();
        let mut packed = vec![0; words];
        self.program.plan.layout.pack(next, &mut packed);
        if packed != state {
            let at = out.steps.iter().rposition(|&step| step < number).map_or(0, |at| at + 1);
            out.steps.insert(at, number);
            out.states.splice(at * words..at * words, packed);
        }
    }

    fn whole(&self, state: &[u64]) {
        assert_eq!(state.len(), self.program.plan.layout.words(), "a packed state has all its words");
    }

    /// What is wrong with a property in a state, by the evaluator where code says that something is.
    fn judge(&mut self, at: usize, state: &[u64]) -> Option<Result<u64, Box<Fault>>> {
        if let Some(judge) = self.program.properties[at]
            && self.program.code.ask(judge, state, 0) == judge::FINE
        {
            return None;
        }
        self.reference.property(at, state).transpose()
    }
}

impl Steps for Native<'_> {
    fn layout(&self) -> &Layout {
        &self.program.plan.layout
    }

    fn instances(&self) -> &Instances {
        self.reference.instances()
    }

    fn starts(&mut self, out: &mut Expansion) {
        self.reference.starts(out);
    }

    fn expand(&mut self, state: &[u64], out: &mut Expansion) {
        out.clear();
        self.whole(state);
        for priority in 0..self.program.segments.len() {
            let mut any = false;
            for at in 0..self.program.segments[priority].len() {
                any |= self.run(priority, at, state, out);
            }
            if any {
                break;
            }
        }
        let Program { code, movers, plan, .. } = &self.program;
        let packing = movers.map(|movers| Packing { code, movers, layout: &plan.layout });
        self.reference.canonicalise(out, packing.as_ref().map(|packing| packing as _));
        match self.program.hasher {
            Some(hasher) => code.hash(hasher, &out.states, &mut out.hashes),
            None => out.take_hashes(plan.layout.words()),
        }
    }

    fn peek(&mut self, state: &[u64], out: &mut Expansion) {
        let counted = self.fired_by_rule.clone();
        self.expand(state, out);
        self.fired_by_rule = counted;
    }

    fn assumed(&mut self, state: &[u64]) -> Result<bool, Violation> {
        self.whole(state);
        for position in 0..self.assumptions.len() {
            let at = self.assumptions[position];
            match self.judge(at, state) {
                None => {}
                Some(Ok(_)) => return Ok(false),
                Some(Err(fault)) => return Err(Violation { property: at as u32, how: Broken::Fault(fault) }),
            }
        }
        Ok(true)
    }

    fn check(&mut self, state: &[u64], found: &mut Vec<Violation>) {
        self.whole(state);
        for position in 0..self.checked.len() {
            let at = self.checked[position];
            let cover = self.model.properties[at].kind == PropertyKind::Cover;
            if self.reached[at] {
                continue;
            }
            let how = match self.judge(at, state) {
                None => continue,
                Some(Ok(_)) if cover => {
                    self.reached[at] = true;
                    continue;
                }
                Some(Ok(index)) => Broken::False { index },
                Some(Err(fault)) => Broken::Fault(fault),
            };
            found.push(Violation { property: at as u32, how });
        }
    }

    fn predicate(&mut self, which: Predicate, index: u64, state: &[u64]) -> Result<Option<bool>, Box<Fault>> {
        self.whole(state);
        if let Some(&judge) = self.program.predicates.get(&which) {
            match self.program.code.ask(judge, state, index) {
                judge::NO => return Ok(Some(false)),
                judge::YES => return Ok(Some(true)),
                judge::NONE => return Ok(None),
                _ => {}
            }
        }
        self.reference.predicate(which, index, state)
    }

    fn enabled(&mut self, instance: InstanceNo, state: &[u64]) -> Result<bool, Box<Fault>> {
        self.whole(state);
        let Instance { rule, index } = self.reference.instances().instance(instance);
        if let Some(&judge) = self.program.predicates.get(&Predicate::Guard(rule.0)) {
            match self.program.code.ask(judge, state, index) {
                judge::YES => return Ok(true),
                judge::NO | judge::NONE => return Ok(false),
                _ => {}
            }
        }
        self.reference.enabled(instance, state)
    }

    fn loops(&mut self, state: &[u64], out: &mut Vec<InstanceNo>) {
        self.reference.loops(state, out);
    }

    fn covered(&self) -> Covered {
        let mut covered = self.reference.covered();
        covered.properties.clone_from(&self.reached);
        for (at, byte) in self.program.plan.covered.iter().enumerate() {
            covered.statements[at] |= byte.load(Ordering::Relaxed) != 0;
        }
        covered
    }

    fn fired_by_rule(&self) -> &[u64] {
        &self.fired_by_rule
    }
}
