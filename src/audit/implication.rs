//! Whether a property follows from what is known of each component alone, by enumeration.
//!
//! In: thetas as sets of views, an invariant of the model. Out: nothing, or a whole state that agrees with all thetas
//! and in which the claim is false or cannot be evaluated. Invariant: a state agrees when every component's view of
//! it is in that component's theta.
//!
//! A claim that is a conjunction over components is taken apart first: outer `forall` and `&` become pieces, and a
//! piece is tried only with the components whose locals it reads, in every shared part that all thetas have. This
//! changes no answer: the others have some local state in each such shared part, and the piece does not read it.
//! Cost: for each piece and shared part, the product of the local parts of the components it reads; it is counted
//! against `states_max`.

use std::collections::BTreeSet;

use super::views::{Composition, Locals, Shared, Views};
use crate::ir::eval::{Fault, Machine};
use crate::ir::footprint::instance_footprint;
use crate::ir::model::instance_count;
use crate::ir::{Binder, Domain, ExprId, ExprKind, Fairness, Model, ParamDomain, Property, Rule, RuleKind};

/// A state that no theta rules out and in which the property does not hold.
#[derive(Clone, Debug)]
pub struct Counterexample {
    pub shared: Shared,
    /// The components that the claim reads there, with their locals.
    pub locals: Vec<(usize, Locals)>,
    /// Why the claim could not be evaluated; none where it is false.
    pub fault: Option<Box<Fault>>,
}

/// A part of a claim under more binders; all parts together are the claim.
struct Piece {
    binders: Vec<Binder>,
    claim: ExprId,
}

/// The first state found in which the property does not follow; an error where there are too many to try.
pub fn counterexample(
    composition: &Composition,
    thetas: &[Views],
    property: &Property,
    states_max: usize,
) -> Result<Option<Counterexample>, String> {
    let common: Vec<&Shared> = match thetas.split_first() {
        None => Vec::new(),
        Some((first, rest)) => {
            first.keys().filter(|shared| rest.iter().all(|theta| theta.contains_key(*shared))).collect()
        }
    };
    let mut left = states_max;
    for rule in pieces(composition.model, property) {
        for index in 0..instance_count(&rule.binders, &composition.model.types) {
            let found = try_instance(composition, thetas, &common, &rule, index, &mut left)?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// The pieces of a claim, each as a rule whose guard it is: so footprints say what an instance of it reads.
fn pieces(model: &Model, property: &Property) -> Vec<Rule> {
    let mut open = vec![Piece { binders: property.binders.clone(), claim: property.claim }];
    let mut rules = Vec::new();
    while let Some(piece) = open.pop() {
        match &model.expr(piece.claim).kind {
            ExprKind::And(terms) => {
                let term = |&claim| Piece { binders: piece.binders.clone(), claim };
                open.extend(terms.iter().rev().map(term));
            }
            ExprKind::Quantified { all: true, local, domain: Domain::Type(ty), body } => {
                let mut binders = piece.binders;
                binders.push(Binder::Param {
                    name: String::new(),
                    local: *local,
                    domain: ParamDomain::Type(*ty),
                });
                open.push(Piece { binders, claim: *body });
            }
            _ => rules.push(as_rule(property, piece)),
        }
    }
    rules
}

fn as_rule(property: &Property, piece: Piece) -> Rule {
    Rule {
        kind: RuleKind::Rule,
        name: property.name.clone(),
        binders: piece.binders,
        guard: Some(piece.claim),
        guard_pure: true,
        body: Vec::new(),
        frame: property.frame.clone(),
        priority: 0,
        fairness: Fairness::None,
        groups: Vec::new(),
        unhelpful: false,
        component: None,
        span: property.span,
    }
}

fn try_instance(
    composition: &Composition,
    thetas: &[Views],
    common: &[&Shared],
    piece: &Rule,
    index: u64,
    left: &mut usize,
) -> Result<Option<Counterexample>, String> {
    let touched = instance_footprint(composition.model, piece, index);
    let owners = touched.reads.iter().chain(touched.writes.iter());
    let parts: BTreeSet<usize> = owners.filter_map(|slot| composition.partition.owner(slot)).collect();
    let parts: Vec<usize> = parts.into_iter().collect();
    let claim = piece.guard.unwrap_or(ExprId(0));
    let mut machine = Machine::new(composition.model, composition.options);
    for shared in common {
        let choices: Vec<Vec<&Locals>> =
            parts.iter().map(|&part| thetas[part].get(*shared).into_iter().flatten().collect()).collect();
        let mut digits = vec![0; parts.len()];
        loop {
            *left = left.checked_sub(1).ok_or("too many states to try the property in")?;
            let chosen = |at: usize| (parts[at], choices[at][digits[at]].clone());
            let locals: Vec<(usize, Locals)> = (0..parts.len()).map(chosen).collect();
            let borrowed: Vec<(usize, &[i64])> = locals.iter().map(|(part, with)| (*part, &**with)).collect();
            let state = composition.state(shared, &borrowed);
            let fault = match machine.predicate(&state, &piece.binders, piece.frame.cells, index, claim) {
                Ok(Some(false)) => None,
                Ok(_) if advance(&mut digits, &choices) => continue,
                Ok(_) => break,
                Err(fault) => Some(fault),
            };
            return Ok(Some(Counterexample { shared: (*shared).clone(), locals, fault }));
        }
    }
    Ok(None)
}

/// The next choice of local parts; false after the last.
fn advance(digits: &mut [usize], choices: &[Vec<&Locals>]) -> bool {
    for (digit, choice) in digits.iter_mut().zip(choices).rev() {
        *digit += 1;
        if *digit < choice.len() {
            return true;
        }
        *digit = 0;
    }
    false
}
