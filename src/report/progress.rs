//! Progress while a search runs: a live line for people, or one JSON record an interval for machines.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::base::size;

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Line,
    Records,
    Off,
}

impl Form {
    /// Reads `--progress`; a terminal gets a line and a file gets records, unless something else is asked for.
    pub fn choose(word: &str) -> Form {
        match word {
            "line" => Form::Line,
            "ndjson" => Form::Records,
            "off" => Form::Off,
            _ if std::io::stderr().is_terminal() => Form::Line,
            _ => Form::Records,
        }
    }

    fn interval(self) -> Duration {
        match self {
            Form::Line => Duration::from_millis(250),
            _ => Duration::from_secs(10),
        }
    }
}

/// Where a search is.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Now {
    pub seconds: f64,
    pub states: u64,
    pub rules_fired: u64,
    pub frontier: u64,
    pub states_per_second: f64,
    pub level: Option<u64>,
    pub resident_bytes: u64,
    /// The longest frontier of a rank over the mean of all.
    pub imbalance: Option<f64>,
}

/// Shows `Now` when its time has come.
pub struct Shower {
    form: Form,
    begin: Instant,
    last: Instant,
    last_states: u64,
    shown: bool,
}

impl Shower {
    pub fn new(form: Form) -> Shower {
        let now = Instant::now();
        Shower { form, begin: now, last: now, last_states: 0, shown: false }
    }

    /// Whether it is time for another word.
    pub fn due(&self) -> bool {
        self.form != Form::Off && self.last.elapsed() >= self.form.interval()
    }

    /// Shows where the search is; the rate is of the time since the last word.
    pub fn show(&mut self, now: &Now) {
        let since = self.last.elapsed().as_secs_f64().max(1e-9);
        let now = Now {
            seconds: self.begin.elapsed().as_secs_f64(),
            states_per_second: (now.states.saturating_sub(self.last_states)) as f64 / since,
            ..*now
        };
        self.last = Instant::now();
        self.last_states = now.states;
        self.shown = true;
        let mut err = std::io::stderr().lock();
        let _ = match self.form {
            Form::Line => write!(err, "\r{}\x1b[K", line(&now)).and_then(|()| err.flush()),
            Form::Records => writeln!(err, "{}", serde_json::to_string(&now).unwrap_or_default()),
            Form::Off => Ok(()),
        };
    }

    /// Leaves a clean line behind.
    pub fn finish(&mut self) {
        if self.form == Form::Line && self.shown {
            eprint!("\r\x1b[K");
        }
    }
}

fn line(now: &Now) -> String {
    let level = now.level.map_or(String::new(), |level| format!("  level {level}"));
    let imbalance = now.imbalance.map_or(String::new(), |ratio| format!("  imbalance {ratio:.2}"));
    format!(
        "{:>6.1} s  {} states  {}/s  frontier {}{level}  {}{imbalance}",
        now.seconds,
        size::count(now.states),
        size::count(now.states_per_second as u64),
        size::count(now.frontier),
        size::format(now.resident_bytes),
    )
}
