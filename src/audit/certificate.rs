//! The check of a certificate by enumeration: a split invariant is taken at its word, view by view.
//!
//! In: a model and a certificate. Out: how much was tried, or the first obligation that fails, with the component
//! and a concrete state. The obligations, after the form of the data itself:
//!
//! - partition: every slot stands once, and a local slot is touched by its component's rules alone;
//! - auxiliary: each predicate is over locals of one component;
//! - initiation: every component's view of every start state is in its theta;
//! - own step: a component's steps from its theta lead into it, and none ends in a run-time error;
//! - interference: what a component's steps from its theta do to the shared part leaves every other theta valid;
//! - implication: the properties hold in every state that agrees with all thetas.
//!
//! Together they make the conjunction of the thetas an inductive invariant (Cohen, Namjoshi, "Local proofs for
//! linear-time properties of concurrent programs", CAV 2008, 3.1). Nothing is believed that the certificate says
//! about how it was made. Cost: one evaluation of each own instance for each view, one lookup for each pair of a
//! summary's step and a view of another component. What is too large to be enumerated fails as such, and
//! `setwise.rs` takes over; it never passes.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::diagram::{self, Cube, Walk};
use super::form::composed;
use super::implication::counterexample;
use super::views::{Composition, Locals, Move, Shared, Views, contains, insert};
use crate::ir::eval::Options;
use crate::ir::{Instance, Model, Slot, UNDEFINED};
use crate::verdict::certificate::{Certificate, Variable};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Obligation {
    Form,
    Partition,
    Auxiliary,
    /// Not a flaw of the certificate: there is too much to enumerate.
    Size,
    Initiation,
    OwnStep,
    RunTimeError,
    Interference,
    Implication,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub obligation: Obligation,
    pub component: Option<String>,
    /// The rule instance whose step breaks it.
    pub rule: Option<Box<str>>,
    /// A view or state in which the obligation fails.
    pub state: Option<String>,
    /// Where the step leads.
    pub to: Option<Box<str>>,
    /// What is wrong; where there is a rule, of what it does.
    pub detail: String,
}

/// How much was tried; set by set (`setwise`), steps are those of rule instances, each from all views at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// None where there was no need to enumerate them.
    pub views: Option<usize>,
    pub steps: usize,
    pub interferences: usize,
    pub properties: usize,
}

impl Obligation {
    pub fn name(self) -> &'static str {
        match self {
            Obligation::Form => "form",
            Obligation::Partition => "partition",
            Obligation::Auxiliary => "auxiliary",
            Obligation::Size => "size",
            Obligation::Initiation => "initiation",
            Obligation::OwnStep => "own step",
            Obligation::RunTimeError => "run-time error",
            Obligation::Interference => "interference",
            Obligation::Implication => "implication",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{}", self.obligation.name())?;
        if let Some(component) = &self.component {
            write!(out, " of {component}")?;
        }
        let rule = self.rule.as_ref().map_or(String::new(), |rule| format!("rule {rule} "));
        write!(out, ": {rule}{}", self.detail)?;
        for (word, state) in [("in", self.state.as_deref()), ("to", self.to.as_deref())] {
            if let Some(state) = state {
                write!(out, "; {word} {state}")?;
            }
        }
        Ok(())
    }
}

pub(super) fn failure(obligation: Obligation, component: Option<&str>, detail: impl Into<String>) -> Failure {
    let component = component.map(str::to_string);
    Failure { obligation, component, rule: None, state: None, to: None, detail: detail.into() }
}

/// Checks all obligations; at most `views_max` views and as many states of properties are enumerated.
pub fn check(
    model: &Model,
    certificate: &Certificate,
    options: Options,
    views_max: usize,
) -> Result<Checked, Failure> {
    composed(model, certificate, options, |composition| enumerated(composition, certificate, views_max))
}

/// The same where the data were looked at.
pub(super) fn enumerated(
    composition: Composition<'_>,
    certificate: &Certificate,
    views_max: usize,
) -> Result<Checked, Failure> {
    let mut checker = Checker { composition, thetas: Vec::new(), checked: Checked::default(), views_max };
    checker.run(certificate)?;
    Ok(checker.checked)
}

/// Whether there seem to be more views than so many: each path through a theta, or through what is common, is at least one,
/// with any value of what is not asked. Common paths may exclude those of a theta, so this is a guess.
pub(super) fn looks_large(
    composition: &Composition<'_>,
    certificate: &Certificate,
    views_max: usize,
) -> bool {
    let (model, partition) = (composition.model, composition.partition);
    let paths = diagram::paths(certificate);
    let mut left = views_max as u64;
    for (of, part) in certificate.components.iter().zip(&partition.parts) {
        let mut asked = diagram::support(certificate, of.theta);
        asked.extend(diagram::support(certificate, of.common));
        let (mut slots, mut auxiliaries) = (BTreeSet::new(), BTreeSet::new());
        for variable in asked {
            match certificate.variables[variable as usize] {
                Variable::Bit { slot, .. } => slots.insert(slot),
                Variable::Auxiliary(at) => auxiliaries.insert(at),
            };
        }
        let free = partition.shared.iter().chain(&part.locals).filter(|slot| !slots.contains(slot));
        let values = free.map(|&slot| model.types.count(model.slots[slot as usize].ty).saturating_add(1));
        let flags = (certificate.auxiliaries.len() - auxiliaries.len()).min(u64::BITS as usize);
        let unasked = values.chain((0..flags).map(|_| 2)).fold(1, u64::saturating_mul);
        let least = paths[of.theta as usize].max(paths[of.common as usize]).saturating_mul(unasked);
        match left.checked_sub(least) {
            Some(rest) => left = rest,
            None => return true,
        }
    }
    false
}

struct Checker<'a> {
    composition: Composition<'a>,
    thetas: Vec<Views>,
    checked: Checked,
    views_max: usize,
}

impl Checker<'_> {
    fn run(&mut self, certificate: &Certificate) -> Result<(), Failure> {
        let alive = diagram::alive(certificate);
        let mut left = self.views_max;
        for part in 0..certificate.components.len() {
            let theta = self.enumerate(certificate, &alive, part, &mut left)?;
            *self.checked.views.get_or_insert_default() += super::views::size(&theta);
            self.thetas.push(theta);
        }
        self.initiation()?;
        let mut summaries = Vec::new();
        for part in 0..self.thetas.len() {
            summaries.push(self.own_steps(part)?);
        }
        for part in 0..self.thetas.len() {
            self.interference(part, &summaries)?;
        }
        self.implication(certificate)
    }

    fn failed(&self, obligation: Obligation, part: usize, view: (&[i64], &[i64]), detail: String) -> Failure {
        let state = self.composition.show(view.0, &[(part, view.1)]);
        let name = self.composition.partition.parts[part].name.as_str();
        Failure { state: Some(state), ..failure(obligation, Some(name), detail) }
    }

    /// All views of a theta.
    fn enumerate(
        &self,
        certificate: &Certificate,
        alive: &[bool],
        part: usize,
        left: &mut usize,
    ) -> Result<Views, Failure> {
        let mut views = Views::new();
        let steps = self.views_max.saturating_mul(certificate.variables.len() + 2);
        let mut walk = Walk { certificate, alive, steps, cube: Cube::new() };
        let mut found = |cube: &Cube| self.expand(cube, part, left, &mut views);
        let of = &certificate.components[part];
        let all = walk.paths(of.theta, &[of.common], &mut found);
        if all {
            return Ok(views);
        }
        let name = self.composition.partition.parts[part].name.as_str();
        let detail = format!("its theta has too many views to be enumerated (at most {})", self.views_max);
        Err(failure(Obligation::Size, Some(name), detail))
    }

    /// All views that agree with a path; false where they are more than `left`.
    fn expand(&self, cube: &Cube, part: usize, left: &mut usize, views: &mut Views) -> bool {
        let partition = self.composition.partition;
        let slots =
            |slots: &[u32]| slots.iter().map(|&slot| self.values(cube, slot)).collect::<Option<Vec<_>>>();
        let either = |at: usize| match cube.get(&Variable::Auxiliary(at as u32)) {
            Some(&said) => vec![i64::from(said)],
            None => vec![0, 1],
        };
        let seen = (slots(&partition.shared), slots(&partition.parts[part].locals));
        let (Some(mut shared), Some(locals)) = seen else { return false };
        shared.extend((0..self.composition.auxiliaries.len()).map(either));
        let count =
            shared.iter().chain(&locals).fold(1usize, |product, each| product.saturating_mul(each.len()));
        if count > *left {
            return false;
        }
        *left -= count;
        let locals = product(&locals);
        for shared in product(&shared) {
            for with in &locals {
                insert(views, shared.clone(), with.clone());
            }
        }
        true
    }

    /// The values of a slot whose codes agree with a path; none where its type has too many to try.
    fn values(&self, cube: &Cube, slot: u32) -> Option<Vec<i64>> {
        let types = &self.composition.model.types;
        let ty = self.composition.model.slots[slot as usize].ty;
        let (first, count) = (types.first(ty), types.count(ty));
        let bits: Vec<(u8, bool)> = (0..u64::BITS as u8)
            .filter_map(|bit| Some((bit, *cube.get(&Variable::Bit { slot, bit })?)))
            .collect();
        let agrees = |code: &u64| bits.iter().all(|&(bit, set)| (code >> bit & 1 == 1) == set);
        let value = |code| if code == 0 { UNDEFINED } else { first.wrapping_add_unsigned(code - 1) };
        (count < self.views_max as u64).then(|| (0..=count).filter(agrees).map(value).collect())
    }

    fn initiation(&mut self) -> Result<(), Failure> {
        let starts = self.composition.starts().map_err(|fault| {
            failure(Obligation::RunTimeError, None, format!("a start state fails: {:?}", fault.kind))
        })?;
        for state in &starts {
            for (part, theta) in self.thetas.iter().enumerate() {
                let (shared, locals) = self.composition.view(state, part);
                if !contains(theta, &shared, &locals) {
                    let detail = "its theta lacks its view of a start state".to_string();
                    return Err(self.failed(Obligation::Initiation, part, (&shared, &locals), detail));
                }
            }
        }
        Ok(())
    }

    /// Tries all own steps of a component; what they do to the shared part comes back, each with one example. Errors are
    /// told before steps that leave theta, wherever they are met.
    fn own_steps(&mut self, part: usize) -> Result<Vec<(Shared, Shared, Instance)>, Failure> {
        let mut known: BTreeSet<(Shared, Shared)> = BTreeSet::new();
        let mut summary = Vec::new();
        let mut gap = None;
        let views: Vec<(Shared, Locals)> = self.thetas[part]
            .iter()
            .flat_map(|(shared, with)| with.iter().map(move |locals| (shared.clone(), locals.clone())))
            .collect();
        for (shared, locals) in &views {
            for (instance, step) in self.composition.steps(shared, locals, part) {
                self.checked.steps += 1;
                let (obligation, there, detail) = match step {
                    Move::To(to, with) => {
                        if contains(&self.thetas[part], &to, &with) {
                            if known.insert((shared.clone(), to.clone())) {
                                summary.push((shared.clone(), to, instance));
                            }
                            continue;
                        }
                        let there = self.composition.show(&to, &[(part, &with)]);
                        (Obligation::OwnStep, Some(there.into()), "leaves its theta".to_string())
                    }
                    Move::Fault(fault) => {
                        (Obligation::RunTimeError, None, format!("fails: {:?}", fault.kind))
                    }
                    Move::Outside(slot) => {
                        let path = self.composition.model.slot_path(Slot(slot));
                        (Obligation::Partition, None, format!("stores to {path}, which it does not see"))
                    }
                };
                let failed = self.failed(obligation, part, (shared, locals), detail);
                let rule = Some(self.composition.instance_name(instance).into());
                let failed = Failure { rule, to: there, ..failed };
                if obligation != Obligation::OwnStep {
                    return Err(failed);
                }
                gap.get_or_insert(failed);
            }
        }
        gap.map_or(Ok(summary), Err)
    }

    fn interference(
        &mut self,
        part: usize,
        summaries: &[Vec<(Shared, Shared, Instance)>],
    ) -> Result<(), Failure> {
        let others = summaries.iter().enumerate().filter(|(other, _)| *other != part);
        for (from, to, instance) in others.flat_map(|(_, summary)| summary) {
            for locals in self.thetas[part].get(from).into_iter().flatten() {
                self.checked.interferences += 1;
                if !contains(&self.thetas[part], to, locals) {
                    let rule = Some(self.composition.instance_name(*instance).into());
                    let there = Some(self.composition.show(to, &[(part, locals)]).into());
                    let detail = "of another component takes it out of its theta".to_string();
                    let failed = self.failed(Obligation::Interference, part, (from, locals), detail);
                    return Err(Failure { rule, to: there, ..failed });
                }
            }
        }
        Ok(())
    }

    fn implication(&mut self, certificate: &Certificate) -> Result<(), Failure> {
        for implied in &certificate.implied {
            let property = &self.composition.model.properties[implied.property as usize];
            let found = counterexample(&self.composition, &self.thetas, property, self.views_max)
                .map_err(|why| failure(Obligation::Size, None, format!("{}: {why}", implied.name)))?;
            if let Some(found) = found {
                let locals: Vec<(usize, &[i64])> =
                    found.locals.iter().map(|(at, with)| (*at, &**with)).collect();
                let state = Some(self.composition.show(&found.shared, &locals));
                let detail = match found.fault {
                    Some(fault) => format!("{} cannot be evaluated: {:?}", implied.name, fault.kind),
                    None => format!("{} does not follow", implied.name),
                };
                return Err(Failure { state, ..failure(Obligation::Implication, None, detail) });
            }
            self.checked.properties += 1;
        }
        Ok(())
    }
}

/// All rows that take one value from each list.
fn product(lists: &[Vec<i64>]) -> Vec<Box<[i64]>> {
    let mut rows: Vec<Vec<i64>> = vec![Vec::new()];
    for list in lists {
        // Most slots of a long view have one value: rows are not copied for these.
        if let [value] = list[..] {
            rows.iter_mut().for_each(|row| row.push(value));
            continue;
        }
        rows = rows.iter().flat_map(|row| list.iter().map(|value| [&row[..], &[*value]].concat())).collect();
    }
    rows.into_iter().map(Vec::into_boxed_slice).collect()
}
