//! What one rule instance does, as diagrams.
//!
//! In: an instance and a view. Out: the relation between states before and after, over the bits it reads and writes
//! alone: bits it does not write keep their value, and the relation does not mention them for that. Besides: the states
//! where it is tried, where it fails, where it leads on, where it leads elsewhere.
//!
//! Bits whose value cannot change still count as written where the text may store to them.

use super::Trouble;
use super::bdd::Bdd;
use super::execute::Run;
use super::space::{Frame, Side, Space, View, variable};
use crate::ir::eval::Options;
use crate::ir::{Binder, ExprId, Instance, Model};
use std::rc::Rc;

#[derive(Clone)]
pub struct Relation {
    pub instance: Instance,
    /// From the state before to the one after.
    pub steps: Bdd,
    /// The bits it may write, ascending.
    pub writes: Vec<u32>,
    /// The states before that it leads on from.
    pub leads: Bdd,
    /// Those of them that it leads elsewhere from.
    pub moves: Bdd,
    /// The states where the guard is not plainly false.
    pub tried: Bdd,
    pub faults: Bdd,
    pub covered: Vec<(u32, Bdd)>,
    frame: Rc<Frame>,
}

impl Relation {
    pub fn new(
        model: &Model,
        options: Options,
        space: &Space,
        view: &View,
        instance: Instance,
    ) -> Result<Relation, Trouble> {
        let rule = model.rule(instance.rule);
        let store = &space.store;
        let mut run = Run::new(model, options, space, view);
        run.enter(&rule.binders, rule.frame.cells, instance.index)?;
        if let Some(guard) = rule.guard {
            run.path = run.condition(guard)?;
        }
        let tried = run.path.or(&run.fault)?.or(&run.assumed)?;
        if !rule.guard_pure {
            run.bind_aliases(&rule.binders)?;
        }
        if !run.path.is_false() {
            run.body(&rule.body)?;
            run.order_written(rule.span)?;
        }
        let leads = run.path.clone();
        let mut steps = leads.clone();
        let mut moves = store.falsity();
        let mut writes = Vec::new();
        for slot in run.written.iter().rev().copied() {
            let field = view.field(slot).expect("what was stored to is in view");
            let cases = run.within(&run.state[&slot], &leads)?;
            let mut next = store.falsity();
            let mut kept = store.falsity();
            for (value, guard) in &cases {
                next = next.or(&guard.and(&space.is(field, *value, Side::Next)?)?)?;
                kept = kept.or(&guard.and(&space.is(field, *value, Side::Now)?)?)?;
            }
            steps = steps.and(&next)?;
            moves = moves.or(&leads.minus(&kept)?)?;
            writes.extend(field.bits());
            for &(value, bit) in view.flags.get(&slot).into_iter().flatten() {
                let has = cases.iter().find(|(each, _)| *each == value);
                let has = has.map_or(store.falsity(), |(_, guard)| guard.clone());
                let flag = store.variable(variable(bit, Side::Next))?;
                steps = steps.and(&flag.equiv(&has)?)?;
                writes.push(bit);
            }
        }
        writes.sort_unstable();
        let frame = space.frame(&writes)?;
        let (faults, covered) = (run.fault, run.covered);
        Ok(Relation { instance, steps, writes, leads, moves, tried, faults, covered, frame })
    }

    /// A relation of no rule: steps over some written bits.
    pub fn of_steps(space: &Space, steps: Bdd, mut writes: Vec<u32>) -> Result<Relation, Trouble> {
        writes.sort_unstable();
        let (no, yes) = (space.store.falsity(), space.store.truth());
        Ok(Relation {
            instance: Instance { rule: crate::ir::RuleId(u32::MAX), index: 0 },
            frame: space.frame(&writes)?,
            steps,
            writes,
            leads: yes.clone(),
            moves: no.clone(),
            tried: yes,
            faults: no,
            covered: Vec::new(),
        })
    }

    /// The relation is there only for some states before.
    pub fn only(&mut self, states: &Bdd) -> Result<(), Trouble> {
        self.steps = self.steps.and(states)?;
        self.leads = self.leads.and(states)?;
        self.moves = self.moves.and(states)?;
        self.tried = self.tried.and(states)?;
        self.faults = self.faults.and(states)?;
        for (_, covered) in &mut self.covered {
            *covered = covered.and(states)?;
        }
        Ok(())
    }

    /// The states after, of states before.
    pub fn after(&self, states: &Bdd) -> Result<Bdd, Trouble> {
        states.after(&self.steps, &self.frame.now)
    }

    /// The states before, of states after.
    pub fn before(&self, states: &Bdd) -> Result<Bdd, Trouble> {
        states.before(&self.steps, &self.frame.now)
    }
}

/// Where a predicate under binders holds, where it does not, and where it cannot be evaluated.
#[derive(Clone)]
pub struct Predicate {
    pub holds: Bdd,
    pub fails: Bdd,
    pub faults: Bdd,
}

/// Evaluates one instance of a predicate in all states.
pub fn predicate(
    model: &Model,
    options: Options,
    (space, view): (&Space, &View),
    binders: &[Binder],
    cells: u32,
    index: u64,
    expr: ExprId,
) -> Result<Predicate, Trouble> {
    let mut run = Run::new(model, options, space, view);
    run.enter(binders, cells, index)?;
    let holds = run.condition(expr)?;
    let fails = run.path.minus(&holds)?;
    Ok(Predicate { holds, fails, faults: run.fault })
}

/// Evaluates a condition in all states, with known values in some cells of a frame.
pub fn condition(
    model: &Model,
    options: Options,
    (space, view): (&Space, &View),
    cells: u32,
    known: &[(crate::ir::Local, i64)],
    expr: ExprId,
) -> Result<Predicate, Trouble> {
    let mut run = Run::new(model, options, space, view);
    run.enter(&[], cells, 0)?;
    for &(local, value) in known {
        run.set_local(local, vec![(value, space.store.truth())]);
    }
    let holds = run.condition(expr)?;
    let fails = run.path.minus(&holds)?;
    Ok(Predicate { holds, fails, faults: run.fault })
}
