//! Whether a claim about every two components holds, without looking at every two.
//!
//! In: `forall i: forall j: claim` over one type, in the sets of a check. Out: whether the claim is sure to hold for all
//! pairs i != j; where it is not, nothing is known, and the pairs are looked at one by one (`pieces.rs`).
//!
//! A claim mostly fails where conditions on i and conditions on j hold at once: bad(i, j) is within A(i) and B(j). What
//! only compares i with j is left out, which makes it larger. Each A(i) is taken with the small claims of the components
//! that it asks, and their locals projected away; so is each B(j). Then values are put together in blocks, twice
//! as large in each round: in round r, neighbouring blocks I, J of 2^r values are tried with (union of A over I) and
//! (union of B over J), and the other way round, all neighbours of a round at once, against the claims that all
//! components have in common. Two values that differ are in neighbouring blocks in exactly one round.
//!
//! Everything tried is a superset of the bad states, so nothing passes that should not. A condition that cannot be
//! evaluated somewhere in the thetas is not taken: the others are true or false, in whichever order they are asked. Cost:
//! n log n operations on sets that grow with n, and log n walks, for n values.

use super::decision::{ALL, May, NONE, Set};
use super::follows::is_empty;
use super::setwise::{Checker, slot_of};
use crate::ir::eval::Scope;
use crate::ir::{Base, Binder, ExprId, ExprKind, Local, Model, TypeId};

/// A condition, and whether it has to be true or false.
type Factor = (ExprId, bool);

impl<'a> Checker<'a> {
    /// Whether a claim holds for all values of two names that differ.
    pub(super) fn holds_for_pairs(
        &mut self,
        scope: &mut Scope<'a>,
        ty: TypeId,
        names: [Local; 2],
        claim: ExprId,
    ) -> May<bool> {
        let mark = self.sets.mark();
        let model = self.composition.model;
        let terms = match &model.expr(claim).kind {
            ExprKind::And(terms) => terms.clone(),
            _ => vec![claim],
        };
        let mut holds = scope.binders.iter().all(|binder| matches!(binder, Binder::Param { .. }));
        for term in terms {
            holds = holds && self.term_holds_for_pairs(scope, ty, names, term)?;
        }
        self.meaning.forget();
        self.sets.forget(mark);
        Ok(holds)
    }

    fn term_holds_for_pairs(
        &mut self,
        scope: &mut Scope<'a>,
        ty: TypeId,
        names: [Local; 2],
        term: ExprId,
    ) -> May<bool> {
        let Some(factors) = self.factors(names, term) else { return Ok(false) };
        let mut blocks: [Vec<Set>; 2] = Default::default();
        for ((name, factors), blocks) in names.into_iter().zip(factors).zip(&mut blocks) {
            for value in self.meaning.values(ty) {
                scope.bound.push((name, value));
                let seen = self.seen(scope, &factors);
                scope.bound.pop();
                let Some(seen) = seen? else { return Ok(false) };
                blocks.push(seen);
            }
        }
        let parts = self.thetas.len();
        let common = self.claims.iter().filter(|claim| !claim.small && claim.holders.len() == parts);
        let common: Vec<Set> = common.map(|claim| claim.set).collect();
        let [mut a, mut b] = blocks;
        while a.len() > 1 {
            let mut bad = Vec::with_capacity(a.len());
            for (a, b) in a.chunks_exact(2).zip(b.chunks_exact(2)) {
                bad.push(self.sets.and(a[0], b[1])?);
                bad.push(self.sets.and(a[1], b[0])?);
            }
            let bad = self.sets.any(bad)?;
            let given: Vec<Set> = common.iter().copied().chain([bad]).collect();
            if !is_empty(&mut self.sets, &given)? {
                return Ok(false);
            }
            for blocks in [&mut a, &mut b] {
                let joined = blocks.chunks(2).map(|pair| self.sets.any(pair.to_vec()));
                *blocks = joined.collect::<May<Vec<Set>>>()?;
            }
        }
        Ok(true)
    }

    /// Conditions on the first name or neither, and on the second, that all hold where a term does not; none where it
    /// cannot be cut so.
    fn factors(&mut self, [first, second]: [Local; 2], term: ExprId) -> Option<[Vec<Factor>; 2]> {
        let model = self.composition.model;
        let mut all = Vec::new();
        conditions(model, term, false, &mut all);
        let mut sides: [Vec<Factor>; 2] = Default::default();
        for factor in all {
            let asks = self.meaning.mentions(factor.0)?;
            match (asks.contains(&first), asks.contains(&second)) {
                (true, true) if compares_names(model, factor.0) => {}
                (true, true) => return None,
                (_, asks_second) => sides[usize::from(asks_second)].push(factor),
            }
        }
        Some(sides)
    }

    /// What others see where conditions hold; none where one of them cannot be evaluated.
    fn seen(&mut self, scope: &mut Scope<'a>, factors: &[Factor]) -> May<Option<Set>> {
        let (mut all, mut fails) = (ALL, NONE);
        for &(expr, wanted) in factors {
            let truth = self.meaning.truth(&mut self.sets, scope, None, expr)?;
            let unsaid = truth.fails(&mut self.sets)?;
            fails = self.sets.or(fails, unsaid)?;
            all = self.sets.and(all, if wanted { truth.yes } else { truth.no })?;
        }
        if self.with_small_claims(fails)? != NONE {
            return Ok(None);
        }
        let all = self.with_small_claims(all)?;
        let (names, owners) = (&self.meaning.names, &self.meaning);
        let is_local = |variable| slot_of(names, variable).is_some_and(|slot| owners.owner(slot).is_some());
        self.sets.project(all, &is_local).map(Some)
    }

    /// The part of a set that agrees with what is small of the thetas whose locals it asks.
    fn with_small_claims(&mut self, mut set: Set) -> May<Set> {
        for part in self.asked(set) {
            set = self.small_of_theta(part, set)?;
        }
        Ok(set)
    }
}

/// The conditions that all hold where an expression is true, or false, if they can be evaluated.
fn conditions(model: &Model, expr: ExprId, wanted: bool, all: &mut Vec<Factor>) {
    match (&model.expr(expr).kind, wanted) {
        (ExprKind::Not(inner), _) => conditions(model, *inner, !wanted, all),
        (ExprKind::And(terms), true) | (ExprKind::Or(terms), false) => {
            terms.iter().for_each(|&term| conditions(model, term, wanted, all));
        }
        (ExprKind::Implies(a, b), false) => {
            conditions(model, *a, true, all);
            conditions(model, *b, false, all);
        }
        _ => all.push((expr, wanted)),
    }
}

/// Whether an expression compares names and constants, and so can always be evaluated.
fn compares_names(model: &Model, expr: ExprId) -> bool {
    let is_plain = |side: &ExprId| match &model.expr(*side).kind {
        ExprKind::Const(_) => true,
        ExprKind::Read(place) => place.base == Base::Frame && place.indices.is_empty(),
        _ => false,
    };
    match &model.expr(expr).kind {
        ExprKind::Equal(a, b) | ExprKind::NotEqual(a, b) | ExprKind::Compare(_, a, b) => {
            is_plain(a) && is_plain(b)
        }
        _ => false,
    }
}
