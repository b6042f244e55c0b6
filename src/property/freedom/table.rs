//! The table of outstanding searches (thesis, 4.2.3): which state waits for whose witness.
//!
//! When all states are known, each P state without Q asks for a witness of its helpful successor, and so do the states
//! that it leads to: a state asks once, whoever leads to it. Where the successor is of another rank, the search goes
//! there as a message and waits in that rank's table. Three steps:
//!
//! - *search*: a phase in which numbers are found for all successors asked for;
//! - *resolve*: each rank follows its own steps. A state has what is known on the way, up to its *exit*: the state whose
//!   step leads to another rank, or none where the way is stuck or goes round;
//! - *tell*: a phase in which whoever waits for a state is told what it has, and again when its exit is told more.
//!
//! What is known only grows, so telling ends; then a state without a witness is one whose path is stuck or goes round.
//! Cost: one search and, for each goal, at most one acknowledgement for a step between ranks. 13 to 18 bytes a state
//! for numbers and steps, and 16 for each search that waits.

use super::Freedom;
use super::edges;
use crate::base::{hash, words};
use crate::comm::{Op, Tag};
use crate::exchange::{Exchange, Idle, Inbound};
use crate::explore::StateRef;
use crate::explore::numbers::{Known, Numbers};
use crate::explore::sequel::Stage;

/// In place of the number of the state that a step leads to: nobody asked; asked, and not looked up; it leads
/// nowhere; the path being followed goes through it.
const UNASKED: u32 = u32::MAX;
const ASKED: u32 = u32::MAX - 1;
const NOWHERE: u32 = u32::MAX - 2;
const ON_PATH: u32 = u32::MAX - 3;
/// Anything below is a number.
const NUMBERS: u32 = 1 << 31;
/// Steps looked up together, so that their memory is asked for first.
const AT_ONCE: usize = 64;
/// Lots of them between two looks at the clock and the memory.
const LOOK_EVERY: u32 = 64;

/// A state of another rank waits for one of this rank, whose exit is told more.
#[derive(Clone, Copy)]
struct Wait {
    from: StateRef,
    at: u32,
    exit: u32,
}

struct Table<'f> {
    freedom: &'f mut Freedom,
    all: u64,
    /// By state: the number its step leads to, while searching; an exit names itself. Then its exit.
    next: Vec<u32>,
    /// P states before this one were looked at.
    begun: u32,
    /// Asked for by other states.
    asked: Vec<u32>,
    waits: Vec<Wait>,
}

/// Gives `good` every witness there is. On all ranks.
pub(super) fn search(freedom: &mut Freedom, stage: &mut Stage<'_, '_>) {
    let numbers = match freedom.edges.exact() {
        true => None,
        false => Numbers::of_log(stage.log, freedom.bytes_max).map_err(|error| freedom.give_up(&error)).ok(),
    };
    let states = freedom.counts.states() as u32;
    let all = freedom.all();
    let mut table = Table {
        freedom,
        all,
        next: vec![UNASKED; states as usize],
        begun: 0,
        asked: Vec::new(),
        waits: Vec::new(),
    };
    let Stage { exchange, known, stop, .. } = stage;
    let known = Known { numbers: numbers.as_ref().unwrap_or(known.numbers), ..*known };
    table.look_up_all(exchange, known, *stop);
    drop(numbers);
    // Where a rank gave up, nobody goes on; the caller asks again and says so.
    if exchange.tally(Op::Sum, &[i64::from(table.freedom.trouble.is_some())])[0] > 0 {
        return;
    }
    table.freedom.edges.forget();
    table.resolve();
    table.tell_all(exchange);
    table.close();
}

impl Table<'_> {
    fn look_up_all(
        &mut self,
        exchange: &mut Exchange<'_>,
        known: Known<'_>,
        stop: &dyn Fn() -> Option<String>,
    ) {
        let (mut some, mut since_look) = (Vec::with_capacity(AT_ONCE), 0);
        loop {
            while exchange.receive(|_, inbound| self.receive_searches(known, inbound)) {}
            if exchange.congested() {
                exchange.wait();
                continue;
            }
            self.take_some(&mut some);
            if some.is_empty() {
                if exchange.idle() == Idle::PhaseOver {
                    return;
                }
                continue;
            }
            self.look_up(exchange, known, &some);
            since_look += 1;
            if since_look >= LOOK_EVERY {
                since_look = 0;
                stop().inspect(|why| self.freedom.give_up(why));
                self.look_at_memory();
            }
        }
    }

    fn look_at_memory(&mut self) {
        let mine = self.next.len() * 4 + self.asked.len() * 4 + self.waits.len() * size_of::<Wait>();
        if mine as u64 > self.freedom.bytes_max {
            self.freedom.give_up(&"out of memory for searches that wait");
        }
    }

    /// The next states to look up: those asked for, else P states in order. None after trouble.
    fn take_some(&mut self, some: &mut Vec<u32>) {
        some.clear();
        if self.freedom.trouble.is_some() {
            return;
        }
        while some.len() < AT_ONCE {
            if let Some(number) = self.asked.pop() {
                some.push(number);
            } else if (self.begun as usize) < self.next.len() {
                let number = self.begun;
                self.begun += 1;
                let Freedom { claimed, good, .. } = &*self.freedom;
                if claimed.get(u64::from(number)) & !good.get(u64::from(number)) != 0 {
                    some.push(number);
                }
            } else {
                return;
            }
        }
    }

    /// A state's step leads to another one of this rank.
    fn follow(&mut self, from: u32, to: u32) {
        if self.freedom.good.get(u64::from(to)) == self.all {
            self.freedom.good.add(u64::from(from), self.all);
            self.freedom.counts.longest_path = self.freedom.counts.longest_path.max(1);
        } else {
            self.ask(to);
        }
    }

    /// A state is asked for a witness. P states ask on their own, each in its turn.
    fn ask(&mut self, number: u32) {
        let Freedom { claimed, good, .. } = &*self.freedom;
        let (claims, good) = (claimed.get(u64::from(number)), good.get(u64::from(number)));
        if good != self.all && claims & !good == 0 && self.next[number as usize] == UNASKED {
            self.next[number as usize] = ASKED;
            self.asked.push(number);
        }
    }

    fn look_up(&mut self, exchange: &mut Exchange<'_>, known: Known<'_>, some: &[u32]) {
        let me = self.freedom.me;
        // What becomes of each: taken out first, as asking changes the table.
        let mut found = [NOWHERE; AT_ONCE];
        let edges = &self.freedom.edges;
        for &number in some {
            if let Some((owner, record)) = edges.get(u64::from(number))
                && owner == me
            {
                prefetch_number(known, edges.exact(), record);
            }
        }
        for (&number, found) in some.iter().zip(&mut found) {
            let Some((owner, record)) = edges.get(u64::from(number)) else { continue };
            if owner == me {
                // A step to itself leads nowhere.
                let to = number_of(known, edges.exact(), record).filter(|&to| to != number);
                *found = to.unwrap_or(NOWHERE);
            } else {
                let from = [StateRef::new(me, u64::from(number)).word()];
                exchange.post_parts(owner, Tag::Witnesses, &[&words::bytes(&from), &words::bytes(record)]);
                self.freedom.counts.steps_sent += 1;
                *found = number;
            }
        }
        for (&number, &found) in some.iter().zip(&found) {
            self.next[number as usize] = found;
            self.freedom.counts.steps += u64::from(found < NUMBERS);
            if found < NUMBERS && found != number {
                self.follow(number, found);
            }
        }
    }

    fn receive_searches(&mut self, known: Known<'_>, inbound: &Inbound) {
        let (exact, each) = (self.freedom.edges.exact(), 1 + self.freedom.edges.each());
        let mut read = Vec::new();
        words::read(inbound.bytes(), &mut read);
        read.chunks_exact(each).for_each(|item| prefetch_number(known, exact, &item[1..]));
        for item in read.chunks_exact(each) {
            // A state that is not found is one that was taken for another: its search is never answered.
            if let Some(at) = number_of(known, exact, &item[1..]) {
                self.waits.push(Wait { from: StateRef::from_word(item[0]), at, exit: NOWHERE });
                self.ask(at);
            }
        }
    }

    /// Follows the steps of every state asked for to their exit, and brings what is known on the way back.
    fn resolve(&mut self) {
        let Table { freedom, all, next, .. } = self;
        let Freedom { good, counts, .. } = &mut **freedom;
        let mut path = Vec::new();
        for first in 0..next.len() as u32 {
            let mut at = first;
            let mut known = good.get(u64::from(at));
            // A state with every witness, an exit, or an end.
            while known != *all && next[at as usize] < NUMBERS && next[at as usize] != at {
                path.push(at);
                at = std::mem::replace(&mut next[at as usize], ON_PATH);
                known = good.get(u64::from(at));
            }
            if path.is_empty() {
                continue;
            }
            let mut exit = if known == *all { NOWHERE } else { next[at as usize] };
            if exit == ON_PATH {
                let begin = path.iter().rposition(|&on| on == at).expect("it is on the path");
                known = path[begin..].iter().fold(0, |set, &on| set | good.get(u64::from(on)));
                exit = NOWHERE;
            }
            if known == *all {
                counts.longest_path = counts.longest_path.max(path.len() as u64);
            }
            while let Some(on) = path.pop() {
                known |= good.get(u64::from(on));
                good.add(u64::from(on), known);
                next[on as usize] = exit;
            }
        }
        for wait in &mut self.waits {
            // The step of a state whose witnesses are all known need not have been followed.
            let (exit, good) = (self.next[wait.at as usize], self.freedom.good.get(u64::from(wait.at)));
            wait.exit = if exit < NUMBERS && good != self.all { exit } else { NOWHERE };
        }
        self.waits.sort_unstable_by_key(|wait| (wait.exit, wait.at, wait.from));
        self.freedom.counts.waiting_most =
            self.waits.iter().filter(|wait| wait.exit != NOWHERE).count() as u64;
    }

    fn tell_all(&mut self, exchange: &mut Exchange<'_>) {
        let mut told = 0;
        loop {
            while exchange.receive(|exchange, inbound| self.receive_answers(exchange, inbound)) {}
            if exchange.congested() {
                exchange.wait();
            } else if told < self.waits.len() {
                let end = self.waits.len().min(told + AT_ONCE);
                for at in told..end {
                    let wait = self.waits[at];
                    self.answer(exchange, wait.from, self.freedom.good.get(u64::from(wait.at)));
                }
                told = end;
            } else if exchange.idle() == Idle::PhaseOver {
                return;
            }
        }
    }

    fn answer(&mut self, exchange: &mut Exchange<'_>, to: StateRef, goals: u64) {
        if goals != 0 {
            let item = [to.number(), goals];
            exchange.post(to.rank(), Tag::Acknowledgements, &words::bytes(&item));
            self.freedom.counts.acknowledgements_sent += 1;
        }
    }

    /// Exits of this rank are told what they have; so is who waits for them.
    fn receive_answers(&mut self, exchange: &mut Exchange<'_>, inbound: &Inbound) {
        let mut read = Vec::new();
        words::read(inbound.bytes(), &mut read);
        for item in read.chunks_exact(2) {
            let (exit, goals) = (item[0], item[1] & !self.freedom.good.get(item[0]));
            self.freedom.good.add(exit, goals);
            let begin = self.waits.partition_point(|wait| u64::from(wait.exit) < exit);
            let mut at = begin;
            while goals != 0 && at < self.waits.len() && u64::from(self.waits[at].exit) == exit {
                let wait = self.waits[at];
                // What was known on the way to the exit has been told.
                let new = match u64::from(wait.at) == exit {
                    true => goals,
                    false => goals & !self.freedom.good.get(u64::from(wait.at)),
                };
                self.answer(exchange, wait.from, new);
                at += 1;
            }
        }
    }

    /// Every state has what its exit has.
    fn close(&mut self) {
        let Freedom { good, counts, .. } = &mut *self.freedom;
        for (number, &exit) in self.next.iter().enumerate().filter(|(_, next)| **next != UNASKED) {
            if exit < NUMBERS {
                good.add(number as u64, good.get(u64::from(exit)));
            }
            counts.acknowledgements += u64::from(good.get(number as u64) == self.all);
        }
    }
}

impl Freedom {
    fn give_up(&mut self, why: &dyn std::fmt::Display) {
        self.trouble.get_or_insert(format!("rank {}: {why}", self.me));
    }
}

fn prefetch_number(known: Known<'_>, exact: bool, record: &[u64]) {
    if !exact {
        known.numbers.prefetch(edges::hash_of(record));
    }
}

/// The number of the state that a record names.
fn number_of(known: Known<'_>, exact: bool, record: &[u64]) -> Option<u32> {
    let number = match exact {
        true => known.number(hash::words(&record[1..]), &record[1..]),
        false => known.numbers.find_hash(edges::hash_of(record)),
    };
    number.map(|number| number as u32)
}
