//! Whoever finds a state expands it: the owner is only asked whether it is new.
//!
//! Where a new state goes to its owner's frontier, the states next to each other in a frontier come from everywhere:
//! few of their successors are alike, so fewer are recognised before they are looked up, and the code that expands
//! them takes its branches less regularly. Here the finder keeps a state of another owner, and sends its hash and how
//! it was reached. The owner answers, for so many questions at a time, with the number of the first state that was new
//! to it and a bit for each question; the numbers of the others follow. What is new goes to the *finder's* frontier.
//!
//! In its turn: behind all that was found before it, also where others' answers, or none at all, were needed; so the
//! frontier of two ranks is in an order as good as that of one.
//!
//! Questions and answers of two ranks come in the order they were sent, so the finder knows whom a bit is about by
//! counting. Questions are looked up between expansions, so that their memory arrives meanwhile. One that is never
//! answered was asked while the search was being stopped. Who has less to do gets loans, as always.
//! What cannot be: observers that keep something of states at their owner, whole states in the store, assumptions
//! (`Settings::finder_expands`). Cost: 32 bytes a question, a bit for the answer, the state until then.

use std::collections::VecDeque;

use super::{Origin, Worker};
use crate::base::{Rank, words};
use crate::comm::Tag;
use crate::exchange::{Exchange, Inbound};
use crate::explore::StateRef;

/// Hash, parent, then step and level.
const QUESTION_WORDS: usize = 4;
/// Questions whose memory is asked for with an expansion; they are looked up when its block is done.
const WITH_EXPANSION: usize = 4;
/// How far ahead memory is asked for when there is nothing to do beside.
const AHEAD: usize = 32;
/// Batches of questions beyond which they are answered before anything else is done.
const WAITING_MAX: usize = 8;
/// Words of states that are gone beyond which the others are moved to the front of the memory.
const GONE_WORDS_MAX: usize = 1 << 14;

/// States that this rank found and whose turn has not come, oldest first: words, level, and who it is.
#[derive(Default)]
struct Kept {
    entries: Vec<u64>,
    /// Words of entries that are gone.
    gone: usize,
    /// Entries that are gone and were moved out of `entries`, in words.
    moved: usize,
}

/// In the place of a `StateRef`: the owner has not answered; the owner had it.
const UNKNOWN: u64 = u64::MAX;
const OLD: u64 = u64::MAX - 1;

/// What one owner has been asked.
#[derive(Default)]
struct Asked {
    /// Where the states stand in `Kept`, counted in words from the first that was ever kept.
    places: VecDeque<usize>,
    /// Questions about the last of them that have not been posted.
    unposted: Vec<u64>,
}

/// A batch of questions to this rank.
struct Inquiry {
    from: Rank,
    questions: Vec<u64>,
    /// Questions that were looked up.
    done: usize,
    /// Those before this one may be looked up: their memory was asked for.
    ready: usize,
}

impl Inquiry {
    fn len(&self) -> usize {
        self.questions.len() / QUESTION_WORDS
    }

    fn question(&self, at: usize) -> &[u64] {
        &self.questions[at * QUESTION_WORDS..(at + 1) * QUESTION_WORDS]
    }

    fn hash(&self, at: usize) -> u128 {
        let question = self.question(at);
        u128::from(question[1]) << 64 | u128::from(question[0])
    }
}

/// What this rank has asked, by owner, and what it has been asked.
pub(super) struct Questions {
    asked: Vec<Asked>,
    kept: Kept,
    waiting: VecDeque<Inquiry>,
    /// Count of questions, the first number, then bits.
    answer: Vec<u64>,
    spare: Vec<Vec<u64>>,
}

impl Questions {
    pub fn new(ranks: u32) -> Questions {
        let asked = (0..ranks).map(|_| Asked::default()).collect();
        Questions {
            asked,
            kept: Kept::default(),
            waiting: VecDeque::new(),
            answer: Vec::new(),
            spare: Vec::new(),
        }
    }

    pub fn any_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub fn many_waiting(&self) -> bool {
        self.waiting.len() > WAITING_MAX
    }

    /// After a decision to stop.
    pub fn forget(&mut self) {
        self.waiting.clear();
        self.asked.iter_mut().for_each(|asked| asked.unposted.clear());
    }
}

impl Worker<'_, '_> {
    /// Keeps the state, to ask its owner with the next `post_questions`.
    #[inline]
    pub(super) fn ask(&mut self, owner: Rank, state: &[u64], hash: u128, origin: Origin) {
        let asked = &mut self.questions.asked[owner.index()];
        asked.places.push_back(self.questions.kept.push(state, origin.level, UNKNOWN));
        let [parent, rest] = origin.words();
        asked.unposted.extend_from_slice(&[hash as u64, (hash >> 64) as u64, parent, rest]);
    }

    pub(super) fn post_questions(&mut self, exchange: &mut Exchange<'_>) {
        for (owner, asked) in (0..).map(Rank).zip(&mut self.questions.asked) {
            if !asked.unposted.is_empty() {
                let count = asked.unposted.len() / QUESTION_WORDS;
                exchange.post_many(owner, Tag::States, count as u32, &words::bytes(&asked.unposted));
                asked.unposted.clear();
            }
        }
    }

    /// Questions about states that this rank owns wait until there is something to do beside.
    pub(super) fn receive_questions(&mut self, inbound: &Inbound) {
        if self.stopping {
            return;
        }
        let mut questions = self.questions.spare.pop().unwrap_or_default();
        questions.clear();
        words::read(inbound.bytes(), &mut questions);
        let inquiry = Inquiry { from: inbound.from, questions, done: 0, ready: 0 };
        self.questions.waiting.push_back(inquiry);
    }

    /// Asks for the memory of a few questions; with an expansion, which takes long enough for it to come.
    #[inline]
    pub(super) fn prepare_answers(&mut self) {
        if let Some(inquiry) = self.questions.waiting.front_mut() {
            let end = inquiry.len().min(inquiry.ready + WITH_EXPANSION);
            (inquiry.ready..end).for_each(|at| self.store.prefetch(inquiry.hash(at)));
            inquiry.ready = end;
        }
    }

    /// Answers the questions whose memory was asked for.
    pub(super) fn answer_prepared(&mut self, exchange: &mut Exchange<'_>) {
        if let Some(inquiry) = self.questions.waiting.pop_front() {
            self.answer(exchange, inquiry);
        }
    }

    /// Answers all that waits.
    pub(super) fn answer_all(&mut self, exchange: &mut Exchange<'_>) {
        while let Some(mut inquiry) = self.questions.waiting.pop_front() {
            let end = inquiry.len().min(inquiry.done + AHEAD);
            (inquiry.ready..end).for_each(|at| self.store.prefetch(inquiry.hash(at)));
            inquiry.ready = inquiry.len();
            self.answer(exchange, inquiry);
        }
    }

    fn answer(&mut self, exchange: &mut Exchange<'_>, mut inquiry: Inquiry) {
        let Inquiry { done, ready, .. } = inquiry;
        let mut answer = std::mem::take(&mut self.questions.answer);
        answer.clear();
        answer.extend([(ready - done) as u64, self.log.len()]);
        answer.resize(2 + (ready - done).div_ceil(64), 0);
        for at in done..ready {
            if at + AHEAD < ready {
                self.store.prefetch(inquiry.hash(at + AHEAD));
            }
            let (hash, question) = (inquiry.hash(at), inquiry.question(at));
            if self.insert(exchange, hash, &[]) {
                let origin = Origin::from_words([question[2], question[3]]);
                let new = self.enter(exchange, hash, origin);
                answer[2 + (at - done) / 64] |= u64::from(new) << ((at - done) % 64);
            }
        }
        if ready > done {
            exchange.post(inquiry.from, Tag::Acknowledgements, &words::bytes(&answer));
        }
        self.questions.answer = answer;
        inquiry.done = ready;
        if ready < inquiry.len() {
            self.questions.waiting.push_front(inquiry);
        } else {
            exchange.flush_kind(Tag::Acknowledgements);
            self.questions.spare.push(inquiry.questions);
        }
    }

    /// Queues a new state of this rank behind those found before it.
    #[inline]
    pub(super) fn queue_in_turn(
        &mut self,
        exchange: &mut Exchange<'_>,
        state: &[u64],
        id: StateRef,
        level: u32,
    ) {
        match self.questions.kept.is_empty() {
            true => self.queue_up(exchange, state, id, level),
            false => _ = self.questions.kept.push(state, level, id.word()),
        }
    }

    /// Queues the states before the first that nobody knows yet whether it is new.
    fn release_known(&mut self, exchange: &mut Exchange<'_>) {
        let mut kept = std::mem::take(&mut self.questions.kept);
        let entry_words = self.words + 2;
        for entry in kept.entries[kept.gone..].chunks_exact(entry_words) {
            let (state, rest) = entry.split_at(self.words);
            match rest[1] {
                UNKNOWN => break,
                OLD => {}
                id => self.queue_up(exchange, state, StateRef::from_word(id), rest[0] as u32),
            }
            kept.gone += entry_words;
        }
        kept.tidy();
        self.questions.kept = kept;
    }

    /// What an owner says of the states it was asked about.
    pub(super) fn receive_answers(&mut self, exchange: &mut Exchange<'_>, inbound: &Inbound) {
        if self.stopping {
            return;
        }
        let mut answers = std::mem::take(&mut self.arrived);
        answers.clear();
        words::read(inbound.bytes(), &mut answers);
        let asked = &mut self.questions.asked[inbound.from.index()];
        let mut rest = &answers[..];
        while let [count, number, later @ ..] = rest {
            let (bits, later) = later.split_at((*count as usize).div_ceil(64));
            rest = later;
            let mut number = *number;
            for (at, place) in asked.places.drain(..*count as usize).enumerate() {
                let new = bits[at / 64] >> (at % 64) & 1;
                let id = if new == 1 { StateRef::new(inbound.from, number).word() } else { OLD };
                self.questions.kept.set_id(place, self.words, id);
                number += new;
            }
        }
        self.release_known(exchange);
        self.arrived = answers;
        self.report_findings(exchange);
    }
}

impl Kept {
    /// Keeps a state; where it stands.
    #[inline]
    fn push(&mut self, state: &[u64], level: u32, id: u64) -> usize {
        let place = self.moved + self.entries.len();
        self.entries.extend_from_slice(state);
        self.entries.extend_from_slice(&[u64::from(level), id]);
        place
    }

    fn set_id(&mut self, place: usize, words: usize, id: u64) {
        self.entries[place - self.moved + words + 1] = id;
    }

    fn is_empty(&self) -> bool {
        self.gone == self.entries.len()
    }

    /// Forgets what is gone, now and then.
    fn tidy(&mut self) {
        if self.is_empty() || self.gone > GONE_WORDS_MAX && self.gone * 2 > self.entries.len() {
            self.entries.drain(..self.gone);
            self.moved += self.gone;
            self.gone = 0;
        }
    }
}
