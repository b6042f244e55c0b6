//! Invariants, as far as they are about a few components.
//!
//! In: components that took steps. Out: whether a state violates what the invariants say of these. An outer `forall` over
//! the members of a process goes over those that took steps, and over two that did not; everything else is evaluated as it
//! stands. So what thousands of components claim pair by pair is looked at where it may have changed. A search for an
//! execution may look at less than everything: what it finds is looked at as a whole by whoever replays it.
//!
//! Cost: as many evaluations as the components have pairs, or what else the invariants quantify over.

use fxhash::FxHashMap;

use crate::compose::parts::Parts;
use crate::ir::eval::{Machine, Scope};
use crate::ir::model::ParamDomain;
use crate::ir::{Binder, Domain, ExprId, ExprKind, Instance, Model, PropertyKind, TypeId};

/// Components that are looked at together: those that were the last to take a step.
const MOVERS_MAX: usize = 8;

/// How many that took no step are looked at besides.
const OTHERS: usize = 2;

/// The components that were the last to take a step.
pub(super) struct Movers<'m> {
    model: &'m Model,
    parts: &'m Parts,
    part_of: FxHashMap<Instance, u32>,
    last: Vec<u32>,
    /// For each type whose values are components: the numbers of those to look at.
    members: FxHashMap<TypeId, Vec<u64>>,
}

impl<'m> Movers<'m> {
    pub fn new(model: &'m Model, parts: &'m Parts) -> Movers<'m> {
        let instances = (0u32..).zip(&parts.parts);
        let part_of = instances.flat_map(|(at, part)| part.instances.iter().map(move |&each| (each, at)));
        let mut movers = Movers {
            model,
            parts,
            part_of: part_of.collect(),
            last: Vec::new(),
            members: FxHashMap::default(),
        };
        movers.forget();
        movers
    }

    /// Nobody has taken a step.
    pub fn forget(&mut self) {
        self.last.clear();
        self.choose();
    }

    /// Somebody took this step.
    pub fn took(&mut self, instance: Instance) {
        let Some(&part) = self.part_of.get(&instance) else { return };
        if self.last.last() == Some(&part) {
            return;
        }
        let known = self.last.len();
        self.last.retain(|&each| each != part);
        let is_new = self.last.len() == known;
        if self.last.len() == MOVERS_MAX {
            self.last.remove(0);
        }
        self.last.push(part);
        if is_new {
            self.choose();
        }
    }

    fn choose(&mut self) {
        let of_part = |part: u32| {
            let (process, member) = self.parts.parts[part as usize].member?;
            Some((self.parts.types[process as usize]?, member))
        };
        self.members.clear();
        self.members.extend(self.parts.types.iter().flatten().map(|&ty| (ty, Vec::new())));
        for (ty, member) in self.last.iter().filter_map(|&part| of_part(part)) {
            let members = self.members.entry(ty).or_default();
            if !members.contains(&member) {
                members.push(member);
            }
        }
        for (&ty, members) in &mut self.members {
            members.sort_unstable();
            let other = (0..self.model.types.count(ty)).filter(|each| members.binary_search(each).is_err());
            let others: Vec<u64> = other.take(OTHERS).collect();
            members.extend(others);
        }
    }

    /// Whether a state violates an invariant, or one cannot be evaluated there.
    pub fn see_wrong(&self, machine: &mut Machine<'m>, state: &[i64]) -> bool {
        let model = self.model;
        let invariants = model.properties.iter().filter(|property| property.kind == PropertyKind::Invariant);
        invariants.into_iter().any(|property| {
            self.indices(&property.binders).into_iter().any(|index| {
                let (binders, cells) = (&property.binders[..], property.frame.cells);
                let mut scope = Scope { binders, cells, index, bound: Vec::new() };
                self.is_wrong(machine, state, &mut scope, property.claim)
            })
        })
    }

    /// The instances of an invariant that are looked at.
    fn indices(&self, binders: &[Binder]) -> Vec<u64> {
        let mut indices = vec![0u64];
        for binder in binders {
            let radix = binder.radix(&self.model.types);
            let members = match binder {
                Binder::Param { domain: ParamDomain::Type(ty), .. } => self.members.get(ty),
                _ => None,
            };
            let digits: Vec<u64> = members.cloned().unwrap_or_else(|| (0..radix).collect());
            indices = indices
                .iter()
                .flat_map(|index| digits.iter().map(move |digit| index * radix + digit))
                .collect();
        }
        indices
    }

    fn is_wrong(
        &self,
        machine: &mut Machine<'m>,
        state: &[i64],
        scope: &mut Scope<'m>,
        claim: ExprId,
    ) -> bool {
        let model = self.model;
        match &model.expr(claim).kind {
            ExprKind::And(terms) => terms.iter().any(|&term| self.is_wrong(machine, state, scope, term)),
            ExprKind::Quantified { all: true, local, domain: Domain::Type(ty), body }
                if self.members.contains_key(ty) =>
            {
                self.members[ty].iter().any(|&member| {
                    scope.bound.push((*local, model.types.first(*ty).wrapping_add_unsigned(member)));
                    let wrong = self.is_wrong(machine, state, scope, *body);
                    scope.bound.pop();
                    wrong
                })
            }
            _ => !matches!(machine.value_of(state, scope, claim), Ok(None | Some(1..))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::RuleId;
    use crate::ir::eval::{Options, Step};
    use crate::lower::{Constants, lower};
    use crate::syntax::{Source, parse};

    fn read(text: &str) -> Model {
        let source = Source::new("among.m", text.to_string());
        let tree = parse(&source).expect("a model");
        lower(&tree, &source, &Constants::none()).expect("a model").model
    }

    const HUNDRED: &str = "type pid : 1..100; var at : array [pid] of 0..3;
        startstate for i : pid do at[i] := 0; end; end;
        ruleset i : pid do rule \"on\" at[i] < 3 ==> at[i] := at[i] + 1; end; end;";

    /// The first step after which something is wrong, where these members step one after the other.
    fn first_wrong(property: &str, members: &[u64]) -> Option<usize> {
        let model = read(&format!("{HUNDRED} {property}"));
        let parts = Parts::new(&model).expect("components");
        let mut machine = Machine::new(&model, Options::default());
        let mut movers = Movers::new(&model, &parts);
        let mut state = machine.start(0, 0).ok().flatten().expect("a start state");
        assert!(!movers.see_wrong(&mut machine, &state));
        members.iter().position(|&member| {
            let instance = Instance { rule: RuleId(0), index: member };
            let Ok(Step::Next(next)) = machine.step(&state, instance) else { panic!("a step") };
            state = next;
            movers.took(instance);
            movers.see_wrong(&mut machine, &state)
        })
    }

    #[test]
    fn those_who_took_steps_are_looked_at() {
        let pairs = "invariant \"one\" forall i : pid do forall j : pid do
            i != j & at[i] = 2 -> at[j] != 2 end end;";
        assert_eq!(first_wrong(pairs, &[70, 90, 70, 20, 90, 5]), Some(4));
        assert_eq!(first_wrong(pairs, &[70, 90, 70, 70, 90]), None);
        // Also where an invariant has instances, and where it is a conjunction.
        let each = "ruleset i : pid do invariant \"low\" at[i] < 4 & at[i] != 3 end;";
        assert_eq!(first_wrong(each, &[70, 90, 70, 90, 90]), Some(4));
    }

    #[test]
    fn so_are_some_who_did_not() {
        let pairs = "invariant \"one\" forall i : pid do forall j : pid do
            i != j & at[i] = 1 -> at[j] != 0 end end;";
        assert_eq!(first_wrong(pairs, &[70]), Some(0));
    }

    /// What no `forall` over components is around is evaluated as it stands.
    #[test]
    fn what_is_about_no_component_is_looked_at_as_a_whole() {
        assert_eq!(first_wrong("invariant \"that one\" at[100] = 0;", &[3, 99]), Some(1));
        let some = "invariant \"some\" exists i : pid do at[i] = 0 end;";
        assert_eq!(first_wrong(some, &[1, 2, 3]), None);
    }

    #[test]
    fn no_more_than_the_last_are_kept() {
        let model = read(&format!("{HUNDRED} invariant \"any\" true;"));
        let parts = Parts::new(&model).expect("components");
        let mut movers = Movers::new(&model, &parts);
        let took = |movers: &mut Movers<'_>, index| movers.took(Instance { rule: RuleId(0), index });
        (10..30).for_each(|index| took(&mut movers, index));
        took(&mut movers, 22);
        assert_eq!(movers.last, [23, 24, 25, 26, 27, 28, 29, 22]);
        let members = movers.members.values().next().expect("a type of components");
        assert_eq!(members[..], [22, 23, 24, 25, 26, 27, 28, 29, 0, 1]);
        movers.forget();
        assert_eq!(movers.members.values().next(), Some(&vec![0, 1]));
    }
}
