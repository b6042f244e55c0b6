//! How long the parts of a proof take on each rank: lines of the log, for whoever asks why more ranks are not faster.
//!
//! A line tells a part's name and its seconds since the line before, on the clock and, where the system tells them, of the
//! processor: on a busy machine only these say how much work it was. Waiting for other ranks is a part of its own, so that
//! what is serial, what is done twice and what is uneven can be told apart: `verify prove -vv`.

use std::cell::Cell;
use std::time::{Duration, Instant};

thread_local! {
    static LAST: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
}

/// How long this thread has been on a processor.
fn processor() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// A part of the proof ends here on this rank.
pub fn done(part: &str) {
    if !log::log_enabled!(log::Level::Debug) {
        return;
    }
    let now = (Instant::now(), processor());
    let last = LAST.replace(Some(now)).unwrap_or(now);
    let (clock, spent) = (now.0 - last.0, now.1.saturating_sub(last.1));
    log::debug!("proof: {:.3} s ({:.3} s of a processor) {part}", clock.as_secs_f64(), spent.as_secs_f64());
}
