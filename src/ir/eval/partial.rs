//! Runs on states of which only some slots are known: which slot a run needs next, or what it came to.
//!
//! In: a state, the slots in it that are known, something to run. Out: the first slot that the run read and that is
//! neither known nor stored to before; or the result, with the slots it stored to. A run is determined by what it reads,
//! so a result without such a slot is the result in every state that has the known values; and whoever tries all values
//! of the slot that is needed, and so on, has asked for all states. The other slots are undefined, which ends most runs
//! at once; what they come to then is never told.
//!
//! Parts of rules can be asked for, too: an expression or some statements, where names are bound to given values.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::super::expr::{ExprId, Local, Stmt};
use super::super::model::Binder;
use super::{Eval, Machine, Step, or_assumed};

/// What a run on a partly known state came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Partly<T> {
    /// It depends on this slot.
    Needs(u32),
    /// It stored to these slots, in increasing order.
    Done(T, Vec<u32>),
}

/// What a machine takes note of during such a run.
#[derive(Default)]
pub(super) struct Attention {
    known: Vec<u32>,
    needs: Cell<Option<u32>>,
    written: BTreeSet<u32>,
}

impl Attention {
    pub(super) fn read(&self, slot: usize) {
        let slot = slot as u32;
        if self.needs.get().is_none() && !self.known.contains(&slot) && !self.written.contains(&slot) {
            self.needs.set(Some(slot));
        }
    }

    pub(super) fn wrote(&mut self, slot: usize) {
        self.written.insert(slot as u32);
    }
}

/// Where a part of a rule or property stands: one instance of its binders, and names bound since.
#[derive(Clone, Debug)]
pub struct Scope<'m> {
    pub binders: &'m [Binder],
    pub cells: u32,
    pub index: u64,
    pub bound: Vec<(Local, i64)>,
}

impl<'m> Machine<'m> {
    /// Does something with a machine on a state of which only these slots are known.
    pub fn partly<T>(&mut self, known: &[u32], run: impl FnOnce(&mut Machine<'m>) -> T) -> Partly<T> {
        self.attention = Some(Box::new(Attention { known: known.to_vec(), ..Attention::default() }));
        let result = run(self);
        let noted = self.attention.take().unwrap_or_default();
        match noted.needs.get() {
            Some(slot) => Partly::Needs(slot),
            None => Partly::Done(result, noted.written.into_iter().collect()),
        }
    }

    /// Evaluates a simple expression in its scope; none where a chosen position is empty.
    pub fn value_of(&mut self, state: &[i64], scope: &Scope<'m>, expr: ExprId) -> Eval<Option<i64>> {
        self.state.copy_from_slice(state);
        let mut run = || {
            let bound = self.enter(scope.binders, scope.cells, scope.index)?;
            scope.bound.iter().for_each(|&(local, value)| self.set_local(local, value));
            Ok(if bound { Some(self.eval(expr)?) } else { None })
        };
        or_assumed(run(), None)
    }

    /// Runs statements in their scope, multisets left as they are.
    pub fn perform(&mut self, state: &[i64], scope: &Scope<'m>, body: &'m [Stmt]) -> Eval<Step> {
        self.state.copy_from_slice(state);
        let mut run = || {
            if !self.enter(scope.binders, scope.cells, scope.index)? {
                return Ok(Step::Disabled);
            }
            scope.bound.iter().for_each(|&(local, value)| self.set_local(local, value));
            self.block(body)?;
            Ok(Step::Next(self.state.as_slice().into()))
        };
        or_assumed(run(), Step::Assumed)
    }
}
