//! The check of a certificate set by set: the same obligations as in `certificate.rs`, for thetas that have too many views
//! to be enumerated.
//!
//! In: a model and a certificate. Out: how much was tried, or the first obligation that fails, with a concrete view that
//! the evaluator was asked about once more. It has its own diagrams (`decision.rs`) and its own translation of rules, which
//! asks the evaluator wherever it can (`meaning.rs`); nothing is shared with what finds proofs.
//!
//! A theta is a conjunction of *claims*, mostly of one: what it says of its component, and what it has in common with
//! others. For every rule instance of a component k, with every claim that speaks of a bit that it changes:
//!
//! - own step: where k makes the claim itself, theta(k) and the rule's condition entail it after the step;
//! - interference: elsewhere, for every component i that makes it, theta(k), theta(i) and the condition do.
//!
//! The first entails the second for all who make the same claim, since what is given is less; so claims in common cost
//! one question for each rule, not one for each pair of components. A question walks all sets at once (`follows.rs`); no
//! summary of a component is ever made: its local bits are just not asked by the claim. A question about a small claim is
//! asked with what else is small first, since a walk over what thousands have in common is long. Cost: for each rule
//! instance and claim it touches, at most one step for each combination of nodes that meet. Instances and pieces of
//! properties are dealt out where there are several shares (`share.rs`).

use std::collections::BTreeSet;

use fxhash::FxHashMap;

use super::ask::Names;
use super::certificate::{Checked, Failure, Obligation, enumerated, failure, looks_large};
use super::decision::{ALL, Enough, Limit, May, NONE, Set, Sets};
use super::follows::{Path, counterexample, is_empty};
use super::form::composed;
use super::meaning::{Effect, Meaning};
use super::share::{self, Refused, Share, size};
use super::views::{Composition, Locals, Move, Shared};
use crate::ir::eval::Options;
use crate::ir::{Instance, Model, Slot, Type};
use crate::verdict::certificate::{Certificate, Node, Variable};

/// How much the check may take.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    pub bytes: u64,
    /// Says why to stop, if so.
    pub stop: &'a (dyn Fn() -> Option<String> + Sync),
}

/// Bytes of memory for each node: itself, its place in the table, results that are kept.
const NODE_BYTES: u64 = 96;

/// Checks all obligations with sets.
pub fn check(
    model: &Model,
    certificate: &Certificate,
    options: Options,
    budget: Budget,
) -> Result<Checked, Failure> {
    check_share(model, certificate, options, budget, Share::WHOLE).map_err(|refused| *refused.failure)
}

/// Checks a share of all obligations.
pub fn check_share(
    model: &Model,
    certificate: &Certificate,
    options: Options,
    budget: Budget,
    share: Share,
) -> Result<Checked, Refused> {
    composed(model, certificate, options, |composition| {
        Ok(composed_share(composition, certificate, budget, share))
    })?
}

/// The same where the data were looked at.
fn composed_share(
    composition: Composition<'_>,
    certificate: &Certificate,
    budget: Budget,
    share: Share,
) -> Result<Checked, Refused> {
    let nodes_max = (budget.bytes / NODE_BYTES).min(u64::from(u32::MAX)) as usize;
    let stop = || (budget.stop)();
    let sets = Sets::new(Limit { nodes_max, stop: &stop });
    let mut checker = Checker::new(composition, certificate, sets, share)?;
    checker.run(certificate)?;
    Ok(checker.checked)
}

/// View by view where there are at most `views_max`, else a share set by set; what is more likely to do is tried first.
pub fn check_either(
    model: &Model,
    certificate: &Certificate,
    options: Options,
    views_max: usize,
    budget: Budget,
    share: Share,
) -> Result<Checked, Refused> {
    let is_size = |failure: &Failure| failure.obligation == Obligation::Size;
    composed(model, certificate, options, |composition| {
        let by_sets = |composition| composed_share(composition, certificate, budget, share);
        let large = looks_large(&composition, certificate, views_max);
        let first = large.then(|| by_sets(composition.again()));
        match first {
            Some(Err(refused)) if !is_size(&refused.failure) => return Ok(Err(refused)),
            Some(Ok(checked)) => return Ok(Ok(checked)),
            _ => {}
        }
        match enumerated(composition.again(), certificate, views_max) {
            Err(failure) if is_size(&failure) => Ok(first.unwrap_or_else(|| by_sets(composition))),
            other => Ok(Ok(other?)),
        }
    })?
}

/// A set that some thetas are within.
pub(super) struct Claim {
    pub set: Set,
    /// Small enough to be put into other sets.
    pub small: bool,
    pub support: Vec<u32>,
    /// The components that claim it, in order.
    pub holders: Vec<usize>,
}

impl Claim {
    fn new(sets: &Sets, set: Set, holder: usize) -> Claim {
        Claim { set, small: sets.size(set) <= SMALL_NODES, support: sets.support(set), holders: vec![holder] }
    }
}

/// Where the slots that a set asks have codes of values; a claim says nothing of other codes.
fn valid(model: &Model, sets: &mut Sets, names: &Names, set: Set) -> May<Set> {
    let slots = sets.support(set).into_iter().filter_map(|each| slot_of(names, each));
    let mut all = ALL;
    for slot in slots.collect::<BTreeSet<u32>>() {
        let valid = names.valid(model, sets, slot)?;
        all = sets.and(all, valid)?;
    }
    Ok(all)
}

pub(super) struct Checker<'a> {
    pub composition: Composition<'a>,
    pub sets: Sets<'a>,
    pub meaning: Meaning<'a>,
    pub claims: Vec<Claim>,
    /// For each component, its claims.
    pub thetas: Vec<Vec<usize>>,
    /// For each variable, the claims that speak of it.
    speaks: FxHashMap<u32, Vec<usize>>,
    /// For each component, its auxiliaries with their predicates, and whether its theta says that they are true to them.
    auxiliaries: Vec<(Vec<(u32, Set)>, bool)>,
    pub share: Share,
    /// Pieces of properties so far, of all shares.
    pub pieces: usize,
    pub checked: Checked,
}

impl<'a> Checker<'a> {
    fn new(
        composition: Composition<'a>,
        certificate: &Certificate,
        sets: Sets<'a>,
        share: Share,
    ) -> Result<Self, Refused> {
        let model = composition.model;
        if model.types.ids().any(|id| matches!(model.types.get(id), Type::Multiset { .. })) {
            return Err(failure(Obligation::Size, None, "the model has multisets").into());
        }
        let mut owner = vec![None; model.slots.len()];
        for (part, of) in composition.partition.parts.iter().enumerate() {
            of.locals.iter().for_each(|&slot| owner[slot as usize] = Some(part));
        }
        let names = Names::new(model, certificate);
        let parts = composition.partition.parts.len();
        let meaning = Meaning::new(model, composition.options, names, owner);
        let mut checker = Checker {
            composition,
            sets,
            meaning,
            claims: Vec::new(),
            thetas: vec![Vec::new(); parts],
            speaks: FxHashMap::default(),
            auxiliaries: vec![(Vec::new(), true); parts],
            share,
            pieces: 0,
            checked: Checked::default(),
        };
        checker.read(certificate).map_err(size)?;
        Ok(checker)
    }

    /// Makes sets of the certificate's nodes, and claims of them.
    fn read(&mut self, certificate: &Certificate) -> Result<(), Enough> {
        let (sets, names) = (&mut self.sets, &self.meaning.names);
        let mut made: Vec<Set> = vec![NONE, ALL];
        for Node(variable, low, high) in &certificate.nodes {
            let number = names.number(certificate.variables[*variable as usize]);
            let condition = sets.literal(number, true)?;
            let set = sets.choose(condition, made[*high as usize], made[*low as usize])?;
            made.push(set);
        }
        let mut claimed: FxHashMap<u32, Option<usize>> = FxHashMap::default();
        for (part, of) in certificate.components.iter().enumerate() {
            for root in BTreeSet::from([of.common, of.theta]) {
                if let Some(known) = claimed.get(&root) {
                    self.thetas[part].extend(known);
                    known.iter().for_each(|&claim| self.claims[claim].holders.push(part));
                    continue;
                }
                let set = valid(self.composition.model, sets, names, made[root as usize])?;
                let set = sets.and(set, made[root as usize])?;
                let next = (set != ALL).then_some(self.claims.len());
                claimed.insert(root, next);
                if next.is_some() {
                    self.thetas[part].extend(next);
                    self.claims.push(Claim::new(sets, set, part));
                }
            }
        }
        for (at, auxiliary) in certificate.auxiliaries.iter().enumerate() {
            let (part, predicate) = (auxiliary.component as usize, made[auxiliary.predicate as usize]);
            self.auxiliaries[part].0.push((names.auxiliaries[at], predicate));
            // Views have values in all slots, also in those that only a predicate asks.
            let set = valid(self.composition.model, sets, names, predicate)?;
            let told = self.thetas[part].iter().any(|&claim| self.claims[claim].set == set);
            if set != ALL && !told {
                self.thetas[part].push(self.claims.len());
                self.claims.push(Claim::new(sets, set, part));
            }
        }
        for (at, claim) in self.claims.iter().enumerate() {
            claim.support.iter().for_each(|&each| self.speaks.entry(each).or_default().push(at));
        }
        for part in 0..self.thetas.len() {
            self.auxiliaries[part].1 = self.is_consistent(part)?;
        }
        Ok(())
    }

    /// Whether the auxiliaries of a component say what its locals say in every view.
    fn is_consistent(&mut self, part: usize) -> Result<bool, Enough> {
        let mark = self.sets.mark();
        for (variable, predicate) in self.auxiliaries[part].0.clone() {
            let said = self.sets.literal(variable, true)?;
            let wrong = self.sets.not(predicate)?;
            let alike = self.sets.choose(said, predicate, wrong)?;
            let small = self.small_of_theta(part, ALL)?;
            if counterexample(&mut self.sets, &[small], alike, &[])?.is_none() {
                continue;
            }
            let theta = self.theta(part);
            if counterexample(&mut self.sets, &theta, alike, &[])?.is_some() {
                return Ok(false);
            }
        }
        self.sets.forget(mark);
        Ok(true)
    }

    /// The sets that a theta is the intersection of.
    pub fn theta(&self, part: usize) -> Vec<Set> {
        self.thetas[part].iter().map(|&claim| self.claims[claim].set).collect()
    }

    /// The part of a set that is within what is small of a theta.
    pub fn small_of_theta(&mut self, part: usize, mut set: Set) -> Result<Set, Enough> {
        for &claim in &self.thetas[part] {
            if self.claims[claim].small {
                set = self.sets.and(set, self.claims[claim].set)?;
            }
        }
        Ok(set)
    }

    /// A set that is within what is small of a theta, and what is large of it: what excludes each other is noticed at once.
    fn within(&mut self, part: usize, set: Set) -> Result<Vec<Set>, Enough> {
        let small = self.small_of_theta(part, set)?;
        let large = self.thetas[part].iter().map(|&claim| &self.claims[claim]).filter(|claim| !claim.small);
        Ok([small].into_iter().chain(large.map(|claim| claim.set)).collect())
    }

    fn run(&mut self, certificate: &Certificate) -> Result<(), Refused> {
        self.initiation()?;
        let partition = self.composition.partition;
        let mut gap = None;
        for (part, of) in partition.parts.iter().enumerate() {
            let mut left = None;
            for at in 0..of.instances.len() {
                // Components are mostly alike: each share gets other rules of the next.
                if self.share.has(part + at) {
                    let mark = self.sets.mark();
                    self.own_step(part, at, &mut left, &mut gap)?;
                    self.sets.forget(mark);
                }
            }
            left.map_or(Ok(()), Err)?;
        }
        gap.map_or(Ok(()), Err)?;
        self.implication(certificate)
    }

    fn initiation(&mut self) -> Result<(), Failure> {
        let starts = self.composition.starts().map_err(|fault| {
            failure(Obligation::RunTimeError, None, format!("a start state fails: {:?}", fault.kind))
        })?;
        for state in &starts {
            let says = |variable: u32| match self.meaning.names.meaning[variable as usize] {
                Variable::Bit { slot, bit } => {
                    let mut code = self.meaning.names.code(slot, state[slot as usize]);
                    code.nth(usize::from(bit)).is_some_and(|(_, is_set)| is_set)
                }
                Variable::Auxiliary(at) => (self.composition.auxiliaries[at as usize].says)(state),
            };
            let lacking = self.claims.iter().filter(|claim| {
                let mut at = claim.set;
                while at > ALL {
                    let variable = self.sets.variable(at);
                    at = self.sets.branch(at, variable, says(variable));
                }
                at == NONE
            });
            if let Some(part) = lacking.map(|claim| claim.holders[0]).min() {
                let (shared, locals) = self.composition.view(state, part);
                let detail = "its theta lacks its view of a start state".to_string();
                return Err(self.failed(Obligation::Initiation, part, &shared, &[(part, locals)], detail));
            }
        }
        Ok(())
    }

    /// Checks all that a rule instance of a component does: errors and gaps in the data are returned, steps out of its own
    /// theta and interference only noted.
    fn own_step(
        &mut self,
        part: usize,
        at: usize,
        left: &mut Option<Refused>,
        gap: &mut Option<Refused>,
    ) -> Result<(), Refused> {
        let instance = self.composition.partition.parts[part].instances[at];
        let effect = self.meaning.effect(&mut self.sets, part, instance).map_err(size)?;
        let failing = self.within(part, effect.fails).map_err(size)?;
        if let Some(path) = counterexample(&mut self.sets, &failing, NONE, &[]).map_err(size)? {
            let told = self.told(Obligation::RunTimeError, part, part, instance, &path);
            return Err(Refused::at(share::errors(part, at), told));
        }
        let given = self.within(part, effect.exists).map_err(size)?;
        if let Some(slot) = effect.outside
            && !is_empty(&mut self.sets, &given).map_err(size)?
        {
            let path = self.composition.model.slot_path(Slot(slot));
            let name = self.composition.partition.parts[part].name.as_str();
            let detail = format!("stores to {path}, which it does not see");
            let rule = Some(self.composition.instance_name(instance).into());
            let told = Failure { rule, ..failure(Obligation::Partition, Some(name), detail) };
            return Err(Refused::at(share::errors(part, at), told));
        }
        let step = self.step(part, effect, given).map_err(size)?;
        let touched = step.change.keys().filter_map(|bit| self.speaks.get(bit)).flatten();
        let touched: BTreeSet<usize> = touched.copied().collect();
        self.checked.steps += 1;
        for claim in touched {
            let own = self.claims[claim].holders.binary_search(&part).is_ok();
            if (own && left.is_some()) || (!own && gap.is_some()) {
                continue;
            }
            if own {
                let path = self.keeps(&step, &[], claim).map_err(size)?;
                *left = path.map(|path| {
                    let told = self.told(Obligation::OwnStep, part, part, instance, &path);
                    Refused::at(share::own_steps(part, at), told)
                });
                continue;
            }
            // What is given here is less than what any holder's theta says.
            if self.keeps(&step, &[self.claims[claim].set], claim).map_err(size)?.is_none() {
                self.checked.interferences += 1;
                continue;
            }
            for holder in self.claims[claim].holders.clone() {
                self.checked.interferences += 1;
                let also = self.theta(holder);
                if let Some(path) = self.keeps(&step, &also, claim).map_err(size)? {
                    let told = self.told(Obligation::Interference, holder, part, instance, &path);
                    *gap = Some(Refused::at(share::interference(part, at), told));
                    break;
                }
            }
        }
        Ok(())
    }

    /// A rule's step from a theta, ready to be asked about.
    fn step(&mut self, part: usize, effect: Effect, given: Vec<Set>) -> Result<Step, Enough> {
        let (auxiliaries, consistent) = self.auxiliaries[part].clone();
        let mut change = effect.change;
        let mut shown = Vec::new();
        for (variable, predicate) in auxiliaries {
            let speaks = self.sets.support(predicate).iter().any(|bit| change.contains_key(bit));
            if speaks || !consistent {
                shown.push((variable, self.sets.after(predicate, &change)?));
            }
        }
        change.extend(shown);
        // What a new value depends on is what bits were before: a bit that is asked so is not fixed in the walk.
        let asked = change.values().flat_map(|&set| self.sets.support(set));
        let asked: BTreeSet<u32> = asked.collect();
        let (mut fixed, mut varying) = (Vec::new(), FxHashMap::default());
        for (&bit, &set) in &change {
            match set <= ALL && !asked.contains(&bit) {
                true => fixed.push((bit, set == ALL)),
                false => drop(varying.insert(bit, set)),
            }
        }
        fixed.sort_unstable();
        Ok(Step { given, change, fixed, varying })
    }

    /// A view from which a step leads out of a claim, where other sets are given besides.
    fn keeps(&mut self, step: &Step, also: &[Set], claim: usize) -> Result<Option<Path>, Enough> {
        let Claim { set, small, .. } = self.claims[claim];
        let claimed = self.sets.after(set, &step.varying)?;
        if small {
            let given = [step.given[0], if also.is_empty() { ALL } else { set }];
            if counterexample(&mut self.sets, &given, claimed, &step.fixed)?.is_none() {
                return Ok(None);
            }
        }
        let given: Vec<Set> = step.given.iter().chain(also).copied().collect();
        counterexample(&mut self.sets, &given, claimed, &step.fixed)
    }

    /// The failure of an obligation of `part` by a step of another, or its own; the step is taken by the evaluator.
    fn told(
        &mut self,
        obligation: Obligation,
        part: usize,
        stepping: usize,
        instance: Instance,
        path: &Path,
    ) -> Failure {
        let (shared, own) = self.view(path, part);
        let (_, stepping_locals) = self.view(path, stepping);
        let steps = self.composition.steps(&shared, &stepping_locals, stepping);
        let taken = steps.into_iter().find(|(each, _)| *each == instance).map(|(_, step)| step);
        let to = match &taken {
            Some(Move::To(to, with)) => {
                let with = if part == stepping { with } else { &own };
                Some(self.composition.show(to, &[(part, with)]).into())
            }
            _ => None,
        };
        let detail = match (obligation, taken) {
            (Obligation::RunTimeError, Some(Move::Fault(fault))) => format!("fails: {:?}", fault.kind),
            (Obligation::OwnStep, Some(Move::To(..))) => "leaves its theta".to_string(),
            (Obligation::Interference, Some(Move::To(..))) => {
                "of another component takes it out of its theta".to_string()
            }
            // That would be a mistake of the translation; it is refused all the same.
            _ => "does not do in this view what its translation does".to_string(),
        };
        let failed = self.failed(obligation, part, &shared, &[(part, own)], detail);
        let rule = Some(self.composition.instance_name(instance).into());
        Failure { rule, to, ..failed }
    }

    pub fn failed(
        &self,
        obligation: Obligation,
        part: usize,
        shared: &Shared,
        locals: &[(usize, Locals)],
        detail: String,
    ) -> Failure {
        let locals: Vec<(usize, &[i64])> = locals.iter().map(|(part, with)| (*part, &**with)).collect();
        let state = Some(self.composition.show(shared, &locals));
        let name = self.composition.partition.parts[part].name.as_str();
        Failure { state, ..failure(obligation, Some(name), detail) }
    }

    /// The view of a component that a path leads to; what the path leaves open is undefined and false.
    pub fn view(&self, path: &Path, part: usize) -> (Shared, Locals) {
        let known: FxHashMap<u32, bool> = path.iter().copied().collect();
        let says = |variable: u32| known.get(&variable).copied().unwrap_or(false);
        let names = &self.meaning.names;
        let partition = self.composition.partition;
        let slots = partition.shared.iter().map(|&slot| names.value(slot, says));
        let shared = slots.chain(names.auxiliaries.iter().map(|&variable| i64::from(says(variable))));
        let locals = partition.parts[part].locals.iter().map(|&slot| names.value(slot, says));
        (shared.collect(), locals.collect())
    }
}

/// Nodes up to which a set is small.
const SMALL_NODES: usize = 64;

/// A rule's step from a theta.
struct Step {
    /// Where it is taken; first what is small of that.
    given: Vec<Set>,
    change: FxHashMap<u32, Set>,
    /// Bits that get a constant, in order, and that no new value depends on.
    fixed: Vec<(u32, bool)>,
    /// The others.
    varying: FxHashMap<u32, Set>,
}

/// The slot that a variable is a bit of.
pub(super) fn slot_of(names: &Names, variable: u32) -> Option<u32> {
    match names.meaning[variable as usize] {
        Variable::Bit { slot, .. } => Some(slot),
        Variable::Auxiliary(_) => None,
    }
}
