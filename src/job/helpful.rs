//! The helpful path of a finding, walked by the evaluator: how it fails, and whether that is the property's fault.
//!
//! In: the way to a state with P, in an engine's canonical terms. Out: a real execution to the state and on along the
//! fixed helpful path, with its ending. The path's next orbit is the engine's choice, worked out anew; from the real
//! state, a helpful instance that leads to that orbit is taken. Each real step is a function of the real state, and there
//! are finitely many, so a path that is not stuck and does not meet Q closes a real cycle.

use std::collections::HashMap;

use super::engine::Teller;
use crate::audit;
use crate::compile::InstanceNo;
use crate::ir::Instance;
use crate::ir::model::instance_count;
use crate::verdict::{Ending, StepRef};

/// States that the evaluator looks at to be certain that Q is out of reach.
const LOOKED_AT_MAX: usize = 20_000;

/// A path that fails.
pub(super) struct Failing {
    pub steps: Vec<StepRef>,
    pub ending: Ending,
    /// No other helpful steps lead to Q either.
    pub certain: bool,
}

impl Teller<'_> {
    /// The first instance of the property whose path fails from the state that `path` leads to; none where all arrive.
    pub(super) fn failing_path(&mut self, path: &[InstanceNo], property: u32) -> Option<Failing> {
        let (way, state) = self.realise(path);
        let binders = &self.model.properties[property as usize].binders;
        let mut indices = 0..instance_count(binders, &self.model.types);
        indices.find_map(|index| {
            let (claim, target) = self.marks(property, index, &state)?;
            if !claim || target {
                return None;
            }
            let (path, back) = self.follow(property, index, &state)?;
            let from = way.len() as u32 - 1;
            let ending = match back {
                None => Ending::Stuck { property, index, from },
                Some(back) => Ending::Round { property, index, from, back: from + back as u32 },
            };
            let reach = audit::out_of_reach(&mut self.machine, property, index, &state, LOOKED_AT_MAX);
            let steps = way.iter().copied().chain(path).collect();
            Some(Failing { steps, ending, certain: reach == Some(true) })
        })
    }

    fn marks(&mut self, property: u32, index: u64, state: &[i64]) -> Option<(bool, bool)> {
        let property = &self.model.properties[property as usize];
        let cells = property.frame.cells;
        let mut holds = |expr| self.machine.predicate(state, &property.binders, cells, index, expr).ok();
        Some((holds(property.claim)? == Some(true), holds(property.target?)? == Some(true)))
    }

    /// The steps of a path that does not come to Q, and the state (counted from its first) that it comes back to.
    fn follow(&mut self, property: u32, index: u64, from: &[i64]) -> Option<(Vec<StepRef>, Option<usize>)> {
        let mut visited: HashMap<Vec<i64>, usize> = HashMap::from([(from.to_vec(), 0)]);
        let mut real = from.to_vec();
        let mut steps = Vec::new();
        loop {
            let Some((instance, next)) = self.helpful_step(&real) else { return Some((steps, None)) };
            steps.push(StepRef { rule: instance.rule.0, index: instance.index });
            if self.marks(property, index, &next)?.1 {
                return None;
            }
            if let Some(&back) = visited.get(&next) {
                return Some((steps, Some(back)));
            }
            visited.insert(next.clone(), steps.len());
            real = next;
        }
    }

    /// The fixed helpful step of a real state: one to the orbit that its canonical state's first one leads to.
    fn helpful_step(&mut self, real: &[i64]) -> Option<(Instance, Vec<i64>)> {
        let orbit = self.canonical(real);
        let mut chosen: Option<(Instance, Vec<i64>)> = None;
        for (instance, next) in audit::helpful_steps(&mut self.machine, &orbit) {
            let next = self.canonical(&next);
            let other = next != orbit;
            if other || chosen.is_none() {
                chosen = Some((instance, next));
            }
            if other {
                break;
            }
        }
        let (instance, orbit) = chosen?;
        let steps = audit::helpful_steps(&mut self.machine, real);
        let leading = |step: &&(Instance, crate::ir::eval::State)| self.canonical(&step.1) == orbit;
        let mut leading: Vec<_> = steps.iter().filter(leading).collect();
        // The canonical state's own instance, where it leads there from here too.
        leading.sort_by_key(|step| step.0 != instance);
        leading.first().map(|(instance, next)| (*instance, next.to_vec()))
    }
}
