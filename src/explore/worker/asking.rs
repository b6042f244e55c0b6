//! Whoever finds a state expands it: the owner is only asked whether it is new.
//!
//! Where a new state goes to its owner's frontier, the states next to each other in a frontier come from everywhere:
//! few of their successors are alike, so fewer are recognised before they are looked up, and the code that expands
//! them takes its branches less regularly. Here the finder keeps a state of another owner and sends its hash. The owner
//! answers, for so many questions at a time, with a bit for each: was it new? What is new is numbered, logged and
//! queued by its *finder*; the owner has its hash, in the store and in the log of hashes.
//!
//! In its turn: behind all that was found before it, also where others' answers, or none at all, were needed; so the
//! frontier of two ranks is in an order as good as that of one, and its states have numbers that follow each other.
//!
//! Questions and answers of two ranks come in the order they were sent, and states are kept in the order in which they
//! were found, so the finder knows whom a bit is about by counting. Questions are looked up between expansions, so that
//! their memory arrives meanwhile. One that is never answered was asked while the search was being stopped. Who has
//! less to do gets loans, as always.
//! What cannot be: observers that keep something of states at their owner, whole states in the store, assumptions
//! (`Settings::finder_expands`). Cost: 16 bytes a question, a bit for the answer, the state until then.

use std::collections::VecDeque;

use super::{Origin, Worker};
use crate::base::{Rank, words};
use crate::comm::Tag;
use crate::exchange::{Exchange, Inbound};
use crate::explore::block::Candidate;

/// A question is a hash.
const QUESTION_BYTES: usize = 16;
/// Questions looked up together when there is nothing to do beside.
const AT_ONCE: usize = 64;
/// Batches of questions beyond which they are answered before anything else is done.
const WAITING_MAX: usize = 8;
/// States whose turn has come that are looked through together.
const RELEASED_AT_ONCE: usize = 64;
/// Words of states that are gone beyond which the others are moved to the front of the memory.
const GONE_WORDS_MAX: usize = 1 << 14;

/// States that this rank found and whose turn has not come, oldest first: words, origin, owner.
#[derive(Default)]
struct Kept {
    /// Entries stand from `gone` to `end`; what is before was an entry, what is behind is room for more.
    room: Vec<u64>,
    gone: usize,
    end: usize,
}

/// Words beside the state: parent; step and level; owner.
const KEPT_EXTRA_WORDS: usize = 3;

/// What one owner has been asked and has answered.
#[derive(Default)]
struct Asked {
    /// Hashes that have not been posted.
    unposted: Vec<u64>,
    /// Answers to the oldest questions: bits, first question lowest, and how many of them are left.
    bits: u64,
    left: u64,
    /// Further answers, the same way.
    answers: VecDeque<(u64, u64)>,
}

impl Asked {
    /// This rank itself, to which everything is new that it keeps.
    fn always_new() -> Asked {
        Asked { bits: u64::MAX, left: u64::MAX, ..Asked::default() }
    }

    /// Whether the state asked for first was new; none where that is not known yet.
    #[inline]
    fn next_answer(&mut self) -> Option<bool> {
        if self.left == 0 {
            (self.bits, self.left) = self.answers.pop_front()?;
        }
        let new = self.bits & 1 == 1;
        self.bits = self.bits.rotate_right(1);
        self.left -= 1;
        Some(new)
    }
}

/// A batch of questions to this rank.
struct Inquiry {
    questions: Inbound,
    /// Questions that were looked up.
    done: usize,
    /// Those before this one may be looked up: their memory was asked for.
    ready: usize,
}

impl Inquiry {
    fn len(&self) -> usize {
        self.questions.bytes().len() / QUESTION_BYTES
    }

    #[inline]
    fn hash(&self, at: usize) -> u128 {
        u128::from_le_bytes(self.questions.bytes().as_chunks().0[at])
    }
}

/// What this rank has asked, by owner, and what it has been asked.
pub(super) struct Questions {
    asked: Vec<Asked>,
    kept: Kept,
    waiting: VecDeque<Inquiry>,
    /// Of the questions to be answered next, those that a first look did not settle: their places and hashes.
    doubtful: Vec<Candidate>,
    /// Count of questions, then bits.
    answer: Vec<u64>,
}

impl Questions {
    pub fn new(me: Rank, ranks: u32) -> Questions {
        let asked = |rank| if rank == me { Asked::always_new() } else { Asked::default() };
        let asked = (0..ranks).map(|rank| asked(Rank(rank))).collect();
        Questions {
            asked,
            kept: Kept::default(),
            waiting: VecDeque::new(),
            doubtful: Vec::new(),
            answer: Vec::new(),
        }
    }

    /// The next `post_questions` asks this owner about the state that was kept last.
    #[inline]
    pub fn ask(&mut self, owner: Rank, hash: u128) {
        self.asked[owner.index()].unposted.extend_from_slice(&[hash as u64, (hash >> 64) as u64]);
    }

    /// Keeps a state until its turn comes. Those of one owner are kept in the order in which it was asked about them.
    #[inline]
    pub fn keep(&mut self, state: &[u64], origin: Origin, owner: Rank) {
        self.kept.push(state, origin, owner);
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
    pub(super) fn post_questions(&mut self, exchange: &mut Exchange<'_>) {
        for (owner, asked) in (0..).map(Rank).zip(&mut self.questions.asked) {
            if !asked.unposted.is_empty() {
                let count = asked.unposted.len() * 8 / QUESTION_BYTES;
                exchange.post_many(owner, Tag::States, count as u32, &words::bytes(&asked.unposted));
                asked.unposted.clear();
            }
        }
    }

    /// Questions about states that this rank owns wait until there is something to do beside.
    pub(super) fn receive_questions(&mut self, inbound: &mut Inbound) {
        if !self.stopping {
            self.questions.waiting.push_back(Inquiry { questions: inbound.take(), done: 0, ready: 0 });
        }
    }

    /// Asks for the memory of a few questions.
    #[inline]
    pub(super) fn prepare_answers(&mut self, count: usize) {
        if let Some(inquiry) = self.questions.waiting.front_mut() {
            let end = inquiry.len().min(inquiry.ready + count);
            (inquiry.ready..end).for_each(|at| self.store.prefetch(inquiry.hash(at)));
            inquiry.ready = end;
        }
    }

    /// A first look at the questions whose memory was asked for: most are about old states.
    pub(super) fn sift_questions(&mut self) {
        let doubtful = &mut self.questions.doubtful;
        doubtful.clear();
        if let Some(inquiry) = self.questions.waiting.front() {
            let candidate = |at| Candidate { hash: inquiry.hash(at), place: at as u64 };
            doubtful.extend((inquiry.done..inquiry.ready).map(candidate));
            self.store.sift(doubtful);
        }
    }

    /// Answers the questions that were looked at.
    pub(super) fn answer_sifted(&mut self, exchange: &mut Exchange<'_>) {
        let Some(mut inquiry) = self.questions.waiting.pop_front() else { return };
        let count = inquiry.ready - inquiry.done;
        let mut answer = std::mem::take(&mut self.questions.answer);
        answer.clear();
        answer.push(count as u64);
        answer.resize(1 + count.div_ceil(64), 0);
        let doubtful = std::mem::take(&mut self.questions.doubtful);
        for &Candidate { hash, place } in &doubtful {
            if self.insert(exchange, hash, &[]) {
                let (new, bit) = (self.count(exchange, hash), place as usize - inquiry.done);
                answer[1 + bit / 64] |= u64::from(new) << (bit % 64);
            }
        }
        self.questions.doubtful = doubtful;
        if count > 0 {
            exchange.post(inquiry.questions.from, Tag::Acknowledgements, &words::bytes(&answer));
        }
        self.questions.answer = answer;
        inquiry.done = inquiry.ready;
        if inquiry.done < inquiry.len() {
            self.questions.waiting.push_front(inquiry);
        } else {
            exchange.flush_kind(Tag::Acknowledgements);
            exchange.give_back(inquiry.questions);
        }
    }

    /// Answers all that waits.
    pub(super) fn answer_all(&mut self, exchange: &mut Exchange<'_>) {
        while self.questions.any_waiting() {
            self.prepare_answers(AT_ONCE);
            self.sift_questions();
            self.answer_sifted(exchange);
        }
    }

    /// Queues a new state of this rank behind those found before it.
    #[inline]
    pub(super) fn queue_in_turn(&mut self, exchange: &mut Exchange<'_>, state: &[u64], origin: Origin) {
        match self.questions.kept.is_empty() {
            true => self.queue_up(exchange, state, origin),
            false => self.questions.kept.push(state, origin, self.me),
        }
    }

    /// Queues the states before the first that nobody knows yet whether it is new.
    fn release_known(&mut self, exchange: &mut Exchange<'_>) {
        let mut kept = std::mem::take(&mut self.questions.kept);
        let entry_words = self.words + KEPT_EXTRA_WORDS;
        let mut new = [0; RELEASED_AT_ONCE];
        loop {
            let (mut known, mut news) = (0, 0);
            for entry in kept.entries().chunks_exact(entry_words).take(RELEASED_AT_ONCE) {
                let owner = entry[entry_words - 1] as usize;
                let Some(answer) = self.questions.asked[owner].next_answer() else { break };
                // What is new cannot be foreseen, so there is no branch on it.
                new[news] = known;
                news += usize::from(answer);
                known += 1;
            }
            for &at in &new[..news] {
                let (state, rest) = kept.entries()[at * entry_words..][..entry_words].split_at(self.words);
                self.queue_up(exchange, state, Origin::from_words([rest[0], rest[1]]));
            }
            kept.gone += known * entry_words;
            if known < RELEASED_AT_ONCE {
                break;
            }
        }
        kept.tidy();
        self.questions.kept = kept;
    }

    /// What an owner says of the states it was asked about.
    pub(super) fn receive_answers(&mut self, exchange: &mut Exchange<'_>, inbound: &Inbound) {
        if self.stopping {
            return;
        }
        let answers = &mut self.questions.asked[inbound.from.index()].answers;
        let mut bytes = inbound.bytes().as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
        while let Some(mut count) = bytes.next() {
            while count > 0 {
                let some = count.min(64);
                answers.push_back((bytes.next().expect("a bit for each question"), some));
                count -= some;
            }
        }
        self.release_known(exchange);
        self.report_findings(exchange);
    }
}

impl Kept {
    #[inline]
    fn push(&mut self, state: &[u64], origin: Origin, owner: Rank) {
        let [parent, rest] = origin.words();
        let end = self.end + state.len() + KEPT_EXTRA_WORDS;
        if end > self.room.len() {
            self.room.resize((2 * end).max(GONE_WORDS_MAX), 0);
        }
        let (to, beside) = self.room[self.end..end].split_at_mut(state.len());
        words::copy_few(state, to);
        beside.copy_from_slice(&[parent, rest, u64::from(owner.0)]);
        self.end = end;
    }

    fn entries(&self) -> &[u64] {
        &self.room[self.gone..self.end]
    }

    fn is_empty(&self) -> bool {
        self.gone == self.end
    }

    /// Forgets what is gone, now and then.
    fn tidy(&mut self) {
        if self.is_empty() || self.gone > GONE_WORDS_MAX && self.gone * 2 > self.end {
            self.room.copy_within(self.gone..self.end, 0);
            (self.gone, self.end) = (0, self.end - self.gone);
        }
    }
}
