//! Whether the invariants follow from the thetas, set by set.
//!
//! In: the sets of a check (`setwise.rs`), the invariants that are claimed. Out: nothing, or a state that agrees with all
//! thetas and in which an invariant is false or cannot be evaluated. Outer `forall` and `&` are taken apart as in
//! `implication.rs`. For each piece, the states that violate it become a set; the components whose locals that set asks
//! have their thetas added, and nothing must be left. Where something is, the thetas of all others are added, too: a state
//! has to agree with every one.
//!
//! Thousands of components make millions of pieces. Those of pairs are mostly seen to hold without looking at each
//! (`pairs.rs`). Of the others, small thetas are put into the piece at once and local bits projected
//! away, and what is left of pieces that have their large claims in common is tried together. Cost: a few operations on
//! small sets for each piece; one walk over the large claims for each `TOGETHER` pieces.

use std::collections::BTreeSet;

use fxhash::FxHashMap;

use super::certificate::{Failure, Obligation, failure};
use super::decision::{NONE, Set};
use super::follows::{Path, counterexample, is_empty};
use super::setwise::{Checker, Claim, slot_of};
use super::share::{self, Refused, size};
use super::views::Locals;
use crate::ir::eval::Scope;
use crate::ir::model::instance_count;
use crate::ir::{Domain, ExprId, ExprKind};
use crate::verdict::certificate::{Certificate, Implied};

/// Pieces that are tried together.
const TOGETHER: usize = 1 << 12;

/// What is left of pieces, by the large claims that are given with them.
#[derive(Default)]
struct Batch {
    left: FxHashMap<Vec<usize>, Vec<Set>>,
    /// The pieces themselves: their numbers, where they do not hold, and whose locals they ask.
    pieces: Vec<(usize, Set, Vec<usize>)>,
}

impl<'a> Checker<'a> {
    pub(super) fn implication(&mut self, certificate: &Certificate) -> Result<(), Refused> {
        let model = self.composition.model;
        // No component, no state that agrees with all.
        let implied = certificate.implied.iter().filter(|_| !self.composition.partition.parts.is_empty());
        for implied in implied.collect::<Vec<&Implied>>() {
            let property = &model.properties[implied.property as usize];
            let mark = self.sets.mark();
            let mut batch = Batch::default();
            for index in 0..instance_count(&property.binders, &model.types) {
                let (binders, cells) = (&property.binders[..], property.frame.cells);
                let mut scope = Scope { binders, cells, index, bound: Vec::new() };
                self.claim(implied, &mut scope, property.claim, &mut batch, mark)?;
            }
            self.try_batch(implied, &mut batch, mark)?;
            self.checked.properties += 1;
        }
        Ok(())
    }

    /// Takes a claim apart.
    fn claim(
        &mut self,
        implied: &Implied,
        scope: &mut Scope<'a>,
        claim: ExprId,
        batch: &mut Batch,
        mark: usize,
    ) -> Result<(), Refused> {
        let model = self.composition.model;
        match &model.expr(claim).kind {
            ExprKind::And(terms) => {
                terms.iter().try_for_each(|&term| self.claim(implied, scope, term, batch, mark))
            }
            ExprKind::Quantified { all: true, local, domain: Domain::Type(ty), body } => {
                let alike = match &model.expr(*body).kind {
                    ExprKind::Quantified { all: true, local: second, domain: Domain::Type(other), body }
                        if other == ty =>
                    {
                        let names = [*local, *second];
                        let holds = self.holds_for_pairs(scope, *ty, names, *body).map_err(size)?;
                        holds.then_some((*second, *body))
                    }
                    _ => None,
                };
                for value in self.meaning.values(*ty) {
                    scope.bound.push((*local, value));
                    match alike {
                        // Only pairs of a value with itself are left.
                        Some((second, inner)) => {
                            scope.bound.push((second, value));
                            self.claim(implied, scope, inner, batch, mark)?;
                            scope.bound.pop();
                        }
                        None => self.claim(implied, scope, *body, batch, mark)?,
                    }
                    scope.bound.pop();
                }
                Ok(())
            }
            _ => {
                self.pieces += 1;
                if !self.share.has(self.pieces) {
                    return Ok(());
                }
                self.piece(scope, claim, batch).map_err(size)?;
                match batch.pieces.len() < TOGETHER {
                    true => Ok(()),
                    false => self.try_batch(implied, batch, mark),
                }
            }
        }
    }

    /// Adds what is left of a piece to those that are tried together.
    fn piece(
        &mut self,
        scope: &mut Scope<'a>,
        claim: ExprId,
        batch: &mut Batch,
    ) -> Result<(), super::decision::Enough> {
        let truth = self.meaning.truth(&mut self.sets, scope, None, claim)?;
        let bad = self.sets.not(truth.yes)?;
        if bad == NONE {
            return Ok(());
        }
        let parts = self.asked(bad);
        // Some component has to say which shared states there are.
        let any = parts.is_empty().then_some(0);
        let (mut left, mut given) = (bad, Vec::new());
        for part in parts.iter().copied().chain(any) {
            for &claim in &self.thetas[part] {
                match self.claims[claim] {
                    Claim { set, small: true, .. } => left = self.sets.and(left, set)?,
                    _ => given.push(claim),
                }
            }
        }
        if left == NONE {
            return Ok(());
        }
        given.sort_unstable();
        given.dedup();
        // Locals that no large set asks matter no more.
        let (names, sets) = (&self.meaning.names, &mut self.sets);
        let (claims, shared) = (&self.claims, &self.composition.partition.shared);
        let asks = |claim: &usize, variable| claims[*claim].support.binary_search(&variable).is_ok();
        let away = |variable: u32| {
            slot_of(names, variable).is_some_and(|slot| shared.binary_search(&slot).is_err())
                && !given.iter().any(|claim| asks(claim, variable))
        };
        let left = sets.project(left, &away)?;
        batch.left.entry(given).or_default().push(left);
        batch.pieces.push((self.pieces, bad, parts));
        Ok(())
    }

    /// The components whose locals a set asks.
    pub(super) fn asked(&self, set: Set) -> Vec<usize> {
        let slots = self.sets.support(set).into_iter().filter_map(|each| slot_of(&self.meaning.names, each));
        let parts: BTreeSet<usize> = slots.filter_map(|slot| self.meaning.owner(slot)).collect();
        parts.into_iter().collect()
    }

    /// Tries pieces together, and one by one where they do not hold so. Everything made for them is forgotten.
    fn try_batch(&mut self, implied: &Implied, batch: &mut Batch, mark: usize) -> Result<(), Refused> {
        let Batch { left, pieces } = std::mem::take(batch);
        let mut clear = true;
        for (given, left) in left {
            let left = self.sets.any(left).map_err(size)?;
            let all: Vec<Set> = given.iter().map(|&claim| self.claims[claim].set).chain([left]).collect();
            clear &= is_empty(&mut self.sets, &all).map_err(size)?;
        }
        if !clear {
            for (number, bad, parts) in pieces {
                if let Some(path) = self.violated(bad, &parts).map_err(size)? {
                    let told = self.unimplied(implied, &parts, &path);
                    return Err(Refused::at(share::implication(number), told));
                }
            }
        }
        self.meaning.forget();
        self.sets.forget(mark);
        Ok(())
    }

    /// A state that agrees with all thetas and is in a set.
    fn violated(&mut self, bad: Set, parts: &[usize]) -> Result<Option<Path>, super::decision::Enough> {
        let mut given: Vec<Set> = parts.iter().flat_map(|&part| self.theta(part)).collect();
        given.push(bad);
        if is_empty(&mut self.sets, &given)? {
            return Ok(None);
        }
        given.extend(self.claims.iter().map(|claim| claim.set));
        counterexample(&mut self.sets, &given, NONE, &[])
    }

    fn unimplied(&mut self, implied: &Implied, parts: &[usize], path: &Path) -> Failure {
        let (shared, _) = self.view(path, 0);
        let locals: Vec<(usize, Locals)> =
            parts.iter().map(|&part| (part, self.view(path, part).1)).collect();
        let detail = format!("{} does not follow, or cannot be evaluated", implied.name);
        let failed = self.failed(Obligation::Implication, 0, &shared, &locals, detail.clone());
        Failure { state: failed.state, ..failure(Obligation::Implication, None, detail) }
    }
}
