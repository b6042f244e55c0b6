//! The reference backend: every question goes to `ir::eval` on an unpacked state.
//!
//! In: packed states. Out: what the evaluator says, packed. It allocates for every step and is about a
//! hundred times slower than machine code, but it is obviously right, and compiles nothing.

use super::canonical::memo::Memo;
use super::{
    Broken, Canonical, Covered, Expansion, InstanceNo, Instances, Layout, Predicate, Setup, Steps, Violation,
};
use crate::ir::eval::{Eval, Fault, Machine, Step};
use crate::ir::{Instance, Model, Property, PropertyKind};

/// Between packed states and one value a slot.
pub(super) trait Packing {
    fn unpack(&self, words: &[u64], state: &mut [i64]);
    fn pack(&self, state: &[i64], words: &mut [u64]);
}

impl Packing for Layout {
    fn unpack(&self, words: &[u64], state: &mut [i64]) {
        Layout::unpack(self, words, state);
    }

    fn pack(&self, state: &[i64], words: &mut [u64]) {
        Layout::pack(self, state, words);
    }
}

pub struct Interpreter<'m> {
    model: &'m Model,
    machine: Machine<'m>,
    layout: Layout,
    instances: Instances,
    canonical: Option<Box<dyn Canonical>>,
    memo: Memo,
    state: Vec<i64>,
    reached: Vec<bool>,
    fired_by_rule: Vec<u64>,
}

impl<'m> Interpreter<'m> {
    pub fn new(model: &'m Model, setup: Setup) -> Interpreter<'m> {
        let layout = Layout::new(model);
        Interpreter {
            model,
            machine: Machine::new(model, setup.eval),
            state: vec![0; layout.slots()],
            memo: Memo::new(layout.words()),
            layout,
            instances: Instances::new(model),
            canonical: setup.canonical,
            reached: vec![false; model.properties.len()],
            fired_by_rule: vec![0; model.rules.len()],
        }
    }

    /// Tries one instance, whatever the priorities of others.
    pub(super) fn step(&mut self, instance: Instance, state: &[u64]) -> Eval<Step> {
        self.layout.unpack(state, &mut self.state);
        self.machine.step(&self.state, instance)
    }

    /// The first instance of a property that is false (for covers: true) in a state.
    pub(super) fn property(&mut self, at: usize, state: &[u64]) -> Eval<Option<u64>> {
        self.layout.unpack(state, &mut self.state);
        self.judge(&self.model.properties[at])
    }

    /// Takes the canonical form of all successors, with a quicker way to unpack and pack them where there is one.
    pub(super) fn canonicalise(&mut self, out: &mut Expansion, packing: Option<&dyn Packing>) {
        let Some(canonical) = &mut self.canonical else { return };
        let packing = packing.unwrap_or(&self.layout);
        for words in out.states.chunks_exact_mut(self.layout.words()) {
            self.memo.replace(words, |words| {
                packing.unpack(words, &mut self.state);
                if canonical.canonicalise(&mut self.state) {
                    packing.pack(&self.state, words);
                }
            });
        }
    }

    /// Evaluates one property in the state unpacked last.
    fn judge(&mut self, property: &'m Property) -> Eval<Option<u64>> {
        match property.kind {
            PropertyKind::Cover => self.machine.witness(&self.state, property),
            _ => self.machine.violation(&self.state, property),
        }
    }
}

impl Steps for Interpreter<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn instances(&self) -> &Instances {
        &self.instances
    }

    fn starts(&mut self, out: &mut Expansion) {
        out.clear();
        for at in 0..self.model.starts.len() {
            for index in 0..self.model.instances(&self.model.starts[at]) {
                let number = self.instances.start_number(at, index);
                match self.machine.start(at, index) {
                    Ok(Some(mut state)) => push(&self.layout, &mut self.canonical, &mut state, number, out),
                    Ok(None) => {}
                    Err(fault) => out.faults.push((number, fault)),
                }
            }
        }
        out.take_hashes(self.layout.words());
    }

    fn expand(&mut self, state: &[u64], out: &mut Expansion) {
        out.clear();
        self.layout.unpack(state, &mut self.state);
        let (before, canonical, layout) = (&self.state, &mut self.canonical, &self.layout);
        let (instances, fired_by_rule) = (&self.instances, &mut self.fired_by_rule);
        self.machine.successors(before, |instance, step| {
            let number = instances.number(instance);
            match step {
                Ok(Step::Next(mut next)) => {
                    out.fired += 1;
                    fired_by_rule[instance.rule.0 as usize] += 1;
                    if *next != **before {
                        push(layout, canonical, &mut next, number, out);
                    }
                }
                Ok(Step::Disabled | Step::Assumed) => {}
                Err(fault) => out.faults.push((number, fault)),
            }
        });
        out.take_hashes(layout.words());
    }

    fn peek(&mut self, state: &[u64], out: &mut Expansion) {
        let counted = self.fired_by_rule.clone();
        self.expand(state, out);
        self.fired_by_rule = counted;
    }

    fn assumed(&mut self, state: &[u64]) -> Result<bool, Violation> {
        let model = self.model;
        self.layout.unpack(state, &mut self.state);
        for (at, property) in model.properties.iter().enumerate() {
            if property.kind != PropertyKind::Assume {
                continue;
            }
            match self.judge(property) {
                Ok(None) => {}
                Ok(Some(_)) => return Ok(false),
                Err(fault) => return Err(Violation { property: at as u32, how: Broken::Fault(fault) }),
            }
        }
        Ok(true)
    }

    fn check(&mut self, state: &[u64], found: &mut Vec<Violation>) {
        let model = self.model;
        self.layout.unpack(state, &mut self.state);
        for (at, property) in model.properties.iter().enumerate() {
            let cover = property.kind == PropertyKind::Cover;
            if !(property.kind == PropertyKind::Invariant || cover && !self.reached[at]) {
                continue;
            }
            let how = match self.judge(property) {
                Ok(None) => continue,
                Ok(Some(_)) if cover => {
                    self.reached[at] = true;
                    continue;
                }
                Ok(Some(index)) => Broken::False { index },
                Err(fault) => Broken::Fault(fault),
            };
            found.push(Violation { property: at as u32, how });
        }
    }

    fn predicate(&mut self, which: Predicate, index: u64, state: &[u64]) -> Result<Option<bool>, Box<Fault>> {
        let Some((binders, cells, expr)) = which.find(self.model) else { return Ok(None) };
        self.layout.unpack(state, &mut self.state);
        self.machine.predicate(&self.state, binders, cells, index, expr)
    }

    fn enabled(&mut self, instance: InstanceNo, state: &[u64]) -> Result<bool, Box<Fault>> {
        self.layout.unpack(state, &mut self.state);
        self.machine.enabled(&self.state, self.instances.instance(instance))
    }

    fn loops(&mut self, state: &[u64], out: &mut Vec<InstanceNo>) {
        out.clear();
        self.layout.unpack(state, &mut self.state);
        let (before, instances) = (&self.state, &self.instances);
        self.machine.successors(before, |instance, step| {
            if matches!(step, Ok(Step::Next(next)) if *next == **before) {
                out.push(instances.number(instance));
            }
        });
    }

    fn covered(&self) -> Covered {
        Covered { properties: self.reached.clone(), statements: self.machine.covered().to_vec() }
    }

    fn fired_by_rule(&self) -> &[u64] {
        &self.fired_by_rule
    }
}

fn push(
    layout: &Layout,
    canonical: &mut Option<Box<dyn Canonical>>,
    state: &mut [i64],
    step: InstanceNo,
    out: &mut Expansion,
) {
    if let Some(canonical) = canonical {
        canonical.canonicalise(state);
    }
    let at = out.states.len();
    out.states.resize(at + layout.words(), 0);
    layout.pack(state, &mut out.states[at..]);
    out.steps.push(step);
}
