//! Random walks through a model, to find an execution that goes wrong.
//!
//! In: a model and its components. Out: the steps to a state that violates an invariant, or to a step that fails. Walks become
//! longer, up to a limit, and short again. In every other one only a few components take steps, neighbours or any, and those
//! of which there is one alone: among hundreds, two that are chosen by chance at every step hardly ever meet. With rules of several
//! priorities everybody has to be asked.
//!
//! A glance comes before a proof is begun; longer searches between its rounds. Walks are made by
//! machine code; by the evaluator where a model has very many rule instances, since making code for all of them takes
//! longer than looking at the few that are asked. Then invariants are looked at for those who took steps (`among.rs`).
//! Whoever gets the steps walks them once more with the evaluator, and looks at everything.
//!
//! Cost: for each step of a walk, the guards of those who may take it, and the invariants.

use std::cell::Cell;
use std::time::{Duration, Instant};

use fxhash::FxHashMap;

use super::among::Movers;
use crate::base::prng::Prng;
use crate::compile::{Expansion, InstanceNo, Native, Setup, Steps};
use crate::compose::parts::{Part, Parts};
use crate::ir::eval::{Eval, Fault, Machine, Options, Step};
use crate::ir::model::instance_count;
use crate::ir::{Instance, Model, PropertyKind, RuleId};
use crate::verdict::{Ending, StepRef};

/// Steps of the first walk, and by how many each is longer than the last.
const LENGTH: usize = 20;
/// Lengths before walks are short again.
const LENGTHS: usize = 50;
/// Components that take steps where a few do: as many as this, or one more.
const FEW: usize = 2;
/// Rule instances beyond which no machine code is made.
const INSTANCES_MAX: u32 = 2_000;
/// Steps by machine code between two questions whether to stop.
const STEPS_UNASKED: u64 = 64;

/// Steps of the evaluator that may be spent on making a walk shorter.
const SHORTEN_STEPS: usize = 100_000;

/// The steps to something wrong, as numbers of rules and instances: first the start state's; the last may fail.
pub(super) type Walked = Vec<(u32, u64)>;

/// Whoever walks, from one search for an execution to the next.
pub(super) struct Wanderer<'m> {
    pub model: &'m Model,
    parts: &'m Parts,
    options: Options,
    /// Machine code, and whether it was asked for.
    native: Option<Native<'m>>,
    asked: bool,
    one_priority: bool,
}

impl<'m> Wanderer<'m> {
    pub fn new(model: &'m Model, parts: &'m Parts, options: Options) -> Wanderer<'m> {
        Wanderer { model, parts, options, native: None, asked: false, one_priority: has_one_priority(model) }
    }

    /// A look of at most so many steps, and so long, before anything else is done: many a mistake is found at once.
    pub fn glance(
        &mut self,
        seed: u64,
        (steps, longest): (u64, Duration),
        stop: &dyn Fn() -> Option<String>,
    ) -> Option<Walked> {
        // Making code is not part of the time.
        self.make_code();
        let until = Instant::now() + longest;
        let left = Cell::new(steps / STEPS_UNASKED);
        let enough = || {
            left.set(left.get().saturating_sub(1));
            let over = left.get() == 0 || Instant::now() > until;
            stop().or_else(|| over.then(|| "a glance".to_string()))
        };
        self.wander(seed, &enough)
    }

    fn make_code(&mut self) {
        if !std::mem::replace(&mut self.asked, true) {
            let instances: u64 = self.model.rules.iter().map(|rule| self.model.instances(rule)).sum();
            let setup = Setup { eval: self.options, canonical: None };
            if instances <= u64::from(INSTANCES_MAX) {
                self.native = Native::new(self.model, setup).ok();
            }
        }
    }

    /// Walks until there is a reason to stop.
    pub fn wander(&mut self, seed: u64, stop: &dyn Fn() -> Option<String>) -> Option<Walked> {
        self.make_code();
        let mut prng = Prng::new(seed);
        match self.native.is_some() {
            true => self.by_code(&mut prng, stop),
            false => self.by_evaluator(&mut prng, stop),
        }
    }

    /// Who may take steps in a walk: everybody where this is none.
    fn a_few(&self, walk: usize, prng: &mut Prng) -> Option<Vec<Instance>> {
        if self.one_priority && walk.is_multiple_of(2) { a_few(self.parts, prng) } else { None }
    }

    fn by_code(&mut self, prng: &mut Prng, stop: &dyn Fn() -> Option<String>) -> Option<Walked> {
        let model = self.model;
        let mut native = self.native.take()?;
        let (words, mut asked) = (native.words(), 0u64);
        let mut starts = Expansion::default();
        native.starts(&mut starts);
        let (mut nexts, mut wrong) = (Expansion::default(), Vec::new());
        let mut found = None;
        'walks: for walk in 0.. {
            if starts.steps.is_empty() {
                break;
            }
            let at = prng.index(starts.steps.len());
            let mut state = starts.states[at * words..(at + 1) * words].to_vec();
            let (start, index) = native.instances().start(starts.steps[at]);
            let few = self.a_few(walk, prng).map(|few| {
                let mut some: Vec<InstanceNo> =
                    few.into_iter().map(|each| native.instances().number(each)).collect();
                some.sort_unstable();
                some
            });
            let may = |step: &InstanceNo| few.as_ref().is_none_or(|few| few.binary_search(step).is_ok());
            let mut path = vec![(start as u32, index)];
            for _ in 0..length(walk) {
                asked += 1;
                if asked.is_multiple_of(STEPS_UNASKED) && stop().is_some() {
                    break 'walks;
                }
                native.check(&state, &mut wrong);
                let invariant = |at: u32| model.properties[at as usize].kind == PropertyKind::Invariant;
                let any = wrong.drain(..).any(|violation| invariant(violation.property));
                if any {
                    found = Some(path);
                    break 'walks;
                }
                native.peek(&state, &mut nexts);
                let step = |number: InstanceNo| {
                    let Instance { rule, index } = native.instances().instance(number);
                    (rule.0, index)
                };
                if let Some((number, _)) = nexts.faults.iter().find(|(number, _)| may(number)) {
                    path.push(step(*number));
                    found = Some(path);
                    break 'walks;
                }
                let places: Vec<usize> = (0..nexts.steps.len()).filter(|&at| may(&nexts.steps[at])).collect();
                if places.is_empty() {
                    break;
                }
                let at = places[prng.index(places.len())];
                path.push(step(nexts.steps[at]));
                state.copy_from_slice(&nexts.states[at * words..(at + 1) * words]);
            }
        }
        self.native = Some(native);
        found
    }

    fn by_evaluator(&self, prng: &mut Prng, stop: &dyn Fn() -> Option<String>) -> Option<Walked> {
        let model = self.model;
        let mut machine = Machine::new(model, self.options);
        let mut movers = Movers::new(model, self.parts);
        let starts: Vec<StepRef> = model
            .starts
            .iter()
            .enumerate()
            .flat_map(|(at, rule)| {
                (0..model.instances(rule)).map(move |index| StepRef { rule: at as u32, index })
            })
            .collect();
        for walk in 0.. {
            if stop().is_some() {
                break;
            }
            let start = starts[prng.index(starts.len())];
            let Ok(Some(mut state)) = machine.start(start.rule as usize, start.index) else { continue };
            let few = self.a_few(walk, prng);
            let mut path = vec![(start.rule, start.index)];
            movers.forget();
            for _ in 0..length(walk) {
                if stop().is_some() {
                    return None;
                }
                if movers.see_wrong(&mut machine, &state) {
                    return Some(path);
                }
                let mut nexts = Vec::new();
                let mut found = |instance: Instance, step: Eval<Step>| match step {
                    Ok(Step::Next(next)) => nexts.push((instance, Ok(next))),
                    Err(fault) => nexts.push((instance, Err(fault))),
                    Ok(_) => {}
                };
                match &few {
                    Some(few) => few.iter().for_each(|&each| found(each, machine.step(&state, each))),
                    None => machine.successors(&state, found),
                }
                if nexts.is_empty() {
                    break;
                }
                let (instance, next) = nexts.swap_remove(prng.index(nexts.len()));
                path.push((instance.rule.0, instance.index));
                movers.took(instance);
                match next {
                    Ok(next) => state = next,
                    Err(_) => return Some(path),
                }
            }
        }
        None
    }

    /// Leaves out what a walk does not need: ways that come back to where they began, and then parts, smaller and smaller,
    /// without which the rest still leads to something wrong; again, until nothing changes. For as long as that takes few
    /// steps; nothing where rules have several priorities.
    pub fn shortened(&self, walk: Walked) -> Walked {
        if !self.one_priority {
            return walk;
        }
        let mut machine = Machine::new(self.model, self.options);
        let mut movers = Movers::new(self.model, self.parts);
        steps(&walk).for_each(|step| movers.took(step));
        let mut walk = without_returns(&mut machine, walk);
        let mut left = SHORTEN_STEPS;
        let mut before = usize::MAX;
        while walk.len() < before {
            before = walk.len();
            let mut size = walk.len() / 2;
            while size > 0 {
                // From the end, where fewer steps depend on one. The start state stays.
                let mut end = walk.len();
                while end > 1 {
                    let Some(rest) = left.checked_sub(walk.len()) else { return walk };
                    left = rest;
                    let begin = end.saturating_sub(size).max(1);
                    let without: Walked = [&walk[..begin], &walk[end..]].concat();
                    if leads_to_wrong(&movers, &mut machine, &without) {
                        walk = without_returns(&mut machine, without);
                    }
                    end = begin.min(walk.len());
                }
                size /= 2;
            }
        }
        walk
    }
}

/// Leaves out what is between a state and the same state again.
fn without_returns(machine: &mut Machine<'_>, walk: Walked) -> Walked {
    let Some(&(start, index)) = walk.first() else { return walk };
    let Ok(Some(mut state)) = machine.start(start as usize, index) else { return walk };
    // How long the walk is at each state on it.
    let mut seen = FxHashMap::from_iter([(state.clone(), 1)]);
    let mut kept = vec![(state.clone(), walk[0])];
    for (&step, instance) in walk[1..].iter().zip(steps(&walk)) {
        let Ok(Step::Next(next)) = machine.step(&state, instance) else {
            // The last step fails.
            kept.push((state.clone(), step));
            break;
        };
        state = next;
        match seen.get(&state) {
            Some(&len) => kept.drain(len..).for_each(|(gone, _)| {
                seen.remove(&gone);
            }),
            None => {
                kept.push((state.clone(), step));
                seen.insert(state.clone(), kept.len());
            }
        }
    }
    kept.into_iter().map(|(_, step)| step).collect()
}

/// Whether these steps can be taken one after the other and end in something wrong.
fn leads_to_wrong<'m>(movers: &Movers<'m>, machine: &mut Machine<'m>, walk: &[(u32, u64)]) -> bool {
    let &(start, index) = walk.first().expect("a walk has a start");
    let Ok(Some(mut state)) = machine.start(start as usize, index) else { return false };
    for (at, step) in (2..).zip(steps(walk)) {
        match machine.step(&state, step) {
            Ok(Step::Next(next)) => state = next,
            Ok(_) => return false,
            Err(_) => return at == walk.len(),
        }
    }
    movers.see_wrong(machine, &state)
}

/// The steps of a walk, behind its start.
fn steps(walk: &[(u32, u64)]) -> impl Iterator<Item = Instance> {
    walk[1..].iter().map(|&(rule, index)| Instance { rule: RuleId(rule), index })
}

/// Whether a step may be taken whoever else might take one.
fn has_one_priority(model: &Model) -> bool {
    model.rules.windows(2).all(|pair| pair[0].priority == pair[1].priority)
}

/// Of two walks, one of everybody and one of a few.
fn length(walk: usize) -> usize {
    LENGTH * (walk / 2 % LENGTHS + 1)
}

/// The rule instances of a few components that have others like them, and of all that have not; none where those are all.
fn a_few(parts: &Parts, prng: &mut Prng) -> Option<Vec<Instance>> {
    let alike = |part: &Part| {
        let process = part.member.map(|(process, _)| process);
        let same = |other: &&Part| other.member.map(|(process, _)| process) == process;
        process.is_some() && parts.parts.iter().filter(same).nth(1).is_some()
    };
    let (mut many, alone): (Vec<&Part>, Vec<&Part>) = parts.parts.iter().partition(|&part| alike(part));
    let count = FEW + prng.index(2);
    if many.len() <= count {
        return None;
    }
    // Where components have neighbours, it is these that meet.
    let first = prng.index(2 * many.len());
    let chosen: Vec<&Part> = match first < many.len() {
        true => (0..count).map(|at| many[(first + at) % many.len()]).collect(),
        false => (0..count).map(|_| many.swap_remove(prng.index(many.len()))).collect(),
    };
    Some(chosen.into_iter().chain(alone).flat_map(|part| part.instances.iter().copied()).collect())
}

/// An invariant that a state violates.
pub(super) fn wrong<'m>(
    model: &'m Model,
    machine: &mut Machine<'m>,
    state: &[i64],
) -> Option<(Ending, Option<Box<Fault>>)> {
    for (at, property) in model.properties.iter().enumerate() {
        if property.kind != PropertyKind::Invariant {
            continue;
        }
        let at = at as u32;
        let mut claims = 0..instance_count(&property.binders, &model.types);
        let seen = claims.find_map(|index| {
            let (binders, cells) = (&property.binders, property.frame.cells);
            match machine.predicate(state, binders, cells, index, property.claim) {
                Ok(Some(false)) => Some((Ending::Property { property: at, index }, None)),
                Ok(_) => None,
                Err(fault) => Some((Ending::PropertyFault { property: at, fault: fault.kind }, Some(fault))),
            }
        });
        if seen.is_some() {
            return seen;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::{Constants, lower};
    use crate::syntax::{Source, parse};

    #[test]
    fn walks_are_made_shorter_and_still_lead_there() {
        let text = "var a : 0..9; b : boolean; startstate a := 0; b := false; end;
            rule \"up\" a < 9 ==> a := a + 1; end;
            rule \"down\" a > 0 ==> a := a - 1; end;
            rule \"turn\" true ==> b := !b; end;
            rule \"fail\" a = 3 ==> a := a + 7; end;
            invariant \"not five\" a != 5;";
        let source = Source::new("walk.m", text.to_string());
        let tree = parse(&source).expect("a model");
        let model = lower(&tree, &source, &Constants::none()).expect("a model").model;
        let walk = |rules: &[u32]| -> Walked { [0].iter().chain(rules).map(|&rule| (rule, 0)).collect() };
        let (up, down, turn, fail) = (0, 1, 2, 3);
        let parts = Parts::new(&model).expect("components");
        let wanderer = Wanderer::new(&model, &parts, Options::default());
        let shorter = |rules: &[u32]| wanderer.shortened(walk(rules));
        // Ways back, a way back with something between, and what nobody needs.
        assert_eq!(shorter(&[turn, up, down, up, up, turn, up, down, turn, up, up, up]), walk(&[up; 5]));
        assert_eq!(shorter(&[up, turn, up, down, up, up, turn, fail]), walk(&[up, up, up, fail]));
        let mut machine = Machine::new(&model, Options::default());
        let movers = Movers::new(&model, &parts);
        assert!(!leads_to_wrong(&movers, &mut machine, &walk(&[up, fail])), "it may not step there");
        assert!(!leads_to_wrong(&movers, &mut machine, &walk(&[up, up])), "nothing is wrong there");
    }
}
