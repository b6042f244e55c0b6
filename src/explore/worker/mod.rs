//! One rank's search: receive, expand, send, until no rank has anything left.
//!
//! The loop of Algorithm 3.2 of the thesis, without its timers: take in what arrived; if outboxes are congested, wait;
//! else expand a few states of the frontier; if there are none, take part in termination. Successors that this rank
//! owns are gathered and inserted together, so that the store's memory is asked for before it is needed (`expanding.rs`).
//!
//! Two orders. Free: a new state goes behind the frontier, ranks run ahead of each other, and the search is one
//! phase. By levels (`by_levels`): new states wait for the next phase, so the first finding has a shortest trace.

mod asking;
mod ending;
mod expanding;
mod lending;

use std::time::{Duration, Instant};

use asking::Questions;

use super::block::{Block, Origin};
use super::control::{self, Director, Here, Word};
use super::frontier::Frontier;
use super::log::{Log, Record};
use super::numbers::{Known, Numbers};
use super::recent::Recent;
use super::sequel::Sequel;
use super::settings::{Outcome, Outside, Settings};
use super::store::{Insert, Store};
use super::{Desk, Finding, Observer, StateRef, What};
use crate::base::{Rank, hash, words};
use crate::comm::{Comm, Op, Tag};
use crate::compile::{Expansion, Steps};
use crate::exchange::{Exchange, Idle, Inbound};
use crate::host::spool::Spool;
use crate::host::{FileDisk, HostError, disk, memory};
use crate::verdict::figures::RankFigures;

/// States expanded between two looks at what arrived, while there is much to expand.
const STATES_BETWEEN_LOOKS: u64 = 256;
/// States looked up together, so that their memory can be asked for first.
const INSERT_AT_ONCE: usize = 64;
/// Words beside the state in an item: parent, then step and level.
const ITEM_EXTRA_WORDS: usize = 2;
/// How often ranks tell where they are.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// With fewer states than this to expand, partly filled batches leave at once: somebody may be waiting for them.
const SHORT_FRONTIER: u64 = 256;
const STOPPED: &str = "asked to stop by a signal";

/// Searches; the outcome is at rank 0, `None` elsewhere. An `Err` on all ranks means that one of them could not begin;
/// rank 0's says which and why.
pub fn search<'a, 'o>(
    comm: &mut dyn Comm,
    steps: &'a mut (dyn Steps + 'a),
    observers: &'a mut [Box<dyn Observer>],
    settings: &'a Settings,
    outside: Outside<'o>,
) -> Result<Option<Outcome>, String> {
    search_then(comm, steps, observers, settings, outside, None)
}

/// The same; where every state was seen and nothing ended the search, the sequel follows.
pub fn search_then<'a, 'o>(
    comm: &mut dyn Comm,
    steps: &'a mut (dyn Steps + 'a),
    observers: &'a mut [Box<dyn Observer>],
    settings: &'a Settings,
    outside: Outside<'o>,
    sequel: Option<&mut dyn Sequel>,
) -> Result<Option<Outcome>, String> {
    let worker = Worker::new(comm, steps, observers, settings, outside, sequel.is_some());
    control::agree_to_begin(comm, worker.as_ref().err())?;
    let mut worker = worker.map_err(|error| error.to_string())?;
    let mut exchange = Exchange::new(comm, settings.exchange);
    worker.begin(&mut exchange);
    loop {
        worker.run_phase(&mut exchange);
        if !worker.next_level(&mut exchange) {
            break;
        }
    }
    worker.close_figures(&mut exchange);
    if let Some(sequel) = sequel {
        worker.go_on(&mut exchange, sequel);
    }
    Ok(worker.finish(&mut exchange))
}

struct Worker<'a, 'o> {
    me: Rank,
    words: usize,
    steps: &'a mut (dyn Steps + 'a),
    observers: &'a mut [Box<dyn Observer>],
    settings: &'a Settings,
    outside: Outside<'o>,
    store: Store,
    numbers: Numbers,
    log: Log,
    frontier: Frontier,
    /// The next level's states; unused in free order.
    next: Frontier,
    /// Successors that were sent or inserted a short while ago.
    recent: Recent,
    /// States that were expanded, and what their successors need of the store was asked for: they are to be taken in.
    asked_for: Block,
    /// For the next states.
    block: Block,
    found: Vec<Finding>,
    /// Found in this rank so far; ends the search by levels.
    findings: u64,
    director: Option<Director>,
    stopping: bool,
    figures: RankFigures,
    digest: u128,
    begun: Instant,
    told: Instant,
    told_states: u64,
    /// The words of a batch that arrived.
    arrived: Vec<u64>,
    /// What other ranks were asked, where the finder of a state expands it.
    questions: Questions,
    /// New states by the instance that led to them.
    new_by_instance: Vec<u64>,
}

impl<'a, 'o> Worker<'a, 'o> {
    fn new(
        comm: &dyn Comm,
        steps: &'a mut (dyn Steps + 'a),
        observers: &'a mut [Box<dyn Observer>],
        settings: &'a Settings,
        outside: Outside<'o>,
        goes_on: bool,
    ) -> Result<Worker<'a, 'o>, HostError> {
        let (me, words, limits) = (comm.rank(), steps.words(), &settings.limits);
        let mut spools = [None, None];
        let mut log = Log::in_memory();
        if let Some(folder) = &limits.spool {
            let disks = [FileDisk::open(folder, me)?, FileDisk::open(folder, me)?];
            // The log's files need a folder only until they are unlinked.
            log = Log::in_files(disks[0].file("steps"), disks[0].file("hashes"))?;
            spools = disks.map(|disk| Some(Spool::new(Box::new(disk))));
        }
        let numbers = Numbers::new(observers.iter().any(|observer| observer.wants_numbers()));
        if !goes_on && !numbers.wanted() && !settings.remember.needs_hashes() {
            log = log.without_hashes();
        }
        let [now, next] = spools;
        Ok(Worker {
            me,
            words,
            numbers,
            observers,
            settings,
            outside,
            store: Store::new(settings.remember, words, limits.store_bytes)?,
            log,
            frontier: Frontier::new(words, limits.frontier_bytes, now),
            next: Frontier::new(words, limits.frontier_bytes, next),
            recent: Recent::new(settings.remember),
            asked_for: Block::default(),
            block: Block::default(),
            found: Vec::new(),
            findings: 0,
            director: me.is_root().then(|| Director::new(comm.ranks(), limits)),
            stopping: false,
            figures: RankFigures { rank: me.0, machine: disk::machine_name(), ..RankFigures::default() },
            digest: 0,
            begun: Instant::now(),
            told: Instant::now(),
            told_states: 0,
            arrived: Vec::new(),
            questions: Questions::new(me, comm.ranks()),
            new_by_instance: vec![0; steps.instances().rule_instances() as usize],
            steps,
        })
    }

    /// Takes in the start states that this rank owns. Every rank makes all of them: they are few.
    fn begin(&mut self, exchange: &mut Exchange<'_>) {
        let mut starts = Expansion::default();
        self.steps.starts(&mut starts);
        for (at, &step) in starts.steps.iter().enumerate() {
            let state = &starts.states[at * self.words..(at + 1) * self.words];
            let hash = starts.hashes[at];
            if self.settings.owners.of(hash, state) == self.me {
                let origin = Origin { parent: StateRef::NONE, step, level: 1 };
                self.take_in(exchange, state, hash, origin);
            }
        }
        if self.me.is_root() {
            let faults = starts.faults.iter();
            self.found.extend(faults.map(|(step, _)| Finding::by(What::Fault, StateRef::NONE, *step)));
        }
        self.report_findings(exchange);
        if self.settings.by_levels {
            std::mem::swap(&mut self.frontier, &mut self.next);
        }
    }

    /// Expands until no rank has anything left in this phase.
    fn run_phase(&mut self, exchange: &mut Exchange<'_>) {
        let mut look_at = 0;
        loop {
            // Looking whether something has arrived costs a call of the kernel's with some transports.
            if self.figures.expanded >= look_at || self.frontier.len() < SHORT_FRONTIER {
                look_at = self.figures.expanded + STATES_BETWEEN_LOOKS;
                self.look(exchange);
            }
            if exchange.congested() {
                self.answer_all(exchange);
                exchange.wait();
                look_at = 0;
            } else if self.is_busy() {
                self.expand_some(exchange);
            } else if exchange.idle() == Idle::PhaseOver {
                return;
            }
        }
    }

    /// Takes in what arrived, and tells and hears how the search stands.
    fn look(&mut self, exchange: &mut Exchange<'_>) {
        while exchange.receive(|exchange, inbound| self.receive(exchange, inbound)) {}
        self.correspond(exchange, None);
        self.look_around(exchange);
        if self.stopping {
            self.frontier.clear();
            self.next.clear();
            self.asked_for.clear();
            self.questions.forget();
            exchange.discard_unsent();
        }
        let short = self.frontier.len() < SHORT_FRONTIER;
        if self.questions.many_waiting() || self.questions.any_waiting() && short {
            self.answer_all(exchange);
        }
    }

    /// Whether there is another level, and makes it the frontier. All ranks answer the same.
    fn next_level(&mut self, exchange: &mut Exchange<'_>) -> bool {
        if !self.settings.by_levels {
            return false;
        }
        let words = [self.next.len(), self.findings, u64::from(self.stopping)].map(|n| n as i64);
        let sums = exchange.tally(Op::Sum, &words);
        if sums[0] == 0 || sums[1] > 0 || sums[2] > 0 {
            return false;
        }
        std::mem::swap(&mut self.frontier, &mut self.next);
        true
    }

    fn receive(&mut self, exchange: &mut Exchange<'_>, inbound: &mut Inbound) {
        match inbound.kind {
            Tag::States if self.settings.finder_expands => self.receive_questions(inbound),
            Tag::Acknowledgements if self.settings.finder_expands => self.receive_answers(exchange, inbound),
            Tag::States => self.receive_states(exchange, inbound),
            Tag::Loans => self.receive_loan(exchange, inbound),
            Tag::Control => {
                for word in control::words(inbound) {
                    match &mut self.director {
                        Some(director) => director.hear(inbound.from, word),
                        None => self.stopping |= matches!(word, Word::Stop),
                    }
                }
            }
            Tag::Witnesses | Tag::Acknowledgements => self.correspond(exchange, Some(inbound)),
            other => panic!("a search got a batch of {other:?}"),
        }
    }

    /// Hands a batch to the observers, or lets them send.
    fn correspond(&mut self, exchange: &mut Exchange<'_>, inbound: Option<&Inbound>) {
        if self.stopping {
            return;
        }
        self.numbers.settle();
        let known = Known { store: &self.store, numbers: &self.numbers };
        let mut desk = Desk { exchange, steps: &mut *self.steps, known, found: &mut self.found };
        for observer in self.observers.iter_mut() {
            match inbound {
                Some(inbound) => observer.receive(&mut desk, inbound),
                None => observer.correspond(&mut desk),
            }
        }
        self.report_findings(exchange);
    }

    /// States that this rank owns: hashed and asked for first, then inserted.
    fn receive_states(&mut self, exchange: &mut Exchange<'_>, inbound: &Inbound) {
        if self.stopping {
            return;
        }
        let mut items = std::mem::take(&mut self.arrived);
        items.clear();
        words::read(inbound.bytes(), &mut items);
        let item_words = self.words + ITEM_EXTRA_WORDS;
        let mut hashes = [0; INSERT_AT_ONCE];
        for some in items.chunks(item_words * INSERT_AT_ONCE) {
            for (hash, item) in hashes.iter_mut().zip(some.chunks_exact(item_words)) {
                *hash = hash::words(&item[..self.words]);
                self.store.prefetch(*hash);
            }
            for (&hash, item) in hashes.iter().zip(some.chunks_exact(item_words)) {
                let (state, rest) = item.split_at(self.words);
                self.take_in(exchange, state, hash, Origin::from_words([rest[0], rest[1]]));
            }
        }
        self.arrived = items;
        self.report_findings(exchange);
    }

    fn post_state(&self, exchange: &mut Exchange<'_>, to: Rank, state: &[u64], origin: Origin) {
        let origin = origin.words();
        exchange.post_parts(to, Tag::States, &[&words::bytes(state), &words::bytes(&origin)]);
    }

    /// Takes in a state that is this rank's, if it is new.
    #[inline]
    fn take_in(&mut self, exchange: &mut Exchange<'_>, state: &[u64], hash: u128, origin: Origin) {
        if self.insert(exchange, hash, state) {
            self.take_new(exchange, state, hash, origin);
        }
    }

    /// Whether the store has not had this state; it has from now on.
    #[inline]
    fn insert(&mut self, exchange: &mut Exchange<'_>, hash: u128, state: &[u64]) -> bool {
        match self.store.insert(hash, state) {
            Insert::Old => false,
            Insert::New => true,
            Insert::Full => self.insert_grown(exchange, hash, state),
        }
    }

    #[cold]
    fn insert_grown(&mut self, exchange: &mut Exchange<'_>, hash: u128, state: &[u64]) -> bool {
        while !self.stopping {
            self.figures.store_grown += 1;
            let grown = self.store.grow(&mut self.log);
            if !self.survive(exchange, grown) {
                return false;
            }
            match self.store.insert(hash, state) {
                Insert::Old => return false,
                Insert::New => return true,
                Insert::Full => {}
            }
        }
        false
    }

    /// Counts, observes and queues a new state.
    fn take_new(&mut self, exchange: &mut Exchange<'_>, state: &[u64], hash: u128, origin: Origin) {
        match self.steps.assumed(state) {
            Ok(true) => {}
            Ok(false) => return,
            Err(violation) => {
                self.found.push(Finding::by(What::Property(violation.property), origin.parent, origin.step));
                return;
            }
        }
        let noted = self.numbers.note(&self.store, &mut self.log, hash, state);
        if self.survive(exchange, noted) && self.count(exchange, hash) {
            self.queue_in_turn(exchange, state, origin);
        }
    }

    /// Counts a new state that this rank owns; whether that could be done.
    fn count(&mut self, exchange: &mut Exchange<'_>, hash: u128) -> bool {
        let logged = self.log.push_hash(hash);
        self.figures.states += 1;
        self.digest = self.digest.wrapping_add(hash);
        self.survive(exchange, logged)
    }

    /// Numbers and observes a new state, and queues it to be expanded here.
    fn queue_up(&mut self, exchange: &mut Exchange<'_>, state: &[u64], origin: Origin) {
        let id = StateRef::new(self.me, self.log.len());
        let logged = self.log.push(Record { parent: origin.parent, step: origin.step });
        if !self.survive(exchange, logged) {
            return;
        }
        if origin.parent != StateRef::NONE {
            self.new_by_instance[origin.step.0 as usize] += 1;
        }
        for observer in self.observers.iter_mut() {
            observer.state(&mut *self.steps, state, id, &mut self.found);
        }
        let queue = if self.settings.by_levels { &mut self.next } else { &mut self.frontier };
        let pushed = queue.push(state, id, origin.level);
        self.survive(exchange, pushed);
    }

    /// True when all is well; else the search is asked to end with the reason.
    fn survive(&mut self, exchange: &mut Exchange<'_>, result: Result<(), HostError>) -> bool {
        let Err(error) = result else { return true };
        if !self.stopping {
            self.stopping = true;
            let why = format!("rank {}: {error}", self.me);
            self.tell_director(exchange, Word::Halt(why));
        }
        false
    }

    fn report_findings(&mut self, exchange: &mut Exchange<'_>) {
        for finding in std::mem::take(&mut self.found) {
            self.findings += 1;
            // Beyond what was asked for, findings are only counted.
            if self.findings <= self.settings.limits.findings {
                self.tell_director(exchange, Word::Found(finding));
            }
        }
    }

    fn tell_director(&mut self, exchange: &mut Exchange<'_>, word: Word) {
        match &mut self.director {
            Some(director) => director.hear(self.me, word),
            None => control::say(exchange, Rank::ROOT, &word),
        }
    }

    /// Tells where this rank is, hears the outside world, and (rank 0) decides.
    fn look_around(&mut self, exchange: &mut Exchange<'_>) {
        let states_step = self
            .settings
            .limits
            .states
            .map_or(u64::MAX, |max| max / u64::from(self.settings.owners.ranks()) / 16 + 1);
        let due = self.told.elapsed() > TELL_EVERY || self.figures.states - self.told_states >= states_step;
        // A rank without work speaks only when spoken to: a word of its own accord, after it has joined the last
        // reduction, would still be on its way when the phase ends.
        let due = due && !self.frontier.is_empty() && !self.stopping;
        if due {
            self.told = Instant::now();
            self.told_states = self.figures.states;
            if let Some(why) = self.out_of_time() {
                self.stopping = true;
                self.tell_director(exchange, Word::Halt(why));
            }
            let here = Here {
                states: self.figures.states,
                rules_fired: self.figures.rules_fired,
                frontier: self.frontier.len() + self.next.len(),
                level: self.figures.level_most,
                resident_bytes: memory::resident_bytes(),
            };
            self.tell_director(exchange, Word::Here(here));
        }
        let Some(director) = &mut self.director else { return };
        // By levels a level is finished first: another rank may have a finding on this level too.
        if director.enough() && !(self.settings.by_levels && director.halt.is_none()) && !director.said_stop {
            director.said_stop = true;
            self.stopping = true;
            control::say_to_all(exchange, &Word::Stop);
        }
        if due {
            (self.outside.moment)(&director.moment());
        }
    }

    fn out_of_time(&self) -> Option<String> {
        if (self.outside.stop)() {
            return Some(STOPPED.to_string());
        }
        self.settings.limits.out_of_time(self.begun)
    }
}
