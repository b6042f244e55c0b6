//! What comes after a search that saw every state, on the same ranks and the same exchange.
//!
//! A property of whole runs needs more than one look at each state: it collects what it needs as an observer and
//! does the rest here, in phases of its own. It is called on all ranks or on none, between phases.

use super::Finding;
use super::log::Log;
use super::numbers::Known;
use crate::compile::{Owners, Steps};
use crate::exchange::Exchange;

/// One rank's means.
pub struct Stage<'s, 'c> {
    pub exchange: &'s mut Exchange<'c>,
    pub steps: &'s mut dyn Steps,
    pub owners: &'s Owners,
    /// How each state was first reached.
    pub log: &'s mut Log,
    /// The rank's states, where an observer asked for numbers; nothing else.
    pub known: Known<'s>,
    /// Bytes of memory that the search has left.
    pub memory_bytes: u64,
    /// What the sequel finds; rank 0's is taken.
    pub findings: Vec<Finding>,
    /// Why this rank must stop now: it was asked to, or the time of the whole run is over.
    pub stop: &'s dyn Fn() -> Option<String>,
}

pub trait Sequel {
    fn run(&mut self, stage: &mut Stage<'_, '_>);
}
