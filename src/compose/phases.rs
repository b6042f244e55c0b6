//! How long the parts of a proof take on each rank: lines of the log, for whoever asks why more ranks are not faster.
//!
//! A line tells a part's name and its seconds since the line before. Waiting for other ranks is a part of its own, so that
//! what is serial, what is done twice and what is uneven can be told apart: `verify prove -vv`.

use std::cell::Cell;
use std::time::Instant;

thread_local! {
    static LAST: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// A part of the proof ends here on this rank.
pub fn done(part: &str) {
    if !log::log_enabled!(log::Level::Debug) {
        return;
    }
    let now = Instant::now();
    let last = LAST.replace(Some(now)).unwrap_or(now);
    log::debug!("proof: {:.3} s {part}", (now - last).as_secs_f64());
}
