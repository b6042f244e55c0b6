//! Which rank this thread is, for log lines and for the message of a panic.
//!
//! Transports set it when a rank begins; nothing else may, and no algorithm reads it: they ask their `Comm`.

use std::cell::Cell;

use crate::base::Rank;

thread_local! {
    static RANK: Cell<Option<Rank>> = const { Cell::new(None) };
}

pub fn set(rank: Rank) {
    RANK.with(|cell| cell.set(Some(rank)));
}

pub fn get() -> Option<Rank> {
    RANK.with(Cell::get)
}
