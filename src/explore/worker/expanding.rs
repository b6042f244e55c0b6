//! States are expanded together, in blocks, and their successors are taken in together, so that the store's memory is asked
//! for before it is needed.
//!
//! While the store has room in the processor's caches, a block is large and is taken in at once. Beyond them a line takes
//! as long to arrive as a state to be expanded, and the processor waits for no more than some dozens of lines at a time. So
//! there blocks are so small that all their lines are on their way together, and each is taken in when the next one has been
//! expanded meanwhile. Either way, where the processor has to look up the address of a page, it does so for several
//! lines that are asked for one after the other. States are taken in in the order in which they were made.

use super::{SHORT_FRONTIER, Worker};
use crate::base::Rank;
use crate::exchange::Exchange;
use crate::explore::TakeIn;
use crate::explore::block::{Block, Candidate};
use crate::host::HostError;

/// States of a block at most, within the caches and beyond them.
const MANY: usize = 32;
const FEW: usize = 8;
/// Questions of others that are looked up beside each state that is expanded.
const QUESTIONS_A_STATE: usize = 4;

impl Worker<'_, '_> {
    /// Whether there are states to expand, or such that were expanded and not taken in.
    pub(super) fn is_busy(&self) -> bool {
        !self.frontier.is_empty() || !self.asked_for.is_empty()
    }

    /// Expands a few states, and takes in what was asked for.
    pub(super) fn expand_some(&mut self, exchange: &mut Exchange<'_>) {
        // With little to do, others may be waiting.
        let short = self.frontier.len() < SHORT_FRONTIER;
        let later = match self.settings.take_in {
            TakeIn::AtOnce => false,
            TakeIn::Later => true,
            TakeIn::Auto => self.store.is_beyond_caches() && !short,
        };
        let block = std::mem::take(&mut self.block);
        let mut block = self.filled(exchange, block, if later { FEW } else { MANY });
        let questions = block.len() * QUESTIONS_A_STATE;
        std::mem::swap(&mut self.asked_for, &mut block);
        self.settle(exchange, &mut block);
        self.prepare_answers(questions);
        if !later {
            std::mem::swap(&mut self.asked_for, &mut block);
            self.settle(exchange, &mut block);
        }
        self.block = block;
        self.correspond(exchange, None);
        exchange.set_load(self.frontier.len());
        if self.frontier.len() < SHORT_FRONTIER {
            exchange.flush();
        } else if !self.settings.by_levels {
            self.lend(exchange);
        }
    }

    /// Expands a block of states, and asks for what their successors need. The block itself is handed over and back: what
    /// nobody else may look at meanwhile stays in the processor's registers.
    fn filled(&mut self, exchange: &mut Exchange<'_>, mut block: Block, states: usize) -> Block {
        block.begin(states);
        while !block.is_full() {
            match self.expand(&mut block) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    self.survive(exchange, Err(error));
                    break;
                }
            }
        }
        if self.settings.owners.ranks() > 1 {
            self.part_with_others(exchange, &mut block);
        }
        block.candidates.iter().for_each(|candidate| self.store.prefetch(candidate.hash));
        block
    }

    /// Takes in a block's successors, and answers the questions that were asked for with it.
    fn settle(&mut self, exchange: &mut Exchange<'_>, block: &mut Block) {
        if block.is_empty() {
            return;
        }
        self.store.sift(&mut block.candidates);
        self.sift_questions();
        self.take_in_block(exchange, block);
        self.answer_sifted(exchange);
        self.post_questions(exchange);
        block.clear();
    }

    /// Expands the next state, if there is one. Its successors that may be new become candidates.
    fn expand(&mut self, block: &mut Block) -> Result<bool, HostError> {
        let Some(entry) = self.frontier.take()? else { return Ok(false) };
        let into = block.next();
        (into.id, into.level) = (entry.id, entry.level + 1);
        let expansion = &mut into.expansion;
        self.steps.expand(entry.state, expansion);
        self.figures.expanded += 1;
        self.figures.rules_fired += expansion.fired;
        self.figures.level_most = self.figures.level_most.max(entry.level);
        for observer in self.observers.iter_mut() {
            observer.expanded(&mut *self.steps, entry.state, entry.id, expansion, &mut self.found);
        }
        self.figures.successors += expansion.steps.len() as u64;
        block.take(|hash| self.recent.seen(hash));
        Ok(true)
    }

    /// Leaves out of a block's candidates those that other ranks own, and sends these to their owners where those expand.
    /// How many there are cannot be foreseen; between two expansions that would make the processor forget what it has
    /// learnt of the guards.
    fn part_with_others(&mut self, exchange: &mut Exchange<'_>, block: &mut Block) {
        let (me, owners, words) = (self.me, &self.settings.owners, self.words);
        let mut others = std::mem::take(&mut block.others);
        others.resize(block.candidates.len(), (me, Candidate { hash: 0, place: 0 }));
        let (mut kept, mut parted) = (0, 0);
        for number in 0..block.candidates.len() {
            // Who owns a state cannot be foreseen, so there is no branch on it.
            let candidate = block.candidates[number];
            let owner = owners.of(candidate.hash, block.state(candidate, words));
            block.candidates[kept] = candidate;
            others[parted] = (owner, candidate);
            kept += usize::from(owner == me);
            parted += usize::from(owner != me);
        }
        block.candidates.truncate(kept);
        others.truncate(parted);
        self.figures.successors_remote += others.len() as u64;
        if !self.settings.finder_expands {
            for &(owner, candidate) in &others {
                let (state, origin) = (block.state(candidate, words), block.origin(candidate));
                self.post_state(exchange, owner, state, origin);
            }
            others.clear();
        }
        block.others = others;
    }

    /// Takes in what is left of a block's candidates. States of other owners that these were asked about keep their places
    /// between them: guards are foreseen best where states follow each other as they were made.
    fn take_in_block(&mut self, exchange: &mut Exchange<'_>, block: &Block) {
        // Where the next state of another owner was made.
        let place_of = |at: usize| block.others.get(at).map_or(u64::MAX, |(_, other)| other.place);
        let (mut kept, mut next) = (0, place_of(0));
        for &candidate in &block.candidates {
            let state = block.state(candidate, self.words);
            if self.insert(exchange, candidate.hash, state) {
                while next < candidate.place {
                    self.keep(block.others[kept], block);
                    (kept, next) = (kept + 1, place_of(kept + 1));
                }
                self.take_new(exchange, state, candidate.hash, block.origin(candidate));
            }
        }
        block.others[kept..].iter().for_each(|&other| self.keep(other, block));
    }

    /// Keeps a state of another owner, and asks about it.
    fn keep(&mut self, (owner, other): (Rank, Candidate), block: &Block) {
        self.questions.keep(block.state(other, self.words), block.origin(other), owner);
        self.questions.ask(owner, other.hash);
    }
}
