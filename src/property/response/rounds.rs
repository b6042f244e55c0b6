//! Which pending states may lie on a fair cycle? One-Way-Catch-Them-Young with promises as tags.
//!
//! In: the states where the claim holds and the target does not. Out: how many pending states no round can delete.
//! Three kinds of phases, each over all ranks with every state at its owner:
//!
//! - *gather*: all pending states are found by walking on from the seeds through states without the target; each is
//!   expanded once, and what is due and kept there is noted.
//! - *spread*: each state's tags (the promises kept on some way into it, by pending states that are left) are passed
//!   on to its successors until nothing changes.
//! - *trim*: states at which something due is in no tag are deleted, and so are states, not fair by themselves, that
//!   no state which is left leads to.
//!
//! Invariant: a state on a fair cycle is never deleted, because all that is due on the cycle is kept on it. What is
//! left when a round deletes nothing contains a fair cycle: the component that no other one leads to (thesis, 6.3).
//! Rounds end because each deletes a state; a spread ends because tags only grow. Cost: an expansion each time a
//! state's tags grew, and one for its deletion; one message item a step to a state of another rank.
//!
//! Three savings of the thesis (6.5) can be turned off for a study: a state that waits is not queued again; rounds
//! begin with the states that had a predecessor deleted; states are deleted by counting predecessors.

use std::collections::VecDeque;

use super::table::{DEAD, KERNEL, Parent, QUEUED, SEED, Table, VISITED};
use super::{Goal, Outcome};
use crate::base::{Rank, hash, wire, words};
use crate::comm::{Op, Tag};
use crate::compile::{Expansion, InstanceNo, Predicate, Steps};
use crate::exchange::{Exchange, Idle};
use crate::explore::StateRef;
use crate::explore::frontier::Frontier;
use crate::explore::sequel::Stage;
use crate::ir::promise::{Condition, Promises, join, set, within};
use crate::verdict::figures::Round;

/// The savings, each on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Study {
    pub saved_expansions: bool,
    pub dynamic_kernel: bool,
    pub predecessor_counting: bool,
}

impl Default for Study {
    fn default() -> Study {
        Study { saved_expansions: true, dynamic_kernel: true, predecessor_counting: true }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Gather,
    Spread,
    Trim,
}

/// Expansions between two looks at the clock.
const LOOK_EVERY: u64 = 256;

/// One rank's part in the rounds for one goal.
pub struct Rounds<'p> {
    goal: Goal,
    promises: &'p Promises,
    study: Study,
    /// The model has assumptions, so not every successor belongs to it.
    assumes: bool,
    me: Rank,
    ranks: u32,
    words: usize,
    pub(super) table: Table,
    queue: VecDeque<u32>,
    alive: u64,
    expansions: u64,
    expansion: Expansion,
    loops: Vec<InstanceNo>,
    item: Vec<u8>,
    trouble: Option<String>,
}

impl<'p> Rounds<'p> {
    pub fn new(
        stage: &Stage<'_, '_>,
        goal: Goal,
        promises: &'p Promises,
        study: Study,
        assumes: bool,
    ) -> Rounds<'p> {
        let words = stage.steps.words();
        Rounds {
            goal,
            promises,
            study,
            assumes,
            me: stage.exchange.rank(),
            ranks: stage.exchange.ranks(),
            words,
            table: Table::new(words, promises.words(), stage.memory_bytes),
            queue: VecDeque::new(),
            alive: 0,
            expansions: 0,
            expansion: Expansion::default(),
            loops: Vec::new(),
            item: Vec::new(),
            trouble: None,
        }
    }

    /// Runs all rounds, on all ranks.
    pub fn run(&mut self, stage: &mut Stage<'_, '_>, seeds: &mut Frontier) -> Outcome {
        let mut outcome = Outcome::default();
        self.plant(seeds);
        self.run_phase(stage, Phase::Gather);
        let [pending, expansions, troubles] = self.tally(stage.exchange);
        outcome.pending = pending;
        outcome.rounds.push(Round { maybe_fair: pending, deleted: 0, expansions });
        let mut left = pending;
        let mut troubles = troubles;
        let mut first = self.study.predecessor_counting;
        while troubles == 0 && left > 0 {
            // Before the first round, only what can be deleted by counting is.
            if !first {
                self.begin_round();
                self.run_phase(stage, Phase::Spread);
            }
            self.delete(first);
            if self.study.dynamic_kernel || self.study.predecessor_counting {
                self.run_phase(stage, Phase::Trim);
            } else {
                self.queue.clear();
            }
            let [now, expansions, found] = self.tally(stage.exchange);
            outcome.rounds.push(Round { maybe_fair: now, deleted: left - now, expansions });
            troubles = found;
            if now == left && !first {
                break;
            }
            (left, first) = (now, false);
        }
        outcome.left = left;
        outcome.trouble = self.agree_on_trouble(stage.exchange, troubles);
        outcome
    }

    fn plant(&mut self, seeds: &mut Frontier) {
        let mut state = Vec::with_capacity(self.words);
        loop {
            match seeds.pop(&mut state) {
                Ok(Some((id, _))) => {
                    let parent = Parent { word: id.word(), step: SEED };
                    let hash = hash::words(&state);
                    if let Some(at) = self.take_in(hash, &state, parent) {
                        self.table.flags[at] |= KERNEL;
                    }
                }
                Ok(None) => return,
                Err(error) => return self.give_up(error.to_string()),
            }
        }
    }

    fn take_in(&mut self, hash: u128, state: &[u64], parent: Parent) -> Option<usize> {
        if self.trouble.is_some() {
            return None;
        }
        let Some(at) = self.table.insert(hash, state, parent) else {
            self.give_up(format!("rank {}: out of memory for pending states", self.me));
            return None;
        };
        self.alive += 1;
        self.queue.push_back(at as u32);
        Some(at)
    }

    /// From here on this rank only waits for the phase to end; the reason is told after it.
    pub fn give_up(&mut self, why: String) {
        self.trouble.get_or_insert(why);
        self.queue.clear();
    }

    fn begin_round(&mut self) {
        self.table.reset_tags();
        self.queue.clear();
        for at in 0..self.table.len() {
            self.table.flags[at] &= !(VISITED | QUEUED);
            let begins = !self.study.dynamic_kernel || self.table.has(at, KERNEL);
            if begins && !self.table.has(at, DEAD) {
                self.table.flags[at] |= VISITED | QUEUED;
                self.queue.push_back(at as u32);
            }
        }
    }

    /// Deletes what the tags (or, `by_count`, the counts alone) rule out; the queue holds what was deleted.
    fn delete(&mut self, by_count: bool) {
        if self.trouble.is_some() {
            return;
        }
        self.queue.clear();
        for at in 0..self.table.len() {
            if self.table.has(at, DEAD) {
                continue;
            }
            let out =
                if by_count { self.cut_off(at) } else { !within(self.table.due(at), self.table.tags(at)) };
            if out {
                self.kill(at);
            }
        }
    }

    /// Whether nothing leads to a state which is not fair by itself.
    fn cut_off(&self, at: usize) -> bool {
        self.table.before[at] == 0 && !within(self.table.due(at), self.table.kept(at))
    }

    fn kill(&mut self, at: usize) {
        self.table.flags[at] |= DEAD;
        self.alive -= 1;
        self.queue.push_back(at as u32);
    }

    fn run_phase(&mut self, stage: &mut Stage<'_, '_>, phase: Phase) {
        let mut since_look = 0;
        loop {
            let Stage { exchange, steps, .. } = &mut *stage;
            while exchange.receive(|_, inbound| self.receive(&mut **steps, phase, inbound.bytes())) {}
            if exchange.congested() {
                exchange.wait();
            } else if let Some(at) = self.queue.pop_front() {
                self.expand(exchange, &mut **steps, phase, at as usize);
                since_look += 1;
                if since_look >= LOOK_EVERY {
                    since_look = 0;
                    if (stage.stop)() {
                        self.give_up("asked to stop".to_string());
                    }
                }
            } else if exchange.idle() == Idle::PhaseOver {
                return;
            }
        }
    }

    fn receive(&mut self, steps: &mut dyn Steps, phase: Phase, bytes: &[u8]) {
        let extra = match phase {
            Phase::Gather => 2,
            Phase::Spread => self.promises.words(),
            Phase::Trim => 0,
        };
        let mut item = Vec::with_capacity(self.words + extra);
        for bytes in bytes.chunks_exact((self.words + extra) * 8) {
            item.clear();
            words::read(bytes, &mut item);
            let (state, extra) = item.split_at(self.words);
            self.arrive(steps, phase, state, extra);
        }
    }

    /// A step leads to a state that this rank owns.
    fn arrive(&mut self, steps: &mut dyn Steps, phase: Phase, state: &[u64], extra: &[u64]) {
        if self.trouble.is_some() {
            return;
        }
        let hash = hash::words(state);
        let known = self.table.find(hash, state);
        match (phase, known) {
            (Phase::Gather, Some(at)) => self.table.before[at] += 1,
            (Phase::Gather, None) => {
                match steps.predicate(Predicate::Target(self.goal.property), self.goal.index, state) {
                    Ok(Some(true)) => {}
                    Ok(_) => {
                        let parent = Parent { word: extra[0], step: extra[1] as u32 };
                        if let Some(at) = self.take_in(hash, state, parent) {
                            self.table.before[at] = 1;
                        }
                    }
                    Err(fault) => {
                        self.give_up(format!("the property could not be evaluated: {}", fault.message))
                    }
                }
            }
            // States with the target are not in the table.
            (_, None) => {}
            (Phase::Spread, Some(at)) => self.arrive_tags(at, extra),
            (Phase::Trim, Some(at)) => {
                self.table.before[at] -= 1;
                self.table.flags[at] |= KERNEL;
                if self.study.predecessor_counting && !self.table.has(at, DEAD) && self.cut_off(at) {
                    self.kill(at);
                }
            }
        }
    }

    fn arrive_tags(&mut self, at: usize, tags: &[u64]) {
        if self.table.has(at, DEAD) {
            return;
        }
        let new = join(self.table.tags_mut(at), tags);
        let first = !self.table.has(at, VISITED);
        let waits = self.table.has(at, QUEUED) && self.study.saved_expansions;
        self.table.flags[at] |= VISITED;
        if (new || first) && !waits {
            self.table.flags[at] |= QUEUED;
            self.queue.push_back(at as u32);
        }
    }

    fn expand(&mut self, exchange: &mut Exchange<'_>, steps: &mut dyn Steps, phase: Phase, at: usize) {
        self.table.flags[at] &= !QUEUED;
        self.expansions += 1;
        let state = self.table.state(at).to_vec();
        let mut expansion = std::mem::take(&mut self.expansion);
        steps.expand(&state, &mut expansion);
        let mut enabled = vec![0; self.promises.words()];
        let tags = self.table.tags(at).to_vec();
        let me = StateRef::new(self.me, at as u64).word();
        for (to, &step) in expansion.states.chunks_exact(self.words).zip(&expansion.steps) {
            if self.assumes && !steps.assumed(to).unwrap_or(false) {
                continue;
            }
            let kept = self.promises.of_number(step.0 as usize);
            match phase {
                Phase::Gather => {
                    kept.iter().for_each(|&promise| set(&mut enabled, promise as usize));
                    self.pass_on(exchange, steps, phase, to, &[me, u64::from(step.0)]);
                }
                Phase::Trim => self.pass_on(exchange, steps, phase, to, &[]),
                Phase::Spread => {
                    let mut tags = tags.clone();
                    kept.iter().for_each(|&promise| set(&mut tags, promise as usize));
                    self.pass_on(exchange, steps, phase, to, &tags);
                }
            }
        }
        if phase == Phase::Gather {
            self.note_promises(steps, at, &state, &expansion, enabled);
        }
        self.expansion = expansion;
    }

    fn pass_on(
        &mut self,
        exchange: &mut Exchange<'_>,
        steps: &mut dyn Steps,
        phase: Phase,
        to: &[u64],
        extra: &[u64],
    ) {
        let owner = Rank(hash::owner(hash::words(to), self.ranks));
        if owner == self.me {
            return self.arrive(steps, phase, to, extra);
        }
        self.item.clear();
        self.item.extend_from_slice(&words::bytes(to));
        extra.iter().for_each(|&word| wire::put_u64(&mut self.item, word));
        exchange.post(owner, Tag::States, &self.item);
    }

    /// What is due and kept in a state; steps that stay there keep their promises there.
    fn note_promises(
        &mut self,
        steps: &mut dyn Steps,
        at: usize,
        state: &[u64],
        expansion: &Expansion,
        mut enabled: Vec<u64>,
    ) {
        let mut stay = vec![0; self.promises.words()];
        if expansion.fired > expansion.steps.len() as u64 {
            let mut loops = std::mem::take(&mut self.loops);
            steps.loops(state, &mut loops);
            for &step in &loops {
                self.promises.of_number(step.0 as usize).iter().for_each(|&p| set(&mut stay, p as usize));
            }
            self.loops = loops;
        }
        join(&mut enabled, &stay);
        let (mut due, mut kept) = (vec![0; self.promises.words()], vec![0; self.promises.words()]);
        let holds = |condition: Condition| {
            let which = match condition.premise {
                true => Predicate::Premise(condition.fairness),
                false => Predicate::Conclusion(condition.fairness),
            };
            steps.predicate(which, condition.index, state)
        };
        if let Err(fault) = self.promises.mark(&enabled, holds, &mut due, &mut kept) {
            self.give_up(format!("fairness could not be evaluated in every state: {}", fault.message));
        }
        join(&mut kept, &stay);
        self.table.set_promises(at, &due, &kept);
    }

    /// Over all ranks: states left, expansions since the last tally, ranks in trouble.
    fn tally(&mut self, exchange: &mut Exchange<'_>) -> [u64; 3] {
        let mine = [self.alive, std::mem::take(&mut self.expansions), u64::from(self.trouble.is_some())];
        let sums = exchange.tally(Op::Sum, &mine.map(|n| n as i64));
        [sums[0] as u64, sums[1] as u64, sums[2] as u64]
    }

    /// The same words of trouble on all ranks.
    fn agree_on_trouble(&mut self, exchange: &mut Exchange<'_>, troubles: u64) -> Option<String> {
        if troubles == 0 {
            return None;
        }
        let mine = wire::encode(&self.trouble);
        let all = crate::comm::collective::gather(exchange.comm(), mine);
        let first = all.map(|parts| {
            let decoded =
                parts.iter().map(|part| wire::decode::<Option<String>>(part).expect("trouble decodes"));
            wire::encode(&decoded.flatten().next())
        });
        let agreed = crate::comm::collective::broadcast(exchange.comm(), first);
        wire::decode(&agreed).expect("trouble decodes")
    }
}
