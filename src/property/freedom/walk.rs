//! Helpful paths followed one by one: local search and pass-the-path (thesis, 4.2.1 and 4.2.2).
//!
//! A walk begins in a P state without a witness and goes on by helpful successors until it meets Q or a witness, gets
//! stuck, or meets itself. Local: the rank goes all the way alone and afterwards marks those of the walk's states that
//! are its own. Pass-the-path: the walk, with all its states, travels to the owner of the next one, and in the end the
//! owners of all its states are told. Marks of states that were not found yet wait for them aside.
//!
//! Nothing prevents two walks over the same states: these are the thesis' baselines. Cost: an expansion for each step
//! but the first; a message grows with its path.

use super::{Freedom, Method};
use crate::base::{hash, wire, words};
use crate::comm::Tag;
use crate::exchange::Inbound;
use crate::explore::{Desk, StateRef};

/// A path so far.
pub(super) struct Walk {
    /// The P state it began in.
    id: StateRef,
    goals: u64,
    /// The states visited, one behind the other, and behind them the next.
    states: Vec<u64>,
}

impl Walk {
    pub fn new(id: StateRef, goals: u64, state: &[u64], next: &[u64]) -> Walk {
        Walk { id, goals, states: [state, next].concat() }
    }
}

impl Freedom {
    pub(super) fn receive_paths(&mut self, desk: &mut Desk<'_, '_>, inbound: &Inbound) {
        let mut read = Vec::new();
        words::read(inbound.bytes(), &mut read);
        if inbound.kind == Tag::Acknowledgements {
            for item in read.chunks_exact(self.words + 1) {
                self.mark(desk, &item[1..], item[0]);
            }
            return;
        }
        let mut rest = &read[..];
        while let [id, goals, count, behind @ ..] = rest {
            let (states, next) = behind.split_at(*count as usize * self.words);
            self.walks.push(Walk { id: StateRef::from_word(*id), goals: *goals, states: states.to_vec() });
            rest = next;
        }
        self.follow_walks(desk);
    }

    pub(super) fn follow_walks(&mut self, desk: &mut Desk<'_, '_>) {
        while let Some(walk) = self.walks.pop() {
            self.follow(desk, walk);
        }
    }

    /// Goes on as far as this rank may.
    fn follow(&mut self, desk: &mut Desk<'_, '_>, mut walk: Walk) {
        loop {
            let (path, next) = walk.states.split_at(walk.states.len() - self.words);
            let hash = hash::words(next);
            let owner = self.owner(hash, next);
            if owner != self.me && self.method == Method::PassThePath {
                self.pass_on(desk, &walk, owner);
                return;
            }
            let good = walk.goals & self.witnessed(desk, next, hash);
            if good != 0 {
                self.counts.longest_path = self.counts.longest_path.max((path.len() / self.words) as u64);
                for state in path.chunks_exact(self.words) {
                    self.acknowledge(desk, state, good);
                }
                walk.goals &= !good;
            }
            if walk.goals == 0 {
                return;
            }
            let cycles = path.chunks_exact(self.words).any(|state| state == next);
            let Some(after) = Some(()).filter(|()| !cycles).and_then(|()| self.step(desk, next)) else {
                self.fail(walk.id, walk.goals, desk.found);
                return;
            };
            walk.states.extend(after);
        }
    }

    /// The helpful successor of a state, worked out anew.
    fn step(&mut self, desk: &mut Desk<'_, '_>, state: &[u64]) -> Option<Vec<u64>> {
        let mut expansion = std::mem::take(&mut self.expansion);
        desk.steps.peek(state, &mut expansion);
        self.counts.expanded_again += 1;
        let at = self.successor(desk.steps, state, &expansion);
        let to = at.map(|at| expansion.states[at * self.words..][..self.words].to_vec());
        self.expansion = expansion;
        self.counts.steps += u64::from(to.is_some());
        to
    }

    /// The goals for which a state is known to have a witness.
    fn witnessed(&mut self, desk: &mut Desk<'_, '_>, state: &[u64], hash: u128) -> u64 {
        if self.owner(hash, state) == self.me
            && let Some(number) = desk.known.number(hash, state)
        {
            return self.good.get(number);
        }
        let (_, targets) = self.judge(desk.steps, state, |_| {});
        targets | self.early_good.get(state).copied().unwrap_or(0)
    }

    fn pass_on(&mut self, desk: &mut Desk<'_, '_>, walk: &Walk, to: crate::base::Rank) {
        let mut item = Vec::with_capacity((walk.states.len() + 3) * 8);
        let count = (walk.states.len() / self.words) as u64;
        [walk.id.word(), walk.goals, count].into_iter().for_each(|word| wire::put_u64(&mut item, word));
        item.extend_from_slice(&words::bytes(&walk.states));
        desk.exchange.post(to, Tag::Witnesses, &item);
        self.counts.steps_sent += 1;
    }

    /// Tells a state of a walk that it has witnesses; locally, only one's own.
    fn acknowledge(&mut self, desk: &mut Desk<'_, '_>, state: &[u64], goals: u64) {
        let owner = self.owner(hash::words(state), state);
        if owner == self.me {
            self.mark(desk, state, goals);
        } else if self.method == Method::PassThePath {
            let mut item = Vec::with_capacity((self.words + 1) * 8);
            wire::put_u64(&mut item, goals);
            item.extend_from_slice(&words::bytes(state));
            desk.exchange.post(owner, Tag::Acknowledgements, &item);
            self.counts.acknowledgements_sent += 1;
        }
    }

    fn mark(&mut self, desk: &mut Desk<'_, '_>, state: &[u64], goals: u64) {
        self.counts.acknowledgements += 1;
        match desk.known.number(hash::words(state), state) {
            Some(number) => self.good.add(number, goals),
            None => *self.early_good.entry(state.into()).or_default() |= goals,
        }
    }
}
