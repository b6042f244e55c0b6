//! What a search found, and the report made of it.
//!
//! Violations are kept with their traces, as many as are asked for; breadth-first order makes the first
//! of each check a shortest one. Where a check is violated more than once, it is listed more than once.
//! A check that saw no violation holds only if the search was complete.

use super::brute::{Options, SymmetryMode};
use crate::ir::eval::{Fault, Machine};
use crate::ir::print_state::{Difference, differences};
use crate::ir::{Instance, Model, PropertyKind, Rule, RuleId, UNDEFINED};
use crate::verdict::{
    Change, Check, CheckKind, Counts, Ending, Lasso, Report, StepRef, Trace, TraceStep, Verdict,
};

/// How many violations are kept with their traces; more are only counted.
const KEPT_MAX: usize = 1_000;

#[derive(Default)]
pub struct Outcome {
    /// With the number of the property, where one is violated: names need not be unique.
    violations: Vec<(Option<u32>, Check)>,
    errors: u64,
    reached: Vec<u32>,
    /// Properties that could not be evaluated in some state.
    faulted: Vec<u32>,
    /// Properties that were not decided, and why.
    open: Vec<(u32, String)>,
}

impl Outcome {
    pub fn errors(&self) -> u64 {
        self.errors
    }

    pub fn reached(&self, property: u32) -> bool {
        self.reached.contains(&property)
    }

    pub fn reach(&mut self, property: u32) {
        self.reached.push(property);
    }

    /// Notes a violation, with its trace.
    pub fn note(
        &mut self,
        model: &Model,
        machine: &mut Machine<'_>,
        path: Vec<StepRef>,
        ending: Ending,
        fault: Option<&Fault>,
    ) {
        self.errors += 1;
        if let Ending::PropertyFault { property, .. } = ending {
            self.faulted.push(property);
        }
        let (kind, property, name) = subject(model, &ending, fault);
        let again = self.violations.iter().any(|(p, c)| c.kind == kind && *p == property && c.name == name);
        if again && self.violations.len() >= KEPT_MAX {
            return;
        }
        let reason = reason(model, &ending, fault);
        let trace = build_trace(model, machine, &path, ending);
        let check = Check { kind, name, verdict: Verdict::Violated, reason, trace, lasso: None };
        self.violations.push((property, check));
    }

    /// Notes a response that never comes: steps to a pending state, and the cycle there.
    pub fn note_lasso(
        &mut self,
        model: &Model,
        machine: &mut Machine<'_>,
        path: &[StepRef],
        cycle: &[StepRef],
        ending: Ending,
    ) {
        self.errors += 1;
        let (kind, property, name) = subject(model, &ending, None);
        let reason = reason(model, &ending, None);
        let whole: Vec<StepRef> = path.iter().chain(cycle).copied().collect();
        let lasso = build_trace(model, machine, &whole, ending).map(|mut stem| {
            let cycle = stem.steps.split_off(path.len());
            Lasso { stem, cycle }
        });
        let check = Check { kind, name, verdict: Verdict::Violated, reason, trace: None, lasso };
        self.violations.push((property, check));
    }

    /// Takes the verdict of the violation noted last back, for this reason; its trace stays.
    pub fn doubt(&mut self, reason: &str) {
        if let Some((_, check)) = self.violations.last_mut() {
            check.verdict = Verdict::Unknown;
            let instance = check.reason.take().map_or(String::new(), |instance| format!(" ({instance})"));
            check.reason = Some(format!("{reason}{instance}"));
        }
    }

    /// Leaves a property undecided, whatever else is found.
    pub fn leave_open(&mut self, property: u32, reason: impl Into<String>) {
        self.open.push((property, reason.into()));
    }

    /// The report of a search that did not begin.
    pub fn refused(model: &Model, reason: String) -> Report {
        let mut checks = Vec::new();
        for property in &model.properties {
            if let Some(kind) = kind_of(property.kind) {
                checks.push(undecided(kind, &property.name, &reason));
            }
        }
        Report {
            verdict: Verdict::Unknown,
            reason: Some(reason),
            counts: Counts::default(),
            digest: String::new(),
            checks,
        }
    }

    pub fn report(
        mut self,
        model: &Model,
        options: &Options,
        counts: Counts,
        digest: String,
        covered: &[bool],
        halted: Option<String>,
    ) -> Report {
        let mut checks = Vec::new();
        for (at, property) in model.properties.iter().enumerate() {
            let Some(kind) = kind_of(property.kind) else { continue };
            if let Some(found) = self.take(at as u32) {
                checks.push(found);
                continue;
            }
            let reached = (kind == CheckKind::Cover).then(|| self.reached(at as u32));
            let faulted =
                self.faulted.contains(&(at as u32)).then_some("it could not be evaluated in every state");
            let open =
                self.open.iter().find(|(each, _)| *each == at as u32).map(|(_, reason)| reason.as_str());
            let open = faulted
                .or(unsupported(property.kind, options, &property.binders))
                .or(open)
                .or(halted.as_deref());
            checks.push(close(kind, &property.name, reached, open));
        }
        for (cover, &reached) in model.cover_statements.iter().zip(covered) {
            checks.push(close(CheckKind::Cover, &cover.name, Some(reached), halted.as_deref()));
        }
        if options.deadlock != super::DeadlockMode::Off
            && self.violations.iter().all(|(_, check)| check.kind != CheckKind::Deadlock)
        {
            checks.push(close(CheckKind::Deadlock, "deadlock", None, halted.as_deref()));
        }
        if self.violations.iter().all(|(_, check)| check.kind != CheckKind::Fault) {
            checks.push(close(CheckKind::Fault, "run-time errors", None, halted.as_deref()));
        }
        checks.extend(self.violations.into_iter().map(|(_, check)| check));
        let verdict = Report::conclude(&checks);
        Report { verdict, reason: halted, counts, digest, checks }
    }

    /// The first violation of a property.
    fn take(&mut self, property: u32) -> Option<Check> {
        let at = self.violations.iter().position(|(each, _)| *each == Some(property))?;
        Some(self.violations.remove(at).1)
    }
}

fn kind_of(kind: PropertyKind) -> Option<CheckKind> {
    match kind {
        PropertyKind::Invariant => Some(CheckKind::Invariant),
        PropertyKind::Cover => Some(CheckKind::Cover),
        PropertyKind::Assume => None,
        PropertyKind::AlwaysPossible | PropertyKind::CanGetTo | PropertyKind::LeadsTo => {
            Some(CheckKind::Liveness)
        }
    }
}

/// Why a property cannot be decided by this search, where it cannot.
fn unsupported(kind: PropertyKind, options: &Options, binders: &[crate::ir::Binder]) -> Option<&'static str> {
    match kind {
        PropertyKind::LeadsTo if options.symmetry != SymmetryMode::Off => {
            Some("a response under fairness is not decided under symmetry")
        }
        PropertyKind::AlwaysPossible | PropertyKind::CanGetTo
            if options.symmetry != SymmetryMode::Off && !binders.is_empty() =>
        {
            Some("a liveness property of single instances is not decided under symmetry")
        }
        _ => None,
    }
}

/// A check without a violation.
fn close(kind: CheckKind, name: &str, reached: Option<bool>, undecided_because: Option<&str>) -> Check {
    let (verdict, reason) = match (reached, undecided_because) {
        (Some(true), _) => (Verdict::Holds, None),
        (_, Some(reason)) => (Verdict::Unknown, Some(reason.to_string())),
        (Some(false), None) => {
            (Verdict::Violated, Some("no reachable state or step satisfies it".to_string()))
        }
        (None, None) => (Verdict::Holds, None),
    };
    Check { kind, name: name.to_string(), verdict, reason, trace: None, lasso: None }
}

fn undecided(kind: CheckKind, name: &str, reason: &str) -> Check {
    close(kind, name, None, Some(reason))
}

/// Which check a violation belongs to: its kind, the property's number if it is one's, its name.
fn subject(model: &Model, ending: &Ending, fault: Option<&Fault>) -> (CheckKind, Option<u32>, String) {
    let name = |property: u32| model.properties[property as usize].name.clone();
    match *ending {
        Ending::Property { property, .. } => (CheckKind::Invariant, Some(property), name(property)),
        Ending::Never { property, .. }
        | Ending::Unreachable { property }
        | Ending::Stuck { property, .. }
        | Ending::Round { property, .. } => (CheckKind::Liveness, Some(property), name(property)),
        Ending::Deadlock => (CheckKind::Deadlock, None, "deadlock".to_string()),
        Ending::Fault { .. } | Ending::PropertyFault { .. } | Ending::Reached => {
            (CheckKind::Fault, None, fault.map_or(String::new(), |fault| fault.kind.word().to_string()))
        }
    }
}

fn reason(model: &Model, ending: &Ending, fault: Option<&Fault>) -> Option<String> {
    if let Some(fault) = fault {
        return Some(format!("{}: {}", model.source.locate(fault.span), fault.message));
    }
    match ending {
        Ending::Property { property, index }
        | Ending::Never { property, index }
        | Ending::Stuck { property, index, .. }
        | Ending::Round { property, index, .. } => {
            let property = &model.properties[*property as usize];
            let params = model.instance_params(&property.binders, *index);
            let shown: Vec<String> = params.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            (!shown.is_empty()).then(|| format!("false for {}", shown.join(", ")))
        }
        _ => None,
    }
}

/// Runs the steps again and writes down what they change; none where they cannot be run.
fn build_trace(model: &Model, machine: &mut Machine<'_>, path: &[StepRef], ending: Ending) -> Option<Trace> {
    let mut steps: Vec<TraceStep> = Vec::with_capacity(path.len());
    let mut before = vec![UNDEFINED; model.slots.len()];
    for (at, &step) in path.iter().enumerate() {
        let (rule, next): (&Rule, _) = if at == 0 {
            (&model.starts[step.rule as usize], machine.start(step.rule as usize, step.index).ok()??)
        } else {
            let instance = Instance { rule: RuleId(step.rule), index: step.index };
            match machine.step(&before, instance) {
                Ok(crate::ir::eval::Step::Next(next)) => (model.rule(instance.rule), next),
                _ => return None,
            }
        };
        let change = |d: Difference| Change { slot: d.slot.0, path: d.path, from: d.from, to: d.to };
        let changed = differences(model, &before, &next).into_iter().map(change).collect();
        steps.push(TraceStep {
            rule: rule.name.clone(),
            params: model.instance_params(&rule.binders, step.index),
            step,
            changed,
            state: next.to_vec(),
        });
        before = next.to_vec();
    }
    Some(Trace { steps, ending })
}
