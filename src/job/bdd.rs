//! `--engine bdd` as the job sees it: the reachable set as one decision diagram at rank 0, told as any search is.
//!
//! The set is completed unless a violation ends it early. Ways to violations come from `symbolic::reach`, which walks
//! them with the evaluator; `audit::replay` checks them once more. Of each check one violation is told. Symmetry is
//! not used: states are counted one by one. Liveness is left open.

use super::Refusal;
use crate::audit::{self, DeadlockMode, Outcome};
use crate::ir::eval::{Fault, Machine};
use crate::ir::{Model, PropertyKind, RuleId};
use crate::symbolic::describe::describe;
use crate::symbolic::reach::{Reach, Way};
use crate::symbolic::{Bdd, Trouble, Watch};
use crate::verdict::{Counts, Ending, Report, StepRef};

/// Searches the model; a refusal is the text of what is not taken.
pub fn search(model: &Model, options: &audit::Options, bytes: u64, stop: &Watch) -> Result<Report, String> {
    let mut teller =
        Teller { model, options, told: Outcome::default(), machine: Machine::new(model, options.eval) };
    match Reach::new(model, options.eval, bytes, stop) {
        Err(trouble @ Trouble::Refused { .. }) => Err(trouble.text(model)),
        Err(trouble) => Ok(Outcome::refused(model, trouble.text(model))),
        Ok(mut reach) => {
            let halted = match teller.run(&mut reach, stop) {
                Ok(halted) => halted,
                Err(trouble @ Trouble::Refused { .. }) => return Err(trouble.text(model)),
                Err(trouble) => Some(trouble.text(model)),
            };
            Ok(teller.report(&reach, halted))
        }
    }
}

/// Bytes of diagrams up to which relations are printed.
const PRINTED_BYTES_MAX: u64 = 1 << 30;

/// The variable order and the relation of every rule instance, as text.
pub fn relations(model: &Model, options: crate::ir::eval::Options) -> Result<String, Refusal> {
    describe(model, options, PRINTED_BYTES_MAX).map_err(|trouble| match trouble {
        Trouble::Refused { .. } => Refusal::usage(trouble.text(model)),
        _ => Refusal::environment(trouble.text(model)),
    })
}

struct Teller<'m> {
    model: &'m Model,
    options: &'m audit::Options,
    told: Outcome,
    machine: Machine<'m>,
}

impl<'m> Teller<'m> {
    /// Completes the set and tells what is wrong in it; why it is not complete, where it is not.
    fn run(&mut self, reach: &mut Reach<'m>, stop: &Watch) -> Result<Option<String>, Trouble> {
        for start in &reach.start_faults {
            let step = StepRef { rule: start.start as u32, index: start.index };
            let ending = self.fault_ending(true, step, &start.fault);
            self.told.note(self.model, &mut self.machine, Vec::new(), ending, Some(&start.fault));
        }
        let wrong = self.wrong(reach)?;
        loop {
            if let Some(halted) = self.enough() {
                return Ok(Some(halted));
            }
            let grew = reach.pass(stop)?;
            if self.options.max_states.is_some_and(|max| reach.count(&reach.reached) > u128::from(max)) {
                return Ok(Some(format!("stopped after {} states", reach.count(&reach.reached))));
            }
            let early = grew && self.options.max_errors == 1;
            if early && !self.seen(reach, &wrong)? {
                continue;
            }
            if !grew || early {
                self.tell(reach, &wrong, stop)?;
                return Ok(self.enough());
            }
        }
    }

    fn enough(&self) -> Option<String> {
        (self.told.errors() >= self.options.max_errors).then(|| match self.options.max_errors {
            1 => "stopped at the first violation".to_string(),
            max => format!("stopped after {max} violations"),
        })
    }

    /// For each invariant, the states that violate it and those where it cannot be evaluated.
    fn wrong(&self, reach: &Reach<'m>) -> Result<Vec<(u32, Bdd, Bdd)>, Trouble> {
        let invariants = self.model.properties.iter().enumerate();
        let invariants = invariants.filter(|(_, property)| property.kind == PropertyKind::Invariant);
        invariants
            .map(|(at, _)| {
                let (fails, faults) = reach.violations(at as u32)?;
                Ok((at as u32, fails, faults))
            })
            .collect()
    }

    /// Whether anything wrong was reached.
    fn seen(&self, reach: &Reach<'m>, wrong: &[(u32, Bdd, Bdd)]) -> Result<bool, Trouble> {
        for (_, fails, faults) in wrong {
            if !fails.and(&reach.reached)?.is_false() || !faults.and(&reach.reached)?.is_false() {
                return Ok(true);
            }
        }
        for relation in &reach.relations {
            if !relation.faults.and(&reach.reached)?.is_false() {
                return Ok(true);
            }
        }
        Ok(!reach.arrived.is_empty())
    }

    fn tell(&mut self, reach: &Reach<'m>, wrong: &[(u32, Bdd, Bdd)], stop: &Watch) -> Result<(), Trouble> {
        for (property, fails, faults) in wrong {
            self.tell_property(reach, *property, &fails.and(&reach.reached)?, false, stop)?;
            self.tell_property(reach, *property, &faults.and(&reach.reached)?, true, stop)?;
        }
        for (property, states) in &reach.arrived {
            self.tell_property(reach, *property, states, true, stop)?;
        }
        for relation in &reach.relations {
            let states = relation.faults.and(&reach.reached)?;
            if states.is_false() || self.enough().is_some() {
                continue;
            }
            let way = self.way(reach, &states, stop)?;
            let step = StepRef { rule: relation.instance.rule.0, index: relation.instance.index };
            let fault = self.machine.step(&way.last, relation.instance).expect_err("the rule fails there");
            let ending = self.fault_ending(false, step, &fault);
            self.told.note(self.model, &mut self.machine, path(&way), ending, Some(&fault));
        }
        for (at, property) in self.model.properties.iter().enumerate() {
            match property.kind {
                PropertyKind::Cover if self.covered(reach, at as u32)? => self.told.reach(at as u32),
                PropertyKind::AlwaysPossible | PropertyKind::CanGetTo | PropertyKind::LeadsTo => {
                    self.told.leave_open(at as u32, "the engine bdd does not decide liveness");
                }
                _ => {}
            }
        }
        let dead = self.dead(reach)?;
        if !dead.is_false() && self.enough().is_none() {
            let way = self.way(reach, &dead, stop)?;
            self.told.note(self.model, &mut self.machine, path(&way), Ending::Deadlock, None);
        }
        Ok(())
    }

    fn tell_property(
        &mut self,
        reach: &Reach<'m>,
        property: u32,
        states: &Bdd,
        fault: bool,
        stop: &Watch,
    ) -> Result<(), Trouble> {
        if states.is_false() || self.enough().is_some() {
            return Ok(());
        }
        let way = self.way(reach, states, stop)?;
        let seen = self.machine.violation(&way.last, &self.model.properties[property as usize]);
        assert_eq!(seen.is_err(), fault, "the evaluator sees what the diagram says");
        match seen {
            Ok(index) => {
                let index = index.expect("the diagram says that it is violated");
                let ending = Ending::Property { property, index };
                self.told.note(self.model, &mut self.machine, path(&way), ending, None);
            }
            Err(fault) => {
                let ending = Ending::PropertyFault { property, fault: fault.kind };
                self.told.note(self.model, &mut self.machine, path(&way), ending, Some(&fault));
            }
        }
        Ok(())
    }

    fn way(&self, reach: &Reach<'m>, target: &Bdd, stop: &Watch) -> Result<Way, Trouble> {
        Ok(reach.way(target, stop)?.expect("what was reached has a way from a start state"))
    }

    fn covered(&self, reach: &Reach<'m>, property: u32) -> Result<bool, Trouble> {
        let of = &self.model.properties[property as usize];
        for index in 0..crate::ir::model::instance_count(&of.binders, &self.model.types) {
            if !reach.claim(property, index)?.holds.and(&reach.reached)?.is_false() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The reachable states that count as deadlocks.
    fn dead(&self, reach: &Reach<'m>) -> Result<Bdd, Trouble> {
        let mut dead = reach.reached.clone();
        for relation in &reach.relations {
            dead = match self.options.deadlock {
                DeadlockMode::Off => return Ok(reach.space.store.falsity()),
                DeadlockMode::Stuck => dead.minus(&relation.leads)?,
                DeadlockMode::Stuttering => dead.minus(&relation.moves)?,
            };
            dead = dead.minus(&relation.faults)?;
        }
        Ok(if self.options.deadlock == DeadlockMode::Off { reach.space.store.falsity() } else { dead })
    }

    fn fault_ending(&self, start: bool, step: StepRef, fault: &Fault) -> Ending {
        let rule = match start {
            true => &self.model.starts[step.rule as usize],
            false => self.model.rule(RuleId(step.rule)),
        };
        let params = self.model.instance_params(&rule.binders, step.index);
        Ending::Fault { step, rule: rule.name.clone(), params, fault: fault.kind }
    }

    fn report(self, reach: &Reach<'m>, halted: Option<String>) -> Report {
        let count = |set: Result<Bdd, Trouble>| set.map_or(0, |set| reach.count(&set));
        let small = |count: u128| u64::try_from(count).unwrap_or(u64::MAX);
        let fired = reach.relations.iter().map(|relation| count(relation.leads.and(&reach.reached)));
        let dead = if halted.is_none() { count(self.dead(reach)) } else { 0 };
        let counts = Counts {
            states: small(reach.count(&reach.reached)),
            rules_fired: small(fired.fold(0, u128::saturating_add)),
            deadlocks: small(dead),
            levels: 0,
        };
        let mut covered = vec![false; self.model.cover_statements.len()];
        for (cover, states) in reach.relations.iter().flat_map(|relation| &relation.covered) {
            covered[*cover as usize] |= states.and(&reach.reached).is_ok_and(|states| !states.is_false());
        }
        let also = self.machine.covered();
        covered.iter_mut().zip(also).for_each(|(covered, also)| *covered |= also);
        self.told.report(self.model, self.options, counts, String::new(), &covered, halted)
    }
}

fn path(way: &Way) -> Vec<StepRef> {
    let start = StepRef { rule: way.start.0 as u32, index: way.start.1 };
    let steps = way.steps.iter().map(|instance| StepRef { rule: instance.rule.0, index: instance.index });
    std::iter::once(start).chain(steps).collect()
}
