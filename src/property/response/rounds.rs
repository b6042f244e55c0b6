//! Which pending states may lie on a fair cycle? One-Way-Catch-Them-Young with promises as tags.
//!
//! In: the states where the claim holds and the target does not. Out: how many pending states no round can delete.
//! Kinds of phases, each over all ranks with every state at its owner:
//!
//! - *gather*: all pending states are found by walking on from the seeds through states without the target; when a
//!   state is first expanded, what is due and kept there is noted. Tags spread along, so this is the first spread too.
//! - *spread*: each state's tags (the promises kept on some way into it, by pending states that are left) are passed
//!   on to its successors until nothing changes. Then states at which something due is in no tag are deleted.
//! - *trim*: states that no state which is left leads to, and which are not fair by themselves, are deleted. Either
//!   the deleted states are expanded and their successors' counts fall, or, where fewer states are left than were
//!   deleted, those left are expanded and counts begin anew (*count*).
//! - *colour*: see `narrow.rs`; *retrace*: see `path.rs`.
//!
//! Invariant: a state on a fair cycle is never deleted, because all that is due on the cycle is kept on it. What is
//! left when a round deletes nothing contains a fair cycle: the component that no other one leads to (thesis, 6.3).
//! Rounds end because each deletes a state; a spread ends because tags only grow. Cost: an expansion each time a
//! state's tags grew, and at most one for its deletion; one message item a step to a state of another rank.
//!
//! Three savings of the thesis (6.5) can be turned off for a study (`--owcty-without`): a state that waits is not
//! queued again; rounds begin with the states that had a predecessor deleted; states are deleted by counting
//! predecessors.

use super::pending::{DEAD, KERNEL, Pending, QUEUED, SEED, VISITED};
use super::table::Parent;
use super::waiting::Waiting;
use super::{Goal, Outcome};
use crate::base::{Rank, hash, wire, words};
use crate::comm::{Op, Tag, collective};
use crate::compile::{Expansion, InstanceNo, Owners, Predicate, Steps};
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
pub(super) enum Phase {
    Gather,
    Spread,
    Trim,
    Count,
    Colour,
    Retrace,
}

/// In place of a step: the step was told before, and its tags have grown.
const AGAIN: u64 = u64::MAX;
/// Expansions between two looks at the clock.
const LOOK_EVERY: u64 = 256;

/// Room for one expansion, used again for each.
#[derive(Default)]
struct Scratch {
    state: Vec<u64>,
    /// What goes along with a successor.
    extra: Vec<u64>,
    expansion: Expansion,
    enabled: Vec<u64>,
    stay: Vec<u64>,
    due: Vec<u64>,
    kept: Vec<u64>,
    loops: Vec<InstanceNo>,
    item: Vec<u8>,
}

/// One rank's part in the rounds for one goal.
pub struct Rounds<'p> {
    goal: Goal,
    promises: &'p Promises,
    study: Study,
    /// The model has assumptions, so not every successor belongs to it.
    assumes: bool,
    pub(super) me: Rank,
    owners: Owners,
    words: usize,
    pub(super) table: Pending,
    pub(super) waiting: Waiting,
    /// For each state, while states are coloured, its colour.
    pub(super) colours: Vec<i64>,
    /// For each state, once a way to one is asked for, how it was reached.
    pub(super) parents: Vec<Parent>,
    pub(super) alive: u64,
    expansions: u64,
    scratch: Scratch,
    pub(super) trouble: Option<String>,
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
            owners: stage.owners.clone(),
            words,
            table: Pending::new(words, promises.words(), stage.memory_bytes),
            waiting: Waiting::default(),
            colours: Vec::new(),
            parents: Vec::new(),
            alive: 0,
            expansions: 0,
            scratch: Scratch::default(),
            trouble: None,
        }
    }

    /// Runs all rounds, on all ranks.
    pub fn run(&mut self, stage: &mut Stage<'_, '_>, seeds: &mut Frontier) -> Outcome {
        let mut outcome = Outcome::default();
        self.plant(seeds);
        self.run_phase(stage, Phase::Gather);
        let [pending, expansions, mut troubles] = self.tally(stage.exchange);
        outcome.pending = pending;
        outcome.rounds.push(Round { maybe_fair: pending, deleted: 0, expansions });
        let mut left = pending;
        let mut spread = true;
        while troubles == 0 && left > 0 {
            let before = left;
            if !std::mem::take(&mut spread) {
                self.begin_round();
                self.run_phase(stage, Phase::Spread);
            }
            self.delete_unkept();
            let alive = stage.exchange.tally(Op::Sum, &[self.alive as i64])[0] as u64;
            if alive > 0 && alive < before {
                self.trim(stage, alive, before - alive);
            }
            troubles = self.close_round(stage, &mut outcome, &mut left);
            if left == before {
                break;
            }
        }
        outcome.left = left;
        outcome.trouble = self.agree_on_trouble(stage.exchange, troubles);
        outcome
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> u64 {
        self.table.bytes()
    }

    /// Notes what a round did; how many ranks are in trouble.
    fn close_round(&mut self, stage: &mut Stage<'_, '_>, outcome: &mut Outcome, left: &mut u64) -> u64 {
        let [now, expansions, troubles] = self.tally(stage.exchange);
        outcome.rounds.push(Round { maybe_fair: now, deleted: *left - now, expansions });
        *left = now;
        troubles
    }

    fn plant(&mut self, seeds: &mut Frontier) {
        let mut state = Vec::with_capacity(self.words);
        loop {
            match seeds.pop(&mut state) {
                Ok(Some(_)) => {
                    let hash = hash::words(&state);
                    if let Some(at) = self.take_in(hash, &state) {
                        self.table.flags[at] |= KERNEL | SEED;
                    }
                }
                Ok(None) => return,
                Err(error) => return self.give_up(error.to_string()),
            }
        }
    }

    fn take_in(&mut self, hash: u128, state: &[u64]) -> Option<usize> {
        if self.trouble.is_some() {
            return None;
        }
        let Some(at) = self.table.insert(hash, state) else {
            self.give_up(format!("rank {}: out of memory for pending states", self.me));
            return None;
        };
        self.alive += 1;
        self.enqueue(at);
        Some(at)
    }

    /// Lets a state wait; one that waits already, only where expansions are not saved.
    pub(super) fn enqueue(&mut self, at: usize) {
        if !self.table.has(at, QUEUED) {
            self.table.flags[at] |= QUEUED;
            self.waiting.push(at);
        } else if !self.study.saved_expansions {
            self.waiting.push_again(at);
        }
    }

    /// From here on this rank only waits for the phase to end; the reason is told after it.
    pub fn give_up(&mut self, why: String) {
        self.trouble.get_or_insert(why);
        self.waiting.clear();
    }

    /// The states that `begins` names wait, and no others.
    pub(super) fn queue_where(&mut self, begins: impl Fn(&Pending, usize) -> bool) {
        for at in 0..self.table.len() {
            let waits = if begins(&self.table, at) { VISITED | QUEUED } else { 0 };
            self.table.flags[at] = self.table.flags[at] & !(VISITED | QUEUED) | waits;
        }
        self.waiting.begin();
    }

    /// Without a kernel that follows the deletions, a round begins with the seeds, dead or not, and walks through dead
    /// states to those left.
    fn begin_round(&mut self) {
        self.table.reset_tags();
        match self.study.dynamic_kernel {
            true => self.queue_where(|table, at| table.flags[at] & (KERNEL | DEAD) == KERNEL),
            false => self.queue_where(|table, at| table.has(at, SEED)),
        }
    }

    /// Deletes what the tags or the counts rule out; those deleted wait.
    fn delete_unkept(&mut self) {
        let counting = self.study.predecessor_counting;
        self.delete(|table, at| !within(table.due(at), table.tags(at)) || counting && is_cut_off(table, at));
    }

    /// Deletes what the counts rule out; those deleted wait.
    fn delete_first(&mut self) {
        self.delete(is_cut_off);
    }

    fn delete(&mut self, out: impl Fn(&Pending, usize) -> bool) {
        if self.trouble.is_some() {
            return;
        }
        self.waiting.clear();
        self.table.flags.iter_mut().for_each(|flags| *flags &= !QUEUED);
        for at in 0..self.table.len() {
            if !self.table.has(at, DEAD) && out(&self.table, at) {
                self.kill(at);
            }
        }
    }

    pub(super) fn kill(&mut self, at: usize) {
        self.table.flags[at] |= DEAD;
        self.alive -= 1;
        self.enqueue(at);
    }

    /// After states were deleted: finds whose predecessors are gone, from the deleted states or from those left,
    /// whichever are fewer.
    fn trim(&mut self, stage: &mut Stage<'_, '_>, alive: u64, deleted: u64) {
        if !self.study.predecessor_counting && !self.study.dynamic_kernel {
            self.waiting.clear();
            return;
        }
        if alive >= deleted {
            return self.run_phase(stage, Phase::Trim);
        }
        for flags in self.table.flags.iter_mut().filter(|flags| **flags & DEAD == 0) {
            *flags |= KERNEL;
        }
        if self.study.predecessor_counting {
            self.table.forget_counts();
            self.queue_where(|table, at| !table.has(at, DEAD));
            self.run_phase(stage, Phase::Count);
            self.delete_first();
            self.run_phase(stage, Phase::Trim);
        }
    }

    pub(super) fn run_phase(&mut self, stage: &mut Stage<'_, '_>, phase: Phase) {
        if self.trouble.is_some() {
            self.waiting.clear();
        }
        let mut since_look = 0;
        loop {
            let Stage { exchange, steps, .. } = &mut *stage;
            while exchange.receive(|_, inbound| self.receive(&mut **steps, phase, inbound.bytes())) {}
            if exchange.congested() {
                exchange.wait();
            } else if let Some(at) = self.waiting.pop(&self.table.flags) {
                self.expand(exchange, &mut **steps, phase, at);
                since_look += 1;
                if since_look >= LOOK_EVERY {
                    since_look = 0;
                    if let Some(why) = (stage.stop)() {
                        self.give_up(why);
                    }
                }
            } else if exchange.idle() == Idle::PhaseOver {
                return;
            }
        }
    }

    fn extra_words(&self, phase: Phase) -> usize {
        match phase {
            Phase::Gather => 1 + self.promises.words(),
            Phase::Spread => self.promises.words(),
            Phase::Trim | Phase::Count => 0,
            Phase::Colour => 1,
            Phase::Retrace => 2,
        }
    }

    fn receive(&mut self, steps: &mut dyn Steps, phase: Phase, bytes: &[u8]) {
        let item_words = self.words + self.extra_words(phase);
        let mut read = Vec::with_capacity(bytes.len() / 8);
        words::read(bytes, &mut read);
        let items = || read.chunks_exact(item_words);
        let hashes: Vec<u128> = items().map(|item| hash::words(&item[..self.words])).collect();
        hashes.iter().for_each(|&hash| self.table.prefetch(hash));
        for (item, hash) in items().zip(hashes) {
            let (state, extra) = item.split_at(self.words);
            self.arrive(steps, phase, hash, state, extra);
        }
    }

    /// A step leads to a state that this rank owns.
    fn arrive(&mut self, steps: &mut dyn Steps, phase: Phase, hash: u128, state: &[u64], extra: &[u64]) {
        if self.trouble.is_some() {
            return;
        }
        let Some(at) = self.table.find(hash, state) else {
            // After the gathering, states that are not in the table have the target.
            if phase == Phase::Gather {
                self.arrive_new(steps, hash, state, extra);
            }
            return;
        };
        if phase == Phase::Retrace {
            return self.arrive_on_way(at, Parent { word: extra[0], step: extra[1] as u32 });
        }
        if self.table.has(at, DEAD) {
            if phase == Phase::Spread && !self.study.dynamic_kernel && !self.table.has(at, VISITED) {
                self.table.flags[at] |= VISITED;
                self.enqueue(at);
            }
            return;
        }
        match phase {
            Phase::Gather => {
                if extra[0] != AGAIN {
                    self.table.count(at);
                }
                // One that was not expanded yet passes on what it has then.
                if join(self.table.tags_mut(at), &extra[1..]) && self.table.has(at, VISITED) {
                    self.enqueue(at);
                }
            }
            Phase::Count => self.table.count(at),
            Phase::Spread => self.arrive_tags(at, extra),
            Phase::Trim => {
                self.table.discount(at);
                self.table.flags[at] |= KERNEL;
                if self.study.predecessor_counting && is_cut_off(&self.table, at) {
                    self.kill(at);
                }
            }
            Phase::Colour => self.arrive_colour(at, extra[0] as i64),
            Phase::Retrace => unreachable!("told above"),
        }
    }

    fn arrive_new(&mut self, steps: &mut dyn Steps, hash: u128, state: &[u64], extra: &[u64]) {
        match steps.predicate(Predicate::Target(self.goal.property), self.goal.index, state) {
            Ok(Some(true)) => {}
            Ok(_) => {
                if let Some(at) = self.take_in(hash, state) {
                    self.table.count(at);
                    self.table.tags_mut(at).copy_from_slice(&extra[1..]);
                }
            }
            Err(fault) => self.give_up(format!("the property could not be evaluated: {}", fault.message)),
        }
    }

    fn arrive_tags(&mut self, at: usize, tags: &[u64]) {
        let new = join(self.table.tags_mut(at), tags);
        let first = !self.table.has(at, VISITED);
        self.table.flags[at] |= VISITED;
        if new || first {
            self.enqueue(at);
        }
    }

    fn expand(&mut self, exchange: &mut Exchange<'_>, steps: &mut dyn Steps, phase: Phase, at: usize) {
        self.table.flags[at] &= !QUEUED;
        self.expansions += 1;
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.state.clear();
        scratch.state.extend_from_slice(self.table.state(at));
        steps.expand(&scratch.state, &mut scratch.expansion);
        scratch.expansion.hashes.iter().for_each(|&hash| self.table.prefetch(hash));
        let again = self.table.has(at, VISITED);
        if phase == Phase::Gather && !again {
            self.table.flags[at] |= VISITED;
            self.note_promises(steps, at, &mut scratch);
        }
        self.pass_on(exchange, steps, phase, at, again, &mut scratch);
        self.scratch = scratch;
    }

    /// Sends all successors to their owners, with what the phase says about the steps to them.
    fn pass_on(
        &mut self,
        exchange: &mut Exchange<'_>,
        steps: &mut dyn Steps,
        phase: Phase,
        at: usize,
        again: bool,
        scratch: &mut Scratch,
    ) {
        let Scratch { expansion, extra, item, .. } = scratch;
        let me = StateRef::new(self.me, at as u64).word();
        let hashes = expansion.steps.iter().zip(&expansion.hashes);
        for (to, (&step, &hash)) in expansion.states.chunks_exact(self.words).zip(hashes) {
            if self.assumes && !steps.assumed(to).unwrap_or(false) {
                continue;
            }
            extra.clear();
            match phase {
                Phase::Gather => {
                    extra.push(if again { AGAIN } else { u64::from(step.0) });
                    self.put_tags(at, step, extra);
                }
                Phase::Spread => self.put_tags(at, step, extra),
                Phase::Trim | Phase::Count => {}
                Phase::Colour => extra.push(self.colours[at] as u64),
                Phase::Retrace => extra.extend([me, u64::from(step.0)]),
            }
            let owner = self.owners.of(hash, to);
            if owner == self.me {
                self.arrive(steps, phase, hash, to, extra);
                continue;
            }
            item.clear();
            item.extend_from_slice(&words::bytes(to));
            item.extend_from_slice(&words::bytes(extra));
            exchange.post(owner, Tag::States, item);
        }
    }

    /// Adds the tags that a step passes on: the state's, and what the step keeps; from a dead state, none.
    fn put_tags(&self, at: usize, step: InstanceNo, extra: &mut Vec<u64>) {
        let first = extra.len();
        if self.table.has(at, DEAD) {
            return extra.resize(first + self.promises.words(), 0);
        }
        extra.extend_from_slice(self.table.tags(at));
        let kept = self.promises.of_number(step.0 as usize);
        kept.iter().for_each(|&promise| set(&mut extra[first..], promise as usize));
    }

    /// What is due and kept in a state; steps that stay there keep their promises there.
    fn note_promises(&mut self, steps: &mut dyn Steps, at: usize, scratch: &mut Scratch) {
        let Scratch { state, expansion, enabled, stay, due, kept, loops, .. } = scratch;
        for set in [&mut *enabled, &mut *stay, &mut *due, &mut *kept] {
            set.clear();
            set.resize(self.promises.words(), 0);
        }
        for (to, &step) in expansion.states.chunks_exact(self.words).zip(&expansion.steps) {
            if !self.assumes || steps.assumed(to).unwrap_or(false) {
                self.promises.of_number(step.0 as usize).iter().for_each(|&p| set(enabled, p as usize));
            }
        }
        if expansion.fired > expansion.steps.len() as u64 {
            steps.loops(state, loops);
            for &step in &*loops {
                self.promises.of_number(step.0 as usize).iter().for_each(|&p| set(stay, p as usize));
            }
        }
        join(enabled, stay);
        let holds = |condition: Condition| {
            let which = match condition.premise {
                true => Predicate::Premise(condition.fairness),
                false => Predicate::Conclusion(condition.fairness),
            };
            steps.predicate(which, condition.index, state)
        };
        if let Err(fault) = self.promises.mark(enabled, holds, due, kept) {
            self.give_up(format!("fairness could not be evaluated in every state: {}", fault.message));
        }
        join(kept, stay);
        join(self.table.tags_mut(at), kept);
        self.table.set_promises(at, due, kept);
    }

    /// Over all ranks: states left, expansions since the last tally, ranks in trouble.
    fn tally(&mut self, exchange: &mut Exchange<'_>) -> [u64; 3] {
        let mine = [self.alive, std::mem::take(&mut self.expansions), u64::from(self.trouble.is_some())];
        let sums = exchange.tally(Op::Sum, &mine.map(|n| n as i64));
        [sums[0] as u64, sums[1] as u64, sums[2] as u64]
    }

    /// The same words of trouble on all ranks.
    pub(super) fn agree_on_trouble(&mut self, exchange: &mut Exchange<'_>, troubles: u64) -> Option<String> {
        if troubles == 0 {
            return None;
        }
        let mine = wire::encode(&self.trouble);
        let all = collective::gather(exchange.comm(), mine);
        let first = all.map(|parts| {
            let decoded =
                parts.iter().map(|part| wire::decode::<Option<String>>(part).expect("trouble decodes"));
            wire::encode(&decoded.flatten().next())
        });
        let agreed = collective::broadcast(exchange.comm(), first);
        wire::decode(&agreed).expect("trouble decodes")
    }
}

/// Whether nothing that is left leads to a state which is not fair by itself.
fn is_cut_off(table: &Pending, at: usize) -> bool {
    table.is_first(at) && !within(table.due(at), table.kept(at))
}
