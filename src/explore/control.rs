//! Words between the ranks of a search that are not states, and rank 0's part: it directs.
//!
//! Ranks tell rank 0 what they found, why they cannot go on, and now and then where they are. Rank 0 decides when to
//! stop and tells everyone. Messages are few and small, on a tag of their own.

use serde::{Deserialize, Serialize};

use super::{Finding, Limits, Moment};
use crate::base::{Rank, wire};
use crate::comm::{Comm, Tag, collective};
use crate::exchange::{Exchange, Inbound};
use crate::host::HostError;

/// What ranks say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Word {
    Found(Finding),
    /// This rank cannot go on: out of memory, disk or time, or asked to stop.
    Halt(String),
    Here(Here),
    /// From rank 0: forget what is left to do.
    Stop,
}

/// Where a rank is.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Here {
    pub states: u64,
    pub rules_fired: u64,
    pub frontier: u64,
    pub level: u32,
    pub resident_bytes: u64,
}

pub fn say(exchange: &mut Exchange<'_>, to: Rank, word: &Word) {
    exchange.post(to, Tag::Control, &wire::item(word));
    exchange.flush_kind(Tag::Control);
}

pub fn say_to_all(exchange: &mut Exchange<'_>, word: &Word) {
    let item = wire::item(word);
    for to in exchange.rank().others(exchange.ranks()) {
        exchange.post(to, Tag::Control, &item);
    }
    exchange.flush_kind(Tag::Control);
}

/// The words of a batch.
pub fn words(inbound: &Inbound) -> Vec<Word> {
    wire::items(inbound.bytes())
}

/// All ranks begin, or none does.
pub fn agree_to_begin(comm: &mut dyn Comm, failure: Option<&HostError>) -> Result<(), String> {
    let mine = failure.map(|error| format!("rank {}: {error}", comm.rank()));
    let all = collective::gather(comm, wire::encode(&mine));
    let first = all.map(|parts| {
        let decoded =
            parts.iter().map(|part| wire::decode::<Option<String>>(part).expect("a failure decodes"));
        wire::encode(&decoded.flatten().next())
    });
    let first: Option<String> = wire::decode(&collective::broadcast(comm, first)).expect("a failure decodes");
    first.map_or(Ok(()), Err)
}

/// What rank 0 knows, and decides by.
pub struct Director {
    states_max: Option<u64>,
    findings_max: u64,
    pub findings: Vec<Finding>,
    pub halt: Option<String>,
    here: Vec<Here>,
    pub said_stop: bool,
}

impl Director {
    pub fn new(ranks: u32, limits: &Limits) -> Director {
        Director {
            states_max: limits.states,
            findings_max: limits.findings,
            findings: Vec::new(),
            halt: None,
            here: vec![Here::default(); ranks as usize],
            said_stop: false,
        }
    }

    pub fn hear(&mut self, from: Rank, word: Word) {
        match word {
            // A few more may come while the news to stop travels; they are true, but were not asked for.
            Word::Found(finding) if (self.findings.len() as u64) < self.findings_max => {
                self.findings.push(finding)
            }
            Word::Found(_) => {}
            Word::Halt(why) => {
                self.halt.get_or_insert(why);
            }
            Word::Here(here) => self.here[from.index()] = here,
            Word::Stop => unreachable!("only rank 0 says stop"),
        }
    }

    /// Whether the search is to stop, by anything that was heard.
    pub fn enough(&mut self) -> bool {
        let states: u64 = self.here.iter().map(|here| here.states).sum();
        if let Some(max) = self.states_max.filter(|&max| states > max) {
            self.halt.get_or_insert(format!("more than {max} states"));
        }
        self.halt.is_some() || self.findings.len() as u64 >= self.findings_max
    }

    pub fn moment(&self) -> Moment {
        Moment {
            states: self.here.iter().map(|here| here.states).sum(),
            rules_fired: self.here.iter().map(|here| here.rules_fired).sum(),
            frontier: self.here.iter().map(|here| here.frontier).sum(),
            frontier_longest: self.here.iter().map(|here| here.frontier).max().unwrap_or(0),
            level: self.here.iter().map(|here| u64::from(here.level)).max().unwrap_or(0),
            resident_bytes: self.here.iter().map(|here| here.resident_bytes).max().unwrap_or(0),
            ranks: self.here.len() as u32,
        }
    }
}
