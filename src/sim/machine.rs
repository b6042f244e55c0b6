//! Clocks that jump and disks that fill up, by the seed.

use std::cell::RefCell;
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

/// Bytes in memory, `room_bytes` at most, whose operations fail in `fail_percent` of 100 calls.
pub struct SimDisk {
    prng: Prng,
    bytes: Vec<u8>,
    room_bytes: usize,
    fail_percent: u64,
}

impl SimDisk {
    pub fn new(seed: u64, room_bytes: usize, fail_percent: u64) -> SimDisk {
        SimDisk { prng: Prng::new(seed), bytes: Vec::new(), room_bytes, fail_percent }
    }

    fn maybe_fail(&mut self, action: &'static str) -> Result<(), HostError> {
        if self.prng.chance(self.fail_percent) {
            return Err(HostError::file(self.path(), action, std::io::Error::other("simulated")));
        }
        Ok(())
    }
}

impl Disk for SimDisk {
    fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), HostError> {
        let (begin, end) = (at as usize, at as usize + bytes.len());
        if end > self.room_bytes {
            return Err(HostError::DiskFull { path: self.path() });
        }
        self.bytes.resize(self.bytes.len().max(end), 0);
        // A write that fails may have done a part of its work.
        let half = begin + bytes.len() / 2;
        self.bytes[begin..half].copy_from_slice(&bytes[..half - begin]);
        self.maybe_fail("writing")?;
        self.bytes[begin..end].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, at: u64, bytes: &mut [u8]) -> Result<(), HostError> {
        self.maybe_fail("reading")?;
        let there = self.bytes.get(at as usize..at as usize + bytes.len());
        let missing = || HostError::file(self.path(), "reading", std::io::ErrorKind::UnexpectedEof.into());
        bytes.copy_from_slice(there.ok_or_else(missing)?);
        Ok(())
    }

    fn path(&self) -> PathBuf {
        PathBuf::from("simulated")
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
            let mut spool = Spool::new(Box::new(SimDisk::new(seed, 200_000, 30)));
            let (mut pushed, mut popped, mut full) = (0u32, 0u32, 0);
            let mut block = Vec::new();
            for _ in 0..400 {
                if prng.chance(75) {
                    match spool.push(&[pushed.to_le_bytes(); 20].concat()) {
                        Ok(()) => pushed += 1,
                        Err(error) => full += u32::from(error.is_out_of_room()),
                    }
                } else if let Ok(true) = spool.pop(&mut block) {
                    assert_eq!(block, [popped.to_le_bytes(); 20].concat());
                    popped += 1;
                }
            }
            assert_eq!(u64::from(pushed - popped), spool.blocks());
            assert!(full > 0 && popped > 0, "the disk was full {full} times, {popped} blocks came back");
        }
    }
}
