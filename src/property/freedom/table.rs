//! The table of outstanding searches (thesis, 4.2.3): who waits for whose witness.
//!
//! A search (s, s') goes to the owner of s': s waits for a witness of its helpful successor s'. If s' has one, s is told
//! at once; else s is put on the list of s', and all on the list are told when s' is. A state begins its own search when
//! it is expanded, so a search that comes to a state in the frontier only waits there; the successor of a state is worked
//! out a second time only where nothing had asked for it before and the state is no longer here to be expanded (no P
//! there, or lent). Witness and state may overtake each other on their way: who comes before its state waits aside.
//!
//! Invariant: a state whose search has begun and that has no witness is on exactly one list for each goal (or its search
//! or its acknowledgement is on the way). So, when nothing is on its way, the states left on lists are exactly those
//! whose path is stuck or goes round. Cost: one search and one acknowledgement a state at most, as messages only between
//! ranks.

use super::Freedom;
use crate::base::{hash, wire, words};
use crate::comm::Tag;
use crate::exchange::Inbound;
use crate::explore::{Desk, StateRef};

/// Searches begun here and not yet sent: for each, who waits, for which goals, and the successor's words.
#[derive(Default)]
pub(super) struct Raised {
    from: Vec<(StateRef, u64)>,
    states: Vec<u64>,
}

impl Raised {
    pub fn push(&mut self, from: StateRef, goals: u64, to: &[u64]) {
        self.from.push((from, goals));
        self.states.extend_from_slice(to);
    }
}

/// A state has witnesses for these goals, this many helpful steps from where they were known.
#[derive(Clone, Copy)]
pub(super) struct Answer {
    to: StateRef,
    goals: u64,
    length: u64,
}

impl Freedom {
    pub(super) fn receive_searches(&mut self, desk: &mut Desk<'_, '_>, inbound: &Inbound) {
        let mut read = std::mem::take(&mut self.read);
        read.clear();
        words::read(inbound.bytes(), &mut read);
        if inbound.kind == Tag::Acknowledgements {
            for item in read.chunks_exact(3) {
                let to = StateRef::from_word(item[0]);
                self.waiting.prefetch(to.number());
                self.answers.push(Answer { to, goals: item[1], length: item[2] });
            }
        } else {
            let items = read.chunks_exact(self.words + 2);
            let hashes: Vec<u128> = items.clone().map(|item| hash::words(&item[2..])).collect();
            hashes.iter().for_each(|&hash| desk.known.numbers.prefetch(hash));
            for (item, hash) in items.zip(hashes) {
                self.arrive(desk, StateRef::from_word(item[0]), item[1], &item[2..], hash);
            }
        }
        self.read = read;
        self.work_off_table(desk);
    }

    /// Sends searches on and tells who has a witness, until nothing is left to do here.
    pub(super) fn work_off_table(&mut self, desk: &mut Desk<'_, '_>) {
        loop {
            while let Some(answer) = self.answers.pop() {
                self.tell(desk, answer);
            }
            if self.raised.from.is_empty() {
                return;
            }
            let mut raised = std::mem::take(&mut self.raised);
            self.counts.steps += raised.from.len() as u64;
            let hashes: Vec<u128> = raised.states.chunks_exact(self.words).map(hash::words).collect();
            hashes.iter().for_each(|&hash| desk.known.numbers.prefetch(hash));
            let raisings = raised.states.chunks_exact(self.words).zip(&raised.from).zip(hashes);
            for ((to, &(from, goals)), hash) in raisings {
                let owner = self.owner(hash, to);
                if owner == self.me {
                    self.arrive(desk, from, goals, to, hash);
                    continue;
                }
                self.item.clear();
                wire::put_u64(&mut self.item, from.word());
                wire::put_u64(&mut self.item, goals);
                self.item.extend_from_slice(&words::bytes(to));
                desk.exchange.post(owner, Tag::Witnesses, &self.item);
                self.counts.steps_sent += 1;
            }
            if self.raised.from.is_empty() {
                raised.from.clear();
                raised.states.clear();
                self.raised = raised;
            }
        }
    }

    /// A state waits for a witness of one that this rank owns.
    fn arrive(&mut self, desk: &mut Desk<'_, '_>, from: StateRef, goals: u64, state: &[u64], hash: u128) {
        let Some(number) = desk.known.number(hash, state) else {
            self.early_waits.entry(state.into()).or_default().push((from, goals));
            return;
        };
        let fresh = self.wait_for(number, from, goals);
        if fresh == 0 || self.away.get(number) == 0 {
            return;
        }
        let mut expansion = std::mem::take(&mut self.expansion);
        desk.steps.peek(state, &mut expansion);
        self.counts.expanded_again += 1;
        // Without a successor it stays on the list, and what waits for it is found in the end.
        if let Some(at) = self.successor(desk.steps, state, &expansion) {
            let to = &expansion.states[at * self.words..][..self.words];
            self.raised.push(StateRef::new(self.me, number), fresh, to);
        }
        self.expansion = expansion;
    }

    /// Lets a state wait, or answers it; the goals for which nobody had asked before.
    fn wait_for(&mut self, number: u64, from: StateRef, goals: u64) -> u64 {
        let good = goals & self.good.get(number);
        if good != 0 {
            self.answers.push(Answer { to: from, goals: good, length: 1 });
        }
        let left = goals & !good;
        if left == 0 {
            return 0;
        }
        if from.owner() == self.me {
            self.waiting.push_own(number, from.number());
        } else {
            self.waiting.push_other(number, from, left);
        }
        self.counts.waiting_most = self.waiting.most();
        let fresh = left & !self.begun.get(number);
        self.begun.add(number, fresh);
        fresh
    }

    /// Searches that came before their state: it waits in the frontier now.
    pub(super) fn take_early_waits(&mut self, number: u64, state: &[u64]) {
        if self.early_waits.is_empty() {
            return;
        }
        for (from, goals) in self.early_waits.remove(state).unwrap_or_default() {
            self.wait_for(number, from, goals);
        }
    }

    fn tell(&mut self, desk: &mut Desk<'_, '_>, answer: Answer) {
        let Answer { to, goals, length } = answer;
        if to.owner() != self.me {
            self.item.clear();
            [to.word(), goals, length].into_iter().for_each(|word| wire::put_u64(&mut self.item, word));
            desk.exchange.post(to.owner(), Tag::Acknowledgements, &self.item);
            self.counts.acknowledgements_sent += 1;
            return;
        }
        self.counts.acknowledgements += 1;
        self.counts.longest_path = self.counts.longest_path.max(length);
        self.good.add(to.number(), goals);
        let (me, length) = (self.me, length + 1);
        let Freedom { waiting, begun, good, answers, .. } = self;
        // Two closures cannot both push to one list.
        let mut told = Vec::new();
        let own = |waiter: u64| {
            let wanted = begun.get(waiter) & !good.get(waiter);
            if wanted & goals != 0 {
                answers.push(Answer { to: StateRef::new(me, waiter), goals: wanted & goals, length });
            }
            wanted & !goals != 0
        };
        waiting.end(to.number(), goals, own, |from, goals| told.push(Answer { to: from, goals, length }));
        answers.append(&mut told);
    }
}
