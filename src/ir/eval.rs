//! The slow and obvious interpreter: start states, enabled rules, successors, predicates, with every
//! run-time error of the semantics. It judges every engine.
//!
//! In: a model, options, states as slices of one `i64` a slot. Out: states with multisets in canonical
//! order, or a located `Fault`. Invariant: a state handed in is never changed; the machine works on a copy.
//!
//! Why it terminates: loops and calls are counted against `Options::steps_max` for each rule run, `while`
//! loops against `loop_max`, calls against `call_depth_max` and everything nested against `NESTING_MAX`.
//! Nesting uses the thread's stack: `on_deep_stack` runs a closure where the deepest nesting fits.
//!
//! Differences between CMurphi and Rumur are in `Compat`; by default, what either reports is reported. A
//! model that Rumur cannot run at all is read as CMurphi reads it: undefined values may be copied, and
//! passed to a parameter of the same type.
//! Arguments are passed by copy as in Rumur; CMurphi lets a callee see later writes to the variable passed.

mod call;
mod expr;
mod fault;
mod partial;
mod place;
mod stmt;

pub use expr::arith;
pub use fault::{Fault, FaultKind, Run, Stop};
pub use partial::{Partly, Scope};

use super::expr::ExprId;
use super::model::{Binder, Instance, Model, Property, Rule, UNDEFINED, digits, instance_count};
use super::multiset::normalize_state;
use partial::Attention;
use place::Addr;

/// How deep expressions, statements and calls may nest at run time, all together.
pub const NESTING_MAX: u32 = 20_000;

/// How many cells of locals may be alive at once.
const STACK_CELLS_MAX: usize = 1 << 24;

pub type State = Box<[i64]>;

/// Boxed: faults are rare, results are returned everywhere.
pub type Eval<T> = Result<T, Box<Fault>>;

/// Whose reading is taken where CMurphi and Rumur differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Compat {
    /// Accept what either accepts, report what either reports.
    #[default]
    Strict,
    Cmurphi,
    Rumur,
}

impl Compat {
    /// As in `--compat`.
    pub fn name(self) -> &'static str {
        match self {
            Compat::Strict => "both",
            Compat::Cmurphi => "cmurphi",
            Compat::Rumur => "rumur",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub compat: Compat,
    /// Iterations of one `while` loop; CMurphi's default. Not used under `Compat::Rumur`.
    pub loop_max: u64,
    /// Loop iterations and calls of one rule run, all together.
    pub steps_max: u64,
    pub call_depth_max: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { compat: Compat::Strict, loop_max: 1_000, steps_max: 10_000_000, call_depth_max: 1_000 }
    }
}

/// What came of trying one rule instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The guard does not hold, or the chosen position is empty.
    Disabled,
    /// An `assume` statement was false: the run counts as if it had not been enabled.
    Assumed,
    Next(State),
}

pub struct Machine<'m> {
    pub(crate) model: &'m Model,
    pub(crate) options: Options,
    state: Vec<i64>,
    stack: Vec<i64>,
    /// Where the running frame begins on the stack.
    frame: usize,
    /// Where the running function leaves a result that is not simple.
    result: Addr,
    depth: u32,
    calls: u32,
    steps: u64,
    covered: Vec<bool>,
    /// While a run on a partly known state is watched.
    attention: Option<Box<Attention>>,
}

/// Runs a closure on a thread whose stack is deep enough for any evaluation.
pub use crate::base::stack::deep as on_deep_stack;

impl<'m> Machine<'m> {
    pub fn new(model: &'m Model, options: Options) -> Machine<'m> {
        Machine {
            model,
            options,
            state: vec![UNDEFINED; model.slots.len()],
            stack: Vec::new(),
            frame: 0,
            result: Addr::state(0),
            depth: 0,
            calls: 0,
            steps: 0,
            covered: vec![false; model.cover_statements.len()],
            attention: None,
        }
    }

    /// Whether copying an undefined simple value is no error.
    fn copies_undefined(&self) -> bool {
        match self.options.compat {
            Compat::Strict => self.model.cmurphi_only,
            Compat::Cmurphi => true,
            Compat::Rumur => false,
        }
    }

    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Which `cover` statements have been reached by any run so far.
    pub fn covered(&self) -> &[bool] {
        &self.covered
    }

    /// Runs one instance of start state number `at`; none where an `assume` statement ruled it out.
    pub fn start(&mut self, at: usize, index: u64) -> Eval<Option<State>> {
        let rule = &self.model.starts[at];
        self.state.fill(UNDEFINED);
        Ok(match self.run_rule(rule, index)? {
            Step::Next(state) => Some(state),
            _ => None,
        })
    }

    /// Tries one rule instance in a state, whatever the priorities of others.
    pub fn step(&mut self, state: &[i64], instance: Instance) -> Eval<Step> {
        self.state.copy_from_slice(state);
        let rule = self.model.rule(instance.rule);
        self.run_rule(rule, instance.index)
    }

    /// Whether the guard of an instance holds in a state.
    pub fn enabled(&mut self, state: &[i64], instance: Instance) -> Eval<bool> {
        self.state.copy_from_slice(state);
        let rule = self.model.rule(instance.rule);
        let mut run =
            || Ok(self.enter(&rule.binders, rule.frame.cells, instance.index)? && self.guard(rule)?);
        or_assumed(run(), false)
    }

    /// Tries all instances of the enabled rules with the least priority number, in the order of the text.
    /// Faults are handed over like successors, so that one bad rule does not hide others.
    pub fn successors(&mut self, state: &[i64], mut found: impl FnMut(Instance, Eval<Step>)) {
        let model = self.model;
        let mut priorities: Vec<i64> = model.rules.iter().map(|rule| rule.priority).collect();
        priorities.sort_unstable();
        priorities.dedup();
        // A guard without effects that does not hold leaves the working copy as it was.
        let mut changed = true;
        for priority in priorities {
            let mut any = false;
            for instance in model.all_instances() {
                let rule = model.rule(instance.rule);
                if rule.priority != priority {
                    continue;
                }
                if changed {
                    self.state.copy_from_slice(state);
                }
                let step = self.run_rule(rule, instance.index);
                let disabled = matches!(step, Ok(Step::Disabled));
                changed = !disabled || !rule.guard_pure;
                any |= !disabled;
                found(instance, step);
            }
            if any {
                return;
            }
        }
    }

    /// The first instance of a property's claim that does not hold.
    pub fn violation(&mut self, state: &[i64], property: &'m Property) -> Eval<Option<u64>> {
        self.first_claim(state, property, false)
    }

    /// The first instance of a property's claim that holds.
    pub fn witness(&mut self, state: &[i64], property: &'m Property) -> Eval<Option<u64>> {
        self.first_claim(state, property, true)
    }

    fn first_claim(&mut self, state: &[i64], property: &'m Property, wanted: bool) -> Eval<Option<u64>> {
        let count = instance_count(&property.binders, &self.model.types);
        for index in 0..count {
            let held =
                self.predicate(state, &property.binders, property.frame.cells, index, property.claim)?;
            if held == Some(wanted) {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Evaluates a boolean expression under binders in a state; none where a chosen position is empty.
    pub fn predicate(
        &mut self,
        state: &[i64],
        binders: &'m [Binder],
        cells: u32,
        index: u64,
        expr: ExprId,
    ) -> Eval<Option<bool>> {
        self.state.copy_from_slice(state);
        let mut run = || {
            let bound = self.enter(binders, cells, index)?;
            Ok(if bound { Some(self.eval(expr)? != 0) } else { None })
        };
        or_assumed(run(), None)
    }

    fn run_rule(&mut self, rule: &'m Rule, index: u64) -> Eval<Step> {
        let step = self.attempt(rule, index);
        or_assumed(step, Step::Assumed)
    }

    fn attempt(&mut self, rule: &'m Rule, index: u64) -> Run<Step> {
        if !self.enter(&rule.binders, rule.frame.cells, index)? || !self.guard(rule)? {
            return Ok(Step::Disabled);
        }
        if !rule.guard_pure {
            self.bind_aliases(&rule.binders)?;
        }
        self.block(&rule.body)?;
        normalize_state(self.model, &mut self.state);
        Ok(Step::Next(self.state.as_slice().into()))
    }

    fn guard(&mut self, rule: &'m Rule) -> Run<bool> {
        match rule.guard {
            Some(guard) => Ok(self.eval(guard)? != 0),
            None => Ok(true),
        }
    }

    /// Makes a fresh frame and binds the names of one instance; false where a chosen position is empty.
    fn enter(&mut self, binders: &'m [Binder], cells: u32, index: u64) -> Run<bool> {
        self.stack.clear();
        self.stack.resize(cells as usize, UNDEFINED);
        self.frame = 0;
        (self.depth, self.calls, self.steps) = (0, 0, 0);
        let digits = digits(binders, &self.model.types, index);
        for (binder, digit) in binders.iter().zip(digits) {
            match binder {
                Binder::Param { local, domain, .. } => {
                    self.set_local(*local, domain.value(&self.model.types, digit));
                }
                Binder::Choose { local, set, .. } => {
                    let set = self.address(set)?;
                    if !self.present(set, binder_stride(self.model, binder), digit) {
                        return Ok(false);
                    }
                    self.set_local(*local, digit as i64);
                }
                Binder::AliasPlace { .. } | Binder::AliasValue { .. } => self.bind_alias(binder)?,
            }
        }
        Ok(true)
    }

    fn bind_aliases(&mut self, binders: &'m [Binder]) -> Run<()> {
        for binder in binders {
            self.bind_alias(binder)?;
        }
        Ok(())
    }

    fn bind_alias(&mut self, binder: &'m Binder) -> Run<()> {
        match binder {
            Binder::AliasPlace { local, place, .. } => {
                let addr = self.address(place)?;
                self.set_local(*local, addr.to_cell());
            }
            Binder::AliasValue { local, value, .. } => self.bind_value(*local, *value)?,
            _ => {}
        }
        Ok(())
    }
}

/// Cells from one element of the chosen multiset to the next.
fn binder_stride(model: &Model, binder: &Binder) -> usize {
    let Binder::Choose { set, .. } = binder else { return 1 };
    place::multiset_stride(model, set.ty)
}

/// Turns "an assume was false" into a value.
fn or_assumed<T>(run: Run<T>, assumed: T) -> Eval<T> {
    match run {
        Ok(value) => Ok(value),
        Err(Stop::Assumed) => Ok(assumed),
        Err(Stop::Fault(fault)) => Err(fault),
    }
}
