//! Time since the run began.

use std::time::{Duration, Instant};

/// Where time comes from. It never goes back.
pub trait Clock {
    fn now(&self) -> Duration;
}

/// The machine's monotonic clock.
pub struct WallClock {
    begin: Instant,
}

impl WallClock {
    pub fn start() -> WallClock {
        WallClock { begin: Instant::now() }
    }
}

impl Clock for WallClock {
    fn now(&self) -> Duration {
        self.begin.elapsed()
    }
}

/// Seconds as people write them: `90`, `90s`, `5m`, `1h30m`, or Slurm's `hh:mm:ss` and `d-hh:mm:ss`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let bad = || format!("'{text}' is not a duration; write for example 90s, 5m, 1h30m or 02:30:00");
    let text = text.trim();
    let seconds = if text.contains(':') { parse_clock(text) } else { parse_units(text) };
    let seconds = seconds.filter(|s| s.is_finite() && (0.0..1e12).contains(s)).ok_or_else(bad)?;
    Ok(Duration::from_secs_f64(seconds))
}

fn parse_clock(text: &str) -> Option<f64> {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (days.parse::<u32>().ok()?, rest),
        None => (0, text),
    };
    let parts: Vec<u32> = rest.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let seconds = match parts[..] {
        [minutes, seconds] => f64::from(minutes) * 60.0 + f64::from(seconds),
        [hours, minutes, seconds] => {
            f64::from(hours) * 3600.0 + f64::from(minutes) * 60.0 + f64::from(seconds)
        }
        _ => return None,
    };
    Some(f64::from(days) * 86_400.0 + seconds)
}

fn parse_units(text: &str) -> Option<f64> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Some(seconds);
    }
    let mut total = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let split = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let value: f64 = rest[..split].parse().ok()?;
        let unit = &rest[split..];
        let len = unit.find(|c: char| c.is_ascii_digit()).unwrap_or(unit.len());
        total += value
            * match &unit[..len] {
                "ms" => 0.001,
                "s" => 1.0,
                "m" | "min" => 60.0,
                "h" => 3600.0,
                "d" => 86_400.0,
                _ => return None,
            };
        rest = &unit[len..];
    }
    (!text.is_empty()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        let seconds = |text: &str| parse_duration(text).map(|d| d.as_secs_f64());
        assert_eq!(seconds("90"), Ok(90.0));
        assert_eq!(seconds("1h30m"), Ok(5400.0));
        assert_eq!(seconds("250ms"), Ok(0.25));
        assert_eq!(seconds("02:30:00"), Ok(9000.0));
        assert_eq!(seconds("1-00:00:10"), Ok(86_410.0));
        for bad in ["", "soon", "5 parsecs", "-3", "1:2:3:4", "nan", "inf", "5é"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }
}
