//! Clocks that jump and disks that fill up, by the seed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::base::prng::Prng;
use crate::host::{Clock, Disk, HostError};

/// Time that moves by a random step at each look, now and then by minutes.
pub struct SimClock {
    state: RefCell<(Prng, Duration)>,
}

impl SimClock {
    pub fn new(seed: u64) -> SimClock {
        SimClock { state: RefCell::new((Prng::new(seed), Duration::ZERO)) }
    }
}

impl Clock for SimClock {
    fn now(&self) -> Duration {
        let (prng, now) = &mut *self.state.borrow_mut();
        let step = if prng.chance(2) { prng.below(600_000_000) } else { prng.below(2_000) };
        *now += Duration::from_micros(step);
        *now
    }
}

/// Files in memory, with room for `room_bytes`, whose operations fail in `fail_percent` of 100 calls.
pub struct SimDisk {
    prng: Prng,
    files: BTreeMap<String, Vec<u8>>,
    room_bytes: usize,
    fail_percent: u64,
}

impl SimDisk {
    pub fn new(seed: u64, room_bytes: usize, fail_percent: u64) -> SimDisk {
        SimDisk { prng: Prng::new(seed), files: BTreeMap::new(), room_bytes, fail_percent }
    }

    fn maybe_fail(&mut self, name: &str, action: &'static str) -> Result<(), HostError> {
        if self.prng.chance(self.fail_percent) {
            return Err(HostError::file(self.path(name), action, std::io::Error::other("simulated")));
        }
        Ok(())
    }

    fn missing(&self, name: &str, action: &'static str) -> HostError {
        HostError::file(self.path(name), action, std::io::ErrorKind::NotFound.into())
    }
}

impl Disk for SimDisk {
    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), HostError> {
        self.maybe_fail(name, "writing")?;
        let used: usize = self.files.values().map(Vec::len).sum();
        if used + bytes.len() > self.room_bytes {
            return Err(HostError::DiskFull { path: self.path(name) });
        }
        self.files.insert(name.to_string(), bytes.to_vec());
        Ok(())
    }

    fn read(&mut self, name: &str) -> Result<Vec<u8>, HostError> {
        self.maybe_fail(name, "reading")?;
        self.files.get(name).cloned().ok_or_else(|| self.missing(name, "reading"))
    }

    fn remove(&mut self, name: &str) -> Result<(), HostError> {
        match self.files.remove(name) {
            Some(_) => Ok(()),
            None => Err(self.missing(name, "removing")),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from("simulated").join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::spool::Spool;

    #[test]
    fn time_never_goes_back_and_jumps_by_the_seed() {
        let (a, b) = (SimClock::new(9), SimClock::new(9));
        let times: Vec<Duration> = (0..500).map(|_| a.now()).collect();
        assert!(times.is_sorted());
        assert_eq!(times, (0..500).map(|_| b.now()).collect::<Vec<_>>());
        assert!(times[499] > Duration::from_secs(60));
    }

    #[test]
    fn a_spool_survives_failing_and_full_disks_without_losing_a_block() {
        for seed in 0..50 {
            let mut prng = Prng::new(seed);
            let mut spool = Spool::new(Box::new(SimDisk::new(seed, 2_000, 30)));
            let (mut pushed, mut popped, mut full) = (0u32, 0u32, 0);
            for _ in 0..400 {
                if prng.chance(75) {
                    match spool.push(&[pushed.to_le_bytes(); 20].concat()) {
                        Ok(()) => pushed += 1,
                        Err(error) => full += u32::from(error.is_out_of_room()),
                    }
                } else if let Ok(Some(block)) = spool.pop() {
                    assert_eq!(block, [popped.to_le_bytes(); 20].concat());
                    popped += 1;
                }
            }
            assert_eq!(u64::from(pushed - popped), spool.blocks());
            assert!(full > 0 && popped > 0, "the disk was full {full} times, {popped} blocks came back");
        }
    }
}
