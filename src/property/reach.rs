//! Whether target states stay in reach, after a distributed search: AG EF Q, and AG (P -> EF Q) by helpful rules.
//!
//! In: the states with P and without Q (`Seeds`). Out: how many of them cannot reach Q, and one of them. In one phase,
//! the ranks walk on from these states by helpful steps through states without Q. A step's target remembers where
//! the step came from; once it is known to reach Q, it says so to all of them, who then reach Q too.
//!
//! Invariant: a state is good exactly when a helpful way from it to Q was found; when nothing is on its way any more,
//! every state that has such a way is good, by induction on its length. Each state is expanded once. Cost: one item a
//! step to a state of another rank, and one back for at most each of them; 16 bytes a step beside the states.

use std::collections::VecDeque;

use super::response::table::{Parent, SEED, Table};
use super::response::{Goal, SeedQueues};
use crate::base::{Rank, hash, wire, words};
use crate::comm::{Op, Tag};
use crate::compile::{Expansion, Owners, Predicate, Steps};
use crate::exchange::{Exchange, Idle, Inbound};
use crate::explore::StateRef;
use crate::explore::sequel::Stage;
use crate::ir::{Model, PropertyKind};

/// A flag of the table: the state reaches the target.
const GOOD: u8 = 1;
const NO_LINK: u32 = u32::MAX;
/// Expansions between two looks at the clock.
const LOOK_EVERY: u64 = 256;

/// What was found for one goal, the same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub pending: u64,
    /// Seeds that cannot reach the target.
    pub stuck: u64,
    /// One of them, by the search's log.
    pub first: StateRef,
    /// Ranks that could not finish.
    pub troubles: u64,
}

pub struct Reach<'m> {
    model: &'m Model,
    goal: Goal,
    helpful_only: bool,
    assumes: bool,
    me: Rank,
    owners: Owners,
    words: usize,
    table: Table,
    /// For each state, the first link of those that wait for it.
    waiting: Vec<u32>,
    /// Who waits, and the next link.
    links: Vec<(u64, u32)>,
    queue: VecDeque<u32>,
    /// States that became good and have not said so yet.
    news: Vec<u32>,
    expansion: Expansion,
    pub trouble: Option<String>,
}

impl<'m> Reach<'m> {
    pub fn new(stage: &Stage<'_, '_>, model: &'m Model, goal: Goal) -> Reach<'m> {
        let words = stage.steps.words();
        Reach {
            model,
            goal,
            helpful_only: model.properties[goal.property as usize].kind == PropertyKind::CanGetTo,
            assumes: model.properties.iter().any(|property| property.kind == PropertyKind::Assume),
            me: stage.exchange.rank(),
            owners: stage.owners.clone(),
            words,
            // Half of the memory is for the steps.
            table: Table::new(words, stage.memory_bytes / 2),
            waiting: Vec::new(),
            links: Vec::new(),
            queue: VecDeque::new(),
            news: Vec::new(),
            expansion: Expansion::default(),
            trouble: None,
        }
    }

    /// Decides one goal, on all ranks.
    pub fn run(&mut self, stage: &mut Stage<'_, '_>, seeds: &mut SeedQueues, at: usize) -> Found {
        self.trouble.clone_from(&seeds.failure);
        let mut state = Vec::with_capacity(self.words);
        loop {
            match seeds.queues[at].pop(&mut state) {
                Ok(Some((id, _))) => {
                    self.take_in(hash::words(&state), &state, Parent { word: id.word(), step: SEED });
                }
                Ok(None) => break,
                Err(error) => {
                    self.give_up(error.to_string());
                    break;
                }
            }
        }
        self.run_phase(stage);
        let stuck = |at: &usize| self.table.parents[*at].step == SEED && self.table.flags[*at] & GOOD == 0;
        let stuck: Vec<usize> = (0..self.table.len()).filter(stuck).collect();
        let first = stuck.iter().map(|&at| self.table.parents[at].word as i64).min().unwrap_or(i64::MAX);
        let mine = [self.table.len(), stuck.len(), usize::from(self.trouble.is_some())].map(|n| n as i64);
        let sums = stage.exchange.tally(Op::Sum, &mine);
        let first = stage.exchange.tally(Op::Min, &[first])[0];
        Found {
            pending: sums[0] as u64,
            stuck: sums[1] as u64,
            first: StateRef::from_word(first as u64),
            troubles: sums[2] as u64,
        }
    }

    fn give_up(&mut self, why: String) {
        self.trouble.get_or_insert(why);
        self.queue.clear();
        self.news.clear();
    }

    fn take_in(&mut self, hash: u128, state: &[u64], parent: Parent) -> Option<usize> {
        if self.trouble.is_some() {
            return None;
        }
        let at = self.table.insert(hash, state, parent);
        if at.is_none() {
            self.give_up(format!("rank {}: out of memory for pending states", self.me));
        }
        let at = at?;
        self.waiting.push(NO_LINK);
        self.queue.push_back(at as u32);
        Some(at)
    }

    fn run_phase(&mut self, stage: &mut Stage<'_, '_>) {
        let mut since_look = 0;
        let memory_bytes = stage.memory_bytes;
        loop {
            let Stage { exchange, steps, .. } = &mut *stage;
            while exchange.receive(|exchange, inbound| self.receive(exchange, &mut **steps, inbound)) {}
            if exchange.congested() {
                exchange.wait();
            } else if let Some(at) = self.news.pop() {
                self.tell(exchange, at as usize);
            } else if let Some(at) = self.queue.pop_front() {
                self.expand(exchange, &mut **steps, at as usize);
                since_look += 1;
                if since_look >= LOOK_EVERY {
                    since_look = 0;
                    if let Some(why) = (stage.stop)() {
                        self.give_up(why);
                    } else if self.links.len() as u64 * 16 > memory_bytes / 2 {
                        self.give_up(format!(
                            "rank {}: out of memory for the steps of pending states",
                            self.me
                        ));
                    }
                }
            } else if exchange.idle() == Idle::PhaseOver {
                return;
            }
        }
    }

    fn receive(&mut self, exchange: &mut Exchange<'_>, steps: &mut dyn Steps, inbound: &Inbound) {
        let mut read = Vec::new();
        words::read(inbound.bytes(), &mut read);
        if inbound.kind == Tag::Acknowledgements {
            read.iter().for_each(|&at| self.become_good(at as usize));
            return;
        }
        for item in read.chunks_exact(self.words + 1) {
            self.arrive(exchange, steps, &item[1..], item[0]);
        }
    }

    /// A helpful step leads from a pending state to one that this rank owns.
    fn arrive(&mut self, exchange: &mut Exchange<'_>, steps: &mut dyn Steps, state: &[u64], from: u64) {
        if self.trouble.is_some() {
            return;
        }
        let hash = hash::words(state);
        let at = match self.table.find(hash, state) {
            Some(at) if self.table.flags[at] & GOOD != 0 => return self.answer(exchange, from),
            Some(at) => at,
            None => match self.is_target(steps, state) {
                Ok(true) => return self.answer(exchange, from),
                Ok(false) => {
                    let Some(at) = self.take_in(hash, state, Parent { word: from, step: 0 }) else { return };
                    at
                }
                Err(why) => return self.give_up(why),
            },
        };
        self.links.push((from, self.waiting[at]));
        self.waiting[at] = self.links.len() as u32 - 1;
    }

    fn is_target(&self, steps: &mut dyn Steps, state: &[u64]) -> Result<bool, String> {
        let held = steps.predicate(target(self.model, self.goal), self.goal.index, state);
        held.map(|held| held == Some(true))
            .map_err(|fault| format!("it could not be evaluated: {}", fault.message))
    }

    /// Says to one that waits that its successor is good.
    fn answer(&mut self, exchange: &mut Exchange<'_>, from: u64) {
        let from = StateRef::from_word(from);
        if from.rank() == self.me {
            return self.become_good(from.number() as usize);
        }
        let mut item = Vec::with_capacity(8);
        wire::put_u64(&mut item, from.number());
        exchange.post(from.rank(), Tag::Acknowledgements, &item);
    }

    fn become_good(&mut self, at: usize) {
        if self.table.flags[at] & GOOD == 0 && self.trouble.is_none() {
            self.table.flags[at] |= GOOD;
            self.news.push(at as u32);
        }
    }

    /// Says to all that wait for a state that it is good.
    fn tell(&mut self, exchange: &mut Exchange<'_>, at: usize) {
        let mut link = std::mem::replace(&mut self.waiting[at], NO_LINK);
        while link != NO_LINK {
            let (from, next) = self.links[link as usize];
            self.answer(exchange, from);
            link = next;
        }
    }

    fn expand(&mut self, exchange: &mut Exchange<'_>, steps: &mut dyn Steps, at: usize) {
        let state = self.table.state(at).to_vec();
        let mut expansion = std::mem::take(&mut self.expansion);
        steps.expand(&state, &mut expansion);
        let me = StateRef::new(self.me, at as u64).word();
        let hashes = expansion.steps.iter().zip(&expansion.hashes);
        for (to, (&step, &hash)) in expansion.states.chunks_exact(self.words).zip(hashes) {
            let rule = steps.instances().instance(step).rule;
            let skip = self.helpful_only && self.model.rule(rule).unhelpful;
            if skip || self.assumes && !steps.assumed(to).unwrap_or(false) {
                continue;
            }
            let owner = self.owners.of(hash, to);
            if owner == self.me {
                self.arrive(exchange, steps, to, me);
                continue;
            }
            let mut item = Vec::with_capacity((self.words + 1) * 8);
            wire::put_u64(&mut item, me);
            item.extend_from_slice(&words::bytes(to));
            exchange.post(owner, Tag::States, &item);
        }
        self.expansion = expansion;
    }
}

/// What is to stay in reach.
pub fn target(model: &Model, goal: Goal) -> Predicate {
    match model.properties[goal.property as usize].kind {
        PropertyKind::AlwaysPossible => Predicate::Claim(goal.property),
        _ => Predicate::Target(goal.property),
    }
}
