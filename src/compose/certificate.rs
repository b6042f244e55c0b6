//! A finished proof as plain data: `verdict::certificate`, for files and for the check by enumeration.
//!
//! In: what is claimed of all components as bytes of diagrams over one plan. Out: one list of decision nodes, in which equal
//! nodes of different components are one, with variables named by slots and bits instead of by the plan's numbers. All
//! components use the same variables for their own bits there; here each has its own, in the plan's order. What transparent
//! components have in common is written once. Cost: one step a node.

use std::collections::HashMap;

use super::parts::{Parts, Plan};
use super::proof::Method;
use super::recheck::Claims;
use crate::ir::eval::Compat;
use crate::ir::print::digest;
use crate::ir::{Model, PropertyKind, Slot};
use crate::symbolic::bdd::nodes_of;
use crate::verdict::certificate::{Auxiliary, Certificate, Implied, Node, Part, Ref, VERSION, Variable};

struct Writer {
    /// Each with its bit of the plan.
    variables: Vec<(u32, Variable)>,
    nodes: Vec<Node>,
    known: HashMap<Node, Ref>,
}

impl Writer {
    fn node(&mut self, variable: u32, low: Ref, high: Ref) -> Ref {
        if low == high {
            return low;
        }
        let node = Node(variable, low, high);
        let next = self.nodes.len() as u32 + 2;
        let at = *self.known.entry(node).or_insert(next);
        if at == next {
            self.nodes.push(node);
        }
        at
    }

    fn variable(&mut self, bit: u32, variable: Variable) -> u32 {
        self.variables.push((bit, variable));
        self.variables.len() as u32 - 1
    }

    /// The variables in the plan's order, and the nodes in terms of these.
    fn ordered(self) -> (Vec<Variable>, Vec<Node>) {
        let mut order: Vec<usize> = (0..self.variables.len()).collect();
        order.sort_by_key(|&at| self.variables[at].0);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new as u32);
        let variables = order.iter().map(|&at| self.variables[at].1).collect();
        let nodes = self.nodes.into_iter().map(|Node(at, low, high)| Node(place[at as usize], low, high));
        (variables, nodes.collect())
    }
}

/// The certificate of a proof; `claims` are those of all components, in order.
pub fn certificate(
    model: &Model,
    parts: &Parts,
    plan: &Plan,
    method: Method,
    compat: Compat,
    claims: &Claims,
) -> Certificate {
    let mut writer = Writer { variables: Vec::new(), nodes: Vec::new(), known: HashMap::new() };
    // By bit of the plan.
    let mut shared: HashMap<u32, u32> = HashMap::new();
    let view = plan.view(model, &parts.parts[0], 0);
    for &slot in &parts.shared {
        let field = view.shared[slot as usize].expect("a shared slot is in every view");
        add_field(&mut writer, &mut shared, slot, field);
    }
    for (at, &bit) in plan.auxiliary_bits.iter().enumerate() {
        let variable = writer.variable(bit, Variable::Auxiliary(at as u32));
        shared.insert(bit, variable);
    }
    let common = copy(&mut writer, &claims.common, &|bit| shared.get(&bit).copied());
    let mut components = Vec::with_capacity(parts.parts.len());
    let mut auxiliaries: Vec<Option<Auxiliary>> = vec![None; plan.auxiliaries.len()];
    for (at, part) in parts.parts.iter().enumerate() {
        let view = plan.view(model, part, 0);
        let mut own: HashMap<u32, u32> = HashMap::new();
        let mut locals = part.locals.clone();
        locals.sort_unstable();
        for &slot in &locals {
            add_field(&mut writer, &mut own, slot, view.own[&slot]);
        }
        let variable_of = |bit: u32| own.get(&bit).or_else(|| shared.get(&bit)).copied();
        let (transparent, theta) = &claims.own[at];
        let theta = copy(&mut writer, theta, &variable_of);
        let common = if *transparent { common } else { 1 };
        components.push(Part { name: part.name.clone(), locals, common, theta });
        for (number, auxiliary) in plan.auxiliaries.iter().enumerate() {
            if parts.owner[auxiliary.slot as usize] != Some(at as u32) {
                continue;
            }
            let field = view.own[&auxiliary.slot];
            let mut predicate: Ref = 1;
            for (variable, positive) in
                field.literals(field.code(auxiliary.value), crate::symbolic::Side::Now).into_iter().rev()
            {
                let variable = own[&(variable / 2)];
                predicate = match positive {
                    true => writer.node(variable, 0, predicate),
                    false => writer.node(variable, predicate, 0),
                };
            }
            let name = parts.text(model, *auxiliary);
            auxiliaries[number] = Some(Auxiliary { name, component: at as u32, predicate });
        }
    }
    let invariants = model.properties.iter().enumerate();
    let invariants = invariants.filter(|(_, property)| property.kind == PropertyKind::Invariant);
    let implied = invariants
        .map(|(at, property)| Implied { property: at as u32, name: property.name.clone() })
        .collect();
    let mut shared: Vec<u32> = parts.shared.clone();
    shared.sort_unstable();
    let (variables, nodes) = writer.ordered();
    Certificate {
        version: VERSION,
        method: method.name().to_string(),
        model: digest(model),
        compat: compat.name().to_string(),
        slots: (0..model.slots.len() as u32).map(|slot| model.slot_path(Slot(slot))).collect(),
        constants: model.constants.clone(),
        shared,
        components,
        auxiliaries: auxiliaries.into_iter().flatten().collect(),
        variables,
        nodes,
        implied,
    }
}

/// Names the bits of a slot; the plan has the most significant first.
fn add_field(
    writer: &mut Writer,
    variables: &mut HashMap<u32, u32>,
    slot: u32,
    field: crate::symbolic::Field,
) {
    for (at, bit) in field.bits().enumerate() {
        let place = (field.width as usize - 1 - at) as u8;
        let variable = writer.variable(bit, Variable::Bit { slot, bit: place });
        variables.insert(bit, variable);
    }
}

fn copy(writer: &mut Writer, bytes: &[u8], variable_of: &dyn Fn(u32) -> Option<u32>) -> Ref {
    let mut refs: Vec<Ref> = vec![0, 1];
    for (number, high, low) in nodes_of(bytes).expect("bytes of a theta") {
        let (high, low) = (refs[high as usize], refs[low as usize]);
        let made = match variable_of(number / 2) {
            Some(variable) => writer.node(variable, low, high),
            // A constant is written as a node of any variable whose branches agree.
            None => {
                assert_eq!(high, low, "a theta speaks of its own view alone");
                high
            }
        };
        refs.push(made);
    }
    refs.pop().expect("a diagram has a root")
}
