//! Deadlock freedom while the search runs: from every P state, does the fixed helpful path come to Q?
//!
//! Each state has at most one *helpful successor*: the first that a helpful rule makes, in the order of instances, in
//! another orbit than its own where there is one. It is a function of the packed state, so all ranks agree on it, also
//! for states they have borrowed. A state has a *witness* when it has Q or its helpful successor has one. If all P
//! states have witnesses, AG (P -> EF Q by helpful rules) holds; if one has none, its path is stuck or goes round, and
//! only the exact decision (`reach.rs`) says what that means.
//!
//! Three ways to look for witnesses (Bingham's thesis, 4.2): `walk.rs` has *local*, each rank by itself, and
//! *pass-the-path*, where the path travels; `table.rs` has the *table* of outstanding searches, where a state's search
//! is never run twice. All use the successors that the search makes anyway: walks begin when a state is expanded; for the
//! table its helpful successor is noted then (`edges.rs`), and searches run when all states are known.
//!
//! In: every new state and every expansion. Out: findings (`What::Tried`) and counts. Kept: two bits a state and goal
//! (witness, P), and what a way needs besides. It ends because each state begins at most one search, and a path's states
//! are finitely many.

mod edges;
mod marks;
mod table;
mod walk;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::response::Goal;
use crate::base::{Rank, words};
use crate::comm::{Op, Tag};
use crate::compile::{Expansion, Owners, Predicate, Steps};
use crate::exchange::Inbound;
use crate::explore::sequel::Stage;
use crate::explore::{Desk, Finding, Observer, StateRef, What};
use crate::ir::{ExprKind, Model, PropertyKind};
use crate::verdict::figures::FreedomCounts;
use edges::Edges;
use marks::Masks;
use walk::Walk;

/// Goals of one run: sets of them are words.
pub const GOALS_MAX: usize = 64;
/// States between two looks at the memory.
const LOOK_EVERY: u64 = 1 << 12;

/// How witnesses are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Not at all: P and Q states are counted.
    Count,
    Local,
    PassThePath,
    Table,
}

pub struct Freedom {
    goals: Vec<Goal>,
    /// Goals outside of rulesets whose P is written as `true`.
    always: u64,
    method: Method,
    me: Rank,
    owners: Owners,
    words: usize,
    assumes: bool,
    /// By instance.
    helpful: Vec<bool>,
    bytes_max: u64,
    /// Has a witness: Q, or a helpful path to Q.
    good: Masks,
    claimed: Masks,
    /// Goals that were reported.
    reported: u64,
    pub counts: FreedomCounts,
    /// Why this rank cannot go on, where it cannot.
    pub trouble: Option<String>,
    expansion: Expansion,
    /// Of `table.rs`: the helpful successors of this rank's states, and of states that were lent to it.
    edges: Edges,
    borrowed: Vec<(StateRef, Vec<u64>)>,
    /// Of `walk.rs`: paths to follow, and witnesses of states that this rank has not seen yet.
    walks: Vec<Walk>,
    early_good: HashMap<Box<[u64]>, u64>,
}

impl Freedom {
    /// For at most `GOALS_MAX` goals; `exact` beside a store of whole states; the tables may use `bytes_max`.
    pub fn new(
        model: &Model,
        goals: Vec<Goal>,
        method: Method,
        place: (Rank, Owners),
        steps: &dyn Steps,
        (exact, bytes_max): (bool, u64),
    ) -> Freedom {
        assert!(goals.len() <= GOALS_MAX, "sets of goals are words");
        let rule = |number| model.rule(steps.instances().instance(crate::compile::InstanceNo(number)).rule);
        let helpful = (0..steps.instances().rule_instances()).map(|number| !rule(number).unhelpful);
        let always = |goal: &Goal| {
            let property = &model.properties[goal.property as usize];
            property.binders.is_empty() && matches!(model.expr(property.claim).kind, ExprKind::Const(1))
        };
        Freedom {
            always: goals.iter().enumerate().map(|(at, goal)| u64::from(always(goal)) << at).sum(),
            method,
            me: place.0,
            owners: place.1,
            words: steps.words(),
            assumes: model.properties.iter().any(|property| property.kind == PropertyKind::Assume),
            helpful: helpful.collect(),
            bytes_max,
            good: Masks::new(goals.len()),
            claimed: Masks::new(goals.len()),
            reported: 0,
            counts: FreedomCounts::new(goals.len()),
            trouble: None,
            expansion: Expansion::default(),
            edges: Edges::new(exact, steps.words()),
            borrowed: Vec::new(),
            walks: Vec::new(),
            early_good: HashMap::new(),
            goals,
        }
    }

    /// The set of all goals.
    fn all(&self) -> u64 {
        u64::MAX.checked_shr(GOALS_MAX as u32 - self.goals.len() as u32).unwrap_or(0)
    }

    /// For which goals P and for which Q holds in a state; one that cannot be evaluated is out of the way, and is told.
    fn judge(&self, steps: &mut dyn Steps, state: &[u64], mut failed: impl FnMut(u32)) -> (u64, u64) {
        let (mut claims, mut targets) = (0, 0);
        for (at, goal) in self.goals.iter().enumerate() {
            let claim = match self.always >> at & 1 {
                0 => steps.predicate(Predicate::Claim(goal.property), goal.index, state),
                _ => Ok(Some(true)),
            };
            let target = steps.predicate(Predicate::Target(goal.property), goal.index, state);
            match (claim, target) {
                (Ok(claim), Ok(target)) => {
                    claims |= u64::from(claim == Some(true)) << at;
                    targets |= u64::from(target == Some(true)) << at;
                }
                _ => {
                    targets |= 1 << at;
                    failed(goal.property);
                }
            }
        }
        (claims, targets)
    }

    /// The place of the helpful successor among those of an expansion.
    fn successor(&self, steps: &mut dyn Steps, state: &[u64], expansion: &Expansion) -> Option<usize> {
        let mut same_orbit = None;
        for (at, (to, step)) in expansion.states.chunks_exact(self.words).zip(&expansion.steps).enumerate() {
            if !self.helpful[step.0 as usize] || self.assumes && !steps.assumed(to).unwrap_or(false) {
                continue;
            }
            if to.iter().zip(state).any(|(to, from)| to != from) {
                return Some(at);
            }
            same_orbit = same_orbit.or(Some(at));
        }
        same_orbit
    }

    fn owner(&self, hash: u128, state: &[u64]) -> Rank {
        self.owners.of(hash, state)
    }

    /// Reports a state whose path fails, once for each property.
    fn fail(&mut self, id: StateRef, goals: u64, found: &mut Vec<Finding>) {
        for at in 0..self.goals.len() {
            if goals & !self.reported & 1 << at != 0 {
                let property = self.goals[at].property;
                let same = |(other, goal): (usize, &Goal)| u64::from(goal.property == property) << other;
                self.reported |= self.goals.iter().enumerate().map(same).sum::<u64>();
                found.push(Finding::here(What::Tried(property), id));
            }
        }
    }

    fn new_state(&mut self, steps: &mut dyn Steps, state: &[u64], id: StateRef, found: &mut Vec<Finding>) {
        let (claims, targets) =
            self.judge(steps, state, |property| found.push(Finding::here(What::Property(property), id)));
        self.counts.see(claims, targets);
        if self.method == Method::Count {
            return;
        }
        self.good.push(targets);
        self.claimed.push(claims);
        let number = id.number();
        if !self.early_good.is_empty()
            && let Some(goals) = self.early_good.remove(state)
        {
            self.good.add(number, goals);
        }
        if number.is_multiple_of(LOOK_EVERY) {
            self.look_at_memory();
        }
    }

    fn look_at_memory(&mut self) {
        let early = self.early_good.len() * (self.words * 8 + 64);
        let bytes = self.good.bytes() + self.claimed.bytes() + self.edges.bytes() + early as u64;
        if bytes > self.bytes_max {
            self.trouble.get_or_insert(format!("rank {}: out of memory for witness searches", self.me));
            self.method = Method::Count;
            self.edges.forget();
        }
    }

    fn begin_search(
        &mut self,
        steps: &mut dyn Steps,
        state: &[u64],
        id: StateRef,
        expansion: &Expansion,
        found: &mut Vec<Finding>,
    ) {
        let own = id.rank() == self.me;
        let (claims, good) = if own {
            (self.claimed.get(id.number()), self.good.get(id.number()))
        } else {
            // Of a borrowed state only P and Q are known here; its owner may know a witness already.
            self.judge(steps, state, |_| {})
        };
        let wanted = claims & !good;
        let asked = if self.method == Method::Table { self.all() & !good } else { wanted };
        if asked == 0 {
            return;
        }
        self.counts.begin(wanted);
        let Some(at) = self.successor(steps, state, expansion) else { return self.fail(id, wanted, found) };
        let to = &expansion.states[at * self.words..][..self.words];
        if self.method != Method::Table {
            self.counts.steps += 1;
            self.walks.push(Walk::new(id, wanted, state, to));
            return;
        }
        let hash = expansion.hashes[at];
        let owner = self.owner(hash, to);
        if own {
            self.edges.note(id.number(), owner, hash, to);
        } else {
            self.borrowed.push((id, self.edges.record(owner, hash, to)));
        }
    }

    /// Tells the owners of borrowed states which successor is the helpful one.
    fn return_borrowed(&mut self, desk: &mut Desk<'_, '_>) {
        for (id, record) in self.borrowed.drain(..) {
            let number = [id.number()];
            let parts: [&[u8]; 2] = [&words::bytes(&number), &words::bytes(&record)];
            desk.exchange.post_parts(id.rank(), Tag::Witnesses, &parts);
        }
    }

    /// Whether some rank cannot go on; all ranks answer the same.
    fn in_trouble(&mut self, stage: &mut Stage<'_, '_>) -> bool {
        let troubles = stage.exchange.tally(Op::Sum, &[i64::from(self.trouble.is_some())])[0];
        if troubles > 0 {
            self.trouble.get_or_insert("another rank could not go on".to_string());
        }
        troubles > 0
    }

    /// After a search that saw every state: reports P states without a witness. All ranks find the same.
    pub fn conclude(&mut self, stage: &mut Stage<'_, '_>) {
        // A rank in trouble looks for nothing any more, so the others must not wait for it.
        if self.in_trouble(stage) {
            return;
        }
        let mut first = vec![i64::MAX; self.goals.len()];
        // Only in the table does a missing witness mean something; on other ways every failing path was reported.
        if self.method == Method::Table {
            table::search(self, stage);
            if self.in_trouble(stage) {
                return;
            }
            self.claimed.each_beyond(&self.good, |number, stuck| {
                for (at, first) in first.iter_mut().enumerate() {
                    if stuck >> at & 1 != 0 {
                        *first = (*first).min(StateRef::new(self.me, number).word() as i64);
                    }
                }
            });
        }
        let reported: Vec<i64> = (0..self.goals.len()).map(|at| (self.reported >> at & 1) as i64).collect();
        let reported = stage.exchange.tally(Op::Max, &reported);
        let first = stage.exchange.tally(Op::Min, &first);
        self.reported |= reported.iter().enumerate().map(|(at, &bit)| (bit as u64) << at).sum::<u64>();
        for (at, &first) in first.iter().enumerate().filter(|(_, first)| **first != i64::MAX) {
            self.fail(StateRef::from_word(first as u64), 1 << at, &mut stage.findings);
        }
    }
}

/// The search's end of it.
pub struct Witnesses(pub Rc<RefCell<Freedom>>);

impl Observer for Witnesses {
    fn state(&mut self, steps: &mut dyn Steps, state: &[u64], id: StateRef, found: &mut Vec<Finding>) {
        self.0.borrow_mut().new_state(steps, state, id, found);
    }

    fn expanded(
        &mut self,
        steps: &mut dyn Steps,
        state: &[u64],
        id: StateRef,
        expansion: &Expansion,
        found: &mut Vec<Finding>,
    ) {
        let mut freedom = self.0.borrow_mut();
        if freedom.method != Method::Count {
            freedom.begin_search(steps, state, id, expansion, found);
        }
    }

    fn wants_numbers(&self) -> bool {
        let freedom = self.0.borrow();
        match freedom.method {
            Method::Count => false,
            Method::Local | Method::PassThePath => true,
            // Without whole states, numbers are found from the log, and not before all states are known.
            Method::Table => freedom.edges.exact(),
        }
    }

    fn receive(&mut self, desk: &mut Desk<'_, '_>, inbound: &Inbound) {
        let mut freedom = self.0.borrow_mut();
        match freedom.method {
            Method::Table => freedom.edges.receive(inbound.bytes()),
            Method::PassThePath => freedom.receive_paths(desk, inbound),
            // After trouble here, what others still send is of no use.
            Method::Count | Method::Local => {}
        }
    }

    fn correspond(&mut self, desk: &mut Desk<'_, '_>) {
        let mut freedom = self.0.borrow_mut();
        match freedom.method {
            Method::Table => freedom.return_borrowed(desk),
            Method::PassThePath | Method::Local => freedom.follow_walks(desk),
            Method::Count => {}
        }
    }
}
