//! Which component each slot is local to: `verify print --stage processes`.
//!
//! In: a model. Out: the processes, which rule belongs to which, and for each slot the one component whose
//! rules touch it, or "shared". Components come from `process` blocks; where there are none, the type that
//! most rules are quantified over first is the process type. Rules of no process are the system's. Start
//! states and properties do not count: they belong to nobody. Cost: one footprint for each rule and
//! component.

use super::footprint::footprint;
use super::model::{Binder, Component, Model, Rule, Slot, digits, instance_count};
use std::fmt::Write;

/// How many components of one process are told apart; beyond, all is shared.
const COMPONENTS_MAX: u64 = 4_096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// No rule touches it.
    Nobody,
    /// Only rules that belong to no process touch it.
    System,
    /// Only the rules of component number `index` of the process touch it.
    Local {
        process: u32,
        index: u64,
    },
    Shared,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub name: String,
    /// The names of its components: `NODE_1`, …
    pub members: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    pub processes: Vec<Process>,
    /// For each rule, its process and the binders that say which component.
    pub rules: Vec<Option<(u32, Vec<usize>)>>,
    /// For each slot.
    pub owners: Vec<Owner>,
}

/// Finds processes and classifies all slots.
pub fn components(model: &Model) -> Components {
    let mut found = Components { processes: Vec::new(), rules: Vec::new(), owners: Vec::new() };
    let inferred = inferred_binders(model);
    for (rule, inferred) in model.rules.iter().zip(inferred) {
        let component = rule.component.clone().or(inferred);
        let of = component.map(|component| (found.process(model, rule, &component), component.binders));
        found.rules.push(of);
    }
    found.owners = vec![Owner::Nobody; model.slots.len()];
    for (at, rule) in model.rules.iter().enumerate() {
        match found.rules[at].clone() {
            None => found.claim(model, rule, &[], Owner::System),
            Some((process, binders)) => found.claim_all(model, rule, process, &binders),
        }
    }
    found
}

/// Without process blocks: for each rule, its first parameter if it is of the process type.
fn inferred_binders(model: &Model) -> Vec<Option<Component>> {
    let first = |rule: &Rule| {
        rule.binders.iter().enumerate().find_map(|(at, binder)| match binder {
            Binder::Param { domain, .. } => Some((at, domain.ty())),
            _ => None,
        })
    };
    let declared = model.rules.iter().any(|rule| rule.component.is_some());
    let mut uses: Vec<(super::types::TypeId, usize)> = Vec::new();
    for (_, ty) in model.rules.iter().filter_map(first) {
        match uses.iter_mut().find(|(each, _)| *each == ty) {
            Some((_, count)) => *count += 1,
            None => uses.push((ty, 1)),
        }
    }
    let most = uses.iter().map(|(_, count)| *count).max();
    let process = uses.iter().find(|(_, count)| Some(*count) == most).map(|(ty, _)| *ty);
    let component = |rule: &Rule| {
        let (at, ty) = first(rule).filter(|_| !declared)?;
        (Some(ty) == process).then(|| Component { process: model.types.describe(ty), binders: vec![at] })
    };
    model.rules.iter().map(component).collect()
}

impl Components {
    fn process(&mut self, model: &Model, rule: &Rule, component: &Component) -> u32 {
        let same = |process: &Process| process.name == component.process;
        if let Some(at) = self.processes.iter().position(same) {
            return at as u32;
        }
        let binders: Vec<Binder> = component.binders.iter().map(|&at| rule.binders[at].clone()).collect();
        let count = instance_count(&binders, &model.types).min(COMPONENTS_MAX);
        let member = |index| {
            let params = model.instance_params(&binders, index);
            params.into_iter().map(|(_, value)| value).collect::<Vec<String>>().join(", ")
        };
        let members = (0..count).map(member).collect();
        self.processes.push(Process { name: component.process.clone(), members });
        self.processes.len() as u32 - 1
    }

    fn claim_all(&mut self, model: &Model, rule: &Rule, process: u32, at: &[usize]) {
        let binders: Vec<Binder> = at.iter().map(|&at| rule.binders[at].clone()).collect();
        let count = instance_count(&binders, &model.types);
        if count > COMPONENTS_MAX {
            return self.claim(model, rule, &[], Owner::Shared);
        }
        for index in 0..count {
            let mut fixed = vec![None; rule.binders.len()];
            for (&at, (binder, digit)) in
                at.iter().zip(binders.iter().zip(digits(&binders, &model.types, index)))
            {
                if let Binder::Param { domain, .. } = binder {
                    fixed[at] = Some(domain.value(&model.types, digit));
                }
            }
            self.claim(model, rule, &fixed, Owner::Local { process, index });
        }
    }

    fn claim(&mut self, model: &Model, rule: &Rule, fixed: &[Option<i64>], owner: Owner) {
        let touched = footprint(model, rule, fixed);
        for slot in touched.reads.iter().chain(touched.writes.iter()) {
            let held = &mut self.owners[slot as usize];
            *held = match *held {
                Owner::Nobody => owner,
                same if same == owner => owner,
                _ => Owner::Shared,
            };
        }
    }

    /// For people: each component with its local slots, then what is shared.
    pub fn print(&self, model: &Model) -> String {
        let mut out = String::new();
        for (at, process) in self.processes.iter().enumerate() {
            let rules =
                self.rules.iter().filter(|of| of.as_ref().is_some_and(|(p, _)| *p == at as u32)).count();
            let _ = writeln!(
                out,
                "process {}: {} components, {rules} rules",
                process.name,
                process.members.len()
            );
            for (index, member) in process.members.iter().enumerate() {
                let owner = Owner::Local { process: at as u32, index: index as u64 };
                let _ = writeln!(out, "  {}[{member}]: {}", process.name, self.paths(model, owner));
            }
        }
        let rules = self.rules.iter().filter(|of| of.is_none()).count();
        let _ = writeln!(out, "system: {rules} rules; {}", self.paths(model, Owner::System));
        let _ = writeln!(out, "shared: {}", self.paths(model, Owner::Shared));
        let _ = writeln!(out, "untouched: {}", self.paths(model, Owner::Nobody));
        out
    }

    fn paths(&self, model: &Model, owner: Owner) -> String {
        let mine =
            |(slot, each): (usize, &Owner)| (*each == owner).then(|| model.slot_path(Slot(slot as u32)));
        let paths: Vec<String> = self.owners.iter().enumerate().filter_map(mine).collect();
        if paths.is_empty() { "nothing".to_string() } else { paths.join(" ") }
    }
}
