//! Signals that a job reacts to: seen here, handed over when the job asks.
//!
//! TERM (a scheduler's time limit) and INT (a person's Ctrl-C) ask for an orderly end; a second one ends the
//! process at once. USR1 (Slurm's `--signal`) asks to save what can be saved and go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::flag;

use super::HostError;

/// What was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// End in order: say what is known, and leave.
    Stop,
    /// Save progress, and go on.
    Save,
}

/// The flags that the handlers set. Clones watch the same ones.
#[derive(Clone)]
pub struct Signals {
    stop: Arc<AtomicBool>,
    save: Arc<AtomicBool>,
}

/// The exit code of a process that a second signal ended: the environment's doing.
const SECOND_SIGNAL_CODE: i32 = 3;

impl Signals {
    /// Installs the handlers.
    pub fn watch() -> Result<Signals, HostError> {
        let signals = Signals::none();
        for signal in [SIGTERM, SIGINT] {
            // In this order: the first signal finds the flag down and only raises it, the second leaves.
            flag::register_conditional_shutdown(signal, SECOND_SIGNAL_CODE, signals.stop.clone())
                .map_err(HostError::Signals)?;
            flag::register(signal, signals.stop.clone()).map_err(HostError::Signals)?;
        }
        flag::register(SIGUSR1, signals.save.clone()).map_err(HostError::Signals)?;
        Ok(signals)
    }

    /// Flags that no handler sets; for tests and simulated ranks.
    pub fn none() -> Signals {
        Signals { stop: Arc::default(), save: Arc::default() }
    }

    /// Whether a stop was asked for. Ranks that are threads ask this again and again; it only reads, so that none has to wait
    /// for another's processor.
    pub fn ask_to_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// What was asked since the last call. A request to stop stays.
    pub fn request(&self) -> Option<Request> {
        if self.stop.load(Ordering::Relaxed) {
            return Some(Request::Stop);
        }
        self.save.swap(false, Ordering::Relaxed).then_some(Request::Save)
    }

    /// Asks as a signal would.
    pub fn raise(&self, request: Request) {
        match request {
            Request::Stop => self.stop.store(true, Ordering::Relaxed),
            Request::Save => self.save.store(true, Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_to_save_is_seen_once_and_one_to_stop_stays() {
        let signals = Signals::none();
        assert_eq!(signals.request(), None);
        signals.raise(Request::Save);
        assert!(!signals.ask_to_stop(), "and leaves the request to save alone");
        assert_eq!(signals.request(), Some(Request::Save));
        assert_eq!(signals.request(), None);
        signals.raise(Request::Stop);
        assert_eq!(signals.request(), Some(Request::Stop));
        assert_eq!(signals.request(), Some(Request::Stop));
    }
}
